"""The proof of a margin over labellings: an example against all its rival labellings (E4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...interrupt import GRACE, INTERRUPT, in_time, keep_time
from ...jit import read_only
from ...oracles.update_log import (
    Entries,
    SparseVectors,
    UpdateLog,
    merge_entries,
    new_log,
    select_entries,
    take_entries,
)
from ...protocols import WholeOracle, has_methods
from ...rows.exact import dyadic
from ...rows.matrix import count_present, length, present_blocks, scores
from ..base import Status
from ..labelling import LabellingCertificate
from .margin import Outcome, conclude, novikoff
from .whole_weights import MOST_COLUMNS, find_whole_weights, sums_to_zero, whole_columns

U = float(np.finfo(np.float64).eps)
FIRST = 1 << 12  # labels of entries that are turned into vectors at first
AT_ONCE = 1 << 20  # numbers that are made of entries at a time
HEAVY = 500  # entries that a proof of inseparability is looked for in: the heaviest; examples decided exactly
TERMS = 200_000  # numbers that it may be made of


class _View(NamedTuple):
    """What one pass over every example tells of a w."""

    violated: int  # examples with <w,a> <= 0 as computed
    beaten: int  # of these, those that are so whatever the rounding
    doubtful: np.ndarray  # examples whose <w,a> may have the other sign in truth
    weight: float  # of the violated ones
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

    def with_best_bias(self, w: np.ndarray) -> np.ndarray:
        """w as it is: labellings have no bias of their own."""
        return w

    def evaluate(self, w: np.ndarray) -> _View:
        """One pass over every example."""
        rows = np.concatenate(list(present_blocks(self.oracle)))
        score = scores([self.oracle], w)[rows]
        wrong, doubt = rows[score <= 0.0], self.oracle.rounding_bound(w)[rows]
        weight = math.fsum(self.oracle.weight[wrong]) if self.oracle.weight.size else float(wrong.size)
        beaten, doubtful = int(np.count_nonzero(score < -doubt)), rows[np.abs(score) <= doubt]
        return _View(wrong.size, beaten, doubtful, weight, float(score.min()), float((score - doubt).min()))

    def _count_violated(self, w: np.ndarray, seen: _View) -> int:
        """How many examples have a rival with <w,a> <= 0, without rounding; of doubtful ones the rival that was found.

        Another rival may be better by less than rounding shows. Then the example is not counted.
        """
        if not seen.doubtful.size:
            return seen.beaten
        vectors, _ = self.exact_vectors(self.lowest_entries(w, seen.doubtful[:HEAVY]))
        used = sorted(set().union(*vectors))
        m, e = dyadic(w[used])
        base = int(e.min(initial=0))
        whole = {j: x << k - base for j, x, k in zip(used, m.tolist(), e.tolist(), strict=True)}  # times a power of two
        ties = (sum(value * whole[index] for index, value in vector.items()) for vector in vectors)
        return seen.beaten + sum(score <= 0 for score in ties)

    def combine(self, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """The weighted sum of the vectors in ``entries``, and a bound of the length of its rounding error."""
        total, absolute, count = self.sum_vectors(entries, weights)
        return total, 2 * U * length((count + 4) * absolute)

    def sum_vectors(self, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The weighted sum of the vectors in ``entries``, that of absolute values, and how many numbers are in it."""
        total, absolute, count = np.zeros((3, self.oracle.size))
        first, labels = 0, float(FIRST)
        while first < weights.size:
            if first:
                keep_time()
            last = int(np.searchsorted(entries.begin, entries.begin[first] + labels, side="right")) - 1
            chosen, numbers = np.arange(first, max(last, first + 1)), 1
            for vector, index, value in self._difference_vectors(select_entries(entries, chosen)):
                value = value * weights[chosen[vector]]
                np.add.at(total, index, value)
                np.add.at(absolute, index, np.abs(value))
                np.add.at(count, index, 1.0)
                numbers += value.size
            first += chosen.size
            labels = AT_ONCE / numbers * float(entries.begin[first] - entries.begin[chosen[0]])
        return total, absolute, count

    def _length_of_sum(
        self, entries: Entries, weights: np.ndarray, own: tuple[float, float] | None
    ) -> tuple[float, float]:
        """The length of the convex combination of ``entries``, and a bound of its rounding error.

        ``own``: |w| of the run, where w is the sum itself, and the total weight.
        """
        if own is not None:
            return own[0] / own[1], 0.0
        total, error = self.combine(entries, weights / weights.sum())
        return length(total), error

    def _own_length(self, state: Any) -> tuple[float, float] | None:
        """|w| and the total weight of a run whose w is the sum of the vectors in its entries, without any rounding.

        So it is if all is whole and not too large, and if the weights of the entries are all the weight there is.
        """
        total, dual, longest = state.counters.total, state.dual_weights, self.oracle.norm_bound()
        if not (has_methods(type(self.oracle), WholeOracle) and total * longest < 2.0**53):
            return None
        whole = state.counters.scale == 1.0 and dual.sum() == total and bool((dual == np.rint(dual)).all())
        return (length(state.w), total) if whole and total > 0 and self.oracle.has_whole_numbers() else None

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
            keep_time()
            for i, j, x, k in zip(vector.tolist(), index.tolist(), m.tolist(), e.tolist(), strict=True):
                sums[i][j] = sums[i].get(j, 0) + (x << k - base)
        return sums, base

    def _difference_vectors(self, entries: Entries) -> Iterator[SparseVectors]:
        return iter(self.oracle.difference_vectors(_as_log(entries)))

    def prove_inseparable(self, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]] | None:
        """Some of the entries and their integers, with which the vectors sum to zero exactly, or None."""
        heavy = np.sort(np.argsort(-weights, kind="stable")[:HEAVY])
        every = heavy.size == weights.size
        columns = self._whole_columns(select_entries(entries, heavy), math.inf if every else MOST_COLUMNS)
        if weights.size == 0 or columns is None:
            return None
        if every:  # weights of a rule that adds whole vectors are an exact proof by themselves
            found = _as_integers(weights)
            if found and sums_to_zero(columns, found):
                return heavy, found
        whole = find_whole_weights(columns, weights[heavy])
        if whole is None:
            return None
        used = np.flatnonzero(np.array(whole, dtype=object) > 0)
        return heavy[used], tuple(whole[k] for k in used.tolist())

    def _whole_columns(self, entries: Entries, most: float = math.inf) -> list[list[int]] | None:
        """The vectors in ``entries`` without rounding, as columns of integers; None if that would take too long.

        So are more than ``most`` columns, too many for what is to be done with them.
        """
        parts, total = [], 0
        for part in self._difference_vectors(entries) if entries.label.size <= TERMS else ():
            total += part.value.size
            if total > TERMS:
                return None
            parts.append(part)
        if not parts:
            return None
        vector, index, value = (np.concatenate(each) for each in zip(*parts, strict=True))
        if np.unique(index).size > most:
            return None
        return whole_columns(vector, index, value, entries.example.size)

    def certify(self, w: np.ndarray, state: Any, outcome: Outcome, likely: bool = False) -> LabellingCertificate:
        """The certificate of w, with the entries of ``state`` as proof of the upper bound; no bias is to be placed."""
        merged = in_time(lambda: merge_entries(state.entries, state.dual_weights), lambda: None, 0.5 * GRACE)
        entries, weights = merged or merge_entries([], np.zeros(0))
        if weights.size == 0:  # no update, or no time: a single vector bounds the margin too
            entries, weights = self.lowest_entries(w, next(present_blocks(self.oracle))[:1]), np.ones(1)
            return self.prove_margin(w, entries, weights, outcome)
        own = None if outcome.mixed else self._own_length(state)
        return self.prove_margin(w, entries, weights, outcome, own=own)

    def lowest_entries(self, w: np.ndarray, examples: np.ndarray) -> Entries:
        """The lowest vectors of some examples."""
        log = new_log(examples.size, self.oracle.log.label.size)
        oracle = self.oracle._replace(log=log)
        for i in examples.tolist():
            only = read_only((np.arange(oracle.sign.size) == i).astype(np.float64))  # the kernel of other looks
            scores([oracle._replace(weight=only)], w)
            oracle.record(np.zeros(examples.size), i, log.next_slot(), 1.0)
        return take_entries(log)

    def prove_margin(
        self, w: np.ndarray, entries: Entries, weights: np.ndarray, outcome: Outcome, integers: tuple[int, ...] = (),
        own: tuple[float, float] | None = None,
    ) -> LabellingCertificate:  # fmt: skip
        """The certificate of w; ``integers`` are multiples of the weights whose vectors may sum to zero exactly.

        "Not separable" is claimed only with integers: those given, or others, with which the sum is exactly zero.
        ``own`` are the length of the weighted sum and the weight, if known without rounding.
        """
        return in_time(
            lambda: self._prove(w, entries, weights, outcome, integers, own), lambda: self._claim_nothing(w, outcome)
        )

    def _claim_nothing(self, w: np.ndarray, outcome: Outcome) -> LabellingCertificate:
        """The certificate of a w for which there was no time to prove anything."""
        size = count_present([self.oracle])
        return LabellingCertificate(
            status=Status.INTERRUPTED, lower=-math.inf, upper=math.inf, updates=outcome.updates, size=size,
            violated=size, reason=outcome.reason, w=w.copy(), classes=(), mixed=outcome.mixed,
        )  # fmt: skip

    def _prove(
        self, w: np.ndarray, entries: Entries, weights: np.ndarray, outcome: Outcome, integers: tuple[int, ...],
        own: tuple[float, float] | None,
    ) -> LabellingCertificate:  # fmt: skip
        """What is known of w after one pass over the examples and one over the proof."""
        norm, seen, sound = length(w), self.evaluate(w), bool(self.oracle.exact)
        sure = seen.sure if sound else -math.inf
        if not sound and seen.lowest > 0:  # a search for bounds pays only where no truth is beaten
            sure = float(np.min(self.oracle.score_bounds(w)))
        if integers:  # found from rounded vectors
            columns = self._whole_columns(entries)
            integers = integers if columns is not None and sums_to_zero(columns, integers) else ()
        if not integers and sure <= 0 and not INTERRUPT.pressed:
            found = in_time(lambda: self.prove_inseparable(entries, weights), lambda: None, 0.5 * GRACE)
            if found is not None:
                entries, integers = select_entries(entries, found[0]), found[1]
        if integers:
            whole = sum(integers)
            weights, own = np.array([number / whole for number in integers]), None
        summed = in_time(lambda: self._length_of_sum(entries, weights, own), lambda: None, 0.5 * GRACE)
        if summed is None and not integers:  # no time: the heaviest vector bounds the margin too
            entries, weights, own = select_entries(entries, np.argsort(-weights)[:1]), np.ones(1), None
        upper, error = summed or self._length_of_sum(entries, weights, own)
        upper = upper * (1 + (w.size + 64) * U) + error  # 64: the weights sum to 1 but for rounding
        lower = sure / norm - 4 * U * abs(sure / norm) if norm > 0 else -math.inf
        status = conclude(
            lowest=seen.lowest if sound else -math.inf, lower=lower, upper=upper, zero_sum=bool(integers),
            tolerance=outcome.target.tolerance, ended=outcome.ended, exact=outcome.exact,
        )  # fmt: skip
        reason = "" if status in (Status.EPS_OPTIMAL, Status.OPTIMAL) or integers else outcome.reason
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
            w=w,
            classes=(),
            violated=0 if lower > 0 else self._count_violated(w, seen),
            novikoff=novikoff(longest, lower) if norm > 0 else math.inf,
            rows=entries.example,
            rivals=entries.label.astype(np.int64),
            begins=entries.begin,
            labellings=tuple(getattr(self.oracle, "labellings", ())),
            weights=weights,
            zero_sum=bool(integers),
            integers=integers,
            longest=longest,
            rounding=error + (seen.lowest - seen.sure) / norm if norm > 0 else error,
            eps=outcome.target.tolerance[0],
            relative=outcome.target.tolerance[1],
            sound=sound,
            mixed=outcome.mixed,
        )


def _as_log(entries: Entries) -> UpdateLog:
    """Entries in the form that oracles write and read."""
    return UpdateLog(*entries, np.zeros(2, dtype=np.int64))


def _as_integers(weights: np.ndarray) -> tuple[int, ...]:
    """The weights as integers in the same proportions, if these are positive and short."""
    ratios = [float(weight).as_integer_ratio() for weight in weights]
    common = max(below for _, below in ratios)  # a power of two
    found = tuple(above * (common // below) for above, below in ratios)
    return found if min(found) > 0 and max(found).bit_length() < 1000 else ()
