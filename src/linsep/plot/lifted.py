"""The points where a lift puts them, and the line or plane that separates them there (B3, Cover's theorem)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .axes_3d import draw_plane_3d, prepare_axes_3d
from .geometry import bounding_box, clip_line
from .plane import shade_sides
from .plot_data import PlotData, check_two_classes
from .style import (
    DOTTED,
    GREY,
    INK,
    draw_legend,
    format_linear,
    make_axes,
    prepare_axes,
    scatter_classes,
    styled,
    write_title,
)


@styled
def lifted(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw lifted points and the hyperplane of their rule: S0's (x, x²), S3's figure of Cover's theorem.

    .. math:: x \mapsto \varphi(x), \qquad g(x) = \langle w,\varphi(x)\rangle + w_0

    A lift to two columns is drawn in the plane, a lift to three in space.

    Parameters
    ----------
    rule : Lifted or Pipeline
        A fitted lift to two or three columns, followed by a linear classifier.
    X : array-like of shape (n_samples, n_features)
        Points before the lift.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    ax : matplotlib Axes, default=None
        Where to draw; with ``projection="3d"`` for three columns. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep import Lifted, Perceptron, Quadratic
    >>> X, y = [[-2.0], [0.0], [0.5], [2.0]], [1, 0, 0, 1]
    >>> rule = Lifted(Quadratic(centre=False, scale=False), Perceptron(keep="last")).fit(X, y)
    >>> ax = lifted(rule, X, y, Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x0^2')
    """
    lift, classifier = _get_parts(rule)
    Z = np.asarray(lift.transform(X), dtype=np.float64)
    if Z.ndim != 2 or Z.shape[1] not in (2, 3):
        raise ValueError(f"lifted: expected a lift to two or three columns, got {Z.shape[-1]}.")
    depth = Z.shape[1] == 3
    if ax is None:
        ax = make_axes(1, None, ["3d" if depth else None])[0]
    if depth != (ax.name == "3d"):
        raise ValueError(f"lifted: {Z.shape[1]} columns need axes {'with' if depth else 'without'} projection='3d'.")
    names = _name_columns(lift, Z.shape[1])
    data = check_two_classes(Z, y, "lifted", columns=(2, 3), classes=classifier.classes_)
    w, w0 = np.ravel(classifier.coef_), float(np.ravel(classifier.intercept_)[0])
    if depth:
        _draw_space(ax, data, names, w, w0)
    else:
        _draw_plane(prepare_axes(ax), data, names, w, w0, _trace_line(lift, X))
    return ax


def _trace_line(lift: Any, X: Any) -> np.ndarray:
    """Return where the lift puts the line between points of one column: the parabola of (x, x²); no rows of others."""
    x = np.asarray(X, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 1:
        return np.zeros((0, 2))
    room = 0.06 * float(np.ptp(x))
    return np.asarray(lift.transform(np.linspace(x.min() - room, x.max() + room, 200)[:, None]), dtype=np.float64)


# many arguments because: it is private, and a picture has so many parts
def _draw_plane(ax: Axes, data: PlotData, names: Any, w: np.ndarray, w0: float, curve: np.ndarray) -> None:
    """Draw two lifted columns, their line, and the curve that the points are on; each column has its own scale."""
    box = bounding_box(np.vstack([data.X, curve]), pad=0.06)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=names[0], ylabel=names[1])
    shade_sides(ax, box, w, w0)
    if len(curve):
        ax.plot(*curve.T, color=GREY, lw=1.3, ls=DOTTED, label="φ(x)", zorder=1)
    ax.plot(*clip_line(box, w, w0).T, color=INK, label="g(x) = 0", zorder=2)
    scatter_classes(ax, *data[:3])
    wrong = data.count_wrong(data.X @ w + w0)
    write_title(ax, f"g(x) = {format_linear(w, w0, tuple(map(_in_brackets, names)))}{wrong}")
    draw_legend(ax)


def _draw_space(ax: Any, data: PlotData, names: tuple[str, ...], w: np.ndarray, w0: float) -> None:
    """Draw three lifted columns, and the plane."""
    prepare_axes_3d(ax, data.X, names)
    draw_plane_3d(ax, w, w0, label="⟨w,φ(x)⟩ + w₀ = 0")
    scatter_classes(ax, *data[:3], depthshade=False)
    wrong = data.count_wrong(data.X @ w + w0)
    write_title(ax, f"lifted to ({', '.join(names)}): {wrong.strip(' ()') or 'separated by a plane'}")
    ax.view_init(elev=12, azim=-60)
    draw_legend(ax)


def _get_parts(rule: Any) -> tuple[Any, Any]:
    """Return the lift and the classifier of a lifted rule or of a pipeline."""
    if hasattr(rule, "lift_") and hasattr(rule, "classifier_"):
        return rule.lift_, rule.classifier_
    if hasattr(rule, "steps") and len(rule.steps) > 1:
        return rule[:-1], rule[-1]
    raise ValueError(f"lifted: expected a fitted Lifted or a pipeline of a lift and a classifier, got {rule!r}.")


def _in_brackets(name: str) -> str:
    """A name that can stand behind a factor.

    >>> _in_brackets("x^2 - 1"), _in_brackets("x1·x2")
    ('(x^2 - 1)', 'x1·x2')
    """
    return f"({name})" if re.search(r"[-+−/ ]", name) else name


def _name_columns(lift: Any, count: int) -> tuple[str, ...]:
    """Return the names of the lifted columns."""
    try:
        return tuple(map(str, lift.get_feature_names_out()))
    except (AttributeError, ValueError):
        return tuple(f"φ{'₁₂₃'[k]}" for k in range(count))
