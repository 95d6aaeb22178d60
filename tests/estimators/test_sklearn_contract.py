"""Every estimator keeps scikit-learn's contract."""

import sklearn.linear_model
from expected_failures import SEQUENTIAL
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import (
    Anderson,
    AveragedPerceptron,
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    MaximumMarginCV,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Relaxation,
)

MIXTURE = {
    "check_sample_weights_not_overwritten": "scikit-learn's GaussianMixture knows no unequal weights",
    "check_sample_weight_equivalence_on_dense_data": "scikit-learn's GaussianMixture knows no unequal weights",
    "check_fit2d_1feature": "three rows of a class are too few for two Gaussians",
}
FISHER = {"check_class_weight_classifiers": "Fisher's margins n / n_k undo the weights of the classes"}
ESTIMATORS = [  # the quick tests run the first of each class
    Perceptron(),
    Perceptron(batch=True),
    Perceptron(batch=True, rate="1/sqrt(k)", margin=0.5, keep="last"),
    Perceptron(shuffle=True, random_state=0, keep="pocket"),
    AveragedPerceptron(),
    AveragedPerceptron(margin=1.0, scaling=None, shuffle=True, random_state=0),
    Relaxation(max_iter=100),
    Relaxation(batch=True, max_iter=200),
    Kozinec(max_iter=500),
    Kozinec(bias="augmented", max_iter=500),
    LeastSquares(),
    LeastSquares("pinv"),
    LeastSquares(margins="fisher"),
    LeastSquares(method="gradient"),
    LeastSquares(method="lms"),
    LeastSquares(method="lms", keep="average", max_iter=500),  # 5 don't place a bias beside long rows
    LeastSquares(method="ho-kashyap"),
    MaximumMargin(),
    Anderson(),
    Anderson(components=2, shrinkage=0.1, random_state=0),
    Anderson(method="direction"),
    Anderson(error=0.4, method="kozinec", max_iter=200),
    MaximumMarginCV([0.1, 1.0], cv=3, tol=1e-12),
    MaximumMarginCV([0.1, 1.0], cv=3, tol=1e-12, multi_class="one-vs-all", n_jobs=2),
    MaximumMargin(bias="augmented"),
    MaximumMargin(C=1.0, tol=1e-12, multi_class="one-vs-all"),
    MaximumMargin(C=1.0, loss="squared_hinge", bias="augmented", method="newton", multi_class="one-vs-all", tol=1e-12),
    MaximumMargin(
        C=1.0, bias="augmented", method="ascent", tol=1e-15, multi_class="one-vs-all"
    ),  # a gap of 1e-15 still leaves w 1e-8
    MaximumMargin(C=1.0, tol=1e-9),  # a machine; at its default of 1e-2 doubled rows and weights of 2 differ by as much
    GradientDescent(),
    GradientDescent(criterion="perceptron", margin=0.0),
    GradientDescent(criterion="squares"),
    MaximumMargin(C=1.0, tol=1e-12, multi_class="one-vs-one"),
    LinearMachine(max_iter=100),
    LinearMachine("kozinec", max_iter=200),
    LinearMachine("relaxation", batch=True, max_iter=200),
    OneVsAll(Perceptron()),
    OneVsAll(LeastSquares()),
    OneVsAll(sklearn.linear_model.LogisticRegression()),
    OneVsOne(Perceptron()),
    OneVsOne(MaximumMargin()),
    OneVsOne(sklearn.linear_model.LogisticRegression()),
]


def expected(estimator):
    estimator = getattr(estimator, "estimator", estimator)
    if getattr(estimator, "components", 1) > 1:
        return MIXTURE
    if isinstance(getattr(estimator, "margins", 1.0), str):
        return FISHER
    single = not getattr(estimator, "batch", True) or isinstance(estimator, Kozinec)
    return SEQUENTIAL if single or getattr(estimator, "method", "") == "lms" else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
