"""The loop: compiled, interpreted, naive, dense, sparse, in chunks and shuffled, it is one and the same."""

import pickle
import re
import signal
import threading
import time
from functools import partial
from itertools import pairwise

import golden
import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import GradientDescent, Kozinec, LeastSquares, Perceptron
from linsep import Relaxation as RelaxationRule
from linsep.certificates.prove.margin import fewest, free_bias, likely
from linsep.loop.keep import keeper
from linsep.loop.learn import begin, learn, passes, trace
from linsep.loop.order import VISITS, visits
from linsep.loop.stop import Stop
from linsep.loop.sweep import BLOCK, Task, Tick, survey, sweep, tally
from linsep.oracles import differences, points
from linsep.rules import Increment, Nearest, Relaxation, Scheduled, increment
from linsep.targets import EpsOptimal, Margin

DTYPES = {"float64": np.float64, "float32": np.float32, "uint8": np.uint8, "bool": np.bool_}


def csr(X, index=np.int32):
    """X as CSR with indices of the wanted type."""
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


FORMATS = {"dense": np.asarray, "csr32": csr, "csr64": partial(csr, index=np.int64)}
ORACLES = {
    "points": lambda X, sign, **more: [points(X, sign, **more)],
    "differences": lambda X, sign, **more: differences([points(X, sign, bias=0.0, **more)]),
}
RULES = {
    "increment": lambda: Increment(1.0),
    "1/k": lambda: Increment(1.0, 1.0),
    "table": lambda: Scheduled(lambda k: 1.0 / k),
    "relaxation": lambda: Relaxation(1.3),
    "nearest": lambda: Nearest(),
}
WALKS = (sweep, sweep.py_func)  # compiled, interpreted
TARGETS = {
    "any": Margin(0.0),
    "margin": Margin(0.5),
    "absolute": EpsOptimal(0.05, 0.0),
    "relative": EpsOptimal(0.0, 0.1),
}
REFUSED = {
    *(("relaxation", target) for target in ("any", "absolute", "relative")),
    ("nearest", "margin"),
}
PAIRS = [(rule, target) for rule in RULES for target in TARGETS if (rule, target) not in REFUSED]


def whole_numbers(seed=0, n=40, d=5, high=2):
    """Small whole numbers, so that every type holds them and sums are exact; two overlapping classes."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], n)
    X = rng.integers(0, high, (n, d))
    X[:, 0] = np.where(rng.random(n) < 0.8, sign > 0, X[:, 0])
    return X.astype(np.float64), sign


def floats(seed=0, n=40, d=5, apart=1.0):
    """Gaussian clouds ``apart`` from each other."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], n)
    return rng.normal(size=(n, d)) + apart * sign[:, None], sign


def xor():
    return np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, 2, 2])


# --- the lectures' example -------------------------------------------------------------------------------------------


def test_worked_example_by_the_estimator():
    rule = Perceptron().fit(golden.X, golden.Y)
    assert [*rule.coef_[0], *rule.intercept_] == golden.W
    assert rule.certificate_.updates == 3
    assert rule.classes_[1] == 2


def test_worked_example_by_learn():
    result = learn([points(golden.X, golden.SIGN)], Margin(0.0), Increment(1.0))
    assert result.w.tolist() == golden.W
    assert result.state.tick.updates == 3
    assert np.flatnonzero(result.state.dual).tolist() == sorted(golden.ROWS)


def test_worked_example_step_by_step():
    steps = list(trace([points(golden.X, golden.SIGN)], Margin(0.0), Increment(1.0)))
    assert [row for row, _ in steps] == golden.ROWS
    assert [state.weights.tolist() for _, state in steps] == golden.PATH


# --- compiled = interpreted ------------------------------------------------------------------------------------------


def walk(run, parts, target, rule, keep="last", rounds=4):
    """``rounds`` sweeps over all parts with the text ``run``, compiled or interpreted."""
    state = begin(parts, keep)
    for _ in range(rounds):
        for part in parts:
            rows = np.arange((part.rows if hasattr(part, "rows") else part).sign.size)
            ready = rule.ready(state.tick.updates, rows.size) if isinstance(rule, Scheduled) else rule
            task = Task(part, target, ready, state.keep)
            state.tick = Tick(*run(task, state.w, state.dual, state.tick, rows, 10**9, -1))
    return state


def same_bits(left, right, note=""):
    """Every number of two states is the same (but for ``tick.at``, which counts within one call)."""
    assert left.tick._replace(at=0) == right.tick._replace(at=0), note
    for name, one, other in (
        ("w", left.w, right.w),
        ("dual", left.dual, right.dual),
        ("the average", left.keep.total, right.keep.total),
    ):
        apart = np.abs(one - other).max(initial=0.0)
        assert one.tobytes() == other.tobytes(), f"{note} {name} differs by {apart:g}"


