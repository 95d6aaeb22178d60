"""One sweep: compiled, interpreted, dense, sparse, and of any type of X, it makes the same updates."""

from functools import partial

import loop_cases as cases
import numpy as np
import pytest
import scipy.sparse as sp
from loop_cases import DTYPES, FORMATS, ORACLES, PAIRS, RULES, TARGETS

from linsep import Perceptron
from linsep.loop.keep import Last
from linsep.loop.sweep import Task, batch_pass, sweep
from linsep.oracles import points
from linsep.rules import Increment, Nearest, Scheduled
from linsep.targets import Margin

# Every rule and every target is compiled for dense points, and one pair for each other oracle; all of them take long.
QUICK = {
    ("points", "dense", "increment", "any"),
    ("points", "dense", "1/k", "margin"),
    ("points", "dense", "scheduled", "margin"),
    ("points", "dense", "relaxation", "margin"),
    ("points", "dense", "nearest", "absolute"),
    ("points", "dense", "nearest", "relative"),
    ("points", "csr32", "nearest", "relative"),
    ("differences", "dense", "nearest", "relative"),
    ("differences", "csr32", "increment", "any"),
}
CASES = [
    pytest.param(*case, marks=() if case in QUICK else pytest.mark.long)
    for case in ((kind, form, *pair) for kind in ORACLES for form in ("dense", "csr32") for pair in PAIRS)
]


@pytest.mark.parametrize(("kind", "form", "rule", "target"), CASES)
def test_compiled_makes_the_updates_of_the_interpreted(kind, form, rule, target):
    X, sign = cases.floats(3, apart=0.4)
    make = partial(ORACLES[kind], FORMATS[form](X), sign)
    cases.assert_same_updates(*cases.both_speeds(make, TARGETS[target], RULES[rule]()))


