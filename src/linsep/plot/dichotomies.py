"""Cover's count: the share of dichotomies of N points that a hyperplane can make (S3 "Cover's Theorem")."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .style import DASHED, GREY, class_colour, class_marker, draw_legend, prepare_axes, styled, write_title


@styled
def dichotomies(weights: Sequence[int] = (2, 5, 20, 100), ax: Axes | None = None, *, most: float = 4.0) -> Axes:
    r"""Draw the share of the dichotomies of N points that are linearly separable, against N/d (Cover 1965; S3).

    .. math:: \frac{C(N,d)}{2^N} = 2^{1-N} \sum_{k=0}^{d-1} \binom{N-1}{k}

    d is the number of weights, bias included; the points are in general position. Up to N = d all dichotomies are
    separable, at N = 2d exactly one half, in many dimensions nearly none beyond. More columns separate more of them.

    Parameters
    ----------
    weights : sequence of int, default=(2, 5, 20, 100)
        Numbers of weights d, one curve each.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    most : float, default=4.0
        Largest N/d.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = dichotomies((3,), Figure().subplots(), most=2.0)
    >>> [round(float(share), 4) for share in ax.lines[0].get_ydata()]
    [1.0, 1.0, 1.0, 0.875, 0.6875, 0.5]
    """
    for d in weights:
        if int(d) != d or d < 1:
            raise ValueError(f"dichotomies: expected whole numbers of weights, at least 1, got {d!r}.")
    if not 0 < most < np.inf:
        raise ValueError(f"dichotomies: expected most > 0, got {most}.")
    ax = prepare_axes(ax)
    for k, d in enumerate(map(int, weights)):
        N = np.arange(1, int(most * d) + 1)
        shares = [float(share_separable(int(one), d)) for one in N]
        style: dict[str, Any] = {"marker": class_marker(k), "markevery": max(1, len(N) // 12)}
        ax.plot(N / d, shares, color=class_colour(k), label=f"d = {d}", zorder=3, **style)
    ax.axvline(2, color=GREY, lw=1.2, ls=DASHED, zorder=1)
    ax.axhline(0.5, color=GREY, lw=1.2, ls=DASHED, zorder=1)
    ax.set(xlim=(0, most), ylim=(-0.03, 1.05), xlabel="points per weight, N/d", ylabel="share of separable dichotomies")
    write_title(ax, "Cover: one half of the dichotomies of N = 2d points is separable")
    draw_legend(ax)
    return ax


def share_separable(N: int, d: int) -> Fraction:
    """Return C(N,d)/2^N, the share of the dichotomies of N points in general position that d weights separate.

    >>> share_separable(4, 3)       # four points of the plane: all but the two of XOR
    Fraction(7, 8)
    """
    return Fraction(2 * sum(comb(N - 1, k) for k in range(d)), 2**N)
