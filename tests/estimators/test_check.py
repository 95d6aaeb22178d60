"""check(X, y, sample_weight) of every estimator: it takes what fit takes, and catches other data."""

from dataclasses import replace

import chain_structures as chains
import graph_structures as graphs
import machine_cases
import numpy as np
import pytest
from honest_certificates import clouds
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from linsep import (
    Anderson,
    AveragedPerceptron,
    GradientDescent,
    Kozinec,
    LeastSquares,
    Lifted,
    LinearMachine,
    MaximumMargin,
    MaximumMarginCV,
    NetworkClassifier,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Quadratic,
    Relaxation,
    SequenceClassifier,
    StructuredClassifier,
)

TWO = clouds(3, 30, 3, 1.6)
MANY = machine_cases.clouds(3, n=40, apart=1.5)
PLAIN_LABELS = chains.sequences(0)
SEQUENCES = [x.astype(float) for x in PLAIN_LABELS[0]], [list(y) for y in PLAIN_LABELS[1]]
GRAPHS = graphs.labelled_graphs(0, tree=True)
ESTIMATORS = {
    "perceptron": (Perceptron(), TWO),
    "averaged": (AveragedPerceptron(), TWO),
    "relaxation": (Relaxation(), TWO),
    "kozinec": (Kozinec(), TWO),
    "balanced": (Perceptron(class_weight="balanced", batch=True), TWO),
    "margin": (MaximumMargin(), TWO),
    "soft margin": (MaximumMargin(C=1.0), TWO),
    "soft margin, chosen": (MaximumMarginCV([0.1, 1.0]), TWO),
    "squares": (LeastSquares("pinv"), TWO),
    "ridge": (LeastSquares(), TWO),
    "ridge, many": (LeastSquares(), MANY),
    "ho-kashyap": (LeastSquares(method="ho-kashyap"), TWO),
    "descent": (GradientDescent(), TWO),
    "anderson": (Anderson(), TWO),
    "lifted": (Lifted(Quadratic(), Perceptron()), TWO),
    "machine": (LinearMachine(), MANY),
    "perceptron, many": (Perceptron(), MANY),
    "kozinec, many": (Kozinec(), MANY),
    "margin, many": (MaximumMargin(), MANY),
    "soft margin, many": (MaximumMargin(C=1.0), MANY),
    "squares, many": (LeastSquares("pinv"), MANY),
    "one versus all": (OneVsAll(Perceptron()), MANY),
    "one versus one": (OneVsOne(Kozinec()), MANY),
    "lifted committee": (Lifted(Quadratic(), OneVsAll(Perceptron())), MANY),
    "structured": (StructuredClassifier(chains.phi, labels=chains.words), PLAIN_LABELS),
    "sequences": (SequenceClassifier(random_state=0), SEQUENCES),
    "networks": (NetworkClassifier(engine="elimination", random_state=0), GRAPHS),
}


def weights(y):
    """Some rows absent, others of weight 1 or 2."""
    return 1.0 * (np.arange(len(y)) % 7 > 0) + (np.arange(len(y)) % 3 == 0) * (np.arange(len(y)) % 7 > 0)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_was_fitted_is_checked(name):
    rule, (X, y) = ESTIMATORS[name]
    rule = clone(rule).fit(X, y)
    verdict = rule.check(X, y)
    assert verdict, str(verdict)
    assert "holds" in str(verdict) and verdict.lower <= verdict.upper * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_weights_of_fit_are_those_of_the_check(name):
    rule, (X, y) = ESTIMATORS[name]
    weight = weights(y)
    rule = clone(rule).fit(X, y, sample_weight=weight)
    verdict = rule.check(X, y, sample_weight=weight)
    assert verdict, str(verdict)
    assert rule.check(X, y, weight)  # its third argument
    assert not rule.check(X, y)  # rows that fit had not


@pytest.mark.parametrize("name", ESTIMATORS)
def test_other_data_are_caught(name):
    rule, (X, y) = ESTIMATORS[name]
    rule = clone(rule).fit(X, y)
    assert not rule.check(X[:-1], y[:-1])
    if isinstance(X, np.ndarray):
        assert not rule.check(1.5 * X + 0.25, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_changed_certificate_is_caught(name):
    rule, (X, y) = ESTIMATORS[name]
    rule = clone(rule).fit(X, y)
    holder = getattr(rule, "classifier_", rule)
    holder = getattr(holder, "committee_", holder)
    holder = holder.estimators_[0] if hasattr(holder, "estimators_") else holder
    claim = holder.certificate_
    holder.certificate_ = replace(claim, upper=claim.upper - 0.01 * abs(claim.upper) - 1e-3)
    assert not rule.check(X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_before_fit_there_is_nothing_to_check(name):
    rule, data = ESTIMATORS[name]
    with pytest.raises(NotFittedError):
        clone(rule).check(*data)
