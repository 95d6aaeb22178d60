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

from .update_log import SparseVectors, UpdateLog, new_log
from .validation import first_unusable, require_scalar, require_weights, say_unusable

U = float(np.finfo(np.float64).eps)
KEPT = 1 << 25  # numbers of phi that are kept, so that they are computed once


class UserFunctions(NamedTuple):
    """What the user gives. Rivals are found by the first of labels, rival and argmax that is given."""

    phi: Callable[[Any, Any], Any]  # phi(x, y), an array or a sparse row
    labels: Callable[[Any], Iterable] | None = None  # Y(x)
    rival: Callable[[np.ndarray, Any, Any], Any] | None = None  # rival(w, x, y): the best labelling but y, or None
    argmax: Callable[[np.ndarray, Any], Any] | None = None  # argmax(w, x): the best labelling
    cost: Callable[[Any, Any], float] = lambda decision, truth: 1.0  # the loss of a decision where the truth holds


class Rivals(NamedTuple):
    """All rivals of an example: who they are, their vectors a, a row each, and what they cost."""

    names: list
    A: np.ndarray
    costs: np.ndarray


class Custom:
    """Examples against their best rivals, in plain Python: the loop runs interpreted on it.

    >>> functions = UserFunctions(lambda x, y: x * np.eye(3)[y], labels=lambda x: range(3))
    >>> three = Custom([2.0, -1.0], [0, 2], functions)
    >>> three.lowest(np.array([1.0, 0.5, 0.0]), 0)
    (1.0, 0)
    >>> three.rival_of(0)
    1
    """

    LABELLINGS = True
    first, slots = 0, 1

    def __init__(
        self, X: Sequence, y: Sequence, functions: UserFunctions, *, loss: float = 0.0, weight: np.ndarray | None = None
    ):
        if len(X) == 0 or len(X) != len(y):
            raise ValueError(f"custom: expected as many labellings as examples, got {len(y)} and {len(X)}.")
        self.X, self.y, self.functions, self.loss = X, y, functions, require_scalar(loss, "custom: loss")
        self.weight = require_weights(weight, len(X), "custom: weight")
        self.sign = np.ones(len(X), dtype=np.int8)
        self.truths = [vector(functions.phi(x, label)) for x, label in zip(X, y, strict=True)]
        self.size = self.truths[0].size
        self.exact = (
            functions.labels is not None or functions.rival is not None
        )  # an argmax does not tell which labelling is second
        self.log = new_log(len(X), len(X), 1)  # of numbers of labellings
        self.labellings: list[Any] = []  # all rivals met
        self.numbers: dict[Any, int] = {}
        self.kept: dict[int, Rivals] = {}
        self.room = [KEPT]
        self.last: tuple[int, np.ndarray] = -1, np.zeros(self.size)  # the number of the rival found last, and its a

    def _replace(self, **fields: Any) -> Custom:
        """The same with other fields, as of a NamedTuple."""
        other = copy.copy(self)
        vars(other).update(fields)
        return other

    def lowest(self, w, i):
        """The least of <w,a> less ``loss`` times the loss of the rival; infinite if there is no rival."""
        rivals, slot = self._rivals(w, i), int(self.log.next_slot())
        if not rivals.names:
            return math.inf, slot
        scores = rivals.A @ w - self.loss * rivals.costs
        k = int(scores.argmin())
        number = self._number(rivals.names[k])
        self.log.label[self.log.next_label()] = number
        self.last = number, rivals.A[k]
        return float(scores[k]), slot

    def rival_of(self, slot: int) -> Any:
        """The labelling in a slot."""
        return self.labellings[self.log.label[self.log.begin[slot]]]

    def _vector(self, i: int, slot: int) -> np.ndarray:
        """The vector in a slot."""
        number, a = self.last
        if self.log.label[self.log.begin[slot]] == number:
            return a
        return self.truths[i] - vector(self.functions.phi(self.X[i], self.rival_of(slot)), self.size)

    def _rivals(self, w, i: int) -> Rivals:
        """The rivals that may be the best one."""
        x, y = self.X[i], self.y[i]
        if self.functions.labels is not None:
            if i not in self.kept:
                found = self._rivals_named(i, [other for other in self.functions.labels(x) if not same(other, y)])
                if found.A.size > self.room[0]:
                    return found
                self.room[0] -= found.A.size
                self.kept[i] = found
            return self.kept[i]
        if self.functions.rival is not None:
            other = self.functions.rival(w, x, y)
            if other is not None and same(other, y):
                raise ValueError(
                    f"rival: expected the best labelling other than the truth {y!r}, got the truth itself."
                )
            return self._rivals_named(i, [] if other is None else [other])
        assert self.functions.argmax is not None
        best = self.functions.argmax(w, x)
        return self._rivals_named(i, [] if same(best, y) else [best])

    def _rivals_named(self, i: int, names: list) -> Rivals:
        x, own = self.X[i], self.truths[i]
        A = np.array([own - vector(self.functions.phi(x, other), self.size) for other in names]).reshape(
            len(names), self.size
        )
        costs = [self.functions.cost(other, self.y[i]) if self.loss else 0.0 for other in names]
        return Rivals(names, A, np.array(costs, dtype=np.float64))

    def squared_norm(self, i, slot):
        """|a|^2."""
        a = self._vector(i, slot)
        return float(a @ a)

    def add(self, w, i, slot, beta):
        """Add beta a to w."""
        w += beta * self._vector(i, slot)

    def record(self, dual_weights, i, slot, beta):
        """Keep the rival, and remember that beta a was added."""
        dual_weights[self.log.keep(i, slot, 1)] += beta

    def w_changed(self, w):
        """No scores are kept."""

    def _number(self, labelling: Any) -> int:
        key = labelling.tobytes() if isinstance(labelling, np.ndarray) else repr(labelling)
        number = self.numbers.setdefault(key, len(self.labellings))
        if number == len(self.labellings):
            self.labellings.append(labelling)
        return number

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors of the entries of ``log``."""
        rivals = [self.labellings[number] for number in log.label[log.begin[:-1]]]
        for entry, (i, rival) in enumerate(zip(log.example, rivals, strict=True)):
            for part in (self.truths[i], -vector(self.functions.phi(self.X[i], rival), self.size)):
                index = np.flatnonzero(part)
                yield SparseVectors(np.full(index.size, entry), index, part[index])

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        lengths = [float(np.linalg.norm(own)) + self._longest(w, i) for i, own in enumerate(self.truths)]
        return (self.size + 4) * U * float(np.linalg.norm(w)) * np.array(lengths)

    def norm_bound(self) -> float:
        """The length of the longest vector; infinite where the labels are not listed."""
        if self.functions.labels is None:
            return math.inf
        return max((self._longest(np.zeros(self.size), i) for i in range(len(self.X))), default=0.0)

    def _longest(self, w: np.ndarray, i: int) -> float:
        A = self._rivals(w, i).A
        return math.sqrt(np.einsum("ij,ij->i", A, A).max(initial=0.0))

    def score_bounds(self, w: np.ndarray) -> np.ndarray:
        """Nothing is known of rivals that an argmax does not return."""
        return np.array([-math.inf])


def vector(found: Any, size: int | None = None) -> np.ndarray:
    """What phi returns, as an array of float64."""
    full = np.asarray(found.toarray() if sp.issparse(found) else found)
    if full.dtype.kind == "c":
        raise ValueError("phi: expected real numbers, got complex ones.")
    full = full.astype(np.float64, copy=False).ravel()
    bad = first_unusable(full)
    if bad >= 0:
        raise ValueError(f"phi: number {bad}: {say_unusable(full[bad])}")
    if size is not None and full.size != size:
        raise ValueError(f"phi: expected {size} numbers as before, got {full.size}.")
    return full


def same(one: Any, other: Any) -> bool:
    """Whether two labellings are equal; arrays too.

    >>> same("ab", "ab"), same(np.array([1, 2]), [1, 3]), same((1, 2), (1, 2))
    (True, False, True)
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return bool(one == other)
