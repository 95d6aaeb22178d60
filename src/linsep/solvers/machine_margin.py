r"""The linear machine of largest margin (C10 for D1), or a proof that no machine separates the classes.

Row i of class y against a rival k is Kesler's vector :math:`a_{ik}`, with :math:`(x_i, 1)` in the place of y and
:math:`-(x_i, 1)` in that of k, so that the machine is the nearest point of one hull, as a hyperplane is:

- few vectors are listed, and `nearest_point` finds it as for two classes; very many are asked for by column generation;
- what rounding hides is decided in exact arithmetic (`decide_exactly`), from centred columns of similar size.
  One class is left out then: whatever a vector adds to a class it takes from another;
- where a machine separates, but rounding keeps its margin from the best one, the nearest point is found in integers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..certificates.base import Status
from ..certificates.margin import MarginCertificate
from ..certificates.prove.margin import Outcome, prove_margin
from ..jit import compiled
from ..loop.stop import HIDDEN, Rounds
from ..loop.trace import retold
from ..oracles import Classes, classes, points
from ..oracles.elsewhere import map_parts
from ..rows.columns import column_ranges
from ..rows.matrix import present_blocks, vectors
from .column_generation import decide_on_columns, generate_columns
from .exact_nearest_point import Decision, decide_exactly
from .exact_optimum import find_nearest_exactly, round_point
from .nearest_point import NearestPoint, nearest_point
from .separability import CLOSE, EXTREME, SECONDS, find_coinciding

LISTED = 2**20  # numbers of all vectors up to which they are listed
DECIDED = 2**24  # numbers of the vectors that a decision may begin with
FACTORS = [Fraction(k, 8) for k in range(8, 16)]  # of an exact point, that are rounded
SHARPENED = 64  # vectors of a nearest point that is found in integers


@compiled
def write_lowest(part, w, rows, score, place):
    """The lowest vector of each of ``rows``: its score, and its place in `dual_weights`."""
    for i in rows:
        wa, slot = part.lowest(w, i)
        score[part.first + i] = wa
        place[part.first + i] = (part.first + i) * part.score.size + slot


def _lowest_of_part(part: Any, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    score, place = np.full(part.sign.size, np.inf), np.zeros(part.sign.size, dtype=np.int64)
    for rows in present_blocks(part):
        write_lowest(part, w, rows, score, place)
    return score, place


class ClassVectors:
    """Kesler's vectors: one set per row, one vector per rival; its number is its place in `dual_weights`."""

    def __init__(self, parts: Sequence[Classes]):
        self.parts, self.size = parts, parts[0].size
        self.place = np.zeros(sum(part.label.size for part in parts), dtype=np.int64)

    def lowest_scores(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every row."""
        score = np.full(self.place.size, np.inf)
        w = self.parts[0].as_vector(w.reshape(self.parts[0].slots, -1))
        for part, found in zip(self.parts, map_parts(_lowest_of_part, self.parts, w), strict=True):
            own = slice(part.first, part.first + part.sign.size)
            score[own], self.place[own] = found[0], found[1] + part.first * part.slots
        return score

    def lowest_vectors(self, sets: np.ndarray) -> np.ndarray:
        """The places of the best rivals."""
        return self.place[sets]

    def sets_of(self, numbers: np.ndarray) -> np.ndarray:
        """The rows of these places."""
        return numbers // self.parts[0].slots

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors at these places."""
        return vectors(self.parts, numbers)

    def decide(self, numbers: np.ndarray, weights: np.ndarray, seconds: float) -> Decision:
        """By the vectors, which are floats."""
        rows = points(self.vectors(numbers), np.ones(numbers.size), bias=0.0)
        return decide_exactly([rows], "none", weights, seconds)


def nearest_machine(parts: Sequence[Classes], tol: float, rounds: Iterable[int]) -> NearestPoint:
    """The point of least norm in the hull of all vectors of the parts, by column generation."""
    sets = ClassVectors(parts)
    found = generate_columns(sets, tol, rounds)
    dual_weights = np.zeros(sets.place.size * parts[0].slots)
    dual_weights[found.used] = found.weights
    return NearestPoint(found.w, dual_weights, found.passes)


class Machine:
    """The machine of largest margin of one part; vectors are listed if they are few."""

    def __init__(
        self, part: Classes, tol: float, rounds: Rounds, outcome: Outcome, exact: bool | str = "auto"
    ):  # ``exact``: arithmetic without rounding for a minute ("auto"), as long as it takes (True), or never (False)
        self.part, self.tol, self.rounds, self.outcome, self.exact = part, tol, rounds, outcome, exact
        present = part.present_places()
        self.size = present.size
        listed = np.count_nonzero(present) * part.size <= LISTED
        self.places = np.flatnonzero(present) if listed else np.zeros(0, dtype=np.int64)

    def solve(self) -> MarginCertificate:
        """The certificate of the machine, or the proof that there is none; ``updates`` are the passes."""
        two = find_coinciding([self.part])
        if two.size:  # the usual reason why real data are not separable, and seen at once
            rivals = self.part.label[two[::-1]]
            return self._not_separable(two * self.part.slots + rivals, (1, 1))
        found = self._nearest()
        self.outcome = self.outcome._replace(updates=found.passes, reason=self.rounds.reason or self.outcome.reason)
        certificate = self._prove(found.w, found.dual_weights)
        if certificate.separable is None and not self.rounds.reason:
            if self.exact is False:
                return replace(certificate, reason=HIDDEN)
            certificate = self._decide(certificate, found.dual_weights)
        if certificate.status == Status.SEPARATED and not self.rounds.reason and any(self.outcome.target.tolerance):
            certificate = self._sharpen(certificate, found.dual_weights)
        return certificate

    def _nearest(self) -> NearestPoint:
        if not self.places.size:
            return nearest_machine([self.part], 0.1 * self.tol, self.rounds)
        with retold(self._told_of_rows):
            found = nearest_point([_listed(self.part, self.places)], "none", 0.1 * self.tol, self.rounds)
        return NearestPoint(found.w[:-1], self._spread(self.places, found.dual_weights), found.passes)

    def _told_of_rows(self, w: np.ndarray, rows: np.ndarray, **fields: Any) -> dict[str, Any]:
        """What is told of listed vectors, of the rows that they belong to."""
        return {**fields, "w": w[:-1], "rows": np.unique(self.places[rows] // self.part.slots)}

    def _prove(self, w: np.ndarray, dual_weights: np.ndarray, integers: tuple[int, ...] = ()) -> MarginCertificate:
        """The certificate of a w that holds one class after the other."""
        w = self.part.as_vector(w.reshape(self.part.slots, -1))
        return prove_margin([self.part], w, dual_weights, self.outcome, integers)

    def _spread(self, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weights by place, of those at some places."""
        spread = np.zeros(self.size)
        spread[places] = weights
        return spread

    def _not_separable(self, places: np.ndarray, integers: tuple[int, ...]) -> MarginCertificate:
        order, total = np.argsort(places), sum(integers)
        shares = self._spread(places, np.array([max(number / total, 5e-324) for number in integers]))
        self.outcome = self.outcome._replace(reason="")
        return self._prove(np.zeros(self.part.size), shares, tuple(integers[k] for k in order))

    def _seconds(self) -> float:
        """What is left of the budget of seconds, or of that of exact arithmetic."""
        budget = self.rounds.stop.seconds
        if budget is None:
            return np.inf if self.exact is True else SECONDS
        return max(0.0, budget - (time.monotonic() - self.rounds.began))

    def _decide(self, certificate: MarginCertificate, dual_weights: np.ndarray) -> MarginCertificate:
        """Exact arithmetic, where floating point can't tell."""
        decision, places = self._decide_listed() if self.places.size else self._decide_generated(dual_weights)
        if decision.rows is not None:
            return self._not_separable(places[decision.rows], decision.integers)
        if decision.w is None:
            return replace(certificate, reason=decision.reason)
        self.outcome = self.outcome._replace(sharp=np.inf)
        certificate = self._prove(_with_last_class(decision.w[:-1], self.part.size), dual_weights)
        if decision.reason and self.places.size:
            return replace(
                certificate, status=Status.WITHIN_ROUNDING, reason=decision.reason,
                integers=tuple(_with_last_class(np.array(decision.integers[:-1], dtype=object), self.part.size)),
            )  # fmt: skip
        return certificate

    def _decide_listed(self) -> tuple[Decision, np.ndarray]:
        """From the nearest point of the rows with columns centred and of similar size."""
        rows = self.part.rows
        centre, largest = column_ranges([rows], "augmented")
        X = rows.matrix.toarray() if not isinstance(rows.matrix, np.ndarray) else rows.matrix
        scale = np.exp2(np.clip(np.frexp(largest)[1], -EXTREME, EXTREME))
        weight = rows.weight if rows.weight.size else None
        even = classes((X - centre) / scale, self.part.label, self.part.slots, weight, float(rows.bias > 0))
        with retold():
            begin = nearest_point([_listed(even, self.places)], "none", CLOSE, self.rounds).dual_weights
        last = self.part.size - self.part.size // self.part.slots
        listed = _listed(self.part, self.places, last)
        return decide_exactly([listed], "none", begin, self._seconds()), self.places

    def _decide_generated(self, dual_weights: np.ndarray) -> tuple[Decision, np.ndarray]:
        used = np.flatnonzero(dual_weights)
        if used.size * self.part.size > DECIDED:
            return Decision(reason=self.outcome.reason), used
        sets = ClassVectors([self.part])
        return decide_on_columns(sets, used, dual_weights[used], self.rounds, self._seconds())

    def _sharpen(self, certificate: MarginCertificate, dual_weights: np.ndarray) -> MarginCertificate:
        """The nearest point in integers, if few vectors are in it; the better one of the two."""
        start = dual_weights[self.places]
        if not 0 < np.count_nonzero(start) <= SHARPENED:
            return certificate
        listed = _listed(self.part, self.places)
        found = find_nearest_exactly([listed], start, self._seconds())
        if found is None:
            return certificate
        A = vectors([listed], found.rows)
        for factor in FACTORS:  # each is rounded in another way
            w = round_point([factor * number for number in found.w[:-1]], A)
            weights = np.maximum(round_point([factor * weight for weight in found.weights], A.T), 0.0)
            sharper = self._prove(w, self._spread(self.places[found.rows], weights))
            if sharper.separates and sharper.gap < certificate.gap:
                certificate = sharper
            if certificate.status == Status.OPTIMAL:
                break
        return certificate


def _listed(part: Classes, places: np.ndarray, width: int | None = None):
    """The vectors at some places as rows without a bias, or their first ``width`` numbers."""
    A = part.vectors(places)[:, :width]
    return points(np.ascontiguousarray(A), np.ones(places.size), bias=0.0)


def _with_last_class(w: np.ndarray, size: int) -> np.ndarray:
    """w with zeros for a class that was left out."""
    return np.append(w, np.zeros(size - w.size, dtype=w.dtype))


def machine_margin(part: Classes, tol: float, rounds: Rounds, outcome: Outcome) -> MarginCertificate:
    """The certificate of the machine of largest margin, to a relative ``tol``; or the proof that none separates.

    >>> from linsep.targets import EpsOptimal
    >>> from linsep.oracles import classes
    >>> line = classes(np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 2, 0], 3)
    >>> found = machine_margin(line, 1e-9, Rounds(100), Outcome(EpsOptimal(0.0, 1e-9), "augmented", 0, "", exact=True))
    >>> found.status, bool(found.check([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 0]))
    ('not separable', True)
    """
    return Machine(part, tol, rounds, outcome).solve()
