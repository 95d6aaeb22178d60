"""Dask: parts on the workers of a cluster. The only file that imports Dask.

Parts are results of pure tasks, never scattered: what is lost with a worker is loaded again. Besides the answers only
the arguments of `map` travel, those shared by all parts once to the scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..interrupt import keep_time
from .base import EngineError
from .local import Threads

PAUSE = 0.25  # seconds between two readings of the clock
MISSING = "X: a dask collection needs the package dask. Install linsep[dask]."


def is_collection(found: Any) -> bool:
    """Whether something is a dask array or data frame; dask is not imported for that.

    >>> is_collection(np.zeros(3))
    False
    """
    return type(found).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(found, "to_delayed")


def delayed_parts(
    X: Any, y: Any = None, weight: Any = None, names: tuple[str, ...] = ("X", "y", "sample_weight")
) -> list[tuple[Any, ...]]:
    """X, labels and weights as delayed objects, part by part; None for what there is not."""
    import dask.array as da

    X = _whole_rows(X)
    pieces = list(np.ravel(X.to_delayed()))
    columns: list[Sequence[Any]] = [pieces]
    for name, found in zip(names[1:], (y, weight), strict=True):
        if found is None:
            columns.append([None] * len(pieces))
            continue
        if not is_collection(found):
            raise ValueError(f"{name}: expected a dask collection, as {names[0]} is, got {type(found).__name__}.")
        if isinstance(X, da.Array) and isinstance(found, da.Array) and not np.isnan(sum(X.chunks[0] + found.chunks[0])):
            if found.shape[0] != X.shape[0]:
                raise ValueError(f"{name}: expected {X.shape[0]} rows, as {names[0]} has, got {found.shape[0]}.")
            found = found.rechunk({0: X.chunks[0]})
        own = list(np.ravel(found.to_delayed()))
        if len(own) != len(pieces):
            raise ValueError(f"{name}: expected {len(pieces)} parts, as {names[0]} has, got {len(own)}.")
        columns.append(own)
    return list(zip(*columns, strict=True))


def _whole_rows(X: Any) -> Any:
    """A dask array that is cut by rows only."""
    return X.rechunk({1: -1}) if len(getattr(X, "chunks", ())) > 1 and len(X.chunks[1]) > 1 else X


def one_row(X: Any) -> Any:
    """A row of ones, of the kind of the collection's rows."""
    if hasattr(X, "columns"):
        import pandas as pd

        return pd.DataFrame(np.ones((1, len(X.columns))), columns=list(X.columns)).astype(dict(X.dtypes))
    if X.ndim != 2:
        raise ValueError(f"X: expected a matrix, got a dask array of {X.ndim} dimensions.")
    ones = np.ones((1, X.shape[1]), dtype=X.dtype)
    return type(X._meta)(ones) if sp.issparse(X._meta) else ones


def map_rows(function: Callable[[Any], Any], X: Any, one: Any) -> Any:
    """``function`` of every part of a collection, when it is asked for; ``one`` is its answer for one row."""
    if hasattr(X, "columns"):
        return X.map_partitions(function, meta=one[:0], enforce_metadata=False)
    X = _whole_rows(X)
    if one.ndim == 1:
        return X.map_blocks(function, dtype=one.dtype, drop_axis=1, meta=one[:0])
    return X.map_blocks(function, dtype=one.dtype, chunks=(X.chunks[0], (one.shape[1],)), meta=one[:0])


def engine_for(X: Any) -> Any:
    """The engine of a dask collection: that of the present client, or threads of this process if there is none."""
    try:
        from distributed import default_client
    except ImportError as error:
        raise ImportError(MISSING) from error
    try:
        return Dask(default_client())
    except ValueError:  # no client
        return LocalDask()


