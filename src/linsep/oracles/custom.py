r"""Custom: any phi, any labellings, by the user's own Python functions (E1).

The classifier is :math:`\arg\max_{y \in Y(x)} \langle w, \varphi(x,y)\rangle`. Set i holds the vectors
:math:`\varphi(x_i,y_i) - \varphi(x_i,y')` of all rivals :math:`y' \ne y_i`. Its lowest one belongs to the best rival,
which is found by trying all labels of Y(x), or by a function of the user's.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .update_log import Ledger, Touched, ledger

U = float(np.finfo(np.float64).eps)
KEPT = 1 << 25  # numbers of phi that are kept, so that they are computed once


class Functions(NamedTuple):
    """What the user says of a problem. Rivals are found by the first of labels, rival and argmax that is given."""

    phi: Callable[[Any, Any], Any]  # phi(x, y), an array or a sparse row
    labels: Callable[[Any], Iterable] | None = None  # Y(x)
    rival: Callable[[np.ndarray, Any, Any], Any] | None = None  # rival(w, x, y): the best labelling but y, or None
    argmax: Callable[[np.ndarray, Any], Any] | None = None  # argmax(w, x): the best labelling
    cost: Callable[[Any, Any], float] = lambda y, other: 1.0  # the loss of taking y for other


class Rivals(NamedTuple):
    """All rivals of an example: who they are, their vectors a, a row each, and what they cost."""

    names: list
    A: np.ndarray
    costs: np.ndarray


class Custom:
    """Examples against their best rivals, as plain Python: the interpreted text of the loop runs on it.

    >>> ask = Functions(lambda x, y: x * np.eye(3)[y], labels=lambda x: range(3))
    >>> three = Custom([2.0, -1.0], [0, 2], ask)
    >>> three.probe(np.array([1.0, 0.5, 0.0]), 0), three.rival
    (1.0, 1)
    """

    interpreted = True
    first = 0

    def __init__(
        self, X: Sequence, y: Sequence, ask: Functions, *, loss: float = 0.0, weight: np.ndarray | None = None
    ):
        self.X, self.y, self.ask, self.loss = X, y, ask, loss
        self.weight = np.zeros(0) if weight is None else weight
        self.sign = np.ones(len(X), dtype=np.int8)
        self.truths = [vector(ask.phi(x, label)) for x, label in zip(X, y, strict=True)]
        self.size = self.truths[0].size
        self.exact = ask.labels is not None or ask.rival is not None  # an argmax does not tell who comes second
        self.ledger = ledger(len(X), len(X))
        self.score, self.calm = np.zeros(len(X)), 0.0
        self.labellings: list[Any] = []  # all rivals met; the ledger has their numbers here
        self.numbers: dict[Any, int] = {}
        self.kept: dict[int, Rivals] = {}
        self.room = [KEPT]
        self.rival: Any = None
        self.a = np.zeros(self.size)

    def _replace(self, **fields: Any) -> Custom:
        """The same with other fields, as of a NamedTuple."""
        other = copy.copy(self)
        vars(other).update(fields)
        return other

    def probe(self, w, i):
        """The least of <w,a> less ``loss`` times the loss of the rival; infinite if there is no rival."""
        rivals = self._rivals(w, i)
        if not rivals.names:
            self.rival, self.a, self.score[i] = None, np.zeros(self.size), math.inf
            return math.inf
        scores = rivals.A @ w - self.loss * rivals.costs
        k = int(scores.argmin())
        self.rival, self.a = rivals.names[k], rivals.A[k]
        self.score[i] = scores[k]
        return float(scores[k] + self.calm)

    def _rivals(self, w, i: int) -> Rivals:
        """The rivals that may be the best one."""
        x, y = self.X[i], self.y[i]
        if self.ask.labels is not None:
            if i not in self.kept:
                found = self._told(i, [other for other in self.ask.labels(x) if not same(other, y)])
                if found.A.size > self.room[0]:
                    return found
                self.room[0] -= found.A.size
                self.kept[i] = found
            return self.kept[i]
        if self.ask.rival is not None:
            other = self.ask.rival(w, x, y)
            if other is not None and same(other, y):
                raise ValueError(
                    f"rival: the best labelling other than the truth {y!r} is wanted, not the truth itself."
                )
            return self._told(i, [] if other is None else [other])
        assert self.ask.argmax is not None
        best = self.ask.argmax(w, x)
        return self._told(i, [] if same(best, y) else [best])

    def _told(self, i: int, names: list) -> Rivals:
        x, own = self.X[i], self.truths[i]
        A = np.array([own - vector(self.ask.phi(x, other), self.size) for other in names]).reshape(
            len(names), self.size
        )
        costs = [self.ask.cost(self.y[i], other) if self.loss else 0.0 for other in names]
        return Rivals(names, A, np.array(costs, dtype=np.float64))

    def square(self, i):
        """|a|^2 of the rival found last."""
        return float(self.a @ self.a)

    def add(self, w, i, beta):
        """Add beta a to w."""
        w += beta * self.a

    def credit(self, dual, i, beta):
        """Write down that beta a was added."""
        dual[self.ledger.note(i, np.array([self._number(self.rival)]), 1)] += beta

    def _number(self, labelling: Any) -> int:
        key = labelling.tobytes() if isinstance(labelling, np.ndarray) else repr(labelling)
        number = self.numbers.setdefault(key, len(self.labellings))
        if number == len(self.labellings):
            self.labellings.append(labelling)
        return number

    def touched(self, book: Ledger) -> Iterator[Touched]:
        """The vectors of the entries of ``book``."""
        rivals = [self.labellings[number] for number in book.label[book.begin[:-1]]]
        for entry, (i, rival) in enumerate(zip(book.example, rivals, strict=True)):
            a = self.truths[i] - vector(self.ask.phi(self.X[i], rival))
            place = np.flatnonzero(a)
            yield Touched(np.full(place.size, entry), place, a[place])

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of example i."""
        return self.weight[i] if self.weight.size else 1.0

    def side(self, i):
        """Differences know no sign."""
        return 1

    def slack(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        lengths = [float(np.linalg.norm(own)) + self._longest(w, i) for i, own in enumerate(self.truths)]
        return (self.size + 4) * U * float(np.linalg.norm(w)) * np.array(lengths)

    def reach(self) -> float:
        """The length of the longest vector; infinite where the labels are not listed."""
        if self.ask.labels is None:
            return math.inf
        return max((self._longest(np.zeros(self.size), i) for i in range(len(self.X))), default=0.0)

    def _longest(self, w: np.ndarray, i: int) -> float:
        A = self._rivals(w, i).A
        return math.sqrt(np.einsum("ij,ij->i", A, A).max(initial=0.0))

    def floors(self, w: np.ndarray, probe: Any) -> np.ndarray:
        """Nothing is known of rivals that an argmax does not return."""
        return np.array([-math.inf])


def vector(found: Any, size: int | None = None) -> np.ndarray:
    """What phi returns, as an array of float64."""
    full = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64).ravel()
    if not np.isfinite(full).all():
        raise ValueError("phi: NaN or infinity is in what it returned.")
    if size is not None and full.size != size:
        raise ValueError(f"phi: {full.size} numbers, where it returned {size} before; always as many are wanted.")
    return full


def same(one: Any, other: Any) -> bool:
    """Whether two labellings are equal; arrays too.

    >>> same("ab", "ab"), same(np.array([1, 2]), [1, 3]), same((1, 2), (1, 2))
    (True, False, True)
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)
