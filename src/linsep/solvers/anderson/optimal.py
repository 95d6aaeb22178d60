r"""The generalised Anderson task (F2), exactly: the hyperplane whose worst Gaussian is as good as possible.

.. math:: \max_{w,b} \min_j \frac{y_j(\langle w,\mu_j\rangle + b)}{\sqrt{w^T\Sigma_j w}} .

For a given r, `cone` computes how widely the ellipsoids of radius r can be separated, t(r), and t is convex and falls
with r: the best r is its zero. Newton's method on it (Dinkelbach's) does not wait until a cone problem is solved: as
soon as the interior-point method has t well enough, r moves, and the method goes on from its iterate. After some 5 to
15 steps Newton's method on the conditions of optimality (`polish`) goes the rest of the way; if the bounds then don't
meet, the interior-point method goes on. Two Gaussians (F1) need a root in one dimension.

The bounds that a solution proves are computed by `linsep.certificates.prove.radius`.
"""

from __future__ import annotations

import math
import time
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.optimize

from ...certificates.base import Status
from ...certificates.prove.margin import Outcome
from ...certificates.prove.meeting import FLAT, Proof, U, prove_upper, solve_min_norm
from ...certificates.prove.radius import Rounded, Solution, find_best_bias, round_hyperplane
from ...certificates.radius import UNBOUNDED
from ...interrupt import is_spent
from ...loop.stop import Rounds
from ...loop.trace import retold, tell
from ...oracles import points
from ...rows.gaussians import Gaussians, row_norms
from ...targets import Margin
from ..exact_nearest_point import decide_exactly
from ..nearest_point import nearest_point
from ..separability import SECONDS, decide_separability
from .cone import Separation
from .polish import polish

TIGHT = 1e-12  # how well the last cone problem is solved, relative
MEET = 2e-11  # bounds this near to each other, relative, meet: there is no need to go on
MAX_STEPS = 400
MAX_MOVES = 40  # of r


class Normalized(NamedTuple):
    """The same task with the means around 0, columns of similar size, and no direction in which nothing differs."""

    g: Gaussians
    size: np.ndarray
    basis: np.ndarray | None
    flat: bool  # there are directions in which no Gaussian spreads

    def to_original(self, w: np.ndarray) -> np.ndarray:
        """w in the coordinates of the task as it was given."""
        return (w if self.basis is None else self.basis @ w) / self.size

    def from_original(self, w: np.ndarray) -> np.ndarray:
        """The w of this task that is nearest to a w in the coordinates as given."""
        return w * self.size if self.basis is None else np.linalg.lstsq(self.basis, w * self.size, rcond=None)[0]


def normalize(g: Gaussians) -> Normalized:
    """Centre, scale by powers of two, leave out directions in which all Gaussians are the same."""
    share, noise = g.balanced_weights(), 8 * U * np.abs(g.means).max(axis=0)
    means = g.means - share @ g.means
    square = share @ means**2 + share @ g.axis_deviations() ** 2
    size = np.exp2(np.round(0.5 * np.log2(np.where(square > noise**2, square, 1.0))))  # constant columns stay small
    deviation = g.deviation / size if g.deviation.size else g.deviation
    g = g.with_factors(means / size, g.low / size, deviation)
    spread, flat = _split_directions(g)
    if flat.shape[1] == 0:
        return Normalized(g, size, None, False)
    _, lengths, turn = np.linalg.svd(g.means @ flat)
    least = np.max((len(size) * noise / size + 1e-11 * np.abs(g.means).max(axis=0)) @ np.abs(flat), initial=0.0)
    least += 64 * U * np.abs(g.means).sum(axis=1).max() * np.abs(flat).max()
    turn = turn[: len(lengths)][lengths > least]
    if len(turn) == flat.shape[1]:
        return Normalized(g, size, None, True)
    basis = np.hstack([spread, flat @ turn.T])
    return Normalized(g.transform(basis), size, basis, True)


def _split_directions(g: Gaussians) -> tuple[np.ndarray, np.ndarray]:
    """A basis in two parts: directions in which some Gaussian spreads, and directions in which none does."""
    size = (g.axis_deviations() ** 2).sum(axis=1)
    real = size > (8 * U) ** 2 * g.means.shape[1]  # means are about 1 here: less is only their rounding error
    total = g.weighted_covariance(np.where(real, 1.0 / np.where(real, size, 1.0), 0.0))
    unit = np.sqrt(np.diag(total))
    unit = 1.0 / np.where(unit > 0, unit, 1.0)
    values, vectors = np.linalg.eigh(total * unit * unit[:, None])
    flat = values <= FLAT * max(float(values[-1]), 1.0)
    return unit[:, None] * vectors[:, ~flat], unit[:, None] * vectors[:, flat]


