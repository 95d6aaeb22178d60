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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..jit import component
from .points import Dense, Sparse, rows_oracle


@component(BATCH=False, slots=1, bias_kind="free")  # the rival of a row is known only after the pass
class Differences(NamedTuple):
    """Row i against the rival of the other class.

    The rivals are copied into ``rivals`` (their part of the data may be elsewhere by the time they are
    needed): the one of class ``sign`` into row ``1 + sign``, 0 or 2. The slot of a vector is the row of its rival.
    """

    rows: Dense | Sparse  # with bias 0
    sign: np.ndarray  # of `rows`, as are the next two
    weight: np.ndarray
    first: int
    rivals: Dense | Sparse  # of the same kind
    score: np.ndarray  # <w, m> of the rivals
    number: np.ndarray  # their row numbers; -1 for one that is not of this training set

    @property
    def certified(self) -> Dense | Sparse:
        """A certificate names rows, not pairs of them."""
        return self.rows

    @property
    def label(self) -> np.ndarray:
        """The class of a row."""
        return self.sign

    @property
    def size(self) -> int:
        """How many numbers w has."""
        return self.rows.width + 1

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
        """Score the rivals again."""
        self.score[0] = self.rivals.lowest(w, 0)[0]
        self.score[2] = self.rivals.lowest(w, 2)[0]

    def as_matrix(self, w: np.ndarray) -> np.ndarray:
        """w as users see it: it is itself."""
        return w

    def as_vector(self, w: np.ndarray) -> np.ndarray:
        """w as the kernels hold it."""
        return np.array(w, dtype=np.float64)


def differences(parts: Sequence[Dense | Sparse], seen: Dense | Sparse | None = None) -> list[Differences]:
    """Halved differences of the classes in ``parts`` (rows with bias 0), which share their rivals.

    ``seen``, the rivals of earlier differences or some row, are taken over: learning can go on with other rows.
    """
    if any(part.bias for part in parts):
        raise ValueError("differences: expected rows with bias 0.")
    seen = None if seen is None else _like(parts[0], seen)
    rivals = _room_for_rivals(parts if seen is None else [*parts, seen])
    score, number = np.full(3, np.inf), np.full(3, -1)
    for sign in (-1, 1):
        known = np.zeros(0, int) if seen is None else np.flatnonzero(seen.sign == sign)
        if seen is not None and known.size:
            rivals.copy_row(1 + sign, seen, known[0])
            continue
        found = next(((part, i) for part in parts for i in _present(part, sign)[:1]), None)
        if found is None:
            raise ValueError("differences: expected rows of two classes, got rows of one.")
        part, i = found
        rivals.copy_row(1 + sign, part, i)
        number[1 + sign] = part.first + i
    return [Differences(part, part.sign, part.weight, part.first, rivals, score, number) for part in parts]


def _present(part: Dense | Sparse, sign: int) -> np.ndarray:
    """The rows of one class whose weight is not 0."""
    return np.flatnonzero((part.sign == sign) & (part.weight > 0 if part.weight.size else True))


def _room_for_rivals(parts: Sequence[Dense | Sparse]) -> Dense | Sparse:
    """Room for two rows, 0 and 2, of any of ``parts``; of the kind of the first one."""
    sign, weight = np.array([-1, 0, 1], dtype=np.int8), np.zeros(0)
    one = parts[0]
    if isinstance(one, Dense):
        kind = np.result_type(*(part.X for part in parts if isinstance(part, Dense)))
        return Dense(np.zeros((3, one.X.shape[1]), kind), sign, weight, 0.0, 0)
    some = [part for part in parts if isinstance(part, Sparse)]
    room = max(int(np.diff(part.indptr).max(initial=0)) for part in some)
    indptr = np.array([0, 0, room, room], dtype=one.indptr.dtype)
    data = np.zeros(2 * room, np.result_type(*(part.data for part in some)))
    return Sparse(data, np.zeros(2 * room, one.indices.dtype), indptr, sign, weight, 0.0, 0, one.width)


def _like(one: Dense | Sparse, slots: Dense | Sparse) -> Dense | Sparse:
    """The rows of ``slots`` as rows of the kind of ``one``."""
    if isinstance(one, Dense) and isinstance(slots, Sparse):
        X = sp.csr_array((slots.data, slots.indices, slots.indptr), shape=(slots.sign.size, slots.width)).toarray()
        return Dense(X, slots.sign, slots.weight, 0.0, 0)
    if isinstance(one, Sparse) and isinstance(slots, Dense):
        return rows_oracle(sp.csr_array(slots.X), slots.sign, bias=0.0)
    return slots
