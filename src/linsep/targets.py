"""Targets: WHEN a vector counts as violated.

A target turns what is known of ``w`` into the score every vector must exceed:
``a`` is violated iff ``<w, a> <= goal``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .jit import component

TIGHTER = 1.0 - 1e-6  # so that the bounds of the certificate, computed again, are eps apart even after rounding


@component(NEEDS_NORM=False)
class Margin(NamedTuple):
    r"""Every vector must score more than ``b``: violated iff :math:`\langle w, a\rangle \le b`.

    ``Margin(0)`` asks for any separating hyperplane (C1, C8), ``Margin(b)`` for a safe one (C4, C6).

    >>> Margin(0.5).goal(ww=4.0, total=1.0)
    0.5
    """

    b: float = 0.0

    @property
    def tolerance(self) -> tuple[float, float]:
        """Any margin above 0 will do."""
        return 0.0, 0.0

    def goal(self, ww, total):
        """The score that every vector must exceed."""
        return self.b


@component
class EpsOptimal(NamedTuple):
    r"""The margin of w must come close to the best possible one (C9).

    ``w / total`` is a convex combination of the vectors, so :math:`|w|/total` bounds every margin from
    above, and w is good enough as soon as

    .. math:: \min \langle w, a\rangle / |w| \;>\; (1 - relative)\,|w|/total - eps .

    ``EpsOptimal(1e-3)`` is the lectures' absolute eps, ``EpsOptimal(0.0, 1e-2)`` a relative one. Both are taken a
    millionth smaller, to leave room for rounding.

    >>> round(EpsOptimal(0.5).goal(ww=4.0, total=1.0), 3)  # |w| (|w| - eps)
    3.0
    >>> round(EpsOptimal(0.0, 0.25).goal(ww=4.0, total=1.0), 3)
    3.0
    """

    eps: float = 0.0
    relative: float = 0.0

    @property
    def tolerance(self) -> tuple[float, float]:
        """The two numbers."""
        return self.eps, self.relative

    def goal(self, ww, total):
        """The score that every vector must exceed."""
        if ww == 0.0 or total == 0.0:
            return 0.0
        return max(0.0, (1.0 - TIGHTER * self.relative) * ww / total - TIGHTER * self.eps * math.sqrt(ww))
