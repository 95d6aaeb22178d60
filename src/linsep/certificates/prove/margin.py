"""From the end of a run to its certificate: the bounds of w and dual, computed once more from the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ...jit import compiled
from ...loop.sweep import BLOCK, Survey, compose, profiles, scores, survey
from ...oracles import Classes, flat, rows_of, shaped
from ...rows.exact import LARGEST, TINY, decisive, down, least, mixture
from ...rows.matrix import Rows, Sets, augment, biased, copies, live, longest_row, size_of, vectors, width
from ...targets import EpsOptimal
from ..margin import EPS_OPTIMAL, OPTIMAL, Certificate, conclude, novikoff
from .inseparable import EXACT, WIDEST, refute

U = float(np.finfo(np.float64).eps)
WIDE = float(np.finfo(np.longdouble).eps)
Cut = Callable[[np.ndarray, np.ndarray, np.ndarray], float]  # a threshold from scores, sides and weights


class Terms(NamedTuple):
    """What a certificate is about, beside w and dual."""

    target: tuple
    bias: str  # "free", "augmented" or "none"
    updates: int
    reason: str  # why learning ended before its target, or nothing
    ended: bool = False  # over, not out of budget: a closed form, a small step
    exact: bool = False  # the target was the optimum itself, not a w within eps of it
    widest: int = WIDEST  # columns up to which a proof of inseparability is tried
    sharp: float = 2**18  # numbers up to which exact arithmetic is used where rounding would decide


def length(v: np.ndarray) -> float:
    """|v|, for any v: squares of very small or large numbers would be lost.

    >>> length(np.array([3e-200, 4e-200]))
    5e-200
    """
    largest = float(np.abs(v).max(initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if 0 < largest < math.inf else largest


def _norm(v: np.ndarray) -> float:
    """|v| to a unit in the last place or two; of many numbers in wide floats, where there are any."""
    if v.size < 2**12 or WIDE >= U:
        return math.hypot(*v.tolist())
    largest = float(np.abs(v).max())
    if not 0 < largest < math.inf:
        return largest
    return largest * float(np.sqrt(np.square(v / largest, dtype=np.longdouble).sum()))


def look(parts: Sequence[Sets], w: np.ndarray) -> Survey:
    """One survey of all rows of all parts."""
    slack = (longest_row(parts) + 4) * U * length(w)
    seen = [survey(part, w, rows, slack) for part in parts for rows in live(part)]
    count, weight, lowest, sure, longest, negative, positive = zip(*seen, strict=True)
    return Survey(sum(count), math.fsum(weight), min(lowest), min(sure), max(longest), min(negative), min(positive))


def fewest(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> float:
    """The threshold that errs least if rows with g above it are called positive; NaN is a row left out.

    >>> fewest(np.array([1.0, 3.0, 2.0, 4.0]), np.array([-1, -1, 1, 1]), np.zeros(0))
    1.5
    """
    return _cut(g, np.argsort(g), sign, weight)


def likely(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> float:
    r"""The threshold that is likely to err least on further rows: near it, within :math:`\pm h`, a row errs in part.

    The place of the fewest errors among n rows is known no better than to about :math:`h = \sigma n^{-1/3}` (cube-root
    asymptotics; Kim and Pollard, 1990; sigma is the deviation of the scores of a class), so errors are counted no more
    sharply: a row on the wrong side by u costs :math:`\min(\max((u + h)/2h, 0), 1)` of its weight. Farther out errors
    grow rare exponentially at best, so a class whose rows weigh e^m times as much as the others' is kept m times h
    farther away: :math:`h = \sigma n^{-1/3} (1 + m)`. The cost is piecewise linear; its least place is exact.

    >>> g, sign = np.array([0.0, 1.9, 2.0, 3.0]), np.array([-1, -1, 1, 1])
    >>> round(fewest(g, sign, np.zeros(0)), 3), round(likely(g, sign, np.exp([0.0, 0.0, 2.0, 2.0])), 3)
    (1.95, 0.782)
    """
    h = unsure(g, sign, weight)
    return _soft_cut(g, np.argsort(g), sign, weight, h, np.zeros(4, dtype=np.int64))


def unsure(g: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """How far from a threshold rows of the negative and of the positive side err in part: h of `likely`."""
    sides = np.zeros((2, 5))
    _sides(g, sign, weight, sides)
    count, total, squares, _, variance = sides.T
    seen = total > 0
    h, heavy = np.zeros(2), np.ones(2)
    h[seen] = np.sqrt(variance[seen]) * np.cbrt(squares[seen] / total[seen] ** 2)
    heavy[seen] = total[seen] / count[seen]
    h *= 1.0 + np.maximum(np.log(heavy / heavy[::-1]), 0.0)
    return np.maximum(h, 1e-9 * float(max(np.nanmax(g), -np.nanmin(g))) or 1.0)


@compiled
def _sides(g, sign, weight, out):
    """Of the negative and of the positive rows: how many, their weight, its squares, mean and variance of g."""
    for i in range(g.size):
        if not np.isnan(g[i]):
            side, cost = 1 if sign[i] > 0 else 0, weight[i] if weight.size else 1.0
            out[side, 0] += 1.0
            out[side, 1] += cost
            out[side, 2] += cost * cost
            out[side, 3] += cost * g[i]
    for side in range(2):
        out[side, 3] /= max(out[side, 1], 1e-300)
    for i in range(g.size):
        if not np.isnan(g[i]):
            side, cost = 1 if sign[i] > 0 else 0, weight[i] if weight.size else 1.0
            off = g[i] - out[side, 3]
            out[side, 4] += cost * off * off
    for side in range(2):
        out[side, 4] /= max(out[side, 1], 1e-300)


def _errors_in_part(g: np.ndarray, sign: np.ndarray, weight: np.ndarray, h: np.ndarray) -> float:
    """The weight of the errors of threshold 0, those within h counted in part; NaN is a row left out."""
    return float(np.nansum(weight * np.clip(0.5 - sign * g / (2 * h[(sign > 0).astype(int)]), 0, 1)))


def free_bias(parts: Sequence[Rows], w: np.ndarray, rivals: Rows | None = None, cut: Cut = fewest) -> np.ndarray:
    """w with the best bias: half-way between the classes, or, where they overlap, at the ``cut``.

    Where the rows are of one class only, ``rivals`` (slots of `Differences`) stand for both, if given.
    """
    best = w.copy()
    if any(not any((part.sign == side).any() for part in parts) for side in (-1, 1)):
        if rivals is not None:
            best[-1] = 0.5 * (rivals.probe(w, 0) - rivals.probe(w, 2))
        return best
    g = np.full(sum(part.sign.size for part in parts), np.nan)
    for part in parts:
        for rows in live(part):
            scores(part._replace(bias=0.0), w, rows, g)
    sign = np.concatenate([part.sign for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    negative, positive = (np.nanmin(g, initial=np.inf, where=side) for side in (sign < 0, sign > 0))
    if negative + positive > 0:
        best[-1] = 0.5 * (negative - positive)
    else:
        g *= sign
        best[-1] = -cut(g, sign, weight)
    return best


def free_biases(parts: Sequence[Classes], w: np.ndarray) -> np.ndarray:
    """w with the bias of one class after the other moved to where the machine is likely to err least, others at rest.

    Only if that saves a hundredth of all weight: a bias that follows single rows learns nothing.
    """
    W = shaped(parts[0], w).copy()
    G = np.concatenate([_profiles(part, w) for part in parts])
    label = np.concatenate([part.label for part in parts])
    weight = np.concatenate([part.rows.weight for part in parts])
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
        move, h = -likely(lead, sign, weight), unsure(lead, sign, weight)
        now, then = (_errors_in_part(lead + more, sign, weight, h) for more in (0.0, move))
        if now - then > 0.01 * weight.sum():
            W[k, -1] += move
            G[:, k] += move
    return flat(parts[0], W)


def _profiles(part: Classes, w: np.ndarray) -> np.ndarray:
    """The scores of all classes, a row a row."""
    out = np.empty((part.label.size, part.score.size))
    profiles(part.rows, w, out)
    return out


@compiled
def _cut(g, order, sign, weight):
    """The threshold of `fewest`; ``order`` has NaN last."""
    errors = 0.0
    n = 0
    for i in order:
        if not np.isnan(g[i]):
            n += 1
            if sign[i] < 0:
                errors += weight[i] if weight.size else 1.0
    fewest, cut = errors, g[order[0]] - 1.0
    for k in range(n):
        i = order[k]
        cost = weight[i] if weight.size else 1.0
        errors += cost if sign[i] > 0 else -cost
        last = k == n - 1
        if errors < fewest and (last or g[order[k + 1]] > g[i]):
            fewest = errors
            cut = g[i] + 1.0 if last else 0.5 * (g[i] + g[order[k + 1]])
    return cut


@compiled
def _soft_cut(g, order, sign, weight, h, place):
    """The threshold of `likely`, with ``h`` of both sides: the cost bends h before and h behind every row.

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