def maximize_radius(g: Gaussians, rounds: Rounds | None = None) -> Solution:
    """The best w with the weights that prove it, or those that prove that no w has all means on their sides.

    ``rounds`` is a budget of Newton steps and of time; the best w so far is returned when it is spent.

    >>> from linsep.solvers.anderson.gaussians import factorize
    >>> discs = factorize([[0.0, 0.0], [4.0, 0.0]], 1.0, [-1, 1])
    >>> round(find_best_bias(discs, maximize_radius(discs).w).r, 9)
    2.0
    """
    rounds = Rounds(MAX_STEPS) if rounds is None else rounds
    task = normalize(g)
    if task.g.means.shape[1] == 0:  # all Gaussians are the same point
        return decide_means(g, task, rounds)
    found = _separate_without_spread(task.g, rounds) if task.flat else None
    if found is not None and not found.weights.size and round_hyperplane(g, task.to_original(found.w)).r < UNBOUNDED:
        found = None  # a Gaussian does spread, by no more than rounding
    if found is None and len(g.sign) == 2:
        found = _solve_two(task, g)
    if found is None:
        found = _Search(task, g, rounds).run()
    found = found._replace(w=task.to_original(found.w))
    if found.round(g).r > 0:
        return found
    means = decide_means(g, task, rounds)._replace(updates=found.updates)
    lower = round_hyperplane(g, means.w).r
    if means.proof is not None or not lower > 0:
        return means
    found = _Search(task, g, rounds).run(task.from_original(means.w))
    found = found._replace(w=task.to_original(found.w))
    return found if found.round(g).r > lower else found._replace(w=means.w)


def decide_means(g: Gaussians, task: Normalized, rounds: Rounds) -> Solution:
    """A w that has all means on their sides, or integer weights that make them meet: without any rounding.

    Without a proof and such a w neither was found in time. The w beside a proof is the best of a few: no w is good.
    """
    parts, outcome = [points(g.means, g.sign)], Outcome(Margin(0.0), "free", 0, "")
    decision = decide_separability(parts, outcome, _seconds_left(rounds))
    if decision.w.any():
        return Solution(decision.w[:-1])
    fair = Solution(_least_bad(g, task))
    rows, integers = decision.rows, decision.integers
    if decision.status == Status.NOT_SEPARABLE and not integers:  # proved in floating point
        start = np.zeros(len(g.sign))
        start[rows] = decision.weights
        exact = decide_exactly(parts, "free", start, _seconds_left(rounds) or SECONDS)
        rows, integers = (rows[:0], ()) if exact.rows is None else (exact.rows, exact.integers)
    if not integers:
        return fair
    weights = np.array([max(number / sum(integers), 5e-324) for number in integers])
    return fair._replace(proof=Proof(rows, weights, np.zeros((len(weights), g.means.shape[1])), 0.0, integers))


def _least_bad(g: Gaussians, task: Normalized) -> np.ndarray:
    """A w for means that no hyperplane separates: Fisher's, turned round, or one that has all means on it or beyond."""
    if not task.g.means.size:
        return np.ones(g.means.shape[1])
    w, touching = start_from_fisher(task.g)[0], _touch_means(task.g)
    candidates = [task.to_original(each) for each in (w, -w, *touching)]
    return max(candidates, key=lambda each: round_hyperplane(g, each).r)


def _touch_means(g: Gaussians) -> list[np.ndarray]:
    """A w other than 0 with y_j (<w,mu_j> + b) >= 0 for all j, if there is one: a linear program."""
    A = g.sign[:, None] * np.column_stack([g.means, np.ones(len(g.sign))])
    bounds = [(-1.0, 1.0)] * g.means.shape[1] + [(None, None)]
    found = scipy.optimize.linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=bounds)
    return [found.x[:-1]] if found.success and found.x[:-1].any() else []


def _seconds_left(rounds: Rounds) -> float | None:
    """What is left of a budget of time, if there is one."""
    seconds = rounds.stop.seconds
    return None if seconds is None else max(0.01, seconds - (time.monotonic() - rounds.began))


def _prove_optimal(found: Solution, task: Normalized, given: Gaussians) -> Solution | None:
    """A solution of the task with its proof, if in spite of rounding both bounds meet for the Gaussians as given."""
    rounded, proof = round_hyperplane(given, task.to_original(found.w)), prove_upper(given, found.weights, found.V)
    return found._replace(proof=proof, rounded=rounded) if 0 < proof.upper <= (1.0 + MEET) * rounded.r else None


