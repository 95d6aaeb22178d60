"""The bits of memory from a cluster of processes, for all that learns in parts, and from parts that have moved.

Arrays that come over the network lie unaligned, which threads of one process never see.
"""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import (
    Anderson,
    Bayes,
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    Mahalanobis,
    MaximumMargin,
    NearestMean,
    Perceptron,
    separability,
)
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

N = 4 * BLOCK + 777
ROWS = (BLOCK, 2 * BLOCK, N - 3 * BLOCK)
RULES = {  # and whether they are shown rows that are apart
    "perceptron": (lambda: Perceptron(batch=True, max_iter=5), False),
    "machine": (lambda: LinearMachine(rule="perceptron", batch=True, max_iter=4), False),
    "descent": (lambda: GradientDescent("perceptron", max_iter=6), False),
    "margin": (MaximumMargin, True),
    "augmented margin": (lambda: MaximumMargin(bias="augmented"), True),
    "margin of rows that are not apart": (MaximumMargin, False),
    "soft margin": (lambda: MaximumMargin(0.1, method="newton"), False),
    "augmented squared hinge": (
        lambda: MaximumMargin(0.1, method="newton", loss="squared_hinge", bias="augmented", class_weight="balanced"),
        False,
    ),
    "wide sparse soft margin": (lambda: MaximumMargin(0.1, method="newton", tol=1e-2), False),
    "worst violator": (lambda: Kozinec(batch=True, max_iter=20), True),
    "ridge": (lambda: LeastSquares(alpha=2.0), False),
    "wide sparse ridge": (LeastSquares, False),
    "sparse means": (NearestMean, False),
    "anderson": (Anderson, False),
    "covariances": (lambda: Mahalanobis("own"), False),
    "bayes": (Bayes, False),
}
QUICK = {"ridge", "margin", "soft margin", "bayes"}  # the others are long tests


def table(name):
    rng = np.random.default_rng(3)
    if "sparse" in name:
        X = sp.random_array((N, 3000), density=0.003, random_state=0, format="csr")
        return X, (X @ rng.standard_normal(3000) > 0).astype(int)
    X = rng.standard_normal((N, 7)) * np.array([1, 1, 90, 1, 1, 3, 1])
    scores = X @ rng.standard_normal((7, 3)) + 0.3 * rng.standard_normal((N, 3))
    return X, np.array(["ash", "elm", "oak"])[
        scores[:, : 3 if name in ("machine", "covariances", "bayes") else 2].argmax(axis=1)
    ]


def apart():
    X, _ = table("")
    normal = np.array([1.0, -2.0, 0.01, 0.0, 1.0, 0.5, 0.25])
    side = np.where(X @ normal > 0.1, 1.0, -1.0)
    return X + 0.2 * side[:, None] * normal, np.where(side > 0, "elm", "ash")


def as_dask(X, y):
    if not sp.issparse(X):
        return da.from_array(X, chunks=(ROWS, X.shape[1])), da.from_array(y, chunks=(ROWS,))
    edges = np.cumsum([0, *ROWS])
    loaded = [dask.delayed(X[a:b]) for a, b in pairwise(edges)]
    blocks = [da.from_delayed(each, (n, X.shape[1]), meta=sp.csr_array((0, 0))) for each, n in zip(loaded, ROWS)]
    return da.concatenate(blocks), da.from_array(y, chunks=(ROWS,))


def itself(found):
    return found


@pytest.fixture(params=["where they were loaded", "moved"])
def client(request, cluster, monkeypatch):
    """A client of two workers; parts that are held have moved to the other worker, if the test is told so."""
    from distributed import Client, wait

    from linsep.engines.dask_client import Dask

    hold = Dask.hold

    def hold_and_move(engine, function, parts):
        handles = hold(engine, function, parts)
        wait(handles)
        places, every = engine.client.who_has(handles), list(engine.client.nthreads())
        others = [[place for place in every if place not in places[each.key]] for each in handles]
        moved = [
            engine.client.submit(itself, each, workers=other, pure=False)
            for each, other in zip(handles, others, strict=True)
        ]
        wait(moved)
        places = engine.client.who_has(moved)
        assert all(set(places[each.key]) <= set(other) for each, other in zip(moved, others, strict=True))
        return moved

    with Client(cluster) as client:
        client.wait_for_workers(2)
        if request.param == "moved":
            monkeypatch.setattr(Dask, "hold", hold_and_move)
        yield client


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in RULES]
)
def test_a_fit_its_check_and_its_answers_have_the_bits_of_memory(name, client):
    make, separable = RULES[name]
    X, y = apart() if separable else table(name)
    given = as_dask(X, y)
    here, there = make().fit(X, y), make().fit(*given)
    if hasattr(here, "coef_"):  # not of covariances of their own: their scores are compared below
        assert there.coef_.tobytes() == here.coef_.tobytes()
        assert there.intercept_.tobytes() == here.intercept_.tobytes()
    if hasattr(here, "certificate_"):
        assert there.certificate_.to_dict() == here.certificate_.to_dict()
        assert there.n_iter_ == here.n_iter_
    assert there.decision_function(given[0]).compute().tobytes() == here.decision_function(X).tobytes()
    assert (there.predict(given[0]).compute() == here.predict(X)).all()
    assert there.score(*given) == here.score(X, y)
    if not hasattr(here, "certificate_") or name == "anderson":  # whose check takes no parts
        return
    one, other = here.check(X, y), there.check(*given)
    assert one and other
    np.testing.assert_allclose([other.lower, other.upper], [one.lower, one.upper], rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("data", [apart, lambda: table("")])
def test_separability_has_the_bits_of_memory(data, client):
    X, y = data()
    assert separability(*as_dask(X, y)).to_dict() == separability(X, y).to_dict()


def test_what_came_unaligned_is_aligned_wherever_it_is():
    from linsep.engines.dask_client import aligned
    from linsep.oracles import points

    def shifted(array):
        return np.frombuffer(b"1" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)

    X = sp.random_array((30, 4), density=0.3, random_state=0, format="csr")
    odd = sp.csr_array((shifted(X.data), shifted(X.indices), shifted(X.indptr)), shape=X.shape)
    part = points(np.eye(3), np.array([1, -1, 1]))._replace(X=shifted(np.eye(3)))
    found, (oracle,), number = aligned((odd, [part], 3.0))
    assert not part.X.flags.aligned and oracle.X.flags.aligned and not oracle.X.flags.writeable
    assert type(oracle) is type(part) and (np.eye(3) == oracle.X).all() and oracle.sign is part.sign
    assert found.data.flags.aligned and found.indptr.flags.aligned and (found != X).nnz == 0 and number == 3.0
    assert aligned(part.sign) is part.sign
