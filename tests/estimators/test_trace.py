"""trace: the updates of an estimator, one by one, are those of its fit."""

import golden
import numpy as np
import pytest
from loop_cases import floats
from machine_cases import clouds
from sklearn.base import clone

from linsep import (
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    NetworkClassifier,
    Perceptron,
    Relaxation,
    SequenceClassifier,
    StructuredClassifier,
    trace,
)
from linsep.loop.passes import trace as trace_loop
from linsep.oracles import points
from linsep.rules import Relaxation as RelaxationRule
from linsep.targets import Margin


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
    with pytest.raises(TypeError, match=r"trace: expected an estimator that makes updates of w, .* got MaximumMargin"):
        trace(MaximumMargin(), golden.X, golden.Y)
    with pytest.raises(ValueError, match="margin"):
        next(trace(Perceptron(margin=-1.0), golden.X, golden.Y))
    with pytest.raises(ValueError, match="expected method 'gradient', 'lms' or 'ho-kashyap'"):
        next(trace(LeastSquares(), golden.X, golden.Y))
    with pytest.raises(ValueError, match="more than two classes"):
        next(trace(LeastSquares("lms"), golden.X, np.arange(9) % 3))


# --- the numbers of the formula --------------------------------------------------------------------------------------


def test_the_numbers_of_the_worked_example_by_hand():
    steps = list(trace(Perceptron(), golden.X, golden.Y, bounds=True))
    assert [step.wa for step in steps] == [0.0, -2.25 - 3 - 1, -6 + 5 + 0]
    assert [step.a.tolist() for step in steps] == [[-0.5, -3.0, -1.0], [4.5, 1.0, 1.0], [-1.5, -2.5, -1.0]]
    assert [(step.alpha, step.beta, step.goal) for step in steps] == [(1.0, 1.0, 0.0)] * 3
    assert [step.before.tolist() for step in steps] == [[0.0, 0.0, 0.0], *golden.PATH[:2]]
    assert [(step.passes, step.visits) for step in steps] == [(1, 1), (1, 6), (2, 14)]
    # w = (-.5, -3, -1) errs on the four of class 2; (4, -2, 0) on x5 = (1.5, 2.5), -6 + 5 < 0; the last on none
    assert [step.errors for step in steps] == [4.0, 1.0, 0.0]
    assert steps[-1].lower == pytest.approx(5.75 / np.sqrt(27.5))  # x6 is lowest: 11.25 - 4.5 - 1
    assert [step.upper for step in steps] == pytest.approx([np.sqrt(10.25), np.sqrt(20) / 2, np.sqrt(27.5) / 3])


def test_a_batch_step_by_hand():
    # S3: a = (0, 1), y1 = (1, 1), y2 = (-2, -1); only y2 is violated, a + 0.5 y2 = (-1, 0.5); then y1: (-0.5, 1) ...
    steps = list(trace(Perceptron(rate=0.5, batch=True, start=[0.0, 1.0]), [[1.0], [2.0]], [1, -1], max_updates=2))
    assert [step.w.tolist() for step in steps] == [[-1.0, 0.5], [-0.5, 1.0]]
    assert [step.rows.tolist() for step in steps] == [[1], [0]]
    assert [(step.row, step.wa, step.beta) for step in steps] == [(-1, -1.0, 0.5), (-1, -0.5, 0.5)]


def test_relaxation_and_kozinec_by_hand():
    # (3, 1) scores -1 with (0, -1): beta = 1.5 (1 + 1) / 10
    step = next(trace(Relaxation(start=[0.0, -1.0], scaling=None), [[3.0], [-3.0]], [1, -1]))
    assert (step.wa, step.goal) == (-1.0, 1.0) and step.beta == pytest.approx(0.3)
    # Kozinec: w = (2, 1), then a = (1, -1) scores 1 <= |w|^2 = 5: k = (5 - 1) / (5 - 2 + 2) = 0.8
    first, second = trace(Kozinec(bias="augmented", tol=1e-9), [[2.0], [-1.0]], [1, 0], max_updates=2)
    assert (first.alpha, first.beta, first.w.tolist()) == (0.0, 1.0, [2.0, 1.0])
    assert second.beta == pytest.approx(0.8) and second.w == pytest.approx([1.2, -0.6])


def test_descents_by_hand():
    X, y = [[1.0], [2.0]], [1, -1]
    step = next(trace(GradientDescent("perceptron", start=[0.0, 1.0]), X, y))
    assert (step.value, step.beta, step.a.tolist(), step.rows.tolist()) == (1.0, 1.0, [-2.0, -1.0], [1])
    one, two = trace(LeastSquares("lms", rate=0.1, start=[0.0, 1.0]), X, y, max_updates=2)
    assert (one.row, one.wa, one.goal, one.beta) == (0, 1.0, 1.0, 0.0)
    assert (two.row, two.wa, two.beta) == (1, -1.0, pytest.approx(0.2))
    # J_s = (1 - 1)^2 + (-1 - 1)^2 = 4, -gradient = 2 (1 + 1) (-2, -1)
    step = next(trace(LeastSquares("gradient", rate=0.1, start=[0.0, 1.0]), X, y))
    assert (step.value, step.a.tolist()) == (4.0, [-8.0, -4.0])


