"""How learning went: the two bounds of the margin against updates, mistakes against passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .style import INK, NEGATIVE, PALE, POSITIVE, axes, legend, number

DECADES = 100.0  # an axis that spans more than this is logarithmic


def bounds(history: Any, ax: Axes | None = None) -> Axes:
    r"""The lower and the upper bound of the best margin m, against the number of updates; the gap is shaded.

    ``history`` is a list of dictionaries, one a pass, or a fitted estimator with ``history_``: then both curves
    end in the bounds that its certificate proves, as diamonds. The lower bound was looked at in some passes
    only; values that are infinite or nan are left out.

    >>> from matplotlib.figure import Figure
    >>> passes = [{"updates": 2, "lower": -0.2, "upper": 2.2}, {"updates": 3, "lower": 1.1, "upper": 1.7}]
    >>> ax = bounds(passes, Figure().subplots())
    >>> [line.get_ydata().tolist() for line in ax.lines[:2]]
    [[2.2, 1.7], [-0.2, 1.1]]
    """
    past, certificate = past_of(history, "bounds"), getattr(history, "certificate_", None)
    if certificate is not None:
        past.append({"updates": certificate.updates, "lower": certificate.lower, "upper": certificate.upper})
    updates, lower, upper = (column(past, key) for key in ("updates", "lower", "upper"))
    ax = axes(ax)
    known, looked = np.isfinite(upper), np.isfinite(lower)
    positive = np.concatenate([lower[looked & (lower > 0)], upper[known & (upper > 0)]])
    steep = positive.size > 0 and positive.max() / positive.min() > DECADES
    beads: dict[str, Any] = {"marker": "o" if len(past) <= 60 else None, "ms": 3.5, "lw": 1.6}
    ax.plot(updates[known], upper[known], color=POSITIVE, label="upper bound", **beads)
    hidden = steep and np.any(lower[looked] <= 0)
    name = "lower bound" + (" (from 0 up)" if hidden else "")
    ax.plot(updates[looked], lower[looked], color=NEGATIVE, label=name, **beads)
    floor = 0.6 * positive.min() if steep else -np.inf
    _gap(ax, updates[known], upper[known], updates[looked], np.maximum(lower[looked], floor))
    if np.any(lower[looked] < 0) and not steep:
        ax.axhline(0, color=PALE, lw=0.8, zorder=0)
    if certificate is not None:
        _proved(ax, certificate, above=floor)
    if not _stretch(ax, updates):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if steep:
        ax.set_yscale("log", nonpositive="mask")
        ax.set_ylim(bottom=floor)
    ax.set(xlabel="updates", ylabel="margin")
    legend(ax)
    return ax


def mistakes(history: Any, ax: Axes | None = None) -> Axes:
    """The mistakes of each pass: updates made in it, or vectors that a whole pass found violated.

    >>> from matplotlib.figure import Figure
    >>> ax = mistakes([{"pass": 1, "mistakes": 2}, {"pass": 2, "mistakes": 0}], Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 0.0]
    """
    past = past_of(history, "mistakes")
    ax = axes(ax)
    passes, count = column(past, "pass"), column(past, "mistakes")
    ax.plot(
        passes, count, color=NEGATIVE, lw=1.6, marker="o" if len(past) <= 60 else None, ms=4, clip_on=False, zorder=3
    )
    ax.set(xlabel="pass", ylabel="mistakes")
    ax.set_ylim(0, max(1.0, 1.08 * float(count.max())))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if not _stretch(ax, passes):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", color=PALE, alpha=0.25, lw=0.6)
    return ax


def past_of(history: Any, who: str) -> list[dict[str, float]]:
    """The list of passes, from itself or from a fitted estimator."""
    past = history if isinstance(history, list | tuple) else getattr(history, "history_", None)
    if past is None:
        raise ValueError(
            f"{who}: a list of passes or a fitted estimator with history_ is wanted, "
            f"and this {type(history).__name__} has no history_."
        )
    if not past:
        raise ValueError(f"{who}: the history is empty, no pass was made.")
    return list(past)


def column(past: list[dict[str, float]], key: str) -> np.ndarray:
    """One column of a history; nan where a pass has no such number."""
    return np.array([float(one.get(key, np.nan)) for one in past])


def _gap(ax: Axes, above: np.ndarray, upper: np.ndarray, below: np.ndarray, lower: np.ndarray) -> None:
    """Shade what lies between the bounds, from the first lower one on; the last one holds to the end."""
    from_there = above >= below[0] if len(below) else np.zeros(len(above), dtype=bool)
    if from_there.any():
        x = np.concatenate([above[from_there], [max(above[-1], below[-1])], below[::-1]])
        y = np.concatenate([upper[from_there], lower[-1:], lower[::-1]])
        ax.fill(x, y, color=PALE, alpha=0.18, lw=0, label="the best margin is in here", zorder=0)


def _proved(ax: Axes, certificate: Any, above: float) -> None:
    """What a certificate proves: a diamond each, with its number, and a bar for what is left open."""
    mark: dict[str, Any] = {"marker": "D", "ms": 7, "mec": "white", "mew": 1.0, "ls": "none", "zorder": 4}
    bounds = ((certificate.upper, POSITIVE, 6), (certificate.lower, NEGATIVE, -6))
    shown = [bound for bound in bounds if np.isfinite(bound[0]) and bound[0] > above]
    for value, colour, lift in shown:
        at = certificate.updates, value
        ax.plot(*at, color=colour, **mark)
        ax.annotate(number(value), at, (9, lift), textcoords="offset points", va="center", fontsize=8.5, color=INK)
    if len(shown) == 2:
        ax.vlines(certificate.updates, certificate.lower, certificate.upper, color=PALE, lw=5, alpha=0.35, zorder=1)
    ax.plot([], [], color=INK, label="proved by the certificate", **mark)
    ax.margins(x=0.16)  # room for the numbers


def _stretch(ax: Axes, x: np.ndarray) -> bool:
    """A logarithmic x axis, if x spans more than two decades."""
    above = x[x > 0]
    if not above.size or above.max() / above.min() <= DECADES:
        return False
    if above.size < x.size:
        ax.set_xscale("symlog", linthresh=1.0)  # shows 0 too
    else:
        ax.set_xscale("log")
    return True
