"""The course of learning: both bounds of the margin against updates, mistakes against passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .style import BLUE, GREY, INK, VERMILION, draw_legend, format_number, prepare_axes

LINEAR_RANGE = 100.0  # an axis that spans a larger factor is logarithmic


def bounds(history: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the lower and the upper bound of the best margin m against the number of updates; the gap is shaded.

    Parameters
    ----------
    history : list of dict or fitted estimator
        One dictionary per pass with "updates", "lower" and "upper"; infinite values and NaN are left out. Of an
        estimator ``history_`` is taken, and both curves end in the bounds that its certificate proves, as diamonds.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> passes = [{"updates": 2, "lower": -0.2, "upper": 2.2}, {"updates": 3, "lower": 1.1, "upper": 1.7}]
    >>> ax = bounds(passes, Figure().subplots())
    >>> [line.get_ydata().tolist() for line in ax.lines[:2]]
    [[2.2, 1.7], [-0.2, 1.1]]
    """
    passes, certificate = get_history(history, "bounds"), getattr(history, "certificate_", None)
    if certificate is not None:
        passes.append({"updates": certificate.updates, "lower": certificate.lower, "upper": certificate.upper})
    updates, lower, upper = (get_column(passes, key) for key in ("updates", "lower", "upper"))
    ax = prepare_axes(ax)
    has_upper, has_lower = np.isfinite(upper), np.isfinite(lower)
    positive = np.concatenate([lower[has_lower & (lower > 0)], upper[has_upper & (upper > 0)]])
    logarithmic = positive.size > 0 and positive.max() / positive.min() > LINEAR_RANGE
    style: dict[str, Any] = {"marker": "o" if len(passes) <= 60 else None, "ms": 3.5, "lw": 1.6}
    ax.plot(updates[has_upper], upper[has_upper], color=VERMILION, label="upper bound", **style)
    hidden = logarithmic and np.any(lower[has_lower] <= 0)
    name = "lower bound" + (" (where positive)" if hidden else "")
    ax.plot(updates[has_lower], lower[has_lower], color=BLUE, label=name, **style)
    bottom = 0.6 * positive.min() if logarithmic else -np.inf
    _shade_gap(ax, updates[has_upper], upper[has_upper], updates[has_lower], np.maximum(lower[has_lower], bottom))
    if np.any(lower[has_lower] < 0) and not logarithmic:
        ax.axhline(0, color=GREY, lw=0.8, zorder=0)
    if certificate is not None:
        _draw_certificate(ax, certificate, bottom)
    _scale_x_axis(ax, updates)
    if logarithmic:
        ax.set_yscale("log", nonpositive="mask")
        ax.set_ylim(bottom=bottom)
    ax.set(xlabel="updates", ylabel="margin")
    draw_legend(ax)
    return ax


def mistakes(history: Any, ax: Axes | None = None) -> Axes:
    """Draw the mistakes of each pass: its updates, or the vectors that a batch pass found violated.

    Parameters
    ----------
    history : list of dict or fitted estimator
        One dictionary per pass with "pass" and "mistakes". Of an estimator ``history_`` is taken.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = mistakes([{"pass": 1, "mistakes": 2}, {"pass": 2, "mistakes": 0}], Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 0.0]
    """
    rows = get_history(history, "mistakes")
    ax = prepare_axes(ax)
    passes, count = get_column(rows, "pass"), get_column(rows, "mistakes")
    marker = "o" if len(rows) <= 60 else None
    ax.plot(passes, count, color=BLUE, lw=1.6, marker=marker, ms=4, clip_on=False, zorder=3)
    ax.set(xlabel="pass", ylabel="mistakes")
    ax.set_ylim(0, max(1.0, 1.08 * float(count.max())))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    _scale_x_axis(ax, passes)
    ax.grid(axis="y", color=GREY, alpha=0.25, lw=0.6)
    return ax


def get_history(history: Any, function: str) -> list[dict[str, float]]:
    """Return the list of passes, given as it is or as a fitted estimator; ``function`` is named in errors."""
    passes = history if isinstance(history, list | tuple) else getattr(history, "history_", None)
    if passes is None:
        raise ValueError(
            f"{function}: expected a list of passes or a fitted estimator with history_, "
            f"{type(history).__name__} has no history_."
        )
    if not passes:
        raise ValueError(f"{function}: the history is empty, no pass was made.")
    return list(passes)


def get_column(passes: list[dict[str, float]], key: str) -> np.ndarray:
    """Return one column of a history; NaN where a pass has no such number."""
    return np.array([float(one.get(key, np.nan)) for one in passes])


def _shade_gap(ax: Axes, x_upper: np.ndarray, upper: np.ndarray, x_lower: np.ndarray, lower: np.ndarray) -> None:
    """Shade what lies between the bounds, from the first lower one on; the last lower one holds to the end."""
    shaded = x_upper >= x_lower[0] if len(x_lower) else np.zeros(len(x_upper), dtype=bool)
    if shaded.any():
        x = np.concatenate([x_upper[shaded], [max(x_upper[-1], x_lower[-1])], x_lower[::-1]])
        y = np.concatenate([upper[shaded], lower[-1:], lower[::-1]])
        ax.fill(x, y, color=GREY, alpha=0.18, lw=0, label="contains the best margin", zorder=0)


def _draw_certificate(ax: Axes, certificate: Any, bottom: float) -> None:
    """Draw the bounds that a certificate proves as diamonds with their numbers, joined by a bar."""
    style: dict[str, Any] = {"marker": "D", "ms": 7, "mec": "white", "mew": 1.0, "ls": "none", "zorder": 4}
    both = ((certificate.upper, VERMILION, 6), (certificate.lower, BLUE, -6))
    shown = [bound for bound in both if np.isfinite(bound[0]) and bound[0] > bottom]
    for value, colour, shift in shown:
        at = certificate.updates, value
        ax.plot(*at, color=colour, **style)
        name = format_number(value)
        ax.annotate(name, at, (9, shift), textcoords="offset points", va="center", fontsize=8.5, color=INK)
    if len(shown) == 2:
        ax.vlines(certificate.updates, certificate.lower, certificate.upper, color=GREY, lw=5, alpha=0.35, zorder=1)
    ax.plot([], [], color=INK, label="proved by the certificate", **style)
    ax.margins(x=0.16)  # room for the numbers


def _scale_x_axis(ax: Axes, x: np.ndarray) -> None:
    """Make the x axis logarithmic if x spans more than two decades, otherwise give it integer ticks."""
    positive = x[x > 0]
    if not positive.size or positive.max() / positive.min() <= LINEAR_RANGE:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    elif positive.size < x.size:
        ax.set_xscale("symlog", linthresh=1.0)  # shows 0 too
    else:
        ax.set_xscale("log")
