"""Input, good and bad: every error names its culprit, nothing hangs, and whatever holds a table is read."""

import pickle
import warnings

import golden
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from linsep import (
    GradientDescent,
    Kozinec,
    LeastSquares,
    NetworkClassifier,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Relaxation,
    SequenceClassifier,
    StructuredClassifier,
)
from linsep.certificates.base import at_most

ESTIMATORS = {
    "perceptron": Perceptron(),
    "batch perceptron": Perceptron(batch=True),
    "relaxation": Relaxation(max_iter=50),
    "kozinec": Kozinec(max_iter=50),
    "augmented kozinec": Kozinec(bias="augmented", max_iter=50),
    "squares": LeastSquares("pinv"),
    "ridge": LeastSquares(),
    "gradient squares": LeastSquares(method="gradient", max_iter=20),
    "lms": LeastSquares(method="lms", max_iter=20),
    "ho-kashyap": LeastSquares(method="ho-kashyap", max_iter=20),
    "descent": GradientDescent(max_iter=20),
    "perceptron descent": GradientDescent(criterion="perceptron", max_iter=20),
}
every = pytest.mark.parametrize("rule", [pytest.param(rule, id=name) for name, rule in ESTIMATORS.items()])
PARTIAL = {name: rule for name, rule in ESTIMATORS.items() if name not in ("gradient squares", "ho-kashyap")}
every_partial = pytest.mark.parametrize("rule", [pytest.param(rule, id=name) for name, rule in PARTIAL.items()])

X, Y = golden.X, np.where(golden.Y == 2, "right", "left")


def overlapping(seed=0, n=40, d=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, d)) + 0.4 * (2 * y - 1)[:, None], y


def but(value, row=3, column=1):
    """X with one number replaced."""
    return np.where(np.arange(X.size).reshape(X.shape) == row * X.shape[1] + column, value, X)


def plane(rule):
    return np.append(rule.coef_[0], rule.intercept_)


# --- bad data --------------------------------------------------------------------------------------------------------

BAD_DATA = {
    "NaN": (but(np.nan), Y, "X contains NaN"),
    "inf": (but(np.inf), Y, "X contains infinity"),
    "-inf": (but(-np.inf), Y, "X contains infinity"),
    "NaN, sparse": (sp.csr_array(but(np.nan)), Y, "NaN"),
    "NaN, float32": (but(np.nan).astype(np.float32), Y, "X contains NaN"),
    "one class": (X, np.full(9, "left"), "one class.*'left'"),
    "empty": (np.zeros((0, 2)), np.zeros(0), "0 sample"),
    "no columns": (np.zeros((9, 0)), Y, "0 feature"),
    "strings": (X.astype(str).astype(object) + "cm", Y, "'0.5cm'"),
    "complex": (X + 1j, Y, "[Cc]omplex"),
    "one dimension": (X[:, 0], Y, "2D array"),
    "three dimensions": (X[:, :, None], Y, "dim 3"),
    "labels too few": (X, Y[:-1], r"\[9, 8\]"),
    "labels of a table": (X, np.column_stack([Y, Y]), "y should be a 1d array"),
    "real labels": (X, np.linspace(0, 1, 9), "label type"),
    "NaN labels": (X, np.where(Y == "left", np.nan, 1.0), "y contains NaN"),
}


@every
@pytest.mark.parametrize("bad", BAD_DATA)
def test_bad_data_are_refused_by_name(rule, bad):
    data, labels, said = BAD_DATA[bad]
    with pytest.raises(ValueError, match=said):
        clone(rule).fit(data, labels)


@every
@pytest.mark.parametrize("bad", [bad for bad in BAD_DATA if bad not in ("no columns", "strings")])
def test_a_refused_fit_leaves_the_old_model_as_it_was(rule, bad):
    old = clone(rule).fit(X, Y)
    before = pickle.dumps((old.coef_, old.intercept_, old.classes_, old.n_features_in_, old.certificate_.to_dict()))
    wider = BAD_DATA[bad][0]
    if bad == "one class":
        wider = np.hstack([X, X])
    with pytest.raises(ValueError):
        old.fit(wider, BAD_DATA[bad][1])
    after = pickle.dumps((old.coef_, old.intercept_, old.classes_, old.n_features_in_, old.certificate_.to_dict()))
    assert after == before
    assert np.array_equal(old.predict(X), clone(rule).fit(X, Y).predict(X))


