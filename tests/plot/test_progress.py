"""Bounds and mistakes against updates and passes are those of the history."""

from __future__ import annotations

import matplotlib
from artists import named, names

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from linsep import Perceptron, plot

# S1's worked example
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])


y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(scope="module")
def rule():
    return Perceptron().fit(X, y)


def history(updates, lower, upper):
    keys = ("pass", "updates", "mistakes", "lower", "upper")
    count = range(1, len(updates) + 1)
    return [dict(zip(keys, row, strict=True)) for row in zip(count, updates, updates, lower, upper, strict=True)]


def test_bounds_are_those_of_the_history(ax):
    past = history([2, 4, 5], [-0.2, np.nan, 1.1], [np.inf, 2.0, 1.5])
    plot.bounds(past, ax)
    assert named(ax, "upper bound").get_xydata().tolist() == [[4, 2.0], [5, 1.5]]
    assert named(ax, "lower bound").get_xydata().tolist() == [[2, -0.2], [5, 1.1]]
    assert ax.get_xscale() == ax.get_yscale() == "linear"


def test_the_gap_lies_between_the_bounds(ax):
    plot.bounds(history([1, 2, 3], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    gap = named(ax, "contains the best margin").get_path()
    assert np.ptp(gap.vertices[:, 0]) == 2
    assert gap.contains_points([[1.5, 0.5], [2.9, 0.35], [2.9, 0.65]]).all()
    assert not gap.contains_points([[1.5, 0.1], [1.5, 0.95], [2.9, 0.8]]).any()


def test_nothing_is_shaded_before_the_first_lower_bound(ax):
    plot.bounds(history([1, 2, 3], [np.nan, 0.2, np.nan], [0.9, 0.8, 0.7]), ax)
    gap = named(ax, "contains the best margin").get_path()
    assert gap.vertices[:, 0].min() == 2 and gap.contains_points([[2.9, 0.25]]).all()
    other = Figure().subplots()
    plot.bounds(history([1, 2], [np.nan, np.nan], [0.9, 0.8]), other)
    assert not other.patches


def test_an_estimator_shows_what_its_certificate_proves(rule, ax):
    plot.bounds(rule, ax)
    found = rule.certificate_
    dots = [line.get_xydata()[0].tolist() for line in ax.lines if line.get_marker() == "D" and len(line.get_xdata())]
    assert dots == [[3, found.upper], [3, found.lower]]
    assert {text.get_text() for text in ax.texts} == {f"{found.upper:.4g}", f"{found.lower:.4g}"}
    assert named(ax, "upper bound").get_ydata().tolist() == [*(one["upper"] for one in rule.history_), found.upper]
    assert named(ax, "lower bound").get_ydata()[-1] == found.lower


def test_many_updates_make_the_axis_logarithmic(ax):
    plot.bounds(history([1, 50, 101], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    assert ax.get_xscale() == "log"


def test_two_decades_are_still_linear_and_zero_is_shown(ax):
    plot.bounds(history([1, 50, 100], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    assert ax.get_xscale() == "linear"
    other = Figure().subplots()
    plot.bounds(history([0, 1, 500], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), other)
    assert other.get_xscale() == "symlog"


def test_bounds_of_many_sizes_are_logarithmic_and_hide_only_what_is_not_positive(ax):
    plot.bounds(history([1, 2, 3], [-5.0, 0.001, 0.002], [9.0, 0.1, 0.003]), ax)
    assert ax.get_yscale() == "log" and ax.get_ylim()[0] < 0.001
    assert "lower bound (where positive)" in names(ax)


@pytest.mark.parametrize("draw", [plot.bounds, plot.mistakes])
def test_no_history_is_said(draw):
    with pytest.raises(ValueError, match="empty"):
        draw([])
    with pytest.raises(ValueError, match="has no history_"):
        draw(Perceptron())


def test_mistakes_are_those_of_the_history(rule, ax):
    plot.mistakes(rule, ax)
    assert ax.lines[0].get_xydata().tolist() == [[1, 2], [2, 1], [3, 0]]
    assert ax.get_ylim()[0] == 0
    assert plot.mistakes(history(range(1, 200), range(1, 200), range(1, 200))).get_xscale() == "log"
    plt.close("all")
