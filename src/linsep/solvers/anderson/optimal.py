r"""The generalised Anderson task (F2), exactly: the hyperplane whose worst Gaussian is as good as possible.

.. math:: \max_{w,b} \min_j \frac{y_j(\langle w,\mu_j\rangle + b)}{\sqrt{w^T\Sigma_j w}} .

For a given r, `cone` tells how widely the ellipsoids of radius r can be separated, t(r), and t is convex and falls
with r: the best r is its zero. Newton's method on it (Dinkelbach's) does not wait until a cone problem is solved: as
soon as the interior-point method knows t well enough, r moves, and the method goes on from where it is. After some 5 to
15 steps Newton's method on the conditions of optimality (`polish`) goes the rest of the way; if the bounds then don't
meet, the interior-point method goes on. Two Gaussians (F1) need a root in one dimension.

The bounds that an answer proves are computed by `linsep.certificates.prove.radius`.
"""

from __future__ import annotations

import math
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.optimize
from scipy.linalg.lapack import dgelsy

from ...certificates.prove.radius import FLAT, Answer, U, level, prove, shortest, surely
from ...loop.stop import Rounds
from ...oracles import points
from ..nearest_point import nearest_point
from .cone import Separation, State
from .gaussians import Gaussians, row_norms

TIGHT = 1e-12  # how well the last cone problem is solved, relative
MEET = 2e-11  # bounds so near to each other, relative, meet: there is no need to go on
STEPS = 200
MOVES = 40  # of r


class Normal(NamedTuple):
    """The same task with the means around 0, columns of like size, and no direction in which nothing differs."""

    g: Gaussians
    size: np.ndarray
    basis: np.ndarray | None
    flat: bool  # there are directions in which no Gaussian spreads

    def back(self, w: np.ndarray) -> np.ndarray:
        """w in the user's coordinates."""
        return (w if self.basis is None else self.basis @ w) / self.size


def normal(g: Gaussians) -> Normal:
    """Centre, scale by powers of two, leave out directions in which all Gaussians are the same."""
    share, noise = g.uniform(), 8 * U * np.abs(g.means).max(axis=0)
    means = g.means - share @ g.means
    square = share @ means**2 + share @ g.deviations() ** 2
    size = np.exp2(np.round(0.5 * np.log2(np.where(square > noise**2, square, 1.0))))  # constant columns stay small
    g = g._replace(
        means=means / size, low=g.low / size, deviation=g.deviation[:, : len(size)] / size[: g.deviation.shape[1]]
    )
    spread, flat = _directions(g)
    if flat.shape[1] == 0:
        return Normal(g, size, None, False)
    _, lengths, turn = np.linalg.svd(g.means @ flat)
    least = np.max((len(size) * noise / size + 1e-11 * np.abs(g.means).max(axis=0)) @ np.abs(flat), initial=0.0)
    turn = turn[: len(lengths)][lengths > least]
    if len(turn) == flat.shape[1]:
        return Normal(g, size, None, True)
    basis = np.hstack([spread, flat @ turn.T])
    return Normal(g.through(basis), size, basis, True)


def _directions(g: Gaussians) -> tuple[np.ndarray, np.ndarray]:
    """A basis in two parts: directions in which some Gaussian spreads, and directions in which none does."""
    size = (g.deviations() ** 2).sum(axis=1)
    real = size > (8 * U) ** 2 * g.means.shape[1]  # means are about 1 here: less is but their rounding error
    total = g.pooled(np.where(real, 1.0 / np.where(real, size, 1.0), 0.0))
    unit = np.sqrt(np.diag(total))
    unit = 1.0 / np.where(unit > 0, unit, 1.0)
    values, vectors = np.linalg.eigh(total * unit * unit[:, None])
    flat = values <= FLAT * max(float(values[-1]), 1.0)
    return unit[:, None] * vectors[:, ~flat], unit[:, None] * vectors[:, flat]


def optimum(g: Gaussians) -> Answer:
    """The best w with the weights that prove it, or those that prove that no w has all means on their sides."""
    task = normal(g)
    found = _free(task.g) if task.flat else None
    if found is None and len(g.sign) == 2:
        found = _two(task, g)
    if found is None:
        found = _search(task, g)
    if found.proof is None and not level(task.g, found.w).r > 0:  # there is no good w: then one good on the average
        found = found._replace(w=fisher(task.g)[0])
    return found._replace(w=task.back(found.w))


