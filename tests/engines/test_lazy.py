"""Methods with one answer per row stay lazy on dask collections, and give the answers of memory."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import LeastSquares, LinearMachine, MaximumMargin, MaximumMarginCV, OneVsOne, Perceptron
from linsep.bayes import Bayes, Gaussian, NearestMean
from linsep.estimators._lazy import bare_copy
from linsep.lifting import Lifted, Polynomial

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

N = 900
ROWS = np.random.default_rng(0).standard_normal((N, 3))
TWO = np.where(ROWS[:, 0] > 0.3 * ROWS[:, 1] ** 2, "yes", "no")
THREE = np.array(["a", "b", "c"])[ROWS.argmax(axis=1)]
CHUNKS = {"by rows": ((400, 0, 500), 3), "by columns, too": (400, 2)}
RULES = {
    "perceptron": (Perceptron(max_iter=5), TWO, ["predict", "decision_function", "distance"]),
    "machine": (LinearMachine(max_iter=5), THREE, ["predict", "decision_function", "distance"]),
    "committee": (OneVsOne(LeastSquares()), THREE, ["predict", "decision_function", "votes"]),
    "margins": (MaximumMargin(C=1, multi_class="one-vs-all"), THREE, ["predict", "decision_function"]),
    "bayes": (Bayes(Gaussian()), THREE, ["predict", "decision_function", "predict_proba", "risks"]),
    "means": (NearestMean(), THREE, ["predict", "decision_function", "distance", "transform"]),
    "lifted": (Lifted(Polynomial(2), LeastSquares()), TWO, ["predict", "decision_function"]),
    "polynomial": (Polynomial(2), TWO, ["transform"]),
    "gaussian": (Gaussian(), TWO, ["score_samples"]),
}


@pytest.mark.parametrize("cut", CHUNKS)
@pytest.mark.parametrize("name", RULES)
def test_answers_are_lazy_and_those_of_memory(name, cut):
    rule, y, methods = RULES[name]
    rule.fit(ROWS, y)
    calls = []

    def load(block):
        calls.append(block.shape)
        return block

    X = da.from_array(ROWS, chunks=CHUNKS[cut]).map_blocks(load, dtype=float, meta=np.zeros((0, 0)))
    for method in methods:
        wanted, found = getattr(rule, method)(ROWS), getattr(rule, method)(X)
        assert isinstance(found, da.Array) and not calls
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        np.testing.assert_array_equal(found.compute(), wanted)
        assert calls
        calls.clear()


@pytest.mark.parametrize("name", ["perceptron", "committee", "bayes", "lifted"])
def test_scores_have_the_bits_of_memory(name):
    rule, y, _ = RULES[name]
    rule.fit(ROWS, y)
    weight = np.random.default_rng(1).random(N)
    X, labels = da.from_array(ROWS, chunks=(400, 3)), da.from_array(y, chunks=300)
    assert rule.score(X, labels) == rule.score(ROWS, y)
    assert rule.score(X, labels, da.from_array(weight, chunks=450)) == rule.score(ROWS, y, weight)


def test_data_frames_and_sparse_rows():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(ROWS, columns=list("abc"))
    rule = Perceptron(max_iter=5).fit(frame, TWO)
    np.testing.assert_array_equal(rule.predict(dd.from_pandas(frame, npartitions=3)).compute(), rule.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        rule.predict(dd.from_pandas(frame.rename(columns={"a": "other"}), npartitions=3))
    sparse = sp.csr_array(ROWS)
    blocks = [
        da.from_delayed(dask.delayed(sparse[at : at + 450]), (450, 3), meta=sp.csr_array((0, 0))) for at in (0, 450)
    ]
    rule.fit(ROWS, TWO)
    np.testing.assert_array_equal(rule.predict(da.concatenate(blocks)).compute(), rule.predict(ROWS))


def test_what_travels_is_as_long_as_w():
    rule = MaximumMargin(C=1).fit(ROWS, TWO)
    assert rule.support_vectors_.size > 100
    assert len(pickle.dumps(bare_copy(rule))) < 3000
    assert rule.certificate_.lower > 0  # the rule itself has lost nothing


def test_what_takes_no_collections_says_so():
    X = da.from_array(ROWS, chunks=(400, 3))
    with pytest.raises(ValueError, match=r"takes no dask collection"):
        MaximumMarginCV().fit(X, TWO)
    with pytest.raises(ValueError, match=r"Polynomial.* takes no dask collection"):
        Polynomial(2).fit(X)
    with pytest.raises(ValueError, match="3 features"):
        Perceptron(max_iter=5).fit(ROWS, TWO).predict(da.zeros((8, 4), chunks=4))
