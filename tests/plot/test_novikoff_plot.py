"""Novikoff's inequalities, R and m, underfit and overfit: drawn numbers against independent ones."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import cvxpy
import numpy as np
import pytest
from artists import named
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from linsep import Lifted, MaximumMargin, Perceptron, Polynomial, plot
from linsep.risk import StructuralRisk

# S1's worked example
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
Y = np.array([1] * 5 + [2] * 4)
A = np.where(Y == 2, 1, -1)[:, None] * np.column_stack([X, np.ones(9)])


@pytest.fixture
def ax():
    yield Figure().subplots()
    plt.close("all")


def test_both_inequalities_along_s1s_run(ax):
    plot.novikoff(X, Y, ax)
    w = np.cumsum([A[0], A[5], A[4]], axis=0)  # S1's updates
    assert w[-1].tolist() == [2.5, -4.5, -1.0]
    u, t = cvxpy.Variable(3), cvxpy.Variable()
    cvxpy.Problem(cvxpy.Maximize(t), [A @ u >= t, cvxpy.norm(u) <= 1]).solve(solver="CLARABEL")
    D, m, steps = np.linalg.norm(A, axis=1).max(), float(t.value), np.arange(1, 4)
    assert named(ax, "|w|²").get_ydata() == pytest.approx((w**2).sum(axis=1))
    assert named(ax, "⟨w,u⟩²").get_ydata() == pytest.approx((w @ u.value) ** 2, rel=1e-5)
    for name, power, factor in (("t D²", 1, D * D), ("t² m²", 2, m * m)):
        x, drawn = named(ax, name).get_data()
        assert drawn == pytest.approx(factor * np.array(x) ** power, rel=1e-5)
        assert x == pytest.approx([1, (D / m) ** 2], rel=1e-5)
    assert np.all(steps * D * D >= named(ax, "|w|²").get_ydata())
    assert np.all(named(ax, "⟨w,u⟩²").get_ydata() >= steps**2 * m * m * (1 - 1e-9))
    assert ax.get_title() == f"3 updates, at most D²/m² = {round((D / m) ** 2, 3):.4g}"


def test_many_columns_and_no_bias(ax):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(30, 5))
    plot.novikoff(data, data @ np.arange(1, 6) > 0, ax, bias="none")
    w, lower = named(ax, "|w|²").get_ydata(), named(ax, "⟨w,u⟩²").get_ydata()
    assert np.all(w >= lower - 1e-9)
    assert len(w) == int(ax.get_title().split()[0])


def test_data_that_no_plane_separates_have_no_bound(ax):
    with pytest.raises(ValueError, match="novikoff: expected separable points"):
        plot.novikoff([[0.0], [1.0], [2.0]], [0, 1, 0], ax)
    with pytest.raises(ValueError, match="expected bias='augmented' or 'none'"):
        plot.novikoff(X, Y, ax, bias="free")


def test_the_ball_and_the_margin_of_the_capacity(ax):
    plot.radius_and_margin(MaximumMargin().fit(X, Y), X, Y, ax)
    c, R = cvxpy.Variable(2), cvxpy.Variable()
    cvxpy.Problem(cvxpy.Minimize(R), [cvxpy.norm(x - c) <= R for x in X]).solve(solver="CLARABEL")
    ball = named(ax, "smallest ball")
    assert ball.center == pytest.approx(c.value, abs=1e-4)
    assert ball.radius == pytest.approx(float(R.value), rel=1e-6)
    m = np.sqrt(1.5**2 + 3**2) / 2  # half of the way from x5 to x6, (1.5, 2.5) to (4.5, 1)
    assert ax.get_title() == f"R = {R.value:.4g}, m = {m:.4g}: h ≤ R²/m² + 1 = {R.value**2 / m**2 + 1:.4g}"
    with pytest.raises(ValueError, match="expected a rule that separates"):
        plot.radius_and_margin(Perceptron().fit(X, Y), X[:, ::-1], Y, ax)


def test_underfit_fit_and_overfit_are_the_rungs_with_their_risks():
    rng = np.random.default_rng(2)
    data = rng.uniform(-1, 1, (60, 2))
    y = (data[:, 1] > data[:, 0] ** 2 - 0.3).astype(int)
    y[rng.random(60) < 0.1] ^= 1
    ladder = [(f"degree {d}", Lifted(Polynomial(d), MaximumMargin(C=10.0))) for d in (1, 2, 6)]
    model = StructuralRisk(ladder, choose="cross-validation").fit(data, y)
    assert model.best_name_ == "degree 2"
    axes = plot.fits(model, data, y)
    assert [ax.get_title().splitlines()[0] for ax in axes] == [
        "underfit: degree 1",
        "fit: degree 2",
        "overfit: degree 6",
    ]
    for ax, rule in zip(axes, model.estimators_, strict=True):
        wrong = float(np.mean(rule.predict(data) != y))
        assert f"empirical risk {round(wrong, 4):.4g}" in ax.get_title()
    with pytest.raises(ValueError, match="expected a fitted StructuralRisk"):
        plot.fits(Perceptron(), data, y)
    plt.close("all")
