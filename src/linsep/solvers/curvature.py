r"""The curvature of a soft margin, :math:`I + \sigma \sum_F C_i a_i a_i^T`, for Newton steps.

With few columns the sum is kept, and changed by the rows that enter or leave F; with many, conjugate gradients multiply
with it. Sums go by blocks of rows in the fixed tree of `linsep.rows.tree`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..certificates.prove.objective import SoftMarginProblem
from ..jit import compiled
from ..oracles.elsewhere import map_parts
from ..oracles.points import rows_oracle
from ..rows.matrix import BLOCK, Rows, block_numbers, dense_vectors
from ..rows.some import rows_of, share_out
from ..rows.tree import BlockTree, Node

SPARSE = 4  # columns for each non-zero, from which on products of non-zeros are quicker than those of matrices
WAITING = 256  # dense rows that are multiplied together, if there are not more columns


def _diagonal(in_norm: np.ndarray, rate: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The curvature of the norm; of a free bias, which is not in it, next to nothing, unless no row holds the bias."""
    held = 1e-8 * (1.0 + float(rate[rows].sum())) if rows.size else float(rate.sum())
    return np.where(in_norm > 0, in_norm, held)


class OuterProducts(NamedTuple):
    """The sum of C_i a_i a_i': a matrix, and rows that wait to be multiplied, until these are many.

    So few rows of many blocks cost, and send, no matrix for each block. Sparse rows, multiplied number by number, fill
    the upper half only.
    """

    rows: Any  # dense: times the roots of C; sparse: an oracle, whose weights are C
    matrix: np.ndarray | None = None

    @classmethod
    def of(cls, part: Rows, rows: np.ndarray, C: np.ndarray, by_pairs: bool) -> OuterProducts:
        """Those of some rows of a part."""
        if by_pairs:
            return cls(rows_oracle(part.matrix[rows], part.sign[rows], C, part.bias))._folded(False)
        A = dense_vectors(part, rows)
        A *= np.sqrt(C)[:, None]
        return cls(A)._folded(False)

    def merge(self, other: OuterProducts) -> OuterProducts:
        """The sum of both."""
        if isinstance(self.rows, np.ndarray):
            rows: Any = np.vstack([self.rows, other.rows])
        else:
            mine, theirs = self.rows, other.rows
            X = sp.csr_array(sp.vstack([mine.matrix, theirs.matrix], format="csr"))
            sign, C = np.append(mine.sign, theirs.sign), np.append(mine.weight, theirs.weight)
            rows = rows_oracle(X, sign, C, mine.bias)
        return OuterProducts(rows, _sum(self.matrix, other.matrix))._folded(False)

    def total(self) -> np.ndarray:
        """The matrix of all rows."""
        found = self._folded(True).matrix
        assert found is not None
        return found

    def _folded(self, at_once: bool) -> OuterProducts:
        """The same, with the rows multiplied if they are many, or ``at_once``."""
        rows, count = self.rows, len(self.rows) if isinstance(self.rows, np.ndarray) else self.rows.sign.size
        if isinstance(rows, np.ndarray):
            if not at_once and count <= max(WAITING, rows.shape[1]):
                return self
            return OuterProducts(rows[:0], _sum(self.matrix, rows.T @ rows))
        if not at_once and count < BLOCK:
            return self
        matrix = np.zeros((rows.size, rows.size)) if self.matrix is None else self.matrix
        add_outer_products(rows, rows.weight, np.arange(count), matrix)
        return OuterProducts(rows_oracle(rows.matrix[:0], rows.sign[:0], rows.weight[:0], rows.bias), matrix)


def _sum(one: np.ndarray | None, other: np.ndarray | None) -> np.ndarray | None:
    """The sum, in the place of the first; None is 0."""
    if one is None or other is None:
        return other if one is None else one
    one += other
    return one


@compiled
def add_outer_products(oracle, beta, rows, H):
    """Add beta_i a_i a_i' of ``rows`` to the upper half of H."""
    for i in rows:
        oracle.add_outer_product(H, i, beta[i])


