"""Dask: parts on the workers of a cluster. The only file that knows of Dask.

Parts are results of pure tasks, never scattered: what is lost with a worker is loaded again. Besides the answers only
the arguments of `map` travel, those shared by all parts once to the scheduler.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..interrupt import keep_time
from .base import EngineError
from .local import Threads

PAUSE = 0.25  # seconds between two looks at the clock
MISSING = "X: a dask collection needs the package dask. Install linsep[dask]."


def is_collection(found: Any) -> bool:
    """Whether something is a dask array or data frame; dask is not imported for that.

    >>> is_collection(np.zeros(3))
    False
    """
    return type(found).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(found, "to_delayed")


def delayed_parts(X: Any, y: Any = None, weight: Any = None) -> list[tuple[Any, ...]]:
    """X, labels and weights as delayed objects, part by part; None for what there is not."""
    import dask.array as da

    if getattr(X, "chunks", None) and len(X.chunks) > 1 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    pieces = list(np.ravel(X.to_delayed()))
    columns: list[Sequence[Any]] = [pieces]
    for name, found in (("y", y), ("sample_weight", weight)):
        if found is None:
            columns.append([None] * len(pieces))
            continue
        if not is_collection(found):
            raise ValueError(f"{name}: expected a dask collection, as X is, got {type(found).__name__}.")
        if isinstance(X, da.Array) and isinstance(found, da.Array) and not np.isnan(sum(X.chunks[0] + found.chunks[0])):
            if found.shape[0] != X.shape[0]:
                raise ValueError(f"{name}: expected {X.shape[0]} rows, as X has, got {found.shape[0]}.")
            found = found.rechunk({0: X.chunks[0]})
        own = list(np.ravel(found.to_delayed()))
        if len(own) != len(pieces):
            raise ValueError(f"{name}: expected {len(pieces)} parts, as X has, got {len(own)}.")
        columns.append(own)
    return list(zip(*columns, strict=True))


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


def _computed(part: Sequence[Any]) -> tuple[Any, ...]:
    import dask

    return dask.compute(*part, scheduler="synchronous")


class LocalDask(Threads):
    """Dask collections without a cluster: computed part by part in threads of this process, and kept there."""

    def __init__(self) -> None:
        from dask.system import CPU_COUNT

        super().__init__(CPU_COUNT)

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function`` of every part, delayed members computed."""
        return super().hold(lambda *part: function(*_computed(part)), parts)


class Dask:
    """The workers of a client."""

    def __init__(self, client: Any):
        self.client = client

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Futures: each is made by a task that Dask repeats if its worker is lost."""
        from dask import delayed

        make = delayed(function, pure=False)
        return list(self.client.compute([make(*part) for part in parts]))

    def map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        """The answers in the order of the parts."""
        from distributed import CancelledError

        if sum(getattr(found, "nbytes", 0) for found in shared) > 2**16:  # one copy to the scheduler, not one per part
            packed = self.client.submit(tuple, shared, pure=False)
            shared = tuple(self.client.submit(operator.getitem, packed, k, pure=False) for k in range(len(shared)))
        tasks = zip(handles, each, strict=True)
        futures = [self.client.submit(function, held, *shared, *own, pure=False) for held, own in tasks]
        try:
            self._wait(futures)
            return list(self.client.gather(futures))
        except CancelledError as error:
            raise EngineError(
                "dask: the connection to the scheduler is lost. Start a cluster, and fit again."
            ) from error
        finally:
            self.client.cancel([future for future in futures if not future.done()])

    def _wait(self, futures: list[Any]) -> None:
        """Wait for all; a proof that is out of time is given up."""
        from distributed import KilledWorker, TimeoutError, wait

        while True:
            if self.client.status not in ("running", "connecting"):
                raise EngineError(f"dask: the scheduler of the client is gone (the client is {self.client.status}).")
            try:
                wait(futures, timeout=PAUSE)
                break
            except TimeoutError:
                keep_time()
        for number, future in enumerate(futures):
            if future.status == "cancelled" or future.status == "lost":
                raise EngineError(f"dask: part {number} is {future.status}: the scheduler has been lost or restarted.")
            if future.status == "error" and isinstance(error := future.exception(), KilledWorker):
                raise EngineError(
                    f"dask: part {number}: every worker that computed it died. Has it enough memory? {error}"
                ) from error
