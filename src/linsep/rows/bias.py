"""Where the bias belongs: half-way between the classes, where the errors are fewest, or where they are likely to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..jit import compiled
from ..oracles import Classes
from .matrix import Rows, all_class_scores, scores

ENOUGH = 1 << 15  # rows of a class that tell a likely threshold: to 3 % of the deviation of the scores
Threshold = Callable[[np.ndarray, np.ndarray, np.ndarray], float]  # from scores, signs and weights


def threshold_of_fewest_errors(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> float:
    """The threshold that errs least if rows with g above it are called positive; NaN is a row left out.

    >>> threshold_of_fewest_errors(np.array([1.0, 3.0, 2.0, 4.0]), np.array([-1, -1, 1, 1]), np.zeros(0))
    1.5
    """
    return _cut(g, np.argsort(g), sign, weight)


def likely_threshold(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> float:
    r"""The threshold that is likely to err least on further rows: near it, within :math:`\pm h`, a row errs in part.

    The place of the fewest errors among n rows is known no better than to about :math:`h = \sigma n^{-1/3}` (cube-root
    asymptotics; Kim and Pollard, 1990; sigma is the deviation of the scores of a class), so errors are counted no more
    sharply: a row on the wrong side by u costs :math:`\min(\max((u + h)/2h, 0), 1)` of its weight. Farther out errors
    grow rare exponentially at best, so a class whose rows weigh e^m times as much as the others' is kept m times h
    farther away: :math:`h = \sigma n^{-1/3} (1 + m)`. The cost is piecewise linear; its least place is exact. Of many
    rows some are taken, evenly spread: 32,768 of each class or more.

    >>> g, sign = np.array([0.0, 1.9, 2.0, 3.0]), np.array([-1, -1, 1, 1])
    >>> round(threshold_of_fewest_errors(g, sign, np.zeros(0)), 3)
    1.95
    >>> round(likely_threshold(g, sign, np.exp([0.0, 0.0, 2.0, 2.0])), 3)
    0.782
    """
    some = _enough(g, sign)
    g, sign, weight = g[some], sign[some], weight[some] if weight.size else weight
    h = _uncertainty(g, sign, weight)
    return _soft_cut(g, np.argsort(g), sign, weight, h, np.zeros(4, dtype=np.int64))


def _enough(g: np.ndarray, sign: np.ndarray) -> np.ndarray | slice:
    """Rows that tell a likely threshold: all, or every k-th row of each class, at least `ENOUGH` of each."""
    if g.size < 4 * ENOUGH:
        return slice(None)
    sides = [np.flatnonzero((sign == side) & ~np.isnan(g)) for side in (-1, 1)]
    step = max(1, min(side.size for side in sides) // ENOUGH)
    return np.concatenate([side[::step] for side in sides])


def _uncertainty(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """How far from a threshold rows of the negative and of the positive side err in part: h of `likely_threshold`."""
    count, total, squares, variance = np.transpose(
        [_describe_side(g, sign < 0, weight), _describe_side(g, sign > 0, weight)]
    )
    seen = total > 0
    h, heavy = np.zeros(2), np.ones(2)
    h[seen] = np.sqrt(variance[seen]) * np.cbrt(squares[seen] / total[seen] ** 2)
    heavy[seen] = total[seen] / count[seen]
    h *= 1.0 + np.maximum(np.log(heavy / heavy[::-1]), 0.0)
    return np.maximum(h, 1e-9 * float(max(np.nanmax(g), -np.nanmin(g))) or 1.0)


def _describe_side(g: np.ndarray, side: np.ndarray, weight: np.ndarray) -> tuple[float, ...]:
    """Of the rows of one side: how many, their weight, its squares, and the variance of g."""
    side = side & ~np.isnan(g)
    g = g[side]
    cost = weight[side] if weight.size else np.ones(g.size)
    total = max(_sum_in_order(cost), 1e-300)
    off = g - _sum_in_order(cost * g) / total
    return g.size, _sum_in_order(cost), _sum_in_order(cost * cost), _sum_in_order(cost * off * off) / total


def _sum_in_order(x: np.ndarray) -> float:
    """The sum, from the first number to the last: NumPy's other sums depend on the kind of CPU."""
    return float(np.add.accumulate(x)[-1]) if x.size else 0.0


def _errors_in_part(g: np.ndarray, sign: np.ndarray, weight: np.ndarray, h: np.ndarray) -> float:
    """The weight of the errors of threshold 0, those within h counted in part; NaN is a row left out."""
    return float(np.nansum(weight * np.clip(0.5 - sign * g / (2 * h[(sign > 0).astype(int)]), 0, 1)))


