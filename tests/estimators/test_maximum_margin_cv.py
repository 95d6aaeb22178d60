"""C chosen by cross-validation, with scikit-learn's grid search as referee; and the same bits for any n_jobs."""

import signal
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from linsep import Kozinec, MaximumMargin, MaximumMarginCV, OneVsAll, OneVsOne, Perceptron, trace
from linsep.interrupt import INTERRUPT, interrupts, is_spent, side_by_side

CS = [1e-3, 1e-2, 1e-1, 1.0, 10.0]
CANCER = load_breast_cancer(return_X_y=True)
CANCER = CANCER[0] / CANCER[0].std(axis=0), CANCER[1]
IRIS = load_iris(return_X_y=True)
NEAR = 1e-7  # a gap at which held-out decisions no longer change


@pytest.mark.parametrize(
    ("data", "given"),
    [
        (CANCER, {}),
        ((sp.csr_array(CANCER[0]), CANCER[1]), {"loss": "squared_hinge", "bias": "augmented"}),
        (IRIS, {"multi_class": "one-vs-all", "class_weight": {0: 1.0, 1: 2.0, 2: 1.0}}),
        (IRIS, {"multi_class": "one-vs-one"}),
    ],
)
def test_it_chooses_what_grid_search_chooses(data, given):
    rule = MaximumMarginCV(CS, cv_tol=NEAR, **given).fit(*data)
    referee = GridSearchCV(MaximumMargin(tol=NEAR, **given), {"C": CS}).fit(*data).cv_results_
    folds = np.array([referee[f"split{k}_test_score"] for k in range(5)])
    known = ~np.isnan(rule.scores_)
    np.testing.assert_allclose(rule.scores_[known], folds[known])
    mean = folds.mean(axis=0)
    assert mean[CS.index(rule.C_)] == pytest.approx(mean.max(), abs=1e-12) == rule.best_score_
    assert CS[int(np.argmax(mean >= mean.max() - 1e-12))] == rule.C_, "of equal ones the smallest"
    assert (known[:-1] >= known[1:]).all(), "folds are learned in their order"
    assert rule.check(*data)


def test_a_value_that_cannot_win_ends_early_and_no_other():
    X, y = CANCER
    rule = MaximumMarginCV([1e-6, 0.1, 1e-5], cv=10).fit(X, y)  # sorted: the two small ones say 1 everywhere
    assert rule.Cs_.tolist() == [1e-6, 1e-5, 0.1] and rule.C_ == 0.1
    assert not np.isnan(rule.scores_).any(), "from small to large: nobody knew the best one yet"
    y = np.where(np.arange(y.size) % 2, y, 1 - y)  # nothing to learn: all are as bad
    late = MaximumMarginCV([0.1, 100.0], cv=2).fit(X, y)
    assert not np.isnan(late.scores_).any()
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 40)), np.arange(60) % 10 == 0  # one in ten: a small C is right on nine
    rule = MaximumMarginCV([1e-6, 100.0], cv=6).fit(X, y)
    done = np.flatnonzero(~np.isnan(rule.scores_[:, 1]))
    assert rule.C_ == 1e-6 and 0 < done.size < 6
    left = 6 - done.size
    assert rule.scores_[done, 1].sum() + left < 0.9 * 6, "even perfect scores in the others would not do"
    assert rule.scores_[done[:-1], 1].sum() + left + 1 >= 0.9 * 6, "and that was not known one fold before"


@pytest.mark.parametrize("given", [{}, {"cv": 6, "multi_class": "one-vs-all"}, {"scoring": "f1_macro"}])
def test_any_number_of_threads_gives_the_same_bits(given):
    one, two, three = (MaximumMarginCV(CS, n_jobs=n, **given).fit(*IRIS) for n in (1, 2, 3))
    for other in (two, three):
        np.testing.assert_array_equal(one.scores_, other.scores_)
        np.testing.assert_array_equal(one.coef_, other.coef_)


def test_scorers_and_splits_of_scikit_learn():
    X, y = CANCER
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    rule = MaximumMarginCV(CS, scoring="roc_auc", cv=splitter, cv_tol=NEAR).fit(X, y)
    referee = GridSearchCV(MaximumMargin(tol=NEAR), {"C": CS}, scoring="roc_auc", cv=splitter).fit(X, y)
    assert not np.isnan(rule.scores_).any(), "no score of a scorer is known to be perfect"
    np.testing.assert_allclose(rule.scores_.mean(axis=0), referee.cv_results_["mean_test_score"], atol=1e-6)
    listed = MaximumMarginCV(CS, cv=list(splitter.split(X, y))).fit(X, y)
    np.testing.assert_array_equal(listed.scores_, MaximumMarginCV(CS, cv=splitter).fit(X, y).scores_)


def test_rows_of_weight_0_are_in_no_fold_and_weights_count():
    X, y = CANCER[0][:200], CANCER[1][:200]
    absent = np.ones(200)
    absent[::7] = 0.0
    there = absent > 0
    given, without = MaximumMarginCV(CS).fit(X, y, absent), MaximumMarginCV(CS).fit(X[there], y[there])
    np.testing.assert_allclose(given.scores_, without.scores_)
    assert given.C_ == without.C_
    weight = np.where(np.arange(200) % 2, 3.0, 1.0)
    rule = MaximumMarginCV([0.1], cv=[(np.arange(100), np.arange(100, 200))]).fit(X, y, weight)
    half = MaximumMargin(0.1, tol=1e-2).fit(X[:100], y[:100], weight[:100])
    assert rule.scores_[0, 0] == pytest.approx(half.score(X[100:], y[100:], weight[100:]))


