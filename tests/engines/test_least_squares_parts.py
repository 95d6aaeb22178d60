"""Ridge regression on dask collections: the bits of the in-memory fit, by equations and by conjugate gradients."""

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import LeastSquares
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")


N = 6 * BLOCK + 777  # seven blocks
CUTS = {1: [0], 2: [0, 3], 3: [0, 1, 5], 7: range(7)}  # the first blocks of the parts


def table(classes=2):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 5)) * np.array([1, 1, 90, 1, 1])
    scores = X @ rng.standard_normal((5, classes)) + 0.3 * rng.standard_normal((N, classes))
    return X, np.array(["ash", "elm", "oak"])[scores.argmax(axis=1)]


def chunks(parts):
    return tuple(np.diff([BLOCK * block for block in CUTS[parts]] + [N]).tolist())


def as_dask(X, y, rows):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def assert_same_bits(one, other):
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.certificate_.to_dict() == other.certificate_.to_dict()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("way", ["equations", "conjugate gradients"])
def test_parts_cut_at_blocks_give_the_bits_of_the_whole(way, classes, monkeypatch):
    X, y = table(classes)
    if way != "equations":
        monkeypatch.setattr("linsep.estimators.least_squares.pays", lambda problem: False)
    make = lambda: LeastSquares(alpha=2.0, tol=1e-8, class_weight="balanced")  # noqa: E731
    whole = make().fit(X, y)
    assert whole.certificate_.status == "optimal" and (whole.n_iter_ > 1) == (way != "equations")
    for parts in CUTS:
        assert_same_bits(make().fit(*as_dask(X, y, chunks(parts))), whole)
    given = as_dask(X, y, (5000, 0, 1, N - 5001))
    other = make().fit(*given)
    np.testing.assert_allclose(other.coef_, whole.coef_, rtol=1e-6)
    assert other.certificate_.status == "optimal" and other.check(*given) and other.check(X, y)


def test_wide_sparse_rows():
    X = sp.random_array((2 * BLOCK, 3000), density=0.003, random_state=0, format="csr")
    y = (X @ np.random.default_rng(0).standard_normal(3000) > 0).astype(int)
    whole = LeastSquares().fit(X, y)
    assert whole.n_iter_ > 1
    loaded = [dask.delayed(X[at : at + BLOCK]) for at in (0, BLOCK)]
    blocks = [da.from_delayed(each, (BLOCK, 3000), meta=sp.csr_array((0, 0))) for each in loaded]
    found = LeastSquares().fit(da.concatenate(blocks), da.from_array(y, chunks=BLOCK))
    assert_same_bits(found, whole)


METHODS = {
    "pinv": lambda: LeastSquares("pinv", class_weight="balanced"),
    "fisher": lambda: LeastSquares("pinv", "fisher"),
    "gradient": lambda: LeastSquares("gradient", max_iter=5),
    "ho-kashyap": lambda: LeastSquares("ho-kashyap", max_iter=5),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_other_methods_but_one_have_the_bits_of_the_whole(name, classes):
    if classes == 3 and name in ("fisher", "ho-kashyap"):
        return
    X, y = table(classes)
    whole = METHODS[name]().fit(X, y)
    for parts in (2, 7):
        assert_same_bits(METHODS[name]().fit(*as_dask(X, y, chunks(parts))), whole)
    other = METHODS[name]().fit(*as_dask(X, y, (5000, 0, 1, N - 5001)))
    np.testing.assert_allclose(other.coef_, whole.coef_, rtol=1e-6)
    assert other.check(X, y) and (other.predict(X) == whole.predict(X)).mean() > 0.999


def test_pinv_of_wide_sparse_rows():
    X = sp.random_array((2 * BLOCK, 4100), density=0.001, rng=np.random.default_rng(0), format="csr")
    y = (X @ np.random.default_rng(0).standard_normal(4100) > 0).astype(int)
    loaded = [dask.delayed(X[at : at + BLOCK]) for at in (0, BLOCK)]
    blocks = [da.from_delayed(each, (BLOCK, 4100), meta=sp.csr_array((0, 0)), dtype=float) for each in loaded]
    found = LeastSquares("pinv").fit(da.concatenate(blocks), da.from_array(y, chunks=BLOCK))
    assert_same_bits(found, LeastSquares("pinv").fit(X, y))


def test_what_is_not_done_in_parts_says_what_to_do():
    X, y = table(3)
    with pytest.raises(ValueError, match=r"LeastSquares\.fit takes no dask collections"):
        LeastSquares("lms").fit(*as_dask(X, y, chunks(2)))
    with pytest.raises(ValueError, match="expected two classes of a dask collection, got 3"):
        LeastSquares("ho-kashyap").fit(*as_dask(X, y, chunks(2)))
