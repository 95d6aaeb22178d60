"""The Anderson tasks (F1-F5): the hyperplane between Gaussians whose worst error is smallest."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr, ndtri
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..certificates.base import Status, Verdict
from ..certificates.check.estimates import find_wrong_estimates
from ..certificates.prove.radius import certify, prove_radii, scale_hyperplane
from ..certificates.radius import RadiusCertificate
from ..interrupt import INTERRUPT, INTERRUPTED
from ..loop.stop import AUTO, Rounds
from ..loop.trace import Update, collect_updates
from ..rows.gaussians import Gaussians
from ..rules import Increment, Nearest
from ..solvers.anderson.epsilon import improve_radius, reach_radius, trace_radius
from ..solvers.anderson.gaussians import factorize
from ..solvers.anderson.moments import Moments, class_moments
from ..solvers.anderson.optimal import MAX_STEPS, maximize_radius
from ._datasets import takes_dataset
from ._gaussians import LEDOIT_WOLF, Estimate, estimate_from_moments, estimate_ledoit_wolf, estimate_mixture
from ._linear import LinearClassifier
from ._oracles import plain_rows
from ._parameters import shared_parameters
from ._parted import Parted
from ._validation import (
    AT_LEAST_ONE,
    Interval,
    Sample,
    StrOptions,
    all_or_nothing,
    check_input,
    check_parameters,
    say_briefly,
    set_parameters,
    warn_user,
)

TIES = 1e-6  # a Gaussian decides if its r is this near, relative, to the smallest
RULES = {"kozinec": Nearest(), "perceptron": Increment(1.0)}


class Estimation(NamedTuple):
    """How the Gaussians were estimated from rows."""

    components: int
    shrinkage: Any

    @property
    def merges(self) -> bool:
        """Whether moments are enough, which merge: not for mixtures, and not for Ledoit and Wolf's shrinkage."""
        return self.components == 1 and self.shrinkage != LEDOIT_WOLF


def _can_merge(rule: Anderson) -> bool:
    """Whether Gaussians are estimated from moments."""
    if not Estimation(rule.components, rule.shrinkage).merges:
        raise AttributeError("partial_fit: expected components=1 and shrinkage=None or a number: only moments merge.")
    return True


def _find_reason(rounds: Rounds) -> str:
    """Why the search ended before its target, or nothing; Ctrl-C may have ended exact arithmetic after it."""
    return INTERRUPTED if INTERRUPT.pressed else rounds.reason


