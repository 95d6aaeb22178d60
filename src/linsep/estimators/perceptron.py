"""Perceptron (C1-C4): fixed or variable increment, with margin, single sample or batch."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..rules import increment
from ..targets import Margin
from ._base import BUDGETS, POSITIVE, auto_passes
from ._looped import Looped
from ._many import MANY

KEEP = StrOptions({"auto", "last", "average", "pocket"})


class Perceptron(Looped):
    r"""The perceptron: whenever :math:`\langle w,a\rangle \le margin`, :math:`w \leftarrow w + \eta\, a`.

    ``a = y (x, 1)`` is a row, augmented by 1 and mirrored by its label; of more than two classes (D1) a row of class
    y against its best rival k, :math:`\langle w,a\rangle = \langle w_y - w_k, (x,1)\rangle`. On separable data
    it ends after at most :math:`D^2/m^2` updates (Novikoff); on others the averaged w is a good classifier.

    Parameters
    ----------
    rate : float, "1/k", "1/sqrt(k)" or callable, default=1.0
        The increment :math:`\eta(k)` of update k = 1, 2, ... (C2, C4).
    margin : float, default=0.0
        Scores up to this count as violated (C4).
    batch : bool, default=False
        Add the sum of all violated vectors once a pass (C2), instead of each as it is met (C1).
    keep : {"auto", "last", "average", "pocket"}, default="auto"
        Which w to return. "auto": the one that separates, if found; else the average over all visits, its
        bias moved to where it is likely to err least (single sample), or the w with the fewest errors so far (batch,
        C3). Rows sorted by class mislead an average: then "auto" learns once more with the classes
        taking turns, and keeps the better one.
    fit_intercept : bool, default=True
        Augment rows by 1; else the hyperplane goes through the origin.
    max_passes : int or "auto", default="auto"
        Budget of passes over the data. "auto": 20; for batch 1000, or as many as cost some seconds.
    max_updates, max_seconds : optional
        Further budgets.
    patience : int, optional
        End after so many passes without fewer errors (C3's TermCond).
    theta : float, optional
        Batch only: end when a step is shorter than this (C2).
    shuffle : bool, default=False
        Another order in every pass, drawn in cache-sized blocks from ``random_state``.
    random_state : int, RandomState or None
        Seed of the shuffling.
    class_weight : dict, "balanced" or None
        Factors of the increment, a class each.
    warm_start : bool, default=False
        Begin the next ``fit`` at the present w.
    verbose : int, default=0
        Print a line a pass.
    multi_class : {"machine", "one-vs-all", "one-vs-one"}, default="machine"
        More than two classes: one linear machine, or a committee of two-class rules (`OneVsAll`, `OneVsOne`).
    on_new_class : {"error", "add"}, default="error"
        What ``partial_fit`` does with a label it has not seen. "add" learns a machine from the start, which gains
        a class, with weights 0, whenever one is met.

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_passes_
        ``history_`` is a list of a dictionary a pass. The positive side is ``classes_[1]``; a machine has a row
        of ``coef_`` a class.

    Examples
    --------
    The lectures' worked example (S1):

    >>> import numpy as np
    >>> from linsep import Perceptron
    >>> X = np.array([[.5, 3], [1, 3], [.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, .5], [5.5, .5]])
    >>> rule = Perceptron().fit(X, [1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> rule.coef_, rule.intercept_, rule.certificate_.updates
    (array([[ 2.5, -4.5]]), array([-1.]), 3)
    >>> bool(rule.certificate_.check(X, [1, 1, 1, 1, 1, 2, 2, 2, 2]))
    True
    """

    _parameter_constraints: dict = {
        **BUDGETS,
        "rate": [POSITIVE, StrOptions({"1/k", "1/sqrt(k)"}), callable],
        "margin": [Interval(Real, 0, None, closed="left")],
        "batch": ["boolean"],
        "keep": [KEEP],
        "fit_intercept": ["boolean"],
        "patience": [None, BUDGETS["max_passes"][1]],
        "theta": [None, POSITIVE],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        **MANY,
    }

    def __init__(
        self,
        rate=1.0,
        margin=0.0,
        *,
        batch=False,
        keep="auto",
        fit_intercept=True,
        max_passes="auto",
        max_updates=None,
        max_seconds=None,
        patience=None,
        theta=None,
        shuffle=False,
        random_state=None,
        class_weight=None,
        warm_start=False,
        verbose=0,
        multi_class="machine",
        on_new_class="error",
    ):
        self.rate = rate
        self.margin = margin
        self.batch = batch
        self.keep = keep
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.patience = patience
        self.theta = theta
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.multi_class = multi_class
        self.on_new_class = on_new_class

    def _learn(self, sample, parts, start, seed):
        result = super()._learn(sample, parts, start, seed)
        if self._misled(sample.label, result.certificate, seed):
            again = super()._learn(sample, parts, start, "interleaved")
            result = min(result, again, key=lambda found: found.certificate.violated)
        return result

    def _misled(self, label, certificate, seed):
        """Rows sorted by class mislead an average."""
        averaged = self.keep == "auto" and not self.batch and not certificate.separates
        return averaged and seed is None and _in_runs(label)

    def _auto_passes(self, X) -> int:
        return min(1000, auto_passes(X)) if self.batch else 20

    def _target(self):
        return Margin(float(self.margin))

    def _rule(self):
        return increment(self.rate)

    def _advice(self) -> str:
        return (
            "Raise max_passes to look further for a separating w, scale the columns, or lift the data; "
            "the classifier is usable as it is."
        )


def _in_runs(label: np.ndarray) -> bool:
    """Whether labels change far less often from row to row than in a random order: rows sorted by class."""
    shares = np.bincount(label) / label.size
    return bool(np.count_nonzero(label[1:] != label[:-1]) < 0.1 * (1 - shares @ shares) * label.size)
