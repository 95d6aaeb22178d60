r"""Ridge regression by its dual, for raw counts of words, where the residual of the normal equations proves nothing.

With the rows less their mean, weights c and targets t, for all w and all u whose sum is 0

.. math:: J(w) \ge D(u) = 2 \langle u,t\rangle - \sum_i \frac{u_i^2}{c_i} - \frac{|X^Tu|^2}{\alpha} ,

and both are equal where u is c times the errors of w, and :math:`\alpha w = X^Tu`. D is largest where
:math:`(\alpha I + K)\,q = \sqrt c\,t` and :math:`u = \alpha\sqrt c\,q`; K are the scalar products of the rows times
:math:`\sqrt c`.

Conjugate gradients solve that for all targets as one block, so that each of them gains by the directions of all
(O'Leary, 1980), with orthonormal residuals (Dubrulle, 2001) and rows that are scaled to a diagonal of ones. Every
`EVERY` steps w moves towards :math:`X^Tu/\alpha` as far as J falls. On the counts of newsgroups some 230 steps bring
J and D to 1e-3 of each other.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..certificates.prove.ridge import RidgeProblem
from ..oracles.elsewhere import are_elsewhere
from ..rows.products import row_squares

EVERY = 20  # steps between two looks at J and D
IDLE = 5  # such looks without gain, after which rounding is taken to hide the rest
ALIKE = 1e-14  # squared length, beside the longest, of a direction that rounding may have made


def has_dual(problem: RidgeProblem) -> bool:
    """Whether the rows are here, in one piece."""
    return len(problem.parts) == 1 and not are_elsewhere(problem.parts)


class DualAscent:
    """Where w and u stand, with J and D of them."""

    def __init__(self, problem: RidgeProblem, W: np.ndarray):
        self.problem, self.X, self.alpha = problem, problem.parts[0].matrix, problem.alpha
        self.mean = np.zeros(problem.width) if problem.mean is None else problem.mean
        self.c, self.root = problem.c[:, None], np.sqrt(problem.c)[:, None]
        self.T = problem.T - (0.0 if problem.mean is None else problem.c @ problem.T / problem.total)
        self.W, self.R = W, self.T - self.centred(W)
        self.u, self.lower = np.zeros_like(self.T), 0.0
        self.Xm, self.mm = self.X @ self.mean, float(self.mean @ self.mean)
        squares = row_squares(problem.parts) - 2.0 * self.Xm + self.mm
        self.scale = 1.0 / np.sqrt(np.maximum(problem.c * squares, 0.0) + self.alpha)[:, None]

    @property
    def upper(self) -> float:
        """J(w)."""
        return self.problem.cost(self.W, self.R)

    def centred(self, W: np.ndarray) -> np.ndarray:
        """The rows less their mean, times W."""
        return np.asarray(self.X @ W) - self.mean @ W

    def products(self, U: np.ndarray) -> np.ndarray:
        """The scalar products of the rows less their mean, times the weights U of rows."""
        total = U.sum(axis=0)
        return np.asarray(self.X @ (self.X.T @ U)) - np.outer(self.Xm, total) + (self.mm * total - self.Xm @ U)

    def system(self, V: np.ndarray) -> np.ndarray:
        """The matrix of the system, scaled to a diagonal of ones, times V."""
        q = self.scale * V
        return self.scale * (self.alpha * q + self.root * self.products(self.root * q))

    def look(self, V: np.ndarray) -> float:
        """Take over what the solution V of the scaled system brings; the gap of J and D, as a part of J."""
        u = self.alpha * self.root * self.scale * V
        if self.problem.mean is not None:
            u -= self.c * (u.sum(axis=0) / self.problem.total)
        pulled = np.asarray(self.X.T @ u)
        parts = np.divide(u * u, self.c, out=np.zeros_like(u), where=self.c > 0.0)
        lower = float(np.sum(2.0 * u * self.T - parts)) - float(np.sum(pulled * pulled)) / self.alpha
        if lower > self.lower:
            self.u, self.lower = u, lower
        self._move_towards(pulled / self.alpha)
        upper = self.upper
        return (upper - self.lower) / upper if upper > 0.0 else 0.0

    def _move_towards(self, W: np.ndarray) -> None:
        """Move w on the line to W to where J is least."""
        step = W - self.W
        moved = self.centred(step)
        bent = float(np.sum(self.c * moved * moved)) + self.alpha * float(np.sum(step * step))
        if bent > 0.0:
            slope = float(np.sum(self.c * self.R * moved)) - self.alpha * float(np.sum(self.W * step))
            self.W += slope / bent * step
            self.R -= slope / bent * moved


def solve_dual(
    problem: RidgeProblem, W: np.ndarray, tol: float, rounds: Iterable[int]
) -> tuple[np.ndarray, np.ndarray, int]:
    """From W until J and D are within half of ``tol``, a budget is spent or rounding stops: W, u and the steps made."""
    found, step, idle, least = DualAscent(problem, W), 0, 0, np.inf
    rest = found.scale * found.root * found.T
    V = np.zeros_like(rest)
    Q, left = _orthonormal(rest)
    P = Q
    for step in rounds:
        A = found.system(P)
        inverse = np.linalg.pinv(P.T @ A, hermitian=True)
        V += P @ (inverse @ left)
        Q, turn = _orthonormal(Q - A @ inverse)
        P, left = Q + P @ turn.T, turn @ left
        if step % EVERY == 0 or Q.shape[1] == 0:
            gap = found.look(V)
            least, idle = (gap, 0) if gap < 0.99 * least else (least, idle + 1)
            if gap <= 0.5 * tol or idle == IDLE or Q.shape[1] == 0:
                break
    else:
        found.look(V)
    return found.W, found.u, step


def _orthonormal(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q with orthonormal columns, and S, for which A = Q S; directions that rounding may have made are left out."""
    square, turn = np.linalg.eigh(A.T @ A)
    kept = square > ALIKE * max(float(square[-1]), 1e-290) if square.size else square > 0.0
    size = np.sqrt(square[kept])
    return A @ (turn[:, kept] / size), (turn[:, kept] * size).T
