"""The exact solution of the generalised Anderson task against bisection over r in cvxpy with Clarabel.

    python -m benchmarks.anderson [--quick] [--plot folder]

k random Gaussians in d dimensions, half of each class. Bisection separates the ellipsoids of radius r (the problem is
built once, r is its parameter) and halves the interval of r until it is 1e-7 wide, relative; it begins with twice the
best r, which a user would not have, and is stopped after some time: then the ratio is at least what is printed. The
time of linsep includes the factorisation of the covariances and the certificate. All in one run, one thread, CPU time,
both methods in turns; the first solve of either is not counted. First small problems, where all is overhead: five seeds
each, and the worst of them counts. Then large ones; `--plot` draws the growth with k and with d.
"""

import math
import sys
import time
from pathlib import Path
from typing import NamedTuple

import cvxpy as cp
import numpy as np

from benchmarks.timing import verdict
from linsep.certificates.prove.radius import certify
from linsep.solvers.anderson.gaussians import factorize
from linsep.solvers.anderson.optimal import maximize_radius

SIZES = [(k, d) for d in (2, 10, 30, 100) for k in (2, 20, 60, 200)]
QUICK = [(2, 2), (20, 2), (20, 10), (20, 30)]
SMALL = [(k, d) for d in (2, 3, 5, 7, 10) for k in (2, 3, 4, 5, 6, 8)]
SEEDS = 5
LIMIT = 120.0  # seconds for bisection
LEAST_RATIO = 10.0


def task(k: int, d: int, seed: int = 0):
    """Random Gaussians that some hyperplane separates."""
    rng = np.random.default_rng(1000 * k + d + 1_000_000 * seed)
    sign = np.where(np.arange(k) % 2, 1, -1)
    means = rng.standard_normal((k, d))
    means[:, 0] += 4.0 * sign
    roots = rng.standard_normal((k, d, d)) / np.sqrt(d)
    return means, roots @ roots.transpose(0, 2, 1) + 0.01 * np.eye(d), sign


def solve(means, covariances, sign):
    g = factorize(means, covariances, sign)
    return certify(g, maximize_radius(g))


def bisection(means, covariances, sign, high: float, tol: float = 1e-7) -> float:
    """The largest r for which cvxpy separates the ellipsoids."""
    w, b, t, r = cp.Variable(means.shape[1]), cp.Variable(), cp.Variable(), cp.Parameter(nonneg=True)
    apart = means[sign > 0].mean(axis=0) - means[sign < 0].mean(axis=0)
    # with |w| <= 1 instead, t is 0 for every r that is too large, and rounding makes it positive
    constraints = [apart @ w == 1]
    for mean, covariance, side in zip(means, covariances, sign, strict=True):
        constraints.append(side * (mean @ w + b) - t >= r * cp.norm(np.linalg.cholesky(covariance).T @ w))
    problem, low, began = cp.Problem(cp.Maximize(t), constraints), 0.0, time.process_time()
    while high - low > tol * high:
        r.value = 0.5 * (low + high)
        left = LIMIT - (time.process_time() - began)
        if left > 0:
            problem.solve(solver=cp.CLARABEL, time_limit=left)
        if left <= 0 or t.value is None or time.process_time() - began > LIMIT:
            return math.nan
        low, high = (r.value, high) if t.value > 0 else (low, r.value)
    return 0.5 * (low + high)


def measure(run):
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


class Times(NamedTuple):
    own: float
    bisection: float
    ended: bool  # whether bisection ended within LIMIT
    summary: str

    @property
    def ratio(self) -> float:
        return self.bisection / self.own

    @property
    def shown_ratio(self) -> str:
        return ("" if self.ended else "> ") + verdict(self.ratio, LEAST_RATIO, at_most=False)


