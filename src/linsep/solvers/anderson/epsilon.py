r"""The epsilon-solution of the generalised Anderson task (F3), and the lectures' improving directions (S4, slide 42).

`reach_radius` separates the ellipsoids of a required radius by the loop: Kozinec, the perceptron, any rule of
`linsep.rules`. `improve_radius` climbs from w to better w along directions in which every Gaussian that decides gets
farther away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...certificates.prove.meeting import Proof, prove_upper, solve_min_norm
from ...certificates.prove.radius import Solution, compute_radii, find_best_bias, round_hyperplane
from ...interrupt import is_spent
from ...loop.passes import begin, passes
from ...loop.stop import Rounds
from ...loop.trace import Update, tell, updates
from ...oracles import ellipsoids
from ...rows.gaussians import Gaussians, row_norms
from ...targets import Margin
from ..nearest_point import active_set
from .optimal import Normalized, decide_means, normalize, separate_means, start_from_fisher

CORRECT = Margin(0.0)
Watch = Callable[[dict[str, float]], None]


def whiten(g: Gaussians) -> Normalized:
    """The same task in coordinates in which the Gaussians are round on the average: there every rule is faster."""
    task = normalize(g)
    share = task.g.balanced_weights()
    scatter = task.g.weighted_covariance(share) + 1e-6 * (task.g.means * share[:, None]).T @ task.g.means
    values, vectors = np.linalg.eigh(scatter)
    turn = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    basis = turn if task.basis is None else task.basis @ turn
    return task._replace(g=task.g.transform(turn), basis=basis)


# ---------------------------------------------------------------- a required radius, by the loop (F3)


def reach_radius(
    g: Gaussians, r: float, rule: Any, rounds: Rounds, watch: Watch = lambda record: None, target: Any = CORRECT
) -> Solution:
    """A w with all ellipsoids of radius r on their sides (F3), or the w of the loop when ``rounds`` ended.

    Visits the ellipsoids one by one; ``rule`` says how w moves to a lowest point that is not on its side.

    >>> from linsep.solvers.anderson.gaussians import factorize
    >>> from linsep.rules import Nearest
    >>> discs = factorize([[0.0, 0.0], [4.0, 0.0]], 1.0, [-1, 1])
    >>> bool(find_best_bias(discs, reach_radius(discs, 1.9, Nearest(), Rounds(100)).w).r > 1.9)
    True
    """
    task = whiten(g)
    w, updates = _run_loop(task.g, r, rule, target, rounds, watch)
    return Solution(task.to_original(w if np.any(w) else start_from_fisher(task.g)[0]), updates=updates)


def _run_loop(g: Gaussians, r: float, rule: Any, target: Any, rounds: Rounds, watch: Watch) -> tuple[np.ndarray, int]:
    """The w, without its bias, and the number of updates with which the loop ended."""
    part = ellipsoids(g.means, g.low, g.deviation, r, g.sign)
    state = begin([part])
    run = passes([part], target, rule, state)
    for k in rounds:
        state = next(run)
        lower = find_best_bias(g, state.w[:-1]).r if k & (k - 1) == 0 else math.nan  # computed in some passes only
        watch({"pass": k, "updates": state.counters.updates, "mistakes": state.mistakes, "lower": lower})
        if state.done:
            break
    return state.weights[:-1], state.counters.updates


def trace_radius(g: Gaussians, r: float, rule: Any, most: int) -> Iterator[Update]:
    """The updates of `reach_radius`, in the coordinates of the rows: there a is the move of w."""
    task = whiten(g)
    centre = g.balanced_weights() @ g.means

    def show(w: np.ndarray) -> np.ndarray:
        turned = task.to_original(w[:-1])
        return np.append(np.ldexp(turned, -g.exponent.astype(np.int32)), w[-1] - turned @ centre)

    part = ellipsoids(task.g.means, task.g.low, task.g.deviation, r, task.g.sign)
    for update in updates([part], CORRECT, rule, most=most):
        yield update._replace(w=show(update.w), before=show(update.before), a=show(update.a), upper=math.nan)


# ---------------------------------------------------------------- improving directions (F2)


def improve_radius(g: Gaussians, eps: float, rounds: Rounds, watch: Watch = lambda record: None) -> Solution:
    """The improving-direction algorithm: ends when r is within a part ``eps`` of the best, or ``rounds`` do.

    The direction is the shortest vector in the hull of the gradients of those r_j that (nearly) decide: along it all of
    them grow. The step goes to the largest of the smallest r_j on the ray. Gradients whose hull contains 0 are the
    weights of a proof.
    """
    given, task = g, whiten(g)
    g = task.g
    w = start_from_fisher(g)[0]
    if not find_best_bias(g, w).r > 0:
        w = separate_means(g, rounds).w
    if not find_best_bias(g, w).r > 0:
        decided = decide_means(given, task, rounds)
        w = task.from_original(decided.w)
        if decided.proof is not None or not find_best_bias(g, w).r > 0:
            return decided
    best, upper, near = Solution(w), math.inf, 0.1  # r_j within a part `near` of the smallest decide
    hyperplane = np.append(w, find_best_bias(g, w).b)
    for k in rounds:
        hyperplane /= np.linalg.norm(hyperplane[:-1])
        r = compute_radii(g, hyperplane)
        if not math.isfinite(r.min()):  # no Gaussian spreads along w
            break
        direction, weights = _find_improving_direction(g, hyperplane, r, near)
        proof, V = _find_meeting_ellipsoids(g, weights, hyperplane[:-1])
        if proof is not None and proof.upper < upper:
            upper, best = proof.upper, best._replace(weights=weights, V=V)
        lower = find_best_bias(g, hyperplane[:-1]).r
        watch({"pass": k, "updates": k, "lower": lower, "upper": upper})
        best = best._replace(w=hyperplane[:-1].copy(), updates=k)
        tell(partial(_told, given, task.to_original(best.w), weights, upper))
        if upper - lower <= 0.5 * eps * upper:
            break
        after = hyperplane + _find_best_step(g, hyperplane, direction) * direction
        after[-1] = find_best_bias(g, after[:-1]).b
        reached = compute_radii(g, after).min()
        if reached <= r.min() * (1.0 + 0.01 * eps):
            near *= 0.3  # too many decide: not all of them can improve together
        if near < 1e-12:
            break
        hyperplane = after if reached > r.min() else hyperplane
    return best._replace(w=task.to_original(best.w))


def _told(g: Gaussians, w: np.ndarray, weights: np.ndarray, upper: float) -> dict[str, Any]:
    """A hyperplane on the way, the Gaussians that decide, and both bounds of r."""
    hyperplane, r, _ = round_hyperplane(g, w)
    return {"w": hyperplane, "rows": np.flatnonzero(weights), "lower": r, "upper": upper}


def _find_improving_direction(
    g: Gaussians, hyperplane: np.ndarray, r: np.ndarray, near: float
) -> tuple[np.ndarray, np.ndarray]:
    """The shortest vector in the hull of the gradients of the r_j that decide, and the weights that it gives."""
    decide = np.flatnonzero(r <= r.min() + near * abs(r.min()))
    gradients = _compute_gradients(g.take(decide), hyperplane, r[decide])
    start = np.zeros(len(decide))
    start[np.argmin(r[decide])] = 1.0
    shares = active_set(gradients, np.zeros(len(decide), dtype=np.int64), np.ones(1), start)
    weights = np.zeros(len(r))
    weights[decide] = shares / np.maximum(g.sigma(hyperplane[:-1]), 1e-300)[decide]
    return shares @ gradients, weights


def _compute_gradients(g: Gaussians, hyperplane: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The gradients of r_j, with respect to w and b."""
    along = g.project(hyperplane[:-1])
    sigma = np.maximum(row_norms(along), 1e-300)
    toward = g.expand(along / sigma[:, None])
    full = np.column_stack([g.sign[:, None] * g.means - r[:, None] * toward, g.sign])
    return full / sigma[:, None]


