"""Kozinec and eps-Kozinec (C8, C9): towards the hyperplane of largest margin, with bounds of it."""

from __future__ import annotations

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ..loop.learn import begin_inside
from ..oracles import rows_of
from ..rows.matrix import copies, judged
from ..rules import Nearest
from ..targets import EpsOptimal
from ._base import BUDGETS, POSITIVE
from ._looped import Looped
from ._many import MANY, bias_for
from .perceptron import KEEP


class Kozinec(Looped):
    r"""eps-Kozinec: w moves through the convex hull of the vectors, towards its point nearest to the origin.

    .. math:: w \leftarrow (1-k)\,w + k\,a, \qquad
              \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w|

    It ends when the two bounds of the largest margin m are at most ``eps`` apart, or with a proof that
    the data are not separable.

    Parameters
    ----------
    eps : float > 0, optional
        Wanted accuracy of the margin, absolute.
    relative : float in (0, 1), optional
        The same, as a part of the margin. With neither of the two: ``relative=0.01``.
    bias : {"free", "augmented"}, default="free"
        "free": the hyperplane of largest geometric margin, by differences of the two classes.
        "augmented": the bias counts as a coordinate of w, as in the lectures' figures; another plane.
        The linear machine of more classes is always "augmented", as its certificate says.
    keep : {"auto", "last", "average", "pocket"}, default="auto"
        Which w to return if eps is not reached; "auto": the one with the better margin, or, on data that
        are not separated, the averaged one with the bias that errs least.
    max_passes : int or "auto", default="auto"
        Budget of passes; "auto" costs some seconds.
    max_updates, max_seconds : optional
        Further budgets.
    shuffle, random_state, verbose, multi_class, on_new_class
        As for `Perceptron`.
    warm_start : bool, default=False
        Begin the next ``fit`` at the same convex combination of the rows, if there are as many as before.
    class_weight : dict, "balanced" or None
        Weights don't move the hulls: a weight of 0 leaves a row out, all others count only where errors
        are counted, for the bias of a w that does not separate, and for "pocket".

    Examples
    --------
    >>> from linsep import Kozinec
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]], [0, 0, 1, 1]
    >>> rule = Kozinec(eps=1e-6).fit(X, y)
    >>> rule.certificate_.status, round(rule.certificate_.lower, 6)
    ('eps-optimal', 1.581139)
    """

    _parameter_constraints: dict = {
        **BUDGETS,
        "eps": [None, POSITIVE],
        "relative": [None, POSITIVE],
        "bias": [StrOptions({"free", "augmented"})],
        "keep": [KEEP],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        **MANY,
    }

    _stops_when_refuted = True

    def __init__(
        self,
        eps=None,
        bias="free",
        *,
        relative=None,
        keep="auto",
        max_passes="auto",
        max_updates=None,
        max_seconds=None,
        shuffle=False,
        random_state=None,
        class_weight=None,
        warm_start=False,
        verbose=0,
        multi_class="machine",
        on_new_class="error",
    ):
        self.eps = eps
        self.bias = bias
        self.relative = relative
        self.keep = keep
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.multi_class = multi_class
        self.on_new_class = on_new_class

    def _bias(self) -> str:
        return bias_for(self.bias, self._machine())

    def _target(self):
        share = 0.01 if self.eps is None and self.relative is None else self.relative or 0.0
        if share >= 1:
            raise ValueError(f"relative={share:g}: a part of the margin is wanted, between 0 and 1.")
        return EpsOptimal(float(self.eps or 0.0), float(share))

    def _rule(self):
        return Nearest()

    def _warm(self, parts):
        """At the same convex combination of the rows, if there are as many: so its proof goes on too."""
        old, n = self.certificate_, rows_of(parts[0]).sign.size
        count = len(old.w) if old.w.ndim == 2 else 1
        if old.size != n or count != copies(judged(parts[0])):
            return None
        dual = np.zeros(n * count)
        dual[old.rows * count + (old.rivals if count > 1 else 0)] = old.weights
        return begin_inside(parts, dual, "average" if self.keep in ("average", "auto") else "last")

    def _advice(self) -> str:
        return "Raise max_passes or eps, or scale the columns; the bounds are valid as they are."
