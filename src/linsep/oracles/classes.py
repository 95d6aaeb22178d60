r"""Classes: a row of class y against its best rival, for the linear machine (D1).

The machine decides for the class of the largest :math:`\langle w_k, (x, 1)\rangle`. Row i of class y asks for
:math:`\langle w_y - w_k, (x_i, 1)\rangle > 0` for every other class k: Kesler's construction turns each of these
into a vector ``a`` with ``(x, 1)`` in the place of y, ``-(x, 1)`` in the place of k and 0 elsewhere. Set i holds
these K - 1 vectors, and its lowest one belongs to the *rival*, the best class besides y. No vector is ever built:
an update adds the row to one class and takes it from another.

``w`` holds K weight vectors in one flat array, in the order that the rows read fastest: one class after the
other for dense rows, one column after the other for sparse ones (`as_vector` and `as_matrix` translate).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import component, read_only
from ..validation import as_rows, as_vector, require_finite
from .points import Dense, Sparse, rows_oracle


@component
class Classes(NamedTuple):
    """Row i against the best of the other classes; the slot of a vector is its rival k."""

    rows: Dense | Sparse
    label: np.ndarray  # n of int32: the class of a row, 0 ... K-1
    sign: np.ndarray  # n of int8, all 1: differences have no sign
    weight: np.ndarray  # of `rows`, as is `first`
    first: int
    score: np.ndarray  # K of float64: room for the scores of a row

    @property
    def certified(self) -> Classes:
        """The oracle whose vectors a certificate names: with the rows as they are."""
        return self._replace(rows=self.rows.certified)

    @property
    def slots(self) -> int:
        """Places of a row in `dual_weights`: one per class."""
        return self.score.size

    @property
    def size(self) -> int:
        """How many numbers w has."""
        return self.slots * (self.rows.width + 1)

    @property
    def bias_kind(self) -> str:
        """Which margin the rows are about."""
        return "augmented" if self.rows.bias else "none"

    def lowest(self, w, i):
        """<w, a_i> = the score of the row's own class less its rival's; a tie between rivals goes to the first."""
        self.rows.class_scores(w, i, self.score)
        own = self.label[i]
        rival = 1 if own == 0 else 0
        for k in range(rival + 1, self.score.size):
            if k != own and self.score[k] > self.score[rival]:
                rival = k
        return self.score[own] - self.score[rival], rival

    def squared_norm(self, i, slot):
        """|a_i|^2: the row counts twice."""
        return 2.0 * self.rows.squared_norm(i, 0)

    def score_and_norm(self, w, i):
        """<w, a_i> and |a_i|^2 of the best rival."""
        wa, slot = self.lowest(w, i)
        return wa, self.squared_norm(i, slot)

    def fetch_ahead(self, i):
        """Row i will be visited soon."""
        self.rows.fetch_ahead(i)

    def add(self, w, i, slot, beta):
        """Add beta a_i to w: only two classes are touched."""
        self.rows.add_to_class(w, i, self.label[i], self.score.size, beta)
        self.rows.add_to_class(w, i, slot, self.score.size, -beta)

    def record(self, dual_weights, i, slot, beta):
        """Remember that beta a_i was added; a row has K places, one per rival."""
        dual_weights[(self.first + i) * self.score.size + slot] += beta

    def w_changed(self, w):
        """No scores are kept."""

    def as_matrix(self, w: np.ndarray) -> np.ndarray:
        """W with one row per class, from w as the kernels hold it."""
        if self.rows.CLASS_BY_CLASS or w.size == 0:
            return w.reshape(self.slots, -1)
        return np.ascontiguousarray(w.reshape(-1, self.slots).T)

    def as_vector(self, w: np.ndarray) -> np.ndarray:
        """w as the kernels hold it, from a matrix with one row per class; a vector is taken as it is."""
        ordered = w if w.ndim < 2 or self.rows.CLASS_BY_CLASS else w.T
        return np.array(ordered, dtype=np.float64, order="C").ravel()

    def with_bias(self, bias: float) -> Classes:
        """The same rows augmented by ``bias``."""
        return self._replace(rows=self.rows.with_bias(bias))

    def vectors(self, places: np.ndarray) -> np.ndarray:
        """Kesler's vectors: the row in the place of its class, mirrored in the place of the rival."""
        first, last = self.first * self.slots, (self.first + self.sign.size) * self.slots
        rows, rivals = np.divmod(places[(places >= first) & (places < last)], self.slots)
        X, every = self.rows.vectors(rows), np.arange(rows.size)
        full = np.zeros((rows.size, self.slots, X.shape[1]))
        full[every, self.label[rows - self.first]] = X
        full[every, rivals] = -X
        return full.reshape(rows.size, -1)

    def present_places(self) -> np.ndarray:
        """Which places of `dual_weights` stand for a vector: the other classes, if the row's weight is not 0."""
        places = np.ones((self.label.size, self.slots), dtype=bool)
        places[np.arange(self.label.size), self.label] = False
        if self.weight.size:
            places[self.weight == 0] = False
        return places.ravel()


def classes(X, label, count: int, weight=None, bias: float = 1.0, first: int = 0) -> Classes:
    """Rows of X against the best rival of their class; ``label`` counts the classes 0, 1, ..., ``count`` - 1.

    >>> a = classes(np.array([[1.0, 2.0], [3.0, 4.0]]), [0, 2], 3)
    >>> w = a.as_vector(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, -1.0]]))  # one row per class, bias last
    >>> float(a.lowest(w, 0)[0]), a.lowest(w, 1)  # 3 - 3; 7 - 7, the rival is class 0
    (0.0, (np.float64(0.0), 0))
    >>> a.add(w, 1, 0, 0.5)
    >>> a.as_matrix(w)
    array([[-0.5, -1. , -0.5],
           [ 0. ,  1. ,  0. ],
           [ 1.5,  4. , -0.5]])
    """
    X = as_rows(X)
    require_finite(X)
    label = as_vector(label, X.shape[0], "label", np.int32)
    if count < 2:
        raise ValueError(f"classes: expected two classes or more, got {count}.")
    if label.size and not (label.min() >= 0 and label.max() < count):
        raise ValueError(f"classes: expected labels 0 ... {count - 1}, got {label.min()} ... {label.max()}.")
    return against_rivals(rows_oracle(X, np.ones(label.size, dtype=np.int8), weight, bias, first), label, count)


def against_rivals(rows: Any, label: np.ndarray, count: int) -> Classes:
    """`classes` of rows, their signs all 1, and labels that have been checked already."""
    return Classes(rows, read_only(label), rows.sign, rows.weight, rows.first, np.zeros(count))
