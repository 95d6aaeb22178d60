"""What was fitted is what is used: parameters changed after fit change nothing until the next fit."""

import machine_cases
import numpy as np
import pytest
from honest_certificates import clouds
from sklearn.base import clone

from linsep import (
    AveragedPerceptron,
    Functions,
    GradientDescent,
    Kozinec,
    LeastSquares,
    Lifted,
    LinearMachine,
    MaximumMargin,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Polynomial,
    Quadratic,
    Relaxation,
)
from linsep.rules import Increment

TWO = clouds(3, 30, 3, 1.6)
MANY = machine_cases.clouds(3, n=40, apart=1.5)
ESTIMATORS = {
    "perceptron": (Perceptron(max_iter=5), TWO),
    "balanced": (Perceptron(max_iter=5, class_weight="balanced"), TWO),
    "perceptron, many": (Perceptron(max_iter=5), MANY),
    "averaged": (AveragedPerceptron(max_iter=5), TWO),
    "averaged, many": (AveragedPerceptron(), MANY),
    "relaxation": (Relaxation(max_iter=5), TWO),
    "kozinec": (Kozinec(), TWO),
    "kozinec, many": (Kozinec(), MANY),
    "margin": (MaximumMargin(), TWO),
    "margin, many": (MaximumMargin(), MANY),
    "soft margin": (MaximumMargin(C=1.0), TWO),
    "soft margin, many": (MaximumMargin(C=1.0), MANY),
    "soft margin, pairs": (MaximumMargin(C=1.0, multi_class="one-vs-one"), MANY),
    "squares": (LeastSquares("pinv"), TWO),
    "ridge": (LeastSquares(), TWO),
    "ridge, many": (LeastSquares(), MANY),
    "squares, many": (LeastSquares("pinv"), MANY),
    "lms": (LeastSquares(method="lms", max_iter=5), TWO),
    "descent": (GradientDescent(max_iter=5), TWO),
    "machine": (LinearMachine(max_iter=5), MANY),
    "one versus all": (OneVsAll(Perceptron(max_iter=5)), MANY),
    "one versus one": (OneVsOne(Kozinec()), MANY),
    "lifted": (Lifted(Quadratic(), Perceptron(max_iter=5)), TWO),
    "lifted committee": (Lifted(Polynomial(2), OneVsAll(Perceptron(max_iter=5))), MANY),
    "lifted functions": (Lifted(Functions([np.abs]), Perceptron(max_iter=5)), TWO),
}
OTHER = {  # another value of each parameter that has no number or truth value
    "C": 2.0, "loss": "squared_hinge", "bias": "augmented", "tol": 0.3, "method": "newton", "visits": "cyclic",
    "max_iter": 7, "max_updates": 3, "max_seconds": 9.0, "patience": 2, "theta": 0.5, "random_state": 5,
    "class_weight": {0: 3.0, 1: 1.0, 2: 1.0, 3: 1.0, -1: 2.0}, "multi_class": "one-vs-one", "keep": "last", "eps": 0.7,
    "alpha": 3.0, "rate": 0.25, "margin": 0.75, "margins": 2.0, "criterion": "squares", "rule": Increment(0.5),
    "target": 0.5, "least_score": 0.25,
    "degree": 3, "functions": [np.sin, np.cos], "estimator": Relaxation(), "classifier": Relaxation(),
    "lift": Polynomial(3), "step_tol": 0.5, "verbose": 1, "n_jobs": 2, "scaling": "columns",
    "start": [1.0], "stop": lambda progress: progress.t == 1,
}  # fmt: skip
METHODS = {"ridge": "lms", "pinv": "lms", "lms": "pinv", "eps": "plain"}
# must be the same in all calls of partial_fit
ALL_CALLS = {"fit_intercept", "bias", "rule", "method", "batch", "keep", "scaling"}


def other_value(name, value):
    """A valid value that is not ``value``."""
    last = name.rpartition("__")[2]
    if isinstance(value, bool):
        return not value
    if last == "method" and value in METHODS:
        return METHODS[value]
    if last in ("multi_class", "bias", "keep") and value == OTHER[last]:
        return {"multi_class": "one-vs-all", "bias": "free", "keep": "pocket"}[last]
    return OTHER[last]


def outputs(rule, X, y):
    """All that a fitted estimator says."""
    try:
        polynomial = str(rule.as_polynomial())
    except ValueError as error:  # of one versus one
        polynomial = str(error)
    return rule.predict(X).tolist(), rule.decision_function(X).tolist(), str(rule.check(X, y)), polynomial


