"""Labelled graphs small enough to try all labellings, with phi by its definition (E3)."""

import itertools

import numpy as np

from linsep.oracles.graphs import make_graphs
from linsep.oracles.networks import networks

K, NODE, EDGE = 3, 2, 2
SIZE = NODE * K + EDGE * K * K  # numbers in w


def phi(example, y):
    """phi by its definition."""
    nodes, edges, kinds = example
    node, pair = np.zeros((NODE, K)), np.zeros((EDGE, K, K))
    for v, x in enumerate(nodes):
        node[:, y[v]] += x
    for (u, v), x in zip(edges, kinds, strict=True):
        pair[:, y[u], y[v]] += x
    return np.concatenate([node.ravel(), pair.ravel()])


def labellings(example):
    """All labellings of a graph."""
    return list(itertools.product(range(K), repeat=len(example[0])))


def draw_graph(random, tree):
    """A graph of up to four nodes, a tree or any."""
    n = int(random.integers(1, 5))
    if tree:
        ends = [(v, int(random.integers(v))) for v in range(1, n)]
        ends = [(u, v) if random.random() < 0.5 else (v, u) for u, v in ends]
    else:
        ends = [(u, v) for u in range(n) for v in range(n) if u != v and random.random() < 0.5]
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return random.normal(size=(n, NODE)), edges, random.normal(size=(len(edges), EDGE))


def labelled_graphs(seed, tree, n=8, gap=0.3):
    """Graphs that some w labels right, with a lead of ``gap`` over all rivals."""
    random = np.random.default_rng(seed)
    w = random.normal(size=SIZE)
    X, y = [], []
    while len(X) < n:
        example = draw_graph(random, tree)
        scores = sorted(((w @ phi(example, other), other) for other in labellings(example)), reverse=True)
        if scores[0][0] - scores[1][0] > gap:
            X.append(example)
            y.append(np.array(scores[0][1]))
    return X, y


def make_oracle(X, y, engine="auto", **options):
    """The oracle of labelled graphs."""
    return networks(make_graphs(X, K, y), engine, **options)


def striped_pictures(n=12, seed=0):
    """Noisy stripes of two colours: pictures of 3 x 5 pixels, and their labels."""
    from linsep.estimators.graphs import grid

    random = np.random.default_rng(seed)
    y = [np.repeat(random.integers(0, 2, 3), 5).reshape(3, 5) for _ in range(n)]
    return [grid(labels + 0.6 * random.normal(size=labels.shape)) for labels in y], [labels.ravel() for labels in y]
