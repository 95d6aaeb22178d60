"""A classifier of any structure, by the user's own functions (E1, E4, E5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certificates.check.labelling import Listed
from ..oracles.custom import Custom, UserFunctions, same, vector
from ..oracles.validation import require_w
from ..risk.empirical import named_loss
from ..validation import require_list
from ._labelling import MAXIMUM_MARGIN, LabellingClassifier
from ._parameters import shared_parameters
from ._validation import (
    AT_LEAST_ONE,
    StrOptions,
    all_or_nothing,
    check_sample_weight,
    set_parameters,
)

MOST = 1_000_000  # labellings of one example that are tried


@shared_parameters
class StructuredClassifier(LabellingClassifier):
    r"""The classifier :math:`\arg\max_{y \in Y(x)} \langle w, \varphi(x,y)\rangle` with your own phi and Y(x).

    Learning asks that every truth beats every rival: :math:`\langle w, \varphi(x,y) - \varphi(x,y')\rangle > 0` for all
    :math:`y' \ne y`. Any rule and target of this library does it, and the certificate says what is proved: if there is
    a w that does, of margin :math:`\gamma`, the perceptron ends after at most :math:`A^2/\gamma^2` updates.

    Parameters
    ----------
    phi : callable
        ``phi(x, y)``: the features of x labelled y, an array (or sparse row) that always has the same length.
    argmax : callable or None, default=None
        ``argmax(w, x)``: the best labelling of x. Without it all of ``labels`` are tried.
    labels : sequence, callable or None, default=None
        The labellings, or ``labels(x)``, those of x. With them everything is exact; without them see ``rival``.
    rival : callable or None, default=None
        ``rival(w, x, y)``: the best labelling of x other than y (None: there is none), where listing all takes too
        long; with ``loss_scale`` the one with the largest ``<w, phi(x,y')> + loss_scale * loss(y', y)``.
        With ``argmax`` alone the perceptron without margin can learn, but ties are not seen and nothing is
        proved about the margin.
    loss : {"zero-one", "hamming", "count"} or callable, default="zero-one"
        ``loss(decision, truth)``: what a labelling costs where another is true (E5). "hamming": the share of places
        where they differ; "count": the number of these places.
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule, default="perceptron"
        How w moves. "maximum margin": the largest margin itself, or a proof that the examples are not separable.
    loss_scale : float, default=0.0
        The margin asked for grows with the loss: :math:`\langle w, \varphi(x,y) - \varphi(x,y')\rangle > b + scale
        \cdot loss(y',y)`.
    max_iter : int, default=1000
        Budget of passes over the examples.

    Attributes
    ----------
    coef_ : array
        w.
    certificate_, history_, n_iter_
        As for `Perceptron`; see `check`.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep import StructuredClassifier
    >>> def phi(x, y):                     # order two numbers: y is (0, 1) or (1, 0)
    ...     return np.array([x[y[1]] - x[y[0]]])
    >>> rule = StructuredClassifier(phi, labels=[(0, 1), (1, 0)]).fit([[1, 4], [7, 2]], [(0, 1), (1, 0)])
    >>> rule.predict([[5, 3], [0, 9]]), rule.certificate_.status
    ([(1, 0), (0, 1)], 'separated')
    """

    _parameter_constraints: dict = {
        "phi": [callable],
        "argmax": [None, callable],
        "labels": [None, callable, "array-like"],
        "rival": [None, callable],
        "loss": [StrOptions({"zero-one", "hamming", "count"}), callable],
        "max_iter": [AT_LEAST_ONE],
    }

    def __init__(
        self, phi, argmax=None, *, labels=None, rival=None, loss="zero-one", rule="perceptron", target=None,
        loss_scale=0.0, keep="auto", batch=False, max_iter=1000, max_updates=None, max_seconds=None, patience=None,
        stop=None, start=None, shuffle=False, random_state=None, warm_start=False, verbose=0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    @all_or_nothing
    def fit(self, X: Sequence, y: Sequence, sample_weight=None) -> StructuredClassifier:
        """Learn from examples ``X`` (any objects) with right labellings ``y``."""
        self._begin_learning(self.warm_start and hasattr(self, "coef_"))
        self._learn(self._first_oracle(X, y, sample_weight))
        return self

    @all_or_nothing
    def partial_fit(self, X: Sequence, y: Sequence, sample_weight=None) -> StructuredClassifier:
        """One pass over more examples, going on from where learning stands."""
        self._begin_learning(hasattr(self, "coef_"))
        self._learn_more(self._oracle(X, y, sample_weight))
        return self

    def _first_oracle(self, X: Sequence, y: Sequence, sample_weight) -> Custom:
        return self._oracle(X, y, sample_weight)

    def _shown_rival(self, label: np.ndarray, oracle: Any) -> Any:
        return oracle.labellings[int(label[0])]

    def _oracle(self, X: Sequence, y: Sequence, sample_weight) -> Custom:
        """The examples as an oracle, checked."""
        if self.argmax is None and self.labels is None:
            raise ValueError("argmax, labels: one of them is needed to label anything.")
        _require_examples(X, y)
        if self.labels is None and self.rival is None and (self.loss_scale or not self._plain()):
            raise ValueError(
                "argmax alone finds no rival where the truth is best, which a margin, Kozinec's rule and loss_scale "
                "need: give labels, or rival(w, x, y)."
            )
        labels = None if self.labels is None else self._labels
        for i, (x, truth) in enumerate(zip(X, y, strict=True)):
            if labels is not None and not any(same(truth, other) for other in labels(x)):
                raise ValueError(f"y[{i}] = {truth!r} is not among the labels of X[{i}].")
        functions = UserFunctions(
            self.phi, None if self.rival is not None else labels, self.rival, self.argmax, self._labelling_loss()
        )
        weight = check_sample_weight(sample_weight, list(X))
        oracle = Custom(X, y, functions, loss=float(self.loss_scale), weight=weight)
        self._size = oracle.size
        return oracle

    def _begin_learning(self, goes_on: bool) -> None:
        super()._begin_learning(goes_on)
        if isinstance(self.labels, list):
            self._fitted["labels"] = list(self.labels)  # later changes of the list itself do not matter

    def _plain(self) -> bool:
        """Whether nothing but a right labelling is asked for."""
        return self.rule != MAXIMUM_MARGIN and self._target() == (0.0,)

    def _labels(self, x: Any) -> Iterable:
        """Y(x)."""
        labels = self._fitted["labels"]
        found = labels(x) if callable(labels) else labels
        some: list[Any] = []
        for label in found:
            some.append(label)
            if len(some) > MOST:
                raise ValueError(f"labels: more than {MOST:,} for one x, too many to try: give argmax and rival.")
        if not some:
            raise ValueError(f"labels: there is none for {x!r}.")
        return some

    def _labelling_loss(self) -> Callable[[Any, Any], float]:
        loss = self._fitted["loss"]
        return named_loss(loss) if isinstance(loss, str) else loss

    def predict(self, X: Sequence) -> list:
        """The best labelling of each x; of equal ones the first."""
        check_is_fitted(self)
        argmax, w = self._fitted["argmax"], require_w(self.coef_, self._size)
        return [self._best(w, x) if argmax is None else argmax(w, x) for x in X]

    def _best(self, w: np.ndarray, x: Any) -> Any:
        labels, phi = list(self._labels(x)), self._fitted["phi"]
        scores = [float(w @ vector(phi(x, label), w.size)) for label in labels]
        return labels[int(np.argmax(scores))]

    def decision_function(self, X: Sequence, y: Sequence) -> np.ndarray:
        """The scores <w, phi(x,y)> of labellings ``y``."""
        check_is_fitted(self)
        w, phi = require_w(self.coef_, self._size), self._fitted["phi"]
        return np.array([w @ vector(phi(x, label), w.size) for x, label in zip(X, y, strict=True)])

    def score(self, X: Sequence, y: Sequence, sample_weight=None) -> float:
        """The share of examples that are labelled right."""
        right = [float(same(truth, found)) for truth, found in zip(y, self.predict(X), strict=True)]
        return float(np.average(right, weights=sample_weight))

    def _stated(self, X: Sequence, y: Sequence, sample_weight: Any) -> tuple[Listed, np.ndarray | None]:
        if self._fitted["labels"] is None:
            raise ValueError("check: all labellings are tried, so labels are needed.")
        _require_examples(X, y)
        weight = check_sample_weight(sample_weight, list(X))
        return Listed(X, y, self._fitted["phi"], self._labels), None if weight is None else weight > 0


def _require_examples(X: Any, y: Any) -> None:
    """Raise an error if X and y are no lists of the same length, or empty."""
    require_list(X, "X", "examples")
    require_list(y, "y", "labellings")
    if len(X) != len(y):
        raise ValueError(f"y: expected {len(X)} labellings, one per example, got {len(y)}.")
    if len(X) == 0:
        raise ValueError("X is empty: expected one example or more.")
