"""Chains: every kernel against all labellings, one by one."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from linsep.inference import chain, lattice
from linsep.inference.chain import best_rival, k_best, max_marginals, viterbi


def score(y, emission, pairs, start=None, end=None, triples=None):
    """The score of one labelling, as the formula says."""
    pairs = np.asarray(pairs)
    total = sum(emission[t][k] for t, k in enumerate(y))
    total += sum((pairs if pairs.ndim == 2 else pairs[t - 1])[y[t - 1]][y[t]] for t in range(1, len(y)))
    total += 0.0 if start is None else start[y[0]]
    total += 0.0 if end is None else end[y[-1]]
    if triples is not None:
        total += sum(triples[y[t - 2]][y[t - 1]][y[t]] for t in range(2, len(y)))
    return total


def everything(tables):
    """All labellings with their scores."""
    n, labels = np.shape(tables["emission"])
    return {y: score(y, **tables) for y in itertools.product(range(labels), repeat=n)}


def draw(rng, whole):
    """Tables of any kind; whole numbers of a small range tie often, and some ways are forbidden."""
    n, labels = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    labels = min(labels, 4) if n > 4 else labels

    def table(*shape, forbid=0.2):
        values = rng.integers(-2, 3, shape).astype(float) if whole else rng.normal(size=shape)
        return np.where(rng.random(shape) < (forbid if rng.random() < 0.5 else 0.0), -np.inf, values)

    tables = {"emission": table(n, labels, forbid=0.05)}
    tables["pairs"] = table(labels, labels) if rng.random() < 0.6 else table(n - 1, labels, labels)
    for name in ("start", "end"):
        if rng.random() < 0.5:
            tables[name] = table(labels)
    if rng.random() < 0.5:
        tables["triples"] = table(labels, labels, labels)
    return tables


def same(a, b):
    return np.array_equal(np.isneginf(a), np.isneginf(b)) and np.allclose(
        np.where(np.isneginf(a), 0, a), np.where(np.isneginf(b), 0, b), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(150))
def test_every_kernel_agrees_with_all_labellings_tried_one_by_one(seed, whole):
    rng = np.random.default_rng([seed, whole])
    tables = draw(rng, whole)
    scores = everything(tables)
    n, labels = tables["emission"].shape
    highest = max(scores.values())

    y, value = viterbi(**tables)
    assert same(value, highest) and (same(scores[tuple(y)], highest))

    truth = tuple(rng.integers(0, labels, n)) if seed % 3 else tuple(y.tolist())
    others = {other: each for other, each in scores.items() if other != truth}
    if others:
        y, value, own = best_rival(truth, **tables)
        assert same(own, scores[truth])
        assert same(value, max(others.values()))
        if value > -np.inf:
            assert tuple(y) != truth and same(scores[tuple(y)], value)

    for k in (1, 3, 40):
        found, values = k_best(k, **tables)
        allowed = sorted((each for each in scores.values() if each > -np.inf), reverse=True)[:k]
        assert len(found) == len(allowed) and same(values, allowed)
        assert len({tuple(each) for each in found}) == len(found)
        assert same([scores[tuple(each)] for each in found], values)

    wanted = np.full((n, labels), -np.inf)
    for other, each in scores.items():
        for t, k in enumerate(other):
            wanted[t, k] = max(wanted[t, k], each)
    assert same(max_marginals(**tables), wanted)


def test_ties_go_to_the_lowest_label_and_against_the_truth():
    flat = np.zeros((4, 3)), np.zeros((3, 3))
    assert viterbi(*flat)[0].tolist() == [0, 0, 0, 0]
    y, value, own = best_rival([0, 0, 0, 0], *flat)
    assert y.tolist() != [0, 0, 0, 0] and value == own == 0.0
    assert best_rival([1, 0, 2, 0], *flat)[1] == 0.0


def test_a_truth_that_is_the_only_labelling_has_no_rival():
    only = np.array([[-np.inf, 0.0], [0.0, -np.inf]])
    _, value, own = best_rival([0, 1, 0], np.zeros((3, 2)), only, start=[0.0, -np.inf])
    assert own == 0.0 and value == -np.inf
    assert k_best(5, np.zeros((3, 2)), only, start=[0.0, -np.inf])[0].tolist() == [[0, 1, 0]]


@given(st.integers(1, 9), st.integers(2, 30), st.booleans(), st.integers(0, 2**32 - 1))
def test_longer_chains_keep_their_order(n, labels, second, seed):
    """What brute force can't reach: the best is the first of the k best, the rival of the best the second one."""
    rng = np.random.default_rng(seed)
    tables = {"emission": rng.normal(size=(n, labels)), "pairs": rng.normal(size=(labels, labels))}
    if second:
        tables["triples"] = rng.normal(size=(labels, labels, labels))
    best, value = viterbi(**tables)
    found, values = k_best(2, **tables)
    assert best.tolist() == found[0].tolist() and np.isclose(value, values[0])
    y, second_value, own = best_rival(best, **tables)
    assert y.tolist() == found[1].tolist() and np.isclose(second_value, values[1]) and np.isclose(own, value)
    truth = rng.integers(0, labels, n)
    y, value, own = best_rival(truth, **tables)
    assert np.isclose(own, score(truth, **tables)) and np.isclose(value, score(y, **tables))
    assert np.allclose(max_marginals(**tables).max(axis=1), values[0])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("labels", [2, 3, 4, 7])
