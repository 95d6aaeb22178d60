"""The mirrored hull, Novikoff's figure and one update, compared with a QP and with the lectures' formulas."""

from __future__ import annotations

import cvxpy
import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from artists import arrows, named
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from stages import examples

from linsep import plot
from linsep.plot.hulls import find_corners
from linsep.plot.mirrored_hull import find_nearest
from linsep.rules import Increment

X, Y = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 0, 0])
A = np.where(Y == 1, 1, -1)[:, None] * X


@pytest.fixture
def ax():
    return Figure().subplots()


def nearest_by_qp(a):
    weights = cvxpy.Variable(len(a), nonneg=True)
    cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(a.T @ weights)), [cvxpy.sum(weights) == 1]).solve(solver="CLARABEL")
    return a.T @ weights.value


def test_the_nearest_point_is_that_of_a_quadratic_program(ax):
    plot.mirrored_hull(X, Y, ax)
    (drawn,) = arrows(ax, "w*, the nearest point")
    best = nearest_by_qp(A)
    assert drawn == pytest.approx([0, 0, *best], abs=1e-6)
    for name, offset in (("⟨w*,a⟩ = 0", 0.0), ("⟨w*,a⟩ = m|w*|", best @ best)):
        assert np.column_stack(named(ax, name).get_data()) @ best == pytest.approx(offset, abs=1e-6)
    assert named(ax, "a of class 0 (mirrored)").get_offsets().tolist() == A[2:].tolist()


@examples(40)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=7, unique=True))
def test_nearest_points_of_small_hulls(points):
    a = np.array(points, dtype=float)
    assert np.linalg.norm(find_nearest(find_corners(a))) == pytest.approx(np.linalg.norm(nearest_by_qp(a)), abs=2e-4)


def test_kozinecs_path_follows_his_formula_and_the_title_has_both_bounds(ax):
    plot.mirrored_hull(X, Y, ax, updates=6)
    path = np.column_stack(named(ax, "w of Kozinec").get_data())
    w = A[0]
    for k, after in enumerate(path):
        assert after == pytest.approx(w)
        upper, scores = np.linalg.norm(w), A @ w
        if k + 1 < len(path):  # the next w is the nearest point of a segment from w to some vector
            feet = [w + np.clip(w @ (w - a) / ((w - a) @ (w - a) or 1.0), 0, 1) * (a - w) for a in A]
            assert min(np.linalg.norm(foot - path[k + 1]) for foot in feet) < 1e-12
            assert np.linalg.norm(path[k + 1]) < upper
            w = path[k + 1]
    lower = scores.min() / upper
    assert f"= {lower:.4g} ≤ m ≤ |w| = {upper:.4g}" in ax.get_title()
    assert lower <= np.linalg.norm(nearest_by_qp(A)) <= upper


def test_a_hull_that_contains_0_is_not_separable(ax):
    plot.mirrored_hull([[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]], [1, 1, 0], ax)
    assert ax.get_title().startswith("not separable")
    with pytest.raises(ValueError, match="longest_vector: expected separable points"):
        plot.longest_vector([[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]], [1, 1, 0], ax)


def test_novikoffs_figure_has_the_longest_vector_and_the_largest_margin(ax):
    plot.longest_vector(X, Y, ax)
    D, m = np.linalg.norm(A, axis=1).max(), np.linalg.norm(nearest_by_qp(A))
    assert named(ax, "|a| = D").radius == pytest.approx(D)
    ends = np.column_stack(named(ax, "⟨u,a⟩ = m").get_data())
    assert np.abs(np.cross(np.append(ends[1] - ends[0], 0), np.append(ends[0], 0))[2]) / np.linalg.norm(
        ends[1] - ends[0]
    ) == pytest.approx(m, abs=1e-6)
    assert ax.get_title() == f"D = {D:.4g}, m = {m:.4g}: at most D²/m² = {round((D / m) ** 2, 3):.4g} updates"


def test_kozinecs_step_is_the_foot_on_the_segment_and_the_perceptrons_the_sum(ax):
    w, a = np.array([1.0, 2.0]), np.array([2.0, -1.5])
    plot.step(w, a, ax=ax)
    (drawn,) = arrows(ax, "new w")
    t = np.linspace(0, 1, 100_001)[:, None]
    segment = (1 - t) * w + t * a
    assert drawn[2:] == pytest.approx(segment[np.argmin(np.linalg.norm(segment, axis=1))], abs=1e-4)
    other = Figure().subplots()
    plot.step(w, a, Increment(1.0), ax=other)
    assert arrows(other, "new w")[0].tolist() == [0, 0, 3.0, 0.5]
    for one, name, normal in ((ax, "before", w), (ax, "after", drawn[2:])):
        assert np.column_stack(named(one, f"⟨w,x⟩ = 0 {name}").get_data()) @ normal == pytest.approx(0, abs=1e-9)


def test_a_step_needs_a_violated_vector(ax):
    with pytest.raises(ValueError, match="a is not violated"):
        plot.step([1.0, 0.0], [1.0, 1.0], ax=ax)
    with pytest.raises(ValueError, match="not both 0, as w"):
        plot.step([0.0, 0.0], [1.0, 1.0], ax=ax)
