"""Rounding: no certificate claims more than is true, however near the data are to not being separable."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from honest_certificates import SUCCESS
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import GradientDescent, Kozinec, LeastSquares, Perceptron, Relaxation
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import points
from linsep.rules import Increment, Nearest
from linsep.targets import EpsOptimal, Margin

LEARNERS = {
    "perceptron": Perceptron(max_iter=50),
    "last perceptron": Perceptron(max_iter=50, keep="last"),
    "batch perceptron": Perceptron(max_iter=50, batch=True),
    "relaxation": Relaxation(max_iter=50),
    "kozinec": Kozinec(max_iter=100),
    "exacting kozinec": Kozinec(max_iter=100, eps=1e-9),
    "augmented kozinec": Kozinec(max_iter=100, bias="augmented"),
    "squares": LeastSquares("pinv"),
    "ho-kashyap": LeastSquares(method="ho-kashyap", max_iter=50),
    "descent": GradientDescent(max_iter=50),
}
SCALES = [(1.0, 0.0), (1e-8, 0.0), (1e8, 0.0), (1.0, 1e8), (2.0**-20, 2.0**26), (1e-8, 1e8)]


def no_false_claim(rule, X, sign, truth):
    """Fit, and compare every claim with the truth; ``truth`` says whether some hyperplane separates."""
    rule.fit(X, sign)
    claim = rule.certificate_
    lowest = reference.exact_lowest(X, sign, [*rule.coef_[0], *rule.intercept_])
    if claim.status in SUCCESS:
        assert truth, f"{claim} of data that are not separable"
        assert lowest > 0, f"{claim}, but the least score is {float(lowest)}"
    if claim.status == "not separable":
        assert not truth, f"{claim} of separable data"
    verdict = claim.check(X, sign)
    assert verdict, f"{verdict}\n{claim!r}"
    return claim


@pytest.mark.parametrize("rule", LEARNERS)
@pytest.mark.parametrize(("scale", "offset"), SCALES)
def test_hulls_that_touch_are_never_called_separated(rule, scale, offset):
    for X, sign in (
        ([[0], [1], [1], [2]], [-1, -1, 1, 1]),  # a point in both classes
        ([[0, 0], [2, 0], [1, 0], [1, 3]], [-1, -1, 1, 1]),  # a point on an edge
        ([[0, 0], [2, 2], [0, 2], [2, 0]], [-1, -1, 1, 1]),  # xor: edges that cross
        ([[1, 1], [1, 1]], [-1, 1]),
        ([[0, 0], [0, 0], [1, 1], [1, 1]], [-1, 1, -1, 1]),
    ):
        X = np.array(X, dtype=float) * scale + offset
        claim = no_false_claim(LEARNERS[rule], X, np.array(sign), truth=False)
        assert claim.status not in SUCCESS


@pytest.mark.parametrize("rule", LEARNERS)
def test_a_margin_of_a_millionth_millionth_is_told_or_left_open(rule):
    gap = 2.0**-40  # 1e-12, and exact
    for X, sign, truth in (
        ([[0], [1], [1 + gap], [2]], [-1, -1, 1, 1], True),
        ([[0], [1 + gap], [1], [2]], [-1, -1, 1, 1], False),
        ([[0, 0], [2, 0], [1, gap], [1, 3]], [-1, -1, 1, 1], True),
        ([[0, 0], [2, 0], [1, -gap], [1, 3]], [-1, -1, 1, 1], False),
        ([[0, 0], [2, 2 - gap], [0, 2], [1, 1]], [-1, -1, 1, 1], True),
        ([[0, 0], [2, 2 + gap], [0, 2], [1, 1]], [-1, -1, 1, 1], False),
    ):
        no_false_claim(LEARNERS[rule], np.array(X), np.array(sign), truth)


@st.composite
def small_integer_sets(draw):
    """Few points with small integer coordinates and labels of both classes: every degeneracy there is."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    sign = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    return X, sign


