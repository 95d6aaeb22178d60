"""A rule of the user's own, with nothing but `step`, in every estimator that takes a rule."""

from typing import NamedTuple

import numpy as np
import pytest
from chain_structures import phi, sequences, words
from graph_structures import labelled_graphs
from machine_cases import clouds

from linsep import LinearMachine, NetworkClassifier, SequenceClassifier, StructuredClassifier
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.loop.sweep import sweep
from linsep.oracles import classes
from linsep.rules import Increment
from linsep.targets import Margin


class Unit(NamedTuple):
    """Add the vector divided by its length: a rule that is compiled."""

    rate: float = 1.0

    def step(self, t, wa, ww, aa, goal):
        return 1.0, self.rate / aa**0.5


class Plain:
    """The same as a plain class, which is interpreted."""

    def step(self, t, wa, ww, aa, goal):
        return 1.0, 1.0 / aa**0.5


class Nothing(NamedTuple):
    rate: float = 1.0


ESTIMATORS = {
    "machine": (lambda rule: LinearMachine(rule, keep="last", max_iter=500), clouds(3, apart=2.0)),
    "structured": (lambda rule: StructuredClassifier(phi, labels=words, rule=rule), sequences(0)),
    "sequences": (lambda rule: SequenceClassifier(rule=rule, max_iter=200, random_state=0), sequences(0)),
    "networks": (
        lambda rule: NetworkClassifier(rule=rule, fit_intercept=False, max_iter=200, shuffle=False),
        labelled_graphs(0, tree=True),
    ),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, Plain) for name in ESTIMATORS),
        ("machine", Unit),
        ("structured", Unit),
        *(pytest.param(name, Unit, marks=pytest.mark.long) for name in ("sequences", "networks")),
    ],
)
def test_a_rule_with_only_a_step_learns_and_is_checked(name, kind):
    make, data = ESTIMATORS[name]
    rule = make(kind()).fit(*data)
    assert rule.certificate_.status == "separated" and rule.certificate_.updates > 0
    assert rule.check(*data)


def test_the_step_is_what_moves_w():
    X, label = clouds(3, apart=2.0)
    found = learn([classes(X, label, 4)], Margin(0.0), Plain(), stop=Stop(passes=500))
    scale = 1 / np.sqrt(2.0 * (np.sum(X * X, axis=1) + 1.0))  # rows of length 1, with the constant
    rows = np.column_stack([X, np.ones(len(X))]) * scale[:, None]
    peer = learn([classes(rows, label, 4, bias=0.0)], Margin(0.0), Increment(1.0), stop=Stop(passes=500))
    assert found.certificate.updates == peer.certificate.updates > 5
    np.testing.assert_allclose(found.w, peer.w[:, :-1], rtol=1e-9, atol=1e-12)


def test_a_users_rule_is_compiled_and_leaves_our_kernels_alone():
    X, label = clouds(4, apart=2.0)
    before = len(sweep.signatures)
    compiled, plain = (LinearMachine(rule, keep="last", max_iter=500).fit(X, label) for rule in (Unit(), Plain()))
    assert len(sweep.signatures) == before  # none of it is among what the disk keeps
    assert compiled.certificate_.updates == plain.certificate_.updates
    np.testing.assert_allclose(compiled.coef_, plain.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_is_missing_is_named(name):
    make, data = ESTIMATORS[name]
    with pytest.raises(TypeError, match=r"Nothing is not a rule: expected a method step\(self, t, wa, ww, aa, goal\)"):
        make(Nothing()).fit(*data)
    if name != "sequences":  # which have no batch form
        with pytest.raises(ValueError, match="Plain has no batch form: expected the methods batch_weight and batch_st"):
            make(Plain()).set_params(batch=True, keep="last").fit(*data)
    with pytest.raises(ValueError, match=r"rule: expected one of .* or a rule, got 'newton'"):
        make("newton").fit(*data)
