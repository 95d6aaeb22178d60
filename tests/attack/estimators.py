"""Estimators of rows with many variants of their parameters; budgets are small, since claims must hold at any time."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep import (
    AveragedPerceptron,
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Relaxation,
)

SECONDS = 20.0  # a budget that no small problem needs


def _looped(rng: np.random.Generator) -> dict[str, Any]:
    """Parameters of what is learned by the loop."""
    return {
        "max_iter": int(rng.choice([1, 3, 30, 300])),
        "max_seconds": SECONDS,
        "shuffle": bool(rng.random() < 0.3),
        "keep": str(rng.choice(["auto", "auto", "last", "average", "pocket"])),
        "random_state": 0,
        "class_weight": None if rng.random() < 0.85 else "balanced",
        "stop": None if rng.random() < 0.9 else _ends_soon,
    }


def _ends_soon(found: Any) -> Any:
    """A condition of one's own: three passes, or no errors."""
    return "three passes are enough" if found.t >= 3 else found.errors == 0


def _batched(rng: np.random.Generator) -> dict[str, Any]:
    found = {**_looped(rng), "batch": bool(rng.random() < 0.3), "fit_intercept": bool(rng.random() < 0.8)}
    found["scaling"] = [None, "auto", "columns"][rng.integers(3)]
    return {**found, "keep": "auto"} if found["batch"] and found["keep"] == "average" else found


def perceptron(rng):
    return Perceptron(float(rng.choice([1.0, 0.3])), float(rng.choice([0.0, 0.0, 1.0])), **_batched(rng))


def averaged_perceptron(rng):
    own = {name: value for name, value in _looped(rng).items() if name != "keep"}
    margin = "auto" if rng.random() < 0.7 else float(rng.choice([0.0, 1.0]))
    return AveragedPerceptron(margin, fit_intercept=bool(rng.random() < 0.8), **own)


def relaxation(rng):
    found = _batched(rng)
    found["scaling"] = "auto" if found["batch"] else found["scaling"]  # the sum of moves has no scaled coordinates
    return Relaxation(float(rng.choice([0.5, 1.5, 1.9])), float(rng.choice([0.5, 1.0])), **found)


def kozinec(rng):
    tol = [None, 1e-2, 1e-6][rng.integers(3)]
    method = "plain" if tol is None and rng.random() < 0.3 else "eps"
    return Kozinec(tol=tol, method=method, bias=str(rng.choice(["free", "augmented"])), **_looped(rng))


def linear_machine(rng):
    rule, found = str(rng.choice(["perceptron", "relaxation", "kozinec"])), _batched(rng)
    found["scaling"] = found["scaling"] if rule == "perceptron" or not found["batch"] else "auto"
    return LinearMachine(rule, **{**found, "scaling": "auto"} if rule == "kozinec" else found)


def maximum_margin(rng):
    tol = ["auto", 1e-3, 1e-6][rng.integers(3)]
    return MaximumMargin(bias=str(rng.choice(["free", "augmented"])), tol=tol, max_seconds=SECONDS)


def least_squares(rng):
    method = str(rng.choice(["pinv", "pinv", "gradient", "lms", "ho-kashyap"]))
    margins = "fisher" if method == "pinv" and rng.random() < 0.4 else 1.0
    plain = {"fit_intercept": bool(margins == "fisher" or rng.random() < 0.8), "max_seconds": SECONDS}
    return LeastSquares(method, margins, max_iter=int(rng.choice([3, 100])), **plain)


def gradient_descent(rng):
    criterion = str(rng.choice(["perceptron", "relaxation", "squares"]))
    plain = {"fit_intercept": bool(rng.random() < 0.8), "max_seconds": SECONDS}
    return GradientDescent(criterion, max_iter=int(rng.choice([3, 100])), **plain)


TWO = {
    "Perceptron": perceptron,
    "AveragedPerceptron": averaged_perceptron,
    "Relaxation": relaxation,
    "Kozinec": kozinec,
    "LinearMachine": linear_machine,
    "MaximumMargin": maximum_margin,
    "LeastSquares": least_squares,
    "GradientDescent": gradient_descent,
}
MANY = {
    name: TWO[name]
    for name in ("Perceptron", "AveragedPerceptron", "Relaxation", "Kozinec", "LinearMachine", "MaximumMargin")
}


def one_vs(rng: np.random.Generator):
    """A committee of any of the two-class rules."""
    member = TWO[str(rng.choice(["Perceptron", "Kozinec", "MaximumMargin", "LeastSquares"]))](rng)
    return (OneVsAll if rng.random() < 0.5 else OneVsOne)(member)


def begin_anywhere(rng: np.random.Generator, rule: Any, width: int, count: int, n: int) -> Any:
    """The rule with a ``start``, if it takes one: any w, of any size, or any point of the hull."""
    given = rule.get_params()
    if "start" not in given or rng.random() < 0.7:
        return rule
    if given.get("rule") == "kozinec" or given.get("method") in ("pinv", "ho-kashyap"):
        return rule
    machine = isinstance(rule, LinearMachine) or count > 2
    if isinstance(rule, Kozinec):
        return rule.set_params(start=rng.choice([0.0, 1.0, 3.0], (n, count) if machine else n) + 1e-3)
    start = rng.normal(size=(count, width + 1) if machine else width + 1)
    start[..., -1] *= given.get("fit_intercept", True)
    return rule.set_params(start=np.ldexp(start, int(rng.choice([0, 0, 40, -40, 150, int(rng.integers(-1000, 1000))]))))


def describe(rule: Any) -> str:
    """The estimator as it is written, on one line."""
    return " ".join(repr(rule).split())
