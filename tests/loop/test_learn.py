"""learn: the worked example, what is kept, what is refused and why."""

import pickle

import golden
import loop_cases as cases
import numpy as np
import pytest
from loop_cases import ORACLES

from linsep import Kozinec, Perceptron
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import differences, points
from linsep.oracles.custom import Custom, UserFunctions
from linsep.rules import Increment, Nearest, Relaxation
from linsep.targets import EpsOptimal, Margin


def test_the_worked_example():
    result = learn([points(golden.X, golden.SIGN)], Margin(0.0), Increment(1.0))
    assert result.w.tolist() == golden.W
    assert result.state.counters.updates == result.certificate.updates == 3
    assert np.flatnonzero(result.state.dual_weights).tolist() == sorted(golden.ROWS)
    rule = Perceptron().fit(golden.X, golden.Y)
    assert [*rule.coef_[0], *rule.intercept_] == golden.W
    assert rule.certificate_.updates == 3
    assert rule.classes_[1] == 2


@pytest.mark.parametrize(
    ("kind", "target", "rule", "more", "said"),
    [
        ("points", EpsOptimal(0.1), Relaxation(1.0), {}, "Relaxation.*EpsOptimal"),
        ("points", Margin(0.0), Relaxation(1.0), {}, "Relaxation: expected a margin b > 0, got 0"),
        ("points", Margin(0.5), Nearest(), {}, "Nearest stays inside the convex hull"),
        ("differences", Margin(0.0), Increment(1.0), {"batch": True}, "Differences have no batch form"),
        ("points", Margin(0.0), Increment(1.0), {"stop": Stop(theta=0.1)}, "theta: only batch steps"),
        ("points", EpsOptimal(0.0, 0.0), Nearest(), {}, "EpsOptimal: expected eps > 0, got 0"),
        ("points", Margin(0.0), Increment(1.0), {"batch": True, "keep": "average"}, "keep='average'"),
        ("points", Margin(0.0), Increment(1.0), {"start": np.zeros(2)}, r"start: expected 3 numbers, got .*\(2,\)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_work_is_refused_with_its_reason(kind, target, rule, more, said):
    with pytest.raises(ValueError, match=said):
        learn(ORACLES[kind](golden.X, golden.SIGN), target, rule, **more)


def test_no_data_is_refused():
    with pytest.raises(ValueError, match="expected a list of oracles, got an empty one"):
        learn([], Margin(0.0), Increment(1.0))
    with pytest.raises(ValueError, match="expected rows of two classes, got rows of one"):
        differences([points(np.ones((2, 1)), [1, 1], bias=0.0)])


def test_labellings_come_in_one_part():
    part = Custom([1.0], [0], UserFunctions(lambda x, y: x * np.eye(2)[y], labels=lambda x: range(2)))
    with pytest.raises(ValueError, match="expected one oracle of labellings, got 2"):
        learn([part, part], Margin(0.0), Increment(1.0))


def test_the_history_has_one_entry_per_pass_and_bounds_on_the_way():
    X, sign = cases.slow()
    result = learn([points(X, sign)], Margin(0.0), Increment(1.0), stop=Stop(passes=70))
    assert [entry["pass"] for entry in result.history] == list(range(1, 71))
    assert all(np.diff([entry["updates"] for entry in result.history]) >= 0)
    bounds = [entry["lower"] for entry in result.history]
    assert [k + 1 for k, lower in enumerate(bounds) if not np.isnan(lower)] == [32, 64]  # a look at all data: rarely
    assert result.history[-1]["upper"] == pytest.approx(result.certificate.upper, rel=1e-9)


def test_a_fitted_estimator_does_not_carry_its_training_data():
    X, sign = cases.floats(34, n=20_000, d=10)
    for rule in (Perceptron(max_iter=2), Kozinec(max_iter=2)):
        assert len(pickle.dumps(rule.fit(X, sign))) < X.nbytes / 2