def connect(address: str | None = None, workers: int = 1) -> Any:
    """A client of the scheduler at an address, or of so many new worker processes here, and what is to be closed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError(MISSING.replace("X: a dask collection", "--scheduler and --workers")) from error
    if address is not None:
        try:
            return Client(address, timeout=10), ()
        except (OSError, ValueError) as error:
            raise EngineError(f"dask: no scheduler answers at {address} ({error}).") from error
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", memory_limit=0
    )  # rows are mapped from a cache: what is resident of them is no worker's own
    return Client(cluster), (cluster,)


def require_versions(client: Any) -> None:
    """Refuse workers without linsep, or with another version of it, of NumPy or of Numba than here."""
    found = client.get_versions(packages=["linsep", "numba"])
    here = found["client"]["packages"]
    for place, worker in found["workers"].items():
        for name in ("linsep", "numpy", "numba"):
            there = worker["packages"].get(name)
            if there != here[name]:
                has = f"{name} {there}" if there else f"no {name}"
                raise EngineError(f"dask: the worker {place} has {has}, here is {name} {here[name]}. Make them equal.")


def _computed(number: int, part: Sequence[Any]) -> tuple[Any, ...]:
    import dask

    try:
        return dask.compute(*part, scheduler="synchronous")
    except Exception as error:
        raise _not_made(number, error) from error


def _not_made(number: int, error: BaseException) -> EngineError:
    """A part of the user's collection whose own tasks fail, as those of a file that is gone do."""
    said = " ".join(str(error).split())
    return EngineError(f"dask: part {number} could not be made: {type(error).__name__}: {said}")


def _is_named(error: BaseException) -> bool:
    """Whether it is an error of ours, which names its part or its file."""
    return type(error).__module__.startswith("linsep.") or str(error).startswith("part ")


