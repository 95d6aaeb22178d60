"""Sums of outer products by blocks: brute force, few rows of many blocks, and the bits of any cut."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.oracles import points
from linsep.rows.matrix import BLOCK
from linsep.solvers.curvature import outer_products

N = 5 * BLOCK + 100


@pytest.mark.parametrize("count", [0, 1, 40, 3 * BLOCK])
@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_sums_are_those_of_brute_force_and_do_not_depend_on_the_cut(kind, bias, count):
    rng = np.random.default_rng(count)
    X = np.round(rng.standard_normal((N, 6)) * 8) / 8  # so few digits that no sum is rounded
    X[rng.random(X.shape) < 0.5] = 0.0
    sign = rng.choice([-1, 1], N)
    rows = np.sort(rng.permutation(N)[:count])
    C = np.where(rng.random(count) < 0.5, 1.0, 4.0)  # their roots are not rounded, either
    by_pairs = kind is sp.csr_array
    cuts = ([0, N], [0, BLOCK, N], [0, 2 * BLOCK, 3 * BLOCK, N])
    found = []
    for edges in cuts:
        parts = [points(kind(X[a:b]), sign[a:b], bias=bias, first=a) for a, b in itertools.pairwise(edges)]
        found.append(outer_products(parts, C, rows, by_pairs))
    A = sign[rows, None] * np.column_stack([X[rows], np.full(count, bias)])
    expected = A.T @ (C[:, None] * A)
    assert (np.triu(found[0]) == np.triu(expected)).all()
    assert all((each == found[0]).all() for each in found)
