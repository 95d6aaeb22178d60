"""Gaussians of the Anderson task (S4): ellipses that grow until they touch the line, the error against iterations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from scipy.special import ndtr

from ..certificates.radius import covariance_matrices
from .geometry import bounding_box, clip_line
from .plane import get_line, shade_sides
from .progress import get_column, get_history
from .style import BLUE, GREY, INK, MARKERS, SIGN_COLOURS, draw_legend, format_number, prepare_axes

STEPS = 4  # ellipses drawn of each Gaussian, the last one as large as the line allows
LARGEST = 3.0  # the radius in deviations where no line stops the ellipses


def ellipses(rule: Any, ax: Axes | None = None, steps: int = STEPS) -> Axes:
    r"""The Gaussians of a fitted `linsep.Anderson` in the plane: their ellipses grow until they touch its line.

    The largest ellipses have the radius r of the worst Gaussian; those that decide touch the line, in a dot.

    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(
    ...     coef_=np.array([[1.0, 0.0]]), intercept_=np.array([-2.0]), classes_=np.array([0, 1]),
    ...     means_=np.array([[0.0, 0.0], [4.0, 0.0]]), covariances_=np.ones(2), labels_=np.array([0, 1]))
    >>> ellipses(rule, Figure().subplots()).get_title()
    'r = 2, the worst Gaussian errs in 2.28 %'
    """
    w, w0 = get_line(rule, "ellipses")
    means = np.asarray(rule.means_, dtype=np.float64)
    covariances = covariance_matrices(rule.covariances_, *means.shape)
    sign = np.where(np.asarray(rule.labels_) == rule.classes_[1], 1, -1)
    spread = np.sqrt(np.einsum("i,kij,j->k", w, covariances, w))
    score = sign * (means @ w + w0)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(spread > 0, score / spread, np.inf)
    r = float(radii.min())
    largest = r if 0 < r < math.inf else LARGEST
    circle = np.linspace(0.0, 2.0 * np.pi, 181)
    rim = np.column_stack([np.cos(circle), np.sin(circle)])
    shapes = [rim @ _root(covariance).T for covariance in covariances]
    ax = prepare_axes(ax)
    reach = np.concatenate([mean + largest * shape for mean, shape in zip(means, shapes, strict=True)])
    extent = ax.get_window_extent()
    box = bounding_box(reach, ratio=extent.height / extent.width)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel="x₁", ylabel="x₂")
    ax.set_aspect("equal", adjustable="box")
    shade_sides(ax, box, w, w0)
    ends = clip_line(box, w, w0)
    ax.plot(*ends.T, color=INK, lw=1.8, label="g(x) = 0", zorder=2)
    for j, (mean, shape) in enumerate(zip(means, shapes, strict=True)):
        colour = SIGN_COLOURS[int(sign[j])]
        for step in range(1, steps + 1):
            last = step == steps
            ax.plot(*(mean + step / steps * largest * shape).T, color=colour, lw=1.4 if last else 0.7,
                    alpha=1.0 if last else 0.45, zorder=3)  # fmt: skip
        if 0 < r < math.inf and radii[j] <= r * (1 + 1e-6):
            touch = mean - sign[j] * r * covariances[j] @ w / spread[j]
            ax.plot(*touch, "o", color=INK, ms=5, zorder=5)
    for side, label in zip((-1, 1), rule.classes_, strict=True):
        ax.plot(*means[sign == side].T, MARKERS[(side + 1) // 2], color=SIGN_COLOURS[side], ms=6, mec="white",
                label=f"class {label}", ls="none", zorder=4)  # fmt: skip
    if r == math.inf:
        ax.set_title("no Gaussian spreads towards the line", fontsize=10)
    else:
        ax.set_title(f"r = {format_number(r)}, the worst Gaussian errs in {100 * ndtr(-r):.3g} %", fontsize=10)
    draw_legend(ax)
    return ax


def worst_error(history: Any, ax: Axes | None = None) -> Axes:
    r"""The error of the worst Gaussian, :math:`\Phi(-r)`, against the iterations of a method that climbs or loops.

    ``history`` is a list of dictionaries with "updates" and "lower", or a fitted `linsep.Anderson`: then a dashed line
    shows the smallest possible error.

    >>> from matplotlib.figure import Figure
    >>> ax = worst_error([{"updates": 1, "lower": 0.0}, {"updates": 2, "lower": 1.0}], Figure().subplots())
    >>> ax.lines[0].get_ydata().round(4).tolist()
    [0.5, 0.1587]
    """
    past, certificate = get_history(history, "worst_error"), getattr(history, "certificate_", None)
    updates, error = get_column(past, "updates"), ndtr(-get_column(past, "lower"))
    known = np.isfinite(error)
    ax = prepare_axes(ax)
    marker = "o" if known.sum() <= 60 else None
    ax.plot(updates[known], error[known], color=BLUE, lw=1.6, marker=marker, ms=3.5, label="worst error")
    if certificate is not None and math.isfinite(certificate.upper):
        least = certificate.best_error
        ax.axhline(least, color=GREY, lw=1.0, ls=(0, (5, 4)), label=f"no less than {format_number(least)}", zorder=0)
    required = getattr(certificate, "required", None)
    if required is not None:
        ax.axhline(
            ndtr(-required), color=INK, lw=1.0, ls=":", label=f"required {format_number(ndtr(-required))}", zorder=0
        )
    if updates.max() > 100:
        ax.set_xscale("log")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="updates", ylabel="error of the worst Gaussian")
    draw_legend(ax)
    return ax


def _root(covariance: np.ndarray) -> np.ndarray:
    """F with F F' = covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
