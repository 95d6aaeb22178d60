r"""Certificates: WHAT is known for sure about a learned w.

For every w, and all weights :math:`\lambda \ge 0` of sum 1,

.. math:: \min_i \langle w, a_i\rangle / |w| \;\le\; m \;\le\; \Big|\sum \lambda_i a_i\Big| ,

where m is the largest margin any hyperplane reaches on the data (negative or 0: not separable). Learning
yields both sides: w, and in the dual weights how much of each vector went into it. The certificate keeps w and the
weights, so that anyone can compute the two sides again; `MarginCertificate.check` does, sharing no code with
the solver. Bounds include the rounding error of their own computation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .base import Certificate, Status, Verdict, at_least, at_most


def _integers() -> np.ndarray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class MarginCertificate(Certificate):
    r"""A learned w with what is proved about its margin: see the module's formula.

    ``lower`` is no larger than the margin of w, ``upper`` no smaller than the best possible margin. ``violated`` is a
    number of vectors that are on the wrong side for sure: all of them, where exact arithmetic on 2^18 numbers or less
    decides about those that rounding hides.

    Of a linear machine w is a matrix, one row per class; its vectors are the differences of
    :math:`\langle w_y - w_k, (x, 1)\rangle`, a row x of class y against a rival k, so that the margin of w is
    :math:`\min (\langle w_y,x\rangle - \langle w_k,x\rangle)/|w|`.
    """

    violated: int = 0  # so many training vectors have <w,a> <= 0, without rounding; interrupted: all count
    novikoff: float = math.inf  # D^2 / lower^2: a fixed-increment perceptron ends after at most so many updates
    best_w: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # of larger margin, if one is known
    novikoff_best: float = math.inf  # the same bound with the best margin known: that of `best_w`, if there is one
    bias: str = "augmented"  # or "free" (the geometric margin) or "none" (hyperplanes through the origin)
    rows: np.ndarray = field(default_factory=_integers, repr=False)  # of the proof of the upper bound
    rivals: np.ndarray = field(default_factory=_integers, repr=False)  # of a machine: the class against each of `rows`
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # lambda of `rows`, any scale
    zero_sum: bool = False  # the weighted vectors are claimed to sum to zero: no w separates
    integers: tuple[int, ...] = field(default=(), repr=False)  # multiples of `weights` that do so exactly; see `exact`
    longest: float = 0.0  # D, the norm of the longest vector
    rounding: float = 0.0  # how much of upper - lower is rounding error
    least_score: float = 0.0  # b, if w is the shortest with <w,a> >= b: none is shorter than b / upper
    eps: float = 0.0  # the tolerance of the target, absolute
    relative: float = 0.0  # and relative
    mixed: int = 0  # so many parts learned by themselves, and their w were mixed after every pass

    @property
    def separates(self) -> bool:
        """Whether w is proved to separate the data."""
        return self.status in (Status.SEPARATED, Status.EPS_OPTIMAL, Status.OPTIMAL)

    @property
    def separable(self) -> bool | None:
        """Whether any hyperplane separates the data; None: not decided."""
        if self.separates or (self.status == Status.WITHIN_ROUNDING and self.exact):
            return True
        return False if self.status == Status.NOT_SEPARABLE else None

    @property
    def exact(self) -> bool:
        """Whether integers are the proof: weights of zero sum, or, if no w of floats separates, a w that does."""
        return bool(self.integers)

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
        """Compute every claim again from the data, with code of its own; the answer is true or says what is wrong."""
        from .check.margin import check

        return check(self, X, y, sample_weight)

    def parts(self) -> dict[str, Any]:
        """As in the base; integers as hex, since JSON readers need not read such long ones."""
        return {**super().parts(), "integers": [hex(number) for number in self.integers]}

    @classmethod
    def _read(cls, plain: dict[str, Any]) -> dict[str, Any]:
        return super()._read({**plain, "integers": tuple(int(number, 16) for number in plain.get("integers", ()))})

    def __str__(self) -> str:
        if self.status == Status.INTERRUPTED:
            return self._say_nothing()
        margin, rule, vectors, right, wrong = self._words()
        bounds = (
            f"the {margin} of this w is at least {at_least(self.lower)}, no {rule} has more than {at_most(self.upper)}"
        )
        made = f"{self.updates} update{'s' * (self.updates != 1)} made"
        if self.mixed:
            made += f" in {self.mixed} parts by themselves, whose w were mixed after every pass"
        if self.separates:
            made += self._say_novikoff()
            gap = ""
            if self.upper > 0:  # or it is forged
                gap = f" (short of the best by at most {at_most(max(0.0, 1 - self.lower / self.upper), 2)} of it)"
            missed = f" Learning ended early: {self.reason}." if self.reason else ""
            said = f"{self.status.capitalize()}: all {self.size} {vectors} {right}"
            return f"{said}; {bounds}{gap}; {self._say_shortest()}{made}.{missed}"
        wrong = f"{self.violated} of {self.size} {vectors} {wrong}"
        if self.status == Status.NOT_SEPARABLE:
            proof = f"a convex combination of {np.count_nonzero(self.weights)} training vectors is zero"
            proof += " (in exact arithmetic)" * self.exact
            said = f"Not separable: no {rule} separates these data, for {proof}"
            if self.w.ndim == 1 and self.w.any() and not self.w[:-1].any():
                wrong += ", which is 0 but for its bias: it decides for one class throughout"
            return f"{said}; {wrong}; {made}." if self.w.any() else f"{said}; {made}."
        why = f"{self.reason}; " if self.reason else ""
        if self.status == Status.WITHIN_ROUNDING:
            if self.exact:
                return f"Not decided within rounding: {self.reason}; {made}. Scale or centre the columns."
            return (
                f"Not decided within rounding: w separates the data as far as floating point can tell, but the "
                f"margin is below the rounding error {self.rounding:.2g}; {why}{made}. Scale or centre the columns."
            )
        undecided = f"whether any {rule} separates the data is not decided: the margin is"
        undecided += f" at most {at_most(self.upper)}" if self.upper > 0 else " zero up to rounding"
        return f"{self.status.capitalize()}: {why}{wrong}; {undecided}; {made}."

    def _say_shortest(self) -> str:
        """That w is the shortest with scores of b, where that was asked for."""
        if not self.least_score or not self.upper > 0:
            return ""
        norm = math.hypot(*(self.w[:-1] if self.bias == "free" else self.w.ravel()))
        least = at_least(self.least_score / self.upper)
        return f"shortest w with <w,a> >= {self.least_score:g}: |w| = {at_most(norm)}, none is shorter than {least}; "

    def _say_novikoff(self) -> str:
        """Novikoff's bound, with the margin of this w and with the best one known."""
        least = min(self.novikoff, self.novikoff_best)
        if least >= 1e15:
            return ""
        said = f"; Novikoff allows a perceptron at most {at_most(least, 4)}"
        said += " such passes with updates" * bool(self.mixed)
        if not self.best_w.size:
            return said
        own = f"by that of this w {at_most(self.novikoff, 4)}" if self.novikoff < 1e15 else "by that of this w no bound"
        return f"{said} by the best margin known, {own}"

    def _words(self) -> tuple[str, str, str, str, str]:
        """What the sentence calls the margin, a classifier, a vector, and what vectors do that are right or wrong."""
        margin = {"free": "margin", "augmented": "margin (bias inside the norm)", "none": "margin"}[self.bias]
        rule, vectors = ("linear machine", "rows") if self.w.ndim == 2 else ("hyperplane", "vectors")
        return margin, rule, vectors, "are on their side", "are on the wrong side of this w"
