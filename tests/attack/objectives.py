"""Soft margins: both bounds of the cost against exact sums and against other solvers' w, and forged ones."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import SVC

from linsep import MaximumMargin

from . import estimators, exact, problems
from .problems import Problem
from .rows import learn
from .tally import Tally

NAME = "MaximumMargin, soft"


def cost(problem: Problem, w: np.ndarray, rule: Any) -> Fraction:
    """P(w), exactly."""
    flat = exact.fractions(w)
    norm = flat[:-1] if rule.bias == "free" else flat
    total = exact.dot(norm, norm) / 2
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    vectors = exact.mirrored(problem.dense, 2 * problem.y - 1, 1)
    for vector, C in zip(vectors, exact.fractions(weight * rule.C)):
        hinge = max(Fraction(0), 1 - exact.dot(flat, vector))
        total += C * (hinge if rule.loss == "hinge" else hinge * hinge)
    return total


def scores(problem: Problem, w: np.ndarray) -> list[Fraction]:
    """<w,a> of all vectors that weigh anything, exactly."""
    vectors, kept = exact.mirrored(problem.dense, 2 * problem.y - 1, 1), problem.kept
    return [exact.dot(exact.fractions(w), vector) for vector, present in zip(vectors, kept) if present]


def referees(problem: Problem, rule: Any) -> list[np.ndarray]:
    """Good w of other solvers: any w bounds the least cost from above."""
    found = [np.zeros(problem.dense.shape[1] + 1)]
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    if np.abs(problem.dense).max(initial=0.0) < 1e6:
        if rule.loss == "hinge":
            other = SVC(kernel="linear", C=rule.C, tol=1e-10, max_iter=10_000).fit(problem.dense, problem.y, weight)
            found.append(np.append(other.coef_[0], other.intercept_))
        else:
            found.append(_descend(problem.dense, 2.0 * problem.y - 1, weight * rule.C, rule.bias == "free"))
    again = MaximumMargin(**{**rule.get_params(), "tol": 1e-12, "max_iter": 300, "max_seconds": 2.0})
    again.fit(problem.dense, problem.y, problem.weight)
    return [*found, np.append(again.coef_[0], again.intercept_)]


def _descend(X: np.ndarray, sign: np.ndarray, C: np.ndarray, free: bool) -> np.ndarray:
    """A w of small cost with the squared hinge, by SciPy."""
    A = sign[:, None] * np.column_stack([X, np.ones(len(X))])
    inside = np.append(np.ones(X.shape[1]), 0.0 if free else 1.0)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        hinge = np.maximum(0.0, 1.0 - A @ w)
        return float(0.5 * (inside * w) @ w + C @ hinge**2), inside * w - 2.0 * A.T @ (C * hinge)

    return minimize(value, np.zeros(A.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def make(rng: np.random.Generator) -> Any:
    """A soft margin with some parameters."""
    return MaximumMargin(
        C=float(rng.choice([0.01, 0.3, 1.0, 10.0, 1000.0])),
        loss=str(rng.choice(["hinge", "squared_hinge"])),
        bias=str(rng.choice(["free", "augmented"])),
        method=str(rng.choice(["auto", "auto", "ascent", "newton"])),
        visits=str(rng.choice(["random", "cyclic"])),
        tol=["auto", 1e-8, 0.1][rng.integers(3)],
        max_iter=int(rng.choice([3, 300])),
        max_seconds=estimators.SECONDS,
    )


def attack(seed: int, tally: Tally) -> None:
    """One problem and two soft margins of it."""
    rng = np.random.default_rng([3, seed])
    problem = problems.make(rng, 2, None if rng.random() < 0.3 else 0)
    for _ in range(2):
        rule = make(rng)
        said = f"{estimators.describe(rule)} on {problem.words}"
        if problem.power:  # the same problem in another unit: C must be, too
            rule.set_params(C=math.ldexp(rule.C, int(np.clip(-2 * problem.power, -900, 900))))
        rule = learn(tally, NAME, rule, problem, problem.y)
        if rule is None:
            continue
        claim = rule.certificate_
        if not np.isfinite(claim.w).all():
            tally.fail("not finite", NAME, said)
            continue
        with tally.guarded(NAME, f"check of {said}"):
            verdict = rule.check(problem.X, problem.y, problem.weight)
            if not verdict:
                tally.fail("check refused the truth", NAME, f"{said}: {verdict}")
        judge(tally, claim, problem, rule, said)


def judge(tally: Tally, claim: Any, problem: Problem, rule: Any, said: str) -> None:
    """Both bounds against exact costs; then bounds that are false."""
    spent = cost(problem, claim.w, rule)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            least = min(cost(problem, w, rule) for w in referees(problem, rule) if np.isfinite(w).all())
        except (ValueError, ArithmeticError, ZeroDivisionError):
            least = cost(problem, np.zeros_like(claim.w), rule)
    least = min(least, spent)
    if math.isnan(claim.upper) or (claim.upper < math.inf and Fraction(claim.upper) < spent * (1 - Fraction(1, 2**40))):
        tally.fail("false claim", NAME, f"{said}: upper {claim.upper!r} < {float(spent)!r}, the cost of w")
    if math.isnan(claim.lower) or claim.lower == math.inf or Fraction(max(claim.lower, -1e300)) > least:
        tally.fail("false claim", NAME, f"{said}: lower {claim.lower!r} > {float(least)!r}, the cost of another w")
    if claim.status == "optimal" and not claim.relative_gap <= claim.tol:
        tally.fail("false claim", NAME, f"{said}: optimal with a gap of {claim.relative_gap!r}")
    if not claim.check(problem.X, problem.y, problem.weight):
        return
    wrong = sum(score <= 0 for score in scores(problem, claim.w))
    if claim.status == "interrupted":  # no time to count, and none is claimed
        tally.notes["interrupted, as the machine is busy"] += 1
    elif claim.violated != wrong:
        tally.fail("miscounted", NAME, f"{said}: violated {claim.violated}, exactly {wrong}")
    for kind, forged in forge(claim, spent, least):
        try:
            tally.forge(kind, NAME, forged.check(problem.X, problem.y, problem.weight))
        except Exception as error:
            tally.fail("check raised", NAME, f"{kind} on {problem.words}: {type(error).__name__}: {error}")


def forge(claim: Any, spent: Fraction, least: Fraction) -> list[tuple[str, Any]]:
    """Bounds that are false, and what belongs to another problem."""
    found = []
    for part in (1e-1, 1e-3, 1e-5, 1e-7, 1e-9):
        upper, lower = float(spent) * (1 - part), float(least) * (1 + part)
        if math.isfinite(upper) and Fraction(upper) < spent:
            found.append((f"cost - {part:g}", replace(claim, upper=upper)))
        if math.isfinite(lower) and Fraction(lower) > least:
            found.append((f"least cost + {part:g}", replace(claim, lower=lower)))
            found.append(
                (f"least cost and cost + {part:g}", replace(claim, lower=lower, upper=max(lower, claim.upper)))
            )
    found.append(("size + 1", replace(claim, size=claim.size + 1)))
    found.append(("violated + 1", replace(claim, violated=claim.violated + 1)))
    if claim.rows.size:
        found.append(("a row beyond", replace(claim, rows=claim.rows + 10**6)))
    if claim.weights.any():
        found.append(("weights negated", replace(claim, weights=-claim.weights)))
    if spent - least > least / 10**6 and claim.status != "optimal":
        found.append(("optimal", replace(claim, status=type(claim.status)("optimal"))))
    return found
