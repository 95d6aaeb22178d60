"""From a labelling and a bound to an `Answer`: the value is computed anew, from the tables as given."""

from __future__ import annotations

import math
import time

import numpy as np

from .network import UNIT, Answer, Network


def finish(
    network: Network, labels: np.ndarray, upper: float, rounding: float, engine: str, began: float, note: str = ""
) -> Answer:
    """The answer; ``upper`` is a bound of the network or of its tamed twin (`Network.tamed`)."""
    labels = np.asarray(labels, dtype=np.int64)
    value = network.value(labels)
    if value == -math.inf and upper < -network.scale() - 0.5:  # allowed labellings are above minus the scale
        upper = -math.inf
    rounding += 2.0 * UNIT * abs(value) if math.isfinite(value) else 0.0
    return Answer(labels, value, upper, engine, time.perf_counter() - began, rounding, note)


def summing(network: Network) -> float:
    """A bound of the error of adding one entry of every table, in any order."""
    terms = network.n + network.m + 1
    return 1.01 * terms * UNIT * network.scale()
