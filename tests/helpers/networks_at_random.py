"""Small random networks, and all their labellings."""

import itertools
import math

import numpy as np

from linsep.inference import Network


def list_labellings(network):
    """All values, best first, with their labellings."""
    choices = itertools.product(*(range(count) for count in network.n_labels))
    return sorted(((network.value(np.array(y)), y) for y in choices), reverse=True)


def is_close(found, expected):
    """Equal except for rounding; minus infinity equals itself."""
    return found == expected or math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-11)


def draw_numbers(random, ties, *shape):
    """Normal numbers, or small integers, of which many are equal."""
    return random.integers(-2, 3, shape).astype(float) if ties else random.normal(size=shape)


def draw_network(random, nodes=6, density=0.5, tree=False, two_labels=False, submodular=False):
    """A network of up to ``nodes`` nodes; half of them with ties, a third with a forbidden pair.

    ``tree``: without cycles; ``submodular``: two labels, and edges prefer equal ones, or can be made to.
    """
    n = int(random.integers(1, nodes + 1))
    labels = np.full(n, 2) if two_labels or submodular else random.integers(1, 4, n)
    walk = random.permutation(n)
    if tree:
        edges = [(walk[v], walk[random.integers(v)]) for v in range(1, n) if random.random() < 0.8]
    else:
        edges = [(u, v) for u in range(n) for v in range(n) if u != v and random.random() < density / 2]
    ties = random.random() < 0.5
    unary = [draw_numbers(random, ties, count) for count in labels]
    tables = [draw_numbers(random, ties, labels[u], labels[v]) for u, v in edges]
    if submodular:
        exchanged = random.integers(0, 2, n) * random.integers(0, 2)
        for e, (u, v) in enumerate(edges):
            unlike = tables[e][0, 0] + tables[e][1, 1] < tables[e][0, 1] + tables[e][1, 0]
            tables[e] = tables[e][:, ::-1] if unlike != bool(exchanged[u] ^ exchanged[v]) else tables[e]
    elif tables and random.random() < 0.33:
        tables[0][0, 0] = -np.inf
    return Network.from_tables(unary, edges, tables, constant=float(random.integers(-3, 3)))


def grid_edges(height, width):
    """The edges of a grid."""
    cell = np.arange(height * width).reshape(height, width)
    across = np.stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()], axis=1)
    return np.concatenate([across, np.stack([cell[:-1].ravel(), cell[1:].ravel()], axis=1)])
