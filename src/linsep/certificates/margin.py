r"""Certificates: WHAT is known for sure about a learned w.

For every w, and all weights :math:`\lambda \ge 0` of sum 1,

.. math:: \min_i \langle w, a_i\rangle / |w| \;\le\; m \;\le\; \Big|\sum \lambda_i a_i\Big| ,

where m is the largest margin any hyperplane reaches on the data (negative or 0: not separable). Learning
yields both sides: w, and in `dual` how much of each vector went into it. A `Certificate` keeps w and the
weights, so that anyone can compute the two sides again; `Certificate.check` does, sharing no code with
the solver. Bounds include the rounding error of their own computation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .base import Plain

if TYPE_CHECKING:
    from .check.margin import Verdict

SEPARATED = "separated"
EPS_OPTIMAL = "eps-optimal"
OPTIMAL = "optimal"
NOT_SEPARABLE = "not separable"
BUDGET_SPENT = "budget spent"
NOT_SEPARATED = "not separated"
WITHIN_ROUNDING = "not decided within rounding"


@dataclass(frozen=True)
class Certificate(Plain):
    """A learned w with what is proved about it: plain data, see the module's formula.

    ``bias`` says whose margin is bounded: "free" (the geometric margin), "augmented" (the bias counts as
    a coordinate of w, and every vector ends in 1) or "none" (hyperplanes through the origin).

    Of a linear machine w is a matrix, one row a class; its vectors are the differences of
    :math:`\\langle w_y - w_k, (x, 1)\\rangle`, a row x of class y against a rival k, so that the margin of w is
    :math:`\\min (\\langle w_y,x\\rangle - \\langle w_k,x\\rangle)/|w|`. ``rivals`` says which class stands
    against each of ``rows`` in the proof.
    """

    status: str
    lower: float  # no larger than the margin of w
    upper: float  # no smaller than the best possible margin
    updates: int  # updates of w made
    violated: int  # training vectors with <w,a> <= 0
    novikoff: float  # D^2 / lower^2: a fixed-increment perceptron ends after at most so many updates
    bias: str = "augmented"
    w: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # the bias is its last number
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # lambda of `rows`, any scale
    refuted: bool = False  # the weights are claimed to make the vectors sum to zero
    integers: tuple[int, ...] = field(
        default=(), repr=False
    )  # multiples of `weights` that do so exactly; or see `exact`
    size: int = 0  # training vectors
    longest: float = 0.0  # D, the norm of the longest vector
    rounding: float = 0.0  # how much of upper - lower is rounding error
    eps: float = 0.0  # the target's eps, absolute
    relative: float = 0.0  # the target's eps, relative
    reason: str = ""  # why learning ended
    classes: tuple = (-1, 1)  # the labels of the negative and of the positive side, or of all classes of a machine
    rivals: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)  # see above

    @property
    def separates(self) -> bool:
        """Whether w is proved to separate the data."""
        return self.status in (SEPARATED, EPS_OPTIMAL, OPTIMAL)

    @property
    def separable(self) -> bool | None:
        """Whether any hyperplane separates the data; None: not decided."""
        if self.separates or (self.status == WITHIN_ROUNDING and self.exact):
            return True
        return False if self.status == NOT_SEPARABLE else None

    @property
    def exact(self) -> bool:
        """Whether whole numbers are the proof: weights of zero sum, or, if no w of floats separates, a w that does."""
        return bool(self.integers)

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
        """Compute every claim again from the data, with code of its own; the answer is true or says what is wrong."""
        from .check.margin import check

        return check(self, X, y, sample_weight)

    def to_dict(self) -> dict[str, Any]:
        """Numbers, strings and lists only; whole numbers as hex, for JSON readers need not know such long ones."""
        return {**super().to_dict(), "integers": [hex(number) for number in self.integers]}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The certificate that `to_dict` wrote."""
        return super().from_dict({**plain, "integers": tuple(int(number, 16) for number in plain.get("integers", ()))})

    def __str__(self) -> str:
        margin, rule, vectors, right, wrong = self._words()
        bounds = f"the {margin} of this w is at least {self.lower:.6g}, no {rule} has more than {self.upper:.6g}"
        made = f"{self.updates} update{'s' * (self.updates != 1)} made"
        if self.separates:
            made += f"; Novikoff allows a perceptron at most {self.novikoff:.4g}" if self.novikoff < 1e15 else ""
            gap = f" (short of the best by at most {max(0.0, 1 - self.lower / self.upper):.2g} of it)"
            missed = f" The target was not reached: {self.reason}." if self.reason else ""
            said = f"{self.status.capitalize()}: all {self.size} {vectors} {right}"
            return f"{said}; {bounds}{gap}; {made}.{missed}"
        wrong = f"{self.violated} of {self.size} {vectors} {wrong}"
        if self.status == NOT_SEPARABLE:
            proof = f"a convex combination of {np.count_nonzero(self.weights)} training vectors is zero"
            proof += " (in exact arithmetic)" * self.exact
            said = f"Not separable: no {rule} separates these data, for {proof}"
            return f"{said}; {wrong}; {made}." if self.w.any() else f"{said}; {made}."
        why = f"{self.reason}; " if self.reason else ""
        if self.status == WITHIN_ROUNDING:
            if self.exact:
                return f"Not decided within rounding: {self.reason}; {made}. Scale or centre the columns."
            return (
                f"Not decided within rounding: w separates the data as far as floating point can tell, but the "
                f"margin is below the rounding error {self.rounding:.2g}; {why}{made}. Scale or centre the columns."
            )
        undecided = f"whether any {rule} separates the data is not decided: the margin is"
        undecided += f" at most {self.upper:.6g}" if self.upper > 0 else " zero up to rounding"
        return f"{self.status.capitalize()}: {why}{wrong}; {undecided}; {made}."

    def _words(self) -> tuple[str, str, str, str, str]:
        """What the sentence calls the margin, a classifier, a vector, and what vectors do that are right or wrong."""
        margin = {"free": "margin", "augmented": "margin (bias inside the norm)", "none": "margin"}[self.bias]
        rule, vectors = ("linear machine", "rows") if self.w.ndim == 2 else ("hyperplane", "vectors")
        return margin, rule, vectors, "are on their side", "are on the wrong side of this w"


def conclude(
    *, lowest: float, lower: float, upper: float, refuted: bool, eps: float, relative: float, ended: bool
) -> str:
    """The status that the numbers allow, and no more; ``ended``: learning was over, not out of budget."""
    if refuted:
        return NOT_SEPARABLE
    if lower > 0:
        wanted = eps + relative * upper
        return EPS_OPTIMAL if wanted > 0 and upper - lower <= wanted else SEPARATED
    if lowest > 0:
        return WITHIN_ROUNDING
    return NOT_SEPARATED if ended else BUDGET_SPENT


def novikoff(longest: float, lower: float) -> float:
    """Novikoff's bound D^2 / m^2 on the updates of a fixed-increment perceptron (C11), with m >= lower.

    >>> novikoff(longest=2.0, lower=0.5)
    16.0
    """
    if lower <= 0:
        return math.inf
    ratio = longest / lower
    return ratio * ratio  # too large: infinity, where ** would raise
