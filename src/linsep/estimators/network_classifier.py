"""A classifier of the nodes of graphs, whose labels depend on one another (E3, E4, E5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..certificates.check.networks import NetworkStructure
from ..inference import ENGINES, Answer, solve
from ..oracles.graphs import count_weights, make_graphs, network_along
from ..oracles.networks import Networks, SearchedNetworks, networks
from ..oracles.validation import require_w
from ._labelling import LabellingClassifier, list_of_arrays
from ._loss import CONSTRAINT, count_loss, tabulate_loss
from ._parameters import shared_parameters
from ._validation import (
    AT_LEAST_ONE,
    POSITIVE,
    StrOptions,
    all_or_nothing,
    check_sample_weight,
    set_parameters,
)
from .graphs import check_graphs, check_labels, number_labels


@shared_parameters
class NetworkClassifier(LabellingClassifier):
    r"""A Markov network on any graphs: :math:`\arg\max_y \sum_v \langle w_{y_v}, x_v\rangle
    + \sum_{vv'} \langle w_{y_v y_{v'}}, x_{vv'}\rangle`.

    All nodes share their weights, and so do all edges. An edge is read from its first node to its second, so that
    directions can be learned; its features may say of which kind it is.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule, default="perceptron"
        How w moves. "maximum margin": the largest margin itself, or a proof that the examples are not separable.
    loss : {"count", "hamming", "zero-one"}, callable or array-like of shape (n_classes, n_classes), default="count"
        What a labelling costs where another is true (E5): the number of wrong labels, their share, or 1; or the sum
        over all nodes of your own ``W(decision, truth)`` of two labels, a function or a matrix with one row per
        decision and one column per truth, in the order of ``classes_``. `risk` counts it.
    loss_scale : float, default=0.0
        By how much the loss of a rival raises the margin asked for: :math:`\langle w, \varphi(x,y) -
        \varphi(x,y')\rangle > b + scale \cdot loss(y',y)`.
    engine : {"auto", "forest", "trws", "elimination", "cut", "expansion", "toulbar2"}, default="auto"
        How the best labelling is found. To learn, "auto" is "forest" (exact) where no graph has a cycle, else "trws",
        which may miss the best rival; the certificate says so. To predict, "auto" chooses for each graph.
    engine_passes : int, default=30
        The most passes of TRW-S for one visit of an example.
    fit_intercept : bool, default=True
        Whether a constant feature is added to the nodes.
    seconds : float, default=10.0
        The most time that an engine may search for one graph.
    max_iter : int, default=20
        Budget of passes over the graphs.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array
        w: ``node_coef_``, then ``edge_coef_``.
    node_coef_ : array of shape (n_features + 1, n_classes)
        The weights of the nodes, the bias last.
    edge_coef_ : array of shape (n_edge_features, n_classes, n_classes)
        The weights of the edges.
    certificate_, history_, n_iter_
        As for `Perceptron`; see `check`.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep import NetworkClassifier
    >>> path = np.array([[0, 1], [1, 2]])
    >>> X = [(np.array([[1.0], [0.2], [1.0]]), path), (np.array([[-1.0], [-0.2], [-1.0]]), path)]
    >>> rule = NetworkClassifier(random_state=1).fit(X, [["on", "on", "on"], ["off", "off", "off"]])
    >>> rule.predict([(np.array([[2.0], [-0.1], [1.0]]), path)])[0]
    array(['on', 'on', 'on'], dtype='<U3')
    >>> rule.certificate_.status
    'separated'
    """

    _widths: tuple[int, int]  # features of nodes, the constant one included, and of edges
    _parameter_constraints: dict = {
        "loss": CONSTRAINT,
        "engine": [StrOptions({"auto", *ENGINES})],
        "engine_passes": [AT_LEAST_ONE],
        "seconds": [POSITIVE],
        "max_iter": [AT_LEAST_ONE],
    }

    def __init__(
        self, *, rule="perceptron", target=None, loss="count", loss_scale=0.0, engine="auto", engine_passes=30,
        fit_intercept=True, seconds=10.0, keep="average", batch=False, max_iter=20, max_updates=None, max_seconds=None,
        patience=None, stop=None, start=None, shuffle=True, random_state=None, warm_start=False, verbose=0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    @all_or_nothing
    def fit(self, X: Sequence, y: Sequence, sample_weight=None) -> NetworkClassifier:
        """Learn from graphs: (node features, edges) or (node features, edges, edge features) each."""
        goes_on = self.warm_start and hasattr(self, "classes_")
        self._begin_learning(goes_on)
        if not goes_on:
            self._learn(self._first_oracle(X, y, sample_weight))
            return self
        examples = check_graphs(X, self._intercept(), self._widths)
        self._learn(self._oracle(examples, check_labels(y, examples), sample_weight))
        return self

    def _first_oracle(self, X: Sequence, y: Sequence, sample_weight) -> Networks | SearchedNetworks:
        examples = check_graphs(X, self._intercept(), None)
        labels = check_labels(y, examples)
        self.classes_ = np.unique(np.concatenate(labels))
        return self._oracle(examples, labels, sample_weight)

    @all_or_nothing
    def partial_fit(self, X: Sequence, y: Sequence, classes=None, sample_weight=None) -> NetworkClassifier:
        """One pass over more graphs, going on from where learning stands.

        ``classes`` are all labels there will ever be; without them, those of the first call.
        """
        self._begin_learning(hasattr(self, "classes_"))
        examples = check_graphs(X, self._intercept(), getattr(self, "_widths", None))
        labels = check_labels(y, examples)
        if not hasattr(self, "classes_"):
            self.classes_ = np.unique(np.concatenate(labels) if classes is None else np.asarray(classes))
        self._learn_more(self._oracle(examples, labels, sample_weight))
        return self

    def _oracle(self, examples: list[tuple], labels: list[np.ndarray], sample_weight) -> Networks | SearchedNetworks:
        """The examples as an oracle."""
        if self.classes_.size < 2:
            raise ValueError(f"y: expected two labels or more, got one only: {self.classes_.tolist()[0]!r}.")
        self._widths = examples[0][0].shape[1], examples[0][2].shape[1]
        return networks(
            make_graphs(examples, self.classes_.size, number_labels(labels, self.classes_)), self.engine,
            loss=float(self.loss_scale), cost=tabulate_loss(self.loss, self.classes_),
            weight=check_sample_weight(sample_weight, examples), passes=int(self.engine_passes),
            seconds=float(self.seconds),
        )  # fmt: skip

    def _intercept(self) -> bool:
        """Whether nodes have a constant feature: as it was when learning began."""
        return bool(self._fitted["fit_intercept"])

    @property
    def node_coef_(self) -> np.ndarray:
        """Weights of node features, one column per label."""
        return self._present_coef()[: self._widths[0] * self.classes_.size].reshape(self._widths[0], -1)

    @property
    def edge_coef_(self) -> np.ndarray:
        """Weights of edge features: one K x K table per feature."""
        K = self.classes_.size
        return self._present_coef()[self._widths[0] * K :].reshape(-1, K, K)

    def answers(self, X: Sequence) -> list[Answer]:
        """The answer of the engine for each graph: labels as numbers, the value, a bound, and whether they meet."""
        check_is_fitted(self)
        g = make_graphs(check_graphs(X, self._intercept(), self._widths), self.classes_.size)
        engine, seconds, w = self._fitted["engine"], float(self._fitted["seconds"]), self._present_coef()
        options = {"search": False} if engine == "auto" else {}
        return [solve(network_along(g, w, i), engine, seconds, **options) for i in range(g.n_examples)]

    def _present_coef(self) -> np.ndarray:
        """w, as many numbers as the graphs need."""
        return require_w(self.coef_, count_weights(*self._widths, self.classes_.size))

    def predict(self, X: Sequence) -> np.ndarray:
        """The best labels of the nodes of each graph: an array of arrays."""
        return list_of_arrays([self.classes_[answer.labels] for answer in self.answers(X)])

    def decision_function(self, X: Sequence, y: Sequence) -> np.ndarray:
        """The scores <w, phi(x,y)> of labellings ``y``."""
        check_is_fitted(self)
        examples = check_graphs(X, self._intercept(), self._widths)
        numbers, g = number_labels(check_labels(y, examples), self.classes_), make_graphs(examples, self.classes_.size)
        w = self._present_coef()
        return np.array([network_along(g, w, i).value(some) for i, some in enumerate(numbers)])

    def _labelling_loss(self) -> Callable[[Sequence, Sequence], float]:
        return count_loss(self._fitted["loss"], self.classes_)

    def score(self, X: Sequence, y: Sequence, by: str = "node") -> float:
        """The share of nodes that are labelled right, or ``by="graph"`` of graphs without an error."""
        if by not in ("node", "graph"):
            raise ValueError(f"by: expected 'node' or 'graph', got {by!r}.")
        found = self.predict(X)
        right = [some == np.asarray(labels).ravel() for some, labels in zip(found, y, strict=True)]
        return float(np.mean(np.concatenate(right) if by == "node" else [part.all() for part in right]))

    def _stated(self, X: Sequence, y: Sequence, sample_weight: Any) -> tuple[NetworkStructure, np.ndarray | None]:
        """Of narrow graphs only: a wide one is refused when it is asked for its best rival."""
        examples = check_graphs(X, self._intercept(), self._widths)
        weight = check_sample_weight(sample_weight, examples)
        numbers = number_labels(check_labels(y, examples), self.classes_)
        return NetworkStructure(examples, numbers, self.classes_.size), None if weight is None else weight > 0
