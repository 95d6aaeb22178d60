"""Cones of probabilities and Cover's count, by brute force."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
from itertools import product

import numpy as np
import pytest
from artists import named, polygons
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.path import Path
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from scipy.optimize import linprog

from linsep import plot
from linsep.plot.cones import compute_cones
from linsep.plot.dichotomies import share_separable

REJECT = np.array([[0, 1, 1], [1, 0, 1], [2, 1, 0], [0.4, 0.4, 0.4]])


@pytest.mark.parametrize("priors", [[1 / 3] * 3, [0.6, 0.3, 0.1]])
@pytest.mark.parametrize("W", [1 - np.eye(3), REJECT], ids=["0/1", "reject"])
def test_a_point_is_in_the_cone_of_its_best_decision(W, priors):
    cones = compute_cones(W * np.array(priors))
    rng = np.random.default_rng(0)
    decided = set()
    for p in rng.dirichlet(np.ones(3), 300):
        risks = (W * priors) @ p
        d = int(np.argmin(risks))
        decided.add(d)
        if np.partition(risks, 1)[1] - risks[d] > 1e-3:
            assert [len(cone) > 0 and Path(cone[:, :2]).contains_point(p[:2]) for cone in cones] == [
                k == d for k in range(len(cones))
            ]
    assert {k for k, cone in enumerate(cones) if len(cone)} >= decided
    for cone in cones:
        assert cone.sum(axis=1) == pytest.approx(1)


def test_three_cones_are_drawn_in_space_and_two_in_the_plane():
    ax = plot.probability_cones(REJECT, [0.5, 0.3, 0.2])
    cones = compute_cones(REJECT * np.array([0.5, 0.3, 0.2]))
    drawn = [one for one in ax.collections if isinstance(one, Poly3DCollection)][1::2]
    for cone, polygon in zip(cones, drawn, strict=True):
        assert polygons(polygon)[0] == pytest.approx(cone)
    plt.close("all")
    flat = Figure().subplots()
    plot.probability_cones([[0, 3], [1, 0]], ax=flat, classes=["ill", "well"])
    polygon = named(flat, "decide class well").get_xy()
    ray = polygon[1] / polygon[1].sum()
    assert ray == pytest.approx([3 / 4, 1 / 4])  # where 3 p(x|2) = p(x|1)


def test_bad_problems_are_refused():
    with pytest.raises(ValueError, match="expected a loss of two or three classes"):
        plot.probability_cones(1 - np.eye(4))
    with pytest.raises(ValueError, match="expected 3 positive priors"):
        plot.probability_cones(1 - np.eye(3), [0.5, 0.5])
    with pytest.raises(ValueError, match="3 classes need axes with depth"):
        plot.probability_cones(ax=Figure().subplots())


def separable(a):
    found = linprog(np.zeros(a.shape[1]), A_ub=-a, b_ub=-np.ones(len(a)), bounds=(None, None))
    return found.status == 0


@pytest.mark.parametrize(("N", "d"), [(3, 2), (4, 2), (4, 3), (6, 3), (7, 3), (6, 4)])
def test_covers_count_is_that_of_linear_programs(N, d):
    points = np.column_stack([np.random.default_rng(N).normal(size=(N, d - 1)), np.ones(N)])
    count = sum(separable(np.array(signs)[:, None] * points) for signs in product([-1, 1], repeat=N))
    assert share_separable(N, d) == pytest.approx(count / 2**N)


def test_the_curves_are_covers_shares():
    ax = Figure().subplots()
    plot.dichotomies((2, 100), ax, most=3.0)
    x, shares = named(ax, "d = 100").get_data()
    assert shares[x == 2] == [0.5]
    assert shares[x <= 1].tolist() == [1.0] * 100
    assert shares.tolist() == [float(share_separable(n, 100)) for n in range(1, 301)]
    with pytest.raises(ValueError, match="whole numbers of weights"):
        plot.dichotomies((2.5,), ax)
