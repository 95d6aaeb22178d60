"""Decision lines: where g = 0, with margins at their distance and signed distances."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import matplotlib
from artists import named, names

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from linsep import Perceptron, plot

# S1's worked example
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])


y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])


sign = np.where(y == 2, 1, -1)


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(scope="module")
def rule():
    return Perceptron().fit(X, y)


def linear(w, w0, classes=(1, 2)):
    return SimpleNamespace(coef_=np.array([w], dtype=float), intercept_=np.array([w0]), classes_=np.array(classes))


def area(polygon):
    ahead = np.roll(polygon, -1, axis=0)
    return 0.5 * abs(float(np.sum(polygon[:, 0] * ahead[:, 1] - polygon[:, 1] * ahead[:, 0])))


def test_the_decision_line_is_where_g_is_zero(rule, ax):
    plot.decision(rule, X, y, ax)
    line = named(ax, "g(x) = 0").get_xydata()
    assert len(line) == 2 and np.linalg.norm(line[1] - line[0]) > 3
    assert rule.decision_function(line) == pytest.approx(0, abs=1e-9)


def test_the_margin_is_dashed_on_both_sides_at_the_smallest_distance(rule, ax):
    plot.decision(rule, X, y, ax)
    dashed = [line for line in ax.lines if line.is_dashed()]
    found = sorted(float(np.mean(rule.distance(line.get_xydata()))) for line in dashed)
    m = 5.75 / np.hypot(2.5, 4.5)  # x6 is nearest
    assert found == pytest.approx([-m, m])
    for line in dashed:
        assert np.ptp(rule.distance(line.get_xydata())) < 1e-9  # parallel
    assert "margin 1.117" in names(ax)


def test_a_line_that_does_not_separate_has_no_margin_and_says_so(ax):
    plot.decision(linear([1, 0], -1.2), X, y, ax)
    assert not [line for line in ax.lines if line.is_dashed()]
    assert "(1 of 9 on the wrong side)" in ax.get_title()


def test_points_are_drawn_on_their_side_with_their_label(rule, ax):
    plot.decision(rule, X, np.where(y == 2, 2, 1), ax)
    for label in (1, 2):
        assert named(ax, f"class {label}").get_offsets().tolist() == X[y == label].tolist()
    shaded = [patch.get_xy()[:-1] for patch in ax.patches]
    assert len(shaded) == 2
    for polygon, side in zip(shaded, (-1, 1), strict=True):
        assert np.all(side * rule.decision_function(polygon) >= -1e-9)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert sum(map(area, shaded)) == pytest.approx((right - left) * (top - bottom))


def test_the_arrow_of_w_stands_upright_on_the_line_and_points_to_the_positive_side(rule, ax):
    plot.decision(rule, X, y, ax)
    (arrow,) = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    tip, tail = np.array(arrow.xy), np.array(arrow.get_position())
    assert rule.decision_function([tail]) == pytest.approx(0, abs=1e-9)
    w = rule.coef_[0]
    assert (tip - tail) @ w == pytest.approx(np.linalg.norm(tip - tail) * np.linalg.norm(w))
    assert ax.get_aspect() == 1.0


def test_distances_end_at_the_foot_and_the_nearest_are_written(rule, ax):
    plot.decision(rule, X, y, ax, distances=True)
    (joined,) = [one for one in ax.collections if isinstance(one, LineCollection)]
    segments = np.array(joined.get_segments())
    assert segments[:, 0].tolist() == X.tolist()
    assert rule.decision_function(segments[:, 1]) == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) == pytest.approx(np.abs(rule.distance(X)))
    r = rule.distance(X)
    nearest = {f"{v:.4g}" for s in (-1, 1) for v in np.round(sorted(r[sign == s], key=abs)[:3], 3)}
    assert {text.get_text() for text in ax.texts} - {"", "w"} == nearest


def test_without_distances_nothing_is_joined(rule, ax):
    plot.decision(rule, X, y, ax)
    assert not [one for one in ax.collections if isinstance(one, LineCollection)]


def test_distances_are_written_along_their_segments_without_overlap(rule):
    ax = plot.decision(rule, X, y, distances=True)
    ax.figure.canvas.draw()
    texts = [text for text in ax.texts if text.get_text() not in ("", "w")]
    places = np.array([text.get_position() for text in texts])
    r = rule.distance(X)
    owners = [int(np.argmin(np.abs(r - float(text.get_text())))) for text in texts]
    w = rule.coef_[0] / np.linalg.norm(rule.coef_)
    across = np.array([-w[1], w[0]])
    assert places @ across == pytest.approx(X[owners] @ across)  # on the segment of its own point
    part = rule.distance(places) / r[owners]
    assert np.all((part > 0) & (part < 1))
    shown = ax.transData.transform(places)
    for i, j in combinations(range(len(texts)), 2):  # seen along and across the words, 8 points high
        assert abs((shown[i] - shown[j]) @ across) > 11 or abs((shown[i] - shown[j]) @ w) > 35
    plt.close(ax.figure)


def test_a_line_beside_the_data_is_brought_into_the_picture(ax):
    plot.decision(linear([1, 0], 1.0), X, y, ax)  # x = -1, the data begin at 0.5
    assert named(ax, "g(x) = 0").get_xdata().tolist() == [-1, -1]
    assert ax.get_xlim()[0] < -1


def test_a_line_far_away_does_not_squeeze_the_data(ax):
    plot.decision(linear([1, 0], 1000.0), X, y, ax, distances=True)
    assert ax.get_xlim()[0] > -5
    assert "outside the plot" in ax.get_title()


def test_w_zero_has_no_line(ax):
    plot.decision(linear([0, 0], 1.0), X, y, ax)
    assert not ax.lines and "no decision line" in ax.get_title()


def test_columns_of_very_different_ranges_are_not_drawn_to_one_scale(ax):
    plot.decision(linear([1, 0], -3.0), X * [1, 1000], y, ax)
    assert ax.get_aspect() == "auto"


def test_new_axes_are_made_and_given_ones_used(rule, ax):
    before = plt.get_fignums()
    assert plot.decision(rule, X, y, ax) is ax
    assert plt.get_fignums() == before
    made = plot.decision(rule, X, y)
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(made.figure)


def test_names_of_columns_become_names_of_axes(rule, ax):
    pd = pytest.importorskip("pandas")
    plot.decision(rule, pd.DataFrame(X, columns=["length", "width"]), y, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((2, 3)), [1, 2], "2 columns"),
        (np.zeros((2, 2)), [1, 2, 2], "2 rows"),
        ([[0, 1], [2, np.nan]], [1, 2], r"X\[1, 1\] = nan"),
        (np.zeros((2, 2)), [1, 3], "label 3"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        plot.decision(linear([1, 0], 0.0), X, y)


def test_a_rule_of_three_features_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        plot.decision(linear([1, 0, 2], 0.0), X, y)


def test_without_matplotlib_the_import_says_what_to_install():
    script = "import sys; sys.modules['matplotlib'] = None\nimport linsep\nimport linsep.plot"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip install linsep[plot]" in done.stderr.splitlines()[-1]


def test_plot_does_not_know_the_estimators():
    folder = Path(plot.__file__).parent
    assert not [path for path in folder.glob("*.py") if re.search(r"\bestimators\b", path.read_text("utf-8"))]