def test_without_refit_there_is_no_rule_and_frames_keep_their_names():
    X, y = IRIS
    rule = MaximumMarginCV(CS, refit=False).fit(X, y)
    assert rule.C_ in CS and rule.scores_.shape == (5, 5)
    with pytest.raises(NotFittedError):
        rule.predict(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    rule = clone(rule).set_params(refit=True).fit(frame, y)
    assert rule.feature_names_in_.tolist() == list("abcd") and rule.score(frame, y) > 0.9
    assert rule.C == rule.C_ == rule.committee_.estimators_[0].C if hasattr(rule, "committee_") else rule.C == rule.C_
    assert [each.C for each in rule.path(X, y, [0.1, 1.0])] == [0.1, 1.0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"Cs": [1.0, -1.0]}, r"Cs: expected positive numbers, got \[1.0, -1.0\]"),
        ({"Cs": []}, "Cs: expected positive numbers"),
        ({"Cs": [np.inf]}, "Cs: expected positive numbers"),
        ({"Cs": 0}, "The 'Cs' parameter of MaximumMarginCV"),
        ({"cv": KFold(3)}, "cv: fold 0 leaves no row of class 0 to learn from: expected fewer folds"),
        ({"scoring": "nonsense"}, "scoring"),
        ({"cv_tol": 2.0}, "The 'cv_tol' parameter"),
    ],
)
def test_bad_parameters_get_one_sentence(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        MaximumMarginCV(**given).fit(*IRIS)


def test_its_steps_are_those_of_the_chosen_rule():
    with pytest.raises(ValueError, match=r"trace MaximumMargin\(C=rule.C_\)"):
        next(iter(trace(MaximumMarginCV(), *CANCER)))


def test_without_time_the_smallest_is_taken_and_said_so():
    with pytest.warns(ConvergenceWarning) as seen:
        rule = MaximumMarginCV(CS, max_seconds=1e-6).fit(*CANCER)
    assert any("no C was learned in all folds" in str(each.message) for each in seen)
    assert rule.C_ == 1e-3 and np.isnan(rule.scores_).all()


def test_a_path_begins_where_the_last_c_ended():
    X, y = IRIS[0][:100], IRIS[1][:100]
    _, warm = MaximumMargin(method="ascent").path(X, y, [1e3, 1e4])  # no row is at its limit: all is found but rounding
    assert warm.n_iter_ < MaximumMargin(1e4, method="ascent").fit(X, y).n_iter_ / 4
    rules = MaximumMargin(multi_class="one-vs-all", tol=1e-3).path(*IRIS, [1e-2, 2e-2])
    cold = MaximumMargin(2e-2, multi_class="one-vs-all", tol=1e-3).fit(*IRIS)
    for warm, fresh in zip(rules[1].certificates_, cold.certificates_, strict=True):
        assert warm.status == "optimal" and warm.lower <= fresh.upper and fresh.lower <= warm.upper
    assert rules[1].check(*IRIS) and not hasattr(rules[1].committee_, "_before")


# --- classes side by side --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        MaximumMargin(C=1.0, multi_class="one-vs-all"),
        MaximumMargin(multi_class="one-vs-one"),
        OneVsAll(Perceptron(shuffle=True, random_state=3)),
        OneVsOne(Kozinec(max_iter=50)),
    ],
    ids=str,
)
def test_classes_side_by_side_are_those_one_by_one(rule):
    with warnings.catch_warnings(record=True) as alone:
        warnings.simplefilter("always")
        one = clone(rule).fit(*IRIS)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        two = clone(rule).set_params(n_jobs=2).fit(*IRIS)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    assert list(map(str, one.certificates_)) == list(map(str, two.certificates_))
    assert [(str(each.message), each.filename) for each in alone] == [
        (str(each.message), each.filename) for each in seen
    ]
    assert all(each.filename == __file__ for each in seen)


def test_a_wrong_number_of_jobs_is_refused():
    with pytest.raises(ValueError, match="The 'n_jobs' parameter of OneVsAll"):
        OneVsAll(Perceptron(), n_jobs="two").fit(*IRIS)


def test_threads_end_at_ctrl_c_and_at_the_deadline_of_their_caller():
    def work():
        signal.raise_signal(signal.SIGINT) if INTERRUPT.handler else None
        return is_spent()

    def wait():
        while not is_spent():
            pass
        return INTERRUPT.pressed

    def press_then_wait():
        signal.raise_signal(signal.SIGINT)  # handled by the main thread
        return wait()

    with pytest.raises(KeyboardInterrupt), interrupts():
        assert side_by_side([press_then_wait, wait, wait], 2) == [True, True, True]
    with interrupts(seconds=0.01):
        assert side_by_side([wait, wait], 2) == [False, False]
    assert side_by_side([work], 1) == [False]


def test_an_error_in_a_thread_is_the_callers():
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side([fail, lambda: 1, lambda: 2], 2)


def test_members_share_the_budget_of_auto():
    rule = OneVsAll(Perceptron()).fit(*IRIS)
    assert [member._auto_seconds() for member in rule.estimators_] == [pytest.approx(5 / 3)] * 3
    assert MaximumMargin()._auto_seconds() == 5.0
