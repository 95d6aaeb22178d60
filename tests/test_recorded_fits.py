"""Fits that were recorded: every estimator goes the same way, and ends where it ended, as when recorded_fits.json was
written. ``python tests/test_recorded_fits.py`` writes that file anew; names after it record these fits only.

Data are small whole numbers or quarters, so that scalar products with the weights of a perceptron are exact, and no
processor takes another way. Statuses, counts and the rows visited must agree exactly, bounds to 1e-12, weights to 4e-9:
a relaxation moves w a hair, 1e-9, beyond its goal, or not.
"""

from __future__ import annotations

import itertools
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from linsep import (
    Anderson,
    AveragedPerceptron,
    Bayes,
    Functions,
    GradientDescent,
    Kozinec,
    LeastSquares,
    Lifted,
    LinearMachine,
    Mahalanobis,
    MaximumMargin,
    MaximumMarginCV,
    NearestMean,
    NetworkClassifier,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Polynomial,
    Quadratic,
    RadiusCertificate,
    Relaxation,
    RidgeCertificate,
    SequenceClassifier,
    StructuredClassifier,
    separability,
)
from linsep.bayes import Gaussian
from linsep.estimators.graphs import grid
from linsep.loop.passes import trace
from linsep.oracles import classes, differences, ellipsoids, points
from linsep.oracles.custom import Custom, UserFunctions
from linsep.oracles.graphs import make_graphs
from linsep.oracles.networks import networks
from linsep.oracles.sequences import features, sequences
from linsep.risk import StructuralRisk
from linsep.rules import Increment, Nearest, Scheduled
from linsep.rules import Relaxation as Relax
from linsep.targets import EpsOptimal, Margin

FILE = Path(__file__).with_name("recorded_fits.json")
PASSES = 60  # of a history that are recorded
UPDATES = 200  # of a walk

# --- data ------------------------------------------------------------------------------------------------------------


def two(seed, n=60, d=4, gap=6, wrong=0):
    """Rows of quarters on both sides of a plane, at least a ``gap`` from it; ``wrong`` labels are turned."""
    rng = np.random.default_rng(seed)
    X, v = rng.integers(-16, 17, (20 * n, d)), rng.integers(1, 6, d) * (-1) ** np.arange(d)
    X = X[np.abs(X @ v - 7) >= 4 * gap][:n]
    y = (X @ v > 7).astype(int)
    y[:wrong] = 1 - y[:wrong]
    return X / 4, y


def many(seed, n=60, d=3, count=4, spread=3):
    """Clouds of quarters around whole-numbered centres."""
    rng = np.random.default_rng(seed)
    centres, y = 24 * rng.permutation(np.eye(max(count, d), dtype=int))[:count, :d], rng.integers(0, count, n)
    return (centres[y] + rng.integers(-spread, spread + 1, (n, d))) / 4, y


def counts(seed, n=80, d=30):
    """Sparse rows of small counts, such as those of words; separable, for they are more words than needed."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 4, (n, d)) * (rng.integers(0, 6, (n, d)) == 0)
    score = X @ rng.integers(-3, 4, d)
    far = np.abs(score - 1) >= 2
    return sp.csr_array(X[far].astype(float)), (score[far] > 1).astype(int)


def best(score, labellings):
    """The one labelling of largest score; None: there are several."""
    scores = [score(y) for y in labellings]
    return list(labellings[int(np.argmax(scores))]) if scores.count(max(scores)) == 1 else None


def told(X, y):
    """The examples of which there is a truth."""
    return [x for x, truth in zip(X, y, strict=True) if truth is not None], [truth for truth in y if truth is not None]


def numbers(seed, n=24, order=1):
    """Sequences of rows of small numbers, labelled by whole-numbered weights of rows and of two or three labels."""
    rng = np.random.default_rng(seed)
    X = [rng.integers(-3, 4, (length, 3)).astype(float) for length in rng.integers(1, 6, n)]
    W, V = rng.integers(-3, 4, (3, 3)), rng.integers(-3, 4, (3,) * (order + 1))

    def score(x, y):
        return np.sum(x * W[list(y)]) + sum(V[y[t - order : t + 1]] for t in range(order, len(y)))

    return told(X, [best(lambda y, x=x: score(x, y), words_of(x)) for x in X])


def words_of(x):
    """All labellings by three labels."""
    return list(itertools.product(range(3), repeat=len(x)))


def sentences(seed, n=16):
    """Lists of words, and what they are; "saw" and "run" depend on the word before."""
    rng = np.random.default_rng(seed)
    kinds = {"D": ["the", "a", "no"], "N": ["dog", "cat", "saw", "run"], "V": ["saw", "run", "eats"], "A": ["old"]}
    plans = [rng.permutation(3) for _ in range(n)]
    y = [[*"DNV", *["DN", "DAN", ""][plan[0]], *["", "VDAN", "VN"][plan[1]]] for plan in plans]
    return [[[kinds[kind][rng.integers(len(kinds[kind]))]] for kind in labels] for labels in y], y


def pictures(seed, n=8, side=3):
    """Small pictures of bright and dark pixels, whose labels agree with neighbours to the right, less so below."""
    rng = np.random.default_rng(seed)
    seen, all_ = rng.integers(-4, 5, (n, side, side)), list(itertools.product((0, 1), repeat=side * side))
    planes = np.array(all_).reshape(-1, side, side)
    right, down = planes[:, :, 1:] == planes[:, :, :-1], planes[:, 1:] == planes[:, :-1]
    scores = [2 * np.sum(planes * x, (1, 2)) + 3 * np.sum(right, (1, 2)) + np.sum(down, (1, 2)) for x in seen]
    return told([grid(x) for x in seen], [best(dict(zip(all_, each)).get, all_) for each in scores])


def trees(seed, n=10, nodes=5):
    """Trees whose nodes take the larger of two numbers, or 2 beside a parent of label 1."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        x, parent = rng.integers(-3, 4, (nodes, 2)).astype(float), [rng.integers(0, v) for v in range(1, nodes)]
        labels = [int(x[0, 1] > x[0, 0])]
        for v, up in enumerate(parent, start=1):
            labels.append(2 if labels[up] == 1 and x[v].sum() > 1 else int(x[v, 1] > x[v, 0]))
        X.append((x, np.array([[up, v] for v, up in enumerate(parent, start=1)])))
        y.append(labels)
    return X, y


