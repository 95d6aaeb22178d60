"""Proofs that labellings are not separable: whole numbers and exact vectors; real-valued features included."""

from dataclasses import replace

import numpy as np
import pytest

from linsep import NetworkClassifier, SequenceClassifier
from linsep.certificates.prove.whole_weights import find_whole_weights, sums_to_zero, whole_columns


def contradiction(seed, kind):
    """Two sequences, or graphs, in one: their features are sums that no float holds, and their labels differ."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 2, 2)) * 10.0 ** random.integers(-3, 4, size=2)
    X = [np.vstack([a, b]), np.vstack([a[::-1], b]), np.vstack([a, b])]
    y = [[0, 1, 0, 1], [1, 0, 0, 1], [1, 1, 0, 0]]
    path = np.array([[0, 1], [1, 2], [2, 3]])
    return (X, y) if kind == "sequences" else ([(x, path) for x in X], y)


@pytest.mark.parametrize("rule", ["perceptron", "kozinec", "maximum margin"])
@pytest.mark.parametrize("kind", ["sequences", "networks"])
@pytest.mark.parametrize("seed", range(4))
def test_a_contradiction_of_real_numbers_is_proved_and_checked(seed, kind, rule):
    X, y = contradiction(seed, kind)
    make = SequenceClassifier if kind == "sequences" else NetworkClassifier
    found = make(rule=rule, max_iter=50, keep="auto", random_state=0).fit(X, y)
    claim = found.certificate_
    verdict = found.check(X, y)
    assert verdict, str(verdict)
    assert bool(claim.integers) == (claim.status == "not separable")
    if not claim.integers:  # rules of the loop may not find the proof within their budget
        assert rule != "maximum margin" and claim.status == "budget spent"
        return
    heavier = (claim.integers[0] + 1, *claim.integers[1:])
    for forged in (
        replace(claim, integers=heavier, weights=np.array(heavier, dtype=float)),
        replace(claim, integers=(), weights=claim.weights * (1 + 1e-9 * np.arange(claim.weights.size))),
        replace(claim, integers=claim.integers[:-1]),
    ):
        found.certificate_ = forged
        assert not found.check(X, y), str(forged)


@pytest.mark.parametrize("seed", range(20))
def test_whole_weights_sum_to_zero_or_there_are_none(seed):
    random = np.random.default_rng(seed)
    count, width = int(random.integers(2, 9)), int(random.integers(1, 6))
    A = random.normal(size=(count, width)) * 10.0 ** random.integers(-8, 9, size=width)
    vector, index = np.divmod(np.arange(A.size), width)
    columns = whole_columns(vector, index, A.ravel(), count)
    found = find_whole_weights(columns, np.ones(count))
    if found is None:
        from scipy.optimize import linprog

        inside = linprog(np.zeros(count), A_eq=np.vstack([(A / np.abs(A).max(axis=0)).T, np.ones(count)]),
                         b_eq=np.append(np.zeros(width), 1.0))  # fmt: skip
        assert inside.status == 2  # 0 is not in the hull
    else:
        assert min(found) >= 0 and max(found) > 0 and sums_to_zero(columns, found)
