r"""The linear machine of largest margin, exactly (C10 for D1): the nearest point of the hull of Kesler's vectors.

There are n (K - 1) of them, and few decide: `nearest_of` takes them in as `Classes` finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..jit import compiled
from ..oracles import Classes, flat
from ..rows.matrix import copies, live, size_of, vectors
from .column_generation import nearest_of
from .nearest_point import Nearest


@compiled
def _price(part, w, rows, score, place):
    """The lowest vector of each row: its score, and its place in `dual`."""
    for i in rows:
        score[part.rows.first + i] = part.probe(w, i)
        place[part.rows.first + i] = (part.rows.first + i) * part.score.size + part.rival[0]


class Kesler:
    """Kesler's vectors as a pool: a set a row, a vector a rival, its number that of its place in `dual`."""

    def __init__(self, parts: Sequence[Classes]):
        self.parts, self.size = parts, size_of(parts[0])
        self.place = np.zeros(sum(part.label.size for part in parts), dtype=np.int64)

    def price(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every row."""
        score = np.full(self.place.size, np.inf)
        w = flat(self.parts[0], w.reshape(copies(self.parts[0]), -1))
        for part in self.parts:
            for rows in live(part):
                _price(part, w, rows, score, self.place)
        return score

    def take(self, sets: np.ndarray) -> np.ndarray:
        """The places of the best rivals."""
        return self.place[sets]

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """Their vectors."""
        return vectors(self.parts, numbers)


def nearest_machine(parts: Sequence[Classes], tol: float, rounds: Iterable[int]) -> Nearest:
    """The point of least norm in the hull of all vectors of the parts; w is a matrix, one row a class."""
    pool = Kesler(parts)
    found = nearest_of(pool, tol, rounds)
    dual = np.zeros(pool.place.size * copies(parts[0]))
    dual[found.used] = found.weights
    return Nearest(found.w.reshape(copies(parts[0]), -1), dual, found.looks)
