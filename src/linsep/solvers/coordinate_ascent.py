r"""Dual coordinate ascent (C12): relaxation with memory, after Hildreth, and Hsieh and others (2008).

A visit to row i moves w along a_i until the row has the margin 1, as relaxation does, but remembers in
:math:`\alpha_i` how much of the row w has got, takes back what was too much, and gives no more than :math:`C_i`:

.. math:: \alpha_i \leftarrow \min\Big(\max\Big(\alpha_i + \frac{1 - \langle w,a_i\rangle}{|a_i|^2}, 0\Big), C_i\Big) .

A visit also tells what the row adds to the gap, :math:`C_i\,\ell(1 - \langle w,a_i\rangle) - \alpha_i (1 - \langle
w,a_i\rangle) \ge 0`. So a pass estimates the gap for nothing, and all rows are looked at only when that has become
small. The gap also says how far w can be from the best one, :math:`|w - w^*|^2 \le 2 (P - D)`: rows that rest at 0 or
at C_i, further from the margin than such a step may bring them, are left out until the next look at all rows.

Where passes bring little, the rows between their limits are moved together, by conjugate gradients (`stretch`).

A free bias is found by the method of multipliers: the rows carry a bias column of the size s of a typical row. Its
weight is :math:`s \sum \alpha_i y_i`, and after each pass the bias moves on by what that column adds to it. Where it
stops, the weight is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..certificates.prove.margin import combination
from ..jit import compiled
from ..loop.stop import Rounds
from ..loop.sweep import compose, scores
from ..rows.matrix import Rows
from .duality import Judge

BLOCK = 4  # rows that are visited in a row: the order is random enough, and memory is waited for less often
AHEAD = 2  # blocks that are fetched before they are visited
ASIDE = 0.01  # the part of a step of w that a row is taken to feel: in many dimensions directions are hardly alike
MOVES = 5  # of a free bias that a row at rest should not come to feel; all rows are looked at after so many
LOOK = 0.5  # what a look at a row costs, in visits
NEWS = 0.1  # all rows are looked at when the gap is this part of what it was
TREND = 5  # passes that tell how quickly the gap falls
SLOW = 10  # passes in which the gap should have halved
TOGETHER = 30  # steps of conjugate gradients, each of which costs two passes; done if more passes than that are left


class Box(NamedTuple):
    """What the weights of the rows are held by: 0 <= alpha <= limit, and extra alpha^2 / 2."""

    limit: np.ndarray
    extra: np.ndarray
    price: np.ndarray  # what a missing part of the margin costs, where there is no extra
    square: np.ndarray  # <a,a> + extra


def ascent(
    bounds: Judge, alpha: np.ndarray, tol: float, rounds: Rounds, order: str, seed: int,
    enough: Callable[[float, float, np.ndarray], bool],
) -> np.ndarray:  # fmt: skip
    """Ascend from ``alpha`` until the gap is ``tol``, or ``enough(visits to rows, visits to come, alpha)``.

    What is to come follows from how the gap fell so far. ``bounds`` has the best.
    """
    problem = bounds.problem
    squares = np.zeros(alpha.size)
    square_rows(problem.part._replace(bias=0.0), problem.rows, squares)
    here = np.flatnonzero(problem.C > 0)
    column = math.sqrt(float(squares[here].mean())) or 1.0 if problem.free else problem.part.bias
    part = problem.part._replace(bias=column)
    box = Box(problem.limit, problem.extra, problem.C.copy(), squares + column * column + problem.extra)
    hard = math.isinf(problem.C.max())
    here = here[box.square[here] > 0.0]
    w = combination([part], alpha) if alpha.any() else np.zeros(problem.width)
    alpha, bias = alpha.copy(), float(bounds.w[-1]) if problem.free else 0.0
    active, size, reach, visits = here.copy(), here.size, math.inf, 0.0
    gap, scale, soon, due = 1.0, 0.0, 0.0, 1
    past: list[float] = []
    rng = np.random.default_rng(seed)

    def look() -> tuple[np.ndarray, float, float]:
        true = np.append(w[:-1], bias) if problem.free else w
        total = np.append(w[:-1], w[-1] / column) if problem.free else w
        score = problem.scores(true)
        gap = min(bounds.see(true, score, alpha, total), 1.0)
        return score, gap, problem.dual(alpha, total) / max(1.0 - gap, 0.5)

    for k in rounds:
        bounds.passes += 1
        visits += size
        blocks = -(-size // BLOCK)
        places = rng.permutation(blocks) if order == "random" else np.arange(blocks)
        if hard:  # as a soft margin with limits that no weight comes to
            box.price[:] = 2.0 * alpha.max()
        size, missing = ascend(part, w, alpha, box, bias, active, size, reach, places)
        reach = 2.0 * ASIDE**2 * missing
        if problem.free:
            bias += column * w[-1]
            missing += w[-1] ** 2
            reach += (MOVES * w[-1]) ** 2
        past.append(missing)
        left = _passes(past, tol * scale)
        done = enough(visits, size * left, alpha)
        if done or k >= due or size == 0 or (missing <= max(tol, NEWS * gap) * scale and visits >= soon):
            score, gap, scale = look()
            if done or gap <= tol:
                return alpha
            visits += LOOK * here.size
            soon, due = visits + LOOK * here.size, k + max(MOVES, k // 3 if problem.free else k)
            reach = 2.0 * ASIDE**2 * gap * scale + ((MOVES * w[-1]) ** 2 if problem.free else 0.0)
            some = here[~at_rest(alpha, score, box, reach)[here]]
            active[: some.size], size = some, some.size
        elif len(past) > SLOW and missing > 0.5 * past[-1 - SLOW] and left > 2 * TOGETHER:
            visits += stretch(part, w, alpha, box, bias)
            past = []
    look()  # the budget is spent
    return alpha


def _passes(past: list[float], goal: float) -> float:
    """How many passes will bring the gap to the goal, if they go on like the last `TREND` ones; 0 if none are known."""
    if len(past) <= TREND or past[-1] <= goal:
        return 0.0
    if not 0.0 < goal < past[-1] < past[-1 - TREND]:
        return math.inf
    return TREND * math.log(goal / past[-1]) / math.log(past[-1] / past[-1 - TREND])


def at_rest(alpha: np.ndarray, score: np.ndarray, box: Box, reach: float) -> np.ndarray:
    """Which rows are at a limit, and further beyond the margin than ``reach``."""
    gradient = score - 1.0 + box.extra * alpha
    rests = ((alpha == 0.0) & (gradient >= 0.0)) | ((alpha == box.limit) & (gradient <= 0.0))
    return rests & (gradient * gradient > reach * box.square)


@compiled
def ascend(oracle, w, alpha, box, bias, active, size, reach, order):
    """One pass over ``active[:size]``, block by block in this order; rows at rest beyond ``reach`` fall out.

    Returns the rows that stay, and about how much they add to the gap: what each did before its visit.
    """
    limit, extra, price, square = box
    missing = 0.0
    for k in range(order.size):
        if k + AHEAD < order.size:
            ahead = order[k + AHEAD] * BLOCK
            for at in range(ahead, min(ahead + BLOCK, size)):
                oracle.fetch(active[at])
        for at in range(order[k] * BLOCK, min((order[k] + 1) * BLOCK, size)):
            i = active[at]
            have = alpha[i]
            short = 1.0 - oracle.probe(w, i) - oracle.sign[i] * bias
            gradient = extra[i] * have - short
            if (have == 0.0 and gradient >= 0.0) or (have == limit[i] and gradient <= 0.0):
                if gradient * gradient > reach * square[i]:
                    active[at] = -1
                continue
            missing += extra[i] * have * have / 2.0 - have * short
            if short > 0.0:
                missing += short * short / (2.0 * extra[i]) if extra[i] > 0.0 else price[i] * short
            wanted = min(max(have - gradient / square[i], 0.0), limit[i])
            if wanted != have:
                oracle.add(w, i, wanted - have)
                alpha[i] = wanted
    kept = 0
    for at in range(size):
        if active[at] >= 0:
            active[kept] = active[at]
            kept += 1
    return kept, missing


def stretch(part: Rows, w: np.ndarray, alpha: np.ndarray, box: Box, bias: float) -> int:
    """Conjugate gradients on the rows between their limits; one that comes to its limit stays there.

    Each step raises D. Changes ``w`` and ``alpha``; returns the visits to rows that it cost.
    """
    rows = np.flatnonzero((alpha > 0.0) & (alpha < box.limit))
    limit, extra, free = box.limit[rows], box.extra[rows], 1.0 / box.square[rows]
    have, spread, product = alpha[rows], np.zeros_like(alpha), np.zeros_like(alpha)
    scores(part, w, rows, product)
    rest = 1.0 - product[rows] - part.sign[rows] * bias - extra * have
    along = free * rest
    square, visits = float(rest @ along), rows.size
    for _ in range(TOGETHER):
        if square <= 0.0:
            break
        visits += 2 * rows.size
        spread[rows] = along
        move = np.zeros_like(w)
        compose(part, spread, rows, move)
        scores(part, move, rows, product)
        bent = product[rows] + extra * along
        room = np.full(rows.size, np.inf)
        np.divide(np.where(along > 0.0, limit - have, -have), along, where=along != 0.0, out=room)
        curve = float(along @ bent)
        length = min(square / curve if curve > 0.0 else math.inf, float(room.min()))
        if math.isinf(length):
            break
        have, rest = have + length * along, rest - length * bent
        w += length * move
        stuck = room <= length
        have[stuck], free[stuck] = np.where(along > 0.0, limit, 0.0)[stuck], 0.0
        steep = free * rest
        before, square = square, float(rest @ steep)
        along = steep if stuck.any() else steep + square / before * along
    alpha[rows] = np.clip(have, 0.0, limit)
    return visits


@compiled
def square_rows(oracle, rows, out):
    """Write |a_i|^2 of ``rows`` into ``out``."""
    for i in rows:
        out[i] = oracle.square(i)
