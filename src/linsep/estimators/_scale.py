"""One scale: rows far from 1 are brought near it by an exact power of two, and what was learned is brought back.

Squares and fourth powers of numbers between 2^-64 and 2^64 are far from the ends of double precision. Other rows are
multiplied by 2^-e; so is the constant of an augmented bias. All scores, margins and lengths are then multiplied by
powers of two too, which is exact: the run is the same, and its certificate is scaled back without rounding.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..certificates.base import Certificate
from ..certificates.margin import MarginCertificate
from ..certificates.objective import ObjectiveCertificate
from ..certificates.ridge import RidgeCertificate
from ..validation import Magnitudes
from ._parted import Parted, largest_of

SAFE = 64  # rows of a largest number between 2^-64 and 2^64 are learned from as they are
NEAR = 16  # the same of a soft margin, whose free bias is found by steps beside the rows: at 2^20 they become many
SPAN = (
    400  # powers of two that a column may be smaller than the largest number; a row twice that if no squares are needed
)
COST = 400  # exponent of the largest and of the least cost of errors, and of |w|^2: their squares are computed, too
LARGEST = 1000  # exponent of the largest number that is taken, and of the largest score that is shown
LONGEST = 2.0**200  # a number of w that learning begins at: squares of scores stay within double precision


class Scale(NamedTuple):
    """Rows are multiplied by 2^-exponent.

    ``power`` says how w grows with the rows: 1 for a sum of rows (perceptron), -1 if scores have a size of their own.
    A ``metric`` changes nothing of this: w is that of the rows as they are throughout.
    """

    exponent: int = 0
    free: bool = False  # the bias is not a coordinate of the rows
    power: int = 1
    metric: np.ndarray | None = None  # of columns that are learned in scaled coordinates: see `linsep.oracles.scaled`

    @property
    def constant(self) -> float:
        """What an augmented bias of 1 has become."""
        return 1.0 if self.free else math.ldexp(1.0, -self.exponent)

    @property
    def _shift(self) -> int:
        """The exponent by which w is multiplied to be shown; such that scores stay within double precision."""
        shift = self.power * self.exponent
        return shift if abs(shift + self.exponent) <= LARGEST and abs(shift) <= LARGEST else -self.exponent // 2

    def show(self, w: np.ndarray, more: int = 0) -> np.ndarray:
        """w, the bias last, for the rows as they came; times 2^more."""
        return self._times(w, self._shift + more, self._shift + more + self.free * self.exponent)

    def room(self, w: np.ndarray, any_length: bool) -> int:
        """The power of two by which w is multiplied besides, so that no number of it is lost when it is shown.

        The length of a hyperplane's w says nothing (``any_length``); where it does, or no length will do, w is refused.
        """
        if not self.exponent:
            return 0
        exponents = np.frexp(w)[1] + self._shift
        exponents[..., -1:] += self.free * self.exponent
        used = exponents[w != 0]
        if not used.size or (used.min() >= -LARGEST and used.max() <= LARGEST + 20):
            return 0
        more = max(-LARGEST - int(used.min()), 0) or LARGEST - int(used.max())
        if not any_length or used.max() + more > LARGEST + 20 or used.min() + more < -LARGEST:
            raise ValueError(
                f"X: beside values of about {2.0**self.exponent:.3g} double precision can't hold w and the weight "
                "of the bias. Scale the columns, or take a free bias."
            )
        return more

    def hide(self, w: np.ndarray) -> np.ndarray:
        """A w that learning begins at, for the rows as they are learned from; refused if it is too long beside them."""
        with np.errstate(over="ignore"):
            hidden = self._times(w, -self._shift, -self._shift - self.free * self.exponent)
        if not np.abs(hidden).max(initial=0.0) <= LONGEST:
            most = float(np.abs(w).max())
            raise ValueError(f"start: a w of {most:.3g} is too large beside these examples for double precision.")
        return hidden

    def _times(self, w: np.ndarray, columns: int, bias: int) -> np.ndarray:
        if not self.exponent:
            return w
        return np.concatenate([np.ldexp(w[..., :-1], columns), np.ldexp(w[..., -1:], bias)], axis=-1)

    def rows(self, X: Any, back: bool = False) -> Any:
        """The rows as they are learned from; or ``back``."""
        exponent = self.exponent if back else -self.exponent
        if not self.exponent:
            return X
        if isinstance(X, Parted):
            return X.times_power_of_two(exponent)
        if sp.issparse(X):
            return sp.csr_array((np.ldexp(X.data, exponent), X.indices, X.indptr), shape=X.shape)
        return np.ldexp(X, exponent)

    def times_square(self, C: float, name: str) -> float:
        """A cost of errors beside |w|^2, in the units of the scaled rows: times 4^exponent."""
        with np.errstate(over="ignore"):
            scaled = float(np.ldexp(C, 2 * self.exponent))
        if not 2.0**-COST < scaled < 2.0**COST:
            with np.errstate(over="ignore"):
                square = float(np.ldexp(1.0, 2 * self.exponent))
            raise ValueError(
                f"{name}: {C:.3g} times the squares of X, of about {square:.3g} each, is beyond double precision. "
                f"Scale the columns, or take another {name}."
            )
        return scaled

    def over_square(self, alpha: float, name: str) -> float:
        """A cost of |w|^2 beside errors, in the units of the scaled rows: over 4^exponent, which is exact."""
        self.times_square(1.0 / alpha, name)
        return math.ldexp(alpha, -2 * self.exponent)

    def alpha(self, alpha: np.ndarray, back: bool = False) -> np.ndarray:
        """Dual weights of a soft margin for the scaled rows; or ``back``."""
        return np.ldexp(alpha, -2 * self.exponent if back else 2 * self.exponent) if self.exponent else alpha

    def costs(self, record: dict[str, float]) -> dict[str, float]:
        """An entry of a history with the bounds of a cost for the rows as they came."""
        power = -2 * self.exponent
        return {name: float(np.ldexp(v, power)) if name in ("lower", "upper") else v for name, v in record.items()}

    def certificate(self, found: Certificate) -> Certificate:
        """What is proved about the rows as they came."""
        if not self.exponent:
            return found
        if isinstance(found, ObjectiveCertificate):
            power = -2 * self.exponent
            self.room(found.w, any_length=False)
            return replace(
                found, w=self.show(found.w), lower=_down(found.lower, power), upper=_up(found.upper, power),
                weights=np.ldexp(found.weights, power), C=math.ldexp(found.C, power),
                rounding=_up(found.rounding, power),
            )  # fmt: skip
        if isinstance(found, RidgeCertificate):
            self.room(found.w, any_length=False)
            alpha, distance = math.ldexp(found.alpha, 2 * self.exponent), _up(found.distance, -self.exponent)
            return replace(found, w=self.show(found.w), alpha=alpha, distance=distance)
        assert isinstance(found, MarginCertificate)
        e, more = self.exponent, self.room(found.w, any_length=not found.least_score)
        return replace(
            found, w=self.show(found.w, more), lower=_down(found.lower, e), upper=_up(found.upper, e),
            best_w=self.show(found.best_w, self.room(found.best_w, True)) if found.best_w.size else found.best_w,
            longest=_up(found.longest, e), rounding=_up(found.rounding, e), eps=_up(found.eps, e),
        )  # fmt: skip


def require_costs(C: np.ndarray) -> None:
    """Refuse costs of rows that are too large or too small to be squared."""
    for cost in (C[C > 0].min(), C.max()):
        Scale().times_square(float(cost), "C times sample_weight")


def choose_scale(
    X: Any, found: Magnitudes, bias: str, power: int, any_columns: bool = False, safe: int = SAFE
) -> Scale:
    """The scale of checked rows; what doubles cannot hold is refused."""
    largest = max(found.largest, 1.0) if bias == "augmented" else found.largest
    if found.largest == 0.0:
        return Scale(0, bias == "free", power)
    exponent = math.frexp(largest)[1]
    if abs(exponent) > LARGEST:
        span = f"between {2.0**-LARGEST:.3g} and {2.0**LARGEST:.3g}"
        raise ValueError(f"X: expected a largest value {span}, got {found.largest:.3g}. Scale the columns.")
    scale = Scale(0 if abs(exponent) <= safe else exponent, bias == "free", power)
    if found.least < math.ldexp(largest, -SPAN) and not any_columns:
        beside = "the 1 of the bias" if largest == 1.0 and bias == "augmented" else f"{largest:.3g}"
        _refuse_lost(X, 0, math.ldexp(largest, -SPAN), beside)
        if bias == "none":
            _refuse_lost(X, 1, math.ldexp(largest, -SPAN if power < 0 else -LARGEST), beside)
    if scale.exponent and math.frexp(found.least)[1] - scale.exponent < -1000:
        raise ValueError(
            f"X: expected values that double precision can hold beside each other, got {found.least:.3g} beside "
            f"{largest:.3g}. Scale the columns, or set what is so small to 0."
        )
    if bias == "augmented" and exponent > SPAN:  # a row of zeros is the 1 of the bias, and nothing else
        _refuse_lost(X, 1, math.ldexp(largest, -SPAN), f"the 1 of the bias, and {largest:.3g}", zeros=True)
    return scale


def _refuse_lost(X: Any, axis: int, least: float, beside: str, zeros: bool = False) -> None:
    """Refuse a column, or a row, all of which is below ``least``; if it has numbers, or ``zeros`` count, too."""
    most = X.largest(axis) if isinstance(X, Parted) else largest_of(X, axis)
    lost = np.flatnonzero((zeros | (most > 0)) & (most < least))
    if lost.size:
        name = f"{('column', 'row')[axis]} {lost[0]}"
        raise ValueError(
            f"X: {name} has no value above {most[lost[0]]:.3g}, beside {beside}: double precision cannot hold both. "
            "Scale the columns, or leave it out."
        )


def _down(number: float, exponent: int) -> float:
    """``number`` times 2^exponent, rounded down where the result is too small to be exact."""
    if not math.isfinite(number):
        return number
    scaled = float(np.ldexp(number, exponent))
    exact = float(np.ldexp(scaled, -exponent)) == number
    return scaled if exact else math.nextafter(scaled, -math.inf)


def _up(number: float, exponent: int) -> float:
    """``number`` times 2^exponent, rounded up where the result is too small to be exact."""
    return -_down(-number, exponent)