def same_course(left, right):
    """The same updates, and the same w but for rounding."""
    assert left.tick.updates == right.tick.updates > 0
    assert np.array_equal(np.flatnonzero(left.dual), np.flatnonzero(right.dual))
    np.testing.assert_allclose(left.weights, right.weights, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(left.dual, right.dual, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(left.keep.total, right.keep.total, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_compiled_makes_the_updates_of_the_interpreted(kind, form, rule, target):
    X, sign = floats(3, apart=0.4)
    states = [
        walk(run, ORACLES[kind](FORMATS[form](X), sign), TARGETS[target], RULES[rule]())
        for run in (sweep, sweep.py_func)
    ]
    same_course(*states)


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize("target", ["any", "absolute"])
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_compiled_is_interpreted_bit_for_bit_where_arithmetic_is_exact(kind, form, target, scale):
    X, sign = whole_numbers(1, high=9)
    halves = [Increment(1.0), Increment(0.5), Scheduled(lambda k: 2.0 ** -(k % 3))]
    for rule in halves:
        one, other = (
            walk(run, ORACLES[kind](FORMATS[form](scale * X), sign), TARGETS[target], rule)
            for run in (sweep, sweep.py_func)
        )
        assert one.tick.updates > 10
        same_bits(one, other, rule)


@pytest.mark.parametrize(
    ("kind", "form", "dtype"),
    [
        *(("points", form, dtype) for form in ("dense", "csr32") for dtype in DTYPES),
        ("points", "csr64", "float64"),
        ("differences", "dense", "uint8"),
        ("differences", "dense", "bool"),
        ("differences", "csr32", "float32"),
        ("differences", "csr64", "float64"),
    ],
)
def test_every_type_of_X_gives_the_bits_of_float64(kind, form, dtype):
    X, sign = whole_numbers(2)
    expected = walk(sweep, ORACLES[kind](X, sign), Margin(0.0), Increment(1.0))
    assert expected.tick.updates > 10
    narrow = FORMATS[form](X.astype(DTYPES[dtype]))
    assert narrow.dtype == DTYPES[dtype]
    for run in (sweep, sweep.py_func):
        same_bits(walk(run, ORACLES[kind](narrow, sign), Margin(0.0), Increment(1.0)), expected)


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["dense", "csr32"])
def test_compiled_average_is_the_interpreted_one(kind, form):
    X, sign = floats(5, apart=0.3)
    for target, rule in ((TARGETS["relative"], Nearest()), (Margin(0.0), Increment(1.0))):
        states = [walk(run, ORACLES[kind](FORMATS[form](X), sign), target, rule, "average") for run in WALKS]
        same_course(*states)
        assert states[0].keep.total.any()


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize("rule", ["increment", "table", "relaxation", "nearest"])
def test_compiled_tally_is_the_interpreted_one(form, rule):
    for (X, sign), exact in ((whole_numbers(4, high=9), rule != "relaxation"), (floats(4), False)):
        part, w = points(FORMATS[form](X), sign), np.arange(-2.0, 4.0)
        given = RULES[rule]().ready(0, 1) if rule == "table" else RULES[rule]()
        task, rows = Task(part, Margin(0.5), given, keeper("last", 6)), np.arange(sign.size)
        sums, totals, pulls = [], np.zeros((2, 6)), np.zeros((2, sign.size))
        for run, total, pull in zip((tally, tally.py_func), totals, pulls):
            sums.append(tuple(run(task, w, rows, 0.5, total, pull)))
        assert sums[0][0] == sums[1][0] > 0
        compare = np.testing.assert_array_equal if exact else partial(np.testing.assert_allclose, rtol=1e-12)
        compare(sums[0], sums[1])
        compare(totals[0], totals[1])
        compare(pulls[0], pulls[1])


@pytest.mark.parametrize("form", ["dense", "csr32", "csr64"])
def test_compiled_survey_is_the_interpreted_one(form):
    X, sign = whole_numbers(6, high=9)
    weight = np.arange(1.0, sign.size + 1)
    part, w, rows = points(FORMATS[form](X), sign, weight), np.arange(-2.0, 4.0), np.arange(sign.size)
    one, other = tuple(survey(part, w, rows, 2.0**-40)), tuple(survey.py_func(part, w, rows, 2.0**-40))
    assert one == other
    scores = reference.mirrored(X, sign) @ w
    assert one[:3] == (np.sum(scores <= 0), weight[scores <= 0].sum(), scores.min())
    assert one[5:] == (scores[sign < 0].min(), scores[sign > 0].min())


# --- dense = sparse, in place ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize(("rule", "target"), [("increment", "any"), ("relaxation", "margin"), ("nearest", "relative")])
def test_sparse_makes_the_updates_of_dense(kind, rule, target):
    X, sign = floats(7, d=8, apart=0.5)
    X[np.abs(X) < 0.7] = 0.0
    dense, *sparse = (
        walk(sweep, ORACLES[kind](FORMATS[form](X), sign), TARGETS[target], RULES[rule]())
        for form in (FORMATS if rule == "increment" else ("dense", "csr32"))
    )
    for state in sparse:
        same_course(dense, state)


def test_rows_of_csr_may_be_unsorted_doubled_or_hold_zeros():
    X, sign = whole_numbers(8, d=3)
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
    for kind in ORACLES:
        expected = walk(sweep, ORACLES[kind](tidy, sign), Margin(0.0), Increment(1.0))
        for untidy in (doubled, backwards):
            before = untidy.data.copy(), untidy.indices.copy()
            same_bits(walk(sweep, ORACLES[kind](untidy, sign), Margin(0.0), Increment(1.0)), expected)
            assert np.array_equal(before[0], untidy.data)  # the user's matrix is left alone
            assert np.array_equal(before[1], untidy.indices)


def test_read_only_memmap_is_read_in_place(tmp_path):
    X, sign = floats(9)
    X.tofile(tmp_path / "X")
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="r", shape=X.shape)
    assert np.shares_memory(points(mapped, sign).X, mapped)
    compiled = len(sweep.signatures)
    expected = walk(sweep, ORACLES["points"](X, sign), Margin(0.0), Increment(1.0))
    compiled = len(sweep.signatures)
    same_bits(walk(sweep, ORACLES["points"](mapped, sign), Margin(0.0), Increment(1.0)), expected)
    assert len(sweep.signatures) == compiled
    y = np.where(sign > 0, "yes", "no")
    np.testing.assert_array_equal(Perceptron().fit(mapped, y).coef_, Perceptron().fit(X, y).coef_)


# --- oracles against brute force -------------------------------------------------------------------------------------

numbers = st.integers(-4, 4).map(float)


@st.composite
def small_sets(draw):
    """X, sign, w of small whole numbers."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    X = draw(arrays(np.float64, (n, d), elements=numbers))
    sign = draw(arrays(np.int8, n, elements=st.sampled_from([-1, 1])))
    return X, sign, draw(arrays(np.float64, d + 1, elements=numbers))


@given(small_sets(), st.sampled_from(list(FORMATS)), st.sampled_from([0.0, 1.0, 0.5]))
def test_points_know_their_vectors(problem, form, bias):
    X, sign, w = problem
    A = reference.mirrored(X, sign, bias)
    part = points(FORMATS[form](X), sign, bias=bias)
    for i, a in enumerate(A):
        assert part.probe(w, i) == a @ w
        assert part.square(i) == a @ a
        moved = w.copy()
        part.add(moved, i, 0.25)
        assert np.array_equal(moved, w + 0.25 * a)


@given(small_sets(), st.sampled_from(["dense", "csr32"]))
def test_rows_can_be_stored_and_compared(problem, form):
    X, sign, w = problem
    rows = points(FORMATS[form](X), sign, bias=0.0)
    if len(np.unique(sign)) < 2:
        return
    slots = differences([rows])[0].slots
    for i in range(len(X)):
        for slot, side in ((0, -1), (2, 1)):
            slots.store(slot, rows, i)
            assert slots.probe(w, slot) == side * (X[i] @ w[:-1])
            for k in range(len(X)):
                assert rows.gap(k, slots, slot) == (X[k] - X[i]) @ (X[k] - X[i])


@given(small_sets(), st.sampled_from(["dense", "csr32"]))
def test_a_difference_is_the_mean_of_a_row_and_its_rival(problem, form):
    X, sign, w = problem
    w[-1] = 0.0
    if len(np.unique(sign)) < 2:
        return
    (oracle,) = differences([points(FORMATS[form](X), sign, bias=0.0)])
    M = X * sign[:, None]
    oracle.settle(w)
    for i in range(len(X)):
        score = oracle.probe(w, i)
        a = (M[i] + M[oracle.row[1 - sign[i]]]) / 2
        assert sign[oracle.row[1 - sign[i]]] == -sign[i]
        assert score == w[:-1] @ a
        assert oracle.square(i) == a @ a
        moved, dual = w.copy(), np.zeros(len(X))
        oracle.add(moved, i, 0.5)
        assert np.array_equal(moved[:-1], w[:-1] + 0.5 * a)
        oracle.credit(dual, i, 0.5)
        assert np.array_equal(dual @ M, 0.5 * a)
    lowest = [min((M @ w[:-1])[sign == side]) for side in (-1, 1)]
    assert [oracle.score[0], oracle.score[2]] == lowest  # after one look at every row


@given(small_sets(), st.sampled_from(["dense", "csr32"]), st.sampled_from(["any", "margin", "relative"]))
def test_after_a_clean_pass_every_difference_exceeds_the_goal(problem, form, target):
    X, sign, _ = problem
    if len(np.unique(sign)) < 2:
        return
    rule = Increment(1.0) if target == "margin" else Nearest()
    result = learn(ORACLES["differences"](FORMATS[form](X), sign), TARGETS[target], rule, stop=Stop(passes=60))
    w, tick = result.state.weights[:-1], result.state.tick
    lowest = min(w @ (p - q) / 2 for p in X[sign > 0] for q in X[sign < 0])
    if result.state.done:
        assert lowest > TARGETS[target].goal(w @ w, tick.mass) * (1 - 1e-9) - 1e-12


# --- against the naive loops -----------------------------------------------------------------------------------------

NAIVE = {
    "any": reference.margin(0.0),
    "margin": reference.margin(0.5),
    "absolute": reference.eps_optimal(0.05),
    "relative": reference.eps_optimal(0.0, 0.1),
}
ETA = {"increment": lambda k: 1.0, "1/k": lambda k: 1 / k, "table": lambda k: 1 / k}


def naive(rule, target, A, whole, rounds):
    """What reference.py makes of it."""
    goal = NAIVE[target]
    if rule == "nearest":
        return (reference.whole_kozinec if whole else reference.kozinec)(A, goal, rounds)
    if rule == "relaxation":
        return (reference.whole_relaxation if whole else reference.relaxation)(A, 0.5, 1.3, rounds)
    return (reference.whole_perceptron if whole else reference.perceptron)(A, goal, ETA[rule], rounds)


@pytest.mark.parametrize("whole", [False, True], ids=["single", "whole"])
@pytest.mark.parametrize("apart", [0.3, 1.5], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_points_agree_with_the_naive_loop(rule, target, apart, whole):
    X, sign = floats(11, apart=apart)
    w, rows = naive(rule, target, reference.mirrored(X, sign), whole, rounds=6)
    result = learn([points(X, sign)], TARGETS[target], RULES[rule](), stop=Stop(passes=6), whole=whole)
    assert result.state.tick.updates == (rows if whole else len(rows))
    np.testing.assert_allclose(result.w, w, rtol=1e-12, atol=1e-12)
    if not whole:
        steps = list(trace([points(X, sign)], TARGETS[target], RULES[rule](), most=len(rows)))
        assert [row for row, _ in steps] == rows
        np.testing.assert_allclose(steps[-1][1].weights, w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("apart", [0.3, 1.5], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_differences_agree_with_the_naive_loop(rule, target, apart):
    def move(w, a, mass, k):
        if rule == "nearest":
            return (a, 1.0) if k == 1 else (reference._nearest(w, a), 1.0)
        beta = 1.3 * (0.5 * (1 + 1e-9) - w @ a) / (a @ a) if rule == "relaxation" else ETA[rule](k)
        return w + beta * a, mass + beta

    X, sign = floats(12, apart=apart)
    w, rows = reference.two_hulls(X, sign, NAIVE[target], move, passes=6)
    result = learn(ORACLES["differences"](X, sign), TARGETS[target], RULES[rule](), stop=Stop(passes=6))
    assert result.state.tick.updates == len(rows)
    np.testing.assert_allclose(result.state.weights[:-1], w, rtol=1e-12, atol=1e-12)
    steps = list(trace(ORACLES["differences"](X, sign), TARGETS[target], RULES[rule](), most=len(rows)))
    assert [row for row, _ in steps] == rows


@pytest.mark.parametrize("whole", [False, True], ids=["single", "whole"])
def test_weights_multiply_the_increment(whole):
    X, sign = floats(13, apart=0.3)
    cost = np.random.default_rng(0).uniform(0.1, 3.0, sign.size)
    for rule, loop in (
        (Increment(0.5), partial(reference.perceptron, goal=NAIVE["any"], eta=lambda k: 0.5)),
        (Relaxation(0.4), partial(reference.relaxation, b=0.5, rate=0.4)),
    ):
        target = Margin(0.0) if isinstance(rule, Increment) else Margin(0.5)
        if whole:
            loop = {
                Increment: partial(reference.whole_perceptron, goal=NAIVE["any"], eta=lambda k: 0.5),
                Relaxation: partial(reference.whole_relaxation, b=0.5, rate=0.4),
            }[type(rule)]
        w, _ = loop(reference.mirrored(X, sign), passes=5, cost=cost)
        result = learn([points(X, sign, cost)], target, rule, stop=Stop(passes=5), whole=whole)
        np.testing.assert_allclose(result.w, w, rtol=1e-12, atol=1e-12)


def test_rates_are_those_of_the_lectures():
    for written, k, rate in (("1/k", 4, 0.25), ("1/sqrt(k)", 4, 0.5), (0.3, 7, 0.3)):
        assert increment(written).step(k - 1, 0.0, 0.0, 0.0, 0.0) == (1.0, rate)
    X, sign = floats(14, apart=0.2)
    one = learn([points(X, sign)], Margin(0.0), increment("1/k"), stop=Stop(passes=5))
    other = learn([points(X, sign)], Margin(0.0), increment(lambda k: 1 / k), stop=Stop(passes=5))
    np.testing.assert_allclose(one.w, other.w, rtol=1e-12)


# --- keepers ---------------------------------------------------------------------------------------------------------


def mean_of(state):
    return state.keep.answer(state.w, state.tick.seen)


@pytest.mark.parametrize("rule", ["increment", "nearest"])
@pytest.mark.parametrize("target", ["any", "relative"])
def test_average_is_the_mean_of_w_over_all_visits(rule, target):
    X, sign = floats(15, apart=0.3)
    A, seen = reference.mirrored(X, sign), []
    loop = reference.kozinec if rule == "nearest" else reference.perceptron
    loop(A, NAIVE[target], passes=6, mean=seen)
    result = learn([points(X, sign)], TARGETS[target], RULES[rule](), keep="average", stop=Stop(passes=6))
    np.testing.assert_allclose(result.w / len(seen), np.mean(seen, axis=0), rtol=1e-10, atol=1e-12)


def test_average_survives_the_folding_of_the_scale():
    # a second vector nearer on the same ray: Kozinec jumps to it with alpha = 0, in the midst of a run
    A = np.array([[8.0, 0.0], [8.0, 4.0], [2.0, 0.0], [1.0, 0.25], [1.0, -2.0]])
    seen = []
    w, rows = reference.kozinec(A, NAIVE["relative"], passes=8, mean=seen)
    sign = np.ones(len(A), dtype=np.int8)
    result = learn([points(A, sign, bias=0.0)], TARGETS["relative"], Nearest(), keep="average", stop=Stop(passes=8))
    assert result.state.tick.updates == len(rows) > 3
    np.testing.assert_allclose(result.state.weights[:-1], w, rtol=1e-12)
    np.testing.assert_allclose(result.w[:-1], np.sum(seen[: result.state.passes * len(A)], axis=0), rtol=1e-12)
    jumps = [row for row, state in trace([points(A, sign, bias=0.0)], TARGETS["relative"], Nearest()) if row == 2]
    assert jumps  # the jump did happen


@pytest.mark.parametrize("text", WALKS, ids=["compiled", "interpreted"])
def test_a_small_scale_is_multiplied_out_unseen(text):
    X, sign = floats(16, apart=0.5)
    states = []
    for scale in (1.0, 2.0**-332):  # just above the least scale: the next alpha < 1 folds it
        parts = ORACLES["points"](X, sign)
        state = begin(parts, "average")
        start = np.linspace(1, 2, 6)
        state.w, state.tick = start / scale, Tick(updates=1, mass=1.0, scale=scale)
        rows = np.arange(sign.size)
        state.tick = text(
            Task(parts[0], TARGETS["relative"], Nearest(), state.keep), state.w, state.dual, state.tick, rows, 99, -1
        )
        states.append(state)
    one, other = states
    assert other.tick.scale > 1e-90  # folded
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-10)
    np.testing.assert_allclose(one.tick.scale * one.dual, other.tick.scale * other.dual, rtol=1e-10)
    np.testing.assert_allclose(mean_of(one), mean_of(other), rtol=1e-10)


@pytest.mark.parametrize("whole", [False, True], ids=["single", "whole"])
def test_pocket_keeps_the_fewest_errors(whole):
    X, sign = floats(17, n=60, d=2, apart=0.4)
    A, errors = reference.mirrored(X, sign), []
    result = learn(
        [points(X, sign)], Margin(0.0), Increment(1.0), keep="pocket", whole=whole, stop=Stop(passes=25),
        watch=[lambda state: errors.append(int(np.sum(A @ state.weights <= 0)))],
    )  # fmt: skip
    assert min(errors) < max(errors)
    assert np.sum(A @ result.w <= 0) == min(errors) == result.certificate.violated


def test_pocket_counts_the_errors_of_the_hyperplane_that_is_returned():
    # with a free bias w alone is no hyperplane: its errors are those of w with its best bias
    X, sign = floats(10, n=60, d=2, apart=0.35)
    X = X + 7.0
    errors = []

    def note(state):
        rows = points(X, sign)
        errors.append(int(np.sum(reference.mirrored(X, sign) @ free_bias([rows], state.weights) <= 0)))

    parts, stop = ORACLES["differences"](X, sign), Stop(passes=30)
    result = learn(parts, TARGETS["relative"], Nearest(), keep="pocket", stop=stop, watch=[note])
    assert result.certificate.violated <= min(errors)


def test_auto_keeps_the_separating_w():
    X, sign = floats(19, apart=1.5)
    done = learn([points(X, sign)], Margin(0.0), Increment(1.0), keep="auto")
    last = learn([points(X, sign)], Margin(0.0), Increment(1.0), keep="last")
    assert done.state.done
    assert np.array_equal(done.w, last.w)


# --- chunks = whole --------------------------------------------------------------------------------------------------


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
        ("table", "any", "last"),
        ("relaxation", "margin", "last"),
        ("nearest", "any", "last"),
        ("nearest", "relative", "average"),
    ],
)
def test_single_sample_in_chunks_is_the_whole_bit_for_bit(kind, form, rule, target, keep):
    X, sign = floats(20, n=70, d=6, apart=0.3)
    X = FORMATS[form](X)
    weight = np.where(np.arange(70) % 9 == 4, 0.0, 1.5) if rule == "increment" else None
    settings = {"stop": Stop(passes=12), "keep": keep}
    whole = learn(cut(X, sign, weight, [], kind), TARGETS[target], RULES[rule](), **settings)
    for places in ([1], [35], [7, 8, 50], [64, 69]):
        chunks = learn(cut(X, sign, weight, places, kind), TARGETS[target], RULES[rule](), **settings)
        same_bits(chunks.state, whole.state, places)
        assert chunks.w.tobytes() == whole.w.tobytes()
        assert chunks.certificate.lower == whole.certificate.lower
        assert chunks.certificate.violated == whole.certificate.violated


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize(
    ("rule", "target"), [("increment", "any"), ("table", "relative"), ("relaxation", "margin"), ("nearest", "relative")]
)
def test_whole_passes_in_chunks_are_the_whole_bit_for_bit(form, rule, target):
    X, sign = floats(21, n=3 * BLOCK + 517, d=3, apart=0.3)
    X = FORMATS[form](X)
    weight = np.random.default_rng(0).integers(0, 3, sign.size).astype(float)
    settings = {"whole": True, "stop": Stop(passes=6)}
    whole = learn(cut(X, sign, weight, [], "points"), TARGETS[target], RULES[rule](), **settings)
    for places in ([BLOCK], [2 * BLOCK], [BLOCK, 2 * BLOCK, 3 * BLOCK]):
        chunks = learn(cut(X, sign, weight, places, "points"), TARGETS[target], RULES[rule](), **settings)
        same_bits(chunks.state, whole.state, places)
        assert chunks.w.tobytes() == whole.w.tobytes()
        assert chunks.certificate.to_dict() == whole.certificate.to_dict()


def test_a_pass_longer_than_one_compiled_call_is_still_one_pass():
    rng = np.random.default_rng(22)
    n = VISITS + 1000
    X = rng.integers(-3, 4, (n, 2)).astype(np.float32)
    sign = np.where(X @ [2, -1] + 0.5 > 0, 1, -1)
    A = reference.mirrored(X, sign)
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0))
    w, rows = reference.perceptron(A, NAIVE["any"], passes=result.state.passes)
    assert result.state.done
    assert result.state.tick.updates == len(rows)
    assert np.array_equal(result.w, w)


def test_learning_goes_on_from_a_state():
    X, sign = floats(23, apart=0.3)
    for kind, rule, target in (("points", "increment", "any"), ("differences", "nearest", "relative")):
        parts = ORACLES[kind](X, sign)
        straight = learn(ORACLES[kind](X, sign), TARGETS[target], RULES[rule](), stop=Stop(passes=9))
        half = learn(parts, TARGETS[target], RULES[rule](), stop=Stop(passes=4))
        rest = learn(parts, TARGETS[target], RULES[rule](), stop=Stop(passes=9), start=half.state)
        same_bits(rest.state, straight.state)


# --- no recompilation ------------------------------------------------------------------------------------------------


def compiled():
    return len(sweep.signatures), len(tally.signatures), len(survey.signatures)


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize("form", ["dense", "csr32"])
def test_other_values_compile_nothing(kind, form):
    def all_of_it(sample, weight, **values):
        X, sign = floats(sample)
        build = partial(ORACLES[kind], FORMATS[form](X), sign, weight=weight)
        for whole in (False, True) if kind == "points" else (False,):
            run = partial(learn, stop=Stop(passes=values["passes"]), whole=whole)
            shuffle = None if whole else values["seed"]
            run(build(), Margin(values["b"]), Increment(values["rate"], values["decay"]), seed=shuffle)
            run(build(), Margin(values["b"]), Scheduled(lambda k: values["rate"] / k))
            run(build(), Margin(values["b"] + 0.1), Relaxation(values["rate"]))
            run(build(), EpsOptimal(values["eps"], values["relative"]), Nearest())

    all_of_it(1, None, b=0.0, rate=1.0, decay=0.0, eps=0.1, relative=0.0, seed=None, passes=3)
    before = compiled()
    all_of_it(2, np.linspace(0, 2, 40), b=0.7, rate=0.3, decay=0.5, eps=0.0, relative=0.2, seed=5, passes=4)
    assert compiled() == before


def test_whole_numbers_as_parameters_are_the_same_parameters():
    X, sign = floats(25, apart=1.5)
    for target, rule in (
        ((Margin, 0.0), (Increment, 1.0)),
        ((Margin, 1.0), (Relaxation, 1.0)),
        ((EpsOptimal, 1.0), (Nearest, 1.0)),
    ):
        expected = learn([points(X, sign)], target[0](target[1]), rule[0](rule[1]), stop=Stop(passes=20))
        before = compiled()
        found = learn([points(X, sign)], target[0](int(target[1])), rule[0](int(rule[1])), stop=Stop(passes=20))
        assert np.array_equal(found.w, expected.w)
        assert compiled() == before


def test_estimators_with_other_values_compile_nothing():
    X, sign = floats(26)
    for make in (Perceptron, RelaxationRule, Kozinec):
        make(max_passes=5).fit(X, sign)
        before = compiled()
        make(max_passes=7, shuffle=True, random_state=3, class_weight="balanced").fit(X[:30] * 2, sign[:30])
        assert compiled() == before


# --- order and weights -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize("n", [1, 10, 5000, VISITS + 10])
def test_every_row_that_weighs_anything_is_visited_once_a_pass(form, n):
    X = FORMATS[form](np.ones((n, 12)))
    sign = np.ones(n)
    weight = (np.arange(n) % 5 != 2).astype(float)
    rng = np.random.default_rng(0)
    for given_weight, order in ((None, rng), (weight, rng), (None, None), (weight, None)):
        wanted = np.arange(n) if given_weight is None else np.flatnonzero(weight)
        orders = [np.concatenate(list(visits(points(X, sign, given_weight), order))) for _ in range(2)]
        assert all(np.array_equal(np.sort(rows), wanted) for rows in orders)
        if order is None:
            assert np.array_equal(orders[0], wanted)
        elif n > 100:
            assert not np.array_equal(*orders)


def test_the_seed_decides_the_order():
    X, sign = floats(27, n=80, apart=0.2)
    run = partial(learn, [points(X, sign)], Margin(0.0), Increment(1.0), stop=Stop(passes=5))
    assert np.array_equal(run(seed=1).w, run(seed=1).w)
    assert not np.array_equal(run(seed=1).w, run(seed=2).w)
    shuffled = partial(Perceptron, shuffle=True, max_passes=5)
    one, same, other = (shuffled(random_state=seed).fit(X, sign) for seed in (3, 3, 4))
    assert np.array_equal(one.coef_, same.coef_)
    assert not np.array_equal(one.coef_, other.coef_)


def reciprocal(k):
    return 1 / k


FORMS = [
    Perceptron(keep="last"),
    Perceptron(keep="average"),
    Perceptron(keep="pocket"),
    Perceptron(),
    Perceptron(rate="1/k", margin=0.5),
    Perceptron(rate=reciprocal, keep="last"),
    Perceptron(batch=True),
    Perceptron(batch=True, keep="last", rate="1/sqrt(k)"),
    Perceptron(shuffle=True, random_state=0, keep="last"),
    Perceptron(class_weight={0: 2.0, 1: 0.5}),
    Perceptron(class_weight="balanced", keep="last"),
    RelaxationRule(max_passes=20),
    RelaxationRule(batch=True, max_passes=20, keep="last"),
    Kozinec(max_passes=20),
    Kozinec(max_passes=20, keep="last"),
    Kozinec(max_passes=20, bias="augmented"),
]
CLOSED = [
    LeastSquares(),
    LeastSquares(margins="fisher"),
    LeastSquares(method="gradient", max_passes=30),
    LeastSquares(method="lms", max_passes=10),
    LeastSquares(method="ho-kashyap", max_passes=30),
    GradientDescent(max_passes=30),
    GradientDescent(criterion="perceptron", max_passes=30),
    GradientDescent(criterion="squares", max_passes=30, keep="pocket"),
]


def name(rule):
    """What a test is called: the rule as written, without addresses of functions."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(rule)).replace("\n", "")


def plane(rule):
    return np.append(rule.coef_[0], rule.intercept_)


@pytest.mark.parametrize("rule", [*FORMS, *CLOSED], ids=name)
@pytest.mark.parametrize("apart", [0.25, 1.5], ids=["overlapping", "apart"])
def test_a_weight_of_zero_is_an_absent_row(rule, apart):
    X, sign = floats(28, n=60, d=3, apart=apart)
    y, rng = (sign > 0).astype(int), np.random.default_rng(1)
    weight = rng.integers(0, 2, 60) * rng.uniform(0.5, 2.0, 60)
    X[weight == 0] += 3 * rng.normal(size=(np.sum(weight == 0), 3))  # rows that would matter
    live = weight > 0
    expected = plane(rule.fit(X[live], y[live], sample_weight=weight[live]))
    violated = rule.certificate_.violated
    found = plane(rule.fit(X, y, sample_weight=weight))
    if rule in FORMS:
        assert np.array_equal(found, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert rule.certificate_.violated == violated
    assert rule.certificate_.size == live.sum()
    assert rule.certificate_.check(X, y, sample_weight=weight)


def ramp(cut, g, sign, weight):
    """The cost of a threshold, written out."""
    total = 0.0
    for side in (-1, 1):
        own, share = g[sign == side], weight[sign == side] / weight[sign == side].sum()
        heavier = np.log(weight[sign == side].mean() / weight[sign != side].mean())
        h = np.sqrt(share @ (own - share @ own) ** 2) * np.cbrt(share @ share) * (1 + max(heavier, 0))
        total += weight[sign == side] @ np.clip((side * (cut - own) + h) / (2 * h), 0, 1)
    return total


@given(st.integers(0, 10**6), st.integers(2, 30), st.booleans(), st.booleans())
def test_the_likely_threshold_is_the_cheapest_of_all(seed, n, weighed, absent):
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(2 * n) % 2, 1, -1).astype(np.int8)
    g, weight = rng.normal(size=2 * n) + rng.choice([0.0, 2.0]) * sign, rng.choice([1.0, 1e-3, 1e3], 2 * n)
    weight = weight if weighed else np.ones(2 * n)
    extra = (np.append(g, np.nan), np.append(sign, np.int8(1)), np.append(weight, 0.0)) if absent else (g, sign, weight)
    found = likely(*extra)
    best = min(ramp(cut, g, sign, weight) for cut in np.linspace(g.min() - 2, g.max() + 2, 500))
    assert ramp(found, g, sign, weight) <= best * (1 + 1e-9) + 1e-9
    assert likely(100 * g + 7, sign, weight) == pytest.approx(100 * found + 7, rel=1e-6, abs=1e-6)


def test_the_likely_threshold_is_nearer_to_the_best_than_that_of_the_fewest_errors():
    true, off = np.log(0.7 / 0.3) / 2, []  # where 0.3 p(g|1) = 0.7 p(g|-1)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        sign = np.where(rng.random(400) < 0.3, 1, -1).astype(np.int8)
        g = rng.normal(size=sign.size) + sign
        off.append([abs(cut(g, sign, np.zeros(0)) - true) for cut in (likely, fewest)])
    ours, raw = np.mean(off, axis=0)
    assert ours < raw
    assert ours < 2 * 400 ** (-1 / 3)


def test_a_threshold_keeps_clear_of_heavy_rows():
    g, sign = np.array([0.0, 1.0, 1.9, 2.0, 2.5, 3.0]), np.array([-1, -1, -1, 1, 1, 1], dtype=np.int8)
    h = np.std([2.0, 2.5, 3.0]) * 3 ** (-1 / 3)
    for m in (1.0, 2.0):
        heavy = np.where(sign > 0, np.exp(m), 1.0)
        assert fewest(g, sign, heavy) == 1.95
        assert likely(g, sign, heavy) == pytest.approx(2.0 - (1 + m) * h)


def test_absent_rows_do_not_place_the_bias():
    # the cut with the fewest errors lies half-way between 1 and 4; an absent row may not come between
    X, sign = np.array([[0.0], [1.0], [4.0], [5.0], [-3.0], [9.0]]), np.array([-1, -1, 1, 1, 1, -1])
    w, weight = np.array([1.0, 0.0]), np.array([1.0, 1, 1, 1, 1, 1, 0, 0])
    expected = free_bias([points(X, sign)], w)
    assert expected[-1] == -2.5
    for dead in (0.0, 2.0, 3.5):
        more, signs = np.vstack([X, [[dead], [dead]]]), np.append(sign, [1, -1])
        assert free_bias([points(more, signs, weight)], w)[-1] == expected[-1]
    shifted = free_bias([points(X - 2.0, sign)], w)
    assert shifted[-1] == -0.5
    assert free_bias([points(np.vstack([X - 2.0, [[7.0]]]), np.append(sign, 1), weight[:-1])], w)[-1] == -0.5


@pytest.mark.parametrize("form", ["dense", "csr32"])
def test_an_absent_row_is_nobodys_rival(form):
    X, sign = np.array([[50.0, 1.0], [0.0, 0.0], [-50.0, 0.0], [1.0, 3.0]]), np.array([-1, -1, 1, 1])
    weight = np.array([0.0, 1.0, 0.0, 1.0])
    result = learn(differences([points(FORMATS[form](X), sign, weight, bias=0.0)]), TARGETS["relative"], Nearest())
    assert not result.state.dual[weight == 0].any()
    assert result.certificate.status == "eps-optimal"
    assert result.certificate.check(X, sign, sample_weight=weight)
    np.testing.assert_allclose(result.certificate.upper, np.sqrt(10) / 2, rtol=1e-9)


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(batch=True, keep="last", max_passes=30),
        Perceptron(batch=True, rate="1/k", margin=0.5, max_passes=30),
        RelaxationRule(batch=True, max_passes=30, keep="last"),
        *(rule for rule in CLOSED if getattr(rule, "method", "") != "lms"),
    ],
    ids=name,
)
def test_a_whole_weight_is_a_repetition_in_whole_pass_forms(rule):
    X, sign = floats(29, n=50, d=3, apart=0.3)
    y, weight = (sign > 0).astype(int), np.random.default_rng(2).integers(0, 4, 50)
    repeated = plane(rule.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    np.testing.assert_allclose(plane(rule.fit(X, y, sample_weight=weight)), repeated, rtol=1e-7, atol=1e-9)


def test_kozinec_whole_passes_weigh_like_repetitions():
    X, sign = floats(30, apart=1.5)
    weight = np.random.default_rng(3).integers(1, 4, sign.size)
    run = partial(learn, target=TARGETS["relative"], rule=Nearest(), whole=True, stop=Stop(passes=10))
    one = run([points(X, sign, weight)])
    other = run([points(np.repeat(X, weight, axis=0), np.repeat(sign, weight))])
    np.testing.assert_allclose(one.w, other.w, rtol=1e-9)
    w, _ = reference.whole_kozinec(reference.mirrored(X, sign), NAIVE["relative"], passes=10, cost=weight)
    np.testing.assert_allclose(one.w, w, rtol=1e-12, atol=1e-12)


# --- stops -----------------------------------------------------------------------------------------------------------


def slow():
    """Separable, but the perceptron needs very many passes: the classes lie far from the origin, close together."""
    return np.array([[100.0], [101.0]]), np.array([-1, 1])


@pytest.mark.parametrize(
    ("stop", "whole", "said"),
    [
        (Stop(passes=7), False, "7 passes"),
        (Stop(passes=7), True, "7 passes"),
        (Stop(updates=9), False, "9 updates"),
        (Stop(updates=9), True, "9 updates"),
        (Stop(passes=None, seconds=0.05), False, "0.05 seconds"),
        (Stop(passes=None, seconds=0.05), True, "0.05 seconds"),
        (Stop(patience=3), False, "patience"),
        (Stop(patience=3), True, "patience"),
        (Stop(theta=1e3), True, "theta=1000"),
    ],
    ids=str,
)
def test_every_stop_ends_the_run_with_its_reason(stop, whole, said, within):
    X, sign = slow()
    with within(20):
        result = learn([points(X, sign)], Margin(0.0), Increment(1.0), stop=stop, whole=whole)
    found = result.certificate
    assert found.status == "budget spent"
    assert said in found.reason
    assert said in str(found)
    if stop.updates:
        assert found.updates == 9
    if stop.passes == 7:
        assert result.state.passes == len(result.history) == 7
    assert found.check(X, sign)


def test_patience_waits_for_fewer_errors():
    X, sign = floats(31, n=60, d=2, apart=0.4)
    errors = []
    result = learn(
        [points(X, sign)], Margin(0.0), Increment(1.0), keep="pocket", stop=Stop(passes=None, patience=5),
        watch=[lambda state: errors.append(state.errors)],
    )  # fmt: skip
    best = int(np.argmin(errors))
    assert len(errors) == best + 1 + 5
    assert "patience" in result.certificate.reason


def test_theta_ends_at_a_short_step():
    X, sign = floats(32, n=60, d=2, apart=0.3)
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0, 1.0), whole=True, stop=Stop(passes=10**6, theta=0.05))
    assert result.state.moved < 0.05
    assert "theta=0.05" in result.certificate.reason


