"""Targets: WHEN a vector counts as violated.

A target turns what is known of ``w`` into the score every vector must exceed:
``a`` is violated iff ``<w, a> <= goal``.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Margin(NamedTuple):
    r"""Every vector must score more than ``b``: violated iff :math:`\langle w, a\rangle \le b`.

    ``Margin(0)`` asks for any separating hyperplane (C1, C8), ``Margin(b)`` for a safe one (C4, C6).

    >>> Margin(0.5).goal(ww=4.0, mass=1.0)
    0.5
    """

    b: float = 0.0

    def goal(self, ww, mass):
        return self.b

    def uses_norms(self):
        return False


class EpsOptimal(NamedTuple):
    r"""The margin of w must come close to the best possible one (C9).

    ``w / mass`` is a convex combination of the vectors, so :math:`|w|/mass` bounds every margin from
    above, and w is good enough as soon as

    .. math:: \min \langle w, a\rangle / |w| \;>\; (1 - relative)\,|w|/mass - eps .

    ``EpsOptimal(1e-3)`` is the lectures' absolute eps, ``EpsOptimal(0.0, 1e-2)`` a relative one.

    >>> EpsOptimal(0.5).goal(ww=4.0, mass=1.0)     # |w| (|w| - eps)
    3.0
    >>> EpsOptimal(0.0, 0.25).goal(ww=4.0, mass=1.0)
    3.0
    """

    eps: float = 0.0
    relative: float = 0.0

    def goal(self, ww, mass):
        if ww == 0.0 or mass == 0.0:
            return 0.0
        return max(0.0, (1.0 - self.relative) * ww / mass - self.eps * math.sqrt(ww))

    def uses_norms(self):
        return True
