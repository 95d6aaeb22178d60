"""A dataset: rows on disk, in parts. An estimator takes it in place of X, y and the weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..rows.matrix import BLOCK
from .cache import Mapped, read_header
from .errors import DataError
from .resident import bounded
from .rows import Rows
from .sources import Source, describe


class Origin(NamedTuple):
    """Where the rows of a dataset come from: its files and how they are read, and the checksums of what comes out."""

    arguments: dict[str, Any]  # of `open_dataset`
    arrays: dict[str, str]
    sources: list[Source]  # the files as they were

    def open(self) -> Mapped:
        """The same rows in the cache of this machine, read from the files if they are not there yet."""
        from .open import open_dataset

        place = open_dataset(**self.arguments).place
        header = read_header(place, verify=False)
        if header is None or header["arrays"] != self.arrays:
            raise DataError("expected what the dataset was opened with. Open it again.", ", ".join(self._changed()))
        return Mapped(place, header)

    def _changed(self) -> list[str]:
        """The files of another size; if there are none, those that were changed at another time."""
        pairs = [(old, describe(old.path)) for old in self.sources]
        resized = [old.path for old, new in pairs if old.size != new.size]
        return resized or [old.path for old, new in pairs if old != new]


@dataclass(frozen=True)
class Part:
    """Some rows of a dataset: files, how they are read, and a range. `load` is a pure function of these.

    On the machine that opened the dataset its cache has the rows. Elsewhere, as on a worker of a cluster, the files are
    read into the cache of that machine by the first part that is loaded there: they must have the same paths.
    """

    path: str  # of the cache
    begin: int
    end: int
    origin: Origin | None = field(default=None, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return self.end - self.begin

    def load(self) -> Rows:
        """X, labels and weights of the part, mapped into memory: what is touched is read."""
        there = self.origin is None or read_header(Path(self.path), verify=False) is not None
        mapped = _open_cache(Path(self.path), verify=False) if there else self.origin.open()  # type: ignore[union-attr]
        return mapped.rows(self.begin, self.end)


def _open_cache(place: Path, verify: bool) -> Mapped:
    header = read_header(place, verify=verify)
    if header is None:
        raise DataError("the cache is gone or damaged. Open the dataset again.", str(place))
    return Mapped(place, header)


PIECES = 64  # parts that a dataset is cut into for a cluster, if it has so many blocks


class Placed(NamedTuple):
    """A dataset whose parts an engine loads; `Dataset.on` makes one."""

    dataset: Dataset
    engine: Any
    weight: np.ndarray | None

    @property
    def pieces(self) -> list[tuple[Part, np.ndarray | None]]:
        """The parts, each with the weights of its rows: many, so that every worker has some, however many there are."""
        parts = self.dataset.cut(max(1, -(-self.dataset.n_rows // BLOCK) // PIECES) * BLOCK)
        return [(part, None if self.weight is None else self.weight[part.begin : part.end]) for part in parts]


class Dataset:
    """Rows of files, read once and kept in a cache; `linsep.open_dataset` makes one.

    ``fit``, ``partial_fit``, ``score``, ``predict`` and ``check`` of every estimator of rows take it as they take
    arrays, and give the same bits. What they touch is mapped into memory, at most ``memory`` bytes of it at a time.

    Attributes
    ----------
    schema : RowSchema or Schema
        How the files become X.
    classes : array or None
        The labels, sorted; None if there are none.
    parts : list of Part
        Rows in order, cut at multiples of a block, so that sums over parts have the bits of the whole.
    """

    def __init__(self, place: Path, paths: list[str], schema: Any, memory: int, arguments: dict[str, Any]):
        self.place, self.paths, self.schema, self.memory, self._arguments = place, paths, schema, memory, arguments

    @cached_property
    def _mapped(self) -> Mapped:
        return _open_cache(self.place, verify=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_mapped", "rows")}

    @cached_property
    def rows(self) -> Rows:
        """All rows; X is mapped into memory, not read."""
        return self._mapped.rows()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.rows.X.shape[0])

    @property
    def n_features(self) -> int:
        """The number of columns of X."""
        return int(self.rows.X.shape[1])

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns of X; None if they have none."""
        names = self.schema.feature_names
        return None if names is None else list(names)

    @property
    def classes(self) -> np.ndarray | None:
        """The labels, sorted; None if there are none."""
        return self._mapped.arrays.get("classes")

    @cached_property
    def parts(self) -> list[Part]:
        """Rows in order, in parts of about an eighth of ``memory``, cut at multiples of a block."""
        return self.cut(self.n_rows)

    def cut(self, rows: int) -> list[Part]:
        """Parts of at most so many rows, a multiple of a block, and of an eighth of ``memory``."""
        most = max(1, self.memory // 8 // max(1, self._mapped.size // self.n_rows) // BLOCK) * BLOCK
        each = min(rows, most)
        header, arguments = self._mapped.header, {"paths": self.paths, "schema": self.schema, **self._arguments}
        origin = Origin(arguments, header["arrays"], [Source(*each) for each in header["sources"]])
        ends = [*range(each, self.n_rows, each), self.n_rows]
        return [Part(str(self.place), begin, end, origin) for begin, end in zip([0, *ends], ends)]

    def on(self, client: Any, weight: np.ndarray | None = None) -> Placed:
        """The dataset for `fit` on the workers of a Dask client, which load its parts themselves: docs/distributed.md.

        ``weight``: weights of the rows in the place of its own.
        """
        from ..engines.dask_client import Dask

        return Placed(self, Dask(client), self.rows.weight if weight is None else weight)

    def to_arrays(self) -> Rows:
        """X, y and weights, whole in memory."""
        X, y, weight = self.rows
        return Rows(X.copy() if sp.issparse(X) else np.array(X), y, weight)

    @contextmanager
    def within_memory(self) -> Iterator[Rows]:
        """All rows; while the block runs, what is resident of them is kept below ``memory``."""
        limit = self.memory // 2
        with bounded(limit, self._mapped.forget) if self._mapped.size > limit else nullcontext():
            yield self.rows

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        names = f"{self.paths[0]}{f' and {len(self.paths) - 1} more' if len(self.paths) > 1 else ''}"
        classes = "no labels" if self.classes is None else f"classes {', '.join(map(str, self.classes[:10].tolist()))}"
        more = ", ..." if self.classes is not None and len(self.classes) > 10 else ""
        return f"Dataset of {names}: {self.n_rows} rows x {self.n_features} features, {classes}{more}\n{self.schema}"