def joint(x, y):
    """phi(x, y) of one's own: the row at its label, and the product of neighbouring numbers of labels."""
    out = np.zeros((3, 2))
    for row, label in zip(x, y, strict=True):
        out[label] += row
    return np.append(out.ravel(), sum(one * other for one, other in itertools.pairwise(y)))


def ordered(seed, n=12):
    """Pairs of rows whose best labelling by ``joint``, with known weights, is the truth."""
    rng = np.random.default_rng(seed)
    X, w = list(rng.integers(-4, 5, (n, 2, 2)).astype(float)), np.array([2.0, -1, -1, 3, 1, 1, 1])
    X, y = told(X, [best(lambda y, x=x: w @ joint(x, y), words_of(x)) for x in X])
    return X, list(map(tuple, y))


def whole(data, factor, rows=slice(None)):
    """A data set of scikit-learn's as whole numbers."""
    return np.rint(factor * data.data)[rows], data.target[rows]


APART, NEAR, WRONG = two(1), two(2, n=120, d=6, gap=2), two(3, n=80, wrong=6)
CLOUDS, MIXED = many(4), many(5, n=90, spread=16)
WORDS = counts(6)
DENSE = WORDS[0].toarray(), WORDS[1]
IRIS, WINE, DIGITS = whole(load_iris(), 10), whole(load_wine(), 100), whole(load_digits(), 1, slice(0, 250))
SETOSA = IRIS[0], (IRIS[1] == 0).astype(int)
LATER = IRIS[0][50:], IRIS[1][50:]  # not separable
GAUSSIANS = (
    np.array([[0.0, 0], [1, 4], [6, 2], [5, -3]]),
    np.array([[[1.0, 0.5], [0.5, 2]], [[2, 0], [0, 1]], [[1, -0.25], [-0.25, 0.5]], [[0.5, 0], [0, 3]]]),
    ["a", "a", "b", "b"],
)
CIRCLE = np.random.default_rng(7).integers(-12, 13, (900, 2)).astype(float)
CIRCLE = CIRCLE, (np.abs((CIRCLE**2).sum(axis=1)) < 70).astype(int)
TOUCHING = np.array([[0.0, 0], [3, 3], [1, 0.75], [1, 1], [2, 5]]) * 0.1, [0, 0, 1, 1, 1]
BEYOND = np.array([[1.0], [1.0 + 2**-52]]), [0, 1]
CORNERS = 3.0 * (2**21 + 1) * np.random.default_rng(3).integers(-9, 10, (3, 600))
INSIDE = np.vstack([CORNERS, CORNERS.mean(axis=0)]), [0, 0, 0, 1]  # a point in a triangle in many dimensions
ROWS, STEEP, TEXT = numbers(8), numbers(9, order=2), sentences(10)
TREES, GRIDS, PAIRS = trees(11), pictures(12), ordered(13)
TURNED = ROWS[0], [[2 - label for label in y] if i < 2 else y for i, y in enumerate(ROWS[1])]
TUPLES = [list(map(tuple, words)) for words in TEXT[0]], TEXT[1]
WIDE = counts(14, n=30, d=2200)
LOGISTIC = (
    lambda w, A: float(np.sum(np.logaddexp(0, -(A @ w)))),
    lambda w, A: -(A.T @ (1 / (1 + np.exp(A @ w)))),
)