def compare(k: int, d: int, seed: int = 0, rounds: int = 0) -> Times:
    """The least times of both in turns; exits if the solution is not proved, or not that of bisection."""
    means, covariances, sign = task(k, d, seed)
    claim = solve(means, covariances, sign)
    if claim.status != "optimal" or not claim.check(means, covariances, sign):
        sys.exit(f"{k} Gaussians in {d} dimensions, seed {seed}: {claim}")
    own, other, r = math.inf, math.inf, math.nan
    for _ in range(rounds or (5 if k * d <= 600 else 1)):
        own = min(own, *(measure(lambda: solve(means, covariances, sign))[0] for _ in range(3)))
        seconds, r = measure(lambda: bisection(means, covariances, sign, 2.0 * claim.upper))
        other = min(other, seconds)
    off = abs(r - claim.lower) / claim.lower
    if off > 1e-5:
        sys.exit(f"{k} Gaussians in {d} dimensions, seed {seed}: r = {claim.lower!r}, bisection finds {r!r}")
    gap = (claim.upper - claim.lower) / claim.upper
    there = "did not end" if math.isnan(r) else f"{off:.0e} off"
    summary = f"r = {claim.lower:.9g}, bounds {gap:.0e} apart, bisection {there}"
    return Times(own, other, not math.isnan(r), summary)


def run_small() -> list[float]:
    """The ratios of all small sizes and seeds."""
    print(f"small sizes, {SEEDS} seeds each: milliseconds of linsep and of bisection, the least ratio and the median")
    found = []
    for k, d in SMALL:
        times = [compare(k, d, seed, 2) for seed in range(SEEDS)]
        ratios = sorted(each.ratio for each in times)
        own, other = (1e3 * sum(part) / SEEDS for part in zip(*(each[:2] for each in times), strict=True))
        print(f"{k:4} Gaussians, {d:3} dimensions: {own:6.2f} {other:8.1f}", end="   ")
        print(verdict(ratios[0], LEAST_RATIO, at_most=False), f"{ratios[SEEDS // 2]:6.2f}", flush=True)
        found += ratios
    return found


def run_large(sizes) -> dict:
    found = {}
    for k, d in sizes:
        found[k, d] = each = compare(k, d)
        print(f"{k:4} Gaussians, {d:3} dimensions: {1e3 * each.own:9.1f} ms,", end="")
        print(f" bisection {1e3 * each.bisection:10.1f} ms, ratio {each.shown_ratio}   {each.summary}", flush=True)
    return found


def draw(times: dict, place: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
    for panel, axis, fixed, values in ((panels[0], 0, 1, (2, 10, 30, 100)), (panels[1], 1, 0, (2, 20, 60, 200))):
        for shade, value in zip(("#56B4E9", "#0072B2", "#D55E00", "#222222"), values, strict=True):
            sizes = sorted(size for size in times if size[fixed] == value)
            if len(sizes) > 1:
                name = f"{value} dimensions" if fixed else f"{value} Gaussians"
                x = [size[axis] for size in sizes]
                panel.loglog(x, [times[size][0] for size in sizes], "o-", color=shade, label=name)
                panel.loglog(x, [times[size][1] for size in sizes], "o--", color=shade, alpha=0.6)
        panel.set(xlabel=("Gaussians", "dimensions")[axis])
        panel.grid(alpha=0.2)
        panel.legend(fontsize=8, frameon=False)
    panels[0].set(ylabel="seconds")
    figure.suptitle("Exact solution (solid) and bisection in cvxpy to 1e-7 (dashed)", fontsize=11)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "anderson_speed.png", dpi=110)
    print(f"wrote {place / 'anderson_speed.png'}")


def main() -> None:
    import warnings

    warnings.simplefilter("ignore")
    compare(4, 2, rounds=1)  # to warm up
    ratios = [] if "--quick" in sys.argv else run_small()
    times = run_large(QUICK if "--quick" in sys.argv else SIZES)
    ratios += [each.ratio for each in times.values()]
    print("the least ratio of all", verdict(min(ratios), LEAST_RATIO, at_most=False))
    if "--plot" in sys.argv:
        draw(times, Path(sys.argv[sys.argv.index("--plot") + 1]))


if __name__ == "__main__":
    main()
