"""Random Gaussians of two classes, and the solver on them."""

import numpy as np

from linsep.certificates.prove.radius import certify
from linsep.solvers.anderson.gaussians import gaussians
from linsep.solvers.anderson.optimal import optimum


def solve(means, covariances, sign, **demands):
    g = gaussians(means, covariances, sign, **demands)
    return certify(g, optimum(g))


def bodies(seed, k, d, apart=2.0, rank=None):
    """Random Gaussians of two classes."""
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(k) % 2, 1, -1)
    means = rng.standard_normal((k, d))
    means[:, 0] += apart * sign
    roots = rng.standard_normal((k, d, rank or d)) / np.sqrt(rank or d)
    return means, roots @ roots.transpose(0, 2, 1), sign
