"""The best bias: half-way between the classes, where the errors are fewest, or where they are likely to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machine_cases import clouds

from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import classes, points
from linsep.rows.bias import likely_threshold, place_bias, threshold_of_fewest_errors
from linsep.rules import Increment
from linsep.targets import Margin


def soft_errors(cut, g, sign, weight):
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
    found = likely_threshold(*extra)
    best = min(soft_errors(cut, g, sign, weight) for cut in np.linspace(g.min() - 2, g.max() + 2, 40))
    assert soft_errors(found, g, sign, weight) <= best * (1 + 1e-9) + 1e-9
    assert likely_threshold(100 * g + 7, sign, weight) == pytest.approx(100 * found + 7, rel=1e-6, abs=1e-6)


def test_the_likely_threshold_is_nearer_to_the_best_than_that_of_the_fewest_errors():
    true, off = np.log(0.7 / 0.3) / 2, []  # where 0.3 p(g|1) = 0.7 p(g|-1)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        sign = np.where(rng.random(400) < 0.3, 1, -1).astype(np.int8)
        g = rng.normal(size=sign.size) + sign
        off.append([abs(cut(g, sign, np.zeros(0)) - true) for cut in (likely_threshold, threshold_of_fewest_errors)])
    ours, raw = np.mean(off, axis=0)
    assert ours < raw
    assert ours < 2 * 400 ** (-1 / 3)


def test_a_threshold_keeps_clear_of_heavy_rows():
    g, sign = np.array([0.0, 1.0, 1.9, 2.0, 2.5, 3.0]), np.array([-1, -1, -1, 1, 1, 1], dtype=np.int8)
    h = np.std([2.0, 2.5, 3.0]) * 3 ** (-1 / 3)
    for m in (1.0, 2.0):
        heavy = np.where(sign > 0, np.exp(m), 1.0)
        assert threshold_of_fewest_errors(g, sign, heavy) == 1.95
        assert likely_threshold(g, sign, heavy) == pytest.approx(2.0 - (1 + m) * h)


def test_of_many_rows_some_tell_the_likely_threshold(monkeypatch):
    """Every k-th row of each class, absent ones not counted: the same as if the others had not come."""
    rng = np.random.default_rng(3)
    sign = np.where(rng.random(4000) < 0.2, 1, -1)
    g = rng.normal(sign, 2.0)
    g[rng.random(4000) < 0.1] = np.nan
    weight = rng.integers(1, 4, 4000).astype(float)
    whole = likely_threshold(g, sign, weight)
    monkeypatch.setattr("linsep.rows.bias.ENOUGH", 100)
    sides = [np.flatnonzero((sign == side) & ~np.isnan(g)) for side in (-1, 1)]
    step = sides[1].size // 100
    assert step > 4
    some = np.concatenate([side[::step] for side in sides])
    found = likely_threshold(g, sign, weight)
    monkeypatch.setattr("linsep.rows.bias.ENOUGH", 4000)
    assert found == likely_threshold(g[some], sign[some], weight[some])
    assert whole == likely_threshold(g, sign, weight) and whole != found


def test_absent_rows_do_not_place_the_bias():
    # the cut with the fewest errors lies half-way between 1 and 4; an absent row may not come between
    X, sign = np.array([[0.0], [1.0], [4.0], [5.0], [-3.0], [9.0]]), np.array([-1, -1, 1, 1, 1, -1])
    w, weight = np.array([1.0, 0.0]), np.array([1.0, 1, 1, 1, 1, 1, 0, 0])
    expected = place_bias([points(X, sign)], w)
    assert expected[-1] == -2.5
    for dead in (0.0, 2.0, 3.5):
        more, signs = np.vstack([X, [[dead], [dead]]]), np.append(sign, [1, -1])
        assert place_bias([points(more, signs, weight)], w)[-1] == expected[-1]
    shifted = place_bias([points(X - 2.0, sign)], w)
    assert shifted[-1] == -0.5
    assert place_bias([points(np.vstack([X - 2.0, [[7.0]]]), np.append(sign, 1), weight[:-1])], w)[-1] == -0.5


def test_rows_of_one_class_leave_the_bias_alone():
    w = np.array([1.0, 0.5])
    assert place_bias([points(np.array([[1.0], [2.0]]), [1, 1])], w).tolist() == w.tolist()


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
        lead, cost, own = (score[:, k] - others)[counts], weight[counts], label[counts] == k
        heavier = np.log(cost[own].mean() / cost[~own].mean())
        h = np.zeros(len(lead))
        for side, more in ((own, heavier), (~own, -heavier)):
            share = cost[side] / cost[side].sum()
            spread = np.sqrt(share @ (lead[side] - share @ lead[side]) ** 2) * np.cbrt(share @ share)
            h[side] = spread * (1 + max(more, 0))

        places = np.linspace(-lead.max() - h.max(), -lead.min() + h.max(), 5000)
        side = np.where(own, 1, -1)
        costs = [
            cost @ np.clip(0.5 - side * (lead + move) / (2 * h), 0, 1) for move in (moved.w[k, -1] - W[k, -1], *places)
        ]
        assert costs[0] <= min(costs) + 0.01 * weight.sum() + 1e-9
        W[k, -1] = moved.w[k, -1]
