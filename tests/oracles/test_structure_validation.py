"""Checks of structures: arrays that compiled code would index wrongly get a ValueError of one sentence."""

import numpy as np
import pytest
import scipy.sparse as sp
from graph_structures import labelled_graphs

from linsep.inference import Network, best_rival, cut, elimination, forest, solve, trws
from linsep.oracles.custom import Custom, UserFunctions
from linsep.oracles.graphs import make_graphs
from linsep.oracles.networks import networks
from linsep.oracles.sequences import Features, features, sequences
from linsep.oracles.validation import LARGEST, MOST, SMALLEST, require_memory, require_scalar, require_usable

X = features(([0, 1, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0]), width=2)


def damaged(**fields):
    """Features as they might come from a user's own code."""
    return X._replace(**fields)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: features(([0, 1, 2, 3], [0, 9, 1]), width=2), r"indices: expected numbers 0 \.\.\. 1, got 9"),
        (lambda: features(([0, 1, 2, 3], [0, -1, 1]), width=2), r"indices: expected numbers 0 \.\.\. 1, got -1"),
        (lambda: features(([0, 2, 1, 3], [0, 1, 1]), width=2), "indptr: expected numbers that rise from 0 to 3"),
        (lambda: features(([0, 1, 2, 9], [0, 1, 1]), width=2), "indptr: expected numbers that rise from 0 to 3"),
        (lambda: features(([0, 1, 2, 3], [0, 1, 1], [1.0, 2.0]), width=2), "expected 1 or 3 values"),
        (lambda: features(([0, 1, 2, 3], [0.5, 1, 1]), width=2), "indices: expected a vector of integers"),
        (lambda: features(([0, 1, 2, 3], [0, 1, 1]), dense=np.zeros((2, 1)), width=2), "dense columns of 3 positions"),
        (
            lambda: features(dense=np.array([[1.0], [np.nan]])),
            "position 1, column 0: expected a finite number, got nan",
        ),
        (lambda: features(dense=np.array([[1.0], [1e200]])), r"position 1, column 0: .* 2e\+90, got 1e\+200: rescale"),
        (lambda: features(dense=np.array([[5e-324], [1.0]])), "position 0, column 0: expected 0 or a number of size"),
        (lambda: features(([0, 1, 2], [0, 0], [1.0, np.inf]), width=1), "position 1, column 0: .*, got inf"),
        (lambda: sequences([0, 3], [0, 1, 1], damaged(indices=np.array([0, 1, 7], np.int32)), 2), "got 7"),
        (lambda: sequences([0, 3], [0, 1, 1], damaged(indptr=np.array([0, 5, 2, 3])), 2), "indptr"),
        (lambda: sequences([0, 3], [0, 1, 1], damaged(values=np.ones(2)), 2), "expected 1 or 3 values"),
        (lambda: sequences([0, 3], [0, 1, -1], X, 2), "label: expected numbers 0 ... 1, got -1"),
        (lambda: sequences([0, 3], [0, 1, 2**40], X, 2), "label: expected numbers 0 ... 1, got 1099511627776"),
        (lambda: sequences([0, 9, 3], [0, 1, 1], X, 2), "begin: expected numbers that rise"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 2, weight=[1.0, 2.0]), "weight: expected 1 weights"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 2, weight=[-1.0]), "weight: example 0"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 2, weight=[0.0]), "expected an example whose weight is not 0"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 2, forbidden=np.zeros(3)), "forbidden: expected 8 numbers"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 2, loss=np.nan), "loss: expected 0 or a number"),
        (lambda: sequences([0, 3], [0, 1, 1], X, 30000), "w and tables: expected at most 268435456 numbers"),
        (lambda: Custom([1.0], [], UserFunctions(lambda x, y: [x])), "as many labellings as examples, got 0 and 1"),
        (lambda: Custom([1e200], [0], UserFunctions(lambda x, y: [x])), "phi: number 0: expected 0 or a number"),
    ],
)
def test_damaged_arrays_are_refused(make, said):
    with pytest.raises(ValueError, match=said) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_damaged_sparse_matrix_is_refused_in_every_format():
    for make in (sp.csr_array, sp.csc_array, sp.coo_array):
        A = make(np.eye(3))
        (A.col if A.format == "coo" else A.indices)[0] = 77
        with pytest.raises(ValueError, match="damaged"):
            features(A)


