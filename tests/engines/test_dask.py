"""Fits on dask collections: the bits of the in-memory fit, whatever the parts, the workers and their deaths."""

import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linsep import (
    GradientDescent,
    Kozinec,
    LinearMachine,
    MaximumMargin,
    Perceptron,
    Relaxation,
    SequenceClassifier,
    separability,
)  # fmt: skip
from linsep.rows.matrix import BLOCK

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

N = 6 * BLOCK + 777  # seven blocks
CUTS = {1: [0], 2: [0, 3], 3: [0, 1, 5], 7: range(7)}  # the first blocks of the parts
RULES = {
    "perceptron": lambda: Perceptron(batch=True, max_iter=8),
    "relaxation": lambda: Relaxation(batch=True, max_iter=8),
    "weighted": lambda: Perceptron(batch=True, max_iter=8, class_weight="balanced", scaling=None, rate="1/k"),
}


def table(classes=2, columns=5):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, columns)) * np.array([1, 1, 90, 1, 1])[:columns]
    scores = X @ rng.standard_normal((columns, classes)) + 0.3 * rng.standard_normal((N, classes))
    return X, np.array(["ash", "elm", "oak"])[scores.argmax(axis=1)]


def apart():
    """Rows that a hyperplane separates."""
    X, _ = table()
    normal = np.array([1.0, -2.0, 0.01, 0.0, 1.0])
    side = np.where(X @ normal > 0.1, 1.0, -1.0)
    return X + 0.2 * side[:, None] * normal, np.where(side > 0, "elm", "ash")


def logistic(w, A):
    return float(np.sum(np.logaddexp(0, -(A @ w))))


def logistic_gradient(w, A):
    return -(A.T @ (1 / (1 + np.exp(A @ w))))


EXACT = {  # rules that go through all rows with w fixed, and whether they are shown rows that are apart
    "descent": (lambda: GradientDescent("perceptron", max_iter=6, class_weight="balanced"), False),
    "own criterion": (lambda: GradientDescent((logistic, logistic_gradient), max_iter=4), False),
    "margin": (MaximumMargin, True),
    "augmented margin": (lambda: MaximumMargin(bias="augmented"), True),
    "shortest": (lambda: MaximumMargin(least_score=2.0), True),
    "margin of rows that are not apart": (MaximumMargin, False),
    "worst violator": (lambda: Kozinec(batch=True, max_iter=20), True),
    "augmented worst violator": (lambda: Kozinec(batch=True, bias="augmented", max_iter=20), True),
}


def chunks(parts):
    edges = [BLOCK * block for block in CUTS[parts]] + [N]
    return tuple(np.diff(edges).tolist())


def as_dask(X, y, rows):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def assert_same_bits(one, other):
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.certificate_.to_dict() == other.certificate_.to_dict()
    assert one.n_iter_ == other.n_iter_


@pytest.mark.parametrize("name", RULES)
def test_parts_cut_at_blocks_give_the_bits_of_the_whole(name):
    X, y = table()
    whole = RULES[name]().fit(X, y)
    for parts in CUTS:
        assert_same_bits(RULES[name]().fit(*as_dask(X, y, chunks(parts))), whole)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EXACT)
def test_exact_rules_have_the_bits_of_the_whole(name):
    make, separable = EXACT[name]
    X, y = apart() if separable else table()
    whole = make().fit(X, y)
    assert whole.check(X, y)
    for parts in (2, 7):
        assert_same_bits(make().fit(*as_dask(X, y, chunks(parts))), whole)
    found = make().fit(*as_dask(X, y, (5000, 1, 12000, N - 17001)))
    assert (found.predict(X) == whole.predict(X)).all()
    assert found.certificate_.status == whole.certificate_.status
    assert found.check(X, y)


def test_separability_of_parts():
    for X, y in (apart(), table()):
        whole = separability(X, y)
        assert separability(*as_dask(X, y, chunks(3))).to_dict() == whole.to_dict()
        assert separability(*as_dask(X, y, (5000, N - 5000))).separable == whole.separable


