"""Weights of rows: 0 is absence, and in batch forms an integer is a repetition."""

import re

import loop_cases as cases
import numpy as np
import pytest

from linsep import GradientDescent, Kozinec, LeastSquares, Perceptron, Relaxation


def reciprocal(k):
    return 1 / k


LOOPED = [
    Perceptron(keep="last"),
    Perceptron(keep="average"),
    Perceptron(keep="pocket"),
    Perceptron(),
    Perceptron(rate="1/k", margin=0.5),
    Perceptron(rate=reciprocal, keep="last"),
    Perceptron(batch=True),
    Perceptron(batch=True, keep="last", rate="1/sqrt(k)"),
    Perceptron(shuffle=True, random_state=0, keep="last"),
    Perceptron(class_weight={0: 2.0, 1: 0.5}),
    Perceptron(class_weight="balanced", keep="last"),
    Relaxation(max_iter=20),
    Relaxation(batch=True, max_iter=20, keep="last"),
    Kozinec(max_iter=20),
    Kozinec(max_iter=20, keep="last"),
    Kozinec(max_iter=20, bias="augmented"),
]
CLOSED = [
    LeastSquares("pinv"),
    LeastSquares(),
    LeastSquares("pinv", margins="fisher"),
    LeastSquares(method="gradient", max_iter=30),
    LeastSquares(method="lms", max_iter=10),
    LeastSquares(method="ho-kashyap", max_iter=30),
    GradientDescent(max_iter=30),
    GradientDescent(criterion="perceptron", max_iter=30),
    GradientDescent(criterion="squares", max_iter=30, keep="pocket"),
]


def name(rule):
    """What a test is called: the rule as written, without addresses of functions."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(rule)).replace("\n", "")


def plane(rule):
    return np.append(rule.coef_[0], rule.intercept_)


@pytest.mark.parametrize("rule", [*LOOPED, *CLOSED], ids=name)
@pytest.mark.parametrize("apart", [0.25, 1.5], ids=["overlapping", "apart"])
def test_a_weight_of_zero_is_an_absent_row(rule, apart):
    X, sign = cases.floats(28, n=60, d=3, apart=apart)
    y, rng = (sign > 0).astype(int), np.random.default_rng(1)
    weight = rng.integers(0, 2, 60) * rng.uniform(0.5, 2.0, 60)
    X[weight == 0] += 3 * rng.normal(size=(np.sum(weight == 0), 3))  # rows that would matter
    present = weight > 0
    expected = plane(rule.fit(X[present], y[present], sample_weight=weight[present]))
    violated = rule.certificate_.violated
    found = plane(rule.fit(X, y, sample_weight=weight))
    if rule in LOOPED:
        assert np.array_equal(found, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert rule.certificate_.violated == violated
    assert rule.certificate_.size == present.sum()
    assert rule.check(X, y, sample_weight=weight)
    assert rule.certificate_.check(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(batch=True, keep="last", max_iter=30),
        Perceptron(batch=True, rate="1/k", margin=0.5, max_iter=30),
        Relaxation(batch=True, max_iter=30, keep="last"),
        *(rule for rule in CLOSED if getattr(rule, "method", "") != "lms"),
    ],
    ids=name,
)
def test_an_integer_weight_is_a_repetition_in_batch_forms(rule):
    X, sign = cases.floats(29, n=50, d=3, apart=0.3)
    y, weight = (sign > 0).astype(int), np.random.default_rng(2).integers(0, 4, 50)
    repeated = plane(rule.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    np.testing.assert_allclose(plane(rule.fit(X, y, sample_weight=weight)), repeated, rtol=1e-7, atol=1e-9)
