"""One scale: a problem times 2^k has the same status, and bounds times 2^k."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from stages import examples

from linsep import (
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    OneVsAll,
    Perceptron,
    Relaxation,
    separability,
    trace,
)

# without a bias, or with a free one: the constant 1 of an augmented bias does not grow with the rows
ESTIMATORS = {
    "Perceptron": lambda: Perceptron(fit_intercept=False),
    "batch": lambda: Perceptron(fit_intercept=False, batch=True),
    "Relaxation": lambda: Relaxation(fit_intercept=False),
    "Kozinec": lambda: Kozinec(),
    "MaximumMargin": lambda: MaximumMargin(),
    "LeastSquares": lambda: LeastSquares("pinv", fit_intercept=False),
    "Ho-Kashyap": lambda: LeastSquares("ho-kashyap", fit_intercept=False),
    "lms": lambda: LeastSquares("lms", fit_intercept=False, max_iter=20),
    "machine": lambda: LinearMachine(fit_intercept=False),
    "machine, relaxation": lambda: LinearMachine("relaxation", fit_intercept=False),
    "machine, kozinec": lambda: LinearMachine("kozinec", fit_intercept=False),
}


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (10, 2)) + rng.integers(0, 3, (10, 2)) * 0.25
    y = (X @ [1.0, 2.0] > 0.6).astype(int)
    y[0] ^= seed % 2  # every other one has a wrong label
    return X, y if np.unique(y).size == 2 else np.arange(10) % 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
@given(seed=st.integers(0, 50), k=st.integers(-900, 900), csr=st.booleans())
@examples(15)
def test_status_and_bounds_scale_with_the_problem(name, seed, k, csr):
    X, y = problem(seed)
    moved = sp.csr_array(np.ldexp(X, k)) if csr else np.ldexp(X, k)
    one, other = ESTIMATORS[name]().fit(sp.csr_array(X) if csr else X, y), ESTIMATORS[name]().fit(moved, y)
    a, b = one.certificate_, other.certificate_
    assert a.status == b.status
    scale = np.ldexp(a.longest, -12)  # bounds near 0 are rounding
    assert np.ldexp(b.lower, -k) == pytest.approx(a.lower, rel=1e-7, abs=1e-9 * scale)
    assert np.ldexp(b.upper, -k) == pytest.approx(a.upper, rel=1e-7, abs=1e-9 * scale)
    assert np.isfinite(other.coef_).all() and np.isfinite(other.decision_function(moved)).all()
    assert (one.predict(X) == other.predict(moved)).all()
    assert other.check(moved, y)


@given(seed=st.integers(0, 50), k=st.integers(-900, 900))
@examples(20)
def test_separability_scales(seed, k):
    X, y = problem(seed)
    a, b = separability(X, y), separability(np.ldexp(X, k), y)
    assert a.separable == b.separable
    assert b.check(np.ldexp(X, k), y)


@given(seed=st.integers(0, 50), k=st.integers(70, 400), tiny=st.booleans(), squared=st.booleans())
@examples(15)
def test_the_soft_margin_scales_with_C(seed, k, tiny, squared):
    X, y = problem(seed)
    k = -k if tiny else k
    loss = "squared_hinge" if squared else "hinge"
    one = MaximumMargin(C=0.5, loss=loss).fit(X, y)
    other = MaximumMargin(C=np.ldexp(0.5, -2 * k), loss=loss).fit(np.ldexp(X, k), y)
    assert other.certificate_.status == one.certificate_.status == "optimal"
    assert np.ldexp(other.certificate_.upper, 2 * k) == pytest.approx(one.certificate_.upper, rel=3e-4)
    assert other.check(np.ldexp(X, k), y)
    assert other.margin_ == pytest.approx(np.ldexp(one.margin_, k), rel=1e-1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [-300, 300, 900])
def test_rows_with_an_augmented_bias_get_true_claims(k):
    X, y = problem(0)
    moved, few = np.ldexp(X, k), {"max_iter": 5}
    rules = (
        Perceptron(),
        Relaxation(**few),
        LeastSquares("pinv"),
        GradientDescent(**few),
        Kozinec(bias="augmented", **few),
    )
    for rule in rules:
        assert rule.fit(moved, y).check(moved, y), (rule, k)


def test_what_double_precision_cannot_hold_is_refused():
    X, y = problem(0)
    with pytest.raises(ValueError, match=r"column 1 has no value above .* beside"):
        Kozinec().fit(X * [1e300, 1e-300], y)
    with pytest.raises(ValueError, match="expected a largest value between"):
        MaximumMargin().fit(X * 1e-307 * 1e-10, y)
    with pytest.raises(ValueError, match="beside the 1 of the bias"):
        Perceptron().fit(X * 1e-300, y)
    with pytest.raises(ValueError, match="C: 1 times the squares"):
        MaximumMargin(C=1.0).fit(X * 1e200, y)
    with pytest.raises(ValueError, match="rows of similar size in all calls"):
        Perceptron().partial_fit(X * 1e200, y, [0, 1]).partial_fit(X, y)
    with pytest.raises(ValueError, match="need rate"):
        LeastSquares("lms", rate=0.1).fit(X * 1e100, y)


def test_steps_and_parts_are_those_of_the_rows_as_they_came():
    X, y = problem(0)
    moved = np.ldexp(X, 200)
    updates = list(trace(Perceptron(fit_intercept=False), moved, y))
    rule = Perceptron(fit_intercept=False, keep="last").fit(moved, y)
    assert np.array_equal(updates[-1].w[:-1], rule.coef_[0])
    parts = Perceptron(fit_intercept=False, keep="last")
    for _ in range(rule.n_iter_):
        parts.partial_fit(moved, y, [0, 1])
    assert np.array_equal(parts.coef_, rule.coef_)
    warm = Perceptron(fit_intercept=False, keep="last", warm_start=True).fit(moved, y)
    assert warm.fit(moved, y).certificate_.updates == 0
    assert np.array_equal(warm.coef_, rule.coef_)


def test_members_and_support_vectors_are_those_of_the_rows_as_they_came():
    X, y = problem(0)
    moved = np.ldexp(X, -500)
    rule = MaximumMargin().fit(moved, y)
    assert np.array_equal(rule.support_vectors_, moved[rule.support_])
    committee = OneVsAll(MaximumMargin()).fit(moved, y)
    assert committee.check(moved, y)
    assert (committee.predict(moved) == MaximumMargin().fit(X, y).predict(X)).all()


def test_a_w_whose_numbers_would_be_lost_is_shown_in_another_length():
    """Found by the attack: at 2^621, bias inside the norm, w was 0 when shown, and was said to separate."""
    X, y = np.ldexp([[0.0, 1.0], [0.0, 3.0], [0.0, -3.0], [0.0, -2.0]], 620), [3, 1, 2, 0]
    rule = MaximumMargin(tol=1e-6).fit(X, y)
    assert rule.coef_.any() and rule.check(X, y) and (rule.predict(X) == y).all()


@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix])
def test_numbers_that_scaling_would_lose_are_refused(kind):
    """They were taken for 0: data that are separable by them were "proved" not to be."""
    X = kind([[2.0**457, 2.0**-600], [2.0**457, 0.0], [-(2.0**457), 2.0**457]])
    for ask in (Perceptron().fit, MaximumMargin().fit, separability):
        with pytest.raises(ValueError, match="double precision can hold"):
            ask(X, [0, 1, 0])


def test_rows_of_zeros_beside_huge_ones_are_refused_if_the_bias_is_inside_the_norm():
    X, y = [[0.0], [2.0**524], [2.0**533]], [1, 0, 0]
    for rule in (Relaxation(), Perceptron(), MaximumMargin(bias="augmented")):
        with pytest.raises(ValueError, match="1 of the bias"):
            rule.fit(X, y)
    assert MaximumMargin().fit(X, y).check(X, y)


@pytest.mark.parametrize("rule", [MaximumMargin(C=1e-200), MaximumMargin(C=1e200), LeastSquares(alpha=1e200)])
def test_costs_whose_squares_are_lost_are_refused(rule):
    """alpha^2 / 4C became 0, and the lower bound of the cost twice what it is."""
    with pytest.raises(ValueError, match="beyond double precision"):
        rule.fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="beyond double precision"):
        MaximumMargin(C=1.0, loss="squared_hinge").fit([[0.0], [1.0], [2.0]], [0, 1, 0], [1.0, 1e-200, 1.0])


def test_conjugate_gradients_that_go_astray_are_left():
    rng = np.random.default_rng(0)
    X = rng.choice([-1e7, 1e7], (10, 1)) * [[1.0, -1.0]] + rng.uniform(-1, 1, (10, 2))
    for alpha in (1.0, 1e-6, 1e-12):
        rule = LeastSquares(alpha=alpha, tol=1e-12, max_iter=1000).fit(sp.csr_matrix(X), np.arange(10) % 2)
        assert np.isfinite(rule.coef_).all() and rule.check(sp.csr_matrix(X), np.arange(10) % 2)
