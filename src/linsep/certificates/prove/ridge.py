"""The cost of ridge regression on labels, and the proof of how near a w is to the best: `linsep.certificates.ridge`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...interrupt import in_time
from ...rows.exact import count_violated
from ...rows.matrix import BLOCK, RowOracle
from ...rows.products import column_sums, multiply, multiply_magnitudes, multiply_transposed, row_squares, row_terms
from ..base import Status
from ..ridge import RidgeCertificate

U = float(np.finfo(np.float64).eps)
EXACT = 2**18  # numbers up to which scores that rounding hides are computed exactly


class RidgeProblem:
    r"""Rows as oracles, targets T with one column per w, weights c of the rows, alpha, and whether there is a bias.

    A bias is eliminated: rows and targets are taken less their means, without being copied.

    >>> from linsep.oracles import points
    >>> rows = points(np.array([[0.0], [1.0], [3.0]]), [-1, -1, 1])
    >>> problem = RidgeProblem([rows], np.array([[-1.0], [-1.0], [1.0]]), None, 1.0, True)
    >>> problem.mean, problem.bias(np.array([[0.3]]))                     # -1/3 - 4/3 * 0.3
    (array([1.33333333]), array([-0.73333333]))
    """

    def __init__(
        self, parts: Sequence[RowOracle], T: np.ndarray, weight: np.ndarray | None, alpha: float, fit_intercept: bool
    ):
        self.parts, self.T, self.alpha, self.fit_intercept = parts, T, alpha, fit_intercept
        self.c = np.ones(T.shape[0]) if weight is None or not weight.size else weight
        self.total = float(self.c.sum())
        self.mean = multiply_transposed(parts, self.c[:, None])[:, 0] / self.total if fit_intercept else None

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns X has."""
        return self.c.size, self.width

    @property
    def numbers(self) -> int:
        """How many numbers are stored."""
        return sum(part.numbers for part in self.parts)

    @property
    def is_sparse(self) -> bool:
        """Whether X is sparse."""
        return not self.parts[0].CLASS_BY_CLASS

    @property
    def width(self) -> int:
        """How many columns X has."""
        return int(self.parts[0].width)

    def bias(self, W: np.ndarray) -> np.ndarray:
        """The best biases for W, one column per target."""
        if self.mean is None:
            return np.zeros(self.T.shape[1])
        return self.c @ self.T / self.total - self.mean @ W

    def centred(self, W: np.ndarray) -> np.ndarray:
        """X W, less its mean if there is a bias."""
        scores = multiply(self.parts, W)
        return scores if self.mean is None else scores - self.mean @ W

    def errors(self, W: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """T - X W - bias."""
        return self.T - multiply(self.parts, W) - bias

    def pull(self, R: np.ndarray) -> np.ndarray:
        """The centred rows times the weighted errors R."""
        weighted = self.c[:, None] * R
        S = multiply_transposed(self.parts, weighted)
        return S if self.mean is None else S - np.outer(self.mean, weighted.sum(axis=0))

    def cost(self, W: np.ndarray, R: np.ndarray) -> float:
        """J of W with the errors R."""
        return float(self.c @ np.einsum("ik,ik->i", R, R)) + self.alpha * float(np.einsum("jk,jk", W, W))

    @cached_property
    def diagonal(self) -> np.ndarray:
        """That of the matrix of the normal equations, which is at least alpha."""
        squares = column_sums(self.parts, self.c)
        spread = squares if self.mean is None else squares - self.total * self.mean**2
        return np.maximum(spread, U * squares) + self.alpha


def prove_ridge(
    problem: RidgeProblem, parts: Sequence[Any], w: np.ndarray, *,
    margins: np.ndarray, tol: float, passes: int, reason: str, weights: np.ndarray,
) -> RidgeCertificate:  # fmt: skip
    """The certificate of w, one row per target or a vector, bias last; ``parts`` are the oracles that count errors.

    ``weights`` are u of the dual, or empty.
    """
    size = int(np.count_nonzero(problem.c))
    shared: dict[str, Any] = {
        "updates": passes, "size": size, "w": w, "alpha": problem.alpha, "tol": tol, "margins": margins,
        "bias": "free" if problem.fit_intercept else "none",
    }  # fmt: skip
    return in_time(
        lambda: _prove(problem, parts, w, weights, tol, reason, shared),
        lambda: RidgeCertificate(
            status=Status.INTERRUPTED, lower=-math.inf, upper=math.inf, violated=size, distance=math.inf, reason=reason,
            **shared,
        ),
    )  # fmt: skip


def _prove(
    problem: RidgeProblem, parts: Sequence[Any], w: np.ndarray, u: np.ndarray, tol: float, reason: str, shared: dict
) -> RidgeCertificate:
    """What is known of w after one pass over the rows, and one over the columns."""
    matrix = np.atleast_2d(w)
    W, bias = matrix[:, :-1].T, matrix[:, -1]
    R = problem.errors(W, bias)
    c, alpha, total = problem.c, problem.alpha, problem.total
    h = problem.pull(R) - alpha * W
    h0 = c @ R if problem.fit_intercept else np.zeros(len(bias))
    doubt, pull_doubt, h0_doubt = _rounding(problem, W, bias, R)
    cost = float(np.sum(c[:, None] * R * R)) + alpha * float(np.sum(W * W))  # NumPy sums pairwise
    square = float(np.einsum("jk,jk", h, h))
    above = float(np.sum(c[:, None] * doubt * (2 * np.abs(R) + doubt))) * (1 + 64 * U) + 128 * U * cost
    residual = (math.sqrt(square) + pull_doubt) * (1 + (W.size + 8) * U)
    gain = (residual**2 / alpha + float(np.sum((np.abs(h0) + h0_doubt) ** 2)) / total) * (1 + 16 * U)
    upper = cost + above
    lower, away = max(cost - above - gain, 0.0), residual / alpha
    rounding = min(upper - lower, 2 * above + gain - (square / alpha + float(h0 @ h0) / total))
    if u.size:
        least, slack = _dual_at_least(problem, u)
        if least > lower:
            lower, rounding, shared = least, above + slack, {**shared, "weights": u}
            away = min(away, math.sqrt(max(upper - lower, 0.0) / alpha))
    near = upper - lower <= tol * upper
    hidden = not near and upper - lower - rounding <= tol * upper
    status = Status.OPTIMAL if near else Status.WITHIN_ROUNDING if hidden else Status.BUDGET_SPENT
    if hidden:
        reason = "rounding hides what could still be gained"
    return RidgeCertificate(
        status=status, lower=lower, upper=upper, reason="" if near else reason, rounding=rounding,
        violated=count_violated(parts, parts[0].as_vector(w), EXACT), distance=away * (1 + 4 * U), **shared,
    )  # fmt: skip


def _dual_at_least(problem: RidgeProblem, u: np.ndarray) -> tuple[float, float]:
    """A number that D(u) is not below, u less c times its mean, and how much was taken off for rounding."""
    c = problem.c[:, None]
    R = np.divide(u, c, out=np.zeros_like(u), where=c > 0)
    if problem.mean is not None:
        R = R - problem.c @ R / problem.total
    pulled, gained, paid = problem.pull(R), c * R * problem.T, c * R * R
    square = float(np.sum(pulled * pulled))
    slip = _length_of_doubt(problem, _summed(problem) * U * c * np.abs(R)) + 8 * U * math.sqrt(square)
    slack = slip * (2 * math.sqrt(square) + slip) / problem.alpha
    slack += 128 * U * (float(np.sum(2 * np.abs(gained) + paid)) + square / problem.alpha)
    return float(np.sum(2 * gained - paid)) - square / problem.alpha - slack, slack


def _summed(problem: RidgeProblem) -> int:
    """How many roundings a sum over all rows has at most, block by block."""
    n = problem.c.size
    return min(n, BLOCK) + n // BLOCK + 8


def _length_of_doubt(problem: RidgeProblem, each: np.ndarray, more: np.ndarray | float = 0.0) -> float:
    """How far the pull of all rows may be off, a length, if row i is by ``each[i]`` and the targets by ``more``."""
    lengths = np.sqrt(row_squares(problem.parts)) * (1 + (problem.width + 4) * U)
    mean = 0.0 if problem.mean is None else float(problem.c @ lengths) / problem.total  # no less than that of the mean
    return float(np.linalg.norm((lengths + 2 * mean) @ each + more))


def _rounding(problem: RidgeProblem, W: np.ndarray, bias: np.ndarray, R: np.ndarray):
    """How far rounding may have moved each error, the pull of all (its length), and the sums of errors."""
    terms = row_terms(problem.parts)
    doubt = (terms + 6)[:, None] * U * (multiply_magnitudes(problem.parts, W) + np.abs(bias) + np.abs(R))
    each = problem.c[:, None] * (doubt + _summed(problem) * U * np.abs(R))
    # of each column of the pull; NumPy sums the biases' part pairwise
    moved = _length_of_doubt(problem, each, 4 * problem.alpha * U * np.linalg.norm(W, axis=0))
    return doubt, moved, each.sum(axis=0)