def test_rules_for_two_classes_refuse_three():
    rule = LeastSquares(margins="fisher")
    with pytest.raises(ValueError, match=r"3 classes.*'a', 'b', 'c'.*Give margins as numbers, or use OneVsAll"):
        rule.fit(X, np.array(["a", "b", "c"] * 3))
    with pytest.raises(ValueError, match="3 classes"):
        rule.partial_fit(X, Y, classes=["left", "middle", "right"])


@every
def test_bad_data_are_refused_at_predict(rule):
    fitted = clone(rule).fit(X, Y)
    for ask in (fitted.predict, fitted.decision_function, fitted.distance):
        with pytest.raises(ValueError, match=r"3 features.*expecting 2"):
            ask(np.ones((4, 3)))
        with pytest.raises(ValueError, match="X contains NaN"):
            ask(but(np.nan))
        with pytest.raises(ValueError, match="2D array"):
            ask(X[0])
    for ask in ("predict", "decision_function", "distance"):
        with pytest.raises(NotFittedError, match=type(rule).__name__):
            getattr(clone(rule), ask)(X)


@every
@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (np.r_[np.ones(8), -1.0], "Negative values.*sample_weight"),
        (np.zeros(9), "[Ss]ample.?weight.*zero"),
        (np.ones(8), r"sample_weight.*\(8,\).*\(9,\)"),
        (np.ones((9, 2)), "[Ss]ample.?weight"),
        (np.r_[np.ones(8), np.nan], "sample_weight contains NaN"),
        (np.r_[np.ones(8), np.inf], "sample_weight contains infinity"),
        ((Y == "left").astype(float), "sample_weight.*'right'"),
    ],
    ids=["negative", "all zero", "too few", "a table", "NaN", "infinite", "one class"],
)
def test_bad_weights_are_refused_by_name(rule, weight, said):
    with pytest.raises(ValueError, match=said):
        clone(rule).fit(X, Y, sample_weight=weight)


@every
@pytest.mark.parametrize(
    "weights",
    [{"left": -1.0, "right": 1.0}, {"left": np.nan, "right": 1.0}, {"left": np.inf, "right": 1.0}],
    ids=["negative", "NaN", "infinite"],
)
def test_bad_class_weights_are_refused_by_name(rule, weights):
    with pytest.raises(ValueError, match="class_weight"):
        clone(rule).set_params(class_weight=weights).fit(X, Y)


@every
def test_class_weights_of_unknown_classes_are_refused_by_name(rule):
    with pytest.raises(ValueError, match="class_weight"):
        clone(rule).set_params(class_weight={"up": 1.0, "down": 2.0}).fit(X, Y)
    with pytest.raises(ValueError, match="'left'"):
        clone(rule).set_params(class_weight={"left": 0.0, "right": 1.0}).fit(X, Y)


# --- bad parameters --------------------------------------------------------------------------------------------------


def constant(value):
    return lambda k: value


def J(w, A):
    return float(np.sum(np.logaddexp(0, -(A @ w))))


def slope(w, A):
    return -(A.T @ (1 / (1 + np.exp(A @ w))))


