"""A classifier of sequences: every position gets a label, and labels depend on their neighbours (E2)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ...certificates.check.sequences import SequenceStructure
from ...data.shards import PlacedShards
from ...oracles.sequences import Chain, Sequences, Weights, grow_weights, split_weights
from .._labelling import MAXIMUM_MARGIN, LabellingClassifier, list_of_arrays
from .._loss import CONSTRAINT, count_loss, tabulate_loss
from .._parameters import shared_parameters
from .._validation import (
    AT_LEAST_ONE,
    Options,
    StrOptions,
    all_or_nothing,
    check_sample_weight,
    set_parameters,
)
from .crfsuite import CrfsuiteNames
from .decoding import SCORING, Labelling, best_labellings, best_labels, marginals, score_labels
from .development import Development, as_dev
from .hmm import FromChains
from .labels import (
    Agreed,
    flatten_labels,
    forbidden_scores,
    number_forbidden,
    number_labels,
    sort_labels,
    split_positions,
)
from .reader import Read, Reader, listed, without_empty
from .sharded import gather, place_sequences
from .strongest import FeatureWeight, Transition, strongest_features, strongest_transitions
from .tagger import Tagger
from .templates import WINDOW, Templates


@shared_parameters
class SequenceClassifier(Tagger, CrfsuiteNames, FromChains, LabellingClassifier):
    r"""Labels for every position of a sequence, the best ones together (E2).

    .. math:: \arg\max_y\ start(y_1)\ [+ end(y_n)] + \sum_t \big(\langle w_{y_t}, x_t\rangle + bias(y_t)\big)
              + \sum_{t>1} pair(y_{t-1}, y_t)\ [+ \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t)]

    A sequence is violated while some other labelling scores as much as the right one; rules move w as they do for two
    classes. A hidden Markov chain is the special case in which the weights are logarithms of probabilities: see
    `from_hmm`.

    X is a list of sequences, each of them

    - an array or sparse matrix, length x columns;
    - a list of positions, each a dictionary (as for sklearn-crfsuite: strings join the name, numbers are values), a
      list of names, or a single name. Names never seen in training are ignored;
    - with ``templates``, a list of tuples of strings, one string per column: features are made of them.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule, default="perceptron"
        How w moves. "maximum margin": the largest margin itself, or a proof that the sequences are not separable.
    order : {1, 2}, default=1
        Whether a label depends on the one before it, or on the two before it.
    forbidden : list of pairs, "BIO" or None, default=None
        Labels that must not follow each other: ``(before, after)``; ``(None, label)`` forbids a start, ``(label,
        None)`` an end. "BIO" forbids what `linsep.risk.bio_forbidden` lists.
    templates : "window", list of str, `linsep.estimators.sequences.Templates` or None, default=None
        How features are made of columns of strings; "window": the usual ones of a column of words.
    columns : list of str, default=("word",)
        The names of the columns, for ``templates``.
    pair_features : bool, default=False
        Features x_t weigh pairs of labels too: K x K weights each.
    fit_intercept : bool, default=True
        Whether every label has a weight of its own, bias(y).
    fit_end : bool, default=True
        Whether the last label has a weight of its own, end(y_n). False: S2's chain, without an end term.
    loss : {"count", "hamming", "zero-one"}, callable or array-like of shape (n_classes, n_classes), default="count"
        What a labelling costs where another is true (E5): the number of wrong labels, their share, or 1; or the sum
        over all positions of your own ``W(decision, truth)`` of two labels, a function or a matrix with one row per
        decision and one column per truth, in the order of ``classes_``. `risk` counts it.
    loss_scale : float, default=0.0
        By how much the loss of a rival raises the margin asked for: :math:`\langle w, \varphi(x,y) -
        \varphi(x,y')\rangle > b + scale \cdot loss(y',y)`.
    keep : {"average", "last", "pocket", "auto"}, default="average"
        Which w is returned.
    max_iter : int, default=10
        Budget of passes over the sequences.
    patience : int or None, default=None
        End after so many passes in a row without a better score of ``dev`` (without ``dev``: without fewer updates).
    scoring : {"token", "sequence", "span"}, default="token"
        What `score` and ``dev`` count: right labels, sequences right throughout, or the F1 of BIO spans.
    n_jobs : int or None, default=-1
        Threads of `predict`; -1 is all cores.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array
        w, flat.
    weights_ : Weights
        The parts of w: emission (features x K), bias, start, end (K), pairs (K x K), triples, pair_emission.
    state_features_, transition_features_ : dict
        The weights that are not 0, as in sklearn-crfsuite: by (feature, label), and by (label before, label after).
    reader_ : Reader
        Reads sequences; ``reader_.name(j)`` is the name of feature j.
    best_iter_ : int
        With ``dev``: the pass whose w was taken.
    certificate_, history_, n_iter_
        As for `Perceptron`; see `check`. With ``dev`` the history has its scores.

    Examples
    --------
    >>> from linsep import SequenceClassifier
    >>> X = [[["the"], ["dog"], ["barks"]], [["a"], ["cat"], ["sleeps"]]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = SequenceClassifier(random_state=0).fit(X, y)
    >>> [labels.tolist() for labels in tagger.predict([[["a"], ["dog"], ["sleeps"]]])]
    [['DET', 'NOUN', 'VERB']]
    >>> tagger.certificate_.status, bool(tagger.check(X, y))
    ('separated', True)
    """

    _parameter_constraints: dict = {
        "order": [Options(Integral, {1, 2})],
        "forbidden": [None, StrOptions({"BIO"}), "array-like"],
        "templates": [None, StrOptions({"window"}), "array-like", Templates],
        "columns": ["array-like"],
        "pair_features": ["boolean"],
        "fit_end": ["boolean"],
        "loss": CONSTRAINT,
        "max_iter": [AT_LEAST_ONE],
        "scoring": [StrOptions(set(SCORING))],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self, rule="perceptron", target=None, *, order=1, forbidden=None, templates=None, columns=("word",),
        pair_features=False, fit_intercept=True, fit_end=True, loss="count", loss_scale=0.0, keep="average",
        max_iter=10, max_updates=None, max_seconds=None, patience=None, stop=None, start=None, shuffle=True,
        random_state=None, scoring="token", n_jobs=-1, warm_start=False, verbose=0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    # --- learning ----------------------------------------------------------------------------------------------------

    @all_or_nothing
    def fit(
        self, X: Iterable | PlacedShards, y: Iterable | None = None, sample_weight=None, *, dev: tuple | None = None,
        X_dev: Iterable | None = None, y_dev: Iterable | None = None,
    ) -> SequenceClassifier:  # fmt: skip
        """Learn from sequences.

        Parameters
        ----------
        X : list of sequences, or shards of tokens on a cluster
            See the class. Generators are read; sequences without positions have no say. Of ``shards.on(client)``, which
            have their labels, every shard learns by itself, and their w are mixed after every pass: not the w of one
            machine (docs/distributed.md).
        y : list of lists of labels
            One label per position.
        sample_weight : array, default=None
            One weight per sequence; 0 leaves a sequence out.
        dev : (X, y), default=None
            Sequences that are scored after every pass; the w of the best pass is taken.
        X_dev, y_dev : default=None
            The same, by the names of sklearn-crfsuite.
        """
        dev = as_dev(dev, X_dev, y_dev)
        goes_on = self.warm_start and hasattr(self, "coef_")
        self._begin_learning(goes_on)
        oracle: Any
        if isinstance(X, PlacedShards):
            oracle = self._shards(X, goes_on, y is None and sample_weight is None)
        else:
            read, labels = self._read_more(X, y) if goes_on else self._read_first(X, y, None)
            oracle = self._oracle(read, labels, sample_weight)
        if dev is None:
            self._learn(oracle)
            return self
        asked, begin = self._asked(dev[0])
        truth = flatten_labels(dev[1], begin, "dev")
        watcher = Development(self, lambda w: self._score(asked, truth, w, self.scoring))
        self._learn(oracle, (watcher,))
        watcher.publish(oracle)
        return self

    @all_or_nothing
    def partial_fit(self, X: Iterable, y: Iterable, classes=None, sample_weight=None) -> SequenceClassifier:
        """One pass over more sequences, going on from where learning stands; new names are new features.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : list of labels, default=None
            All labels; needed at the first call, unless y has them all.
        """
        self._begin_learning(hasattr(self, "coef_"))
        if not hasattr(self, "coef_"):
            read, labels = self._read_first(X, y, classes)
        elif classes is None or set(np.asarray(classes).tolist()) == set(self.classes_.tolist()):
            read, labels = self._read_more(X, y)
        else:
            raise ValueError(f"classes: expected {self.classes_.tolist()} as in the first call, got {list(classes)}.")
        self._learn_more(self._oracle(read, labels, sample_weight))
        return self

    def _first_oracle(self, X: Iterable, y: Iterable, sample_weight) -> Sequences:
        return self._oracle(*self._read_first(X, y, None), sample_weight)

    def _shards(self, placed: PlacedShards, goes_on: bool, alone: bool) -> Any:
        """Shards of tokens as one oracle, with one alphabet of features and labels."""
        if goes_on or not alone or self.rule == MAXIMUM_MARGIN:
            raise ValueError("X: expected shards alone, warm_start=False, and a rule that moves w at single sequences.")
        gathered = gather(placed, self._make_templates())
        self.reader_ = gathered.reader
        self._begin(sort_labels(gathered.labels))
        return place_sequences(placed, gathered, self._agreed())

    def _agreed(self) -> Agreed:
        cost = tabulate_loss(self.loss, self.classes_)
        return Agreed(self._number, self._forbidden, self._chain, float(self.loss_scale), cost)

    def _read_first(self, X: Iterable, y: Any, classes: Any) -> tuple[Read, list]:
        """The first training data: features, labels and parameters that `predict` and `partial_fit` go on with."""
        self.reader_ = Reader(self._make_templates())
        read = self.reader_.learn(X)
        labels = flatten_labels(y, read.begin)
        self._begin(sort_labels(labels if classes is None else classes))
        return read, labels

    def _read_more(self, X: Iterable, y: Any) -> tuple[Read, list]:
        """More training data; w grows with the names."""
        before = self._present_coef()
        if not np.isfinite(before).all():
            raise ValueError("w has -inf, where a hidden Markov chain emits with probability 0: nothing to go on from.")
        self.reader_ = copy.deepcopy(self.reader_)  # a fit that fails leaves no new names
        read = self.reader_.learn_more(X)
        self.coef_ = grow_weights(before, read.x.width, self._chain)
        return read, flatten_labels(y, read.begin)

    def _grown(self, w: np.ndarray, size: int) -> np.ndarray:
        return grow_weights(w, self.reader_.width, self._chain) if w.size else w.copy()

    def _make_templates(self) -> Templates | None:
        if self.templates is None or isinstance(self.templates, Templates):
            return copy.deepcopy(self.templates)
        return Templates(WINDOW if isinstance(self.templates, str) else self.templates, self.columns)

    def _begin(self, labels: np.ndarray, forbidden: frozenset | None = None) -> None:
        """Keep the labels, and what w is made of: later changes of parameters do not matter for this w.

        ``forbidden`` are pairs of numbers of labels; None: those of the parameter.
        """
        if len(labels) < 2:
            raise ValueError(f"y: expected two labels or more, got {labels.tolist()} only.")
        self.classes_ = labels
        self._number = {label: k for k, label in enumerate(labels.tolist())}
        self._forbidden = number_forbidden(self.forbidden, self._number) if forbidden is None else forbidden
        self._chain = Chain(
            len(labels), int(self.order), float(self.fit_intercept), float(self.fit_end),
            bool(self.pair_features), forbidden_scores(self._forbidden, len(labels)),
        )  # fmt: skip

    def _oracle(self, read: Read, labels: list, sample_weight=None) -> Sequences:
        """The sequences that have positions as an oracle."""
        weight = check_sample_weight(sample_weight, [None] * (read.begin.size - 1))
        return self._agreed().oracle(read, labels, weight)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def predict(self, X: Iterable) -> np.ndarray:
        """The best labels of every sequence: an array of arrays."""
        check_is_fitted(self)
        return list_of_arrays(split_positions(*self.label_positions(X, effective_n_jobs(self.n_jobs))))

    def predict_best(self, X: Iterable, k: int) -> list[list[Labelling]]:
        """The k best labellings of every sequence with their scores, best first; fewer if fewer are allowed."""
        check_is_fitted(self)
        oracle, begin = self._asked(X)
        found = best_labellings(oracle, self._present_coef(), k, self.classes_)
        return [next(found) if size else [] for size in np.diff(begin)]

    def max_marginals(self, X: Iterable) -> list[np.ndarray]:
        """For every sequence length x labels: the score of the best labelling that has this label there.

        They are no probabilities. The largest of a row is the score of the best labelling; how far the second one is
        below it says how sure the label is.
        """
        check_is_fitted(self)
        oracle, begin = self._asked(X)
        found = iter(marginals(oracle, self._present_coef()))
        return [next(found) if size else np.zeros((0, len(self.classes_))) for size in np.diff(begin)]

    def score(self, X: Iterable, y: Iterable, sample_weight=None, *, by: str | None = None) -> float:
        """The share of right labels, of sequences right throughout, or the F1 of spans: ``by``, or ``scoring``.

        A label that training never saw counts as an error.
        """
        check_is_fitted(self)
        oracle, begin = self._asked(X)
        w, by, truth = self._present_coef(), by or self._fitted["scoring"], flatten_labels(y, begin)
        if sample_weight is not None and len(sample_weight) == begin.size - 1:
            sample_weight = np.asarray(sample_weight)[np.diff(begin) > 0]
        return self._score(oracle, truth, w, by, sample_weight)

    def _labelling_loss(self) -> Callable[[Sequence, Sequence], float]:
        return count_loss(self._fitted["loss"], self.classes_)

    def _score(self, oracle: Sequences, truth: list, w: np.ndarray, by: str, sample_weight=None) -> float:
        found = self.classes_[best_labels(oracle, w, effective_n_jobs(self.n_jobs))].tolist()
        return score_labels(truth, found, oracle.begin, by, sample_weight)

    # --- what was learned --------------------------------------------------------------------------------------------

    @property
    def weights_(self) -> Weights:
        """The parts of w by name."""
        check_is_fitted(self)
        return split_weights(self._present_coef(), self.reader_.width, self._chain)

    def strongest_features(self, n: int = 20, label: Any = None) -> list[FeatureWeight]:
        """The ``n`` largest weights of features, by absolute value; of one label, if given."""
        return strongest_features(self.weights_, self.reader_, self.classes_, n, label)

    def strongest_transitions(self, n: int = 20) -> list[Transition]:
        """The ``n`` largest weights of pairs, starts (None, label) and ends (label, None), by absolute value."""
        return strongest_transitions(self.weights_, self.classes_.tolist(), n)

    def _stated(self, X: Iterable, y: Iterable, sample_weight: Any) -> tuple[SequenceStructure, np.ndarray | None]:
        X = listed(X)
        read = self.reader_.apply(X)
        numbers = number_labels(flatten_labels(y, read.begin), read.begin, self._number, self._forbidden)
        chain, some = self._chain, np.diff(read.begin) > 0
        plain = list(compress(self.reader_.plain(X), some))
        structure = SequenceStructure(
            plain, split_positions(numbers, without_empty(read.begin)), chain.labels, self.reader_.width,
            order=chain.order, bias=chain.bias, end=chain.end, pair_features=chain.pair_features,
            forbidden=self._forbidden,
        )  # fmt: skip
        weight = check_sample_weight(sample_weight, [None] * (read.begin.size - 1))
        return structure, None if weight is None else weight[some] > 0
