r"""The epsilon-solution of the generalised Anderson task (F3), and the lectures' improving directions (S4, slide 42).

`within` separates the ellipsoids of a wanted radius by the loop: Kozinec, the perceptron, any rule of `linsep.rules`.
`improve` climbs from w to better w along directions in which every Gaussian that decides gets farther away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...certificates.prove.radius import Answer, level, prove, radii, shortest
from ...certificates.radius import NEAR
from ...loop.learn import begin, passes
from ...loop.stop import Rounds
from ...oracles import ellipsoids
from ...targets import Margin
from ..nearest_point import active_set
from .gaussians import Gaussians, row_norms
from .optimal import Normal, fisher, nearest_means, normal

ANY = Margin(0.0)
Watch = Callable[[dict[str, float]], None]


def white(g: Gaussians) -> Normal:
    """The same task in coordinates in which the Gaussians are round on the average: there every rule is quicker."""
    task = normal(g)
    share = task.g.uniform()
    values, vectors = np.linalg.eigh(task.g.pooled(share) + 1e-6 * (task.g.means * share[:, None]).T @ task.g.means)
    turn = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    basis = turn if task.basis is None else task.basis @ turn
    return task._replace(g=task.g.through(turn), basis=basis)


def within(
    g: Gaussians, r: float, rule: Any, rounds: Rounds, watch: Watch = lambda record: None, target: Any = ANY
) -> Answer:
    """A w with all ellipsoids of radius r on their sides (F3), or where the loop stood when ``rounds`` ended.

    Visits the ellipsoids one by one; ``rule`` says how w moves to a lowest point that is not on its side.

    >>> from linsep.solvers.anderson.gaussians import gaussians
    >>> from linsep.rules import Nearest
    >>> discs = gaussians([[0.0, 0.0], [4.0, 0.0]], 1.0, [-1, 1])
    >>> bool(level(discs, within(discs, 1.9, Nearest(), Rounds(100)).w).r > 1.9)
    True
    """
    task = white(g)
    part = ellipsoids(task.g.means, task.g.low, task.g.deviation, task.g.radii(r), task.g.sign)
    state, updates = begin([part]), 0
    run = passes([part], target, rule, state)
    for k in rounds:
        state = next(run)
        updates = state.tick.updates
        lower = level(task.g, state.w[:-1]).r if k & (k - 1) == 0 else math.nan  # looked at in some passes only
        watch({"pass": k, "updates": updates, "mistakes": state.mistakes, "lower": lower})
        if state.done:
            break
    w = state.weights[:-1]
    return Answer(task.back(w if np.any(w) else fisher(task.g)[0]), np.zeros(0), np.zeros((0, 0)), updates)


def improve(g: Gaussians, eps: float, rounds: Rounds, watch: Watch = lambda record: None) -> Answer:
    """The improving-direction algorithm: ends when r is within a part ``eps`` of the best, or ``rounds`` do.

    The direction is the shortest vector in the hull of the gradients of those r_j that (nearly) decide: along it all of
    them grow. The step goes to the largest of the smallest r_j on the ray. Gradients whose hull contains 0 are the
    weights of a proof.
    """
    task = white(g)
    g = task.g
    w = fisher(g)[0]
    if not level(g, w).r > 0:
        means = nearest_means(g)
        if not level(g, means.w).r > 0:
            return means._replace(w=task.back(w))
        w = means.w
    at = np.append(w, level(g, w).b)
    near, best, upper = 0.1, Answer(w, np.zeros(0), np.zeros((0, 0)), 0), math.inf
    for k in rounds:
        at /= np.linalg.norm(at[:-1])
        r = radii(g, at)
        if not math.isfinite(r.min()):  # no Gaussian spreads along w
            break
        decide = np.flatnonzero(r <= r.min() + near * abs(r.min()))
        gradients = _gradients(g.some(decide), at, r[decide])
        start = np.zeros(len(decide))
        start[np.argmin(r[decide])] = 1.0
        shares = active_set(gradients, np.zeros(len(decide), dtype=np.int64), np.ones(1), start)
        direction = shares @ gradients
        weights = np.zeros(len(r))
        weights[decide] = shares / (g.scale * np.maximum(g.spread(at[:-1]), 1e-300))[decide]
        found = _meeting(g, weights, at[:-1])
        if found is not None and found[0] < upper:
            upper, best = found[0], best._replace(weights=weights, V=found[1])
        lowest = level(g, at[:-1]).r
        watch({"pass": k, "updates": k, "lower": lowest, "upper": upper})
        best = best._replace(w=at[:-1].copy(), steps=k)
        if upper - lowest <= 0.5 * eps * upper:
            break
        step = _farthest(g, at, direction)
        after = at + step * direction
        after[-1] = level(g, after[:-1]).b
        if radii(g, after).min() <= r.min() * (1.0 + 0.01 * eps):
            near *= 0.3  # too many decide: not all of them can improve together
        if near < 1e-12:
            break
        at = after if radii(g, after).min() > r.min() else at
    return best._replace(w=task.back(best.w))


def _gradients(g: Gaussians, at: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The gradients of r_j, with respect to w and b."""
    along = g.along(at[:-1])
    spread = np.maximum(row_norms(along), 1e-300)
    toward = g.spill(along / spread[:, None])
    full = np.column_stack([g.sign[:, None] * g.means - g.radii(r)[:, None] * toward, g.sign])
    return full / (g.scale * spread)[:, None]


def _farthest(g: Gaussians, at: np.ndarray, direction: np.ndarray) -> float:
    """The step along the ray after which the smallest r_j is largest: it rises, then falls (golden section)."""

    def lowest(step: float) -> float:
        return float(radii(g, at + step * direction).min())

    step = 1e-3 / max(float(np.linalg.norm(direction)), 1e-300)
    while lowest(2.0 * step) > lowest(step) and step < 1e12:
        step *= 2.0
    low, high, golden = 0.0, 2.0 * step, 0.5 * (math.sqrt(5.0) - 1.0)
    one, two = high - golden * high, golden * high
    one_r, two_r = lowest(one), lowest(two)
    for _ in range(60):
        if one_r >= two_r:
            high, two, two_r = two, one, one_r
            one = high - golden * (high - low)
            one_r = lowest(one)
        else:
            low, one, one_r = one, two, two_r
            two = low + golden * (high - low)
            two_r = lowest(two)
    return 0.5 * (low + high)


def _meeting(g: Gaussians, weights: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray] | None:
    """For given weights, the smallest ellipsoids that meet: their r and points v_j. Reweighted least squares."""
    positive = g.sign > 0
    if not (weights[positive].any() and weights[~positive].any()):
        return None
    weights = np.where(positive, weights / weights[positive].sum(), weights / weights[~positive].sum())
    pull = (weights * g.sign) @ g.means
    for _ in range(30):
        spread = np.maximum(g.spread(w), 1e-12 * max(float(g.spread(w).max()), 1e-300))
        before, w = w, shortest(g.pooled(weights * g.scale / spread), pull)
        if np.linalg.norm(w / np.linalg.norm(w) - before / np.linalg.norm(before)) < 1e-13:
            break
    along = g.along(w)
    spread = row_norms(along)
    total = float(weights @ (g.scale * spread))
    if not total > 0:
        return None
    r = (float(w @ pull) - float(weights @ (g.caution * spread))) / total
    V = -(g.sign * g.radii(r) / np.where(spread > 0, spread, 1.0))[:, None] * along
    proof = prove(g, weights, V)
    return (proof.upper, V) if proof.moved <= NEAR else None
