"""Rules: HOW w moves when a vector is violated.

A rule sees only numbers: ``t`` (updates made so far), ``wa = <w,a>``, ``ww = <w,w>``, ``aa = <a,a>``
and the ``goal`` that was missed. ``step`` returns ``alpha, beta >= 0``, and w becomes ``alpha w + beta a``.

The batch form keeps w fixed for a pass: every violated vector enters one sum ``s`` with the weight ``batch_weight``,
and ``batch_step`` returns ``alpha, beta`` for ``w <- alpha w + beta s``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import NamedTuple

import numpy as np

from .jit import component

BEYOND = 1.0 + 1e-9


class Batch(NamedTuple):
    """The numbers of s, the weighted sum of the violated vectors of a pass."""

    ws: float  # <w,s>
    ww: float  # <w,w>
    ss: float  # <s,s>
    total: float  # the sum of the weights in s
    weight: float  # the sample weight of the violated vectors
    goal: float


@component(NEEDS_NORM=False)
class Increment(NamedTuple):
    r"""The perceptron: :math:`w \leftarrow w + \eta(t)\,a` (C1, C2, C4).

    The rate after ``t`` updates is :math:`\eta(t) = rate / (t+1)^{decay}`: ``decay=0`` is the fixed
    increment, ``decay=1`` and ``decay=0.5`` are the schedules 1/k and 1/sqrt(k).
    The batch form adds the sum of all violated vectors: gradient descent on J_p.

    >>> Increment(2.0).step(t=0, wa=-1.0, ww=1.0, aa=1.0, goal=0.0)
    (1.0, 2.0)
    >>> Increment(1.0, decay=1.0).step(t=3, wa=-1.0, ww=1.0, aa=1.0, goal=0.0)
    (1.0, 0.25)
    """

    rate: float = 1.0
    decay: float = 0.0

    def step(self, t, wa, ww, aa, goal):
        if self.decay == 0.0:
            return 1.0, self.rate
        return 1.0, self.rate * (t + 1.0) ** -self.decay

    def batch_weight(self, wa, aa, goal):
        return 1.0

    def batch_step(self, t, batch):
        return self.step(t, 0.0, 0.0, 0.0, 0.0)


@component(NEEDS_NORM=False)
class RateTable(NamedTuple):
    """The perceptron with the rates of updates ``first, first + 1, ...`` written in a table."""

    rates: np.ndarray
    first: int

    def step(self, t, wa, ww, aa, goal):
        return 1.0, self.rates[t - self.first]

    def batch_weight(self, wa, aa, goal):
        return 1.0

    def batch_step(self, t, batch):
        return self.step(t, 0.0, 0.0, 0.0, 0.0)


class Scheduled:
    r"""The perceptron with any rate :math:`\eta(k)`, a Python function of k = 1, 2, ... (C2, C4).

    The function is called once for every update, outside compiled code: before each block of visits
    `for_updates` computes the rates that the block may need.

    >>> Scheduled(lambda k: 1 / k).for_updates(t=2, count=2).rates
    array([0.33333333, 0.25      ])
    """

    NEEDS_NORM = False

    def __init__(self, eta: Callable[[int], float]):
        self.eta = eta
        self._first, self._rates = 0, np.zeros(0)  # the rates of updates `_first`, ..., that are known

    def for_updates(self, t: int, count: int) -> RateTable:
        """The rule for updates t, ..., t + count - 1; rates of earlier updates are forgotten."""
        known = self._rates[t - self._first :] if t >= self._first else self._rates[:0]
        new = [self._rate(k) for k in range(t + known.size + 1, t + count + 1)]
        self._first, self._rates = t, np.concatenate([known, new])
        return RateTable(self._rates[:count].copy(), t)

    def _rate(self, k: int) -> float:
        rate = self.eta(k)
        if not (isinstance(rate, Real) and math.isfinite(rate) and rate > 0):
            raise ValueError(f"rate: expected a finite number greater than 0, got eta({k}) = {rate!r}.")
        return float(rate)

    def step(self, t, wa, ww, aa, goal):
        """Alpha and beta of one update."""
        return self.for_updates(t, 1).step(t, wa, ww, aa, goal)

    def batch_weight(self, wa, aa, goal):
        """Every violated vector counts alike."""
        return 1.0

    def batch_step(self, t, batch):
        """Alpha and beta of one batch update."""
        return self.step(t, 0.0, 0.0, 0.0, 0.0)


@component(NEEDS_MARGIN=True)
class Relaxation(NamedTuple):
    r"""Move towards the hyperplane <w,a> = b, or past it (C6).

    .. math:: w \leftarrow w + rate\, \frac{b - \langle w,a\rangle}{|a|^2}\, a , \qquad 0 < rate < 2 .

    ``rate=1`` lands on the hyperplane, which the strict target still calls violated. So the aim
    lies a hair beyond the goal, (1 + 1e-9) b: the rule ends for every rate.

    The batch form of S1 is :math:`w \leftarrow w + rate\, s`, with s the sum of these moves: a step against the
    gradient of :math:`J_r = \frac12\sum (b - \langle w,a\rangle)^2/|a|^2`. It is known to bring w nearer to every w
    that reaches the margin if :math:`rate\,|s|^2 < 4 J_r`, and on many rows it runs away. The mean of the moves
    (Cimmino) brings w nearer for all rates below 2. The sum is taken where
    :math:`rate\,|s|^2 \le summed\,(1 + rate/2)\,2 J_r`, the mean elsewhere. So ``summed=1`` takes the sum where it is
    known to converge, ``summed=inf`` everywhere, as S1 has it, and ``summed=0`` nowhere.

    >>> Relaxation(1.5).step(t=0, wa=-1.0, ww=1.0, aa=2.0, goal=1.0)[1]
    1.50000000075
    >>> two = Batch(ws=0.0, ww=0.0, ss=4.0, total=2.0, weight=2.0, goal=1.0)  # one vector twice: |s|^2 = 4, J_r = 1
    >>> [Relaxation(1.5, summed).batch_step(0, two)[1] for summed in (1.0, float("inf"), 0.0)]
    [0.75, 1.5, 0.75]
    """

    rate: float = 1.5
    summed: float = 1.0

    def step(self, t, wa, ww, aa, goal):
        return 1.0, self.rate * self.batch_weight(wa, aa, goal)

    def batch_weight(self, wa, aa, goal):
        if aa == 0.0:  # the zero vector can't be satisfied, and doesn't move w
            return 1.0
        return (BEYOND * goal - wa) / aa

    def batch_step(self, t, batch):
        twice = BEYOND * batch.goal * batch.total - batch.ws  # 2 J_r
        safe = self.rate * batch.ss <= self.summed * (1.0 + 0.5 * self.rate) * twice
        return 1.0, self.rate if safe else self.rate / batch.weight


@component(WEIGHTED=False, INSIDE_HULL=True)
class Nearest(NamedTuple):
    r"""Kozinec: the point nearest to the origin on the segment from w to a (C8, C9).

    .. math:: w \leftarrow (1-k)\,w + k\,a , \qquad k = \min\Big(1, \frac{\langle w, w-a\rangle}{|w-a|^2}\Big) .

    w starts at the first vector, never at 0, and stays in the convex hull of the vectors, which is the same whatever
    they weigh. The batch form takes the mean of all violated vectors for a: a point of the hull, violated too.
    ``longest`` limits k; 1.0 is the rule.

    >>> Nearest().step(t=1, wa=0.0, ww=1.0, aa=1.0, goal=0.0)
    (0.5, 0.5)
    """

    longest: float = 1.0

    def step(self, t, wa, ww, aa, goal):
        if ww == 0.0 and t == 0:
            return 0.0, 1.0
        gap = ww - 2.0 * wa + aa
        if gap <= 0.0:
            return 1.0, 0.0
        k = min(self.longest, max(0.0, (ww - wa) / gap))
        return 1.0 - k, k

    def batch_weight(self, wa, aa, goal):
        return 1.0

    def batch_step(self, t, batch):
        total = batch.total
        alpha, beta = self.step(t, batch.ws / total, batch.ww, batch.ss / (total * total), batch.goal)
        return alpha, beta / total


def make_increment(rate) -> Increment | Scheduled:
    """The perceptron's rule from what a user writes: a number, "1/k", "1/sqrt(k)" or a function of k.

    >>> make_increment("1/k")
    Increment(rate=1.0, decay=1.0)
    """
    if callable(rate):
        return Scheduled(rate)
    decay = {"1/k": 1.0, "1/sqrt(k)": 0.5}.get(rate) if isinstance(rate, str) else 0.0
    if decay is None:
        raise ValueError(f"rate: expected a number, '1/k', '1/sqrt(k)' or a function of k, got {rate!r}.")
    return Increment(1.0, decay) if decay else Increment(float(rate))


def rate_of(rule: Increment | Scheduled, k: int) -> float:
    """The rate of update k = 1, 2, ...

    >>> rate_of(make_increment("1/k"), 4)
    0.25
    """
    return rule.step(k - 1, 0.0, 0.0, 0.0, 0.0)[1]
