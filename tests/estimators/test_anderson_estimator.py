"""The estimator `Anderson`: Gaussians given or estimated, required errors, streams, and its check."""

import json
import warnings

import numpy as np
import pytest
from gaussians_at_random import random_gaussians
from scipy.special import ndtr
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linsep import Anderson, MaximumMargin, RadiusCertificate


def named(sign):
    return np.where(np.asarray(sign) > 0, "yes", "no")


def drawn(seed=0, n=400, d=3):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1, 0)
    X = rng.standard_normal((n, d)) * np.where(y, 2.0, 0.5)[:, None] + 2.5 * y[:, None]
    return X, y


def test_gaussians_with_names():
    means, covariances, sign = random_gaussians(0, 7, 3, 3.0)
    rule = Anderson().fit_gaussians(means, covariances, named(sign))
    claim = rule.certificate_
    assert claim.status == "optimal"
    assert claim.check(rule.means_, rule.covariances_, rule.labels_)
    assert claim.check(means, covariances, named(sign))
    assert rule.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(rule.predict(means), named(sign))
    radii = (
        sign
        * rule.decision_function(means)
        / np.sqrt(np.einsum("i,kij,j->k", rule.coef_[0], covariances, rule.coef_[0]))
    )
    np.testing.assert_allclose(rule.radii_, radii, rtol=1e-9)
    np.testing.assert_allclose(rule.errors_, ndtr(-radii), rtol=1e-6)
    assert rule.error_ == pytest.approx(ndtr(-claim.lower), rel=1e-8)
    assert rule.any_error_ == pytest.approx(1 / (1 + radii.min() ** 2), rel=1e-9)
    assert set(claim.rows) <= set(rule.worst_.tolist())
    assert np.linalg.norm(rule.coef_) == pytest.approx(1.0)


def test_the_worst_error_is_what_a_sample_shows():
    """F5: draw from each Gaussian, and count."""
    means, covariances, sign = random_gaussians(2, 5, 2, 2.0)
    rule = Anderson().fit_gaussians(means, covariances, sign)
    rng = np.random.default_rng(0)
    for j in range(5):
        X = rng.multivariate_normal(means[j], covariances[j], 200_000)
        assert np.mean(rule.predict(X) != sign[j]) == pytest.approx(rule.errors_[j], abs=4e-3)


def test_no_distribution_errs_more_than_the_bound():
    """Two points with the right mean and variance reach 1 / (1 + r^2)."""
    rule = Anderson().fit_gaussians([[0.0], [3.0]], [1.0, 1.0], [0, 1])
    r = 1.5
    share = 1 / (1 + r * r)  # a mass on the hyperplane, the rest on the other side of the mean
    values, weights = np.array([-1 / r, r]), np.array([1 - share, share])
    assert weights @ values == pytest.approx(0.0)
    assert weights @ values**2 == pytest.approx(1.0)
    assert rule.any_error_ == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("method", ["optimal", "kozinec", "perceptron", "direction"])
def test_a_required_error_is_reached_or_impossible(method):
    means, covariances, sign = random_gaussians(3, 8, 3, 3.0)
    best = Anderson().fit_gaussians(means, covariances, sign).certificate_
    easy = float(ndtr(-0.9 * best.lower))
    rule = Anderson(easy, method=method).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "reached"
    assert rule.error_ <= easy
    assert "was required" in str(rule.certificate_)
    hard = float(ndtr(-1.01 * best.lower))
    rule = Anderson(hard, method=method, max_iter=50).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "impossible"
    assert rule.certificate_.check(means, covariances, sign)
    assert rule.certificate_.best_error == pytest.approx(best.error, rel=1e-2)


def test_a_spent_budget_is_a_warning():
    means, covariances, sign = random_gaussians(3, 8, 3, 3.0)
    best = Anderson().fit_gaussians(means, covariances, sign).certificate_
    near = float(ndtr(-0.99999 * best.lower))
    with pytest.warns(ConvergenceWarning, match="Anderson: the budget is spent"):
        rule = Anderson(near, method="kozinec", max_iter=2).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "budget spent"
    assert rule.certificate_.check(means, covariances, sign)


def test_the_loop_needs_a_required_error():
    means, covariances, sign = random_gaussians(3, 8, 3, 3.0)
    with pytest.raises(ValueError, match="give Anderson\\(error="):
        Anderson(method="kozinec").fit_gaussians(means, covariances, sign)


def test_infeasible_is_a_warning_and_still_a_rule():
    with pytest.warns(ConvergenceWarning, match="an error of at least 1/2"):
        rule = Anderson().fit_gaussians([[0.0], [1.0], [2.0]], 1.0, [0, 1, 0])
    assert rule.certificate_.status == "infeasible"
    assert rule.error_ >= 0.5
    assert np.isfinite(rule.decision_function([[0.5]])).all()


# ------------------------------------------------------------------ from rows


