"""The weight space: cone, vectors and path are those of the problem."""

from __future__ import annotations

import runpy

import matplotlib
from artists import arrows, named, names
from conftest import REPOSITORY

matplotlib.use("Agg")
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from stages import examples

from linsep import plot
from linsep.plot.geometry import PlotBox
from linsep.plot.weight_space import compute_cone, find_cone_bounds

EXAMPLES = REPOSITORY / "examples"


@pytest.fixture
def ax():
    return Figure().subplots()


CONE = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 0, 0])


def test_the_solution_cone_satisfies_every_vector(ax):
    data, labels = CONE
    a = np.where(labels == 1, 1, -1)[:, None] * data
    plot.weight_space(data, labels, ax=ax)
    polygon = named(ax, "solution cone").get_xy()[:-1]
    assert len(polygon) >= 3
    assert np.all(polygon @ a.T >= -1e-9)
    assert np.all(polygon.mean(axis=0) @ a.T > 0.1)  # and is no thread


def test_the_cone_is_all_there_is(ax):
    """A grid of the picture: inside the polygon if and only if all scalar products are positive."""
    data, labels = CONE
    a = np.where(labels == 1, 1, -1)[:, None] * data
    plot.weight_space(data, labels, ax=ax)
    grid = np.random.default_rng(0).uniform(
        [ax.get_xlim()[0], ax.get_ylim()[0]], [ax.get_xlim()[1], ax.get_ylim()[1]], (500, 2)
    )
    inside = named(ax, "solution cone").get_path().contains_points(grid)
    assert 10 < inside.sum() < 490
    assert inside.tolist() == np.all(grid @ a.T > 0, axis=1).tolist()


def test_the_path_is_the_perceptrons(ax):
    data, labels = CONE
    plot.weight_space(data, labels, ax=ax)
    w, a = np.zeros(2), np.where(labels == 1, 1, -1)[:, None] * data
    path, clean, i = [w], 0, 0
    while clean < 4:
        clean, w = (clean + 1, w) if w @ a[i % 4] > 0 else (0, w + a[i % 4])
        path, i = (path if clean else [*path, w]), i + 1
    steps = arrows(ax, "path of w")
    assert steps[:, :2] == pytest.approx(np.array(path[:-1]))
    assert steps[:, :2] + steps[:, 2:] == pytest.approx(np.array(path[1:]))
    assert {text.get_text() for text in ax.texts} == {str(k) for k in range(len(path))}


def test_vectors_are_mirrored_and_their_lines_are_upright_on_them(ax):
    data, labels = CONE
    plot.weight_space(data, labels, ax=ax)
    assert arrows(ax, "a of class 1")[:, 2:].tolist() == data[:2].tolist()
    assert arrows(ax, "a of class 0 (mirrored)")[:, 2:].tolist() == (-data[2:]).tolist()
    drawn = [np.array(one.get_segments()) for one in ax.collections if isinstance(one, LineCollection)]
    for segments, a in zip(drawn, (-data[2:], data[:2]), strict=True):
        assert np.einsum("kpj,kj->kp", segments, a) == pytest.approx(0, abs=1e-9)
    assert ax.get_aspect() == 1.0


def test_an_empty_cone_is_reported(ax):
    plot.weight_space([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, 1, 0], ax=ax)
    assert ax.get_title().startswith("no solution")
    assert "solution cone" not in names(ax)
    assert len(arrows(ax, "path of w")) == 12  # a path without an end is cut short


def test_one_feature_has_the_bias_as_its_second_weight(ax):
    plot.weight_space([[1.0], [3.0]], [0, 1], ax=ax)
    assert arrows(ax, "a of class 0 (mirrored)")[:, 2:].tolist() == [[-1, -1]]
    assert arrows(ax, "a of class 1")[:, 2:].tolist() == [[3, 1]]
    assert ax.get_ylabel() == "w₀"


def test_a_given_path_is_drawn_as_it_is(ax):
    path = [[0.0, 0.0], [1.0, 2.0], [0.5, 2.5]]
    plot.weight_space(*CONE, path=path, ax=ax)
    assert arrows(ax, "path of w").tolist() == [[0, 0, 1, 2], [1, 2, -0.5, 0.5]]


def test_a_path_of_three_weights_and_a_single_class_are_refused():
    with pytest.raises(ValueError, match=r"\(k, 2\)"):
        plot.weight_space(*CONE, path=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="expected two classes, got 1: 0"):
        plot.weight_space([[1.0], [3.0]], [0, 0])


angles = st.lists(st.integers(0, 359), min_size=1, max_size=8)


@given(angles)
@examples(200)
def test_the_cone_is_empty_exactly_if_no_direction_satisfies_all(degrees):
    """Referee: half degrees all round, for vectors at whole degrees; a cone is at least half a degree wide."""
    a = np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    tried = np.radians(np.arange(0.5, 360, 0.5))
    scores = np.column_stack([np.cos(tried), np.sin(tried)]) @ a.T
    solvable = bool(np.any(np.all(scores > 1e-9, axis=1)))
    assert (len(find_cone_bounds(a)) == 2) == solvable
    polygon = compute_cone(a, PlotBox(-1.0, 2.0, -1.5, 1.0))
    assert (len(polygon) >= 3) == solvable
    assert np.all(polygon @ a.T >= -1e-9)


def test_the_zero_vector_leaves_no_solution():
    assert len(find_cone_bounds(np.array([[1.0, 0.0], [0.0, 0.0]]))) == 0


def test_the_weight_space_example_draws(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "weight_space.py"))["main"](str(tmp_path))
    assert capsys.readouterr().out.count("no solution") == 1
    assert (tmp_path / "weight_space.png").stat().st_size > 10_000
    plt.close("all")
