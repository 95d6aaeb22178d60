"""Labelled graphs as input: checked, with errors that name the example; pictures and networkx graphs as graphs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..oracles.validation import first_unusable, say_unusable
from ..validation import require_list

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # right, down, and both diagonals


def grid(picture, *, neighbours: int = 4, radius: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A picture as a graph: one node per pixel, one edge per pair of neighbours.

    `NetworkClassifier` takes the result as an example; ``Network.from_tables(tables of the nodes, edges, table)`` makes
    a network of it, as docs/networks.md shows.

    Parameters
    ----------
    picture : array of shape (height, width) or (height, width, n_channels)
        The pixels.
    neighbours : {4, 8}, default=4
        Of a pixel: those beside, above and below it, or the diagonal ones too.
    radius : int, default=0
        r > 0 gives a node the pixels of the (2r + 1) x (2r + 1) square around it, zero outside the picture.

    Returns
    -------
    nodes : array of shape (height * width, n_features)
        The features of the pixels, row by row.
    edges : array of shape (n_edges, 2)
        Pairs of nodes.
    kinds : array of shape (n_edges, neighbours / 2)
        The features of the edges: 1 in the column of their direction (right, down and, of 8, the two diagonals).

    Examples
    --------
    >>> nodes, edges, kinds = grid([[1, 2], [3, 4]])
    >>> nodes.ravel().tolist(), edges.tolist(), kinds.tolist()
    ([1.0, 2.0, 3.0, 4.0], [[0, 1], [2, 3], [0, 2], [1, 3]], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    """
    pixels = np.asarray(picture, dtype=np.float64)
    if pixels.ndim not in (2, 3) or pixels.size == 0:
        raise ValueError(f"grid: expected height x width or height x width x channels, got {pixels.shape}.")
    if neighbours not in (4, 8):
        raise ValueError(f"grid: expected 4 or 8 neighbours, got {neighbours}.")
    height, width = pixels.shape[:2]
    pixels = pixels.reshape(height, width, -1)
    cell = np.arange(height * width).reshape(height, width)
    edges, kinds = [], []
    for kind, (down, right) in enumerate(DIRECTIONS[: neighbours // 2]):
        one = cell[: height - down, max(-right, 0) : width - max(right, 0)]
        other = cell[down:, max(right, 0) : width - max(-right, 0)]
        edges.append(np.stack([one.ravel(), other.ravel()], axis=1))
        kinds.append(np.full(one.size, kind))
    around = np.pad(pixels, ((radius, radius), (radius, radius), (0, 0)))
    side = range(2 * radius + 1)
    nodes = np.concatenate([around[r : r + height, c : c + width] for r in side for c in side], axis=2)
    return nodes.reshape(height * width, -1), np.concatenate(edges), np.eye(neighbours // 2)[np.concatenate(kinds)]


def from_networkx(graph: Any, node: str = "x", edge: str | None = None) -> tuple:
    """A networkx graph as an example: node features are the attribute ``node``, edge features ``edge`` if given.

    Nodes are numbered in the order of ``graph.nodes``. Any object with the same ``nodes`` and ``edges`` will do.
    """
    names: dict[Hashable, int] = {name: v for v, name in enumerate(graph.nodes)}
    rows = []
    for name, attributes in graph.nodes(data=True):
        if node not in attributes:
            raise ValueError(f"from_networkx: node {name!r} has no attribute {node!r}.")
        rows.append(np.atleast_1d(np.asarray(attributes[node], dtype=np.float64)))
    ends = np.array([(names[u], names[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
    if edge is None:
        return np.stack(rows), ends
    kinds = []
    for u, v, attributes in graph.edges(data=True):
        if edge not in attributes:
            raise ValueError(f"from_networkx: edge {u!r} - {v!r} has no attribute {edge!r}.")
        kinds.append(np.atleast_1d(np.asarray(attributes[edge], dtype=np.float64)))
    return np.stack(rows), ends, np.stack(kinds)


def check_graphs(X: Sequence, bias: bool, widths: tuple[int, int] | None = None) -> list[tuple]:
    """Examples as (node features, edges, edge features), float64 and int64, a constant column added to nodes."""
    require_list(X, "X", "graphs")
    if len(X) == 0:
        raise ValueError("X is empty: there is no graph to learn from or to label.")
    out: list[tuple] = []
    for i, example in enumerate(X):
        if not isinstance(example, tuple | list) or len(example) not in (2, 3):
            raise ValueError(f"X[{i}]: expected (node features, edges) or (node features, edges, edge features).")
        nodes = _check_matrix(example[0], f"X[{i}]: node features")
        if len(nodes) == 0:
            raise ValueError(f"X[{i}]: the graph has no node.")
        edges = _check_edges(example[1], len(nodes), i)
        kinds = np.ones((len(edges), 1)) if len(example) == 2 else _check_matrix(example[2], f"X[{i}]: edge features")
        if len(kinds) != len(edges):
            raise ValueError(f"X[{i}]: expected features of {len(edges)} edges, got {len(kinds)}.")
        if bias:
            nodes = np.hstack([nodes, np.ones((len(nodes), 1))])
        out.append((nodes, edges, kinds))
    if widths is None:
        linked = next((kinds for _, edges, kinds in out if len(edges)), out[0][2])
        widths = out[0][0].shape[1], linked.shape[1]
    return [_check_widths(i, example, widths, bias) for i, example in enumerate(out)]


def _check_widths(i: int, example: tuple, widths: tuple[int, int], bias: bool) -> tuple:
    """The example if it has as many features as others; a graph without edges has features of none."""
    nodes, edges, kinds = example
    if len(edges) == 0:
        kinds = np.zeros((0, widths[1]))
    if nodes.shape[1] != widths[0]:
        raise ValueError(
            f"X[{i}]: expected {widths[0] - bias} node features as in others, got {nodes.shape[1] - bias}."
        )
    if kinds.shape[1] != widths[1]:
        raise ValueError(f"X[{i}]: expected {widths[1]} edge features as in others, got {kinds.shape[1]}.")
    return nodes, edges, kinds


def _check_matrix(found: Any, name: str) -> np.ndarray:
    """A matrix of finite numbers."""
    try:
        matrix = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a matrix of numbers.") from None
    if matrix.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, got an array of shape {matrix.shape}.")
    bad = first_unusable(matrix)
    if bad >= 0:
        row, column = divmod(bad, matrix.shape[1])
        raise ValueError(f"{name}: row {row}, column {column}: {say_unusable(matrix[row, column])}")
    return matrix


def _check_edges(found: Any, n: int, i: int) -> np.ndarray:
    """The edges, checked."""
    ends = np.asarray(found)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or not np.issubdtype(ends.dtype, np.integer):
        raise ValueError(f"X[{i}]: expected edges as pairs of integers, got {ends.dtype} of shape {ends.shape}.")
    wrong = np.flatnonzero(((ends < 0) | (ends >= n)).any(axis=1))
    if wrong.size:
        u, v = ends[wrong[0]]
        raise ValueError(f"X[{i}]: edge {wrong[0]} = ({u}, {v}) is out of range, the nodes are 0 ... {n - 1}.")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if loops.size:
        raise ValueError(f"X[{i}]: edge {loops[0]} = ({ends[loops[0], 0]}, {ends[loops[0], 0]}) is a loop.")
    return ends.astype(np.int64)


def check_labels(y: Sequence, graphs: Sequence[tuple]) -> list[np.ndarray]:
    """The labels of every example, as many as it has nodes."""
    require_list(y, "y", "labellings")
    if len(y) != len(graphs):
        raise ValueError(f"y: expected {len(graphs)} labellings, one per graph, got {len(y)}.")
    out = []
    for i, (labels, (nodes, _, _)) in enumerate(zip(y, graphs, strict=True)):
        labels = np.asarray(labels).ravel()
        if labels.size != len(nodes):
            raise ValueError(f"y[{i}]: expected {len(nodes)} labels, one per node, got {labels.size}.")
        if np.issubdtype(labels.dtype, np.floating) and not np.isfinite(labels).all():
            raise ValueError(f"y[{i}]: a label is NaN or infinite.")
        out.append(labels)
    return out


def number_labels(labels: Sequence[np.ndarray], classes: np.ndarray) -> list[np.ndarray]:
    """Labels as numbers 0, 1, ... of ``classes``, which are sorted."""
    out = []
    for i, some in enumerate(labels):
        at = np.minimum(np.searchsorted(classes, some), classes.size - 1)
        unknown = np.flatnonzero(classes[at] != some)
        if unknown.size:
            got = some[unknown[0]].item()
            raise ValueError(f"y[{i}]: expected labels of {classes.tolist()}, got {got!r} at node {unknown[0]}.")
        out.append(at.astype(np.int64))
    return out
