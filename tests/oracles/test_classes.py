"""The linear machine (D1): the oracle `Classes` against vectors that are built, and what is proved of it."""

import json
import math
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import Certificate
from linsep.loop.keep import keeper
from linsep.loop.learn import begin, learn, trace
from linsep.loop.stop import Stop
from linsep.loop.sweep import BLOCK, Task, Tick, sweep, tally
from linsep.oracles import classes, flat, shaped
from linsep.rows.matrix import vectors
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

FORMATS = {"dense": np.asarray, "csr32": sp.csr_array}
RULES = {
    "increment": (lambda: Increment(1.0), lambda w, a, mass, k: (w + a, mass + 1)),
    "1/k": (lambda: Increment(1.0, 1.0), lambda w, a, mass, k: (w + a / k, mass + 1 / k)),
    "table": (lambda: Scheduled(lambda k: 1.0 / k), lambda w, a, mass, k: (w + a / k, mass + 1 / k)),
    "relaxation": (
        lambda: Relaxation(1.3),
        lambda w, a, mass, k: (w + 1.3 * ((1 + 1e-9) * 0.5 - w @ a) / (a @ a) * a, mass),
    ),
    "nearest": (lambda: Nearest(), lambda w, a, mass, k: (a if k == 1 else reference._nearest(w, a), 1.0)),
}
WHOLE = {
    "increment": lambda w, B, mass, k: (w + B.sum(axis=0), mass + len(B)),
    "1/k": lambda w, B, mass, k: (w + B.sum(axis=0) / k, mass + len(B) / k),
    "table": lambda w, B, mass, k: (w + B.sum(axis=0) / k, mass + len(B) / k),
    "relaxation": lambda w, B, mass, k: (
        w + 1.3 * np.mean(((1 + 1e-9) * 0.5 - B @ w)[:, None] / (B * B).sum(axis=1)[:, None] * B, axis=0),
        mass,
    ),
    "nearest": lambda w, B, mass, k: (B.mean(axis=0) if k == 1 else reference._nearest(w, B.mean(axis=0)), 1.0),
}
TARGETS = {
    "any": (Margin(0.0), reference.margin(0.0)),
    "margin": (Margin(0.5), reference.margin(0.5)),
    "relative": (EpsOptimal(0.0, 0.1), reference.eps_optimal(0.0, 0.1)),
}
PAIRS = [
    (rule, target)
    for rule in RULES
    for target in TARGETS
    if not (rule == "relaxation" and target != "margin") and not (rule == "nearest" and target == "margin")
]


def clouds(seed=0, n=40, d=3, count=4, apart=1.0):
    """``count`` Gaussian clouds; every class has a row."""
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    centres = rng.normal(size=(count, d))
    return rng.normal(size=(n, d)) * 0.4 + 2 * apart * centres[label], label


# --- the oracle ------------------------------------------------------------------------------------------------------


@given(data=st.data())
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_the_lowest_vector_is_the_one_that_brute_force_finds(data, form, bias):
    n, d, count = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4)), data.draw(st.integers(2, 12)))
    whole = st.integers(-4, 4).map(float)
    X = data.draw(arrays(np.float64, (n, d), elements=whole))
    label = data.draw(arrays(np.int64, n, elements=st.integers(0, count - 1)))
    W = data.draw(arrays(np.float64, (count, d + 1), elements=whole))
    part = classes(FORMATS[form](X), label, count, bias=bias)
    w = flat(part, W)
    assert np.array_equal(shaped(part, w), W)
    for i, built in enumerate(reference.kesler(X, label, count, bias)):
        score = built @ W.ravel()
        lowest = built[np.argmin(score)]
        assert part.probe(w, i) == score.min()
        assert part.square(i) == lowest @ lowest
        moved, dual = w.copy(), np.zeros(n * count)
        part.add(moved, i, 0.5)
        part.credit(dual, i, 0.5)
        assert np.array_equal(shaped(part, moved).ravel(), W.ravel() + 0.5 * lowest)
        total = np.zeros_like(w)
        assert part.recall(dual, i, total) == pytest.approx(0.5 * math.sqrt(lowest @ lowest))
        assert np.array_equal(shaped(part, total).ravel(), 0.5 * lowest)
        if bias:
            assert np.array_equal(vectors([part], np.flatnonzero(dual))[0], lowest)


