"""Graphs as input: pictures, and networkx graphs."""

import networkx
import numpy as np
import pytest

from linsep.estimators.graphs import from_networkx, grid


def test_grids_know_their_directions_and_surroundings():
    picture = np.arange(6).reshape(2, 3)
    nodes, edges, kinds = grid(picture, neighbours=8, radius=1)
    assert nodes.shape == (6, 9) and nodes[4].tolist() == [0, 1, 2, 3, 4, 5, 0, 0, 0]
    step = {0: (0, 1), 1: (1, 0), 2: (1, 1), 3: (1, -1)}
    for (u, v), kind in zip(edges, kinds, strict=True):
        assert (v // 3 - u // 3, v % 3 - u % 3) == step[int(np.argmax(kind))] and kind.sum() == 1
    assert len(edges) == 4 + 3 + 2 + 2
    assert grid(np.zeros((2, 2, 3)))[0].shape == (4, 3)
    with pytest.raises(ValueError, match=r"grid: expected height x width or height x width x channels, got \(4,\)"):
        grid(np.zeros(4))
    with pytest.raises(ValueError, match="grid: expected 4 or 8 neighbours, got 6"):
        grid(picture, neighbours=6)


def test_networkx_graphs_become_examples():
    graph = networkx.path_graph(["a", "b", "c"])
    for name in graph.nodes:
        graph.nodes[name]["x"] = [float(ord(name))]
    for u, v in graph.edges:
        graph.edges[u, v]["kind"] = 2.0
    nodes, edges, kinds = from_networkx(graph, edge="kind")
    assert nodes.ravel().tolist() == [97.0, 98.0, 99.0]
    assert edges.tolist() == [[0, 1], [1, 2]] and kinds.tolist() == [[2.0], [2.0]]
    assert len(from_networkx(graph)) == 2
    with pytest.raises(ValueError, match="node 'a' has no attribute 'colour'"):
        from_networkx(graph, node="colour")
    with pytest.raises(ValueError, match="edge 'a' - 'b' has no attribute 'weight'"):
        from_networkx(graph, edge="weight")
