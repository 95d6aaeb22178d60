"""One or more fitted examples of every public estimator, with what it learned from and more to go on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

import linsep
from linsep import bayes, rules, targets

_rng = np.random.default_rng(0)
X = np.round(_rng.normal(size=(24, 3)), 3)
TWO = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "a", "b")
THREE = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
WORDS = [[("the",), ("dog",)], [("a",), ("cat",), ("sleeps",)]]
TAGS = [["O", "B-N"], ["O", "B-N", "O"]]
NAMES = [[{"word": "the", "long": 0.5}, {"word": "dog"}], [{"word": "a"}, {"word": "cat"}]]
NAME_TAGS = [["D", "N"], ["D", "N"]]
PATH = np.array([[0, 1], [1, 2]])
GRAPHS = [(np.array([[1.0], [0.2], [1.0]]), PATH), (np.array([[-1.0], [-0.2], [-1.0]]), PATH)]
GRAPH_LABELS = [["on", "on", "on"], ["off", "off", "off"]]
PAIRS, ORDERS = [[1, 4], [7, 2]], [(0, 1), (1, 0)]


def phi(x, y):
    """Order two numbers: y is (0, 1) or (1, 0)."""
    return np.array([x[y[1]] - x[y[0]]])


class Example(NamedTuple):
    """An estimator that is not fitted, and its training data."""

    make: Callable[[], BaseEstimator]
    X: Any
    y: Any
    functions: dict[str, Callable] = {}

    def fit(self) -> Any:
        return self.make().fit(self.X) if self.y is None else self.make().fit(self.X, self.y)

    @property
    def kind(self) -> type:
        return type(self.make())


EXAMPLES = {
    "Perceptron": Example(lambda: linsep.Perceptron(), X, TWO),
    "Perceptron, seed": Example(lambda: linsep.Perceptron(shuffle=True, random_state=np.random.RandomState(3)), X, TWO),
    "Perceptron, schedule": Example(
        lambda: linsep.Perceptron(rate=harmonic, keep="last"), X, TWO, {"rate": lambda k: 1.0 / k}
    ),
    "AveragedPerceptron": Example(lambda: linsep.AveragedPerceptron(), X, THREE),
    "Relaxation": Example(lambda: linsep.Relaxation(max_iter=5), X, TWO),
    "Kozinec": Example(lambda: linsep.Kozinec(max_iter=9), X, TWO),
    "Kozinec, sparse": Example(lambda: linsep.Kozinec(max_iter=3), sp.csr_array(X * (np.abs(X) > 0.5)), TWO),
    "LinearMachine": Example(
        lambda: linsep.LinearMachine(rules.Relaxation(1.2), targets.Margin(0.5), class_weight={"a": 2.0}, max_iter=9),
        X, THREE,
    ),
    "MaximumMargin": Example(lambda: linsep.MaximumMargin(), X, TWO),
    "MaximumMargin, soft": Example(lambda: linsep.MaximumMargin(C=1.0), X, THREE),
    "MaximumMarginCV": Example(lambda: linsep.MaximumMarginCV([0.1, 1.0], cv=2), X, TWO),
    "MaximumMarginCV, many": Example(
        lambda: linsep.MaximumMarginCV([0.1, 1.0], cv=2, multi_class="one-vs-all"), X, THREE
    ),
    "GradientDescent": Example(lambda: linsep.GradientDescent(max_iter=9), X, TWO),
    "LeastSquares": Example(lambda: linsep.LeastSquares("pinv"), X, THREE),
    "LeastSquares, ridge": Example(lambda: linsep.LeastSquares(), X, THREE),
    "OneVsAll": Example(lambda: linsep.OneVsAll(linsep.Perceptron(max_iter=2)), X, THREE),
    "OneVsOne": Example(lambda: linsep.OneVsOne(linsep.Kozinec(max_iter=4)), X, THREE),
    "Lifted": Example(lambda: linsep.Lifted(linsep.Quadratic(), linsep.Perceptron()), X, TWO),
    "Lifted, functions": Example(
        lambda: linsep.Lifted(linsep.Functions([np.cos]), linsep.Perceptron()), X, TWO, {"lift.functions[0]": np.cos}
    ),
    "Polynomial": Example(lambda: linsep.Polynomial(3), X, None),
    "Quadratic": Example(lambda: linsep.Quadratic(), X, None),
    "Functions": Example(lambda: linsep.Functions([("c", np.cos)]), X, None, {"functions[0][1]": np.cos}),
    "Anderson": Example(lambda: linsep.Anderson(), X, TWO),
    "Anderson, mixture": Example(lambda: linsep.Anderson(components=2, shrinkage=0.1, random_state=0), X, TWO),
    "NearestMean": Example(lambda: linsep.NearestMean(), X, THREE),
    "Mahalanobis": Example(lambda: linsep.Mahalanobis("own"), X, THREE),
    "Bayes": Example(lambda: linsep.Bayes(reject=0.1), X, THREE),
    "Bayes, Parzen": Example(lambda: linsep.Bayes(bayes.Parzen()), X, TWO),
    "Bayes, PiecewiseConstant": Example(lambda: linsep.Bayes(bayes.PiecewiseConstant(4, smoothing=1.0)), X[:, :1], TWO),
    "Gaussian": Example(lambda: bayes.Gaussian(), X, None),
    "Parzen": Example(lambda: bayes.Parzen(kernel="tophat"), X, None),
    "PiecewiseConstant": Example(lambda: bayes.PiecewiseConstant(4), X, None),
    "Rayleigh": Example(lambda: bayes.Rayleigh(), np.abs(X[:, :1]), None),
    "Uniform": Example(lambda: bayes.Uniform(), X, None),
    "SequenceClassifier": Example(lambda: linsep.SequenceClassifier(random_state=0), NAMES, NAME_TAGS),
    "SequenceClassifier, templates": Example(
        lambda: linsep.SequenceClassifier(templates=["word", "word[-1]|word"], forbidden="BIO", random_state=0),
        WORDS, TAGS,
    ),
    "NetworkClassifier": Example(lambda: linsep.NetworkClassifier(random_state=1), GRAPHS, GRAPH_LABELS),
    "StructuredClassifier": Example(
        lambda: linsep.StructuredClassifier(phi, labels=[(0, 1), (1, 0)]), PAIRS, ORDERS, {"phi": phi}
    ),
}  # fmt: skip


def harmonic(k: int) -> float:
    """A schedule of rates."""
    return 1.0 / k