def place_bias(
    parts: Sequence[Rows],
    w: np.ndarray,
    rivals: Rows | None = None,
    threshold: Threshold = threshold_of_fewest_errors,
    without_bias: np.ndarray | None = None,
) -> np.ndarray:
    """w with the best bias: half-way between the classes, or, where they overlap, at the ``threshold``.

    Where the rows are of one class only, ``rivals`` (of `Differences`) stand for both, if given. ``without_bias`` are
    the `scores` of the rows without their bias, NaN for those left out, if they are known already.
    """
    best, constant = w.copy(), parts[0].bias or 1.0  # what the bias is multiplied by in a score
    sign = np.concatenate([part.sign for part in parts])
    if sign.min() == sign.max():
        if rivals is not None:
            best[-1] = 0.5 * (rivals.lowest(w, 0)[0] - rivals.lowest(w, 2)[0])
        return best
    weight = np.concatenate([part.weight for part in parts])
    g = scores([part.with_bias(0.0) for part in parts], w) if without_bias is None else without_bias
    negative, positive = (float(np.fmin.reduce(g, where=side, initial=np.inf)) for side in (sign < 0, sign > 0))
    if negative + positive > 0:
        best[-1] = 0.5 * (negative - positive) / constant
    else:
        best[-1] = -threshold(g * sign, sign, weight) / constant
    return best


def place_biases(parts: Sequence[Classes], w: np.ndarray) -> np.ndarray:
    """w with the bias of one class after the other moved to where the machine is likely to err least, the others fixed.

    Only if that saves a hundredth of all weight: a bias that follows single rows learns nothing.
    """
    W = parts[0].as_matrix(w).copy()
    G = all_class_scores(parts, w)
    label = np.concatenate([part.label for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    weight = weight if weight.size else np.ones(label.size)
    every = np.arange(label.size)
    for k in range(W.shape[0]):
        rest = G.copy()
        rest[:, k] = -np.inf
        best = rest.max(axis=1)
        own = label == k
        # class k gets its rows where it beats the rest, and takes those of others that beat the rest
        rest[every, label] = -np.inf
        counts = (weight > 0) & (own | (G[every, label] > rest.max(axis=1)))
        lead = np.where(counts, G[:, k] - best, np.nan)
        sign = np.where(own, 1, -1).astype(np.int8)
        move, h = -likely_threshold(lead, sign, weight), _uncertainty(lead, sign, weight)
        now, then = (_errors_in_part(lead + more, sign, weight, h) for more in (0.0, move))
        if now - then > 0.01 * weight.sum():
            W[k, -1] += move / (parts[0].rows.bias or 1.0)
            G[:, k] += move
    return parts[0].as_vector(W)


@compiled
def _cut(g, order, sign, weight):
    """The threshold of `threshold_of_fewest_errors`; ``order`` has NaN last."""
    errors = 0.0
    n = 0
    for i in order:
        if not np.isnan(g[i]):
            n += 1
            if sign[i] < 0:
                errors += weight[i] if weight.size else 1.0
    beyond = g[order[n - 1]] - g[order[0]] if g[order[n - 1]] > g[order[0]] else 1.0
    fewest, cut = errors, g[order[0]] - beyond
    for k in range(n):
        i = order[k]
        cost = weight[i] if weight.size else 1.0
        errors += cost if sign[i] > 0 else -cost
        last = k == n - 1
        if errors < fewest and (last or g[order[k + 1]] > g[i]):
            fewest = errors
            cut = g[i] + beyond if last else 0.5 * (g[i] + g[order[k + 1]])
    return cut


@compiled
def _soft_cut(g, order, sign, weight, h, place):
    """The threshold of `likely_threshold`, with ``h`` of both sides: the cost bends h before and h behind every row.

    ``place`` holds how far the bends before negative and positive rows, and behind them, have been passed.
    """
    cost, slope, at = 0.0, 0.0, -np.inf
    lowest, first, last, level, total = np.inf, 0.0, 0.0, False, 0.0
    while True:
        event, here = -1, np.inf
        for s in range(4):
            side = s % 2
            while place[s] < order.size and (sign[order[place[s]]] > 0) != (side == 1):
                place[s] += 1
            if place[s] < order.size and not np.isnan(g[order[place[s]]]):
                bend = g[order[place[s]]] + (h[side] if s > 1 else -h[side])
                if event < 0 or bend < here:
                    event, here = s, bend
        if event < 0:
            return 0.5 * (first + last)
        cost += slope * (here - at) if slope != 0.0 else 0.0
        if cost < lowest - 1e-12 * total:
            lowest, first, last, level = cost, here, here, True
        elif level and cost <= lowest + 1e-12 * total:
            last = here
        else:
            level = False
        i = order[place[event]]
        bend = (weight[i] if weight.size else 1.0) / (2.0 * h[event % 2])
        slope += bend if (event % 2 == 1) == (event < 2) else -bend
        total += weight[i] if weight.size else 1.0
        at = here
        place[event] += 1
