"""Batch passes on a cluster on paper, and in a simulation: python -m benchmarks.cluster_model

The formula of docs/distributed.md, section "A thousand workers", beside a simulation worker by worker: unlike speeds, w
handed on from worker to worker, sums that queue for the client's line, and workers that are lost while they compute.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Cluster(NamedTuple):
    """Assumptions: the first two were measured on one small machine, the others are yours to change."""

    round_trip: float = 0.02  # seconds: submit, compute nothing, gather, on a LocalCluster of two workers
    per_number: float = 2e-9  # seconds of a look per non-zero of CSR, w in the cache (decision 36)
    workers: int = 1000
    numbers: float = 1e12  # non-zeros
    columns: float = 1e8
    row: float = 100.0  # non-zeros per row
    line: float = 1.25e9  # bytes per second of every machine: 10 Gbit/s
    disk: float = 5e8  # bytes per second from which a worker loads
    life: float = 720.0  # hours until a worker is lost, on the average
    spread: float = 0.1  # the deviation of the workers' speeds, relative


def estimate(c: Cluster) -> dict[str, float]:
    """Seconds of one pass by its parts, bytes at the client, losses per hour and what one costs."""
    vector = 8 * c.columns
    compute = c.numbers / c.workers * c.per_number
    slowest = compute * (1 + c.spread * math.sqrt(2 * math.log(c.workers)))  # of normal speeds, nearly
    out = math.ceil(math.log2(c.workers + 1)) * vector / c.line  # every worker that has w hands it on
    back = c.workers * vector / c.line  # one vector per worker, all through the client's line
    tree = math.ceil(math.log2(c.workers)) * vector / c.line  # if the workers merged them in a tree
    loss = 12 * c.numbers / c.workers / c.disk + slowest
    rows = c.numbers / c.row
    return {
        "compute": slowest, "w out": out, "sums back": back, "sums back, merged in a tree": tree,
        "pass": c.round_trip + slowest + out + back, "pass, merged in a tree": c.round_trip + slowest + out + tree,
        "losses per hour": c.workers / c.life, "seconds per loss": loss, "bytes of rows at the client": 40 * rows,
    }  # fmt: skip


def simulate(c: Cluster, merged: bool, rng: np.random.Generator) -> float:
    """Seconds of one pass."""
    vector = 8 * c.columns
    ready, have = np.zeros(c.workers), [0.0]  # when each has w; when those who have it are free to hand it on
    for k in range(c.workers):
        giver = min(have)
        have.remove(giver)
        ready[k] = giver + vector / c.line
        have += [ready[k], ready[k]]
    own = c.numbers / c.workers * c.per_number
    work = own * np.maximum(1 + c.spread * rng.standard_normal(c.workers), 0.2)
    lost = rng.random(c.workers) < (ready + work) / 3600 / c.life
    work[lost] += 12 * c.numbers / c.workers / c.disk + own
    done = np.sort(ready + work)
    if merged:  # pairs of neighbours, then pairs of pairs
        while done.size > 1:
            pairs = [done[k : k + 2] for k in range(0, done.size, 2)]
            done = np.array([pair.max() + (vector / c.line if pair.size > 1 else 0.0) for pair in pairs])
        return c.round_trip + float(done[0])
    free = 0.0
    for at in done:  # one after the other through the client's line
        free = max(free, at) + vector / c.line
    return c.round_trip + free


def main() -> None:
    """Print both for clusters of several sizes."""
    for workers in (10, 100, 1000):
        c = Cluster(workers=workers)
        paper, rng = estimate(c), np.random.default_rng(0)
        print(f"{workers} workers")
        for name, value in paper.items():
            print(f"    {name:<30} {value:12.4g}")
        for merged, name in ((False, "pass"), (True, "pass, merged in a tree")):
            found = np.mean([simulate(c, merged, rng) for _ in range(20)])
            print(f"    simulated: {name:<30} {found:10.4g} ({found / paper[name]:.2f} x the paper)")


if __name__ == "__main__":
    main()
