"""A w of larger margin than a given one, at the price of scoring all rows four times: for Novikoff's bound (C11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..interrupt import keep_time
from ..rows.matrix import RowOracle, length, scores, vectors
from .machine_margin import ClassVectors

ROWS = 100  # rows that a round may add
ROUNDS = 2  # each looks at all rows once; of small linear machines so many for each class
FREE = 1 << 22  # multiplications that always may be made
MANY = 16  # passes beside which scoring all rows four times costs little
STEPS = 500  # of the search for the nearest point of some rows
MIXTURES = np.linspace(0.0, 1.0, 17)


def better_margin(parts: Sequence[RowOracle], w: np.ndarray, passes: int = MANY) -> np.ndarray | None:
    """The best mixture of w and of the nearest point of its lowest rows, and once more; None: it would cost too much.

    ``passes`` over the data were made to find w; of a linear machine that holds one class after the other.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[2.0], [1.0], [-1.0]]), np.array([1, 1, -1]))
    >>> better_margin([part], np.array([1.0, 0.9])).round(6)
    array([1., 0.])
    """
    numbers = parts[0].slots * sum(part.rows.numbers for part in parts)
    most = int(min(ROWS, ((numbers + FREE) / w.size) ** 0.5))
    if most < 4 or (numbers > FREE and passes < MANY):
        return None
    places = np.zeros(0, dtype=np.int64)
    w = w / length(w)
    machine = parts[0].slots > 1
    look = _look_at_machine if machine else _look_at_rows
    score, place = look(parts, w)
    cut = score  # those of the w whose lowest vectors are taken next
    for _ in range(ROUNDS * parts[0].slots if numbers <= FREE else ROUNDS):
        keep_time()
        lowest = _lowest(cut, most)
        places = np.unique(np.concatenate([places, place[lowest[cut[lowest] < 1e300]]]))
        B = vectors(parts, places)
        weights = nearest_weights(B @ B.T)
        other = np.zeros(w.size)
        other[: B.shape[1]] = weights @ B
        if not other.any():
            return None
        other /= length(other)
        score_of_other, place = look(parts, other)
        some = np.concatenate([_lowest(score, 30 * most), _lowest(score_of_other, 30 * most)])
        t = max(
            MIXTURES, key=lambda t: _margin((1 - t) * w + t * other, (1 - t) * score[some] + t * score_of_other[some])
        )
        w, score = (1 - t) * w + t * other, (1 - t) * score + t * score_of_other
        cut, places = score_of_other if machine else score, places[weights > 0]  # a mixture has no rivals of its own
    return w


def _look_at_rows(parts: Sequence[Any], w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The score of every row, and the places of the vectors that have it."""
    score = scores(parts, w, missing=1e300)
    return score, np.arange(score.size)


def _look_at_machine(parts: Sequence[Any], w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest score of every row against a rival class, and the places of these vectors."""
    sets = ClassVectors(parts)
    return np.minimum(sets.lowest_scores(w), 1e300), sets.place


def _lowest(score: np.ndarray, most: int) -> np.ndarray:
    """The rows of the lowest scores."""
    return np.argpartition(score, most)[:most] if score.size > most else np.arange(score.size)


def _margin(w: np.ndarray, score: np.ndarray) -> float:
    """The margin of w, from the scores of all rows."""
    norm = length(w)
    return float(score.min()) / norm if norm > 0 else -np.inf


def nearest_weights(gram: np.ndarray) -> np.ndarray:
    """The convex weights of the nearest point of some rows, to a hundredth, from their scalar products.

    Weight goes from the highest row in use to the lowest one (Mitchell, Dem'yanov and Malozemov).

    >>> nearest_weights(np.array([[4.0, 0.0], [0.0, 1.0]])).round(3)
    array([0.2, 0.8])
    """
    weights = np.zeros(len(gram))
    weights[int(np.argmin(gram.diagonal()))] = 1.0
    score = gram @ weights
    for _ in range(STEPS):
        low, high = int(np.argmin(score)), int(np.argmax(np.where(weights > 0, score, -np.inf)))
        norm = float(weights @ score)
        if score[low] >= 0.99 * norm:
            break
        gap = gram[low, low] - 2.0 * gram[low, high] + gram[high, high]
        step = min(weights[high], (score[high] - score[low]) / gap) if gap > 0 else weights[high]
        weights[low] += step
        weights[high] -= step
        score += step * (gram[low] - gram[high])
    return weights