def test_fit_estimates_the_gaussians_of_largest_likelihood():
    X, y = drawn()
    rule = Anderson().fit(X, y)
    for j, label in enumerate(rule.labels_):
        np.testing.assert_allclose(rule.means_[j], X[y == label].mean(axis=0))
        np.testing.assert_allclose(rule.covariances_[j], np.cov(X[y == label].T, bias=True))
    assert rule.certificate_.check(rule.means_, rule.covariances_, rule.labels_)
    assert rule.score(X, y) > 0.8


def test_the_neglected_class_is_not_neglected():
    X, y = drawn(n=3000)
    worst = {}
    for name, rule in (("anderson", Anderson()), ("lda", LinearDiscriminantAnalysis())):
        wrong = rule.fit(X, y).predict(X) != y
        worst[name] = max(wrong[y == 0].mean(), wrong[y == 1].mean())
    assert worst["anderson"] < 0.75 * worst["lda"]


def test_mixtures_and_shrinkage():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((200, 2)) + centre for centre in ([-6, -6], [-6, 6], [3, 0], [9, 0])])
    y = np.repeat([0, 0, 1, 1], 200)
    rule = Anderson(components=2, random_state=0).fit(X, y)
    assert rule.means_.shape == (4, 2)
    assert rule.labels_.tolist() == [0, 0, 1, 1]
    assert rule.error_ < 1e-3
    spheres = Anderson(shrinkage=1.0).fit(X, y)
    np.testing.assert_allclose(spheres.covariances_[0], spheres.covariances_[0][0, 0] * np.eye(2))
    Anderson(shrinkage="ledoit-wolf").fit(X, y)
    Anderson(shrinkage="ledoit-wolf", components=2, random_state=0).fit(X, y)


def test_points_alone_are_the_widest_margin():
    """F4: one row per Gaussian, equal spheres."""
    rng = np.random.default_rng(1)
    sign = np.array([-1, 1] * 10)
    X = rng.standard_normal((20, 2)) + 3 * sign[:, None]
    rule, other = Anderson().fit_gaussians(X, 1.0, sign), MaximumMargin().fit(X, sign)
    assert rule.certificate_.lower == pytest.approx(other.margin_, rel=1e-8)


def test_streams_are_the_whole():
    X, y = drawn(n=1000)
    whole, stream = Anderson().fit(X, y), Anderson()
    for part in np.array_split(np.arange(1000), [3, 10, 500]):
        stream.partial_fit(X[part], y[part], classes=[0, 1])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-7)
    np.testing.assert_allclose(stream.covariances_, whole.covariances_, rtol=1e-10)
    one = Anderson().partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
    assert not hasattr(one, "coef_")  # one class only so far
    one.partial_fit(X[y == 1], y[y == 1])
    np.testing.assert_allclose(one.coef_, whole.coef_, rtol=1e-7)
    assert not hasattr(Anderson(components=2), "partial_fit")


def test_an_ordinary_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(make_pipeline(StandardScaler(), Anderson(shrinkage="ledoit-wolf")), X, y)
    assert scores.mean() > 0.94


# ------------------------------------------------------------------ the check


@pytest.mark.parametrize("parameters", [
    {}, {"shrinkage": 0.3}, {"shrinkage": 1.0}, {"shrinkage": "ledoit-wolf"}, {"error": 0.2},
    {"method": "direction", "tol": 1e-4},
])  # fmt: skip
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_check_recomputes_the_gaussians_from_the_rows(parameters, shift):
    X, y = drawn()
    X = X + shift
    rule = Anderson(**parameters).fit(X, y)
    verdict = rule.check(X, y)
    assert verdict, str(verdict)
    assert verdict.lower >= rule.certificate_.lower
    rule.set_params(shrinkage=0.9)  # what was fitted is what is checked
    assert rule.check(X, y)


def test_check_finds_other_rows_labels_weights_and_gaussians():
    X, y = drawn()
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0 + np.arange(len(y)) % 3)
    rule = Anderson().fit(X, y, weight)
    assert rule.check(X, y, weight)
    assert rule.check(X[weight > 0], y[weight > 0], weight[weight > 0])
    assert rule.check(np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int)))
    assert "means: of class 0" in str(rule.check(X, y))
    assert not rule.check(X + 1e-6, y, weight)
    assert "covariances: of class 1" in str(rule.check(X * np.where(y, 1.001, 1.0)[:, None], y, weight))
    assert not rule.check(X, 1 - y, weight)
    assert "labels" in str(rule.check(X[y == 0], y[y == 0], weight[y == 0]))
    rule.covariances_ = rule.covariances_ * (1 + 1e-6)
    assert "covariances: of class 0" in str(rule.check(X, y, weight))


def test_check_finds_another_hyperplane():
    X, y = drawn()
    rule = Anderson().fit(X, y)
    rule.intercept_ = rule.intercept_ + 1e-3
    assert "coef_ and intercept_" in str(rule.check(X, y))