def _find_best_step(g: Gaussians, hyperplane: np.ndarray, direction: np.ndarray) -> float:
    """The step along the ray after which the smallest r_j is largest: it rises, then falls (golden section)."""

    def smallest(step: float) -> float:
        return float(compute_radii(g, hyperplane + step * direction).min())

    step = 1e-3 / max(float(np.linalg.norm(direction)), 1e-300)
    while smallest(2.0 * step) > smallest(step) and step < 1e12:
        step *= 2.0
    low, high, golden = 0.0, 2.0 * step, 0.5 * (math.sqrt(5.0) - 1.0)
    one, two = high - golden * high, golden * high
    one_r, two_r = smallest(one), smallest(two)
    for _ in range(60):
        if is_spent():
            break
        if one_r >= two_r:
            high, two, two_r = two, one, one_r
            one = high - golden * (high - low)
            one_r = smallest(one)
        else:
            low, one, one_r = one, two, two_r
            two = low + golden * (high - low)
            two_r = smallest(two)
    return 0.5 * (low + high)


def _find_meeting_ellipsoids(g: Gaussians, weights: np.ndarray, w: np.ndarray) -> tuple[Proof | None, np.ndarray]:
    """For given weights, the smallest ellipsoids that meet: their proof and points v_j. Reweighted least squares."""
    positive, none = g.sign > 0, (None, np.zeros((0, 0)))
    if not (weights[positive].any() and weights[~positive].any()):
        return none
    weights = np.where(positive, weights / weights[positive].sum(), weights / weights[~positive].sum())
    pull = (weights * g.sign) @ g.means
    for _ in range(30):
        sigma = g.sigma(w)
        if not sigma.any():
            return none
        shares = weights / np.maximum(sigma / sigma.max(), 1e-12)  # the length of w means nothing
        before, w = w, solve_min_norm(g.weighted_covariance(shares), pull)
        if is_spent() or np.linalg.norm(w / np.linalg.norm(w) - before / np.linalg.norm(before)) < 1e-13:
            break
    along = g.project(w)
    sigma = row_norms(along)
    total = float(weights @ sigma)
    if not total > 0:
        return none
    r = float(w @ pull) / total
    V = -(g.sign * r / np.where(sigma > 0, sigma, 1.0))[:, None] * along
    proof = prove_upper(g, weights, V)
    return (proof, V) if math.isfinite(proof.upper) else none
