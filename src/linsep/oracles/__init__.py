"""Oracles: WHAT is to be separated. Each knows sets of vectors and finds the lowest one along w.

``points``, ``differences`` and ``classes`` make oracles of arrays and CSR matrices, in place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from .classes import Classes, Versus
from .differences import Differences
from .ellipsoids import Ellipsoids
from .points import Dense, Sparse

__all__ = ["Classes", "Dense", "Differences", "Ellipsoids", "Sparse", "Versus"]
__all__ += ["classes", "differences", "ellipsoids", "flat", "points", "rows_of", "shaped"]


def rows_of(part: Dense | Sparse | Differences | Classes) -> Dense | Sparse:
    """The rows behind an oracle."""
    return part.rows if isinstance(part, Differences | Classes) else part


def _frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view: one compiled text serves writable arrays and read-only memmaps alike."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def points(X, sign, weight=None, bias: float = 1.0, first: int = 0) -> Dense | Sparse:
    """Rows of X, mirrored by ``sign`` and augmented by ``bias``, without a copy.

    >>> a = points(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))
    >>> w = np.array([1.0, 1.0, 0.5])
    >>> float(a.probe(w, 0)), float(a.probe(w, 1))
    (3.5, -7.5)
    """
    sign = _frozen(np.asarray(sign, dtype=np.int8))
    weight = _frozen(np.zeros(0) if weight is None else np.ascontiguousarray(weight, dtype=np.float64))
    if sp.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:  # unsorted or doubled entries: this one case needs a copy
            X = X.copy()
            X.sum_duplicates()
        parts = _frozen(X.data), _frozen(X.indices), _frozen(X.indptr)
        return Sparse(*parts, sign, weight, float(bias), int(first), int(X.shape[1]))
    return Dense(_frozen(np.ascontiguousarray(X)), sign, weight, float(bias), int(first))


def ellipsoids(means, low, deviation, radius, sign, weight=None, bias: float = 1.0, first: int = 0) -> Ellipsoids:
    """The ellipsoids of Gaussians with covariances ``low' low + diag(deviation)^2``; ``radius`` is one number or k.

    >>> discs = ellipsoids(np.array([[3.0, 0.0]]), np.eye(2)[None], np.zeros((1, 0)), 2.0, [-1])
    >>> float(discs.probe(np.array([-1.0, 0.0, 0.5]), 0))  # 3 - 0.5, less the radius
    0.5
    """
    means = np.ascontiguousarray(means, dtype=np.float64)
    k, d = means.shape
    parts = [np.ascontiguousarray(part, dtype=np.float64) for part in (low, deviation)]
    radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), k))
    weight = np.zeros(0) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    sign = _frozen(np.asarray(sign, dtype=np.int8))
    return Ellipsoids(
        _frozen(means), _frozen(parts[0]), _frozen(parts[1]), _frozen(radii), sign, _frozen(weight), float(bias),
        int(first), int(d), np.zeros(d),
    )  # fmt: skip


def classes(X, label, count: int, weight=None, bias: float = 1.0, first: int = 0) -> Classes:
    """Rows of X against the best rival of their class; ``label`` counts the classes 0, 1, ..., ``count`` - 1.

    >>> a = classes(np.array([[1.0, 2.0], [3.0, 4.0]]), [0, 2], 3)
    >>> w = flat(a, np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, -1.0]]))  # a row a class, its bias last
    >>> float(a.probe(w, 0)), float(a.probe(w, 1))                                   # 3 - 3 and 7 - 7
    (0.0, 0.0)
    >>> a.add(w, 1, 0.5)
    >>> shaped(a, w)
    array([[-0.5, -1. , -0.5],
           [ 0. ,  1. ,  0. ],
           [ 1.5,  4. , -0.5]])
    """
    label = np.ascontiguousarray(label, dtype=np.int32)
    if count < 2:
        raise ValueError(f"classes: two classes at least are needed, not {count}.")
    if label.size and not (label.min() >= 0 and label.max() < count):
        raise ValueError(f"classes: labels must be 0 ... {count - 1}, not {label.min()} ... {label.max()}.")
    rows = points(X, np.ones(label.size, dtype=np.int8), weight, bias, first)
    return Classes(rows, _frozen(label), np.zeros(count), np.zeros(1, dtype=np.int64))


def flat(part, W: np.ndarray) -> np.ndarray:
    """w as the kernels hold it, from a matrix with one row a class (its bias last); a vector is itself."""
    if not isinstance(part, Classes) or W.ndim < 2:
        return np.array(W, dtype=np.float64)
    return np.array(W if isinstance(part.rows, Dense) else W.T, dtype=np.float64, order="C").ravel()


def shaped(part, w: np.ndarray) -> np.ndarray:
    """The matrix with one row a class, from w as the kernels hold it; without classes w is itself."""
    if not isinstance(part, Classes) or w.size == 0:
        return w
    count = part.score.size
    return w.reshape(count, -1) if isinstance(part.rows, Dense) else np.ascontiguousarray(w.reshape(-1, count).T)


def differences(parts: Sequence[Dense | Sparse], seen: Dense | Sparse | None = None) -> list[Differences]:
    """Halved differences of the classes in ``parts`` (rows with bias 0), which share their rivals.

    ``seen``, the slots of earlier differences, hands on their rivals: learning can go on with other rows.
    """
    seen = None if seen is None else _like(parts[0], seen)
    slots = _slots(parts if seen is None else [*parts, seen])
    score, row = np.full(3, np.inf), np.full(3, -1)
    for sign in (-1, 1):
        if seen is not None:
            slots.store(1 + sign, seen, 1 + sign)
            continue
        found = next(((part, i) for part in parts for i in _live(part, sign)[:1]), None)
        if found is None:
            raise ValueError("differences: both classes are needed, one of them has no row.")
        part, i = found
        slots.store(1 + sign, part, i)
        row[1 + sign] = part.first + i
    return [Differences(part, slots, score, row) for part in parts]


def _live(part: Dense | Sparse, sign: int) -> np.ndarray:
    """The rows of one class that weigh anything."""
    return np.flatnonzero((part.sign == sign) & (part.weight > 0 if part.weight.size else True))


def _slots(parts: Sequence[Dense | Sparse]) -> Dense | Sparse:
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
