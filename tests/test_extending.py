"""The rule and the oracle of docs/extending.md: their code runs, and they are what the page says."""

import contextlib
import io
import itertools
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from linsep import Kozinec, LinearMachine, OneVsAll, Perceptron
from linsep.loop.keep import Last
from linsep.loop.learn import learn
from linsep.loop.passes import begin, passes, trace
from linsep.loop.sweep import Counters, Task, sweep
from linsep.protocols import Oracle, Rule, require
from linsep.rules import Increment, Nearest, Relaxation
from linsep.targets import EpsOptimal, Margin

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```\n", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def run(block: str) -> dict:
    """The names that a block of the page defines."""
    names = {"__name__": "page"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block, PAGE.name, "exec"), names)
    return names


@pytest.fixture(scope="module")
def rule():
    return run(BLOCKS[0])["Normalised"]


@pytest.fixture(scope="module")
def boxes():
    return run(BLOCKS[2])["boxes"]


@pytest.mark.parametrize(("block", "name"), [(BLOCKS[0], "Normalised"), (BLOCKS[2], "Boxes")])
def test_a_component_takes_at_most_30_lines(block, name):
    lines = re.search(rf"^class {name}.*?\n(?=\S)", block, re.M | re.S)[0].splitlines()
    assert len([line for line in lines if line.strip()]) <= 30


def test_the_rule_is_a_perceptron_on_rows_of_length_1(rule):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (30, 2)).astype(float)
    X, y = X[X[:, 0] != X[:, 1]], (X[:, 0] > X[:, 1])[X[:, 0] != X[:, 1]]
    found = LinearMachine(rule=rule(), keep="last", fit_intercept=False).fit(X, y)
    unit = X / np.linalg.norm(X, axis=1)[:, None] / np.sqrt(2)  # a vector of a machine holds its row twice
    expected = LinearMachine(rule=Increment(1.0), keep="last", fit_intercept=False).fit(unit, y)
    assert found.certificate_.updates == expected.certificate_.updates > 1
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)
    assert found.check(X, y)


def test_a_rule_of_ones_own_works_in_partial_fit_and_in_committees(rule):
    X, y = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]]), ["a", "b", "c"]
    machine = LinearMachine(rule=rule())
    for _ in range(20):
        machine.partial_fit(X, y, classes=y)
    assert machine.certificate_.status == "separated" and machine.check(X, y)
    committee = OneVsAll(LinearMachine(rule=rule())).fit(X, y)
    assert committee.predict(X).tolist() == y


def test_a_rule_that_inherits_from_ours_works():
    class Doubled(Increment):
        def step(self, t, wa, ww, aa, goal):
            return 1.0, 2.0 * self.rate

    X, y = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]]), [0, 1, 2]
    found, twice = LinearMachine(rule=Doubled(1)).fit(X, y), LinearMachine(rule=Increment(2.0)).fit(X, y)
    np.testing.assert_array_equal(found.coef_, twice.coef_)


def test_two_rules_of_the_same_name_are_two_rules():
    """As after an edit in a notebook."""

    def make(step):
        class Mine(NamedTuple):
            rate: float = 1.0

            def step(self, t, wa, ww, aa, goal):
                return 1.0, step * self.rate

        return Mine()

    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 1]
    one, two = (LinearMachine(rule=make(step)).fit(X, y) for step in (1.0, 2.0))
    np.testing.assert_array_equal(2.0 * one.coef_, two.coef_)


def test_a_plain_class_is_a_rule_too_and_runs_interpreted(rule):
    class Plain:
        def step(self, t, wa, ww, aa, goal):
            return rule(1.0).step(t, wa, ww, aa, goal)

    X, y = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]]), [0, 1, 2]
    found, expected = (LinearMachine(rule=each).fit(X, y) for each in (Plain(), rule(1.0)))
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)


def test_the_components_meet_the_contracts(rule, boxes):
    require(rule, Rule)
    require(type(boxes), Oracle)


def corners(boxes, i):
    """All corners of a box, augmented and mirrored."""
    for signs in itertools.product([-1, 1], repeat=boxes.r.size):
        yield np.append(boxes.sign[i] * boxes.X[i] + signs * boxes.r, boxes.sign[i])


def test_the_lowest_vector_of_a_box_is_its_lowest_corner(boxes):
    rng = np.random.default_rng(1)
    for w in rng.integers(-3, 4, (50, 3)).astype(float):
        for i in range(4):
            score, slot = boxes.lowest(w, i)
            assert score == min(w @ a for a in corners(boxes, i))
            a = np.zeros(3)
            boxes.add(a, i, slot, 1.0)
            assert w @ a == score and a @ a == boxes.squared_norm(i, slot)
            assert any((a == corner).all() for corner in corners(boxes, i))


@pytest.mark.parametrize(
    ("target", "step"),
    [
        (Margin(0.0), Increment(1.0)),
        pytest.param(Margin(1.0), Relaxation(1.5), marks=pytest.mark.long),
        pytest.param(EpsOptimal(0.0, 0.1), Nearest(), marks=pytest.mark.long),
    ],
)
def test_boxes_are_separated_by_every_rule_compiled_as_interpreted(boxes, target, step):
    for state in passes([boxes], target, step, begin([boxes])):
        assert state.passes < 5000
    w = state.weights
    assert min(w @ a for i in range(4) for a in corners(boxes, i)) > 0
    order, keeper, counters, slow = np.arange(4), Last(np.zeros(0)), Counters(), np.zeros(3)
    while counters.satisfied < 4:
        counters = sweep.py_func(Task(boxes, target, step, keeper), slow, np.zeros(4), counters, order, 4, -1)
    assert counters.updates == state.counters.updates
    np.testing.assert_allclose(counters.scale * slow, w, rtol=1e-9, atol=1e-12)


def test_boxes_without_width_are_points(boxes):
    thin = boxes._replace(r=np.zeros(2))
    w = [state.weights for _, state in trace([thin], Margin(0.0), Increment(1.0))][-1]
    rows = Perceptron().fit(thin.X, thin.sign)
    np.testing.assert_array_equal(w, np.append(rows.coef_, rows.intercept_))


def test_kozinec_on_boxes_finds_the_margin_of_all_their_corners(boxes):
    *_, state = passes([boxes], EpsOptimal(0.0, 1e-3), Nearest(), begin([boxes]))
    rows = [a for i in range(4) for a in corners(boxes, i)]
    X, y = np.array([a[:-1] * a[-1] for a in rows]), np.array([a[-1] for a in rows])
    corner = Kozinec(bias="augmented", tol=1e-3).fit(X, y).certificate_
    assert state.upper == pytest.approx(corner.upper, rel=2e-3)


def test_what_has_no_certificate_is_refused_by_learn(boxes):
    with pytest.raises(TypeError, match="Boxes is not an oracle with a certificate: expected an attribute certified"):
        learn([boxes], Margin(0.0), Increment(1.0))


def test_what_an_oracle_lacks_is_named_before_the_first_visit(boxes):
    class Lacking(NamedTuple):
        weight: np.ndarray
        sign: np.ndarray

    for start in (begin, lambda parts: next(passes(parts, Margin(0.0), Increment(1.0), begin([boxes])))):
        with pytest.raises(TypeError, match=r"Lacking is not an oracle: expected a method lowest\(self, w, i\)\."):
            start([Lacking(boxes.weight, boxes.sign)])
