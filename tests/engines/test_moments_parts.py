"""Means and covariances of dask collections: the bits of the in-memory fit."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import Anderson, Bayes, Mahalanobis, NearestMean
from linsep.bayes import Gaussian, Parzen
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

N = 6 * BLOCK + 777  # seven blocks
CUTS = {1: [0], 2: [0, 3], 3: [0, 1, 5], 7: range(7)}  # the first blocks of the parts
RULES = {
    "means": NearestMean,
    "shared": Mahalanobis,
    "own": lambda: Mahalanobis("own"),
    "linear": Bayes,
    "quadratic": lambda: Bayes(Gaussian("diagonal"), priors="uniform", reject=0.2),
    "by label": lambda: Bayes({0: Gaussian(), 1: Gaussian("spherical"), 2: Gaussian(shrinkage=0.1)}),
    "anderson": Anderson,
    "shrunk": lambda: Anderson(shrinkage=0.1),
}


def table(name="linear"):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2 if name in ("anderson", "shrunk") else 3, N)
    return 1e3 + rng.standard_normal((N, 4)) * (1 + y[:, None]) + y[:, None], y


def chunks(parts):
    return tuple(np.diff([BLOCK * block for block in CUTS[parts]] + [N]).tolist())


def as_dask(X, y, rows):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def numbers(rule):
    found = [rule.means_, rule.predict(1e3 + np.arange(8.0).reshape(2, 4))]
    densities = getattr(rule, "densities_", rule.strategy_.model.densities if hasattr(rule, "strategy_") else ())
    found += [each.covariance_ for each in densities]
    found += [np.asarray(rule.covariances_), rule.coef_, rule.intercept_] if isinstance(rule, Anderson) else []
    return found


def assert_same_bits(one, other):
    assert [each.tobytes() for each in numbers(one)] == [each.tobytes() for each in numbers(other)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", RULES)
def test_parts_cut_at_blocks_give_the_bits_of_the_whole(name, weighted):
    X, y = table(name)
    weight = np.random.default_rng(1).integers(0, 3, N).astype(float) if weighted else None
    whole = RULES[name]().fit(X, y, weight)
    for parts in CUTS:
        own = None if weight is None else da.from_array(weight, chunks=(chunks(parts),))
        assert_same_bits(RULES[name]().fit(*as_dask(X, y, chunks(parts)), own), whole)
    if not weighted:
        other = RULES[name]().fit(*as_dask(X, y, (5000, 0, 1, N - 5001)))
        for a, b in zip(numbers(other), numbers(whole), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
        assert other.score(*as_dask(X, y, chunks(3))) == other.score(X, y)


def test_parts_of_one_class_and_data_frames():
    pd = pytest.importorskip("pandas")
    X, y = table()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    assert_same_bits(Bayes().fit(*as_dask(X, y, chunks(7))), Bayes().fit(X, y))
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(y=y)
    parts = dd.from_pandas(frame, npartitions=3)
    found = Bayes().fit(parts[list("pqrs")], parts["y"])
    assert found.feature_names_in_.tolist() == list("pqrs")
    np.testing.assert_allclose(found.means_, Bayes().fit(X, y).means_, rtol=1e-12)


def test_means_of_sparse_rows_and_who_takes_none():
    X = sp.random_array((N, 50), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = np.arange(N) % 3
    edges = [0, 2 * BLOCK, N]
    blocks = [
        da.from_delayed(dask.delayed(X[a:b]), (b - a, 50), meta=sp.csr_array((0, 0)), dtype=float)
        for a, b in pairwise(edges)
    ]
    given = da.concatenate(blocks), da.from_array(y, chunks=(tuple(np.diff(edges).tolist()),))
    whole, found = NearestMean().fit(X, y), NearestMean().fit(*given)
    assert found.means_.tobytes() == whole.means_.tobytes()
    with pytest.raises(TypeError, match="X: Bayes takes dense rows only, got sparse ones"):
        Bayes().fit(*given)
    with pytest.raises(TypeError, match="Sparse data can't be fitted"):
        Anderson().fit(given[0], (given[1] > 0).astype(int))


def test_what_is_not_done_in_parts_says_what_to_do():
    X, y = table()
    given = as_dask(X, y, chunks(2))
    for rule in (Bayes(Parzen()), Anderson(components=2), Anderson(shrinkage="ledoit-wolf")):
        with pytest.raises(ValueError, match=r"takes no dask collections with these parameters.* takes X\.compute"):
            rule.fit(*given)
    narrow = [da.from_delayed(dask.delayed(X[:, :d]), (N, 4), dtype=float) for d in (4, 3)]
    with pytest.raises(ValueError, match="part 1: expected 4 columns, got 3"):
        NearestMean().fit(da.concatenate(narrow), da.from_array(np.tile(y, 2), chunks=N))
    spoilt = as_dask(np.where(np.arange(N)[:, None] == N - 1, np.nan, X), y, chunks(2))
    with pytest.raises(ValueError, match=r"^part 1: X: expected finite numbers"):
        Mahalanobis().fit(*spoilt)
