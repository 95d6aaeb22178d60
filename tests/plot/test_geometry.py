"""Lines and half-planes inside a rectangle."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stages import examples

from linsep.plot.geometry import PlotBox, bounding_box, clip_line, clip_polygon


def area(polygon):
    ahead = np.roll(polygon, -1, axis=0)
    return 0.5 * abs(float(np.sum(polygon[:, 0] * ahead[:, 1] - polygon[:, 1] * ahead[:, 0])))


numbers = st.integers(-5, 5).map(float)


@given(numbers, numbers, numbers)
@examples(200)
def test_a_line_cuts_the_box_into_its_two_sides(n1, n2, offset):
    box, normal = PlotBox(-2.0, 3.0, -1.0, 4.0), np.array([n1, n2])
    if not normal.any():
        return
    ends = clip_line(box, normal, offset)
    assert ends @ normal + offset == pytest.approx(0, abs=1e-9)
    g = box.corners @ normal + offset
    assert (len(ends) == 2) or not (g.min() < 0 < g.max())
    covered = 0.0
    for side in (-1, 1):
        p = clip_polygon(box.corners, side * normal, side * offset)
        assert np.all(side * (p @ normal + offset) >= -1e-9)
        covered += area(p)
    assert covered == pytest.approx(25.0)


def test_one_point_has_a_box_too():
    assert np.all(bounding_box(np.array([[2.0, 3.0]])).size > 0)
