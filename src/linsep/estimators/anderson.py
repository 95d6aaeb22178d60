"""The Anderson tasks (F1-F5): the hyperplane between Gaussians whose worst error is smallest."""

from __future__ import annotations

import math
import sys
import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr, ndtri
from scipy.stats import chi2
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from ..certificates.margin import BUDGET_SPENT
from ..certificates.prove.radius import Answer, certify, radii
from ..certificates.radius import INFEASIBLE, RadiusCertificate
from ..loop.stop import Rounds
from ..rules import Increment, Nearest
from ..solvers.anderson.epsilon import improve, within
from ..solvers.anderson.gaussians import Gaussians, gaussians
from ..solvers.anderson.moments import Moments
from ..solvers.anderson.optimal import optimum
from ._base import BUDGETS, Sample, TwoClass, all_or_nothing
from ._gaussians import LEDOIT_WOLF, Estimate, from_moments, from_rows, mixture

TIES = 1e-6  # a Gaussian decides if its r is that near, relative, to the smallest
OPEN = Interval(Real, 0, 1, closed="neither")
RULES = {"kozinec": Nearest(), "perceptron": Increment(1.0)}


def _moments_suffice(rule: Anderson) -> bool:
    """Whether Gaussians can be estimated from moments: not mixtures, and not Ledoit and Wolf's shrinkage."""
    if rule.components != 1 or rule.shrinkage == LEDOIT_WOLF:
        raise AttributeError("partial_fit: moments merge for components=1 and a fixed shrinkage only.")
    return True


