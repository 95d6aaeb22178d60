"""Clouds of many classes, and every rule and target for the linear machine, with its naive form on built vectors."""

import numpy as np
import reference
import scipy.sparse as sp
from loop_cases import is_refused

from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

FORMATS = {"dense": np.asarray, "csr32": sp.csr_array}
RULES = {  # the rule, and w and the total weight after update k at the vector a
    "increment": (lambda: Increment(1.0), lambda w, a, total, k: (w + a, total + 1)),
    "1/k": (lambda: Increment(1.0, 1.0), lambda w, a, total, k: (w + a / k, total + 1 / k)),
    "scheduled": (lambda: Scheduled(lambda k: 1.0 / k), lambda w, a, total, k: (w + a / k, total + 1 / k)),
    "relaxation": (
        lambda: Relaxation(1.3),
        lambda w, a, total, k: (w + 1.3 * ((1 + 1e-9) * 0.5 - w @ a) / (a @ a) * a, total),
    ),
    "nearest": (lambda: Nearest(), lambda w, a, total, k: (a if k == 1 else reference.nearer(w, a), 1.0)),
}
BATCH = {  # the same after a batch step from the violated vectors B
    "increment": lambda w, B, total, k: (w + B.sum(axis=0), total + len(B)),
    "1/k": lambda w, B, total, k: (w + B.sum(axis=0) / k, total + len(B) / k),
    "scheduled": lambda w, B, total, k: (w + B.sum(axis=0) / k, total + len(B) / k),
    "relaxation": lambda w, B, total, k: (
        reference.batch_relaxation_step(w, B, 0.5, 1.3, np.ones(len(B))),
        total,
    ),
    "nearest": lambda w, B, total, k: (B.mean(axis=0) if k == 1 else reference.nearer(w, B.mean(axis=0)), 1.0),
}
TARGETS = {
    "any": (Margin(0.0), reference.margin(0.0)),
    "margin": (Margin(0.5), reference.margin(0.5)),
    "relative": (EpsOptimal(0.0, 0.1), reference.eps_optimal(0.0, 0.1)),
}
PAIRS = [(rule, target) for rule in RULES for target in TARGETS if not is_refused(rule, target)]


def clouds(seed=0, n=40, d=3, count=4, apart=1.0):
    """``count`` Gaussian clouds; every class has a row."""
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    centres = rng.normal(size=(count, d))
    return rng.normal(size=(n, d)) * 0.4 + 2 * apart * centres[label], label
