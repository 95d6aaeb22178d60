"""Committees of rules that learn in parts, and the empirical risk of dask collections: the bits of memory."""

import numpy as np
import pytest

from linsep import LeastSquares, MaximumMargin, OneVsAll, OneVsOne, Perceptron
from linsep.risk import empirical_risk
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

N = 2 * BLOCK + 777
ROWS = {2: (BLOCK, N - BLOCK), 3: (BLOCK, BLOCK, 777)}
MEMBERS = {
    "perceptron": lambda: OneVsAll(Perceptron(batch=True, max_iter=5)),
    "soft margin": lambda: OneVsAll(MaximumMargin(0.01, method="newton")),
    "ridge": lambda: OneVsAll(LeastSquares()),
    "weights of classes": lambda: MaximumMargin(
        0.01, method="newton", multi_class="one-vs-all", class_weight={"ash": 2.0, "elm": 1.0, "oak": 0.5}
    ),
    "hard margin": lambda: MaximumMargin(multi_class="one-vs-all"),
}


def table(apart=False):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, N)
    centres = (30.0 if apart else 1.5) * np.eye(3, 4)
    return centres[y] + rng.standard_normal((N, 4)), np.array(["ash", "elm", "oak"])[y]


def as_dask(rows, *columns):
    return [da.from_array(each, chunks=(rows, *each.shape[1:])) for each in columns]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MEMBERS)
def test_committees_have_the_bits_of_memory(name, weighted):
    X, y = table(name == "hard margin")
    weight = [np.random.default_rng(1).integers(0, 3, N).astype(float)] if weighted else []
    whole = MEMBERS[name]().fit(X, y, *weight)
    for rows in ROWS.values():
        given = as_dask(rows, X, y, *weight)
        found = MEMBERS[name]().fit(*given)
        assert found.coef_.tobytes() == whole.coef_.tobytes()
        assert found.intercept_.tobytes() == whole.intercept_.tobytes()
        assert [each.to_dict() for each in found.certificates_] == [each.to_dict() for each in whole.certificates_]
        assert found.check(*given)
    assert (found.predict(given[0]).compute() == whole.predict(X)).all()
    assert found.score(*given[:2]) == whole.score(X, y)


def test_what_committees_refuse_says_what_to_do():
    X, y = table()
    given = as_dask(ROWS[2], X, y)
    with pytest.raises(ValueError, match=r"takes no dask collections with these parameters.* takes X\.compute"):
        OneVsOne(Perceptron(batch=True)).fit(*given)
    with pytest.raises(ValueError, match=r"expected two classes of a dask collection, got 3\. Use OneVsAll"):
        MaximumMargin(1.0).fit(*given)


def squared(decision, truth):
    return (float(decision == "ash") - float(truth == "ash")) ** 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", [None, squared, [[0, 1, 2], [5, 0, 1], [0.1, 0.3, 0]]])
def test_empirical_risk_of_parts_is_that_of_memory(loss, weighted):
    _, truth = table()
    decided = np.roll(truth, 1)
    weight = np.random.default_rng(1).random(N) if weighted else None
    whole = empirical_risk(truth, decided, loss, sample_weight=weight)
    for rows in (*ROWS.values(), (5000, 0, N - 5000)):
        own = None if weight is None else as_dask(rows, weight)[0]
        assert empirical_risk(*as_dask(rows, truth, decided), loss, sample_weight=own) == whole


def test_what_empirical_risk_refuses_says_what_is_wrong():
    (y,) = as_dask(ROWS[2], table()[1])
    with pytest.raises(ValueError, match=r"^y_pred: expected a dask collection, as y_true is, got ndarray"):
        empirical_risk(y, table()[1])
    with pytest.raises(ValueError, match=r"^y_true: expected a dask collection, as others are, got ndarray"):
        empirical_risk(table()[1], y)
    with pytest.raises(ValueError, match=rf"^y_pred: expected {N} rows, as y_true has, got {BLOCK}"):
        empirical_risk(y, y[:BLOCK])
    with pytest.raises(ValueError, match="the label 'oak' is not one of"):
        empirical_risk(y, y, [[0, 1], [1, 0]], labels=["ash", "elm"])
