r"""Dual coordinate ascent (C12): relaxation with memory, after Hildreth, and Hsieh and others (2008).

A visit to row i moves w along a_i until the row has the margin 1, as relaxation does, but remembers in
:math:`\alpha_i` how much of the row w has got, takes back what was too much, and gives no more than :math:`C_i`:

.. math:: \alpha_i \leftarrow \min\Big(\max\Big(\alpha_i + \frac{1 - \langle w,a_i\rangle}{|a_i|^2}, 0\Big), C_i\Big) .

Rows that rest at 0 or at C_i, well beyond where the others are, are left out until the others have settled (shrinking).

A free bias is found by the method of multipliers: the rows carry a bias column of the size s of a typical row. Its
weight is :math:`s \sum \alpha_i y_i`, and after each pass the bias moves on by what that column adds to it. Where it
stops, the weight is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..core.certify import combination
from ..core.jit import compiled
from ..core.stop import Rounds
from .duality import Judge

BLOCK = 4  # rows that are visited in a row: the processor fetches the next ones in time, and the order is random enough


def ascent(
    bounds: Judge, alpha: np.ndarray, tol: float, rounds: Rounds, order: str, seed: int,
    enough: Callable[[float, np.ndarray], bool],
) -> np.ndarray:  # fmt: skip
    """Ascend from ``alpha`` until the gap is ``tol``, or ``enough(visits to rows, alpha)``; ``bounds`` has the best."""
    problem = bounds.problem
    squares = np.zeros(alpha.size)
    square_rows(problem.part._replace(bias=0.0), problem.rows, squares)
    here = np.flatnonzero(problem.C > 0)
    column = math.sqrt(float(squares[here].mean())) or 1.0 if problem.free else problem.part.bias
    part = problem.part._replace(bias=column)
    square = squares + column * column + problem.extra
    here = here[square[here] > 0.0]
    w = combination([part], alpha) if alpha.any() else np.zeros(problem.width)
    alpha, active, size, bias = alpha.copy(), here.copy(), here.size, float(bounds.w[-1]) if problem.free else 0.0
    rng = np.random.default_rng(seed)
    high, low, eps, due, visits = math.inf, -math.inf, 0.1, 5, 0.0

    def judge() -> float:
        true = np.append(w[:-1], bias) if problem.free else w
        total = np.append(w[:-1], w[-1] / column) if problem.free else w
        return bounds.see(true, problem.scores(true), alpha, total)

    for k in rounds:
        bounds.passes += 1
        visits += size
        blocks = -(-size // BLOCK)
        places = rng.permutation(blocks) if order == "random" else np.arange(blocks)
        size, top, bottom = ascend(
            part, w, alpha, problem.limit, problem.extra, square, bias, active, size, high, low, places
        )
        bias += column * w[-1] if problem.free else 0.0
        high, low = top if top > 0 else math.inf, bottom if bottom < 0 else -math.inf
        settled = top - bottom <= eps
        if k < due and not settled:
            continue
        due = k + max(5, k // 3)
        gap = judge()
        visits += 0.5 * here.size
        if gap <= tol or enough(visits, alpha):
            return alpha
        if settled:
            eps = max(eps * min(0.5, max(0.1, tol / gap)), 1e-13)
            active[:], size, high, low = here, here.size, math.inf, -math.inf
    judge()  # the budget is spent
    return alpha


@compiled
def ascend(oracle, w, alpha, limit, extra, square, bias, active, size, high, low, order):
    """One pass over ``active[:size]``, block by block in this order; rows at rest beyond the bounds fall out.

    Returns the rows that stay, the largest and the least projected gradient.
    """
    top, bottom = -np.inf, np.inf
    for block in order:
        for at in range(block * BLOCK, min((block + 1) * BLOCK, size)):
            i = active[at]
            have = alpha[i]
            gradient = oracle.probe(w, i) + oracle.sign[i] * bias - 1.0 + extra[i] * have
            if (have == 0.0 and gradient > high) or (have == limit[i] and gradient < low):
                active[at] = -1
                continue
            if (have == 0.0 and gradient > 0.0) or (have == limit[i] and gradient < 0.0):
                top, bottom = max(top, 0.0), min(bottom, 0.0)
                continue
            top, bottom = max(top, gradient), min(bottom, gradient)
            wanted = min(max(have - gradient / square[i], 0.0), limit[i])
            if wanted != have:
                oracle.add(w, i, wanted - have)
                alpha[i] = wanted
    kept = 0
    for at in range(size):
        if active[at] >= 0:
            active[kept] = active[at]
            kept += 1
    return kept, top, bottom


@compiled
def square_rows(oracle, rows, out):
    """Write |a_i|^2 of ``rows`` into ``out``."""
    for i in rows:
        out[i] = oracle.square(i)
