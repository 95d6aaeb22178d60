"""The estimator `Anderson`: Gaussians given or estimated, wanted errors, importance, caution, streams."""

import json
import warnings

import numpy as np
import pytest
from gaussians_at_random import bodies
from scipy.special import ndtr, ndtri
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
    means, covariances, sign = bodies(0, 7, 3, 3.0)
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
    means, covariances, sign = bodies(2, 5, 2, 2.0)
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
def test_a_wanted_error_is_reached_or_impossible(method):
    means, covariances, sign = bodies(3, 8, 3, 3.0)
    best = Anderson().fit_gaussians(means, covariances, sign).certificate_
    easy = float(ndtr(-0.9 * best.lower))
    rule = Anderson(easy, method=method).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "reached"
    assert rule.error_ <= easy
    assert "was wanted" in str(rule.certificate_)
    hard = float(ndtr(-1.01 * best.lower))
    rule = Anderson(hard, method=method, max_passes=50).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "impossible"
    assert rule.certificate_.check(means, covariances, sign)
    assert rule.certificate_.best_error == pytest.approx(best.error, rel=1e-2)


def test_a_budget_that_is_spent_is_said():
    means, covariances, sign = bodies(3, 8, 3, 3.0)
    best = Anderson().fit_gaussians(means, covariances, sign).certificate_
    near = float(ndtr(-0.99999 * best.lower))
    with pytest.warns(ConvergenceWarning, match="budget of 2 passes"):
        rule = Anderson(near, method="kozinec", max_passes=2).fit_gaussians(means, covariances, sign)
    assert rule.certificate_.status == "budget spent"
    assert rule.certificate_.check(means, covariances, sign)


def test_the_loop_needs_a_wanted_error():
    means, covariances, sign = bodies(3, 8, 3, 3.0)
    with pytest.raises(ValueError, match="give Anderson\\(error="):
        Anderson(method="kozinec").fit_gaussians(means, covariances, sign)


def test_infeasible_is_a_warning_and_still_a_rule():
    with pytest.warns(ConvergenceWarning, match="at least every other time"):
        rule = Anderson().fit_gaussians([[0.0], [1.0], [2.0]], 1.0, [0, 1, 0])
    assert rule.certificate_.status == "infeasible"
    assert rule.error_ >= 0.5
    assert np.isfinite(rule.decision_function([[0.5]])).all()


# ------------------------------------------------------------------ beyond


def test_importance_moves_the_hyperplane_away():
    means, covariances = [[0.0], [3.0]], [1.0, 1.0]
    plain = Anderson().fit_gaussians(means, covariances, [0, 1])
    twice = Anderson().fit_gaussians(means, covariances, [0, 1], importance=[2.0, 1.0])
    np.testing.assert_allclose(plain.radii_, [1.5, 1.5])
    np.testing.assert_allclose(twice.radii_, [2.0, 1.0])
    assert twice.certificate_.check(means, covariances, [0, 1])
    by_class = Anderson(importance={0: 2.0}).fit_gaussians(means, covariances, [0, 1])
    np.testing.assert_allclose(by_class.radii_, [2.0, 1.0])


@pytest.mark.parametrize("seed", range(3))
def test_importance_against_scaled_deviations(seed):
    means, covariances, sign = bodies(seed, 9, 3, 4.0)
    a = np.random.default_rng(seed).uniform(0.5, 2.0, 9)
    one = Anderson().fit_gaussians(means, covariances, sign, importance=a).certificate_
    two = Anderson().fit_gaussians(means, covariances * a[:, None, None] ** 2, sign).certificate_
    assert one.lower == pytest.approx(two.lower, rel=1e-9)
    assert one.check(means, covariances, sign)


def test_tolerated_errors_are_met_or_not():
    means, covariances = [[0.0], [3.0]], [1.0, 1.0]
    met = Anderson().fit_gaussians(means, covariances, [0, 1], tolerated=[0.01, 0.4])
    assert met.certificate_.status == "reached"
    assert (met.errors_ <= [0.01, 0.4]).all()
    assert met.radii_[0] / met.radii_[1] == pytest.approx(ndtri(0.01) / ndtri(0.4))
    not_met = Anderson().fit_gaussians(means, covariances, [0, 1], tolerated=[0.01, 0.2])
    assert not_met.certificate_.status == "impossible"
    assert not_met.certificate_.check(means, covariances, [0, 1])


