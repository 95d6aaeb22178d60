"""Relaxation with margin (C6), single sample or batch."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from ..rules import Relaxation as Rule
from ..targets import Margin
from ._looped import LoopedLinear
from ._parameters import shared_parameters
from ._types import ClassWeight, Condition
from ._validation import POSITIVE, Interval, StrOptions, set_parameters

SUMMED = {"sum": math.inf, "mean": 0.0}  # where the batch form takes the sum of all moves; True: where it is safe


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
        The margin b > 0: every score ends above it.
    batch : bool, "sum" or "mean", default=False
        One step per pass, instead of a move at each violated vector. "sum": the sum of all moves, as S1 has it, a step
        against the gradient of J_r; on many rows it runs away. "mean": their mean, which converges. True: the sum s in
        every pass where it is known to bring w nearer to the solutions, :math:`rate\,|s|^2 \le (1 + rate/2)\,2J_r`;
        the mean in the others.

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

    _parameter_constraints: dict = {
        "rate": [Interval(Real, 0, 2, closed="neither")],
        "margin": [POSITIVE],
        "batch": ["boolean", StrOptions(set(SUMMED))],
    }

    def __init__(
        self, rate: float = 1.5, margin: float = 1.0, *, batch: bool | str = False, keep: str = "auto", fit_intercept:
        bool = True, scaling: str | None = "auto", max_iter: int | str = "auto", max_updates: int | None = None,
        max_seconds: float | None = None, patience: int | None = None, stop: Condition | None = None, theta: float |
        None = None, start: Any = None, shuffle: bool = False, random_state: Any = None, class_weight: ClassWeight |
        None = None, warm_start: bool = False, verbose: int = 0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _target(self):
        return Margin(float(self.margin))

    def _rule(self):
        return Rule(float(self.rate), SUMMED.get(self.batch, 1.0))

    def _advice(self) -> str:
        return "Raise max_iter to look further for a separating w, or scale the columns."
