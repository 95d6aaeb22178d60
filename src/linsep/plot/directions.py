"""The criterion of the generalised Anderson task along all directions of the plane (F2, S4.25)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtr

from ..certificates.prove.radius import find_best_bias
from .gaussians import read_gaussians
from .style import INK, VERMILION, draw_legend, format_number, prepare_axes, styled, write_title

STEPS = 1441  # directions


@styled
def directions(means: Any, covariances: Any, labels: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the worst error of the best hyperplane of every direction: unimodal, but with kinks and not convex (S4.25).

    .. math:: \epsilon(w) = \min_b \max_j \Phi\Big(-\frac{y_j(\langle w,\mu_j\rangle + b)}{\sqrt{w^T\Sigma_j w}}\Big)

    Parameters
    ----------
    means, covariances, labels
        The Gaussians in the plane, as for `linsep.Anderson.fit_gaussians`.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> directions([[0.0, 0.0], [2.0, 0.0]], 1.0, [0, 1], Figure().subplots()).get_title()
    'the least worst error is 0.1587, at 0°'
    """
    shown = read_gaussians(means, covariances, labels, np.unique(labels))
    if shown.means.shape[1] != 2 or len(shown.classes) != 2:
        raise ValueError(
            f"directions: expected Gaussians of 2 classes in the plane, got {shown.means.shape[1]} columns."
        )
    angle = np.linspace(-np.pi, np.pi, STEPS)
    g = shown.factorized
    W = np.ldexp(np.column_stack([np.cos(angle), np.sin(angle)]), g.exponent)
    error = ndtr([-find_best_bias(g, w).r for w in W])
    ax = prepare_axes(ax)
    ax.plot(np.degrees(angle), error, color=INK, label="the best hyperplane of this direction")
    least = int(np.argmin(error))
    at = f"{np.degrees(angle[least]) + 0.0:.4g}°"
    ax.plot(np.degrees(angle[least]), error[least], "o", color=VERMILION, label="the best of all", zorder=3)
    ax.axhline(0.5, color=INK, lw=0.8, ls=":", label="as bad as a coin")
    ax.set(
        xlabel="direction of w in degrees",
        ylabel="error of the worst Gaussian",
        xlim=(-180, 180),
        xticks=range(-180, 181, 60),
    )
    write_title(ax, f"the least worst error is {format_number(error[least])}, at {at}")
    draw_legend(ax)
    return ax
