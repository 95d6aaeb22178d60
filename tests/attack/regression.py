"""Ridge regression on labels: both bounds of its cost, and the distance to the best w, against exact solutions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep import LeastSquares

from . import estimators, exact, problems
from .problems import Problem
from .rows import learn
from .tally import Tally

NAME = "LeastSquares, ridge"


class Parabola:
    """J(w) in rational numbers, and where it is least."""

    def __init__(self, problem: Problem, alpha: float, bias: bool) -> None:
        weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
        self.rows = [[*exact.fractions(x), Fraction(int(bias))] for x in problem.dense]
        self.target, self.cost = [Fraction(2 * int(k) - 1) for k in problem.y], exact.fractions(weight)
        self.alpha, self.bias = Fraction(alpha), bias

    def value(self, w: list[Fraction]) -> Fraction:
        """The squared errors, and alpha |w|^2 without the bias."""
        errors = [exact.dot(w, row) - t for row, t in zip(self.rows, self.target)]
        return sum((c * e * e for c, e in zip(self.cost, errors)), self.alpha * exact.dot(w[:-1], w[:-1]))

    def solve(self) -> list[Fraction]:
        """The normal equations by elimination; alpha > 0 and a weight > 0 make them regular."""
        d = len(self.rows[0])
        A = [[sum(c * row[i] * row[j] for c, row in zip(self.cost, self.rows)) for j in range(d)] for i in range(d)]
        b = [sum(c * t * row[i] for c, t, row in zip(self.cost, self.target, self.rows)) for i in range(d)]
        for i in range(d - 1):
            A[i][i] += self.alpha
        A[-1][-1] += not self.bias  # without a bias it is 0
        for i in range(d):
            for k in range(i + 1, d):
                factor = A[k][i] / A[i][i]
                A[k] = [x - factor * y for x, y in zip(A[k], A[i])]
                b[k] -= factor * b[i]
        w = [Fraction(0)] * d
        for i in reversed(range(d)):
            w[i] = (b[i] - sum(A[i][j] * w[j] for j in range(i + 1, d))) / A[i][i]
        return w


def attack(seed: int, tally: Tally) -> None:
    """One problem and two regressions of it."""
    rng = np.random.default_rng([6, seed])
    problem = problems.make(rng, 2, None if rng.random() < 0.3 else 0)
    for _ in range(2):
        rule = LeastSquares(
            "ridge", alpha=float(rng.choice([1e-6, 0.01, 1.0, 100.0])), tol=float(rng.choice([0.1, 1e-3, 1e-9])),
            fit_intercept=bool(rng.random() < 0.8), max_iter=int(rng.choice([1, 1000])), max_seconds=estimators.SECONDS,
        )  # fmt: skip
        said = f"{estimators.describe(rule)} on {problem.words}"
        if problem.power:  # the same problem in another unit
            rule.set_params(alpha=math.ldexp(rule.alpha, int(np.clip(2 * problem.power, -900, 900))))
        rule = learn(tally, NAME, rule, problem, problem.y)
        if rule is not None:
            judge(tally, rule, problem, said)


def judge(tally: Tally, rule: Any, problem: Problem, said: str) -> None:
    """Both bounds and the distance; then false ones."""
    claim = rule.certificate_
    if not np.isfinite(claim.w).all():
        tally.fail("not finite", NAME, said)
        return
    J = Parabola(problem, rule.alpha, rule.fit_intercept)
    w, best = exact.fractions(claim.w), J.solve()
    spent, least = J.value(w), J.value(best)
    away = sum(((a - b) ** 2 for a, b in zip(w[:-1], best[:-1])), Fraction(0))
    if claim.upper < math.inf and Fraction(claim.upper) < spent:
        tally.fail("false claim", NAME, f"{said}: upper {claim.upper!r} < {float(spent)!r}, the cost of w")
    if claim.lower > -math.inf and Fraction(claim.lower) > least:
        tally.fail("false claim", NAME, f"{said}: lower {claim.lower!r} > {float(least)!r}, the least cost")
    if claim.distance < math.inf and Fraction(claim.distance) ** 2 < away:
        tally.fail("false claim", NAME, f"{said}: distance {claim.distance!r} < {exact.root(away)!r}")
    if claim.status == "optimal" and not claim.relative_gap <= claim.tol:
        tally.fail("false claim", NAME, f"{said}: optimal with a gap of {claim.relative_gap!r}")
    with tally.guarded(NAME, f"check of {said}"):
        verdict = rule.check(problem.X, problem.y, problem.weight)
        if not verdict:
            tally.fail("check refused the truth", NAME, f"{said}: {verdict}")
            return
        for kind, forged in forge(claim, spent, least, away):
            tally.forge(kind, NAME, forged.check(problem.X, problem.y, problem.weight))


def forge(claim: Any, spent: Fraction, least: Fraction, away: Fraction) -> list[tuple[str, Any]]:
    """Bounds that are false."""
    found = [
        ("size + 1", replace(claim, size=claim.size + 1)),
        ("violated + 1", replace(claim, violated=claim.violated + 1)),
    ]
    for part in (1e-1, 1e-3, 1e-6):
        upper, lower, distance = float(spent) * (1 - part), float(least) * (1 + part), exact.root(away) * (1 - part)
        if math.isfinite(upper) and Fraction(upper) < spent:
            found.append((f"cost - {part:g}", replace(claim, upper=upper)))
        if math.isfinite(lower) and Fraction(lower) > least:
            found.append((f"least cost + {part:g}", replace(claim, lower=lower)))
        if Fraction(distance) ** 2 < away:
            found.append((f"distance - {part:g}", replace(claim, distance=distance)))
    return found
