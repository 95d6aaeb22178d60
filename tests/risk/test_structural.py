"""Structural risk: which rung of a ladder, and why (A5)."""

import math
import pickle
import runpy
import warnings

import matplotlib
from conftest import REPOSITORY

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import Kozinec, Lifted, MaximumMargin, Perceptron, Polynomial, Quadratic, plot
from linsep.risk import Capacity, RiskTable, Rung, StructuralRisk, empirical_risk, enclosing_ball, vc_bound

EXAMPLE = runpy.run_path(str(REPOSITORY / "examples" / "structural_risk.py"))
VACUOUS = "ignore:StructuralRisk. the smallest bound:UserWarning"


def lifts(classifier, degrees=(1, 2, 3, 4)):
    return [make_pipeline(PolynomialFeatures(d, include_bias=False), clone(classifier)) for d in degrees]


@pytest.fixture(scope="module")
def circle():
    return EXAMPLE["circle"](np.random.default_rng(0))


@pytest.fixture(scope="module")
def line():
    return EXAMPLE["line"](np.random.default_rng(0))


@pytest.fixture(scope="module")
def model(circle):
    return StructuralRisk(lifts(Perceptron())).fit(*circle)


# the contract


@pytest.mark.filterwarnings(VACUOUS)
@parametrize_with_checks(
    [
        StructuralRisk(lifts(Perceptron(), (1, 2))),
        StructuralRisk([("weak", LogisticRegression(C=0.01)), ("strong", LogisticRegression())]),
        StructuralRisk([Perceptron(margin=b) for b in (0.1, 0.0)], choose="cross-validation", cv=3),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# the choice


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classifier", [Perceptron(), LinearSVC(C=10.0), Kozinec(max_iter=50)])
def test_a_circle_takes_degree_2_and_a_line_degree_1(classifier, seed):
    for task, want in (("circle", "degree=2"), ("line", "degree=1")):
        X, y = EXAMPLE[task](np.random.default_rng(seed))
        model = StructuralRisk(lifts(classifier)).fit(X, y)
        assert model.best_name_ == want
        assert not model.table_[model.best_index_].bound.vacuous


def test_cross_validation_takes_the_same(circle, line):
    for (X, y), want in ((circle, "degree=2"), (line, "degree=1")):
        assert StructuralRisk(lifts(Perceptron()), choose="cross-validation").fit(X, y).best_name_ == want


def test_the_table_is_a_hand_computation(circle, model):
    X, y = circle
    assert [rung.name for rung in model.table_] == [f"degree={d}" for d in (1, 2, 3, 4)]
    folds = StratifiedKFold(5)
    for rung, pipeline, n in zip(model.table_, lifts(Perceptron()), (2, 5, 9, 14), strict=True):
        wrong = np.mean(pipeline.fit(X, y).predict(X) != y)
        assert rung.capacity.n == n and rung.capacity.source == "n+1"
        assert rung.bound == vc_bound(wrong, n + 1, 400, 0.05 / 4)  # each rung gets its share of eta
        risks = 1 - cross_val_score(pipeline, X, y, cv=folds)
        assert rung.cross_validated == pytest.approx(risks.mean()) and rung.spread == pytest.approx(risks.std())


def test_the_table_says_why(model):
    said = str(model.table_)
    best, poorer, richer = model.table_[1], model.table_[0], model.table_[2]
    assert [line[0] for line in said.splitlines()[:5]] == [" ", " ", ">", " ", " "]
    assert f"Chosen by the bound: degree=2, {best.bound.value:.4f} = {best.empirical:.4f} + " in said
    assert f"The best poorer rung: degree=1, {poorer.bound.value:.4f}" in said
    assert f"The best richer rung: degree=3, {richer.bound.value:.4f}" in said
    assert "With probability at least 0.95 all 4 bounds hold on 400 independent examples." in said
    assert "vacuous" not in said and "no proof" not in said
    frame = pd.DataFrame([rung.to_dict() for rung in model.table_])
    assert frame["bound"].idxmin() == 1 and not frame["vacuous"].any() and frame["h"].tolist() == [3, 6, 10, 15]


def test_decisions_are_those_of_the_chosen_rung(circle, model):
    X, y = circle
    alone = lifts(Perceptron())[1].fit(X, y)
    assert (model.predict(X) == alone.predict(X)).all()
    assert (model.decision_function(X) == alone.decision_function(X)).all()
    assert model.classes_.tolist() == [0, 1] and model.n_features_in_ == 2
    assert model.score(X, y) == 1 - empirical_risk(y, alone.predict(X))


def test_of_equals_the_poorest_is_taken():
    X = np.linspace(-1, 1, 200)[:, None]
    y = (X[:, 0] > 0.002).astype(int)
    for choose in ("bound", "cross-validation"):
        ladder = [(str(C), LinearSVC(C=C)) for C in (100.0, 100.0 + 1e-12, 100.0 + 2e-12)]
        assert StructuralRisk(ladder, choose=choose).fit(X, y).best_index_ == 0


def test_equals_up_to_rounding_are_equals(model):
    table = pickle.loads(pickle.dumps(model.table_))
    table.choose = "cross-validation"
    same = [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1), (0.2, 0.2, 0.2), (0.5, 0.5, 0.5)]
    assert len({np.mean(folds) for folds in same[:3]}) > 1  # as floating point has it
    for i, folds in enumerate(same):
        table[i] = type(table[i])(table[i].name, table[i].bound, table[i].capacity, folds)
    assert table.best == 0


# capacity


def test_a_wide_margin_lowers_the_capacity_below_n_plus_1():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.normal(0, 0.02, (400, 60))
    X[:, 0] += np.where(y == 1, 1, -1)
    rule = MaximumMargin().fit(X, y)
    model = StructuralRisk([("free", MaximumMargin())]).fit(X, y)
    rung = model.table_[0]
    assert rung.capacity.source == "R²/m²+1" and rung.capacity.n == 60
    assert rung.capacity.margin == pytest.approx(rule.margin_)
    least = math.ceil(enclosing_ball(X, tol=1e-6, max_iter=5000).lower ** 2 / rule.margin_**2) + 1
    assert least <= rung.bound.h <= least + 1 < 61
    assert "no proof" in str(model.table_)


def test_the_margin_is_the_one_after_the_lift_and_not_the_certificates_augmented_one():
    X = 100 + np.array([[-2.0], [-1.5], [-0.2], [0.2], [1.5], [2.0]] * 30)
    y = np.array([1, 1, 0, 0, 1, 1] * 30)
    rung = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False), Perceptron())
    capacity = StructuralRisk([rung]).fit(X, y).table_[0].capacity
    fitted = rung.fit(X, y)
    Z = fitted[:-1].transform(X)
    distance = np.abs(fitted[-1].distance(Z)).min()
    assert capacity.margin == pytest.approx(distance) and capacity.n == 2
    assert capacity.radius == pytest.approx(enclosing_ball(Z).radius, rel=0.02)


