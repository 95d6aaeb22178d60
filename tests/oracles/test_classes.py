"""Classes (D1): a row against its best rival, against Kesler's vectors that are built, and in the loop."""

from functools import partial
from itertools import pairwise
from unittest import mock

import machine_cases as machines
import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from loop_cases import assert_same_bits, interpreted, run_sweeps
from machine_cases import FORMATS, PAIRS, RULES, TARGETS

from linsep.loop.keep import Last
from linsep.loop.learn import learn
from linsep.loop.passes import trace
from linsep.loop.stop import Stop
from linsep.loop.sweep import Task, batch_pass, sweep
from linsep.oracles import classes
from linsep.rows.matrix import combine, vectors, weighted_length
from linsep.rules import Increment, Relaxation
from linsep.targets import Margin

QUICK = [("dense", np.float64, 7), ("csr32", np.float64, 3)]  # the types of X that are compiled; others take long


@given(data=st.data())
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_the_lowest_vector_is_the_one_that_brute_force_finds(data, form, bias):
    n, d, count = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4)), data.draw(st.integers(2, 12)))
    numbers = st.integers(-4, 4).map(float)
    X = data.draw(arrays(np.float64, (n, d), elements=numbers))
    label = data.draw(arrays(np.int64, n, elements=st.integers(0, count - 1)))
    W = data.draw(arrays(np.float64, (count, d + 1), elements=numbers))
    part = classes(FORMATS[form](X), label, count, bias=bias)
    w = part.as_vector(W)
    assert np.array_equal(part.as_matrix(w), W)
    for i, built in enumerate(reference.kesler(X, label, count, bias)):
        score = built @ W.ravel()
        lowest = built[np.argmin(score)]
        wa, rival = part.lowest(w, i)
        assert wa == score.min()
        assert part.squared_norm(i, rival) == lowest @ lowest
        moved, dual_weights = w.copy(), np.zeros(n * count)
        part.add(moved, i, rival, 0.5)
        part.record(dual_weights, i, rival, 0.5)
        assert np.array_equal(part.as_matrix(moved).ravel(), W.ravel() + 0.5 * lowest)
        assert weighted_length([part], dual_weights) == pytest.approx(0.5 * np.linalg.norm(lowest))
        assert np.array_equal(part.as_matrix(combine([part], dual_weights)).ravel(), 0.5 * lowest)
        if bias:
            assert np.array_equal(vectors([part], np.flatnonzero(dual_weights))[0], lowest)
    own = np.arange(n) * count + label
    assert np.array_equal(np.flatnonzero(~part.present_places()), own)


def test_labels_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"expected labels 0 \.\.\. 2, got 0 \.\.\. 3"):
        classes(np.eye(3), [0, 1, 3], 3)
    with pytest.raises(ValueError, match="expected two classes or more, got 1"):
        classes(np.eye(3), [0, 0, 0], 1)


# --- against the naive loop ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_every_rule_agrees_with_the_naive_loop_on_built_vectors(rule, target, apart, form):
    X, label = machines.clouds(11, apart=apart)
    sets = reference.kesler(X, label, 4)
    w, rows = reference.machine(sets, TARGETS[target][1], RULES[rule][1], passes=6)
    part = classes(FORMATS[form](X), label, 4)
    with interpreted():
        result = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=6))
        steps = list(trace([part], TARGETS[target][0], RULES[rule][0](), most=len(rows)))
    assert result.state.counters.updates == len(rows) > 0
    np.testing.assert_allclose(result.w.ravel(), w, rtol=1e-9, atol=1e-9)
    assert [row for row, _ in steps] == rows


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_every_batch_pass_agrees_with_the_naive_loop_on_built_vectors(rule, target, apart, form):
    X, label = machines.clouds(12, apart=apart)
    sets = reference.kesler(X, label, 4)
    w, steps = reference.batch_machine(sets, TARGETS[target][1], machines.BATCH[rule], passes=6)
    part = classes(FORMATS[form](X), label, 4)
    with interpreted():
        result = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=6), batch=True)
    assert result.state.counters.updates == steps > 0
    np.testing.assert_allclose(result.w.ravel(), w, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rule", ["increment", "nearest"])
def test_the_average_is_the_mean_over_all_visits(rule, form):
    X, label = machines.clouds(13, apart=0.3)
    mean = []
    reference.machine(reference.kesler(X, label, 4), reference.margin(0.0), RULES[rule][1], passes=5, mean=mean)
    part = classes(FORMATS[form](X), label, 4)
    with interpreted():
        result = learn([part], Margin(0.0), RULES[rule][0](), stop=Stop(passes=5), keep="average")
    mean = np.mean(mean, axis=0)
    np.testing.assert_allclose(result.w.ravel() / np.linalg.norm(result.w), mean / np.linalg.norm(mean), atol=1e-12)


def test_pocket_keeps_the_fewest_errors():
    X, label = machines.clouds(14, n=60, apart=0.3)
    seen = []
    part = classes(X, label, 4)

    def count_errors(state):
        W = part.as_matrix(state.weights)
        seen.append(np.sum(np.argmax(X @ W[:, :-1].T + W[:, -1], axis=1) != label))

    with interpreted():
        result = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=15), keep="pocket", watch=[count_errors])
    W = result.w
    assert np.sum(np.argmax(X @ W[:, :-1].T + W[:, -1], axis=1) != label) == min(seen) == result.certificate.violated
    assert min(seen) < max(seen)


