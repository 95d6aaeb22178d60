"""Novikoff's bound (C11), and the true margins of known data sets."""

import json
from dataclasses import replace

import cvxpy
import numpy as np
import pytest
import reference
import scipy.sparse as sp
from honest_certificates import SUCCESS, clouds

from linsep import Kozinec, LeastSquares, LinearMachine, MarginCertificate, Perceptron, Relaxation
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import points
from linsep.rules import Increment
from linsep.targets import Margin


@pytest.mark.parametrize("seed", range(6))
def test_novikoff_bounds_the_updates(seed):
    X, sign = clouds(20 + seed, 40, 2 + seed, 1.3)
    X = X[(X * sign[:, None]).sum(axis=1) > 0.5]
    sign = sign[(clouds(20 + seed, 40, 2 + seed, 1.3)[0] * sign[:, None]).sum(axis=1) > 0.5]
    A = reference.mirrored(X, sign)
    true = reference.largest_margin(X, sign, "augmented")
    longest = np.linalg.norm(A, axis=1).max()
    for rng in (None, np.random.default_rng(0)):
        result = learn([points(X, sign)], Margin(0.0), Increment(1.0), rng=rng, stop=Stop(passes=10**5))
        claim = result.certificate
        assert result.state.done
        assert claim.updates <= longest**2 / true**2
        assert claim.updates <= claim.novikoff
        assert claim.novikoff >= longest**2 / true**2 * (1 - 1e-9)  # a smaller margin allows more
        assert claim.longest == pytest.approx(longest)


def test_novikoff_speaks_of_the_augmented_vectors_whatever_the_bias():
    X, sign = clouds(30, 30, 3, 1.6)
    updates = learn([points(X, sign)], Margin(0.0), Increment(1.0)).certificate.updates
    for bias in ("free", "augmented"):
        assert updates <= Kozinec(bias=bias).fit(X, sign).certificate_.novikoff


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@pytest.mark.parametrize("tiny", [1e-160, 1e-180, 1e-300])
def test_rows_of_very_different_length_still_get_a_certificate(order, tiny):
    # (D / m)^2 is beyond the largest number, |w|^2 and |a|^2 below the smallest
    X, sign = np.array([[1.0, 0.0], [-tiny, 0.0]])[order], np.array([1, -1])[order]
    for rule in (Perceptron(fit_intercept=False), Perceptron(), Kozinec(), LeastSquares("pinv"), Relaxation()):
        claim = rule.fit(X, sign).certificate_
        assert claim.status != "not separable"
        assert claim.check(X, sign), f"{rule}: {claim.check(X, sign)}"
        if claim.bias == "none":  # on a line the best margin is the shortest vector
            assert claim.lower <= tiny <= claim.upper


@pytest.mark.parametrize("huge", [1e150, 1e160, 1e300])
def test_no_false_claim_where_squares_overflow(huge):
    X, sign = huge * np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])
    with np.errstate(over="ignore", invalid="ignore"):
        assert Kozinec(max_iter=500).fit(X, sign).certificate_.status not in SUCCESS
        for rule in (Perceptron(), Kozinec(bias="augmented", max_iter=500)):  # a row of zeros is lost beside them
            with pytest.raises(ValueError, match="the 1 of the bias"):
                rule.fit(X, sign)
            assert rule.fit(X + huge, sign).certificate_.status not in SUCCESS


# --- the true optima of optimum.json ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
@pytest.mark.parametrize("bias", ["free", "augmented"])
@pytest.mark.parametrize("wanted", [{"eps": 1e-3}, {"tol": 0.01}], ids=["eps", "tol"])
def test_kozinec_reaches_the_true_margin(name, bias, wanted, shared, optimum):
    X, y = shared(name)
    true = optimum[name]["margin_free_bias" if bias == "free" else "margin_augmented"]
    rule = Kozinec(bias=bias, **wanted).fit(X, y)
    claim = rule.certificate_
    assert claim.status == "eps-optimal"
    assert claim.lower <= true * (1 + 1e-9)
    assert claim.upper >= true * (1 - 1e-9)
    assert true - claim.lower <= wanted.get("eps", 0.0) + wanted.get("tol", 0.0) * claim.upper
    assert claim.check(X, y)
    assert (rule.predict(X) == y).all()


@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
def test_the_perceptron_keeps_novikoffs_bound_on_real_data(name, shared, optimum):
    X, y = shared(name)
    claim = Perceptron(max_iter=10_000).fit(X, y).certificate_
    assert claim.status == "separated"
    assert claim.updates <= optimum[name]["novikoff"] <= claim.novikoff * (1 + 1e-9)
    assert claim.longest == pytest.approx(optimum[name]["D"])


