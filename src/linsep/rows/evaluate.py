"""One pass over every vector: what is known of a w then, and of the same w with another bias."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..jit import borrowed, compiled
from ..oracles.elsewhere import map_parts
from .matrix import RowOracle, Rows, U, length, present_blocks, weight_of

FUZZ = 2.0**-30  # more than the relative rounding error of <a,a> of any row


class Evaluation(NamedTuple):
    """What one pass over every vector tells of a w."""

    size: int  # sets
    violated: int  # those with <w,a> <= 0 as computed
    doubtful: int  # those whose <w,a> may have the other sign in truth
    weight: float  # of the violated ones
    lowest: float  # the least <w,a> as computed
    sure: float  # a number that no <w,a> is below, rounding included
    longest: float  # the largest <a,a>
    lowest_negative: float  # the least <w,a> of the negative class
    lowest_positive: float  # the least <w,a> of the positive class


class ScoresAndNorms(NamedTuple):
    """Of the lowest vector a of every set the numbers <w,a>, NaN for sets left out, and <a,a>.

    Of rows a = (x, constant) it has <x,x>, which would be lost in <a,a> where the columns are small.
    """

    wa: np.ndarray
    aa: np.ndarray

    def add_bias(self, parts: Sequence[Rows], w0: float) -> None:
        """Turn what was seen of rows without their bias into that of the rows."""
        for part in parts:
            own = slice(part.first, part.first + part.sign.size)
            self.wa[own] += (part.bias * w0 * np.array([-1.0, 1.0]))[(part.sign > 0).view(np.int8)]


def scores_and_norms(parts: Sequence[RowOracle], w: np.ndarray) -> ScoresAndNorms:
    """<w,a> and <a,a> of the lowest vectors of all sets, in one pass."""
    rows: Sequence[Any] = parts if parts[0].slots > 1 else [part.with_bias(0.0) for part in parts]
    each = map_parts(_scores_and_norms_of_part, rows, w)
    found = each[0] if len(each) == 1 else ScoresAndNorms(*map(np.concatenate, zip(*each, strict=True)))
    if parts[0].slots == 1 and parts[0].rows.bias:
        found.add_bias(parts, float(w[-1]))
    return found


def _scores_and_norms_of_part(part: RowOracle, w: np.ndarray) -> ScoresAndNorms:
    found = ScoresAndNorms(*np.empty((2, part.sign.size)))
    if part.weight.size:
        found.wa[:] = np.nan
    for rows in present_blocks(part):
        write_scores_and_norms(part, w, rows, found.wa, found.aa)
    return found


@compiled
def write_scores_and_norms(oracle, w, rows, wa, aa):
    """Write <w,a> and <a,a> of the lowest vectors of ``rows``, by their number."""
    oracle, w, wa, aa = borrowed((oracle, w, wa, aa))
    for i in rows:
        wa[oracle.first + i], aa[oracle.first + i] = oracle.score_and_norm(w, i)


@compiled
def evaluate_block(seen, sign, weights, rows, trust):
    """What was seen of ``rows``; <w,a> is trusted to ``rounding |x| + rounding_of_bias``, of ``a = (x, constant)``."""
    rounding, rounding_of_bias, constant = trust
    violated, doubtful, weight, sure, longest = 0, 0, 0.0, np.inf, 0.0
    negative, positive = np.inf, np.inf
    for i in rows:
        wa, aa = seen[0][i], seen[1][i]
        if wa <= 0.0:
            violated += 1
            weight += weight_of(weights, i)
        doubt = rounding * np.sqrt(aa + FUZZ * aa) + rounding_of_bias
        if abs(wa) <= doubt:
            doubtful += 1
        sure = min(sure, wa - doubt)
        longest = max(longest, aa + constant * constant)
        if sign[i] < 0:
            negative = min(negative, wa)
        else:
            positive = min(positive, wa)
    lowest = min(negative, positive)
    return Evaluation(rows.size, violated, doubtful, weight, lowest, sure, longest, negative, positive)


def evaluate(parts: Sequence[RowOracle], w: np.ndarray, seen: ScoresAndNorms | None = None) -> Evaluation:
    """What is known of w after one pass over every vector; ``seen`` is what that found, if it was made already."""
    rounding = (max(part.rows.longest_row for part in parts) + 4) * U
    if parts[0].slots > 1:
        trust = rounding * length(w), 0.0, 0.0
    else:  # apart: a bias may be of quite another size than the columns
        constant = float(parts[0].rows.bias)
        trust = rounding * length(w[:-1]), 2 * rounding * abs(float(w[-1])) * constant, constant
    seen = scores_and_norms(parts, w) if seen is None else seen
    found = []
    for part in parts:
        own = tuple(each[part.first : part.first + part.sign.size] for each in seen)
        found += [evaluate_block(own, part.sign, part.weight, rows, trust) for rows in present_blocks(part)]
    size, violated, doubtful, weight, lowest, sure, longest, negative, positive = zip(*found, strict=True)
    return Evaluation(
        sum(size), sum(violated), sum(doubtful), math.fsum(weight), min(lowest), min(sure), max(longest),
        min(negative), min(positive),
    )  # fmt: skip