def test_doubled_entries_are_one():
    A = sp.csr_array((np.array([0.1, 0.2, 1.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    found = features(A)
    assert found.indices.tolist() == [1, 0] and found.values.tolist() == [0.1 + 0.2, 1.0]


GRAPHS = make_graphs(*(lambda X, y: (X, 3, y))(*labelled_graphs(0, tree=False)))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        (name, change)
        for name in ("tail", "head", "node", "edge", "start", "arc", "label")
        for change in (lambda a: a[:-1], lambda a: np.where(np.arange(a.size) == a.size // 2, 10**6, a))
    ]
    + [
        ("arc", lambda a: a - 3),
        ("head", lambda a: a * 0 - 1),
        ("nodes", lambda a: a * np.nan),
        ("edges", lambda a: a[0]),
    ],
)
def test_damaged_graphs_are_refused(field, change):
    with pytest.raises(ValueError, match="graphs: "):
        networks(GRAPHS._replace(**{field: change(getattr(GRAPHS, field))}))


NETWORK = Network.from_tables(np.zeros((4, 2)), [(0, 1), (1, 2), (2, 3)], np.eye(2))
ENGINES = [forest, cut, elimination, trws, solve, lambda network: best_rival(network, [0, 0, 0, 0])]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        (name, change)
        for name in NETWORK._fields[:-1]
        for change in (lambda a: a[:-1], lambda a: a.astype(object), lambda a: np.where(a == a[-1], 10**6 * a + 77, a))
        if not (name == "pairwise" and change(np.arange(4.0)).size == 4 and change(np.arange(4.0)).dtype != object)
        and not (name == "unary" and change(np.arange(4.0)).size == 4 and change(np.arange(4.0)).dtype != object)
    ]
    + [("head", lambda a: a * 0), ("node_edges", lambda a: a * 0 - 5), ("unary", lambda a: a + np.inf)],
)
def test_damaged_networks_are_refused_by_every_engine(field, change):
    bad = NETWORK._replace(**{field: change(getattr(NETWORK, field))})
    for engine in ENGINES:
        with pytest.raises(ValueError, match="Network: "):
            engine(bad)


@pytest.mark.parametrize("size", [1e305, 1e-290, 5e-324])
def test_networks_out_of_range_are_refused_and_mixed_ones_are_summed(size):
    with pytest.raises(ValueError, match="multiply all tables by a power of two"):
        Network.from_tables(np.full((3, 2), size))
    mixed = Network.from_tables([[1e300, 0.0], [1e-300, 0.0]], [(0, 1)], [[0.0, 0.0], [0.0, 1.0]])
    assert solve(mixed).value == 1e300 and mixed.value([1, 0]) == 1e-300


@pytest.mark.parametrize("power", [-880, -300, 0, 300, 900])
def test_engines_do_not_depend_on_the_scale(power):
    random, edges = np.random.default_rng(1), [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    unary, pairwise = random.normal(size=(4, 3)), random.normal(size=(5, 3, 3))
    unary[1, 2] = pairwise[0, 1, 1] = -np.inf
    one = Network.from_tables(unary, edges, pairwise)
    other = Network.from_tables(np.ldexp(unary, power), edges, np.ldexp(pairwise, power))
    for engine in (trws, elimination, solve):
        a, b = engine(one), engine(other)
        assert a.status == b.status == "optimal" and (a.labels == b.labels).all()
        assert np.ldexp(a.value, power) == b.value and np.ldexp(a.upper, power) == b.upper


def test_limits_are_named():
    require_usable(np.array([0.0, SMALLEST, -LARGEST]), "x")
    with pytest.raises(ValueError, match=r"x\[1\]: expected 0 or a number of size"):
        require_usable(np.array([1.0, 2 * LARGEST]), "x")
    with pytest.raises(ValueError, match="rate: expected 0 or a number of"):
        require_scalar(1e300, "rate")
    require_memory(MOST, "room")
    with pytest.raises(
        ValueError, match=r"room: expected at most 268435456 numbers \(2 GB\), got 1e\+12 \(7.45e\+03 GB\)"
    ):
        require_memory(1e12, "room")


def test_features_made_by_hand_are_features():
    by_hand = Features(np.zeros((3, 0)), np.arange(4), np.array([0, 1, 1], np.int32), np.ones(1), 2)
    assert sequences([0, 3], [0, 1, 1], by_hand, 2).size == 2 * 2 + 3 * 2 + 4
