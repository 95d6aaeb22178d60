"""The decisions of a rule for any number of classes: regions of the plane, or densities on a line (A1, A2)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from .geometry import bounding_box
from .plot_data import PlotData, check_data
from .style import GREY, INK, class_colour, draw_legend, prepare_axes, scatter_classes

RESOLUTION = 240  # pixels per side at which the rule is evaluated
SHADE = 0.2  # share of a class's colour in its region


def strategy(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Draw the points, and the decisions of the rule around them; the reject region is hatched.

    With two columns the plane is shaded in the colours of the decisions. With one column the curves are p(k) p(x|k),
    above the intervals of the decisions.

    Parameters
    ----------
    rule : classifier
        Any fitted classifier, with ``predict`` and ``classes_``, and ``decisions_`` if it may reject. With one column
        it must have densities (`linsep.bayes.Bayes`).
    X : array-like of shape (n_samples, 1) or (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(predict=lambda X: (X[:, 0] > 1).astype(int), classes_=np.array([0, 1]))
    >>> strategy(rule, [[0.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0, 1, 0], Figure().subplots()).get_title()
    '1 of 3 wrong'
    """
    if not hasattr(rule, "classes_") or not hasattr(rule, "predict"):
        raise ValueError(f"strategy: expected a fitted classifier, {type(rule).__name__} has no classes_ or predict.")
    data = check_data(X, y, "strategy", columns=(1, 2), classes=rule.classes_)
    ax = prepare_axes(ax)
    (_draw_plane if data.X.shape[1] == 2 else _draw_densities)(ax, rule, data)
    decided = _decide(rule, data.X)
    rejected = decided == len(data.classes)
    title = f"{int(np.sum((decided != data.class_index) & ~rejected))} of {len(data.X)} wrong"
    if len(getattr(rule, "decisions_", data.classes)) > len(data.classes):
        title += f", {int(rejected.sum())} rejected"
        ax.add_patch(Rectangle(ax.viewLim.min, 0, 0, fc="#E8E8E8", ec=GREY, hatch="///", lw=0, label="reject"))
    ax.set_title(title, fontsize=10)
    draw_legend(ax)
    return ax


def _decide(rule: Any, X: np.ndarray) -> np.ndarray:
    """Return the index of the decision for every row: that of the class, or their number for a reject."""
    decisions = np.asarray(getattr(rule, "decisions_", rule.classes_)).tolist()
    index = {label: d for d, label in enumerate(decisions)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # a grid has none
        return np.array([index[label] for label in np.asarray(rule.predict(X)).tolist()])


def _shade(d: int, data: PlotData) -> np.ndarray:
    """Return the light colour of a decision's region."""
    return 1 - SHADE * (1 - np.array(to_rgb(class_colour(d) if d < len(data.classes) else GREY)))


def _draw_plane(ax: Axes, rule: Any, data: PlotData) -> None:
    box = bounding_box(data.X)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=data.names[0], ylabel=data.names[1])
    # the centres of the pixels
    x, y = (np.linspace(low, high, 2 * RESOLUTION + 1)[1::2] for low, high in (box[:2], box[2:]))
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    decided = _decide(rule, grid.reshape(-1, 2)).reshape(RESOLUTION, RESOLUTION)
    shades = np.array([_shade(d, data) for d in range(len(data.classes) + 1)])
    ax.imshow(shades[decided], extent=box, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    for d in np.unique(decided):
        here = (decided == d).astype(float)
        if d == len(data.classes):
            hatched = ax.contourf(x, y, here, levels=[0.5, 1.5], colors="none", hatches=["///"], zorder=1)
            hatched.set(edgecolor=GREY, linewidth=0)
        if here.min() == 0:
            ax.contour(x, y, here, levels=[0.5], colors=INK, linewidths=0.9, zorder=2)
    scatter_classes(ax, *data[:3])


def _draw_densities(ax: Axes, rule: Any, data: PlotData) -> None:
    model: Any = getattr(getattr(rule, "strategy_", None), "model", None)
    if not hasattr(model, "log_joint"):
        raise ValueError(f"strategy: {type(rule).__name__} has no densities to be drawn over one column.")
    low, high = data.X.min(), data.X.max()
    pad = 0.12 * ((high - low) or 1.0)
    x = np.linspace(low - pad, high + pad, 4 * RESOLUTION)
    curves = np.exp(model.log_joint(x[:, None]))
    top = 1.08 * curves.max()
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.12 * top, top), xlabel=data.names[0], ylabel="p(k) p(x|k)")
    decided = _decide(rule, x[:, None])
    for interval in np.split(np.arange(x.size), np.flatnonzero(np.diff(decided)) + 1):
        d = int(decided[interval[0]])
        hatch = "///" if d == len(data.classes) else None
        end = x[min(interval[-1] + 1, x.size - 1)]
        ax.axvspan(x[interval[0]], end, fc=_shade(d, data), ec=GREY, hatch=hatch, lw=0, zorder=0)
    for k, label in enumerate(data.classes):
        colour = class_colour(k)
        ax.plot(x, curves[:, k], color=colour, lw=1.8, label=f"class {label}", zorder=2)
        of = data.X[data.class_index == k, 0]
        ax.scatter(of, np.full(of.size, -0.06 * top), s=60, c=colour, marker="|", alpha=0.7, linewidths=0.8, zorder=3)
