"""Default budgets: on data that no rule can separate every estimator ends by itself, and its certificate holds."""

import loop_cases as cases
import numpy as np
import pytest

from linsep import GradientDescent, Kozinec, LeastSquares, Perceptron, Relaxation

DEFAULTS = [
    Perceptron(),
    Perceptron(batch=True),
    Perceptron(fit_intercept=False),
    pytest.param(Relaxation(), marks=pytest.mark.long),  # 20,000 passes
    pytest.param(Relaxation(batch=True), marks=pytest.mark.long),
    Kozinec(),
    Kozinec(bias="augmented"),
    Kozinec(eps=1e-9),
    LeastSquares(),
    LeastSquares("pinv"),
    LeastSquares(method="gradient"),
    LeastSquares(method="lms"),
    LeastSquares(method="ho-kashyap"),
    GradientDescent(),
    GradientDescent(criterion="perceptron"),
    GradientDescent(criterion="squares"),
]


def inseparable():
    """Data sets that no hyperplane separates."""
    rng = np.random.default_rng(33)
    X, y = cases.xor()
    yield "xor", X, y
    yield "xor far away", X + 1e6, y
    yield "one place", np.zeros((4, 2)), np.array([1, 1, 2, 2])
    yield "clouds", rng.normal(size=(50, 3)), rng.integers(1, 3, 50)


@pytest.mark.parametrize("rule", DEFAULTS, ids=str)
def test_no_default_hangs(rule):
    for kind, X, y in inseparable():
        rule.fit(X, y)
        assert not getattr(rule.certificate_, "separates", False), kind  # a ridge claims its cost only
        verdict = rule.check(X, y)
        assert verdict, f"{kind}: {verdict}"
