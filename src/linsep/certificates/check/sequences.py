"""A chain stated plainly, for the check of its certificate: phi written out, and rivals found in another way.

A labelling other than the truth differs from it somewhere: the best one with another label at position t is read off
the max-marginals of t, so the best of these over all t is the rival. NumPy only; nothing of the solver is used.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .margin import U


class Statement(NamedTuple):
    """Sequences and their features, as the certificate's w numbers them."""

    begin: np.ndarray  # where each begins, one more at the end
    label: np.ndarray  # the right label of every position
    X: sp.csr_array  # features of positions
    Z: sp.csr_array  # features of the pair with the position before; no columns: there are none
    labels: int
    order: int
    bias: float
    banned: np.ndarray | None  # -inf for starts, ends, pairs that are forbidden, one after the other


class ChainStructure:
    """The problem of `Chains`, for `check_structure`."""

    def __init__(self, said: Statement):
        self.said, self.n, k = said, said.begin.size - 1, said.labels
        shapes = [(said.X.shape[1], k), (k,), (k,), (k,), (k, k)]
        shapes += [(k, k, k)] if said.order == 2 else []
        shapes += [(said.Z.shape[1], k, k)]
        self.shapes = shapes
        self.size = sum(math.prod(shape) for shape in shapes)
        banned = np.zeros(k * (2 + k)) if said.banned is None or said.banned.size == 0 else said.banned
        self.no_start, self.no_end, self.no_pair = banned[:k], banned[k : 2 * k], banned[2 * k :].reshape(k, k)

    def _split(self, w: np.ndarray) -> list[np.ndarray]:
        cuts = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(w, cuts), self.shapes, strict=True)]

    def _rows(self, i: int) -> tuple[sp.csr_array, sp.csr_array]:
        a, b = self.said.begin[i], self.said.begin[i + 1]
        return self.said.X[a:b], self.said.Z[a:b]

    def truth(self, i: int) -> np.ndarray:
        """The right labels."""
        return np.asarray(self.said.label[self.said.begin[i] : self.said.begin[i + 1]], dtype=np.int64)

    def allowed(self, i: int, labelling: np.ndarray) -> bool:
        """Whether it has the right length, known labels, no forbidden pair, and is not the truth."""
        y, truth = np.asarray(labelling), self.truth(i)
        if y.shape != truth.shape or (y < 0).any() or (y >= self.said.labels).any() or (y == truth).all():
            return False
        free = self.no_start[y[0]] == 0 and self.no_end[y[-1]] == 0
        return bool(free and all(self.no_pair[j, k] == 0 for j, k in pairwise(y)))

    def phi(self, i: int, labelling: np.ndarray) -> np.ndarray:
        """phi(x, y), term by term."""
        out = np.zeros(self.size)
        emission, bias, start, end, pairs, *rest = self._split(out)
        X, Z = self._rows(i)
        y = np.asarray(labelling)
        start[y[0]] += 1
        end[y[-1]] += 1
        for t, k in enumerate(y):
            row = X[[t]].tocoo()
            np.add.at(emission[:, k], row.col, row.data)
            bias[k] += self.said.bias
            if t > 0:
                pairs[y[t - 1], k] += 1
                row = Z[[t]].tocoo()
                np.add.at(rest[-1][:, y[t - 1], k], row.col, row.data)
            if t > 1 and self.said.order == 2:
                rest[0][y[t - 2], y[t - 1], k] += 1
        return out

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """By max-marginals, and their rounding error."""
        emission, bias, start, end, pairs, *rest = self._split(w)
        X, Z = self._rows(i)
        n, k, truth = X.shape[0], self.said.labels, self.truth(i)
        at = X @ emission + self.said.bias * bias
        at[0] += start
        at[-1] += end
        size = abs(X) @ np.abs(emission).max(axis=1, initial=0.0)
        between = np.array([pairs + np.tensordot(Z[[t]].toarray()[0], rest[-1], 1) for t in range(1, n)])
        largest = sum(float(np.abs(part).max(initial=0.0)) for part in (bias, start, end, pairs, *rest[:-1]))
        total = float(size.sum()) + n * largest
        total += float((abs(Z) @ np.abs(rest[-1]).max(axis=(1, 2), initial=0.0)).sum())
        error = 4 * U * (X.nnz + Z.nnz + 6 * n + 8) * total
        own = at[np.arange(n), truth].sum() + sum(between[t - 1][truth[t - 1], truth[t]] for t in range(1, n))
        at[0] += self.no_start
        at[-1] += self.no_end
        between = between + self.no_pair if n > 1 else between
        if self.said.order == 2 and n > 1:
            own += sum(rest[0][truth[t - 2], truth[t - 1], truth[t]] for t in range(2, n))
            best = _second(at, between, rest[0])
        else:
            best = _first(at, between)
        best[np.arange(n), truth] = -np.inf
        score = own - best.max() if k > 1 else math.inf
        return score - error, score + error

    def reach(self) -> float:
        """Nothing shorter than the vectors of the proof is claimed, and at least the longest single change."""
        said = self.said
        longest = 0.0
        for i in range(self.n):
            X, Z = self._rows(i)
            n = X.shape[0]
            parts = [abs(X).sum(axis=0), abs(Z).sum(axis=0)]
            squares = sum(float((np.asarray(part) ** 2).sum()) for part in parts)
            squares += (said.bias * n) ** 2 + 2.0 + (n - 1.0) ** 2 + (said.order == 2) * max(n - 2.0, 0.0) ** 2
            longest = max(longest, 2.0 * squares)
        return math.sqrt(longest)


def _first(at: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Max-marginals of first order."""
    n = len(at)
    before, after = at.copy(), np.zeros_like(at)
    for t in range(1, n):
        before[t] += (before[t - 1][:, None] + between[t - 1]).max(axis=0)
    for t in range(n - 2, -1, -1):
        after[t] = (between[t] + at[t + 1] + after[t + 1]).max(axis=1)
    return before + after


def _second(at: np.ndarray, between: np.ndarray, triples: np.ndarray) -> np.ndarray:
    """Max-marginals of second order; the state at t is the pair (t - 1, t)."""
    n, k = at.shape
    before = [at[0][:, None] + between[0] + at[1]]
    for t in range(2, n):
        before.append((before[-1][:, :, None] + triples).max(axis=0) + between[t - 1] + at[t])
    after = [np.zeros((k, k))]
    for t in range(n - 1, 1, -1):
        after.append((triples + (between[t - 1] + at[t] + after[-1])[None]).max(axis=2))
    both = [one + other for one, other in zip(before, reversed(after), strict=True)]
    return np.array([both[0].max(axis=1), *(each.max(axis=0) for each in both)])
