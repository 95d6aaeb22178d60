"""The generalised Anderson task: exact, with both bounds proved, against cvxpy and brute force."""

import dataclasses
import json
import math
import warnings

import numpy as np
import pytest
import referee
from gaussians_at_random import random_gaussians, solve
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from stages import examples

from linsep import Anderson
from linsep.certificates.base import Certificate, Status
from linsep.certificates.prove.radius import certify, conclude, find_best_bias
from linsep.certificates.radius import RadiusCertificate, covariance_matrices
from linsep.solvers.anderson.gaussians import factorize
from linsep.solvers.anderson.optimal import maximize_radius


@pytest.mark.parametrize("name", ["mars", "riply_gauss"])
def test_known_optima_are_reached_to_1e_9(gaussians_of, name):
    means, covariances, sign, best = gaussians_of(name)
    claim = solve(means, covariances, sign)
    assert claim.status == "optimal"
    assert claim.lower <= best["r"] * (1 + 1e-13)
    assert claim.upper >= best["r"] * (1 - 1e-13)
    assert claim.upper - claim.lower <= 1e-11 * best["r"]
    assert claim.error == pytest.approx(best["error"], rel=1e-9)
    w = claim.w[:-1] / np.linalg.norm(claim.w[:-1])
    np.testing.assert_allclose(w, best["w"], atol=1e-6)
    assert claim.check(means, covariances, sign)


def test_by_hand_two_gaussians_on_a_line():
    claim = solve([[0.0], [3.0]], [1.0, 4.0], [-1, 1])  # x = 1: one deviation from 0, one of 2 from 3
    assert claim.lower == pytest.approx(1.0, abs=1e-12)
    assert claim.w[1] / claim.w[0] == pytest.approx(-1.0, abs=1e-12)
    assert claim.error == pytest.approx(ndtr(-1.0), abs=1e-12)


