"""The error of any hyperplane on given Gaussians (F5): by Monte Carlo, by hand, and as Anderson computes it."""

import numpy as np
import pytest
from scipy.special import ndtr

from linsep import Anderson
from linsep.bayes import hyperplane_errors


def test_errors_are_those_of_samples():
    rng = np.random.default_rng(0)
    means, roots = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3))
    w, b, y = rng.normal(size=3), 0.3, ["no", "yes", "no", "yes"]
    found = hyperplane_errors(w, b, means, [A @ A.T for A in roots], y)
    n = 200_000
    for mean, A, label, error in zip(means, roots, y, found, strict=True):
        says_yes = (mean + rng.normal(size=(n, 3)) @ A.T) @ w + b > 0
        wrong = np.mean(says_yes != (label == "yes"))
        assert abs(wrong - error) < 5 * np.sqrt(max(error * (1 - error), 1e-6) / n)


def test_by_hand_and_as_the_task_of_anderson_has_it():
    means, covariances = np.array([[0.0, 0.0], [3.0, 4.0], [5.0, 0.0]]), [np.eye(2), [1.0, 4.0], 2.0]
    assert hyperplane_errors([2.0, 0.0], -2.0, means, covariances, [0, 1, 1]) == pytest.approx(
        [ndtr(-1.0), ndtr(-2.0), ndtr(-4.0 / np.sqrt(2.0))], rel=1e-14
    )
    matrices = [np.eye(2), np.diag([1.0, 4.0]), 2.0 * np.eye(2)]
    rule = Anderson().fit_gaussians(means, matrices, [0, 1, 1])
    found = hyperplane_errors(rule.coef_, rule.intercept_[0], means, matrices, [0, 1, 1])
    assert found == pytest.approx(rule.errors_, rel=1e-6)


def test_points_and_faults():
    points = hyperplane_errors([1.0], 0.0, [[-1.0], [2.0], [-3.0], [0.0]], [0.0] * 4, [0, 1, 1, 1])
    assert points.tolist() == [0.0, 0.0, 1.0, 1.0]  # right, right, wrong, on the hyperplane
    for arguments, said in (
        (([0.0], 0.0, [[1.0]], [1.0], [1]), "not all 0"),
        (([1.0, 2.0], 0.0, [[1.0]], [1.0], [1]), "w: expected 1 numbers"),
        (([1.0], 0.0, [[1.0], [2.0]], [1.0], [0, 1]), "expected 2 each"),
        (([1.0], 0.0, [[1.0], [2.0]], [1.0, 1.0], [1, 1]), "expected two labels"),
        (([1.0], 0.0, [[1.0], [2.0]], [1.0, [1.0, 2.0]], [0, 1]), r"covariances\[1\]: expected a number"),
        (([1.0], 0.0, [[1.0], [2.0]], [1.0, -1.0], [0, 1]), r"covariances\[1\]: expected a variance >= 0"),
    ):
        with pytest.raises(ValueError, match=said):
            hyperplane_errors(*arguments)


def test_one_number_is_the_variance_of_all():
    means = [[0.0, 0.0], [3.0, 5.0]]
    same = hyperplane_errors([1.0, 0.0], -1.0, means, [4.0, 4.0], [0, 1])
    np.testing.assert_array_equal(hyperplane_errors([1.0, 0.0], -1.0, means, 4.0, [0, 1]), same)
    assert same == pytest.approx(ndtr([-0.5, -1.0]))  # 1 and 2 over a deviation of 2
