"""The oracle of sequences against phi written out in the test, and all labellings tried one by one."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from reference import nearest

from linsep.certificates.check.sequences import SequenceStructure
from linsep.certificates.prove import LabellingProver
from linsep.jit import compiled
from linsep.loop.keep import Average
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.loop.sweep import Counters, Task, sweep
from linsep.oracles.sequences import (
    decode,
    decode_k_best,
    features,
    sequences,
    with_new_scratch,
    write_max_marginals,
)
from linsep.oracles.update_log import merge_entries
from linsep.rows.matrix import scores
from linsep.rules import Increment, Nearest
from linsep.solvers.column_generation import largest_margin
from linsep.targets import EpsOptimal, Margin


class Problem(NamedTuple):
    """Sequences as plain arrays, and what phi is made of."""

    X: list  # length x features each
    y: list
    K: int
    order: int = 1
    bias: float = 1.0
    pair_features: bool = False
    forbidden: frozenset = frozenset()  # (before, after); None is the start or the end
    end: float = 1.0

    def phi(self, x, y):
        """phi(x, y), sum by sum."""
        K, width = self.K, x.shape[1]
        emission, bias, start, end = np.zeros((width, K)), np.zeros(K), np.zeros(K), np.zeros(K)
        pairs, triples, pair_emission = np.zeros((K, K)), np.zeros((K, K, K)), np.zeros((width, K, K))
        start[y[0]], end[y[-1]] = 1.0, self.end
        for t in range(len(y)):
            bias[y[t]] += self.bias
            for j in range(width):
                emission[j, y[t]] += x[t, j]
        for t in range(1, len(y)):
            pairs[y[t - 1], y[t]] += 1.0
            for j in range(width):
                pair_emission[j, y[t - 1], y[t]] += x[t, j]
        for t in range(2, len(y)):
            triples[y[t - 2], y[t - 1], y[t]] += 1.0
        parts = [
            emission,
            bias,
            start,
            end,
            pairs,
            *[triples] * (self.order == 2),
            *[pair_emission] * self.pair_features,
        ]
        return np.concatenate([part.ravel() for part in parts])

    def labellings(self, i):
        """All labellings of sequence i that are allowed."""
        every = itertools.product(range(self.K), repeat=len(self.X[i]))
        return [y for y in every if not self.forbidden & set(itertools.pairwise([None, *y, None]))]

    def rivals(self, i):
        return [y for y in self.labellings(i) if y != tuple(self.y[i])]

    def difference(self, i, rival):
        return self.phi(self.X[i], self.y[i]) - self.phi(self.X[i], rival)

    def oracle(self, x=None, **more):
        """The oracle of the problem; ``x`` are the features in the form in which they are kept."""
        begin = np.cumsum([0, *map(len, self.y)])
        x = features(dense=np.concatenate(self.X)) if x is None else x
        K, flat = self.K, np.zeros(self.K * (2 + self.K))
        for before, after in self.forbidden:
            place = after if before is None else K + before if after is None else 2 * K + before * K + after
            flat[place] = -np.inf
        more = {"order": self.order, "bias": self.bias, "pair_features": self.pair_features, "end": self.end, **more}
        return sequences(begin, np.concatenate(self.y), x, K, forbidden=flat if self.forbidden else None, **more)


def some_numbers(rng, *shape):
    """Whole numbers or not, many of them 0."""
    values = rng.integers(-2, 3, shape) if rng.random() < 0.5 else rng.normal(size=shape)
    return np.where(rng.random(shape) < 0.5, 0.0, values)


def kept(rng, X, kind):
    """The same features in several forms: dense columns first, sparse ones behind, of value 1 or any."""
    d, size = int(rng.integers(1, X.shape[1])), len(X)
    if kind == "dense":
        return X, features(dense=X)
    if kind == "float32":
        X = X.astype(np.float32).astype(float)
        return X, features(dense=X.astype(np.float32))
    if kind == "sparse":
        return X, features(sp.csr_array(X))
    if kind == "both":
        return X, features(sp.csr_array(X[:, d:]), dense=X[:, :d])
    counts = rng.integers(0, 4, size)  # numbers of features, some of them twice
    indptr, indices = np.concatenate([[0], np.cumsum(counts)]), rng.integers(0, X.shape[1] - d, counts.sum())
    plain = np.zeros((size, X.shape[1]))
    plain[:, :d] = X[:, :d]
    for t in range(size):
        for j in indices[indptr[t] : indptr[t + 1]]:
            plain[t, d + j] += 1.0
    return plain, features((indptr, indices), dense=X[:, :d], width=X.shape[1] - d)


KINDS = ["dense", "float32", "sparse", "both", "numbers"]


def draw(seed, kinds=KINDS):
    """A problem at random, its oracle, and w."""
    rng = np.random.default_rng(seed)
    K, n = int(rng.choice([2, 3, 4, 8, 9])), int(rng.integers(1, 5))
    lengths = rng.integers(1, 3 if K > 4 else 5, n)
    plain, x = kept(rng, some_numbers(rng, int(lengths.sum()), 5), kinds[seed % len(kinds)])
    cuts = np.cumsum(lengths)[:-1]
    y = np.split(rng.integers(0, K, len(plain)), cuts)
    forbidden = frozenset()
    if rng.random() < 0.4:
        ways = [(a, b) for a in (None, *range(K)) for b in (None, *range(K)) if (a, b) != (None, None)]
        used = {way for labels in y for way in itertools.pairwise([None, *labels.tolist(), None])}
        forbidden = frozenset(way for way in ways if rng.random() < 0.2) - used
    problem = Problem(
        np.split(plain, cuts),
        y,
        K,
        int(rng.integers(1, 3)),
        float(rng.integers(0, 2)),
        bool(rng.random() < 0.4),
        forbidden,
        float(seed % 2),
    )
    oracle = problem.oracle(x, loss=float(rng.integers(0, 2)) * 1.5, cost=draw_cost(seed, K))
    return problem, oracle, some_numbers(rng, oracle.size), rng


def draw_cost(seed, K):
    """A loss by its name, or a matrix W[decision, truth] that is not symmetric."""
    W = np.random.default_rng(seed).integers(0, 4, (K, K)).astype(float)
    return ["count", "hamming", "zero-one", W * (1 - np.eye(K))][seed % 4]


def count_loss(cost, rival, truth):
    """The loss of taking ``rival`` where ``truth`` holds, by its definition."""
    wrong = [a != b for a, b in zip(rival, truth, strict=True)]
    if isinstance(cost, str):
        return {"count": sum(wrong), "hamming": np.mean(wrong), "zero-one": any(wrong)}[cost]
    return sum(cost[a, b] for a, b in zip(rival, truth, strict=True))


@pytest.mark.parametrize("seed", range(200))
def test_the_methods_are_those_of_the_vectors_written_out(seed):
    problem, oracle, w, rng = draw(seed)
    cost = draw_cost(seed, problem.K)
    rounding, longest = oracle.rounding_bound(w), oracle.norm_bound()
    oracle.log.cursor[:] = 0, 1
    for i, truth in enumerate(problem.y):
        others = problem.rivals(i)
        score, slot = oracle.lowest(w, i)
        if not others:
            assert score == np.inf
            continue
        goals = [problem.difference(i, y) @ w - oracle.loss * count_loss(cost, y, truth) for y in others]
        assert abs(score - min(goals)) <= max(rounding[i], 1e-12)
        rival = tuple(oracle.log.label[oracle.log.next_label() :][: len(truth)].tolist())
        assert rival in others
        a = problem.difference(i, rival)
        assert np.isclose(a @ w - oracle.loss * count_loss(cost, rival, truth), score)
        assert np.isclose(oracle.squared_norm(i, slot), a @ a) and not oracle.difference.total.any()
        assert max(np.linalg.norm(problem.difference(i, y)) for y in others) <= longest * (1 + 1e-12)
        moved, beta = w.copy(), float(rng.normal())
        oracle.add(moved, i, slot, beta)
        assert np.allclose(moved, w + beta * a)
        oracle.log.cursor[0] = 0
        dual_weights = np.zeros(3)
        oracle.record(dual_weights, i, 0, 2.0)
        assert dual_weights.tolist() == [0.0, 2.0, 0.0] and oracle.log.example[0] == i
        entry = oracle.log._replace(example=np.array([i]), begin=oracle.log.begin[:2])
        listed = np.zeros((1, oracle.size))
        for vectors in oracle.difference_vectors(entry):
            np.add.at(listed, vectors[:2], vectors.value)
        assert np.allclose(listed, a)
        oracle.log.cursor[0] = 0


@pytest.mark.parametrize("seed", range(60))
def test_the_structure_of_the_check_is_the_same_problem(seed):
    """The check computes phi and the best rival by code of its own: both are those of the vectors written out."""
    problem, oracle, w, _ = draw(seed)
    raw = [
        [[(j, v) for j, v in enumerate(row) if v] for row in x]
        if seed % 3 == 0
        else sp.csr_array(x)
        if seed % 3 == 1
        else x
        for x in problem.X
    ]
    check = SequenceStructure(
        raw, problem.y, problem.K, 5, order=problem.order, bias=problem.bias, pair_features=problem.pair_features,
        forbidden=problem.forbidden, end=problem.end,
    )  # fmt: skip
    assert check.size == oracle.size
    assert np.isclose(check.reach(), oracle.norm_bound(), rtol=1e-12)
    for i in range(check.n):
        others = problem.rivals(i)
        for y in itertools.product(range(problem.K), repeat=len(problem.y[i])):
            assert check.allowed(i, y) == (y in others)
        assert np.allclose(check.phi(i, problem.y[i]), problem.phi(problem.X[i], problem.y[i]))
        low, high = check.lead(w, i)
        wanted = min((problem.difference(i, y) @ w for y in others), default=np.inf)
        assert low <= wanted + 1e-12 and high >= wanted - 1e-12
        assert not others or high - low < 1e-9


@compiled
def lowest(oracle, w, i):
    return oracle.lowest(w, i)


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_interpreted_code_agree(seed):
    problem, oracle, w, _ = draw(seed, ["sparse", "both", "dense"])
    for i in range(len(problem.y)):
        slow, slot = oracle.lowest(w, i)
        rival = oracle.log.label.copy()
        fast = lowest(oracle, w, i)
        assert fast[1] == slot and (fast[0] == slow or np.isclose(fast[0], slow, rtol=1e-12, atol=1e-12))
        if slow < np.inf and np.array_equal(w, np.round(w)):
            assert np.array_equal(oracle.log.label, rival)


@pytest.mark.parametrize("seed", range(100, 140))
def test_decoding_finds_the_best_labellings_and_max_marginals(seed):
    problem, oracle, w, _ = draw(seed)
    n, size = len(problem.y), oracle.label.size
    out, values, marginals = np.zeros(size, np.int32), np.zeros(n), np.zeros((size, problem.K))
    decode.py_func(with_new_scratch(oracle), w, np.arange(n), out, values)
    write_max_marginals.py_func(oracle, w, np.arange(n), np.zeros_like(oracle.best), marginals)
    for i, x in enumerate(problem.X):
        all_scores = {y: problem.phi(x, y) @ w for y in problem.labellings(i)}
        span = slice(oracle.begin[i], oracle.begin[i + 1])
        assert np.isclose(values[i], max(all_scores.values()))
        assert np.isclose(all_scores[tuple(out[span].tolist())], values[i])
        for (t, k), found in np.ndenumerate(marginals[span]):
            wanted = max((score for y, score in all_scores.items() if y[t] == k), default=-np.inf)
            assert found == wanted or np.isclose(found, wanted)
        room = (*oracle.best.shape, 3)
        messages = np.zeros(room), np.zeros(room, np.int64), np.zeros(room, np.int64)
        few, few_values = np.zeros((3, len(x)), np.int32), np.zeros(3)
        count = decode_k_best.py_func(oracle, w, i, messages, few, few_values)
        wanted = sorted(all_scores.values(), reverse=True)[:3]
        assert count == len(wanted) and np.allclose(few_values[:count], wanted)
        assert np.allclose([all_scores[tuple(y.tolist())] for y in few[:count]], wanted)


def small_problem(seed, K=3):
    rng = np.random.default_rng(seed)
    X = [rng.integers(-2, 3, (length, 4)).astype(float) for length in (3, 1, 2)]
    return Problem(X, [rng.integers(0, K, len(x)) for x in X], K, 1 + seed % 2)


@pytest.mark.parametrize(("rule", "loss"), [(Increment(1.0), 0.0), (Increment(1.0), 2.0), (Nearest(), 0.0)], ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_a_sweep_is_the_loop_of_the_lectures(seed, rule, loss):
    """The structured perceptron and Kozinec on vectors written out, of whole numbers: the same updates, the same w."""
    problem = small_problem(seed)
    oracle = problem.oracle(loss=loss)
    state, keeper = np.zeros(oracle.size), Average(np.zeros(oracle.size))
    dual_weights, counters = np.zeros(9), Counters()
    w, total, mean, updates, vectors = np.zeros(oracle.size), 0.0, np.zeros(oracle.size), 0, []
    for _ in range(3):
        oracle.log.cursor[:] = 0, counters.updates
        task = Task(oracle, Margin(0.0), rule, keeper)
        counters = sweep.py_func(task, state, dual_weights, counters, np.arange(3), 100, -1)
        for i in range(3):
            score, slot = oracle.lowest(w, i)
            begin = oracle.log.begin[slot]
            if score <= 0:
                a = problem.difference(i, oracle.log.label[begin : begin + len(problem.y[i])])
                alpha, beta = rule.step(updates, score, w @ w, a @ a, 0.0)
                w, total, updates = alpha * w + beta * a, alpha * total + beta, updates + 1
                vectors = [(alpha * weight, b) for weight, b in vectors] + [(beta, a)]
            mean = mean + w
    assert counters.updates == updates and np.isclose(counters.total, total)
    assert np.allclose(counters.scale * state, w)
    assert np.allclose(counters.scale * dual_weights[:updates], [weight for weight, _ in vectors])
    assert np.allclose(sum(weight * a for weight, a in vectors), w)
    average = keeper.result(state, counters.seen)
    assert np.allclose(average / np.abs(average).max(), mean / np.abs(mean).max())


def test_bad_sequences_are_named():
    x = features(dense=np.zeros((3, 2)))
    for arguments, message in (
        (([0, 2, 3], [0, 1, 2], x, 2), r"label: expected numbers 0 \.\.\. 1, got 2"),
        (([0, 2], [0, 1, 1], x, 2), "rise from 0 to 3"),
        (([0, 2, 2, 3], [0, 1, 1], x, 2), "rise from 0 to 3"),
        (([0, 3], [0, 0, 0], x, 1), "two labels"),
        (([0, 2], [0, 1], x, 2), "expected features of 2 positions, got 3"),
    ):
        with pytest.raises(ValueError, match=message):
            sequences(*arguments)
    with pytest.raises(ValueError, match="expected order 1 or 2, got 3"):
        sequences([0, 3], [0, 1, 1], x, 2, order=3)


@pytest.mark.parametrize("order", [1, 2])
def test_the_bounds_of_kozinec_bracket_the_margin_of_all_labellings(order):
    """A separable set of sequences: a QP over every vector; the perceptron ends within A^2 / gamma^2 updates."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = [rng.normal(size=(length, 4)) for length in (3, 2, 1, 3)]
        problem = Problem(X, [np.zeros(len(x), int) for x in X], 3, order)
        w = rng.normal(size=problem.oracle().size)
        best = [max(problem.labellings(i), key=lambda y, x=x: problem.phi(x, y) @ w) for i, x in enumerate(X)]
        problem = problem._replace(y=[np.array(y) for y in best])  # w labels it: separable
        A = np.array([problem.difference(i, y) for i in range(4) for y in problem.rivals(i)])
        gamma, longest = nearest(A), np.linalg.norm(A, axis=1).max()
        oracle, stop = problem.oracle(), Stop(passes=100_000)
        near = learn([oracle], EpsOptimal(0.0, 0.05), Nearest(), stop=stop).certificate
        assert near.status == "eps-optimal" and near.lower * (1 - 1e-9) <= gamma <= near.upper * (1 + 1e-9)
        plain = learn([oracle], Margin(0.0), Increment(1.0), stop=stop).certificate
        assert plain.status == "separated" and plain.updates <= (longest / gamma) ** 2 <= plain.novikoff
        largest = largest_margin(oracle)
        assert largest.status == "optimal" and np.isclose(largest.lower, gamma, rtol=1e-6)


