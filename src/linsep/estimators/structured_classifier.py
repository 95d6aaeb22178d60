"""A classifier of any structure, by the user's own functions (E1, E4, E5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..certificates.check.labelling import Listed, check_structure
from ..certificates.check.margin import Verdict
from ..oracles.custom import Custom, Functions, same, vector
from ..risk.empirical import hamming, zero_one
from ._base import all_or_nothing, listed
from ._labelling import OPTIMAL, Structured

MOST = 1_000_000  # labellings of one example that are tried


class StructuredClassifier(Structured):
    r"""The classifier :math:`\arg\max_{y \in Y(x)} \langle w, \varphi(x,y)\rangle` with your own phi and Y(x).

    Learning asks that every truth beats every rival: :math:`\langle w, \varphi(x,y) - \varphi(x,y')\rangle > 0` for all
    :math:`y' \ne y`. Any rule and target of this library does it, and the certificate says what is proved: if there is
    a w that does, of margin :math:`\gamma`, the perceptron ends after at most :math:`A^2/\gamma^2` updates.

    Parameters
    ----------
    phi : callable
        ``phi(x, y)``: the features of x labelled y, an array (or sparse row) that always has the same length.
    argmax : callable, optional
        ``argmax(w, x)``: the best labelling of x. Without it all of ``labels`` are tried.
    labels : sequence or callable, optional
        The labellings, or ``labels(x)``, those of x. With them everything is exact; without them see ``rival``.
    rival : callable, optional
        ``rival(w, x, y)``: the best labelling of x other than y (None: there is none), where listing all takes too
        long; with ``loss_scale`` the one with the largest ``<w, phi(x,y')> + loss_scale * loss(y, y')``.
        With ``argmax`` alone the perceptron without margin can learn, but ties are not seen and nothing is
        proved about the margin.
    loss : {"zero-one", "hamming"} or callable, default="zero-one"
        ``loss(y, y')``: what it costs to take y' for y (E5). "hamming": the share of places where they differ.
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule of `linsep.rules`, default="perceptron"
        How w moves. "maximum margin": the largest margin itself, or a proof that the examples are not separable.
    target : float, a target of `linsep.targets` or None
        When an example is violated; a number b is ``Margin(b)``. None: what the rule is usually asked for.
    loss_scale : float, default=0.0
        The margin asked for grows with the loss: :math:`\langle w, \varphi(x,y) - \varphi(x,y')\rangle > b + scale
        \cdot loss(y,y')`.
    keep, batch, max_passes, max_updates, max_seconds, patience, shuffle, random_state, warm_start, verbose
        As for `Perceptron`.

    Attributes
    ----------
    coef_ : array
        w.
    certificate_, history_, n_passes_
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
        **Structured._parameter_constraints,
        "phi": [callable],
        "argmax": [None, callable],
        "labels": [None, callable, "array-like"],
        "rival": [None, callable],
        "loss": [StrOptions({"zero-one", "hamming"}), callable],
    }

    def __init__(
        self,
        phi,
        argmax=None,
        *,
        labels=None,
        rival=None,
        loss="zero-one",
        rule="perceptron",
        target=None,
        loss_scale=0.0,
        keep="auto",
        batch=False,
        max_passes=1000,
        max_updates=None,
        max_seconds=None,
        patience=None,
        shuffle=False,
        random_state=None,
        warm_start=False,
        verbose=0,
    ):
        self.phi = phi
        self.argmax = argmax
        self.labels = labels
        self.rival = rival
        self.loss = loss
        self.rule = rule
        self.target = target
        self.loss_scale = loss_scale
        self.keep = keep
        self.batch = batch
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Sequence, y: Sequence, sample_weight=None) -> StructuredClassifier:
        """Learn from examples ``X`` (any objects) with right labellings ``y``."""
        self._validate_params()
        self._learn(self._part(X, y, sample_weight))
        return self

    @all_or_nothing
    def partial_fit(self, X: Sequence, y: Sequence, sample_weight=None) -> StructuredClassifier:
        """One pass over more examples, going on from where learning stands."""
        self._validate_params()
        self._learn_more(self._part(X, y, sample_weight))
        return self

    def _part(self, X: Sequence, y: Sequence, sample_weight) -> Custom:
        """The examples as an oracle, checked."""
        if self.argmax is None and self.labels is None:
            raise ValueError("argmax, labels: one of them is needed to label anything.")
        listed(X, "X", "examples")
        listed(y, "y", "labellings")
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} examples and y {len(y)} labellings: as many are wanted.")
        if len(X) == 0:
            raise ValueError("X is empty: there is nothing to learn from.")
        if self.labels is None and self.rival is None and (self.loss_scale or not self._plain()):
            raise ValueError(
                "argmax alone finds no rival where the truth is best, which a margin, Kozinec's rule and loss_scale "
                "need: give labels, or rival(w, x, y)."
            )
        labels = None if self.labels is None else self._labels
        for i, (x, truth) in enumerate(zip(X, y, strict=True)):
            if labels is not None and not any(same(truth, other) for other in labels(x)):
                raise ValueError(f"y[{i}] = {truth!r} is not among the labels of X[{i}].")
        weight = None
        if sample_weight is not None:
            index = np.zeros((len(X), 1))
            weight = np.asarray(_check_sample_weight(sample_weight, index, dtype=np.float64, ensure_non_negative=True))
        ask = Functions(self.phi, None if self.rival is not None else labels, self.rival, self.argmax, self._cost)
        return Custom(X, y, ask, loss=float(self.loss_scale), weight=weight)

    def _plain(self) -> bool:
        """Whether nothing but a right labelling is asked for."""
        return self.rule != OPTIMAL and self._target() == (0.0,)

    def _labels(self, x: Any) -> Iterable:
        """Y(x)."""
        found = self.labels(x) if callable(self.labels) else self.labels
        some: list[Any] = []
        for label in found:
            some.append(label)
            if len(some) > MOST:
                raise ValueError(f"labels: more than {MOST:,} for one x, too many to try: give argmax and rival.")
        if not some:
            raise ValueError(f"labels: there is none for {x!r}.")
        return some

    def _cost(self, y: Any, other: Any) -> float:
        """The loss of taking ``other`` for y."""
        named = {"zero-one": zero_one, "hamming": hamming}
        return float((named[self.loss] if isinstance(self.loss, str) else self.loss)(y, other))

    def predict(self, X: Sequence) -> list:
        """The best labelling of each x; of equal ones the first."""
        check_is_fitted(self)
        if self.argmax is not None:
            return [self.argmax(self.coef_, x) for x in X]
        return [self._best(x) for x in X]

    def _best(self, x: Any) -> Any:
        labels = list(self._labels(x))
        scores = [float(self.coef_ @ vector(self.phi(x, label), self.coef_.size)) for label in labels]
        return labels[int(np.argmax(scores))]

    def decision_function(self, X: Sequence, y: Sequence) -> np.ndarray:
        """The scores <w, phi(x,y)> of labellings ``y``."""
        check_is_fitted(self)
        return np.array([self.coef_ @ vector(self.phi(x, label)) for x, label in zip(X, y, strict=True)])

    def risk(self, X: Sequence, y: Sequence, sample_weight=None) -> float:
        """The empirical risk: the mean loss of the decisions (E5)."""
        losses = [self._cost(truth, found) for truth, found in zip(y, self.predict(X), strict=True)]
        return float(np.average(losses, weights=sample_weight))

    def score(self, X: Sequence, y: Sequence, sample_weight=None) -> float:
        """The share of examples that are labelled right."""
        right = [float(same(truth, found)) for truth, found in zip(y, self.predict(X), strict=True)]
        return float(np.average(right, weights=sample_weight))

    def check(self, X: Sequence, y: Sequence, sample_weight=None) -> Verdict:
        """Check the certificate against the examples it was made for, by trying all labels."""
        check_is_fitted(self)
        if self.labels is None:
            raise ValueError("check: all labellings are tried, so labels are needed.")
        keep = None if sample_weight is None else np.asarray(sample_weight) > 0
        return check_structure(self.certificate_, Listed(X, y, self.phi, self._labels), keep)