def halves(rule, X, y, **more):
    """One pass over each half of the rows, twice."""
    cuts = [np.arange(start, len(y), 2) for start in (0, 1, 0, 1)]
    for rows in cuts:
        part = X[rows] if hasattr(X, "shape") else [X[i] for i in rows]
        rule.partial_fit(part, [y[i] for i in rows], **more)
        more.pop("classes", None)
    return rule


def again(rule, data, **changed):
    """Fitted, and fitted once more from there."""
    return rule.fit(*data).set_params(warm_start=True, **changed).fit(*data)


def weighted(rule, data):
    return rule.fit(*data, sample_weight=1.0 + np.arange(len(data[1])) % 4 * (np.arange(len(data[1])) % 7 > 0))


def highest(w, x):
    return max(words_of(x), key=lambda y: w @ joint(x, y))


def walk(parts, target, rule):
    """The rows that caused the updates, and w after the last of them."""
    steps = list(trace(parts, target, rule, most=UPDATES))
    return {"visited": [row for row, _ in steps], "w": steps[-1][1].weights}


def dense(data, **more):
    return [points(data[0], 2 * data[1] - 1, **more)]


def chained(data):
    X, y = data
    begin = np.cumsum([0, *map(len, y)])
    return [sequences(begin, np.concatenate(y), features(dense=np.concatenate(X)), 3)]


def networked(data, K, engine):
    X, y = data
    X = [(nodes, edges, *(kinds or [np.ones((len(edges), 1))])) for nodes, edges, *kinds in X]
    return [networks(make_graphs(X, K, list(map(np.array, y))), engine)]


def discs(radius):
    low = np.array([[[1.0, 0.5], [0, 1]], [[1, 0], [0, 2]], [[0.5, 0], [1, 1]], [[1, 1], [0, 0.25]]])
    return [ellipsoids(2 * GAUSSIANS[0], low, np.zeros((4, 0)), radius, [-1, -1, 1, 1])]


# --- the fits --------------------------------------------------------------------------------------------------------