def test_sparse_equals_dense_and_the_rung_sees_what_the_lift_makes(circle):
    X, y = circle
    dense = StructuralRisk(lifts(Perceptron())).fit(X, y)
    sparse = StructuralRisk(lifts(Perceptron())).fit(sp.csr_array(X), y)
    for a, b in zip(dense.table_, sparse.table_, strict=True):
        assert a.bound.value == pytest.approx(b.bound.value) and a.folds == pytest.approx(b.folds)


def test_two_functions_of_which_the_larger_wins_are_one_hyperplane():
    class Larger(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            inner = LinearSVC(C=10.0).fit(X, y)
            self.classes_, self.n_features_in_ = inner.classes_, inner.n_features_in_
            self.coef_ = np.vstack([-inner.coef_, inner.coef_]) + np.array([3.0, -5.0])
            self.intercept_ = np.concatenate([-inner.intercept_, inner.intercept_]) + 7.0
            return self

        def predict(self, X):
            return self.classes_[np.argmax(X @ self.coef_.T + self.intercept_, axis=1)]

    y = np.arange(200) % 2
    X = np.random.default_rng(0).uniform(-1, 1, (200, 2)) + 3 * y[:, None]
    one, two = (StructuralRisk([rung]).fit(X, y).table_[0] for rung in (LinearSVC(C=10.0), Larger()))
    assert two.capacity.n == 2 and two.bound == one.bound
    assert two.capacity.margin == pytest.approx(one.capacity.margin) and one.capacity.margin > 0


def test_bytes_do_not_overflow():
    y = np.arange(200) % 2
    X = np.random.default_rng(0).integers(0, 100, (200, 30)).astype(np.uint8)
    X[:, 0] += 150 * y.astype(np.uint8)
    kept = [StructuralRisk([MaximumMargin()], cv=2).fit(kind, y).table_[0].capacity for kind in (X, X.astype(float))]
    assert kept[0].margin == pytest.approx(kept[1].margin) and kept[0].radius == pytest.approx(kept[1].radius)


def test_nested_pipelines_have_the_capacity_of_their_last_step(circle):
    X, y = circle
    nested = Pipeline([("scale", StandardScaler()), ("rest", lifts(LinearSVC(), (2,))[0])])
    assert StructuralRisk([nested, make_pipeline(LinearSVC())]).fit(X, y).table_[0].bound.h == 6


def test_lifted_rules_and_soft_margins_have_the_capacity_of_their_classifier(circle):
    X, y = circle
    lifted = StructuralRisk([Lifted(Polynomial(d), MaximumMargin(C=1.0)) for d in (1, 2, 3)]).fit(X, y)
    assert lifted.best_name_ == "degree=2"
    assert [rung.capacity.n for rung in lifted.table_] == [2, 5, 9]
    soft = StructuralRisk([Lifted(Quadratic(), MaximumMargin(C=C)) for C in (1e-4, 1.0)], choose="cross-validation")
    assert soft.fit(X, y).best_name_ == "C=1.0"


def test_a_rung_of_unknown_capacity_is_for_cross_validation_only(circle):
    X, y = circle
    ladder = [("line", LinearSVC()), ("kernel", SVC())]
    with pytest.raises(ValueError, match="SVC has no coef_") as caught:
        StructuralRisk(ladder).fit(X, y)
    assert "rung 'kernel'" in "".join(caught.value.__notes__)
    model = StructuralRisk(ladder, choose="cross-validation").fit(X, y)
    assert model.best_name_ == "kernel" and model.table_[1].bound.value == math.inf
    assert "unknown" in str(model.table_)


def test_a_rung_without_decision_function_hides_it(circle):
    model = StructuralRisk([DummyClassifier()], choose="cross-validation").fit(*circle)
    assert not hasattr(model, "decision_function") and model.predict([[0.0, 0.0]]).shape == (1,)


# what the bound is worth


def test_on_small_data_the_choice_by_the_bound_warns():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:60], y[:60]
    ladder = [LinearSVC(C=C) for C in (0.001, 0.01, 0.1)]
    with pytest.warns(UserWarning, match="is vacuous.*choose='cross-validation'"):
        model = StructuralRisk(ladder).fit(X, y)
    said = str(model.table_)
    assert said.count("vacuous") >= 4 and "Every bound is vacuous" in said
    assert [rung.name for rung in model.table_] == ["C=0.001", "C=0.01", "C=0.1"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuralRisk(ladder, choose="cross-validation").fit(X, y)


def test_h_that_is_not_much_smaller_than_n_is_said():
    X, y = EXAMPLE["line"](np.random.default_rng(0), 50)
    said = str(StructuralRisk(lifts(LinearSVC(C=100.0), (2, 3))).fit(X, y).table_)
    assert "h not << N" in said and "for the chosen rung h is not much smaller than N" in said


# input


def test_all_rungs_see_the_same_random_folds(circle):
    X, y = circle
    twins = [("a", LinearSVC()), ("b", LinearSVC())]
    table = StructuralRisk(twins, cv=ShuffleSplit(4, test_size=0.3)).fit(X, y).table_
    assert len(table[0].folds) == 4 and table[0].folds == table[1].folds


def test_frames_and_labels_and_nesting(circle):
    X, y = circle
    frame, labels = pd.DataFrame(X, columns=["u", "v"]), np.where(y == 1, "on", "in")
    model = StructuralRisk(lifts(LinearSVC(), (1, 2))).fit(frame, labels)
    assert model.feature_names_in_.tolist() == ["u", "v"] and model.classes_.tolist() == ["in", "on"]
    assert (model.predict(frame) == labels).mean() > 0.9
    search = GridSearchCV(model, {"choose": ["bound", "cross-validation"]}, cv=2).fit(frame, labels)
    assert search.best_score_ > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert str(again.table_) == str(model.table_) and again.table_.best == model.table_.best


def test_a_failed_fit_changes_nothing(circle):
    X, y = circle
    model = StructuralRisk(lifts(LinearSVC(), (1, 2))).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 0.9, np.nan, X), y)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("ladder", "message"),
    [
        ([], "ladder: expected a list of at least one"),
        ("LinearSVC", "ladder: expected a list"),
        ([LinearSVC], "as rung 0, got <class"),
        ([LinearSVC(), 3], "as rung 1, got 3"),
        ([Ridge()], r"as rung 0, got Ridge\(\)"),
        ([make_pipeline(StandardScaler())], "expected a classifier"),
        ([(1, LinearSVC())], "as name of rung 0, got 1"),
        ([("a", LinearSVC()), ("a", SVC())], "got 'a' twice"),
    ],
)
def test_bad_ladders_are_named(circle, ladder, message):
    with pytest.raises(ValueError, match=message):
        StructuralRisk(ladder).fit(*circle)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"choose": "luck"}, "choose: "), ({"eta": 0.0}, "eta: "), ({"eta": 1}, "eta: "), ({"cv": "five"}, "cv.*five")],
)
def test_bad_options_are_named(circle, options, message):
    with pytest.raises(ValueError, match=message):
        StructuralRisk([LinearSVC()], **options).fit(*circle)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(400), "one class only: 0.0"),
        (np.arange(400) % 3, "3 classes"),
        (np.zeros(399), "inconsistent"),
        (np.r_[np.nan, np.zeros(399)], "NaN"),
        (np.linspace(0, 1, 400), "continuous"),
    ],
)
def test_bad_labels_are_named(circle, y, message):
    with pytest.raises(ValueError, match=message):
        StructuralRisk([LinearSVC()]).fit(circle[0], y)


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_class_too_small_for_the_folds_is_named():
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(19), 1]
    with pytest.raises(ValueError, match="cv=5: without fold 4 the training rows have one class only"):
        StructuralRisk([LinearSVC()]).fit(X, y)