def certify(
    parts: Sequence[Sets], w: np.ndarray, dual: np.ndarray, terms: Terms, integers: tuple[int, ...] = ()
) -> Certificate:
    """The certificate of w, with ``dual`` (row weights, any scale) as proof of the upper bound.

    ``integers``: multiples of those weights that are not 0, with which the vectors sum to zero exactly.
    """
    norm = _norm(w[:-1] if terms.bias == "free" else w)
    seen = look(augment(parts, terms.bias), w)
    lowest, sure = (seen.lowest, seen.sure) if norm > 0 else (-math.inf, -math.inf)
    if sure <= 0 < 2 * lowest - sure:  # rounding hides on which side the lowest vector is
        lowest, sure = _without_rounding(parts, w, terms, lowest, sure)
    weights = usable(parts, dual, terms.bias)
    proof = dual if integers else None if sure > 0 else disprove(parts, terms.bias, weights, terms.widest)
    weights = weights if proof is None else proof
    lower = sure / norm - 4 * U * abs(sure / norm) if norm > 0 else -math.inf
    upper, error = _upper(parts, weights, terms.bias)
    eps, relative = terms.target if isinstance(terms.target, EpsOptimal) else (0.0, 0.0)
    hidden = error + lowest / norm - lower if norm > 0 else error
    if 0 < lower < upper - eps - relative * upper < lower + 2 * hidden and eps + relative > 0:
        lowest, sure = _without_rounding(parts, w, terms, lowest, sure)
        lower = sure / norm - 4 * U * (sure / norm)
        upper, error = _upper_without_rounding(parts, weights, terms, upper, error)
        hidden = error + lowest / norm - lower
    status = conclude(
        lowest=lowest,
        lower=lower,
        upper=upper,
        refuted=proof is not None,
        eps=eps,
        relative=relative,
        ended=terms.ended,
    )
    status = OPTIMAL if terms.exact and status == EPS_OPTIMAL else status
    places, longest = np.flatnonzero(weights), math.sqrt(seen.longest)
    rows, rivals = np.divmod(places, copies(parts[0])) if isinstance(parts[0], Classes) else (places, places[:0])
    return Certificate(
        status, lower, upper, terms.updates, 0 if lower > 0 else seen.violated,
        novikoff(longest, sure / length(w)) if norm > 0 else math.inf,
        terms.bias, shaped(parts[0], w), rows, weights[places], proof is not None, integers,
        size=sum(rows.size for part in parts for rows in live(part)), longest=longest, rounding=hidden,
        eps=eps, relative=relative, reason="" if status in (EPS_OPTIMAL, OPTIMAL) else terms.reason,
        rivals=rivals, classes=tuple(range(copies(parts[0]))) if isinstance(parts[0], Classes) else (-1, 1),
    )  # fmt: skip


