"""The capacity (VC dimension) of linear rules: from the dimension, from the margin, of a fitted classifier (A4)."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.extmath import row_norms

from .ball import EPS, enclosing_ball

DIMENSION, MARGIN, UNKNOWN = "n+1", "R²/m²+1", "unknown"


def dimension_capacity(n: int) -> int:
    """The capacity of linear rules <w,x> + w0 in n dimensions: n + 1 (S4's n + 2 is a misprint).

    >>> dimension_capacity(2)    # three points of the plane in all ways, four not: no line parts an XOR
    3
    """
    if not (isinstance(n, Integral) and n >= 0):
        raise ValueError(f"n={n!r}: a number of features, 0 or more, is wanted.")
    return int(n) + 1


def margin_capacity(radius: float, margin: float) -> float:
    r"""The capacity of hyperplanes with a margin, in any number of dimensions: :math:`h \le R^2/m^2 + 1`, rounded up.

    It is the capacity of the hyperplanes that keep a distance of at least m from all points they are asked
    about, these points being in a ball of radius R; an upper bound of R and a lower bound of m are good too.
    S0 does not say "rounded up", but the corners of an equilateral triangle can be parted in all ways with
    m = 3/4 R, and 3 > 16/9 + 1; :math:`\lceil R^2/m^2 \rceil + 1` holds (Burges 1998, theorem 6).

    Two things are assumed, with care. New points are taken to lie in the ball and off the margin as well, which
    nobody has promised. And (1) wants a capacity that was fixed *before* the data were seen, while m and R are
    usually read off them: a bound with this h is then a guide, not a proof.

    >>> margin_capacity(radius=2.0, margin=0.5)
    17.0
    >>> margin_capacity(radius=1.0, margin=0.75)
    3.0
    """
    if not (isinstance(radius, Real) and 0 <= radius < math.inf):
        raise ValueError(f"radius={radius!r}: a finite radius, 0 or more, is wanted.")
    if not (isinstance(margin, Real) and margin > 0):
        raise ValueError(f"margin={margin!r}: a positive margin is wanted; a rule that does not separate has none.")
    ratio = float(radius) / float(margin)
    return float(np.ceil(ratio * ratio)) + 1


class Capacity(NamedTuple):
    """The capacity of the class one rung chose from, and what it was taken from."""

    h: float
    source: str  # "n+1", "R²/m²+1" or "unknown"
    n: int | None = None  # features the linear classifier sees
    radius: float | None = None  # of a ball around the rows it sees, if it separates them
    margin: float | None = None  # m, likewise


def capacity_of(model: Any, X: Any, y: Any) -> Capacity:
    """The capacity of the class a fitted two-class rule was chosen from: n+1, or R²/m²+1 if that is smaller.

    Both are taken where the linear classifier is, after all other steps of a pipeline; m is its margin on X, less
    rounding, and R belongs to a ball around the lifted rows. Without ``coef_`` the capacity is not known.

    >>> from sklearn.svm import LinearSVC
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1]
    >>> capacity_of(LinearSVC().fit(X, y), X, y).h
    3
    """
    classifier = last(model)
    if not hasattr(classifier, "coef_"):
        return Capacity(math.inf, UNKNOWN)
    w, w0 = _hyperplane(classifier)
    flat = Capacity(dimension_capacity(w.size), DIMENSION, w.size)
    Z = check_array(_seen(model, X), accept_sparse="csr", dtype=[np.float64, np.float32])
    m = _margin(Z, np.where(np.asarray(y) == classifier.classes_[1], 1, -1), w, w0)
    if m <= 0:
        return flat
    radius = enclosing_ball(Z, tol=1e-2).radius
    h = margin_capacity(radius, m)
    if h >= flat.h:
        return flat._replace(radius=radius, margin=m)
    return Capacity(h, MARGIN, w.size, radius, m)


def _hyperplane(classifier: Any) -> tuple[np.ndarray, float]:
    """w and w0 of a two-class rule; of two functions whose larger one wins, their difference."""
    coef = classifier.coef_
    w = np.atleast_2d(np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64))
    w0 = np.ravel(getattr(classifier, "intercept_", 0.0)).astype(np.float64)
    if len(w) == 2:
        return w[1] - w[0], float(w0[-1] - w0[0])
    return w[0], float(w0[0])


def _margin(Z, sign: np.ndarray, w: np.ndarray, w0: float) -> float:
    """The smallest signed distance of the rows, less what rounding may have added; -inf at w = 0."""
    norm = float(np.linalg.norm(w))
    if norm == 0:
        return -math.inf
    u, u0 = w / norm, w0 / norm
    rounding = (w.size + 4) * EPS * (math.sqrt(float(row_norms(Z, squared=True).max())) + abs(u0))
    return float(np.min(sign * (Z @ u + u0))) - rounding


def last(model: Any) -> Any:
    """The classifier itself: the last step of a pipeline, the one behind a lift (`linsep.Lifted`), or the model."""
    if isinstance(model, Pipeline):
        return last(model.steps[-1][1])
    if hasattr(model, "lift") and hasattr(model, "classifier"):
        return last(getattr(model, "classifier_", model.classifier))
    return model


def _seen(model: Any, X: Any) -> Any:
    """X as the classifier sees it, after all lifts."""
    if isinstance(model, Pipeline):
        return _seen(model.steps[-1][1], model[:-1].transform(X) if len(model) > 1 else X)
    return _seen(model.classifier_, model.lift_.transform(X)) if hasattr(model, "lift_") else X
