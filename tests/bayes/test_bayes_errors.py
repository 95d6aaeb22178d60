"""Errors of Bayes strategies and densities name the argument, row, column or class."""

import numpy as np
import pytest
from bayes_worlds import Laplace, iris, normals
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from linsep.bayes import (
    Bayes,
    Gaussian,
    Mahalanobis,
    Model,
    NearestMean,
    Parzen,
    PiecewiseConstant,
    Rayleigh,
    Strategy,
    Uniform,
)

X, Y = iris()
NAN, INF = X.copy(), X.copy()
NAN[3, 1], INF[7, 2] = np.nan, np.inf
RULES = {
    "bayes": Bayes(),
    "quadratic": Bayes(Gaussian()),
    "parzen": Bayes(Parzen()),
    "uniform": Bayes(Uniform()),
    "rayleigh": Bayes(Rayleigh()),
    "piecewise": Bayes(PiecewiseConstant(3)),
    "nearest mean": NearestMean(),
    "mahalanobis": Mahalanobis(),
}
BAD_DATA = {
    "NaN": (NAN, Y, "X contains NaN.*row 3, column 1"),
    "inf": (INF, Y, "X contains infinity.*row 7, column 2"),
    "one class": (X, np.full(150, "a"), "one class only: 'a'"),
    "empty": (X[:0], Y[:0], "0 sample"),
    "no columns": (X[:, :0], Y, "0 feature"),
    "too few labels": (X, Y[1:], r"\[150, 149\]"),
    "one dimension": (X[:, 0], Y, "2D array"),
    "real labels": (X, X[:, 0], "label type"),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("bad", BAD_DATA)
def test_bad_data_are_refused_by_name_and_leave_the_old_rule(rule, bad):
    data, labels, said = BAD_DATA[bad]
    rule = clone(rule).fit(X, Y)
    before = rule.predict(X)
    with pytest.raises(ValueError, match=said):
        rule.fit(data, labels)
    assert np.array_equal(rule.predict(X), before)
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 4 features"):
        rule.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"X contains NaN.*row 3, column 1"):
        rule.predict(NAN)


BAD_PARAMETERS = {
    "priors too few": (Bayes(priors=[0.5, 0.5]), r"priors: expected one for each of the 3 classes \[0, 1, 2\]"),
    "priors negative": (Bayes(priors=[0.5, 0.7, -0.2]), r"priors: expected a number >= 0 for class 2, got -0\.2"),
    "priors NaN": (Bayes(priors=[0.5, np.nan, 0.5]), "priors: expected a number >= 0 for class 1, got nan"),
    "priors with another sum": (Bayes(priors=[0.5, 0.5, 0.5]), r"priors: expected the sum 1, got 1\.5"),
    "priors unknown": (Bayes(priors="equal"), "priors"),
    "loss of another shape": (Bayes(loss=np.eye(2)), r"loss: expected a 3 x 3 matrix.*got shape \(2, 2\)"),
    "loss of NaN": (Bayes(loss=np.where(np.eye(3) > 0, np.nan, 1)), r"loss: W\[0, 0\] = nan"),
    "reject twice": (Bayes(loss=np.ones((4, 3)), reject=0.1), "reject: .*already"),
    "reject NaN": (Bayes(reject=np.nan), "reject"),
    "reject infinite": (Bayes(reject=np.inf), "reject"),
    "reject in words": (Bayes(reject="often"), "reject"),
    "no model": (Bayes("gauss"), "model"),
    "covariance": (Bayes(Gaussian("round")), "covariance"),
    "shrinkage": (Bayes(Gaussian(shrinkage=2.0)), "shrinkage"),
    "bandwidth": (Bayes(Parzen(bandwidth=0.0)), "class 0: .*bandwidth"),
    "kernel": (Bayes(Parzen(kernel="round")), "class 0: .*kernel"),
    "bins": (Bayes(PiecewiseConstant(0)), "bins"),
    "edges of one column": (Bayes(PiecewiseConstant([0.0, 9.0])), "bins: expected edges for 4 columns, got 1"),
    "edges decreasing": (Bayes(PiecewiseConstant([[9.0, 0.0]] * 4)), "bins: expected two or more .*of column 0"),
    "edges too narrow": (Bayes(PiecewiseConstant([[0.0, 5.0]] * 4)), r"row \d+ of X is outside the given edges"),
    "smoothing": (Bayes(PiecewiseConstant(smoothing=-1.0)), "smoothing"),
    "mahalanobis": (Mahalanobis("full"), "covariance"),
}