class LocalDask(Threads):
    """Dask collections without a cluster: computed part by part in threads of this process, and kept there."""

    def __init__(self) -> None:
        from dask.system import CPU_COUNT

        super().__init__(CPU_COUNT)

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function`` of every part, delayed members computed."""
        numbered = [(number, *part) for number, part in enumerate(parts)]
        return super().hold(lambda number, *part: function(*_computed(number, part)), numbered)


def aligned(found: Any) -> Any:
    """What came over the network, or from a disk, with its arrays aligned again: NumPy multiplies others without BLAS.

    Then the bits would be others than in memory.
    """
    if isinstance(found, np.ndarray):
        if found.flags.aligned:
            return found
        copy = found.copy(order="K")
        copy.flags.writeable = found.flags.writeable  # Numba knows two types
        return copy
    if sp.issparse(found):
        for name, value in vars(found).items():
            if isinstance(value, np.ndarray):
                vars(found)[name] = aligned(value)
        return found
    if isinstance(found, tuple | list):
        members = [aligned(each) for each in found]
        return found._make(members) if hasattr(found, "_make") else type(found)(members)
    return found


class _Kept:
    """What a worker holds of a part: aligned once more if it has moved to another worker, or come back from disk."""

    def __init__(self, value: Any):
        self.value = value

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.value = aligned(state["value"])

    def __sizeof__(self) -> int:
        from dask.sizeof import sizeof

        return int(sizeof(self.value))


class _Sealed:
    """What belongs to a part and holds no task: Dask would look for tasks in all that it is made of, for a second."""

    def __init__(self, value: Any):
        self.value = value


def _seal(member: Any) -> Any:
    """A member of a part, sealed unless it is a task or a handle."""
    from dask import is_dask_collection
    from distributed import Future

    return member if is_dask_collection(member) or isinstance(member, Future) else _Sealed(member)


def _keep(function: Callable[..., Any], *part: Any) -> _Kept:
    """``function`` of a part where it is to stay."""
    members = (aligned(each.value) if isinstance(each, _Sealed) else each for each in part)
    return _Kept(function(*(each.value if isinstance(each, _Kept) else aligned(each) for each in members)))


def _answer_all(
    function: Callable[..., Any], held: list[_Kept], shared: tuple, each: list[tuple]
) -> tuple[str, list[Any]]:
    """The answers of several parts, and the worker that found them."""
    from distributed import get_worker

    shared = aligned(shared)
    answers = [function(one.value, *shared, *aligned(own)) for one, own in zip(held, each, strict=True)]
    return get_worker().address, answers


@contextmanager
def _connection() -> Iterator[None]:
    """What a lost scheduler raises, in one sentence."""
    from distributed import CancelledError
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, ClosedClientError, CommClosedError) as error:
        raise EngineError("dask: the connection to the scheduler is lost. Start a cluster, and go on.") from error


class Dask:
    """The workers of a client. A `map` is one task for each thread of theirs that has parts: one round trip."""

    def __init__(self, client: Any):
        require_versions(client)
        self.client = client
        self.places: dict[str, str] = {}  # by key of a handle: the worker that has what it stands for
        self.threads: dict[str, int] = {}  # of the workers

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Futures: each is made by a task that Dask repeats if its worker is lost."""
        from dask import delayed

        make = delayed(_keep, pure=False)
        with _connection():
            return list(self.client.compute([make(function, *map(_seal, part)) for part in parts]))

    def map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        """The answers in the order of the parts."""
        with _connection():
            return self._map(function, handles, shared, each)

    def _map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        futures: list[Any] = []
        own: Any = shared
        answers: list[Any] = [None] * len(handles)
        try:
            groups = self._groups(handles)
            if sum(getattr(found, "nbytes", 0) for found in shared) > 2**16:  # one copy to the scheduler, not many
                own = self.client.submit(tuple, shared, pure=False)
            for group in groups:
                held, some = [handles[k] for k in group], [each[k] for k in group]
                futures.append(self.client.submit(_answer_all, function, held, own, some, pure=False))
            self._wait(futures, handles)
            for group, (place, found) in zip(groups, self.client.gather(futures), strict=True):
                if any(self.places.get(handles[k].key) != place for k in group):  # a worker was lost
                    self.places.clear()
                for k, answer in zip(group, found, strict=True):
                    answers[k] = aligned(answer)
            return answers
        finally:
            left = [future for future in futures if not future.done()]
            if left and self.client.status == "running":
                self.client.cancel(left)

    def _groups(self, handles: Sequence[Any]) -> list[list[int]]:
        """The numbers of the parts, those of one thread together."""
        if any(handle.key not in self.places for handle in handles):
            self._wait(handles, handles)
            self._find(handles)
        groups: dict[str, list[int]] = {}
        for k, handle in enumerate(handles):
            groups.setdefault(self.places.get(handle.key, handle.key), []).append(k)
        count = {place: min(len(own), self.threads.get(place, 1)) for place, own in groups.items()}
        return [own[at :: count[place]] for place, own in groups.items() for at in range(count[place])]

    def _find(self, handles: Sequence[Any]) -> None:
        """Where the parts are; of one that is in several places the worker with the fewest."""
        count: dict[str, int] = {}
        self.threads = dict(self.client.nthreads())
        for key, places in self.client.who_has(handles).items():
            if places:
                self.places[key] = min(places, key=lambda place: (count.get(place, 0), place))
                count[self.places[key]] = count.get(self.places[key], 0) + 1

    def _wait(self, futures: Sequence[Any], handles: Sequence[Any]) -> None:
        """Wait for all; a proof that is out of time is given up."""
        from distributed import TimeoutError, wait

        while True:
            if self.client.status not in ("running", "connecting"):
                raise EngineError(f"dask: the scheduler of the client is gone (the client is {self.client.status}).")
            try:
                wait(list(futures), timeout=PAUSE)
                break
            except TimeoutError:
                keep_time()
        _raise_first([*handles, *futures], len(handles))


def _raise_first(futures: Sequence[Any], parts: int) -> None:
    """Raise what went wrong with any of the futures; the first ones are those of the parts."""
    from distributed import KilledWorker

    lost: list[int] = []
    for number, future in enumerate(futures):
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                lost.append(number)
            elif number < parts and not _is_named(error):
                raise _not_made(number, error) from error
            else:
                raise error
    if lost:
        named = [str(number) for number in lost if number < parts]
        name = f"part{'s' * (len(named) > 1)} {', '.join(named[:10])}" if named else "some parts"
        raise EngineError(f"dask: {name}: every worker with it died. Has it enough memory?")
    for number, future in enumerate(futures):  # without a worker that has died
        if future.status in ("cancelled", "lost"):
            name = f"part {number}" if number < parts else "some parts"
            raise EngineError(f"dask: {name} is {future.status}: the scheduler has been lost or restarted.")
