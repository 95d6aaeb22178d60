"""Separable or not: a w that separates exactly, or few rows whose integer weights sum to zero."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_breast_cancer
from stages import examples

from linsep import MarginCertificate, MaximumMargin, separability
from linsep.interrupt import OUT_OF_TIME, interrupts
from linsep.oracles import points
from linsep.rows.exact import down, dyadic, least, product, scored
from linsep.solvers.exact_nearest_point import Face, decide_exactly
from linsep.solvers.integer_weights import find_integer_weights

ULP = 2.0**-52
TOUCHING = {  # data, labels, and the rows of the only proof with their weights
    "xor": ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], {0: 1, 1: 1, 2: 1, 3: 1}),
    "a point on a segment": ([[0, 0], [4, 2], [1, 0.5], [9, 0]], [0, 0, 1, 1], {0: 3, 1: 1, 2: 4}),
    "two segments in a point": ([[0, 0], [3, 3], [3, 0], [1, 1], [5, 7]], [0, 0, 0, 1, 1], {0: 2, 1: 1, 3: 3}),
    "equal points": ([[0.1, 0.7], [0.1, 0.7], [3, 4]], [0, 1, 1], {0: 1, 1: 1}),
    "a corner in a face": (
        [[3, 0, 0], [0, 3, 0], [0, 0, 3], [1, 1, 1], [2, 2, 2]], [0, 0, 0, 1, 1], {0: 1, 1: 1, 2: 1, 3: 3},
    ),
    "on a line": ([[0.5], [1.5], [1.25]], [0, 0, 1], {0: 1, 1: 3, 2: 4}),
}  # fmt: skip


def verified(claim, X, sign):
    """The certificate holds, by its own check and by fractions here."""
    assert claim.check(X, sign), claim.check(X, sign)
    if claim.separates:
        assert reference.exact_lowest(X, np.where(np.asarray(sign) > 0, 1, -1), claim.w) > 0
        assert claim.lower > 0
    if claim.separable and claim.exact:
        A = reference.mirrored(X, np.where(np.asarray(sign) > 0, 1, -1))
        assert all(sum(n * Fraction(float(x)) for n, x in zip(claim.integers, a)) > 0 for a in A)
    if claim.zero_sum and claim.exact:
        A = reference.mirrored(X, np.where(np.asarray(sign) > 0, 1, -1))
        assert len(claim.integers) == claim.rows.size <= A.shape[1] + 1
        for column in A[claim.rows].T:
            assert sum(n * Fraction(float(x)) for n, x in zip(claim.integers, column)) == 0
    return claim


# --- by hand ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOUCHING)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_hulls_that_touch_or_meet_in_a_point(name, kind):
    X, y, proof = TOUCHING[name]
    X = np.array(X, dtype=float)
    claim = verified(separability(kind(X), y), X, y)
    assert claim.separable is False
    assert claim.rows.tolist() == sorted(proof)
    share = np.array([proof[i] for i in claim.rows]) / sum(proof.values())
    np.testing.assert_allclose(claim.weights / claim.weights.sum(), share, rtol=1e-12)
    assert claim.upper <= 1e-14 * np.abs(X).max()


@pytest.mark.parametrize("name", TOUCHING)
def test_the_exact_walk_finds_them_from_anywhere(name):
    X, y, proof = TOUCHING[name]
    X, sign = np.array(X, dtype=float), np.where(y, 1, -1)
    for row in range(len(X)):
        found = decide_exactly([points(X, sign)], "free", np.eye(len(X))[row])
        assert dict(zip(found.rows.tolist(), found.integers)) == proof


def test_what_is_not_decided_names_the_budget_that_was_spent():
    parts = [points(np.array([[0.0], [1.0]]), np.array([-1, 1]))]
    assert "within 0 seconds" in decide_exactly(parts, "free", np.ones(2), seconds=0.0).reason
    with interrupts(seconds=0.0):
        assert decide_exactly(parts, "free", np.ones(2), seconds=60.0).reason == OUT_OF_TIME


@pytest.mark.parametrize("name", ["a point on a segment", "two segments in a point", "a corner in a face"])
def test_an_ulp_apart_is_separable(name):
    X, y, proof = TOUCHING[name]
    X, y = np.array(X, dtype=float), np.array(y)
    (touching,) = [i for i in proof if y[i] == 1]
    inside = X[y == 1].mean(axis=0) - X[touching]
    X[touching] = np.nextafter(X[touching], X[touching] + np.where(inside == 0, 0, inside))
    exact = reference.meets(reference.mirrored(X, np.where(y, 1, -1)))
    claim = verified(separability(X, y), X, y)
    assert claim.separable is (not exact)


@pytest.mark.parametrize("offset", [1.0, 1e8, -1e8, 1e15 / 3, 1e16, 2.0**60, -1e100, 1e-100])
@pytest.mark.parametrize("d", [1, 3])
def test_one_ulp_apart_far_from_the_origin(offset, d):
    X = np.full((2, d), offset)
    X[1, -1] = np.nextafter(offset, np.inf)
    claim = verified(separability(X, [0, 1]), X, [0, 1])
    assert claim.separable is True
    X[1] = X[0]
    assert verified(separability(X, [0, 1]), X, [0, 1]).separable is False


def test_a_gap_that_no_floating_point_hyperplane_fits_into():
    X = np.array([[-1.0], [-1.0 + ULP / 2]])  # w (1 - 2^-53) < b < w has no solution in floats
    claim = separability(X, [0, 1])
    assert claim.status == "not decided within rounding"
    assert "a hyperplane separates, but none was found whose numbers are floats" in str(claim)
    assert claim.separable is True
    w, b = claim.integers
    assert w * Fraction(-1) + b < 0 < w * (Fraction(-1) + Fraction(1, 2**53)) + b
    assert claim.check(X, [0, 1])
    assert MarginCertificate.from_dict(json.loads(json.dumps(claim.to_dict()))).check(X, [0, 1])
    for integers in ((w, b + abs(w)), (w, b - abs(w)), (-w, -b), (w, b, 0), (0, 0), (float(w), float(b))):
        assert not replace(claim, integers=integers).check(X, [0, 1])
    assert not replace(claim, status="separated").check(X, [0, 1])
    assert not replace(claim, status="budget spent").check(X, [0, 1])


def test_columns_of_any_size():
    X = np.array([[1e-100, 1e100], [3e-100, 3e100], [2e-100, 2e100]])
    for y in ([0, 0, 1], [0, 1, 1]):
        claim = verified(separability(X, y), X, y)
        assert claim.separable is (not reference.meets(reference.mirrored(X, np.where(y, 1, -1))))


# --- against brute force ---------------------------------------------------------------------------------------------

SMALL = st.tuples(st.integers(2, 8), st.integers(1, 3)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int8, shape, elements=st.integers(-3, 3)),
        arrays(np.int8, shape[0], elements=st.sampled_from([-1, 1])).filter(lambda sign: np.unique(sign).size == 2),
    )
)


@examples(150)
@given(SMALL, st.sampled_from([1.0, 0.1, 1 / 3, 1e-5]), st.sampled_from([0.0, 0.1, 1e6 / 3, -1e15]), st.booleans())
def test_every_small_set_is_decided_as_fractions_do(data, unit, offset, sparse):
    X = data[0] * unit + offset  # multiples of 0.1 are not what they seem: near touching, or not quite
    meets = reference.meets(reference.mirrored(X, data[1]))
    claim = verified(separability(sp.csr_array(X) if sparse else X, data[1]), X, data[1])
    assert claim.separable is (not meets)


@examples(150)
@given(SMALL, st.sampled_from([1.0, 0.1, 1 / 3]), st.integers(0, 255), st.sampled_from(["free", "none"]))
def test_the_exact_walk_needs_no_good_start(data, unit, start, bias):
    X, sign = data[0] * unit, data[1]
    A = reference.mirrored(X, sign) if bias == "free" else reference.mirrored(X, sign)[:, :-1]
    weights = np.array([(start >> i) & 1 for i in range(len(X))], dtype=float)
    weights[0] += not weights.any()
    found = decide_exactly([points(X, sign, bias=float(bias == "free"))], bias, weights)
    if reference.meets(A):
        assert min(found.integers) > 0
        assert all(sum(n * Fraction(float(x)) for n, x in zip(found.integers, c)) == 0 for c in A[found.rows].T)
    else:
        assert found.rows is None
        if found.reason:
            assert all(sum(n * Fraction(float(x)) for n, x in zip(found.integers, a)) > 0 for a in A)
        else:
            assert min(product(a, found.w[: a.size]) for a in A) > 0


def test_the_exact_walk_of_vectors_of_one_side():
    """Such are the vectors of labellings: the truth less a rival, without a bias."""
    for A in (np.array([[3.0, 1.0], [1.0, 3.0]]), np.array([[3.0, 1.0], [-1.0, -0.3]])):
        found = decide_exactly([points(A, np.ones(2), bias=0.0)], "none", np.ones(2))
        assert found.rows is None
        assert min(product(a, found.w[:2]) for a in A) > 0
    found = decide_exactly([points(np.array([[3.0, 1.5], [-1.0, -0.5]]), np.ones(2), bias=0.0)], "none", np.ones(2))
    assert found.integers == (1, 3)


@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0.0, 1.0))
def test_a_linear_program_agrees(seed, d, apart):
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(30) % 2, 1, -1)
    X = rng.integers(-20, 21, (30, d)) + np.rint(20 * apart * sign)[:, None]
    claim = verified(separability(X, sign), X, sign)
    assert claim.separable is reference.separable(reference.mirrored(X, sign))


# --- real data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mushrooms", "tulip", "iris_setosa", "vltava_q", "seed001"])
def test_real_sets_that_are_separable(shared, name):
    X, y = shared(name)
    claim = separability(X, y)
    assert claim.separable is True
    assert claim.check(X, y)


@pytest.mark.parametrize(
    "name", ["a9a", "adult_onehot", "spambase", "sms_spam_counts", "riply_trn", "riply_tst", "vltava"]
)
def test_real_sets_that_are_not(shared, name):
    X, y = shared(name)
    claim = separability(X, y)
    assert claim.separable is False
    assert claim.rows.size <= X.shape[1] + 2
    assert claim.check(X, y)


@pytest.mark.parametrize("name", ["a9a", "adult_onehot", "spambase"])
def test_real_sets_without_rows_that_coincide(shared, name):
    X, y = shared(name)
    sign = np.where(y == np.unique(y)[1], 1, -1).astype(np.int8)
    X = X.toarray() if sp.issparse(X) else X
    _, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    both = np.bincount(which.ravel(), sign > 0) % np.bincount(which.ravel()) != 0  # rows of either class
    X, sign = X[first[~both]], sign[first[~both]]
    claim = separability(X, sign)
    assert claim.separable is False
    assert 2 < claim.rows.size <= X.shape[1] + 2
    assert claim.check(X, sign)


def test_mnist_0_against_1(shared):
    X, y = shared("mnist")
    X, y = X[y < 2], y[y < 2]
    claim = separability(X, y)
    assert claim.separable is True
    assert claim.check(X, y)


def test_breast_cancer_raw_has_its_margin_to_1e_9():
    X, y = load_breast_cancer(return_X_y=True)
    assert separability(X, y).separable is True
    claim = MaximumMargin().fit(X, y).certificate_
    assert claim.status == "optimal"
    assert claim.upper - claim.lower <= 1e-9 * claim.upper
    assert claim.check(X, y)
    for forged in (replace(claim, lower=claim.lower * (1 + 1e-11)), replace(claim, upper=claim.upper * (1 - 1e-11))):
        assert not forged.check(X, y)


def test_a_margin_far_below_the_length_of_the_rows_is_reached_in_any_order_of_rows_and_columns():
    X, y = load_breast_cancer(return_X_y=True)
    for seed in range(10):  # the margin is 1e-8 of the longest row: rounding takes another way in each
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
        claim = MaximumMargin().fit(X[rows][:, columns], y[rows]).certificate_
        assert claim.status == "optimal", (seed, str(claim))


@pytest.mark.parametrize("name", ["spambase", "adult_onehot", "a9a"])
@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_maximum_margin_decides_too(shared, name, bias):
    X, y = shared(name)
    claim = MaximumMargin(bias=bias).fit(X, y).certificate_
    assert claim.status == "not separable"
    assert claim.rows.size <= X.shape[1] + 2
    assert claim.check(X, y)


# --- certificates ----------------------------------------------------------------------------------------------------


def test_forged_proofs_are_caught():
    X, y, _ = TOUCHING["two segments in a point"]
    X = np.array(X, dtype=float)
    claim = separability(X, y)
    if not claim.exact:
        proof = decide_exactly([points(X, np.where(y, 1, -1))], "free", np.ones(5))
        claim = replace(claim, rows=proof.rows, integers=proof.integers, weights=np.array(proof.integers, float))
    assert claim.check(X, y)
    two, one, three = claim.integers
    for forged in (
        replace(claim, integers=(two, one, three + 1)),
        replace(claim, integers=(two + 10**30, one + 10**30, three + 2 * 10**30), weights=np.array([1.0, 1.0, 2.0])),
        replace(claim, integers=(two, one)),
        replace(claim, integers=(-two, -one, -three)),
        replace(claim, integers=(0, 0, 0)),
        replace(claim, integers=(float(two), float(one), float(three))),
        replace(claim, rows=np.array([0, 1, 4])),
        replace(claim, rows=np.array([0, 1, 2])),
        replace(claim, rows=np.array([0, 1, 1])),
        replace(claim, rows=np.array([0, 1, 9])),
        replace(claim, weights=np.array([2.0, 1.0, 4.0])),
        replace(claim, zero_sum=False),
        replace(claim, status="separated"),
        replace(claim, status="budget spent"),
        replace(claim, status="separated", zero_sum=False, integers=(), lower=1e-3),
        replace(claim, w=np.array([1.0, 1.0, 1.0])),
    ):
        assert not forged.check(X, y), forged
    assert not claim.check(X + np.array([[0, 0], [0, 0], [0, 0], [1e-15, 0], [0, 0]]), y)
    assert not claim.check(X, np.roll(y, 1))
    assert not claim.check(X, y, sample_weight=[1, 0, 1, 1, 1])


def test_a_forged_w_within_rounding_is_caught():
    X = np.array([[1.0], [1.0 + ULP]])
    claim = separability(X, [0, 1])
    assert claim.separable
    for w in ([1.0, -1.0], [1.0, -1.0 - ULP], [1.5, -1.5], [-1.5, 1.5 + ULP]):
        assert not replace(claim, w=np.array(w)).check(X, [0, 1])


def test_certificates_travel_as_json():
    rng = np.random.default_rng(0)
    X, sign = rng.standard_normal((60, 8)), np.where(np.arange(60) % 2, 1, -1)
    found = decide_exactly([points(X, sign)], "free", np.ones(60))
    assert max(found.integers).bit_length() > 300
    claim = separability(X, sign)
    weights = np.array([n / sum(found.integers) for n in found.integers])
    claim = replace(claim, rows=found.rows, integers=found.integers, weights=weights)
    back = MarginCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert back.integers == found.integers
    assert back.check(X, sign)
    assert str(back) == str(claim)
    old = {name: value for name, value in claim.to_dict().items() if name != "integers"}
    assert MarginCertificate.from_dict(old).integers == ()


def test_without_exact_arithmetic_what_rounding_hides_stays_open():
    rng = np.random.default_rng(3)
    corners = 3.0 * (2**21 + 1) * rng.integers(-9, 10, (3, 600))
    X = np.vstack([corners, corners.mean(axis=0)])  # a point in a triangle in many dimensions
    y = [0, 0, 0, 1]
    assert separability(X, y, exact=False).separable is None
    for exact in ("auto", True):
        claim = verified(separability(X, y, exact=exact), X, y)
        assert claim.separable is False
        assert claim.integers == (1, 1, 1, 3)
    X[3, 0] += 1.0
    assert verified(separability(X, y), X, y).separable is True


def test_a_spent_budget_says_so():
    rng = np.random.default_rng(1)
    X, sign = rng.standard_normal((300, 60)), np.where(np.arange(300) % 2, 1, -1)
    found = decide_exactly([points(X, sign)], "free", np.ones(300), 0.05)
    assert found.w is None
    assert found.rows is None
    assert "0.05 seconds" in found.reason


def test_rows_of_weight_zero_are_absent():
    X, y, _ = TOUCHING["equal points"]
    X = np.vstack([X, [[0.0, 0.0]]])
    y = [*y, 0]
    weight = [0, 1, 2, 1]
    claim = separability(X, y, weight)
    assert claim.separable is True
    assert claim.check(X, y, weight)
    assert separability(X, y).separable is False


def test_labels_and_kinds_of_data():
    X, y, _ = TOUCHING["xor"]
    for kind in (np.uint8, np.float32, bool):
        claim = separability(np.array(X, dtype=kind), np.where(y, "up", "down"))
        assert claim.separable is False
        assert claim.classes == ("down", "up")
        assert claim.check(np.array(X, dtype=kind), np.where(y, "up", "down"))


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], {}, "row 1, column 0"),
        ([[0.0], [1.0]], [1, 1], {}, "one class only"),
        ([[0.0], [1.0]], [0, 1, 1], {}, "inconsistent numbers"),
        ([[0.0], [1.0]], [0, 1], {"exact": "yes"}, "'exact' parameter"),
        ([[0.0], [1.0]], [0, 1], {"max_seconds": 0}, "'max_seconds' parameter"),
        ([[0.0], [1.0]], [0, 1], {"sample_weight": [1, 0]}, "got none in class 1"),
    ],
)
def test_bad_input_is_named(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        separability(X, y, **options)


# --- arithmetic ------------------------------------------------------------------------------------------------------

NUMBERS = st.floats(-1e300, 1e300) | st.floats(-1, 1) | st.sampled_from([0.0, 5e-324, 1e16, 0.1, -(2.0**60)])


@given(arrays(np.float64, 6, elements=NUMBERS), arrays(np.float64, 6, elements=NUMBERS))
def test_products_are_exact_and_their_error_bounds_sound(a, w):
    assert product(a, w) == sum(Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), w.tolist()))
    m, e = dyadic(a)
    assert [Fraction(int(n)) * Fraction(2) ** int(k) for n, k in zip(m, e)] == [Fraction(x) for x in a.tolist()]
    part = points(np.array([a, a]), np.array([1, -1]))
    exact = product(np.append(a, 1.0), np.append(w, 0.5))
    rows, score, error = scored([part], np.append(w, 0.5))
    assert rows.tolist() == [0, 1]
    for found, slack, true in zip(score.tolist(), error.tolist(), (exact, -exact)):
        assert not math.isfinite(slack) or abs(Fraction(found) - true) <= Fraction(slack)
    assert least([part], np.append(w, 0.5)) == -abs(exact)


@given(st.fractions())
def test_rounding_down(q):
    assert down(q) <= q < math.nextafter(down(q), math.inf)


@given(arrays(np.int64, (4, 3), elements=st.integers(-5, 5)))
def test_the_affine_minimiser_is_level(A):
    face = Face()
    for i, a in enumerate(A.tolist()):
        face.add(i, dict(enumerate(a)))
    assert len(face.rows) == np.linalg.matrix_rank(np.column_stack([A, np.ones(4)]))
    weights = face.affine_minimiser()
    w = [sum(n * int(A[i, j]) for n, i in zip(weights, face.rows)) for j in range(3)]
    levels = {sum(x * int(A[i, j]) for j, x in enumerate(w)) for i in face.rows}
    assert sum(weights) > 0
    assert len(levels) == 1
    while len(face.rows) > 1:  # and so it is after rows were dropped
        face.drop(0)
        again = Face()
        for i in face.rows:
            again.add(i, dict(enumerate(A[i].tolist())))
        assert again.affine_minimiser() == face.affine_minimiser()


@given(st.integers(2, 7), st.integers(1, 7), st.integers(0, 10**6), st.sampled_from([1, 2**70 + 3, 3 * 10**40]))
def test_lifting_finds_the_weights_of_zero_sum_where_there_is_one_set_only(n, d, seed, unit):
    small = np.random.default_rng(seed).integers(-4, 5, (n, d))
    found = find_integer_weights(small.astype(object) * unit)
    unique = np.linalg.matrix_rank(small) == n - 1 == np.linalg.matrix_rank(small[:-1])
    assert (found is not None) == unique
    if found is not None:
        assert not (np.array(found, dtype=object) @ small).any()
        assert found[-1] > 0
        assert math.gcd(*found) == 1


def test_lifting_of_long_numbers():
    rng = np.random.default_rng(0)
    A = np.array([[int(x) << 9 for x in row] for row in rng.integers(-(2**52), 2**52, (41, 40))], dtype=object)
    found = find_integer_weights(A)
    assert max(abs(number).bit_length() for number in found) > 1500
    assert not (np.array(found, dtype=object) @ A).any()