@given(small_integer_sets(), st.sampled_from(list(LEARNERS)), st.sampled_from(SCALES))
@example((np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]), np.array([-1, 1])), "perceptron", (1e-8, 0.0))
def test_no_status_contradicts_the_linear_program(problem, rule, place):
    X, sign = problem
    truth = reference.separable(reference.mirrored(X, sign))
    scale, offset = place
    if offset and scale < 1e-6:  # added to 1e8 these would not be the same points any more
        offset = 0.0
    no_false_claim(LEARNERS[rule], X * scale + offset, sign, truth)


@given(small_integer_sets(), st.sampled_from(["increment", "nearest"]))
@example((np.array([[0.0], [1.0]]), np.array([-1, 1])), "increment")
@example((np.array([[0.0], [0.0], [1.0]]), np.array([-1, 1, -1])), "increment")
def test_no_status_contradicts_the_linear_program_without_bias(problem, rule):
    X, sign = problem
    truth = reference.separable(reference.mirrored(X, sign, 0.0)[:, :-1])
    target, step = (EpsOptimal(0.0, 0.01), Nearest()) if rule == "nearest" else (Margin(0.0), Increment(1.0))
    claim = learn([points(X, sign, bias=0.0)], target, step, stop=Stop(passes=200)).certificate
    assert truth or claim.status not in SUCCESS
    assert not truth or claim.status != "not separable"
    assert claim.check(X, sign)


@given(small_integer_sets())
def test_bounds_hold_the_true_margin(problem):
    X, sign = problem
    for bias in ("free", "augmented"):
        true = reference.largest_margin(X, sign, bias)
        claim = Kozinec(bias=bias, tol=0.05, max_iter=300).fit(X, sign).certificate_
        assert claim.lower <= true + 1e-9
        assert claim.upper >= true - 1e-9
        if claim.status == "eps-optimal":
            assert true - claim.lower <= 0.05 * claim.upper + 1e-9


@pytest.mark.parametrize(("scale", "offset"), [*SCALES[:5], (1000.0, 1e8), (1.0, 3e6), (1.0, 1e5)])
@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_eps_optimal_means_within_eps_wherever_the_data_lie(scale, offset, bias):
    # Integers, far away: every coordinate is exact, only the scalar products round.
    rng = np.random.default_rng(8)
    sign = np.where(np.arange(40) % 2, 1, -1)
    X = rng.integers(-6, 7, (40, 3)) + 8.0 * sign[:, None]
    true = scale * reference.largest_margin(X, sign, "free")
    X = X * scale + offset
    for eps in (1e-1, 1e-4, 1e-7, 1e-10):
        rule = Kozinec(eps=eps * true, bias=bias, max_iter=2000).fit(X, sign)
        claim = rule.certificate_
        assert claim.check(X, sign), f"{claim!r}"
        exact = float(reference.exact_lowest(X, sign, claim.w)) / float(
            np.linalg.norm(claim.w[:-1] if bias == "free" else claim.w)
        )
        assert claim.lower <= exact + 1e-15 * abs(exact) + 1e-300
        if claim.status == "eps-optimal":  # the numbers written in it must say so, too
            assert claim.upper - claim.lower <= eps * true * (1 + 1e-9), f"wanted {eps * true:g}: {claim}"
        if claim.status == "eps-optimal" and bias == "free":
            assert true - exact <= eps * true * (1 + 1e-9)
            assert claim.upper >= true * (1 - 1e-12)


def test_a_false_eps_is_caught_far_from_the_origin():
    rng = np.random.default_rng(20)
    sign = np.where(np.arange(60) % 2, 1, -1)
    near = 1000.0 * (rng.integers(-6, 7, (60, 3)) + 6.0 * sign[:, None])
    true = reference.largest_margin(near, sign, "free")
    X = near + 1e8
    claim = Kozinec(tol=0.3).fit(X, sign).certificate_
    exact = float(reference.exact_lowest(X, sign, claim.w)) / float(np.linalg.norm(claim.w[:-1]))
    assert true - exact > 0.2 * true  # so the following is a lie
    verdict = replace(claim, status="eps-optimal", relative=0.0, eps=1e-3 * true).check(X, sign)
    assert not verdict
    assert "status" in str(verdict)
