"""Novikoff's proof along a run of the perceptron: the two inequalities that bound its updates (C11)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..loop.stop import Rounds
from ..oracles import points
from ..rules import Increment
from ..solvers.nearest_point import nearest_point
from ..targets import Margin
from .plot_data import check_two_classes
from .replay import replay_updates
from .style import (
    BLUE,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    INK,
    VERMILION,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)

MAX_UPDATES = 20_000


@styled
def novikoff(X: Any, y: Any, ax: Axes | None = None, *, bias: str = "augmented") -> Axes:
    r"""Draw both inequalities of Novikoff's proof along a run of the perceptron from w = 0 (S0 (17), (22)-(24)).

    .. math:: t D^2 \;\ge\; |w_t|^2 \;\ge\; \langle w_t,u\rangle^2 \;\ge\; t^2 m^2,
              \qquad D = \max_i |a_i|, \quad m = \min_i \langle u,a_i\rangle

    u is the unit vector of the largest margin m. The outer lines meet at :math:`t = D^2/m^2`: no run is longer.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Separable points.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    bias : {"augmented", "none"}, default="augmented"
        Whether the vectors are augmented by 1.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> novikoff([[1.0], [3.0]], [0, 1], Figure().subplots()).get_title()
    '10 updates, at most D²/m² = 50'
    """
    if bias not in ("augmented", "none"):
        raise ValueError(f"novikoff: expected bias='augmented' or 'none', got {bias!r}.")
    data = check_two_classes(X, y, "novikoff", columns=np.shape(X)[1:2] or (2,))
    a = data.sign[:, None] * data.X
    a = np.column_stack([a, data.sign]) if bias == "augmented" else a
    rows = points(data.X, data.sign, bias=1.0 if bias == "augmented" else 0.0)
    found = nearest_point([rows], "augmented" if bias == "augmented" else "none", 1e-12, Rounds(1000, None)).w
    u = found[: a.shape[1]] / max(float(np.linalg.norm(found)), 1e-300)
    m, D = float((a @ u).min()), float(np.linalg.norm(a, axis=1).max())
    if not m > 1e-12 * D:
        raise ValueError("novikoff: expected separable points, no w has ⟨w,a⟩ > 0 for all vectors.")
    run = replay_updates(data.X, data.sign, Margin(0.0), Increment(1.0), bias=bias, max_updates=MAX_UPDATES)
    w = np.array([update.after for update in run])
    ax = prepare_axes(ax)
    _draw_inequalities(ax, w, u, m, D)
    limit = (D / m) ** 2
    done = len(w) < MAX_UPDATES
    count = f"{len(w)} update{'s' * (len(w) != 1)}" + ("" if done else " so far")
    write_title(ax, f"{count}, at most D²/m² = {format_number(round(limit, 3))}")
    draw_legend(ax)
    return ax


def _draw_inequalities(ax: Axes, w: np.ndarray, u: np.ndarray, m: float, D: float) -> None:
    t, limit = np.arange(1, len(w) + 1), (D / m) ** 2
    ends = np.array([1.0, max(limit, len(w), 1.5)])
    style: dict[str, Any] = {"ms": 5} if len(t) <= 60 else {"marker": None}
    ax.plot(ends, ends * D * D, color=VERMILION, lw=1.6, ls=DASHED, label="t D²", zorder=2)
    ax.plot(t, np.einsum("ij,ij->i", w, w), color=INK, label="|w|²", zorder=3, **{"marker": "o", **style})
    ax.plot(t, (w @ u) ** 2, color=BLUE, label="⟨w,u⟩²", zorder=3, **{"marker": "s", **style})
    ax.plot(ends, (ends * m) ** 2, color=GREEN, lw=1.6, ls=DOTTED, label="t² m²", zorder=2)
    ax.axvline(limit, color=GREY, lw=1.2, zorder=1)
    ax.annotate(
        "D²/m²", (limit, 0), (-4, 6), xycoords=("data", "axes fraction"), textcoords="offset points", ha="right"
    )
    ax.set(xscale="log", yscale="log", xlabel="update t", ylabel="squared length")
    ax.xaxis.set_major_formatter(lambda at, _: format_number(at))