def _proved(found: Answer, task: Normal, given: Gaussians) -> Answer | None:
    """An answer of the task with its proof, if in spite of rounding both bounds meet for the Gaussians as given."""
    r, proof = surely(given, task.back(found.w)).r, prove(given, found.weights, found.V)
    return found._replace(proof=proof) if proof.moved == 0 and 0 < proof.upper <= (1.0 + MEET) * r else None


def _search(task: Normal, given: Gaussians) -> Answer:
    """Newton's method on t(r), see the module: r moves as soon as t is known to be some times its own error."""
    g = task.g
    ellipsoids = Separation(g)
    if np.linalg.norm(ellipsoids.apart) <= 1e-12 * np.abs(g.means).max():  # the mean means of both classes are the same
        return nearest_means(g)
    w, r = fisher(g, ellipsoids)
    state, moves, best, hope = ellipsoids.begin(g.radii(r), w), 0, (-math.inf, w), 1e-3
    for step in range(STEPS):
        w, t, gap = state.x[:-2], float(state.x[-1]), state.gap
        if (gap < 0.3 * abs(t) and (t > 0 or r > best[0])) or gap <= TIGHT * state.decisive:
            best = max(best, (level(g, w).r, w), key=itemgetter(0))
            slope = float(state.z[:, 0] @ (g.scale * g.spread(w)))
            ahead = max(r + t / slope if slope > 0 else math.inf, best[0])
            if r == 0 and t <= 0:  # even the means, as uncertain as they are, can't be told apart
                break
            if ahead <= 0:
                means = nearest_means(g)
                if level(g._replace(caution=0 * g.caution), means.w).r <= 0:
                    return means._replace(steps=step)
                best = level(g, means.w).r, means.w
                r = max(0.0, best[0])
                state = ellipsoids.begin(g.radii(r), means.w)
            elif abs(ahead - r) <= 4 * TIGHT * ahead or moves > MOVES or ahead == math.inf:
                break
            else:
                if abs(ahead - r) <= hope * ahead:  # near enough for Newton's method to go the rest of the way?
                    hope *= 1e-3
                    early = polish(g, Answer(w, *ellipsoids.dual(state, g.radii(r)), step))
                    early = early and _proved(early, task, given)
                    if early:
                        return early
                far = ahead < 0.5 * r and ahead == best[0]
                r, moves = ahead, moves + 1
                state = ellipsoids.begin(g.radii(r), best[1]) if far else ellipsoids.resume(state, g.radii(r))
        after = ellipsoids.step(state, g.radii(r))
        if after is None:
            break
        state = after
    found = Answer(best[1], *ellipsoids.dual(state, g.radii(r)), step)
    if r == 0 or best[0] <= 0:
        return found
    better = polish(g, found) or found

    def judge(w: np.ndarray) -> float:
        """What r has w after rounding?"""
        return surely(given, task.back(w)).r

    tried = [(judge(w), w) for w in (better.w, best[1])]
    for short in (1e-11, 1e-10, 1e-9):  # points that touch the best hyperplane are on the wrong side after rounding
        if max(tried, key=itemgetter(0))[0] >= (1.0 - 2 * short) * r:
            break
        w = _apart(ellipsoids, state, g.radii((1.0 - short) * r))
        tried.append((judge(w), w))
    return better._replace(w=max(tried, key=itemgetter(0))[1])


def _apart(ellipsoids: Separation, state: State, radii: np.ndarray) -> np.ndarray:
    """A w that separates ellipsoids of slightly smaller radii, with room to spare."""
    state = ellipsoids.resume(state, radii)
    for _ in range(12):
        after = ellipsoids.step(state, radii)
        if after is None or state.gap < 0.01 * state.x[-1]:
            break
        state = after
    return state.x[:-2]


def nearest_means(g: Gaussians) -> Answer:
    """The hyperplane of largest margin between the means, or weights that make them meet."""
    found = nearest_point([points(g.means, g.sign)], "free", 1e-10, Rounds(100))
    return Answer(found.w[:-1], found.dual, np.zeros((len(g.sign), _columns(g))), 0)


