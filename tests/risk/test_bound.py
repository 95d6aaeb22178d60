"""The bound of Vapnik and Chervonenkis, capacities, and a ball around the data (A4)."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import MaximumMargin
from linsep.risk import VCBound, dimension_capacity, enclosing_ball, margin_capacity, vc_bound

# the bound


def test_the_bound_equals_a_hand_computation():
    # h = 3, N = 1000: ln(2000/3) = 6.50229, 3 * 7.50229 = 22.50687; -ln(0.05/4) = 4.38203; the root of 26.88890/1000
    bound = vc_bound(0.1, h=3, N=1000, eta=0.05)
    assert bound.confidence == pytest.approx(0.163978, abs=5e-7)
    assert bound.value == pytest.approx(0.263978, abs=5e-7)
    assert not bound.vacuous and bound.valid


@pytest.mark.parametrize(("h", "N", "eta"), [(1, 10, 0.5), (6, 400, 0.01), (2.75, 57, 0.05), (123, 48842, 1e-9)])
def test_the_bound_to_all_digits(h, N, eta):
    h_, N_, eta_ = Decimal(h), Decimal(N), Decimal(eta)
    root = ((h_ * ((2 * N_ / h_).ln() + 1) - (eta_ / 4).ln()) / N_).sqrt()
    assert vc_bound(0.25, h, N, eta).confidence == pytest.approx(float(root), rel=1e-14)


def test_the_confidence_term_grows_with_h_and_falls_with_N_and_eta():
    of = [vc_bound(0, h, 100).confidence for h in range(1, 201)]
    assert all(a < b for a, b in pairwise(of))
    assert vc_bound(0, 5, 1000).confidence < vc_bound(0, 5, 999).confidence
    assert vc_bound(0, 5, 1000, eta=0.02).confidence < vc_bound(0, 5, 1000, eta=0.01).confidence


def test_what_says_nothing_says_so():
    small = vc_bound(0.0, h=3, N=10)
    assert small.vacuous and not small.valid
    assert "Vacuous" in str(small) and "not much smaller" in str(small)
    wide = vc_bound(0.0, h=300, N=2000)
    assert not wide.vacuous and not wide.valid
    assert "Vacuous" not in str(wide) and "not much smaller" in str(wide)
    good = vc_bound(0.0, h=3, N=1000)
    assert str(good).endswith("eta = 0.05).")
    unlucky = vc_bound(0.9, h=3, N=1000)
    assert unlucky.vacuous and unlucky.valid


@pytest.mark.parametrize("h", [41, 1e6, math.inf])
def test_beyond_2N_there_is_no_bound(h):
    bound = vc_bound(0.0, h, N=20)
    assert bound.value == math.inf and bound.vacuous and not bound.valid
    assert str(bound).startswith("No bound")


def test_the_bound_holds_more_often_than_promised():
    # thresholds "x > t" on [0, 1], capacity 1; the truth is t = 0.5, a tenth of the labels is wrong
    rng, N, eta, failed = np.random.default_rng(0), 100, 0.5, 0
    for _ in range(300):
        x = np.sort(rng.random(N))
        y = (x > 0.5) ^ (rng.random(N) < 0.1)
        errors = np.concatenate([[0], np.cumsum(y)]) + np.concatenate([np.cumsum(~y[::-1])[::-1], [0]])
        k = int(errors.argmin())  # the first k are taken for False
        t = np.concatenate([[0.0], x])[k]
        risk = 0.1 + 0.8 * abs(t - 0.5)
        failed += risk > vc_bound(errors[k] / N, 1, N, eta).value
    assert failed <= eta * 300


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ((-0.1, 3, 10), "empirical: .*got -0.1"),
        ((math.nan, 3, 10), "empirical: .*got nan"),
        (("a", 3, 10), "empirical: .*got 'a'"),
        ((0, 0, 10), "h: .*got 0"),
        ((0, math.nan, 10), "h: .*got nan"),
        ((0, 3, 0), "N: .*got 0"),
        ((0, 3, 10.5), "N: .*got 10.5"),
        ((0, 3, 10, 0), "eta: .*got 0"),
        ((0, 3, 10, 1.0), "eta: .*got 1.0"),
    ],
)
def test_bad_numbers_are_named(arguments, culprit):
    with pytest.raises(ValueError, match=culprit):
        vc_bound(*arguments)


def test_numpy_numbers_come_out_plain():
    bound = vc_bound(np.float64(0.1), np.int64(3), np.int64(100), np.float32(0.05))
    assert [type(getattr(bound, name)) for name in ("empirical", "h", "N", "eta")] == [float, float, int, float]
    assert isinstance(bound, VCBound)


# capacities


def shattered(points, margin=0.0):
    """Whether hyperplanes part these points in all ways, with more than a margin; no code of linsep.risk."""
    for labels in product([0, 1], repeat=len(points)):
        if len(set(labels)) == 2:
            certificate = MaximumMargin().fit(points, labels).certificate_
            if not certificate.separates or certificate.lower <= margin:
                return False
    return True


@pytest.mark.parametrize("n", [1, 2, 3])
def test_n_plus_1_points_are_parted_in_all_ways_and_n_plus_2_are_not(n):
    rng = np.random.default_rng(n)
    assert shattered(rng.normal(size=(dimension_capacity(n), n)))
    assert not any(shattered(rng.normal(size=(dimension_capacity(n) + 1, n))) for _ in range(5))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_corners_of_a_simplex_are_why_the_margin_capacity_is_rounded_up(k):
    corners = np.eye(k)
    radius = math.sqrt(1 - 1 / k)
    # the margin between p and k - p corners is half the distance of their means
    m = min(math.sqrt(1 / p + 1 / (k - p)) / 2 for p in range(1, k))
    assert shattered(corners, 0.999999 * m) and not shattered(corners, 1.000001 * m)
    assert margin_capacity(0.999999 * radius, m) == k
    if k % 2:
        assert radius**2 / m**2 + 1 < k  # S0 as it is printed would say that they can't be


def test_capacities_by_hand_and_bad_numbers():
    assert margin_capacity(3.0, 0.5) == 37 and margin_capacity(1.0, 0.3) == 13 and margin_capacity(0.0, 1.0) == 1
    assert margin_capacity(1e200, 1e-200) == math.inf
    for radius, margin, culprit in ((-1.0, 1.0, "radius"), (math.inf, 1.0, "radius"), (1.0, 0.0, "margin")):
        with pytest.raises(ValueError, match=culprit):
            margin_capacity(radius, margin)
    with pytest.raises(ValueError, match=r"n: .*got -1"):
        dimension_capacity(-1)
    with pytest.raises(ValueError, match=r"n: .*got 2\.5"):
        dimension_capacity(2.5)


# the ball


def smallest_circle(points):
    """Radius of the smallest circle around points of the plane: of all circles by two or three of them, brute force."""
    best = math.inf if len(points) > 1 else 0.0
    for k in (2, 3):
        for some in combinations(points, k):
            A = 2 * (np.array(some[1:]) - some[0])
            if k == 3 and abs(np.linalg.det(A)) < 1e-9:
                continue
            b = np.sum(np.square(some[1:]) - np.square(some[0]), axis=1)
            centre = np.mean(some, axis=0) if k == 2 else np.linalg.solve(A, b)
            reach = np.linalg.norm(points - centre, axis=1).max()
            best = min(best, reach)
    return best


def inside(points, ball):
    """Whether all points are in the ball, in exact arithmetic."""
    radius = Fraction(ball.radius) ** 2
    apart = ([(Fraction(float(a)) - Fraction(float(c))) ** 2 for a, c in zip(p, ball.centre)] for p in points)
    return all(sum(one) <= radius for one in apart)


@given(arrays(float, st.tuples(st.integers(1, 9), st.just(2)), elements=st.integers(-20, 20).map(float)))
def test_both_bounds_of_the_radius_hold(points):
    exact = smallest_circle(points)
    for some in (enclosing_ball(points, tol=1e-6, max_iter=2000), enclosing_ball(points, max_iter=3)):
        assert inside(points, some)
        assert some.lower <= exact * (1 + 1e-9) and exact <= some.radius + 1e-9
    assert enclosing_ball(points, tol=1e-6, max_iter=2000).radius <= (1 + 2e-6) * exact + 1e-12
    assert enclosing_ball(points, max_iter=1).radius <= 2 * exact + 1e-9


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("k", [2, 3, 10, 40])
def test_the_ball_around_a_simplex(kind, k):
    ball = enclosing_ball(kind(np.eye(k)))
    exact = math.sqrt(1 - 1 / k)
    assert ball.lower <= exact <= ball.radius <= 1.001 * exact
    assert inside(np.eye(k), ball)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e200, 1e307])
def test_no_scale_is_too_small_or_too_large(scale):
    points = scale * np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    ball = enclosing_ball(points)
    assert inside(points, ball) and ball.radius == pytest.approx(2.5 * scale, rel=1e-3, abs=1e-322)


def test_the_smallest_numbers_there_are():
    for seed in range(20):
        points = 5e-324 * np.random.default_rng(seed).integers(0, 4, (4, 40))
        assert inside(points, enclosing_ball(points)) and inside(points, enclosing_ball(sp.csr_array(points)))


def test_far_from_the_origin_the_bounds_still_hold():
    points = 1e8 + np.random.default_rng(0).integers(-8, 9, (50, 2))
    exact = smallest_circle(points - 1e8)
    dense, sparse = enclosing_ball(points), enclosing_ball(sp.csr_array(points))
    assert dense.lower <= exact <= dense.radius <= 1.001 * exact * (1 + 1e-6)
    assert sparse.lower <= exact <= sparse.radius  # rounding hides all but this
    assert inside(points, sparse)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.int64])
def test_other_numbers_are_read_too(dtype):
    points = np.random.default_rng(1).integers(0, 2, (60, 12)).astype(dtype)
    want = enclosing_ball(points.astype(float))
    for kind in (np.asarray, sp.csr_array):
        ball = enclosing_ball(kind(points))
        assert inside(points, ball) and ball.radius == pytest.approx(want.radius, rel=2e-3)


def test_one_row_and_no_spread():
    assert enclosing_ball([[3.0, 4.0]]).radius < 1e-300
    assert enclosing_ball(np.full((5, 3), 7.0)).radius < 1e-300
    assert enclosing_ball(sp.csr_array((4, 3))).radius < 1e-300
    assert enclosing_ball([[3.0, 4.0]]).passes == 1


@pytest.mark.parametrize(
    ("X", "options", "culprit"),
    [
        ([[1.0, math.nan]], {}, "NaN"),
        ([[math.inf]], {}, "infinity"),
        (np.empty((0, 2)), {}, "one row or more, got none"),
        ([[1.0]], {"tol": 0.0}, "tol"),
        ([[1.0]], {"max_iter": 0}, "max_iter"),
    ],
)
def test_bad_balls_are_named(X, options, culprit):
    with pytest.raises(ValueError, match=culprit):
        enclosing_ball(X, **options)
