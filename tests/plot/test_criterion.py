"""Criteria over two weights: contours are J's own values, the path is gradient descent."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from artists import arrows, named, polygons, texts
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from linsep import plot

X, Y = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 0, 0])
A = np.where(Y == 1, 1, -1)[:, None] * X


def J_of(name, w, b=None):
    """S0 (25), (28), S1's J_r and J_s, as they are printed."""
    s, b = A @ w, float(name in ("relaxation", "squares")) if b is None else b
    short = s <= b
    return {
        "errors": short.sum(),
        "perceptron": (b - s)[short].sum(),
        "relaxation": 0.5 * ((s - b) ** 2 / (A**2).sum(axis=1))[short].sum(),
        "squares": ((s - b) ** 2).sum(),
    }[name]


@pytest.fixture
def ax():
    yield Figure().subplots()
    plt.close("all")


@pytest.mark.parametrize("name", ["perceptron", "relaxation", "squares"])
def test_contours_are_where_the_criterion_has_their_value(name, ax):
    plot.criterion(X, Y, name, ax)
    lines = [one for one in ax.collections if type(one).__name__ == "QuadContourSet" and not one.filled]
    (contours,) = lines
    size = 0
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        points = path.vertices[::7]
        size += len(points)
        assert [J_of(name, w) for w in points] == pytest.approx([level] * len(points), rel=0.02, abs=0.03)
    assert size > 50


@pytest.mark.parametrize(("name", "rate"), [("perceptron", 0.1), ("relaxation", 0.5), ("squares", 0.05)])
def test_the_path_is_gradient_descent(name, rate, ax):
    start, h = np.array([-0.6, -0.7]), 1e-6
    plot.criterion(X, Y, name, ax, start=start, rate=rate, steps=4)
    w, expected = start, []
    for _ in range(4):
        gradient = [(J_of(name, w + h * e) - J_of(name, w - h * e)) / (2 * h) for e in np.eye(2)]
        expected.append([*w, *(-rate * np.array(gradient))])
        w = w - rate * np.array(gradient)
    drawn = arrows(ax, "gradient descent")
    assert drawn == pytest.approx(np.array(expected)[: len(drawn)], abs=1e-5)
    assert len(drawn) >= 3
    assert all(np.allclose(move[2:], 0) for move in expected[len(drawn) :])  # a solution stays


def test_the_number_of_errors_has_steps_and_no_descent(ax):
    plot.criterion(X, Y, "errors", ax)
    (mesh,) = [one for one in ax.collections if isinstance(one, QuadMesh)]
    corners = mesh.get_coordinates()
    centres = 0.25 * (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1])
    rows, columns = np.random.default_rng(0).integers(0, 161, (2, 200))
    drawn = mesh.get_array().reshape(161, 161)[rows, columns]
    assert drawn.tolist() == [J_of("errors", w) for w in centres[rows, columns]]
    assert texts(ax) == []


def test_the_path_on_a_surface_lies_on_it():
    ax = plot.criterion(X, Y, "squares", surface=True, steps=3)
    w1, w2, height = named(ax, "gradient descent").get_data_3d()
    assert height == pytest.approx([J_of("squares", np.array(w)) for w in zip(w1, w2, strict=True)])
    assert np.all(np.diff(height) < 0)
    plt.close("all")


def test_plateaus_of_the_number_of_errors_are_level():
    ax = plot.criterion(X, Y, "errors", surface=True)
    squares = polygons(ax.collections[0])
    assert np.all(np.ptp(squares[:, :, 2], axis=1) == 0)
    centres = squares.mean(axis=1)[::97]
    assert centres[:, 2].tolist() == [J_of("errors", w) for w in centres[:, :2]]
    plt.close("all")


def test_one_column_has_a_bias_and_a_criterion_may_be_your_own(ax):
    def J(w, A):
        return float(np.sum(np.logaddexp(0, -(A @ w))))

    def gradient(w, A):
        return -(A.T @ (1 / (1 + np.exp(A @ w))))

    plot.criterion([[1.0], [3.0]], [0, 1], (J, gradient), ax, start=[0.0, 0.0], rate=1.0, steps=1)
    assert arrows(ax, "gradient descent")[0] == pytest.approx([0.0, 0.0, 1.0, 0.0])  # half of (-1, -1) + (3, 1)
    assert ax.get_ylabel() == "w₀"


def test_bad_arguments_are_refused(ax):
    with pytest.raises(ValueError, match="expected one of errors, perceptron, relaxation, squares"):
        plot.criterion(X, Y, "logistic", ax)
    with pytest.raises(ValueError, match="needs axes with projection='3d'"):
        plot.criterion(X, Y, ax=ax, surface=True)
    with pytest.raises(ValueError, match="expected 2 finite numbers"):
        plot.criterion(X, Y, ax=ax, start=[1.0])
