"""Sequences as users have them, read into features of positions: arrays, sparse matrices, names, or columns of strings.

Whatever the form, the answer is where each sequence begins, and `Features`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, pairwise
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...oracles.sequences import Features, features
from .._base import listed
from .templates import Templates

FEW = 0.3  # a dense block with fewer entries than this is read as a sparse one
KINDS = (np.float64, np.float32, np.uint8)  # of dense columns, read as they are


class Read(NamedTuple):
    """Sequences: where each begins, and what is known of every position."""

    begin: np.ndarray
    x: Features


class Reader:
    """Knows what the columns or features of a position are; those of other data are read in the same way."""

    def __init__(self, templates: Templates | None = None):
        self.templates = templates
        self.numbers: dict[Any, int] | None = None  # of names
        self.width = 0

    def learn(self, X: Sequence) -> Read:
        """Read training data, and remember their features."""
        self.numbers = None
        return self._read(X, learn=True)

    def learn_more(self, X: Sequence) -> Read:
        """Read more training data; names never seen are new features, other features stay as they are."""
        return self._read(X, learn=self.numbers is not None)

    def apply(self, X: Sequence) -> Read:
        """Read other data; a name never seen in training is ignored."""
        return self._read(X, learn=False)

    def name(self, feature: int) -> str:
        """What a feature is called; a column by its number."""
        if self.templates is not None:
            return self.templates.name(feature)
        return str(self._names()[feature]) if self.numbers is not None else f"x{feature}"

    def _names(self) -> list:
        assert self.numbers is not None
        return list(self.numbers)

    def _read(self, X: Sequence, learn: bool) -> Read:
        listed(X, "X", "sequences")
        if len(X) == 0:
            raise ValueError("X is empty: one sequence at least is wanted.")
        lengths = [x.shape[0] if hasattr(x, "shape") and len(x.shape) else _length(x, i) for i, x in enumerate(X)]
        if 0 in lengths:
            raise ValueError(f"X: sequence {lengths.index(0)} is empty; every sequence has one position at least.")
        begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        kind = "columns" if self.templates is not None else _kind(X[0])
        if learn and self.width == 0 and kind == "names":
            self.numbers = {}
        elif self.templates is None and (kind == "names") != (self.numbers is not None):
            saw = "names" if self.numbers is not None else "arrays"
            raise ValueError(f"X holds {kind}, but learning saw {saw}. A single sequence is given as [X].")
        x = {"columns": self._columns, "names": self._named, "sparse": self._sparse, "dense": self._dense}[kind](
            X, begin, learn
        )
        if learn:
            self.width = x.width
        return Read(begin, x)

    def _columns(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        assert self.templates is not None
        indptr, indices = self.templates.fit(X) if learn else self.templates.transform(X)
        return features((indptr, indices), width=self.templates.width)

    def _dense(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        arrays = [np.asarray(x) for x in X]
        for i, x in enumerate(arrays):
            if x.ndim != 2:
                raise ValueError(
                    f"X: sequence {i} has {x.ndim} dimension{'s' * (x.ndim != 1)}, length x columns is wanted."
                )
            self._check_width(x.shape[1], arrays[0].shape[1], i, learn)
        block = np.concatenate(arrays) if len(arrays) > 1 else arrays[0]
        if block.dtype == bool:
            block = block.view(np.uint8)
        if block.dtype not in KINDS:
            if not (np.issubdtype(block.dtype, np.number) and np.isrealobj(block)):
                raise ValueError(f"X: numbers are wanted in an array, not {block.dtype}.")
            block = block.astype(np.float64)
        if block.dtype != np.uint8 and not np.isfinite(block).all():
            t, j = (int(at[0]) for at in np.nonzero(~np.isfinite(block)))
            raise ValueError(f"X: {_place(begin, t)}, column {j} is {block[t, j]}; finite numbers are wanted.")
        few = np.count_nonzero(block) < FEW * block.size
        return features(sp.csr_array(block)) if few else features(dense=block)

    def _sparse(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        for i, x in enumerate(X):
            if not sp.issparse(x):
                raise ValueError(f"X: sequence {i} is no sparse matrix, but sequence 0 is one.")
            self._check_width(x.shape[1], X[0].shape[1], i, learn)
        block = sp.csr_array(sp.vstack(X, format="csr"))
        if not np.isfinite(block.data).all():
            bad = int(np.flatnonzero(~np.isfinite(block.data))[0])
            t = int(np.searchsorted(block.indptr, bad, side="right")) - 1
            raise ValueError(
                f"X: {_place(begin, t)}, column {block.indices[bad]} is {block.data[bad]}; finite numbers are wanted."
            )
        return features(block)

    def _check_width(self, found: int, first: int, i: int, learn: bool) -> None:
        wanted = first if learn else self.width
        if found != wanted:
            raise ValueError(f"X: sequence {i} has {found} columns, {wanted} are wanted.")

    def _named(self, X: Sequence, begin: np.ndarray, learn: bool) -> Features:
        positions = list(chain.from_iterable(X))
        first = positions[0]
        values: list[float] | None = None
        if isinstance(first, dict):
            pairs = [list(_entries(position, t, begin)) for t, position in enumerate(positions)]
            sizes, names = list(map(len, pairs)), [name for pair in pairs for name, _ in pair]
            values = [value for pair in pairs for _, value in pair]
        elif isinstance(first, list | tuple | set | frozenset):
            sizes, names = list(map(len, positions)), list(chain.from_iterable(positions))
        else:  # a name alone
            sizes, names = [1] * len(positions), positions
        numbers = self.numbers
        assert numbers is not None
        try:
            if learn:
                for name in dict.fromkeys(names):
                    numbers.setdefault(name, len(numbers))
            indices = np.fromiter((numbers.get(name, -1) for name in names), dtype=np.int32, count=len(names))
        except TypeError:
            raise TypeError(
                "X: a position is a dictionary, a list of names, or a name; a name can be hashed."
            ) from None
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        known = indices >= 0
        if not known.all():
            indptr = np.concatenate([[0], np.cumsum(known)])[indptr]
        weights = np.zeros(0) if values is None or set(values) == {1.0} else np.array(values)[known]
        if not np.isfinite(weights).all():
            bad = int(np.flatnonzero(~np.isfinite(weights))[0])
            t = int(np.searchsorted(indptr, bad, side="right")) - 1
            raise ValueError(
                f"X: {_place(begin, t)}: a feature has the value {weights[bad]}; finite numbers are wanted."
            )
        return features((indptr, indices[known], weights), width=len(numbers))


def _length(x: Any, i: int) -> int:
    if not hasattr(x, "__len__"):
        raise TypeError(f"X: sequence {i} is {x!r}; an array, a sparse matrix, or a list of positions is wanted.")
    return len(x)


def _kind(x: Any) -> str:
    """How a sequence is written."""
    if sp.issparse(x):
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


def _entries(position: Any, t: int, begin: np.ndarray) -> Iterable[tuple[str, float]]:
    """The features of a dictionary, as sklearn-crfsuite reads them: a string is part of the name, a number a value."""
    if not isinstance(position, dict):
        raise TypeError(f"X: {_place(begin, t)} is {position!r}, but the first position is a dictionary.")
    for name, value in position.items():
        if isinstance(value, str):
            yield f"{name}:{value}", 1.0
        elif isinstance(value, Number | np.bool_):
            yield name, float(value)  # type: ignore[arg-type]
        elif isinstance(value, list | tuple | set | frozenset):
            yield from ((f"{name}:{each}", 1.0) for each in value)
        else:
            raise TypeError(f"X: {_place(begin, t)}: {name!r} is {value!r}; a string, a number or a list is wanted.")


def flat_labels(y: Sequence, begin: np.ndarray, name: str = "y") -> list:
    """The labels of all positions, one after the other; lengths are checked."""
    listed(y, name, "lists of labels")
    if len(y) != begin.size - 1:
        raise ValueError(f"X has {begin.size - 1} sequences, but {name} {len(y)}: as many are wanted.")
    for i, (length, labels) in enumerate(zip(np.diff(begin).tolist(), y, strict=True)):
        if not hasattr(labels, "__len__"):
            raise TypeError(
                f"{name}: sequence {i} has the label {labels}, where a list of {length} labels is wanted, one a "
                "position. A single sequence is given as [X], [y]."
            )
        if len(labels) != length:
            raise ValueError(f"{name}: sequence {i} has {len(labels)} labels, but X has {length} positions there.")
    return [label for labels in y for label in (labels.tolist() if isinstance(labels, np.ndarray) else labels)]


def sorted_labels(labels: Iterable) -> np.ndarray:
    """The different labels as an array, sorted if they can be."""
    found = list(dict.fromkeys(labels))
    with suppress(TypeError):
        found = sorted(found)
    kinds = {type(label) for label in found}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(found)
    out = np.empty(len(found), dtype=object)
    out[:] = found
    return out


def cut(values: np.ndarray, begin: np.ndarray) -> list[np.ndarray]:
    """One array a sequence."""
    return [values[a:b] for a, b in pairwise(begin.tolist())]


def in_threads(work: Callable[[np.ndarray], None], n: int, jobs: int) -> None:
    """``work`` on the numbers 0 ... n - 1, cut into runs, by as many threads; the kernels release the GIL."""
    runs = [run for run in np.array_split(np.arange(n), jobs) if run.size]
    if len(runs) == 1:
        work(runs[0])
        return
    with ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(work, runs))
