"""A linear classifier as a network of units: inputs, weights, sums, and the sign or the largest of them (B1, D1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .style import GREY, INK, SMALL, class_colour, class_name, format_number, mix, prepare_axes, styled, write_title

MOST = 10  # inputs, or classes, that a picture has room for
LEFT, MIDDLE, RIGHT = 0.0, 1.0, 1.8  # where inputs, sums and the decision are
RADIUS = 0.075


@styled
def units(rule: Any, x: Any = None, ax: Axes | None = None) -> Axes:
    r"""Draw a linear classifier as units: S3's figure 5.1 of two classes, S4's slide 4 of more.

    .. math:: g(x) = \sum_i w_i x_i + w_0 \gtrless 0, \qquad
              \arg\max_j f_j(x), \quad f_j(x) = \langle w_j,x\rangle + b_j

    Every input is multiplied by the weight beside its line; a unit sums these products. Its sign decides of two
    classes, the largest sum of more.

    Parameters
    ----------
    rule : classifier
        Fitted, with ``coef_`` and ``intercept_`` of at most ten columns and ten classes.
    x : array-like of shape (n_features,), default=None
        A row to show the values of, with its sums and its decision.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep import Perceptron
    >>> rule = Perceptron().fit([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"])
    >>> units(rule, [3.0, 0.0], Figure().subplots()).get_title()
    'g(x) = 6 > 0: class yes'
    """
    W = np.atleast_2d(np.asarray(getattr(rule, "coef_", np.zeros((0, 0))), dtype=np.float64))
    b = np.ravel(getattr(rule, "intercept_", 0.0)) + np.zeros(len(W))
    classes = list(getattr(rule, "classes_", range(len(W))))
    if not 0 < max(W.shape) <= MOST or len(W) not in (1, len(classes)):
        raise ValueError(
            f"units: expected a fitted rule of at most {MOST} columns and classes, got coef_ of {W.shape}."
        )
    values = None if x is None else np.asarray(x, dtype=np.float64)
    if values is not None and values.shape != W.shape[1:]:
        raise ValueError(f"units: expected x of {W.shape[1]} numbers, got shape {values.shape}.")
    sums = None if values is None else W @ values + b
    ax = prepare_axes(ax, size=(8.6, 5.4))
    ax.set_axis_off()
    ax.set(xlim=(-0.35, 2.35), ylim=(-0.12, 1.12))
    names = [f"x{_below(i + 1)}" for i in range(W.shape[1])] + ["1"]
    numbers = [None] * len(names) if values is None else [*values, None]
    inputs, middle = _spread(len(names)), _spread(len(W))
    colours = [INK] if len(W) == 1 else [class_colour(k) for k in range(len(W))]
    for k, (y, colour) in enumerate(zip(middle, colours, strict=True)):
        for i, weight in enumerate([*W[k], b[k]]):
            _join(ax, (LEFT, inputs[i]), (MIDDLE, y), format_number(weight), colour, 0.16 + 0.62 * (k + 0.5) / len(W))
        _join(ax, (MIDDLE, y), (RIGHT, 0.5), "", colour, 0.5)
    for y, name, number in zip(inputs, names, numbers, strict=True):
        _unit(ax, LEFT, y, name if number is None else f"{name} = {format_number(number)}", "white", beside=-1)
    for k, (y, colour) in enumerate(zip(middle, colours, strict=True)):
        name = "g(x)" if len(W) == 1 else f"f{_below(k + 1)}(x)"
        said = name if sums is None else f"{name} = {format_number(sums[k])}"
        _unit(ax, MIDDLE, y, said, mix(colour, 0.3), inside="Σ", beside=2)
    _unit(ax, RIGHT, 0.5, _say_classes(classes), "white", inside="±" if len(W) == 1 else "max", beside=1)
    write_title(ax, _say_decision(sums, classes))
    return ax


def _spread(count: int) -> np.ndarray:
    """Heights of so many units, from the top."""
    return np.array([0.5]) if count == 1 else np.linspace(1.0, 0.0, count)


def _below(number: int) -> str:
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(number))


def _join(ax: Axes, begin: tuple[float, float], end: tuple[float, float], weight: str, colour: Any, at: float) -> None:
    """Draw a line between two units, with its weight at a part of its length."""
    ax.plot(*zip(begin, end, strict=True), color=colour, lw=1.3, zorder=1)
    x, y = (p + at * (q - p) for p, q in zip(begin, end, strict=True))
    if weight:
        box = {"fc": "white", "ec": "none", "pad": 0.8}
        ax.text(x, y, weight, size=SMALL, color=colour, ha="center", va="center", bbox=box, zorder=2)


def _unit(ax: Axes, x: float, y: float, name: str, fill: Any, *, inside: str = "", beside: int) -> None:
    """Draw a unit; its name is on its left (-1), its right (1) or above it (2)."""
    ax.plot(x, y, "o", ms=30 if inside else 16, mfc=fill, mec=INK if inside else GREY, mew=1.4, zorder=3)
    ax.text(x, y, inside, size=SMALL + 2, ha="center", va="center", zorder=4)
    place = {
        -1: (x - RADIUS, y, "right", "center"),
        1: (x + 1.6 * RADIUS, y, "left", "center"),
        2: (x, y + 0.06, "center", "bottom"),
    }
    at, height, across, along = place[beside]
    box = {"fc": "white", "ec": "none", "pad": 1.0}
    ax.text(at, height, name, size=SMALL + 1, ha=across, va=along, bbox=box, zorder=2.5)


def _say_classes(classes: list) -> str:
    """What the last unit emits."""
    if len(classes) == 2:
        return f"> 0: {class_name(classes[1])}\n< 0: {class_name(classes[0])}"
    return "the class of\nthe largest sum"


def _say_decision(sums: np.ndarray | None, classes: list) -> str:
    """The decision in words, or what is computed."""
    if sums is None:
        return (
            "a linear machine: the largest sum decides"
            if len(classes) > 2
            else "a linear classifier: the sign of g(x) decides"
        )
    if len(sums) == 1:
        g = float(sums[0])
        return f"g(x) = {format_number(g)} {'>' if g > 0 else '≤'} 0: {class_name(classes[int(g > 0)])}"
    k = int(np.argmax(sums))
    return f"f{_below(k + 1)}(x) = {format_number(sums[k])} is the largest: {class_name(classes[k])}"
