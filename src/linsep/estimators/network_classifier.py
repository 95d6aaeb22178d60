"""A classifier of the nodes of graphs, whose labels depend on one another (E3, E4, E5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..certificates.check.labelling import check_structure
from ..certificates.check.margin import Verdict
from ..certificates.check.networks import NetworkStructure
from ..inference import ENGINES, Answer, solve
from ..oracles.networks import Networks, Searched, graphs, networks, tables
from ._base import POSITIVE, all_or_nothing
from ._labelling import Structured
from .graphs import checked, labels_of, numbered


class NetworkClassifier(Structured):
    r"""A Markov network on any graphs: :math:`\arg\max_y \sum_v \langle w_{y_v}, x_v\rangle
    + \sum_{vv'} \langle w_{y_v y_{v'}}, x_{vv'}\rangle`.

    All nodes share their weights, and so do all edges. An edge is read from its first node to its second, so that
    directions can be learned; its features may say of which kind it is.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule of `linsep.rules`, default="perceptron"
        How w moves.
    target : float, a target of `linsep.targets` or None
        When an example is violated; a number b is ``Margin(b)``. None: what the rule is usually asked for.
    loss_scale : float, default=0.0
        Every wrong label raises the margin asked for by this much.
    engine : {"auto", "forest", "trws", "elimination", "cut", "toulbar2"}, default="auto"
        Who finds the best labelling. To learn, "auto" is "forest" (exact) where no graph has a cycle, else "trws",
        which may miss the best rival; the certificate says so. To predict, "auto" chooses for each graph.
    engine_passes : int, default=30
        The most passes of TRW-S for one visit of an example.
    bias : bool, default=True
        Whether a constant feature is added to the nodes.
    seconds : float, default=10.0
        The most an engine may search for one graph, about.
    keep, batch, max_passes, max_updates, max_seconds, patience, shuffle, random_state, warm_start, verbose
        As for `Perceptron`; ``shuffle`` is on by default, ``keep`` is the average.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array
        w: ``node_coef_`` (features x K, the bias last), then ``edge_coef_`` (features x K x K).
    certificate_, history_, n_passes_
        As for `Perceptron`; see `check`.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep import NetworkClassifier
    >>> path = np.array([[0, 1], [1, 2]])
    >>> X = [(np.array([[1.0], [0.2], [1.0]]), path), (np.array([[-1.0], [-0.2], [-1.0]]), path)]
    >>> rule = NetworkClassifier(random_state=1).fit(X, [["on", "on", "on"], ["off", "off", "off"]])
    >>> rule.predict([(np.array([[2.0], [-0.1], [1.0]]), path)])
    [array(['on', 'on', 'on'], dtype='<U3')]
    >>> rule.certificate_.status
    'separated'
    """

    _parameter_constraints: dict = {
        **Structured._parameter_constraints,
        "engine": [StrOptions({"auto", *ENGINES})],
        "engine_passes": Structured._parameter_constraints["max_passes"],
        "bias": ["boolean"],
        "seconds": [POSITIVE],
    }

    def __init__(
        self,
        *,
        rule="perceptron",
        target=None,
        loss_scale=0.0,
        engine="auto",
        engine_passes=30,
        bias=True,
        seconds=10.0,
        keep="average",
        batch=False,
        max_passes=20,
        max_updates=None,
        max_seconds=None,
        patience=None,
        shuffle=True,
        random_state=None,
        warm_start=False,
        verbose=0,
    ):
        self.rule = rule
        self.target = target
        self.loss_scale = loss_scale
        self.engine = engine
        self.engine_passes = engine_passes
        self.bias = bias
        self.seconds = seconds
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
    def fit(self, X: Sequence, y: Sequence, sample_weight=None) -> NetworkClassifier:
        """Learn from graphs: (node features, edges) or (node features, edges, edge features) each."""
        self._validate_params()
        examples = checked(X, self.bias)
        labels = labels_of(y, examples)
        if not (self.warm_start and hasattr(self, "classes_")):
            self.classes_ = np.unique(np.concatenate(labels))
        self._learn(self._part(examples, labels, sample_weight))
        return self

    @all_or_nothing
    def partial_fit(self, X: Sequence, y: Sequence, classes=None, sample_weight=None) -> NetworkClassifier:
        """One pass over more graphs, going on from where learning stands.

        ``classes`` are all labels there will ever be; without them, those of the first call.
        """
        self._validate_params()
        examples = checked(X, self.bias, getattr(self, "_widths", None))
        labels = labels_of(y, examples)
        if not hasattr(self, "classes_"):
            self.classes_ = np.unique(np.concatenate(labels) if classes is None else np.asarray(classes))
        self._learn_more(self._part(examples, labels, sample_weight))
        return self

    def _part(self, examples: list[tuple], labels: list[np.ndarray], sample_weight) -> Networks | Searched:
        """The examples as an oracle."""
        if self.classes_.size < 2:
            raise ValueError(f"y: two labels at least are needed, there is only {self.classes_.tolist()[0]!r}.")
        numbers = numbered(labels, self.classes_)
        weight = None
        if sample_weight is not None:
            index = np.zeros((len(examples), 1))
            weight = np.asarray(_check_sample_weight(sample_weight, index, dtype=np.float64, ensure_non_negative=True))
        self._widths = examples[0][0].shape[1], examples[0][2].shape[1]
        part = networks(
            graphs(*zip(*examples, strict=True)), np.concatenate(numbers), self.classes_.size, self.engine,
            loss=float(self.loss_scale), weight=weight, passes=int(self.engine_passes),
        )  # fmt: skip
        if isinstance(part, Searched):
            part.seconds = float(self.seconds)
        return part

    @property
    def node_coef_(self) -> np.ndarray:
        """Weights of node features, a column a label."""
        return self.coef_[: self._widths[0] * self.classes_.size].reshape(self._widths[0], -1)

    @property
    def edge_coef_(self) -> np.ndarray:
        """Weights of edge features: a K x K table each."""
        K = self.classes_.size
        return self.coef_[self._widths[0] * K :].reshape(-1, K, K)

    def answers(self, X: Sequence) -> list[Answer]:
        """What the engine says of each graph: labels as numbers, the value, a bound, and whether they meet."""
        check_is_fitted(self)
        g = graphs(*zip(*checked(X, self.bias, self._widths), strict=True))
        options = {"search": False} if self.engine == "auto" else {}
        found = (tables(g, self.coef_, i, self.classes_.size) for i in range(g.size))
        return [solve(network, self.engine, float(self.seconds), **options) for network in found]

    def predict(self, X: Sequence) -> list[np.ndarray]:
        """The best labels of the nodes of each graph."""
        return [self.classes_[answer.labels] for answer in self.answers(X)]

    def decision_function(self, X: Sequence, y: Sequence) -> np.ndarray:
        """The scores <w, phi(x,y)> of labellings ``y``."""
        check_is_fitted(self)
        examples = checked(X, self.bias, self._widths)
        numbers = numbered(labels_of(y, examples), self.classes_)
        g = graphs(*zip(*examples, strict=True))
        return np.array([tables(g, self.coef_, i, self.classes_.size).value(some) for i, some in enumerate(numbers)])

    def score(self, X: Sequence, y: Sequence, by: str = "node") -> float:
        """The share of nodes that are labelled right, or ``by="graph"`` of graphs without an error."""
        if by not in ("node", "graph"):
            raise ValueError(f"by must be 'node' or 'graph', not {by!r}.")
        found = self.predict(X)
        right = [some == np.asarray(labels).ravel() for some, labels in zip(found, y, strict=True)]
        return float(np.mean(np.concatenate(right) if by == "node" else [part.all() for part in right]))

    def check(self, X: Sequence, y: Sequence, sample_weight=None) -> Verdict:
        """Check the certificate against the graphs it was made for, by slow and simple code; narrow graphs only."""
        check_is_fitted(self)
        examples = checked(X, self.bias, self._widths)
        keep = None if sample_weight is None else np.asarray(sample_weight) > 0
        structure = NetworkStructure(examples, numbered(labels_of(y, examples), self.classes_), self.classes_.size)
        return check_structure(self.certificate_, structure, keep)
