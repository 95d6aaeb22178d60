"""Lifted: one classifier, its certificate and polynomial; S0's example and Novikoff's bound."""

import pickle
import runpy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import REPOSITORY
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from linsep import Functions, LeastSquares, Lifted, MaximumMargin, OneVsAll, Perceptron, Polynomial, Quadratic
from linsep.certificates.prove.margin import novikoff

# S0's one-dimensional example on points of our own: the positive class lies on both sides of the negative one.
POINTS = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]


LABELS = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1])


def square(X):
    return X**2


def square_less_one(X):
    return X**2 - 1


def radius(X):
    return np.hypot(X[:, 0], X[:, 1])


def test_data_frames_out_change_nothing():
    X, y = load_iris(return_X_y=True)
    plain = Lifted(Quadratic(), LeastSquares("pinv")).fit(X, y == 1)
    with config_context(transform_output="pandas"):
        framed = Lifted(Quadratic(), LeastSquares("pinv")).fit(X, y == 1)
        assert isinstance(Quadratic().fit_transform(X), pd.DataFrame)
        assert np.array_equal(framed.decision_function(X), plain.decision_function(X))
        assert framed.check(X, y == 1) and framed.as_polynomial() == plain.as_polynomial()


def test_polars_and_arrow_are_read():
    X, y = load_iris(return_X_y=True)
    plain = Lifted(Quadratic(), LeastSquares("pinv")).fit(X, y == 1)
    columns = {name: X[:, j] for j, name in enumerate("abcd")}
    for table in (pl.DataFrame(columns), pa.table(columns)):
        rule = Lifted(Quadratic(), LeastSquares("pinv")).fit(table, y == 1)
        assert np.array_equal(rule.decision_function(table), plain.decision_function(X))
        assert rule.as_polynomial().names == tuple("abcd")


def test_far_from_zero_the_polynomial_still_decides():
    X, y = np.arange(1e6, 1e6 + 8)[:, None], np.array([0, 1, 1, 0, 0, 1, 1, 0])
    rule = Lifted(Polynomial(5), Perceptron()).fit(X, y)
    g = rule.as_polynomial()
    assert rule.certificate_.separates
    assert np.allclose(g(X), rule.decision_function(X), rtol=1e-9)
    blunt = g.coefficients @ (X.ravel() ** g.exponents)  # its terms are 1e27: what evaluating as written would give
    assert not np.allclose(blunt, rule.decision_function(X), rtol=1.0)


def test_a_pipeline_is_read_back_too():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(Quadratic(), LeastSquares("pinv")).fit(X, y == 1)
    g = pipe[-1].as_polynomial(pipe[0])
    assert np.allclose(g(X), pipe.decision_function(X), rtol=1e-9)
    assert g == Lifted(Quadratic(), LeastSquares("pinv")).fit(X, y == 1).as_polynomial()