BAD_PARAMETERS = [
    *((Perceptron, {"rate": rate}, "rate") for rate in (0, 0.0, -1.0, np.nan, np.inf, "1/x", None)),
    *((Perceptron, {"rate": constant(rate)}, "rate") for rate in (0.0, -1.0, np.nan, np.inf)),
    *((Perceptron, {"rate": constant(rate)}, "rate") for rate in ("fast", None, [1, 2])),
    (Perceptron, {"margin": -0.5}, "margin"),
    (Perceptron, {"margin": np.nan}, "margin"),
    (Perceptron, {"max_iter": 0}, "max_iter"),
    (Perceptron, {"max_iter": 2.5}, "max_iter"),
    (Perceptron, {"max_updates": 0}, "max_updates"),
    (Perceptron, {"max_seconds": 0}, "max_seconds"),
    (Perceptron, {"patience": 0}, "patience"),
    (Perceptron, {"theta": -1.0, "batch": True}, "theta"),
    (Perceptron, {"theta": 0.1}, "theta"),
    (Perceptron, {"keep": "best"}, "keep"),
    (Perceptron, {"keep": "average", "batch": True}, "keep"),
    (Perceptron, {"batch": "yes"}, "batch"),
    (Perceptron, {"class_weight": "heavy"}, "class_weight"),
    (Perceptron, {"shuffle": True, "random_state": "dice"}, "random_state"),
    *((Relaxation, {"rate": rate}, "rate") for rate in (0, -1.0, 2, 2.0, 3.0, np.nan, "1/k")),
    *((Relaxation, {"margin": margin}, "margin") for margin in (0, -1.0, np.nan)),
    *((Kozinec, {"eps": eps}, "eps") for eps in (0, 0.0, -1e-3, np.nan, np.inf, "small")),
    *((Kozinec, {"relative": share}, "relative") for share in (0.0, -0.1, 1.0, 1.5, np.nan)),
    (Kozinec, {"bias": "none"}, "bias"),
    (LeastSquares, {"method": "magic"}, "method"),
    (LeastSquares, {"margins": np.ones(8)}, "margins"),
    (LeastSquares, {"margins": np.ones((9, 2))}, "margins"),
    (LeastSquares, {"margins": np.r_[np.ones(8), np.nan]}, "margins"),
    (LeastSquares, {"margins": np.inf}, "margins"),
    (LeastSquares, {"margins": "gauss"}, "margins"),
    (LeastSquares, {"margins": -1.0, "method": "ho-kashyap"}, "margins"),
    (LeastSquares, {"margins": np.r_[np.ones(8), 0.0], "method": "ho-kashyap"}, "margins"),
    (LeastSquares, {"rate": 1.5, "method": "ho-kashyap"}, "rate"),
    (LeastSquares, {"rate": "1/k", "method": "ho-kashyap"}, "rate"),
    (LeastSquares, {"rate": 0.0, "method": "lms"}, "rate"),
    (LeastSquares, {"rate": 1e3, "method": "lms", "max_iter": 500}, "rate"),
    (LeastSquares, {"rate": 1e3, "method": "gradient", "max_iter": 500}, "rate"),
    (LeastSquares, {"rate": constant(np.nan), "method": "lms"}, "rate"),
    (LeastSquares, {"tol": -1.0}, "tol"),
    (GradientDescent, {"criterion": "beauty"}, "criterion"),
    (GradientDescent, {"criterion": J}, "criterion"),
    (GradientDescent, {"criterion": (J,)}, "criterion"),
    (GradientDescent, {"criterion": (J, slope, slope)}, "criterion"),
    (GradientDescent, {"criterion": (J, 1.0)}, "criterion"),
    (GradientDescent, {"criterion": (J, lambda w, A: slope(w, A)[:-1])}, "criterion.*gradient"),
    (GradientDescent, {"criterion": (J, lambda w, A: 1.0)}, "criterion.*gradient"),
    (GradientDescent, {"criterion": (J, lambda w, A: np.full_like(w, np.nan))}, "gradient"),
    (GradientDescent, {"criterion": (lambda w, A: np.nan, slope)}, "criterion"),
    (GradientDescent, {"criterion": (lambda w, A: np.nan, slope), "rate": 0.1}, "criterion"),
    (GradientDescent, {"criterion": (lambda w, A: -np.inf, slope)}, "criterion"),
    (GradientDescent, {"rate": 0.0}, "rate"),
    (GradientDescent, {"rate": constant(np.nan)}, "rate"),
    (GradientDescent, {"criterion": "squares", "rate": 1e3}, "rate"),
    (GradientDescent, {"theta": 0.0}, "theta"),
    (GradientDescent, {"margin": 0.0}, "margin"),
    (GradientDescent, {"keep": "average"}, "keep"),
]


def written(case):
    make, values, _ = case
    said = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"{make.__name__}({said if len(said) < 60 and ' at 0x' not in said else ', '.join(values) + '...'})"


@pytest.mark.parametrize("case", BAD_PARAMETERS, ids=map(written, BAD_PARAMETERS))
def test_bad_parameters_are_refused_by_name(case, within):
    make, values, said = case
    # overflow on the way to the error is the error's own business
    with within(), np.errstate(all="ignore"), pytest.raises((ValueError, TypeError), match=said):
        make(**values).fit(X, Y)


