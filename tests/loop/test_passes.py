"""Passes: they agree with the naive loops of the lectures, in chunks as in one piece, and compile once per kind."""

from functools import partial
from itertools import pairwise
from unittest import mock

import golden
import loop_cases as cases
import numpy as np
import pytest
import reference
from loop_cases import FORMATS, NAIVE, ORACLES, PAIRS, RULES, TARGETS

from linsep import Kozinec, Perceptron, Relaxation
from linsep.loop.learn import learn
from linsep.loop.order import VISITS
from linsep.loop.passes import begin, begin_inside, passes, trace
from linsep.loop.stop import Stop
from linsep.loop.sweep import batch_pass, sweep
from linsep.oracles import differences, points
from linsep.rows.evaluate import evaluate_block
from linsep.rules import Increment, Nearest, Scheduled, make_increment
from linsep.rules import Relaxation as RelaxationRule
from linsep.targets import EpsOptimal, Margin

ETA = {"increment": lambda k: 1.0, "1/k": lambda k: 1 / k, "scheduled": lambda k: 1 / k}
forms = pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])


def test_the_worked_example_update_by_update():
    steps = list(trace([points(golden.X, golden.SIGN)], Margin(0.0), Increment(1.0)))
    assert [row for row, _ in steps] == golden.ROWS
    assert [state.weights.tolist() for _, state in steps] == golden.PATH


# --- against the naive loops -----------------------------------------------------------------------------------------


def naive(rule, target, A, batch, rounds):
    """What `reference` makes of it."""
    goal = NAIVE[target]
    if rule == "nearest":
        return (reference.batch_kozinec if batch else reference.kozinec)(A, goal, rounds)
    if rule == "relaxation":
        return (reference.batch_relaxation if batch else reference.relaxation)(A, 0.5, 1.3, rounds)
    return (reference.batch_perceptron if batch else reference.perceptron)(A, goal, ETA[rule], rounds)


