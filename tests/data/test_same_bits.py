"""A fit from files has the bits of a fit from arrays: for every format, every rule, any number of parts."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from files import FORMATS, frame, write, write_parts
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sklearn.base import clone
from stages import examples

import linsep
from linsep.data.cache import Mapped, read_header
from linsep.data.columns import infer_schema
from linsep.data.open import Recipe, write_cache
from linsep.data.sources import find_sources
from linsep.rows.matrix import BLOCK

rng = np.random.default_rng(0)
N, D = 2 * BLOCK + 700, 4
X = rng.normal(size=(N, D)).round(4) * [1, 10, 0.1, 1]
CLASSES = np.array([-1, 1])
Y = np.where(X @ [1, 0.1, 10, -1] + 0.3 * rng.normal(size=N) > 0, 1, -1)
THREE = np.argmax(X @ rng.normal(size=(D, 3)) + 0.2 * rng.normal(size=(N, 3)), axis=1)


COLUMNS = infer_schema([frame(X, Y)], "class")
TABLE = COLUMNS.transform(frame(X, Y))[0]  # what the columns of the whole table become


def opened(folder, kind, y, count):
    return linsep.open_dataset(
        write_parts(folder, kind, X, y, count), "class" if kind not in ("svm", "npz") else None, cache=folder / "cache",
        memory="64MB",
    )  # fmt: skip


def bits(array):
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("count", [1, 3, 17])
@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_rows_in_any_number_of_files(tmp_path, kind, count):
    data = opened(tmp_path, kind, Y, count)
    found = data.rows.X
    if kind == "svm":
        expected = sp.csr_array(X)
        assert bits(found.indptr) == bits(expected.indptr)
        assert bits(found.indices) == bits(expected.indices.astype(np.int32))
        assert bits(found.data) == bits(expected.data)
    else:
        expected = X if kind == "npz" else TABLE
        assert found.flags.c_contiguous and found.dtype == np.float64 and bits(found) == bits(expected)
    assert data.rows.y.tolist() == Y.tolist() and data.classes.tolist() == [-1, 1]
    assert data.n_rows == N == len(data) and data.n_features == D
    assert sum(part.n_rows for part in data.parts) == N
    assert all(part.begin % BLOCK == 0 for part in data.parts)
    parts = [part.load() for part in data.parts]
    assert np.concatenate([part.y for part in parts]).tolist() == Y.tolist()
    assert sum(part.X.sum() for part in parts) == pytest.approx(found.sum())
    if kind not in ("svm", "npz"):
        assert data.schema == COLUMNS


RULES = {
    "perceptron": linsep.Perceptron(max_iter=3),
    "shuffled": linsep.Perceptron(max_iter=3, shuffle=True, random_state=1, keep="last"),
    "batch": linsep.Perceptron(batch=True, max_iter=5),
    "relaxation": linsep.Relaxation(max_iter=3),
    "batch relaxation": linsep.Relaxation(batch=True, max_iter=5),
    "kozinec": linsep.Kozinec(max_iter=3),
    "hard margin": linsep.MaximumMargin(),
    "soft margin": linsep.MaximumMargin(C=1.0, tol=1e-2),
    "least squares": linsep.LeastSquares(),
    "lms": linsep.LeastSquares("lms", max_iter=2),
    "gradient": linsep.GradientDescent(max_iter=5),
    "one versus all": linsep.OneVsAll(linsep.Perceptron(max_iter=2)),
    "one versus one": linsep.OneVsOne(linsep.Perceptron(max_iter=2)),
}
DENSE_ONLY = {
    "anderson": linsep.Anderson(),
    "nearest mean": linsep.NearestMean(),
    "mahalanobis": linsep.Mahalanobis(),
    "bayes": linsep.Bayes(),
    "lifted": linsep.Lifted(linsep.Quadratic(), linsep.Perceptron(max_iter=2)),
}
MACHINES = {
    "machine": linsep.LinearMachine(max_iter=2),
    "machine perceptron": linsep.Perceptron(max_iter=2),
    "machine least squares": linsep.LeastSquares(),
}


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    made = {}
    for kind in ("csv", "svm"):
        for name, y in (("two", Y), ("three", THREE)):
            made[kind, name] = opened(tmp_path_factory.mktemp(f"{kind}-{name}"), kind, y, 3)
    return made


CASES = [
    *((name, kind, "two") for kind in ("csv", "svm") for name in RULES),
    *((name, "csv", "two") for name in DENSE_ONLY),
    *((name, kind, "three") for kind in ("csv", "svm") for name in MACHINES),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind", "classes"), CASES)
def test_every_rule_learns_the_same_bits_from_a_dataset(datasets, name, kind, classes):
    data, y = datasets[kind, classes], Y if classes == "two" else THREE
    rows = sp.csr_array(X) if kind == "svm" else TABLE
    rule = {**RULES, **DENSE_ONLY, **MACHINES}[name]
    from_files = clone(rule).fit(data)
    expected = clone(rule).fit(rows, y)
    if hasattr(expected, "coef_"):
        assert bits(from_files.coef_) == bits(expected.coef_)
        assert bits(from_files.intercept_) == bits(expected.intercept_)
    assert from_files.predict(data).tolist() == expected.predict(rows).tolist()
    assert from_files.score(data) == expected.score(rows, y)
    if hasattr(expected, "check"):
        assert str(from_files.check(data)) == str(expected.check(rows, y))


@pytest.mark.filterwarnings("ignore")
def test_partial_fit_path_and_separability_take_datasets(datasets):
    data = datasets["csv", "two"]
    found = linsep.Perceptron().partial_fit(data, classes=data.classes).partial_fit(data)
    expected = linsep.Perceptron().partial_fit(TABLE, Y, classes=[-1, 1]).partial_fit(TABLE, Y)
    assert bits(found.coef_) == bits(expected.coef_)
    found, expected = linsep.separability(data), linsep.separability(TABLE, Y)
    assert found.separable is expected.separable is False and bits(found.rows) == bits(expected.rows)
    rules = linsep.MaximumMargin(tol=0.1).path(data, Cs=[1e-3, 1e-2])
    assert [bits(rule.coef_) for rule in rules] == [
        bits(rule.coef_) for rule in linsep.MaximumMargin(tol=0.1).path(TABLE, Y, [1e-3, 1e-2])
    ]


@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 299), max_size=6, unique=True), piece=st.integers(40, 4000),
    kind=st.sampled_from(["csv", "svm", "jsonl"]),
)  # fmt: skip
def test_no_cut_of_files_or_pieces_changes_a_bit(tmp_path_factory, cuts, piece, kind):
    folder = tmp_path_factory.mktemp("cuts")
    ends = [0, *sorted(cuts), 300]
    paths = [write(folder / f"{k:02}.{kind}", X[a:b], Y[a:b]) for k, (a, b) in enumerate(pairwise(ends))]
    options = {"zero_based": "auto"} if kind == "svm" else {"separator": ","}
    name = {"svm": "svmlight"}.get(kind, kind)
    part = frame(X[:300], Y[:300])
    expected = X[:300] if kind == "svm" else infer_schema([part], "class").transform(part)[0]
    write_cache(folder / "cache", find_sources(paths), Recipe(name, "class", None, None, options, piece), None)
    rows = Mapped(folder / "cache", read_header(folder / "cache")).rows()
    assert bits(rows.X.toarray() if kind == "svm" else rows.X) == bits(expected)
    assert rows.y.tolist() == Y[:300].tolist()