def test_parts_that_rounding_decides_go_through_exact_arithmetic():
    X = np.linspace(0.0, 1.0, N)[:, None]
    y = (X[:, 0] > 0.5).astype(int)
    X[N // 2 + 1] = X[N // 2] + 2**-53  # the classes are one unit in the last place apart
    whole = separability(X, y)
    assert separability(*as_dask(X, y, chunks(3))).to_dict() == whole.to_dict()


def test_weights_of_0_leave_rows_of_parts_out():
    X, y = apart()
    weight = np.random.default_rng(1).integers(0, 2, N).astype(float)
    y = np.where(weight == 0, np.roll(y, 1), y)
    whole = MaximumMargin().fit(X, y, weight)
    assert whole.certificate_.separates
    found = MaximumMargin().fit(*as_dask(X, y, chunks(3)), da.from_array(weight, chunks=(chunks(3),)))
    assert_same_bits(found, whole)


def test_worst_violators_are_refused_what_they_cannot_do():
    X, y = table(classes=3)
    with pytest.raises(ValueError, match="batch=True: expected two classes"):
        Kozinec(batch=True).fit(X, y)
    with pytest.raises(ValueError, match="expected two classes of a dask collection, got 3"):
        MaximumMargin().fit(*as_dask(X, y, chunks(2)))


def test_what_is_not_done_in_parts_says_what_to_do():
    X, y = np.eye(4, 2001), np.array([0, 0, 1, 1])
    for rows in ((2, 2), (4,)):
        for decide in (MaximumMargin().fit, separability):
            with pytest.raises(ValueError, match=r"for at most 2000 columns, got 2001\. Give it X\.compute\(\)"):
                decide(*as_dask(X, y, rows))
    X, y = as_dask(X, y, (2, 2))
    with pytest.raises(ValueError, match=r"SequenceClassifier\.fit takes no dask .* takes X\.compute\(\), y\.compute"):
        SequenceClassifier().fit(X, y)


def test_parts_of_any_length_give_the_same_decisions():
    X, y = table()
    whole = Perceptron(batch=True, max_iter=8).fit(X, y)
    found = Perceptron(batch=True, max_iter=8).fit(*as_dask(X, y, (5000, 1, 12000, N - 17001)))
    np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-9)
    assert (found.predict(X) == whole.predict(X)).all()
    assert found.check(X, y)


def test_sparse_rows_and_sample_weights():
    X, y = table()
    X = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    weight = np.random.default_rng(0).integers(0, 3, N).astype(float)
    whole = Perceptron(batch=True, max_iter=5).fit(X, y, weight)
    rows = chunks(3)
    edges = np.concatenate([[0], np.cumsum(rows)])
    import dask

    blocks = [
        da.from_delayed(dask.delayed(X[a:b]), shape=(b - a, X.shape[1]), meta=sp.csr_array((0, 0)))
        for a, b in pairwise(edges)
    ]
    found = Perceptron(batch=True, max_iter=5).fit(
        da.concatenate(blocks), da.from_array(y, chunks=(rows,)), da.from_array(weight, chunks=(rows,))
    )
    assert_same_bits(found, whole)


def test_a_linear_machine_of_three_classes():
    X, y = table(classes=3)
    make = lambda: LinearMachine(rule="perceptron", batch=True, max_iter=4)  # noqa: E731
    assert_same_bits(make().fit(*as_dask(X, y, chunks(3))), make().fit(X, y))


def test_a_linear_machine_of_two_classes_that_are_apart():
    X, y = apart()
    make = lambda: LinearMachine(rule="perceptron", batch=True)  # noqa: E731
    whole = make().fit(X, y)
    assert whole.certificate_.separates
    assert_same_bits(make().fit(*as_dask(X, y, chunks(3))), whole)


def test_separable_rows_empty_parts_and_parts_of_one_class():
    X, _ = table(columns=2)
    y = np.where(X[:, 0] > 0, 1, 0)
    X[:, 0] += np.where(y, 0.5, -0.5)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    whole = Perceptron(batch=True).fit(X, y)
    assert whole.certificate_.separates
    assert_same_bits(Perceptron(batch=True).fit(*as_dask(X, y, (BLOCK, 0, BLOCK, N - 2 * BLOCK))), whole)


