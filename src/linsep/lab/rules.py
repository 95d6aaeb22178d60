"""The rules of the lectures by name, as estimators with the lectures' numbers: no scaling, the last w."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..estimators.anderson import Anderson
from ..estimators.gradient_descent import GradientDescent
from ..estimators.kozinec import Kozinec
from ..estimators.least_squares import LeastSquares
from ..estimators.linear_machine import LinearMachine
from ..estimators.maximum_margin import MaximumMargin
from ..estimators.one_vs import OneVsAll, OneVsOne
from ..estimators.perceptron import Perceptron
from ..estimators.relaxation import Relaxation
from ..estimators.sequences.classifier import SequenceClassifier
from ..lifting import Functions, Lifted, Polynomial

PASSES = 10_000  # never the budget that ends a recording: that is `max_updates`


class NamedRule(NamedTuple):
    """A rule of the catalogue."""

    build: Callable[..., Any]  # the estimator, from the options
    options: dict[str, float]  # numbers that may be set, with their defaults
    many: bool = False  # whether it takes more than two classes
    data: str = "points"  # "gaussians": means with covariances; "words": short words with labels


def _perceptron(**fixed: Any) -> Callable[..., Any]:
    def build(rate: float = 1.0, margin: float = 0.0) -> Any:
        given = {"rate": rate, "margin": margin, "keep": "last", "scaling": None, "max_iter": PASSES}
        return Perceptron(**{**given, **fixed})

    return build


def _relaxation(**fixed: Any) -> Callable[..., Any]:
    def build(rate: float = 1.5, margin: float = 1.0) -> Any:
        return Relaxation(rate, margin, **{"keep": "last", "scaling": None, "max_iter": PASSES, **fixed})

    return build


def _eps_kozinec(bias: str) -> Callable[..., Any]:
    def build(tol: float = 0.01) -> Any:
        return Kozinec(tol=tol, bias=bias, keep="last", max_iter=PASSES)

    return build


def _lifted(degree: float = 2) -> Any:
    """x to (x, x^2 - 1) for one column, as in S0, to all products for two."""
    return Lifted(Polynomial(int(degree)), _perceptron()())


def _parabola() -> Any:
    return Lifted(Functions(["x^2 - 1"], centre=False, scale=False), _perceptron()())


def _plain_kozinec(bias: str) -> Callable[..., Any]:
    return lambda: Kozinec(method="plain", bias=bias, keep="last", max_iter=PASSES)


def _ellipsoids(method: str) -> Callable[..., Any]:
    return lambda error=0.005: Anderson(error=error, method=method)


def _structured(rule: str) -> Callable[..., Any]:
    """S2's chain: no end term, no weights of labels alone; the words in their order."""
    given = {"fit_end": False, "fit_intercept": False, "keep": "last", "shuffle": False, "max_iter": PASSES}
    return lambda: SequenceClassifier(rule, **given)


RULES: dict[str, NamedRule] = {
    "perceptron": NamedRule(_perceptron(), {"rate": 1.0}),
    "batch perceptron": NamedRule(_perceptron(batch=True), {"rate": 1.0}),
    "perceptron eta(k)": NamedRule(_perceptron(rate="1/k", batch=True), {}),
    "perceptron with margin": NamedRule(_perceptron(), {"rate": 1.0, "margin": 1.0}),
    "pocket": NamedRule(_perceptron(keep="pocket"), {"rate": 1.0}),
    "averaged perceptron": NamedRule(_perceptron(keep="average"), {"rate": 1.0}),
    "relaxation": NamedRule(_relaxation(), {"rate": 1.5, "margin": 1.0}),
    "batch relaxation": NamedRule(_relaxation(batch=True), {"rate": 0.1, "margin": 1.0}),
    "lms": NamedRule(lambda: LeastSquares("lms"), {}),
    "ho-kashyap": NamedRule(lambda: LeastSquares("ho-kashyap", margins=0.1), {}),
    "squares by gradient": NamedRule(lambda: LeastSquares("gradient"), {}),
    "gradient descent": NamedRule(lambda rate=0.1: GradientDescent("perceptron", rate=rate), {"rate": 0.1}),
    "kozinec": NamedRule(_plain_kozinec("free"), {}),
    "kozinec augmented": NamedRule(_plain_kozinec("augmented"), {}),
    "eps-kozinec": NamedRule(_eps_kozinec("free"), {"tol": 0.01}),
    "eps-kozinec augmented": NamedRule(_eps_kozinec("augmented"), {"tol": 0.01}),
    "maximum margin": NamedRule(lambda: MaximumMargin(), {}, many=True),
    "soft margin": NamedRule(lambda C=1.0: MaximumMargin(C=C), {"C": 1.0}, many=True),
    "linear machine": NamedRule(lambda: LinearMachine(keep="last", scaling=None, max_iter=PASSES), {}, many=True),
    "one versus all": NamedRule(lambda: OneVsAll(_perceptron()()), {}, many=True),
    "one versus one": NamedRule(lambda: OneVsOne(_perceptron()()), {}, many=True),
    "lifting": NamedRule(_lifted, {"degree": 2}),
    "lifting to x^2 - 1": NamedRule(_parabola, {}),
    "anderson": NamedRule(lambda: Anderson(), {}, data="gaussians"),
    "anderson by directions": NamedRule(lambda: Anderson(method="direction", tol=1e-6), {}, data="gaussians"),
    "kozinec on ellipsoids": NamedRule(_ellipsoids("kozinec"), {"error": 0.005}, data="gaussians"),
    "perceptron on ellipsoids": NamedRule(_ellipsoids("perceptron"), {"error": 0.005}, data="gaussians"),
    "structured perceptron": NamedRule(_structured("perceptron"), {}, data="words"),
    "structured kozinec": NamedRule(_structured("kozinec"), {}, data="words"),
}
RANGES = {
    "rate": (1e-6, 1e6),
    "margin": (0.0, 1e6),
    "tol": (1e-9, 0.999),
    "C": (1e-6, 1e9),
    "degree": (1, 6),
    "error": (1e-6, 0.5),
}


def make_rule(name: str, **options: float) -> Any:
    """The estimator of a name of the catalogue, with numbers set.

    >>> make_rule("eps-kozinec", tol=0.1)
    Kozinec(keep='last', max_iter=10000, tol=0.1)
    """
    if name not in RULES:
        raise ValueError(f"rule: expected one of {', '.join(RULES)}, got {str(name)[:60]!r}.")
    rule = RULES[name]
    for key, value in options.items():
        if key not in rule.options:
            raise ValueError(f"rule: {name} has no option {str(key)[:60]!r}, but {sorted(rule.options)}.")
        make_option(key, value)
    return rule.build(**{**rule.options, **options})


def make_option(key: str, value: Any) -> float:
    """The value of an option, if it is a number in its range.

    >>> make_option("degree", 3)
    3
    """
    low, high = RANGES[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{key}: expected a number, got {str(value)[:60]!r}.")
    if not low <= value <= high:
        raise ValueError(f"{key}: expected a number from {low:g} to {high:g}, got {value!r}.")
    return value