@every
def test_parameters_are_left_as_they_were_given(rule):
    fresh = clone(rule)
    before = fresh.get_params()
    fresh.fit(X, Y)
    assert fresh.get_params() == before


# --- budgets ---------------------------------------------------------------------------------------------------------


def hard():
    """Separable, but not soon."""
    return np.array([[100.0], [101.0], [100.3], [100.9]]), np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("rule", "advice"),
    [
        (Perceptron(max_iter=3, keep="last", scaling=None), "Raise max_iter"),
        (Perceptron(max_updates=5, keep="last", scaling=None), "Raise max_iter"),
        (Perceptron(max_iter=3, batch=True, scaling=None), "Raise max_iter"),
        (Relaxation(max_iter=3, keep="last", scaling=None), "Raise max_iter"),
        (GradientDescent(criterion="perceptron", max_iter=3), "Raise max_iter"),
        (LeastSquares(method="lms", max_iter=1), "Raise max_iter"),
    ],
    ids=str,
)
def test_a_spent_budget_is_said_in_one_line_with_what_to_try(rule, advice):
    data, y = hard()
    with pytest.warns(ConvergenceWarning) as caught:
        rule.fit(data, y)
    said = str(caught[0].message)
    claim = rule.certificate_
    assert claim.status == "budget spent"
    assert len(caught) == 1 and "\n" not in said and len(said) < 160
    assert said.startswith(f"{type(rule).__name__}: the budget is spent. ") and advice.lower() in said.lower()
    assert not any(map(str.isdigit, said))  # so it is the same for all data, and shown once
    assert "budget" in claim.reason and at_most(claim.upper) in str(claim)
    assert caught[0].filename == __file__  # it points at the user's line
    assert claim.check(data, y)


