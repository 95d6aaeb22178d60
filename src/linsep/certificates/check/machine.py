"""For the check of a certificate of a linear machine: a row of one class against all other classes."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from .rows import DECISIVE, ROWS, U, count_violated, exact_score, joined_blocks, rounded_up, squared_lengths


def numbers(y, classes) -> np.ndarray:
    """The place of each label in ``classes``."""
    numbers = np.empty(y.shape, dtype=np.intp)
    for k, label in enumerate(classes):
        numbers[y == label] = k
    return numbers


def rival_scores(X, own, keep, W, constant, claimed, violated):
    """The same as `scores` for a machine: a row's vectors are those of its class against each other class."""
    some = np.flatnonzero(keep)
    low, high, lengths = (each[some] for each in leads(X, own, W, constant))
    low, high = (low, high) if W.any() else (0.0 * low, 0.0 * high)
    least, most = float(low.min()), float(high.min())
    decisive = np.flatnonzero(low <= most)
    counts = count_violated(low, high, violated, lambda i: exact_lead(X, own, some[i], W, constant))
    if decisive.size * W.shape[0] <= 8 * DECISIVE or rounded_up(claimed) > least:
        least = most = min(exact_lead(X, own, some[i], W, constant) for i in decisive)
    return least, most, lengths, *counts


def leads(X, own, W, constant):
    """By how much the class of each row leads its best rival (between two numbers), and the norms of the vectors."""
    return joined_blocks(X, _leads_of_block, (own,), W, constant)


def _leads_of_block(block, own, W, constant):
    """`leads` of a block."""
    magnitude = np.abs(W) + 2.0**-1022
    terms = np.diff(block.indptr)[:, None] if sp.issparse(block) else block.shape[1]
    scores = block @ W[:, :-1].T + constant * W[:, -1]
    errors = (terms + 4) * U * (abs(block) @ magnitude[:, :-1].T + constant * magnitude[:, -1])
    pick = np.arange(block.shape[0]), own
    ahead = scores[pick][:, None] - scores
    doubt = errors[pick][:, None] + errors + U * np.abs(ahead)
    ahead[pick] = np.inf
    lengths = np.sqrt(2.0 * (squared_lengths(block) + constant * constant))
    return (ahead - doubt).min(axis=1), (ahead + doubt).min(axis=1), lengths


def whole_machine(claim, X, own, keep, constant) -> str:
    """The same as `whole_w` for a machine, of whole numbers that are known to be as many as w has."""
    W = np.array(claim.integers, dtype=object).reshape(claim.w.shape)
    size = 2 ** max(number.bit_length() for number in claim.integers)
    low, _, _ = leads(X, own, (W / size).astype(np.float64), constant)
    for i in np.flatnonzero(keep & ~(low > 0)):
        row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        used = np.flatnonzero(row)
        x = [*(Fraction(float(row[j])) for j in used), Fraction(constant)]
        scores = [sum(a * b for a, b in zip(x, w, strict=True)) for w in W[:, [*used, -1]]]
        if scores[own[i]] <= max(score for k, score in enumerate(scores) if k != own[i]):
            return f"the w of its integers has row {i} on the wrong side"
    return ""


def list_vectors(X, own, claim, constant):
    """The vectors of a proof as rows without a bias, and a proof that names these: X, sign, claim and constant."""
    rows, unit = claim.rows, np.eye(len(claim.classes))
    block = sp.csr_array(X[rows].astype(np.float64))
    block = sp.hstack([block, np.full((rows.size, 1), constant)], format="csr")
    places = unit[own[rows]] - unit[claim.rivals]
    A = sp.hstack([sp.diags_array(place) @ block for place in places.T], format="csr")
    flat = replace(claim, rows=np.arange(rows.size), w=np.append(claim.w.ravel(), 0.0), bias="none")
    return sp.csr_array(A), np.ones(rows.size), flat, 0.0


def exact_lead(X, own, i, W, constant) -> Fraction:
    """By how much the class of row i leads its best rival, without any rounding."""
    scores = [exact_score(X, np.ones(X.shape[0]), i, w, constant) for w in W]
    return scores[own[i]] - max(score for k, score in enumerate(scores) if k != own[i])


def rival_combination(X, own, keep, claim, constant):
    """The same as `combination` for a machine."""
    rows, rivals, weights, count = claim.rows, claim.rivals, claim.weights, len(claim.classes)
    if not rows.shape == rivals.shape == weights.shape or rows.size == 0:
        return math.nan, math.nan, "it names no rows, or not a rival for each"
    if rows.min() < 0 or rows.max() >= X.shape[0] or not keep[rows].all() or rivals.min() < 0 or rivals.max() >= count:
        return math.nan, math.nan, "it names a row or a rival that does not exist"
    if np.unique(rows * count + rivals).size != rows.size or (own[rows] == rivals).any():
        return math.nan, math.nan, "it names a row twice with the same rival, or its own class as rival"
    if (weights < 0).any() or math.fsum(weights) <= 0:
        return math.nan, math.nan, "it has a negative weight, or none"
    weights = weights / math.fsum(weights)
    total, length = np.zeros((count, X.shape[1] + 1)), 0.0
    for at in range(0, rows.size, ROWS):
        some = slice(at, at + ROWS)
        block = X[rows[some]].astype(np.float64)
        pulls = np.zeros((block.shape[0], count))
        pulls[np.arange(block.shape[0]), own[rows[some]]] = weights[some]
        pulls[np.arange(block.shape[0]), rivals[some]] = -weights[some]
        total[:, :-1] += (block.T @ pulls).T
        total[:, -1] += constant * pulls.sum(axis=0)
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += 2.0 * math.fsum(weights[some] * norms)
    slack = (min(rows.size, ROWS + rows.size // ROWS) + 8) * U * (length + 2.0 * constant)
    return math.hypot(*total.ravel()), slack, ""
