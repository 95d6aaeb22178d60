"""The course of learning: both bounds of the margin against updates, mistakes against passes (S0 (34), S4.39)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..certificates.objective import ObjectiveCertificate
from .style import BLUE, GREY, INK, SMALL, VERMILION, draw_legend, format_number, prepare_axes, styled

LINEAR_RANGE = 100.0  # an axis that spans a larger factor is logarithmic
LEAST_RANGE = 0.05  # part of the largest value that a linear axis spans at least: rounding errors are not enlarged


@styled
def bounds(history: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the lower and the upper bound of the best margin m against the number of updates (S0 (34), S4.35, S4.39).

    .. math:: \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w| / \text{total weight}

    The gap is shaded. Of a soft margin these are the bounds of its least cost, against the passes.

    Parameters
    ----------
    history : list of dict or fitted estimator
        One dictionary per pass with "updates" (or "pass"), "lower" and "upper"; infinite values and NaN are left out.
        Of an estimator ``history_`` is taken, and both curves end in the bounds that its certificate proves, as
        diamonds.
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
    counted = "updates" if "updates" in passes[0] else "pass"
    soft = isinstance(certificate, ObjectiveCertificate)
    if certificate is not None:
        end = certificate.updates if counted == "updates" else passes[-1]["pass"]
        passes.append({counted: end, "lower": certificate.lower, "upper": certificate.upper})
    updates, lower, upper = (get_column(passes, key) for key in (counted, "lower", "upper"))
    ax = prepare_axes(ax)
    has_upper, has_lower = np.isfinite(upper), np.isfinite(lower)
    positive = np.concatenate([lower[has_lower & (lower > 0)], upper[has_upper & (upper > 0)]])
    logarithmic = positive.size > 0 and positive.max() / positive.min() > LINEAR_RANGE
    style: dict[str, Any] = {"ms": 5} if len(passes) <= 60 else {"marker": None}
    ax.plot(updates[has_upper], upper[has_upper], color=VERMILION, label="upper bound", **{"marker": "v", **style})
    hidden = logarithmic and np.any(lower[has_lower] <= 0)
    name = "lower bound" + (" (where positive)" if hidden else "")
    ax.plot(updates[has_lower], lower[has_lower], color=BLUE, label=name, **{"marker": "^", **style})
    bottom = 0.6 * positive.min() if logarithmic else -np.inf
    best = "least cost" if soft else "best margin"
    drawn = updates[has_lower], np.maximum(lower[has_lower], bottom)
    _shade_gap(ax, updates[has_upper], upper[has_upper], *drawn, f"contains the {best}")
    if np.any(lower[has_lower] < 0) and not logarithmic:
        ax.axhline(0, color=GREY, lw=0.8, zorder=0)
    _scale_x_axis(ax, updates)
    if logarithmic:
        ax.set_yscale("log", nonpositive="mask")
        ax.set_ylim(bottom=bottom)
    else:
        _widen_y_axis(ax)
    if certificate is not None:
        _draw_certificate(ax, certificate, end, bottom)
    ax.set(xlabel=counted, ylabel="cost" if soft else "margin")
    draw_legend(ax)
    return ax


@styled
def mistakes(history: Any, ax: Axes | None = None) -> Axes:
    """Draw the mistakes of each pass: its updates, or the vectors that a batch pass found violated (S0 (25)).

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
    ax.plot(passes, count, color=BLUE, marker=marker, ms=5, clip_on=False, zorder=3)
    ax.set(xlabel="pass", ylabel="mistakes")
    ax.set_ylim(0, max(1.0, 1.08 * float(count.max())))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    _scale_x_axis(ax, passes)
    ax.grid(axis="y")
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


def _shade_gap(ax: Axes, x_upper: np.ndarray, upper: np.ndarray, x_lower: np.ndarray, lower: np.ndarray, name) -> None:
    """Shade what lies between the bounds, from the first lower one on; the last lower one holds to the end."""
    shaded = x_upper >= x_lower[0] if len(x_lower) else np.zeros(len(x_upper), dtype=bool)
    if shaded.any():
        x = np.concatenate([x_upper[shaded], [max(x_upper[-1], x_lower[-1])], x_lower[::-1]])
        y = np.concatenate([upper[shaded], lower[-1:], lower[::-1]])
        ax.fill(x, y, color=GREY, alpha=0.18, lw=0, label=name, zorder=0)


def _draw_certificate(ax: Axes, certificate: Any, at: float, bottom: float) -> None:
    """Draw the bounds that a certificate proves as diamonds with their numbers, joined by a bar."""
    style: dict[str, Any] = {"marker": "D", "ms": 9, "mec": "white", "mew": 1.0, "ls": "none", "zorder": 4}
    both = ((certificate.upper, VERMILION), (certificate.lower, BLUE))
    shown = [bound for bound in both if np.isfinite(bound[0]) and bound[0] > bottom]
    places = ax.transData.transform([(at, value) for value, _ in shown])[:, 1] if shown else np.zeros(0)
    near = len(shown) == 2 and abs(places[0] - places[1]) * 72 / ax.figure.dpi < 1.5 * SMALL
    for k, (value, colour) in enumerate(shown):
        ax.plot(at, value, color=colour, **style)
        shift = (0.75 - 1.5 * k) * SMALL if near else 0.0  # two numbers would overlap
        beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": SMALL}
        ax.annotate(format_number(value), (at, value), (11, shift), **beside)
    if len(shown) == 2:
        ax.vlines(at, certificate.lower, certificate.upper, color=GREY, lw=5, alpha=0.35, zorder=1)
    ax.plot([], [], color=INK, label="proved by the certificate", **style)
    left, right = ax.get_xlim()
    if ax.get_xscale() == "linear":
        ax.set_xlim(left, right + 0.12 * (right - left))  # room for the numbers
    else:
        ax.margins(x=0.16)


def _scale_x_axis(ax: Axes, x: np.ndarray) -> None:
    """Make the x axis logarithmic if x spans more than two decades, otherwise give it whole numbers as ticks."""
    positive = x[x > 0]
    if not positive.size or positive.max() / positive.min() <= LINEAR_RANGE:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if np.ptp(x) < 3:
            ax.set_xlim(x.min() - 0.6, x.max() + 0.6)
            ax.set_xticks(np.arange(x.min(), x.max() + 1))
    elif positive.size < x.size:
        ax.set_xscale("symlog", linthresh=1.0)  # shows 0 too
    else:
        ax.set_xscale("log")


def _widen_y_axis(ax: Axes) -> None:
    """Show at least a part of the size of the values, so that differences by rounding are not seen as changes."""
    low, high = ax.get_ylim()
    missing = LEAST_RANGE * max(abs(low), abs(high)) - (high - low)
    if missing > 0:
        ax.set_ylim(low - missing / 2, high + missing / 2)
