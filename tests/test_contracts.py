"""Every oracle, target, rule and keeper against the contracts of `linsep.protocols`, and each with each."""

import inspect
import re
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.certificates.prove import prover_for
from linsep.jit import component
from linsep.loop.compatible import check_compatible, with_float_fields
from linsep.loop.keep import Average, Last
from linsep.loop.learn import learn
from linsep.loop.passes import begin
from linsep.loop.sweep import Task, sweep
from linsep.oracles import classes, differences, ellipsoids, points
from linsep.oracles.custom import Custom, UserFunctions
from linsep.oracles.graphs import make_graphs
from linsep.oracles.networks import networks
from linsep.oracles.sequences import features, sequences
from linsep.protocols import (
    NAMES,
    CertifiedOracle,
    Keeper,
    LabellingOracle,
    Oracle,
    Rule,
    Target,
    declared,
    require,
)
from linsep.rules import Increment, Nearest, RateTable, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0], [0.0, 6.0], [1.0, 7.0]])
Y = np.array([0, 0, 1, 1, 2, 2])
SIGN = np.array([-1, -1, 1, 1])


EDGES = np.array([[0, 1], [1, 2]])
LABELS = [np.array([0, 0, 1]), np.array([1, 2, 2])]


def graphs():
    return make_graphs([(X[:3], EDGES, np.ones((2, 1))), (X[3:], EDGES, np.ones((2, 1)))], 3, LABELS)


def phi(x, k):
    return np.outer(np.eye(3)[k], [*x, 1.0]).ravel()


ORACLES = {
    "Dense": lambda: points(X[:4], SIGN),
    "Sparse": lambda: points(sp.csr_array(X[:4]), SIGN),
    "Differences": lambda: differences([points(X[:4], SIGN, bias=0.0)])[0],
    "Differences of sparse rows": lambda: differences([points(sp.csr_array(X[:4]), SIGN, bias=0.0)])[0],
    "Classes": lambda: classes(X, Y, 3),
    "Classes of sparse rows": lambda: classes(sp.csr_array(X), Y, 3),
    "Ellipsoids": lambda: ellipsoids(X[:4], np.tile(np.eye(2), (4, 1, 1)), np.zeros((4, 0)), 0.5, SIGN),
    "Custom": lambda: Custom(list(X), list(Y), UserFunctions(phi, labels=lambda x: range(3))),
    "Sequences": lambda: sequences([0, 3, 6], Y, features(dense=X), 3),
    "Networks": lambda: networks(graphs()),
    "Networks, TRW-S": lambda: networks(graphs(), "trws"),
    "SearchedNetworks": lambda: networks(graphs(), "elimination"),
}
TARGETS = {
    "Margin(0)": Margin(0.0),
    "Margin(1)": Margin(1.0),
    "EpsOptimal(1)": EpsOptimal(1.0),
    "EpsOptimal(0, 0.1)": EpsOptimal(0.0, 0.1),
}
RULES = {
    "Increment": Increment(1.0),
    "1/sqrt(k)": Increment(2.0, 0.5),
    "RateTable": RateTable(np.full(1000, 0.5), 0),
    "Scheduled": Scheduled(lambda k: 1.0),
    "Relaxation": Relaxation(1.5),
    "Nearest": Nearest(),
}
KEEPERS = {"Last": Last(np.zeros(0)), "Average": Average(np.zeros(3))}


def contracts():
    """Every component with its contract."""
    for name, make in ORACLES.items():
        oracle = make()
        yield pytest.param(oracle, LabellingOracle if declared(type(oracle), "LABELLINGS") else Oracle, id=name)
        if not declared(type(oracle), "LABELLINGS") and name != "Ellipsoids":  # whose certificates Anderson makes
            yield pytest.param(oracle, CertifiedOracle, id=f"{name}, certified")
    yield from (pytest.param(each, Target, id=name) for name, each in TARGETS.items())
    yield from (pytest.param(each, Rule, id=name) for name, each in RULES.items())


def required(contract) -> list[str]:
    """The names that a contract asks for."""
    names = []
    for kind in contract.__mro__:
        names += [name for name, each in vars(kind).items() if isinstance(each, property)]
        names += [name for name, each in vars(kind).items() if inspect.isfunction(each) and name[0] != "_"]
    return names


@pytest.mark.parametrize(("each", "contract"), list(contracts()))
def test_a_component_has_what_its_contract_asks_for_and_is_refused_without(each, contract):
    require(type(each), contract)
    for lacking in required(contract):
        rest = {
            name: getattr(type(each) if inspect.isfunction(getattr(type(each), name, None)) else each, name)
            for name in required(contract)
            if name != lacking
        }
        with pytest.raises(TypeError) as error:
            require(type("Mine", (tuple,), rest), contract)
        said = str(error.value)
        assert re.fullmatch(
            rf"Mine is not {NAMES[contract.__name__]}: expected an? (attribute|method) {lacking}\b[^.]*\.", said
        )


