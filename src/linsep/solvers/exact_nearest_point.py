r"""Separability, decided in exact arithmetic (B4): Wolfe's nearest point on integers.

The data are separable iff 0 is not in the convex hull of the vectors. `decide_exactly` walks to the point of least norm
in that hull, from the rows that floating point has found, and stops as soon as the question is answered:

- the point is 0: the rows in use, at most d + 2, and their weights, which are integers, are the proof. Mostly it is so
  for the rows to start from, which is tried at once (`integer_weights`);
- all rows have a positive score: the point, rounded to floats, separates, if those floats do so exactly.

Rows in use are affinely independent, and the point is that of least norm in their affine hull; with Gram matrix G,

.. math:: (G + 1 1^T)\,\mu = 1, \qquad w = \sum \mu_i a_i .

It is solved without fractions (Bareiss): all numbers are minors of the matrix, hence integers. The norm falls with
every row taken in use, so that no set of rows comes back, and the walk ends.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..interrupt import is_spent, why_ended
from ..oracles import points
from ..rows.columns import COARSE, column_ranges, finest_exponents
from ..rows.exact import dyadic, least, scored, to_float
from ..rows.matrix import Rows, augmented, vectors
from .integer_weights import find_integer_weights

FACTORS = range(64, 128)  # 64ths of w: each is rounded in another way
ROOM = 20  # bits by which the bias is made longer than other columns, so that it is all but free
KEPT = 2**10  # rows that are kept in integers
TRIED = 64  # low rows that are looked at for a point nearer to the origin
NO_FLOATS = "a hyperplane separates, but none was found whose numbers are floats"

Vector = dict[int, int]  # a vector of integers: column, number


class Decision(NamedTuple):
    """The answer: a w that separates exactly, or rows with weights of zero sum.

    With a reason: neither; if there is a w all the same, then ``integers`` are one that separates.
    """

    w: np.ndarray | None = None
    rows: np.ndarray | None = None
    integers: tuple[int, ...] = ()
    reason: str = ""


def decide_exactly(parts: Sequence[Rows], bias: str, start: np.ndarray, seconds: float = math.inf) -> Decision:
    """Decide whether the parts are separable, from weights ``start`` (by row number) of a point near the least one.

    >>> from linsep.oracles import points
    >>> X, sign = np.array([[0.0, 0.0], [4.0, 2.0], [1.0, 0.5], [9.0, 0.0]]), np.array([-1, -1, 1, 1])
    >>> touching = decide_exactly([points(X, sign)], "free", np.ones(4))
    >>> touching.rows, touching.integers                       # 3/4 (0,0) + 1/4 (4,2) = (1,1/2)
    (array([0, 1, 2]), (3, 1, 4))
    """
    return decide(lambda deadline: IntegerRows(parts, bias, deadline), start, seconds)


def decide(make_rows: Callable[[float], IntegerRows], start: np.ndarray, seconds: float = math.inf) -> Decision:
    """The same for any rows in integers."""
    deadline = time.monotonic() + seconds
    try:
        return _walk(make_rows(deadline), start, deadline)
    except TimeoutError:
        own = f"exact arithmetic did not decide within {seconds:g} seconds" if time.monotonic() >= deadline else ""
        return Decision(reason=why_ended(own))


def heaviest_rows(rows: IntegerRows, start: np.ndarray) -> dict[int, Vector]:
    """The rows with any weight, from the heaviest on."""
    support = np.flatnonzero(start)
    return {i: rows.row(i) for i in support[np.argsort(-start[support], kind="stable")].tolist()}


def begin_face(some: dict[int, Vector], start: np.ndarray, deadline: float) -> tuple[Face, list[int]]:
    """The face of these rows, without those that depend on heavier ones, and their weights."""
    face = Face(deadline)
    used = [i for i, a in some.items() if face.add(i, a)]
    return face, [1 + int(start[i] / start.max() * 2**60) for i in used]


def _walk(rows: IntegerRows, start: np.ndarray, deadline: float) -> Decision:
    """See the module's docstring."""
    heaviest = heaviest_rows(rows, start)
    found = find_integer_weights(_matrix(list(heaviest.values())), deadline)
    if found is not None and (min(found) >= 0 or max(found) <= 0):
        return _proof(list(heaviest), [abs(number) for number in found])
    face, weights = begin_face(heaviest, start, deadline)
    while True:
        weights = move_to_minimiser(face, weights)
        w = face.point(weights)
        if not w:
            return _proof(face.rows, weights)
        low = rows.find_violated(w)
        if low is None:
            rounded = rows.round_to_floats(w)
            if rounded is not None:
                return Decision(w=rounded)
            low = rows.find_nearer(w, sum(weights), face.rows)
            if low is None:
                return Decision(rows.as_floats(w), integers=rows.as_integers(w), reason=NO_FLOATS)
        face.add(low, rows.row(low))
        weights = [*weights, 0]


