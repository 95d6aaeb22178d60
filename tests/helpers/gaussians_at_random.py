"""Random Gaussians of two classes, and the exact solver on them."""

import numpy as np

from linsep.certificates.prove.radius import certify
from linsep.solvers.anderson.gaussians import factorize
from linsep.solvers.anderson.optimal import maximize_radius


def solve(means, covariances, sign):
    g = factorize(means, covariances, sign)
    return certify(g, maximize_radius(g))


def random_gaussians(seed, k, d, apart=2.0, rank=None):
    """k Gaussians in d dimensions, in turn of class -1 and +1."""
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(k) % 2, 1, -1)
    means = rng.standard_normal((k, d))
    means[:, 0] += apart * sign
    roots = rng.standard_normal((k, d, rank or d)) / np.sqrt(rank or d)
    return means, roots @ roots.transpose(0, 2, 1), sign
