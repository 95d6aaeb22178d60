"""The decisions of a rule for any number of classes: regions of the plane, or densities on a line (A1, A2)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from .borders import divide_plane
from .geometry import PlotBox, bounding_box
from .plot_data import PlotData, check_data
from .style import (
    GREY,
    INK,
    class_colour,
    class_name,
    draw_legend,
    mix,
    prepare_axes,
    scatter_classes,
    styled,
    write_title,
)

SHADE = 0.2  # share of a class's colour in its region
POINTS = 960  # of a curve
DEVIATIONS = (3.0, 2.0, 1.0)  # contours are where the density of a Gaussian is so many deviations from its mean
DRAWN = 300  # rows of each class drawn from known densities, to find the limits of a picture without data


@styled
def strategy(rule: Any, X: Any = None, y: Any = None, ax: Axes | None = None, contours: bool = False) -> Axes:
    r"""Draw the decisions of any rule, and the points; the reject region is hatched (S0, S3, S4 slide 3).

    .. math:: q(x) = \arg\min_d \sum_k p(k)\, p(x|k)\, W(d,k)

    With two columns the plane is shaded in the colours of the decisions. With one column the curves are p(k) p(x|k),
    above the intervals of the decisions (S3 "Class Conditional Density").

    Parameters
    ----------
    rule : classifier or Strategy
        Any fitted classifier, with ``predict`` and ``classes_``, and ``decisions_`` if it may reject. With one column
        it must have densities (`linsep.bayes.Bayes`). Of known densities a `linsep.bayes.Strategy`.
    X : array-like of shape (n_samples, 1) or (n_samples, 2), default=None
        Points. None: the densities must be known.
    y : array-like of shape (n_samples,), default=None
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    contours : bool, default=False
        Two columns: draw where p(x\|k) is exp(-r²/2) of its largest value, r = 1, 2, 3; of a Gaussian these are the
        ellipses of r deviations.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep.bayes import Gaussian, Model, Strategy
    >>> model = Model([Gaussian.from_parameters([mean], [[1.0]]) for mean in (0.0, 2.0)])
    >>> ax = strategy(Strategy(model), ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1']
    """
    classes = getattr(rule, "classes_", getattr(_get_model(rule), "classes_", None))
    if classes is None or not hasattr(rule, "predict"):
        raise ValueError(f"strategy: expected a fitted classifier, {type(rule).__name__} has no classes_ or predict.")
    known = X is None
    X, y = _draw_rows(rule) if known else (X, y)
    data = check_data(X, y, "strategy", columns=(1, 2), classes=classes)
    ax = prepare_axes(ax)
    (_draw_plane if data.X.shape[1] == 2 else _draw_densities)(ax, rule, data, known)
    if contours and data.X.shape[1] == 2:
        _draw_contours(ax, rule, data)
    if len(_get_decisions(rule, data.classes)) > len(data.classes):
        ax.add_patch(Rectangle(ax.viewLim.min, 0, 0, fc="#E8E8E8", ec=GREY, hatch="///", lw=0, label="reject"))
    write_title(ax, _describe_known(rule) if known else _count_wrong(rule, data))
    draw_legend(ax)
    return ax


def _get_model(rule: Any) -> Any:
    """Return the model of a learned or of a known strategy; None if there is none."""
    return getattr(getattr(rule, "strategy_", rule), "model", None)


def _get_decisions(rule: Any, classes: list) -> list:
    """Return the labels of the decisions: the classes, and that of a reject."""
    return np.asarray(getattr(rule, "decisions_", getattr(rule, "decisions", classes))).tolist()


def _require_densities(rule: Any, why: str) -> Any:
    model = _get_model(rule)
    if not hasattr(model, "log_joint"):
        raise ValueError(f"strategy: {type(rule).__name__} has no densities {why}.")
    return model


def _draw_rows(rule: Any) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of every class from known densities: what a picture without data has to show."""
    model = _require_densities(rule, "to be drawn without X and y")
    rows = [model.sample_class(j, DRAWN, 0) for j in range(len(model.classes_))]
    return np.concatenate(rows), np.repeat(model.classes_, DRAWN)


def _count_wrong(rule: Any, data: PlotData) -> str:
    decided = decide(rule, data.X, data.classes)
    rejected = decided == len(data.classes)
    title = f"{int(np.sum((decided != data.class_index) & ~rejected))} of {len(data.X)} wrong"
    rejects = len(_get_decisions(rule, data.classes)) > len(data.classes)
    return title + (f", {int(rejected.sum())} rejected" if rejects else "")


def _describe_known(rule: Any) -> str:
    risk = rule.risk(random_state=0)
    return f"known densities: risk {risk.value:.4f} ± {risk.error:.4f}"


def decide(rule: Any, X: np.ndarray, classes: list) -> np.ndarray:
    """Return the index of the decision for every row: that of the class, or their number for a reject."""
    index = {label: d for d, label in enumerate(_get_decisions(rule, classes))}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # a grid has none
        return np.array([index[label] for label in np.asarray(rule.predict(X)).tolist()])


def shade_decisions(ax: Axes, rule: Any, box: PlotBox, classes: list) -> None:
    """Shade the box in the colours of the decisions, with lines between them."""
    decided, borders = divide_plane(lambda rows: decide(rule, rows, classes), box)
    tints = [mix(class_colour(d), SHADE) for d in range(len(classes))] + [mix(GREY, SHADE)]
    ax.imshow(decided, cmap=ListedColormap(tints), vmin=-0.5, vmax=len(tints) - 0.5, extent=box, origin="lower",
              aspect="auto", interpolation="nearest", zorder=0)  # fmt: skip
    if (decided == len(classes)).any():
        x, y = (np.linspace(*side, 2 * len(decided) + 1)[1::2] for side in (box[:2], box[2:]))
        rejected = (decided == len(classes)).astype(float)
        hatched = ax.contourf(x, y, rejected, levels=[0.5, 1.5], colors="none", hatches=["///"], zorder=1)
        hatched.set(edgecolor=GREY, linewidth=0)
    look: dict[str, Any] = {"colors": INK, "linewidths": 1.4, "capstyle": "round", "zorder": 2}
    ax.add_collection(LineCollection(list(borders), **look), autolim=False)


def _draw_plane(ax: Axes, rule: Any, data: PlotData, known: bool) -> None:
    box = bounding_box(data.X)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=data.names[0], ylabel=data.names[1])
    shade_decisions(ax, rule, box, data.classes)
    if not known:
        scatter_classes(ax, *data[:3])
        return
    for k, label in enumerate(data.classes):
        ax.fill([], [], color=mix(class_colour(k), SHADE), label=class_name(label))