CASES = [(name, parameter) for name, (rule, _) in ESTIMATORS.items() for parameter in rule.get_params(deep=True)]


@pytest.fixture(scope="module")
def fitted():
    rules = {}

    def fit(name):
        if name not in rules:
            rule, (X, y) = ESTIMATORS[name]
            rule = clone(rule).fit(X, y)
            rules[name] = rule, outputs(rule, X, y)
        return rules[name]

    return fit


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_a_changed_parameter_changes_nothing_after_fit(name, parameter, fitted):
    (rule, before), (X, y) = fitted(name), ESTIMATORS[name][1]
    value = rule.get_params()[parameter]
    rule.set_params(**{parameter: other_value(parameter, value)})
    try:
        assert "holds" in before[2]
        assert outputs(rule, X, y) == before
    finally:
        rule.set_params(**{parameter: value})


PARTS = [(name, parameter) for name, parameter in CASES if hasattr(ESTIMATORS[name][0], "partial_fit")]


@pytest.mark.parametrize(("name", "parameter"), PARTS)
def test_partial_fit_refuses_a_changed_parameter_by_name_or_uses_it(name, parameter):
    rule, (X, y) = ESTIMATORS[name]
    if getattr(rule, "class_weight", None) == "balanced":
        pytest.skip("needs all data at once")
    rule = clone(rule).partial_fit(X[:20], y[:20], classes=np.unique(y))
    value = rule.get_params()[parameter]
    rule.set_params(**{parameter: other_value(parameter, value)})
    whole = isinstance(rule, OneVsAll | OneVsOne | Lifted)
    if whole or parameter in ALL_CALLS:
        before = outputs(rule, X[:20], y[:20])
        if hasattr(rule, "partial_fit"):  # some methods of LeastSquares have none
            with pytest.raises(ValueError, match=f"^{parameter.split('__')[0]}"):
                rule.partial_fit(X[20:], y[20:])
        rule.set_params(**{parameter: value})
        assert outputs(rule, X[:20], y[:20]) == before
    else:
        rule.partial_fit(X[20:], y[20:])
        assert rule.check(X[20:], y[20:])
    rule.set_params(**{parameter: value}).partial_fit(X[20:], y[20:])


def test_a_changed_class_weight_counts_in_the_next_part():
    X, y = TWO
    plain, heavy = (Perceptron().partial_fit(X[:20], y[:20], classes=[-1, 1]) for _ in range(2))
    heavy.set_params(class_weight={-1: 50.0, 1: 1.0})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.where(rng.random(30) < 0.5, 1, -1)
    assert not np.array_equal(plain.partial_fit(X, y).coef_, heavy.partial_fit(X, y).coef_)


def test_a_dictionary_that_the_user_changes_later_is_not_used():
    X, y = TWO
    weights = {-1: 2.0, 1: 1.0}
    rule = MaximumMargin(C=1.0, class_weight=weights).fit(X, y)
    before = outputs(rule, X, y)
    weights[-1] = 30.0
    assert outputs(rule, X, y) == before


def test_kozinec_waits_for_both_classes():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]]), np.array([0, 0, 1, 1])
    for form in (np.asarray, np.float32):
        rule = Kozinec().partial_fit(form(X[:2]), y[:2], classes=[0, 1])
        assert not rule.coef_.any() and not rule.certificate_.proved
        assert "rows of one class only" in str(rule.certificate_)
        assert rule.check(form(X[:2]), y[:2])
        rule.partial_fit(form(X[2:]), y[2:])
        assert rule.predict(X).tolist() == [0, 0, 1, 1]
        assert rule.check(form(X[2:]), y[2:])
        assert (
            not rule.certificate_.proved or rule.certificate_.upper < np.inf or rule.certificate_.status == "separated"
        )


def test_certificates_that_others_must_check_say_so():
    X, y = MANY
    rule = Lifted(Quadratic(), Perceptron(max_iter=5)).fit(X, y)
    assert rule.check(X, y)
    assert "call check of the estimator" in str(rule.certificate_.check(X, y))
    committee = OneVsAll(Perceptron(max_iter=5)).fit(X, y)
    assert committee.check(X, y)
    with pytest.raises(AttributeError, match=r"certificates_, one per member; check\(X, y\) checks all"):
        _ = committee.certificate_
