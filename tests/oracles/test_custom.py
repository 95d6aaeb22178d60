"""Custom: a user's own phi and labels, by trying all of them, and the update log of rival labellings."""

import math

import numpy as np
import pytest
from chain_structures import LISTED, SIZE, best_rival, phi, sequences, words

from linsep.certificates.prove.labelling import LabellingProver
from linsep.loop.learn import learn
from linsep.loop.passes import trace
from linsep.loop.stop import Stop
from linsep.oracles.custom import Custom, UserFunctions
from linsep.oracles.update_log import Entries, merge_entries
from linsep.rules import Increment
from linsep.targets import Margin


@pytest.mark.parametrize("loss", [0.0, 0.7])
@pytest.mark.parametrize("found_by", ["labels", "rival"])
def test_the_oracle_finds_the_rival_that_trying_all_finds(loss, found_by):
    X, y = sequences(0)
    cost = lambda decision, truth: float(sum(3 * d + 1 for d, t in zip(decision, truth, strict=True) if d != t))  # noqa: E731

    def rival(w, x, truth):
        others = [other for other in words(x) if other != truth]
        return max(others, key=lambda other: w @ phi(x, other) + loss * cost(other, truth))

    functions = UserFunctions(phi, **({"labels": words} if found_by == "labels" else {"rival": rival}), cost=cost)
    part = Custom(X, y, functions, loss=loss)
    assert part.exact and part.size == SIZE
    rng = np.random.default_rng(1)
    for i, (x, truth) in enumerate(zip(X, y, strict=True)):
        w = rng.normal(size=SIZE)
        scores = {
            other: w @ (phi(x, truth) - phi(x, other)) - loss * cost(other, truth)
            for other in words(x)
            if other != truth
        }
        score, slot = part.lowest(w, i)
        assert score == pytest.approx(min(scores.values())) == pytest.approx(scores[part.rival_of(slot)])
        a = phi(x, truth) - phi(x, part.rival_of(slot))
        assert part.squared_norm(i, slot) == pytest.approx(a @ a)
        moved = w.copy()
        part.add(moved, i, slot, 0.5)
        assert moved == pytest.approx(w + 0.5 * a)


def test_an_argmax_finds_no_rival_where_the_truth_is_best():
    part = Custom([1.0, 2.0], [0, 1], UserFunctions(lambda x, k: x * np.eye(2)[k], argmax=lambda w, x: int(w.argmax())))
    assert not part.exact and part.norm_bound() == math.inf
    assert part.lowest(np.array([1.0, 0.0]), 0)[0] == math.inf
    assert part.lowest(np.array([1.0, 0.0]), 1)[0] == -2.0
    assert part.score_bounds(np.ones(2)).tolist() == [-math.inf]


def test_the_log_gives_back_what_was_recorded():
    X, y = sequences(0)
    part = Custom(X, y, LISTED)
    steps = list(trace([part], Margin(0.0), Increment(1.5), most=12))
    state = steps[-1][1]
    entries, weights = merge_entries(state.entries, state.dual_weights)
    prover = LabellingProver([part])
    assert weights @ prover.vectors(entries) == pytest.approx(state.weights)
    total, error = prover.combine(entries, weights)
    assert total == pytest.approx(state.weights) and 0 < error < 1e-12
    assert state.dual_weights.sum() == 1.5 * len(steps) == state.counters.total
    assert set(entries.example.tolist()) == {row for row, _ in steps}


def test_average_is_the_mean_of_all_w():
    X, y = sequences(7)
    w, total = np.zeros(SIZE), np.zeros(SIZE)
    for _ in range(3):
        for x, truth in zip(X, y, strict=True):
            a = phi(x, truth) - phi(x, best_rival(w, x, truth))
            w = w + a if w @ a <= 0 else w
            total += w
    found = learn([Custom(X, y, LISTED)], Margin(0.0), Increment(1.0), keep="average", stop=Stop(passes=3))
    assert np.allclose(found.w / np.linalg.norm(found.w), total / np.linalg.norm(total), rtol=1e-12)


def test_the_prover_counts_errors_by_weight():
    X, y = sequences(10)
    prover = LabellingProver([Custom(X, y, LISTED, weight=np.arange(8.0))])
    assert prover.errors(np.zeros(SIZE)) == 28.0


def test_equal_entries_are_merged():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 4, size=5)
    example = rng.integers(5, size=300)
    labels = [rng.integers(2, size=sizes[i]).astype(np.int32) for i in example]
    begin = np.concatenate([[0], np.cumsum([label.size for label in labels])])
    weights = rng.integers(1, 5, size=300).astype(float)
    merged, total = merge_entries([Entries(example, begin, np.concatenate(labels))], weights)
    wanted: dict = {}
    for i, label, weight in zip(example, labels, weights, strict=True):
        wanted[int(i), tuple(label)] = wanted.get((int(i), tuple(label)), 0.0) + weight
    cut = zip(merged.example, merged.begin[:-1], merged.begin[1:], strict=True)
    found = {(int(i), tuple(merged.label[b:e])): t for (i, b, e), t in zip(cut, total, strict=True)}
    assert found == wanted