ZERO, ONE, NEARLY = Margin(0.0), Margin(1.0), EpsOptimal(0.0, 0.05)
NEAREST = {"target": EpsOptimal(0.0, 0.2), "keep": "auto", "shuffle": False, "max_iter": 2000}
OWN = {"phi": joint, "labels": words_of}
FITS = {
    "perceptron": lambda: Perceptron().fit(*APART),
    "perceptron, near": lambda: Perceptron(max_iter=300).fit(*NEAR),
    "perceptron, batch": lambda: Perceptron(batch=True).fit(*NEAR),
    "perceptron, batch theta": lambda: Perceptron("1/k", batch=True, theta=0.5).fit(*WRONG),
    "perceptron, margin": lambda: Perceptron(margin=20.0, max_iter=300).fit(*NEAR),
    "perceptron, 1/k": lambda: Perceptron("1/k", margin=0.5).fit(*APART),
    "perceptron, 1/sqrt(k)": lambda: Perceptron("1/sqrt(k)").fit(*APART),
    "perceptron, own rate": lambda: Perceptron(lambda k: 2.0 if k < 9 else 0.5).fit(*NEAR),
    "perceptron, pocket": lambda: Perceptron(keep="pocket").fit(*WRONG),
    "perceptron, batch pocket": lambda: Perceptron(batch=True, keep="pocket", max_iter=40).fit(*WRONG),
    "perceptron, average": lambda: Perceptron(keep="average", max_iter=7).fit(*WRONG),
    "perceptron, last": lambda: Perceptron(keep="last", max_updates=100).fit(*WRONG),
    "perceptron, auto": lambda: Perceptron().fit(*WRONG),
    "perceptron, sorted rows": lambda: Perceptron().fit(*LATER),
    "perceptron, patience": lambda: Perceptron(patience=3).fit(*WRONG),
    "perceptron, origin": lambda: Perceptron(fit_intercept=False, max_iter=30).fit(*APART),
    "perceptron, shuffled": lambda: Perceptron(shuffle=True, random_state=5, max_iter=300).fit(*NEAR),
    "perceptron, weights": lambda: weighted(Perceptron(max_iter=300), NEAR),
    "perceptron, balanced": lambda: Perceptron(class_weight={0: 2, 1: 1}).fit(*WRONG),
    "perceptron, sparse": lambda: Perceptron(max_iter=100).fit(*WORDS),
    "perceptron, dense": lambda: Perceptron(max_iter=100).fit(*DENSE),
    "perceptron, float32": lambda: Perceptron().fit(APART[0].astype(np.float32), APART[1]),
    "perceptron, uint8": lambda: Perceptron().fit(IRIS[0].astype(np.uint8), SETOSA[1]),
    "perceptron, warm": lambda: again(Perceptron(keep="last", max_iter=1), NEAR, max_iter=300),
    "perceptron, parts": lambda: halves(Perceptron(), *APART, classes=[0, 1]),
    "perceptron, many": lambda: Perceptron().fit(*CLOUDS),
    "perceptron, many mixed": lambda: Perceptron().fit(*MIXED),
    "perceptron, many digits": lambda: Perceptron(max_iter=50).fit(*DIGITS),
    "perceptron, many batch": lambda: Perceptron(batch=True, max_iter=50).fit(*MIXED),
    "perceptron, many parts": lambda: halves(Perceptron(), *CLOUDS, classes=range(4)),
    "relaxation": lambda: Relaxation().fit(*APART),
    "relaxation, rate 1": lambda: Relaxation(1.0, 2.0).fit(*NEAR),
    "relaxation, batch": lambda: Relaxation(1.9, batch=True).fit(*APART),
    "relaxation, mixed": lambda: Relaxation(max_iter=20).fit(*WRONG),
    "relaxation, weights": lambda: weighted(Relaxation(), APART),
    "relaxation, sparse": lambda: Relaxation().fit(*WORDS),
    "relaxation, shuffled": lambda: Relaxation(shuffle=True, random_state=1).fit(*APART),
    "relaxation, many": lambda: Relaxation().fit(*CLOUDS),
    "kozinec": lambda: Kozinec().fit(*APART),
    "kozinec, eps": lambda: Kozinec(eps=0.02).fit(*APART),
    "kozinec, relative": lambda: Kozinec(tol=0.1).fit(*NEAR),
    "kozinec, augmented": lambda: Kozinec(bias="augmented", tol=0.05).fit(*APART),
    "kozinec, augmented eps": lambda: Kozinec(0.05, "augmented").fit(*SETOSA),
    "kozinec, mixed": lambda: Kozinec(max_iter=50).fit(*WRONG),
    "kozinec, mixed augmented": lambda: Kozinec(bias="augmented", max_iter=50).fit(*WRONG),
    "kozinec, sparse": lambda: Kozinec(tol=0.1).fit(*WORDS),
    "kozinec, dense": lambda: Kozinec(tol=0.1).fit(*DENSE),
    "kozinec, average": lambda: Kozinec(keep="average", max_iter=5).fit(*NEAR),
    "kozinec, shuffled": lambda: Kozinec(tol=0.1, shuffle=True, random_state=2).fit(*NEAR),
    "kozinec, weights": lambda: weighted(Kozinec(tol=0.1), APART),
    "kozinec, warm": lambda: again(Kozinec(tol=0.2), APART, tol=0.02),
    "kozinec, parts": lambda: halves(Kozinec(), *APART, classes=[0, 1]),
    "kozinec, many": lambda: Kozinec(tol=0.05).fit(*CLOUDS),
    "margin": lambda: MaximumMargin().fit(*APART),
    "margin, near": lambda: MaximumMargin().fit(*NEAR),
    "margin, augmented": lambda: MaximumMargin(bias="augmented").fit(*APART),
    "margin, iris": lambda: MaximumMargin().fit(*SETOSA),
    "margin, sparse": lambda: MaximumMargin().fit(*WORDS),
    "margin, mixed": lambda: MaximumMargin().fit(*WRONG),
    "margin, mixed augmented": lambda: MaximumMargin(bias="augmented").fit(*LATER),
    "margin, rows left out": lambda: MaximumMargin().fit(*WRONG, sample_weight=np.arange(80) > 5),
    "margin, many": lambda: MaximumMargin().fit(*CLOUDS),
    "margin, many mixed": lambda: MaximumMargin().fit(*IRIS),
    "margin, wide": lambda: MaximumMargin(tol=1e-6).fit(*WIDE),
    "margin, equal rows": lambda: MaximumMargin().fit(APART[0][[*range(60), 0]], [*APART[1], 1 - APART[1][0]]),
    "soft": lambda: MaximumMargin(1.0).fit(*WRONG),
    "soft, augmented": lambda: MaximumMargin(1.0, bias="augmented").fit(*WRONG),
    "soft, squared": lambda: MaximumMargin(1.0, loss="squared_hinge").fit(*WRONG),
    "soft, squared augmented": lambda: MaximumMargin(1.0, loss="squared_hinge", bias="augmented").fit(*WRONG),
    "soft, ascent": lambda: MaximumMargin(1.0, method="ascent", visits="cyclic", tol=1e-2).fit(*APART),
    "soft, newton": lambda: MaximumMargin(1.0, method="newton", loss="squared_hinge", tol=1e-9).fit(*LATER),
    "soft, sparse": lambda: MaximumMargin(1.0, loss="squared_hinge").fit(*WORDS),
    "soft, weights": lambda: weighted(MaximumMargin(0.5, class_weight="balanced"), WRONG),
    "soft, path": lambda: MaximumMargin().path(*WRONG, [0.1, 1.0])[-1],
    "soft, many": lambda: MaximumMargin(1.0, multi_class="one-vs-all").fit(*MIXED),
    "soft, many squared": lambda: MaximumMargin(1.0, loss="squared_hinge", multi_class="one-vs-all").fit(*MIXED),
    "soft, chosen": lambda: MaximumMarginCV([0.01, 0.1, 1.0]).fit(*WRONG),
    "soft, chosen of many": lambda: MaximumMarginCV([0.01, 0.1, 1.0], cv=3).fit(*IRIS),
    "ridge": lambda: LeastSquares(tol=1e-12).fit(*WRONG),
    "ridge, sparse": lambda: LeastSquares(tol=1e-12, alpha=0.5).fit(*WORDS),
    "ridge, many": lambda: LeastSquares(tol=1e-12, fit_intercept=False).fit(*MIXED),
    "ridge, parts": lambda: halves(LeastSquares(), *WRONG, classes=[0, 1]),
    "machine, gradient": lambda: GradientDescent(max_iter=50).fit(*CLOUDS),
    "machine, ho-kashyap": lambda: LeastSquares("ho-kashyap").fit(*CLOUDS),
    "squares": lambda: LeastSquares("pinv").fit(*WRONG),
    "squares, fisher": lambda: LeastSquares("pinv", margins="fisher").fit(*LATER),
    "squares, sparse": lambda: LeastSquares("pinv").fit(*WORDS),
    "squares, weights": lambda: weighted(LeastSquares("pinv"), WRONG),
    "squares, gradient": lambda: LeastSquares("gradient", max_iter=100).fit(*APART),
    "squares, lms": lambda: LeastSquares("lms", max_iter=30).fit(*APART),
    "squares, lms average": lambda: LeastSquares("lms", keep="average").fit(*WORDS),
    "squares, ho-kashyap": lambda: LeastSquares("ho-kashyap").fit(*APART),
    "squares, ho-kashyap mixed": lambda: LeastSquares("ho-kashyap", max_iter=200).fit(*WRONG),
    "squares, parts": lambda: halves(LeastSquares("pinv"), *WRONG, classes=[0, 1]),
    "squares, lms parts": lambda: halves(LeastSquares("lms"), *CLOUDS, classes=range(4)),
    "squares, many": lambda: LeastSquares("pinv").fit(*MIXED),
    "squares, many gradient": lambda: LeastSquares("gradient", max_iter=50).fit(*CLOUDS),
    "squares, many lms": lambda: LeastSquares("lms", max_iter=20).fit(*CLOUDS),
    "squares, many average": lambda: LeastSquares("lms", keep="average").fit(*CLOUDS),
    "descent, perceptron": lambda: GradientDescent("perceptron", 0.0, max_iter=50).fit(*APART),
    "descent, relaxation": lambda: GradientDescent(max_iter=50).fit(*APART),
    "descent, squares": lambda: GradientDescent("squares", max_iter=50).fit(*WRONG),
    "descent, rate": lambda: GradientDescent("squares", rate=2**-14, max_iter=50).fit(*WRONG),
    "descent, pocket": lambda: GradientDescent("relaxation", keep="pocket", rate="1/k", max_iter=30).fit(*WRONG),
    "descent, own": lambda: GradientDescent(LOGISTIC, max_iter=30).fit(*WRONG),
    "descent, parts": lambda: halves(GradientDescent("perceptron"), *APART, classes=[0, 1]),
    "averaged": lambda: AveragedPerceptron().fit(*WRONG),
    "averaged, many": lambda: AveragedPerceptron().fit(*CLOUDS),
    "averaged, sparse": lambda: AveragedPerceptron().fit(*WORDS),
    "averaged, margin": lambda: AveragedPerceptron(2.0, scaling=None).fit(*WRONG),
    "averaged, parts": lambda: halves(AveragedPerceptron(), *CLOUDS, classes=range(4)),
    "machine": lambda: LinearMachine().fit(*CLOUDS),
    "machine, two classes": lambda: LinearMachine().fit(*APART),
    "machine, iris": lambda: LinearMachine(max_iter=40).fit(*IRIS),
    "machine, margin": lambda: LinearMachine(target=5.0).fit(*CLOUDS),
    "machine, relaxation": lambda: LinearMachine("relaxation").fit(*CLOUDS),
    "machine, kozinec": lambda: LinearMachine("kozinec", NEARLY).fit(*CLOUDS),
    "machine, kozinec batch": lambda: LinearMachine("kozinec", EpsOptimal(0.0, 0.2), batch=True).fit(*CLOUDS),
    "machine, relaxation batch": lambda: LinearMachine("relaxation", batch=True, max_iter=200).fit(*CLOUDS),
    "machine, rule": lambda: LinearMachine(Increment(1.0, 0.5), 0.5).fit(*CLOUDS),
    "machine, pocket": lambda: LinearMachine(keep="pocket", max_iter=20).fit(*MIXED),
    "machine, sparse": lambda: LinearMachine(max_iter=50).fit(sp.csr_array(DIGITS[0]), DIGITS[1]),
    "machine, shuffled": lambda: LinearMachine(shuffle=True, random_state=3).fit(*CLOUDS),
    "machine, weights": lambda: weighted(LinearMachine(), CLOUDS),
    "machine, parts": lambda: halves(LinearMachine(), *CLOUDS, classes=range(4)),
    "all": lambda: OneVsAll(Perceptron()).fit(*CLOUDS),
    "all, digits": lambda: OneVsAll(Perceptron(max_iter=30)).fit(*DIGITS),
    "all, relaxation": lambda: OneVsAll(Relaxation(max_iter=20)).fit(*MIXED),
    "all, kozinec": lambda: OneVsAll(Kozinec(tol=0.1, max_iter=100)).fit(*CLOUDS),
    "all, soft": lambda: OneVsAll(MaximumMargin(1.0)).fit(*MIXED),
    "all, parts": lambda: halves(OneVsAll(Perceptron()), *CLOUDS, classes=range(4)),
    "one": lambda: OneVsOne(Perceptron(max_iter=30)).fit(*IRIS),
    "one, margin": lambda: OneVsOne(MaximumMargin()).fit(*CLOUDS),
    "one, squares": lambda: OneVsOne(LeastSquares("pinv")).fit(*MIXED),
    "separability, yes": lambda: separability(*NEAR),
    "separability, wine": lambda: separability(WINE[0], (WINE[1] == 1).astype(int)),
    "separability, no": lambda: separability(*WRONG),
    "separability, iris": lambda: separability(*LATER),
    "separability, touching": lambda: separability(*TOUCHING, exact=True),
    "separability, by one unit": lambda: separability(*BEYOND, exact=True),
    "separability, exact": lambda: separability(*INSIDE, exact=True),
    "sequences": lambda: SequenceClassifier(random_state=0, max_iter=30).fit(*ROWS),
    "sequences, in order": lambda: SequenceClassifier(shuffle=False, keep="last", max_iter=50).fit(*ROWS),
    "sequences, margin": lambda: SequenceClassifier(target=2.0, shuffle=False, max_iter=50).fit(*ROWS),
    "sequences, loss": lambda: SequenceClassifier(loss_scale=1.0, shuffle=False, max_iter=30).fit(*ROWS),
    "sequences, relaxation": lambda: SequenceClassifier("relaxation", shuffle=False, max_iter=50).fit(*ROWS),
    "sequences, kozinec": lambda: SequenceClassifier("kozinec", **NEAREST).fit(*ROWS),
    "sequences, optimal": lambda: SequenceClassifier("maximum margin").fit(*ROWS),
    "sequences, second order": lambda: SequenceClassifier(order=2, random_state=1, max_iter=30).fit(*STEEP),
    "sequences, pocket": lambda: SequenceClassifier(keep="pocket", random_state=1, max_iter=20).fit(*STEEP),
    "sequences, crossed": lambda: SequenceClassifier(pair_features=True, random_state=2, max_iter=20).fit(*STEEP),
    "sequences, weights": lambda: weighted(SequenceClassifier(shuffle=False, max_iter=30), ROWS),
    "sequences, mixed": lambda: SequenceClassifier(random_state=3, max_iter=20).fit(*TURNED),
    "sequences, mixed optimal": lambda: SequenceClassifier("maximum margin").fit(*TURNED),
    "sequences, words": lambda: SequenceClassifier(random_state=0, max_iter=30).fit(*TEXT),
    "sequences, words second": lambda: SequenceClassifier(order=2, shuffle=False, max_iter=30).fit(*TEXT),
    "sequences, forbidden": lambda: SequenceClassifier(forbidden=[("D", "V")], shuffle=False).fit(*TEXT),
    "sequences, words optimal": lambda: SequenceClassifier("maximum margin").fit(*TEXT),
    "sequences, templates": lambda: SequenceClassifier(templates="window", shuffle=False).fit(*TUPLES),
    "sequences, watched": lambda: SequenceClassifier(random_state=0).fit(*ROWS, dev=STEEP),
    "sequences, parts": lambda: halves(SequenceClassifier(shuffle=False), *TEXT, classes=[*"ADNV"]),
    "networks": lambda: NetworkClassifier(shuffle=False, max_iter=400).fit(*TREES),
    "networks, shuffled": lambda: NetworkClassifier(random_state=0, keep="last", max_iter=400).fit(*TREES),
    "networks, kozinec": lambda: NetworkClassifier(rule="kozinec", **NEAREST).fit(*TREES),
    "networks, relaxation": lambda: NetworkClassifier(rule="relaxation", shuffle=False, max_iter=400).fit(*TREES),
    "networks, batch": lambda: NetworkClassifier(batch=True, keep="last", max_iter=30).fit(*TREES),
    "networks, optimal": lambda: NetworkClassifier(rule="maximum margin").fit(*TREES),
    "networks, grids average": lambda: NetworkClassifier(random_state=1, max_iter=30).fit(*GRIDS),
    "networks, grids": lambda: NetworkClassifier(shuffle=False, keep="last", max_iter=30).fit(*GRIDS),
    "networks, eliminated": lambda: NetworkClassifier(engine="elimination", keep="last", shuffle=False).fit(*GRIDS),
    "networks, cut": lambda: NetworkClassifier(engine="cut", keep="last", shuffle=False).fit(*GRIDS),
    "networks, parts": lambda: halves(NetworkClassifier(shuffle=False), *TREES, classes=range(3)),
    "structures": lambda: StructuredClassifier(**OWN).fit(*PAIRS),
    "structures, batch": lambda: StructuredClassifier(**OWN, batch=True, max_iter=60).fit(*PAIRS),
    "structures, loss": lambda: StructuredClassifier(**OWN, loss="hamming", loss_scale=9.0).fit(*PAIRS),
    "structures, relaxation": lambda: StructuredClassifier(**OWN, rule="relaxation").fit(*PAIRS),
    "structures, kozinec": lambda: StructuredClassifier(**OWN, rule="kozinec", target=NEARLY).fit(*PAIRS),
    "structures, optimal": lambda: StructuredClassifier(**OWN, rule="maximum margin").fit(*PAIRS),
    "structures, argmax": lambda: StructuredClassifier(joint, highest).fit(*PAIRS),
    "structures, parts": lambda: halves(StructuredClassifier(**OWN), *PAIRS),
    "anderson": lambda: Anderson().fit(*WRONG),
    "anderson, iris": lambda: Anderson().fit(*LATER),
    "anderson, shrunk": lambda: Anderson(shrinkage="ledoit-wolf").fit(*WRONG),
    "anderson, several": lambda: Anderson().fit_gaussians(*GAUSSIANS),
    "anderson, reached": lambda: Anderson(0.05).fit_gaussians(*GAUSSIANS),
    "anderson, impossible": lambda: Anderson(1e-6).fit_gaussians(*GAUSSIANS),
    "anderson, direction": lambda: Anderson(method="direction", tol=1e-2).fit_gaussians(*GAUSSIANS),
    "anderson, kozinec": lambda: Anderson(0.03, method="kozinec").fit_gaussians(*GAUSSIANS),
    "anderson, perceptron": lambda: Anderson(0.03, method="perceptron").fit_gaussians(*GAUSSIANS),
    "anderson, not reached": lambda: Anderson(0.01, method="kozinec", max_iter=20).fit_gaussians(*GAUSSIANS),
    "anderson, components": lambda: Anderson(components=2, random_state=0).fit(*WRONG),
    "anderson, parts": lambda: halves(Anderson(), *WRONG, classes=[0, 1]),
    "lifted": lambda: Lifted(Polynomial(2, centre=False, scale=False), Perceptron()).fit(*CIRCLE).classifier_,
    "lifted, scaled": lambda: Lifted(Polynomial(3), Kozinec(tol=0.2)).fit(*CIRCLE).classifier_,
    "lifted, quadratic": lambda: Lifted(Quadratic(), MaximumMargin()).fit(*CIRCLE).classifier_,
    "lifted, functions": lambda: Lifted(Functions([np.square]), MaximumMargin()).fit(*CIRCLE).classifier_,
    "bayes": lambda: Bayes().fit(*IRIS),
    "bayes, own": lambda: Bayes(Gaussian()).fit(*IRIS).decision_function(IRIS[0][::15]),
    "bayes, risks": lambda: Bayes(Gaussian(), priors="uniform", reject=0.1).fit(*IRIS).risks(IRIS[0][::15]),
    "nearest mean": lambda: NearestMean().fit(*IRIS),
    "mahalanobis": lambda: Mahalanobis().fit(*IRIS),
    "mahalanobis, own": lambda: Mahalanobis("own").fit(*IRIS).decision_function(IRIS[0][::15]),
    "structural risk": lambda: StructuralRisk([raised(d) for d in (1, 2, 3)], cv=3).fit(*CIRCLE).estimator_[-1],
    "walk, points": lambda: walk(dense(NEAR), ZERO, Increment(1.0)),
    "walk, points 1/k": lambda: walk(dense(NEAR), ONE, Increment(1.0, 1.0)),
    "walk, points own rate": lambda: walk(dense(NEAR), ZERO, Scheduled(lambda k: 1.0 + k % 2)),
    "walk, points relaxation": lambda: walk(dense(NEAR), ONE, Relax(1.5)),
    "walk, points kozinec": lambda: walk(dense(NEAR), NEARLY, Nearest()),
    "walk, sparse": lambda: walk(dense(WORDS), ZERO, Increment(1.0)),
    "walk, sparse kozinec": lambda: walk(dense(WORDS), NEARLY, Nearest()),
    "walk, differences kozinec": lambda: walk(differences(dense(NEAR, bias=0.0)), NEARLY, Nearest()),
    "walk, differences": lambda: walk(differences(dense(NEAR, bias=0.0)), ZERO, Increment(1.0)),
    "walk, classes": lambda: walk([classes(*IRIS, 3)], ZERO, Increment(1.0)),
    "walk, classes kozinec": lambda: walk([classes(*CLOUDS, 4)], NEARLY, Nearest()),
    "walk, classes relaxation": lambda: walk([classes(*CLOUDS, 4)], ONE, Relax(1.5)),
    "walk, ellipsoids": lambda: walk(discs(1.0), ZERO, Increment(1.0)),
    "walk, ellipsoids kozinec": lambda: walk(discs(1.0), NEARLY, Nearest()),
    "walk, chains": lambda: walk(chained(ROWS), ZERO, Increment(1.0)),
    "walk, chains relaxation": lambda: walk(chained(ROWS), ONE, Relax(1.5)),
    "walk, forest": lambda: walk(networked(TREES, 3, "forest"), ZERO, Increment(1.0)),
    "walk, messages": lambda: walk(networked(GRIDS, 2, "trws"), ZERO, Increment(1.0)),
    "walk, custom": lambda: walk([Custom(*PAIRS, UserFunctions(joint, labels=words_of))], ZERO, Increment(1.0)),
}