def _columns(g: Gaussians) -> int:
    """The length of v_j."""
    return g.low.shape[1] + g.deviation.shape[1]


def _free(g: Gaussians) -> Answer | None:
    """A w along which no Gaussian spreads and that has all means on their sides: r is infinite then (F4)."""
    spread, flat = _directions(g)
    if flat.shape[1] == 0:
        return None
    inside = g._replace(
        means=g.means @ flat, low=np.zeros((len(g.sign), 0, flat.shape[1])), deviation=g.deviation[:, :0]
    )
    found = nearest_means(inside)
    score = g.sign * (inside.means @ found.w)
    gap = float(score[g.sign > 0].min() + score[g.sign < 0].min())
    if gap > 1e-10 * float(np.abs(score).max()):
        return Answer(flat @ found.w, np.zeros(0), np.zeros((0, 0)), 0)
    return None if spread.size else found._replace(w=flat @ found.w, V=np.zeros((len(g.sign), _columns(g))))


def _two(task: Normal, given: Gaussians) -> Answer | None:
    r"""Anderson and Bahadur's task (F1): one root in one dimension.

    :math:`w = (\tau\Sigma_1 + (1-\tau)\Sigma_2)^{-1}(\mu_1 - \mu_2)` with :math:`\tau\sigma_1 = (1-\tau)\sigma_2`. One
    generalised eigenproblem makes both covariances diagonal. None where that is singular: the search takes over.
    """
    g = task.g
    plus, minus = int(np.argmax(g.sign)), int(np.argmin(g.sign))
    apart = g.means[plus] - g.means[minus]
    one, two = (g.pooled(np.eye(2)[j]) for j in (plus, minus))
    try:
        shares, basis = scipy.linalg.eigh(one, one + two)
    except np.linalg.LinAlgError:
        return None
    if g.caution.any() or not np.any(apart) or min(shares[0], 1.0 - shares[-1]) < 1e-9:
        return None
    c = basis.T @ apart

    def along(tau: float) -> np.ndarray:
        return c / (tau * shares + (1.0 - tau) * (1.0 - shares))

    def unequal(tau: float) -> float:
        square = along(tau) ** 2
        first, second = math.sqrt(square @ shares), math.sqrt(square @ (1.0 - shares))
        return tau * first * g.scale[minus] - (1.0 - tau) * second * g.scale[plus]

    tau, path = scipy.optimize.brentq(unequal, 0.0, 1.0, xtol=1e-16, rtol=4 * U, full_output=True)
    w = basis @ along(tau)
    return _proved(Answer(w, np.full(2, 0.5), touching(g, w), path.iterations), task, given)


def touching(g: Gaussians, w: np.ndarray) -> np.ndarray:
    """The v_j of the points nearest to the hyperplane, in ellipsoids as large as w allows."""
    V = g.along(w)
    spread = row_norms(V)
    radii = g.radii(level(g, w).r) / np.where(spread > 0, spread, 1.0)
    return -(g.sign * radii)[:, None] * V


def fisher(g: Gaussians, ellipsoids: Separation | None = None) -> tuple[np.ndarray, float]:
    """Where to begin: the direction of Fisher's discriminant, and an r of the right size."""
    share = g.uniform()
    apart = (share * g.sign) @ g.means
    scatter = (ellipsoids or g).pooled(share)
    scatter[np.diag_indices_from(scatter)] += 1e-9 * float(np.trace(scatter)) or 1.0
    w = shortest(scatter, apart) if np.any(apart) else np.ones(len(apart))
    spread = float(share @ (g.scale * g.spread(w)))
    return w, 0.5 * float(w @ apart) / max(spread, 1e-300)


