"""What was fitted is what is used: every parameter of every structured estimator, changed after fit."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.utils import get_tags

from linsep import NetworkClassifier, SequenceClassifier, StructuredClassifier

RANDOM = np.random.default_rng(0)
PATH = np.array([[0, 1], [1, 2]])
ARRAYS = [RANDOM.integers(-3, 4, size=(n, 2)).astype(float) for n in (3, 2, 4, 3)]
LABELS = [["a" if row[0] > 0 else "b" for row in x] for x in ARRAYS]


def phi(x, y):
    """Order two numbers."""
    return np.array([x[y[1]] - x[y[0]], 1.0])


def other_phi(x, y):
    """As long as phi."""
    return -phi(x, y)


CASES = {
    "sequences": (SequenceClassifier(random_state=0), ARRAYS, LABELS),
    "networks": (
        NetworkClassifier(random_state=0),
        [(x[:3], PATH) for x in ARRAYS if len(x) >= 3],
        [y[:3] for y in LABELS if len(y) >= 3],
    ),
    "custom": (StructuredClassifier(phi, labels=[(0, 1), (1, 0)]), [[1, 4], [7, 2], [3, 5]], [(0, 1), (1, 0), (0, 1)]),
}
OTHERS = {
    "rule": "kozinec", "target": 0.5, "order": 2, "forbidden": [("a", "b")], "templates": "window", "columns": ("x",),
    "pair_features": True, "fit_intercept": False, "fit_end": False, "loss_scale": 0.5, "keep": "last", "batch": True,
    "max_iter": 3, "max_updates": 2, "max_seconds": 5.0, "patience": 2, "shuffle": None, "random_state": 7,
    "scoring": "sequence", "n_jobs": 1, "warm_start": True, "verbose": 0, "engine": "trws", "engine_passes": 2,
    "seconds": 3.0, "stop": bool, "start": [1.0],
    "phi": other_phi, "argmax": lambda w, x: (1, 0), "labels": [(1, 0)], "rival": lambda w, x, y: None,
    "loss": "hamming",
}  # fmt: skip
FREE = SequenceClassifier._CHANGEABLE
PAIRS = [(case, name) for case, (rule, _, _) in CASES.items() for name in inspect.signature(type(rule)).parameters]


def results(rule, case, X, y):
    """All that a fitted estimator says."""
    found = {"predict": rule.predict(X), "score": rule.score(X, y), "check": bool(rule.check(X, y))}
    found["risk"] = rule.risk(X, y)
    if case == "sequences":
        found["best"] = [(labels, score) for best in rule.predict_best(X, 2) for labels, score in best]
        found["marginals"] = rule.max_marginals(X)
        found["weights"] = tuple(rule.weights_)
    else:
        found["scores"] = rule.decision_function(X, y)
    return pickle.dumps(found)


@pytest.mark.parametrize(("case", "name"), PAIRS)
def test_a_parameter_changed_after_fit_changes_nothing(case, name):
    rule, X, y = CASES[case]
    rule = type(rule)(**rule.get_params()).fit(X, y)
    before = results(rule, case, X, y)
    new = (not getattr(rule, name)) if name == "shuffle" else OTHERS[name]
    rule.set_params(**{name: new})
    assert results(rule, case, X, y) == before
    if name in FREE:
        rule.partial_fit(X, y)
        return
    coef = rule.coef_.copy()
    with pytest.raises(ValueError, match=f"^{name}: expected .* as when learning began, got"):
        rule.partial_fit(X, y)
    with pytest.raises(ValueError, match=f"^{name}: expected .* as when learning began, got"):
        rule.set_params(warm_start=True).fit(X, y)
    assert (rule.coef_ == coef).all()


@pytest.mark.parametrize("case", CASES)
def test_a_coef_of_another_size_is_refused(case):
    rule, X, y = CASES[case]
    rule = type(rule)(**rule.get_params()).fit(X, y)
    for wrong in (rule.coef_[:-1], np.append(rule.coef_, 0.0), rule.coef_[None], rule.coef_ * np.nan):
        rule.coef_ = wrong
        with pytest.raises(ValueError, match=r"coef_: expected .* finite numbers as learned"):
            rule.predict(X)


def test_tags_say_that_x_is_no_matrix_and_y_is_needed():
    for rule, _, _ in CASES.values():
        tags = get_tags(rule)
        assert not tags.input_tags.two_d_array and tags.target_tags.required and not tags.target_tags.one_d_labels


def test_predictions_of_unequal_lengths_can_be_cross_validated():
    rule, X, y = CASES["sequences"]
    found = cross_val_predict(rule, X, np.array(y, dtype=object), cv=2)
    assert [len(labels) for labels in found] == [len(labels) for labels in y]
    graphs = [(x, np.array([[t, t + 1] for t in range(len(x) - 1)])) for x in X]
    found = cross_val_predict(NetworkClassifier(random_state=0), graphs, np.array(y, dtype=object), cv=2)
    assert [len(labels) for labels in found] == [len(labels) for labels in y]


def test_a_sequence_without_its_outer_brackets_is_refused():
    for x in ([{"a": 1.0}, {"b": 1.0}], [{"a"}, {"b"}]):
        with pytest.raises(ValueError, match=r"sequence 0: expected a list of positions, got .*given as \[X\]"):
            SequenceClassifier().fit(x, [["u"], ["v"]])


@pytest.mark.parametrize("case", CASES)
def test_weights_above_one_do_not_let_relaxation_run_away(case):
    rule, X, y = CASES[case]
    rule = type(rule)(**{**rule.get_params(), "rule": "relaxation", "max_iter": 200})
    found = rule.fit(X, y, sample_weight=[3.0] * len(X))
    assert np.abs(found.coef_).max() < 1e6 and found.check(X, y, sample_weight=[3.0] * len(X))