def test_caution_about_means_and_covariances():
    means, covariances = [[0.0], [3.0]], [1.0, 1.0]
    careful = Anderson().fit_gaussians(means, covariances, [0, 1], caution=[1.0, 0.0])
    np.testing.assert_allclose(careful.radii_, [2.0, 1.0])  # a deviation more for the one that is not known well
    assert careful.certificate_.lower == pytest.approx(1.0)
    assert careful.certificate_.check(means, covariances, [0, 1])
    wide = Anderson().fit_gaussians(means, covariances, [0, 1], covariance_caution=3.0)
    np.testing.assert_allclose(wide.radii_, [0.75, 0.75])  # variance 1 + 3
    assert wide.certificate_.check(wide.means_, wide.covariances_, wide.labels_)
    with pytest.warns(ConvergenceWarning, match="Infeasible"):
        lost = Anderson().fit_gaussians(means, covariances, [0, 1], caution=2.0)
    assert lost.certificate_.check(means, covariances, [0, 1])


@pytest.mark.parametrize("seed", range(4))
def test_caution_is_kept_for_every_mean_it_allows(seed):
    means, covariances, sign = bodies(seed, 6, 3, 5.0)
    rule = Anderson().fit_gaussians(means, covariances, sign, caution=0.3)
    rng = np.random.default_rng(seed)
    v = rng.standard_normal((300, 6, 3))
    v *= 0.3 / np.linalg.norm(v, axis=2, keepdims=True)
    moved = means + np.einsum("kij,nkj->nki", np.linalg.cholesky(covariances + 1e-12 * np.eye(3)), v)
    spread = np.sqrt(np.einsum("i,kij,j->k", rule.coef_[0], covariances, rule.coef_[0]))
    radii = sign * (moved @ rule.coef_[0] + rule.intercept_[0]) / spread
    assert radii.min() >= rule.certificate_.lower - 1e-6


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
    """F4: one row a Gaussian, equal spheres."""
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


def test_confidence_asks_more_of_the_smaller_class():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.standard_normal((1000, 2)), rng.standard_normal((10, 2)) + 6])
    y = np.repeat([0, 1], [1000, 10])
    plain, careful = Anderson().fit(X, y), Anderson(confidence=0.95).fit(X, y)
    assert careful.certificate_.caution[1] == pytest.approx(np.sqrt(5.991464547 / 10))
    assert careful.radii_[1] > plain.radii_[1]
    assert careful.certificate_.check(careful.means_, careful.covariances_, careful.labels_)


def test_an_ordinary_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(make_pipeline(StandardScaler(), Anderson(shrinkage="ledoit-wolf")), X, y)
    assert scores.mean() > 0.94


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(("change", "message"), [
    ({"means": [[0.0, np.nan], [1.0, 0.0]]}, "Gaussian 0: its mean is not finite"),
    ({"covariances": [np.eye(2), -np.eye(2)]}, "Gaussian 1: its covariance is not positive semidefinite"),
    ({"covariances": [np.eye(2), [[1.0, 0.0], [1.0, 1.0]]]}, "Gaussian 1: its covariance is not symmetric"),
    ({"covariances": np.eye(2)[None]}, "There are 2 means, but 1 covariances"),
    ({"labels": [1, 1]}, "labels: two classes are needed, but there are 1: 1"),
    ({"labels": [1, 2, 3]}, "labels: two classes are needed, but there are 3"),
    ({"labels": [[0, 1]]}, "labels: one for each Gaussian"),
    ({"importance": [1.0, -1.0]}, "importance: of Gaussian 1 it is -1"),
    ({"tolerated": [0.1, 0.6]}, "tolerated: of Gaussian 1 it is 0.6"),
    ({"tolerated": [0.1, 0.2], "importance": [1.0, 1.0]}, "one of them is enough"),
    ({"covariance_caution": -1.0}, "covariance_caution=-1.0"),
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
    ({"importance": {"x": 2.0}}, "'x' is not one of the classes"),
])  # fmt: skip
def test_bad_parameters_are_named(parameters, message):
    X, y = drawn(n=30)
    with pytest.raises(ValueError, match=message):
        Anderson(**parameters).fit(X, y)


def test_few_rows_and_unequal_weights():
    X, y = drawn(n=30)
    with pytest.raises(ValueError, match="too few for a mixture"):
        Anderson(components=10).fit(X, y)
    with pytest.raises(ValueError, match="knows no unequal weights"):
        Anderson(components=2).fit(X, y, sample_weight=np.arange(1.0, 31.0))


def test_a_failed_fit_leaves_the_rule_as_it_was():
    X, y = drawn()
    rule = Anderson().fit(X, y)
    before = rule.coef_.copy()
    with pytest.raises(ValueError):
        rule.fit_gaussians([[0.0], [np.inf]], 1.0, [0, 1])
    np.testing.assert_array_equal(rule.coef_, before)


def test_certificates_keep_their_labels_through_json():
    means, covariances, sign = bodies(1, 6, 2, 3.0)
    claim = Anderson().fit_gaussians(means, covariances, named(sign)).certificate_
    again = RadiusCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.check(means, covariances, named(sign))


def test_no_warning_from_a_good_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Anderson().fit(*drawn())
