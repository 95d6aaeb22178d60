"""A classifier of sequences: every position gets a label, and labels depend on their neighbours (E2)."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ...certificates.check.labelling import check_structure
from ...certificates.check.margin import Verdict
from ...certificates.check.sequences import ChainStructure, Statement
from ...certificates.prove.labelling import OfStructures
from ...certificates.prove.margin import Terms
from ...loop.keep import keeper
from ...loop.learn import State, passes
from ...loop.mixing import mixing
from ...loop.stop import Stop
from ...loop.sweep import Tick
from ...oracles.sequences import Blocks, Chains, apart, chains, cut, decode, enumerated, features, matrix, overlook
from ...risk.spans import bio_forbidden, span_scores
from ...rules import Increment
from .._base import all_or_nothing
from .._labelling import Structured
from .reader import Read, Reader, flat_labels, in_threads, sorted_labels
from .reader import cut as pieces
from .templates import WINDOW, Templates

BY = ("token", "sequence", "span")


class Weight(NamedTuple):
    """One weight by name."""

    feature: str
    label: Any
    weight: float


class Transition(NamedTuple):
    """The weight of one label after another; None stands for the start and the end."""

    before: Any
    after: Any
    weight: float


class Labelling(NamedTuple):
    """A labelling and its score."""

    labels: np.ndarray
    score: float


class SequenceClassifier(Structured):
    r"""Labels for every position of a sequence, the best ones together (E2).

    .. math:: \arg\max_y\ start(y_1) + end(y_n) + \sum_t \big(\langle w_{y_t}, x_t\rangle + bias(y_t)\big)
              + \sum_{t>1} pair(y_{t-1}, y_t)\ [+ \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t)]

    A sequence is violated while some other labelling scores as much as the right one; rules move w as they do for two
    classes. A hidden Markov chain is the special case in which the weights are logarithms of probabilities: see
    `from_hmm`.

    X is a list of sequences, each of them

    - an array or sparse matrix, length x columns;
    - a list of positions, each a dictionary (as for sklearn-crfsuite: strings join the name, numbers are values), a
      list of names, or a single name. Names never seen in training are ignored;
    - with ``templates``, a list of tuples of strings, one string a column: features are made of them.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec", "maximum margin"} or a rule of `linsep.rules`, default="perceptron"
        How w moves.
    target : float, a target of `linsep.targets` or None
        When a sequence is violated; a number b is ``Margin(b)``.
    order : {1, 2}, default=1
        Whether a label depends on the one before it, or on the two before it.
    forbidden : list of pairs, "BIO" or None
        Labels that must not follow each other: ``(before, after)``; ``(None, label)`` forbids a start, ``(label,
        None)`` an end. "BIO" forbids what `linsep.risk.bio_forbidden` lists.
    templates : "window", list of str, `linsep.estimators.sequences.templates.Templates` or None
        How features are made of columns of strings; "window" is the usual ones of a column of words.
    columns : list of str, default=("word",)
        The names of the columns, for ``templates``.
    pair_features : bool, default=False
        Features x_t weigh pairs of labels too: K x K weights each.
    bias : bool, default=True
        A weight of every label by itself.
    loss_scale : float, default=0.0
        The margin asked for grows by this with every wrong label (E5).
    keep : {"average", "last", "pocket", "auto"}, default="average"
        Which w is the answer.
    max_passes, max_updates, max_seconds, shuffle, random_state, warm_start, verbose
        As for `Perceptron`; shuffled by default, since sentences of a text come sorted.
    patience : int or None
        Passes in a row without a better score of ``dev`` (or without fewer updates, if there is no ``dev``).
    scoring : {"token", "sequence", "span"}, default="token"
        What `score` and ``dev`` count: right labels, sequences right throughout, or the F1 of BIO spans.
    shards : int, default=1
        Learn on so many parts side by side, in threads, and mix w after every pass (McDonald, Hall and Mann 2010): on
        separable data it ends too, the updates of all shards, each divided by the number of shards, being at most
        :math:`A^2/\gamma^2`. The perceptron's rule only.
    n_jobs : int or None, default=-1
        Threads of `predict`; -1 is all cores.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array
        w, flat; ``weights_`` has its parts by name.
    certificate_, history_, n_passes_
        As for `Perceptron`; see `check`. With ``dev`` the history has its scores, and w is that of the best pass.

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

    classes_: np.ndarray
    batch = False

    _parameter_constraints: dict = {
        **{name: kind for name, kind in Structured._parameter_constraints.items() if name != "batch"},
        "order": [Interval(Integral, 1, 2, closed="both")],
        "forbidden": [None, StrOptions({"BIO"}), "array-like"],
        "templates": [None, StrOptions({"window"}), "array-like", Templates],
        "columns": ["array-like"],
        "pair_features": ["boolean"],
        "bias": ["boolean"],
        "scoring": [StrOptions(set(BY))],
        "shards": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        rule="perceptron",
        target=None,
        *,
        order=1,
        forbidden=None,
        templates=None,
        columns=("word",),
        pair_features=False,
        bias=True,
        loss_scale=0.0,
        keep="average",
        max_passes=10,
        max_updates=None,
        max_seconds=None,
        patience=None,
        shuffle=True,
        random_state=None,
        scoring="token",
        shards=1,
        n_jobs=-1,
        warm_start=False,
        verbose=0,
    ):
        self.rule = rule
        self.target = target
        self.order = order
        self.forbidden = forbidden
        self.templates = templates
        self.columns = columns
        self.pair_features = pair_features
        self.bias = bias
        self.loss_scale = loss_scale
        self.keep = keep
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state
        self.scoring = scoring
        self.shards = shards
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose

    # --- learning ----------------------------------------------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Sequence, y: Sequence, sample_weight=None, *, dev: tuple | None = None) -> SequenceClassifier:
        """Learn from sequences ``X`` with labels ``y``, a list of labels each; ``dev`` = (X, y) is watched."""
        self._validate_params()
        again = self.warm_start and hasattr(self, "coef_")
        if not again:
            self.reader_ = Reader(self._templates())
            read = self.reader_.learn(X)
            found = flat_labels(y, read.begin)
            self._name(sorted_labels(found))
        else:
            read = self._read_more(X)
            found = flat_labels(y, read.begin)
        part = self._part(read, self._numbers(found, read.begin), sample_weight)
        watch = () if dev is None else (_Dev(self, *dev),)
        self._shards = [part] + [apart(part) for _ in range(self.shards - 1)]
        self._watched = dev is not None
        self._learn(part, watch)
        del self._shards, self._watched
        if watch:
            watch[0].settle(part)
        return self

    @all_or_nothing
    def partial_fit(self, X: Sequence, y: Sequence, classes=None, sample_weight=None) -> SequenceClassifier:
        """One pass over more sequences, going on from where learning stands; new names are new features.

        ``classes``, all labels, is needed at the first call, unless y has them all.
        """
        self._validate_params()
        if not hasattr(self, "coef_"):
            self.reader_ = Reader(self._templates())
            read = self.reader_.learn(X)
            found = flat_labels(y, read.begin)
            self._name(sorted_labels(found if classes is None else classes))
        else:
            if classes is not None and set(np.asarray(classes).tolist()) != set(self.classes_.tolist()):
                raise ValueError(f"classes={list(classes)}, but learning began with {self.classes_.tolist()}.")
            read = self._read_more(X)
            found = flat_labels(y, read.begin)
        self._learn_more(self._part(read, self._numbers(found, read.begin), sample_weight))
        return self

    def _read_more(self, X: Sequence) -> Read:
        """More training data; w grows with the names."""
        if not np.isfinite(self.coef_).all():
            raise ValueError("w has -inf, where a hidden Markov chain emits with probability 0: nothing to go on from.")
        self.reader_ = copy.deepcopy(self.reader_)  # a fit that fails leaves no new names
        before = self.reader_.width
        read = self.reader_.learn_more(X)
        if read.x.width > before:
            self._sizes = before, read.x.width
            self.coef_ = self._grown(self.coef_, 0)
        return read

    def _grown(self, w: np.ndarray, size: int) -> np.ndarray:
        """w with zeros for features that were not there before."""
        old, new = getattr(self, "_sizes", (0, 0))
        if w.size == 0 or old == new or w.size == size:
            return w.copy()
        k = len(self.classes_)
        parts = cut(w, old, k, self.order)
        crossed = np.zeros((new if self.pair_features else 0, k, k))
        crossed[: len(parts.crossed)] = parts.crossed
        grown = parts._replace(emission=np.concatenate([parts.emission, np.zeros((new - old, k))]), crossed=crossed)
        return np.concatenate([part.ravel() for part in grown])

    def _templates(self) -> Templates | None:
        if self.templates is None:
            return None
        if isinstance(self.templates, Templates):
            return copy.deepcopy(self.templates)
        return Templates(WINDOW if isinstance(self.templates, str) else self.templates, self.columns)

    def _name(self, labels: np.ndarray) -> None:
        """The labels are known: remember them, and what must not follow what."""
        if len(labels) < 2:
            raise ValueError(f"Two labels at least are needed, but y has one only: {labels.tolist()[0]!r}.")
        self.classes_ = labels
        self._number = {label: k for k, label in enumerate(labels.tolist())}
        self._banned = np.zeros(0)
        if self.forbidden is None:
            return
        pairs = bio_forbidden(self._number) if isinstance(self.forbidden, str) else self.forbidden
        k = len(labels)
        self._banned = np.zeros(k * (2 + k))
        for pair in pairs:
            before, after = pair
            for label in (before, after):
                if label is not None and label not in self._number:
                    raise ValueError(
                        f"forbidden: {label!r} in {tuple(pair)!r} is none of the labels {labels.tolist()}."
                    )
            if before is None and after is None:
                raise ValueError("forbidden: (None, None) would forbid everything.")
            if before is None:
                self._banned[self._number[after]] = -np.inf
            elif after is None:
                self._banned[k + self._number[before]] = -np.inf
            else:
                self._banned[2 * k + self._number[before] * k + self._number[after]] = -np.inf

    def _numbers(self, labels: list, begin: np.ndarray) -> np.ndarray:
        """The numbers of labels; one that is unknown, or that the one before forbids, is named."""
        numbers = np.fromiter((self._number.get(label, -1) for label in labels), dtype=np.int32, count=len(labels))
        if numbers.min() < 0:
            t = int(np.argmin(numbers))
            i = int(np.searchsorted(begin, t, side="right")) - 1
            raise ValueError(f"y: sequence {i} has the label {labels[t]!r}, which is none of {self.classes_.tolist()}.")
        if self._banned.size:
            k = len(self.classes_)
            starts, ends = numbers[begin[:-1]], numbers[begin[1:] - 1]
            pairs = self._banned[2 * k :].reshape(k, k)[numbers[:-1], numbers[1:]]
            pairs[begin[1:-1] - 1] = 0.0
            at = np.searchsorted(begin, np.flatnonzero(pairs), side="right") - 1
            for bad, why in (
                (at, "a pair of labels"), (np.flatnonzero(self._banned[starts]), "a start"),
                (np.flatnonzero(self._banned[k + ends]), "an end"),
            ):  # fmt: skip
                if bad.size:
                    raise ValueError(f"y: sequence {bad[0]} has {why} that is forbidden.")
        return numbers

    def _part(self, read: Read, label: np.ndarray, sample_weight=None) -> Chains:
        """The sequences as an oracle."""
        weight = None
        if sample_weight is not None:
            index = np.zeros((read.begin.size - 1, 1))
            weight = np.asarray(_check_sample_weight(sample_weight, index, dtype=np.float64, ensure_non_negative=True))
        z = features(matrix(read.x)) if self.pair_features else None
        return chains(
            read.begin, label, read.x, len(self.classes_), z=z, order=self.order, banned=self._banned,
            bias=float(self.bias), loss=float(self.loss_scale), weight=weight,
        )  # fmt: skip

    def _stop(self) -> Stop:
        return super()._stop() if not self._watched else replace(super()._stop(), patience=None)

    def _passes(self) -> Any:
        if self.shards == 1:
            return passes
        if not isinstance(self._rule(), Increment):
            raise ValueError("shards: only the perceptron's rule can be mixed.")
        if self.max_updates is not None:
            raise ValueError("shards: updates can't be counted across shards; limit max_passes or max_seconds.")
        return mixing(self._shards)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _asked(self, X: Sequence) -> Chains:
        """Sequences without labels."""
        check_is_fitted(self)
        read = self.reader_.apply(X)
        return self._part(read, np.zeros(read.begin[-1], dtype=np.int32))

    def _decode(self, part: Chains, w: np.ndarray) -> np.ndarray:
        """The numbers of the best labels of all positions."""
        out, values = np.empty(part.label.size, dtype=np.int32), np.empty(part.sign.size)
        jobs = effective_n_jobs(self.n_jobs) if part.label.size > 1000 else 1
        in_threads(lambda rows: decode(apart(part), w, rows, out, values), part.sign.size, jobs)
        return out

    def predict(self, X: Sequence) -> list[np.ndarray]:
        """The best labels of every sequence."""
        part = self._asked(X)
        return pieces(self.classes_[self._decode(part, self.coef_)], part.begin)

    def predict_best(self, X: Sequence, k: int) -> list[list[Labelling]]:
        """The k best labellings of every sequence with their scores, best first; fewer if fewer are allowed."""
        if k < 1:
            raise ValueError(f"k: one labelling at least is wanted, not {k}.")
        part, found = self._asked(X), []
        for i, n in enumerate(np.diff(part.begin)):
            out, values = np.empty((k, n), dtype=np.int32), np.empty(k)
            room = (*part.best.shape, k)
            back, rank = np.zeros(room, np.int64), np.zeros(room, np.int64)
            count = enumerated(part, self.coef_, i, np.empty(room), back, rank, out, values)
            found.append([Labelling(self.classes_[out[j]], float(values[j])) for j in range(count)])
        return found

    def max_marginals(self, X: Sequence) -> list[np.ndarray]:
        """For every sequence length x labels: the score of the best labelling that has this label there.

        They are no probabilities. The largest of a row is the score of the best labelling; how far the second one is
        below it says how sure the label is.
        """
        part = self._asked(X)
        out = np.empty((part.label.size, part.labels))
        overlook(part, self.coef_, np.arange(part.sign.size), np.empty_like(part.best), out)
        return pieces(out, part.begin)

    def score(self, X: Sequence, y: Sequence, sample_weight=None, *, by: str | None = None) -> float:
        """The share of right labels, of sequences right throughout, or the F1 of spans: ``by``, or ``scoring``.

        A label that training never saw counts as an error.
        """
        part = self._asked(X)
        truth = flat_labels(y, part.begin)
        return self._scored(part, truth, self.coef_, by or self.scoring, sample_weight)

    def _scored(self, part: Chains, truth: list, w: np.ndarray, by: str, sample_weight=None) -> float:
        if by not in BY:
            raise ValueError(f"by={by!r}: one of {', '.join(map(repr, BY))} is wanted.")
        found = self._decode(part, w)
        lengths = np.diff(part.begin)
        if by == "span":
            if sample_weight is not None:
                raise ValueError("score: spans can't be weighted.")
            labels = np.empty(len(truth), dtype=object)
            labels[:] = truth
            return span_scores(pieces(labels, part.begin), pieces(self.classes_[found], part.begin))["all"].f1
        right = np.fromiter((self._number.get(label, -1) for label in truth), np.int32, len(truth)) == found
        if by == "sequence":
            return float(np.average(np.add.reduceat(right, part.begin[:-1]) == lengths, weights=sample_weight))
        return float(np.average(right, weights=None if sample_weight is None else np.repeat(sample_weight, lengths)))

    # --- looking -----------------------------------------------------------------------------------------------------

    @property
    def weights_(self) -> Blocks:
        """The parts of w: emission (features x K), bias, start, end (K), pairs (K x K), triples, crossed."""
        check_is_fitted(self)
        return cut(self.coef_, self.reader_.width, len(self.classes_), self.order)

    def strongest_features(self, n: int = 20, label: Any = None) -> list[Weight]:
        """The ``n`` largest weights of features, by absolute value; of one label, if wanted."""
        table = self.weights_.emission
        if label is not None and label not in self._number:
            raise ValueError(f"label={label!r} is none of {self.classes_.tolist()}.")
        columns = np.arange(len(self.classes_)) if label is None else np.array([self._number[label]])
        flat = np.abs(table[:, columns]).ravel()
        best = np.argsort(-flat, kind="stable")[:n]
        rows, places = np.divmod(best, columns.size)
        found = zip(rows.tolist(), columns[places].tolist(), strict=True)
        return [Weight(self.reader_.name(row), self.classes_[k], float(table[row, k])) for row, k in found]

    def strongest_transitions(self, n: int = 20) -> list[Transition]:
        """The ``n`` largest weights of pairs, starts (None, label) and ends (label, None), by absolute value."""
        names = [None, *self.classes_.tolist()]
        parts = self.weights_
        table = np.zeros((len(names), len(names)))
        table[0, 1:], table[1:, 0], table[1:, 1:] = parts.start, parts.end, parts.pairs
        best = [place for place in np.argsort(-np.abs(table).ravel(), kind="stable") if place][:n]
        return [Transition(names[j], names[k], float(table[j, k])) for j, k in (divmod(b, len(names)) for b in best)]

    def check(self, X: Sequence, y: Sequence, sample_weight=None) -> Verdict:
        """Check the certificate against the sequences it was made for, by slow and simple code of its own."""
        if not hasattr(self, "certificate_"):
            raise NotFittedError("check: there is no certificate; fit first.")
        read = self.reader_.apply(X)
        label = self._numbers(flat_labels(y, read.begin), read.begin)
        x = matrix(read.x)
        z = x if self.pair_features else x[:, :0]
        banned = self._banned if self._banned.size else None
        said = Statement(read.begin, label, x, z, len(self.classes_), self.order, float(self.bias), banned)
        keep = None if sample_weight is None else np.asarray(sample_weight) > 0
        return check_structure(self.certificate_, ChainStructure(said), keep)

    # --- hidden Markov chains ----------------------------------------------------------------------------------------

    @classmethod
    def from_hmm(cls, start, transition, emission, *, labels=None, symbols=None, **parameters) -> SequenceClassifier:
        r"""The classifier that decides as a hidden Markov chain does: weights are logarithms of its probabilities.

        .. math:: \arg\max_y\ p(y_1) \prod_{t>1} p(y_t \mid y_{t-1}) \prod_t p(x_t \mid y_t)

        ``start`` has K probabilities, ``transition`` K x K, ``emission`` K x symbols; rows sum to 1. Sequences are
        lists of ``symbols`` (default: 0, 1, ...). A symbol that is not known says nothing. 0 forbids.

        >>> weather = SequenceClassifier.from_hmm(
        ...     [0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]], [[0.9, 0.1], [0.2, 0.8]],
        ...     labels=["dry", "wet"], symbols=["sun", "rain"])
        >>> [labels.tolist() for labels in weather.predict([["sun", "rain", "sun"], ["rain", "rain"]])]
        [['dry', 'dry', 'dry'], ['wet', 'wet']]
        """
        tables = [np.asarray(table, dtype=np.float64) for table in (start, transition, emission)]
        k, size = tables[0].size, tables[2].shape[-1]
        for name, table, shape in zip(
            ("start", "transition", "emission"), tables, ((k,), (k, k), (k, size)), strict=True
        ):
            if table.shape != shape:
                raise ValueError(f"{name}: a table of {shape} probabilities is wanted, not {table.shape}.")
            if not ((table >= 0) & (table <= 1)).all() or not np.allclose(table.sum(axis=-1), 1.0, atol=1e-6):
                raise ValueError(f"{name}: probabilities of every row must be >= 0 and sum to 1.")
        symbols = list(range(size) if symbols is None else symbols)
        names = np.arange(k) if labels is None else sorted_labels(labels)
        if len(symbols) != size or len(names) != k or len(set(symbols)) != size:
            raise ValueError(f"labels, symbols: {k} different labels and {size} different symbols are wanted.")
        order = np.arange(k) if labels is None else np.argsort([names.tolist().index(label) for label in labels])
        with np.errstate(divide="ignore"):
            first, pairs, emitted = (np.log(table) for table in tables)
        first, pairs, emitted = first[order], pairs[order][:, order], emitted[order]
        rule = cls(**{"bias": False, **parameters})
        rule._name(names)
        rule.reader_ = Reader()
        rule.reader_.numbers = {symbol: number for number, symbol in enumerate(symbols)}
        rule.reader_.width = size
        if not (np.isfinite(first).all() and np.isfinite(pairs).all()):
            banned = np.concatenate([first, np.zeros(k), pairs.ravel()])
            rule._banned = np.where(np.isneginf(banned), -np.inf, 0.0)
            first, pairs = (np.where(np.isneginf(table), 0.0, table) for table in (first, pairs))
        rest = np.zeros(k**3 if rule.order == 2 else 0)
        rule.coef_ = np.concatenate([emitted.T.ravel(), np.zeros(k), first, np.zeros(k), pairs.ravel(), rest])
        average = "average" if rule.keep in ("average", "auto") else "last"  # so that `partial_fit` can go on
        tick = Tick(mass=np.nan, ww=float(rule.coef_ @ rule.coef_))
        rule._state = State(rule.coef_.copy(), np.zeros(0), tick, keeper(average, rule.coef_.size))
        return rule

    @classmethod
    def from_counts(cls, X: Sequence, y: Sequence, *, smoothing: float = 1.0, **parameters) -> SequenceClassifier:
        """The hidden Markov chain whose probabilities are the counts of ``X`` and ``y``, as a classifier.

        X are lists of symbols; ``smoothing`` is added to every count, so that what was never seen stays possible.

        >>> tagger = SequenceClassifier.from_counts([["a", "b"], ["a", "b", "b"]], [[0, 1], [0, 1, 1]])
        >>> [labels.tolist() for labels in tagger.predict([["a", "a", "b"]])]
        [[0, 0, 1]]
        """
        if not smoothing >= 0:
            raise ValueError(f"smoothing: a number >= 0 is wanted, not {smoothing!r}.")
        reader = Reader()
        read = reader.learn(X)
        if reader.numbers is None or read.x.values.size or (np.diff(read.x.indptr) != 1).any():
            raise ValueError("from_counts: X must have one symbol a position.")
        labels = flat_labels(y, read.begin)
        names = sorted_labels(labels)
        number = {label: k for k, label in enumerate(names.tolist())}
        ids = np.array([number[label] for label in labels])
        k = len(names)
        start, pairs = np.full(k, float(smoothing)), np.full((k, k), float(smoothing))
        emission = np.full((k, reader.width), float(smoothing))
        np.add.at(start, ids[read.begin[:-1]], 1.0)
        inner = np.setdiff1d(np.arange(1, ids.size), read.begin)
        np.add.at(pairs, (ids[inner - 1], ids[inner]), 1.0)
        np.add.at(emission, (ids, read.x.indices), 1.0)
        tables = [
            table / table.sum(axis=-1, keepdims=True) for table in (start, pairs, emission) if table.sum(-1).all()
        ]
        if len(tables) < 3:
            raise ValueError("from_counts: some label is never followed by another; smoothing > 0 is needed.")
        return cls.from_hmm(*tables, labels=names.tolist(), symbols=list(reader.numbers), **parameters)