class Anderson(TwoClass):
    r"""The hyperplane whose worst Gaussian errs least.

    .. math:: \min_{w,b} \max_j \Phi(-r_j) , \qquad
              r_j = \frac{y_j(\langle w,\mu_j\rangle + b)}{\sqrt{w^T\Sigma_j w}}

    Each class is a set of Gaussians, and nothing is known of how often each of them occurs: so the worst counts. Two
    Gaussians are Anderson and Bahadur's task, more the generalised one. Points are Gaussians without spread: of equal
    spheres the result is the hyperplane of largest margin. For any distribution with these moments, not only
    Gaussians, the error is at most 1 / (1 + r²) (``any_error_``): the minimax probability machine.

    Parameters
    ----------
    error : float in (0, 1/2), optional
        Wanted: an error of at most this for every Gaussian. The certificate then says "reached", or "impossible" with
        the proof. Without it the best is wanted.
    method : {"optimal", "direction", "kozinec", "perceptron"}, default="optimal"
        "optimal": exact to 1e-9. "direction": improving directions, to a part ``eps``. The two others separate the
        ellipsoids of the wanted ``error`` by the loop, and reach it, or spend ``max_passes``; whether it could have
        been reached is then decided by the exact solver.
    components : int, default=1
        Gaussians for each class that `fit` estimates; more than one by scikit-learn's GaussianMixture.
    shrinkage : "ledoit-wolf", float in [0, 1] or None
        Draws estimated covariances towards spheres.
    confidence : float in (0, 1), optional
        Caution about estimated means: with this confidence a mean lies within ``sqrt(chi2 / n)`` deviations of its
        estimate, and so much is added to the distance that is asked of it.
    importance : dict {label: number}, optional
        Classes that must be farther away: the smallest ``r_j / importance`` is made largest.
    eps : float, default=1e-3
        For "direction": how near r must be to the best, relative.
    max_passes : int or "auto", default="auto"
        Budget of "direction", "kozinec" and "perceptron"; "auto": 10,000.
    random_state
        Of the mixtures.

    Attributes
    ----------
    coef_, intercept_, classes_
    means_, covariances_, labels_ : the Gaussians and their classes
    radii_ : r_j of each Gaussian; ``errors_`` its error Phi(-r_j)
    error_, any_error_ : the worst error, of Gaussians and of any distributions with these moments
    worst_ : the Gaussians that decide
    certificate_ : bounds of r with their proofs; ``certificate_.check(means_, covariances_, labels_)``
    history_ : how "direction", "kozinec" and "perceptron" went

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
        "components": [Interval(Integral, 1, None, closed="left")],
        "shrinkage": [None, StrOptions({LEDOIT_WOLF}), Interval(Real, 0, 1, closed="both")],
        "confidence": [None, OPEN],
        "importance": [None, dict],
        "eps": [OPEN],
        "random_state": ["random_state"],
        "max_passes": BUDGETS["max_passes"],
    }

    certificate_: Any  # RadiusCertificate
    class_weight = None  # how often a class occurs does not matter here; see importance

    def __init__(
        self,
        error=None,
        *,
        method="optimal",
        components=1,
        shrinkage=None,
        confidence=None,
        importance=None,
        eps=1e-3,
        max_passes="auto",
        random_state=None,
    ):
        self.error = error
        self.method = method
        self.components = components
        self.shrinkage = shrinkage
        self.confidence = confidence
        self.importance = importance
        self.eps = eps
        self.max_passes = max_passes
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    @all_or_nothing
    def fit_gaussians(
        self, means, covariances, labels, *, importance=None, tolerated=None, caution=None, covariance_caution=0.0
    ):
        """Learn from Gaussians: ``means`` (k x d), ``covariances`` and the class of each.

        A covariance is a matrix, d variances, one variance (0: a point), or a pair (U, variances) for low rank plus
        diagonal. ``importance``: factors of the r that is asked of each. ``tolerated``: an error below 1/2 for each
        instead; all of them are met iff r reaches 1. ``caution``: how many deviations each mean may be off.
        ``covariance_caution``: how much each covariance may be off (in the Frobenius norm); both count as the worst.
        """
        self._validate_params()
        labels = np.asarray(labels)
        if labels.ndim != 1:
            raise ValueError(f"labels: one for each Gaussian is wanted, not an array of shape {labels.shape}.")
        self._set_classes(labels)
        if importance is not None and tolerated is not None:
            raise ValueError("importance and tolerated: one of them is enough, tolerated errors are importances.")
        if importance is None and tolerated is None:
            importance = self._importance(labels)
        wanted = None if self.error is None else float(-ndtri(self.error))
        if tolerated is not None:
            if wanted is not None:
                raise ValueError("error and tolerated: one wanted error for all, or one for each Gaussian, not both.")
            importance, wanted = _radius_of(tolerated), 1.0
        g = gaussians(
            means, covariances, np.where(labels == self.classes_[1], 1, -1), importance=importance, caution=caution
        )
        g = _wider(g, covariance_caution)
        if hasattr(means, "columns"):
            self.feature_names_in_ = np.asarray(means.columns, dtype=object)
        self.n_features_in_ = g.means.shape[1]
        self.means_, self.covariances_, self.labels_ = g.means, _plain(covariances, covariance_caution, g), labels
        self._solve(g, wanted)
        return self

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``: estimate the Gaussians of each class, then `fit_gaussians`."""
        self._validate_params()
        self._refuse_sparse(X)
        sample = self._sample(X, y, sample_weight)
        found = [self._estimates(sample, side) for side in (-1, 1)]
        self._moments = None  # partial_fit goes on from here, if it can
        if self.components == 1:
            self._moments = tuple(self._moments_of(sample, side) for side in (-1, 1))
        self._fit_estimates(found)
        return self

    @available_if(_moments_suffice)
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add rows to the moments of each class, and learn from the moments of all rows so far.

        ``classes`` (both labels) is needed at the first call; both must have been seen before there is a hyperplane.
        """
        self._validate_params()
        self._refuse_sparse(X)
        first = getattr(self, "_moments", None) is None
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs both labels, partial_fit(X, y, [a, b]).")
        known = classes if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={list(classes)}, but learning began with {self.classes_.tolist()}.")
        sample = self._sample(X, y, sample_weight, reset=first, classes=known)
        new = [self._moments_of(sample, side) for side in (-1, 1)]
        self._moments = tuple(new if first else (old.merge(more) for old, more in zip(self._moments, new, strict=True)))
        if all(moments.weight > 0 for moments in self._moments):
            self._fit_estimates([[from_moments(moments, self.shrinkage)] for moments in self._moments])
        return self

    # ---------------------------------------------------------------- from rows to Gaussians

    def _refuse_sparse(self, X) -> None:
        if sp.issparse(X):
            raise TypeError("Sparse data can't be fitted: covariances are dense. Use X.toarray(), or fit_gaussians.")

    def _rows(self, sample: Sample, side: int) -> tuple[np.ndarray, np.ndarray | None]:
        """The rows of one class that weigh anything, with their weights."""
        own = sample.sign == side if sample.weight is None else (sample.sign == side) & (sample.weight > 0)
        return sample.X[own], None if sample.weight is None else sample.weight[own]

    def _moments_of(self, sample: Sample, side: int) -> Moments:
        return Moments.of(*self._rows(sample, side))

    def _estimates(self, sample: Sample, side: int) -> list[Estimate]:
        """The Gaussians of one class."""
        X, weight = self._rows(sample, side)
        if self.components == 1:
            return [from_rows(X, weight, self.shrinkage)]
        if len(X) < 2 * self.components:
            label = self.classes_.tolist()[(side + 1) // 2]
            raise ValueError(f"components={self.components}: class {label!r} has {len(X)} rows, too few for a mixture.")
        seed = check_random_state(self.random_state).randint(2**31)
        return mixture(X, weight, self.components, self.shrinkage, seed)

    def _fit_estimates(self, found: list[list[Estimate]]) -> None:
        """Learn from the Gaussians of both classes."""
        these = [one for side in found for one in side]
        labels = np.repeat(self.classes_, [len(side) for side in found])
        means, covariances = np.array([one.mean for one in these]), np.array([one.covariance for one in these])
        caution = None
        if self.confidence is not None:
            quantile = float(chi2.ppf(self.confidence, means.shape[1]))
            caution = np.array([math.sqrt(quantile / one.weight) for one in these])
        sign = np.where(labels == self.classes_[1], 1, -1)
        g = gaussians(means, covariances, sign, importance=self._importance(labels), caution=caution)
        self.means_, self.covariances_, self.labels_ = means, covariances, labels
        self._solve(g, None if self.error is None else float(-ndtri(self.error)))

    def _importance(self, labels: np.ndarray) -> np.ndarray | None:
        """The importance of each Gaussian, by its class."""
        if self.importance is None:
            return None
        strange = [label for label in self.importance if label not in self.classes_.tolist()]
        if strange:
            raise ValueError(f"importance: {strange[0]!r} is not one of the classes {self.classes_.tolist()}.")
        return np.array([self.importance.get(label, 1.0) for label in labels.tolist()], dtype=np.float64)

    def _set_classes(self, labels: np.ndarray) -> None:
        given = np.unique(labels)
        if len(given) != 2:
            shown = ", ".join(map(repr, given[:3].tolist()))
            raise ValueError(f"labels: two classes are needed, but there are {len(given)}: {shown}.")
        self.classes_ = given

    # ---------------------------------------------------------------- from Gaussians to a hyperplane

    def _solve(self, g: Gaussians, wanted: float | None) -> None:
        self.history_: list[dict[str, float]] = []
        claim = self._certificate(g, wanted)
        labels = tuple(getattr(label, "item", lambda label=label: label)() for label in self.classes_)
        self.certificate_ = RadiusCertificate(**{**vars(claim), "classes": labels})
        self.coef_, self.intercept_ = claim.w[None, :-1].copy(), claim.w[-1:].copy()
        asked = radii(g, claim.w)
        self.radii_ = g.scale * asked + g.caution
        self.errors_ = ndtr(-self.radii_)
        self.error_ = float(self.errors_.max())
        least = float(self.radii_.min())
        self.any_error_ = 1.0 / (1.0 + least * least) if least > 0 else 1.0
        self.worst_ = np.flatnonzero(asked <= asked.min() + TIES * max(1.0, abs(asked.min())))
        self.n_iter_ = claim.steps
        self._complain(claim)

    def _certificate(self, g: Gaussians, wanted: float | None) -> RadiusCertificate:
        """Run the method; the proof of "impossible" is the exact solver's, whatever the method."""
        if self.method == "optimal":
            return certify(g, optimum(g), wanted=wanted)
        rounds = Rounds(10_000 if self.max_passes == "auto" else self.max_passes)
        if self.method == "direction":
            answer = improve(g, self.eps, rounds, self.history_.append)
            return certify(g, answer, wanted=wanted, eps=self.eps, exact=False, reason=rounds.reason)
        if wanted is None:
            raise ValueError(
                f"method={self.method!r} separates ellipsoids of a wanted error: give Anderson(error=...)."
            )
        answer = within(g, wanted, RULES[self.method], rounds, self.history_.append)
        claim = certify(g, answer, wanted=wanted, exact=False, reason=rounds.reason)
        if claim.status == BUDGET_SPENT:
            best: Answer = optimum(g)
            return certify(g, best._replace(w=answer.w, steps=answer.steps), wanted=wanted, reason=rounds.reason)
        return claim

    def _complain(self, claim: RadiusCertificate) -> None:
        """Say that there is no good hyperplane, or that a budget was spent."""
        if claim.status in (BUDGET_SPENT, INFEASIBLE):
            frame, depth = sys._getframe(), 1  # point to the line of the user's that called us
            while frame.f_back is not None and frame.f_globals["__name__"].startswith("linsep."):
                frame, depth = frame.f_back, depth + 1
            advice = "" if claim.status == INFEASIBLE else " Raise max_passes or eps, or use method='optimal'."
            warnings.warn(f"{self.certificate_}{advice}", ConvergenceWarning, stacklevel=depth)


def _radius_of(tolerated: Any) -> np.ndarray:
    """The r that belong to tolerated errors."""
    errors = np.atleast_1d(np.asarray(tolerated, dtype=np.float64))
    for j in np.flatnonzero(~((errors > 0) & (errors < 0.5)))[:1]:
        raise ValueError(f"tolerated: of Gaussian {j} it is {errors[j]:g}, but must be between 0 and 1/2.")
    return -ndtri(errors) if errors.size > 1 else -ndtri(errors[0])


def _wider(g: Gaussians, radius: float) -> Gaussians:
    """The worst covariances within ``radius``: each with that much more variance in every direction."""
    if not (isinstance(radius, Real) and math.isfinite(radius) and radius >= 0):
        raise ValueError(f"covariance_caution={radius!r}: a number that is finite and not negative is wanted.")
    if radius == 0:
        return g
    deviation = g.deviation if g.deviation.size else np.zeros_like(g.means)
    return g._replace(deviation=np.sqrt(deviation**2 + radius))


def _plain(covariances: Any, radius: float, g: Gaussians) -> Any:
    """The covariances as they were given, or, with caution, as they are counted."""
    if radius == 0:
        return covariances
    return np.array([g.factor(j).T @ g.factor(j) for j in range(len(g.sign))])
