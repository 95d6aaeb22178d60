"""Checks of arrays: what compiled code will index is checked here, once. After that kernels trust their arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .jit import compiled

BITS: dict[Any, Any] = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}  # integers of the same size
IN_PLACE = (np.float64, np.float32, np.uint8, np.bool_)  # what kernels read as it is


class Magnitudes(NamedTuple):
    """The least value of |x| that is not 0, and the largest; inf and 0 if there is none."""

    least: float
    largest: float  # infinite or NaN if a number is


def magnitudes(numbers: np.ndarray) -> Magnitudes:
    """One pass over all numbers of a contiguous array. The bits of |x| have the order of |x|, NaN beyond infinity.

    >>> magnitudes(np.array([[0.0, -3.0], [0.5, 1.0]]))
    Magnitudes(least=0.5, largest=3.0)
    """
    numbers = numbers.reshape(-1)
    kind = BITS.get(numbers.dtype)
    if kind is None:  # integers: none is a fraction, and all are finite
        largest = max(float(numbers.max()), -float(numbers.min())) if numbers.size else 0.0
        return Magnitudes(1.0 if largest else np.inf, largest)
    least, largest = _extreme_bits(numbers.view(kind), kind(np.iinfo(kind).max))
    found = np.array([least, largest], dtype=kind).view(numbers.dtype)
    return Magnitudes(float(found[0]) if least <= largest else np.inf, float(found[1]))


@compiled
def _extreme_bits(bits, mask):
    """The least positive and the largest of ``bits & mask``."""
    least, largest = mask, mask & 0
    for k in range(bits.size):
        magnitude = bits[k] & mask
        largest = max(largest, magnitude)
        least = min(least, magnitude if magnitude > 0 else mask)
    return least, largest


def refuse_dates(X: Any) -> None:
    """Refuse dates and times, which NumPy would take for numbers."""
    if getattr(getattr(X, "dtype", None), "kind", "f") in "mM":
        raise ValueError(f"X: expected numbers, got an array of {X.dtype}.")


def check_sparse(X: Any, name: str = "X") -> bool:
    """Refuse a sparse matrix whose indices or pointers lead outside of its arrays.

    Returns whether it is canonical: indices sorted, no entry twice. SciPy's own flag for that may be out of date.

    >>> X = sp.csr_array((np.ones(2), np.array([0, 7]), np.array([0, 1, 2])), shape=(2, 8))
    >>> check_sparse(X)
    True
    >>> X.indices[1] = 9
    >>> check_sparse(X)
    Traceback (most recent call last):
    ValueError: X: expected column numbers 0 to 7, got 9; the sparse matrix is damaged.
    """
    if X.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, got an array of {X.ndim} dimensions.")
    if X.format == "bsr":
        X.copy().check_format(full_check=True)
    if X.format == "coo" and X.data.size:
        for at, count, what in ((X.row, X.shape[0], "row"), (X.col, X.shape[1], "column")):
            if at.shape != X.data.shape or at.min() < 0 or at.max() >= count:
                raise ValueError(f"{name}: expected {what} numbers 0 to {count - 1}; the sparse matrix is damaged.")
    if X.format not in ("csr", "csc"):
        return False
    count, width = X.shape if X.format == "csr" else X.shape[::-1]
    indptr, indices, damaged = X.indptr, X.indices, "the sparse matrix is damaged."
    if any(array.ndim != 1 for array in (indptr, indices, X.data)) or {indptr.dtype.kind, indices.dtype.kind} != {"i"}:
        raise ValueError(f"{name}: expected vectors of integers as indices and pointers; {damaged}")
    ends = indptr[[0, -1]].tolist() if indptr.size else [0, 0]
    if indptr.size != count + 1 or indices.size != X.data.size or ends[0] != 0 or ends[-1] > indices.size:
        raise ValueError(
            f"{name}: expected {count + 1} pointers from 0 to at most {min(indices.size, X.data.size)}, "
            f"got {indptr.size} from {ends[0]} to {ends[-1]}; {damaged}"
        )
    if (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"{name}: expected pointers that never fall; {damaged}")
    most, falls = _scan_indices(indptr, indices.view(indices.dtype.str.replace("i", "u")))
    if most >= width and ends[-1]:  # unsigned, a negative number is a large one
        what, wrong = "column" if X.format == "csr" else "row", np.asarray([most]).astype(indices.dtype)[0]
        raise ValueError(f"{name}: expected {what} numbers 0 to {width - 1}, got {wrong}; {damaged}")
    return bool(falls == 0)


@compiled
def _scan_indices(indptr, indices):
    """The largest index, unsigned, and how many are not larger than the one before them in their row."""
    size = indptr[indptr.size - 1]
    most, falls = indices.dtype.type(0), 0
    if size:
        most = indices[0]
    for k in range(1, size):
        most = max(most, indices[k])
        falls += indices[k] <= indices[k - 1]
    for i in range(1, indptr.size - 1):
        k = indptr[i]
        if 0 < k < indptr[i + 1]:  # the first entry of a row
            falls -= indices[k] <= indices[k - 1]
    return most, falls


def as_canonical_csr(X: Any, name: str = "X", canonical: bool | None = None) -> Any:
    """A checked CSR matrix, in place if it is canonical; else a copy with sorted indices and doubled entries summed.

    ``canonical``: what `check_sparse` has said of the same arrays, if it was asked already.
    """
    if X.format != "csr":
        check_sparse(X, name)
        X = X.tocsr()
    canonical, size = check_sparse(X, name) if canonical is None else canonical, X.indptr[-1]
    if canonical and size == X.data.size:
        return X
    if canonical:  # what is behind the last pointer is no part of the matrix
        return sp.csr_array((X.data[:size], X.indices[:size], X.indptr), shape=X.shape)
    copy = sp.csr_array((X.data.copy(), X.indices.copy(), X.indptr.copy()), shape=X.shape)
    copy.has_canonical_format = False
    copy.sum_duplicates()
    return copy


def as_rows(X: Any, name: str = "X") -> Any:
    """A matrix that kernels can read: C-ordered, or canonical CSR, of a type that they read; in place if it is so."""
    if sp.issparse(X):
        X = as_canonical_csr(X, name)
        _refuse_kind(X, name)
        return X if X.dtype in IN_PLACE else X.astype(np.float64)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, got an array of {X.ndim} dimensions.")
    _refuse_kind(X, name)
    return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in IN_PLACE else np.float64)


def as_finite_rows(X: Any, name: str = "X") -> Any:
    """The same of one row or more of finite numbers, which may be objects; for functions that are no estimators.

    >>> as_finite_rows([[1.0, None]])
    Traceback (most recent call last):
    ValueError: X: expected finite numbers, got NaN or infinity.
    """
    if not sp.issparse(X):
        X = np.asarray(X)
        try:
            X = X.astype(np.float64) if X.dtype.kind == "O" and X.ndim == 2 else X
        except (TypeError, OverflowError) as error:
            raise ValueError(f"{name}: expected numbers of double precision: {error}.") from None
    X = as_rows(X, name)
    if X.shape[0] == 0:
        raise ValueError(f"{name}: expected one row or more, got none.")
    if not np.isfinite(magnitudes(X.data if sp.issparse(X) else X).largest):
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity.")
    return X


def _refuse_kind(X: Any, name: str) -> None:
    """Refuse what has no columns, or no real numbers in them."""
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, got an array of {X.dtype}.")
    if X.shape[1] == 0:
        raise ValueError(f"{name}: expected one column or more, got none.")


def as_vector(values: Any, count: int, name: str, dtype: Any = np.float64) -> np.ndarray:
    """One value per row, as a contiguous array."""
    found = np.ascontiguousarray(values, dtype=dtype)
    if found.shape != (count,):
        raise ValueError(f"{name}: expected one value for each of the {count} rows, got shape {found.shape}.")
    return found


def require_room(numbers: float, given: int, what: str, advice: str) -> None:
    """Refuse work that needs far more memory than its input: more than 2^27 numbers and 16 times those given.

    >>> require_room(6e9, 20_000, "method='pinv'", "Use method='lms'.")
    Traceback (most recent call last):
    ValueError: method='pinv': needs 6e+09 numbers (44.7 GiB) for an input of 20000. Use method='lms'.
    """
    if numbers > max(2.0**27, 16.0 * given):
        size = f"{numbers:.3g} numbers ({numbers * 8 / 2**30:.3g} GiB)"
        raise ValueError(f"{what}: needs {size} for an input of {given}. {advice}")


def require_finite(X: Any, name: str = "X") -> Magnitudes:
    """Refuse NaN and infinity; returns the magnitudes, which the same pass over X finds."""
    found = magnitudes(X.data if sp.issparse(X) else X)
    if not np.isfinite(found.largest):
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity.")
    return found


def require_list(found: Any, name: str, what: str) -> None:
    """Raise a TypeError if ``found`` is not a list of ``what``.

    >>> require_list(None, "y", "labellings")
    Traceback (most recent call last):
    TypeError: y: expected a list of labellings, got NoneType.
    """
    if isinstance(found, str) or not hasattr(found, "__len__"):
        raise TypeError(f"{name}: expected a list of {what}, got {type(found).__name__}.")
