"""Empirical risk for any loss."""

import numpy as np
import pytest
from sklearn.metrics import zero_one_loss

from linsep.risk import empirical_risk


def test_zero_one_loss_is_scikit_learns():
    rng = np.random.default_rng(0)
    truth, decision, weight = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.random(50)
    assert empirical_risk(truth, decision) == pytest.approx(zero_one_loss(truth, decision))
    expected = zero_one_loss(truth, decision, sample_weight=weight)
    assert empirical_risk(truth, decision, sample_weight=weight) == pytest.approx(expected)


def test_a_matrix_is_decision_by_truth():
    table = [[0, 1, 2], [10, 0, 3], [20, 30, 0]]
    assert empirical_risk(["a"], ["b"], table, labels=["a", "b", "c"]) == 10
    assert empirical_risk(["b"], ["a"], table, labels=["a", "b", "c"]) == 1
    assert empirical_risk(["c", "a"], ["a", "c"], table, labels=["a", "b", "c"]) == (2 + 20) / 2


def test_a_matrix_equals_the_function_it_tabulates():
    rng = np.random.default_rng(1)
    table = rng.random((3, 3))
    truth, decision = rng.integers(0, 3, 30), rng.integers(0, 3, 30)
    by_function = empirical_risk(truth, decision, lambda q, k: table[q, k])
    assert empirical_risk(truth, decision, table) == pytest.approx(by_function)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1]), "y_pred"),
        (([], []), "y_true"),
        (([0, 1], [0, 1], [[0, 1]]), "2 x 2 matrix"),
        (([0, 1], [0, 1], lambda q, k: float("nan")), "NaN"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        empirical_risk(*arguments)


def test_unknown_labels_and_weights_are_named():
    with pytest.raises(ValueError, match="y_true: the label 'c' is not one of"):
        empirical_risk(["c"], ["a"], [[0, 1], [1, 0]], labels=["a", "b"])
    with pytest.raises(ValueError, match=r"[Ww]eights"):
        empirical_risk([0, 1], [0, 1], sample_weight=[0, 0])


def test_labellings_have_a_risk_too():
    truth, found = [[0, 1], np.array([2, 2]), (1,)], [(0, 1), [2, 0], [0]]
    assert empirical_risk([list(t) for t in truth], [list(f) for f in found]) == pytest.approx(2 / 3)
    assert empirical_risk(truth, found, "hamming") == pytest.approx((0 + 0.5 + 1) / 3)
    assert empirical_risk(np.array([[0, 1], [2, 2]]), [[0, 1], [2, 0]], "hamming") == pytest.approx(0.25)
    assert empirical_risk(truth, found, lambda q, k: float(len(q)), sample_weight=[1, 0, 1]) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="different lengths"):
        empirical_risk([[0, 1]], [[0]], "hamming")
    with pytest.raises(ValueError, match="'huber'"):
        empirical_risk([[0, 1]], [[0, 1]], "huber")