def test_a_proof_of_inseparability_ends_the_run():
    X, y = xor()
    sign = np.where(y == 2, 1, -1)
    for build in ORACLES.values():
        result = learn(build(X, sign), TARGETS["relative"], Nearest(), stop=Stop(passes=10**6, refute=True))
        assert result.certificate.status == "not separable"
        assert "not separable" in result.certificate.reason
        assert result.state.passes < 1000
        assert result.certificate.check(X, sign)


def test_control_c_returns_what_there_is():
    X, sign = slow()
    before = signal.getsignal(signal.SIGINT)

    def press(state):
        if state.passes == 3:
            signal.raise_signal(signal.SIGINT)

    for whole in (False, True):
        result = learn([points(X, sign)], Margin(0.0), Increment(1.0), watch=[press], whole=whole)
        assert result.certificate.status == "budget spent"
        assert "Ctrl-C" in result.certificate.reason
        assert result.state.passes in (3, 4)
        assert np.isfinite(result.w).all()
        assert result.w.any()
        assert result.certificate.check(X, sign)
        assert signal.getsignal(signal.SIGINT) is before


def test_a_second_control_c_interrupts_at_once():
    X, sign = slow()

    def press(state):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            learn([points(X, sign)], Margin(0.0), Increment(1.0), watch=[press])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_learning_works_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(Perceptron().fit(golden.X, golden.Y)))
    thread.start()
    thread.join()
    assert plane(found[0]).tolist() == golden.W