def test_check_of_streams_needs_all_rows():
    X, y = drawn()
    stream = Anderson().partial_fit(X[:100], y[:100], classes=[0, 1]).partial_fit(X[100:], y[100:])
    assert stream.check(X, y)
    assert not stream.check(X[100:], y[100:])


def test_check_of_mixtures_is_of_the_certificate_only_and_says_so():
    X, y = drawn()
    rule = Anderson(components=2, random_state=0).fit(X, y)
    assert rule.check(X, y)
    assert "not estimated again" in str(rule.check(X, y))
    rule.means_ = rule.means_ + 0.1 * np.where(rule.labels_ == 1, 1, -1)[:, None]
    assert not rule.check(X, y)


def test_check_of_given_gaussians_is_that_of_the_certificate():
    means, covariances, sign = random_gaussians(1, 6, 2, 3.0)
    rule = Anderson().fit_gaussians(means, covariances, sign)
    with pytest.raises(ValueError, match=r"use certificate_\.check\(means, covariances, labels\)"):
        rule.check(means, sign)
    assert rule.certificate_.check(means, covariances, sign)


def test_given_gaussians_are_no_part_of_a_stream():
    X, y = drawn()
    rule = Anderson().fit(X, y).fit_gaussians([[0.0], [3.0]], 1.0, [0, 1])
    with pytest.raises(ValueError, match="first call of partial_fit"):
        rule.partial_fit(X, y)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(("change", "message"), [
    ({"means": [[0.0, np.nan], [1.0, 0.0]]}, "Gaussian 0: its mean is not finite"),
    ({"covariances": [np.eye(2), -np.eye(2)]}, "Gaussian 1: its covariance is not positive semidefinite"),
    ({"covariances": [np.eye(2), [[1.0, 0.0], [1.0, 1.0]]]}, "Gaussian 1: its covariance is not symmetric"),
    ({"covariances": np.eye(2)[None]}, "covariances: expected one per mean, that is 2, got 1"),
    ({"labels": [1, 1]}, "labels: expected two classes, got 1: 1"),
    ({"labels": [1, 2, 3]}, "labels: expected two classes, got 3"),
    ({"labels": [[0, 1]]}, "labels: expected one per Gaussian"),
])  # fmt: skip
def test_bad_gaussians_are_named(change, message):
    given = {"means": [[0.0, 0.0], [3.0, 0.0]], "covariances": [np.eye(2)] * 2, "labels": [0, 1], **change}
    rule = Anderson()
    with pytest.raises(ValueError, match=message):
        rule.fit_gaussians(**given)
    assert not [name for name in vars(rule) if name.endswith("_") and not name.startswith("_")]


@pytest.mark.parametrize(("parameters", "message"), [
    ({"error": 0.5}, "error"),
    ({"error": 0.0}, "error"),
    ({"method": "ganders"}, "method"),
    ({"components": 0}, "components"),
])  # fmt: skip
def test_bad_parameters_are_named(parameters, message):
    X, y = drawn(n=30)
    with pytest.raises(ValueError, match=message):
        Anderson(**parameters).fit(X, y)


def test_few_rows_and_unequal_weights():
    X, y = drawn(n=30)
    with pytest.raises(ValueError, match="too few for a mixture"):
        Anderson(components=10).fit(X, y)
    with pytest.raises(ValueError, match="expected equal weights with components=2"):
        Anderson(components=2).fit(X, y, sample_weight=np.arange(1.0, 31.0))


def test_a_failed_fit_leaves_the_rule_as_it_was():
    X, y = drawn()
    rule = Anderson().fit(X, y)
    before = rule.coef_.copy()
    with pytest.raises(ValueError):
        rule.fit_gaussians([[0.0], [np.inf]], 1.0, [0, 1])
    np.testing.assert_array_equal(rule.coef_, before)


def test_certificates_keep_their_labels_through_json():
    means, covariances, sign = random_gaussians(1, 6, 2, 3.0)
    claim = Anderson().fit_gaussians(means, covariances, named(sign)).certificate_
    again = RadiusCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.check(means, covariances, named(sign))


def test_no_warning_from_a_good_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Anderson().fit(*drawn())


def test_verbose_prints_a_line_per_step(capsys):
    means, covariances, sign = random_gaussians(0, 7, 3, 3.0)
    rule = Anderson().fit_gaussians(means, covariances, named(sign))
    assert capsys.readouterr().err == ""
    rule.set_params(verbose=1).fit_gaussians(means, covariances, named(sign))
    steps = capsys.readouterr().err.splitlines()
    assert rule.n_iter_ - len(steps) in (0, 1) and all(line.startswith("pass ") for line in steps)
    rule.set_params(method="direction").fit_gaussians(means, covariances, named(sign))
    steps = capsys.readouterr().err.splitlines()
    assert len(rule.history_) - len(steps) in (0, 1) and all(line.startswith("pass ") for line in steps)