def test_an_eps_that_was_not_reached_is_said():
    data, y = overlapping(3)
    data = data + 2.0 * (2 * y - 1)[:, None]
    rule = Kozinec(eps=1e-12, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter or eps") as caught:
        rule.fit(data, y)
    claim = rule.certificate_
    assert claim.status == "separated"
    assert "the budget is spent" in str(caught[0].message)
    assert f"{claim.lower:.6g}" in str(claim) and f"{claim.upper:.6g}" in str(claim) and "2 passes" in str(claim)


def test_the_warnings_of_all_folds_are_one():
    data, y = hard()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cross_val_score(Relaxation(max_iter=3, scaling=None), np.repeat(data, 4, axis=0), np.repeat(y, 4), cv=3)
    assert len({str(each.message) for each in caught}) == 1


@every
def test_success_is_quiet(rule):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(rule).set_params(max_iter=1000).fit(X, Y)


def test_verbose_writes_a_line_a_pass(capsys):
    Perceptron(verbose=1, max_iter=4).fit(*overlapping())
    assert capsys.readouterr().err.count("pass ") == 4


# --- warm start ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [False, True])
def test_warm_starts_add_up(batch):
    data, y = overlapping()
    warm = Perceptron(warm_start=True, max_iter=1, keep="last", batch=batch)
    for k in (1, 2, 3):
        warm.fit(data, y)
        straight = Perceptron(max_iter=k, keep="last", batch=batch).fit(data, y)
        np.testing.assert_allclose(plane(warm), plane(straight), rtol=1e-12, atol=1e-12)
        assert warm.certificate_.check(data, y)


@every
def test_a_warm_start_from_the_answer_keeps_it(rule):
    warm = clone(rule).set_params(warm_start=True, max_iter=1000).fit(X, Y)
    status = warm.certificate_.status
    warm.fit(X, Y)
    assert warm.certificate_.status == status
    assert warm.certificate_.check(X, Y)


@pytest.mark.parametrize("bias", ["free", "augmented"])
def test_a_warm_started_kozinec_still_reaches_eps(bias):
    warm = Kozinec(eps=1e-3, bias=bias, warm_start=True).fit(X, Y)
    sign = np.where(Y == "right", 1, -1)
    for data in (X, X + np.array([0.1, -0.1]), 0.5 * X):
        warm.fit(data, Y)
        true = reference.largest_margin(data, sign, bias)
        assert warm.certificate_.status == "eps-optimal"
        assert true - warm.certificate_.lower <= 1e-3 + 1e-9


@every
def test_a_warm_start_with_another_width_is_refused(rule):
    warm = clone(rule).set_params(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"3 features.*expecting 2"):
        warm.fit(np.ones((9, 3)), Y)


# --- partial_fit -----------------------------------------------------------------------------------------------------


@every_partial
def test_partial_fit_needs_to_know_the_classes(rule):
    with pytest.raises(ValueError, match="classes"):
        clone(rule).partial_fit(X, Y)
    with pytest.raises(ValueError, match="'middle'"):
        clone(rule).partial_fit(X, np.where(np.arange(9) == 2, "middle", Y), classes=["left", "right"])
    with pytest.raises(ValueError, match="one class"):
        clone(rule).partial_fit(X, Y, classes=["left"])


@every_partial
def test_partial_fit_keeps_what_it_has_when_it_refuses(rule):
    begun = clone(rule).partial_fit(X, Y, classes=["left", "right"])
    before = plane(begun)
    for data, labels, more, said in (
        (X, np.where(np.arange(9) == 2, "middle", Y), {}, "'middle'"),
        (X, Y, {"classes": ["left", "up"]}, "classes.*left.*up"),
        (np.hstack([X, X]), Y, {}, "4 features.*expecting 2"),
        (but(np.nan), Y, {}, "X contains NaN"),
        (X, Y, {"sample_weight": -np.ones(9)}, "sample_weight"),
        (X, Y, {"sample_weight": np.zeros(9)}, "[Ss]ample.?weight.*zero"),
        (X[:0], Y[:0], {}, "0 sample"),
    ):
        with pytest.raises(ValueError, match=said):
            begun.partial_fit(data, labels, **more)
        assert np.array_equal(plane(begun), before)
        assert begun.classes_.tolist() == ["left", "right"]
        assert begun.n_features_in_ == 2
    begun.partial_fit(X, Y, classes=["right", "left"])  # the same classes, in another order


@every_partial
def test_partial_fit_cannot_balance(rule):
    with pytest.raises(ValueError, match="class_weight='balanced'"):
        clone(rule).set_params(class_weight="balanced").partial_fit(X, Y, classes=["left", "right"])


def test_closed_forms_without_parts_have_no_partial_fit():
    for method in ("gradient", "ho-kashyap"):
        assert not hasattr(LeastSquares(method=method), "partial_fit")


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(keep="last"),
        Perceptron(keep="average"),
        Perceptron(keep="last", rate="1/k", margin=0.3),
        Perceptron(keep="last", batch=True),
        Relaxation(keep="last"),
        Kozinec(keep="last"),
        Kozinec(keep="last", bias="augmented"),
    ],
    ids=str,
)
def test_one_partial_fit_is_one_pass(rule):
    data, y = overlapping()
    part = clone(rule).partial_fit(data, y, classes=[0, 1])
    whole = clone(rule).set_params(max_iter=1).fit(data, y)
    assert np.array_equal(plane(part), plane(whole))
    assert part.certificate_.updates == whole.certificate_.updates
    assert part.n_iter_ == 1
    assert part.certificate_.check(data, y)


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(keep="last"),
        Perceptron(keep="average"),
        Perceptron(keep="last", rate="1/k", margin=0.3),
        Relaxation(keep="last"),
        Kozinec(keep="last", eps=1e-9),
        Kozinec(keep="last", eps=1e-9, bias="augmented"),
    ],
    ids=str,
)
def test_parts_in_order_k_times_are_k_passes(rule):
    data, y = overlapping(1)
    if isinstance(rule, Kozinec):  # it would end early with a proof that these are not separable
        data = data + 1.5 * (2 * y - 1)[:, None]
    parts = clone(rule)
    for k in (1, 2, 3):
        for rows in (slice(0, 10), slice(10, 11), slice(11, 40)):
            parts.partial_fit(data[rows], y[rows], classes=[0, 1])
        whole = clone(rule).set_params(max_iter=k).fit(data, y)
        assert whole.n_iter_ == k
        assert parts.certificate_.updates == whole.certificate_.updates
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
        if getattr(rule, "bias", "augmented") != "free":  # a free bias is that of the rows of the last call
            np.testing.assert_allclose(plane(parts), plane(whole), rtol=1e-9, atol=1e-12)