def test_compiled_and_interpreted_kernels_agree(order, labels):
    rng = np.random.default_rng(labels)
    tables = rng.integers(-3, 4, (6, labels)), rng.integers(-3, 4, (5, labels, labels))
    triples = rng.integers(-3, 4, (labels,) * 3) if order == 2 else None
    states = chain.make_lattice(*tables, triples=triples)
    shape, truth = states.local.shape, rng.integers(0, labels, 6).astype(np.int32)

    def run(pick):
        labelling, other = np.zeros(6, np.int32), np.zeros(6, np.int32)
        few, values, out = np.zeros((4, 6), np.int32), np.zeros(4), np.zeros((6, labels))
        first = pick(lattice.viterbi)(states, np.zeros(shape), labelling)
        second = pick(lattice.best_rival)(states, truth, np.zeros(shape), np.zeros(shape[0]), other)
        room = (*shape, 4)
        pick(lattice.k_best)(states, np.zeros(room), np.zeros(room, int), np.zeros(room, int), few, values)
        pick(lattice.max_marginals)(states, np.zeros(shape), np.zeros(shape), out)
        best = states.local.copy()
        pick(lattice.advance)(states, best, 1)
        place = pick(lattice.backpointer)(states, best, 1, 1)
        return labelling, other, few, values, out, best, np.array([first, *second, *place])

    for fast, slow in zip(run(lambda kernel: kernel), run(lambda kernel: kernel.py_func)):
        assert np.array_equal(fast, slow)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ((np.zeros((0, 2)), np.zeros((2, 2))), "expected one position"),
        ((np.zeros((3, 2)), np.zeros((3, 2))), "pairs: expected a table of 2 x 2, got a table of 3 x 2"),
        ((np.zeros((3, 2)), np.zeros((3, 2, 2))), "expected a table of 2 x 2 x 2, got a table of 3 x 2 x 2"),
        ((np.array([[0.0, np.nan]]), np.zeros((2, 2))), r"emission: .* got nan at \[0, 1\]"),
        ((np.zeros((3, 2)), np.full((2, 2), np.inf)), "pairs: .* got inf"),
        ((np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(3)), "start: expected a table of 2"),
    ],
)
def test_bad_tables_are_named(tables, message):
    with pytest.raises(ValueError, match=message):
        viterbi(*tables)


def test_a_bad_truth_or_k_is_named():
    tables = np.zeros((3, 2)), np.zeros((2, 2))
    for truth in ([0, 1], [0, 1, 2], [0, -1, 0]):
        with pytest.raises(ValueError, match=r"truth: expected 3 labels of 0 \.\.\. 1"):
            best_rival(truth, *tables)
    with pytest.raises(ValueError, match="k: expected 1 or more"):
        k_best(0, *tables)
