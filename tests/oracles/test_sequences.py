"""The oracle of chains against phi written out and all labellings tried one by one."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from linsep.solvers.column_generation import largest_margin
from reference import nearest

from linsep.certificates.prove.labelling import look_on
from linsep.jit import compiled
from linsep.loop.keep import Average, keeper
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.loop.sweep import Task, Tick, sweep
from linsep.oracles.sequences import Chains, apart, blocks, chains, decode, features, matrix
from linsep.rules import Increment, Nearest
from linsep.targets import EpsOptimal, Margin


def phi(part: Chains, i: int, y) -> np.ndarray:
    """phi(x_i, y), term by term."""
    w = np.zeros(part.size)
    at = blocks(part, w)
    X, Z, begin = matrix(part.x).toarray(), matrix(part.z).toarray(), part.begin[i]
    at.start[y[0]] += 1
    at.end[y[-1]] += 1
    for t, k in enumerate(y):
        at.emission[:, k] += X[begin + t]
        at.bias[k] += part.bias
        if t > 0:
            at.pairs[y[t - 1], k] += 1
            at.crossed[:, y[t - 1], k] += Z[begin + t]
        if t > 1 and part.order == 2:
            at.triples[y[t - 2], y[t - 1], k] += 1
    return w


def allowed(part, y):
    if not part.banned.size:
        return True
    k = part.labels
    pairs = part.banned[2 * k :].reshape(k, k)
    return part.banned[y[0]] == part.banned[k + y[-1]] == 0 and all(pairs[a, b] == 0 for a, b in itertools.pairwise(y))


def draw(seed, *, forbid=True):
    """Sequences of any kind: dense, sparse, with values or without, of pairs, banned, second order, a loss."""
    rng = np.random.default_rng(seed)
    labels, n = int(rng.choice([2, 3, 4, 8, 9])), int(rng.integers(1, 5))
    lengths = rng.integers(1, 3 if labels > 4 else 5, n)
    begin, size = np.concatenate([[0], np.cumsum(lengths)]), int(lengths.sum())
    whole = bool(rng.random() < 0.5)

    def numbers(*shape):
        values = rng.integers(-2, 3, shape) if whole else rng.normal(size=shape)
        return np.where(rng.random(shape) < 0.5, 0, values)

    kind = rng.integers(4)
    dense = None if kind == 0 else numbers(size, 3).astype(rng.choice([np.float64, np.float32]))
    if kind == 1:
        x = features(dense=dense)
    elif kind == 2:
        x = features(sp.csr_array(numbers(size, 5)), dense=dense)
    else:
        counts = rng.integers(0, 4, size)
        x = features((np.concatenate([[0], np.cumsum(counts)]), rng.integers(0, 6, counts.sum())), width=6, dense=dense)
    z = features(sp.csr_array(numbers(size, 2))) if rng.random() < 0.4 else None
    label = rng.integers(0, labels, size)
    banned = None
    if forbid and rng.random() < 0.4:
        banned = np.where(rng.random(labels * (2 + labels)) < 0.2, -np.inf, 0.0)
        for b, e in itertools.pairwise(begin):  # the truth is allowed
            y = label[b:e]
            banned[[y[0], labels + y[-1]]] = 0.0
            for j, k in itertools.pairwise(y):
                banned[2 * labels + j * labels + k] = 0.0
    order, loss = int(rng.integers(1, 3)), float(rng.integers(0, 2)) * 1.5
    part = chains(begin, label, x, labels, z=z, order=order, banned=banned, loss=loss, bias=float(rng.integers(0, 2)))
    return part, numbers(part.size).astype(float), rng


def rivals(part, i):
    truth = tuple(part.label[part.begin[i] : part.begin[i + 1]].tolist())
    every = itertools.product(range(part.labels), repeat=len(truth))
    return truth, [y for y in every if y != truth and allowed(part, y)]


@pytest.mark.parametrize("seed", range(200))
def test_probe_square_and_add_are_those_of_the_vectors_written_out(seed):
    part, w, rng = draw(seed)
    slack, reach = part.slack(w), part.reach()
    for i in range(part.sign.size):
        truth, others = rivals(part, i)
        own = phi(part, i, truth)
        scores = [(own - phi(part, i, y)) @ w - part.loss * sum(a != b for a, b in zip(truth, y)) for y in others]
        found = part.probe(w, i)
        assert abs(found - min(scores)) <= max(slack[i], 1e-12) if others else found == np.inf
        if not others:
            continue
        rival = tuple(part.rival[: len(truth)].tolist())
        assert rival in others
        a = own - phi(part, i, rival)
        assert np.isclose(a @ w - part.loss * sum(p != q for p, q in zip(truth, rival)), found)
        assert np.isclose(part.square(i), a @ a) and not part.change.any()
        assert max(np.linalg.norm(own - phi(part, i, y)) for y in others) <= reach * (1 + 1e-12)
        moved, beta = w.copy(), float(rng.normal())
        part.add(moved, i, beta)
        assert np.allclose(moved, w + beta * a)
        dual = np.zeros(3)
        part.ledger.cursor[:] = 0, 1
        part.credit(dual, i, 2.0)
        assert dual.tolist() == [0.0, 2.0, 0.0] and part.ledger.example[0] == i
        noted = np.zeros((1, part.size))
        for touched in part.touched(part.ledger._replace(example=np.array([i]), begin=part.ledger.begin[:2])):
            np.add.at(noted, touched[:2], touched.amount)
        assert np.allclose(noted, a)
        part.rival[:] = 0
        part.load(i, 0)
        assert tuple(part.rival[: len(truth)].tolist()) == rival


@compiled
def _probe(part, w, i):
    return part.probe(w, i)


@pytest.mark.parametrize("seed", range(40))
def test_compiled_probes_are_the_interpreted_ones(seed):
    part, w, _ = draw(seed)
    for i in range(part.sign.size):
        slow = part.probe(w, i)
        rival = part.rival.copy()
        fast = _probe(part, w, i)
        assert fast == slow or np.isclose(fast, slow, rtol=1e-12, atol=1e-12)
        if fast < np.inf:
            assert np.array_equal(part.rival, rival) or not np.array_equal(w, np.round(w))


@pytest.mark.parametrize("seed", range(100, 140))
def test_decoding_finds_the_best_labelling(seed):
    part, w, _ = draw(seed)
    out, values = np.zeros(part.label.size, np.int32), np.zeros(part.sign.size)
    decode(apart(part), w, np.arange(part.sign.size), out, values)
    for i in range(part.sign.size):
        truth, others = rivals(part, i)
        best = max(phi(part, i, y) @ w for y in [truth, *others])
        y = out[part.begin[i] : part.begin[i + 1]]
        assert np.isclose(values[i], best) and np.isclose(phi(part, i, y) @ w, best)


@pytest.mark.parametrize(("rule", "loss"), [(Increment(1.0), 0.0), (Increment(1.0), 2.0), (Nearest(), 0.0)])
@pytest.mark.parametrize("seed", range(12))
def test_a_pass_is_the_loop_of_the_lectures(seed, rule, loss):
    """The structured perceptron and Kozinec on vectors written out, whole numbers: the same updates, the same w."""
    rng = np.random.default_rng(seed)
    begin, labels = np.array([0, 3, 4, 6]), 3
    x = features(dense=rng.integers(-2, 3, (6, 4)).astype(float))
    part = chains(begin, rng.integers(0, labels, 6), x, labels, loss=loss, order=1 + seed % 2)
    w, mass, mean, seen = np.zeros(part.size), 0.0, np.zeros(part.size), 0
    state = np.zeros(part.size)
    dual, keep, tick = np.zeros(40), keeper("average", part.size), Tick()
    for _ in range(3):
        part.ledger.cursor[:] = 0, tick.updates
        tick = sweep(Task(part, Margin(0.0), rule, keep), state, dual, tick, np.arange(3), 100, -1)
        updates = 0
        for i in range(3):
            goal_missed = part.probe(w, i)
            if goal_missed <= 0:
                rival = part.rival[: begin[i + 1] - begin[i]].copy()
                a = phi(part, i, part.label[begin[i] : begin[i + 1]]) - phi(part, i, rival)
                alpha, beta = rule.step(updates + mass, goal_missed, w @ w, a @ a, 0.0)
                w, mass = alpha * w + beta * a, alpha * mass + beta
                updates += 1
            mean, seen = mean + w, seen + 1
    assert np.allclose(tick.scale * state, w)
    average = keep.answer(state, tick.seen)
    assert np.allclose(average / np.abs(average).max(), mean / np.abs(mean).max())


def test_bad_sequences_are_named():
    x = features(dense=np.zeros((3, 2)))
    for arguments, message in (
        (([0, 2, 3], [0, 1, 2], x, 2), "labels must be 0"),
        (([0, 2], [0, 1, 1], x, 2), "rise from 0 to 3"),
        (([0, 2, 2, 3], [0, 1, 1], x, 2), "rise from 0 to 3"),
        (([0, 3], [0, 0, 0], x, 1), "two labels"),
        (([0, 2], [0, 1], x, 2), "features of 3 positions, but 2 labels"),
    ):
        with pytest.raises(ValueError, match=message):
            chains(*arguments)
    with pytest.raises(ValueError, match="order"):
        chains([0, 3], [0, 1, 1], x, 2, order=3)


def test_the_bounds_of_kozinec_bracket_the_margin_of_all_labellings_enumerated():
    """A separable set of sequences: a QP over every vector; the perceptron ends within A^2 / gamma^2 updates."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        begin, labels = np.array([0, 3, 5, 6, 9]), 3
        x = features(dense=rng.normal(size=(9, 4)))
        asked = chains(begin, np.zeros(9, int), x, labels, order=1 + seed % 2)
        out = np.zeros(9, np.int32)
        decode(asked, rng.normal(size=asked.size), np.arange(4), out, np.zeros(4))  # some w labels it: separable
        part = chains(begin, out, x, labels, order=1 + seed % 2)
        vectors = []
        for i in range(4):
            truth, others = rivals(part, i)
            vectors += [phi(part, i, truth) - phi(part, i, y) for y in others]
        A = np.array(vectors)
        gamma, longest = nearest(A), np.linalg.norm(A, axis=1).max()
        stop = Stop(passes=100_000)
        near = learn([part], EpsOptimal(0.0, 0.05), Nearest(), stop=stop).certificate
        assert near.status == "eps-optimal" and near.lower * (1 - 1e-9) <= gamma <= near.upper * (1 + 1e-9)
        plain = learn([part], Margin(0.0), Increment(1.0), stop=stop).certificate
        assert plain.status == "separated" and plain.updates <= (longest / gamma) ** 2 <= plain.novikoff
        best = largest_margin(part)
        assert best.status == "optimal" and np.isclose(best.lower, gamma, rtol=1e-6)


@pytest.mark.parametrize("whole", [False, True])
def test_looking_changes_nothing_even_where_w_errs(whole):
    x = features(dense=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    part = chains([0, 2, 3], [0, 1, 1], x, 2)
    wrong = -learn([part], Margin(0.0), Increment(1.0)).w
    before, idle = wrong.copy(), Average(np.ones(part.size))
    look_on(Task(part, Margin(0.0), Increment(1.0), idle), wrong, np.arange(2), whole)
    assert (wrong == before).all() and (idle.total == 1.0).all() and part.ledger.cursor[0] == 0
    assert part.score.tolist() == [part.probe(wrong, i) for i in range(2)] and (part.score < 0).all()


def test_a_run_without_updates_from_a_w_that_errs_is_certified():
    x = features(dense=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    part = chains([0, 2, 3], [0, 1, 1], x, 2)
    wrong = -learn([part], Margin(0.0), Increment(1.0)).w
    found = learn([part], Margin(0.0), Increment(1.0), stop=Stop(updates=0), start=wrong)
    assert (found.w == wrong).all()
    assert found.certificate.status == "budget spent" and found.certificate.violated == 2
    assert found.certificate.rows.tolist() == [0] and 0 < found.certificate.upper < np.inf
