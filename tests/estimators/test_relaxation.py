"""Relaxation with margin (C6): where scores end, and S1's sum beside the mean of the moves."""

from fractions import Fraction

import golden
import numpy as np
import pytest
import reference
from loop_cases import floats

from linsep import GradientDescent, LinearMachine, Relaxation


def weights(rule):
    return np.append(rule.coef_[0], rule.intercept_[0])


@pytest.mark.parametrize("batch", [False, True, "mean"], ids=str)
@pytest.mark.parametrize("rate", [0.5, 1.0, 1.5, 1.9])
@pytest.mark.parametrize("margin", [1.0, 0.1, 7.0])
def test_every_score_ends_above_the_margin_in_exact_arithmetic(rate, margin, batch):
    X, sign = floats(3, apart=1.5)
    rule = Relaxation(rate, margin, batch=batch, keep="last", max_iter=20_000).fit(X, sign)
    w = [Fraction(x) for x in weights(rule).tolist()]
    scores = [s * (sum(a * Fraction(x) for a, x in zip(w, row, strict=False)) + w[-1]) for s, row in
              zip(sign.tolist(), X.tolist(), strict=True)]  # fmt: skip
    assert rule.certificate_.status == "separated" and min(scores) >= margin


def test_a_machine_ends_above_margin_1():
    X, label = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]]), [0, 1, 2]
    g = LinearMachine("relaxation", keep="last").fit(X, label).decision_function(X)
    assert (g[[0, 1, 2], label] - np.sort(g, axis=1)[:, -2]).min() >= 1.0


def test_the_sum_of_all_moves_is_s1s():
    X, y = np.array([[0.0], [2.0]]), [0, 1]  # a = (0, -1), (2, 1): b - <w,a> = 1 for both at w = 0
    with pytest.warns(UserWarning, match="Relaxation: the budget is spent"):
        rule = Relaxation(0.5, batch="sum", max_iter=1, keep="last").fit(X, y)
    np.testing.assert_allclose(weights(rule), [0.5 * 2 / 5, 0.5 * (1 / 5 - 1)], rtol=1e-8)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("form", ["sum", "mean", True], ids=str)
def test_each_form_is_the_reference(form):
    A = reference.mirrored(golden.X, np.where(np.equal(golden.Y, 2), 1, -1))
    rule = Relaxation(0.2, 1.0, batch=form, keep="last", max_iter=30).fit(golden.X, golden.Y)
    w, steps = reference.batch_relaxation(A, 1.0, 0.2, 30, form="safe" if form is True else form)
    np.testing.assert_allclose(weights(rule), w, rtol=1e-9)
    assert rule.certificate_.updates == steps


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_sum_is_gradient_descent_on_j_r():
    X, sign = floats(4, apart=0.3)
    batch = Relaxation(0.02, batch="sum", keep="last", max_iter=40).fit(X, sign)
    descent = GradientDescent("relaxation", rate=0.02, theta=1e-30, max_iter=40).fit(X, sign)
    np.testing.assert_allclose(weights(batch), weights(descent), rtol=1e-7)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_true_takes_the_sum_where_it_converges_and_the_mean_where_it_runs_away():
    X, sign = floats(5, apart=1.5)
    X += 2.0
    slow, safe = (Relaxation(0.02, batch=form, keep="last", max_iter=300).fit(X, sign) for form in ("sum", True))
    np.testing.assert_array_equal(weights(slow), weights(safe))  # 0.02 * 40 vectors < 1: no step is too long
    with pytest.raises(ValueError, match=r"rate: w runs away, after \d+ batch steps\. Lower the rate"):
        Relaxation(1.5, batch="sum", max_iter=5000).fit(X, sign)
    mean, safe = (Relaxation(1.5, batch=form, keep="last", max_iter=5000).fit(X, sign) for form in ("mean", True))
    assert safe.certificate_.status == mean.certificate_.status == "separated"
    assert safe.certificate_.updates < 0.5 * mean.certificate_.updates


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(5))
def test_every_step_of_true_comes_nearer_to_a_solution(seed):
    X, sign = floats(seed, apart=1.5)
    A = reference.mirrored(X, sign)
    solution = Relaxation(1.0, 3.0, keep="last").fit(X, sign)
    assert (A @ weights(solution)).min() > 2.0
    distance = np.linalg.norm(weights(solution))
    for steps in range(1, 30):
        rule = Relaxation(1.7, 2.0, batch=True, keep="last", max_iter=steps).fit(X, sign)
        before, distance = distance, np.linalg.norm(weights(rule) - weights(solution))
        if rule.certificate_.updates < steps:
            break
        assert distance < before
