"""Checked input and parameters: the only file that uses private parts of scikit-learn."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import assert_all_finite, check_random_state, column_or_1d
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval
from sklearn.utils._param_validation import Options as Options
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils._param_validation import validate_params as validate_params
from sklearn.utils.validation import _check_feature_names_in, _check_sample_weight, check_is_fitted, validate_data

from ..data import Dataset
from ..engines.dask_client import is_collection
from ..interrupt import INTERRUPT, interrupts, suspended
from ..jit import announced
from ..progress import shown
from ..validation import IN_PLACE, Magnitudes, as_canonical_csr, check_sparse, magnitudes, refuse_dates
from ._datasets import takes_dataset
from ._parted import Parted
from ._scale import Scale

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")
Method = TypeVar("Method", bound=Callable[..., Any])


class Sample(NamedTuple):
    """Checked data: X, in place or scaled, +1 / -1, weights (None: all 1), and the number of each row's class.

    Where a linear machine is learned, ``sign`` is 1 throughout and ``n_classes`` the number of classes; else that is 0.
    """

    X: Any
    sign: np.ndarray
    weight: np.ndarray | None
    label: np.ndarray
    n_classes: int = 0
    scale: Scale = Scale()


def set_parameters(estimator: BaseEstimator, arguments: dict[str, Any]) -> None:
    """Set the parameters of a constructor, as scikit-learn wants it: ``set_parameters(self, locals())``."""
    for name in inspect.signature(type(estimator)).parameters:
        setattr(estimator, name, arguments[name])


def check_parameters(estimator: BaseEstimator) -> None:
    """Check all parameters against `_parameter_constraints`."""
    estimator._validate_params()


def checked(**constraints: list[Any]) -> Callable[[Method], Method]:
    """A function whose parameters are checked, as those of estimators are."""
    return cast(Callable[[Method], Method], validate_params(constraints, prefer_skip_nested_validation=True))


def distinct(y: Any) -> np.ndarray:
    """The distinct labels, sorted: ``np.unique``, quicker where there are two whole numbers.

    >>> distinct(np.array([4, 2, 4])).tolist()
    [2, 4]
    """
    y = np.asarray(y)
    if y.dtype.kind in "iu" and y.size:
        least, most = y.min(), y.max()
        if least != most and bool(((y == least) | (y == most)).all()):
            return np.array([least, most], dtype=y.dtype)
    return np.unique(y)


def require_known_labels(y: np.ndarray, classes: np.ndarray) -> None:
    """Raise a ValueError that names the first label of ``y`` that is not in ``classes``.

    >>> require_known_labels(np.array(["a", "c"]), np.array(["a", "b"]))
    Traceback (most recent call last):
    ValueError: y: expected labels of ['a', 'b'], got 'c'.
    """
    known = np.isin(y, classes)
    if not known.all():
        raise ValueError(f"y: expected labels of {classes.tolist()}, got {y[~known].tolist()[0]!r}.")


def same_parameter(one: Any, other: Any) -> bool:
    """Whether a parameter has kept its value; arrays too, and lists of them."""
    if one is other:
        return True
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(same_parameter, one, other))
    try:
        return type(one) is type(other) and bool(np.all(one == other))
    except (TypeError, ValueError):
        return False


def all_or_nothing(method: Method) -> Method:
    """A method that leaves the estimator as it was if it fails.

    If Ctrl-C was pressed, what was learned until then is kept, and `KeyboardInterrupt` is raised. ``max_seconds`` is a
    budget of the whole call.
    """

    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        before, seconds = dict(vars(self)), getattr(self, "max_seconds", None)
        with (
            announced() if sys.stderr.isatty() else nullcontext(),
            shown(),
            interrupts(seconds if isinstance(seconds, Real) else None),
        ):
            try:
                return method(self, *args, **kwargs)
            except BaseException:
                vars(self).clear()
                vars(self).update(before)
                raise

    return takes_dataset(cast(Method, guarded))


def fit_inner(fit: Callable, *args: Any, **options: Any) -> bool:
    """Call the ``fit`` of any estimator inside one of ours; whether it is fitted then, which Ctrl-C may prevent."""
    with suspended():
        fit(*args, **options)
    if not INTERRUPT.pressed:
        return True
    try:
        check_is_fitted(fit.__self__)  # type: ignore[attr-defined]
    except NotFittedError:
        return False
    return True


def check_input(estimator: BaseEstimator, X, *y, finite: bool = True, **options):
    """X, or X and y, checked by scikit-learn and for compiled code; an error about NaN or infinity also says where.

    A sparse X is canonical afterwards.
    """
    X = X.rows.X if isinstance(X, Dataset) else X
    if isinstance(X, Parted):  # rows are checked already, where they are
        if X.is_sparse and options.get("accept_sparse", "csr") is False:
            raise TypeError(f"X: {type(estimator).__name__} takes dense rows only, got sparse ones.")
        validate_data(estimator, X.head, reset=options.get("reset", False), skip_check_array=True)
        return (X, *(as_column(each, warn=True) for each in y)) if y else X
    if not isinstance(X, np.ndarray) and is_collection(X):
        raise ValueError(f"X: {type(estimator).__name__} takes no dask collection here. Give it X.compute().")
    options = {"accept_sparse": "csr", "dtype": list(IN_PLACE), "reset": False, "ensure_all_finite": False, **options}
    canonical = check_sparse(X) if sp.issparse(X) else None
    refuse_dates(X)
    try:
        found = validate_data(estimator, X, *y, order="C", accept_large_sparse=True, **options)
    except (ValueError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from error
    checked = found[0] if y else found
    if sp.issparse(checked):
        same = X.format == "csr" and checked.indices is X.indices and checked.indptr is X.indptr
        checked = as_canonical_csr(checked, canonical=canonical if same else None)
    if finite:
        look_at(checked, X)
    return (checked, *found[1:]) if y else checked


def as_column(y: Any, warn: bool = False) -> np.ndarray:
    """Labels as a vector; an error is one sentence."""
    try:
        return column_or_1d(y, warn=warn)
    except ValueError as error:
        raise ValueError(" ".join(str(error).split())) from error


def look_at(X, given=None) -> Magnitudes:
    """The magnitudes of checked rows; NaN and infinity are refused."""
    if isinstance(X, Parted):
        return X.magnitudes
    found = magnitudes(X.data if sp.issparse(X) else X)
    if np.isfinite(found.largest):
        return found
    try:
        assert_all_finite(X, input_name="X")
    except ValueError as error:
        named = given if hasattr(given, "columns") else X
        raise ValueError(f"{str(error).splitlines()[0]} {first_not_finite(named)}") from None
    raise AssertionError("magnitudes and scikit-learn disagree on what is finite")


def finite_scores(estimator: BaseEstimator, X, score: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Scores of the rows of X, which are known to be finite afterwards without having been read twice.

    A NaN or infinity in X makes a score of its row NaN or infinite (0 inf = NaN), so X is looked at only if one is: it
    may be too large numbers, which are allowed.
    """
    if isinstance(X, Dataset):
        with X.within_memory() as rows:
            return finite_scores(estimator, rows.X, score)
    with np.errstate(invalid="ignore"):
        g = score(check_input(estimator, X, finite=False))
        if not np.isfinite(g.sum()):
            check_input(estimator, X)
    return g


