"""Small sequences, networks and labellings of one's own, against all labellings and exact arithmetic."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from networks_at_random import draw_network

from linsep import NetworkClassifier, SequenceClassifier, StructuredClassifier
from linsep.inference import ENGINES, solve

from . import exact
from .claims import Truth, find_lies
from .tally import Tally

RULES = ("perceptron", "relaxation", "kozinec", "maximum margin")
Phi = Callable[[int, tuple], list[Fraction]]  # of example i and a labelling


def attack(seed: int, tally: Tally) -> None:
    """One set of sequences, one of graphs, one of one's own phi, and one network for the engines."""
    rng = np.random.default_rng([5, seed])
    for family in (learn_sequences, learn_graphs, learn_own):
        family(rng, tally)
    infer(rng, tally)


def _numbers(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Features: integers, halves or real numbers, at times in another unit."""
    kind = rng.integers(3)
    X = rng.integers(-2, 3, (n, d)) / (1 + int(kind == 1)) if kind < 2 else rng.normal(size=(n, d))
    power = int(rng.integers(-300, 300)) if rng.random() < 0.15 else 0
    return np.ldexp(X.astype(float), power)


def _labels(rng: np.random.Generator, sizes: list[int], K: int) -> list[list[int]]:
    y = [rng.integers(0, K, size).tolist() for size in sizes]
    y[0][:K] = range(min(K, len(y[0])))
    if len({label for each in y for label in each}) < K:
        y[-1] = [k % K for k in range(K, K + len(y[-1]))]
    return y


def _fit(tally: Tally, name: str, rule: Any, X: list, y: list) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            rule.fit(X, y)
        except Exception as error:
            if "expected an exact oracle" in str(error) and getattr(rule, "engine", "") == "auto":
                tally.notes["refused: the largest margin needs an exact engine"] += 1
                return None
            if isinstance(error, ValueError) and "rescale by a power of two" in str(error):  # decision 20
                tally.notes["refused: too wide a range"] += 1
                return None
            tally.fail("error", name, f"{_said(rule)}: {type(error).__name__}: {str(error)[:160]}")
            return None
    tally.problems[name] += 1
    return rule


def _said(rule: Any) -> str:
    return " ".join(repr(rule).split())


def learn_sequences(rng: np.random.Generator, tally: Tally) -> None:
    """Sequences of up to three positions."""
    K, d, order = 2, int(rng.integers(1, 3)), int(rng.choice([1, 1, 2]))
    sizes = rng.integers(1, 4, rng.integers(2, 5)).tolist()
    sizes[0] = max(sizes[0], K)
    X, y = [_numbers(rng, size, d) for size in sizes], _labels(rng, sizes, K)
    rule = SequenceClassifier(
        str(rng.choice(RULES)), order=order, max_iter=int(rng.choice([5, 200])), random_state=0, n_jobs=1,
        pair_features=bool(rng.random() < 0.2), fit_intercept=bool(rng.random() < 0.7),
        keep=str(rng.choice(["average", "last", "auto"])),
    )  # fmt: skip
    rule = _fit(tally, "SequenceClassifier", rule, X, y)
    if rule is None or len(rule.classes_) < K:
        return
    places = copy.copy(rule)  # where each weight is in w
    places.coef_ = np.arange(rule.coef_.size, dtype=float)
    at = places.weights_

    def phi(i: int, labels: tuple) -> list[Fraction]:
        total = [Fraction(0)] * rule.coef_.size
        for t, label in enumerate(labels):
            for j, value in enumerate(exact.fractions(X[i][t])):
                total[int(at.emission[j, label])] += value
                if rule.pair_features and t:
                    total[int(at.pair_emission[j, labels[t - 1], label])] += value
            if rule.fit_intercept:
                total[int(at.bias[label])] += 1
            if t:
                total[int(at.pairs[labels[t - 1], label])] += 1
            if order == 2 and t > 1:
                total[int(at.triples[labels[t - 2], labels[t - 1], label])] += 1
        total[int(at.start[labels[0]])] += 1
        total[int(at.end[labels[-1]])] += 1
        return total

    confront(tally, "SequenceClassifier", rule, (X, y), [(tuple(each), K) for each in y], phi)


def learn_graphs(rng: np.random.Generator, tally: Tally) -> None:
    """Graphs of up to four nodes, trees and cycles."""
    K, d, e = 2, int(rng.integers(1, 3)), int(rng.integers(1, 3))
    X, sizes = [], rng.integers(2, 5, rng.integers(2, 4)).tolist()
    for size in sizes:
        edges = [pair for pair in itertools.permutations(range(size), 2) if pair[0] < pair[1] or rng.random() < 0.5]
        edges = list({tuple(sorted(pair)): pair for pair in edges if rng.random() < 0.6}.values()) or [(0, 1)]
        X.append((_numbers(rng, size, d), np.array(edges), rng.integers(0, 3, (len(edges), e)).astype(float)))
    y = _labels(rng, sizes, K)
    rule = NetworkClassifier(
        rule=str(rng.choice(RULES)), max_iter=int(rng.choice([5, 100])), random_state=0,
        fit_intercept=bool(rng.random() < 0.7), engine=str(rng.choice(["auto", "elimination"])),
        keep=str(rng.choice(["average", "last", "auto"])),
    )  # fmt: skip
    rule = _fit(tally, "NetworkClassifier", rule, X, y)
    if rule is None or len(rule.classes_) < K:
        return
    width = d + rule.fit_intercept

    def phi(i: int, labels: tuple) -> list[Fraction]:
        nodes, edges, kinds = X[i]
        total = [Fraction(0)] * rule.coef_.size
        for v, label in enumerate(labels):
            for j, value in enumerate([*exact.fractions(nodes[v]), *[Fraction(1)] * rule.fit_intercept]):
                total[j * K + label] += value
        for (u, v), kind in zip(edges.tolist(), kinds):
            for j, value in enumerate(exact.fractions(kind)):
                total[width * K + (j * K + labels[u]) * K + labels[v]] += value
        return total

    confront(tally, "NetworkClassifier", rule, (X, y), [(tuple(each), K) for each in y], phi)


def _own_phi(x: np.ndarray, y: tuple) -> np.ndarray:
    return np.array([x[0] * y[0], x[1] * y[1], x[0] * (y[0] == y[1]), y[0] - y[1]], dtype=float)


def learn_own(rng: np.random.Generator, tally: Tally) -> None:
    """A phi of one's own, with all labellings listed."""
    n = int(rng.integers(2, 7))
    X, labels = list(_numbers(rng, n, 2)), list(itertools.product(range(2), repeat=2))
    y = [labels[k] for k in rng.integers(0, 4, n)]
    rule = StructuredClassifier(
        _own_phi, labels=labels, rule=str(rng.choice(RULES)), max_iter=int(rng.choice([5, 200]))
    )
    rule = _fit(tally, "StructuredClassifier", rule, X, y)
    if rule is not None:
        phi = lambda i, labels: exact.fractions(_own_phi(X[i], labels))  # noqa: E731
        confront(tally, "StructuredClassifier", rule, (X, y), [(each, 2) for each in y], phi)


def confront(tally: Tally, name: str, rule: Any, data: tuple, truths: list[tuple[tuple, int]], phi: Phi) -> None:
    """Compare the certificate with all labellings; then forge it."""
    vectors: list[list[list[Fraction]]] = []
    for i, (truth, K) in enumerate(truths):
        own = phi(i, truth)
        others = (other for other in itertools.product(range(K), repeat=len(truth)) if other != truth)
        vectors.append([[a - b for a, b in zip(own, phi(i, other))] for other in others])
    claim, said = rule.certificate_, _said(rule)
    if not np.isfinite(claim.w).all() or claim.w.size != len(vectors[0][0]):
        tally.fail("not finite", name, said)
        return
    w = exact.fractions(claim.w)
    scores = [min(exact.dot(w, vector) for vector in each) for each in vectors]
    points, factor = exact.to_integers([vector for each in vectors for vector in each])
    best = exact.nearest(points).square / factor**2
    truth = Truth(min(scores), exact.dot(w, w), sum(score <= 0 for score in scores), best)
    most = [max(exact.dot(w, vector) for vector in each) for each in vectors]
    negated = truth._replace(low=-max(most), violated=sum(score >= 0 for score in most))
    for lie in find_lies(claim, truth):
        tally.fail("false claim", name, f"{said}: {lie}")
    if claim.violated > truth.violated:  # fewer are true too, if no rival was found that wins without rounding
        tally.fail("miscounted", name, f"{said}: violated {claim.violated}, exactly {truth.violated}")
    with tally.guarded(name, f"check of {said}"):
        verdict = rule.check(*data)
        if not verdict:
            tally.fail("check refused the truth", name, f"{said}: {verdict}")
            return
        for kind, forged in forge(claim, truth, negated):
            liar = copy.copy(rule)
            liar.certificate_ = forged
            tally.forge(kind, name, liar.check(*data))


def forge(claim: Any, truth: Truth, negated: Truth) -> list[tuple[str, Any]]:
    """Claims that are false; ``negated`` is what is true of -w."""
    found = []
    margin = exact.root(truth.low**2 / truth.square) * (1 if truth.low > 0 else -1) if truth.square else 0.0
    kind = type(claim.status)
    for part in (1e-1, 1e-3, 1e-6, 1e-9):
        if margin:
            found.append((f"lower + {part:g}", replace(claim, lower=margin + part * abs(margin))))
        if truth.best and claim.upper < np.inf:
            found.append((f"upper - {part:g}", replace(claim, upper=exact.root(truth.best) * (1 - part))))
    found += [
        (f"status {word}", replace(claim, status=kind(word))) for word in ("separated", "optimal", "not separable")
    ]
    false = [(name, forged) for name, forged in found if find_lies(forged, truth)]
    turned = replace(claim, w=-claim.w)
    if find_lies(turned, negated) or turned.violated > negated.violated:  # fewer may be counted, see `confront`
        false.append(("w negated", turned))
    counts = {"size + 1": {"size": claim.size + 1}, "violated + 1": {"violated": truth.violated + 1}}
    return false + [(name, replace(claim, **changed)) for name, changed in counts.items()]


def infer(rng: np.random.Generator, tally: Tally) -> None:
    """Engines on one small network: no value above the best, no bound below it."""
    shape = str(rng.choice(["any", "tree", "submodular"]))
    network = draw_network(rng, nodes=5, tree=shape == "tree", submodular=shape == "submodular")
    labellings = itertools.product(*(range(count) for count in network.n_labels))
    values = {each: network.value(np.array(each)) for each in labellings}
    best = max(values.values())
    for engine in ("auto", *(name for name in ENGINES if name != "toulbar2")):
        if (engine == "forest" and shape != "tree") or (engine == "cut" and shape != "submodular"):
            continue
        if engine == "expansion" and np.unique(network.n_labels).size > 1:
            continue
        name = f"solve({engine})"
        with tally.guarded(name, "solve"):
            answer = solve(network, engine, 5.0)
            tally.problems[name] += 1
            if best == -np.inf:
                continue
            if answer.upper < best or answer.value != values[tuple(int(k) for k in answer.labels)]:
                tally.fail("false claim", name, f"value {answer.value!r}, upper {answer.upper!r}, the best is {best!r}")
            if answer.status == "optimal" and answer.value < best - answer.rounding - 1e-12 * abs(best):
                tally.fail("false claim", name, f"optimal: {answer.value!r}, but {best!r} is possible")
