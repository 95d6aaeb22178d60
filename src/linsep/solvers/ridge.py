r"""Ridge regression on labels: minimise :math:`J(w) = \sum_i c_i (\langle w,x_i\rangle + w_0 - t_i)^2 + \alpha|w|^2`.

Conjugate gradients on the normal equations, which need not be formed (CGLS; Björck, 1996), for all targets at once.
They end when the residual proves that J is within ``tol`` of its least. Where the equations are small beside the data,
`NormalEquations` has them, and their Cholesky factor makes a step or two enough; so do the scalar products of few rows
of many columns, `solve_few_rows`. Elsewhere, for sparse and wide data, their diagonal is the preconditioner; where that
proves nothing after some steps, `linsep.solvers.ridge_dual` goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..certificates.prove.ridge import RidgeProblem
from ..oracles.elsewhere import are_elsewhere
from ..rows.matrix import BLOCK
from ..rows.products import row_terms, sum_blocks
from ..validation import require_room
from .anderson.moments import Moments
from .ridge_dual import has_dual, solve_dual

MANY = 2000  # columns above which the normal equations are not formed
FEW = 64  # columns up to which they always are
AWAY = 1e6  # a gap so many times as wide as at the beginning: conjugate gradients have gone astray
TRIED = 10  # steps after which the residual should prove something, or the dual is solved
NOTHING = 1.0  # a relative gap that proves nothing
STEPS = 100  # of conjugate gradients, usually; what forming the normal equations may cost as much as

Precondition = Callable[[np.ndarray], np.ndarray]


class NormalEquations(NamedTuple):
    """What they need of the data: moments of the columns of X and of the ``targets``; about 0 if there is no bias.

    >>> from linsep.oracles import points
    >>> rows, T = points(np.array([[0.0], [1.0], [3.0]]), [-1, -1, 1]), np.array([[-1.0], [-1.0], [1.0]])
    >>> W, bias = NormalEquations.of(RidgeProblem([rows], T, None, 1.0, True)).solve(1.0)
    >>> W.round(3), bias.round(3)                  # 14/3 + 1 times w = 10/3
    (array([[0.588]]), array([-1.118]))
    """

    moments: Moments
    targets: int

    @classmethod
    def of(cls, problem: RidgeProblem) -> NormalEquations:
        """Those of all rows."""
        size = problem.width + problem.T.shape[1]
        require_room(2.0 * size * size, problem.numbers, "the normal equations", "Use fit, or method='lms'.")
        columns = problem.T, problem.c
        moments = sum_blocks(problem.parts, _moments, columns, problem.fit_intercept, merge=Moments.merge)
        return cls(moments, problem.T.shape[1])

    def merge(self, other: NormalEquations) -> NormalEquations:
        """Those of both parts."""
        return self._replace(moments=self.moments.merge(other.moments))

    @property
    def products(self) -> np.ndarray:
        """Of the columns of X with each other."""
        return self.moments.scatter[: -self.targets, : -self.targets]

    @property
    def crossed(self) -> np.ndarray:
        """Of the columns of X with the targets."""
        return self.moments.scatter[: -self.targets, -self.targets :]

    def preconditioner(self, alpha: float) -> Precondition | None:
        """Multiply by the inverse of the normal equations, scaled to a diagonal of ones; None: they are singular."""
        scale = 1.0 / np.sqrt(np.maximum(self.products.diagonal(), 0.0) + alpha)
        matrix = scale[:, None] * self.products * scale
        matrix[np.diag_indices_from(matrix)] += alpha * scale**2
        try:
            factor = scipy.linalg.cho_factor(matrix, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return lambda S: scale[:, None] * scipy.linalg.cho_solve(factor, scale[:, None] * S, check_finite=False)

    def solve(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """W, one column per target, and the biases."""
        apply = self.preconditioner(alpha)
        if apply is None:  # columns that depend on each other, beside a very small alpha
            equations = self.products + alpha * np.eye(len(self.products))
            W = scipy.linalg.lstsq(equations, self.crossed, check_finite=False)[0]
        else:
            W = apply(self.crossed)
        mean = self.moments.mean
        return W, mean[-self.targets :] - mean[: -self.targets] @ W


def _moments(X, T: np.ndarray, c: np.ndarray, fit_intercept: bool) -> Moments | None:
    """The moments of one block; sparse rows are not centred before they are multiplied."""
    total, root = float(c.sum()), np.sqrt(c)
    if not total:
        return None
    sums = np.concatenate([X.T @ c, c @ T])
    mean = sums / total if fit_intercept else np.zeros_like(sums)
    if not sp.issparse(X):
        joint = root[:, None] * (np.column_stack([X, T]) - mean)
        return Moments(total, mean, joint.T @ joint)
    X, T = sp.diags_array(root) @ X, root[:, None] * T
    crossed = X.T @ T
    scatter = np.block([[(X.T @ X).toarray(), crossed], [crossed.T, T.T @ T]])
    return Moments(total, mean, scatter - total * np.outer(mean, mean))


def pays(problem: RidgeProblem) -> bool:
    """Whether forming the normal equations costs less than conjugate gradients without them."""
    n, d = problem.shape
    if d <= FEW or d > MANY or n < d:
        return d <= FEW
    sparse = problem.is_sparse
    products = float(np.sum(row_terms(problem.parts).astype(np.float64) ** 2)) if sparse else n * d * d / 16
    return products + d**3 / 16 <= STEPS * 4.0 * problem.numbers * problem.T.shape[1]


class Ridge(NamedTuple):
    """Where the method ended: W with one column per target, the biases, the steps made, and u of the dual if it was."""

    W: np.ndarray
    bias: np.ndarray
    steps: int
    weights: np.ndarray = np.zeros(0)


def solve_ridge(
    problem: RidgeProblem, equations: NormalEquations | None, start: np.ndarray, tol: float, rounds: Iterable[int]
) -> Ridge:
    """Conjugate gradients from ``start`` until J is within ``tol`` of its least, a budget is spent, or rounding stops.

    ``equations``, of the same data, make it quicker.
    """
    exact = None if equations is None else equations.preconditioner(problem.alpha)
    W, steps, before = start.copy(), 0, np.inf
    kept = W
    if not start.any() and equations is not None and exact is not None:
        W = exact(equations.crossed)
    elif has_few_rows(problem):
        exact, W = solve_few_rows(problem) or (None, W)
    apply = exact or (lambda S: S / problem.diagonal[:, None])
    while True:  # each time from the errors computed again, which rounding moves away from the updated ones
        R = problem.errors(W, problem.bias(W))
        S = problem.pull(R) - problem.alpha * W
        gap = _gap(problem, S, W, R)
        if gap <= 0.5 * tol or not gap <= 0.5 * before:
            W = W if gap <= before else kept
            return Ridge(W, problem.bias(W), steps)
        before, made, kept = gap, steps, W.copy()
        for steps in _descend(problem, apply, (W, R, S), tol, rounds):
            if steps == TRIED and exact is None and has_dual(problem) and _gap(problem, S, W, R) > NOTHING:
                W, u, steps = solve_dual(problem, W, tol, rounds)
                return Ridge(W, problem.bias(W), steps, u)
        if steps == made:  # the budget is spent
            return Ridge(W, problem.bias(W), steps)


def has_few_rows(problem: RidgeProblem) -> bool:
    """Whether the scalar products of all rows are cheaper than conjugate gradients without them; they must be here."""
    n, d = problem.shape
    if problem.is_sparse or are_elsewhere(problem.parts):
        return False
    return n < d and n <= MANY and n * n / 16 <= STEPS * 4.0 * n * problem.T.shape[1]


def solve_few_rows(problem: RidgeProblem) -> tuple[Precondition, np.ndarray] | None:
    r"""The inverse of the normal equations by the products K of n rows, and W as it gives it; None: K is singular.

    .. math:: (X^TX + \alpha I)^{-1} = \tfrac1\alpha\,(I - X^T (K + \alpha I)^{-1} X), \qquad
              W = X^T (K + \alpha I)^{-1} T .
    """
    X, root = problem.parts[0].matrix, np.sqrt(problem.c)[:, None]
    K = problem.alpha * np.eye(X.shape[0])
    for begin in range(0, X.shape[1], BLOCK):
        columns = slice(begin, begin + BLOCK)
        block = root * (X[:, columns] - (0.0 if problem.mean is None else problem.mean[columns]))
        K += block @ block.T
    try:
        factor = scipy.linalg.cho_factor(K, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None

    def combine(targets: np.ndarray) -> np.ndarray:
        """X' (K + alpha I)^-1 of targets, of rows that are multiplied by the roots of their weights."""
        weights = scipy.linalg.cho_solve(factor, root * targets, check_finite=False)
        return problem.pull(np.divide(weights, root, out=np.zeros_like(weights), where=root > 0))

    centred = problem.T if problem.mean is None else problem.T - problem.c @ problem.T / problem.total
    return lambda S: (S - combine(problem.centred(S))) / problem.alpha, combine(centred)


