"""A lift and a classifier as one classifier: `Lifted` (B3)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..certificates.base import Certificate
from ..estimators._datasets import RowClassifier, takes_dataset
from ..estimators._fitted import refuse_changed, remember_parameters
from ..estimators._lazy import row_by_row
from ..estimators._validation import HasMethods, all_or_nothing, check_parameters, fit_inner
from ..model_file import Saved
from ..polynomial_function import PolynomialFunction, write_polynomials


class Lifted(Saved, MetaEstimatorMixin, RowClassifier, BaseEstimator):
    """A lift and a classifier in the lifted space, as one classifier: decide by g(x) = <w, phi(x)> + w0.

    Parameters
    ----------
    lift : transformer
        `Polynomial`, `Quadratic`, `Functions`; or any transformer of scikit-learn, which has no polynomial form;
        `as_polynomial` says so.
    classifier : classifier
        Any classifier of this package, or another one with ``coef_`` and ``intercept_``.

    Attributes
    ----------
    lift_ : transformer
        The fitted lift.
    classifier_ : classifier
        The fitted classifier.
    feature_importances_ : array of shape (n_features,)
        How much each variable of X counts, for `RFE` and `SelectFromModel`.
    classes_, certificate_, coef_, intercept_
        Those of the classifier; the weights are of the lifted columns.

    Examples
    --------
    >>> from linsep import Lifted, MaximumMargin, Polynomial
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [6.0]], [1, 1, 0, 0, 1, 1]
    >>> rule = Lifted(Polynomial(2), MaximumMargin()).fit(X, y)
    >>> str(rule.certificate_.status), bool(rule.check(X, y)), rule.predict(X).tolist()
    ('optimal', True, [1, 1, 0, 0, 1, 1])
    >>> print(rule.as_polynomial())
    0.06188·x² − 0.3094·x + 0.3094 > 0
    """

    _parameter_constraints: dict = {
        "lift": [HasMethods(["fit", "transform"])],
        "classifier": [HasMethods(["fit", "predict"])],
    }

    def __init__(self, lift: Any, classifier: Any) -> None:
        self.lift = lift
        self.classifier = classifier

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.lift).input_tags.sparse
        tags.classifier_tags = get_tags(self.classifier).classifier_tags
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the lift to ``X``, then the classifier to the lifted rows and ``y``; both get the weights."""
        check_parameters(self)
        self._fit_lift(X, y, sample_weight)
        self.classifier_ = clone(self.classifier)
        if not fit_inner(self.classifier_.fit, self.lift_.transform(X), y, **_weight_argument(sample_weight)):
            raise KeyboardInterrupt
        self._learned_with = remember_parameters(self)
        return self

    @available_if(lambda self: hasattr(self.classifier, "partial_fit"))
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue with more rows. Centre and scale are those of the first call, and so must be all parameters."""
        check_parameters(self)
        if hasattr(self, "classifier_"):
            refuse_changed(self, self._learned_with)
        else:
            self._learned_with = remember_parameters(self)
            self._fit_lift(X, y, sample_weight)
            self.classifier_ = clone(self.classifier)
        weights = _weight_argument(sample_weight)
        if not fit_inner(self.classifier_.partial_fit, self.lift_.transform(X), y, classes=classes, **weights):
            raise KeyboardInterrupt
        return self

    def _fit_lift(self, X, y, sample_weight) -> None:
        """Fit the lift; its output are plain arrays, whatever scikit-learn's ``transform_output`` is."""
        weights = _weight_argument(sample_weight) if has_fit_parameter(self.lift, "sample_weight") else {}
        lift = clone(self.lift)
        lift = lift.set_output(transform="default") if hasattr(lift, "set_output") else lift
        self.lift_ = lift.fit(X, y, **weights)

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        return self.classifier_.classes_

    @property
    def certificate_(self) -> Certificate:
        """The classifier's certificate about the lifted rows; `check` recomputes it."""
        if hasattr(self.classifier_, "certificates_"):
            raise AttributeError("A committee has no certificate_ but certificates_, one per problem.")
        return self.classifier_.certificate_

    @property
    def certificates_(self) -> list:
        """The certificates of a committee (`OneVsAll`, `OneVsOne`), one per problem."""
        return self.classifier_.certificates_

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the lifted columns, whose names are `get_feature_names_out`."""
        return self.classifier_.coef_

    @property
    def intercept_(self) -> np.ndarray:
        """The biases in the lifted space."""
        return self.classifier_.intercept_

    @property
    def feature_importances_(self) -> np.ndarray:
        """For each variable of X the length of the weights of the lifted columns that depend on it.

        `RFE` and `SelectFromModel` choose columns of X by them with ``importance_getter="feature_importances_"``.
        """
        check_is_fitted(self)
        if not hasattr(self.lift_, "_uses"):
            raise AttributeError(f"feature_importances_: {type(self.lift_).__name__} is no lift of linsep.")
        return np.sqrt((np.atleast_2d(self.coef_) ** 2).sum(axis=0) @ self.lift_._uses())

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """The names of the lifted columns, in the order of ``coef_``."""
        check_is_fitted(self)
        return self.lift_.get_feature_names_out(input_features)

    @property
    def n_features_in_(self) -> int:
        """Number of original variables."""
        return self.lift_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the original variables, if they have names."""
        return self.lift_.feature_names_in_

    @row_by_row
    def decision_function(self, X) -> np.ndarray:
        """Return g(x) = <w, phi(x)> + w0 of every row."""
        check_is_fitted(self)
        return self.classifier_.decision_function(self.lift_.transform(X))

    @row_by_row
    def predict(self, X) -> np.ndarray:
        """Return the classifier's decision for every row."""
        check_is_fitted(self)
        return self.classifier_.predict(self.lift_.transform(X))

    @takes_dataset
    def check(self, X, y, sample_weight=None) -> Any:
        """Lift X and let the classifier check its certificate, sharing no code with the solver."""
        check_is_fitted(self)
        checker = self.classifier_ if hasattr(self.classifier_, "check") else self.certificate_
        return checker.check(self.lift_.transform(X), y, sample_weight)

    def as_polynomial(self) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
        """Return g in the original variables; for more than two classes one g per class, ordered as ``classes_``."""
        check_is_fitted(self)
        for part, needed in ((self.lift_, "method expand"), (self.classifier_, "attribute coef_")):
            if not hasattr(part, needed.split()[1]):
                what = f"{type(part).__name__} has no polynomial form" if part is self.lift_ else "g is not linear"
                raise TypeError(f"as_polynomial: expected the {needed}, {type(part).__name__} has none: {what}.")
        return write_polynomials(self.classifier_, self.lift_)


def _weight_argument(sample_weight) -> dict[str, Any]:
    """The weights as a keyword argument, if there are any: not every ``fit`` takes them."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}