def test_by_hand_spheres_are_the_widest_margin():
    """F4: equal spheres, and r is the margin of the means (S4: optimal separation is a special case)."""
    claim = solve([[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], 1.0, [-1, 1, 1])
    assert claim.lower == pytest.approx(2.0, abs=1e-11)
    np.testing.assert_allclose(claim.w / claim.w[0], [1.0, 0.0, -2.0], atol=1e-6)


def test_by_hand_points_are_separated_and_r_is_infinite():
    """F4: without any spread, simple separation."""
    claim = solve([[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], 0.0, [-1, 1, 1])
    assert claim.status == "separated"
    assert claim.lower == claim.upper == np.inf
    np.testing.assert_allclose(claim.w / claim.w[0], [1.0, 0.0, -2.0], atol=1e-9)
    assert claim.check([[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], 0.0, [-1, 1, 1])


def test_by_hand_a_point_against_a_disc():
    means, covariances = [[0.0, 0.0], [3.0, 4.0]], [np.eye(2), 0.0]
    claim = solve(means, covariances, [-1, 1])
    assert claim.status == "optimal"
    assert claim.lower == pytest.approx(5.0, abs=1e-10)
    assert claim.check(means, covariances, [-1, 1])


def test_a_flat_gaussian_spreads_along_its_own_line_only():
    means = [[0.0, 0.0], [3.0, 0.0]]
    along, across = np.diag([4.0, 0.0]), np.diag([0.0, 4.0])
    assert solve(means, [along, 1.0], [-1, 1]).lower == pytest.approx(3.0 / 3.0, abs=1e-10)
    free = solve(means, [across, across], [-1, 1])
    assert free.status == "separated"
    assert free.check(means, [across, across], [-1, 1])


@pytest.mark.parametrize(
    "means",
    [
        [[0.0, 0.0], [3.0, 0.0], [4.0, 0.0]],  # between two of the other class
        [[0.0, 0.0], [0.0, 0.0], [4.0, 1.0]],  # the same mean
        [[0.0, 0.0], [3.0, 0.0], [4.0, 1.0], [3.5, 3.0], [4.0, -1.0]],  # inside a triangle
    ],
)
@pytest.mark.parametrize("covariance", [1.0, 0.0])
def test_infeasible_is_proved(means, covariance):
    sign = np.array([-1, 1, -1, 1, -1])[: len(means)]
    claim = solve(means, covariance, sign)
    assert claim.status == "infeasible"
    assert claim.upper == 0.0
    assert claim.check(means, covariance, sign)
    assert "an error of at least 1/2" in str(claim)


def test_infeasible_means_get_the_error_of_a_half_where_it_is_possible():
    """Means of both classes on one line: a w along it has an error of 1/2 there, and less elsewhere."""
    means = [[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [3.0, 0.0]]
    claim = solve(means, 1.0, [-1, -1, 1, 1])
    assert claim.status == "infeasible"
    assert claim.lower == pytest.approx(0.0, abs=1e-9)
    on_a_line = solve([[0.0], [3.0], [4.0]], [1.0, 1.0, 0.01], [-1, 1, -1])
    assert on_a_line.lower == pytest.approx(max(-1.0 / 1.1, -3.0 / 2.0), abs=1e-9)  # of both directions


def test_a_search_that_begins_above_the_best_r_comes_back():
    """Two of three do not spread along (0, 1), where their means are equal: t(r) is 0 for every r, and says nothing."""
    means = [[1.0, -4.0], [6.0, 1.0], [1.0, 1.0]]
    covariances = [np.array([[4e-6, 4e-6], [4e-6, 8e-6]]), np.diag([8e-4, 0.0]), np.diag([5e-6, 0.0])]
    claim = solve(means, covariances, [-1, 1, -1])
    assert claim.status == "optimal"
    assert claim.lower == pytest.approx(5.0 / (math.sqrt(8e-4) + math.sqrt(5e-6)), rel=1e-9)


def test_directions_of_flat_gaussians_do_not_overflow():
    """The proof's w has no length of its own; it grew beyond the floats while it was improved."""
    means, sign = [[0.0, -3.0, 4.0], [3.0, -3.0, 1.0]], [-1, 1]
    covariances = [[[4.0, -2, 4], [-2, 2, 0], [4, 0, 8]], [[2.0, 0, 4], [0, 0, 0], [4, 0, 8]]]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        rule = Anderson(method="direction", max_iter=200).fit_gaussians(means, list(map(np.array, covariances)), sign)
    assert rule.certificate_.check(means, list(map(np.array, covariances)), sign)


@pytest.mark.long
@examples(40)
@given(
    st.integers(0, 10**6), st.integers(2, 24), st.integers(1, 30), st.sampled_from([0.0, 1.0, 2.0, 6.0]), st.booleans()
)
def test_r_is_the_referees(seed, k, d, apart, flat):
    means, covariances, sign = random_gaussians(seed, k, d, apart, rank=max(1, d // 2) if flat else None)
    claim = solve(means, covariances, sign)
    assert claim.check(means, covariances, sign)
    other = referee.Bisection(means, covariances, sign)
    if claim.status == "infeasible":
        assert other.gap(0.0) < 1e-7
    elif claim.status == "separated":
        assert other.gap(1e3) > 0
    else:
        assert claim.status == "optimal" or (flat and claim.status == "eps-optimal")
        assert claim.upper - claim.lower <= claim.eps * claim.upper
        assert other.gap(claim.lower * (1 - 1e-5)) > 0
        assert other.gap(claim.upper * (1 + 1e-5)) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize(("k", "d"), [(3, 1), (6, 2), (10, 5), (60, 8)])
def test_bisection_by_cvxpy_finds_the_same(k, d):
    means, covariances, sign = random_gaussians(k, k, d, 3.0)
    claim = solve(means, covariances, sign)
    assert referee.Bisection(means, covariances, sign).solve(2.5 * claim.upper) == pytest.approx(claim.lower, rel=1e-6)


@pytest.mark.long
@examples(15)
@given(st.integers(0, 10**6), st.integers(2, 12))
def test_brute_force_in_the_plane_finds_nothing_better(seed, k):
    means, covariances, sign = random_gaussians(seed, k, 2, 2.0)
    claim = solve(means, covariances, sign)
    found = referee.try_directions(means, covariances, sign)
    if claim.status == "infeasible":
        assert found <= 1e-9
    else:
        assert claim.lower * (1 - 1e-4) <= found <= claim.upper * (1 + 1e-12)


@examples(40)
@given(st.integers(0, 10**6), st.integers(2, 16), st.integers(1, 10), st.sampled_from([1e-6, 1.0, 1e6]), st.booleans())
def test_scale_shift_rotation_swap_and_doubles_change_nothing(seed, k, d, scale, flat):
    means, covariances, sign = random_gaussians(seed, k, d, 3.0, rank=max(1, d // 2) if flat else None)
    base = solve(means, covariances, sign)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    changed = {
        "scale": (scale * means, scale**2 * covariances, sign),
        "shift": (means + 1e4, covariances, sign),
        "rotation": (means @ turn.T, turn @ covariances @ turn.T, sign),
        "swap": (means, covariances, -sign),
        "doubles": (np.vstack([means, means]), np.concatenate([covariances, covariances]), np.append(sign, sign)),
    }
    for name, (means_, covariances_, sign_) in changed.items():
        other = solve(means_, covariances_, sign_)
        assert other.status == base.status or (flat and {base.status, other.status} == {"optimal", "eps-optimal"}), name
        assert other.check(means_, covariances_, sign_), name
        if base.status in ("optimal", "eps-optimal"):
            assert other.lower == pytest.approx(base.lower, rel=1e-5 if flat else 1e-8), name
    if base.status in ("optimal", "eps-optimal"):  # a swapped class never happens: the means lie on their sides
        assert (sign * (means @ base.w[:-1] + base.w[-1]) > 0).all()
        swapped = solve(*changed["swap"]).w
        u, v = base.w / np.linalg.norm(base.w), swapped / np.linalg.norm(swapped)
        assert u @ v < 0


@pytest.mark.parametrize("d", [1, 4, 30])
def test_thirty_of_each_class(d):
    means, covariances, sign = random_gaussians(1, 60, d, 4.0)
    claim = solve(means, covariances, sign)
    assert claim.status == "optimal"
    assert claim.check(means, covariances, sign)


def test_kinds_of_covariances_agree():
    rng = np.random.default_rng(5)
    k, d = 6, 4
    means, sign = rng.standard_normal((k, d)), np.array([-1, 1] * 3)
    means[:, 0] += 3 * sign
    U, variance = rng.standard_normal((k, d, 2)), rng.uniform(0.1, 1.0, (k, d))
    full = U @ U.transpose(0, 2, 1) + np.stack([np.diag(each) for each in variance])
    diagonal = np.stack([np.diag(each) for each in variance])
    assert solve(means, (U, variance), sign).lower == pytest.approx(solve(means, full, sign).lower, rel=1e-10)
    assert solve(means, variance, sign).lower == pytest.approx(solve(means, diagonal, sign).lower, rel=1e-10)
    mixed = [full[0], variance[1], 0.5, 0.0, (U[4], variance[4]), full[5]]
    dense = [full[0], diagonal[1], 0.5 * np.eye(d), np.zeros((d, d)), full[4], full[5]]
    claim = solve(means, mixed, sign)
    assert claim.lower == pytest.approx(solve(means, dense, sign).lower, rel=1e-10)
    assert claim.check(means, mixed, sign)
    assert claim.check(means, dense, sign)


def test_covariances_are_the_same_matrices_however_written():
    U, variance = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0, 3.0])
    full = U @ U.T + np.diag(variance)
    for covariances in ([full, full], [(U, variance)] * 2, (np.stack([U, U]), np.stack([variance, variance]))):
        np.testing.assert_array_equal(covariance_matrices(covariances, 2, 3), [full, full])
    np.testing.assert_array_equal(covariance_matrices(2.0, 2, 3), 2.0 * np.stack([np.eye(3)] * 2))
    np.testing.assert_array_equal(covariance_matrices([variance, 0.0], 2, 3), [np.diag(variance), np.zeros((3, 3))])
    assert not covariance_matrices(None, 2, 3).any()


def test_the_best_bias_for_a_given_w():
    means, covariances, sign = random_gaussians(3, 9, 3)
    g = factorize(means, covariances, sign)
    w = np.array([1.0, 0.2, -0.3])
    r, b = find_best_bias(g, w)
    radii = sign * (g.means @ w + b) / g.sigma(w)
    assert radii.min() == pytest.approx(r, abs=1e-12)
    for other in (b - 1e-3, b + 1e-3):
        assert (sign * (g.means @ w + other) / g.sigma(w)).min() < r


def test_constant_columns_get_no_weight():
    """Pixels that are never black: no variance, the same mean; rounding must not make a direction of them."""
    means, covariances, sign = random_gaussians(11, 6, 12, 3.0, rank=7)
    wide_means, wide = np.zeros((6, 30)), np.zeros((6, 30, 30))
    wide_means[:, ::3][:, :10], wide_means[:, 1] = means[:, :10], 7.0
    wide[:, ::3, ::3] = covariances[:, :10, :10]
    plain, claim = solve(means[:, :10], covariances[:, :10, :10], sign), solve(wide_means, wide, sign)
    assert claim.status == plain.status
    assert claim.lower == pytest.approx(plain.lower, rel=1e-9)
    assert claim.check(wide_means, wide, sign)
    unused = np.setdiff1d(np.arange(30), np.arange(0, 30, 3))
    assert np.abs(claim.w[unused]).max() <= 1e-9 * np.abs(claim.w).max()


def test_a_flat_gaussian_in_the_hyperplane_does_not_spoil_the_bound():
    """Its spread along w is rounding error, and so is its distance: neither may decide r."""
    for seed in range(12):
        means, covariances, sign = random_gaussians(seed, 4, 12, 3.0, rank=4)
        claim = solve(means, covariances, sign)
        assert claim.status in ("optimal", "eps-optimal", "separated")
        assert claim.gap <= 1e-5 * claim.upper or claim.status == "separated"
        assert claim.check(means, covariances, sign)


def test_no_proof_is_no_claim():
    assert conclude(1.0, np.inf) == "not decided within rounding"
    assert conclude(1.0, np.inf, exact=False) == "budget spent"
    assert conclude(1.0, np.inf, reason="the budget of 2 seconds is spent") == "budget spent"
    assert conclude(np.inf, np.inf) == "separated"
    assert conclude(-1.0, 0.0) == "infeasible"


def test_many_gaussians_in_the_plane_and_few_in_many_dimensions():
    for k, d in ((1000, 2), (4, 150)):
        means, covariances, sign = random_gaussians(0, k, d, 6.0)
        claim = solve(means, covariances, sign)
        assert claim.status == "optimal"
        assert claim.check(means, covariances, sign)


# ------------------------------------------------------------------ the check can fail

FORGERIES = {
    "lower": lambda c: {"lower": c.lower * (1 + 1e-9)},
    "upper": lambda c: {"upper": c.upper * (1 - 1e-9)},
    "w": lambda c: {"w": c.w * np.array([1.0, 1.001, 1.0])},
    "weights": lambda c: {"weights": c.weights * np.linspace(1.0, 1.01, c.weights.size)},
    "points": lambda c: {"u": 0.999 * c.u},
    "negative weight": lambda c: {"weights": -c.weights},
    "a Gaussian twice": lambda c: {"rows": np.zeros_like(c.rows)},
    "integers": lambda c: {"integers": (1,) * c.rows.size, "upper": 0.0, "status": Status.INFEASIBLE},
    "crossed": lambda c: {"lower": c.upper, "upper": c.lower},
    "status": lambda c: {"status": "infeasible"},
    "nothing proved": lambda c: {"rows": c.rows[:0], "weights": c.weights[:0], "u": c.u[:0]},
    "not finite": lambda c: {"w": c.w * np.nan},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_rejected(name):
    means, covariances, sign = random_gaussians(7, 8, 2, 3.0)
    claim = solve(means, covariances, sign)
    assert claim.check(means, covariances, sign)
    forged = dataclasses.replace(claim, **FORGERIES[name](claim))
    verdict = forged.check(means, covariances, sign)
    assert not verdict
    assert "WRONG" in str(verdict)


def test_a_certificate_of_other_gaussians_is_rejected():
    means, covariances, sign = random_gaussians(8, 8, 3, 3.0)
    claim = solve(means, covariances, sign)
    assert not claim.check(means + 0.01 * sign[:, None], covariances, sign)
    assert not claim.check(means, 1.01 * covariances, sign)
    assert not claim.check(means, covariances, -sign)
    assert not claim.check(means[:-1], covariances[:-1], sign[:-1])


def test_a_certificate_survives_json():
    means, covariances, sign = random_gaussians(9, 8, 3, 3.0)
    claim = solve(means, covariances, sign)
    for kind in (RadiusCertificate, Certificate):
        again = kind.from_dict(json.loads(json.dumps(claim.to_dict())))
        assert isinstance(again, RadiusCertificate)
        assert isinstance(again.status, Status)
        np.testing.assert_array_equal(again.u, claim.u)
        assert again.check(means, covariances, sign)
        assert again.to_dict() == claim.to_dict()


def test_a_certificate_without_proof_survives_json():
    claim = solve([[0.0, 0.0], [4.0, 0.0]], 0.0, [-1, 1])
    again = RadiusCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.u.shape == claim.u.shape
    assert again.check([[0.0, 0.0], [4.0, 0.0]], 0.0, [-1, 1])


def test_the_verdict_names_r():
    means, covariances, sign = random_gaussians(9, 8, 3, 3.0)
    claim = solve(means, covariances, sign)
    verdict = claim.check(means, covariances, sign)
    assert str(verdict).startswith(f"The certificate holds: recomputed from the data, r {verdict.lower:.12g}, upper")
    assert verdict.lower == pytest.approx(claim.lower, rel=1e-9)
    assert verdict.upper == pytest.approx(claim.upper, rel=1e-9)
    assert claim.proved
    assert claim.gap == claim.upper - claim.lower
    assert claim.size == 8
    assert "optimal" in claim._repr_html_()


# ------------------------------------------------------------------ bad input

GOOD = [np.eye(2), np.eye(2)]
BAD = {
    "Gaussian 1: its covariance is not symmetric": (
        [[0.0, 0.0], [1.0, 0.0]], [np.eye(2), [[1, 0.5], [0.4, 1]]], [-1, 1],
    ),
    "Gaussian 1: its covariance is not positive semidefinite": (
        [[0.0, 0.0], [1.0, 0.0]], [np.eye(2), [[1, 2], [2, 1]]], [-1, 1],
    ),
    "Gaussian 0: its covariance is not positive semidefinite, a variance is -1": (
        [[0.0, 0.0], [1.0, 0.0]], [[1.0, -1.0], 1.0], [-1, 1],
    ),
    "Gaussian 1: its covariance has shape": ([[0.0, 0.0], [1.0, 0.0]], [np.eye(2), np.eye(3)], [-1, 1]),
    "Gaussian 1: its covariance has 3 variances": ([[0.0, 0.0], [1.0, 0.0]], [np.eye(2), [1.0, 1.0, 1.0]], [-1, 1]),
    "Gaussian 0: U of its covariance": ([[0.0, 0.0], [1.0, 0.0]], [(np.ones((3, 1)), 1.0), 1.0], [-1, 1]),
    "Gaussian 0: its mean is not finite": ([[np.nan, 0.0], [1.0, 0.0]], GOOD, [-1, 1]),
    "Gaussian 1: its covariance is not finite": ([[0.0, 0.0], [1.0, 0.0]], [np.eye(2), np.inf], [-1, 1]),
    "labels: expected two classes": ([[0.0, 0.0], [1.0, 0.0]], GOOD, [1, 1]),
    "covariances: expected one per mean, that is 2, got 3": ([[0.0, 0.0], [1.0, 0.0]], [*GOOD, 1.0], [-1, 1]),
    "labels: expected one per mean, that is 2": ([[0.0, 0.0], [1.0, 0.0]], GOOD, [-1, 1, 1]),
    "means: expected a table": ([0.0, 1.0], GOOD, [-1, 1]),
    "means: expected an array of numbers": ([["a", "b"]], GOOD, [-1, 1]),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_bad_input_names_the_gaussian(message):
    with pytest.raises(ValueError, match=message):
        factorize(*BAD[message])


@pytest.mark.parametrize("spoiled", ["symmetric", "semidefinite", "finite"])
def test_one_bad_covariance_of_an_array_is_named(spoiled):
    """Regular ones are factorised all at once; which one is bad must be known still."""
    means, covariances, sign = random_gaussians(2, 6, 3)
    bad = {"symmetric": np.triu(np.ones((3, 3))), "semidefinite": -np.eye(3), "finite": np.full((3, 3), np.nan)}
    covariances[4] = bad[spoiled]
    with pytest.raises(ValueError, match=f"Gaussian 4: its covariance is not (positive )?{spoiled}"):
        factorize(means, covariances, sign)


@pytest.mark.parametrize("rank", [3, 2])
def test_together_or_one_by_one_factors_are_the_same(rank):
    means, covariances, sign = random_gaussians(2, 6, 3, rank=rank)
    once, each = factorize(means, covariances, sign), factorize(means, list(covariances), sign)
    np.testing.assert_array_equal(once.low, each.low)
    scale = np.exp2(once.exponent)
    np.testing.assert_array_equal(once.matrices * scale * scale[:, None], covariances)
    np.testing.assert_allclose(once.low.transpose(0, 2, 1) @ once.low, once.matrices, atol=1e-14)


@examples(25)
@given(st.integers(0, 10**6), st.integers(2, 9), st.booleans())
def test_the_best_bias_is_that_of_brute_force(seed, k, flat):
    """Every pair of Gaussians of both sides meets at some r: the least of them is the solution."""
    means, covariances, sign = random_gaussians(seed, k, 3, 1.0)
    covariances[seed % k] *= not flat
    g = factorize(means, covariances, sign)
    w = np.random.default_rng(seed).standard_normal(3)
    score, sigma = sign * (g.means @ w), g.sigma(w)
    pairs = [(i, j) for i in np.flatnonzero(sign > 0) for j in np.flatnonzero(sign < 0)]
    assert find_best_bias(g, w).r == pytest.approx(min((score[i] + score[j]) / (sigma[i] + sigma[j]) for i, j in pairs))


def test_a_known_proof_is_that_of_the_solution():
    means, covariances, sign = random_gaussians(7, 8, 2, 3.0)
    g = factorize(means, covariances, sign)
    solution = maximize_radius(g)
    assert solution.proof is not None
    assert certify(g, solution).to_dict() == certify(g, solution._replace(proof=None)).to_dict()
