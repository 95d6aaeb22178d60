"""Labellings small enough to list: short sequences with a phi of one's own, and the truth about them (E1, E4)."""

import itertools

import cvxpy as cp
import numpy as np

from linsep.oracles.custom import UserFunctions

LETTERS = 3
SIZE = 2 * LETTERS + LETTERS**2  # numbers in phi


def words(x) -> list:
    """All labellings of a sequence: Y(x) depends on x."""
    return list(itertools.product(range(LETTERS), repeat=len(x)))


def phi(x, y) -> np.ndarray:
    """A chain: features of each place by its label, and pairs of labels that follow one another."""
    emission, pairs = np.zeros((LETTERS, len(x[0]))), np.zeros((LETTERS, LETTERS))
    for row, label in zip(x, y, strict=True):
        emission[label] += row
    for one, other in itertools.pairwise(y):
        pairs[one, other] += 1.0
    return np.concatenate([emission.ravel(), pairs.ravel()])


LISTED = UserFunctions(phi, labels=words)


def best_rival(w, x, truth):
    """The best labelling other than the truth, by trying all; None if there is none."""
    others = [other for other in words(x) if other != truth]
    return max(others, key=lambda other: w @ phi(x, other)) if others else None


def sequences(seed: int, n: int = 8, gap: float = 0.3) -> tuple[list, list]:
    """Short sequences that some w labels right, with a lead of ``gap`` over all rivals."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=SIZE)
    X, y = [], []
    while len(X) < n:
        x = rng.normal(size=(rng.integers(1, 4), 2)).round(2)
        scores = np.array([w @ phi(x, other) for other in words(x)])
        best = np.argsort(scores)
        if scores[best[-1]] - scores[best[-2]] > gap:
            X.append(x)
            y.append(words(x)[best[-1]])
    return X, y


def contradicting(seed: int) -> tuple[list, list]:
    """Sequences one of which stands there twice, with two labellings: no w labels both right."""
    X, y = sequences(seed)
    return [*X, X[0]], [*y, words(X[0])[0] if y[0] != words(X[0])[0] else words(X[0])[1]]


def all_vectors(X, y) -> np.ndarray:
    """All vectors of all examples."""
    return np.array([phi(x, t) - phi(x, other) for x, t in zip(X, y, strict=True) for other in words(x) if other != t])


def largest_margin_listed(A: np.ndarray) -> float:
    """The norm of the nearest point of the hull of the rows: a QP with all vectors listed."""
    weights = cp.Variable(len(A), nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A.T @ weights)), [cp.sum(weights) == 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
    shares = np.maximum(weights.value, 0.0)
    return float(np.linalg.norm(A.T @ (shares / shares.sum())))
