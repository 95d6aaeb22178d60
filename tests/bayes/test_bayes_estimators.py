"""Bayes' classifiers, nearest means and the densities keep scikit-learn's contract."""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep.bayes import Bayes, Gaussian, Mahalanobis, NearestMean, Parzen, PiecewiseConstant, Rayleigh, Uniform

ESTIMATORS = [
    Bayes(),
    Bayes(Gaussian()),
    Bayes(Gaussian("diagonal", shared=True)),
    Bayes(Gaussian("spherical"), priors="uniform"),
    Bayes(Parzen()),
    Bayes(Parzen(kernel="tophat")),
    Bayes(Uniform()),
    Bayes(Rayleigh()),
    Bayes(PiecewiseConstant()),
    Bayes(PiecewiseConstant(3, smoothing=0.5)),
    Bayes(LinearDiscriminantAnalysis()),
    Bayes(GaussianMixture(random_state=0)),
    Bayes(reject=0.95, reject_label=99),  # never taken with fewer than 20 classes
    NearestMean(),
    Mahalanobis(),
    Mahalanobis("own"),
    Gaussian(),
    Gaussian("diagonal"),
    Gaussian("spherical"),
    Uniform(),
    Rayleigh(),
    Parzen(),
    PiecewiseConstant(),
]


def expected(estimator):
    model = getattr(estimator, "model", None)
    if isinstance(model, Uniform):
        checks = ("check_sample_weights_shape", "check_sample_weights_not_overwritten")
        constant = dict.fromkeys(checks, "in its classes a column is constant, there is no uniform density")
        one_row = "its class 0 has one row only, repeated: there is no uniform density"
        return {**constant, "check_sample_weight_equivalence_on_dense_data": one_row}
    if isinstance(model, Rayleigh):
        return {"check_decision_proba_consistency": "its data are negative, the tag positive_only notwithstanding"}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