def raised(degree):
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), Perceptron(max_iter=100))


# --- recording and comparing -----------------------------------------------------------------------------------------

# What rounding decides, and is not compared: w where none separates, which of many equal rivals a proof names, where
# within its tolerance of 1e-4 a method ends after many steps.
OPEN = {
    "sequences, mixed optimal": {"exact", "lower", "w"},
    "sequences, words optimal": {"proof"},
    "soft, many squared": {"lower", "upper", "w"},
    "structures, optimal": {"proof"},
}


SOLVED = RadiusCertificate, RidgeCertificate  # by Newton's steps, or conjugate gradients


def reading(found):
    """What is recorded of a fit, as plain data. All that is known here of the names of attributes is in this place."""
    if isinstance(found, dict):
        return {**found, "w": plain(found["w"])}
    if isinstance(found, np.ndarray):
        return {"w": plain(found)}
    known = [found] if hasattr(found, "status") else getattr(found, "certificates_", [])
    known = [found.certificate_] if hasattr(found, "certificate_") else known
    out = {
        "status": [each.status for each in known],
        "updates": [int(each.updates) for each in known if not isinstance(each, SOLVED)],
        "exact": [bool(getattr(each, "exact", False)) for each in known],
        "proof": [int(np.size(getattr(each, "rows", ()))) for each in known],
        "lower": plain([each.lower for each in known]),
        "upper": plain([each.upper for each in known]),
        "size": plain([getattr(each, "longest", 1.0) for each in known]),
        "w": plain([found.w] if hasattr(found, "w") else [found.coef_, getattr(found, "intercept_", [])]),
    }
    if hasattr(found, "history_"):
        keys = ("pass", "updates", "mistakes")
        out["passes"] = len(found.history_)
        out["history"] = [[int(line[key]) for key in keys if key in line] for line in found.history_[:PASSES]]
    return out


