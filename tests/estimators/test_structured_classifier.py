"""Structures: certificates, the largest margin and separability, on problems small enough to list (E1, E4, E5)."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linsep.solvers.column_generation import largest_margin

from linsep import StructureCertificate, StructuredClassifier
from linsep.certificates.check.labelling import Listed
from linsep.certificates.prove.labelling import Note, OfStructures, merged
from linsep.loop.learn import learn, trace
from linsep.loop.stop import Stop
from linsep.oracles.custom import Custom, Functions
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

LETTERS = 3


def words(x) -> list:
    """All labellings of a sequence: Y(x) depends on x."""
    return list(itertools.product(range(LETTERS), repeat=len(x)))


def phi(x, y) -> np.ndarray:
    """A chain: features of each place by its label, and pairs of labels that follow one another."""
    emission, pairs = np.zeros((LETTERS, len(x[0]))), np.zeros((LETTERS, LETTERS))
    for row, label in zip(x, y, strict=True):
        emission[label] += row
    for one, other in itertools.pairwise(y):
        pairs[one, other] += 1.0
    return np.concatenate([emission.ravel(), pairs.ravel()])


ASK = Functions(phi, labels=words)


def sequences(seed: int, n: int = 8, gap: float = 0.3) -> tuple[list, list]:
    """Short sequences that some w labels right, with a lead of ``gap`` over all rivals."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=2 * LETTERS + LETTERS**2)
    X, y = [], []
    while len(X) < n:
        x = rng.normal(size=(rng.integers(1, 4), 2)).round(2)
        scores = np.array([w @ phi(x, other) for other in words(x)])
        best = np.argsort(scores)
        if scores[best[-1]] - scores[best[-2]] > gap:
            X.append(x)
            y.append(words(x)[best[-1]])
    return X, y


def vectors(X, y) -> np.ndarray:
    """All vectors of all examples."""
    return np.array([phi(x, t) - phi(x, other) for x, t in zip(X, y, strict=True) for other in words(x) if other != t])


def nearest(A: np.ndarray) -> float:
    """The norm of the nearest point of the hull of the rows: a QP with all vectors listed."""
    weights = cp.Variable(len(A), nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A.T @ weights)), [cp.sum(weights) == 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13)
    shares = np.maximum(weights.value, 0.0)
    return float(np.linalg.norm(A.T @ (shares / shares.sum())))


WAYS = [
    (Margin(0.0), Increment(1.0), False),
    (Margin(0.0), Increment(1.0), True),
    (Margin(0.5), Increment(1.0, 0.5), False),
    (Margin(0.0), Scheduled(lambda k: 1 / k), False),
    (Margin(1.0), Relaxation(1.5), False),
    (Margin(1.0), Relaxation(1.5), True),
    (Margin(0.0), Nearest(), False),
    (EpsOptimal(0.0, 0.1), Nearest(), False),
    (EpsOptimal(0.0, 0.1), Nearest(), True),
    (EpsOptimal(0.05), Increment(1.0), False),
]


@pytest.mark.parametrize(("target", "rule", "whole"), WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_every_rule_learns_structures_and_proves_it(target, rule, whole, seed):
    X, y = sequences(seed)
    result = learn([Custom(X, y, ASK)], target, rule, whole=whole, stop=Stop(passes=5000))
    A = vectors(X, y)
    w, found = result.w, result.certificate
    margin = (A @ w).min() / np.linalg.norm(w)
    assert found.separates, str(found)
    assert found.lower == pytest.approx(margin, rel=1e-9)
    assert found.lower <= nearest(A) * (1 + 1e-7) and nearest(A) <= found.upper * (1 + 1e-7)
    verdict = found.check(Listed(X, y, phi, words))
    assert verdict, str(verdict)


@pytest.mark.parametrize("seed", range(10))
def test_the_structured_perceptron_ends_within_its_bound(seed):
    X, y = sequences(seed)
    updates = len(list(trace([Custom(X, y, ASK)], Margin(0.0), Increment(1.0))))
    best = largest_margin(Custom(X, y, ASK))
    longest = np.linalg.norm(vectors(X, y), axis=1).max()
    assert best.longest == pytest.approx(longest, rel=1e-12)
    assert updates <= best.novikoff == pytest.approx((longest / best.lower) ** 2, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_margin_is_that_of_a_solver_that_lists_all(seed):
    X, y = sequences(seed)
    found = largest_margin(Custom(X, y, ASK))
    A = vectors(X, y)
    assert found.status == "optimal"
    assert found.upper - found.lower <= 1e-9 * found.upper
    assert found.lower == pytest.approx(nearest(A), rel=1e-6)
    assert found.check(Listed(X, y, phi, words))
    loop = learn([Custom(X, y, ASK)], EpsOptimal(0.0, 0.02), Nearest(), stop=Stop(passes=20_000)).certificate
    assert loop.lower <= found.upper and found.lower <= loop.upper


def test_structures_that_no_w_labels_right_are_refuted():
    X, y = sequences(0)
    X, y = [*X, X[0]], [*y, words(X[0])[0] if y[0] != words(X[0])[0] else words(X[0])[1]]
    found = largest_margin(Custom(X, y, ASK))
    assert found.separable is False and found.exact
    assert found.check(Listed(X, y, phi, words))
    assert "not separable" in str(found).lower()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 2)), min_size=1, max_size=6))
