"""Sequences as users have them, read into features of positions: arrays, sparse matrices, names, or columns of strings.

Whatever the form, the result is where each sequence begins, and `Features`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, compress, pairwise, repeat
from numbers import Number
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from ...jit import compiled
from ...oracles.sequences import Features, features
from ...validation import as_canonical_csr, require_list
from .dictionaries import PairCodes, read_dictionaries
from .templates import Templates

SPARSE = 0.3  # a dense array with a smaller share of non-zeros is kept as a sparse one
DTYPES = (np.float64, np.float32, np.uint8)  # of dense columns, read as they are


class Read(NamedTuple):
    """Sequences that were read."""

    begin: np.ndarray  # where each begins, and where the last one ends
    x: Features  # of all positions


def listed(X: Any) -> Any:
    """X with lists in the place of iterators, which could be read once only: for X itself, and for its sequences."""
    X = list(X) if isinstance(X, Iterator) else X
    if isinstance(X, list | tuple) and any(isinstance(x, Iterator) for x in X):
        return [list(x) if isinstance(x, Iterator) else x for x in X]
    return X


def without_empty(begin: np.ndarray) -> np.ndarray:
    """Where the sequences that have positions begin, and where the last one ends.

    >>> without_empty(np.array([0, 0, 3, 3, 5])).tolist()
    [0, 3, 5]
    """
    return begin[np.concatenate([[True], np.diff(begin) > 0])]


class Reader:
    """Remembers the features of the training data, and reads other data in the same way.

    Parameters
    ----------
    templates : Templates or None, default=None
        How features are made of columns of strings.
    """

    def __init__(self, templates: Templates | None = None):
        self.templates = templates
        self.numbers: dict[Any, int] | None = None  # of names
        self.width = 0

    def _check_loaded(self) -> None:
        """Of a model file: w has as many numbers as ``width`` says."""
        width = self.width if self.numbers is None else len(self.numbers)
        if (width if self.templates is None else self.templates.width) != self.width:
            raise ValueError(f"Reader: expected {self.width} features.")

    def learn(self, X: Iterable) -> Read:
        """Read training data, and remember their features."""
        self.numbers, self.width = None, 0
        return self._read(X, learn=True)

    def learn_more(self, X: Iterable) -> Read:
        """Read more training data; names never seen are new features, other features stay as they are."""
        return self._read(X, learn=self.numbers is not None)

    def apply(self, X: Iterable) -> Read:
        """Read other data; a name never seen in training is ignored."""
        return self._read(X, learn=False)

    def plain(self, X: Iterable) -> list:
        """Every sequence as an array, a sparse matrix, or for every position a list of (feature, value)."""
        if self.templates is None and self.numbers is None:
            return [x if sp.issparse(x) else np.asarray(x) for x in X]
        begin, (_, indptr, indices, values, _) = self.apply(X)
        pairs = list(zip(indices.tolist(), np.broadcast_to(values, indices.size).tolist(), strict=True))
        positions = [pairs[a:b] for a, b in pairwise(indptr.tolist())]
        return [positions[a:b] for a, b in pairwise(begin.tolist())]

    def name(self, feature: int) -> str:
        """What a feature is called; a column by its number."""
        return self.names(np.array([feature]))[feature]

    def names(self, features: np.ndarray) -> dict[int, str]:
        """What some features are called."""
        listed = [] if self.numbers is None or self.templates is not None else list(self.numbers)
        if self.templates is not None:
            return {j: self.templates.name(j) for j in features.tolist()}
        return {j: f"x{j}" if self.numbers is None else str(listed[j]) for j in features.tolist()}

    def _read(self, given: Iterable, learn: bool) -> Read:
        X = listed(given)
        require_list(X, "X", "sequences")
        if len(X) == 0:
            raise ValueError("X is empty: expected one sequence or more.")
        lengths = [x.shape[0] if hasattr(x, "shape") and len(x.shape) else _length(x, i) for i, x in enumerate(X)]
        if not any(lengths):
            raise ValueError("X: all sequences are empty: expected one position or more.")
        if 0 in lengths:
            X = list(compress(X, lengths))
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        kind = "columns" if self.templates is not None else _kind(X[0])
        if learn and self.width == 0 and kind == "names":
            self.numbers = {}
        elif self.templates is None and (kind == "names") != (self.numbers is not None):
            expected = "names" if self.numbers is not None else "arrays"
            raise ValueError(f"X: expected {expected}, as in training, got {kind}. A single sequence is given as [X].")
        read = {"columns": self._columns, "names": self._named, "sparse": self._sparse, "dense": self._dense}[kind]
        x = read(X, begin, learn)
        if learn:
            self.width = x.width
        return Read(begin, x)

    def _columns(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        assert self.templates is not None
        return features(self.templates.fit(X) if learn else self.templates.transform(X), width=self.templates.width)

    def _dense(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        arrays = [np.asarray(x) for x in X]
        for i, x in enumerate(arrays):
            if x.ndim != 2:
                raise ValueError(
                    f"X: sequence {i}: expected length x columns, got {x.ndim} dimension{'s' * (x.ndim != 1)}."
                )
            self._check_width(x.shape[1], arrays[0].shape[1], i, learn)
        block = np.concatenate(arrays) if len(arrays) > 1 else arrays[0]
        if block.dtype == bool:
            block = block.view(np.uint8)
        if block.dtype not in DTYPES:
            if not (np.issubdtype(block.dtype, np.number) and np.isrealobj(block)):
                raise ValueError(f"X: expected arrays of numbers, got {block.dtype}.")
            block = block.astype(np.float64)
        few = np.count_nonzero(block) < SPARSE * block.size
        place = partial(_place, begin)
        return (
            features(_compress(block), width=block.shape[1], place=place) if few else features(dense=block, place=place)
        )

    def _sparse(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        for i, x in enumerate(X):
            if not sp.issparse(x):
                raise ValueError(f"X: sequence {i}: expected a sparse matrix, as sequence 0, got {type(x).__name__}.")
            self._check_width(x.shape[1], X[0].shape[1], i, learn)
        block = sp.vstack([as_canonical_csr(x, f"X: sequence {i}") for i, x in enumerate(X)], format="csr")
        return features(block, place=partial(_place, begin))

    def _check_width(self, found: int, first: int, i: int, learn: bool) -> None:
        expected = first if learn else self.width
        if found != expected:
            raise ValueError(f"X: sequence {i}: expected {expected} columns, got {found}.")

    def _named(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        positions, place, numbers = list(chain.from_iterable(X)), partial(_place, begin), self.numbers
        assert numbers is not None
        if isinstance(positions[0], dict):
            codes = _CODES.get(self)
            if codes is None or codes.numbers is not numbers:
                codes = _CODES[self] = PairCodes(numbers)
            codes.learn = learn
            *x, values = read_dictionaries(positions, codes, place)
            codes.learn = False
            return features(x if values is None else (*x, values), width=len(numbers), place=place)
        sizes, names = _list_names(positions)
        try:
            for name in dict.fromkeys(names) if learn else ():
                numbers.setdefault(name, len(numbers))
            indices = np.fromiter(map(numbers.get, names, repeat(-1)), dtype=np.int32, count=len(names))
        except TypeError:
            raise TypeError(
                "X: expected names that can be hashed: a position is a dictionary, a list of names, or a name."
            ) from None
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        known = indices >= 0
        if not known.all():
            indptr = np.concatenate([[0], np.cumsum(known)])[indptr]
        return features((indptr, indices[known]), width=len(numbers))


# a cache, not a part of the reader, which is copied and saved
_CODES: WeakKeyDictionary[Reader, PairCodes] = WeakKeyDictionary()


def _compress(block: np.ndarray) -> tuple[np.ndarray, ...]:
    """The numbers that are not 0, as a CSR matrix has them: pointers, columns, and, unless all are 1, values."""
    indptr, indices = np.zeros(len(block) + 1, dtype=np.int64), np.empty(np.count_nonzero(block), dtype=np.int32)
    values = np.empty(indices.size)
    ones = _write_nonzeros(np.ascontiguousarray(block), indptr, indices, values)
    return (indptr, indices) if ones else (indptr, indices, values)


@compiled
def _write_nonzeros(block, indptr, indices, values):
    """Write what `_compress` returns; whether all values are 1."""
    count, ones = 0, True
    for t in range(block.shape[0]):
        for j in range(block.shape[1]):
            v = np.float64(block[t, j])
            if v != 0.0:  # NaN too
                indices[count], values[count] = j, v
                ones &= v == 1.0
                count += 1
        indptr[t + 1] = count
    return ones


def _list_names(positions: list) -> tuple[list[int], list]:
    """How many features each position has, and their names."""
    if isinstance(positions[0], list | tuple | set | frozenset):
        return list(map(len, positions)), list(chain.from_iterable(positions))
    return [1] * len(positions), positions  # a name alone


def _length(x: Any, i: int) -> int:
    if not hasattr(x, "__len__"):
        raise TypeError(f"X: sequence {i}: expected an array, a sparse matrix, or a list of positions, got {x!r}.")
    if isinstance(x, dict | set | frozenset):
        raise ValueError(
            f"X: sequence {i}: expected a list of positions, got {type(x).__name__}. A single sequence is given as [X]."
        )
    return len(x)


def _kind(x: Any) -> str:
    """In which form a sequence is given."""
    if sp.issparse(x):
        if x.ndim != 2:
            raise ValueError(f"X: expected sparse matrices, one row per position, got {x.ndim} dimensions.")
        return "sparse"
    if isinstance(x, np.ndarray):
        return "names" if x.ndim == 1 else "dense"
    if hasattr(x, "__array__"):
        return "dense"
    first = next(iter(x))
    numbers = isinstance(first, list | tuple) and len(first) > 0 and all(isinstance(each, Number) for each in first)
    return "dense" if numbers or isinstance(first, np.ndarray) else "names"


def _place(begin: np.ndarray, t: int) -> str:
    """Position t in words."""
    i = int(np.searchsorted(begin, t, side="right")) - 1
    return f"sequence {i}, position {t - int(begin[i])}"