def _proof(rows: list[int], weights: list[int]) -> Decision:
    """The rows that have any weight, in order."""
    some = sorted((i, weight) for i, weight in zip(rows, weights, strict=True) if weight)
    return Decision(rows=np.array([i for i, _ in some]), integers=tuple(weight for _, weight in some))


def _matrix(vectors: list[Vector]) -> np.ndarray:
    """The vectors as rows, without the columns that are 0 in all of them."""
    columns = sorted(set().union(*vectors))
    return np.array([[a.get(j, 0) for j in columns] for a in vectors], dtype=object).reshape(len(vectors), len(columns))


def move_to_minimiser(face: Face, weights: list[int]) -> list[int]:
    """Move to the affine minimiser of the rows in use; drop those that would get a negative weight on the way."""
    while True:
        wanted = face.affine_minimiser()
        falling = [i for i, m in enumerate(wanted) if m <= 0]
        if not falling:
            return _without_common_factor(wanted)
        first = falling[0]  # the one that falls to 0 first: the largest -wanted / weight
        for i in falling[1:]:
            if wanted[i] * weights[first] < wanted[first] * weights[i]:
                first = i
        if weights[first]:
            share, way = weights[first], -wanted[first]
            weights = _without_common_factor(
                [way * have + share * want for have, want in zip(weights, wanted, strict=True)]
            )
        face.drop(first)
        del weights[first]