def test_separability_is_decided_as_a_linear_programme_decides_it(rows):
    """Whole numbers: ties, touching hulls and zero vectors are the rule here."""
    from scipy.optimize import linprog

    X, y = [np.array(row[:2], dtype=float) for row in rows], [row[2] for row in rows]

    def features(x, k):
        return np.kron(np.eye(3)[k], x)

    part = Custom(X, y, Functions(features, labels=lambda x: range(3)))
    A = np.array([features(x, t) - features(x, k) for x, t in zip(X, y, strict=True) for k in range(3) if k != t])
    lp = linprog(np.zeros(6), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None))
    found = largest_margin(part)
    assert found.separable is (lp.status == 0), str(found)
    assert found.check(Listed(X, y, features, lambda x: range(3)))


def test_a_larger_loss_asks_for_a_larger_margin():
    X, y = sequences(1)
    rule = StructuredClassifier(phi, labels=words, loss="hamming", loss_scale=2.0, max_passes=5000).fit(X, y)
    for x, truth in zip(X, y, strict=True):
        for other in words(x):
            differ = np.mean(np.array(other) != np.array(truth))
            assert rule.coef_ @ (phi(x, truth) - phi(x, other)) > 2.0 * differ or other == truth
    assert rule.check(X, y)


def test_the_loss_is_counted_in_the_risk():
    X, y = sequences(2)
    rule = StructuredClassifier(phi, labels=words, loss="hamming", max_passes=1, keep="last").fit(X[:1], y[:1])
    by_hand = [np.mean(np.array(t) != np.array(p)) for t, p in zip(y, rule.predict(X), strict=True)]
    assert rule.risk(X, y) == pytest.approx(np.mean(by_hand))
    own = StructuredClassifier(phi, labels=words, loss=lambda t, p: 7.0 * (t != p)).fit(X[:1], y[:1])
    assert own.risk(X, y) == pytest.approx(7.0 * (1.0 - own.score(X, y)))


def certificate(status: str = "eps-optimal"):
    X, y = sequences(3)
    found = learn([Custom(X, y, ASK)], EpsOptimal(0.0, 0.1), Nearest(), stop=Stop(passes=5000)).certificate
    assert found.status == status
    return found, Listed(X, y, phi, words)


TAMPERED = [
    lambda c: {"w": -c.w},
    lambda c: {"w": c.w[:-1]},
    lambda c: {"w": c.w * np.nan},
    lambda c: {"lower": c.lower * 1.001},
    lambda c: {"lower": c.lower * 0.5},
    lambda c: {"upper": c.upper * 0.999},
    lambda c: {"upper": c.upper * 1.5},
    lambda c: {"status": "optimal"},
    lambda c: {"status": "not separable", "refuted": True},
    lambda c: {"status": "budget spent"},
    lambda c: {"violated": 1},
    lambda c: {"size": c.size + 1},
    lambda c: {"longest": c.longest * 0.5},
    lambda c: {"novikoff": c.novikoff * 0.5},
    lambda c: {"novikoff": math.inf},
    lambda c: {"weights": c.weights[::-1].copy()},
    lambda c: {"weights": -c.weights},
    lambda c: {"weights": c.weights[:-1]},
    lambda c: {"rows": c.rows + 1},
    lambda c: {"rows": np.zeros_like(c.rows) + 99},
    lambda c: {"rivals": c.rivals[::-1].copy()},
    lambda c: {"begins": c.begins[:-1]},
    lambda c: {"begins": c.begins[::-1].copy()},
    lambda c: {"labellings": tuple(reversed(c.labellings))},
]


@pytest.mark.parametrize("change", range(len(TAMPERED)))
def test_a_changed_certificate_is_caught(change):
    found, structure = certificate()
    assert found.check(structure)
    assert not replace(found, **TAMPERED[change](found)).check(structure)


def test_a_certificate_survives_json():
    found, structure = certificate()
    back = StructureCertificate.from_dict(json.loads(json.dumps(found.to_dict())))
    assert str(back) == str(found)
    assert back.check(structure)


def test_equal_entries_of_notes_are_merged():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 4, size=5)
    example = rng.integers(5, size=300)
    labels = [rng.integers(2, size=sizes[i]).astype(np.int32) for i in example]
    begin = np.concatenate([[0], np.cumsum([label.size for label in labels])])
    weights = rng.integers(1, 5, size=300).astype(float)
    notes = [Note(example, begin, np.concatenate(labels))]
    one, total = merged(notes, weights)
    wanted: dict = {}
    for i, label, weight in zip(example, labels, weights, strict=True):
        wanted[int(i), tuple(label)] = wanted.get((int(i), tuple(label)), 0.0) + weight
    cut = zip(one.example, one.begin[:-1], one.begin[1:], strict=True)
    found = {(int(i), tuple(one.label[b:e])): t for (i, b, e), t in zip(cut, total, strict=True)}
    assert found == wanted