def test_many_classes_have_a_polynomial_each():
    X, y = load_iris(return_X_y=True)
    rule = Lifted(Quadratic(), LogisticRegression()).fit(X, y)
    scores = np.column_stack([g(X) for g in rule.as_polynomial()])
    assert np.allclose(scores, rule.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_rules_of_any_functions_are_read_and_evaluated(centre, scale):
    X = np.random.default_rng(0).normal(3, 2, size=(60, 2))
    y = radius(X) + np.sin(X[:, 0]) > 4
    lift = Functions([radius, np.sin, ("x1·x2", lambda X: X[:, 0] * X[:, 1])], centre=centre, scale=scale)
    rule = Lifted(lift, LeastSquares("pinv")).fit(X, y)
    g = rule.as_polynomial()
    assert g.names == ("x1", "x2", "radius(x1, x2)", "sin(x1)", "sin(x2)", "x1·x2")
    assert np.allclose(g(X), rule.decision_function(X), rtol=1e-9)
    assert g.to_string().count("·(x1·x2)") == 1 and "·sin(x2)" in g.to_string()


def bound(lift):
    """Novikoff's bound with the true m, for the points behind a lift; and the updates that a perceptron makes there."""
    best = Lifted(lift, MaximumMargin(bias="augmented")).fit(POINTS, LABELS)
    made = Lifted(lift, Perceptron(keep="last", max_iter=1000)).fit(POINTS, LABELS)
    assert best.certificate_.status == "optimal" and best.check(POINTS, LABELS)
    assert made.certificate_.status == "separated" and np.array_equal(made.predict(POINTS), LABELS)
    limit = novikoff(best.certificate_.longest, best.certificate_.lower)
    assert made.certificate_.updates <= limit
    return limit, made.certificate_.updates


def test_no_line_separates_s0s_points_but_a_parabola_does():
    assert MaximumMargin().fit(POINTS, LABELS).certificate_.status == "not separable"
    rule = Lifted(Quadratic(), Perceptron()).fit(POINTS, LABELS)
    assert rule.certificate_.status == "separated" and rule.check(POINTS, LABELS)
    g = rule.as_polynomial()
    w0, w1, w2 = (float(g.terms[monomial]) for monomial in ((), (0,), (0, 0)))
    low, high = sorted(np.roots([w2, w1, w0]).real)
    assert w2 > 0 and -1.3 < low < -0.9 and 0.8 < high < 1.2  # positive outside, and between the classes


def test_centring_and_scaling_lower_novikoffs_bound():
    raw, raw_updates = bound(Functions([square], centre=False, scale=False))
    s0, _ = bound(Functions([square_less_one], centre=False, scale=False))
    ours, our_updates = bound(Quadratic())
    assert raw == pytest.approx(bound(Polynomial(2, centre=False, scale=False))[0], rel=1e-9)
    assert s0 < 0.8 * raw  # S0's remark
    assert ours < 0.4 * raw and our_updates < raw_updates


def test_what_no_line_separates_a_quartic_does(shared):
    X, y = shared("vltava")
    assert MaximumMargin().fit(X, y).certificate_.status == "not separable"
    rule = Lifted(Polynomial(4), MaximumMargin()).fit(X, y)
    assert rule.certificate_.status == "optimal" and rule.check(X, y)
    assert np.array_equal(rule.as_polynomial()(X) > 0, y == rule.classes_[1])


def test_the_example_tells_s0s_story(tmp_path, capsys):
    runpy.run_path(str(REPOSITORY / "examples" / "lifting.py"))["main"](str(tmp_path))
    said = capsys.readouterr().out
    for line in ("Not separable", "at most 383 updates", "at most 120 updates", "at most 117 updates", "·x² + "):
        assert line in said
    assert said.count("The certificate holds") == 3
    assert (tmp_path / "lifting.png").stat().st_size > 10_000


def test_what_can_not_be_written_out_says_so():
    rng = np.random.default_rng(0)
    many, labels = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    kernel = Lifted(Nystroem(n_components=10, random_state=0), Perceptron()).fit(many, labels)
    with pytest.raises(TypeError, match="expected the method expand, Nystroem has none"):
        kernel.as_polynomial()
    tree = Lifted(Quadratic(), DecisionTreeClassifier()).fit(many, labels)
    with pytest.raises(TypeError, match="expected the attribute coef_, DecisionTreeClassifier has none"):
        tree.as_polynomial()
    for bad in (Lifted(3, Perceptron()), Lifted(Quadratic(), 3)):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            bad.fit(many, labels)


def test_lifted_is_the_pipeline():
    X, y = load_iris(return_X_y=True)
    ours, theirs = (
        Lifted(Quadratic(), LeastSquares("pinv")),
        make_pipeline(
            StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), LeastSquares("pinv")
        ),
    )
    ours.fit(X, y == 1), theirs.fit(X, y == 1)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-12)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.check(X, y == 1) and not ours.check(X, y == 0)


def test_the_degree_is_searched_for():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(200, 1))
    y = X[:, 0] ** 3 - 2 * X[:, 0] > 0  # three changes of side
    search = GridSearchCV(Lifted(Polynomial(), LeastSquares("pinv")), {"lift__degree": [1, 2, 3]}, cv=4).fit(X, y)
    assert search.best_params_ == {"lift__degree": 3}


def test_partial_fit_keeps_the_first_centre():
    X, y = np.vstack([POINTS, POINTS + 0.01]), np.tile(LABELS, 2)
    whole = Lifted(Quadratic(), Perceptron(keep="last"))
    whole.partial_fit(POINTS, LABELS, classes=[0, 1]).partial_fit(X[12:], y[12:])
    lift = Quadratic().fit(POINTS)
    rule = Perceptron(keep="last").partial_fit(lift.transform(POINTS), LABELS, classes=[0, 1])
    rule.partial_fit(lift.transform(X[12:]), y[12:])
    assert np.array_equal(whole.classifier_.coef_, rule.coef_)
    assert not hasattr(Lifted(Quadratic(), MaximumMargin()), "partial_fit")
    fresh = Lifted(Quadratic(), Perceptron())
    with pytest.raises(ValueError, match="classes"):
        fresh.partial_fit(POINTS, LABELS)
    assert not hasattr(fresh, "lift_")


def test_a_rule_and_its_polynomial_are_pickled():
    rule = Lifted(Functions([square]), Perceptron()).fit(POINTS, LABELS)
    again = pickle.loads(pickle.dumps(rule))
    assert np.array_equal(again.decision_function(POINTS), rule.decision_function(POINTS))
    g = pickle.loads(pickle.dumps(rule.as_polynomial()))
    assert np.array_equal(g(POINTS), rule.as_polynomial()(POINTS)) and str(g) == str(rule.as_polynomial())


def test_frames_keep_their_names():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    rule = Lifted(Functions([np.sqrt]), LeastSquares("pinv")).fit(frame, y == 1)
    assert list(rule.feature_names_in_) == list(frame)
    g = rule.as_polynomial()
    assert "sqrt(petal width (cm))" in g.names
    assert np.allclose(g(frame), rule.decision_function(frame), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        rule.predict(frame[frame.columns[::-1]])


def test_a_lifted_committee_shows_its_certificates():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    rule = Lifted(Quadratic(), OneVsAll(Perceptron())).fit(X, y)
    assert len(rule.certificates_) == 3
    with pytest.raises(AttributeError, match="certificates_"):
        _ = rule.certificate_
