"""Certificates of labellings (E4): every rule and target is proved by Custom and Networks, and forgeries are caught."""

import math
from dataclasses import replace
from functools import cache

import chain_structures as chains
import graph_structures as graphs
import numpy as np
import pytest
from loop_cases import interpreted

from linsep.certificates.check.labelling import Listed
from linsep.certificates.check.networks import NetworkStructure, best_value
from linsep.certificates.prove import labelling
from linsep.inference import Network, elimination
from linsep.interrupt import TooLate
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles.custom import Custom
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

WAYS = [
    (Margin(0.0), Increment(1.0), False),
    (Margin(0.0), Increment(1.0), True),
    (Margin(0.5), Increment(1.0, 0.5), False),
    (Margin(0.0), Scheduled(lambda k: 1 / k), False),
    (Margin(1.0), Relaxation(1.5), False),
    (Margin(1.0), Relaxation(1.5), True),
    (Margin(0.0), Nearest(), False),
    (EpsOptimal(0.0, 0.1), Nearest(), False),
    (EpsOptimal(0.0, 0.1), Nearest(), True),
    (EpsOptimal(0.05), Increment(1.0), False),
]
STOP = Stop(passes=5000)
ids = [
    f"{type(target).__name__}-{type(rule).__name__}-{'batch' if batch else 'single'}" for target, rule, batch in WAYS
]


@cache
def best_margin(seed):
    A = chains.all_vectors(*chains.sequences(seed))
    return A, chains.largest_margin_listed(A)


@pytest.mark.parametrize(("target", "rule", "batch"), WAYS, ids=ids)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_every_rule_learns_labellings_and_proves_it(target, rule, batch, seed):
    X, y = chains.sequences(seed)
    result = learn([Custom(X, y, chains.LISTED)], target, rule, batch=batch, stop=STOP)
    A, best = best_margin(seed)
    w, found = result.w, result.certificate
    assert found.separates, str(found)
    assert found.lower == pytest.approx((A @ w).min() / np.linalg.norm(w), rel=1e-9)
    assert found.lower <= best * (1 + 1e-7) and best <= found.upper * (1 + 1e-7)
    verdict = found.check(Listed(X, y, chains.phi, chains.words))
    assert verdict, str(verdict)


@pytest.mark.parametrize(("target", "rule", "batch"), WAYS, ids=ids)
@pytest.mark.parametrize("engine", ["forest", pytest.param("elimination", marks=pytest.mark.long), "trws"])
def test_every_rule_learns_networks_and_proves_it(target, rule, batch, engine):
    X, y = graphs.labelled_graphs(0, tree=True, n=6)
    with interpreted():
        found = learn([graphs.make_oracle(X, y, engine)], target, rule, batch=batch, stop=STOP).certificate
    structure = graphs_structure(X, y)
    verdict = found.check(structure)
    assert verdict, str(verdict)
    assert found.sound == (engine != "trws")
    assert found.separates or not found.sound
    assert found.lower <= found.upper


def graphs_structure(X, y):
    return NetworkStructure(X, y, graphs.K)


def test_an_inexact_engine_says_so_and_still_proves_what_bounds_allow():
    X, y = graphs.labelled_graphs(3, tree=False, n=10)
    part = graphs.make_oracle(X, y, "trws")
    with interpreted():
        found = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=2000), keep="average").certificate
    assert not part.exact and not found.sound
    assert found.status in ("separated", "not proved")
    assert found.check(graphs_structure(X, y)), str(found.check(graphs_structure(X, y)))


@pytest.mark.parametrize("seed", range(20))
def test_the_slow_elimination_of_the_check_is_right(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 6))
    ends = np.array([(u, v) for u in range(n) for v in range(n) if u != v and random.random() < 0.4]).reshape(-1, 2)
    node, pair = random.normal(size=(n, 3)), random.normal(size=(len(ends), 3, 3))
    network = Network.from_tables(node, ends.astype(int), pair)
    assert best_value(node, ends, pair) == pytest.approx(elimination(network).value)


# --- what is not true ------------------------------------------------------------------------------------------------