def polish(g: Gaussians, answer: Answer) -> Answer | None:
    r"""Newton's method on the conditions of optimality, for the Gaussians that decide: w, b, r, weights at once in

    .. math:: \sum_j \lambda_j\,(y_j\mu_j - R_j \Sigma_j w/\sigma_j,\; y_j) = 0 , \qquad
              y_j(\langle w,\mu_j\rangle + b) = R_j\sigma_j , \qquad R_j = a_j r + c_j .

    A Gaussian that does not spread along w (a kink) has :math:`F_j^T w = 0` instead, and adds :math:`y_j F_j\zeta_j` to
    the sum, with :math:`\zeta_j = \lambda_j v_j` free. None if it leads nowhere: the answer was too far off.
    """
    w, (r, b) = answer.w, level(g, answer.w)
    if not (0 < r < math.inf):
        return None
    reach = g.radii(r) * g.spread(w)
    slack = (g.sign * (g.means @ w + b) - reach) / float(answer.weights @ reach)
    rows = np.flatnonzero(answer.weights > np.maximum(0.1 * slack, 1e-9) * answer.weights.max())
    g, weights, V = g.some(rows), answer.weights[rows], answer.V[rows]
    k, d = g.means.shape
    if np.unique(g.sign).size < 2:
        return None
    axes = g.deviations()
    smooth = g.spread(w) > 1e-6 * (axes @ np.abs(w))
    kinks = np.vstack([np.zeros((0, d)), *(g.sign[j] * g.factor(int(j)) for j in np.flatnonzero(~smooth))])
    free = np.concatenate([np.zeros(0), *(weights[j] * V[j] for j in np.flatnonzero(~smooth))])
    unit = 1.0 / np.sqrt(np.maximum(weights @ (axes**2 + g.means**2), 1e-300))
    size = d + 2 + k + len(kinks)  # unknowns, in this order:
    of_w, of_b, of_r, of_weights, of_free = slice(d), d, d + 1, slice(d + 2, d + 2 + k), slice(d + 2 + k, size)
    # conditions: normals sum to 0, signs too, scores are radii, kinks; the lengths of w and of the weights stay
    scores, flat = slice(d + 1, d + 1 + k), slice(d + 1 + k, size - 1)
    K, rest = np.zeros((size + 1, size)), np.zeros(size + 1)
    K[of_w, of_free], K[flat, of_w] = kinks.T, kinks
    K[d, of_weights], K[scores, of_b], K[-1, of_weights] = g.sign, g.sign, 1.0
    scale, rise = np.ones(size), np.ones(size + 1)
    scale[of_w] = rise[of_w] = unit
    mirrored = g.sign[:, None] * g.means
    for _ in range(8):
        along = g.along(w)
        sigma = row_norms(along)
        if not (sigma[smooth] > 0).all():
            return None
        inverse = np.zeros(k)
        inverse[smooth] = 1.0 / sigma[smooth]
        radii = g.radii(r)
        toward = inverse[:, None] * g.spill(along)  # Sigma_j w / sigma_j
        bent = weights * radii * inverse
        normals = mirrored - radii[:, None] * toward
        K[of_w, of_w] = (toward * bent[:, None]).T @ toward - g.pooled(bent)
        K[of_w, of_r], K[scores, of_r] = -(weights * g.scale) @ toward, -g.scale * np.where(smooth, sigma, 0.0)
        K[of_w, of_weights], K[scores, of_w], K[-2, of_w] = normals.T, normals, w
        rest[of_w], rest[d] = weights @ normals + free @ kinks, weights @ g.sign
        rest[scores], rest[flat] = normals @ w + g.sign * b, kinks @ w
        move = -scale * _least(K * scale * rise[:, None], rest * rise)
        w, b, r, weights = w + move[of_w], b + move[of_b], r + move[of_r], weights + move[of_weights]
        free = free + move[of_free]
        if not (np.isfinite(move).all() and (weights > 0).all() and r > 0):
            return None
        if abs(move[of_r]) <= 1e-10 * r and np.abs(move[of_w] / unit).max() <= 1e-8 * np.abs(w / unit).max():
            break  # Newton's method doubles the digits
    along = g.along(w)
    V = -(g.sign * g.radii(r) / np.where(smooth, row_norms(along), 1.0))[:, None] * along
    V[~smooth] = free.reshape(-1, V.shape[1]) / weights[~smooth, None]
    better = answer._replace(w=w, weights=0 * answer.weights, V=0 * answer.V)
    better.weights[rows], better.V[rows] = weights, V
    return better


def _least(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest x with A x = b, as far as there is one, by a QR factorisation with pivots."""
    columns = A.shape[1]
    return dgelsy(A, b, np.zeros(columns, dtype=np.int32), FLAT, 64 * (columns + 1))[1][:columns]
