"""Soft margins of dask collections: the bits of Newton steps in memory, whatever the parts."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import MaximumMargin
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

N = 6 * BLOCK + 777  # seven blocks
CUTS = {1: [0], 2: [0, 3], 3: [0, 1, 5], 7: range(7)}  # the first blocks of the parts
KINDS = {
    "free": {},
    "augmented": {"bias": "augmented", "tol": 1e-8},
    "through 0": {"fit_intercept": False},
    "squared": {"loss": "squared_hinge", "class_weight": "balanced"},
    "augmented squared": {"loss": "squared_hinge", "bias": "augmented"},
}


def table():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 5)) * np.array([1, 1, 90, 1, 1])
    scores = X @ rng.standard_normal(5) + 20 * rng.standard_normal(N)
    return X, np.array(["ash", "elm"])[(scores > 0).astype(int)]


def chunks(parts):
    return tuple(np.diff([BLOCK * block for block in CUTS[parts]] + [N]).tolist())


def as_dask(X, y, rows):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def sparse_parts(X, y, edges):
    pairs = list(itertools.pairwise(edges))
    blocks = [
        da.from_delayed(dask.delayed(X[a:b]), (b - a, X.shape[1]), meta=sp.csr_array((0, 0)), dtype=X.dtype)
        for a, b in pairs
    ]
    return da.concatenate(blocks), da.from_array(y, chunks=(tuple(b - a for a, b in pairs),))


def assert_same_bits(one, other):
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.certificate_.to_dict() == other.certificate_.to_dict()
    assert one.dual_coef_.tobytes() == other.dual_coef_.tobytes() and (one.support_ == other.support_).all()
    assert one.n_iter_ == other.n_iter_ and one.history_ == other.history_


@pytest.mark.parametrize("kind", KINDS)
def test_parts_cut_at_blocks_give_the_bits_of_newton_steps_in_memory(kind):
    X, y = table()
    whole = MaximumMargin(0.01, method="newton", **KINDS[kind]).fit(X, y)
    assert whole.certificate_.status == "optimal"
    for parts in CUTS:
        given = as_dask(X, y, chunks(parts))
        found = MaximumMargin(0.01, **KINDS[kind]).fit(*given)
        assert_same_bits(found, whole)
    assert found.check(*given) and found.check(X, y)
    default = MaximumMargin(0.01, **KINDS[kind]).fit(X, y).certificate_  # by ascent: another w within the gap
    assert default.lower <= found.certificate_.upper and found.certificate_.lower <= default.upper
    given = as_dask(X, y, (5000, 0, 1, N - 5001))
    other = MaximumMargin(0.01, **KINDS[kind]).fit(*given)
    np.testing.assert_allclose(other.coef_, whole.coef_, rtol=1e-6)
    assert (other.predict(X) == whole.predict(X)).all()
    assert other.certificate_.status == "optimal" and other.check(*given)


@pytest.mark.parametrize("columns", [60, 1600])  # a matrix of pairs, and conjugate gradients
def test_sparse_rows_and_weights(columns):
    X = sp.random_array((N, columns), density=6 / columns, rng=np.random.default_rng(0), format="csr")
    rng = np.random.default_rng(1)
    y = (X @ rng.standard_normal(columns) + 0.3 * rng.standard_normal(N) > 0).astype(int)
    weight = rng.integers(0, 3, N).astype(float)
    edges = [0, BLOCK, 5 * BLOCK, N]
    given = sparse_parts(X, y, edges)
    whole = MaximumMargin(0.1, method="newton", tol=1e-3).fit(X, y, weight)
    found = MaximumMargin(0.1, tol=1e-3).fit(*given, da.from_array(weight, chunks=(tuple(np.diff(edges).tolist()),)))
    assert whole.certificate_.status == "optimal"
    assert_same_bits(found, whole)


def test_a_part_of_one_class_and_a_warm_start():
    X, y = table()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    given = as_dask(X, y, chunks(7))
    whole = MaximumMargin(0.01, method="newton", warm_start=True).fit(X, y)
    found = MaximumMargin(0.01, warm_start=True).fit(*given)
    assert_same_bits(found, whole)
    whole.set_params(C=0.1).fit(X, y)
    assert_same_bits(found.set_params(C=0.1).fit(*given), whole)
    assert not hasattr(found, "support_vectors_") and hasattr(whole, "support_vectors_")


def test_numbers_far_from_1_are_scaled_where_they_are():
    X, y = table()
    X = X * 2.0**30
    whole = MaximumMargin(2.0**-60, method="newton").fit(X, y)
    given = as_dask(X, y, chunks(3))
    found = MaximumMargin(2.0**-60).fit(*given)
    assert_same_bits(found, whole)
    assert found.check(*given)


def test_what_is_refused_says_what_to_do():
    X, y = table()
    with pytest.raises(ValueError, match="method: expected 'auto' or 'newton' for rows in parts, got 'ascent'"):
        MaximumMargin(1.0, method="ascent").fit(*as_dask(X, y, chunks(2)))
    with pytest.raises(ValueError, match="expected two classes of a dask collection, got 3"):
        MaximumMargin(1.0).fit(*as_dask(X, np.arange(N) % 3, chunks(2)))
    wrong = da.concatenate([da.from_array(X[:BLOCK], chunks=BLOCK), da.from_array(X[BLOCK:] * np.nan, chunks=N)])
    with pytest.raises(ValueError, match=r"^part 1: X: expected finite numbers"):
        MaximumMargin(1.0).fit(wrong, da.from_array(y, chunks=((BLOCK, N - BLOCK),)))
