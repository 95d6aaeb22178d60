"""Random and degenerate problems of rows: whatever an estimator claims is true, and its own check agrees."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linsep import separability

from . import estimators, problems
from .claims import Rows, find_lies, find_truth
from .problems import Problem
from .tally import Tally


def attack(seed: int, tally: Tally) -> None:
    """One problem of two classes or of three, and all estimators of it."""
    rng = np.random.default_rng([1, seed])
    count = 2 if rng.random() < 0.75 else int(rng.integers(3, 5))
    problem = problems.make(rng, count)
    names = np.array([["a", "b", "c", "d"][k] for k in range(count)]) if rng.random() < 0.3 else np.arange(count)
    y = names[problem.y]
    rows = Rows(problem.dense, y, problem.kept, tuple(names.tolist()))
    for name, make in (estimators.TWO if count == 2 else estimators.MANY).items():
        rule = estimators.begin_anywhere(rng, make(rng), problem.dense.shape[1], count, len(y))
        confront(tally, name, rule, problem, y, rows)
    committee(tally, estimators.one_vs(rng), problem, y)
    ask_separability(tally, problem, y, rows)
    if count == 2 and not problem.power:
        scale(tally, rng, problem, y)


def learn(tally: Tally, name: str, rule: Any, problem: Problem, y: np.ndarray) -> Any:
    """Fit within the budget; the rule, or None where it was refused or failed."""
    said = f"{estimators.describe(rule)} on {problem.words}"
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            rule.fit(problem.X, y, sample_weight=problem.weight)
        except ValueError as error:
            wide = problem.wide or (problem.far and "of the bias" in str(error)) or "start: a w of" in str(error)
            wide = wide or (abs(problem.power) > 190 and "is beyond double precision" in str(error))
            if not wide or "\n" in str(error):
                tally.fail("refused", name, f"{said}: {error}")
            tally.notes["refused: too wide a range"] += 1
            return None
        except Exception as error:
            tally.fail("error", name, f"{said}: {type(error).__name__}: {str(error)[:160]}")
            return None
    tally.problems[name] += 1
    spent = time.monotonic() - began
    if spent > 1.1 * estimators.SECONDS + 1:
        tally.notes[f"over the budget, compiling included: {name}"] += 1
    return rule


def confront(tally: Tally, name: str, rule: Any, problem: Problem, y: np.ndarray, rows: Rows) -> None:
    """Fit, and compare what is claimed with what is true."""
    rule = learn(tally, name, rule, problem, y)
    if rule is None:
        return
    said = f"{estimators.describe(rule)} on {problem.words}"
    claim = rule.certificate_
    judge(tally, name, claim, rows, said)
    with tally.guarded(name, f"check of {said}"):
        verdict = rule.check(problem.X, y, sample_weight=problem.weight)
        if not verdict:
            tally.fail("check refused the truth", name, f"{said}: {verdict}")


def judge(tally: Tally, name: str, claim: Any, rows: Rows, said: str) -> None:
    """Compare a certificate with the exact numbers."""
    if not (np.isfinite(claim.w).all() and claim.lower == claim.lower and claim.upper == claim.upper):
        tally.fail("not finite", name, f"{said}: w, lower or upper: {claim.lower!r}, {claim.upper!r}")
        return
    truth = find_truth(rows, claim)
    if claim.violated != truth.violated and claim.status != "interrupted":  # which claims nothing
        tally.fail("miscounted", name, f"{said}: violated {claim.violated}, exactly {truth.violated}")
    for lie in find_lies(claim, truth):
        tally.fail("false claim", name, f"{said}: {lie}")


def committee(tally: Tally, rule: Any, problem: Problem, y: np.ndarray) -> None:
    """Fit a committee; every member's certificate is checked against its own question."""
    name = type(rule).__name__
    rule = learn(tally, name, rule, problem, y)
    if rule is None:
        return
    with tally.guarded(name, f"check of {estimators.describe(rule)} on {problem.words}"):
        verdict = rule.check(problem.X, y, sample_weight=problem.weight)
        if not verdict:
            tally.fail("check refused the truth", name, f"{estimators.describe(rule)} on {problem.words}: {verdict}")


def ask_separability(tally: Tally, problem: Problem, y: np.ndarray, rows: Rows) -> None:
    """`separability` decides what exact arithmetic decides."""
    name, said = "separability", f"separability on {problem.words}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            claim = separability(problem.X, y, problem.weight, max_seconds=estimators.SECONDS)
    except ValueError as error:
        if not (problem.wide or (problem.far and "of the bias" in str(error))):
            tally.fail("refused", name, f"{said}: {error}")
        return
    except Exception as error:
        tally.fail("error", name, f"{said}: {type(error).__name__}: {str(error)[:160]}")
        return
    tally.problems[name] += 1
    judge(tally, name, claim, rows, said)
    if claim.separable is not bool(rows.best(claim.bias, claim.w.ndim == 2) > 0):
        kind = "undecided" if claim.separable is None else "false claim"
        tally.fail(kind, name, f"{said}: {claim.separable}, {claim.status}, {claim.reason}")
    with tally.guarded(name, f"check of {said}"):
        verdict = claim.check(problem.X, y, problem.weight)
        if not verdict:
            tally.fail("check refused the truth", name, f"{said}: {verdict}")


def scale(tally: Tally, rng: np.random.Generator, problem: Problem, y: np.ndarray) -> None:
    """What does not depend on the unit of length: the same status and scaled bounds at 2^k, k in -900 ... 900."""
    power = int(rng.integers(-900, 901))
    with np.errstate(under="ignore", over="ignore"):
        other = problems.scaled(problem, power)
    if not np.array_equal(np.ldexp(other.dense, -power), problem.dense):
        return  # some numbers are too small, even in this unit
    same = problem._replace(X=problem.dense)
    rule = [estimators.MaximumMargin(), estimators.Kozinec(max_iter=100), "separability"][rng.integers(3)]
    name = rule if isinstance(rule, str) else type(rule).__name__
    found = []
    for each in (same, other):
        if isinstance(rule, str):
            with tally.guarded(name, f"2^{power} of {each.words}"):
                found.append(separability(each.X, y, each.weight))
        else:
            fitted = learn(tally, name, estimators.MaximumMargin() if name == "MaximumMargin" else rule, each, y)
            if fitted is not None:
                found.append(fitted.certificate_)
    if len(found) < 2:
        return
    tally.problems["powers of two"] += 1
    one, two = found
    back = [float(bound) for bound in np.ldexp([two.lower, two.upper], -power)]
    near = all(np.isclose(*pair, rtol=1e-6, atol=1e-9 * one.longest) for pair in zip((one.lower, one.upper), back))
    if one.status != two.status or (one.separates and not near):
        said = f"{one.status!r} {one.lower!r} {one.upper!r}, then {two.status!r} {back[0]!r} {back[1]!r}"
        tally.fail("depends on the unit", name, f"{name} on {same.words} and times 2^{power}: {said}")
