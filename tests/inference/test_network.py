"""Networks from tables: edges that are merged or reversed, values, and input that is refused."""

import numpy as np
import pytest

from linsep.inference import Answer, Network


def test_parallel_edges_add_and_reversed_ones_are_transposed():
    table = np.arange(6.0).reshape(2, 3)
    network = Network.from_tables([[0.0, 0.0], [0.0, 0.0, 0.0]], [(0, 1), (1, 0)], [table, 10 * table.T])
    assert network.n_edges == 1 and (network.edge_table(0) == 11 * table).all()
    shared = Network.from_tables(np.zeros((3, 2)), [(1, 0), (1, 2)], [[0.0, 1.0], [2.0, 3.0]])
    assert shared.value([0, 1, 0]) == 2.0 + 2.0 and shared.value([1, 0, 1]) == 1.0 + 1.0


def test_a_finite_network_never_prefers_what_was_forbidden():
    network = Network.from_tables([[5.0, -np.inf], [-np.inf, 1.0]], [(0, 1)], [[-3.0, -np.inf], [9.0, 9.0]])
    finite = network.make_finite()
    assert np.isfinite(finite.unary).all() and np.isfinite(finite.pairwise).all()
    assert finite.value([0, 1]) < -network.magnitude() <= 5.0 + 1.0 - 9.0
    assert Network.from_tables([[1.0, 2.0]]).make_finite().unary.tolist() == [1.0, 2.0]


def test_a_restricted_node_keeps_the_allowed_labels():
    network = Network.from_tables(np.ones((2, 3))).restrict_node(1, [True, False, True])
    assert network.unary.tolist() == [1.0, 1.0, 1.0, 1.0, -np.inf, 1.0]


def test_an_answer_whose_bound_is_below_its_value_is_refused():
    with pytest.raises(RuntimeError, match="a bug"):
        Answer(np.zeros(1), 2.0, 1.0, "wrong", 0.0, 1e-9)


@pytest.mark.parametrize(
    ("unary", "edges", "tables", "message"),
    [
        (np.zeros((3, 2)), [(0, 3)], np.eye(2), r"expected nodes 0 ... 2, got edge 0 = \(0, 3\)"),
        (np.zeros((3, 2)), [(0, 1), (-1, 1)], np.eye(2), r"expected nodes 0 ... 2, got edge 1 = \(-1, 1\)"),
        (np.zeros((3, 2)), [(0, 1), (2, 2)], np.eye(2), r"expected two different nodes, got edge 1 = \(2, 2\)"),
        (np.zeros((3, 2)), [(0.5, 1)], np.eye(2), "edges: expected pairs of integers, got float64"),
        (np.zeros((3, 2)), [(0, 1, 2)], np.eye(2), r"edges: expected shape \(n_edges, 2\), got \(1, 3\)"),
        (np.zeros((3, 2)), [(0, 1)], np.eye(3), r"expected shape \(2, 2\) for edge 0 = \(0, 1\), got \(3, 3\)"),
        (np.zeros((3, 2)), [(0, 1)], [np.eye(2), np.eye(2)], "expected one table for each of the 1 edges, got 2"),
        (np.zeros((3, 2)), [(0, 1)], [[np.nan, 0], [0, 0]], "for edge 0, got NaN"),
        (np.array([[0.0, 1.0], [np.nan, 0.0]]), [], [], "for node 1, got nan"),
        (np.array([[0.0, np.inf]]), [], [], "for node 0, got inf"),
        ([[0.0], []], [], [], "expected at least one label of node 1"),
        ([], [], [], "expected at least one node"),
        ([[[0.0]]], [], [], "expected a vector for node 0"),
    ],
)
def test_bad_networks_are_refused_by_name(unary, edges, tables, message):
    with pytest.raises(ValueError, match=message):
        Network.from_tables(unary, edges, tables)


def test_a_constant_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="constant: expected a finite number, got nan"):
        Network.from_tables([[0.0]], constant=float("nan"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], r"one label per node, shape \(2,\), got \(1,\)"),
        ([0, 2], r"label 0 ... 1 of node 1, got 2"),
        ([0.0, 1.0], "expected integers"),
        ([-1, 0], "of node 0, got -1"),
    ],
)
def test_bad_labellings_are_refused_by_name(labels, message):
    with pytest.raises(ValueError, match=message):
        Network.from_tables(np.zeros((2, 2))).value(labels)
