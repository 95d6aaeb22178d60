r"""Dual coordinate ascent (C12): relaxation with memory, after Hildreth, and Hsieh and others (2008).

A visit to row i moves w along a_i until the row has the margin 1, as relaxation does, but remembers in
:math:`\alpha_i` how much of the row w has got, takes back what was too much, and gives no more than :math:`C_i`:

.. math:: \alpha_i \leftarrow \min\Big(\max\Big(\alpha_i + \frac{1 - \langle w,a_i\rangle}{|a_i|^2}, 0\Big), C_i\Big) .

A visit also tells what the row adds to the gap, :math:`C_i\,\ell(1 - \langle w,a_i\rangle) - \alpha_i (1 - \langle
w,a_i\rangle) \ge 0`. So a pass estimates the gap for nothing, and all rows are evaluated only when that has become
small. The gap also says how far w can be from the best one, :math:`|w - w^*|^2 \le 2 (P - D)`: rows that rest at 0 or
at C_i, further from the margin than such a step may bring them, are left out until all rows are evaluated again.

Where passes bring little, the rows between their limits are moved together, by conjugate gradients.

A free bias is found by the method of multipliers: the rows carry a bias column of a part s of the size of a typical
row. Its weight is :math:`s \sum \alpha_i y_i`, and after each pass the bias moves on by what that column adds to it.
Where it stops, the weight is 0. A column as large as the rows would make short steps, and all of them along itself:
on raw counts of words that took ten times as long. Conjugate gradients leave :math:`\sum \alpha_i y_i` as it is and
find the bias along with :math:`\alpha`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..certificates.prove.objective import SoftMarginProblem
from ..jit import compiled
from ..loop.stop import Rounds
from ..loop.trace import tell
from ..rows.matrix import add_weighted_vectors, combine, write_scores, write_squared_norms

BLOCK = 4  # rows that are visited one after the other: random enough, and memory is waited for less often
AHEAD = 2  # blocks that are fetched before they are visited
FELT = 0.01  # the part of a step of w that a row is taken to feel: in many dimensions directions are hardly alike
MOVES = 5  # of a free bias that a row at rest should not come to feel; all rows are evaluated after so many
EVALUATION = 0.5  # what evaluating a row costs, in visits
PROGRESS = 0.1  # all rows are evaluated when the gap is this part of what it was
TREND = 5  # passes that tell how quickly the gap falls
SLOW = 10  # passes in which the gap should have halved
COLUMN = 0.1  # the size of the bias column of a free bias, as a part of that of the rows
STEPS = 30  # of conjugate gradients, each of which costs two passes; done if more passes than that are left


class BestSoFar(Protocol):
    """Keeps the best w and the best alpha of all that it is given, with the gap between their bounds."""

    problem: SoftMarginProblem
    w: np.ndarray
    passes: int

    def update(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray | float) -> float:
        """The relative gap; ``score`` and ``total`` are the products of w and alpha with the rows.

        Where the bias is not free the squared length of ``total`` is enough.
        """


class Climber(Protocol):
    """An ascent in alpha, row by row: of two classes `Ascent`, of a linear machine `MachineAscent`."""

    bounds: BestSoFar
    present: np.ndarray  # the rows that can be visited

    def visit(self, active: np.ndarray, blocks: np.ndarray, squared_step: float) -> tuple[np.ndarray, float, float]:
        """One pass over ``active``; the rows that stay, what they add to the gap, and how far w may still move."""

    def evaluate(self) -> tuple[float, float]:
        """The relative gap from a look at all rows, and about how large P is."""

    def squared_step(self, gap: float) -> float:
        """How far w may still move, from the gap of P and D."""

    def rows_not_at_rest(self, squared_step: float) -> np.ndarray:
        """All rows, as they were evaluated, but those at a limit that such a step does not bring to the margin."""

    def quicken(self) -> int:
        """What to do where passes bring little; returns what it cost, in visits."""

    def told(self) -> dict[str, Any]:
        """Where it stands, for `trace`."""


class Coordinates(NamedTuple):
    """Alpha, and what each coordinate of it is subject to: 0 <= alpha <= limit."""

    alpha: np.ndarray
    limit: np.ndarray
    diagonal: np.ndarray  # of the quadratic term of D, besides <a,a>
    cost: np.ndarray  # of a missing part of the margin, where the diagonal is 0
    curvature: np.ndarray  # <a,a> + diagonal


class Ascent:
    """Where the ascent stands: w with a bias column, alpha, and a free bias beside them."""

    def __init__(self, bounds: BestSoFar, alpha: np.ndarray):
        self.bounds, self.problem = bounds, bounds.problem
        problem = self.problem
        squares = np.zeros(alpha.size)
        write_squared_norms(problem.part.with_bias(0.0), problem.rows, squares)
        present = np.flatnonzero(problem.C > 0)
        size = math.sqrt(float(squares[present].mean())) or 1.0
        self.column = COLUMN * size if problem.free else problem.part.bias
        self.part = problem.part.with_bias(self.column)
        curvature = squares + self.column**2 + problem.diagonal
        self.coordinates = Coordinates(alpha.copy(), problem.limit, problem.diagonal, problem.C.copy(), curvature)
        self.present = present[curvature[present] > 0.0]
        self.w = combine([self.part], alpha) if alpha.any() else np.zeros(problem.size)
        self.bias = float(bounds.w[-1]) if problem.free else 0.0
        self.hard = math.isinf(problem.C.max())
        self.score = np.zeros(0)  # of all rows, as they were evaluated

    def visit(self, active: np.ndarray, blocks: np.ndarray, squared_step: float) -> tuple[np.ndarray, float, float]:
        """One pass over ``active``; the rows that stay, what they add to the gap, and how far w may still move."""
        if self.hard:  # as a soft margin with limits that no weight comes to
            self.coordinates.cost[:] = 2.0 * self.coordinates.alpha.max()
        kept, missing = visit_rows(self.part, self.w, self.coordinates, self.bias, active, blocks, squared_step)
        squared_step = self.squared_step(missing)
        if self.problem.free:
            self.bias += self.column * self.w[-1]
            missing += self.w[-1] ** 2
        return active[:kept], missing, squared_step

    def squared_step(self, gap: float) -> float:
        """How far w may still move, from the gap, and from what a free bias moves by."""
        return 2.0 * FELT**2 * gap + ((MOVES * self.w[-1]) ** 2 if self.problem.free else 0.0)

    def evaluate(self) -> tuple[float, float]:
        """The relative gap, and about how large P is."""
        w, problem, alpha = self.w, self.problem, self.coordinates.alpha
        true = np.append(w[:-1], self.bias) if problem.free else w
        total = np.append(w[:-1], w[-1] / self.column) if problem.free else w
        self.score = problem.scores(true)
        gap = min(self.bounds.update(true, self.score, alpha, total), 1.0)
        return gap, problem.dual(alpha, total) / max(1.0 - gap, 0.5)

    def rows_not_at_rest(self, squared_step: float) -> np.ndarray:
        """All rows but those at a limit that are further beyond the margin than w may come."""
        alpha, limit, diagonal, _, curvature = self.coordinates
        gradient = self.score - 1.0 + diagonal * alpha
        rests = ((alpha == 0.0) & (gradient >= 0.0)) | ((alpha == limit) & (gradient <= 0.0))
        rests &= gradient * gradient > squared_step * curvature
        return self.present[~rests[self.present]]

    def quicken(self) -> int:
        """Rows between their limits are moved together."""
        return self.move_together()

    def told(self) -> dict[str, Any]:
        """w, the rows that it is made of, and alpha."""
        alpha, w = self.coordinates.alpha.copy(), self.w.copy()
        if self.problem.free:
            w[-1] = self.bias
        return {"w": w, "rows": np.flatnonzero(alpha), "state": alpha}

    def move_together(self) -> int:
        """Conjugate gradients on the rows between their limits; one that comes to its limit stays there.

        Each step raises D; a free bias is found along with alpha. Returns the visits to rows that it cost.
        """
        part, alpha = self.part, self.coordinates.alpha
        rows = np.flatnonzero((alpha > 0.0) & (alpha < self.coordinates.limit))
        _, limit, diagonal, _, curvature = (each[rows] for each in self.coordinates)
        have, free, sign = alpha[rows], 1.0 / curvature, self.problem.sign[rows]
        spread, product = np.zeros_like(alpha), np.zeros_like(alpha)
        write_scores(part, self.w, rows, product)
        rest = 1.0 - product[rows] - sign * self.bias - diagonal * have
        along = self._steepest(rest, free, sign)
        square, visited = float(rest @ along), rows.size
        for _ in range(STEPS):
            if square <= 0.0:
                break
            visited += 2 * rows.size
            spread[rows] = along
            move = np.zeros_like(self.w)
            add_weighted_vectors(part, spread, rows, 1, move)
            write_scores(part, move, rows, product)
            curved = product[rows] + diagonal * along
            room = np.full(rows.size, np.inf)
            np.divide(np.where(along > 0.0, limit - have, -have), along, where=along != 0.0, out=room)
            bent = float(along @ curved)
            length = min(square / bent if bent > 0.0 else math.inf, float(room.min()))
            if math.isinf(length):
                break
            have, rest = have + length * along, rest - length * curved
            self.w += length * move
            stuck = room <= length
            have[stuck], free[stuck] = np.where(along > 0.0, limit, 0.0)[stuck], 0.0
            steep = self._steepest(rest, free, sign)
            before, square = square, float(rest @ steep)
            along = steep if stuck.any() else steep + square / before * along
        alpha[rows] = np.clip(have, 0.0, limit)
        return visited

    def _steepest(self, rest: np.ndarray, free: np.ndarray, sign: np.ndarray) -> np.ndarray:
        """The direction in which D rises most; of a free bias, which takes its part of ``rest``, one of equal sums."""
        if self.problem.free and free.any():
            bias = float(free @ (sign * rest)) / float(free.sum())
            self.bias += bias
            rest -= sign * bias
        return free * rest


def ascend(
    bounds: BestSoFar, alpha: np.ndarray, tol: float, rounds: Rounds, *, visits: str = "random", seed: int = 0,
    enough: Callable[[float, float, np.ndarray], bool] = lambda visited, left, alpha: False,
) -> np.ndarray:  # fmt: skip
    """Ascend from ``alpha`` until the gap is ``tol``, or ``enough(visits to rows, visits to come, alpha)``.

    What is to come follows from how the gap fell so far. ``bounds`` keeps the best; returns the last alpha.
    """
    ascent = Ascent(bounds, alpha)
    alpha = ascent.coordinates.alpha
    climb(ascent, tol, rounds, visits, seed, lambda visited, left: enough(visited, left, alpha))
    return alpha


def climb(
    ascent: Climber, tol: float, rounds: Rounds, visits: str, seed: int, enough: Callable[[float, float], bool]
) -> None:
    """Pass after pass over the rows that are not at rest, and a look at all when these are about done."""
    bounds, present, patient = ascent.bounds, ascent.present, ascent.bounds.problem.free
    active, squared_step, visited = present.copy(), math.inf, 0.0
    gap, scale, soon, due = 1.0, 0.0, 0.0, 1
    past: list[float] = []
    rng = np.random.default_rng(seed)
    for k in rounds:
        bounds.passes += 1
        visited += active.size
        blocks = -(-active.size // BLOCK)
        order = rng.permutation(blocks) if visits == "random" else np.arange(blocks)
        active, missing, squared_step = ascent.visit(active, order, squared_step)
        tell(ascent.told)
        past.append(missing)
        left = _passes_to_come(past, tol * scale)
        done = enough(visited, active.size * left)
        small = missing <= max(tol, PROGRESS * gap) * scale and visited >= soon
        if done or k >= due or active.size == 0 or small:
            gap, scale = ascent.evaluate()
            if done or gap <= tol:
                return
            visited += EVALUATION * present.size
            soon, due = visited + EVALUATION * present.size, k + max(MOVES, k // 3 if patient else k)
            squared_step = ascent.squared_step(gap * scale)
            active = ascent.rows_not_at_rest(squared_step)
        elif len(past) > SLOW and missing > 0.5 * past[-1 - SLOW] and left > 2 * STEPS:
            visited += ascent.quicken()
            past = []
    ascent.evaluate()  # the budget is spent


def _passes_to_come(past: list[float], goal: float) -> float:
    """How many passes will bring the gap to the goal, if they go on like the last `TREND` ones; 0 if none are known."""
    if len(past) <= TREND or past[-1] <= goal:
        return 0.0
    if not 0.0 < goal < past[-1] < past[-1 - TREND]:
        return math.inf
    return TREND * math.log(goal / past[-1]) / math.log(past[-1] / past[-1 - TREND])


@compiled
def visit_rows(oracle, w, coordinates, bias, active, order, squared_step):
    """One pass over ``active``, block by block in this order; rows at rest beyond ``squared_step`` fall out.

    Returns how many rows stay, now the first of ``active``, and about what all add to the gap: each before its visit.
    """
    alpha, limit, diagonal, cost, curvature = coordinates
    missing, size = 0.0, active.size
    for k in range(order.size):
        if k + AHEAD < order.size:
            ahead = order[k + AHEAD] * BLOCK
            for at in range(ahead, min(ahead + BLOCK, size)):
                oracle.fetch_ahead(active[at])
        for at in range(order[k] * BLOCK, min((order[k] + 1) * BLOCK, size)):
            i = active[at]
            have = alpha[i]
            short = 1.0 - oracle.lowest(w, i)[0] - oracle.sign[i] * bias
            gradient = diagonal[i] * have - short
            if (have == 0.0 and gradient >= 0.0) or (have == limit[i] and gradient <= 0.0):
                if gradient * gradient > squared_step * curvature[i]:
                    active[at] = -1
                continue
            missing += diagonal[i] * have * have / 2.0 - have * short
            if short > 0.0:
                missing += short * short / (2.0 * diagonal[i]) if diagonal[i] > 0.0 else cost[i] * short
            wanted = min(max(have - gradient / curvature[i], 0.0), limit[i])
            if wanted != have:
                oracle.add(w, i, 0, wanted - have)
                alpha[i] = wanted
    kept = 0
    for at in range(size):
        if active[at] >= 0:
            active[kept] = active[at]
            kept += 1
    return kept, missing
