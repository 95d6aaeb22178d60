"""The capacity (VC dimension) of linear rules: from the dimension, from the margin, of a fitted classifier (A4)."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.extmath import row_norms

from ..rows.ball import EPS, enclosing_ball
from ..validation import as_finite_rows, check_sparse

FROM_DIMENSION, FROM_MARGIN, UNKNOWN_CAPACITY = "n+1", "R²/m²+1", "unknown"


def dimension_capacity(n: int) -> int:
    """Return the capacity n + 1 of linear rules <w,x> + w0 in n dimensions (S4's n + 2 is a misprint).

    Parameters
    ----------
    n : int
        Number of features.

    Examples
    --------
    >>> dimension_capacity(2)    # three points of the plane can be divided in all ways, four cannot: XOR
    3
    """
    if not (isinstance(n, Integral) and n >= 0):
        raise ValueError(f"n: expected a number of features >= 0, got {n!r}.")
    return int(n) + 1


def margin_capacity(radius: float, margin: float) -> float:
    r"""Return the capacity of hyperplanes with a margin, in any dimension: :math:`h \le R^2/m^2 + 1`, rounded up.

    It is the capacity of the hyperplanes with a distance of at least m from all points to be classified, these
    points being in a ball of radius R; an upper bound of R and a lower bound of m can be used too.
    S0 does not say "rounded up", but the corners of an equilateral triangle can be divided in all ways with
    m = 3/4 R, and 3 > 16/9 + 1; :math:`\lceil R^2/m^2 \rceil + 1` holds (Burges 1998, theorem 6).

    Two assumptions are not guaranteed. New points, too, are assumed to lie in the ball and outside the margin. And (1)
    needs a capacity that was fixed *before* the data were seen, while m and R are usually computed from them: a bound
    with this h is then a guide, not a proof.

    Parameters
    ----------
    radius : float
        R.
    margin : float
        m.

    Examples
    --------
    >>> margin_capacity(radius=2.0, margin=0.5)
    17.0
    >>> margin_capacity(radius=1.0, margin=0.75)
    3.0
    """
    if not (isinstance(radius, Real) and 0 <= radius < math.inf):
        raise ValueError(f"radius: expected a finite number >= 0, got {radius!r}.")
    if not (isinstance(margin, Real) and margin > 0):
        raise ValueError(f"margin: expected a positive number, got {margin!r}; a rule that does not separate has none.")
    ratio = float(radius) / float(margin)
    return float(np.ceil(ratio * ratio)) + 1


class Capacity(NamedTuple):
    """The capacity of the class from which a rule was chosen, and how it was computed."""

    h: float
    source: str  # "n+1", "R²/m²+1" or "unknown"
    n: int | None = None  # features of the linear classifier
    radius: float | None = None  # of a ball around its rows, if it separates them
    margin: float | None = None  # m, if it separates them


def compute_capacity(model: Any, X: Any, y: Any) -> Capacity:
    """Return the capacity of the class of a fitted two-class rule: n+1, or R²/m²+1 if that is smaller.

    Both are computed from the rows that the linear classifier gets, after all other steps of a pipeline; m is its
    margin on X, less rounding. Without ``coef_`` the capacity is not known.

    Parameters
    ----------
    model : classifier
        A fitted two-class rule, `Lifted` or pipeline.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1]
    >>> compute_capacity(LinearSVC().fit(X, y), X, y).h
    3
    """
    classifier = get_final_classifier(model)
    if not hasattr(classifier, "coef_"):
        return Capacity(math.inf, UNKNOWN_CAPACITY)
    w, w0 = _get_hyperplane(classifier)
    by_dimension = Capacity(dimension_capacity(w.size), FROM_DIMENSION, w.size)
    if sp.issparse(X):
        check_sparse(X)
    Z = as_finite_rows(_transform(model, X))
    if np.shape(y) != Z.shape[:1] or Z.shape[1] != w.size:
        raise ValueError(f"X, y: expected {w.size} columns and a label per row, got {Z.shape} and {np.shape(y)}.")
    m = _compute_margin(Z, np.where(np.asarray(y) == classifier.classes_[1], 1, -1), w, w0)
    if m <= 0:
        return by_dimension
    radius = enclosing_ball(Z, tol=1e-2).radius
    h = margin_capacity(radius, m)
    if h >= by_dimension.h:
        return by_dimension._replace(radius=radius, margin=m)
    return Capacity(h, FROM_MARGIN, w.size, radius, m)


def _get_hyperplane(classifier: Any) -> tuple[np.ndarray, float]:
    """Return w and w0 of a two-class rule; of two functions, the greater of which decides, their difference."""
    coef = classifier.coef_
    w = np.atleast_2d(np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64))
    w0 = np.ravel(getattr(classifier, "intercept_", 0.0)).astype(np.float64)
    if len(w) == 2:
        return w[1] - w[0], float(w0[-1] - w0[0])
    return w[0], float(w0[0])


def _compute_margin(Z, sign: np.ndarray, w: np.ndarray, w0: float) -> float:
    """Return the smallest signed distance of the rows, less a bound of its rounding error; -inf for w = 0."""
    norm = float(np.linalg.norm(w))
    if norm == 0:
        return -math.inf
    u, u0 = w / norm, w0 / norm
    rounding = (w.size + 4) * EPS * (math.sqrt(float(row_norms(Z, squared=True).max())) + abs(u0))
    return float(np.min(sign * (Z @ u + u0))) - rounding


def get_final_classifier(model: Any) -> Any:
    """Return the last step of a pipeline, the classifier of a `linsep.Lifted`, or the model itself."""
    if isinstance(model, Pipeline):
        return get_final_classifier(model.steps[-1][1])
    if hasattr(model, "lift") and hasattr(model, "classifier"):
        return get_final_classifier(getattr(model, "classifier_", model.classifier))
    return model


def _transform(model: Any, X: Any) -> Any:
    """Return the rows that the final classifier gets."""
    if isinstance(model, Pipeline):
        return _transform(model.steps[-1][1], model[:-1].transform(X) if len(model) > 1 else X)
    return _transform(model.classifier_, model.lift_.transform(X)) if hasattr(model, "lift_") else X
