"""Checks of structures: what compiled code will index is checked here, once; of sparse matrices in `linsep.validation`.

Numbers are 0 or between `SMALLEST` and `LARGEST` in absolute value: then no score, no square and no weighted sum of
them overflows, and no rounding error vanishes below the smallest double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..validation import magnitudes

SMALLEST, LARGEST = 2.0**-300, 2.0**300  # of features
LIGHTEST, HEAVIEST = 2.0**-100, 2.0**100  # of the weights of examples, and of what raises a goal
MOST = 1 << 28  # numbers of one array: 2 GB


def first_unusable(values: np.ndarray) -> int:
    """The place of the first number that is not finite or out of range; -1 if there is none.

    >>> [first_unusable(np.array(numbers)) for numbers in ([0.0, 1.0, 1e200], [-3.0, 1e-200], [1.0])]
    [2, 1, -1]
    """
    least, largest = magnitudes(np.ascontiguousarray(values))
    if not values.size or (least >= SMALLEST and largest <= LARGEST):
        return -1
    size = np.abs(values.ravel().astype(np.float64, copy=False))
    usable = (size <= LARGEST) & ((size >= SMALLEST) | (size == 0.0))
    return -1 if usable.all() else int(np.argmin(usable))


def say_unusable(value: float) -> str:
    """What is expected instead of this number."""
    if not np.isfinite(value):
        return f"expected a finite number, got {value}."
    return f"expected 0 or a number of size {SMALLEST:.0e} ... {LARGEST:.0e}, got {value:g}: rescale by a power of two."


def require_usable(values: np.ndarray, name: str) -> None:
    """Raise a ValueError that names the first number out of range."""
    bad = first_unusable(values)
    if bad >= 0:
        place = ", ".join(str(int(at)) for at in np.unravel_index(bad, values.shape))
        raise ValueError(f"{name}[{place}]: {say_unusable(values.ravel()[bad])}")


def require_scalar(value: Any, name: str) -> float:
    """The number as a float: 0, or in the range of weights."""
    if not (value == 0 or LIGHTEST <= value <= HEAVIEST):
        raise ValueError(f"{name}: expected 0 or a number of {LIGHTEST:.0e} ... {HEAVIEST:.0e}, got {value!r}.")
    return float(value)


def require_weights(weight: Any, n: int, name: str) -> np.ndarray:
    """Weights of n examples as float64, not negative and in range; empty: all weigh 1."""
    found = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    if weight is not None and found.shape != (n,) and found.size:
        raise ValueError(f"{name}: expected {n} weights, one per example, got an array of shape {found.shape}.")
    usable = (found == 0.0) | ((found >= LIGHTEST) & (found <= HEAVIEST))
    if not usable.all():
        i = int(np.argmin(usable))
        expected = f"expected 0 or a weight of {LIGHTEST:.0e} ... {HEAVIEST:.0e}"
        raise ValueError(f"{name}: example {i}: {expected}, got {found[i]:g}.")
    if found.size and not found.any():
        raise ValueError(f"{name}: expected an example whose weight is not 0, got none.")
    return found


def require_integers(found: Any, name: str, size: int | None = None) -> np.ndarray:
    """A vector of integers, of a given length if there is one."""
    array = np.asarray(found)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: expected a vector of integers, got {array.dtype} of shape {array.shape}.")
    if size is not None and array.size != size:
        raise ValueError(f"{name}: expected {size} numbers, got {array.size}.")
    return array


def require_within(array: np.ndarray, count: int, name: str) -> None:
    """Raise a ValueError if an integer is not one of 0 ... count - 1."""
    if array.size and not (array.min() >= 0 and array.max() < count):
        bad = array[(array < 0) | (array >= count)][0]
        raise ValueError(f"{name}: expected numbers 0 ... {count - 1}, got {bad}.")


def require_rising(start: np.ndarray, last: int, name: str, least: int = 0) -> None:
    """Raise a ValueError unless ``start`` rises from 0 to ``last``, by ``least`` or more at a time."""
    if start.size == 0 or start[0] != 0 or start[-1] != last or (np.diff(start.astype(np.int64)) < least).any():
        raise ValueError(f"{name}: expected numbers that rise from 0 to {last}, got others.")


def require_memory(numbers: float, name: str) -> None:
    """Raise a ValueError if an array would have more than `MOST` numbers."""
    if numbers > MOST:
        raise ValueError(
            f"{name}: expected at most {MOST} numbers ({MOST >> 27} GB), got {numbers:.4g} ({numbers / 2**27:.3g} GB)."
        )


def require_w(coef: Any, size: int) -> np.ndarray:
    """w, as many numbers as were learned; -inf forbids.

    >>> require_w([1.0, np.inf], 2)
    Traceback (most recent call last):
    ValueError: coef_: expected 2 finite numbers as learned, got other ones of shape (2,).
    """
    w = np.asarray(coef, dtype=np.float64)
    if w.shape != (size,) or not (w < np.inf).all():
        raise ValueError(f"coef_: expected {size} finite numbers as learned, got other ones of shape {w.shape}.")
    return np.ascontiguousarray(w)
