"""The picture of two hulls: what it shows is the geometry that was computed."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from linsep import MaximumMargin
from linsep.plot import hulls

SQUARES = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 2.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0], [5.0, 2.0]])
SIDES = np.array([0, 0, 0, 0, 1, 1, 1])


def drawn(X, y, **parameters):
    return hulls(MaximumMargin(**parameters).fit(X, y), X, y, Figure().subplots())


def line(ax, label):
    return next(each.get_xydata() for each in ax.get_lines() if each.get_label() == label)


def test_the_nearest_points_are_joined_at_right_angles_to_the_line():
    ax = drawn(SQUARES, SIDES)
    near, ends = line(ax, "nearest points"), line(ax, "g(x) = 0")
    np.testing.assert_allclose(near, [[1.0, 1.0], [4.0, 1.0]], atol=1e-9)
    assert (near[1] - near[0]) @ (ends[1] - ends[0]) == pytest.approx(0.0, abs=1e-9)
    assert "margin 1.5" in ax.get_title()


def test_both_hulls_have_their_corners():
    polygons = [patch.get_xy() for patch in drawn(SQUARES, SIDES).patches]
    assert {tuple(corner) for corner in polygons[0]} == {tuple(row) for row in SQUARES[:4]}
    assert {tuple(corner) for corner in polygons[1]} == {tuple(row) for row in SQUARES[4:]}


def test_hulls_that_intersect_show_where():
    X = np.vstack([SQUARES, [[0.5, 1.0]]])
    ax = drawn(X, np.append(SIDES, 1))
    assert ax.get_title().startswith("not separable: the hulls intersect at ")
    common = line(ax, "common point of the hulls")[0]
    assert 0.0 <= common[0] <= 1.0
    assert 0.0 <= common[1] <= 2.0


def test_points_on_a_line_and_single_points_have_hulls_too():
    ax = drawn(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [5.0, 0.0]]), np.array([0, 0, 0, 1]))
    outlines = [{tuple(point) for point in each.get_xydata()} for each in ax.get_lines()[:2]]
    assert outlines == [{(0.0, 0.0), (2.0, 2.0)}, {(5.0, 0.0)}]
    np.testing.assert_allclose(line(ax, "nearest points"), [[2.0, 2.0], [5.0, 0.0]], atol=1e-9)


def test_what_is_no_maximum_margin_is_refused():
    with pytest.raises(ValueError, match="hulls: expected a fitted MaximumMargin"):
        hulls(SimpleNamespace(coef_=np.ones((1, 2))), SQUARES, SIDES)
    rule = MaximumMargin().fit(np.hstack([SQUARES, SQUARES]), SIDES)
    with pytest.raises(ValueError, match="hulls: expected a fitted rule with one w of two numbers"):
        hulls(rule, SQUARES, SIDES)