def test_labels_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"0 \.\.\. 2"):
        classes(np.eye(3), [0, 1, 3], 3)
    with pytest.raises(ValueError, match="two classes"):
        classes(np.eye(3), [0, 0, 0], 1)


# --- one loop, whatever runs it --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_every_rule_agrees_with_the_naive_loop_on_built_vectors(rule, target, apart, form):
    X, label = clouds(11, apart=apart)
    sets = reference.kesler(X, label, 4)
    w, rows = reference.machine(sets, TARGETS[target][1], RULES[rule][1], passes=6)
    part = classes(FORMATS[form](X), label, 4)
    result = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=6))
    assert result.state.tick.updates == len(rows) > 0
    np.testing.assert_allclose(result.w.ravel(), w, rtol=1e-9, atol=1e-9)
    steps = trace([part], TARGETS[target][0], RULES[rule][0](), most=len(rows))
    assert [row for row, _ in steps] == rows


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
def test_every_whole_pass_agrees_with_the_naive_loop_on_built_vectors(rule, target, apart, form):
    X, label = clouds(12, apart=apart)
    w, steps = reference.whole_machine(reference.kesler(X, label, 4), TARGETS[target][1], WHOLE[rule], passes=6)
    part = classes(FORMATS[form](X), label, 4)
    result = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=6), whole=True)
    assert result.state.tick.updates == steps > 0
    np.testing.assert_allclose(result.w.ravel(), w, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rule", ["increment", "nearest"])
def test_the_average_is_the_mean_over_all_visits(rule, form):
    X, label = clouds(13, apart=0.3)
    mean = []
    reference.machine(reference.kesler(X, label, 4), reference.margin(0.0), RULES[rule][1], passes=5, mean=mean)
    part = classes(FORMATS[form](X), label, 4)
    result = learn([part], Margin(0.0), RULES[rule][0](), stop=Stop(passes=5), keep="average")
    mean = np.mean(mean, axis=0)
    np.testing.assert_allclose(result.w.ravel() / np.linalg.norm(result.w), mean / np.linalg.norm(mean), atol=1e-12)


def test_pocket_keeps_the_fewest_errors():
    X, label = clouds(14, n=60, apart=0.3)
    seen = []
    part = classes(X, label, 4)

    def note(state):
        W = shaped(part, state.weights)
        seen.append(np.sum(np.argmax(X @ W[:, :-1].T + W[:, -1], axis=1) != label))

    result = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=15), keep="pocket", watch=[note])
    W = result.w
    assert np.sum(np.argmax(X @ W[:, :-1].T + W[:, -1], axis=1) != label) == min(seen) == result.certificate.violated
    assert min(seen) < max(seen)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.bool_])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("count", [3, 7])
def test_compiled_is_interpreted_bit_for_bit_where_arithmetic_is_exact(form, dtype, count):
    rng = np.random.default_rng(5)
    label = np.concatenate([np.arange(count), rng.integers(0, count, 30)])
    X = rng.integers(0, 2, (label.size, 6)).astype(dtype)
    states = []
    for run in (sweep, sweep.py_func):
        part = classes(FORMATS[form](X), label, count)
        state = begin([part], "average")
        for _ in range(3):
            task = Task(part, Margin(0.0), Increment(1.0), state.keep)
            state.tick = Tick(*run(task, state.w, state.dual, state.tick, np.arange(label.size), 10**9, -1))
        states.append(state)
    one, other = states
    assert one.tick == other.tick and one.tick.updates > 10
    assert one.w.tobytes() == other.w.tobytes()
    assert one.dual.tobytes() == other.dual.tobytes()
    assert one.keep.total.tobytes() == other.keep.total.tobytes()