@pytest.mark.parametrize("bad", BAD_PARAMETERS)
def test_bad_parameters_are_refused_by_name(bad):
    rule, said = BAD_PARAMETERS[bad]
    with pytest.raises(ValueError, match=said):
        clone(rule).fit(X, Y)


def test_bad_weights_are_refused_by_name():
    for weight, said in (
        (np.zeros(150), "[Ss]ample.?weight.*zero"),
        ((Y != 1).astype(float), "all rows of class 1 have weight zero"),
        (np.where(Y == 1, -1.0, 1.0), "[Nn]egative values.*sample_weight"),
        (np.ones(3), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=said):
            Bayes().fit(X, Y, sample_weight=weight)


def test_bad_densities_are_refused_by_name():
    flat, up = np.vstack([X, X]), np.repeat([0, 1], 150)
    flat[:150, 2] = 1.0
    with pytest.raises(ValueError, match="class 0: Uniform: column 2 has zero width"):
        Bayes(Uniform()).fit(flat, up)
    with pytest.raises(ValueError, match=r"class 0: Rayleigh: .*X\[0, 0\] = -5\.1 is negative"):
        Bayes(Rayleigh()).fit(-X, Y)
    with pytest.raises(ValueError, match="class 0: Parzen: the rows are all equal"):
        Bayes(Parzen()).fit(np.repeat(X[[0, 60]], 5, axis=0), np.repeat([0, 1], 5))


class Broken(Laplace):
    def score_samples(self, X):
        return np.where(np.arange(len(X)) == 4, np.nan, 0.0)


class Short(Laplace):
    def score_samples(self, X):
        return np.zeros(3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Gaussian.from_parameters([0.0, 0.0], [[1.0]]), "covariance: expected a square matrix"),
        (lambda: Gaussian.from_parameters([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]]), "covariance: .*not symmetric"),
        (lambda: Gaussian.from_parameters([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]]), "singular"),
        (lambda: Gaussian.from_parameters([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "singular"),
        (lambda: Gaussian.from_parameters([np.nan], [[1.0]]), "mean, covariance: expected finite numbers"),
        (lambda: Gaussian.from_parameters([0.0], [[-1.0]]), "column 0 does not vary"),
        (lambda: Uniform.from_parameters([0.0, 1.0], [1.0, 1.0]), "column 1 has zero width"),
        (lambda: Uniform.from_parameters([0.0], [1.0, 2.0]), "expected two vectors of equal length"),
        (lambda: Rayleigh.from_parameters([0.0]), "scale"),
        (lambda: PiecewiseConstant.from_parameters([0.0, 1.0], [0.5, 0.5]), r"probabilities: expected shape \(1,\)"),
        (lambda: PiecewiseConstant.from_parameters([0.0, 1.0, 2.0], [0.5, 0.6]), r"probabilities: .*got the sum 1\.1"),
        (lambda: Model([]), "densities: expected at least one"),
        (lambda: Model([Uniform.from_parameters([0.0], [1.0])], ["all"]), "priors: expected an array of numbers"),
        (lambda: Model([Uniform.from_parameters([0.0], [1.0])], classes=[1, 2]), "classes: expected 1 diff"),
        (lambda: Model([Uniform.from_parameters([0.0], [1.0]), "normal"]), "class 1: str has no method score_samples"),
        (
            lambda: Model([Uniform.from_parameters([0.0], [1.0]), Rayleigh.from_parameters([1.0, 1.0])]),
            r"equal .*, got \[1, 2\]",
        ),
        (lambda: Strategy(Gaussian()), "Gaussian has no predict_proba"),
        (lambda: Bayes(Broken()).fit(X, Y).predict(X), "class 0: Broken.score_samples returned nan for row 4"),
        (lambda: Bayes(Short()).fit(X, Y).predict(X), r"class 0: Short.score_samples returned shape \(3,\)"),
    ],
)
def test_a_bad_world_is_refused_by_name(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("shared", [True, False])
def test_a_model_checks_what_it_is_asked(shared):
    world = normals(1.0, [0.5, 0.5])
    if not shared:
        world = Model([*world.densities[:1], Gaussian.from_parameters(np.zeros(3), np.eye(3))])
    with pytest.raises(ValueError, match="expecting 3 features"):
        Strategy(world).predict(np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"X contains NaN.*row 1, column 2"):
        Strategy(world).predict([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]])
    with pytest.raises(NotFittedError, match="Gaussian"):
        Strategy(Model([Gaussian(), Gaussian()])).predict([[0.0]])