def test_scores_change_nothing_even_where_w_errs():
    oracle = small_problem(0).oracle()
    wrong = -learn([oracle], Margin(0.0), Increment(1.0), stop=Stop(passes=5)).w
    before = wrong.copy()
    oracle.log.cursor[:] = 0, 0
    oracle.record(np.zeros(1), 0, 0, 1.0)
    entry = oracle.log.label[:3].copy()
    found = scores([oracle], wrong)
    assert np.array_equal(wrong, before) and oracle.log.cursor.tolist() == [1, 0]
    assert np.array_equal(oracle.log.label[:3], entry)
    assert np.allclose(found, [oracle.lowest(wrong, i)[0] for i in range(3)])


def test_a_run_without_updates_from_a_w_that_errs_is_certified():
    problem = Problem(
        [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 1.0]])], [np.array([0, 1]), np.array([1])], 2
    )
    oracle = problem.oracle()
    wrong = -learn([oracle], Margin(0.0), Increment(1.0)).w
    found = learn([oracle], Margin(0.0), Increment(1.0), stop=Stop(updates=0), start=wrong)
    assert (found.w == wrong).all()
    assert found.certificate.status == "budget spent" and found.certificate.violated == 2
    assert found.certificate.rows.tolist() == [0] and 0 < found.certificate.upper < np.inf