@pytest.mark.parametrize("form", FORMATS)
def test_compiled_tally_is_the_interpreted_one(form):
    X, label = clouds(6, apart=0.3)
    w = np.random.default_rng(0).normal(size=16)
    found = []
    for run in (tally, tally.py_func):
        part = classes(FORMATS[form](X), label, 4)
        total, pulls = np.zeros_like(w), np.zeros(label.size * 4)
        task = Task(part, Margin(0.5), Relaxation(1.5), keeper("last", w.size))
        numbers = run(task, w, np.arange(label.size), 0.5, total, pulls)
        found.append((np.array(numbers), total, pulls))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def cut(X, label, count, weight, places):
    edges = [0, *places, label.size]
    return [
        classes(X[a:b], label[a:b], count, None if weight is None else weight[a:b], first=a) for a, b in pairwise(edges)
    ]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("whole", [False, True], ids=["single", "whole"])
@pytest.mark.parametrize(("rule", "target"), [("increment", "any"), ("relaxation", "margin"), ("nearest", "relative")])
def test_chunks_are_the_whole_bit_for_bit(rule, target, form, whole):
    X, label = clouds(20, n=2 * BLOCK + 100, apart=0.3)
    X, weight = FORMATS[form](X), np.where(np.arange(label.size) % 9 == 4, 0.0, 1.5)
    run = partial(learn, stop=Stop(passes=4), whole=whole)
    together = run(cut(X, label, 4, weight, []), TARGETS[target][0], RULES[rule][0]())
    chunks = run(cut(X, label, 4, weight, [BLOCK, 2 * BLOCK]), TARGETS[target][0], RULES[rule][0]())
    assert chunks.w.tobytes() == together.w.tobytes()
    assert chunks.certificate.to_dict() == together.certificate.to_dict()


def test_weights_multiply_the_increment_and_zero_is_absence():
    X, label = clouds(21, apart=0.3)
    weight = np.random.default_rng(0).integers(0, 3, label.size).astype(float)
    kept = weight > 0
    run = partial(learn, stop=Stop(passes=7))
    found = run([classes(X, label, 4, weight)], Margin(0.0), Increment(1.0))
    only = run([classes(X[kept], label[kept], 4, weight[kept])], Margin(0.0), Increment(1.0))
    assert found.w.tobytes() == only.w.tobytes()
    assert found.certificate.size == kept.sum()
    assert found.certificate.check(X, label, weight)
    doubled = run([classes(X, label, 4, 2 * weight)], Margin(0.0), Increment(1.0))
    np.testing.assert_allclose(doubled.w, 2 * found.w)


def test_other_values_compile_nothing():
    def all_of_it(seed, b, rate):
        X, label = clouds(seed, count=3 + seed)
        for whole in (False, True):
            parts = [classes(X, label, 3 + seed)]
            learn(parts, Margin(b), Increment(rate), stop=Stop(passes=2), whole=whole)
            learn(parts, Margin(b + 0.1), Relaxation(rate), stop=Stop(passes=2), whole=whole)

    all_of_it(0, 0.0, 1.0)
    before = len(sweep.signatures), len(tally.signatures)
    all_of_it(1, 0.3, 0.5)
    assert (len(sweep.signatures), len(tally.signatures)) == before


def test_classes_take_turns_when_interleaved():
    label = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    part = classes(np.eye(9), label, 3)
    result = learn([part], Margin(0.0), Increment(1.0), seed="interleaved", stop=Stop(passes=1))
    order = np.flatnonzero(result.state.dual.reshape(9, 3).any(axis=1))
    assert {0, 3, 6} <= set(order.tolist())


# --- what is proved --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("whole", [False, True], ids=["single", "whole"])
@pytest.mark.parametrize("apart", [0.3, 2.0], ids=["overlapping", "apart"])
@pytest.mark.parametrize(("rule", "target"), PAIRS)
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_every_certificate_holds_the_true_margin(rule, target, apart, form, whole, bias):
    X, label = clouds(31, n=24, apart=apart)
    true = reference.nearest(np.vstack(reference.kesler(X, label, 4, bias)))
    part = classes(FORMATS[form](X), label, 4, bias=bias)
    found = learn([part], TARGETS[target][0], RULES[rule][0](), stop=Stop(passes=300), whole=whole).certificate
    assert found.check(FORMATS[form](X), label), str(found.check(FORMATS[form](X), label))
    assert found.lower <= true + 1e-9 <= found.upper + 2e-9
    wrong = np.argmax(X @ found.w[:, :-1].T + bias * found.w[:, -1], axis=1) != label
    assert found.violated == wrong.sum()
    if found.separates:
        assert true > 0
    if found.status == "not separable":
        assert true < 1e-9