@forms
@pytest.mark.parametrize("apart", [0.3, 1.5], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_points_agree_with_the_naive_loop(rule, target, apart, batch):
    X, sign = cases.floats(11, apart=apart)
    w, rows = naive(rule, target, reference.mirrored(X, sign), batch, rounds=6)
    with cases.interpreted():
        result = learn([points(X, sign)], TARGETS[target], RULES[rule](), stop=Stop(passes=6), batch=batch)
        assert result.state.counters.updates == (rows if batch else len(rows))
        np.testing.assert_allclose(result.w, w, rtol=1e-12, atol=1e-12)
        if not batch:
            steps = list(trace([points(X, sign)], TARGETS[target], RULES[rule](), most=len(rows)))
            assert [row for row, _ in steps] == rows
            np.testing.assert_allclose(steps[-1][1].weights, w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("apart", [0.3, 1.5], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_differences_agree_with_the_naive_loop(rule, target, apart):
    def move(w, a, total, k):
        if rule == "nearest":
            return (a, 1.0) if k == 1 else (reference.nearer(w, a), 1.0)
        beta = 1.3 * (0.5 * (1 + 1e-9) - w @ a) / (a @ a) if rule == "relaxation" else ETA[rule](k)
        return w + beta * a, total + beta

    X, sign = cases.floats(12, apart=apart)
    w, rows = reference.two_hulls(X, sign, NAIVE[target], move, passes=6)
    with cases.interpreted():
        result = learn(ORACLES["differences"](X, sign), TARGETS[target], RULES[rule](), stop=Stop(passes=6))
        steps = list(trace(ORACLES["differences"](X, sign), TARGETS[target], RULES[rule](), most=len(rows)))
    assert result.state.counters.updates == len(rows)
    np.testing.assert_allclose(result.state.weights[:-1], w, rtol=1e-12, atol=1e-12)
    assert [row for row, _ in steps] == rows


@forms
def test_weights_multiply_the_increment(batch):
    X, sign = cases.floats(13, apart=0.3)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, sign.size)
    perceptron = reference.batch_perceptron if batch else reference.perceptron
    relaxation = reference.batch_relaxation if batch else reference.relaxation
    for target, rule, loop in (
        (Margin(0.0), Increment(0.5), partial(perceptron, goal=NAIVE["any"], eta=lambda k: 0.5)),
        (Margin(0.5), RelaxationRule(0.4), partial(relaxation, b=0.5, rate=0.4)),
    ):
        w, _ = loop(reference.mirrored(X, sign), passes=5, weight=weight)
        with cases.interpreted():
            result = learn([points(X, sign, weight)], target, rule, stop=Stop(passes=5), batch=batch)
        np.testing.assert_allclose(result.w, w, rtol=1e-12, atol=1e-12)


def test_batch_passes_of_kozinec_weigh_like_repetitions():
    X, sign = cases.floats(30, apart=1.5)
    weight = np.random.default_rng(3).integers(1, 4, sign.size)
    run = partial(learn, target=TARGETS["relative"], rule=Nearest(), batch=True, stop=Stop(passes=10))
    with cases.interpreted():
        one = run([points(X, sign, weight)])
        other = run([points(np.repeat(X, weight, axis=0), np.repeat(sign, weight))])
    np.testing.assert_allclose(one.w, other.w, rtol=1e-9)
    w, _ = reference.batch_kozinec(reference.mirrored(X, sign), NAIVE["relative"], passes=10, weight=weight)
    np.testing.assert_allclose(one.w, w, rtol=1e-12, atol=1e-12)


def test_rates_are_those_of_the_lectures():
    for written, k, rate in (("1/k", 4, 0.25), ("1/sqrt(k)", 4, 0.5), (0.3, 7, 0.3)):
        assert make_increment(written).step(k - 1, 0.0, 0.0, 0.0, 0.0) == (1.0, rate)
    X, sign = cases.floats(14, apart=0.2)
    with cases.interpreted():
        one, other = (
            learn([points(X, sign)], Margin(0.0), make_increment(rate), stop=Stop(passes=5))
            for rate in ("1/k", lambda k: 1 / k)
        )
    np.testing.assert_allclose(one.w, other.w, rtol=1e-12)


# --- chunks = one piece ----------------------------------------------------------------------------------------------


def cut(X, sign, weight, places, kind):
    """The data as parts that begin at ``places``."""
    edges = [0, *places, len(sign)]
    parts = [
        points(X[a:b], sign[a:b], None if weight is None else weight[a:b], bias=float(kind == "points"), first=a)
        for a, b in pairwise(edges)
    ]
    return differences(parts) if kind == "differences" else parts


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize(
    ("rule", "target", "keep"),
    [
        ("increment", "any", "average"),
        ("increment", "relative", "last"),
        ("1/k", "margin", "last"),
        ("scheduled", "any", "last"),
        ("relaxation", "margin", "last"),
        ("nearest", "any", "last"),
        ("nearest", "relative", "average"),
    ],
)
def test_single_sample_in_chunks_gives_the_same_bits(kind, form, rule, target, keep):
    X, sign = cases.floats(20, n=70, d=6, apart=0.3)
    X = FORMATS[form](X)
    weight = np.where(np.arange(70) % 9 == 4, 0.0, 1.5) if rule == "increment" else None
    run = partial(learn, target=TARGETS[target], stop=Stop(passes=12), keep=keep)
    with cases.interpreted():
        piece = run(cut(X, sign, weight, [], kind), rule=RULES[rule]())
        for places in ([1], [35], [7, 8, 50], [64, 69]):
            chunks = run(cut(X, sign, weight, places, kind), rule=RULES[rule]())
            cases.assert_same_bits(chunks.state, piece.state, places)
            assert chunks.w.tobytes() == piece.w.tobytes()
            assert chunks.certificate.lower == piece.certificate.lower
            assert chunks.certificate.violated == piece.certificate.violated


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize(
    ("rule", "target"),
    [("increment", "any"), ("scheduled", "relative"), ("relaxation", "margin"), ("nearest", "relative")],
)
def test_batch_passes_in_chunks_give_the_same_bits(form, rule, target):
    block = 32
    X, sign = cases.floats(21, n=3 * block + 17, d=3, apart=0.3)
    X = FORMATS[form](X)
    weight = np.random.default_rng(0).integers(0, 3, sign.size).astype(float)
    run = partial(learn, target=TARGETS[target], batch=True, stop=Stop(passes=6))
    with cases.interpreted(), mock.patch("linsep.rows.matrix.BLOCK", block):
        piece = run(cut(X, sign, weight, [], "points"), rule=RULES[rule]())
        for places in ([block], [2 * block], [block, 2 * block, 3 * block]):
            chunks = run(cut(X, sign, weight, places, "points"), rule=RULES[rule]())
            cases.assert_same_bits(chunks.state, piece.state, places)
            assert chunks.w.tobytes() == piece.w.tobytes()
            assert chunks.certificate.to_dict() == piece.certificate.to_dict()


def test_a_pass_longer_than_one_compiled_call_is_still_one_pass():
    rng = np.random.default_rng(22)
    n = VISITS + 1000
    X = rng.integers(-3, 4, (n, 2)).astype(float)
    sign = np.where(X @ [2, -1] + 0.5 > 0, 1, -1)
    A = reference.mirrored(X, sign)
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0))
    w, rows = reference.perceptron(A, NAIVE["any"], passes=result.state.passes)
    assert result.state.done
    assert result.state.counters.updates == len(rows)
    assert np.array_equal(result.w, w)