@pytest.mark.parametrize("name", ["riply_trn", "vltava"])
@pytest.mark.parametrize(
    "rule",
    [Kozinec(bias=bias, **wanted) for bias in ("free", "augmented") for wanted in ({"eps": 1e-3}, {"tol": 0.01})]
    + [Perceptron(), Relaxation(max_iter=500), LeastSquares(method="ho-kashyap")],
    ids=str,
)
def test_data_that_are_not_separable_never_end_in_success(name, rule, shared):
    X, y = shared(name)
    claim = rule.fit(X, y).certificate_
    assert claim.status in ("not separable", "budget spent")
    assert claim.check(X, y)


# --- the best margin known -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
def test_the_bound_by_the_best_margin_known_is_nearly_the_true_one(name, shared, optimum):
    X, y = shared(name)
    claim = Perceptron(max_iter=10_000, scaling=None).fit(X, y).certificate_
    assert claim.updates <= optimum[name]["novikoff"] * (1 + 1e-9) <= claim.novikoff_best * (1 + 2e-9)
    assert claim.novikoff_best < claim.novikoff
    assert claim.novikoff_best <= 1.5 * optimum[name]["novikoff"]  # on most processors 1.1: rounding chooses the way
    assert "by the best margin known, by that of this w" in str(claim)
    assert claim.check(X, y)


def test_a_forged_best_margin_is_found(shared):
    X, y = shared("tulip")
    claim = Perceptron(max_iter=10_000, scaling=None).fit(X, y).certificate_
    for forged in (
        {"novikoff_best": 0.99 * claim.novikoff_best},
        {"novikoff_best": 2 * claim.novikoff},
        {"best_w": claim.w},
        {"best_w": -claim.best_w},
        {"best_w": claim.best_w[:-1]},
        {"best_w": np.full_like(claim.w, np.nan)},
        {"best_w": claim.best_w[:0]},
    ):
        assert "best" in str(replace(claim, **forged).check(X, y)), forged


def test_the_best_margin_of_rows_far_from_1_and_of_sparse_rows():
    X, sign = clouds(33, 40, 4, 2.5)
    near = Perceptron(fit_intercept=False).fit(X, sign).certificate_
    far = Perceptron(fit_intercept=False).fit(np.ldexp(X, 200), sign).certificate_
    assert near.novikoff_best == pytest.approx(far.novikoff_best) and near.best_w.size
    assert far.check(np.ldexp(X, 200), sign)
    thin = Perceptron(fit_intercept=False).fit(sp.csr_array(X), sign).certificate_
    assert thin.novikoff_best == pytest.approx(near.novikoff_best)
    again = MarginCertificate.from_dict(json.loads(json.dumps(near.to_dict())))
    assert again.check(X, sign) and again.novikoff_best == near.novikoff_best


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_a_machine_states_both_bounds_and_the_true_one_is_between(thin):
    rng = np.random.default_rng(5)
    label = np.arange(90) % 3
    X = rng.standard_normal((90, 2)) + 4.0 * np.array([[1.0, 0.0], [-0.5, 1.0], [-0.5, -1.0]])[label] + 5.0
    data = sp.csr_array(X) if thin else X
    claim = Perceptron(max_iter=10_000, scaling=None, keep="last").fit(data, label).certificate_
    machine = LinearMachine(max_iter=10_000, scaling=None, keep="last").fit(data, label).certificate_
    assert machine.novikoff_best == claim.novikoff_best
    Z = np.column_stack([X, np.ones(90)])  # the referee: all 180 of Kesler's vectors, and a quadratic program
    A = np.array(
        [np.kron(np.eye(3)[y] - np.eye(3)[k], z) for z, y in zip(Z, label, strict=True) for k in {0, 1, 2} - {y}]
    )
    w = cvxpy.Variable(9)
    cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(w)), [A @ w >= 1]).solve(solver="CLARABEL")
    true = np.einsum("ij,ij->i", A, A).max() * w.value @ w.value
    assert claim.updates <= true <= claim.novikoff_best * (1 + 1e-6)
    assert claim.novikoff_best <= 1.5 * true and claim.novikoff_best < claim.novikoff
    assert claim.best_w.shape == (3, 3) and claim.check(data, label)
    assert "by the best margin known, by that of this w" in str(claim)
    lowest = min(A @ claim.best_w.ravel()) / np.linalg.norm(claim.best_w)
    assert claim.novikoff_best == pytest.approx(np.einsum("ij,ij->i", A, A).max() / lowest**2)
    for forged in (
        {"novikoff_best": 0.99 * claim.novikoff_best},
        {"best_w": -claim.best_w},
        {"best_w": claim.w[:, :-1]},
    ):
        assert "best" in str(replace(claim, **forged).check(data, label)), forged
