"""Units and directions: the numbers that are drawn, computed here once more."""

import golden
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm

from linsep import Anderson, Perceptron, plot


@pytest.fixture
def ax():
    return Figure(figsize=(8, 6)).subplots()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_figure_5_1_has_every_weight_and_the_sum(ax):
    rule = Perceptron(keep="last", scaling=None).fit(golden.X, golden.Y)
    plot.units(rule, golden.X[0], ax)
    shown = texts(ax)
    assert {"2.5", "-4.5", "-1", "x₁ = 0.5", "x₂ = 3", "g(x) = -13.25"} <= {*shown}  # 1.25 - 13.5 - 1
    assert ax.get_title() == "g(x) = -13.25 ≤ 0: class 1"
    assert rule.predict(golden.X[:1]) == [1]


def test_a_machine_has_one_sum_per_class_and_the_largest_decides(ax):
    X, label = np.array([[0.0, 0.1], [4.0, 0.0], [2.0, 3.0]]), ["a", "b", "c"]
    rule = Perceptron(keep="last", scaling=None).fit(X, label)
    plot.units(rule, X[2], ax)
    scores = rule.decision_function(X[2:])[0]
    for k, score in enumerate(scores):
        assert f"f{'₁₂₃'[k]}(x) = {score:.4g}" in texts(ax)
    assert ax.get_title().endswith("is the largest: class c")
    assert len(ax.lines) == 9 + 3 + 3 + 3 + 1  # weights, lines to the largest, inputs, sums, decision


def test_what_has_no_room_is_refused(ax):
    with pytest.raises(ValueError, match="at most 10 columns"):
        plot.units(Perceptron().fit(np.eye(11), np.arange(11) % 2), ax=ax)
    with pytest.raises(ValueError, match="expected a fitted rule"):
        plot.units(Perceptron(), ax=ax)
    with pytest.raises(ValueError, match="expected x of 2 numbers"):
        plot.units(Perceptron().fit(golden.X, golden.Y), [1.0], ax)


def test_the_worst_error_along_directions_is_that_of_a_search_and_its_least_is_andersons(ax):
    means = np.array([[0.0, 0.0], [1.5, -2.5], [5.0, 0.5], [3.0, 4.0]])
    sigma, labels = np.array([np.eye(2), 0.5 * np.eye(2), [[1.2, 0.3], [0.3, 0.8]], np.diag([1.6, 0.7])]), [1, 1, 2, 2]
    plot.directions(means, sigma, labels, ax)
    angle, error = ax.lines[0].get_data()
    for k in range(200, 1441, 211):
        w, sign = np.array([np.cos(np.radians(angle[k])), np.sin(np.radians(angle[k]))]), np.array([-1, -1, 1, 1])
        spread = np.sqrt(np.einsum("i,kij,j->k", w, sigma, w))
        b = np.linspace(-12.0, 12.0, 20_001)[:, None]
        assert error[k] == pytest.approx(norm.cdf(-sign * (means @ w + b) / spread).max(axis=1).min(), abs=2e-3)
    task = Anderson().fit_gaussians(means, sigma, labels)
    assert error.min() == pytest.approx(task.error_, rel=1e-2) and error.min() >= task.error_
    useful = error[error < 0.5]
    assert np.sum(np.diff(np.sign(np.diff(useful))) != 0) == 1  # unimodal: falls, then rises
    with pytest.raises(ValueError, match="in the plane"):
        plot.directions([[0.0], [1.0]], 1.0, [0, 1], ax)