def _gap(problem: RidgeProblem, S: np.ndarray, W: np.ndarray, R: np.ndarray) -> float:
    """What is proved to be left to gain, as a part of J."""
    square, cost = float(np.einsum("jk,jk", S, S)), problem.cost(W, R)
    return square / problem.alpha / cost if square > 0 else 0.0


def _descend(problem: RidgeProblem, apply: Precondition, state: tuple, tol: float, rounds: Iterable[int]):
    """Steps of conjugate gradients, in place: ``state`` has W, the errors R and the residuals S."""
    W, R, S = state
    Z = apply(S)
    P, size, most = Z.copy(), np.einsum("jk,jk->k", S, Z), AWAY * _gap(problem, S, W, R)
    for step in rounds:
        Q = problem.centred(P)
        curve = problem.c @ (Q * Q) + problem.alpha * np.einsum("jk,jk->k", P, P)
        rate = np.where(curve > 0, size / np.maximum(curve, 1e-300), 0.0)
        W += rate * P
        R -= rate * Q
        S[:] = problem.pull(R) - problem.alpha * W
        yield step
        gap = _gap(problem, S, W, R)
        if gap <= 0.25 * tol or not gap <= most:  # rounding may drive the steps away
            return
        Z, last = apply(S), size
        size = np.einsum("jk,jk->k", S, Z)
        P *= np.where(last > 0, size / np.maximum(last, 1e-300), 0.0)
        P += Z