def _without_rounding(
    parts: Sequence[Sets], w: np.ndarray, terms: Terms, lowest: float, sure: float
) -> tuple[float, float]:
    """The least score in exact arithmetic, rounded down, if few enough rows may have it; not of a linear machine."""
    if isinstance(parts[0], Classes):
        return lowest, sure
    parts = augment(parts, terms.bias)
    rows = decisive(parts, w)
    if rows.size * w.size > terms.sharp:
        return lowest, sure
    exact = down(least(parts, w, rows))
    return exact, exact


def _upper_without_rounding(
    parts: Sequence[Sets], weights: np.ndarray, terms: Terms, upper: float, error: float
) -> tuple[float, float]:
    """The norm of the convex combination in exact arithmetic, if few enough rows are in it; not of a linear machine."""
    rows = np.flatnonzero(weights)
    if isinstance(parts[0], Classes) or rows.size * (width(parts[0]) + 1) > terms.sharp:
        return upper, error
    A = vectors(_in_norm(parts, terms.bias), rows)
    groups = [side[rows] for side in sides(parts, terms.bias)]
    square = sum((total * total for total in mixture(A, weights[rows], groups)), Fraction(0))
    exact = math.sqrt(square) * (1 + 4 * U) if TINY < square < LARGEST else math.inf
    return (exact, 0.0) if exact < upper else (upper, error)


def sides(parts: Sequence[Sets], bias: str) -> list[np.ndarray]:
    """The places in `dual` that share one unit of weight: all, or, with a free bias, each class by itself."""
    if isinstance(parts[0], Classes):
        return [np.concatenate([_rivals(part) for part in parts if isinstance(part, Classes)])]
    parts = list(map(rows_of, parts))
    sign = np.concatenate([part.sign for part in parts])
    if parts[0].weight.size:
        sign = np.where(np.concatenate([part.weight for part in parts]) > 0, sign, 0)
    return [sign < 0, sign > 0] if bias == "free" else [sign != 0]


