"""trace: the updates of an estimator, one by one, are those of its fit."""

import golden
import numpy as np
import pytest
from loop_cases import floats
from machine_cases import clouds
from sklearn.base import clone

from linsep import (
    Anderson,
    AveragedPerceptron,
    Bayes,
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
    with pytest.raises(TypeError, match=r"trace: expected an estimator that makes updates of w, .* got Bayes"):
        trace(Bayes(), golden.X, golden.Y)
    with pytest.raises(ValueError, match="margin"):
        next(trace(Perceptron(margin=-1.0), golden.X, golden.Y))
    for method in ("pinv", "ridge"):
        with pytest.raises(ValueError, match="without steps: trace method='gradient', 'lms' or 'ho-kashyap'"):
            trace(LeastSquares(method), golden.X, golden.Y)
    with pytest.raises(ValueError, match="two Gaussians are one equation"):
        next(trace(Anderson(), golden.X, golden.Y))
    with pytest.raises(ValueError, match="a committee has a w for each member"):
        trace(MaximumMargin(C=1.0, multi_class="one-vs-all"), golden.X, np.arange(9) % 3)


@pytest.mark.parametrize("method", ["pinv", "ridge", "ho-kashyap"])
def test_a_start_that_fit_refuses_is_refused_with_the_same_words(method):
    rule, said = (
        LeastSquares(method, start=[0.0, 1.0, 0.0]),
        "start: method=.* computes w from the margins: expected None",
    )
    with pytest.raises(ValueError, match=said):
        rule.fit(golden.X, golden.Y)
    with pytest.raises(ValueError, match=said):
        next(trace(rule, golden.X, golden.Y))


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


# --- solvers that are not the loop -----------------------------------------------------------------------------------


def joined(rule):
    return np.column_stack([rule.coef_, rule.intercept_]).squeeze()


def follows(steps):
    """Every w follows from the one before."""
    before = steps[0].before
    for number, step in enumerate(steps, start=1):
        assert step.number == number
        np.testing.assert_array_equal(step.before, before)
        np.testing.assert_allclose(step.w, before + step.beta * step.a, atol=1e-12 * (1 + np.abs(before).max()))
        before = step.w


@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_hard_margins_are_nearest_points_of_more_and_more_rows(bias):
    X, sign = floats(4, n=400, apart=1.5)
    rule = MaximumMargin(bias=bias).fit(X, sign)
    steps = list(trace(MaximumMargin(bias=bias), X, sign))
    follows(steps)
    assert len(steps) == rule.n_iter_ > 1
    np.testing.assert_array_equal(steps[-1].w[:-1], rule.coef_[0])
    assert {*steps[-1].rows} == {*rule.support_}
    for step in steps:  # both bounds, computed here from the weights and from the rows
        A = sign[:, None] * (np.column_stack([X, np.ones(len(X))]) if bias == "augmented" else X)
        w = step.w if bias == "augmented" else step.w[:-1]
        np.testing.assert_allclose(step.state @ A, w, atol=1e-9)
        score = A @ w
        lowest = score.min() if bias == "augmented" else 0.5 * (score[sign > 0].min() + score[sign < 0].min())
        assert step.upper == pytest.approx(np.linalg.norm(w)) and step.lower == pytest.approx(lowest / step.upper)
        assert step.lower <= rule.certificate_.upper and step.upper >= rule.certificate_.lower


def test_a_hard_machine_is_traced_listed_or_not(monkeypatch):
    X, label = clouds(2, apart=2.0)
    rule = MaximumMargin().fit(X, label)
    for listed in (2**20, 0):
        monkeypatch.setattr("linsep.solvers.machine_margin.LISTED", listed)
        steps = list(trace(MaximumMargin(), X, label))
        follows(steps)
        np.testing.assert_allclose(steps[-1].w, joined(rule), atol=1e-7)
        assert {*steps[-1].rows} == {*rule.support_}
        assert steps[-1].lower == pytest.approx(steps[-1].upper) == pytest.approx(rule.margin_)


@pytest.mark.parametrize("method", ["ascent", "newton"])
def test_soft_margins_come_to_the_w_of_fit(method):
    X, sign = floats(5, apart=0.3)
    soft = MaximumMargin(C=1.0, bias="augmented", method=method, tol=1e-6)
    steps = list(trace(soft, X, sign))
    follows(steps)
    np.testing.assert_allclose(steps[-1].w, joined(soft.fit(X, sign)), atol=1e-12)
    costs = [0.5 * s.w @ s.w + np.maximum(0, 1 - sign * (X @ s.w[:-1] + s.w[-1])).sum() for s in steps]
    assert min(costs) == pytest.approx(soft.certificate_.upper) and costs[0] > costs[-1]


def test_a_soft_machine_comes_to_the_w_of_fit():
    X, label = clouds(3, apart=0.5)
    soft = MaximumMargin(C=1.0, tol=1e-4)
    steps = list(trace(soft, X, label))
    follows(steps)
    np.testing.assert_allclose(steps[-1].w, joined(soft.fit(X, label)), atol=1e-2)


@pytest.mark.parametrize(
    "rule", [GradientDescent(), LeastSquares("gradient"), LeastSquares("lms", max_iter=20)], ids=str
)
def test_machines_by_descent_come_to_the_w_of_fit(rule):
    X, label = clouds(3, apart=0.5)
    label = np.array(["a", "b", "c", "d"])[label]
    most = (
        20 * 4 * len(X)
        if getattr(rule, "method", "") == "lms"
        else 1000
        if isinstance(rule, GradientDescent)
        else 10_000
    )  # as fit has them
    steps = list(trace(rule, X, label, max_updates=most, bounds=True))
    follows(steps)
    rule.fit(X, label)
    np.testing.assert_allclose(steps[-1].w, joined(rule), rtol=1e-9, atol=1e-12)
    scores = X @ steps[-1].w[:, :-1].T + steps[-1].w[:, -1]
    assert steps[-1].errors == np.count_nonzero(np.array(["a", "b", "c", "d"])[scores.argmax(axis=1)] != label)
    assert all(step.rows.max() < len(X) for step in steps)
    if isinstance(rule, LeastSquares):  # one class moves at a time
        for step in steps[:8]:
            moved = np.flatnonzero(np.abs(step.a).any(axis=1))
            assert not moved.size or np.array(["a", "b", "c", "d"])[moved].tolist() == [step.rival]


def test_ho_kashyap_of_many_classes_is_traced():
    X, label = clouds(3, apart=0.5)
    rule = LeastSquares("ho-kashyap", max_iter=7)
    steps = list(trace(rule, X, label, max_updates=6))  # the last of 7 rounds of fit sees that the budget is spent
    follows(steps)
    assert len(steps) == 6
    b = np.where(np.eye(4)[label] > 0, 0.0, rule.fit(X, label).margins_)
    assert (b[np.eye(4)[label] == 0] >= 1).all()


def test_mean_lms_is_traced_before_its_mean():
    X, sign = floats(1, apart=0.2)
    rule = LeastSquares("lms", keep="average", max_iter=3)
    steps = list(trace(rule, X, sign, max_updates=3 * len(X)))
    follows(steps)
    mean = np.mean([step.w for step in steps], axis=0)
    np.testing.assert_allclose(mean, joined(rule.fit(X, sign)), rtol=1e-9)


@pytest.mark.parametrize(
    "rule",
    [Anderson(components=2, random_state=0), Anderson(method="direction"), Anderson(0.2, method="kozinec")],
    ids=str,
)
def test_anderson_comes_to_the_hyperplane_of_fit(rule):
    X, sign = floats(5, n=200, apart=1.5)
    steps = list(trace(rule, X, sign))
    follows(steps)
    rule.fit(X, sign)
    w, last = rule.coef_[0], steps[-1].w
    tolerance = 1e-9 if rule.method != "optimal" else 1e-2  # the last steps to the optimum are those of `polish`
    np.testing.assert_allclose(last[:-1] / np.linalg.norm(last[:-1]), w, atol=tolerance)
    if rule.method == "kozinec":  # by Monte Carlo's exact sibling: the error of every Gaussian for this hyperplane
        r = rule.labels_ * (rule.means_ @ last[:-1] + last[-1])
        r /= np.sqrt(np.einsum("i,kij,j->k", last[:-1], np.array(rule.covariances_), last[:-1]))
        assert r.min() > 0.8416  # -Phi^-1(0.2)
    else:
        assert all(step.lower <= rule.certificate_.upper * (1 + 1e-9) for step in steps)


def test_the_largest_margin_of_labellings_is_traced():
    steps = list(trace(SequenceClassifier(rule="maximum margin"), *WORDS))
    follows(steps)
    rule = SequenceClassifier(rule="maximum margin").fit(*WORDS)
    np.testing.assert_allclose(steps[-1].w, rule.coef_, atol=1e-7)
    assert {*steps[-1].rows} <= {0, 1}


def test_it_ends_a_solver_after_so_many_updates():
    X, sign = floats(5, apart=0.3)
    assert len(list(trace(MaximumMargin(C=1.0, method="ascent", tol=1e-9), X, sign, max_updates=3))) == 3


def test_an_averaged_perceptron_begins_at_its_start():
    # by hand: w = (0, 1, 0) moves at row 0 to (0, 1, 0) + (-0.5, -3, -1), as the perceptron does, but margin 1 is asked
    rule = AveragedPerceptron(margin=0.0, start=[0.0, 1.0, 0.0], scaling=None)
    steps = list(trace(rule, golden.X, golden.Y, max_updates=2))
    assert steps[0].before.tolist() == [0.0, 1.0, 0.0] and steps[0].w.tolist() == [-0.5, -2.0, -1.0]
    same = Perceptron(start=[0.0, 1.0, 0.0], scaling=None, keep="average", max_iter=10).fit(golden.X, golden.Y)
    np.testing.assert_allclose(joined(rule.set_params(max_iter=10).fit(golden.X, golden.Y)), joined(same), atol=0.5)


def test_an_update_is_one_short_line():
    steps = list(trace(Perceptron(), golden.X, golden.Y))
    assert repr(steps[1]) == "Update 2 by row 5, <w,a> = -6.25 <= 0: w <- w + 1 a = [4 -2 0]"
    X, label = clouds(2, apart=2.0)
    update = next(trace(LinearMachine(), X, np.array(list("abcd"))[label]))
    assert repr(update).endswith("against b, <w,a> = 0 <= 0: w <- w + 1 a = 4 x 4 numbers")
    assert all(len(repr(each)) < 120 for each in trace(Kozinec(), golden.X, golden.Y))