@cache
def honest():
    X, y = chains.sequences(3)
    found = learn([Custom(X, y, chains.LISTED)], EpsOptimal(0.0, 0.1), Nearest(), stop=STOP).certificate
    assert found.status == "eps-optimal"
    return found, Listed(X, y, chains.phi, chains.words)


TAMPERED = {
    "w turned round": lambda c: {"w": -c.w},
    "w too short": lambda c: {"w": c.w[:-1]},
    "w not a number": lambda c: {"w": c.w * np.nan},
    "lower more": lambda c: {"lower": c.lower * 1.001},
    "lower less": lambda c: {"lower": c.lower * 0.5},
    "upper less": lambda c: {"upper": c.upper * 0.999},
    "upper more": lambda c: {"upper": c.upper * 1.5},
    "optimal": lambda c: {"status": "optimal"},
    "not separable": lambda c: {"status": "not separable", "zero_sum": True},
    "budget spent": lambda c: {"status": "budget spent"},
    "violated": lambda c: {"violated": 1},
    "size": lambda c: {"size": c.size + 1},
    "longest": lambda c: {"longest": c.longest * 0.5},
    "novikoff": lambda c: {"novikoff": c.novikoff * 0.5},
    "novikoff infinite": lambda c: {"novikoff": math.inf},
    "weights turned round": lambda c: {"weights": c.weights[::-1].copy()},
    "weights negative": lambda c: {"weights": -c.weights},
    "weights too few": lambda c: {"weights": c.weights[:-1]},
    "other rows": lambda c: {"rows": c.rows + 1},
    "rows that do not exist": lambda c: {"rows": np.zeros_like(c.rows) + 99},
    "rivals turned round": lambda c: {"rivals": c.rivals[::-1].copy()},
    "begins too few": lambda c: {"begins": c.begins[:-1]},
    "begins turned round": lambda c: {"begins": c.begins[::-1].copy()},
    "labellings turned round": lambda c: {"labellings": tuple(reversed(c.labellings))},
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_changed_certificate_is_caught(change):
    found, structure = honest()
    assert found.check(structure)
    assert not replace(found, **TAMPERED[change](found)).check(structure)


def test_the_proof_names_examples_rivals_and_weights():
    found, structure = honest()
    total = sum(weight * (structure.phi(i, structure.truth(i)) - structure.phi(i, y)) for i, y, weight in found.proof())
    assert np.linalg.norm(total) / found.weights.sum() == pytest.approx(found.upper, rel=1e-9)


# --- without time ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slow", ["merge_entries", "combine"])
def test_without_time_for_the_sum_one_vector_bounds_the_margin(slow, monkeypatch):
    X, y = chains.sequences(0)
    oracle, merge, combine = Custom(X, y, chains.LISTED), labelling.merge_entries, labelling.LabellingProver.combine

    def late(work, count):
        if count > 1:
            raise TooLate
        return work()

    monkeypatch.setattr(
        *{
            "merge_entries": (labelling, slow, lambda some, dual: late(lambda: merge(some, dual), len(some))),
            "combine": (
                labelling.LabellingProver, slow, lambda self, some, v: late(lambda: combine(self, some, v), v.size)
            ),
        }[slow]
    )  # fmt: skip
    found = learn([oracle], Margin(0.3), Relaxation(1.3), stop=Stop(passes=3)).certificate
    assert found.rows.size == 1 and found.upper < math.inf
    assert found.check(Listed(X, y, chains.phi, chains.words))


def test_a_sum_is_the_same_in_pieces(monkeypatch):
    X, y = chains.sequences(0)
    oracle = Custom(X, y, chains.LISTED)
    result = learn([oracle], Margin(0.3), Increment(1.0), stop=STOP)
    prover = labelling.LabellingProver([oracle])
    entries, weights = labelling.merge_entries(result.state.entries, result.state.dual_weights)
    whole, error = prover.combine(entries, weights)
    assert weights.size > 3 and np.allclose(whole, result.state.w, rtol=1e-12)
    for first, most in ((1, 1), (2, 1), (1, 40)):
        monkeypatch.setattr(labelling, "FIRST", first)
        monkeypatch.setattr(labelling, "AT_ONCE", most)
        part, error_of_part = prover.combine(entries, weights)
        assert np.allclose(part, whole, rtol=1e-14) and error_of_part == pytest.approx(error)
