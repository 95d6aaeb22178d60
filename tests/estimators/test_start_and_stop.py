"""start: where learning begins. stop: a user's own condition to end. The pocket goes on through partial_fit."""

import golden
import numpy as np
import pytest
from loop_cases import floats, slow

import linsep
from linsep import (
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    NetworkClassifier,
    Perceptron,
    Relaxation,
    SequenceClassifier,
    StructuredClassifier,
)

# --- start -----------------------------------------------------------------------------------------------------------


def test_the_worked_example_from_another_start():
    # by hand, from a(0) = (1, -1, 0): x1..x5 score 2.5, 2, 2, 1.5, 1, x6..x9 3.5, 4, 4, 5: nothing is violated
    rule = Perceptron(start=[1.0, -1.0, 0.0], scaling=None).fit(golden.X, golden.Y)
    assert [*rule.coef_[0], *rule.intercept_] == [1.0, -1.0, 0.0]
    assert rule.certificate_.updates == 0 and rule.check(golden.X, golden.Y)
    # from (0, 1, 0): x1 scores -3, w = (-0.5, -2, -1); x2..x5 pass; x6 scores -2.25 - 2 - 1 < 0, w = (4, -1, 0);
    # x7 ... x9 pass; x1 scores -2 + 3 = 1; x2 -4 + 3 = -1, w = (3, -4, -1); x3 ... x9 pass, x1 too
    rule = Perceptron(start=[0.0, 1.0, 0.0], scaling=None).fit(golden.X, golden.Y)
    assert [*rule.coef_[0], *rule.intercept_] == [3.0, -4.0, -1.0]
    assert rule.certificate_.updates == 3


def test_batch_steps_from_a_start_by_hand():
    # S3's algorithm 3 on two points, y1 = (1, 1), y2 = (-2, -1) mirrored; from a = (0, 1): y2 scores -1, y1 1
    X, y = [[1.0], [2.0]], [1, -1]
    rule = Perceptron(start=[0.0, 1.0], batch=True, keep="last", max_iter=1).fit(X, y)
    assert [*rule.coef_[0], *rule.intercept_] == [-2.0, 0.0]
    both = Perceptron(start=[0.0, 0.0], batch=True, keep="last", max_iter=1).fit(X, y)
    assert [*both.coef_[0], *both.intercept_] == [-1.0, 0.0]


def test_relaxation_from_a_start_by_hand():
    # a = (3, 1), b = 1, w = (0, -1): <w,a> = -1, |a|^2 = 10, w + 1 (1 + 1) / 10 (3, 1) = (0.6, -0.8)
    X, y = [[3.0], [-3.0]], [1, -1]
    rule = Relaxation(rate=1.0, start=[0.0, -1.0], max_updates=1, keep="last", scaling=None).fit(X, y)
    np.testing.assert_allclose([*rule.coef_[0], *rule.intercept_], [0.6, -0.8], rtol=1e-8)


def test_a_machine_begins_at_one_row_per_class():
    start = np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    rule = LinearMachine(start=start, keep="last", max_updates=1).fit([[2.0], [5.0], [-1.0]], [0, 1, 2])
    # row (2, 1) of class 0 scores 1, its rival class 2 scores 2: one update, class 0 + (2, 1), class 2 - (2, 1)
    assert np.column_stack([rule.coef_, rule.intercept_]).tolist() == [[2.0, 2.0], [0.0, 0.0], [-1.0, -1.0]]


def test_gradient_descent_and_lms_from_a_start_by_hand():
    X, y = [[1.0], [2.0]], [1, -1]
    # J_p from a = (0, 1): only (-2, -1) is violated
    rule = GradientDescent("perceptron", start=[0.0, 1.0], keep="last", max_iter=1).fit(X, y)
    assert [*rule.coef_[0], *rule.intercept_] == [-2.0, 0.0]
    # lms, rate 0.1: (1, 1) scores 1, no error; (-2, -1) scores -1, error 2: w + 0.2 (-2, -1)
    rule = LeastSquares("lms", rate=0.1, start=[0.0, 1.0], max_iter=1).fit(X, y)
    np.testing.assert_allclose([*rule.coef_[0], *rule.intercept_], [-0.4, 0.8], rtol=1e-15)
    with pytest.raises(ValueError, match="method='pinv' computes w from the margins"):
        LeastSquares("pinv", start=[0.0, 1.0]).fit(X, y)


