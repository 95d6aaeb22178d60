"""Data sets, models and closed forms for the tests of Bayes strategies."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from linsep.bayes import Gaussian, Model, PiecewiseConstant, ProbabilityTable


def iris():
    return load_iris(return_X_y=True)


def two_of_iris():
    X, y = iris()
    return X[y > 0], np.where(y[y > 0] == 1, "versicolor", "virginica")


def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def digits():
    """Ten classes, ten columns, none of them constant in a class."""
    X, y = load_digits(return_X_y=True)
    return X @ np.random.default_rng(0).normal(size=(64, 10)), y


SETS = {"iris": iris, "two of iris": two_of_iris, "wine": wine, "digits": digits}
every_set = pytest.mark.parametrize("name", SETS)

STRIPES = [[0.1, 0.4, 0.2, 0.3], [0.5, 0.1, 0.2, 0.2], [0.25, 0.25, 0.5, 0.0]]
PRIORS = [0.5, 0.2, 0.3]


def stripes():
    """A piecewise constant world, and the table that it is."""
    world = Model([PiecewiseConstant.from_parameters([0.0, 1.0, 2.0, 4.0, 5.0], p) for p in STRIPES], PRIORS)
    return world, ProbabilityTable(np.transpose(STRIPES) * PRIORS)


def normals(distance, priors, d=3):
    """Two Gaussians of one covariance, at this Mahalanobis distance."""
    A = np.random.default_rng(0).normal(size=(d, d))
    C = A @ A.T + np.eye(d)
    step = np.linalg.cholesky(C) @ np.eye(d)[0] * distance
    return Model([Gaussian.from_parameters(np.ones(d), C), Gaussian.from_parameters(np.ones(d) + step, C)], priors)


def chow(m, c):
    """Closed form for equal priors: errors beyond +t, rejects inside -t..t of the log odds, t = log((1-c)/c)."""
    t = np.log((1 - c) / c)
    wrong = norm.cdf(-m / 2 - t / m)
    return wrong + c * (norm.cdf(-m / 2 + t / m) - wrong)


class Laplace(BaseEstimator):
    """A density of somebody else's: it cannot be sampled."""

    def fit(self, X, y=None):
        self.middle_ = np.median(X, axis=0)
        self.scale_ = np.abs(X - self.middle_).mean(axis=0)
        return self

    def score_samples(self, X):
        return np.sum(-np.abs(X - self.middle_) / self.scale_ - np.log(2 * self.scale_), axis=1)
