"""Certificates that were forged by hand, each of which was accepted once, or ended in an error that is no answer."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linsep import LeastSquares, MaximumMargin
from linsep.certificates.base import Status
from linsep.certificates.check.rows import nearest_float

rng = np.random.default_rng(0)
SIDE = np.arange(40) % 2
X = rng.normal(size=(40, 3)) + 4.0 * SIDE[:, None]
THREE = np.where(SIDE == 1, 1, np.where(np.arange(40) % 4, 2, 0))  # of them 1 against the rest


@pytest.mark.parametrize("rule", [MaximumMargin(), MaximumMargin(1.0)], ids=["hard", "soft"])
def test_one_w_is_of_two_classes(rule):
    claim = rule.fit(X, SIDE).certificate_
    assert claim.check(X, SIDE)
    assert "classes: expected two for one w" in str(replace(claim, classes=(0, 1, 2)).check(X, THREE))


@pytest.mark.parametrize("rule", [LeastSquares(), MaximumMargin(1.0)], ids=["ridge", "soft"])
def test_a_w_that_may_be_any_part_of_the_best_is_not_optimal(rule):
    claim = rule.fit(X, SIDE).certificate_
    more = {"distance": 1e9} if isinstance(rule, LeastSquares) else {"rows": claim.rows[:0], "weights": np.zeros(0)}
    forged = replace(claim, w=0 * claim.w, lower=0.0, upper=40.0, violated=40, tol=1e9, status=Status.OPTIMAL, **more)
    assert "tol: expected a part of the cost" in str(forged.check(X, SIDE))


def test_a_longer_w_is_not_the_shortest():
    claim = MaximumMargin(least_score=1.0).fit(X, SIDE).certificate_
    assert claim.check(X, SIDE)
    for forged in (replace(claim, w=2 * claim.w), replace(claim, least_score=0.5)):
        assert "least_score" in str(forged.check(X, SIDE))


def test_a_cost_beyond_double_precision_is_an_answer():
    claim = LeastSquares().fit(X, SIDE).certificate_
    assert "upper" in str(replace(claim, w=claim.w * 1e200).check(X, SIDE))
    assert nearest_float(10**400) == -nearest_float(-(10**400)) == math.inf