def test_whole_numbers_are_their_own_proof_and_nothing_else_is():
    """|w| / total of a run that sums whole numbers is the bound itself; a part of a run, or a start, is summed anew."""
    rng = np.random.default_rng(3)
    oracle = sequences(
        np.arange(0, 41, 4), rng.integers(0, 3, 40), features(dense=rng.integers(0, 3, (40, 4)).astype(float)), 3
    )
    result = learn([oracle], Margin(0.0), Increment(1.0), stop=Stop(passes=2), keep="average")
    prover = LabellingProver([oracle])
    own = prover._own_length(result.state)
    total, error = prover.combine(*_divided(merge_entries(result.state.entries, result.state.dual_weights)))
    assert own[0] / own[1] == pytest.approx(np.linalg.norm(total), rel=1e-14)
    assert result.certificate.upper == pytest.approx(np.linalg.norm(total) + error, rel=1e-12)
    later = replace(result.state, entries=result.state.entries[1:], dual_weights=result.state.dual_weights[1:])
    assert prover._own_length(later) is None  # w is of more than these entries
    for rule, start in ((Increment(0.5, 0.5), None), (Nearest(), None), (Increment(1.0), np.ones(oracle.size))):
        other = learn([oracle], Margin(0.0), rule, stop=Stop(passes=2), start=start)
        assert prover._own_length(other.state) is None
    fractions = LabellingProver([oracle._replace(x=oracle.x._replace(dense=0.1 * oracle.x.dense))])
    assert fractions._own_length(result.state) is None


def _divided(merged):
    return merged[0], merged[1] / merged[1].sum()