def test_least_squares_in_parts_is_least_squares():
    data, y = overlapping(2)
    parts = LeastSquares("pinv")
    for rows in (slice(0, 10), slice(10, 11), slice(11, 40)):
        parts.partial_fit(data[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(plane(parts), plane(LeastSquares("pinv").fit(data, y)), rtol=1e-9)
    lms = LeastSquares(method="lms", rate=0.02)
    for rows in (slice(0, 10), slice(10, 40)):
        lms.partial_fit(data[rows], y[rows], classes=[0, 1])
    whole = LeastSquares(method="lms", rate=0.02, max_iter=1).fit(data, y)
    np.testing.assert_allclose(plane(lms), plane(whole), rtol=1e-12)


@every_partial
def test_fit_may_be_followed_by_partial_fit(rule):
    data, y = overlapping(4)
    both = clone(rule).fit(data[:30], y[:30]).partial_fit(data[30:], y[30:])
    assert np.isfinite(plane(both)).all()
    assert both.certificate_.check(data[30:], y[30:])


@every_partial
@pytest.mark.parametrize("first", [0, 1])
def test_parts_may_hold_one_class_only(rule, first):
    data, y = overlapping(5)
    begun = clone(rule)
    if getattr(rule, "bias", "augmented") == "free":  # needs a difference to begin with
        begun.partial_fit(data, y, classes=[0, 1])
    for label in (first, 1 - first, first):
        some = y == label
        begun.partial_fit(data[some], y[some], classes=[0, 1])
        assert np.isfinite(plane(begun)).all()
        assert np.isfinite(begun.decision_function(data)).all()
        assert begun.certificate_.check(data[some], y[some]), begun.certificate_.check(data[some], y[some])
        if begun.certificate_.bias == "free":
            assert begun.certificate_.upper > 1e6  # nothing on the other side: a plane as far away as you like


@pytest.mark.parametrize("first", ["dense", "sparse"])
@pytest.mark.parametrize("then", ["float64", "uint8", "sparse"])
def test_parts_may_be_of_several_types(first, then):
    # the rivals of a free bias are copies of rows of earlier parts: they must survive a change of type
    kinds = {"dense": np.asarray, "sparse": sp.csr_array, "float64": np.float64, "uint8": np.uint8}
    data, more, y = np.array([[0.6, 0.2], [1.4, 0.3]]), np.array([[1.0, 1.0], [3.0, 3.0]]), np.array([0, 1])
    begin = Kozinec(keep="last").partial_fit(data, y, classes=[0, 1])
    expected = plane(begin.partial_fit(more, y))
    assert begin.certificate_.updates == 2  # the second one moves towards the mean of (1, 1) and the rival (1.4, 0.3)
    begin = Kozinec(keep="last").partial_fit(kinds[first](data), y, classes=[0, 1])
    np.testing.assert_allclose(plane(begin.partial_fit(kinds[then](more), y)), expected, rtol=1e-9)


@every_partial
def test_partial_fit_shows_what_fit_shows(rule):
    part = clone(rule).partial_fit(X, Y, classes=["left", "right"])
    whole = clone(rule).fit(X, Y)
    shown = {name for name in vars(whole) if name.endswith("_") and not name.startswith("_")}
    assert shown <= set(vars(part))


@every
def test_a_fitted_estimator_can_be_pickled_and_go_on(rule):
    fitted = clone(rule).fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(plane(again), plane(fitted))
    assert again.certificate_.check(X, Y)
    if hasattr(again, "partial_fit"):
        again.partial_fit(X, Y)


# --- tables ----------------------------------------------------------------------------------------------------------

TABLES = {
    "list": lambda A, y: (A.tolist(), y.tolist()),
    "pandas": lambda A, y: (pd.DataFrame(A, columns=["a", "b"]), pd.Series(y)),
    "pandas, categories": lambda A, y: (pd.DataFrame(A, columns=["a", "b"]), pd.Series(y, dtype="category")),
    "pandas, Arrow": lambda A, y: (
        pd.DataFrame(A, columns=["a", "b"]).convert_dtypes(dtype_backend="pyarrow"),
        pd.Series(y).convert_dtypes(dtype_backend="pyarrow"),
    ),
    "pandas, nullable": lambda A, y: (pd.DataFrame(A, columns=["a", "b"]).astype("Float64"), y),
    "polars": lambda A, y: (pl.DataFrame({"a": A[:, 0], "b": A[:, 1]}), pl.Series(y)),
    "Arrow": lambda A, y: (pa.table({"a": A[:, 0], "b": A[:, 1]}), y),
    "Fortran order": lambda A, y: (np.asfortranarray(A), y),
    "every other row": lambda A, y: (np.repeat(A, 2, axis=0)[::2], y),
    "objects": lambda A, y: (A.astype(object), y.astype(object)),
    "csr matrix": lambda A, y: (sp.csr_matrix(A), y),
    "csc array": lambda A, y: (sp.csc_array(A), y),
    "coo array": lambda A, y: (sp.coo_array(A), y),
}


SPARSE = ("csr matrix", "csc array", "coo array")


@pytest.mark.parametrize(
    ("rule", "table"),
    [
        pytest.param(rule, table, id=f"{name}, {table}")
        for name, rule in ESTIMATORS.items()
        for table in TABLES
        if table not in SPARSE or name in ("perceptron", "kozinec", "squares", "descent")
    ],
)
def test_tables_of_every_make_are_read(rule, table):
    expected = clone(rule).fit(X, Y)
    data, y = TABLES[table](X, Y)
    found = clone(rule).fit(data, y)
    np.testing.assert_allclose(plane(found), plane(expected), rtol=1e-9, atol=1e-12)
    assert found.classes_.tolist() == ["left", "right"]
    assert found.predict(data).tolist() == expected.predict(X).tolist()
    np.testing.assert_allclose(found.decision_function(data), expected.decision_function(X), rtol=1e-9, atol=1e-9)
    assert found.certificate_.classes == ("left", "right")
    assert found.certificate_.check(data, y)


@every
def test_columns_have_names_and_keep_them(rule):
    frame = pd.DataFrame(X, columns=["a", "b"])
    fitted = clone(rule).fit(frame, Y)
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["b", "a"]])