def _rivals(part: Classes) -> np.ndarray:
    """Which of the K places of each row stand for a vector: the other classes, if the row weighs anything."""
    places = np.ones((part.label.size, part.score.size), dtype=bool)
    places[np.arange(part.label.size), part.label] = False
    if part.rows.weight.size:
        places[part.rows.weight == 0] = False
    return places.ravel()


def usable(parts: Sequence[Sets], dual: np.ndarray, bias: str) -> np.ndarray:
    """Dual weights with mass where it is needed: a run without updates still bounds the margin by one vector."""
    weights = dual
    for side in sides(parts, bias):
        if side.any() and not np.any(dual, where=side):
            weights = weights.copy() if weights is dual else weights
            weights[int(np.argmax(side))] = 1.0
    return weights


def shares(parts: Sequence[Sets], dual: np.ndarray, bias: str) -> np.ndarray:
    """Dual weights as those of a convex combination: sum 1, and with a free bias one half for each class."""
    weights = usable(parts, dual, bias).copy()
    halves = sides(parts, bias)
    for side in halves:
        np.divide(weights, max(float(weights[side].sum()), 1e-300) * len(halves), out=weights, where=side)
    return weights


def combination(parts: Sequence[Sets], weights: np.ndarray) -> np.ndarray:
    """The weighted sum of the vectors."""
    return _combination(parts, weights)[0]


def _combination(parts: Sequence[Sets], weights: np.ndarray) -> tuple[np.ndarray, float]:
    """The same, and the sum of the lengths in it."""
    total, lengths = np.zeros(size_of(parts[0])), 0.0
    for part in parts:
        for rows in live(part):
            block = np.zeros_like(total)
            lengths += compose(part, weights, rows, block)
            total += block
    return total, lengths


def _in_norm(parts: Sequence[Sets], bias: str) -> list[Sets]:
    """The rows as vectors whose norm bounds the margin: a free bias does not count in it."""
    return [biased(part, 1.0 if bias == "augmented" else 0.0) for part in parts]


def _upper(parts: Sequence[Sets], weights: np.ndarray, bias: str) -> tuple[float, float]:
    """The norm of the convex combination, and how much rounding was added to be safe."""
    if not all(side.any() for side in sides(parts, bias)):
        return math.inf, 0.0  # rows of one class: a hyperplane may be as far from them as it likes
    total, lengths = _combination(_in_norm(parts, bias), shares(parts, weights, bias))
    terms = min(int(np.count_nonzero(weights)), BLOCK + weights.size // BLOCK) + 4
    error = 2 * terms * U * lengths
    return length(total) * (1 + (total.size + 4) * U) + error, error


def disprove(parts: Sequence[Sets], bias: str, dual: np.ndarray, widest: int = WIDEST) -> np.ndarray | None:
    """Weights that prove the parts not separable, or None. Only the heaviest rows of ``dual`` are tried."""
    parts = augment(parts, bias)
    size = max(1, copies(parts[0]) - 1) * (width(parts[0]) + 1)
    rows = np.flatnonzero(dual)
    if rows.size == 0 or (size > widest and rows.size * size > EXACT):
        return None
    most = max(500, 8 * size)
    if rows.size > most:
        rows = np.sort(rows[np.argsort(-dual[rows], kind="stable")[:most]])
    heavy = rows[dual[rows] > 1e-12 * dual[rows].max()]
    for some in (rows, heavy)[: 1 + (heavy.size < rows.size)]:  # next to nothing can spoil a proof
        A = vectors(parts, some)
        if isinstance(parts[0], Classes):
            A = A[:, np.repeat(_telling(parts, some), A.shape[1] // copies(parts[0]))]
        found = refute(A, dual[some], widest)
        if found is not None:
            proof = np.zeros_like(dual)
            proof[some] = found
            return proof
    return None


def _telling(parts: Sequence[Classes], places: np.ndarray) -> np.ndarray:
    """The classes whose weights tell something new: all but one of those that the places connect.

    Whatever a vector adds to a class it takes from another, so one class is minus the sum of those connected with it.
    """
    count = copies(parts[0])
    rows, rivals = np.divmod(places, count)
    label = np.concatenate([part.label for part in parts])[rows]
    graph = sp.coo_array((np.ones(rows.size), (label, rivals)), shape=(count, count))
    group = connected_components(graph, directed=False)[1]
    return np.arange(count) != np.array([np.flatnonzero(group == g)[-1] for g in group])