def test_argmax_alone_learns_but_proves_no_margin():
    X, y = sequences(4)

    def argmax(w, x):
        return max(words(x), key=lambda other: w @ phi(x, other))

    rule = StructuredClassifier(phi, argmax).fit(X, y)
    assert rule.score(X, y) == 1.0
    assert rule.certificate_.status == "not proved" and not rule.certificate_.separates
    assert "inexact" in str(rule.certificate_)
    with pytest.raises(ValueError, match="rival"):
        StructuredClassifier(phi, argmax, target=1.0).fit(X, y)
    with pytest.raises(ValueError, match="rival"):
        StructuredClassifier(phi, argmax, loss_scale=1.0).fit(X, y)


def test_a_rival_of_the_users_is_as_good_as_a_list():
    X, y = sequences(5)

    def rival(w, x, truth):
        others = [other for other in words(x) if other != truth]
        return max(others, key=lambda other: w @ phi(x, other)) if others else None

    listed = StructuredClassifier(phi, labels=words, rule="maximum margin").fit(X, y)
    asked = StructuredClassifier(phi, labels=words, rival=rival, rule="maximum margin").fit(X, y)
    assert asked.certificate_.lower == pytest.approx(listed.certificate_.lower, rel=1e-9)
    assert np.allclose(asked.coef_, listed.coef_, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="not the truth"):
        StructuredClassifier(phi, labels=words, rival=lambda w, x, truth: truth).fit(X, y)


def test_partial_fit_goes_on():
    X, y = sequences(6, n=12)
    rule = StructuredClassifier(phi, labels=words, keep="last")
    for at in range(0, 12, 4):
        rule.partial_fit(X[at : at + 4], y[at : at + 4])
    once = StructuredClassifier(phi, labels=words, keep="last", max_passes=1).fit(X, y)
    assert np.array_equal(rule.coef_, once.coef_)
    assert rule.n_passes_ == 3


def test_average_is_the_mean_of_all_w():
    X, y = sequences(7)
    w, total = np.zeros(15), np.zeros(15)
    for _ in range(3):
        for x, truth in zip(X, y, strict=True):
            others = [other for other in words(x) if other != truth]
            rival = max(others, key=lambda other: w @ phi(x, other))
            if w @ (phi(x, truth) - phi(x, rival)) <= 0:
                w = w + phi(x, truth) - phi(x, rival)
            total += w
    found = learn([Custom(X, y, ASK)], Margin(0.0), Increment(1.0), keep="average", stop=Stop(passes=3))
    assert np.allclose(found.w / np.linalg.norm(found.w), total / np.linalg.norm(total), rtol=1e-12)


def test_weight_zero_is_absence():
    X, y = sequences(8)
    weight = np.array([1, 1, 0, 1, 1, 0, 1, 1], dtype=float)
    some = [i for i in range(8) if weight[i]]
    weighted = StructuredClassifier(phi, labels=words).fit(X, y, weight)
    absent = StructuredClassifier(phi, labels=words).fit([X[i] for i in some], [y[i] for i in some])
    assert np.array_equal(weighted.coef_, absent.coef_)
    assert weighted.check(X, y, weight)


def test_errors_name_the_culprit():
    X, y = sequences(9)
    with pytest.raises(ValueError, match="8 examples and y 7"):
        StructuredClassifier(phi, labels=words).fit(X, y[:-1])
    with pytest.raises(ValueError, match=r"y\[2\]"):
        StructuredClassifier(phi, labels=words).fit(X, [*y[:2], (5, 5), *y[3:]])
    with pytest.raises(ValueError, match="empty"):
        StructuredClassifier(phi, labels=words).fit([], [])
    with pytest.raises(ValueError, match="argmax, labels"):
        StructuredClassifier(phi).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        StructuredClassifier(lambda x, k: np.array([np.nan]), labels=[0, 1]).fit([1], [0])
    with pytest.raises(ValueError, match="as many"):
        StructuredClassifier(lambda x, k: np.ones(k + 1), labels=[0, 1]).fit([1], [0])
    with pytest.raises(ValueError, match="non-zero"):
        StructuredClassifier(phi, labels=words).fit(X, y, np.zeros(8))
    with pytest.raises(ValueError, match="hamming"):
        StructuredClassifier(lambda x, k: np.ones(1), labels=["a", "bc"], loss="hamming", loss_scale=1).fit([1], ["a"])
    with pytest.raises(ValueError, match="partial_fit"):
        StructuredClassifier(phi, labels=words, rule="maximum margin").partial_fit(X, y)


def test_the_judge_counts_errors_by_weight():
    X, y = sequences(10)
    judge = OfStructures([Custom(X, y, ASK, weight=np.arange(8.0))])
    assert judge.errors(np.zeros(15)) == 28.0
