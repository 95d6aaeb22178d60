"""Kozinec and eps-Kozinec (C8, C9): towards the hyperplane of largest margin, with bounds of it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np

from ..certificates.prove.margin import Outcome, prove_margin
from ..loop.learn import Result, keeps_average
from ..loop.passes import begin, begin_inside
from ..loop.stop import Rounds
from ..rows.bias import place_bias
from ..rules import Nearest
from ..solvers.worst_violator import worst_violators
from ..targets import EpsOptimal, Margin
from ._looped import LoopedLinear
from ._oracles import two_classes
from ._parameters import shared_parameters
from ._types import ClassWeight, Condition
from ._validation import Interval, StrOptions, set_parameters


@shared_parameters
class Kozinec(LoopedLinear):
    r"""eps-Kozinec: w moves through the convex hull of the vectors, towards its point nearest to the origin.

    .. math:: w \leftarrow (1-k)\,w + k\,a, \qquad
              \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w|

    It ends when the two bounds of the largest margin m are close enough, or with a proof that
    the data are not separable. ``method="plain"`` is Kozinec's algorithm itself (C8): it ends at the first w that
    separates. Weights don't move the hulls: a weight of 0 leaves a row out, all others count only
    where errors are counted, for the bias of a w that does not separate, and for "pocket".

    Parameters
    ----------
    eps : float or None, default=None
        How far apart the two bounds of the margin may be, absolute.
    bias : {"free", "augmented"}, default="free"
        "free": the hyperplane of largest geometric margin, by differences of the two classes.
        "augmented": the bias counts as a coordinate of w, as in the figures of the lectures; another plane.
        A linear machine is always augmented, as its certificate says.
    tol : float in (0, 1) or None, default=None
        How far apart the two bounds may be, relative to the upper one. With neither of the two: ``tol=0.01``.
    method : {"eps", "plain"}, default="eps"
        "eps": eps-Kozinec (C9), until the margin is as near to the best one as ``eps`` or ``tol`` asks for. "plain":
        Kozinec (C8), until every vector is on its side; ``eps`` and ``tol`` are not for it.
    batch : bool, default=False
        Every pass goes through all rows with w fixed, then w moves to the lowest of them. Many more passes, but they
        can be made in parts, on a cluster too: docs/distributed.md. Of two classes, with keep="auto" and start=None.
    keep : {"auto", "last", "average", "pocket"}, default="auto"
        Which w to return if eps is not reached; "auto": the one with the better margin, or, on data that
        are not separated, the averaged one with the bias that errs least.
    start : array of shape (n_samples,) or (n_samples, n_classes), or None, default=None
        Where in the hull learning begins: weights >= 0 of the rows, whose convex combination is the first w; with a
        free bias those of each class sum to one half. Of a linear machine one number per rival of a row. None: the
        first violated vector.
    warm_start : bool, default=False
        Begin the next ``fit`` at the same convex combination of the rows, if there are as many as before.

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`.

    Examples
    --------
    >>> from linsep import Kozinec
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]], [0, 0, 1, 1]
    >>> rule = Kozinec(eps=1e-6).fit(X, y)
    >>> rule.certificate_.status, round(rule.certificate_.lower, 6)
    ('eps-optimal', 1.581139)
    >>> Kozinec(method="plain").fit(X, y).certificate_.status
    'separated'
    """

    _parameter_constraints: dict = {
        "tol": [None, Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions({"eps", "plain"})],
        "batch": ["boolean"],
    }
    _stops_when_inseparable = True

    def __init__(
        self, eps: float | None = None, bias: str = "free", *, tol: float | None = None, method: str = "eps", keep: str
        = "auto", max_iter: int | str = "auto", max_updates: int | None = None, max_seconds: float | None = None, stop:
        Condition | None = None, start: Any = None, shuffle: bool = False, random_state: Any = None, class_weight:
        ClassWeight | None = None, warm_start: bool = False, verbose: int = 0, batch: bool = False,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _bias_of_rows(self) -> str:
        return "augmented" if self._machine() else self.bias

    def _target(self):
        if self.method == "plain":
            if self.eps is not None or self.tol is not None:
                raise ValueError("method='plain': expected eps=None and tol=None, for it ends at any w that separates.")
            return Margin(0.0)
        tol = 0.01 if self.eps is None and self.tol is None else self.tol or 0.0
        return EpsOptimal(float(self.eps or 0.0), float(tol))

    def _rule(self):
        return Nearest()

    def _learns_from_parts(self) -> bool:
        return bool(self.batch)

    def _parts(self, sample, rivals=None):
        if not self.batch:
            return super()._parts(sample, rivals)
        if sample.n_classes or self.keep != "auto" or self.start is not None or self.warm_start:
            raise ValueError("batch=True: expected two classes, keep='auto', start=None and warm_start=False.")
        return two_classes(sample, self.classes_, bias=float(self._bias_of_rows() == "augmented"))

    def _run(self, parts, start, max_iter, watch=(), rng=None):
        if not self.batch:
            return super()._run(parts, start, max_iter, watch, rng)
        bias, target = self._bias_of_rows(), self._scaled_target()
        rounds = Rounds(max_iter, self.max_seconds, self._auto_seconds(), self.verbose)
        found = worst_violators(parts, bias, target, self._rule(), rounds)
        w = place_bias(parts, found.w) if bias == "free" else found.w
        certificate = prove_margin(parts, w, found.dual_weights, Outcome(target, bias, found.updates, found.reason))
        state = replace(begin(parts), w=w, dual_weights=found.dual_weights, passes=rounds.count)
        return Result(w, certificate, found.history, state)

    def _updates(self, X, y, sample_weight, most, bounds):
        if self.batch:
            raise ValueError("batch: expected False for trace, got True.")
        return super()._updates(X, y, sample_weight, most, bounds)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """As `Perceptron.partial_fit`; not with ``batch=True``."""
        if self.batch:
            raise ValueError("batch: expected False for partial_fit, got True.")
        return super().partial_fit(X, y, classes, sample_weight)

    def _start(self, parts):
        """A point of the hull, with its own proof."""
        if self.start is None:
            return None
        n, slots = parts[0].sign.size, parts[0].slots
        shape = (n, slots) if slots > 1 else (n,)
        weights = np.array(self.start, dtype=np.float64)
        if weights.shape != shape or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ValueError(f"start: expected weights >= 0 of shape {shape}, not all 0, got shape {weights.shape}.")
        weights = np.where(parts[0].certified.present_places(), weights.ravel(), 0.0)
        return begin_inside(parts, weights, average=keeps_average(self.keep, False))

    def _warm_start(self, parts):
        """At the same convex combination of the rows, if there are as many: so its proof goes on too."""
        old, n, slots = self.certificate_, parts[0].sign.size, parts[0].slots
        if old.size != n or slots != (len(old.w) if old.w.ndim == 2 else 1):
            return None
        dual_weights = np.zeros(n * slots)
        dual_weights[old.rows * slots + (old.rivals if slots > 1 else 0)] = old.weights
        return begin_inside(parts, dual_weights, average=keeps_average(self.keep, False))

    def _advice(self) -> str:
        raised = "max_iter or eps" if self.method == "eps" else "max_iter"
        return f"Raise {raised}, or scale the columns; the bounds are valid as they are."