@pytest.mark.parametrize(
    ("rule", "form", "dtype"),
    [
        # more types compiled: tests/loop
        *((Perceptron(keep="last"), "dense", dtype) for dtype in ("uint8", "int64", "int8", "float16")),
        (Perceptron(keep="last"), "sparse", "float32"),
        (LeastSquares("pinv"), "dense", "bool"),
        (LeastSquares("pinv"), "sparse", "float32"),
        (GradientDescent(max_iter=20), "dense", "uint8"),
        (GradientDescent(max_iter=20), "sparse", "uint8"),
        (Kozinec(max_iter=50, keep="last"), "dense", "uint8"),
        (LeastSquares(method="lms", max_iter=20), "dense", "uint8"),
    ],
    ids=str,
)
def test_numbers_of_every_type_are_the_numbers(rule, form, dtype):
    rng = np.random.default_rng(7)
    data, y = rng.integers(0, 2, (30, 4)).astype(float), rng.integers(0, 2, 30)
    narrow = {"dense": np.asarray, "sparse": sp.csr_array}[form](data.astype(dtype))
    expected = clone(rule).fit(data, y)
    found = clone(rule).fit(narrow, y)
    np.testing.assert_allclose(plane(found), plane(expected), rtol=1e-9, atol=1e-12)
    scores = data @ expected.coef_[0] + expected.intercept_
    np.testing.assert_allclose(found.decision_function(narrow), scores, rtol=1e-9, atol=1e-9)
    assert found.certificate_.check(narrow, y)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [0.0, 1.0], [7, 3]], ids=str)
def test_labels_may_be_anything(labels):
    y = np.array(labels)[(golden.Y == 2).astype(int)]
    rule = Perceptron().fit(X, y)
    assert rule.classes_.tolist() == sorted(labels)
    assert (rule.predict(X) == y).all()
    assert ((rule.decision_function(X) > 0) == (y == max(labels))).all()
    assert rule.certificate_.check(X, y)


def test_a_point_on_the_hyperplane_goes_to_the_first_class():
    rule = Perceptron().fit(X, Y)  # 2.5 a - 4.5 b - 1 = 0
    on_it = [[4.0, 2.0], [-5.0, -3.0]]
    assert rule.decision_function(on_it).tolist() == [0.0, 0.0]
    assert rule.predict(on_it).tolist() == ["left", "left"]
    assert rule.predict(np.array(on_it, dtype=np.float32)).tolist() == ["left", "left"]
    assert rule.predict(sp.csr_array(on_it)).tolist() == ["left", "left"]