def first_not_finite(X) -> str:
    """Where the first NaN or infinity of X is, in words."""
    if sp.issparse(X):
        entries = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(entries.data))
        row, column = int(entries.row[bad[0]]), int(entries.col[bad[0]])
    else:
        row, column = (int(at[0]) for at in np.nonzero(~np.isfinite(np.asarray(X, dtype=np.float64))))
    names = getattr(X, "columns", None)
    return f"The first is in row {row}, column {column if names is None else repr(list(names)[column])}."


def check_sample_weight(sample_weight: Any, X: Any) -> np.ndarray | None:
    """The weights as float64, finite and not negative; None if none are given."""
    if sample_weight is None:
        return None
    X = np.zeros((len(X), 1)) if isinstance(X, list | tuple) else X
    try:
        return np.array(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    except (ValueError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def check_start(start: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An initial w, finite and of this shape.

    >>> check_start([1, 2], (3,))
    Traceback (most recent call last):
    ValueError: start: expected 3 finite numbers, the bias last, got an array of shape (2,).
    """
    try:
        w = np.array(start, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"start: expected numbers, got {start!r:.80}.") from error
    if w.shape != shape or not np.isfinite(w).all():
        expected = " x ".join(map(str, shape)) + " finite numbers, the bias last"
        found = f"an array of shape {w.shape}" if w.shape != shape else "NaN or infinity"
        raise ValueError(f"start: expected {expected}, got {found}.")
    return w


def check_feature_names(estimator: BaseEstimator, input_features: Any) -> list[str]:
    """The names of the columns: the given ones, those of ``fit``, or x0, x1, ..."""
    return list(_check_feature_names_in(estimator, input_features))


def make_rng(estimator: Any) -> np.random.Generator | None:
    """The generator that shuffles the visits; None if ``shuffle`` is False."""
    if not estimator.shuffle:
        return None
    return np.random.default_rng(check_random_state(estimator.random_state).randint(2**31))


_HELD: ContextVar[list[str] | None] = ContextVar("held", default=None)


@contextmanager
def held_warnings() -> Iterator[list[str]]:
    """Inside the block `warn_user` says nothing, but collects: what other threads call has no line of the user."""
    messages: list[str] = []
    token = _HELD.set(messages)
    try:
        yield messages
    finally:
        _HELD.reset(token)


def warn_user(message: str) -> None:
    """A ConvergenceWarning that points to the line outside linsep that called us."""
    held = _HELD.get()
    if held is not None:
        held.append(message)
        return
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("linsep."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ConvergenceWarning, stacklevel=level)


def say_briefly(reason: str) -> str:
    """Why learning ended, without numbers: so that the warnings of many fits are the same, and shown once.

    >>> say_briefly("the budget of 20 passes is spent"), say_briefly("rounding hides what could still be gained")
    ('the budget is spent', 'rounding hides what could still be gained')
    """
    return "the budget is spent" if any(map(str.isdigit, reason)) or not reason else reason


def print_record(verbose: int, record: dict[str, float]) -> dict[str, float]:
    """An entry of the history, printed if ``verbose``."""
    if verbose:
        print("  ".join(f"{name} {value:.6g}" for name, value in record.items()), file=sys.stderr)
    return record
