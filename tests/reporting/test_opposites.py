"""Equal rows with different labels: found by brute force too, whatever the hash does."""

import numpy as np
import pytest
import scipy.sparse as sp

from linsep.reporting import opposites
from linsep.reporting.facts import Part
from linsep.reporting.opposites import equal_rows, find_opposites, hash_rows


def by_brute_force(X, y):
    groups = {}
    for k, row in enumerate(np.asarray(X, dtype=np.float64) + 0.0):
        groups.setdefault(tuple(row.tolist()), []).append(k)
    return sorted(rows for rows in groups.values() if len(set(y[rows].tolist())) > 1)


def found(X, y):
    return sorted(np.sort(rows).tolist() for rows in equal_rows(X, y))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, bool])
@pytest.mark.parametrize("collide", [False, True])
def test_groups_are_those_of_brute_force(dtype, collide, monkeypatch):
    if collide:  # every row has the same number: rows themselves are compared
        monkeypatch.setattr(opposites, "hash_rows", lambda X: np.zeros(X.shape[0], dtype=np.uint64))
    monkeypatch.setattr(opposites, "SLICE", 16)
    rng = np.random.default_rng(3)
    for columns in (1, 3, 6):
        X = rng.integers(0, 3, size=(120, columns)).astype(dtype)
        y = rng.integers(0, 3, size=120)
        expected = by_brute_force(X, y)
        assert found(X, y) == expected and expected
        assert found(sp.csr_matrix(X.astype(np.float64)), y) == expected


def test_zeros_have_no_sign_and_sparse_rows_no_stored_zeros():
    X = np.array([[0.0, 1.0], [-0.0, 1.0]])
    y = np.array(["a", "b"])
    assert found(X, y) == [[0, 1]]
    stored = sp.csr_matrix((np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert stored.nnz == 3 and found(stored, y) == [[0, 1]]


def test_rows_of_few_values_have_different_numbers():
    X = np.array(np.meshgrid(*[[0.0, 1.0]] * 14)).reshape(14, -1).T
    assert np.unique(hash_rows(X)).size == len(X)
    assert (hash_rows(X) == hash_rows(sp.csr_matrix(X))).all()


def test_no_rule_makes_fewer_errors_than_is_said():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, size=(60, 3)).astype(float), rng.integers(0, 2, size=60)
    part = Part(X, y, None, np.arange(100, 160), lambda rows: [{"row": row} for row in rows])
    facts = find_opposites(part)
    best = sum(min((y[rows] == 0).sum(), (y[rows] == 1).sum()) for rows in by_brute_force(X, y))
    assert facts["lost"] == best > 0 and facts["groups"] == len(by_brute_force(X, y))
    assert facts["count"] == sum(map(len, by_brute_force(X, y)))
    for each in facts["rows"]:
        assert each["cells"] == {"row": each["row"] - 1} and each["class"] == y[each["row"] - 101]
    for group in {each["group"] for each in facts["rows"]}:
        assert len({each["class"] for each in facts["rows"] if each["group"] == group}) > 1


def test_one_row_has_no_opposite():
    part = Part(np.zeros((1, 2)), np.array([1]), None, np.arange(1), lambda rows: [])
    assert find_opposites(part) == {"groups": 0, "count": 0, "lost": 0, "rows": []}