class _Search:
    """Newton's method on t(r), see the module: r moves as soon as t is some times as large as its own error."""

    def __init__(self, task: Normalized, given: Gaussians, rounds: Rounds):
        self.task, self.given, self.g, self.rounds = task, given, task.g, rounds
        self.cones = Separation(task.g)
        self.moves, self.near = 0, 1e-3  # a move of r shorter than the part `near` is short enough to try `polish`

    def run(self, start: np.ndarray | None = None) -> Solution:
        """The best w with its weights, or those that make the means meet; ``start`` has all means on their sides."""
        g, cones = self.g, self.cones
        if np.linalg.norm(cones.apart) <= 1e-12 * np.abs(g.means).max():  # the mean means of both classes are the same
            return separate_means(g, self.rounds)
        w, self.r = start_from_fisher(g, cones) if start is None else (start, find_best_bias(g, start).r)
        if not (w @ cones.apart[:-2] > 0 and 0 < self.r < math.inf):
            return Solution(w)
        self.state, self.best, step = cones.begin(self.r, w), (-math.inf, w), 0
        for step in self.rounds:
            if self._has_t():
                ahead = self._predict_radius()
                if ahead <= 0:
                    means = separate_means(g, self.rounds)
                    self.best = find_best_bias(g, means.w).r, means.w
                    if self.best[0] <= 0 or self.rounds.reason:
                        return means._replace(updates=step)
                    self.r = self.best[0]
                    self.state = cones.begin(self.r, means.w)
                elif abs(ahead - self.r) <= 4 * TIGHT * ahead or self.moves > MAX_MOVES or ahead == math.inf:
                    break
                else:
                    early = self._try_polish(ahead, step)
                    if early is not None:
                        return early
                    self._move_to(ahead)
            after = cones.step(self.state, self.r)
            if after is not None:
                self.state = after
            elif not self._falls_back():
                break
            tell(self._told)
        return self._finish(step)

    def _told(self) -> dict[str, Any]:
        """The hyperplane after a step, with its r, and the iterate of the interior-point method."""
        w, r, _ = round_hyperplane(self.given, self.task.to_original(self.state.x[:-2]))
        return {"w": w, "rows": np.arange(len(self.g.sign)), "lower": r, "state": self.state}

    def _has_t(self) -> bool:
        """Whether t(r) is known well enough to move r."""
        t, gap = float(self.state.x[-1]), self.state.gap
        return (gap < 0.3 * abs(t) and (t > 0 or self.r > self.best[0])) or gap <= TIGHT * self.state.mean_distance

    def _predict_radius(self) -> float:
        """The zero of the tangent of t at r, or the r of the best w so far if that is larger."""
        w, t = self.state.x[:-2], float(self.state.x[-1])
        self.best = max(self.best, (find_best_bias(self.g, w).r, w), key=itemgetter(0))
        slope = float(self.state.z[:, 0] @ self.g.sigma(w))
        return max(self.r + t / slope if slope > 0 else math.inf, self.best[0])

    def _falls_back(self) -> bool:
        """Go on from a smaller r: t is 0 for every r along a w that only some Gaussians spread along."""
        if self.best[0] > 0:
            return False
        w = separate_means(self.g, self.rounds).w
        r = find_best_bias(self.g, w).r
        if not 0 < r < 0.999 * self.r:
            return False
        self.best, self.r, self.state = (r, w), r, self.cones.begin(r, w)
        return True

    def _try_polish(self, ahead: float, step: int) -> Solution | None:
        """The optimum by Newton's method on its conditions, if r is near enough and both bounds meet then."""
        if abs(ahead - self.r) > self.near * ahead:
            return None
        self.near *= 1e-3
        found = polish(self.g, Solution(self.state.x[:-2], *self.cones.dual_points(self.state, self.r), step))
        return found and _prove_optimal(found, self.task, self.given)

    def _move_to(self, ahead: float) -> None:
        """Go on with another r, from the best w if r falls far."""
        restart = ahead < 0.5 * self.r and ahead == self.best[0]
        self.r, self.moves = ahead, self.moves + 1
        cones = self.cones
        self.state = cones.begin(ahead, self.best[1]) if restart else cones.change_radius(self.state, ahead)

    def _finish(self, step: int) -> Solution:
        """The w with the largest r after rounding, and the weights of the last iterate, polished if that succeeds."""
        found = Solution(self.best[1], *self.cones.dual_points(self.state, self.r), step)
        if self.best[0] <= 0:
            return found
        better = polish(self.g, found) or found
        proofs = [(prove_upper(self.given, one.weights, one.V), one) for one in (better, found)]
        tried = [self._round(w) for w in (better.w, self.best[1])]
        for short in (1e-11, 1e-10, 1e-9):  # points that touch the best hyperplane are on the wrong side after rounding
            if is_spent() or max(each.r for each, _ in tried) >= (1.0 - 2 * short) * self.r:
                break
            tried.append(self._round(self._separate_smaller((1.0 - short) * self.r)))
        proof, least = min(proofs, key=lambda pair: pair[0].upper)
        rounded, w = max(tried, key=lambda pair: pair[0].r)
        return least._replace(w=w, proof=proof, rounded=rounded)

    def _round(self, w: np.ndarray) -> tuple[Rounded, np.ndarray]:
        """What w is in the user's coordinates, and w."""
        return round_hyperplane(self.given, self.task.to_original(w)), w

    def _separate_smaller(self, r: float) -> np.ndarray:
        """A w that separates ellipsoids of a slightly smaller radius, with room to spare."""
        state = self.cones.change_radius(self.state, r)
        for _ in range(12):
            after = self.cones.step(state, r)
            if after is None or state.gap < 0.01 * state.x[-1]:
                break
            state = after
        return state.x[:-2]


