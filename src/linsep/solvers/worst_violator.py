r"""Kozinec by the worst violator: every pass goes through all rows with w fixed, and w moves to the lowest of them.

.. math:: a = \arg\min_{a} \langle w,a\rangle, \qquad w \leftarrow (1-k)\,w + k\,a .

With a free bias a is half of the difference between the lowest rows of both classes, as they are mirrored. One row of
each hull comes from every part; ties are decided for the first row, so the cut into parts changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certificates.prove.inseparable import prove_inseparable
from ..loop.stop import Rounds
from ..oracles.elsewhere import map_parts
from ..rows.matrix import Rows, squared_length, vectors
from .nearest_point import Hulls, Low, lowest_of_part


class WorstViolators(NamedTuple):
    """Where the method ended."""

    w: np.ndarray
    dual_weights: np.ndarray
    updates: int
    reason: str  # why it ended before its target, or nothing
    history: list[dict[str, float]]


class _Lowest(NamedTuple):
    """The lowest row of one hull in a part, none if it has none there."""

    low: Low
    vector: np.ndarray


def _lowest_vectors(part: Rows, w: np.ndarray, two: bool) -> list[_Lowest]:
    return [_Lowest(low, vectors([part], low.rows)) for low in lowest_of_part(part, w, 1, two)]


def worst_violators(parts: Sequence[Rows], bias: str, target: Any, rule: Any, rounds: Rounds) -> WorstViolators:
    """Move w to the lowest vector of all until the target is reached, or ``rounds`` end.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Nearest
    >>> from linsep.targets import EpsOptimal
    >>> rows = points(np.array([[2.0, 1.0], [2.0, -1.0], [5.0, 0.0]]), np.ones(3), bias=0.0)
    >>> found = worst_violators([rows], "none", EpsOptimal(0.0, 0.01), Nearest(), Rounds(100))
    >>> found.w, found.dual_weights, found.updates
    (array([2., 0., 0.]), array([0.5, 0.5, 0. ]), 1)
    """
    hulls = Hulls(parts, bias, 1.0)
    weights, two = hulls.first_weights(), hulls.share.size == 2
    first = np.flatnonzero(weights)
    w = weights[first] @ vectors(hulls.parts, first)
    w = np.append(w, np.zeros(hulls.parts[0].size - w.size))
    history: list[dict[str, float]] = []
    updates, reason = 0, ""
    for k in rounds:
        found = map_parts(_lowest_vectors, hulls.parts, w, two)
        a, wa, rows = np.zeros(w.size), 0.0, []
        for g, share in enumerate(hulls.share):
            part, best = min(
                ((part, each[g]) for part, each in zip(hulls.parts, found, strict=True) if each[g].low.rows.size),
                key=lambda one: float(one[1].low.score[0]),
            )
            a[: best.vector.shape[1]] += share * best.vector[0]
            wa += share * float(best.low.score[0])
            rows.append(part.first + int(best.low.rows[0]))
        ww = squared_length(w)
        goal, norm = target.goal(ww, 1.0), math.sqrt(ww)
        lower = wa / norm if norm > 0 else math.nan
        history.append(
            {"pass": k, "updates": updates, "lower": lower, "upper": norm, "seconds": time.monotonic() - rounds.began}
        )
        if wa > goal:
            break
        if k & (k - 1) == 0 and prove_inseparable(parts, bias, weights) is not None:
            reason = "the data are proved not separable"
            break
        alpha, beta = rule.step(updates, wa, ww, squared_length(a), goal)
        w, weights, updates = alpha * w + beta * a, alpha * weights, updates + 1
        weights[rows] += beta * hulls.share
    return WorstViolators(w, weights, updates, reason or rounds.reason, history)
