r"""Classes: a row of class y against its best rival, for the linear machine (D1).

The machine decides for the class of the largest :math:`\langle w_k, (x, 1)\rangle`. Row i of class y asks for
:math:`\langle w_y - w_k, (x_i, 1)\rangle > 0` for every other class k: Kesler's construction turns each of these
into a vector ``a`` with ``(x, 1)`` in the place of y, ``-(x, 1)`` in the place of k and 0 elsewhere. Set i holds
these K - 1 vectors, and its lowest one belongs to the *rival*, the best class besides y. No vector is ever built:
an update adds the row to one class and takes it from another.

``w`` holds K weight vectors in one flat array, in the order that the rows read fastest: one class after the
other for dense rows, one column after the other for sparse ones (`flat` and `shaped` translate).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .points import Dense, Sparse


class Classes(NamedTuple):
    """Row i against the best of the other classes."""

    rows: Dense | Sparse
    label: np.ndarray  # n of int32: the class of a row, 0 ... K-1
    score: np.ndarray  # K of float64: the scores of the row probed last
    rival: np.ndarray  # 1 of int64: its rival

    def probe(self, w, i):
        """<w, a_i> = the score of the row's own class less its rival's; a tie between rivals goes to the first."""
        self.rows.profile(w, i, self.score)
        own = self.label[i]
        rival = 1 if own == 0 else 0
        for k in range(rival + 1, self.score.size):
            if k != own and self.score[k] > self.score[rival]:
                rival = k
        self.rival[0] = rival
        return self.score[own] - self.score[rival]

    def square(self, i):
        """|a_i|^2: the row counts twice."""
        return 2.0 * self.rows.square(i)

    def add(self, w, i, beta):
        """Add beta a_i to w: only two classes are touched."""
        self.rows.spread(w, i, self.label[i], self.score.size, beta)
        self.rows.spread(w, i, self.rival[0], self.score.size, -beta)

    def credit(self, dual, i, beta):
        """Remember that beta a_i was added; a row has K places, one a rival."""
        dual[(self.rows.first + i) * self.score.size + self.rival[0]] += beta

    def recall(self, dual, i, total):
        """Add what ``dual`` holds of set i to ``total``; returns the sum of the lengths."""
        mass = 0.0
        for k in range(self.score.size):
            beta = dual[(self.rows.first + i) * self.score.size + k]
            if beta != 0.0:
                self.rows.spread(total, i, self.label[i], self.score.size, beta)
                self.rows.spread(total, i, k, self.score.size, -beta)
                mass += beta
        return mass * np.sqrt(self.square(i)) if mass != 0.0 else 0.0

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of row i."""
        return self.rows.cost(i)

    def side(self, i):
        """All vectors are on one side: differences know no sign."""
        return 1


class Versus(NamedTuple):
    """Row i, mirrored unless it is of class k: one of K two-class problems on the same rows (D2).

    All K scores of a row are written into ``score`` beforehand, so that a probe costs nothing.
    """

    rows: Dense | Sparse
    label: np.ndarray
    score: np.ndarray
    k: int

    def probe(self, w, i):
        """<w, a_i>, of the row that was scored last."""
        return self.side(i) * self.score[self.k]

    def square(self, i):
        """<a_i, a_i>."""
        return self.rows.square(i)

    def add(self, w, i, beta):
        """Add beta a_i to w, the weights of problem k alone."""
        self.rows.spread(w, i, 0, 1, beta * self.side(i))

    def credit(self, dual, i, beta):
        """Remember that beta a_i was added."""
        dual[self.rows.first + i] += beta

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of row i."""
        return self.rows.cost(i)

    def side(self, i):
        """The side of row i, +1 or -1."""
        return 1 if self.label[i] == self.k else -1
