"""The proof of a margin over labellings: an example against all its rival labellings (E4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...oracles.update_log import (
    Entries,
    SparseVectors,
    UpdateLog,
    merge_entries,
    new_log,
    select_entries,
    take_entries,
)
from ...rows.exact import dyadic
from ...rows.matrix import count_present, length, present_blocks, scores
from ..base import Status
from ..labelling import LabellingCertificate
from .inseparable import EXACT, WIDEST, prove_zero_sum
from .margin import Outcome, conclude, novikoff

U = float(np.finfo(np.float64).eps)
AT_ONCE = 1 << 20  # labels of entries that are turned into vectors at a time
DENSE = 4_000_000  # numbers of a matrix of vectors that a proof of inseparability may cost


class _View(NamedTuple):
    """What one look at every example tells of a w."""

    violated: int  # examples with <w,a> <= 0
    weight: float  # their weight
    lowest: float  # the least <w,a> as computed
    sure: float  # a number that no <w,a> is below, rounding included


class LabellingProver:
    """What learning asks about a w, of labellings."""

    bias = "none"

    def __init__(self, parts: Sequence[Any]):
        self.oracle: Any = parts[0]._replace(loss=0.0)

    def margin(self, w: np.ndarray) -> float:
        """The margin of w as computed."""
        norm = length(w)
        return self.evaluate(w).lowest / norm if norm > 0 else math.nan

    def errors(self, w: np.ndarray) -> float:
        """The weight of the examples that w does not label right."""
        return self.evaluate(w).weight

    def is_inseparable(self, state: Any) -> bool:
        """Whether the examples are proved not separable."""
        return self.prove_inseparable(*merge_entries(state.entries, state.dual_weights)) is not None

    def with_best_bias(self, w: np.ndarray, likely: bool) -> np.ndarray:
        """w as it is: labellings have no bias of their own."""
        return w

    def evaluate(self, w: np.ndarray) -> _View:
        """One look at every example."""
        rows = np.concatenate(list(present_blocks(self.oracle)))
        score = scores([self.oracle], w)[rows]
        wrong = rows[score <= 0.0]
        weight = math.fsum(self.oracle.weight[wrong]) if self.oracle.weight.size else float(wrong.size)
        return _View(wrong.size, weight, float(score.min()), float((score - self.oracle.rounding_bound(w)[rows]).min()))

    def combine(self, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """The weighted sum of the vectors in ``entries``, and a bound of the length of its rounding error."""
        total, absolute, count = np.zeros((3, self.oracle.size))  # the sum of absolute values, and how many they are
        for chosen in np.array_split(np.arange(weights.size), 1 + entries.label.size // AT_ONCE):
            for vector, index, value in self._difference_vectors(select_entries(entries, chosen)):
                value = value * weights[chosen[vector]]
                np.add.at(total, index, value)
                np.add.at(absolute, index, np.abs(value))
                np.add.at(count, index, 1.0)
        return total, 2 * U * length((count + 4) * absolute)

    def vectors(self, entries: Entries) -> np.ndarray:
        """The vectors in ``entries``, one row each."""
        A = np.zeros((entries.example.size, self.oracle.size))
        for vector, index, value in self._difference_vectors(entries):
            np.add.at(A, (vector, index), value)
        return A

    def exact_vectors(self, entries: Entries) -> tuple[list[dict[int, int]], int]:
        """The vectors in ``entries`` without rounding: whole numbers by column, and the power of two they count."""
        found = [each for each in self._difference_vectors(entries) if each.value.size]
        numbers = [dyadic(each.value) for each in found]
        base = min((int(e.min()) for _, e in numbers), default=0)
        sums: list[dict[int, int]] = [{} for _ in entries.example]
        for (vector, index, _), (m, e) in zip(found, numbers, strict=True):
            for i, j, x, k in zip(vector.tolist(), index.tolist(), m.tolist(), e.tolist(), strict=True):
                sums[i][j] = sums[i].get(j, 0) + (x << k - base)
        return sums, base

    def _are_exact(self, entries: Entries) -> bool:
        """Whether no sum in `vectors` is rounded, in whatever order: all terms are small multiples of one number."""
        shape = entries.example.size, self.oracle.size
        base, total = np.full(shape, np.iinfo(np.int32).max, dtype=np.int64), np.zeros(shape)
        terms = [
            (vector, index, value[value != 0])
            for vector, index, value in self._difference_vectors(entries)
            for vector, index in [(vector[value != 0], index[value != 0])]
        ]
        for vector, index, value in terms:
            np.minimum.at(base, (vector, index), dyadic(value)[1])
        for vector, index, value in terms:
            m, e = dyadic(value)
            np.add.at(total, (vector, index), np.ldexp(np.abs(m.astype(np.float64)), (e - base[vector, index])))
        return bool((total < 2.0**53).all())

    def _difference_vectors(self, entries: Entries) -> Iterator[SparseVectors]:
        return iter(self.oracle.difference_vectors(UpdateLog(*entries, np.zeros(2, dtype=np.int64))))

    def prove_inseparable(self, entries: Entries, weights: np.ndarray) -> np.ndarray | None:
        """Weights of the same entries that prove the examples not separable, or None."""
        if weights.size == 0:
            return None
        heavy = np.sort(np.argsort(-weights, kind="stable")[: max(500, 8 * WIDEST)])
        if heavy.size * self.oracle.size > DENSE:
            return None
        some = select_entries(entries, heavy)
        A = self.vectors(some)
        A = A[:, A.any(axis=0)]
        if (A.shape[1] > WIDEST and A.size > EXACT) or not self._are_exact(some):
            return None  # of rounded vectors a proof would be about others
        found = prove_zero_sum(A, weights[heavy])
        if found is None:
            return None
        proof = np.zeros_like(weights)
        proof[heavy] = found
        return proof

    def certify(self, w: np.ndarray, state: Any, outcome: Outcome) -> LabellingCertificate:
        """The certificate of w, with the entries of ``state`` as proof of the upper bound."""
        entries, weights = merge_entries(state.entries, state.dual_weights)
        if weights.size == 0:  # no update: a single vector bounds the margin too
            entries, weights = self._one_entry(w), np.ones(1)
        return self.prove_margin(w, entries, weights, outcome)

    def _one_entry(self, w: np.ndarray) -> Entries:
        """The lowest vector of the first example."""
        i, log = next(present_blocks(self.oracle))[0], new_log(1, self.oracle.log.label.size)
        oracle = self.oracle._replace(log=log)
        scores([oracle._replace(weight=(np.arange(oracle.sign.size) == i).astype(np.float64))], w)
        oracle.record(np.zeros(1), i, 0, 1.0)
        return take_entries(log)

    def prove_margin(
        self, w: np.ndarray, entries: Entries, weights: np.ndarray, outcome: Outcome, integers: tuple[int, ...] = ()
    ) -> LabellingCertificate:
        """The certificate of w; ``integers`` are multiples of the weights whose vectors sum to zero exactly."""
        norm, seen, sound = length(w), self.evaluate(w), bool(self.oracle.exact)
        sure = seen.sure if sound else -math.inf
        if not sound and seen.lowest > 0:  # a search for bounds pays only where no truth is beaten
            sure = float(np.min(self.oracle.score_bounds(w)))
        proof = weights if integers else None if sure > 0 else self.prove_inseparable(entries, weights)
        if proof is not None:
            used = np.flatnonzero(proof)
            entries, weights = select_entries(entries, used), proof[used]
        total, error = self.combine(entries, weights / weights.sum())
        upper = length(total) * (1 + (total.size + 64) * U) + error  # 64: the weights sum to 1 but for rounding
        lower = sure / norm - 4 * U * abs(sure / norm) if norm > 0 else -math.inf
        status = conclude(
            lowest=seen.lowest if sound else -math.inf, lower=lower, upper=upper, zero_sum=proof is not None,
            tolerance=outcome.target.tolerance, ended=outcome.ended, exact=outcome.exact,
        )  # fmt: skip
        reason = "" if status in (Status.EPS_OPTIMAL, Status.OPTIMAL) or proof is not None else outcome.reason
        if status == Status.BUDGET_SPENT and not sound and seen.violated == 0:
            status, reason = Status.NOT_PROVED, "the best rival is found by an engine that may miss a better one"
        longest = float(self.oracle.norm_bound())
        return LabellingCertificate(
            status=status,
            lower=lower,
            upper=upper,
            updates=outcome.updates,
            size=count_present([self.oracle]),
            reason=reason,
            w=w.copy(),
            classes=(),
            violated=0 if lower > 0 else seen.violated,
            novikoff=novikoff(longest, lower) if norm > 0 else math.inf,
            rows=entries.example,
            rivals=entries.label.astype(np.int64),
            begins=entries.begin,
            labellings=tuple(getattr(self.oracle, "labellings", ())),
            weights=weights,
            zero_sum=proof is not None,
            integers=integers,
            longest=longest,
            rounding=error + (seen.lowest - seen.sure) / norm if norm > 0 else error,
            eps=outcome.target.tolerance[0],
            relative=outcome.target.tolerance[1],
            sound=sound,
        )
