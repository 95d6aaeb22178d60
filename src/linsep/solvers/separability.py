"""Separable or not (B4): floating point first, exact arithmetic where it can't tell."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..certificates.margin import WITHIN_ROUNDING, Certificate
from ..certificates.prove.margin import Terms, certify, free_bias, usable
from ..loop.stop import HIDDEN, Rounds
from ..loop.sweep import scores
from ..rows.matrix import Rows, live, vectors, width
from .exact_nearest_point import exact_point, spread
from .nearest_point import nearest_point

SECONDS = 60.0  # budget of exact arithmetic, if none is given
LOOKS = 1000  # budget of looks at all data
CLOSE = 0.9  # a w is good enough if its margin is at least a tenth of the best one
EXTREME = 400  # powers of two by which columns are scaled at most: their squares shall be floats
PAIRS = 64  # rows with equal scores that are compared


def decide(
    parts: Sequence[Rows], terms: Terms, seconds: float | None = None, exact: bool | str = "auto"
) -> Certificate:
    """A certificate that says whether any hyperplane separates the parts, if that can be found out at all.

    Rows that coincide; then a point near the nearest one, with columns of like size; then, from the rows it needs,
    exact arithmetic: never (``exact`` is False), for at most a minute ("auto") or as long as it takes (True).
    ``seconds``: a budget for all of it. ``terms.reason`` is given to a w that separates.
    """
    began = time.monotonic()
    two = coinciding(parts)
    if two.size:
        return _refuted(parts, terms, two, (1, 1))
    bias = "none" if terms.bias == "none" else "free"
    size = np.append(np.exp2(np.clip(np.frexp(spread(parts, bias)[1])[1], -EXTREME, EXTREME)), 1.0)
    rounds = Rounds(LOOKS, seconds)
    found = nearest_point(parts, bias, CLOSE, rounds, size)
    terms = terms._replace(updates=terms.updates + found.looks)
    w = found.w / size if bias == "none" else free_bias(parts, found.w / size)
    certificate = certify(parts, w, found.dual, terms)
    if certificate.separates:
        return certificate
    if certificate.refuted:
        return replace(
            certificate, w=np.zeros_like(w), lower=-math.inf, violated=certificate.size, novikoff=math.inf, reason=""
        )
    if exact is False:
        return replace(certificate, reason=rounds.reason or HIDDEN)
    left = max(0.0, seconds - (time.monotonic() - began)) if seconds else SECONDS if exact == "auto" else math.inf
    decision = exact_point(parts, bias, usable(parts, found.dual, bias), left)
    if decision.rows is not None:
        return _refuted(parts, terms, decision.rows, decision.integers)
    if decision.w is None:
        return replace(certificate, reason=decision.reason)
    certificate = certify(parts, decision.w, found.dual, terms._replace(sharp=math.inf))
    if decision.reason:
        return replace(certificate, status=WITHIN_ROUNDING, integers=decision.integers, reason=decision.reason)
    return certificate


def _refuted(parts: Sequence[Rows], terms: Terms, rows: np.ndarray, integers: tuple[int, ...]) -> Certificate:
    """The certificate of whole-numbered weights of zero sum; there is no w."""
    dual, total = np.zeros(sum(part.sign.size for part in parts)), sum(integers)
    dual[rows] = [max(number / total, 5e-324) for number in integers]
    return certify(parts, np.zeros(width(parts[0]) + 1), dual, terms._replace(reason=""), integers)


def coinciding(parts: Sequence[Rows]) -> np.ndarray:
    """Two rows of different classes that are equal, or none. One look: they have equal scores along any direction.

    >>> from linsep.oracles import points
    >>> coinciding([points(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), np.array([1, 1, -1]))])
    array([0, 2])
    """
    parts = [part._replace(bias=0.0) for part in parts]
    sign = np.concatenate([part.sign for part in parts])
    score = np.full(sign.size, np.nan)
    direction = np.append(np.random.default_rng(0).uniform(0.5, 1.0, width(parts[0])), 0.0)
    for part in parts:
        for rows in live(part):
            scores(part, direction, rows, score)
    score *= sign
    order = np.lexsort((sign, score))
    for at in np.flatnonzero((np.diff(score[order]) == 0) & (np.diff(sign[order]) != 0))[:PAIRS]:
        two = np.sort(order[at : at + 2])
        if not vectors(parts, two).sum(axis=0).any():
            return two
    return np.zeros(0, dtype=np.int64)
