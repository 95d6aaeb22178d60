"""A w of larger margin than a given one, at the price of four looks at the data: for Novikoff's bound (C11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..interrupt import keep_time
from ..rows.matrix import Rows, length, scores, vectors

ROWS = 100  # rows that a round may add
ROUNDS = 2  # each looks at all rows once
FREE = 1 << 22  # multiplications that always may be made
MANY = 16  # passes beside which four looks at the data cost little
STEPS = 500  # of the search for the nearest point of some rows
MIXTURES = np.linspace(0.0, 1.0, 17)


def better_margin(parts: Sequence[Rows], w: np.ndarray, passes: int = MANY) -> np.ndarray | None:
    """The best mixture of w and of the nearest point of its lowest rows, and once more; None: it would cost too much.

    ``passes`` over the data were made to find w.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[2.0], [1.0], [-1.0]]), np.array([1, 1, -1]))
    >>> better_margin([part], np.array([1.0, 0.9])).round(6)
    array([1., 0.])
    """
    numbers = sum(part.matrix.nnz if hasattr(part.matrix, "nnz") else part.matrix.size for part in parts)
    most = int(min(ROWS, ((numbers + FREE) / w.size) ** 0.5))
    if most < 4 or (numbers > FREE and passes < MANY):
        return None
    rows = np.zeros(0, dtype=np.int64)
    w = w / length(w)
    score = scores(parts, w, missing=1e300)
    for _ in range(ROUNDS):
        keep_time()
        lowest = _lowest(score, most)
        rows = np.unique(np.concatenate([rows, lowest[score[lowest] < 1e300]]))
        B = vectors(parts, rows)
        weights = nearest_weights(B @ B.T)
        other = np.zeros(w.size)
        other[: B.shape[1]] = weights @ B
        if not other.any():
            return None
        other /= length(other)
        score_of_other = scores(parts, other, missing=1e300)
        some = np.concatenate([_lowest(score, 30 * most), _lowest(score_of_other, 30 * most)])
        t = max(
            MIXTURES, key=lambda t: _margin((1 - t) * w + t * other, (1 - t) * score[some] + t * score_of_other[some])
        )
        w, score = (1 - t) * w + t * other, (1 - t) * score + t * score_of_other
        rows = rows[weights > 0]
    return w


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