@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_kozinec_begins_at_a_convex_combination(bias):
    # augmented: at ((2, 1) + (1, 1)) / 2 = (1.5, 1), the second row scores 2.5 <= |w|^2 = 3.25, and is nearest itself;
    # free: at 2/4 + 1/4 + 1/2 = 1.25, the second row and its rival score 1.25 <= 1.5625, and are nearest: (1 + 1) / 2
    X, y = [[2.0], [1.0], [-1.0]], [1, 1, 0]
    rule = Kozinec(bias=bias, start=[1.0, 1.0, 0.0], max_updates=1, keep="last", tol=1e-9).fit(X, y)
    assert rule.coef_.tolist() == [[1.0]] and rule.check(X, y)
    first = Kozinec(bias=bias, max_updates=1, keep="last", tol=1e-9).fit(X, y)
    assert first.coef_.tolist() == [[2.0 if bias == "augmented" else 1.5]]
    full = Kozinec(bias=bias, start=[1.0, 1.0, 0.0]).fit(X, y)
    assert full.certificate_.status == "eps-optimal" and full.check(X, y)


def test_structures_begin_at_a_w():
    def phi(x, y):
        return np.array([x[y[1]] - x[y[0]]])

    rule = StructuredClassifier(phi, labels=[(0, 1), (1, 0)], start=[0.5]).fit([[1, 4], [7, 2]], [(0, 1), (1, 0)])
    assert rule.coef_.tolist() == [0.5] and rule.certificate_.updates == 0
    with pytest.raises(ValueError, match=r"start: expected 1 finite numbers.*shape \(2,\)"):
        rule.set_params(start=[0.5, 1.0]).fit([[1, 4]], [(0, 1)])


def test_partial_fit_begins_at_the_start_too():
    rule = Perceptron(start=[1.0, -1.0, 0.0], scaling=None, keep="last")
    for part in (slice(0, 7), slice(7, 9)):
        rule.partial_fit(golden.X[part], golden.Y[part], [1, 2])
        assert [*rule.coef_[0], *rule.intercept_] == [1.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Perceptron(start=[1.0]), r"expected 3 finite numbers, the bias last, got an array of shape \(1,\)"),
        (Perceptron(start=[1.0, np.nan, 0.0]), "got NaN or infinity"),
        (Perceptron(start=[1.0, 1.0, 1.0], fit_intercept=False), "expected a bias of 0"),
        (LinearMachine(start=[1.0, 1.0, 1.0]), "expected 2 x 3 finite numbers"),
        (LinearMachine(rule="kozinec", start=np.zeros((2, 3))), "begins at a point of the hull"),
        (Kozinec(start=[-1.0] * 9), r"expected weights >= 0 of shape \(9,\)"),
        (GradientDescent(start="abc"), "start"),
        (Perceptron(start=[1e200, 0.0, 0.0]), r"a w of 1e\+200 is too large beside these examples"),
        (LinearMachine(start=np.full((2, 3), 1e308)), "too large beside these examples"),
    ],
    ids=str,
)
def test_a_bad_start_is_refused(rule, said):
    with pytest.raises(ValueError, match=said):
        rule.fit(golden.X, golden.Y)


def test_a_warm_start_of_rows_in_another_unit_is_refused_where_it_does_not_fit():
    X, sign = floats(6, d=2, apart=0.5)
    rule = Relaxation(warm_start=True, fit_intercept=False).fit(X, sign)  # scores of 1: w shrinks as rows grow
    with pytest.raises(ValueError, match="too large beside these examples"):
        rule.fit(np.ldexp(X, 300), sign)


def test_a_start_is_in_the_units_of_the_rows():
    X, sign = floats(6, d=2, apart=0.5)
    near = Perceptron(start=[1.0, 2.0, 0.0], keep="last", max_updates=1, fit_intercept=False)
    far = Perceptron(start=[2.0**300, 2.0**301, 0.0], keep="last", max_updates=1, fit_intercept=False)
    near.fit(X, sign)
    far.fit(np.ldexp(X, 300), sign)  # rows and w times 2^300: the same run
    np.testing.assert_array_equal(np.ldexp(near.coef_, 300), far.coef_)


# --- stop ------------------------------------------------------------------------------------------------------------