def _draw_contours(ax: Axes, rule: Any, data: PlotData) -> None:
    """Draw the contours of p(x|k) in the colour of each class."""
    model = _require_densities(rule, "with contours")
    x, y = (np.linspace(*limits, 240) for limits in (ax.get_xlim(), ax.get_ylim()))
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    logs = model.log_joint(grid.reshape(-1, 2))
    for k in range(len(data.classes)):
        height = logs[:, k].reshape(grid.shape[:2])
        levels = height.max() - 0.5 * np.square(DEVIATIONS)
        look: dict[str, Any] = {"linewidths": 1.2, "linestyles": "solid", "zorder": 2}
        ax.contour(x, y, np.maximum(height, levels[0] - 1.0), levels=levels, colors=[class_colour(k)], **look)


def _draw_densities(ax: Axes, rule: Any, data: PlotData, known: bool) -> None:
    model = _require_densities(rule, "to be drawn over one column")
    low, high = data.X.min(), data.X.max()
    pad = 0.12 * ((high - low) or 1.0)
    x = np.linspace(low - pad, high + pad, POINTS)
    curves = np.exp(model.log_joint(x[:, None]))
    top = 1.08 * curves.max()
    ax.set(xlim=(x[0], x[-1]), ylim=(0.0 if known else -0.12 * top, top), xlabel=data.names[0], ylabel="p(k) p(x|k)")
    decided = decide(rule, x[:, None], data.classes)
    for interval in np.split(np.arange(x.size), np.flatnonzero(np.diff(decided)) + 1):
        d = int(decided[interval[0]])
        rejects = d == len(data.classes)
        tint = mix(GREY if rejects else class_colour(d), SHADE)
        end = x[min(interval[-1] + 1, x.size - 1)]
        ax.axvspan(x[interval[0]], end, fc=tint, ec=GREY, hatch="///" if rejects else None, lw=0, zorder=0)
    for k, label in enumerate(data.classes):
        colour = class_colour(k)
        style = ("-", "--", "-.", ":")[k % 4]  # a shape beside the colour
        ax.plot(x, curves[:, k], color=colour, ls=style, label=class_name(label), zorder=2)
        of = data.X[data.class_index == k, 0] if not known else np.zeros(0)
        ax.scatter(of, np.full(of.size, -0.06 * top), s=60, c=colour, marker="|", alpha=0.7, linewidths=0.8, zorder=3)