@shared_parameters
class Anderson(LinearClassifier):
    r"""The hyperplane whose worst Gaussian errs least.

    .. math:: \min_{w,b} \max_j \Phi(-r_j) , \qquad
              r_j = \frac{y_j(\langle w,\mu_j\rangle + b)}{\sqrt{w^T\Sigma_j w}}

    Each class is a set of Gaussians, and nothing is known of how often each of them occurs: so the worst counts. Two
    Gaussians are Anderson and Bahadur's task (F1), more the generalised one (F2). Points are Gaussians without spread
    (F4): of equal spheres the result is the hyperplane of largest margin. For any distribution with these moments, not
    only Gaussians, the error is at most 1 / (1 + r²) (``any_error_``): the minimax probability machine.

    Parameters
    ----------
    error : float in (0, 1/2) or None, default=None
        The error that is required of every Gaussian (F3). The certificate then says "reached", or "impossible" with
        the proof. None: the smallest possible.
    method : {"optimal", "direction", "kozinec", "perceptron"}, default="optimal"
        "optimal": exact to 1e-9. "direction": improving directions, to a part ``tol``. The two others separate the
        ellipsoids of the required ``error`` by the loop, and reach it, or spend ``max_iter``; whether it could have
        been reached is then decided by the exact solver.
    components : int, default=1
        Gaussians per class that `fit` estimates; more than one by scikit-learn's GaussianMixture.
    shrinkage : "ledoit-wolf", float in [0, 1] or None, default=None
        Draws estimated covariances towards spheres.
    tol : float in (0, 1), default=1e-3
        For "direction": how near r must be to the best, relative.
    max_iter : int or "auto", default="auto"
        Budget of "direction", "kozinec" and "perceptron"; "auto": 10,000, and no more than 5 seconds of work.
    max_seconds : float or None, default=None
        Budget of time; when it is spent, the best w so far comes with the bounds that are proved.
    random_state : int, RandomState or None, default=None
        Of the mixtures.

    Attributes
    ----------
    coef_, intercept_, classes_
        As for `Perceptron`.
    means_ : array of shape (k, d)
        The means of the Gaussians.
    covariances_ : array or list of k covariances
        Their covariances, as they were given.
    labels_ : array of shape (k,)
        The class of each Gaussian.
    radii_ : array of shape (k,)
        r_j of each Gaussian; no number is above the true one.
    errors_ : array of shape (k,)
        Its error Phi(-r_j) (F5); of a point, which does not spread, 0 or 1. It is that of a Gaussian, and no p(k|x) of
        a row: there is no ``predict_proba``; see `Bayes`, or scikit-learn's ``CalibratedClassifierCV``.
    error_ : float
        The largest of ``errors_``.
    any_error_ : float
        The largest error of any distributions with these means and covariances, 1 / (1 + r²); 1 if r is not positive.
    worst_ : array of int
        The Gaussians that decide.
    certificate_ : RadiusCertificate
        Bounds of r with their proofs; ``certificate_.check(means_, covariances_, labels_)`` computes them again.
    history_ : list of dict
        One per pass of "direction", "kozinec" and "perceptron".
    n_iter_ : int
        Newton steps, improving directions or updates made.

    Examples
    --------
    >>> from linsep import Anderson
    >>> rule = Anderson().fit_gaussians([[0.0], [3.0]], [1.0, 4.0], ["a", "b"])
    >>> rule.radii_.round(6).tolist(), round(rule.error_, 6), rule.predict([[0.9], [1.1]]).tolist()
    ([1.0, 1.0], 0.158655, ['a', 'b'])
    """

    _parameter_constraints: dict = {
        "error": [None, Interval(Real, 0, 0.5, closed="neither")],
        "method": [StrOptions({"optimal", "direction", *RULES})],
        "components": [AT_LEAST_ONE],
        "shrinkage": [None, StrOptions({LEDOIT_WOLF}), Interval(Real, 0, 1, closed="both")],
        "tol": [Interval(Real, 0, 1, closed="neither")],
    }

    certificate_: Any  # RadiusCertificate
    class_weight = None  # how often a class occurs does not matter here

    def __init__(
        self, error=None, *, method="optimal", components=1, shrinkage=None, tol=1e-3, max_iter="auto",
        max_seconds=None, random_state=None, verbose=0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")  # partial_fit may have seen one class only

    def _takes_many(self) -> bool:
        return False

    @all_or_nothing
    def fit_gaussians(self, means, covariances, labels):
        """Learn from Gaussians.

        Parameters
        ----------
        means : array of shape (k, d)
            One row per Gaussian.
        covariances : number, or list of k covariances
            Each is a matrix, d variances, one variance (0: a point), or a pair (U, variances) for low rank plus
            diagonal, U U' + diag(variances). One number is the variance of all Gaussians.
        labels : array of shape (k,)
            The class of each Gaussian.
        """
        check_parameters(self)
        labels = np.asarray(labels)
        if labels.ndim != 1:
            raise ValueError(f"labels: expected one per Gaussian, got an array of shape {labels.shape}.")
        self.classes_ = np.unique(labels)
        if len(self.classes_) != 2:
            shown = ", ".join(map(repr, self.classes_[:3].tolist()))
            raise ValueError(f"labels: expected two classes, got {len(self.classes_)}: {shown}.")
        vars(self).pop("feature_names_in_", None)
        if hasattr(means, "columns"):
            self.feature_names_in_ = np.asarray(means.columns, dtype=object)
        self._moments = self._estimation = None
        self._fit(means, covariances, labels)
        self.n_features_in_ = self.means_.shape[1]
        return self

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows ``X`` and labels ``y``: estimate the Gaussians of each class, then as `fit_gaussians`."""
        check_parameters(self)
        self._refuse_sparse(X)
        sample = self._sample(X, y, sample_weight)
        self._estimation = Estimation(self.components, self.shrinkage)
        self._moments = None  # partial_fit goes on from here, if it can
        if self._estimation.merges:
            self._moments = self._moments_of(sample)
            self._fit_moments()
        else:
            self._fit_estimates([self._estimate(sample, side) for side in (-1, 1)])
        return self

    @available_if(_can_merge)
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the moments of each class, and learn from the moments of all rows so far.

        ``classes`` (both labels) is needed at the first call; both must have been seen before there is a hyperplane.
        How Gaussians are estimated (``components``, ``shrinkage``) must not change between calls.
        """
        check_parameters(self)
        self._refuse_sparse(X)
        first = getattr(self, "_moments", None) is None
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs both labels, partial_fit(X, y, [a, b]).")
        if not first and self.shrinkage != self._estimation.shrinkage:
            before = self._estimation.shrinkage
            raise ValueError(f"shrinkage={self.shrinkage!r}: expected {before!r} as in the first call; call fit again.")
        known = classes if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes: expected {self.classes_.tolist()} as in the first call, got {list(classes)}.")
        sample = self._sample(X, y, sample_weight, reset=first, classes=known)
        self._estimation = Estimation(self.components, self.shrinkage)
        new = self._moments_of(sample)
        self._moments = new if first else tuple(old.merge(m) for old, m in zip(self._moments, new, strict=True))
        if all(moments.weight > 0 for moments in self._moments):
            self._fit_moments()
        return self

    def _learns_from_parts(self) -> bool:
        return Estimation(self.components, self.shrinkage).merges

    def _checks_parts(self) -> bool:
        return False

    @takes_dataset
    def check(self, X, y, sample_weight=None) -> Verdict:
        """Check the certificate, and that the Gaussians it is about are the estimates of these rows.

        Both are computed again with code that `fit` does not use: the certificate from ``means_``, ``covariances_`` and
        ``labels_``, and these from all rows that were learned from, to 1e-9 of their standard deviations (1e-7 with
        Ledoit and Wolf's shrinkage). A mixture (``components`` > 1) is not estimated again, because many mixtures fit
        the same rows: there the check is of the certificate only, and the verdict says so. What was learned by
        `fit_gaussians` has no rows: use ``certificate_.check(means, covariances, labels)``.

        >>> X, y = [[0.0], [2.0], [5.0], [9.0]], [0, 0, 1, 1]
        >>> rule = Anderson().fit(X, y)
        >>> bool(rule.check(X, y)), print(rule.check(X[::-1], y))
        The certificate is WRONG: means: of class 0 an entry is off by 6; covariances: of class 0 an entry is off by 3;
        means: of class 1 an entry is off by 6; covariances: of class 1 an entry is off by 3.
        (True, None)
        """
        check_is_fitted(self, "coef_")
        self._refuse_sparse(X)
        if self._estimation is None:
            raise ValueError(
                "check: expected an estimator that was fitted on rows, got one that was fitted on Gaussians; "
                "use certificate_.check(means, covariances, labels)."
            )
        X, y = check_input(self, X, y, accept_sparse=False)
        gaussians = (self.means_, self.covariances_, self.labels_)
        verdict: Verdict = self.certificate_.check(*gaussians)
        wrong = verdict.failures
        if not np.array_equal(np.append(self.coef_[0], self.intercept_), self.certificate_.w):
            wrong += ("w: coef_ and intercept_ are not those of the certificate",)
        if self._estimation.components > 1:
            quantity = "r (of the estimated mixtures, which are not estimated again)"
            return verdict._replace(failures=wrong, quantity=quantity)
        wrong += find_wrong_estimates(gaussians, X, y, sample_weight, shrinkage=self._estimation.shrinkage)
        return verdict._replace(failures=wrong)

    # ---------------------------------------------------------------- from rows to Gaussians

    def _refuse_sparse(self, X) -> None:
        if sp.issparse(X) or (isinstance(X, Parted) and X.is_sparse):
            raise TypeError("Sparse data can't be fitted: covariances are dense. Use X.toarray(), or fit_gaussians.")

    def _moments_of(self, sample: Sample) -> tuple[Moments, ...]:
        """The moments of both classes."""
        return tuple(class_moments(plain_rows(sample.X), sample.label, sample.weight, 2))

    def _rows(self, sample: Sample, side: int) -> tuple[np.ndarray, np.ndarray | None]:
        """The rows of one class that weigh anything, with their weights."""
        own = sample.sign == side if sample.weight is None else (sample.sign == side) & (sample.weight > 0)
        return sample.X[own], None if sample.weight is None else sample.weight[own]

    def _estimate(self, sample: Sample, side: int) -> list[Estimate]:
        """The Gaussians of one class that moments are not enough for."""
        X, weight = self._rows(sample, side)
        if self.components == 1:
            return [estimate_ledoit_wolf(X, weight)]
        if len(X) < 2 * self.components:
            label = self.classes_.tolist()[(side + 1) // 2]
            raise ValueError(f"components={self.components}: class {label!r} has {len(X)} rows, too few for a mixture.")
        seed = check_random_state(self.random_state).randint(2**31)
        return estimate_mixture(X, weight, self.components, self.shrinkage, seed)

    def _fit_moments(self) -> None:
        """Learn from the moments of both classes."""
        part = self._estimation.shrinkage
        self._fit_estimates([[estimate_from_moments(moments, part)] for moments in self._moments])

    def _fit_estimates(self, estimates: list[list[Estimate]]) -> None:
        """Learn from the Gaussians of both classes."""
        labels = np.repeat(self.classes_, [len(side) for side in estimates])
        means, covariances = (np.array(part) for part in zip(*(one for side in estimates for one in side), strict=True))
        self._fit(means, covariances, labels)

    # ---------------------------------------------------------------- from Gaussians to a hyperplane

    def _fit(self, means, covariances, labels: np.ndarray) -> None:
        """Learn from Gaussians, and set what a fitted estimator shows."""
        g = factorize(means, covariances, np.where(labels == self.classes_[1], 1, -1))
        self.means_ = np.array(means, dtype=np.float64)
        self.covariances_, self.labels_ = copy.deepcopy(covariances), labels
        self.history_: list[dict[str, float]] = []
        claim = self._solve(g, None if self.error is None else float(-ndtri(self.error)))
        self.certificate_ = replace(claim, classes=tuple(self.classes_.tolist()))
        self.coef_, self.intercept_ = claim.w[None, :-1].copy(), claim.w[-1:].copy()
        self.radii_ = prove_radii(g, scale_hyperplane(g, claim.w))
        self.errors_ = np.array([float(ndtr(-r)) for r in self.radii_])  # one by one: arrays are rounded otherwise
        self.error_, self.any_error_ = float(self.errors_.max()), self.certificate_.any_error
        least = float(self.radii_.min())
        self.worst_ = np.flatnonzero(self.radii_ <= least + TIES * abs(least))
        self.n_iter_ = claim.updates
        self._warn_unless_good()

    def _solve(self, g: Gaussians, required: float | None) -> RadiusCertificate:
        """Run the method; the proof of "impossible" is the exact solver's, whatever the method."""
        began = time.monotonic()
        if self.method == "optimal" or not (g.means != g.means[0]).any():  # equal means are decided exactly
            rounds = Rounds(MAX_STEPS, self.max_seconds, verbose=self.verbose)
            found = maximize_radius(g, rounds)
            return certify(g, found, required=required, reason=_find_reason(rounds))
        auto = AUTO if self.max_iter == "auto" else None
        rounds = Rounds(10_000 if self.max_iter == "auto" else self.max_iter, self.max_seconds, auto, self.verbose)
        if self.method == "direction":
            found = improve_radius(g, self.tol, rounds, self.history_.append)
            return certify(g, found, required=required, eps=self.tol, exact=False, reason=_find_reason(rounds))
        if required is None:
            raise ValueError(
                f"method={self.method!r} separates ellipsoids of a required error: give Anderson(error=...)."
            )
        found = reach_radius(g, required, RULES[self.method], rounds, self.history_.append)
        claim = certify(g, found, required=required, exact=False, reason=_find_reason(rounds))
        left = math.inf if self.max_seconds is None else self.max_seconds - (time.monotonic() - began)
        if claim.status != Status.BUDGET_SPENT or left <= 0 or INTERRUPT.pressed:
            return claim
        proved = maximize_radius(g, Rounds(MAX_STEPS, left if math.isfinite(left) else None))
        return certify(
            g, proved._replace(w=found.w, updates=found.updates), required=required, reason=_find_reason(rounds)
        )

    def _updates(self, X, y, sample_weight, most: int, bounds: bool) -> Iterator[Update]:
        """Every update of a fit on rows, for `trace`: `lower` and `upper` are bounds of r."""
        yield from self.fit(X, y, sample_weight)._gaussian_updates(most)

    def _gaussian_updates(self, most: int) -> Iterator[Update]:
        """Every update of the method on the Gaussians of this fit."""
        g = factorize(self.means_, self.covariances_, np.where(self.labels_ == self.classes_[1], 1, -1))
        required = None if self.error is None else float(-ndtri(self.error))
        if self.method in RULES and required is not None:
            yield from trace_radius(g, required, RULES[self.method], most)
            return
        found = collect_updates(lambda: self._solve(g, required), most)
        if not found:
            raise ValueError(
                "trace: two Gaussians are one equation in one unknown, without steps: trace method='direction', or "
                "'kozinec' with an error."
            )
        yield from found

    def _warn_unless_good(self) -> None:
        """Warn that there is no good hyperplane, or that a budget was spent."""
        claim = self.certificate_
        if not claim.proved or claim.status == Status.INFEASIBLE or claim.lower <= 0:
            spent = claim.status == Status.BUDGET_SPENT
            said = f"Anderson: {say_briefly(claim.reason)}. Raise max_iter, max_seconds or tol. See certificate_."
            warn_user(said if spent else str(claim))
