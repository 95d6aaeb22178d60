"""The averaged perceptron with margin: a good classifier, fast, with nothing to set."""

from __future__ import annotations

import math

from ..rows.matrix import mean_squared_length
from ..rules import Increment
from ..targets import Margin
from ._looped import LoopedLinear
from ._oracles import set_oracles
from ._parameters import shared_parameters
from ._parted import is_sparse
from ._validation import NOT_NEGATIVE, StrOptions, set_parameters
from .perceptron import are_sorted

LENGTHS = 3.0  # the margin "auto", in mean squared lengths of the rows


@shared_parameters
class AveragedPerceptron(LoopedLinear):
    r"""The averaged perceptron with margin: a good classifier of rows that need not be separable, with nothing to set.

    Whenever :math:`\langle w,a\rangle \le b`, :math:`w \leftarrow w + a`, as the perceptron of the lectures (C4), in
    scaled coordinates; the answer is the mean of w over all visits (Freund and Schapire, 1999). The margin is
    :math:`b = 3\,\overline{|a|^2}`: some updates' worth, so that rows near the hyperplane go on to teach, and the
    last ones that come do not decide. Rows sorted by class are visited with the classes in turns.

    Parameters
    ----------
    margin : float or "auto", default="auto"
        Scores up to this count as violated. "auto": 3 mean squared lengths of the rows, in scaled coordinates.
    scaling : {"auto", "columns"} or None, default="auto"
        Learn as if the columns had been divided by their sizes, and dense ones moved to mean 0; X is not copied, and w,
        scores and certificate are about the rows as they are. "auto": always for dense rows; for sparse ones if the
        sizes differ by more than 32 times. "columns": always. None: never.
    max_iter : int, default=10
        Passes over the data.

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from linsep import AveragedPerceptron
    >>> X, y = load_wine(return_X_y=True)
    >>> rule = AveragedPerceptron().fit(X[::2], y[::2])
    >>> rule.score(X[1::2], y[1::2]) > 0.95
    True
    """

    keep = "average"
    _parameter_constraints: dict = {"margin": [NOT_NEGATIVE, StrOptions({"auto"})]}

    def __init__(
        self, margin="auto", *, fit_intercept=True, scaling="auto", max_iter=10, max_updates=None, max_seconds=None,
        patience=None, stop=None, start=None, shuffle=False, random_state=None, class_weight=None, warm_start=False,
        verbose=0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _scaled(self, sample, magnitudes, partial):
        first = not (partial and hasattr(self, "_margin"))
        sample = super()._scaled(sample, magnitudes, partial)
        if first:
            bias = 1.0 if self.fit_intercept else 0.0
            parts = set_oracles(sample, self.classes_, bias=bias)
            self._margin = LENGTHS * mean_squared_length([part.rows for part in parts])
        return sample

    def _always_scaled(self, X) -> bool:
        return self.scaling == "columns" or (self.scaling == "auto" and not is_sparse(X))

    def _run(self, parts, start, max_iter, watch=(), rng=None):
        turns = "interleaved" if not self.shuffle and are_sorted(parts) else rng
        return super()._run(parts, start, max_iter, watch, turns)

    def _target(self):
        return Margin(1.0 if self.margin == "auto" else float(self.margin))

    def _scaled_target(self):
        return Margin(self._margin) if self.margin == "auto" else super()._scaled_target()

    def _rule(self):
        return Increment(1.0)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if hasattr(self, "_margin") and not (isinstance(self._margin, float) and 0 <= self._margin < math.inf):
            raise ValueError(f"margin: expected a finite number, got {self._margin!r}.")

    def _warn(self) -> None:
        """Nothing to warn of: an average of so many passes is what was asked for."""