def term_cond(seen, end):
    """A condition that keeps what it is told, and ends as ``end`` says."""

    def stop(progress):
        seen.append(progress)
        return end(progress)

    return stop


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_the_record_is_that_of_the_lecture(batch):
    X, sign = floats(31, n=60, d=2, apart=0.4)
    seen = []
    rule = Perceptron(batch=batch, keep="pocket", scaling=None, stop=term_cond(seen, lambda p: p.t - p.t_lup >= 4))
    rule.fit(X, sign)
    assert [p.t for p in seen] == list(range(1, len(seen) + 1))
    best = np.inf
    for p in seen:  # w is the best so far, its errors counted here once more
        assert p.errors == np.count_nonzero(sign * (X @ p.w[:-1] + p.w[-1]) <= 0) <= best
        assert (p.t_lup == p.t) == (p.errors < best)
        best = p.errors
    assert seen[-1].t - seen[-1].t_lup == 4 and 0 <= seen[0].seconds <= seen[-1].seconds
    assert rule.certificate_.reason == "the condition stop is met"
    assert rule.certificate_.violated <= best


def test_a_condition_says_why():
    X, sign = slow()
    rule = Relaxation(stop=lambda p: "three are enough" if p.t == 3 else False, scaling=None).fit(X, sign)
    assert rule.n_iter_ == 3 and rule.certificate_.reason == "three are enough"


def test_a_condition_sees_w_as_the_user_does():
    X, sign = slow()
    X = np.ldexp(X, 200)
    seen = []
    Perceptron(keep="pocket", stop=term_cond(seen, lambda p: p.t == 2)).fit(X, sign)
    assert seen[-1].errors == np.count_nonzero(sign * (X @ seen[-1].w[:-1] + seen[-1].w[-1]) <= 0)


WORDS = [np.array([[0.0, 1.0], [1.0, 0.2]]), np.array([[1.0, 1.0], [0.3, 0.0]])], [list("ab"), list("ba")]
GRAPHS = [(np.array([[1.0], [0.2]]), np.array([[0, 1]])), (np.array([[-1.0], [0.3]]), np.array([[0, 1]]))]


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        (Kozinec(bias="augmented", tol=1e-12), (golden.X, golden.Y)),
        (LinearMachine(target=1e9), (np.eye(3), [0, 1, 2])),
        (StructuredClassifier(lambda x, k: x * np.eye(2)[k], labels=[0, 1], target=1e9), ([1.0, -1.0], [0, 1])),
        (SequenceClassifier(target=1e9), WORDS),
        (NetworkClassifier(target=1e9), (GRAPHS, [["a", "b"], ["b", "b"]])),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_estimator_of_the_loop_takes_a_condition(rule, data):
    seen = []
    rule.set_params(stop=term_cond(seen, lambda p: p.t == 1)).fit(*data)
    assert len(seen) == 1 and np.isfinite(seen[-1].w).all() and np.isfinite(seen[-1].errors)
    assert rule.certificate_.reason == "the condition stop is met"


def test_an_error_in_the_condition_is_the_users():
    with pytest.raises(ZeroDivisionError):
        Perceptron(stop=lambda p: 1 / 0).fit(*slow())


# --- the pocket and partial_fit --------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [False, True], ids=["single", "batch"])
def test_the_pocket_survives_partial_fit(batch):
    X, sign = floats(31, n=60, d=2, apart=0.4)
    rule = Perceptron(keep="pocket", batch=batch, scaling=None).fit(X, sign)
    best = rule.certificate_.violated
    for _ in range(5):
        before = rule.coef_.copy()
        rule.partial_fit(X, sign)
        assert rule.certificate_.violated <= best
        assert rule.certificate_.violated < best or (rule.coef_ == before).all()  # ties go to the earlier w
        best = rule.certificate_.violated
    fresh = Perceptron(keep="pocket", batch=batch, scaling=None).partial_fit(X, sign, [-1, 1])
    assert fresh.certificate_.violated > best  # so the pocket was needed


def test_the_pocket_is_compared_on_the_new_rows(tmp_path):
    rule = Perceptron(keep="pocket", scaling=None).fit(golden.X, golden.Y)
    other = linsep.load(rule.save(tmp_path / "pocket.linsep") or tmp_path / "pocket.linsep")
    flipped = 3 - golden.Y
    for each in (rule, other):  # on flipped labels the pocket makes nine errors of nine
        each.partial_fit(golden.X, flipped)
        assert each.certificate_.violated < 9
    np.testing.assert_array_equal(rule.coef_, other.coef_)


def test_a_machine_keeps_its_pocket():
    X, label = np.array([[0.0, 0.1], [4.0, 0.0], [2.0, 3.0], [2.1, 1.0]]), [0, 1, 2, 0]
    rule = LinearMachine(keep="pocket", scaling=None, max_iter=30).fit(X, label)
    best = rule.certificate_.violated
    for _ in range(3):
        assert rule.partial_fit(X, label).certificate_.violated <= best
