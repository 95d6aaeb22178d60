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

from .points import Dense, Sparse


class Differences(NamedTuple):
    """Row i against the other class's rival.

    The rivals are copied into ``slots`` (their part of the data may be elsewhere by the time they are
    needed): the one of class ``sign`` into slot ``1 + sign``, 0 or 2.
    """

    rows: Dense | Sparse  # with bias 0
    slots: Dense | Sparse  # of the same kind
    score: np.ndarray  # <w, m> of the rivals, by slot
    row: np.ndarray  # their row numbers, by slot; -1 for one that is not of this training set

    def probe(self, w, i):
        """<w, a_i>; row i may become the rival of its class."""
        p = self.rows.probe(w, i)
        own = 1 + self.rows.sign[i]
        if p < self.score[own]:
            self.score[own] = p
            self.row[own] = self.rows.first + i
            self.slots.store(own, self.rows, i)
        return 0.5 * (p + self.score[2 - own])

    def square(self, i):
        """|a_i|^2, from the difference itself: the squares of two far rows would cancel."""
        return 0.25 * self.rows.gap(i, self.slots, 1 - self.rows.sign[i])

    def add(self, w, i, beta):
        """Add beta a_i to w."""
        self.rows.add(w, i, 0.5 * beta)
        self.slots.add(w, 1 - self.rows.sign[i], 0.5 * beta)

    def credit(self, dual, i, beta):
        """Half of beta is the row's, half its rival's."""
        dual[self.rows.first + i] += 0.5 * beta
        rival = self.row[1 - self.rows.sign[i]]
        if rival >= 0:
            dual[rival] += 0.5 * beta

    def settle(self, w):
        """w has changed: score the rivals anew."""
        self.score[0] = self.slots.probe(w, 0)
        self.score[2] = self.slots.probe(w, 2)

    def cost(self, i):
        """The weight of row i."""
        return self.rows.cost(i)
