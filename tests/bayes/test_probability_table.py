"""Probability tables: by hand and against all strategies."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.bayes import ProbabilityTable

# A test for a disease of one in ten. Its result is low, middle or high:
#            well              ill
#   low      54/100            1/100
#   middle   27/100            3/100
#   high      9/100            6/100
HOSPITAL = ProbabilityTable(
    [[F(54, 100), F(1, 100)], [F(27, 100), F(3, 100)], [F(9, 100), F(6, 100)]], classes=["well", "ill"]
)


def test_the_hospital_by_hand():
    # 0/1 loss: "well" is likelier in every row, 1/100 + 3/100 + 6/100 are ill nevertheless
    assert HOSPITAL.strategy().tolist() == ["well", "well", "well"]
    assert HOSPITAL.risk(["well"] * 3) == F(10, 100)
    # an ill one taken for well costs 10. low: 10 of 54; middle: 30 against 27; high: 60 against 9 hundredths
    W = [[0, 10], [1, 0]]
    q = HOSPITAL.strategy(W)
    assert q.tolist() == ["well", "ill", "ill"]
    assert HOSPITAL.risk(q, W) == F(10 + 27 + 9, 100)
    assert HOSPITAL.risk(["well"] * 3, W) == 1
    # a closer look costs 1/2: 55/2 > 10 for low, 30/2 < 27 for middle, 15/2 < 9 for high
    q = HOSPITAL.strategy(W, reject=F(1, 2))
    assert q.tolist() == ["well", "reject", "reject"]
    assert HOSPITAL.risk(q, W, reject=F(1, 2)) == F(1000 + 1500 + 750, 10000)
    # the same with the reject option as a row of the loss, dearer for the ill: middle 27/2 + 3*2, high 9/2 + 6*2 > 9
    q = HOSPITAL.strategy([*W, [F(1, 2), 2]])
    assert q.tolist() == ["well", "reject", "ill"]
    assert HOSPITAL.risks([*W, [F(1, 2), 2]])[1].tolist() == [F(30, 100), F(27, 100), F(39, 200)]


def test_ties_are_ties_and_go_to_the_first():
    table = ProbabilityTable([[0.1, 0.1], [F(4, 10), F(4, 10)]])
    assert table.strategy().tolist() == [0, 0]
    assert table.strategy(reject=F(1, 2)).tolist() == [0, 0]  # no cheaper, so no reject
    assert ProbabilityTable([[F(1, 3), F(2, 3)]]).strategy(reject=F(1, 3)).tolist() == [1]
    assert ProbabilityTable([[F(1, 3), F(2, 3)]]).strategy(reject=F(1, 3) - F(1, 10**30)).tolist() == [-1]


def test_floats_give_a_float():
    table = ProbabilityTable([[0.5, 0.1], [0.1, 0.3]])
    assert table.risk(table.strategy()) == pytest.approx(0.2)
    assert isinstance(table.risk([0, 1]), float)
    assert isinstance(HOSPITAL.risk(HOSPITAL.strategy()), F)


@given(
    masses=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4),
    losses=st.lists(st.integers(-3, 9), min_size=12, max_size=12),
    rejects=st.booleans(),
)
def test_no_strategy_has_a_smaller_risk(masses, losses, rejects):
    total = sum(map(sum, masses))
    if total == 0:
        return
    table = ProbabilityTable([[F(m, total) for m in row] for row in masses])
    W = np.reshape(losses, (4, 3))[: 4 if rejects else 3]
    best = min(
        sum(F(m * int(W[d, k]), total) for row, d in zip(masses, q) for k, m in enumerate(row))
        for q in itertools.product(range(len(W)), repeat=len(masses))
    )
    assert table.risk(table.strategy(W), W) == best


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ProbabilityTable([0.5, 0.5]), "joint: expected a table"),
        (lambda: ProbabilityTable([[0.5, 0.6]]), r"joint: expected the sum 1, got 1\.1"),
        (lambda: ProbabilityTable([[F(1, 2), F(1, 3)]]), "expected the sum 1, got 5/6"),
        (lambda: ProbabilityTable([[1.5, -0.5]]), r"p\[0, 1\] = -0.5 is negative"),
        (lambda: ProbabilityTable([[np.nan, 1.0]]), r"joint: expected finite numbers, got nan at \[0, 0\]"),
        (lambda: ProbabilityTable([["a", 1.0]]), r"joint: expected finite numbers, got 'a' at \[0, 0\]"),
        (lambda: ProbabilityTable([[0.5, 0.5]], classes=[1, 2, 3]), "classes: expected 2 labels, got 3"),
        (lambda: HOSPITAL.risk(["well"]), "strategy: expected 3 decisions"),
        (lambda: HOSPITAL.risk(["well", "ill", "dead"]), "strategy: the label 'dead' is not one of"),
        (lambda: HOSPITAL.strategy([[0, 1]]), "loss: expected a 2 x 2 matrix.*'well', 'ill'"),
        (lambda: HOSPITAL.strategy([[0, 1], [np.inf, 0]]), r"W\[1, 0\] = inf"),
        (lambda: HOSPITAL.strategy([[0, 1], [1, 0], [0.5, 0.5]], reject=0.2), "reject: .*already"),
        (lambda: HOSPITAL.strategy([[0, 1], [1]]), "loss: expected an array of numbers"),
        (lambda: HOSPITAL.strategy(reject="x"), r"reject: expected finite numbers, got 'x' at \[0\]"),
    ],
)
def test_a_bad_table_is_refused_by_name(make, said):
    with pytest.raises(ValueError, match=said):
        make()
