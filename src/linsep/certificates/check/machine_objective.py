"""For the check of a certificate of a soft margin: a linear machine, whose rows have a weight against each rival."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from .machine import leads
from .rows import ROWS, U, column_sums


def lead_scores(X, own, W, constant) -> tuple[np.ndarray, np.ndarray]:
    """By how much the class of each row leads its best rival, and how far rounding may have moved that."""
    low, high, _ = leads(X, own, W, constant)
    return 0.5 * (low + high), 0.5 * (high - low) + U * np.abs(low)


def find_rival_flaw(claim, own, cost) -> str:
    """What is wrong with alpha, if anything."""
    rows, rivals, alpha, count = claim.rows, claim.rivals, claim.weights, len(claim.classes)
    if not rows.shape == rivals.shape == alpha.shape:
        return "rows, rivals and weights differ in number"
    if rows.size == 0:
        return ""
    if rows.min() < 0 or rows.max() >= own.size or rivals.min() < 0 or rivals.max() >= count:
        return "it names a row or a rival that does not exist"
    if np.unique(rows * count + rivals).size != rows.size or (own[rows] == rivals).any():
        return "it names a row twice with the same rival, or its own class as rival"
    if (alpha < 0).any():
        return "it has a negative weight"
    if (alpha[cost[rows] <= 0] > 0).any():
        return "an absent row has a weight"
    mass = np.bincount(rows, weights=alpha, minlength=own.size)
    if claim.loss == "hinge":
        for i in np.flatnonzero(mass >= (1.0 - count * U) * cost).tolist():
            if sum((Fraction(float(v)) for v in alpha[rows == i]), Fraction(0)) > Fraction(float(cost[i])):
                return "the weights of a row are above its C"
    return ""


def _pulls(claim, own, some) -> np.ndarray:
    """How much of some of the named rows is in the weights of each class."""
    pulls, every = np.zeros((len(claim.rows[some]), len(claim.classes))), np.arange(len(claim.rows[some]))
    pulls[every, own[claim.rows[some]]] = claim.weights[some]
    pulls[every, claim.rivals[some]] = -claim.weights[some]
    return pulls


def rival_dual(claim, X, own, cost, constant) -> tuple[float, float]:
    """D(alpha), and how far rounding may have moved it."""
    rows, alpha = claim.rows, claim.weights
    total, length = np.zeros((len(claim.classes), X.shape[1] + 1)), 0.0
    for at in range(0, rows.size, ROWS):
        some = slice(at, at + ROWS)
        block, pulls = X[rows[some]].astype(np.float64), _pulls(claim, own, some)
        total[:, :-1] += (block.T @ pulls).T
        total[:, -1] += constant * pulls.sum(axis=0)
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += 2.0 * math.fsum(alpha[some] * (norms + constant))
    size = math.hypot(*total.ravel())
    value = math.fsum(alpha) - 0.5 * size * size
    if claim.loss == "squared_hinge":
        mass = np.bincount(rows, weights=alpha, minlength=own.size)
        value -= math.fsum(mass * mass / (4.0 * np.where(cost > 0, cost, 1.0)))
    return value, 8 * (rows.size + 8) * U * (math.fsum(alpha) + size * length + size * size)


def exact_rival_dual(X, own, claim, constant, cost) -> Fraction:
    """D(alpha) without any rounding."""
    rows, alpha = claim.rows, [Fraction(float(v)) for v in claim.weights]
    value, ones = sum(alpha, Fraction(0)), np.ones(X.shape[0])
    for k in range(len(claim.classes)):
        signs = (own[rows] == k).astype(int) - (claim.rivals == k)
        used = np.flatnonzero(signs)
        numbers = [alpha[j] * int(signs[j]) for j in used]
        columns = column_sums(X, ones, rows[used], numbers, constant)
        value -= sum((total * total for total in columns), Fraction(0)) / 2
    if claim.loss == "squared_hinge":
        mass: dict[int, Fraction] = {}
        for i, v in zip(rows.tolist(), alpha, strict=True):
            mass[i] = mass.get(i, Fraction(0)) + v
        value -= sum((v * v / (4 * Fraction(float(cost[i]))) for i, v in mass.items()), Fraction(0))
    return value