WORDS = [np.array([[0.0, 1.0], [1.0, 0.2]]), np.array([[1.0, 1.0], [0.3, 0.0]])], [list("ab"), list("ba")]
GRAPHS = [(np.array([[1.0], [0.2]]), np.array([[0, 1]])), (np.array([[-1.0], [0.3]]), np.array([[0, 1]]))]
STRUCTURED = StructuredClassifier(lambda x, k: x * np.eye(3)[k], labels=[0, 1, 2], keep="last", target=1.0)
MANY = [
    (Perceptron(keep="last", margin=2.0, rate=lambda k: 1 / k, max_updates=200), floats(1, apart=1.0)),
    (Perceptron(keep="last", batch=True, rate="1/k", max_iter=40), floats(1, apart=0.3)),
    (Perceptron(keep="last", shuffle=True, random_state=0, max_updates=200), floats(1, apart=0.3)),
    (Perceptron(keep="last", scaling="columns", max_updates=200), floats(1, apart=0.3)),
    (Relaxation(keep="last", scaling="columns", max_updates=200), floats(1, apart=0.3)),
    (Relaxation(keep="last", batch=True, max_iter=20), floats(1, apart=0.3)),
    (Kozinec(keep="last", max_updates=200), floats(1, apart=1.5)),
    (Kozinec(keep="last", max_updates=200, start=np.ones(40)), floats(1, apart=1.5)),
    (LinearMachine("relaxation", keep="last", batch=True, max_iter=20), clouds(2, apart=1.0)),
    (LinearMachine("kozinec", keep="last", max_updates=100), clouds(2, apart=2.0)),
    (GradientDescent("relaxation", max_iter=20), floats(1, apart=1.0)),
    (LeastSquares("gradient", max_iter=20), floats(1, apart=1.0)),
    (LeastSquares("lms", max_iter=3), floats(1, apart=1.0)),
    (LeastSquares("ho-kashyap", max_iter=50), floats(1, apart=0.2)),
    (SequenceClassifier(keep="last", random_state=0), WORDS),
    (NetworkClassifier(keep="last", random_state=0), (GRAPHS, [["a", "b"], ["b", "b"]])),
    (STRUCTURED, ([1.0, -1.0, 2.0], [0, 1, 2])),
    (clone(STRUCTURED).set_params(batch=True, target=0.0, max_iter=5), ([1.0, -1.0, 2.0], [0, 1, 2])),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "data"), MANY, ids=lambda each: type(each).__name__)
def test_every_w_follows_from_its_numbers_and_the_last_is_that_of_fit(estimator, data):
    rule = clone(estimator).fit(*data)
    most = rule.certificate_.updates * (len(data[1]) if getattr(estimator, "method", "") == "lms" else 1)
    steps = list(trace(estimator, *data, max_updates=most))
    assert len(steps) == most or estimator.__class__ is LeastSquares  # whose certificate counts a last look
    before = steps[0].before
    for number, step in enumerate(steps, start=1):
        assert step.number == number
        np.testing.assert_array_equal(step.before, before)
        size = 1e-12 * (np.abs(before).max() + np.abs(step.beta * step.a).max())
        np.testing.assert_allclose(step.w, step.alpha * before + step.beta * step.a, rtol=0, atol=size)
        assert step.row in step.rows or (step.row == -1 and step.rows.size)
        if np.isfinite(step.goal) and step.row >= 0 and not isinstance(estimator, LeastSquares):
            assert step.wa <= step.goal
        if not hasattr(estimator, "scaling") or estimator.scaling != "columns":
            assert step.wa == pytest.approx(np.sum(before * step.a), abs=1e-9 * (1 + np.abs(step.wa)))
        before = step.w
    if hasattr(rule, "intercept_"):
        last = np.column_stack([rule.coef_, rule.intercept_]).squeeze()
        shown = before[..., :-1] if isinstance(estimator, Kozinec) else before  # the free bias is placed afterwards
        np.testing.assert_allclose(shown, last[..., :-1] if isinstance(estimator, Kozinec) else last, rtol=1e-9)
    else:
        np.testing.assert_array_equal(before, rule.coef_)


def test_the_recorded_loop_is_the_loop_bit_for_bit():
    X, sign = floats(7, apart=0.3)
    plain = trace_loop([points(X, sign)], Margin(0.5), RelaxationRule(1.3), most=300)
    for update, (row, state) in zip(trace(Relaxation(1.3, 0.5, scaling=None), X, sign), plain, strict=False):
        assert update.row == row
        np.testing.assert_array_equal(update.w, state.weights)


def test_rivals_are_named():
    X, label = clouds(2, apart=2.0)
    names = np.array(["a", "b", "c", "d"])[label]
    for step in trace(LinearMachine(), X, names):
        moved = np.flatnonzero(np.abs(step.w - step.before).max(axis=1))
        assert {*np.array(["a", "b", "c", "d"])[moved]} == {names[step.row], step.rival}
    X, sign = floats(1, apart=1.5)
    for step in trace(Kozinec(), X, sign):
        assert sign[step.rival] != sign[step.row]
        a = 0.5 * (sign[step.row] * X[step.row] + sign[step.rival] * X[step.rival])
        np.testing.assert_allclose(step.a[:-1], a, atol=1e-12)
    for step in trace(SequenceClassifier(random_state=0), *WORDS):
        assert list(step.rival) != WORDS[1][step.row] and len(step.rival) == 2
    for step in trace(STRUCTURED, [1.0, -1.0, 2.0], [0, 1, 2]):
        assert step.rival != [0, 1, 2][step.row]


def test_a_rule_of_your_own_is_traced():
    class Half:  # interpreted
        def step(self, t, wa, ww, aa, goal):
            return 1.0, 0.5

    steps = list(trace(LinearMachine(Half()), golden.X, golden.Y, max_updates=5))
    assert steps and all((step.alpha, step.beta) == (1.0, 0.5) for step in steps)
