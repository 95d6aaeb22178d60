"""Proofs that use few vectors: columns that depend on others, exactly, are no obstacle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import MaximumMargin
from linsep.certificates.check.inseparable import _pivots
from linsep.certificates.prove.inseparable import basis, refute


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(-3, 3).map(float)))
def test_a_basis_has_as_many_columns_as_the_rank(A):
    for found in (basis(A), _pivots(A)):
        assert len(found) == np.linalg.matrix_rank(A)
        assert not len(found) or np.linalg.matrix_rank(A[:, found]) == len(found)  # NumPy 2.1 fails on no columns


def test_real_columns_that_depend_on_others_leave_an_interior():
    rng = np.random.default_rng(0)
    line = rng.normal(size=4)
    A = np.outer([1.0, -1.0, 1.0], line)  # three points of a line through 0: rank 1 in four columns of any numbers
    A[1] *= 0.5
    weights = np.array([1.0, 4.0, 1.0])
    proof = refute(A, weights * (1 + 1e-13))
    assert proof is not None and (proof > 0).all()
    assert refute(A[[0, 2]], np.ones(2)) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_point_between_two_of_another_class_is_a_proof_in_any_number_of_columns(seed):
    """Three points on a line in ten dimensions: the hulls meet, in a face far below the dimension."""
    rng = np.random.default_rng(seed)
    p, u = rng.integers(-50, 50, 10).astype(float), rng.integers(-50, 50, 10).astype(float)
    X, y = np.array([p, p + u, p + 2 * u]), [0, 1, 0]
    found = MaximumMargin().fit(X, y).certificate_
    assert found.status == "not separable" and found.check(X, y)
