"""Differences: halved differences of the two classes, for a hyperplane with a free bias.

The hulls of the two classes are apart iff 0 lies outside the set of their differences, and half their
distance is the largest margin with a free bias (C10). With mirrored rows ``m_i = sign_i x_i`` a halved
difference is the mean of two of them, ``(m_i + m_r) / 2``, with i and r of different classes.

Set i is row i with every row of the other class. Its lowest vector needs the lowest row of that class,
the *rival*. Rivals are found on the way: a row that scores lower than the rival of its own class takes
its place. After one full pass without an update both are the lowest rows there are, and whichever of
the two came last was compared with the other: the lowest difference of all has been looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import component
from .points import Dense, Sparse


@component
class Differences(NamedTuple):
    """Row i against the rival of the other class.

    The rivals are copied into ``rivals`` (their part of the data may be elsewhere by the time they are
    needed): the one of class ``sign`` into row ``1 + sign``, 0 or 2. The slot of a vector is the row of its rival.
    """

    LABELLINGS, BATCH = False, False  # the rival of a row is known only after the pass
    rows: Dense | Sparse  # with bias 0
    sign: np.ndarray  # of `rows`, as are the next two
    weight: np.ndarray
    first: int
    rivals: Dense | Sparse  # of the same kind
    score: np.ndarray  # <w, m> of the rivals
    number: np.ndarray  # their row numbers; -1 for one that is not of this training set

    certified = property(lambda self: self.rows)  # a certificate names rows, not pairs of them
    label = property(lambda self: self.sign)
    slots = 1
    size = property(lambda self: self.rows.size)
    bias_kind = "free"

    def lowest(self, w, i):
        """<w, a_i>; row i may become the rival of its class."""
        p, _ = self.rows.lowest(w, i)
        own = 1 + self.sign[i]
        if p < self.score[own]:
            self.score[own] = p
            self.number[own] = self.first + i
            self.rivals.copy_row(own, self.rows, i)
        return 0.5 * (p + self.score[2 - own]), 2 - own

    def squared_norm(self, i, slot):
        """|a_i|^2, from the difference itself: the squares of two far rows would cancel."""
        return 0.25 * self.rows.squared_distance(i, self.rivals, slot)

    def add(self, w, i, slot, beta):
        """Add beta a_i to w."""
        self.rows.add(w, i, 0, 0.5 * beta)
        self.rivals.add(w, slot, 0, 0.5 * beta)

    def record(self, dual_weights, i, slot, beta):
        """Half of beta belongs to the row, half to its rival."""
        dual_weights[self.first + i] += 0.5 * beta
        if self.number[slot] >= 0:
            dual_weights[self.number[slot]] += 0.5 * beta

    def w_changed(self, w):
        """Score the rivals anew."""
        self.score[0] = self.rivals.lowest(w, 0)[0]
        self.score[2] = self.rivals.lowest(w, 2)[0]

    def as_matrix(self, w: np.ndarray) -> np.ndarray:
        """w as users see it: it is itself."""
        return w

    def as_vector(self, w: np.ndarray) -> np.ndarray:
        """w as the kernels hold it."""
        return np.array(w, dtype=np.float64)
