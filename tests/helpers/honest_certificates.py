"""Small data sets, and honest certificates of margins on them."""

from functools import cache

import numpy as np

from linsep import Kozinec, LeastSquares, Perceptron

SUCCESS = {"separated", "eps-optimal", "optimal"}


def clouds(seed, n, d, apart):
    """Two Gaussian clouds."""
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + apart * sign[:, None], sign


def hard_to_separate():
    """Long clouds, away from the origin: separable, but not at a glance, and not by least squares."""
    X, sign = clouds(53, 24, 3, 1.2)
    return X * [1.0, 8.0, 3.0] + [5.0, 3.0, 2.0], sign


HONEST = [
    "separated", "separated, no bias", "separated by squares", "eps-optimal", "eps-optimal, relative", "not separable",
    "not separable, augmented", "not separable by Ho-Kashyap", "budget spent", "budget spent, free", "not separated",
]  # fmt: skip


@cache
def honest(name):
    """An honest certificate of each kind, with its data."""
    apart, mixed, hard = clouds(3, 20, 3, 1.6), clouds(4, 30, 3, 0.2), hard_to_separate()
    rule, (X, sign) = {
        "separated": (Perceptron(), apart),
        "separated, no bias": (Perceptron(fit_intercept=False), clouds(6, 20, 3, 1.6)),
        "separated by squares": (LeastSquares("pinv"), apart),
        "eps-optimal": (Kozinec(eps=1e-3), apart),
        "eps-optimal, relative": (Kozinec(tol=1e-3, bias="augmented"), apart),
        "not separable": (Kozinec(), mixed),
        "not separable, augmented": (Kozinec(bias="augmented"), mixed),
        "not separable by Ho-Kashyap": (LeastSquares(method="ho-kashyap"), mixed),
        "budget spent": (Perceptron(max_iter=3, keep="last"), hard),
        "budget spent, free": (Kozinec(max_updates=4, keep="last"), hard),
        "not separated": (LeastSquares("pinv"), hard),
    }[name]
    labels = np.where(sign > 0, "up", "down")
    rule.fit(X, labels)
    assert rule.certificate_.status == name.split(" by ")[0].split(",")[0], rule.certificate_
    assert rule.certificate_.check(X, labels)
    return rule.certificate_, X, labels
