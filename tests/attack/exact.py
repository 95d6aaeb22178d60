"""Exact referees: rational arithmetic only, nothing of linsep and no rounding.

Floats are whole numbers times powers of two, so a problem is brought to integers by one factor.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Point(NamedTuple):
    """The nearest point of a convex hull to the origin: ``numerator / denominator``, in integers."""

    numerator: list[int]
    denominator: int

    @property
    def square(self) -> Fraction:
        """Its squared norm."""
        return Fraction(sum(x * x for x in self.numerator), self.denominator**2)


def fractions(values) -> list[Fraction]:
    """Numbers as they are stored."""
    return [Fraction(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist()]


def to_integers(rows: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    """Integers and the factor that they were multiplied by."""
    factor = math.lcm(*(x.denominator for row in rows for x in row))
    common = math.gcd(*(x.numerator * (factor // x.denominator) for row in rows for x in row)) or 1
    return [[x.numerator * (factor // x.denominator) // common for x in row] for row in rows], Fraction(factor, common)


def dot(x, y):
    """A scalar product, without rounding."""
    return sum(a * b for a, b in zip(x, y))


def solve(matrix: list[list[int]], right: list[int]) -> tuple[list[int], int]:
    """x and a number d > 0 with ``matrix @ x = d * right``, by Bareiss's elimination."""
    n = len(matrix)
    A = [[*row, r] for row, r in zip(matrix, right)]
    before = 1
    for k in range(n):
        pivot = next(i for i in range(k, n) if A[i][k])
        A[k], A[pivot] = A[pivot], A[k]
        if pivot != k:
            A[k] = [-a for a in A[k]]
        for i in range(n):
            if i != k:
                A[i] = [(A[k][k] * a - A[i][k] * b) // before for a, b in zip(A[i], A[k])]
        before = A[k][k]
    d = before
    found = [row[n] for row in A]
    return ([-x for x in found], -d) if d < 0 else (found, d)


def nearest(points: list[list[int]]) -> Point:
    """The point of least norm in the convex hull of integer points: Wolfe's algorithm, which ends, being exact.

    >>> nearest([[2, 0], [0, 2]])
    Point(numerator=[1, 1], denominator=1)
    >>> nearest([[1, 1], [-1, 0], [0, -1]]).square
    Fraction(0, 1)
    """
    inside = [min(range(len(points)), key=lambda j: dot(points[j], points[j]))]
    weights = [Fraction(1)]
    x = Point(list(points[inside[0]]), 1)
    while True:
        scores = [dot(x.numerator, p) for p in points]
        least = min(range(len(points)), key=scores.__getitem__)
        if scores[least] * x.denominator >= dot(x.numerator, x.numerator):
            return x
        inside.append(least)
        weights.append(Fraction(0))
        while True:
            gram = [[dot(points[i], points[j]) for j in inside] + [1] for i in inside]
            best, d = solve([*gram, [1] * len(inside) + [0]], [0] * len(inside) + [1])
            best = best[:-1]
            if min(best) > 0:
                weights = [Fraction(b, d) for b in best]
                break
            target = [Fraction(b, d) for b in best]
            step = min(w / (w - t) for w, t in zip(weights, target) if t <= 0)
            weights = [w + step * (t - w) for w, t in zip(weights, target)]
            inside, weights = map(list, zip(*((i, w) for i, w in zip(inside, weights) if w > 0)))
        numerator = [sum(b * points[i][c] for b, i in zip(best, inside)) for c in range(len(points[0]))]
        common = math.gcd(d, *numerator)
        x = Point([a // common for a in numerator], d // common)


def mirrored(X, sign, constant: int) -> list[list[Fraction]]:
    """The vectors sign (x, constant)."""
    return [[s * x for x in fractions(row)] + [Fraction(s * constant)] for row, s in zip(X, map(int, sign))]


def best_margin(X, sign, bias: str) -> Fraction:
    """The square of the largest margin of any hyperplane, 0 if none separates; with a free bias half the distance."""
    if bias == "free":
        rows = mirrored(X, sign, 0)
        up, down = ([row for row, s in zip(rows, sign) if s == side] for side in (1, -1))
        vectors, quarter = [[a + b for a, b in zip(p, q)] for p in up for q in down], Fraction(1, 4)
    else:
        vectors, quarter = mirrored(X, sign, int(bias == "augmented")), Fraction(1)
    points, factor = to_integers(vectors)
    return nearest(points).square / factor**2 * quarter


def best_machine(X, label, count: int, bias: str) -> Fraction:
    """The square of the largest margin of any linear machine."""
    vectors = machine_vectors(X, label, count, int(bias == "augmented"))
    points, factor = to_integers(vectors)
    return nearest(points).square / factor**2


def machine_vectors(X, label, count: int, constant: int) -> list[list[Fraction]]:
    """(x, constant) in the place of its class, negated in the place of a rival."""
    vectors = []
    for row, own in zip(X, label):
        x = [*fractions(row), Fraction(constant)]
        for rival in range(count):
            if rival != own:
                vector = [Fraction(0)] * (count * len(x))
                vector[own * len(x) : (own + 1) * len(x)] = x
                vector[rival * len(x) : (rival + 1) * len(x)] = [-a for a in x]
                vectors.append(vector)
    return vectors


def at_most(claimed: float, low: Fraction, square: Fraction) -> bool:
    """Whether ``claimed <= low / sqrt(square)``, exactly; ``square > 0``."""
    if math.isnan(claimed) or claimed == math.inf:
        return False
    if claimed == -math.inf:
        return True
    c = Fraction(claimed)
    if c <= 0 <= low:
        return True
    if c > 0 >= low:
        return c <= low  # false, but for 0 <= 0
    return c * c * square <= low * low if c > 0 else c * c * square >= low * low


def at_least_root(claimed: float, square: Fraction) -> bool:
    """Whether ``claimed >= sqrt(square)``, exactly."""
    return claimed == math.inf or (claimed >= 0 and Fraction(claimed) ** 2 >= square)


def root(square: Fraction) -> float:
    """The square root as a float, of any size."""
    if not square:
        return 0.0
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    reduced = math.sqrt(float(square / Fraction(4) ** shift))
    try:
        return math.ldexp(reduced, shift)
    except OverflowError:
        return math.inf