def test_an_error_says_at_which_rung(circle):
    X, y = circle
    with pytest.raises(ValueError) as caught:
        StructuralRisk([("fine", LinearSVC()), ("broken", LinearSVC(C=-1.0))]).fit(X, y)
    assert caught.value.__notes__ == ["This happened at rung 'broken' of the ladder."]


# the picture


def test_the_picture_shows_the_table(model):
    ax = plot.structural_risk(model, Figure().subplots())
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert lines["bound"] == [rung.bound.value for rung in model.table_]
    assert lines["empirical risk"] == [rung.empirical for rung in model.table_]
    (errors,) = ax.containers
    assert errors.lines[0].get_ydata().tolist() == [rung.cross_validated for rung in model.table_]
    assert ax.get_title() == "degree=2: the smallest bound"
    assert [tick.get_text() for tick in ax.get_xticklabels()][1] == "degree=2\nh = 6"
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert band.x0 < 1 < band.x1 and band.width < 1
    assert "vacuous above" not in [text.get_text() for text in ax.texts]
    assert plot.structural_risk(model.table_).get_title() == ax.get_title()
    plt.close("all")


def test_vacuous_bounds_are_hollow_and_missing_ones_are_named():
    X, y = EXAMPLE["circle"](np.random.default_rng(0), 30)
    ladder = [*lifts(LinearSVC(), (1, 2, 3, 9)), ("kernel", SVC())]
    ax = plot.structural_risk(StructuralRisk(ladder, choose="cross-validation").fit(X, y), Figure().subplots())
    said = [text.get_text() for text in ax.texts]
    assert said.count("no bound") == 1 and "vacuous above" in said
    (hollow,) = [line for line in ax.lines if line.get_label() == "vacuous, or h not << N"]
    assert hollow.get_markerfacecolor() == "white" and len(hollow.get_xdata()) == 4 - len(said_valid(ax))
    assert [tick.get_text() for tick in ax.get_xticklabels()][-1] == "kernel\nh not known"


def test_a_bound_may_be_vacuous_though_h_is_small():
    rungs = [Rung(str(risk), vc_bound(risk, 3, 1000), Capacity(3, "n+1", 2), (risk,)) for risk in (0.1, 0.9)]
    ax = plot.structural_risk(RiskTable(rungs, "bound"), Figure().subplots())
    assert said_valid(ax) == [0]


def said_valid(ax):
    """The x of the solid points of the bound."""
    solid = [line for line in ax.lines if line.get_marker() == "o" and line.get_linestyle() == "None"]
    return [x for line in solid if line.get_markerfacecolor() != "white" for x in line.get_xdata()]


def test_the_picture_wants_a_fitted_ladder(model):
    for wrong in (clone(model), [], [1, 2]):
        with pytest.raises(ValueError, match="structural_risk: expected a fitted StructuralRisk"):
            plot.structural_risk(wrong)


def test_the_example_shows_both_choices(tmp_path, capsys):
    EXAMPLE["main"](str(tmp_path))
    said = capsys.readouterr().out
    assert "Chosen by the bound: degree 2" in said and "Chosen by the bound: degree 1" in said
    assert (tmp_path / "structural_risk.png").stat().st_size > 10_000
    plt.close("all")
