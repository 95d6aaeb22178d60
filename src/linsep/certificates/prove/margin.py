r"""The proof of a margin: the bounds of w and of its dual weights, computed once more from the rows.

.. math:: \min_i \langle w, a_i\rangle / |w| \;\le\; m \;\le\; \Big|\sum \lambda_i a_i\Big|

Rounding is paid for exactly where it decides: scores of the decisive rows and the norm of the combination are computed
in integers if the bounds miss a target by no more than their own rounding error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...interrupt import INTERRUPT, in_time
from ...protocols import Target
from ...rows.bias import likely_threshold, place_bias, place_biases, threshold_of_fewest_errors
from ...rows.evaluate import ScoresAndNorms, evaluate, scores_and_norms
from ...rows.exact import LARGEST, TINY, count_violated, decisive, down, least, mixture
from ...rows.matrix import BLOCK, RowOracle, augmented, combine, count_present, length, vectors, weighted_length
from ..base import Status
from ..margin import MarginCertificate
from .inseparable import WIDEST, prove_inseparable

U = float(np.finfo(np.float64).eps)
OPTIMAL = 1e-6  # the largest relative gap that is called optimal; wider ones are eps-optimal


class Outcome(NamedTuple):
    """How learning ended: what a certificate says beside w and its dual weights."""

    target: Target
    bias: str  # "free", "augmented" or "none"
    updates: int
    reason: str  # why learning ended before its target, or nothing
    ended: bool = False  # over, not out of budget: a closed form, a small step
    exact: bool = False  # the target was the optimum itself, not a w within eps of it
    widest: int = WIDEST  # columns up to which a proof of inseparability is tried
    sharp: float = 2**18  # numbers up to which exact arithmetic is used where rounding would decide
    mixed: int = 0  # parts that learned by themselves


class RowProver:
    """What learning asks about a w, of rows and of rows against other classes."""

    def __init__(self, parts: Sequence[Any]):
        self.parts, self.rows, self.bias = parts, [part.certified for part in parts], parts[0].bias_kind

    def margin(self, w: np.ndarray) -> float:
        """The margin of w as computed, with the best bias if it is free."""
        seen, norm = evaluate(self.rows, w), length(w)
        lowest = 0.5 * (seen.lowest_negative + seen.lowest_positive) if self.bias == "free" else seen.lowest
        return lowest / norm if norm > 0 else math.nan

    def errors(self, w: np.ndarray) -> float:
        """The weight of the errors of w, with the best bias if it is free."""
        w = self.with_best_bias(w)
        return evaluate(augmented(self.rows, self.bias != "none"), w).weight

    def is_inseparable(self, state: Any) -> bool:
        """Whether the data are proved not separable."""
        return prove_inseparable(self.rows, self.bias, state.dual_weights) is not None

    def with_best_bias(self, w: np.ndarray) -> np.ndarray:
        """w with the bias of the fewest errors, if it is free."""
        return place_bias(self.rows, w, self.parts[0].rivals) if self.bias == "free" else w

    def certify(self, w: np.ndarray, state: Any, outcome: Outcome, likely: bool = False) -> MarginCertificate:
        """The certificate of w, with the dual weights of ``state`` as proof.

        A free bias is put in its best place; any other, if wanted, to where it is ``likely`` to err least.
        """
        return in_time(
            lambda: self._place_and_prove(w, state, outcome, likely), lambda: _claim_nothing(self.rows, w, outcome)
        )

    def _place_and_prove(self, w: np.ndarray, state: Any, outcome: Outcome, likely: bool) -> MarginCertificate:
        """One pass over the rows tells where the bias belongs, and what is known of w then."""
        rows, seen = augmented(self.rows, self.bias != "none"), None
        if self.bias == "free" or (likely and self.bias == "augmented" and rows[0].slots == 1):
            rivals, threshold = (
                (self.parts[0].rivals, threshold_of_fewest_errors) if self.bias == "free" else (None, likely_threshold)
            )
            seen = scores_and_norms([part.with_bias(0.0) for part in rows], w)
            w = place_bias(rows, w, rivals, threshold, seen.wa)
            seen.add_bias(rows, w[-1])
        elif likely and self.bias == "augmented":
            w = place_biases(self.rows, w)
        return _prove(self.rows, w, state.dual_weights, outcome, seen=seen, own=self._own_sum(state, outcome))

    def _own_sum(self, state: Any, outcome: Outcome) -> np.ndarray | None:
        """The w of the run, where it is the weighted sum of many rows and of nothing else; then it is not summed again.

        All weights are whole, and are all the weight that w has. How near the bound is matters only for a tolerance.
        """
        total, dual = state.counters.total, state.dual_weights
        if outcome.mixed:
            return None
        if not (0 < total < 2.0**53 and state.counters.scale == 1.0 and self.bias != "free"):
            return None
        if any(outcome.target.tolerance) or np.count_nonzero(dual) <= BLOCK:
            return None
        return state.w if dual.sum() == total and bool((dual == np.rint(dual)).all()) else None


def prove_margin(
    parts: Sequence[RowOracle], w: np.ndarray, dual: np.ndarray, outcome: Outcome, integers: tuple[int, ...] = ()
) -> MarginCertificate:
    """The certificate of w, with ``dual`` (weights of the vectors, any scale) as proof of the upper bound.

    ``integers``: multiples of those weights that are not 0, with which the vectors sum to zero exactly.
    """
    return in_time(
        lambda: _prove(parts, w, dual, outcome, integers=integers), lambda: _claim_nothing(parts, w, outcome)
    )


def _claim_nothing(parts: Sequence[RowOracle], w: np.ndarray, outcome: Outcome) -> MarginCertificate:
    """The certificate of a w for which there was no time to prove anything."""
    slots, size = parts[0].slots, count_present(parts)
    return MarginCertificate(
        status=Status.INTERRUPTED, lower=-math.inf, upper=math.inf, updates=outcome.updates, size=size, violated=size,
        reason=outcome.reason, w=parts[0].as_matrix(w), classes=tuple(range(slots)) if slots > 1 else (-1, 1),
        bias=outcome.bias, mixed=outcome.mixed,
    )  # fmt: skip


def _prove(
    parts: Sequence[RowOracle], w: np.ndarray, dual: np.ndarray, outcome: Outcome, *,
    integers: tuple[int, ...] = (), seen: ScoresAndNorms | None = None, own: np.ndarray | None = None,
) -> MarginCertificate:  # fmt: skip
    """What is known of w after one pass over the data, ``seen`` if it was made already, and one over the proof.

    ``own`` is the sum of the vectors times ``dual``, as learning has computed it, one update after the other.
    """
    bias, slots, (eps, relative) = outcome.bias, parts[0].slots, outcome.target.tolerance
    norm = length(w[:-1] if bias == "free" else w)
    scored = scores_and_norms(augmented(parts, bias != "none"), w) if seen is None else seen
    view = evaluate(augmented(parts, bias != "none"), w, scored)
    lowest, sure = (view.lowest, view.sure) if norm > 0 else (-math.inf, -math.inf)
    if sure <= 0 < 2 * lowest - sure:  # rounding hides on which side the lowest vector is
        lowest, sure = _without_rounding(parts, w, outcome, lowest, sure)
    groups = sides(parts, bias)
    weights = usable_weights(dual, groups)
    proof = dual if integers else None
    if proof is None and sure <= 0 and not INTERRUPT.pressed:
        proof = prove_inseparable(parts, bias, weights, outcome.widest)
    weights = weights if proof is None else proof
    lower = sure / norm - 4 * U * abs(sure / norm) if norm > 0 else -math.inf
    known = None if own is None or weights is not dual else (own, outcome.updates)
    upper, error = _upper(parts, weights, groups, bias, scored, known)
    hidden = error + lowest / norm - lower if norm > 0 else error
    if 0 < lower < upper - eps - relative * upper < lower + 2 * hidden and eps + relative > 0:
        lowest, sure = _without_rounding(parts, w, outcome, lowest, sure)
        lower = sure / norm - 4 * U * (sure / norm)
        upper, error = _upper_without_rounding(parts, weights, outcome, upper, error)
        hidden = error + lowest / norm - lower
    status = conclude(
        lowest=lowest, lower=lower, upper=upper, zero_sum=proof is not None, tolerance=(eps, relative),
        ended=outcome.ended, exact=outcome.exact,
    )  # fmt: skip
    violated = 0 if lower > 0 else view.violated
    if lower <= 0 and view.doubtful:
        violated = count_violated(augmented(parts, bias != "none"), w, outcome.sharp)
    places, longest = np.flatnonzero(weights), math.sqrt(view.longest)
    rows, rivals = np.divmod(places, slots) if slots > 1 else (places, places[:0])
    return MarginCertificate(
        status=status, lower=lower, upper=upper, updates=outcome.updates, size=view.size,
        reason="" if status in (Status.EPS_OPTIMAL, Status.OPTIMAL) else outcome.reason, w=parts[0].as_matrix(w),
        classes=tuple(range(slots)) if slots > 1 else (-1, 1), violated=violated,
        novikoff=novikoff(longest, sure / length(w)) if norm > 0 else math.inf, bias=bias, rows=rows, rivals=rivals,
        weights=weights[places], zero_sum=proof is not None, integers=integers, longest=longest, rounding=hidden,
        eps=eps, relative=relative, mixed=outcome.mixed,
    )  # fmt: skip


def conclude(
    *, lowest: float, lower: float, upper: float, zero_sum: bool, tolerance: tuple[float, float], ended: bool,
    exact: bool = False,
) -> Status:  # fmt: skip
    """The status that the numbers allow, and no more.

    ``ended``: learning was over, not out of budget; ``exact``: the target was the optimum itself.
    """
    if zero_sum:
        return Status.NOT_SEPARABLE
    if lower > 0:
        wanted = tolerance[0] + tolerance[1] * upper
        if not (0 < wanted < math.inf and upper - lower <= wanted):
            return Status.SEPARATED
        return Status.OPTIMAL if exact and wanted <= OPTIMAL * upper else Status.EPS_OPTIMAL
    if lowest > 0:
        return Status.WITHIN_ROUNDING
    return Status.NOT_SEPARATED if ended else Status.BUDGET_SPENT


def novikoff(longest: float, lower: float) -> float:
    """Novikoff's bound D^2 / m^2 on the updates of a fixed-increment perceptron (C11), with m >= lower.

    >>> novikoff(longest=2.0, lower=0.5)
    16.0
    """
    if lower <= 0:
        return math.inf
    ratio = longest / lower
    return ratio * ratio  # too large: infinity, where ** would raise


def _without_rounding(
    parts: Sequence[RowOracle], w: np.ndarray, outcome: Outcome, lowest: float, sure: float
) -> tuple[float, float]:
    """The least score in exact arithmetic, rounded down, if few enough vectors may have it."""
    parts = augmented(parts, outcome.bias != "none")
    rows = decisive(parts, w)
    if rows.size * w.size > outcome.sharp:
        return lowest, sure
    exact = down(least(parts, w, rows))
    return exact, exact


def _upper_without_rounding(
    parts: Sequence[RowOracle], weights: np.ndarray, outcome: Outcome, upper: float, error: float
) -> tuple[float, float]:
    """The norm of the convex combination in exact arithmetic, if few enough rows are in it."""
    rows = np.flatnonzero(weights)
    if rows.size * parts[0].size > outcome.sharp:
        return upper, error
    A = vectors(augmented(parts, outcome.bias == "augmented"), rows)
    groups = [side[rows] for side in sides(parts, outcome.bias)]
    square = sum((total * total for total in mixture(A, weights[rows], groups)), Fraction(0))
    exact = math.sqrt(square) * (1 + 4 * U) if TINY < square < LARGEST else math.inf
    return (exact, 0.0) if exact < upper else (upper, error)


def sides(parts: Sequence[RowOracle], bias: str) -> list[np.ndarray]:
    """The places of the dual weights that share one unit of weight: all, or, with a free bias, each class by itself."""
    present = np.concatenate([part.present_places() for part in parts])
    if bias != "free":
        return [present]
    sign = np.concatenate([part.sign for part in parts])
    return [present & (sign < 0), present & (sign > 0)]


def usable_weights(dual: np.ndarray, groups: Sequence[np.ndarray]) -> np.ndarray:
    """Dual weights with some weight in every group: a run without updates still bounds the margin by one vector."""
    weights = dual
    for group in groups:
        if group.any() and not np.any(dual, where=group):
            weights = weights.copy() if weights is dual else weights
            weights[int(np.argmax(group))] = 1.0
    return weights


def convex_weights(dual: np.ndarray, groups: Sequence[np.ndarray]) -> np.ndarray:
    """Dual weights as those of a convex combination: sum 1, the same for every group."""
    weights = usable_weights(dual, groups).copy()
    for group in groups:
        np.divide(weights, max(float(weights[group].sum()), 1e-300) * len(groups), out=weights, where=group)
    return weights


def _upper(
    parts: Sequence[RowOracle], weights: np.ndarray, groups: Sequence[np.ndarray], bias: str, seen: ScoresAndNorms,
    own: tuple[np.ndarray, int] | None,
) -> tuple[float, float]:  # fmt: skip
    """The norm of the convex combination, and how much rounding was added to be safe: ``seen`` has lengths of rows.

    ``own``: the weighted sum itself, if known, and how many vectors were added to it one by one.
    """
    if not all(group.any() for group in groups):
        return math.inf, 0.0  # rows of one class: a hyperplane may be as far from them as it likes
    parts, mass = augmented(parts, bias == "augmented"), 1.0
    if bias == "free":
        weights = convex_weights(weights, groups)
    else:
        mass = float(np.sum(weights, where=groups[0]))
    total = (combine(parts, weights) if own is None else own[0]) / mass
    places = np.flatnonzero(weights)
    terms = min(places.size, BLOCK + weights.size // BLOCK) + 4 if own is None else own[1] + 4
    apart = parts[0].slots > 1 or bias == "free"  # what was seen has a bias then
    constant = float(parts[0].rows.bias)
    lengths = weighted_length(parts, weights) if apart else weights[places] @ np.sqrt(seen.aa[places] + constant**2)
    error = 2 * terms * U * float(lengths) / mass
    return length(total) * (1 + (total.size + 8) * U) + error, error
