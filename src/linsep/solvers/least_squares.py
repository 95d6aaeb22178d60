r"""Least squares (C7): minimise :math:`J_s(w) = \sum_i c_i (\langle w,a_i\rangle - b_i)^2` for margins b.

- `Triangle`: the pseudo-inverse by QR, block by block; triangles of parts merge. `solve_by_lsmr`: without one.
- `lms_pass`: Widrow-Hoff, row by row; `averaged_lms_pass`: with a constant rate, for the mean of all w.
- `ho_kashyap`: w and b together; decides separability, of a linear machine too.

Ridge regression, which scales to sparse and wide data, is `linsep.solvers.ridge`.

Gradient descent on J_s is the criterion "squares" of `linsep.solvers.gradient_descent`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from ..jit import borrowed, compiled
from ..loop.trace import Update
from ..oracles.elsewhere import map_parts
from ..rows.matrix import BLOCK, VectorMatrix, block_numbers, weight_of
from ..rows.rivals import RivalMatrix
from ..rows.tree import BlockTree, Node
from ..validation import require_room

WIDE = 4000  # columns above which sparse data are solved without a triangle


class Triangle(NamedTuple):
    """R of the QR factorisation of ``[A | b]``: all that least squares needs of the data.

    Stable where the normal equations are not, as small as d x d, and mergeable: the triangle of two
    parts is that of their triangles on top of each other. b may have several columns, ``targets`` of them.

    >>> from linsep.oracles import points
    >>> A = VectorMatrix(points(np.array([[0.0], [1.0], [3.0]]), np.array([-1, -1, 1])))
    >>> Triangle.of(A, np.ones(3)).solve().round(3)
    array([ 0.714, -1.286])
    """

    R: np.ndarray
    targets: int = 1

    @classmethod
    def of(cls, A: VectorMatrix | RivalMatrix, b: np.ndarray) -> Triangle:
        """The triangle of all rows; rows count by their weights."""
        targets, part = 1 if b.ndim == 1 else b.shape[1], A.part.rows
        (n, d), advice = A.shape, "Use method='lms' or 'gradient', or fit with method='pinv'."
        require_room(2.0 * min(n, BLOCK + d) * d, part.numbers, "least squares", advice)
        tree = BlockTree(cls.merge)
        if isinstance(A, RivalMatrix):
            tree.extend(_triangles_of_blocks(A, b, targets, 0))
        else:
            own = np.split(b, [part.first for part in A.parts[1:]])
            for nodes in map_parts(
                _triangles_of_part, A.parts, targets, each=list(zip(own, block_numbers(A.parts), strict=True))
            ):
                tree.extend(nodes)
        return tree.total() or cls(np.zeros((0, d + targets)), targets)

    def merge(self, other: Triangle) -> Triangle:
        """The triangle of both parts."""
        (R,) = scipy.linalg.qr(np.vstack([self.R, other.R]), mode="r", check_finite=False)
        return Triangle(R[: min(R.shape)], self.targets)

    def solve(self) -> np.ndarray:
        """The shortest w of least squared error: A^+ b, whatever the rank; one row per target if there are many."""
        size = self.R.shape[1] - self.targets
        b = self.R[:, size:] if self.targets > 1 else self.R[:, -1]
        return scipy.linalg.lstsq(self.R[:, :size], b, lapack_driver="gelsd", check_finite=False)[0].T


def _triangles_of_part(part: Any, targets: int, b: np.ndarray, number: int) -> list[Node]:
    return _triangles_of_blocks(VectorMatrix(part), b, targets, number)


def _triangles_of_blocks(A: VectorMatrix | RivalMatrix, b: np.ndarray, targets: int, number: int) -> list[Node]:
    """The triangles of blocks, merged as far as they can be; the first block has this number."""
    tree = BlockTree(Triangle.merge)
    none = Triangle(np.zeros((0, A.shape[1] + targets)), targets)
    for k, begin in enumerate(range(0, A.shape[0], BLOCK)):
        rows = np.arange(begin, min(begin + BLOCK, A.shape[0]))
        block = np.sqrt(A.weight[rows])[:, None] * np.column_stack([A.dense(rows), b[rows]])
        tree.extend([Node(0, number + k, none.merge(Triangle(block, targets)))])
    return tree.nodes


def has_triangle(A: VectorMatrix) -> bool:
    """Whether a triangle is affordable: for all dense data, and sparse ones that are not too wide."""
    return A.part.CLASS_BY_CLASS or A.shape[1] <= WIDE


def solve_by_lsmr(A: VectorMatrix, b: np.ndarray) -> np.ndarray:
    """A^+ b by LSMR, without a triangle; its solution is the shortest, too."""
    root = np.sqrt(A.weight)
    operator = scipy.sparse.linalg.LinearOperator(
        A.shape, matvec=lambda w: root * (A @ w.ravel()), rmatvec=lambda r: A.T @ (root * r.ravel()), dtype=np.float64
    )
    return scipy.sparse.linalg.lsmr(operator, root * b, atol=1e-12, btol=1e-12, maxiter=20 * min(A.shape))[0]


def least_squares(A: VectorMatrix, b: np.ndarray) -> np.ndarray:
    """A^+ b, by a triangle where one is affordable; one row for each column of b if there are many."""
    if has_triangle(A):
        return Triangle.of(A, b).solve()
    return solve_by_lsmr(A, b) if b.ndim == 1 else np.array([solve_by_lsmr(A, column) for column in b.T])


@compiled
def lms_pass(oracle, margins, w, rows, rate):
    """One pass of LMS: w + rate (b_i - <w,a_i>) a_i for every row, violated or not. Returns the squared errors."""
    oracle, w = borrowed((oracle, w))
    squares = 0.0
    for i in rows:
        error = margins[i] - oracle.lowest(w, i)[0]
        oracle.add(w, i, 0, rate * error * weight_of(oracle.weight, i))
        squares += error * error
    return squares


@compiled
def averaged_lms_pass(oracle, margins, w, total, seen, rows, rate):
    """The same with a constant rate, for the mean of w over all visits: that is ``w - total / seen`` afterwards.

    ``seen`` counts the visits of earlier passes.
    """
    oracle, w, total = borrowed((oracle, w, total))
    squares = 0.0
    for i in rows:
        error = margins[i] - oracle.lowest(w, i)[0]
        step = rate * error * weight_of(oracle.weight, i)
        oracle.add(w, i, 0, step)
        oracle.add(total, i, 0, seen * step)
        squares += error * error
        seen += 1.0
    return squares


@compiled
def averaged_lms_pass_of_classes(part, margins, w, total, seen, rows, rate):
    """The same for all classes of a row at once: its own has the target b_i, the others 0."""
    part, w, total = borrowed((part, w, total))
    squares = 0.0
    for i in rows:
        part.rows.class_scores(w, i, part.score)
        for k in range(part.score.size):
            error = (margins[i] if k == part.label[i] else 0.0) - part.score[k]
            part.score[k] = rate * error * weight_of(part.weight, i)
            squares += error * error
        part.rows.add_to_classes(w, i, part.score)
        for k in range(part.score.size):
            part.score[k] *= seen
        part.rows.add_to_classes(total, i, part.score)
        seen += 1.0
    return squares


def trace_lms(
    A: VectorMatrix, b: np.ndarray, w: np.ndarray, rate: Callable[[int], float], step_tol: float
) -> Iterator[Update]:
    """The updates of LMS row by row, from w; ``rate`` is a function of the pass 1, 2, ..."""
    number, rows = 0, np.flatnonzero(A.weight)
    for k in count(1):
        first, eta = w.copy(), rate(k)
        for i in rows.tolist():
            number, before, a = number + 1, w.copy(), A.part.vectors(np.array([A.part.first + i]))[0]
            wa = float(before @ a)
            lms_pass(A.part, b, w, np.array([i]), eta)
            beta = eta * (float(b[i]) - wa) * float(A.weight[i])
            yield Update(
                number, i, w.copy(), before, a, 1.0, beta, wa, float(b[i]), np.array([i]), passes=k, visits=number
            )
        if np.linalg.norm(w - first) <= step_tol * np.linalg.norm(w):
            return


def trace_in_turn(W: np.ndarray, runs: Sequence[Iterator[Update]], labels: np.ndarray) -> Iterator[Update]:
    """The updates of the rows of W in turns, as updates of W; ``rival`` is the class whose row moves."""
    number, left = 0, dict(enumerate(runs))
    while left:
        for k, run in list(left.items()):
            update = next(run, None)
            if update is None:
                del left[k]
                continue
            number, before, a = number + 1, W.copy(), np.zeros_like(W)
            W[k], a[k] = update.w, update.a
            yield update._replace(number=number, w=W.copy(), before=before, a=a, rival=labels[k])


class HoKashyap(NamedTuple):
    """Where the method stands: w, the margins b, the error Aw - b and the steps made."""

    w: np.ndarray
    b: np.ndarray
    error: np.ndarray
    steps: int


def ho_kashyap(A: VectorMatrix | RivalMatrix, b: np.ndarray, rate: float, rounds: Iterable[int]) -> HoKashyap:
    r"""Ho-Kashyap: least squares in w and in the margins b > 0, which may only grow.

    .. math:: e = Aw - b,\qquad b \leftarrow b + 2\,rate\, e^+ ,\qquad w = A^+ b .

    On separable data w separates after finitely many steps. If the positive part of e vanishes and e
    does not, then :math:`A^T e = 0` with :math:`-e \ge 0` proves that the data are not separable.
    """
    steps = ho_kashyap_steps(A, b, rate)
    found = next(steps)
    for k in rounds:  # the last round finds that there is nothing to do
        after = next(steps, None)
        found = found._replace(steps=k) if after is None else after
        if after is None:
            break
    return found


def ho_kashyap_steps(A: VectorMatrix | RivalMatrix, b: np.ndarray, rate: float) -> Iterator[HoKashyap]:
    """Where the method begins, and where it stands after every step, until it ends."""
    c = A.weight
    R = Triangle.of(A, b).R[:, :-1]
    _, sigma, V = scipy.linalg.svd(R, full_matrices=False, check_finite=False)
    inverse = np.where(sigma > max(A.shape) * np.finfo(float).eps * sigma[0], 1.0 / np.maximum(sigma, 1e-300), 0.0)

    def project(r: np.ndarray) -> np.ndarray:
        """A^+ r, by the semi-normal equations."""
        return V.T @ (inverse**2 * (V @ (A.T @ (c * r))))

    w, present = project(b), c > 0
    scores = A @ w
    for k in count(1):
        yield HoKashyap(w, b, scores - b, k - 1)
        error = (scores - b)[present]
        gain = np.where(present, np.maximum(scores - b, 0.0), 0.0)
        if scores[present].min() > 0 or gain.max() <= 1e-9 * np.abs(error).max():
            return
        b = b + 2.0 * rate * gain
        w = w + 2.0 * rate * project(gain)
        scores = A @ w


def trace_ho_kashyap(A: VectorMatrix | RivalMatrix, b: np.ndarray, rate: float) -> Iterator[Update]:
    """The steps of Ho-Kashyap as updates of w; their state has the margins b."""
    steps = ho_kashyap_steps(A, b, rate)
    before = next(steps)
    for found in steps:
        used = np.unique(np.flatnonzero(before.error > 0) // A.rivals)
        a = (found.w - before.w) / (2.0 * rate)
        yield Update(
            found.steps, -1, found.w, before.w, a, 1.0, 2.0 * rate, float(before.w @ a), math.nan, used,
            passes=found.steps, visits=found.steps * (b.size // A.rivals), value=float(before.error @ before.error),
            state=found,
        )  # fmt: skip
        before = found
