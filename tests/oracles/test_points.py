"""Points and differences of two classes, against vectors that are built."""

import loop_cases as cases
import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from loop_cases import FORMATS, ORACLES, TARGETS

from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import differences, points
from linsep.rows.matrix import dense_vectors, vectors
from linsep.rules import Increment, Nearest

numbers = st.integers(-4, 4).map(float)


@st.composite
def small_sets(draw, two_classes=False):
    """X, sign, w of small integers."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    X = draw(arrays(np.float64, (n, d), elements=numbers))
    sign = draw(arrays(np.int8, n, elements=st.sampled_from([-1, 1])))
    if two_classes:
        sign[:2] = -1, 1
    return X, sign, draw(arrays(np.float64, d + 1, elements=numbers))


@given(small_sets(), st.sampled_from(list(FORMATS)), st.sampled_from([0.0, 1.0, 0.5]))
def test_points_are_mirrored_rows_with_a_constant(problem, form, bias):
    X, sign, w = problem
    A = reference.mirrored(X, sign, bias)
    part = points(FORMATS[form](X), sign, bias=bias)
    for i, a in enumerate(A):
        score, slot = part.lowest(w, i)
        assert score == a @ w
        assert part.squared_norm(i, slot) == a @ a
        moved, dual_weights = w.copy(), np.zeros(len(A))
        part.add(moved, i, slot, 0.25)
        assert np.array_equal(moved, w + 0.25 * a)
        part.record(dual_weights, i, slot, 0.25)
        assert np.array_equal(dual_weights @ A, 0.25 * a)
    assert np.array_equal(dense_vectors(part, np.arange(len(A))), A)
    assert np.array_equal(vectors([part], np.arange(len(A))), A if bias else A[:, :-1])


@given(small_sets(two_classes=True), st.sampled_from(["dense", "csr32"]))
def test_rows_can_be_copied_and_compared(problem, form):
    X, sign, w = problem
    rows = points(FORMATS[form](X), sign, bias=0.0)
    rivals = differences([rows])[0].rivals
    for i in range(len(X)):
        for place, side in ((0, -1), (2, 1)):
            rivals.copy_row(place, rows, i)
            assert rivals.lowest(w, place)[0] == side * (X[i] @ w[:-1])
            for k in range(len(X)):
                assert rows.squared_distance(k, rivals, place) == (X[k] - X[i]) @ (X[k] - X[i])


@given(small_sets(two_classes=True), st.sampled_from(["dense", "csr32"]))
def test_a_difference_is_the_mean_of_a_row_and_its_rival(problem, form):
    X, sign, w = problem
    w[-1] = 0.0
    (oracle,) = differences([points(FORMATS[form](X), sign, bias=0.0)])
    M = X * sign[:, None]
    oracle.w_changed(w)
    for i in range(len(X)):
        score, slot = oracle.lowest(w, i)
        rival = oracle.number[slot]
        a = (M[i] + M[rival]) / 2
        assert sign[rival] == -sign[i]
        assert score == w[:-1] @ a
        assert oracle.squared_norm(i, slot) == a @ a
        moved, dual_weights = w.copy(), np.zeros(len(X))
        oracle.add(moved, i, slot, 0.5)
        assert np.array_equal(moved[:-1], w[:-1] + 0.5 * a)
        oracle.record(dual_weights, i, slot, 0.5)
        assert np.array_equal(dual_weights @ M, 0.5 * a)
    lowest = [min((M @ w[:-1])[sign == side]) for side in (-1, 1)]
    assert [oracle.score[0], oracle.score[2]] == lowest  # after one look at every row


@given(
    small_sets(two_classes=True), st.sampled_from(["dense", "csr32"]), st.sampled_from(["any", "margin", "relative"])
)
def test_after_a_clean_pass_every_difference_exceeds_the_goal(problem, form, target):
    X, sign, _ = problem
    rule = Increment(1.0) if target == "margin" else Nearest()
    with cases.interpreted():
        result = learn(ORACLES["differences"](FORMATS[form](X), sign), TARGETS[target], rule, stop=Stop(passes=60))
    w, counters = result.state.weights[:-1], result.state.counters
    lowest = min(w @ (p - q) / 2 for p in X[sign > 0] for q in X[sign < 0])
    if result.state.done:
        assert lowest > TARGETS[target].goal(w @ w, counters.total) * (1 - 1e-9) - 1e-12


@pytest.mark.parametrize("form", ["dense", "csr32"])
def test_an_absent_row_is_never_a_rival(form):
    X, sign = np.array([[50.0, 1.0], [0.0, 0.0], [-50.0, 0.0], [1.0, 3.0]]), np.array([-1, -1, 1, 1])
    weight = np.array([0.0, 1.0, 0.0, 1.0])
    parts = differences([points(FORMATS[form](X), sign, weight, bias=0.0)])
    with cases.interpreted():
        result = learn(parts, TARGETS["relative"], Nearest())
    assert not result.state.dual_weights[weight == 0].any()
    assert result.certificate.status == "eps-optimal"
    assert result.certificate.check(X, sign, sample_weight=weight)
    np.testing.assert_allclose(result.certificate.upper, np.sqrt(10) / 2, rtol=1e-9)