def _without_common_factor(numbers: list[int]) -> list[int]:
    """Without a common factor."""
    factor = math.gcd(*numbers)
    return [number // factor for number in numbers] if factor > 1 else numbers


class Face:
    """Rows in use, affinely independent, with the elimination of their matrix G + 1 1^T without fractions.

    ``U[s][j - s]`` are the numbers of the upper triangle: minors of the matrix, with those of its corners as pivots.
    """

    def __init__(self, deadline: float = math.inf):
        self.deadline = deadline
        self.rows: list[int] = []
        self.vectors: list[Vector] = []
        self.U: list[list[int]] = []

    def add(self, i: int, a: Vector) -> bool:
        """Take row i with vector a in use; not if it depends, affinely, on those in use."""
        if is_spent(self.deadline):
            raise TimeoutError
        column, over = [dot(a, b) + 1 for b in [*self.vectors, a]], []
        before = 1
        for row in self.U:
            pivot, u = row[0], column[0]
            over.append(u)
            column = [(pivot * v - r * u) // before for v, r in zip(column[1:], [*row[1:], u], strict=True)]
            before = pivot
        if column[0] == 0:
            return False
        for row, u in zip(self.U, over, strict=True):
            row.append(u)
        self.U.append(column)
        self.rows.append(i)
        self.vectors.append(a)
        return True

    def drop(self, at: int) -> None:
        """No longer use the row at place ``at``."""
        later = list(zip(self.rows[at + 1 :], self.vectors[at + 1 :], strict=True))
        del self.rows[at:], self.vectors[at:]
        self.U = [row[: at - s] for s, row in enumerate(self.U[:at])]
        for i, a in later:
            self.add(i, a)

    def affine_minimiser(self) -> list[int]:
        """Weights, up to a positive factor, of the point of least norm in the affine hull."""
        k, right, before = len(self.rows), [1] * len(self.rows), 1
        for s, row in enumerate(self.U):
            pivot, u = row[0], right[s]
            right[s + 1 :] = [(pivot * v - r * u) // before for v, r in zip(right[s + 1 :], row[1:], strict=True)]
            before = pivot
        found = [0] * k
        for s in reversed(range(k)):
            row = self.U[s]
            known = sum(r * x for r, x in zip(row[1:], found[s + 1 :], strict=True))
            found[s] = (before * right[s] - known) // row[0]
        return found

    def point(self, weights: list[int]) -> Vector:
        """The weighted sum of the rows."""
        total: Vector = {}
        for weight, a in zip(weights, self.vectors, strict=True):
            for j, x in a.items():
                total[j] = total.get(j, 0) + weight * x
        return {j: x for j, x in total.items() if x}


def dot(a: Vector, b: Vector) -> int:
    """The scalar product.

    >>> dot({0: 2, 3: 5}, {3: 7, 4: 1})
    35
    """
    a, b = (a, b) if len(a) < len(b) else (b, a)
    return sum(x * b[j] for j, x in a.items() if j in b)


class IntegerRows:
    """The vectors in integers: columns centred, and scaled by powers of two to like length.

    ``sign (x, 1)`` becomes ``sign ((x - c) 2^s, 2^t)``: a linear map, without rounding, so that it changes no answer.
    ``alike``: all are multiplied by the same power of two, which changes no nearest point either.
    """

    def __init__(self, parts: Sequence[Rows], bias: str, deadline: float = math.inf, alike: bool = False):
        self.parts, self.deadline = augmented(parts, bias != "none"), deadline
        centre, largest = column_ranges(self.parts, "none" if alike else bias)
        finest = np.where(centre != 0, dyadic(centre)[1], COARSE)
        finest = np.minimum(finest, finest_exponents(self.parts))
        finest[finest == COARSE] = 0
        bits = np.where(largest > 0, np.frexp(largest)[1] - finest, 0)
        room = int(bits.max(initial=0))
        self.one = Fraction(float(self.parts[0].bias) or 1.0)  # what augments the rows: 1, or a power of two beside it
        self.unit = int(dyadic(np.array([float(self.one)]))[1][0])
        self.scale = np.append(room - bits - finest, room + ROOM - self.unit)  # the exponents s and t
        if alike:  # what is nearest stays nearest
            self.scale = np.full(self.scale.size, -min(int(finest.min(initial=0)), self.unit, 0))
        self.offset = self._integers(centre)
        self.kept: dict[int, Vector] = {}

    def _integers(self, x: np.ndarray) -> Vector:
        """x_j 2^s_j."""
        columns = np.flatnonzero(x)
        m, e = dyadic(x[columns])
        shift = e + self.scale[columns]
        return {j: v << k for j, v, k in zip(columns.tolist(), m.tolist(), shift.tolist(), strict=True)}

    def row(self, i: int) -> Vector:
        """Row i in integers."""
        if len(self.kept) > KEPT:
            self.kept.clear()
        if i not in self.kept:
            self.kept[i] = self._row(i)
        return self.kept[i]

    def _row(self, i: int) -> Vector:
        self._check_time()
        x = vectors(self.parts, np.array([i]))[0]
        a, sign = self._integers(x), int(np.sign(x[-1]))  # without a bias nothing is centred
        for j, c in self.offset.items():
            a[j] = a.get(j, 0) - sign * c
        return {j: v for j, v in a.items() if v}

    def _check_time(self) -> None:
        if is_spent(self.deadline):
            raise TimeoutError

    def as_floats(self, w: Vector, factor: int = FACTORS[0]) -> np.ndarray:
        """w for the vectors as they were, bias last, with its largest number near 1, each to the nearest float."""
        exact = self._back(w)
        top = max(v.bit_length() + s for v, s in exact.values() if v) + 6
        found = np.zeros(self.scale.size)
        for j, (v, s) in exact.items():
            found[j] = v * factor * 2 ** max(s - top, 0) / 2 ** max(top - s, 0)  # of integers: rounded once
        return found

    def as_integers(self, w: Vector) -> tuple[int, ...]:
        """The same in whole numbers."""
        exact = self._back(w)
        least = min(s for v, s in exact.values() if v)
        found = [0] * self.scale.size
        for j, (v, s) in exact.items():
            found[j] = v << s - least if v else 0
        return tuple(_without_common_factor(found))

    def _back(self, w: Vector) -> dict[int, tuple[int, int]]:
        """w for the vectors as they were: integers v and exponents s of v 2^s."""
        last = self.scale.size - 1
        bias = w.get(last, 0) << int(self.scale[last]) + self.unit
        bias -= sum(c * w[j] for j, c in self.offset.items() if j in w)
        return {**{j: (v, int(self.scale[j])) for j, v in w.items()}, last: (bias, -self.unit)}

    def find_violated(self, w: Vector) -> int | None:
        """A row with a score <= 0, or None: the one with the least score, if rounding does not hide it."""
        rows, score, error = scored(self.parts, self.as_floats(w))
        if (score < -error).any():
            return int(rows[np.argmin(np.where(score < -error, score, np.inf))])
        unsure = np.flatnonzero(~(score > error))
        return next((i for i in rows[unsure[np.argsort(score[unsure])]].tolist() if dot(w, self.row(i)) <= 0), None)

    def find_nearer(self, w: Vector, total_weight: int, used: list[int], least_of_all: bool = False) -> int | None:
        """A row that brings the point w / total_weight nearer to the origin, of those with the least scores.

        ``least_of_all``: the one with the least score, so that None says that there is none.
        """
        rows, score, error = scored(self.parts, self.as_floats(w))
        ww = dot(w, w)
        if not least_of_all:
            low = [i for i in rows[np.argsort(score)][: len(used) + TRIED].tolist() if i not in used]
            return next((i for i in low if dot(w, self.row(i)) * total_weight < ww), None)
        level = np.max((score + error)[np.isin(rows, used)])  # the rows in use all have the same score
        unsure = {i: dot(w, self.row(i)) for i in rows[~(score - error > level)].tolist()}
        least = min(unsure, key=lambda i: unsure[i])
        return least if unsure[least] * total_weight < ww else None

    def round_to_floats(self, w: Vector) -> np.ndarray | None:
        """A w of floats that separates exactly, or None; its bias, if there is one, is half-way between the classes."""
        for factor in FACTORS:
            self._check_time()
            found = self.as_floats(w, factor)
            if not self.parts[0].bias:
                if least(self.parts, found) > 0:
                    return found
                continue
            found[-1] = 0.0
            up, down = (least(_side(self.parts, sign), found) for sign in (1, -1))
            found[-1] = float((down - up) / 2 / self.one)
            moved = Fraction(found[-1]) * self.one
            if up + moved > 0 and down - moved > 0:
                return found
        return None


class IntegerVectors(IntegerRows):
    """Vectors without a bias that are whole numbers times 2^base, and need not be floats."""

    def __init__(self, numbers: Sequence[Vector], base: int, size: int, deadline: float = math.inf):
        rounded = np.zeros((len(numbers), size))
        for own, row in zip(rounded, numbers, strict=True):
            if is_spent(deadline):
                raise TimeoutError
            own[list(row)] = [to_float(number, base) for number in row.values()]
        super().__init__([points(rounded, np.ones(len(numbers)), bias=0.0)], "none", deadline)
        self.scale += max(0, -base - int(self.scale.min()))
        self.numbers, self.base = numbers, base

    def _row(self, i: int) -> Vector:
        self._check_time()
        return {j: number << self.base + int(self.scale[j]) for j, number in self.numbers[i].items() if number}


def _side(parts: Sequence[Rows], sign: int) -> list[Rows]:
    """The rows of one class."""
    return [
        part._replace(weight=np.where(part.sign == sign, part.weight if part.weight.size else 1.0, 0.0))
        for part in parts
    ]
