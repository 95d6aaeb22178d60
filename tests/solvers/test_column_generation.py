"""The largest margin over labellings: against a solver that lists all vectors, and a linear programme (C10, E4)."""

from dataclasses import replace
from fractions import Fraction

import chain_structures as chains
import graph_structures as graphs
import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from stages import examples

from linsep import NetworkClassifier, SequenceClassifier
from linsep.certificates.check.labelling import Listed
from linsep.certificates.check.networks import NetworkStructure
from linsep.certificates.check.sequences import SequenceStructure
from linsep.loop.learn import learn
from linsep.loop.passes import trace
from linsep.loop.stop import Stop
from linsep.oracles.custom import Custom, UserFunctions
from linsep.rules import Increment, Nearest
from linsep.solvers.column_generation import largest_margin
from linsep.targets import EpsOptimal, Margin


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_margin_is_that_of_a_solver_that_lists_all(seed):
    X, y = chains.sequences(seed)
    part, A = Custom(X, y, chains.LISTED), chains.all_vectors(X, y)
    found = largest_margin(part)
    assert found.status == "optimal"
    assert found.upper - found.lower <= 1e-9 * found.upper
    assert found.lower == pytest.approx(chains.largest_margin_listed(A), rel=1e-6)
    assert found.check(Listed(X, y, chains.phi, chains.words))
    loop = learn([part], EpsOptimal(0.0, 0.1), Nearest(), stop=Stop(passes=5000)).certificate
    assert loop.lower <= found.upper and found.lower <= loop.upper
    longest = np.linalg.norm(A, axis=1).max()
    assert found.longest == pytest.approx(longest, rel=1e-12)
    updates = len(list(trace([part], Margin(0.0), Increment(1.0))))
    assert updates <= found.novikoff == pytest.approx((longest / found.lower) ** 2, rel=1e-9)


def test_labellings_that_no_w_gets_right_are_proved_not_separable():
    X, y = chains.contradicting(0)
    found = largest_margin(Custom(X, y, chains.LISTED))
    assert found.separable is False and found.exact
    assert found.check(Listed(X, y, chains.phi, chains.words))
    assert "not separable" in str(found).lower()


@examples(40)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 2)), min_size=1, max_size=6))
def test_separability_is_decided_as_a_linear_programme_decides_it(rows):
    """Integers: ties, touching hulls and zero vectors are the rule here."""
    X, y = [np.array(row[:2], dtype=float) for row in rows], [row[2] for row in rows]

    def features(x, k):
        return np.kron(np.eye(3)[k], x)

    part = Custom(X, y, UserFunctions(features, labels=lambda x: range(3)))
    A = np.array([features(x, t) - features(x, k) for x, t in zip(X, y, strict=True) for k in range(3) if k != t])
    found = largest_margin(part)
    assert found.separable is reference.separable(A), str(found)
    assert found.check(Listed(X, y, features, lambda x: range(3)))


@pytest.mark.parametrize("seed", range(4))
def test_trees_are_learned_within_the_bound_and_certified(seed):
    X, y = graphs.labelled_graphs(seed, tree=True)
    part, structure = graphs.make_oracle(X, y), NetworkStructure(X, y, graphs.K)
    result = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=2000))
    updates = len(list(trace([part], Margin(0.0), Increment(1.0))))
    best = largest_margin(part)
    assert result.certificate.status == "separated" and result.certificate.sound
    assert result.certificate.check(structure), str(result.certificate.check(structure))
    assert best.status == "optimal" and best.check(structure)
    assert updates <= best.novikoff
    assert result.certificate.lower <= best.upper and best.lower <= result.certificate.upper


def test_an_inexact_oracle_is_refused():
    with pytest.raises(ValueError, match="expected an exact oracle"):
        largest_margin(graphs.make_oracle(*graphs.labelled_graphs(3, tree=False), "trws"))


# --- real-valued features: sums of them are rounded, proofs are not --------------------------------------------------


def noisy_sequences(seed):
    """Sequences of real-valued features, with labels that no w gives in about half of the problems."""
    rng = np.random.default_rng(seed)
    K, d = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    X = [rng.normal(size=(int(rng.integers(1, 6)), d)) * 10.0 ** rng.integers(0, 3) for _ in range(rng.integers(3, 12))]
    W, noise = rng.normal(size=(K, d)), rng.choice([0.0, 0.3])
    y = [np.where(rng.random(len(x)) < noise, rng.integers(0, K, len(x)), np.argmax(x @ W.T, axis=1)) for x in X]
    y[0][0], y[1][0] = 0, 1
    return X, [labels.tolist() for labels in y]


@pytest.mark.parametrize("order", [1, 2])
def test_no_claim_about_real_valued_sequences_is_refused_by_the_check(order):
    statuses = set()
    for seed in range(30):
        X, y = noisy_sequences(seed)
        rule = SequenceClassifier(rule="maximum margin", order=order).fit(X, y)
        assert rule.check(X, y), f"{seed}: {rule.check(X, y)}"
        assert rule.certificate_.proved, f"{seed}: {rule.certificate_}"
        statuses.add(str(rule.certificate_.status))
    assert {"optimal", "not separable"} <= statuses


def test_no_claim_about_real_valued_networks_is_refused_by_the_check():
    statuses = set()
    for seed in range(20):
        X, y = graphs.labelled_graphs(seed, tree=True)
        rng = np.random.default_rng(seed)
        X = [(3 * nodes + rng.normal(size=nodes.shape), edges, kinds) for nodes, edges, kinds in X]
        y = [np.where(rng.random(len(labels)) < 0.5, rng.integers(0, graphs.K, len(labels)), labels) for labels in y]
        rule = NetworkClassifier(engine="elimination", rule="maximum margin").fit(X, y)
        assert rule.check(X, y) and rule.certificate_.proved, f"{seed}: {rule.certificate_} {rule.check(X, y)}"
        statuses.add(str(rule.certificate_.status))
    assert "not separable" in statuses


def test_a_forged_proof_about_rounded_vectors_is_refused():
    """0.1 + 0.2 - 0.3 is 0 for no float, and 1e16 + 1 - 1e16 is for floats only."""
    X, y = [np.array([[1e16], [1.0], [-1e16]])], [[0, 0, 0]]
    structure = SequenceStructure(X, y, K=2, features=1)
    assert sum(Fraction(value) for index, value in structure.terms(0, [0, 0, 0]) if index == 0) == 1
    assert structure.phi(0, [0, 0, 0])[0] == 0.0
    found = largest_margin(Custom([1.0], [0], UserFunctions(lambda x, k: np.zeros(2), labels=lambda x: range(2))))
    assert found.status == "not separable"
    forged = replace(
        found, w=np.zeros(structure.size), rivals=np.array([1, 1, 1]), begins=np.array([0, 3]), labellings=()
    )
    assert "sum to zero is claimed, but not so" in str(forged.check(structure))