@pytest.mark.parametrize(
    ("kind", "form", "target"),
    [
        ("points", "dense", "any"),
        pytest.param("points", "dense", "absolute", marks=pytest.mark.long),
        pytest.param("points", "csr32", "any", marks=pytest.mark.long),
        pytest.param("points", "csr32", "absolute", marks=pytest.mark.long),
        pytest.param("differences", "dense", "any", marks=pytest.mark.long),
        pytest.param("differences", "dense", "absolute", marks=pytest.mark.long),
        ("differences", "csr32", "any"),
        pytest.param("differences", "csr32", "absolute", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_compiled_is_interpreted_bit_for_bit_where_arithmetic_is_exact(kind, form, target, scale):
    X, sign = cases.integers(1, high=9)
    make = partial(ORACLES[kind], FORMATS[form](scale * X), sign)
    halves = Scheduled(lambda k: 2.0 ** -(k % 3))
    rules = (Increment(1.0), Increment(0.5), halves) if kind == "points" else (Increment(1.0), Increment(0.5))
    for rule in rules:
        one, other = cases.both_speeds(make, TARGETS[target], rule)
        assert one.counters.updates > 10
        cases.assert_same_bits(one, other, rule)


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_of_x_gives_the_bits_of_float64(kind, form, dtype):
    X, sign = cases.integers(2)
    run = partial(cases.run_sweeps, sweep.py_func, target=Margin(0.0), rule=Increment(1.0))
    expected = run(parts=ORACLES[kind](X, sign))
    assert expected.counters.updates > 10
    narrow = FORMATS[form](X.astype(DTYPES[dtype]))
    assert narrow.dtype == DTYPES[dtype]
    cases.assert_same_bits(run(parts=ORACLES[kind](narrow, sign)), expected)


@pytest.mark.parametrize(
    ("kind", "form", "dtype"),
    [
        ("points", "dense", "uint8"),
        ("points", "csr64", "bool"),
        *(
            pytest.param(kind, form, dtype, marks=pytest.mark.long)
            for kind, form, dtype in (
                ("points", "dense", "float32"),
                ("points", "dense", "bool"),
                ("points", "csr32", "float32"),
                ("points", "csr32", "uint8"),
                ("points", "csr64", "float64"),
                ("differences", "dense", "uint8"),
                ("differences", "dense", "bool"),
                ("differences", "csr32", "float32"),
                ("differences", "csr64", "float64"),
            )
        ),
    ],
)
def test_every_type_of_x_is_compiled(kind, form, dtype):
    X, sign = cases.integers(2)
    make = partial(ORACLES[kind], FORMATS[form](X.astype(DTYPES[dtype])), sign)
    cases.assert_same_bits(*cases.both_speeds(make, Margin(0.0), Increment(1.0)))


@pytest.mark.parametrize(
    ("kind", "form", "target", "rule"),
    [
        ("points", "dense", "any", "increment"),
        pytest.param("points", "csr32", "relative", "nearest", marks=pytest.mark.long),
        ("differences", "dense", "relative", "nearest"),
        pytest.param("differences", "csr32", "any", "increment", marks=pytest.mark.long),
    ],
)
def test_compiled_average_is_the_interpreted_one(kind, form, target, rule):
    X, sign = cases.floats(5, apart=0.3)
    make = partial(ORACLES[kind], FORMATS[form](X), sign)
    states = cases.both_speeds(make, TARGETS[target], RULES[rule](), average=True)
    cases.assert_same_updates(*states)
    assert states[0].keeper.total.any()


@pytest.mark.parametrize(
    ("form", "rule"),
    [
        *(("dense", rule) for rule in ("increment", "scheduled", "relaxation", "nearest")),
        ("csr32", "relaxation"),
        *(pytest.param("csr32", rule, marks=pytest.mark.long) for rule in ("increment", "scheduled", "nearest")),
    ],
)
def test_compiled_batch_pass_is_the_interpreted_one(form, rule):
    for (X, sign), exact in ((cases.integers(4, high=9), rule != "relaxation"), (cases.floats(4), False)):
        part, w = points(FORMATS[form](X), sign), np.arange(-2.0, 4.0)
        given = RULES[rule]().for_updates(0, 1) if rule == "scheduled" else RULES[rule]()
        task, rows = Task(part, Margin(0.5), given, Last(np.zeros(0))), np.arange(sign.size)
        sums, totals, weights = [], np.zeros((2, 6)), np.zeros((2, sign.size))
        for run, total, weight in zip((batch_pass, batch_pass.py_func), totals, weights):
            sums.append(tuple(run(task, w, rows, 0.5, total, weight)))
        assert sums[0][0] == sums[1][0] > 0
        compare = np.testing.assert_array_equal if exact else partial(np.testing.assert_allclose, rtol=1e-12)
        compare(sums[0], sums[1])
        compare(totals[0], totals[1])
        compare(weights[0], weights[1])


# --- dense = sparse, in place ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["csr32", "csr64"])
@pytest.mark.parametrize(("rule", "target"), [("increment", "any"), ("relaxation", "margin"), ("nearest", "relative")])
def test_sparse_makes_the_updates_of_dense(kind, form, rule, target):
    X, sign = cases.floats(7, d=8, apart=0.5)
    X[np.abs(X) < 0.7] = 0.0
    dense, sparse = (
        cases.run_sweeps(sweep.py_func, ORACLES[kind](change(X), sign), TARGETS[target], RULES[rule]())
        for change in (np.asarray, FORMATS[form])
    )
    cases.assert_same_updates(dense, sparse)


def test_rows_of_csr_may_be_unsorted_doubled_or_hold_zeros():
    X, sign = cases.integers(8, d=3)
    tidy = sp.csr_array(X)
    rows = [[(j, X[i, j]) for j in (2, 1, 0)] for i in range(len(X))]  # backwards, zeros included
    backwards = sp.csr_array(
        (
            np.array([x for row in rows for _, x in row]),
            np.array([j for row in rows for j, _ in row]),
            np.arange(0, 3 * len(X) + 1, 3),
        ),
        shape=X.shape,
    )
    doubled = sp.csr_array((np.repeat(tidy.data / 2, 2), np.repeat(tidy.indices, 2), 2 * tidy.indptr), shape=X.shape)
    run = partial(cases.run_sweeps, sweep.py_func, target=Margin(0.0), rule=Increment(1.0))
    for kind in ORACLES:
        expected = run(parts=ORACLES[kind](tidy, sign))
        for untidy in (doubled, backwards):
            before = untidy.data.copy(), untidy.indices.copy()
            cases.assert_same_bits(run(parts=ORACLES[kind](untidy, sign)), expected)
            assert np.array_equal(before[0], untidy.data)  # the user's matrix is not changed
            assert np.array_equal(before[1], untidy.indices)


def test_a_read_only_memmap_is_read_in_place(tmp_path):
    X, sign = cases.floats(9)
    X.tofile(tmp_path / "X")
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="r", shape=X.shape)
    assert np.shares_memory(points(mapped, sign).X, mapped)
    expected = cases.run_sweeps(sweep, ORACLES["points"](X, sign), Margin(0.0), Increment(1.0))
    compiled = len(sweep.signatures)
    cases.assert_same_bits(cases.run_sweeps(sweep, [points(mapped, sign)], Margin(0.0), Increment(1.0)), expected)
    assert len(sweep.signatures) == compiled
    y = np.where(sign > 0, "yes", "no")
    np.testing.assert_array_equal(Perceptron().fit(mapped, y).coef_, Perceptron().fit(X, y).coef_)


@pytest.mark.parametrize("kernel", [sweep, sweep.py_func], ids=["compiled", "interpreted"])
def test_a_small_scale_is_multiplied_out_unseen(kernel):
    X, sign = cases.floats(16, apart=0.5)
    states = []
    for scale in (1.0, 2.0**-332):  # just above the least scale: the next alpha < 1 multiplies it out
        parts = ORACLES["points"](X, sign)
        state = cases.begin(parts, average=True)
        state.w = np.linspace(1, 2, 6) / scale
        state.counters = state.counters._replace(updates=1, total=1.0, scale=scale)
        task = Task(parts[0], TARGETS["relative"], Nearest(), state.keeper)
        state.counters = kernel(task, state.w, state.dual_weights, state.counters, np.arange(sign.size), 99, -1)
        states.append(state)
    one, other = states
    assert other.counters.scale > 1e-90  # multiplied out
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-10)
    np.testing.assert_allclose(
        one.counters.scale * one.dual_weights, other.counters.scale * other.dual_weights, rtol=1e-10
    )
    mean, same = (state.keeper.result(state.w, state.counters.seen) for state in states)
    np.testing.assert_allclose(mean, same, rtol=1e-10)