@pytest.mark.parametrize(
    ("kind", "target", "rule", "more", "said"),
    [
        ("points", EpsOptimal(0.1), Relaxation(1.0), {}, "Relaxation.*EpsOptimal"),
        ("points", Margin(0.0), Relaxation(1.0), {}, "Relaxation needs a margin b > 0"),
        ("points", Margin(0.5), Nearest(), {}, "Nearest stays inside the convex hull"),
        ("differences", Margin(0.0), Increment(1.0), {"whole": True}, "Differences have no whole-pass form"),
        ("points", Margin(0.0), Increment(1.0), {"stop": Stop(theta=0.1)}, "theta: only the whole-pass form"),
        ("points", EpsOptimal(0.0, 0.0), Nearest(), {}, "eps must be > 0"),
        ("points", Margin(0.0), Increment(1.0), {"whole": True, "keep": "average"}, "keep='average'"),
        ("points", Margin(0.0), Increment(1.0), {"start": np.zeros(2)}, "start: 3 numbers are wanted"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_work_is_refused_with_its_reason(kind, target, rule, more, said):
    with pytest.raises(ValueError, match=said):
        learn(ORACLES[kind](golden.X, golden.SIGN), target, rule, **more)


def test_no_data_is_refused():
    with pytest.raises(ValueError, match="no data"):
        learn([], Margin(0.0), Increment(1.0))
    with pytest.raises(ValueError, match="both classes"):
        differences([points(np.ones((2, 1)), [1, 1], bias=0.0)])


DEFAULTS = [
    Perceptron(),
    Perceptron(batch=True),
    Perceptron(fit_intercept=False),
    RelaxationRule(),
    RelaxationRule(batch=True),
    Kozinec(),
    Kozinec(bias="augmented"),
    Kozinec(eps=1e-9),
    LeastSquares(),
    LeastSquares(method="gradient"),
    LeastSquares(method="lms"),
    LeastSquares(method="ho-kashyap"),
    GradientDescent(),
    GradientDescent(criterion="perceptron"),
    GradientDescent(criterion="squares"),
]


def endless():
    """Data sets on which no rule can come to its goal."""
    rng = np.random.default_rng(33)
    X, y = xor()
    yield "xor", X, y
    yield "xor far away", X + 1e6, y
    yield "one place", np.zeros((4, 2)), np.array([1, 1, 2, 2])
    yield "clouds", rng.normal(size=(50, 3)), rng.integers(1, 3, 50)


@pytest.mark.parametrize("rule", DEFAULTS, ids=name)
def test_no_default_hangs(rule, within):
    for kind, X, y in endless():
        with within(20):
            rule.fit(X, y)
        assert not rule.certificate_.separates, kind
        verdict = rule.certificate_.check(X, y)
        assert verdict, f"{kind}: {verdict}"


def test_passes_go_on_as_long_as_they_are_asked():
    X, sign = slow()
    parts = [points(X, sign)]
    run = passes(parts, Margin(0.0), Increment(1.0), begin(parts))
    states = [next(run).passes for _ in range(4)]
    assert states == [1, 2, 3, 4]


def test_seconds_are_kept_on_long_passes():
    n = 40 * VISITS  # some 40 compiled calls a pass: the clock is read between them
    X, sign = np.ones((n, 2), dtype=np.float32), np.where(np.arange(n) % 2, 1, -1)
    learn([points(X[:10], sign[:10])], Margin(0.0), Increment(1.0), stop=Stop(passes=2))
    began = time.monotonic()
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0), stop=Stop(passes=None, seconds=0.01))
    assert time.monotonic() - began < 5
    assert "0.01 seconds" in result.certificate.reason


def test_a_fitted_estimator_does_not_carry_its_training_data():
    X, sign = floats(34, n=20_000, d=10)
    for rule in (Perceptron(max_passes=2), Kozinec(max_passes=2)):
        assert len(pickle.dumps(rule.fit(X, sign))) < X.nbytes / 2