def plain(parts) -> list[float]:
    return np.concatenate([np.ravel(part) for part in parts]).astype(float).tolist() if len(parts) else []


def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reading(FITS[name]())


def near(now, before, size, part):
    """Whether all numbers are as they were, up to ``part`` of ``size``."""
    now, before = np.array(now), np.array(before)
    if now.shape != before.shape:
        return False
    with np.errstate(invalid="ignore"):
        return bool(((np.abs(now - before) <= part * np.asarray(size)) | (now == before)).all())


@pytest.mark.parametrize("name", FITS)
def test_the_fit_is_as_it_was_recorded(name, recorded):
    now, before, open_ = fitted(name), recorded[name], OPEN.get(name, set())
    assert now.keys() == before.keys()
    for key in before.keys() - {"lower", "upper", "w", "size"} - open_:
        assert now[key] == before[key], key
    for key in {"lower", "upper"} & before.keys() - open_:
        size = np.abs(before[key]) + 1e-2 * np.array(before["size"])
        assert near(now[key], before[key], size, 1e-12), (key, now[key], before[key])
    assert "w" in open_ or near(now["w"], before["w"], np.abs(before["w"]).max(), 4e-9), (now["w"], before["w"])


@pytest.fixture(scope="module")
def recorded():
    return json.loads(FILE.read_text())


def record(names=()):
    """Write recorded_fits.json anew, or the fits of these names in it."""
    known = json.loads(FILE.read_text()) if names else {}
    known = {name: fitted(name) if not names or name in names else known[name] for name in FITS}
    lines = [f"{json.dumps(name)}: {json.dumps(found, separators=(',', ':'))}" for name, found in known.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    record(sys.argv[1:])