@given(data=st.data())
@pytest.mark.parametrize("rule", ["increment", "nearest"])
def test_no_status_contradicts_the_linear_program(data, rule):
    n, d, count = data.draw(st.integers(3, 9)), data.draw(st.integers(1, 3)), 3
    X = data.draw(arrays(np.float64, (n, d), elements=st.integers(-3, 3).map(float)))
    label = np.concatenate([np.arange(3), data.draw(arrays(np.int64, n - 3, elements=st.integers(0, 2)))])
    truth = reference.separable(np.vstack(reference.kesler(X, label, count)))
    target = EpsOptimal(0.0, 0.3) if rule == "nearest" else Margin(0.0)
    found = learn([classes(X, label, count)], target, RULES[rule][0](), stop=Stop(passes=400, refute=True)).certificate
    assert found.check(X, label)
    if found.separates:
        assert truth
    if found.status == "not separable":
        assert not truth


def test_three_points_on_a_line_are_proved_not_separable():
    """The middle class of three on a line is separable, the same twice over is not."""
    X, label = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 2, 0])
    found = learn([classes(X, label, 3)], EpsOptimal(0.0, 0.1), Nearest(), stop=Stop(refute=True)).certificate
    assert found.status == "not separable" and found.check(X, label)
    assert "no linear machine separates" in str(found)
    fine = learn([classes(X[:3], label[:3], 3)], Margin(0.0), Increment(1.0)).certificate
    assert fine.status == "separated" and fine.check(X[:3], label[:3])
    assert "all 3 rows" in str(fine)


def honest():
    X, label = clouds(31, n=24, apart=2.0)
    return X, label, learn([classes(X, label, 4)], EpsOptimal(0.0, 0.1), Nearest()).certificate


@pytest.mark.parametrize(
    ("tamper", "culprit"),
    [
        (lambda c: {"w": c.w * [[1], [1], [1], [1.5]]}, "lower"),
        (lambda c: {"lower": c.lower * 1.01}, "lower"),
        (lambda c: {"upper": c.upper * 0.99}, "upper"),
        (lambda c: {"violated": c.violated + 1}, "violated"),
        (lambda c: {"novikoff": c.novikoff / 2}, "novikoff"),
        (lambda c: {"longest": c.longest * 2}, "longest"),
        (lambda c: {"size": c.size + 1}, "size"),
        (lambda c: {"rivals": np.roll(c.rivals, 1)}, "proof|upper"),
        (lambda c: {"rivals": c.rivals[:-1]}, "proof"),
        (lambda c: {"rivals": c.rivals + 4}, "proof"),
        (lambda c: {"rows": c.rows * 0}, "proof"),
        (lambda c: {"weights": -c.weights}, "proof"),
        (lambda c: {"refuted": True, "status": "not separable"}, "proof"),
        (lambda c: {"refuted": True, "status": "not separable", "integers": (1,) * c.rows.size}, "proof"),
        (lambda c: {"integers": (1,) * c.w.size}, "proof"),
        (lambda c: {"status": "separated"}, "status"),
        (lambda c: {"bias": "none"}, "lower"),
        (lambda c: {"bias": "free"}, "bias"),
        (lambda c: {"w": c.w[:3]}, "shape"),
        (lambda c: {"classes": (0, 1, 2, 5)}, "labels"),
        (lambda c: {"classes": (1, 0, 2, 3)}, "lower"),
    ],
)
def test_a_tampered_certificate_is_caught_and_the_culprit_named(tamper, culprit):
    X, label, found = honest()
    assert found.check(X, label)
    verdict = replace(found, **tamper(found)).check(X, label)
    assert not verdict
    assert any(part in str(verdict) for part in culprit.split("|"))


