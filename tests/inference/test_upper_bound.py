"""Bounds: any messages give one, TRW-S never raises it, and claims hold in exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks_at_random import draw_network, list_labellings

from linsep.inference import solve
from linsep.inference.bound import label_losses, upper_bound
from linsep.inference.trws import MessagePassing, compute_shares


@given(st.integers(0, 2**32), st.floats(1e-3, 1e6))
def test_any_messages_give_a_bound_and_true_losses(seed, scale):
    random = np.random.default_rng(seed)
    network = draw_network(random, nodes=5).make_finite()
    messages = scale * random.normal(size=int(network.message_start[-1]))
    for share in (np.zeros(network.n_edges), compute_shares(network), -compute_shares(network)):
        if (share < 0).any() and not shares_fit(network, share):
            continue
        upper, error = upper_bound(network, messages, share)
        losses = label_losses(network, messages, share)
        for value, labels in list_labellings(network):
            assert value <= upper
            assert all(value <= upper + losses[network.unary_start[v] + k] + 4 * error for v, k in enumerate(labels))


def shares_fit(network, share):
    """Whether no node gives away more than its table."""
    given_away = np.bincount(network.tail, np.maximum(-share, 0.0), minlength=network.n_nodes)
    return (given_away + np.bincount(network.head, np.maximum(share, 0.0), minlength=network.n_nodes) <= 1.0).all()


@given(st.integers(0, 2**32))
def test_the_bound_of_trws_never_rises(seed):
    random = np.random.default_rng(seed)
    state = MessagePassing(draw_network(random, density=0.9))
    best, before = list_labellings(state.network)[0][0], math.inf
    for _ in range(8):
        state.run(1)
        upper, error = upper_bound(state.finite, state.messages, state.share)
        assert upper <= before + 4 * error
        assert state.upper >= best
        before = upper


@pytest.mark.parametrize("seed", range(48))
def test_claims_hold_in_exact_arithmetic(seed):
    """Magnitudes from 1e-8 to 1e8: bounds are above the best value, and optimal means within the rounding named."""
    random = np.random.default_rng(seed)
    kind = [{"tree": True}, {}, {"submodular": True}, {"two_labels": True}][seed % 4]
    network = draw_network(random, nodes=5, density=0.8, **kind)
    if seed % 3 == 0:
        sizes = 10.0 ** random.integers(-8, 9, network.unary.size), 10.0 ** random.integers(-8, 9)
        network = network._replace(unary=network.unary * sizes[0], pairwise=network.pairwise * sizes[1])
    elif seed % 3 == 1:
        network = network._replace(unary=1e8 * network.unary + 1e-8 * random.normal(size=network.unary.size))
    exact = {y: compute_exact_value(network, y) for value, y in list_labellings(network) if value > -math.inf}
    engines = ["elimination", "trws", "auto"] + ["forest"] * ("tree" in kind) + ["cut"] * ("submodular" in kind)
    for answer in (solve(network, engine) for engine in engines) if exact else ():
        best = max(exact.values())
        assert Fraction(answer.upper) >= best
        if answer.optimal:
            assert best - exact[tuple(answer.labels.tolist())] <= Fraction(answer.rounding)
        assert answer.rounding <= 1e-12 * network.magnitude()


def compute_exact_value(network, labels):
    """The value of a labelling without rounding."""
    entries = [network.node_table(v)[labels[v]] for v in range(network.n_nodes)]
    entries += [network.edge_table(e)[labels[u], labels[v]] for e, (u, v) in enumerate(network.edges)]
    return sum(map(Fraction, entries), Fraction(network.constant))
