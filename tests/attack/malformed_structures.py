"""Malformed sequences, graphs, networks, Gaussians, certificates and files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import damage
from .malformed import REFUSE, Case

SEQUENCES = [np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([[1.0, 1.0], [3.0, 0.0]])]
TAGS = [["a", "b", "a"], ["b", "a"]]
PATH = np.array([[0, 1], [1, 2]])
GRAPHS = [(np.array([[1.0], [0.2], [1.0]]), PATH), (np.array([[-1.0], [-0.2], [-1.0]]), PATH)]
ON = [["on", "on", "on"], ["off", "off", "off"]]

# of one sequence, or of the rows of one graph: two-dimensional arrays that can't be read
POSITIONS = {
    kind: damage.ROWS[kind]
    for kind in damage.ROWS
    if kind
    not in ("a set", "a dictionary", "a generator", "words", "bytes", "uneven lists", "a word", "dates", "times")
    and kind not in ("CSR, no columns", "no columns", "frame with words", "an object list", "one dimension")
    and kind not in ("frame without columns", "an object None", "CSR, pointers are floats")
}


def structure_cases() -> Iterator[Case]:
    """All of them, in the same order always."""
    yield from _sequence_cases()
    yield from _graph_cases()
    yield from _factory_cases()
    yield from _network_cases()
    yield from _gaussian_cases()
    yield from _file_cases()


def _cases(entry: str, calls: dict[str, Callable[[], Any]]) -> Iterator[Case]:
    for kind, call in calls.items():
        yield Case(entry, kind, REFUSE, call)


def _sequence_cases() -> Iterator[Case]:
    from linsep import SequenceClassifier

    plain: dict[str, Any] = {"max_iter": 5, "random_state": 0, "n_jobs": 1}
    fitted = SequenceClassifier(**plain).fit(SEQUENCES, TAGS)
    methods = {
        "fit": lambda X, y: SequenceClassifier(**plain).fit(X, y),
        "fit, order 2": lambda X, y: SequenceClassifier(order=2, **plain).fit(X, y),
        "partial_fit": lambda X, y: SequenceClassifier(**plain).partial_fit(X, y, classes=["a", "b"]),
        "check": fitted.check,
    }
    damaged = {kind: (lambda make=make: [make(SEQUENCES[0]), SEQUENCES[1]]) for kind, make in POSITIONS.items()}
    labels = {
        "labels too few": [["a", "b"], ["b", "a"]],
        "labels too many": [["a", "b", "a", "a"], ["b", "a"]],
        "labellings too few": [["a", "b", "a"]],
        "labels None": None,
        "labels a number": 3,
        "labels flat": ["a", "b"],
        "labels nested": [[["a"], ["b"], ["a"]], [["b"], ["a"]]],
    }
    for name, call in methods.items():
        entry = f"SequenceClassifier.{name}"
        yield from _cases(entry, {kind: (lambda m=m, call=call: call(m(), TAGS)) for kind, m in damaged.items()})
        yield from _cases(entry, {kind: (lambda y=y, call=call: call(SEQUENCES, y)) for kind, y in labels.items()})
        for kind, X in {
            "None": None,
            "a number": 4,
            "empty": [],
            "an empty sequence": [SEQUENCES[0][:0], SEQUENCES[1]],
        }.items():
            yield Case(entry, f"sequences: {kind}", REFUSE, lambda X=X, call=call: call(X, TAGS))
    for name in ("predict", "max_marginals", "predict_best"):
        more = (2,) if name == "predict_best" else ()
        method = getattr(fitted, name)
        some = {
            kind: make for kind, make in damaged.items() if "no rows" not in kind
        }  # an empty sequence has no labels
        calls = {kind: (lambda m=m, method=method, more=more: method(m(), *more)) for kind, m in some.items()}
        calls["a column more"] = lambda method=method, more=more: method([np.ones((2, 3))], *more)
        yield from _cases(f"SequenceClassifier.{name}", calls)


def _graph_cases() -> Iterator[Case]:
    from linsep import NetworkClassifier

    nodes = GRAPHS[0][0]
    fitted = NetworkClassifier(max_iter=5, random_state=0).fit(GRAPHS, ON)
    ends = {
        "edge beyond": [[0, 3]],
        "edge far beyond": [[0, 10**9]],
        "edge negative": [[-1, 1]],
        "edge far negative": [[0, -(10**9)]],
        "edge to itself": [[1, 1]],
        "edges of floats": [[0.5, 1.0]],
        "edges NaN": [[np.nan, 1.0]],
        "edges of three": [[0, 1, 2]],
        "edges flat": [0, 1],
        "edges of words": [["a", "b"]],
        "edges a number": 3,
        "edges 2^40": [[0, 2**40]],
    }
    broken = {kind: (nodes, np.array(edges)) for kind, edges in ends.items()}
    broken |= {
        "edge features too few": (nodes, PATH, np.ones((1, 1))),
        "edge features NaN": (nodes, PATH, np.full((2, 1), np.nan)),
        "edge features flat": (nodes, PATH, np.ones(2)),
        "nodes NaN": (nodes * np.nan, PATH),
        "nodes infinite": (nodes + np.inf, PATH),
        "nodes of words": (np.full((3, 1), "x"), PATH),
        "nodes flat": (nodes[:, 0], PATH),
        "no nodes": (nodes[:0], PATH[:0]),
        "nodes only": (nodes,),
        "None": None,
        "four parts": (nodes, PATH, np.ones((2, 1)), 1),
    }
    for kind, graph in broken.items():
        X = [graph, GRAPHS[1]]
        yield Case("NetworkClassifier.fit", kind, REFUSE, lambda X=X: NetworkClassifier(max_iter=2).fit(X, ON))
        yield Case(
            "NetworkClassifier.partial_fit", kind, REFUSE,
            lambda X=X: NetworkClassifier().partial_fit(X, ON, classes=["on", "off"]),
        )  # fmt: skip
        for name in ("predict", "answers"):
            yield Case(f"NetworkClassifier.{name}", kind, REFUSE, lambda X=X, name=name: getattr(fitted, name)(X))
        for name in ("check", "score", "decision_function"):
            yield Case(f"NetworkClassifier.{name}", kind, REFUSE, lambda X=X, name=name: getattr(fitted, name)(X, ON))
    for kind, y in {
        "too few": [ON[0]],
        "short": [["on"], ON[1]],
        "None": None,
        "a number": 1,
        "nested": [[ON]] * 2,
    }.items():
        yield Case("NetworkClassifier.fit", f"labels: {kind}", REFUSE, lambda y=y: NetworkClassifier().fit(GRAPHS, y))


def _factory_cases() -> Iterator[Case]:
    from linsep.oracles import classes, differences, ellipsoids, points
    from linsep.oracles.sequences import features, sequences

    X, sign = np.arange(12.0).reshape(4, 3), np.array([1, -1, 1, -1])
    for kind, value in {
        "sign too short": sign[:2], "sign too long": np.append(sign, 1), "sign of 0": sign * 0,
        "sign of 300": sign * 300,
        "sign NaN": sign * np.nan, "sign in two columns": np.column_stack([sign, sign]), "sign of words": ["a"] * 4,
    }.items():  # fmt: skip
        yield Case("points", kind, REFUSE, lambda s=value: points(X, s))
        yield Case("differences", kind, REFUSE, lambda s=value: differences([points(X, s, bias=0.0)]))
    for kind, value in {
        "weight too short": np.ones(2), "weight too long": np.ones(9), "weight NaN": np.full(4, np.nan),
        "weight negative": -np.ones(4), "weight infinite": np.full(4, np.inf), "weight in columns": np.ones((4, 1)),
    }.items():  # fmt: skip
        yield Case("points", kind, REFUSE, lambda v=value: points(X, sign, v))
        yield Case("classes", kind, REFUSE, lambda v=value: classes(X, [0, 1, 0, 1], 2, v))
    for kind, value in {"label beyond": [0, 1, 2, 0], "label negative": [0, 1, -1, 0], "labels short": [0, 1]}.items():
        yield Case("classes", kind, REFUSE, lambda v=value: classes(X, v, 2))
    means, low, deviation = np.zeros((2, 3)), np.zeros((2, 1, 3)), np.ones((2, 3))
    for kind, args in {
        "means flat": (means[0], low, deviation, 1.0, [1, -1]),
        "low of another width": (means, low[:, :, :2], deviation, 1.0, [1, -1]),
        "low too few": (means, low[:1], deviation, 1.0, [1, -1]),
        "low flat": (means, low[:, 0], deviation, 1.0, [1, -1]),
        "deviation of another width": (means, low, deviation[:, :2], 1.0, [1, -1]),
        "deviation too few": (means, low, deviation[:1], 1.0, [1, -1]),
        "radius too many": (means, low, deviation, np.ones(3), [1, -1]),
        "radius negative": (means, low, deviation, -1.0, [1, -1]),
        "radius NaN": (means, low, deviation, np.nan, [1, -1]),
        "sign too few": (means, low, deviation, 1.0, [1]),
        "sign of 0": (means, low, deviation, 1.0, [0, 0]),
        "means NaN": (means * np.nan, low, deviation, 1.0, [1, -1]),
    }.items():
        yield Case("ellipsoids", kind, REFUSE, lambda a=args: ellipsoids(*a))
    x = features(dense=np.ones((4, 2)))
    for kind, args in {
        "begin falls": ([0, 3, 2, 4], [0, 1, 0, 1]), "begin too far": ([0, 2, 9], [0, 1, 0, 1]),
        "begin negative": ([-1, 2, 4], [0, 1, 0, 1]), "begin not 0": ([1, 2, 4], [0, 1, 0, 1]),
        "begin of floats": ([0, 1.5, 4], [0, 1, 0, 1]), "label beyond": ([0, 2, 4], [0, 1, 2, 1]),
        "label negative": ([0, 2, 4], [0, 1, -1, 1]), "labels too few": ([0, 2, 3], [0, 1, 0]),
        "labels of floats": ([0, 2, 4], [0.5, 1, 0, 1]),
    }.items():  # fmt: skip
        yield Case("sequences", kind, REFUSE, lambda a=args: sequences(*a, x, 2))
    good = ([0, 2, 4], [0, 1, 0, 1], x, 2)
    for kind, options in {
        "order 3": {"order": 3}, "forbidden too short": {"forbidden": np.zeros(3)},
        "weight too short": {"weight": [1.0]},
        "weight NaN": {"weight": [np.nan, 1.0]}, "weight negative": {"weight": [-1.0, 1.0]},
        "forbidden NaN": {"forbidden": np.full(8, np.nan)},
    }.items():  # fmt: skip
        yield Case("sequences", kind, REFUSE, lambda o=options: sequences(*good, **o))
    for kind, parts in {
        "index beyond": ([0, 1, 2], [0, 9]), "index negative": ([0, 1, 2], [0, -1]),
        "pointers fall": ([0, 2, 1], [0, 1]),
        "pointers too far": ([0, 1, 99], [0, 1]), "values too few": ([0, 1, 3], [0, 1, 1], [1.0, 2.0]),
        "values NaN": ([0, 1, 2], [0, 1], [np.nan, 1.0]), "pointers negative": ([-4, 1, 2], [0, 1]),
    }.items():  # fmt: skip
        yield Case("features", kind, REFUSE, lambda p=parts: features(p, width=2))
    for kind in damage.ROWS:
        if kind.startswith("CSR") and kind not in ("CSR, no rows", "CSR, no columns"):
            yield Case("features", kind, REFUSE, lambda make=damage.ROWS[kind]: features(make(X)))
    yield Case("features", "dense NaN", REFUSE, lambda: features(dense=X * np.nan))
    yield Case("features", "dense flat", REFUSE, lambda: features(dense=X[0]))
    yield Case("features", "two lengths", REFUSE, lambda: features(sp.csr_matrix(X), dense=X[:2]))


def _network_cases() -> Iterator[Case]:
    from linsep.inference import ENGINES, Network, best_rival, solve

    unary, edges, tables = np.zeros((3, 2)), [(0, 1), (1, 2)], np.eye(2)
    make = Network.from_tables
    for kind, args in {
        "edge beyond": (unary, [(0, 3)], tables), "edge negative": (unary, [(-1, 1)], tables),
        "edge 2^40": (unary, [(0, 2**40)], tables), "edge to itself": (unary, [(1, 1)], tables),
        "edges of floats": (unary, [(0.5, 1.0)], tables), "edges NaN": (unary, [(np.nan, 1.0)], tables),
        "edges of three": (unary, [(0, 1, 2)], tables), "edges of words": (unary, [("a", "b")], tables),
        "unary NaN": (unary * np.nan, edges, tables), "unary infinite": (unary + np.inf, edges, tables),
        "unary flat": (unary[0], edges, tables), "no nodes": (unary[:0],), "a node without labels": ([[0.0], []],),
        "unary of words": ([["a", "b"]],), "unary None": (None,), "unary cube": (np.zeros((2, 2, 2)),),
        "table of another size": (unary, edges, np.zeros((3, 2))), "tables too few": (unary, edges, [tables]),
        "tables too many": (unary, edges, [tables] * 3), "table NaN": (unary, edges, tables * np.nan),
        "table infinite": (unary, edges, tables + np.inf), "no tables": (unary, edges),
        "constant NaN": (unary, edges, tables, np.nan), "constant infinite": (unary, edges, tables, np.inf),
        "all forbidden": (unary - np.inf, edges, tables),
    }.items():  # fmt: skip
        if kind != "all forbidden":
            yield Case("Network.from_tables", kind, REFUSE, lambda a=args: make(*a))
    network = make(unary, edges, tables)
    for kind, changed in {
        "tail beyond": {"tail": np.array([0, 9], dtype=np.int32)},
        "head beyond": {"head": np.array([1, 10**8], dtype=np.int32)},
        "head negative": {"head": np.array([1, -7], dtype=np.int32)}, "unary short": {"unary": np.zeros(2)},
        "pairwise short": {"pairwise": np.zeros(1)},
        "labels too many": {"n_labels": np.array([2, 2, 99], dtype=np.int32)},
        "node edges beyond": {"node_edges": np.array([0, 5, 1, 10**7], dtype=np.int32)},
        "pairwise start beyond": {"pairwise_start": np.array([0, 10**9])},
        "unary start beyond": {"unary_start": np.array([0, 2, 4, 10**9])},
        "edge start falls": {"edge_start": np.array([0, 3, 1, 4])},
        "message start beyond": {"message_start": np.array([0, 4, 10**9])},
    }.items():  # fmt: skip
        broken = network._replace(**changed)
        for engine in ("auto", *ENGINES):
            yield Case(f"solve({engine})", f"Network, {kind}", REFUSE, lambda b=broken, e=engine: solve(b, e))
        yield Case("best_rival", f"Network, {kind}", REFUSE, lambda b=broken: best_rival(b, [0, 0, 0]))
    for kind, labelling in {
        "too short": [0, 0], "label beyond": [0, 0, 2], "label negative": [0, -1, 0], "of floats": [0.5, 0, 0],
        "None": None, "of words": ["a", "b", "c"], "NaN": [np.nan, 0, 0],
    }.items():  # fmt: skip
        yield Case("Network.value", kind, REFUSE, lambda v=labelling: network.value(v))
        yield Case("best_rival", kind, REFUSE, lambda v=labelling: best_rival(network, v))


def _gaussian_cases() -> Iterator[Case]:
    from linsep import Anderson

    means, labels = np.array([[0.0, 0.0], [4.0, 1.0]]), [0, 1]
    rule = Anderson().fit_gaussians(means, 1.0, labels)
    for kind, args in {
        "means NaN": (means * np.nan, 1.0, labels), "means infinite": (means + np.inf, 1.0, labels),
        "means flat": (means[0], 1.0, labels), "means of words": ([["a", "b"]] * 2, 1.0, labels),
        "no means": (means[:0], 1.0, []), "labels too few": (means, 1.0, [0]),
        "labels too many": (means, 1.0, [0, 1, 1]),
        "one class": (means, 1.0, [0, 0]), "three classes": (np.vstack([means, means[:1]]), 1.0, [0, 1, 2]),
        "variance negative": (means, -1.0, labels), "variance NaN": (means, np.nan, labels),
        "covariances too few": (means, [np.eye(2)], labels),
        "covariances of another size": (means, [np.eye(3)] * 2, labels),
        "covariance not symmetric": (means, [np.array([[1.0, 2.0], [0.0, 1.0]])] * 2, labels),
        "covariance not positive": (means, [np.diag([1.0, -1.0])] * 2, labels),
        "covariance infinite": (means, [np.full((2, 2), np.inf)] * 2, labels), "covariances None": (means, None, None),
        "covariances of words": (means, "full", labels),
        "low rank of another size": (means, [(np.ones((3, 1)), 1.0)] * 2, labels),
    }.items():  # fmt: skip
        yield Case("Anderson.fit_gaussians", kind, REFUSE, lambda a=args: Anderson().fit_gaussians(*a))
        if kind not in ("covariances None",):
            yield Case("RadiusCertificate.check", kind, REFUSE, lambda a=args: _refuse(rule.certificate_.check(*a)))


def _refuse(verdict: Any) -> None:
    if not verdict:
        raise ValueError("The certificate is WRONG.")


def _file_cases() -> Iterator[Case]:
    from linsep.inference import read_uai

    for kind, content in {
        "empty": "", "no numbers": "MARKOV", "a word": "MARKOV x", "other kind": "GRAPH 1 2 0", "negative": "MARKOV -1",
        "huge table": "MARKOV 1 16000000 1 1 0 16000000 0.5 0.5", "huge count": "MARKOV 1000000000 2",
        "two huge nodes": "MARKOV 2 100000 100000 1 2 0 1 10000000000 0.5",
        "variable beyond": "MARKOV 1 2 1 1 7 2 0.5 0.5",
        "variable negative": "MARKOV 1 2 1 1 -1 2 0.5 0.5", "table short": "MARKOV 1 2 1 1 0 2 0.5",
        "table NaN": "MARKOV 1 2 1 1 0 2 nan 0.5", "factor negative": "MARKOV 1 2 1 1 0 2 -0.5 0.5",
        "factor infinite": "MARKOV 1 2 1 1 0 2 inf 0.5", "no labels": "MARKOV 1 0 0",
        "labels 10^30": f"MARKOV 1 {10**30} 0",
        "huge node without a table": "MARKOV 1 16000000000 0", "not ASCII": "MARKOV ½ 2",
        "size wrong": "MARKOV 1 2 1 1 0 3 1 1 1",
    }.items():  # fmt: skip
        yield Case("read_uai", kind, REFUSE, lambda c=content: _read(read_uai, c))


def _read(read: Callable, content: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "network.uai")
        path.write_text(content, encoding="utf-8")
        return read(path)
