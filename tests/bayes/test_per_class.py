"""Another family of densities for each class, and priors by label, against the formula written out."""

import numpy as np
import pytest
from sklearn.base import clone

from linsep.bayes import Bayes, Gaussian, Parzen, Rayleigh, Uniform

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.rayleigh(1.0, (60, 1)), RNG.uniform(0.5, 6.0, (40, 1)), RNG.normal(4.0, 0.5, (50, 1))])
Y = np.repeat(["r", "u", "g"], [60, 40, 50])
FAMILIES = {"r": Rayleigh(), "u": Uniform(), "g": Gaussian()}


def test_each_class_has_its_own_family():
    rule = clone(Bayes(FAMILIES, priors={"r": 0.5, "g": 0.3, "u": 0.2})).fit(X, Y)
    assert rule.classes_.tolist() == ["g", "r", "u"] and rule.priors_.tolist() == [0.3, 0.5, 0.2]
    x = np.linspace(0.1, 6.0, 50)
    scale, low, high = np.sqrt(np.mean(X[Y == "r"] ** 2) / 2), X[Y == "u"].min(), X[Y == "u"].max()
    mean, variance = X[Y == "g"].mean(), X[Y == "g"].var()
    p = np.stack([
        0.3 * np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance),
        0.5 * x / scale**2 * np.exp(-(x**2) / (2 * scale**2)),
        0.2 * ((low <= x) & (x <= high)) / (high - low),
    ], axis=1)  # fmt: skip
    assert rule.predict_proba(x[:, None]) == pytest.approx(p / p.sum(axis=1, keepdims=True), abs=1e-12)
    assert rule.predict(x[:, None]).tolist() == rule.classes_[p.argmax(axis=1)].tolist()


def test_weights_are_repetitions_for_every_family():
    times = RNG.integers(1, 3, len(X))
    families = {**FAMILIES, "g": Parzen(bandwidth=0.5)}
    weighted = Bayes(families).fit(X, Y, times.astype(float))
    repeated = Bayes(families).fit(X.repeat(times, axis=0), Y.repeat(times))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Bayes({"r": Rayleigh()}), r"model: expected one entry for each of the labels \['g', 'r', 'u'\], got \['r'\]"),
        (Bayes(priors={"r": 0.5, "x": 0.5}), "priors: expected one entry for each"),
        (Bayes(priors={"r": 0.5, "g": 0.3, "u": 0.3}), "priors: expected the sum 1"),
    ],
)
def test_missing_labels_are_named(rule, said):
    with pytest.raises(ValueError, match=said):
        rule.fit(X, Y)
    assert not hasattr(rule, "strategy_")
