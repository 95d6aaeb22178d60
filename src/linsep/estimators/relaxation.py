"""Relaxation with margin (C6), single sample or batch."""

from __future__ import annotations

from numbers import Real

from ..rules import BEYOND
from ..rules import Relaxation as Rule
from ..targets import Margin
from ._looped import LoopedLinear
from ._parameters import shared_parameters
from ._validation import POSITIVE, Interval, set_parameters


@shared_parameters
class Relaxation(LoopedLinear):
    r"""Relaxation: whenever :math:`\langle w,a\rangle \le b`, move towards :math:`\langle w,a\rangle = b`.

    .. math:: w \leftarrow w + rate\,\frac{b - \langle w,a\rangle}{|a|^2}\,a

    On separable data over-relaxation (rates between 1 and 2) ends in finitely many steps. Weights scale the rate,
    relative to the largest one.

    Parameters
    ----------
    rate : float in (0, 2), default=1.5
        1 lands on the hyperplane, more goes past it.
    margin : float, default=1.0
        The margin b > 0.
    batch : bool, default=False
        Take the mean of all moves once per pass, instead of each as it is met. (Their plain sum is the
        gradient of J_r: ``GradientDescent(criterion="relaxation")``.)

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`.

    Examples
    --------
    >>> from linsep import Relaxation
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [4.0, 0.0]], [0, 0, 1]
    >>> rule = Relaxation().fit(X, y)
    >>> rule.certificate_.status, rule.predict(X).tolist()
    ('separated', [0, 0, 1])
    """

    _parameter_constraints: dict = {"rate": [Interval(Real, 0, 2, closed="neither")], "margin": [POSITIVE]}

    def __init__(
        self, rate=1.5, margin=1.0, *, batch=False, keep="auto", fit_intercept=True, max_iter="auto", max_updates=None,
        max_seconds=None, patience=None, theta=None, shuffle=False, random_state=None, class_weight=None,
        warm_start=False, verbose=0,
    ):  # fmt: skip
        set_parameters(self, locals())

    def _target(self):
        return Margin(float(self.margin) / BEYOND)

    def _rule(self):
        return Rule(float(self.rate))

    def _advice(self) -> str:
        return "Raise max_iter to look further for a separating w, or scale the columns."