def test_a_certificate_survives_json():
    X, label, found = honest()
    again = Certificate.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.check(X, label)
    assert again.to_dict() == found.to_dict()


@pytest.mark.parametrize("seed", range(6))
def test_novikoff_bounds_the_updates(seed):
    X, label = clouds(seed, apart=2.0)
    found = learn([classes(X, label, 4)], Margin(0.0), Increment(1.0), stop=Stop(passes=10_000)).certificate
    best = reference.nearest(np.vstack(reference.kesler(X, label, 4)))
    if best > 1e-6:
        assert found.status == "separated"
        assert found.updates <= (found.longest / best) ** 2 * (1 + 1e-9) <= found.novikoff * (1 + 1e-9)


# --- real data -------------------------------------------------------------------------------------------------------


def test_pentagon_is_separated_within_its_bounds(shared, machines):
    X, y = shared("pentagon")
    label, true = np.unique(y, return_inverse=True)[1], machines["pentagon"]
    for rule, target in ((Increment(1.0), Margin(0.0)), (Relaxation(1.5), Margin(1.0)), (Nearest(), Margin(0.0))):
        found = learn([classes(X, label, 5)], target, rule, stop=Stop(passes=5000)).certificate
        assert found.status == "separated" and found.check(X, label)
        assert found.longest == pytest.approx(true["D"], rel=1e-12)
        assert found.lower <= true["margin_augmented"] <= found.upper
        if isinstance(rule, Increment):
            assert found.updates <= true["novikoff"]
    near = learn([classes(X, label, 5)], EpsOptimal(0.0, 0.02), Nearest(), stop=Stop(passes=20_000)).certificate
    assert near.status == "eps-optimal" and near.check(X, label)
    assert near.lower <= true["margin_augmented"] <= near.upper


def test_ocr_is_separated(shared):
    X, y = shared("ocr_trn")
    label = np.unique(y, return_inverse=True)[1]
    found = learn([classes(X, label, 10)], Margin(0.0), Increment(1.0), stop=Stop(passes=500)).certificate
    assert found.status == "separated" and found.check(X, label)
    assert found.updates <= found.novikoff


def test_auto_moves_each_bias_to_where_it_is_likely_to_err_least():
    """By brute force over many places: what is left is within a hundredth of all weight of the least."""
    X, label = clouds(41, n=50, apart=0.2)
    weight = np.random.default_rng(0).integers(0, 4, 50).astype(float)
    part = classes(X, label, 4, weight)
    plain = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=5), keep="average")
    moved = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=5), keep="auto")
    W = plain.w.copy()
    assert np.array_equal(moved.w[:, :-1], W[:, :-1])
    assert not np.array_equal(moved.w, W)
    for k in range(4):
        score = X @ W[:, :-1].T + W[:, -1]
        others = np.delete(score, k, axis=1).max(axis=1)
        right = [score[i, y] > np.delete(score[i], [k, y]).max() for i, y in enumerate(label)]  # but for class k
        counts = (weight > 0) & ((label == k) | right)
        lead, mass, own = (score[:, k] - others)[counts], weight[counts], label[counts] == k
        heavier = np.log(mass[own].mean() / mass[~own].mean())
        h = np.zeros(len(lead))
        for side, more in ((own, heavier), (~own, -heavier)):
            share = mass[side] / mass[side].sum()
            spread = np.sqrt(share @ (lead[side] - share @ lead[side]) ** 2) * np.cbrt(share @ share)
            h[side] = spread * (1 + max(more, 0))

        places = np.linspace(-lead.max() - h.max(), -lead.min() + h.max(), 5000)
        side = np.where(own, 1, -1)
        costs = [
            mass @ np.clip(0.5 - side * (lead + move) / (2 * h), 0, 1) for move in (moved.w[k, -1] - W[k, -1], *places)
        ]
        assert costs[0] <= min(costs) + 0.01 * weight.sum() + 1e-9
        W[k, -1] = moved.w[k, -1]
