r"""Moments that merge: number, mean and scatter of rows, so that Gaussians can be estimated block by block.

.. math:: n = n_1 + n_2, \qquad m = m_1 + \tfrac{n_2}{n}(m_2 - m_1), \qquad
          S = S_1 + S_2 + \tfrac{n_1 n_2}{n}(m_2 - m_1)(m_2 - m_1)^T

(Chan, Golub and LeVeque). No sum of squares is formed, so a large mean costs no digits. Blocks of rows are merged in
the fixed tree of `linsep.rows.tree`: rows in parts have the moments of the whole, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...rows.matrix import RowOracle
from ...rows.products import sum_blocks

TOGETHER = 2**22  # numbers of the scatters of the classes that are summed in one look at the rows


class Moments(NamedTuple):
    """Total weight, mean and scatter (the sum of squared deviations) of some rows.

    >>> one = Moments.of_block(np.array([[0.0], [2.0]]), np.ones(2))
    >>> one.merge(Moments.of_block(np.array([[4.0]]), np.ones(1)))
    Moments(weight=3.0, mean=array([2.]), scatter=array([[8.]]))
    """

    weight: float
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def of_block(cls, block: np.ndarray, weight: np.ndarray) -> Moments:
        """The moments of the rows of a block, with weights > 0, which count as repetitions."""
        size = float(weight.sum())
        mean = weight @ block / size
        centred = block - mean
        return cls(size, mean, (centred * weight[:, None]).T @ centred)

    def merge(self, other: Moments) -> Moments:
        """The moments of the rows of both."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        shift = other.mean - self.mean
        scatter = self.scatter + other.scatter + self.weight * other.weight / weight * np.outer(shift, shift)
        return Moments(weight, self.mean + other.weight / weight * shift, scatter)

    def covariance(self) -> np.ndarray:
        """The covariance of largest likelihood: the scatter divided by the weight."""
        return self.scatter / self.weight


OfClasses = tuple[Moments | None, ...]  # None: of no rows


def class_moments(parts: Sequence[RowOracle], k: np.ndarray, weight: np.ndarray | None, count: int) -> list[Moments]:
    """The moments of the rows of each of ``count`` classes; ``k`` has their numbers, and rows of weight 0 are absent.

    >>> from linsep.oracles import points
    >>> some = [points(np.array([[1.0], [3.0], [7.0]]), [1, 1, 1])]
    >>> [(found.weight, found.mean.tolist()) for found in class_moments(some, np.array([0, 0, 1]), None, 2)]
    [(2.0, [2.0]), (1.0, [7.0])]
    """
    size, found = parts[0].width, list[Moments]()
    columns, together = (k,) if weight is None else (k, weight), max(1, TOGETHER // max(size, 1) ** 2)
    none = Moments(0.0, np.zeros(size), np.zeros((size, size)))
    for begin in range(0, count, together):
        classes = range(begin, min(begin + together, count))
        total = sum_blocks(parts, _moments_of_block, columns, classes, merge=_merge_classes)
        found += [none] * len(classes) if total is None else [each or none for each in total]
    return found


def _moments_of_block(block: np.ndarray, k: np.ndarray, *rest: np.ndarray | range) -> OfClasses | None:
    """Those of some classes, with weights or without."""
    *weights, classes = rest
    weight = np.ones(k.size) if not weights else np.asarray(weights[0], dtype=np.float64)
    rows = [np.flatnonzero((k == j) & (weight > 0)) for j in classes]
    if not any(own.size for own in rows):
        return None
    return tuple(Moments.of_block(block[own], weight[own]) if own.size else None for own in rows)


def _merge_classes(one: OfClasses, other: OfClasses) -> OfClasses:
    return tuple(a.merge(b) if a and b else a or b for a, b in zip(one, other, strict=True))
