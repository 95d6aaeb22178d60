"""Oracles: WHAT is to be separated. Each knows sets of vectors and finds the lowest one along w.

``points``, ``differences`` and ``classes`` make oracles of arrays and CSR matrices, in place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from ..jit import read_only
from .classes import Classes
from .differences import Differences
from .ellipsoids import Ellipsoids
from .points import Dense, Sparse

__all__ = ["Classes", "Dense", "Differences", "Ellipsoids", "Sparse", "classes", "differences", "ellipsoids", "points"]


def points(X, sign, weight=None, bias: float = 1.0, first: int = 0) -> Dense | Sparse:
    """Rows of X, mirrored by ``sign`` and augmented by ``bias``, without a copy.

    >>> a = points(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))
    >>> w = np.array([1.0, 1.0, 0.5])
    >>> float(a.lowest(w, 0)[0]), float(a.lowest(w, 1)[0])
    (3.5, -7.5)
    """
    sign = read_only(np.asarray(sign, dtype=np.int8))
    weight = read_only(np.zeros(0) if weight is None else np.ascontiguousarray(weight, dtype=np.float64))
    if sp.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:  # unsorted or doubled entries: this one case needs a copy
            X = X.copy()
            X.sum_duplicates()
        parts = read_only(X.data), read_only(X.indices), read_only(X.indptr)
        return Sparse(*parts, sign, weight, float(bias), int(first), int(X.shape[1]))
    return Dense(read_only(np.ascontiguousarray(X)), sign, weight, float(bias), int(first))


def ellipsoids(means, low, deviation, radius, sign, weight=None, bias: float = 1.0, first: int = 0) -> Ellipsoids:
    """The ellipsoids of Gaussians with covariances ``low' low + diag(deviation)^2``; ``radius`` is one number or k.

    >>> discs = ellipsoids(np.array([[3.0, 0.0]]), np.eye(2)[None], np.zeros((1, 0)), 2.0, [-1])
    >>> float(discs.lowest(np.array([-1.0, 0.0, 0.5]), 0)[0])  # 3 - 0.5, less the radius
    0.5
    """
    means = np.ascontiguousarray(means, dtype=np.float64)
    k, d = means.shape
    parts = [np.ascontiguousarray(part, dtype=np.float64) for part in (low, deviation)]
    radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), k))
    weight = np.zeros(0) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    sign = read_only(np.asarray(sign, dtype=np.int8))
    return Ellipsoids(
        read_only(means), read_only(parts[0]), read_only(parts[1]), read_only(radii), sign, read_only(weight), float(bias),
        int(first), int(d), np.zeros((1, d)),
    )  # fmt: skip


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
    label = np.ascontiguousarray(label, dtype=np.int32)
    if count < 2:
        raise ValueError(f"classes: expected two classes or more, got {count}.")
    if label.size and not (label.min() >= 0 and label.max() < count):
        raise ValueError(f"classes: expected labels 0 ... {count - 1}, got {label.min()} ... {label.max()}.")
    rows = points(X, np.ones(label.size, dtype=np.int8), weight, bias, first)
    return Classes(rows, read_only(label), rows.sign, rows.weight, rows.first, np.zeros(count))


def differences(parts: Sequence[Dense | Sparse], seen: Dense | Sparse | None = None) -> list[Differences]:
    """Halved differences of the classes in ``parts`` (rows with bias 0), which share their rivals.

    ``seen``, the rivals of earlier differences, are taken over: learning can go on with other rows.
    """
    seen = None if seen is None else _like(parts[0], seen)
    rivals = _room_for_rivals(parts if seen is None else [*parts, seen])
    score, number = np.full(3, np.inf), np.full(3, -1)
    for sign in (-1, 1):
        if seen is not None:
            rivals.copy_row(1 + sign, seen, 1 + sign)
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
        X = sp.csr_array((slots.data, slots.indices, slots.indptr), shape=(3, slots.width)).toarray()
        return Dense(X, slots.sign, slots.weight, 0.0, 0)
    if isinstance(one, Sparse) and isinstance(slots, Dense):
        return points(sp.csr_array(slots.X), slots.sign, bias=0.0)
    return slots
