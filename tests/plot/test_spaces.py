"""The three spaces: augmented by 1, mirrored by the label, one line or plane through 0."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from artists import named, polygons
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from linsep import MaximumMargin, Perceptron, plot
from linsep.plot.axes_3d import cut_box

LINE = np.array([[0.5], [1.0], [2.0], [3.0]]), np.array([-1, -1, 1, 1])
PLANE = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0], [5.5, 0.5]]), np.array([1, 1, 2, 2])


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_points_of_a_line_become_vectors_of_the_plane():
    X, y = LINE
    rule = Perceptron(keep="last", scaling=None).fit(X, y)
    w = np.array([rule.coef_[0, 0], rule.intercept_[0]])
    line, augmented, mirrored = plot.three_spaces(rule, X, y)
    assert named(line, "⟨w,x⟩ + w₀ = 0").get_xdata() == pytest.approx(-w[1] / w[0])
    assert named(line, "class 1").get_offsets()[:, 0].tolist() == [2.0, 3.0]
    assert named(augmented, "class -1").get_offsets().tolist() == [[0.5, 1.0], [1.0, 1.0]]
    assert named(mirrored, "class -1").get_offsets().tolist() == [[-0.5, -1.0], [-1.0, -1.0]]
    assert named(mirrored, "class 1").get_offsets().tolist() == [[2.0, 1.0], [3.0, 1.0]]
    for ax, name in ((augmented, "⟨w′,x′⟩ = 0"), (mirrored, "⟨w′,a⟩ = 0")):
        ends = np.column_stack(named(ax, name).get_data())
        assert ends @ w == pytest.approx(0, abs=1e-9)
        assert np.linalg.norm(ends[1] - ends[0]) > 1


def test_points_of_the_plane_become_vectors_of_the_space():
    X, y = PLANE
    rule = MaximumMargin().fit(X, y)
    w = np.append(rule.coef_[0], rule.intercept_)
    axes = plot.three_spaces(rule, X, y)
    assert [ax.name for ax in axes] == ["rectilinear", "3d", "3d"]
    for ax, sign in ((axes[1], 1.0), (axes[2], -1.0)):
        (plane,) = [one for one in ax.collections if isinstance(one, Poly3DCollection)]
        (corners,) = polygons(plane)
        assert len(corners) >= 3
        assert corners @ w == pytest.approx(0, abs=1e-9)
        drawn = np.asarray(np.column_stack(named(ax, "class 1")._offsets3d))
        assert drawn == pytest.approx(sign * np.column_stack([X[:2], np.ones(2)]))


def test_without_a_rule_the_points_alone_are_drawn():
    axes = plot.three_spaces(None, *LINE)
    assert [line.get_label() for ax in axes for line in ax.lines if "⟨" in line.get_label()] == []


def test_wrong_axes_are_refused():
    with pytest.raises(ValueError, match="the last two with projection='3d'"):
        plot.three_spaces(None, *PLANE, axes=Figure().subplots(1, 3))
    with pytest.raises(ValueError, match="expected X with 1 or 2 columns"):
        plot.three_spaces(None, np.zeros((2, 3)), [0, 1])


@pytest.mark.parametrize("seed", range(5))
def test_a_plane_cuts_a_box_where_its_edges_cross_it(seed):
    rng = np.random.default_rng(seed)
    limits, w, w0 = np.array([[-1.0, 1.0], [0.0, 2.0], [-3.0, 1.0]]), rng.normal(size=3), rng.normal()
    corners = cut_box(limits, w, w0)
    expected = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for i in (0, 1):
            for j in (0, 1):
                point = np.zeros(3)
                point[others] = limits[others[0], i], limits[others[1], j]
                at = -(w0 + w @ point) / w[axis]
                if limits[axis, 0] <= at <= limits[axis, 1]:
                    point[axis] = at
                    expected.append(point)
    assert len(corners) == len(expected)
    assert all(np.linalg.norm(corners - point, axis=1).min() < 1e-9 for point in expected)
