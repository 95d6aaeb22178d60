"""Is a margin certificate true? Every number of it against exact referees."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from . import exact

SEPARATES = {"separated", "eps-optimal", "optimal"}


class Rows:
    """The rows that count, with exact answers that are computed once."""

    def __init__(self, X: np.ndarray, y: np.ndarray, keep: np.ndarray, names: tuple) -> None:
        self.X, self.names = X[keep], names
        self.label = np.array([names.index(label) for label in y[keep].tolist()])
        self.best = cache(self._best)

    def _best(self, bias: str, machine: bool) -> Fraction:
        """The square of the best margin."""
        if machine:
            return exact.best_machine(self.X, self.label, len(self.names), bias)
        return exact.best_margin(self.X, 2 * self.label - 1, bias)

    def scores(self, w: np.ndarray, bias: str) -> list[Fraction]:
        """<w,a> of all vectors, of a machine the least of every row."""
        constant = int(bias != "none")
        flat = exact.fractions(w)
        if w.ndim == 2:
            vectors = exact.machine_vectors(self.X, self.label, len(self.names), constant)
            rivals = len(self.names) - 1
            each = [exact.dot(flat, vector) for vector in vectors]
            return [min(each[i : i + rivals]) for i in range(0, len(each), rivals)]
        return [exact.dot(flat, vector) for vector in exact.mirrored(self.X, 2 * self.label - 1, constant)]


class Truth(NamedTuple):
    """What is true of a w and of its data."""

    low: Fraction  # its least score
    square: Fraction  # |w|^2, without a free bias
    violated: int
    best: Fraction  # the square of the best margin


def find_truth(rows: Rows, claim: Any) -> Truth:
    """The exact numbers behind a certificate."""
    scores = rows.scores(claim.w, claim.bias)
    norm = claim.w[:-1] if claim.bias == "free" else claim.w
    square = sum((x * x for x in exact.fractions(norm)), Fraction(0))
    violated = sum(score <= 0 for score in scores)
    return Truth(min(scores), square, violated, rows.best(claim.bias, claim.w.ndim == 2))


def find_lies(claim: Any, truth: Truth) -> list[str]:
    """What is false in a margin certificate; no lie, no line."""
    lies = []
    if truth.square and not exact.at_most(claim.lower, truth.low, truth.square):
        margin = math.copysign(exact.root(truth.low**2 / truth.square), 1 if truth.low > 0 else -1)
        lies.append(f"lower {claim.lower!r} > {margin!r}, the margin of w")
    if not truth.square and claim.lower != -math.inf:
        lies.append(f"lower {claim.lower!r} of w = 0")
    if not exact.at_least_root(claim.upper, truth.best):
        lies.append(f"upper {claim.upper!r} < {exact.root(truth.best)!r}, the best margin")
    if claim.status in SEPARATES and not truth.low > 0:
        lies.append(f"status {claim.status!r}, but the least score is {float(truth.low)!r}")
    if claim.status == "not separable" and truth.best > 0:
        lies.append(f"status {claim.status!r}, but a margin of {exact.root(truth.best)!r} is possible")
    if claim.separable is True and not truth.best > 0:
        lies.append("separable, but no w separates")
    if claim.status in ("optimal", "eps-optimal"):
        wanted = claim.eps + claim.relative * claim.upper
        if not (math.isfinite(claim.upper) and claim.upper - claim.lower <= wanted):
            lies.append(f"status {claim.status!r}, but the bounds are {claim.lower!r} and {claim.upper!r}")
    return lies
