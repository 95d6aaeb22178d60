"""The lectures' criteria J, J_p, J_r and J_s over two weights: contours or a surface, and the path of descent (C5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from ..oracles import points
from ..rows.matrix import VectorMatrix
from ..rules import make_increment
from ..solvers.gradient_descent import Criterion, descend, named_criterion
from .axes_3d import prepare_axes_3d
from .geometry import PlotBox, bounding_box
from .labels import write_beside
from .plot_data import PlotData, check_two_classes
from .replay import check_start
from .style import BLUE, GREEN, INK, SMALL, draw_legend, format_number, make_axes, prepare_axes, styled, write_title
from .weight_space import compute_cone, draw_arrows, number_steps

NAMES = {
    "errors": "$J(w)$, the number of violated vectors",
    "perceptron": "$J_p(w)$ = Σ (b − ⟨w,a⟩) of violated vectors",
    "relaxation": "$J_r(w)$ = ½ Σ (⟨w,a⟩ − b)²/|a|² of violated vectors",
    "squares": "$J_s(w)$ = Σ (⟨w,a⟩ − b)² of all vectors",
}
SHORT = {"errors": "$J$", "perceptron": "$J_p$", "relaxation": "$J_r$", "squares": "$J_s$"}
GRID = {"contours": 161, "surface": 61}  # points per side
LEVELS = 14
SHADES = LinearSegmentedColormap.from_list("shades", ["white", BLUE])


@styled
def criterion(
    X: Any, y: Any, criterion: Any = "perceptron", ax: Axes | None = None, *, margin: float | None = None,
    start: Any = None, rate: Any = None, steps: int = 12, surface: bool = False,
) -> Axes:  # fmt: skip
    r"""Draw a criterion of two weights and the path of gradient descent on it (S0 (25)-(29), S1, S3).

    .. math:: J = \sum_{s_i \le b} 1, \quad J_p = \sum_{s_i \le b} (b - s_i), \quad
              J_r = \tfrac12 \sum_{s_i \le b} \frac{(s_i - b)^2}{|a_i|^2}, \quad J_s = \sum_i (s_i - b)^2,
              \qquad s_i = \langle w,a_i\rangle

    J has steps: its gradient is 0 or undefined, so that no descent is drawn. The path of the others is
    :math:`w \leftarrow w - \eta(k) \nabla J(w)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points. With two columns w has no bias, with one column w = (w1, w0).
    y : array-like of shape (n_samples,)
        Labels of two classes.
    criterion : {"errors", "perceptron", "relaxation", "squares"} or (function, function), default="perceptron"
        J, J_p, J_r, J_s, or your own J and its gradient, as for `linsep.GradientDescent`.
    ax : matplotlib Axes, default=None
        Where to draw; with ``projection="3d"`` for a surface. None: a new figure.
    margin : float, default=None
        b. None: 0 for "errors" and "perceptron", 1 for the others.
    start : array-like of shape (2,), default=None
        The initial w. None: minus the mean of the vectors, which most of them violate.
    rate : float, "1/k", "1/sqrt(k)", callable or None, default=None
        :math:`\eta(k)`. None: halved until J falls enough (Armijo).
    steps : int, default=12
        Largest number of steps.
    surface : bool, default=False
        A surface over the plane of the weights instead of contours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> criterion([[1.0], [3.0]], [0, 1], "errors", Figure().subplots()).get_title()
    '$J(w)$, the number of violated vectors'
    """
    data = check_two_classes(X, y, "criterion", columns=(1, 2))
    if ax is None:
        ax = make_axes(1, (6.4, 6.2), ["3d" if surface else None])[0]
    if surface != (ax.name == "3d"):
        raise ValueError(f"criterion: surface={surface} needs axes {'with' if surface else 'without'} projection='3d'.")
    A = VectorMatrix(points(data.X, data.sign, bias=1.0 if data.X.shape[1] == 1 else 0.0))
    J, title = read_criterion(criterion, margin)
    first = -data.vectors.mean(axis=0) if start is None else check_start(start, 2)
    path = np.array([first] if criterion == "errors" else compute_descent(A, J, first, rate, steps))

    def compute_value(w: np.ndarray) -> float:
        return J.value(pad_weights(w, A), A)

    (_draw_surface if surface else _draw_contours)(ax, data, compute_value, path, SHORT.get(str(criterion), "$J$"))
    write_title(ax, title)
    draw_legend(ax)
    return ax


def read_criterion(given: Any, margin: float | None) -> tuple[Criterion, str]:
    """Return a criterion by its name, or the reader's own, and its title."""
    if isinstance(given, tuple) and len(given) == 2:
        return Criterion(*given), "$J(w)$, the given criterion"
    if given not in NAMES:
        raise ValueError(f"criterion: expected one of {', '.join(NAMES)} or two functions, got {given!r}.")
    b = float(given in ("relaxation", "squares")) if margin is None else float(margin)
    title = NAMES[given] + (f", b = {format_number(b)}" if b > 0 else "")
    if given == "errors":
        return Criterion(lambda w, A: float(np.sum(A @ w <= b)), lambda w, A: np.zeros_like(w)), title
    return named_criterion(given, b), title if b > 0 else title.replace("b − ⟨w,a⟩", "−⟨w,a⟩")


def compute_descent(A: VectorMatrix, J: Criterion, w: np.ndarray, rate: Any, steps: int) -> list[np.ndarray]:
    """Return the successive w of gradient descent, at most ``steps`` of them, until one does not move."""
    path, schedule = [w], None if rate is None else make_increment(rate)
    for step in islice(descend(A, J, pad_weights(w, A), schedule), steps):
        if step.moved <= 1e-9 * max(1.0, float(np.linalg.norm(step.w))):
            break
        path.append(step.w[:2])
    return path


def pad_weights(w: np.ndarray, A: VectorMatrix) -> np.ndarray:
    """Return two weights as all those of the rows: without a bias its place has a 0."""
    return np.append(w, np.zeros(A.shape[1] - 2))


def compute_grid(value: Callable, box: PlotBox, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and J of every point of a grid in the box."""
    x, y = np.linspace(*box[:2], size), np.linspace(*box[2:], size)
    return x, y, np.array([[value(np.array([one, two])) for one in x] for two in y])


def _fit_box(ax: Axes, data: PlotData, path: np.ndarray) -> PlotBox:
    """Return a box around 0 and the path, at least as far as the path's longest w in all directions."""
    reach = 0.8 * float(np.linalg.norm(path, axis=1).max()) or 1.0
    return bounding_box(np.vstack([path, [[-reach, -reach], [reach, reach]]]), ratio=1.0)


def _name_weights(data: PlotData) -> tuple[str, str]:
    return "w₁", "w₂" if data.X.shape[1] == 2 else "w₀"


def _draw_contours(ax: Axes, data: PlotData, value: Callable, path: np.ndarray, name: str) -> None:
    prepare_axes(ax)
    box = _fit_box(ax, data, path)
    first, second = _name_weights(data)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=first, ylabel=second)
    ax.set_aspect("equal", adjustable="box")
    x, y, J = compute_grid(value, box, GRID["contours"])
    if name == SHORT["errors"] and np.array_equal(J, np.round(J)):  # the number of errors has steps
        levels = np.arange(J.min(), J.max() + 2) - 0.5
        mesh = ax.pcolormesh(x, y, J, cmap=SHADES, vmin=0, vmax=J.max() * 1.3 + 1, shading="nearest", rasterized=True)
        mesh.set_zorder(0)
        ax.figure.colorbar(mesh, ax=ax, ticks=np.unique(J), boundaries=levels, shrink=0.8, label=name)
    else:
        levels = J.min() + (J.max() - J.min()) * np.linspace(0, 1, LEVELS) ** 2
        shades = ax.contourf(x, y, J, levels=levels, cmap=SHADES, alpha=0.75, zorder=0)
        ax.contour(x, y, J, levels=levels[1:], colors=BLUE, linewidths=0.7, alpha=0.8, zorder=1)
        ax.figure.colorbar(shades, ax=ax, shrink=0.8, label=name, format=lambda at, _: format_number(round(at, 2)))
    cone = compute_cone(data.vectors, box)
    if len(cone):
        ax.fill(*cone.T, fc="none", ec=GREEN, hatch="//", lw=1.2, alpha=0.6, label="solution cone", zorder=1)
    ax.plot(0, 0, "+", color=INK, ms=10, zorder=3)
    if len(path) > 1:
        draw_arrows(ax, path[:-1], np.diff(path, axis=0), color=INK, width=0.007, label="gradient descent", zorder=4)
        ax.plot(*path.T, ".", color=INK, ms=7, zorder=4)
    for point, label in number_steps(path).items() if len(path) > 1 else ():
        if label == "0" or str(len(path) - 1) in label:
            write_beside(ax, point, np.array(point), label, size=SMALL, color=INK, zorder=6)


def _draw_surface(ax: Any, data: PlotData, value: Callable, path: np.ndarray, name: str) -> None:
    box = _fit_box(ax, data, path)
    x, y, J = compute_grid(value, box, GRID["surface"])
    corners = np.array([[box.left, box.bottom, 0.0], [box.right, box.top, J.max()]])
    prepare_axes_3d(ax, corners, (*_name_weights(data), name), pad=0.0)
    if name == SHORT["errors"] and np.array_equal(J, np.round(J)):
        _draw_plateaus(ax, x, y, J)
    else:
        ax.plot_surface(*np.meshgrid(x, y), J, cmap=SHADES, vmin=-0.3 * J.max(), vmax=J.max(), alpha=0.7,
                        edgecolor=BLUE, lw=0.15, rcount=GRID["surface"], ccount=GRID["surface"])  # fmt: skip
    if len(path) > 1:
        height = np.array([value(w) for w in path])
        ax.plot(*path.T, height, color=INK, marker=".", ms=8, label="gradient descent", zorder=10)


def _draw_plateaus(ax: Any, x: np.ndarray, y: np.ndarray, J: np.ndarray) -> None:
    """Draw a function with steps as level squares, without walls between them."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    half_x, half_y = 0.5 * (x[1] - x[0]), 0.5 * (y[1] - y[0])
    around = np.array([[-half_x, -half_y], [half_x, -half_y], [half_x, half_y], [-half_x, half_y]])
    centres = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 1, 2)
    heights = np.repeat(J.reshape(-1, 1, 1), 4, axis=1)
    squares = np.concatenate([centres + around, heights], axis=2)
    ax.add_collection3d(Poly3DCollection(squares, facecolors=SHADES((J.ravel() + 1) / (J.max() + 2)), lw=0))
