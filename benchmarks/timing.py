"""Timing on a noisy machine: competitors take turns, and each keeps its best time."""

import time
from collections.abc import Callable


def best_times(rounds: int, clock=time.perf_counter, **competitors: Callable[[], object]) -> dict[str, float]:
    """The least time of each competitor over ``rounds`` rounds; one warm-up round is not counted."""
    best = dict.fromkeys(competitors, float("inf"))
    for k in range(rounds + 1):
        for name, run in competitors.items():
            began = clock()
            run()
            if k:
                best[name] = min(best[name], clock() - began)
    return best


def verdict(ratio: float, limit: float, *, at_most: bool) -> str:
    """The ratio beside its limit, and whether it holds."""
    holds = ratio <= limit if at_most else ratio >= limit
    return f"{ratio:6.2f} ({'<=' if at_most else '>='} {limit:g}: {'yes' if holds else 'NO'})"
