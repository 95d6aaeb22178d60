"""Rows in the parts of an engine, in place of X: checked where they are, part by part, and named by their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ..certificates.check.rows import Elsewhere as CheckedRows
from ..certificates.check.rows import by_blocks, times_power_of_two
from ..data import DataError
from ..jit import read_only
from ..oracles.classes import against_rivals
from ..oracles.elsewhere import Elsewhere, Held, Place
from ..oracles.points import rows_oracle
from ..oracles.scaled import with_metric
from ..validation import IN_PLACE, Magnitudes, as_canonical_csr, check_sparse, magnitudes, refuse_dates


class Loaded(NamedTuple):
    """A part as it was loaded, checked: rows that kernels can read, labels and weights; None for what there is not."""

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None


class Facts(NamedTuple):
    """What is known of a part here."""

    shape: tuple[int, int]
    dtype: np.dtype
    sparse: bool
    numbers: int  # stored
    longest_row: int
    least: float
    largest: float
    y: np.ndarray | None
    weight: np.ndarray | None
    head: Any  # no rows, but the names of the columns if they have some


def load_part(X: Any, y: Any, weight: Any, number: int) -> tuple[Loaded, Facts]:
    """Check a part where it is; errors name it."""
    try:
        return _load(X, y, weight)
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        raise ValueError(f"part {number}: {' '.join(str(error).split())}") from None


def load_piece(part: Any, weight: np.ndarray | None, number: int) -> tuple[Loaded, Facts]:
    """Load a part of a dataset where it is to stay, and check it; errors name it, or the files if these are wrong."""
    try:
        X, y, _ = part.load()
        return _load(X, y, weight)
    except DataError:
        raise
    except (ValueError, TypeError, OverflowError, OSError) as error:
        where = f"part {number} (rows {part.begin} to {part.end - 1})"
        raise ValueError(f"{where}: {' '.join(str(error).split())}") from None


def _load(X: Any, y: Any, weight: Any) -> tuple[Loaded, Facts]:
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"expected a matrix, got an array of {X.ndim} dimensions.")
    head = X.iloc[:0] if hasattr(X, "iloc") else None
    refuse_dates(X)
    if sp.issparse(X):
        check_sparse(X)
    X = check_array(
        X, accept_sparse="csr", dtype=list(IN_PLACE), order="C", ensure_all_finite=False, accept_large_sparse=True,
        ensure_min_samples=0, ensure_min_features=0,
    )  # fmt: skip
    X = as_canonical_csr(X) if sp.issparse(X) else X
    found = magnitudes(X.data if sp.issparse(X) else X)
    if not np.isfinite(found.largest):
        raise ValueError("X: expected finite numbers, got NaN or infinity.")
    columns = [None if each is None else np.asarray(each) for each in (y, weight)]
    for name, each in zip(("y", "sample_weight"), columns):
        if each is not None and each.shape not in ((X.shape[0],), (X.shape[0], 1)):
            raise ValueError(f"{name}: expected {X.shape[0]} rows, as X has, got shape {each.shape}.")
    labels, weights = (None if each is None else each.ravel() for each in columns)
    sparse = sp.issparse(X)
    longest = int(np.diff(X.indptr).max(initial=0)) if sparse else X.shape[1]
    numbers = int(X.data.size) if sparse else int(X.size)
    facts = Facts(X.shape, X.dtype, sparse, numbers, longest, *found, labels, weights, head)
    return Loaded(X, labels, weights), facts


def is_sparse(X: Any) -> bool:
    """Whether rows are sparse, here or in parts."""
    return X.facts[0].sparse if isinstance(X, Parted) else sp.issparse(X)


def _facts(held: tuple[Loaded, Facts]) -> Facts:
    return held[1]


def hold_rows(
    loaded: tuple[Loaded, Facts], classes: np.ndarray, weights: tuple[bool, np.ndarray | None], exponent: int,
    metric: Any, machine: bool,
) -> Held:  # fmt: skip
    """Where a part is: the rows as an oracle, with what all parts together have decided."""
    X, y, weight = loaded[0]
    X = _times(X, exponent)
    assert y is not None
    label = (np.searchsorted(classes, y) if classes.size > 2 else y == classes[1]).astype(np.int32)
    weighted, of_classes = weights
    sign = np.ones(label.size, dtype=np.int8) if machine else (2 * label - 1).astype(np.int8)
    own = None
    if weighted:
        own = np.ones(label.size) if weight is None else np.array(weight, dtype=np.float64)
        own = own if of_classes is None else own * of_classes[label]
    return Held(with_metric(rows_oracle(X, sign, own), metric), label)


def _hold_plain(loaded: tuple[Loaded, Facts]) -> Held:
    """Where a part is: the rows as an oracle, without classes and weights."""
    count = loaded[0].X.shape[0]
    return Held(rows_oracle(loaded[0].X, np.ones(count, dtype=np.int8)), np.zeros(count, dtype=np.int32))


def _ask_part(
    loaded: tuple[Loaded, Facts], classes: np.ndarray, positive: int, weight: np.ndarray | None
) -> tuple[Loaded, Facts]:
    """Where a part is: the same rows, labelled 1 where they are of one class, with other weights if some are given."""
    (X, y, own), facts = loaded
    label, own = (y == classes[positive]).astype(np.int64), own if weight is None else weight
    return Loaded(X, label, own), facts._replace(y=label, weight=own)


def _times(X: Any, exponent: int) -> Any:
    """X times 2^exponent, as it is in memory."""
    if not exponent:
        return X
    if sp.issparse(X):
        return sp.csr_array((np.ldexp(X.data, exponent), X.indices, X.indptr), shape=X.shape)
    return np.ldexp(X, exponent)


def largest_of(X: Any, axis: int) -> np.ndarray:
    """The largest |x| of every column (``axis`` 0) or row (1)."""
    most = abs(X).max(axis=axis)
    return (most.toarray() if sp.issparse(most) else most).ravel().astype(np.float64)


def _largest_of_part(loaded: tuple[Loaded, Facts], axis: int) -> np.ndarray:
    return largest_of(loaded[0].X, axis)


def _take(loaded: tuple[Loaded, Facts], rows: np.ndarray, exponent: int) -> Any:
    return _times(loaded[0].X[rows], exponent)


def _look_at_part(loaded: tuple[Loaded, Facts], function: Any, exponent: int, count: int, *arguments: Any) -> list[Any]:
    """Where a part is: what `certificates.check` sees of it; ``count`` arguments are shared, then come the columns."""
    X = loaded[0].X
    X = times_power_of_two(X, exponent) if exponent else X
    return by_blocks(X, function, arguments[count:], *arguments[:count])


@dataclass(eq=False)
class Parted:
    """The rows of all parts, as far as they are known here. `Sample.X` of a fit on an engine."""

    engine: Any
    handles: list[Any]  # of (Loaded, Facts)
    facts: list[Facts]
    weights: tuple[bool, np.ndarray | None] = (False, None)  # whether rows have them, and those of the classes
    held: dict[int, list[Any]] = field(default_factory=dict)  # handles of Held, by the metric they were made with
    exponent: int = 0  # rows are learned from times 2^exponent

    @classmethod
    def load(cls, engine: Any, parts: Sequence[tuple[Any, ...]], load: Callable = load_part) -> Parted:
        """Load and check all parts; those without rows are left out."""
        handles = engine.hold(load, [(*part, number) for number, part in enumerate(parts)])
        facts = engine.map(_facts, handles, (), [()] * len(handles))
        widths = [each.shape[1] for each in facts]
        first = next((k for k, each in enumerate(facts) if each.shape[0]), None)
        if first is None:
            raise ValueError(f"X: expected rows, got {len(facts)} parts without any.")
        for number, each in enumerate(facts):
            told = facts[first]
            if not each.shape[0]:
                continue
            if widths[number] != widths[first]:
                raise ValueError(f"part {number}: expected {widths[first]} columns, got {widths[number]}.")
            if each.dtype != told.dtype or each.sparse != told.sparse:
                kinds = [f"{'sparse ' * fact.sparse}{fact.dtype}" for fact in (told, each)]
                raise ValueError(f"part {number}: expected numbers of {kinds[0]}, as part {first} has, got {kinds[1]}.")
            if told.head is not None and list(each.head.columns) != list(told.head.columns):
                raise ValueError(f"part {number}: expected the columns {list(told.head.columns)[:10]} of part {first}.")
        kept = [k for k, each in enumerate(facts) if each.shape[0]]
        return cls(engine, [handles[k] for k in kept], [facts[k] for k in kept])

    @property
    def shape(self) -> tuple[int, int]:
        """All rows, and the columns."""
        return sum(each.shape[0] for each in self.facts), self.facts[0].shape[1]

    @property
    def dtype(self) -> np.dtype:
        """The type of the numbers."""
        return self.facts[0].dtype

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are sparse."""
        return self.facts[0].sparse

    @property
    def size(self) -> int:
        """How many numbers are stored."""
        return sum(each.numbers for each in self.facts)

    @property
    def head(self) -> Any:
        """No rows, but the columns as they are named."""
        return np.zeros((0, self.shape[1])) if self.facts[0].head is None else self.facts[0].head

    @property
    def y(self) -> np.ndarray | None:
        """All labels."""
        return None if self.facts[0].y is None else np.concatenate([each.y for each in self.facts])

    @property
    def sample_weight(self) -> np.ndarray | None:
        """All weights."""
        return None if self.facts[0].weight is None else np.concatenate([each.weight for each in self.facts])

    @property
    def magnitudes(self) -> Magnitudes:
        """The least number that is not 0, and the largest."""
        return Magnitudes(min(each.least for each in self.facts), max(each.largest for each in self.facts))

    def largest(self, axis: int) -> np.ndarray:
        """The largest |x| of every column (``axis`` 0) or row (1), before rows are multiplied."""
        found = self.engine.map(_largest_of_part, self.handles, (axis,), [()] * len(self.handles))
        return np.max(found, axis=0) if axis == 0 else np.concatenate(found)

    def times_power_of_two(self, exponent: int) -> Parted:
        """The rows times 2^exponent."""
        return replace(self, exponent=self.exponent + exponent, held={})

    def asked(self, classes: np.ndarray, positive: int, weight: np.ndarray | None) -> Parted:
        """The rows labelled 1 where they are of the class of this number, else 0, with these weights."""
        cuts, own = self.starts[1:-1], self.sample_weight
        known = weight is None or (own is not None and np.array_equal(weight, own))
        weights: list[Any] = [None] * len(self.facts) if known else np.split(np.asarray(weight), cuts)
        labels = np.split((self.y == classes[positive]).astype(np.int64), cuts)
        facts = [
            fact._replace(y=label, weight=fact.weight if each is None else each)
            for fact, label, each in zip(self.facts, labels, weights, strict=True)
        ]
        asked = [(handle, classes, positive, each) for handle, each in zip(self.handles, weights, strict=True)]
        handles = self.engine.hold(_ask_part, asked)
        return Parted(self.engine, handles, facts, exponent=self.exponent)

    def weigh(self, estimator: Any, label: np.ndarray, sample_weight: np.ndarray | None) -> None:
        """Note that rows have weights, and those of their classes, which are multiplied where the rows are."""
        present = label if sample_weight is None else label[sample_weight > 0]
        classes = None if estimator.class_weight is None else estimator._class_weights(present, partial=False)
        self.weights = True, classes

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def starts(self) -> np.ndarray:
        """The number of the first row of every part, and how many rows there are."""
        return np.concatenate([[0], np.cumsum([each.shape[0] for each in self.facts])])

    def __getitem__(self, rows: np.ndarray) -> Any:
        return self.take(rows)

    def take(self, rows: np.ndarray) -> Any:
        """Some rows, in their order; their numbers are sorted."""
        cuts = np.searchsorted(rows, self.starts)
        own = [(rows[a:b] - at, self.exponent) for a, b, at in zip(cuts[:-1], cuts[1:], self.starts[:-1])]
        used = [k for k, (some, _) in enumerate(own) if some.size]
        found = self.engine.map(_take, [self.handles[k] for k in used], (), [own[k] for k in used])
        return sp.csr_array(sp.vstack(found, format="csr")) if self.facts[0].sparse else np.concatenate(found)

    def for_check(self) -> CheckedRows:
        """The rows as the check of a certificate takes them."""
        return CheckedRows(self.shape, self.magnitudes.largest, self._read, self._look)

    def _read(self, rows: np.ndarray) -> Any:
        """Some rows, in any order."""
        if not rows.size:
            return sp.csr_array((0, self.shape[1])) if self.facts[0].sparse else np.zeros((0, self.shape[1]))
        order = np.argsort(rows, kind="stable")
        return self.take(rows[order])[np.argsort(order, kind="stable")]

    def _look(self, function: Any, exponent: int, columns: tuple[np.ndarray, ...], shared: tuple) -> list[Any]:
        """``function`` of all blocks of all parts, in order."""
        own = [tuple(each[a:b] for each in columns) for a, b in pairwise(self.starts)]
        arguments = (function, exponent, len(shared), *shared)
        return list(chain.from_iterable(self.engine.map(_look_at_part, self.handles, arguments, own)))

    def oracles(self, sample: Any, classes: np.ndarray, bias: float) -> list[Any]:
        """One oracle for each part; the rows of a linear machine against their rivals."""
        metric = sample.scale.metric
        held = self.held.get(id(metric))
        if held is None:
            machine = bool(sample.n_classes) or classes.size > 2
            shared = classes, self.weights, self.exponent, metric, machine
            held = self.held[id(metric)] = self.engine.hold(hold_rows, [(handle, *shared) for handle in self.handles])
        parts = []
        for handle, fact, at in zip(held, self.facts, self.starts[:-1].tolist()):
            own = slice(at, at + fact.shape[0])
            weight = read_only(np.zeros(0) if sample.weight is None else sample.weight[own])
            place, sign = self._place(handle, fact, weight), read_only(sample.sign[own])
            rows = Elsewhere(place, sign, weight, bias, at, metric is not None)
            parts.append(against_rivals(rows, sample.label[own], sample.n_classes) if sample.n_classes else rows)
        return parts

    def plain_rows(self) -> list[Elsewhere]:
        """One oracle for each part, of the rows without their classes, for products of X."""
        held, none = self.engine.hold(_hold_plain, [(handle,) for handle in self.handles]), read_only(np.zeros(0))
        signs = [read_only(np.ones(fact.shape[0], dtype=np.int8)) for fact in self.facts]
        places = [self._place(handle, fact, none) for handle, fact in zip(held, self.facts, strict=True)]
        starts = self.starts[:-1].tolist()
        return [Elsewhere(*each[:2], none, 0.0, each[2], False) for each in zip(places, signs, starts, strict=True)]

    def _place(self, handle: Any, fact: Facts, weight: np.ndarray) -> Place:
        row_bytes = fact.dtype.itemsize * fact.numbers / fact.shape[0]
        known = fact.shape[1], fact.longest_row, fact.numbers, row_bytes, not fact.sparse
        return Place(self.engine, handle, *known, weight)
