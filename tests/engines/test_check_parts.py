"""`check` of dask collections: part by part, as strict as in memory."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import LeastSquares, LinearMachine, MaximumMargin, Perceptron
from linsep.certificates.check import objective
from linsep.certificates.check import rows as check_rows

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

N = 4500
RULES = {
    "margin": lambda: Perceptron(batch=True, max_iter=10),
    "machine": lambda: LinearMachine(rule="perceptron", batch=True, max_iter=5),
    "ridge": lambda: LeastSquares(),
    "soft": lambda: MaximumMargin(C=1e-3),
}


def table(name, unit=1.0):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((N, 4))
    scores = X @ rng.standard_normal((4, 3)) + 0.5 * rng.standard_normal((N, 3))
    y = scores[:, : 3 if name == "machine" else 2].argmax(axis=1)
    return X * unit, np.array(["ash", "elm", "oak"])[y]


def cut(X, y, rows=(4096, 0, 100, N - 4196)):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


@pytest.fixture(params=["in blocks", "read as a whole"])
def few(request, monkeypatch):
    if request.param == "in blocks":
        monkeypatch.setattr(check_rows, "FEW", 0)
        monkeypatch.setattr(objective, "EXACT", 0)  # rows so few would be read one by one


@pytest.mark.parametrize("name", RULES)
def test_certificates_hold_and_forged_ones_do_not(name, few):
    X, y = table(name)
    rule = RULES[name]().fit(X, y)
    parts = cut(X, y)
    here, there = rule.check(X, y), rule.check(*parts)
    assert here and there, there
    np.testing.assert_allclose([there.lower, there.upper], [here.lower, here.upper], rtol=1e-12)
    assert not rule.check(parts[0], da.from_array(y[::-1], chunks=4096))
    claim = rule.certificate_
    for forged in (
        replace(claim, lower=claim.lower + 1e-3 * abs(claim.lower)),
        replace(claim, violated=claim.violated - 1),
        replace(claim, size=claim.size + 1),
    ):
        rule.certificate_ = forged
        assert not rule.check(*parts), forged


def test_numbers_far_from_1_are_scaled_where_they_are(monkeypatch):
    monkeypatch.setattr(check_rows, "FEW", 0)
    X, y = table("margin", 2.0**100)
    rule = RULES["margin"]().fit(X, y)
    assert rule.check(X, y) and rule.check(*cut(X, y))


def test_sparse_rows_and_weights(monkeypatch):
    monkeypatch.setattr(check_rows, "FEW", 0)
    X, y = table("margin")
    X = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    weight = np.random.default_rng(0).integers(0, 3, N).astype(float)
    rule = Perceptron(batch=True, max_iter=5).fit(X, y, weight)
    blocks = [
        da.from_delayed(dask.delayed(X[a:b]), (b - a, 4), meta=sp.csr_array((0, 0))) for a, b in ((0, 2500), (2500, N))
    ]
    parts = da.concatenate(blocks), da.from_array(y, chunks=2500), da.from_array(weight, chunks=2500)
    assert rule.check(X, y, weight) and rule.check(*parts)
    assert not rule.check(*parts[:2])
