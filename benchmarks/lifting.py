"""The effect of centring and scaling a lift on Novikoff's bound D²/m² and on the updates of a perceptron.

    python -m benchmarks.lifting

m is the optimal margin of the lifted rows (augmented bias, MaximumMargin); the perceptron runs for at most 5 seconds.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

from linsep import Lifted, MaximumMargin, Perceptron, Polynomial

LINE = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]


def data():
    """Yield data that a lift of the given degree separates."""
    y = (np.abs(LINE[:, 0]) > 1).astype(int)
    yield "S0's line, degree 2", LINE, y, 2
    yield "the same, moved by 5, 2", LINE + 5, y, 2
    X, y = make_circles(100, noise=0.05, factor=0.5, random_state=0)
    yield "circles, moved, 2", 3 * X + [2, -1], y, 2
    yield "moons, 3", *make_moons(100, noise=0.1, random_state=0), 3
    X, y = load_iris(return_X_y=True)
    yield "iris, versicolor or not, 2", X, (y == 1).astype(int), 2
    yield "iris, versicolor or virginica, 3", X[y > 0], y[y > 0], 3
    X, y = load_wine(return_X_y=True)
    yield "wine, 1 or not, 2", X, (y == 1).astype(int), 2
    yield "breast cancer, 2", *load_breast_cancer(return_X_y=True), 2


def lifts(degree: int):
    products, span = PolynomialFeatures(degree, include_bias=False), MinMaxScaler((-1, 1))
    yield "none", Polynomial(degree, centre=False, scale=False)
    yield "variables", make_pipeline(StandardScaler(), products)
    yield "columns", make_pipeline(products, StandardScaler())
    yield "range", make_pipeline(span, products, MinMaxScaler((-1, 1)))
    yield "ours", Polynomial(degree)


def main() -> None:
    warnings.simplefilter("ignore")
    for name, X, y, degree in data():
        for kind, lift in lifts(degree):
            best: Any = Lifted(lift, MaximumMargin(bias="augmented")).fit(X, y).certificate_
            made: Any = Lifted(lift, Perceptron(keep="last", max_iter=10**6, max_seconds=5)).fit(X, y).certificate_
            updates = f"{made.updates}" if made.separates else f"more than {made.updates}"
            exact = "" if best.status == "optimal" else f" ({best.status})"
            print(f"{name:34} {kind:10} bound {best.novikoff:9.3g}{exact}  updates {updates}", flush=True)


if __name__ == "__main__":
    main()
