"""Anderson's task: both bounds of r against exact sums, many directions, and exact separability of the means."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep import Anderson

from . import exact
from .tally import Tally

NAME = "Anderson"
CLOSE = 1e-9  # relative: covariances count as known up to a few units, which r may feel as its root


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Means, covariances and labels: integer and real, round and flat, in any unit."""
    k, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    y = np.arange(k) % 2
    whole = rng.random() < 0.5
    means = rng.integers(-4, 5, (k, d)).astype(float) if whole else rng.normal(size=(k, d))
    if rng.random() < 0.6:
        means[:, 0] += rng.choice([2.0, 5.0]) * y
    roots = rng.integers(-2, 3, (k, d, d)).astype(float) if whole else rng.normal(size=(k, d, d))
    shape = str(rng.choice(["full", "round", "flat", "unequal"]))
    if shape == "round":
        roots = np.eye(d) * rng.integers(1, 4, (k, 1, 1))
    elif shape == "flat":
        roots[:, :, -1] = 0.0
    elif shape == "unequal":
        roots = roots * 10.0 ** rng.integers(-4, 4, (k, 1, 1))
    power = int(rng.choice([0, 0, int(rng.integers(-120, 120)), int(rng.integers(-440, 440))]))
    means, roots = np.ldexp(means, power), np.ldexp(roots, power)
    words = f"{k} {shape} {'integer' if whole else 'real'} Gaussians in {d} dimensions, times 2^{power}"
    return means, roots @ roots.transpose(0, 2, 1), y, words


def radii(means, covariances, sign, w: np.ndarray) -> list[float]:
    """r of every Gaussian along w, from exact sums; infinite where it does not spread that way."""
    flat = exact.fractions(w)
    found = []
    for mean, covariance, side in zip(means, covariances, sign.tolist()):
        score = side * (exact.dot(flat[:-1], exact.fractions(mean)) + flat[-1])
        rows = [exact.fractions(row) for row in covariance]
        spread = max(Fraction(0), exact.dot(flat[:-1], [exact.dot(flat[:-1], row) for row in rows]))
        if spread:
            found.append(math.copysign(exact.root(score * score / spread), score))
        else:
            found.append(math.inf if score > 0 else -math.inf)
    return found


def try_directions(means, covariances, sign, rng: np.random.Generator, count: int = 4000) -> float:
    """The best r that any of many directions reaches, with the best bias: a bound from below."""
    unit = float(np.abs(means).max()) or 1.0
    means, covariances = means / unit, covariances / unit / unit
    W = rng.normal(size=(count, means.shape[1]))
    score = W @ means.T * sign
    spread = np.sqrt(np.maximum(np.einsum("ni,kij,nj->nk", W, covariances, W), 0.0))
    low, high = np.zeros(count), np.full(count, 1e3)
    for _ in range(60):
        r = 0.5 * (low + high)
        edge = score - r[:, None] * spread
        apart = edge[:, sign > 0].min(axis=1) + edge[:, sign < 0].min(axis=1) > 0
        low, high = np.where(apart, r, low), np.where(apart, high, r)
    return float(low.max())


def attack(seed: int, tally: Tally) -> None:
    """One task, by one of the methods."""
    rng = np.random.default_rng([4, seed])
    means, covariances, y, words = draw(rng)
    method = str(rng.choice(["optimal", "optimal", "direction", "kozinec"]))
    error = 0.05 if method == "kozinec" else None
    rule = Anderson(error, method=method, max_iter=200 if method != "optimal" else "auto", tol=1e-3)
    said, sign = f"{rule} on {words}", 2 * y - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            rule.fit_gaussians(means, list(covariances), y)
        except Exception as failure:
            tally.fail("error", NAME, f"{said}: {type(failure).__name__}: {str(failure)[:160]}")
            return
    tally.problems[NAME] += 1
    judge(tally, rule, (means, covariances, sign), said, rng)
    with tally.guarded(NAME, f"check of {said}"):
        verdict = rule.certificate_.check(means, list(covariances), y)
        if not verdict:
            tally.fail("check refused the truth", NAME, f"{said}: {verdict}")
            return
        for kind, forged in forge(rule.certificate_, min(radii(means, covariances, sign, rule.certificate_.w))):
            tally.forge(kind, NAME, forged.check(means, list(covariances), y))


def judge(tally: Tally, rule: Any, task: tuple, said: str, rng: np.random.Generator) -> None:
    """Both bounds, the error in words, and whether the means can be separated at all."""
    claim = rule.certificate_
    if not np.isfinite(claim.w).all() or math.isnan(claim.lower) or math.isnan(claim.upper):
        tally.fail("not finite", NAME, f"{said}: {claim.lower!r}, {claim.upper!r}")
        return
    r = min(radii(*task, claim.w))
    if claim.lower > r + CLOSE * max(1.0, abs(r)) and claim.lower < 1e6:
        tally.fail("false claim", NAME, f"{said}: lower {claim.lower!r} > {r!r}, the r of w")
    best = max(try_directions(*task, rng), min(r, 1e6))
    if claim.upper < best * (1 - 1e-7) - 1e-9:
        tally.fail("false claim", NAME, f"{said}: upper {claim.upper!r} < {best!r}, which some w has")
    if claim.lower > claim.upper * (1 + 1e-9) + 1e-12:
        tally.fail("false claim", NAME, f"{said}: lower {claim.lower!r} > upper {claim.upper!r}")
    separable = exact.best_margin(task[0], task[2], "free") > 0
    if claim.status == "infeasible" and separable:
        tally.fail("false claim", NAME, f"{said}: infeasible, but the means are separable")
    if rule.method == "optimal" and not separable and claim.status != "infeasible":
        tally.fail("undecided", NAME, f"{said}: {claim.status!r}, but the means are not separable")
    if rule.method == "optimal" and separable and not claim.proved:
        tally.fail("undecided", NAME, f"{said}: {claim.status!r} {claim.lower!r} {claim.upper!r}")


def forge(claim: Any, r: float) -> list[tuple[str, Any]]:
    """An r that w does not have, and a bound below what w has."""
    found = []
    for part in (1e-1, 1e-3, 1e-5):
        if math.isfinite(r) and abs(r) < 1e5 and r:
            found.append((f"r + {part:g}", replace(claim, lower=r + part * abs(r))))
            if r > 0 and math.isfinite(claim.upper):
                found.append((f"bound of r - {part:g}", replace(claim, upper=r * (1 - part))))
    if r > 1e-6:
        found.append(("status infeasible", replace(claim, status=type(claim.status)("infeasible"))))
    if claim.w.any():
        found.append(("size + 1", replace(claim, size=claim.size + 1)))
    return found
