"""docs/coming_from.md: every expression of the last column of its tables runs, and rules that are said to agree do."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import NearestCentroid

import linsep
from linsep import bayes, plot

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
ROWS = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and not line.startswith("| there")]
CODE = sorted({code for row in ROWS for code in re.findall(r"`([^`]+)`", row.rstrip("| ").rpartition(" | ")[2])})
NAMES = {name: getattr(linsep, name) for name in linsep.__all__} | {"Gaussian": bayes.Gaussian, "plot": plot}


def test_there_are_tables():
    assert len(ROWS) > 30 and len(CODE) > 25


@pytest.mark.parametrize("code", [code for code in CODE if code not in ("tol", "save")])
def test_the_expression_runs(code):
    made = eval(code, dict(NAMES))
    if isinstance(made, BaseEstimator):
        check = getattr(made, "_validate_params", None) if hasattr(made, "_parameter_constraints") else made.get_params
        assert check is not None
        check()
    else:
        assert callable(made)


def test_every_estimator_can_be_saved():
    assert all(hasattr(linsep.LeastSquares, name) for name in ("save",)) and callable(linsep.load)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(linsep.LeastSquares(), RidgeClassifier()), (linsep.NearestMean(), NearestCentroid())],
    ids=["ridge", "means"],
)
def test_what_stands_in_one_row_decides_alike(ours, theirs):
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X))
