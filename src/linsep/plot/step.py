"""One update in the plane: w, the violated vector, the new w and their lines (S4.32, S4.38)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..rules import Nearest
from ..targets import Margin
from .geometry import bounding_box, clip_line
from .labels import write_beside
from .style import (
    BLUE,
    DASHED,
    DOTTED,
    GREY,
    INK,
    SMALL,
    VERMILION,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)
from .weight_space import draw_arrows


@styled
def step(w: Any, a: Any, rule: Any = Nearest(), target: Any = Margin(0.0), ax: Axes | None = None) -> Axes:  # noqa: B008
    r"""Draw one update :math:`w \leftarrow \alpha w + \beta a` with the lines before and after (S4.32, S4.38).

    Kozinec's new w is the foot of 0 on the segment from w to a; the perceptron's is the sum of both.

    Parameters
    ----------
    w : array-like of shape (2,)
        The weights before, not 0.
    a : array-like of shape (2,)
        A vector that is violated, :math:`\langle w,a\rangle \le goal`.
    rule : rule, default=Nearest()
        How far w moves; ``Increment(1.0)`` is the perceptron.
    target : target, default=Margin(0.0)
        When a vector is violated.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> step([0.0, 2.0], [2.0, 0.0], ax=Figure().subplots()).get_title()
    'w ← 0.5·w + 0.5·a = (1, 1)'
    """
    before, vector = (np.asarray(one, dtype=np.float64) for one in (w, a))
    for name, one in (("w", before), ("a", vector)):
        if one.shape != (2,) or not np.isfinite(one).all() or not one.any():
            raise ValueError(
                f"step: expected two finite numbers, not both 0, as {name}, got {np.asarray(one).tolist()}."
            )
    wa, ww, aa = float(before @ vector), float(before @ before), float(vector @ vector)
    goal = target.goal(ww, 1.0)
    if not wa <= goal:
        raise ValueError(f"step: a is not violated, <w,a> = {format_number(wa)} > {format_number(goal)}.")
    alpha, beta = map(float, rule.step(1, wa, ww, aa, goal))
    after = alpha * before + beta * vector
    ax = prepare_axes(ax, size=(6.4, 6.0))
    extent = ax.get_window_extent()
    box = bounding_box(np.array([[0.0, 0.0], before, vector, after]), pad=0.25, ratio=extent.height / extent.width)
    ax.set(xlim=box[:2], ylim=box[2:])
    ax.set_aspect("equal", adjustable="box")
    ax.plot(*clip_line(box, before).T, color=GREY, lw=1.5, ls=DASHED, label="⟨w,x⟩ = 0 before", zorder=1)
    ax.plot(*clip_line(box, after).T, color=INK, lw=1.5, label="⟨w,x⟩ = 0 after", zorder=1)
    if abs(alpha + beta - 1.0) < 1e-12:  # on the segment from w to a
        ax.plot(*np.stack([before, vector]).T, color=INK, lw=1.3, ls=DOTTED, label="from w to a", zorder=2)
    else:
        for corner in (alpha * before, beta * vector):
            ax.plot(*np.stack([corner, after]).T, color=INK, lw=1.3, ls=DOTTED, zorder=2)
    for name, end, colour in (("w", before, GREY), ("a", vector, VERMILION), ("new w", after, BLUE)):
        draw_arrows(ax, np.zeros((1, 2)), end[None], color=colour, width=0.009, label=name, zorder=3)
        write_beside(ax, end, end, name, size=SMALL + 3, color=colour, weight="bold", zorder=5)
    old = "w" if alpha == 1.0 else f"{format_number(alpha)}·w"
    moved = f"({', '.join(format_number(round(x, 3)) for x in after)})"
    write_title(ax, f"w ← {old} + {format_number(beta)}·a = {moved}")
    draw_legend(ax)
    return ax