class _Dev:
    """Watches a development set: its score after every pass, the best w, and whether patience is at an end."""

    def __init__(self, owner: SequenceClassifier, X: Sequence, y: Sequence):
        self.owner = owner
        read = owner.reader_.apply(X)
        self.part = owner._part(read, np.zeros(read.begin[-1], dtype=np.int32))
        self.truth = flat_labels(y, read.begin, "dev")
        self.scores: list[float] = []
        self.w = np.zeros(0)
        self.state: State | None = None

    def __call__(self, state: State) -> str | None:
        owner, self.state = self.owner, state
        mean = owner.keep in ("average", "auto") and not (owner.keep == "auto" and state.done)
        w = state.keep.answer(state.w, state.tick.seen) if mean else state.weights
        score = owner._scored(self.part, self.truth, w, owner.scoring)
        if not self.scores or score > max(self.scores):
            self.w = w.copy()
        self.scores.append(score)
        if owner.verbose:
            print(f"pass {state.passes:>6}  dev {owner.scoring} {score:.4f}", file=sys.stderr)
        idle = len(self.scores) - 1 - int(np.argmax(self.scores))
        if owner.patience is not None and idle >= owner.patience:
            return f"{idle} passes brought no better score of dev (patience)"
        return None

    def settle(self, part: Chains) -> None:
        """Publish the w of the best pass, and its certificate."""
        owner = self.owner
        if not self.scores:  # the largest margin is not found by passes
            return
        for line, score in zip(owner.history_, self.scores, strict=True):
            line["dev"] = score
        owner.best_pass_ = int(np.argmax(self.scores)) + 1
        if not np.array_equal(self.w, owner.coef_):
            found = owner.certificate_
            terms = Terms(owner._target(), "none", found.updates, found.reason or "the best pass of dev was taken")
            owner.certificate_ = OfStructures([part]).certify(self.w, self.state, terms)
            owner.coef_ = self.w
