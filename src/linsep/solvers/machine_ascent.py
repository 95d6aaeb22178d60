r"""Dual coordinate ascent for a linear machine of soft margin (Crammer and Singer; C12 for D1).

A visit to row i of class y moves its weights :math:`\alpha_{ik}` against all rivals k at once to where D is largest.
With the scores :math:`g_k` of the row and :math:`A = |(x_i,1)|^2` that is the point of the simplex
:math:`\alpha_{ik} \ge 0, \sum_k \alpha_{ik} \le C_i` for which, with one number :math:`\beta`,

.. math:: \alpha_{ik} = \max\Big(0, \frac{-\beta - u_k}{A}\Big), \qquad u_k = -A \alpha_{ik} - (1 + g_k - g_y), \qquad
          \sum_k \alpha_{ik} = \min\Big(C_i, \frac{\beta + A \sum_k \alpha_{ik}}{A}\Big) ,

the old weights on the right (Keerthi and others, 2008). The difference of the last two sides grows with beta and is
concave, so Newton's method from the left finds its root in a few steps.

A visit gives a row about :math:`1/|x|^2` of weight, so that rows which end at C need some :math:`C|x|^2` passes.
Therefore w is held near a centre v: passes raise the dual of :math:`P(w) + \tfrac\kappa2 |w - v|^2`,

.. math:: w = \frac{\sum \alpha_{ik} a_{ik} + \kappa v}{1 + \kappa} ,

where steps are :math:`1 + \kappa` times as long, and after every `PASSES` of them v moves to w and beyond it, by a part
of what w moved (Nesterov's acceleration of the proximal point; Shalev-Shwartz and Zhang, 2014; Lin and others, 2015).
The weights stay those of the problem itself, whose gap is what the rows add to it, as for two classes, and
:math:`\tfrac12 |\kappa (w - v)|^2`: a pass still estimates it for nothing. Handwritten letters take 50 passes so, 300
without, raw counts of words 100 instead of thousands.

Rows at rest are left out: those without weight whose rivals are all far below the margin, and those whose weight is all
on one rival, far above the margin and all others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled
from ..loop.stop import Rounds
from ..rows.matrix import write_squared_norms
from .coordinate_ascent import AHEAD, BLOCK, FELT, BestSoFar, climb

HOLD = 1.5  # kappa, as a part of the root of C |x|^2
PASSES = 3  # for each step of the centre
PATIENCE = 150  # passes before kappa is halved, where they bring little
LARGE, ROUGH = 1 << 20, 1e-4  # more weights, to such a gap, have a centre of float32: any place near w does


class RivalCoordinates(NamedTuple):
    """The weights of all rows against all classes, and what they are subject to: sums of at most ``limit``."""

    share: np.ndarray  # n x K; 0 in the place of a row's own class
    limit: np.ndarray
    diagonal: np.ndarray  # of the quadratic term of D, besides <a,a>
    cost: np.ndarray  # of a missing part of the margin, where the diagonal is 0
    square: np.ndarray  # |(x, 1)|^2
    wanted: np.ndarray  # K numbers of room


class MachineAscent:
    """Where the ascent stands: the weights of all classes, as kernels hold them, and the weights of the rows."""

    def __init__(self, bounds: BestSoFar, alpha: np.ndarray, tol: float = 0.0):
        self.bounds, self.problem = bounds, bounds.problem
        problem = self.problem
        square, share = np.zeros(problem.C.size), alpha.reshape(-1, problem.slots).copy()
        write_squared_norms(problem.part.rows, problem.rows, square)
        present = np.flatnonzero(problem.C > 0)
        self.present = present[square[present] > 0.0]
        room = np.zeros(problem.slots)
        idle = np.flatnonzero((problem.C > 0) & (square == 0.0))  # rows without a number: they cost what they cost
        share[idle] = 0.0
        share[idle, (problem.part.label[idle] + 1) % problem.slots] = (
            2.0 * problem.C if problem.squared else problem.C
        )[idle]
        self.coordinates = RivalCoordinates(share, problem.limit, problem.diagonal, problem.C, square, room)
        self.short = tol >= ROUGH and problem.size > LARGE
        self.kappa = HOLD * math.sqrt(float((problem.C * square)[self.present].mean())) if self.present.size else 0.0
        self.room = np.zeros(problem.C.size)
        w = problem.combine(share.ravel()) if share.any() else np.zeros(problem.size)
        self.hold_at(w, w)

    def hold_at(self, place: np.ndarray, total: np.ndarray) -> None:
        """Put the centre there, and w where ``total``, the sum of all vectors times their weights, and it want it."""
        self.centre = place.astype(np.float32 if self.short else np.float64)
        self.before, self.passes, self.w = self.centre.copy(), 0, total
        if total.any() or place.any():
            self.w = (total + self.kappa * self.centre.astype(np.float64)) / (1.0 + self.kappa)

    def visit(self, active: np.ndarray, blocks: np.ndarray, squared_step: float) -> tuple[np.ndarray, float, float]:
        """One pass over ``active``; the rows that stay, what they add to the gap, and how far w may still move."""
        if self.passes and self.passes % PASSES == 0:
            move_centre(self.w, self.centre, self.before, self.kappa)
        self.passes += 1
        pull = 1.0 / (1.0 + self.kappa)
        kept, missing = visit_sets(self.problem.part, self.w, self.coordinates, active, blocks, squared_step, pull)
        missing += 0.5 * self.kappa**2 * squared_distance(self.w, self.centre)
        return active[:kept], missing, self.squared_step(missing)

    def squared_step(self, gap: float) -> float:
        """How far w may still move."""
        return 2.0 * FELT**2 * gap

    def total(self) -> np.ndarray:
        """The sum of all vectors times their weights."""
        return (1.0 + self.kappa) * self.w - self.kappa * self.centre.astype(np.float64)

    def evaluate(self) -> tuple[float, float]:
        """The relative gap, and about how large P is."""
        lowest, alpha = np.zeros(self.room.size), self.coordinates.share.ravel()
        look_at_sets(self.problem.part, self.w, self.coordinates, self.problem.rows, lowest, self.room)
        square = squared_length_of_total(self.w, self.centre, self.kappa)
        gap = min(self.bounds.update(self.w, lowest, alpha, square), 1.0)
        return gap, self.problem.primal(self.w, lowest)

    def rows_not_at_rest(self, squared_step: float) -> np.ndarray:
        """All rows but those whose weights no such step of w changes."""
        return self.present[self.room[self.present] <= squared_step]

    def quicken(self) -> int:
        """Hold w less, if that was not changed for a while."""
        if self.passes >= PATIENCE:
            total, self.kappa = self.total(), 0.5 * self.kappa
            self.hold_at(self.w, total)
        return 0

    def told(self) -> dict[str, Any]:
        """w, the rows that it is made of, and their weights against each class."""
        share, W = self.coordinates.share.copy(), self.problem.part.as_matrix(self.w)
        return {"w": W.ravel(), "rows": np.flatnonzero(share.any(axis=1)), "state": share}


@compiled
def squared_distance(w, v):
    """|w - v|^2."""
    total = 0.0
    for j in range(w.size):
        total += (w[j] - v[j]) * (w[j] - v[j])
    return total


@compiled
def squared_length_of_total(w, centre, kappa):
    """|(1 + kappa) w - kappa v|^2."""
    total = 0.0
    for j in range(w.size):
        part = (1.0 + kappa) * w[j] - kappa * centre[j]
        total += part * part
    return total


@compiled
def move_centre(w, centre, before, kappa):
    """Move the centre to w, and beyond it by a part of what w has moved since the last time; w is moved along.

    Not beyond it where that leads back.
    """
    root = math.sqrt(1.0 / (1.0 + kappa))
    beyond, part, back = (1.0 - root) / (1.0 + root), kappa / (1.0 + kappa), 0.0
    for j in range(w.size):
        back += (centre[j] - w[j]) * (w[j] - before[j])
    if back > 0.0:
        beyond = 0.0
    for j in range(w.size):
        old = np.float64(centre[j])
        centre[j] = w[j] + beyond * (w[j] - before[j])  # which may round it
        before[j] = w[j]
        w[j] += part * (centre[j] - old)


@compiled
def read_row(part, w, share, i):
    """The worst and the second worst rival of row i, the first one's number, the row's weight, and its part of <w,w>.

    ``part.score`` holds by how much each rival is above the margin, 1 + g_k - g_y.
    """
    score, own = part.score, part.label[i]
    part.rows.class_scores(w, i, score)
    base, taken, inside = 1.0 - score[own], 0.0, 0.0
    worst, second, rival = -np.inf, -np.inf, 0
    for k in range(score.size):
        if k == own:
            continue
        score[k] += base
        taken += share[i, k]
        inside += share[i, k] * score[k]
        if score[k] > worst:
            worst, second, rival = score[k], worst, k
        elif score[k] > second:
            second = score[k]
    return worst, second, rival, taken, inside


@compiled
def squared_room(worst, second, alone, taken, limit, square):
    """The square of a step of w that a row at rest does not feel; -1: the row is not at rest.

    ``alone`` is the weight on the worst rival.
    """
    if taken == 0.0 and worst <= 0.0:
        return worst * worst / (2.0 * square) if square > 0.0 else 0.0
    if taken == limit and alone == limit and worst >= 0.0:
        least = min(worst, worst - second)
        return least * least / (2.0 * square) if square > 0.0 else 0.0
    return -1.0


@compiled
def look_at_sets(part, w, coordinates, rows, lowest, room):
    """Write the lowest score of every row, and how far it is at rest."""
    share, limit, _, _, square, _ = coordinates
    for i in rows:
        worst, second, rival, taken, _ = read_row(part, w, share, i)
        lowest[i] = 1.0 - worst
        room[i] = squared_room(worst, second, share[i, rival], taken, limit[i], square[i])


# many arguments because: these are numbers of one row, and to collect them would cost as much as a small row
@compiled
def solve_row(score, own, share, taken, limit, diagonal, square, wanted):
    """Write into ``wanted`` the weights of a row for which D is largest, from its ``share`` and its scores."""
    count, u_own, slope_own = score.size, square * taken, 1.0 / (square + diagonal)
    total = 0.0
    for k in range(count):
        wanted[k] = 0.0 if k == own else -square * share[k] - score[k]  # u
        total += wanted[k]
    beta = -(total / square + u_own * slope_own) / ((count - 1) / square + slope_own)
    inside = 0
    for _ in range(count + 2):
        total, inside, last = 0.0, 0, 0
        for k in range(count):
            if k != own and beta + wanted[k] < 0.0:
                total += wanted[k]
                inside += 1
                last = k
        if inside == 0:
            break
        before = beta
        if (beta + u_own) * slope_own >= limit:
            beta = -(total + square * limit) / inside
        else:
            beta = -(total / square + u_own * slope_own) / (inside / square + slope_own)
        if beta <= before:
            break
    full = (beta + u_own) * slope_own >= limit
    for k in range(count):
        wanted[k] = max(0.0, -(beta + wanted[k]) / square) if k != own else 0.0
    if full and inside == 1:
        wanted[last] = limit  # without rounding: such rows come to rest


@compiled
def visit_sets(part, w, coordinates, active, order, squared_step, pull):
    """One pass over ``active``, block by block in this order; rows at rest beyond ``squared_step`` fall out.

    w moves by ``pull`` of what it does without a centre. Returns how many rows stay, now the first of ``active``, and
    about what all add to the gap: each before its visit.
    """
    share, limit, diagonal, cost, square, wanted = coordinates
    missing, size, count = 0.0, active.size, part.score.size
    for b in range(order.size):
        if b + AHEAD < order.size:
            ahead = order[b + AHEAD] * BLOCK
            for at in range(ahead, min(ahead + BLOCK, size)):
                part.rows.fetch_ahead(active[at])
        for at in range(order[b] * BLOCK, min((order[b] + 1) * BLOCK, size)):
            i = active[at]
            worst, second, rival, taken, inside = read_row(part, w, share, i)
            room = squared_room(worst, second, share[i, rival], taken, limit[i], square[i])
            if room >= 0.0:
                if room > squared_step:
                    active[at] = -1
                continue
            missing += diagonal[i] * taken * taken / 2.0 - inside
            if worst > 0.0:
                missing += worst * worst / (2.0 * diagonal[i]) if diagonal[i] > 0.0 else cost[i] * worst
            own = part.label[i]
            solve_row(part.score, own, share[i], taken, limit[i], diagonal[i], pull * square[i], wanted)
            gained = 0.0
            for k in range(count):
                step = wanted[k] - share[i, k]
                if step != 0.0 and k != own:
                    share[i, k] = wanted[k]
                    part.rows.add_to_class(w, i, k, count, -step * pull)
                    gained += step
            if gained != 0.0:
                part.rows.add_to_class(w, i, own, count, gained * pull)
    kept = 0
    for at in range(size):
        if active[at] >= 0:
            active[kept] = active[at]
            kept += 1
    return kept, missing


def ascend_machine(
    bounds: BestSoFar, alpha: np.ndarray, tol: float, rounds: Rounds, visits: str = "random", seed: int = 0
) -> np.ndarray:
    """Ascend from ``alpha`` until the gap is ``tol``; ``bounds`` keeps the best; returns the last alpha."""
    ascent = MachineAscent(bounds, alpha, tol)
    climb(ascent, tol, rounds, visits, seed, lambda visited, left: False)
    return ascent.coordinates.share.ravel()
