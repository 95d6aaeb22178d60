"""Malformed Dask collections: arrays, frames, and parts that are not what their collection says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from . import damage
from .malformed import EITHER, READ, REFUSE, Case, rows

CUT = 5  # rows of the first of two parts
COPIED = {  # Dask copies the matrix before linsep sees it; SciPy makes arrays of the right length then, of any numbers
    "CSR, pointers are floats", "CSR, indices are floats", "CSR, no indices", "CSR, indices too few",
}  # fmt: skip


def collection_cases() -> Iterator[Case]:
    """All of them, in the same order always; computed by threads of the process, without a cluster."""
    import linsep as ls

    X, y = rows()
    rules: dict[str, Any] = {
        "Perceptron(batch)": ls.Perceptron(batch=True, max_iter=5),
        "Relaxation(batch)": ls.Relaxation(batch=True, max_iter=5),
        "Kozinec(batch)": ls.Kozinec(batch=True, max_iter=5),
        "LinearMachine(batch)": ls.LinearMachine(batch=True, max_iter=5), "LeastSquares": ls.LeastSquares(),
        "MaximumMargin(C=1)": ls.MaximumMargin(C=1.0, loss="squared_hinge", method="newton"),
    }  # fmt: skip
    for name, rule in rules.items():
        yield from _fits(name, rule, X, y)
        fitted = rule.fit(X, y)
        for method in ("predict", "decision_function"):
            call = getattr(fitted, method)
            for kind, broken in collections(X).items():
                if kind != "Dask, last part None":
                    said = EITHER if kind.removeprefix("Dask, last part ") in COPIED else REFUSE
                    yield Case(f"{name}.{method}", kind, said, lambda m=broken, call=call: call(m()).compute())
            yield Case(f"{name}.{method}", "Dask", READ, lambda call=call: call(parted(X, X)).compute())
        for kind, broken in collections(X).items():
            yield Case(
                f"{name}.check", kind, REFUSE, lambda m=broken, rule=fitted: _hold(rule.check(m(), parted(y, y)))
            )


def _fits(name: str, rule: Any, X: np.ndarray, y: np.ndarray) -> Iterator[Case]:
    from sklearn.base import clone

    fit = lambda *data: clone(rule).fit(*data)  # noqa: E731
    for kind, broken in collections(X).items():
        either = EITHER if kind in ("Dask, all parts wider", "Dask, a column fewer") else REFUSE  # before a fit
        yield Case(f"{name}.fit", kind, either, lambda m=broken: fit(m(), parted(y, y)))
    for kind, make in damage.LABELS.items():
        if isinstance(make(y), np.ndarray) and make(y).ndim == 1:
            yield Case(f"{name}.fit", f"Dask, {kind}", REFUSE, lambda make=make: fit(parted(X, X), of_array(make(y))))
    for kind, make in damage.WEIGHTS.items():
        if isinstance(make(y), np.ndarray) and make(y).ndim == 1:
            call = lambda make=make: fit(parted(X, X), parted(y, y), of_array(make(y)))  # noqa: E731
            yield Case(f"{name}.fit", f"Dask, {kind}", REFUSE, call)
    yield Case(f"{name}.fit", "Dask, labels in memory", REFUSE, lambda: fit(parted(X, X), y))
    yield Case(f"{name}.fit", "Dask, labels in three parts", REFUSE, lambda: fit(parted(X, X), lying(y[:2], y[2:4], y)))
    yield Case(f"{name}.fit", "Dask", READ, lambda: fit(parted(X, X), parted(y, y)))


def of_array(array: np.ndarray) -> Any:
    """A Dask array of one in memory, in two parts."""
    import dask.array as da

    return da.from_array(array, chunks=(max(1, -(-len(array) // 2)), *array.shape[1:]))


def parted(first: Any, second: Any) -> Any:
    """A Dask array of the first rows of one and the last rows of another, of any kinds."""
    return lying(first[:CUT], second[CUT:])


def lying(*parts: Any) -> Any:
    """A Dask array that says of every part that it is like the first one."""
    import dask
    import dask.array as da

    like = parts[0]
    sizes = [len(part) if isinstance(part, np.ndarray) else part.shape[0] for part in parts]
    pieces = [
        da.from_delayed(dask.delayed(part), (size, *like.shape[1:]), like.dtype, meta=like[:0])
        for part, size in zip(parts, sizes, strict=True)
    ]
    return da.concatenate(pieces)


def collections(X: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Ways in which a collection of rows can be wrong, by name."""
    found: dict[str, Callable[[], Any]] = {}
    for kind, make in damage.ROWS.items():
        broken = make(X)
        if isinstance(broken, np.ndarray) and broken.ndim and broken.size and kind != "a column more":
            found[f"Dask, {kind}"] = lambda broken=broken: of_array(broken)
            if broken.ndim == 2 and len(broken) == len(X):  # what is damaged is in the second row
                found[f"Dask, last part {kind}"] = lambda broken=broken: lying(X[:CUT], broken[:CUT])
        if kind.startswith("CSR") and sp.issparse(broken) and broken.shape == X.shape:
            found[f"Dask, last part {kind}"] = lambda make=make: lying(sp.csr_matrix(X[:CUT]), make(X[CUT:]))
    wide = np.column_stack([X, X[:, 0]])
    found |= {
        "Dask, last part wider": lambda: parted(X, wide), "Dask, first part wider": lambda: parted(wide, X),
        "Dask, all parts wider": lambda: parted(wide, wide),
        "Dask, last part None": lambda: lying(X[:CUT], _Nothing(5)),
        "Dask, frame with words": lambda: _frame(pd.DataFrame(X).assign(name="word")),
        "Dask, frame with NaN": lambda: _frame(pd.DataFrame(np.where(X[0, 0] == X, np.nan, X))),
    }  # fmt: skip
    return found


class _Nothing:
    """Something of so many rows that is no array."""

    def __init__(self, size: int) -> None:
        self.shape = (size, 3)


def _frame(frame: pd.DataFrame) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=2)


def _hold(verdict: Any) -> None:
    if not verdict:
        raise ValueError("The certificate is WRONG.")