def test_distance_is_signed_and_geometric():
    rule = Perceptron().fit(X, Y)
    np.testing.assert_allclose(rule.distance(X), (X @ [2.5, -4.5] - 1) / np.hypot(2.5, 4.5))
    nothing = Perceptron(keep="last", max_iter=1).fit([[0.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="w is zero"):
        nothing.distance([[1.0]])


@pytest.mark.parametrize("kind", [np.array, sp.csr_array, lambda X: pd.DataFrame(X, columns=["wide", "high"])])
def test_the_place_of_a_nan_is_named(kind):
    column = "'high'" if isinstance(kind(X), pd.DataFrame) else "1"
    with pytest.raises(ValueError, match=rf"NaN.*row 3, column {column}"):
        Perceptron().fit(kind(np.where(np.arange(18).reshape(9, 2) == 7, np.nan, X)), Y)


MAKES = {
    "float64": np.array,
    "float32": lambda X: np.asarray(X, dtype=np.float32),
    "sparse": sp.csr_array,
    "pandas": lambda X: pd.DataFrame(X, columns=["wide", "high", "unused"]),
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rule", [Perceptron(), OneVsAll(Perceptron()), OneVsOne(Perceptron())], ids=str)
@pytest.mark.parametrize("table", MAKES)
def test_what_is_not_finite_is_found_in_a_column_without_weight(table, rule, classes):
    """Predicting looks at the scores only: 0 times NaN or infinity must show in them."""
    wide = np.column_stack([X, np.zeros(9)])
    make = MAKES["pandas" if table == "pandas" else "float64"]  # a fit of other types would compile for nothing
    fitted = clone(rule).fit(make(wide), np.arange(9) % 3 if classes == 3 else Y)
    assert not np.atleast_2d(fitted.coef_)[:, 2].any()
    column = "('unused'|2)" if table == "pandas" else "2"
    for value, name in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        bad = wide.copy()
        bad[5, 2] = value
        for ask in (fitted.predict, fitted.decision_function):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(ValueError, match=rf"contains {name}.*row 5, column {column}"):
                    ask(MAKES[table](bad))


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_too_large_a_score_is_no_bad_input():
    rule = Perceptron().fit(X, Y)
    assert rule.predict(np.array([[1e308, -1e308], [-1e308, 1e308]])).tolist() == ["right", "left"]


def test_a_committee_takes_what_its_members_take():
    """Trees take NaN for a value of its own, and so does a committee of them; ours don't."""
    rule = OneVsAll(DecisionTreeClassifier(random_state=0)).fit(but(np.nan), np.arange(9) % 3)
    assert rule.predict(but(np.nan)).shape == (9,)
    with pytest.raises(ValueError, match="NaN"):
        OneVsAll(Perceptron()).fit(but(np.nan), np.arange(9) % 3)


ROW, PATH = np.array([[0.0], [1.0]]), np.array([[0, 1]])


@pytest.mark.parametrize(
    ("rule", "X", "y", "complaint"),
    [
        (SequenceClassifier(), np.eye(3), [0, 1, 0], r"expected a list of 3 labels.*\[X\], \[y\]"),
        (SequenceClassifier(), [ROW], None, "y: expected a list of lists of labels, got NoneType"),
        (SequenceClassifier(), 7, [[0, 1]], "X: expected a list of sequences, got int"),
        (NetworkClassifier(), 7, [[0, 1]], "X: expected a list of graphs, got int"),
        (NetworkClassifier(), [(ROW, PATH)], None, "y: expected a list of labellings, got NoneType"),
        (StructuredClassifier(lambda x, y: ROW, labels=[0, 1]), [1.0], None, "y: expected a list of labellings"),
        (StructuredClassifier(lambda x, y: ROW, labels=[0, 1]), 1.0, [0], "X: expected a list of examples, got float"),
    ],
)
def test_structures_that_are_no_lists(rule, X, y, complaint):
    with pytest.raises(TypeError, match=complaint):
        rule.fit(X, y)