@pytest.mark.parametrize("keeper", KEEPERS.values(), ids=KEEPERS)
def test_a_keeper_has_its_three_methods(keeper):
    for name in required(Keeper):
        expected = inspect.signature(getattr(Keeper, name)).parameters
        assert list(inspect.signature(getattr(type(keeper), name)).parameters) == list(expected)


def test_a_method_with_other_parameters_is_refused():
    class Half(NamedTuple):
        rate: float = 0.5

        def step(self, t, wa):
            return 1.0, self.rate

    with pytest.raises(
        TypeError, match=r"Half is not a rule: expected step\(self, t, wa, ww, aa, goal\), got step\(self, t, wa\)"
    ):
        learn([ORACLES["Dense"]()], Margin(), Half())


def combinations():
    """Every oracle with every target and rule that work together."""
    for a, make in ORACLES.items():
        for b, target in TARGETS.items():
            for c, rule in RULES.items():
                try:
                    check_compatible([make()], target, rule, batch=False)
                except ValueError:
                    continue
                yield pytest.param(make, target, rule, id=f"{a}-{b}-{c}")


def run(kernel, make, target, rule):
    """All visits of at most 200 passes over an oracle."""
    oracle = make()
    state, enough = begin([oracle], average=True), oracle.sign.size
    rule = rule.for_updates(0, 10_000) if isinstance(rule, Scheduled) else rule
    task = Task(oracle, with_float_fields(target), with_float_fields(rule), state.keeper)
    dual_weights = np.zeros(max(10_000, state.dual_weights.size))
    for _ in range(200):
        if declared(type(oracle), "LABELLINGS"):
            oracle.log.cursor[:] = 0, state.counters.updates
        order = np.arange(oracle.sign.size)
        state.counters = kernel(task, state.w, dual_weights, state.counters, order, enough, 1000)
        if state.counters.satisfied >= enough or state.counters.updates >= 1000:
            break
    return oracle, state, dual_weights


@pytest.mark.parametrize(("make", "target", "rule"), list(combinations()))
def test_every_rule_meets_every_oracle_and_target(make, target, rule):
    """Interpreted: w is the recorded combination of vectors, and if the run ended by itself every set is satisfied."""
    oracle, state, dual_weights = run(sweep.py_func, make, target, rule)
    counters, w = state.counters, state.weights
    assert counters.updates > 0 and dual_weights.min() >= 0
    assert counters.scale * dual_weights.sum() == pytest.approx(counters.total, rel=1e-12)
    lowest = min(oracle.lowest(w, i)[0] for i in range(oracle.sign.size))
    assert lowest / np.linalg.norm(w) <= state.upper * (1 + 1e-12)
    if counters.satisfied >= oracle.sign.size:
        goal = target.goal(w @ w, counters.total)
        assert lowest > goal - 1e-9 * max(1.0, abs(goal))


COMPILED = {  # each pair is compiled by itself: one rule per oracle, and all rules on dense points
    "Sparse": "Increment",
    "Differences": "Nearest",
    "Differences of sparse rows": "Nearest",
    "Classes": "Relaxation",
    "Classes of sparse rows": "Increment",
    "Ellipsoids": "Nearest",
    "Networks": "Increment",
    "Sequences": "Increment",
}


def compiled_pairs():
    pairs = [*COMPILED.items(), *(("Dense", rule) for rule in RULES)]
    for oracle, rule in pairs:
        target = Margin(1.0) if rule == "Relaxation" else EpsOptimal(0.0, 0.1) if rule == "Nearest" else Margin(0.0)
        yield pytest.param(ORACLES[oracle], target, RULES[rule], id=f"{oracle}-{rule}")


@pytest.mark.parametrize(("make", "target", "rule"), list(compiled_pairs()))
def test_compiled_and_interpreted_sweeps_are_one_function(make, target, rule):
    component(type(make()))
    (_, slow, slow_weights), (_, fast, fast_weights) = (
        run(each, make, target, rule) for each in (sweep.py_func, sweep)
    )
    assert fast.counters == pytest.approx(slow.counters, rel=1e-12)
    np.testing.assert_allclose(fast.w, slow.w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fast.keeper.total, slow.keeper.total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fast_weights, slow_weights, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in ORACLES if name != "Ellipsoids"])
def test_every_oracle_but_the_ellipsoids_has_a_prover(name):
    oracle = ORACLES[name]()
    assert np.isnan(prover_for(type(oracle))([oracle]).margin(np.zeros(oracle.size)))