def separate_means(g: Gaussians, rounds: Rounds) -> Solution:
    """The hyperplane of largest margin between the means, or weights that make them meet."""
    with retold():
        found = nearest_point([points(g.means, g.sign)], "free", 1e-10, rounds)
    return Solution(found.w[:-1], found.dual_weights, _zero_points(g))


def _zero_points(g: Gaussians) -> np.ndarray:
    """v_j = 0 of all j: the means."""
    return np.zeros((len(g.sign), g.low.shape[1] + g.deviation.shape[1]))


def _separate_without_spread(g: Gaussians, rounds: Rounds) -> Solution | None:
    """A w along which no Gaussian spreads and that has all means on their sides: r is infinite then (F4)."""
    spread, flat = _split_directions(g)
    if flat.shape[1] == 0:
        return None
    inside = g.with_factors(g.means @ flat, np.zeros((len(g.sign), 0, flat.shape[1])), g.deviation[:, :0])
    found = separate_means(inside, rounds)
    score = g.sign * (inside.means @ found.w)
    gap = float(score[g.sign > 0].min() + score[g.sign < 0].min())
    if gap > 1e-10 * float(np.abs(score).max()):
        return Solution(flat @ found.w)
    return None if spread.size else found._replace(w=flat @ found.w, V=_zero_points(g))


def _solve_two(task: Normalized, given: Gaussians) -> Solution | None:
    r"""Anderson and Bahadur's task (F1): one root in one dimension.

    :math:`w = (\tau\Sigma_1 + (1-\tau)\Sigma_2)^{-1}(\mu_1 - \mu_2)` with :math:`\tau\sigma_1 = (1-\tau)\sigma_2`. One
    generalised eigenproblem makes both covariances diagonal. None where that is singular: the search takes over.
    """
    g = task.g
    plus, minus = int(np.argmax(g.sign)), int(np.argmin(g.sign))
    apart = g.means[plus] - g.means[minus]
    one, two = (g.weighted_covariance(np.eye(2)[j]) for j in (plus, minus))
    try:
        shares, basis = scipy.linalg.eigh(one, one + two)
    except np.linalg.LinAlgError:
        return None
    if not np.any(apart) or min(shares[0], 1.0 - shares[-1]) < 1e-9:
        return None
    c = basis.T @ apart

    def along(tau: float) -> np.ndarray:
        return c / (tau * shares + (1.0 - tau) * (1.0 - shares))

    def difference(tau: float) -> float:
        square = along(tau) ** 2
        return tau * math.sqrt(square @ shares) - (1.0 - tau) * math.sqrt(square @ (1.0 - shares))

    tau, path = scipy.optimize.brentq(difference, 0.0, 1.0, xtol=1e-16, rtol=4 * U, full_output=True)
    w = basis @ along(tau)
    return _prove_optimal(Solution(w, np.full(2, 0.5), _find_touching_points(g, w), path.iterations), task, given)


def _find_touching_points(g: Gaussians, w: np.ndarray) -> np.ndarray:
    """The v_j of the points nearest to the hyperplane, in ellipsoids as large as w allows."""
    V = g.project(w)
    sigma = row_norms(V)
    radii = find_best_bias(g, w).r / np.where(sigma > 0, sigma, 1.0)
    return -(g.sign * radii)[:, None] * V


def start_from_fisher(g: Gaussians, cones: Separation | None = None) -> tuple[np.ndarray, float]:
    """The direction of Fisher's discriminant, and an r of the right size: where a search begins."""
    share = g.balanced_weights()
    apart = (share * g.sign) @ g.means
    scatter = (cones or g).weighted_covariance(share)
    scatter[np.diag_indices_from(scatter)] += 1e-9 * float(np.trace(scatter)) or 1.0
    w = solve_min_norm(scatter, apart) if np.any(apart) else np.ones(len(apart))
    return w, 0.5 * float(w @ apart) / max(float(share @ g.sigma(w)), 1e-300)
