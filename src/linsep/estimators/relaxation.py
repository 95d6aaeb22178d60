"""Relaxation with margin (C6), single sample or batch."""

from __future__ import annotations

from numbers import Real

from sklearn.utils._param_validation import Interval

from ..rules import BEYOND
from ..rules import Relaxation as Rule
from ..targets import Margin
from ._base import BUDGETS, POSITIVE
from ._looped import Looped
from .perceptron import Perceptron


class Relaxation(Looped):
    r"""Relaxation: whenever :math:`\langle w,a\rangle \le b`, move towards :math:`\langle w,a\rangle = b`.

    .. math:: w \leftarrow w + rate\,\frac{b - \langle w,a\rangle}{|a|^2}\,a

    On separable data over-relaxation (rates between 1 and 2) ends in finitely many steps.

    Parameters
    ----------
    rate : float in (0, 2), default=1.5
        1 lands on the hyperplane, more goes past it.
    margin : float > 0, default=1.0
        The margin b.
    batch : bool, default=False
        Take the mean of all moves once a pass, instead of each as it is met. (Their plain sum is the
        gradient of J_r: ``GradientDescent(criterion="relaxation")``.)
    keep, fit_intercept, max_passes, max_updates, max_seconds, patience, theta, shuffle, random_state,
    class_weight, warm_start, verbose, multi_class, on_new_class
        As for `Perceptron`; ``max_passes="auto"`` is a budget of some seconds. Weights scale the rate,
        relative to the largest one.

    Examples
    --------
    >>> from linsep import Relaxation
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [4.0, 0.0]], [0, 0, 1]
    >>> rule = Relaxation().fit(X, y)
    >>> rule.certificate_.status, rule.predict(X).tolist()
    ('separated', [0, 0, 1])
    """

    _parameter_constraints: dict = {
        **Perceptron._parameter_constraints,
        "rate": [Interval(Real, 0, 2, closed="neither")],
        "margin": [POSITIVE],
        "max_passes": BUDGETS["max_passes"],
    }

    def __init__(
        self,
        rate=1.5,
        margin=1.0,
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

    def _target(self):
        return Margin(float(self.margin) / BEYOND)

    def _rule(self):
        return Rule(float(self.rate))

    def _rule_weights(self, weight):
        return weight if weight is None or self.batch else weight / weight.max()

    def _advice(self) -> str:
        return "Raise max_passes to look further for a separating w, or scale the columns."