def test_learning_goes_on_from_a_state():
    X, sign = cases.floats(23, apart=0.3)
    for kind, rule, target in (("points", "increment", "any"), ("differences", "nearest", "relative")):
        parts = ORACLES[kind](X, sign)
        with cases.interpreted():
            straight = learn(ORACLES[kind](X, sign), TARGETS[target], RULES[rule](), stop=Stop(passes=9))
            half = learn(parts, TARGETS[target], RULES[rule](), stop=Stop(passes=4))
            rest = learn(parts, TARGETS[target], RULES[rule](), stop=Stop(passes=9), start=half.state)
        cases.assert_same_bits(rest.state, straight.state)


def test_learning_goes_on_from_a_convex_combination():
    X, sign = cases.floats(24, apart=1.5)
    for kind in ORACLES:
        parts = ORACLES[kind](X, sign)
        with cases.interpreted():
            half = learn(parts, TARGETS["relative"], Nearest(), stop=Stop(passes=2))
        state = begin_inside(parts, half.state.dual_weights)
        np.testing.assert_allclose(state.weights[:-1], half.state.weights[:-1], rtol=1e-9, atol=1e-12)
        assert state.upper == pytest.approx(half.state.upper, rel=1e-9)


def test_passes_go_on_as_long_as_they_are_asked():
    parts = [points(*cases.slow())]
    run = passes(parts, Margin(0.0), Increment(1.0), begin(parts))
    assert [next(run).passes for _ in range(4)] == [1, 2, 3, 4]


# --- no recompilation ------------------------------------------------------------------------------------------------


def count_compiled():
    return [len(kernel.signatures) for kernel in (sweep, batch_pass, evaluate_block)]


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("points", "dense"),
        pytest.param("points", "csr32", marks=pytest.mark.long),
        pytest.param("differences", "dense", marks=pytest.mark.long),
        pytest.param("differences", "csr32", marks=pytest.mark.long),
    ],
)
def test_other_values_compile_nothing(kind, form):
    def run_all(sample, weight, *, b, rate, decay, eps, relative, rng, passes):
        X, sign = cases.floats(sample)
        build = partial(ORACLES[kind], FORMATS[form](X), sign, weight=weight)
        for batch in (False, True) if kind == "points" else (False,):
            run = partial(learn, stop=Stop(passes=passes), batch=batch)
            run(build(), Margin(b), Increment(rate, decay), rng=None if batch else rng)
            run(build(), Margin(b), Scheduled(lambda k: rate / k))
            run(build(), Margin(b + 0.1), RelaxationRule(rate))
            run(build(), EpsOptimal(eps, relative), Nearest())

    run_all(1, None, b=0.0, rate=1.0, decay=0.0, eps=0.1, relative=0.0, rng=None, passes=3)
    before, rng = count_compiled(), np.random.default_rng(5)
    run_all(2, np.linspace(0, 2, 40), b=0.7, rate=0.3, decay=0.5, eps=0.0, relative=0.2, rng=rng, passes=4)
    assert count_compiled() == before


def test_integers_as_parameters_are_the_same_parameters():
    X, sign = cases.floats(25, apart=1.5)
    for target, rule in (
        ((Margin, 0.0), (Increment, 1.0)),
        ((Margin, 1.0), (RelaxationRule, 1.0)),
        ((EpsOptimal, 1.0), (Nearest, 1.0)),
    ):
        expected = learn([points(X, sign)], target[0](target[1]), rule[0](rule[1]), stop=Stop(passes=20))
        before = count_compiled()
        found = learn([points(X, sign)], target[0](int(target[1])), rule[0](int(rule[1])), stop=Stop(passes=20))
        assert np.array_equal(found.w, expected.w)
        assert count_compiled() == before


@pytest.mark.parametrize("make", [Perceptron, Relaxation, Kozinec])
def test_estimators_with_other_values_compile_nothing(make):
    X, sign = cases.floats(26)
    make(max_iter=5).fit(X, sign)
    before = count_compiled()
    make(max_iter=7, shuffle=True, random_state=3, class_weight="balanced").fit(X[:30] * 2, sign[:30])
    assert count_compiled() == before