def outer_products(parts: Sequence[Rows], C: np.ndarray, rows: np.ndarray, by_pairs: bool) -> np.ndarray:
    """The sum of C_i a_i a_i' of ``rows``, for which C is given; of sparse rows, ``by_pairs``, its upper half.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[1.0], [2.0], [5.0]]), np.array([1, -1, 1]))
    >>> outer_products([part], np.array([1.0, 10.0]), np.array([0, 1]), False)
    array([[41., 21.],
           [21., 11.]])
    """
    tree = BlockTree(OuterProducts.merge)
    shares = share_out(parts, rows, C)
    own = [(number, *share) for number, share in zip(block_numbers(parts), shares, strict=True)]
    for nodes in map_parts(_outer_products_of_part, parts, by_pairs, each=own):
        tree.extend(nodes)
    total = tree.total()
    return np.zeros((parts[0].size, parts[0].size)) if total is None else total.total()


def _outer_products_of_part(part: Any, by_pairs: bool, number: int, bits: np.ndarray, C: np.ndarray) -> list[Node]:
    """The sums of the blocks of a part, merged as far as they can be; its first block has this number."""
    rows, tree = rows_of(bits, part.sign.size), BlockTree(OuterProducts.merge)
    cuts = np.searchsorted(rows, np.arange(BLOCK, part.sign.size, BLOCK))
    for k, (some, cost) in enumerate(zip(np.split(rows, cuts), np.split(C, cuts), strict=True)):
        if some.size:
            tree.extend([Node(0, number + k, OuterProducts.of(part, some, cost, by_pairs))])
    return tree.nodes


class CurvatureMatrix:
    """The curvature of few columns: a matrix that follows the rows between their limits."""

    def __init__(self, problem: SoftMarginProblem):
        self.problem = problem
        self.rows = np.zeros(0, dtype=np.int64)
        self.matrix = np.zeros((problem.size, problem.size))
        numbers = sum(part.rows.numbers for part in problem.parts)
        self.by_pairs = not problem.part.rows.CLASS_BY_CLASS and SPARSE * numbers < problem.size * problem.C.size

    def step(self, rows: np.ndarray, sigma: float, in_norm: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Minus the slope divided by the curvature of ``rows``."""
        fresh, stale = np.setdiff1d(rows, self.rows, True), np.setdiff1d(self.rows, rows, True)
        if fresh.size + stale.size >= rows.size:
            self.matrix[:] = 0.0
            fresh, stale = rows, rows[:0]
        for some, add in ((fresh, np.add), (stale, np.subtract)):
            if some.size:
                found = outer_products(self.problem.parts, self.problem.C[some], some, self.by_pairs)
                add(self.matrix, found, out=self.matrix)
        self.rows = rows
        H = sigma * self.matrix
        H[np.diag_indices_from(H)] += _diagonal(in_norm, sigma * self.problem.C, rows)
        try:
            return scipy.linalg.cho_solve(scipy.linalg.cho_factor(H, check_finite=False), -slope, check_finite=False)
        except scipy.linalg.LinAlgError:  # of an extreme C: the shortest step
            return scipy.linalg.lstsq(np.triu(H) + np.triu(H, 1).T, -slope, check_finite=False)[0]


class CurvatureProducts:
    """The curvature of many columns: only its products with vectors, for conjugate gradients."""

    def __init__(self, problem: SoftMarginProblem):
        self.problem = problem

    def step(self, rows: np.ndarray, sigma: float, in_norm: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Minus the slope divided by the curvature of ``rows``, about."""
        rate = sigma * self.problem.C
        diagonal, rate = _diagonal(in_norm, rate, rows), rate[rows]
        step, rest = np.zeros_like(slope), -slope
        along, square = rest.copy(), float(rest @ rest)
        enough = min(1e-4, math.sqrt(square) * 1e-2) * square
        for _ in range(500):
            curved = diagonal * along + self.problem.curve(along, rate, rows)
            length = square / float(along @ curved)
            step, rest = step + length * along, rest - length * curved
            before, square = square, float(rest @ rest)
            if square <= enough:
                break
            along = rest + square / before * along
        return step
