"""What `LeastSquares` and `GradientDescent` share: linear classifiers that are learned outside the loop."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..certificates.prove.margin import Outcome, prove_margin
from ..oracles.elsewhere import map_parts
from ..rows.matrix import VectorMatrix, class_scores
from ..targets import Margin
from ..validation import Magnitudes
from ._linear import LinearClassifier
from ._oracles import set_oracles
from ._validation import Sample, all_or_nothing, check_parameters


class DescentClassifier(LinearClassifier):
    """A classifier of augmented rows, learned step by step from all of them."""

    history_: list[dict[str, float]]
    n_iter_: int

    def _bias_of_rows(self) -> str:
        return "augmented" if self.fit_intercept else "none"

    def _takes_parts(self) -> bool:
        """Whether there is a `partial_fit`."""
        return True

    def _needed_by_scaled_rows(self) -> str:
        """What has to be set otherwise for rows far from 1, whose rates and criteria are the user's; or nothing."""
        return ""

    def _scaled(self, sample: Sample, magnitudes: Magnitudes, partial: bool) -> Sample:
        sample, needed = super()._scaled(sample, magnitudes, partial), self._needed_by_scaled_rows()
        if sample.scale.exponent and needed:
            size = f"{2.0**sample.scale.exponent:.3g}"
            raise ValueError(f"X: values of about {size} need {needed}. Or scale the columns.")
        return sample

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and labels.

        Parameters
        ----------
        X, y, sample_weight
            As for `Perceptron`.

        Returns
        -------
        self
        """
        check_parameters(self)
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        self.history_ = []
        self._learn(sample, self._start(sample, first=not warm))
        return self

    @available_if(lambda self: self._takes_parts())
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows: add them to the equations of "ridge" and "pinv", or make one pass or step.

        Parameters
        ----------
        X, y, classes, sample_weight
            As for `Perceptron`.

        Returns
        -------
        self
        """
        check_parameters(self)
        first = not hasattr(self, "coef_")
        sample = self._partial_sample(X, y, classes, sample_weight)
        self.history_ = [] if first else list(self.history_)
        self._learn_part(sample, self._start(sample, first), first)
        return self

    def _start(self, sample: Sample, first: bool) -> np.ndarray:
        """Where learning begins: ``start``, or the present w; a vector, or one row per class."""
        if not first:
            return self._present_w(0)
        width = sample.X.shape[1] + 1
        return self._first_w((sample.n_classes, width) if sample.n_classes else (width,))

    def _learn(self, sample: Sample, w: np.ndarray) -> None:
        """Learn from all data, beginning at w."""
        raise NotImplementedError

    def _learn_part(self, sample: Sample, w: np.ndarray, first: bool) -> None:
        """Go on with a part of the data from w."""
        raise NotImplementedError

    def _finish(self, sample: Sample, w: np.ndarray, dual_weights: np.ndarray, passes: int, reason: str) -> None:
        """Publish w with its certificate; the dual weights are for the upper bound."""
        parts = set_oracles(sample, self.classes_, bias=float(self.fit_intercept))
        self.n_iter_ = passes
        outcome = Outcome(Margin(0.0), parts[0].bias_kind, passes, reason, ended=not reason)
        self._publish(prove_margin(parts, parts[0].as_vector(w), dual_weights, outcome))
        self._warn()


def row_weights(parts: list[Any], sample: Sample, A: VectorMatrix, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A' (Aw - b) = 0 at the solution, so rows below their margin nearly balance: weights for an upper bound.

    Of many classes: the errors of a row sum to 0, so what rivals have too much their own class has too little.
    """
    if not sample.n_classes:
        return A.weight * np.maximum(b - A @ w, 0.0)
    excess = np.concatenate(map_parts(class_scores, parts, parts[0].as_vector(w)))  # rivals should score 0
    excess[np.arange(len(excess)), sample.label] = 0.0
    return (A.weight[:, None] * np.maximum(excess, 0.0)).ravel()
