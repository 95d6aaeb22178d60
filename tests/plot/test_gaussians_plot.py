"""Pictures of Gaussians: ellipses that touch the line, errors of the history, the example."""

import runpy

import matplotlib
from conftest import REPOSITORY

matplotlib.use("Agg")

import numpy as np
import pytest
from gaussians_at_random import random_gaussians
from matplotlib.figure import Figure
from scipy.special import ndtr

from linsep import Anderson
from linsep.plot import gaussians, worst_error

EXAMPLE = REPOSITORY / "examples" / "worst_class.py"


@pytest.fixture
def ax():
    return Figure().subplots()


def test_the_largest_ellipses_touch_the_line_and_none_crosses_it(ax):
    means, covariances, sign = random_gaussians(1, 6, 2, 3.0)
    rule = Anderson().fit_gaussians(means, covariances, sign)
    gaussians(rule, ax=ax, steps=3)
    curves = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 181]
    assert len(curves) == 18
    for j in range(6):
        score = sign[j] * (curves[3 * j + 2] @ rule.coef_[0] + rule.intercept_[0])
        assert score.min() > -1e-9
        if j in rule.worst_:
            assert score.min() < 1e-2 * score.max()
        np.testing.assert_allclose(curves[3 * j][:-1].mean(axis=0), means[j], atol=1e-9)
    dots = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 1 and line.get_marker() == "o"]
    touching = [dot for dot in dots if abs(dot @ rule.coef_[0] + rule.intercept_[0]) < 1e-9]
    assert len(touching) == len(rule.worst_)


@pytest.mark.parametrize(
    "covariances", [0.0, [1.0, 0.0], [[1.0, 2.0], [0.5, 0.1]], [np.eye(2), (np.ones((2, 1)), 0.1)]]
)
def test_every_kind_of_covariance_is_drawn(covariances, ax):
    rule = Anderson().fit_gaussians([[0.0, 0.0], [3.0, 1.0]], covariances, ["a", "b"])
    gaussians(rule, ax=ax)
    assert {"class a", "class b"} <= {text.get_text() for text in ax.get_legend().get_texts()}


def test_a_rule_of_three_features_is_refused():
    rule = Anderson().fit_gaussians(*random_gaussians(1, 6, 3, 3.0))
    with pytest.raises(ValueError, match="two numbers"):
        gaussians(rule)


def test_errors_are_those_of_the_history(ax):
    means, covariances, sign = random_gaussians(1, 6, 2, 3.0)
    rule = Anderson(method="direction", tol=1e-5).fit_gaussians(means, covariances, sign)
    worst_error(rule, ax)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [ndtr(-line["lower"]) for line in rule.history_])
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(rule.error_, rel=1e-6)
    assert ax.lines[1].get_ydata()[0] == pytest.approx(rule.certificate_.best_error)


def test_the_loop_has_a_history_too(ax):
    means, covariances, sign = random_gaussians(1, 6, 2, 3.0)
    best = Anderson().fit_gaussians(means, covariances, sign).error_
    rule = Anderson(1.2 * best, method="kozinec").fit_gaussians(means, covariances, sign)
    worst_error(rule, ax)
    assert any("required" in text.get_text() for text in ax.get_legend().get_texts())


def test_no_history_is_said():
    with pytest.raises(ValueError, match="empty"):
        worst_error(Anderson().fit_gaussians(*random_gaussians(1, 6, 2, 3.0)))


@pytest.mark.long
def test_the_example_protects_the_rare_form(tmp_path, capsys):
    runpy.run_path(str(EXAMPLE))["main"](str(tmp_path))
    said = capsys.readouterr().out
    assert "The certificate holds" in said
    rare = [float(line.split("ill, rare form ")[1].split(" %")[0]) for line in said.splitlines() if "fresh" in line]
    assert rare[1] < 0.2 * rare[0]
    assert (tmp_path / "worst_class.png").stat().st_size > 20_000
