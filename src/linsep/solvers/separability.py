"""Separable or not (B4): floating point first, exact arithmetic where it can't tell."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..certificates.base import Status
from ..certificates.margin import MarginCertificate
from ..certificates.prove.margin import Outcome, prove_margin, sides, usable_weights
from ..loop.stop import HIDDEN, Rounds
from ..rows.bias import place_bias
from ..rows.columns import column_ranges
from ..rows.matrix import RowOracle, Rows, scores, vectors
from .exact_nearest_point import decide_exactly
from .nearest_point import WIDE, nearest_point, nearest_point_by_ascent

SECONDS = 60.0  # budget of exact arithmetic, if none is given
PASSES = 1000  # budget of passes over all data
CLOSE = 0.9  # a w is good enough if its margin is at least a tenth of the best one
EXTREME = 400  # powers of two by which columns are scaled at most, so that their squares are floats
PAIRS = 64  # rows with equal scores that are compared


def decide_separability(
    parts: Sequence[Rows], outcome: Outcome, seconds: float | None = None, exact: bool | str = "auto"
) -> MarginCertificate:
    """A certificate that says whether any hyperplane separates the parts, if that can be found out at all.

    Rows that coincide; then a point near the nearest one, with columns of similar size; then, from the rows it needs,
    exact arithmetic: never (``exact`` is False), for at most a minute ("auto") or as long as it takes (True).
    ``seconds``: a budget for all of it. ``outcome.reason`` is given to a w that separates.
    """
    began = time.monotonic()
    two = find_coinciding(parts)
    if two.size:
        return _not_separable(parts, outcome, two, (1, 1))
    bias = "none" if outcome.bias == "none" else "free"
    rounds = Rounds(PASSES, seconds)
    if parts[0].width > WIDE:
        scale, found = np.ones(parts[0].size), nearest_point_by_ascent(parts, bias, CLOSE, rounds)
    else:
        scale = np.append(np.exp2(np.clip(np.frexp(column_ranges(parts, bias)[1])[1], -EXTREME, EXTREME)), 1.0)
        found = nearest_point(parts, bias, CLOSE, rounds, scale)
    outcome = outcome._replace(updates=outcome.updates + found.passes)
    w = found.w / scale if bias == "none" else place_bias(parts, found.w / scale)
    certificate = prove_margin(parts, w, found.dual_weights, outcome)
    if certificate.separates:
        return certificate
    if certificate.zero_sum:
        return replace(
            certificate, w=np.zeros_like(w), lower=-math.inf, violated=certificate.size, novikoff=math.inf, reason=""
        )
    if exact is False:
        return replace(certificate, reason=rounds.reason or HIDDEN)
    left = max(0.0, seconds - (time.monotonic() - began)) if seconds else SECONDS if exact == "auto" else math.inf
    decision = decide_exactly(parts, bias, usable_weights(found.dual_weights, sides(parts, bias)), left)
    if decision.rows is not None:
        return _not_separable(parts, outcome, decision.rows, decision.integers)
    if decision.w is None:
        return replace(certificate, reason=decision.reason)
    certificate = prove_margin(parts, decision.w, found.dual_weights, outcome._replace(sharp=math.inf))
    if decision.reason:
        return replace(certificate, status=Status.WITHIN_ROUNDING, integers=decision.integers, reason=decision.reason)
    return certificate


def _not_separable(
    parts: Sequence[Rows], outcome: Outcome, rows: np.ndarray, integers: tuple[int, ...]
) -> MarginCertificate:
    """The certificate of integer weights of zero sum; there is no w."""
    dual_weights, total = np.zeros(sum(part.sign.size for part in parts)), sum(integers)
    dual_weights[rows] = [max(number / total, 5e-324) for number in integers]
    return prove_margin(parts, np.zeros(parts[0].size), dual_weights, outcome._replace(reason=""), integers)


def find_coinciding(parts: Sequence[RowOracle]) -> np.ndarray:
    """Two rows of different classes that are equal, or none. One pass: they have equal scores along any direction.

    >>> from linsep.oracles import points
    >>> find_coinciding([points(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), np.array([1, 1, -1]))])
    array([0, 2])
    """
    rows = [part.rows.with_bias(0.0) for part in parts]
    label = np.concatenate([part.label for part in parts])
    sign = np.concatenate([part.sign for part in parts])
    direction = np.append(np.random.default_rng(0).uniform(0.5, 1.0, rows[0].width), 0.0)
    score = sign * scores(rows, direction)
    order = np.lexsort((label, score))
    for at in np.flatnonzero((np.diff(score[order]) == 0) & (np.diff(label[order]) != 0))[:PAIRS]:
        two = np.sort(order[at : at + 2])
        one, other = vectors(rows, two) * sign[two, None]
        if (one == other).all():
            return two
    return np.zeros(0, dtype=np.int64)
