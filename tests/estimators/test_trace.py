"""trace: the updates of an estimator, one by one, are those of its fit."""

import golden
import numpy as np
import pytest
from loop_cases import floats
from machine_cases import clouds

from linsep import Kozinec, LinearMachine, MaximumMargin, Perceptron, Relaxation, trace


def test_the_worked_example_update_by_update():
    steps = list(trace(Perceptron(), golden.X, golden.Y))
    assert [step.number for step in steps] == [1, 2, 3]
    assert [step.row for step in steps] == golden.ROWS
    assert [step.w.tolist() for step in steps] == golden.PATH
    assert steps[-1].state.done is False and steps[-1].state.counters.updates == 3


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(keep="last", max_iter=1000),
        Perceptron(margin=0.5, rate="1/k", keep="last", max_iter=1000),
        Relaxation(keep="last"),
        Kozinec(keep="last", bias="augmented"),
    ],
    ids=str,
)
def test_the_last_update_is_the_w_of_fit(estimator):
    X, sign = floats(1, apart=1.5)
    X += 2.0  # away from the origin, where the perceptron needs some passes
    weight = 1.0 + (np.arange(40) % 3)
    steps = list(trace(estimator, X, sign, weight, max_updates=5000))
    assert not hasattr(estimator, "coef_")  # the estimator itself is not fitted
    estimator.fit(X, sign, weight)
    assert len(steps) == estimator.certificate_.updates > 1
    np.testing.assert_allclose(steps[-1].w, [*estimator.coef_[0], *estimator.intercept_], rtol=1e-12)
    del estimator.coef_


def test_a_machine_has_one_row_of_weights_per_class():
    X, label = clouds(2, apart=2.0)
    *_, last = trace(LinearMachine(), X, label)
    rule = LinearMachine(keep="last", max_iter=1000).fit(X, label)
    assert last.w.shape == (4, 4) and last.number == rule.certificate_.updates
    np.testing.assert_allclose(last.w, np.column_stack([rule.coef_, rule.intercept_]), rtol=1e-12)


def test_it_ends_after_so_many_updates():
    X, sign = floats(2, apart=0.1)
    assert [step.number for step in trace(Perceptron(), X, sign, max_updates=7)] == list(range(1, 8))


def test_what_has_no_updates_is_refused():
    with pytest.raises(TypeError, match="trace: expected a Perceptron, Relaxation, Kozinec or LinearMachine, got Max"):
        trace(MaximumMargin(), golden.X, golden.Y)
    with pytest.raises(ValueError, match="trace: expected batch=False, got batch=True"):
        trace(Perceptron(batch=True), golden.X, golden.Y)
    with pytest.raises(ValueError, match="margin"):
        next(trace(Perceptron(margin=-1.0), golden.X, golden.Y))