def test_data_frames_bring_their_names():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcde"))
    whole = Perceptron(batch=True, max_iter=4).fit(frame, y)
    rows = dd.from_pandas(frame.assign(y=pd.Series(y)), npartitions=3)
    found = Perceptron(batch=True, max_iter=4).fit(rows[list("abcde")], rows["y"])
    assert found.feature_names_in_.tolist() == list("abcde")
    assert (found.predict(frame) == whole.predict(frame)).all()


def test_what_is_wrong_names_the_part():
    import dask

    X, y = table()
    ragged = da.concatenate(
        [da.from_array(X[:BLOCK]), da.from_delayed(dask.delayed(X[BLOCK:, :3]), shape=(N - BLOCK, 5), dtype=float)]
    )
    with pytest.raises(ValueError, match=r"^part 1: expected 5 columns, got 3\.$"):
        Perceptron(batch=True).fit(ragged, da.from_array(y, chunks=((BLOCK, N - BLOCK),)))
    spoilt = X.copy()
    spoilt[-1, 2] = np.nan
    with pytest.raises(ValueError, match=r"^part 2: X: expected finite numbers, got NaN or infinity\.$"):
        Perceptron(batch=True).fit(*as_dask(spoilt, y, chunks(3)))
    with pytest.raises(ValueError, match="y: expected a dask collection"):
        Perceptron(batch=True).fit(as_dask(X, y, chunks(2))[0], y)
    with pytest.raises(ValueError, match="one class only: 'ash'"):
        Perceptron(batch=True).fit(*as_dask(X, np.full(N, "ash"), chunks(2)))
    with pytest.raises(ValueError, match=r"Kozinec\.fit takes no dask collections with these parameters"):
        Kozinec().fit(*as_dask(X, y, chunks(2)))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_cluster_of_processes_gives_the_bits_of_memory(cluster, workers):
    from distributed import Client

    cluster.scale(workers)
    X, y = table()
    with Client(cluster) as client:
        client.wait_for_workers(workers)
        for parts in CUTS:
            for name in ("perceptron", "relaxation"):
                assert_same_bits(RULES[name]().fit(*as_dask(X, y, chunks(parts))), RULES[name]().fit(X, y))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_killed_workers_change_nothing(cluster):
    from distributed import Client

    cluster.scale(2)
    X, y = table()
    make = lambda: Perceptron(batch=True, max_iter=150, keep="last")  # noqa: E731
    whole = make().fit(X, y)
    killed = []
    with Client(cluster) as client:
        client.wait_for_workers(2)
        over = threading.Event()

        def kill():
            for pause in (0.8, 1.3, 1.0):
                if over.wait(pause):
                    return
                alive = [worker.process.pid for worker in cluster.workers.values() if worker.process.pid]
                if alive:
                    os.kill(alive[len(killed) % len(alive)], signal.SIGKILL)
                    killed.append(time.monotonic())

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            found = make()
            while not killed:  # a quick machine may be done before the first shot
                found = make().fit(*as_dask(X, y, chunks(7)))
                assert_same_bits(found, whole)
        finally:
            over.set()
            thread.join()
    assert killed


@pytest.mark.parametrize("rule", [Kozinec(batch=True), MaximumMargin(C=1.0)], ids=["hard", "soft"])
def test_numbers_that_doubles_cannot_hold_beside_others_are_refused_as_in_memory(rule):
    X = np.vstack([np.eye(2), -np.eye(2)]) * [1.0, 2.0**-600]
    y = np.array([0, 0, 1, 1])
    said = []
    for given in ((X, y), (da.from_array(X, chunks=(2, 2)), da.from_array(y, chunks=2))):
        with pytest.raises(ValueError, match=r"^X: column 1 has no value above 2\.41e-181, beside 1: ") as error:
            rule.fit(*given)
        said.append(str(error.value))
    assert said[0] == said[1]