# --- compiled = interpreted, chunks = one piece ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "dtype", "count"),
    [
        *QUICK,
        *(
            pytest.param(form, dtype, count, marks=pytest.mark.long)
            for form in FORMATS
            for dtype in (np.float64, np.float32, np.uint8, np.bool_)
            for count in (3, 7)
            if (form, dtype, count) not in QUICK
        ),
    ],
)
def test_compiled_is_interpreted_bit_for_bit_where_arithmetic_is_exact(form, dtype, count):
    rng = np.random.default_rng(5)
    label = np.concatenate([np.arange(count), rng.integers(0, count, 30)])
    X = FORMATS[form](rng.integers(0, 2, (label.size, 6)).astype(dtype))
    one, other = (
        run_sweeps(kernel, [classes(X, label, count)], Margin(0.0), Increment(1.0), average=True, rounds=3)
        for kernel in (sweep, sweep.py_func)
    )
    assert one.counters.updates > 10
    assert_same_bits(one, other)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.bool_])
@pytest.mark.parametrize("form", FORMATS)
def test_every_type_of_x_gives_the_bits_of_float64(form, dtype):
    rng = np.random.default_rng(5)
    label = np.concatenate([np.arange(7), rng.integers(0, 7, 30)])
    X = rng.integers(0, 2, (label.size, 6)).astype(float)
    one, other = (
        run_sweeps(sweep.py_func, [classes(FORMATS[form](given), label, 7)], Margin(0.0), Increment(1.0))
        for given in (X, X.astype(dtype))
    )
    assert_same_bits(one, other)


@pytest.mark.parametrize("form", ["dense", pytest.param("csr32", marks=pytest.mark.long)])
def test_compiled_batch_pass_is_the_interpreted_one(form):
    X, label = machines.clouds(6, apart=0.3)
    w = np.random.default_rng(0).normal(size=16)
    found = []
    for run in (batch_pass, batch_pass.py_func):
        part = classes(FORMATS[form](X), label, 4)
        total, weights = np.zeros_like(w), np.zeros(label.size * 4)
        task = Task(part, Margin(0.5), Relaxation(1.5), Last(np.zeros(0)))
        numbers = run(task, w, np.arange(label.size), 0.5, total, weights)
        found.append((np.array(numbers), total, weights))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def cut(X, label, weight, places):
    """The data as parts that begin at ``places``."""
    return [classes(X[a:b], label[a:b], 4, weight[a:b], first=a) for a, b in pairwise([0, *places, label.size])]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
@pytest.mark.parametrize(("rule", "target"), [("increment", "any"), ("relaxation", "margin"), ("nearest", "relative")])
def test_chunks_give_the_same_bits(rule, target, form, batch):
    block = 32
    X, label = machines.clouds(20, n=2 * block + 10, apart=0.3)
    X, weight = FORMATS[form](X), np.where(np.arange(label.size) % 9 == 4, 0.0, 1.5)
    run = partial(learn, stop=Stop(passes=4), batch=batch)
    with interpreted(), mock.patch("linsep.rows.matrix.BLOCK", block):
        together = run(cut(X, label, weight, []), TARGETS[target][0], RULES[rule][0]())
        chunks = run(cut(X, label, weight, [block, 2 * block]), TARGETS[target][0], RULES[rule][0]())
    assert chunks.w.tobytes() == together.w.tobytes()
    assert chunks.certificate.to_dict() == together.certificate.to_dict()


def test_weights_multiply_the_increment_and_zero_is_absence():
    X, label = machines.clouds(21, apart=0.3)
    weight = np.random.default_rng(0).integers(0, 3, label.size).astype(float)
    kept = weight > 0
    with interpreted():
        run = partial(learn, target=Margin(0.0), rule=Increment(1.0), stop=Stop(passes=7))
        found = run([classes(X, label, 4, weight)])
        only = run([classes(X[kept], label[kept], 4, weight[kept])])
        doubled = run([classes(X, label, 4, 2 * weight)])
    assert found.w.tobytes() == only.w.tobytes()
    assert found.certificate.size == kept.sum()
    assert found.certificate.check(X, label, weight)
    np.testing.assert_allclose(doubled.w, 2 * found.w)


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_other_values_compile_nothing(batch):
    def run(seed, b, rate):
        X, label = machines.clouds(seed, count=3 + seed)
        learn([classes(X, label, 3 + seed)], Margin(b), Relaxation(rate), stop=Stop(passes=2), batch=batch)

    run(0, 0.1, 1.0)
    before = len(sweep.signatures), len(batch_pass.signatures)
    run(1, 0.4, 0.5)
    assert (len(sweep.signatures), len(batch_pass.signatures)) == before
