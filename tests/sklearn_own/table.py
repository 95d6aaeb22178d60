"""scikit-learn's own test files: our class for each of theirs, and each test that can't hold for ours, with a reason.

A parameter that a class of ours has under the same name is passed on, ``RENAMED`` ones under ours; others are left out,
for instance ``penalty`` and ``tol``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import linsep
from linsep.bayes import Gaussian

RENAMED = {"eta0": "rate"}


def stand_in(make: Callable[..., Any], *names: str) -> type:
    """A class whose instances are our estimators: their names of parameters in, ours out."""
    known = set(inspect.signature(make).parameters)

    class StandIn:
        def __new__(cls, *args: Any, **given: Any) -> Any:
            given = {**dict(zip(names, args)), **given}
            given = {RENAMED.get(name, name): value for name, value in given.items()}
            return make(**{name: value for name, value in given.items() if name in known})

    return StandIn


WAYS = {"ovr": "one-vs-all", "crammer_singer": "machine"}


def _soft(
    C=1.0, loss="squared_hinge", class_weight=None, random_state=0, fit_intercept=True, max_iter="auto",
    multi_class="ovr",
):  # fmt: skip
    return linsep.MaximumMargin(
        C=C, loss=loss, class_weight=class_weight, random_state=random_state, fit_intercept=fit_intercept,
        max_iter=max_iter, multi_class=WAYS[multi_class],
    )  # fmt: skip


def _linear(priors=None):
    return linsep.Bayes(Gaussian(shared=True), priors=priors)


def _quadratic(priors=None, shrinkage=None):
    return linsep.Bayes(Gaussian(shrinkage=shrinkage or 0.0), priors=priors)


PERCEPTRON = functools.partial(linsep.Perceptron, keep="last")  # theirs returns the last w

# file: their names, and ours
FILES: dict[str, dict[str, type]] = {
    "sklearn.linear_model.tests.test_perceptron": {"sklearn.linear_model.Perceptron": stand_in(PERCEPTRON)},
    "sklearn.linear_model.tests.test_sgd": {"sklearn.linear_model.SGDClassifier": stand_in(PERCEPTRON)},
    "sklearn.svm.tests.test_svm": {"sklearn.svm.LinearSVC": stand_in(_soft)},
    "sklearn.tests.test_multiclass": {
        "sklearn.multiclass.OneVsRestClassifier": stand_in(linsep.OneVsAll, "estimator"),
        "sklearn.multiclass.OneVsOneClassifier": stand_in(linsep.OneVsOne, "estimator"),
    },
    "sklearn.tests.test_discriminant_analysis": {
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": stand_in(_linear),
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis": stand_in(_quadratic),
    },
    "sklearn.neighbors.tests.test_nearest_centroid": {
        "sklearn.neighbors.NearestCentroid": stand_in(linsep.NearestMean),
    },
}
# reason, found by running each of them: the tests that it excepts
REASONS: dict[str, list[str]] = {
    "penalties, schedules of rates, averages from some pass on: parameters that a perceptron does not have": [
        "perceptron::test_perceptron_l1_ratio",
        "sgd::test_adaptive_longer_than_constant",
        "sgd::test_average_binary_computed_correctly",
        "sgd::test_clone",
        "sgd::test_large_regularization",
        "sgd::test_late_onset_averaging_reached",
        "sgd::test_learning_rate_PA_raises",
        "sgd::test_power_t_limits",
        "sgd::test_sgd_failing_penalty_validation",
        "sgd::test_sgd_l1",
        "sgd::test_sgd_multiclass_average",
        "sgd::test_tol_parameter",
    ],
    "attributes of SGDClassifier (t_, _average_coef, loss_functions)": [
        "sgd::test_partial_fit_equal_fit_classif",
        "sgd::test_plain_has_no_average_attr",
        "sgd::test_sgd_predict_proba_method_access",
    ],
    "early stopping on a validation part: linsep ends by its own targets and budgets": [
        "sgd::test_early_stopping",
        "sgd::test_multi_core_gridsearch_and_early_stopping",
        "sgd::test_multi_thread_multi_class_and_early_stopping",
        "sgd::test_not_enough_sample_for_early_stopping",
        "sgd::test_sgd_early_stopping_with_partial_fit",
        "sgd::test_sgd_error_on_zero_validation_weight",
        "sgd::test_validation_mask_correctly_subsets",
        "sgd::test_validation_set_not_used_for_training",
    ],
    "coef_init and intercept_init of fit: linsep begins at another w by the parameter start, or by warm_start": [
        "sgd::test_provide_coef",
        "sgd::test_set_coef_multiclass",
        "sgd::test_set_intercept_offset",
        "sgd::test_set_intercept_offset_binary",
        "sgd::test_set_intercept_to_intercept",
        "sgd::test_sgd_multiclass_with_init_coef",
        "sgd::test_warm_start",
        "sgd::test_warm_start_multiclass",
    ],
    "probabilities: linsep's linear rules and committees have none, and their error names CalibratedClassifierCV": [
        "multiclass::test_ovr_single_label_predict_proba",
        "multiclass::test_ovr_single_label_predict_proba_zero",
        "sgd::test_sgd_proba",
    ],
    "weights that are to change the answer: a perceptron separates these data, where a regularised loss errs": [
        "sgd::test_balanced_weight",
        "sgd::test_class_weights",
        "sgd::test_sample_weights",
    ],
    "weights of 1/2 make w half as long, which decides nothing; a regularised loss has one length of w": [
        "sgd::test_equal_class_weight",
    ],
    "the same refusal or warning in other words": [
        "discriminant_analysis::test_lda_priors",
        "discriminant_analysis::test_qda_regularization",
        "discriminant_analysis::test_raises_value_error_on_one_sample_per_class",
        "discriminant_analysis::test_raises_value_error_on_same_number_of_classes_and_samples",
        "multiclass::test_multiclass_estimator_attribute_error",
        "multiclass::test_ovo_one_class",
        "multiclass::test_ovo_partial_fit_predict",
        "multiclass::test_ovr_exceptions",
        "multiclass::test_ovr_partial_fit_exceptions",
        "sgd::test_partial_fit_weight_class_balanced",
        "sgd::test_underflow_or_overflow",
        "svm::test_linear_svm_convergence_warnings",
    ],
    "float32 weights: linsep's w is float64 always": [
        "discriminant_analysis::test_lda_dtype_match",
        "sgd::test_sgd_dtype_match",
    ],
    "random_state without shuffle: linsep visits rows in their order unless shuffle=True": [
        "sgd::test_sgd_random_state",
    ],
    "parameters of liblinear: penalty and dual (which of them fit together), intercept_scaling": [
        "svm::test_dense_liblinear_intercept_handling",
        "svm::test_linearsvc_parameters",
        "svm::test_linearsvm_liblinear_sample_weight",
    ],
    "several labels per row (multilabel): linsep's committees take one": [
        "multiclass::test_ovr_always_present",
        "multiclass::test_ovr_fit_predict_sparse",
        "multiclass::test_ovr_multiclass",
        "multiclass::test_ovr_multilabel",
        "multiclass::test_ovr_multilabel_dataset",
        "multiclass::test_ovr_multilabel_decision_function",
        "multiclass::test_ovr_multilabel_predict_proba",
    ],
    "one class: linsep refuses it": [
        "multiclass::test_constant_int_target",
    ],
    "regressors as members: linsep's committees refuse them by name, for they have no scores of two sides": [
        "multiclass::test_ovr_binary",
        "multiclass::test_ovr_ovo_regressor",
    ],
    "kernels given as matrices: linsep's committees choose rows only, and the member refuses the rest": [
        "multiclass::test_pairwise_cross_val_score",
        "multiclass::test_pairwise_indices",
        "multiclass::test_pairwise_n_features_in",
        "multiclass::test_pairwise_tag",
    ],
    "missing values go to members whose tags allow them; a pipeline with an imputer does not say so": [
        "multiclass::test_support_missing_values",
    ],
    "projections (transform, n_components), which linsep's Bayes does not have": [
        "discriminant_analysis::test_get_feature_names_out",
        "discriminant_analysis::test_lda_dimension_warning",
        "discriminant_analysis::test_lda_explained_variance_ratio",
        "discriminant_analysis::test_lda_orthogonality",
        "discriminant_analysis::test_lda_solver_agreement",
        "discriminant_analysis::test_lda_transform",
    ],
    "covariances under other names (model_ holds the densities), and solvers, each with options of its own": [
        "discriminant_analysis::test_lda_ledoitwolf",
        "discriminant_analysis::test_lda_predict",
        "discriminant_analysis::test_lda_predict_proba",
        "discriminant_analysis::test_lda_shrinkage",
        "discriminant_analysis::test_lda_store_covariance",
        "discriminant_analysis::test_qda_coefs",
        "discriminant_analysis::test_qda_covariance_estimator",
        "discriminant_analysis::test_qda_ledoitwolf",
        "discriminant_analysis::test_qda_store_covariance",
    ],
    "shrinkage by Ledoit and Wolf: linsep's is towards the covariance of all classes, and a number": [
        "discriminant_analysis::test_qda_shrinkage_performance",
    ],
    "scores divided by the deviations within classes, and priors: linsep's NearestMean has Euclid's distances": [
        "nearest_centroid::test_classification_toy",
        "nearest_centroid::test_error_zero_variances",
        "nearest_centroid::test_features_zero_var",
        "nearest_centroid::test_negative_priors_error",
        "nearest_centroid::test_warn_non_normalized_priors",
    ],
    "shrunken centroids and the Manhattan distance": [
        "nearest_centroid::test_manhattan_metric",
        "nearest_centroid::test_method_not_available_with_manhattan",
        "nearest_centroid::test_shrinkage_correct",
        "nearest_centroid::test_shrinkage_threshold_decoded_y",
    ],
}
EXCEPTIONS = {test: reason for reason, tests in REASONS.items() for test in tests}
