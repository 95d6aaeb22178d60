"""The averaged perceptron with margin, against twenty plain lines on rows that were scaled by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score

from linsep import AveragedPerceptron, Perceptron
from linsep.estimators.averaged_perceptron import LENGTHS


def average(A, y, margin, passes):
    """The mean of w over all visits of a perceptron with margin; A is augmented, y is the number of the class."""
    W = np.zeros((y.max() + 1, A.shape[1]))
    total = np.zeros_like(W)
    for _ in range(passes):
        for a, own in zip(A, y, strict=True):
            scores = W @ a
            rivals = np.where(np.arange(len(W)) == own, -np.inf, scores)
            rival = int(rivals.argmax())
            if scores[own] - scores[rival] <= margin:
                W[own] += a
                W[rival] -= a
            total += W
    return total / (passes * len(A))


def powers_of_two(size):
    return np.exp2(np.rint(np.log2(size)))


def test_many_classes_are_learned_as_by_hand():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    A = np.column_stack([(X - X.mean(axis=0)) / powers_of_two(X.std(axis=0)), np.ones(len(y))])
    expected = average(A, y, LENGTHS * np.mean(np.sum(A * A, axis=1)), 10)[:, :-1]
    found = AveragedPerceptron().fit(X, y).coef_ * powers_of_two(X.std(axis=0))
    np.testing.assert_allclose(found / found[0, 0], expected / expected[0, 0], rtol=1e-9)  # the length means nothing


def test_two_classes_with_a_given_margin_and_no_scaling():
    rng = np.random.default_rng(1)
    X = rng.integers(-8, 9, (60, 3)).astype(float)
    y = (X @ [1, 2, -1] + rng.normal(size=60) > 0).astype(int)
    a = np.where(y == 1, 1, -1)[:, None] * np.column_stack([X, np.ones(60)])
    w, total = np.zeros(4), np.zeros(4)
    for _ in range(4):
        for each in a:
            w = w + each if w @ each <= 5.0 else w
            total += w
    rule = AveragedPerceptron(5.0, scaling=None, max_iter=4).fit(X, y)
    np.testing.assert_allclose(rule.coef_[0] * (total[0] / rule.coef_[0, 0]), total[:-1], rtol=1e-9)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_it_is_more_accurate_than_the_plain_perceptron_and_its_certificate_holds(load):
    X, y = load(return_X_y=True)
    rule = AveragedPerceptron().fit(X, y)
    assert rule.check(X, y)
    assert cross_val_score(AveragedPerceptron(), X, y).mean() > cross_val_score(Perceptron(scaling=None), X, y).mean()


def test_rows_sorted_by_class_are_no_harm():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.argsort(y, kind="stable")
    mixed, in_order = (AveragedPerceptron().fit(A, b).score(X, y) for A, b in ((X, y), (X[order], y[order])))
    assert in_order > mixed - 0.01


def test_sparse_rows_stay_sparse_and_dense_rows_are_scaled():
    X = np.array([[0.0, 2.0], [1.0, 0.0], [3.0, 1.0], [0.0, 0.5]])
    assert AveragedPerceptron().fit(sp.csr_array(X), [0, 1, 1, 0])._scale.metric is None
    assert AveragedPerceptron().fit(X, [0, 1, 1, 0])._scale.metric is not None


def test_parts_keep_the_margin_of_the_first_one():
    X, y = load_wine(return_X_y=True)
    rule = AveragedPerceptron().partial_fit(X[::2], y[::2], classes=[0, 1, 2])
    margin = rule._margin
    assert rule.partial_fit(X[1::2], y[1::2])._margin == margin
    assert rule.score(X, y) > 0.9
