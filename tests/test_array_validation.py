"""Checks of arrays: damaged matrices are refused, sound ones are read in place."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from linsep import Kozinec, LeastSquares, LinearMachine, MaximumMargin, Perceptron, separability
from linsep.oracles import classes, differences, points
from linsep.validation import as_canonical_csr, as_rows, check_sparse, magnitudes, require_room

Y = np.array([0, 1, 1])


def sound():
    return sp.csr_array(np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [0.0, 4.0, 5.0]]))


def damage(name, value):
    """A CSR matrix with one array replaced or changed after SciPy looked at it."""
    X = sound()
    setattr(X, name, value(getattr(X, name).copy()))
    return X


def set_at(place, number):
    def change(array):
        array[place] = number
        return array

    return change


DAMAGED = {
    "a column too large": lambda: damage("indices", set_at(2, 3)),
    "a column far too large": lambda: damage("indices", set_at(0, 2**30)),
    "a negative column": lambda: damage("indices", set_at(1, -1)),
    "falling pointers": lambda: damage("indptr", set_at(1, 4)),
    "a pointer too far": lambda: damage("indptr", set_at(3, 99)),
    "a negative pointer": lambda: damage("indptr", set_at(0, -2)),
    "too few pointers": lambda: damage("indptr", lambda array: array[:2]),
    "no pointers": lambda: damage("indptr", lambda array: array[:0]),
    "too few numbers": lambda: damage("data", lambda array: array[:3]),
    "too few columns": lambda: damage("indices", lambda array: array[:3]),
    "columns that are no integers": lambda: damage("indices", lambda array: array.astype(float)),
}
ENTRIES = {
    "fit": lambda X: Perceptron().fit(X, Y),
    "partial_fit": lambda X: Kozinec().partial_fit(X, Y, [0, 1]),
    "predict": lambda X: Perceptron().fit(np.eye(3), Y).predict(X),
    "check": lambda X: Perceptron().fit(np.eye(3), Y).check(X, Y),
    "certificate's check": lambda X: Perceptron().fit(np.eye(3), Y).certificate_.check(X, Y),
    "separability": lambda X: separability(X, Y),
    "maximum margin": lambda X: MaximumMargin(C=1.0).fit(X, Y),
    "machine": lambda X: LinearMachine().fit(X, [0, 1, 2]),
    "points": lambda X: points(X, [1, -1, 1]),
    "classes": lambda X: classes(X, [0, 1, 2], 3),
}


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_damaged_matrix_is_refused_in_one_sentence(kind, entry):
    with pytest.raises(ValueError) as refused:
        ENTRIES[entry](DAMAGED[kind]())
    assert "\n" not in str(refused.value)


def test_columns_out_of_range_of_csc_are_refused_before_scipy_converts_it():
    X = sp.csc_array(sound())
    X.indices[0] = 77
    with pytest.raises(ValueError, match="expected row numbers 0 to 2, got 77"):
        Perceptron().fit(X, Y)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: points(np.eye(3), [1, -1]), "expected one value for each of the 3 rows"),
        (lambda: points(np.eye(3), [1, 0, 2]), "expected 1 and -1 only"),
        (lambda: points(np.eye(3), [1, 1, -1], weight=[1.0]), "weight: expected one value"),
        (lambda: points(np.eye(3), [1, 1, -1], weight=[1.0, np.nan, 1.0]), "weight: expected finite"),
        (lambda: points(np.ones(3), [1, 1, -1]), "expected a matrix"),
        (lambda: points([[1.0, np.inf]], [1]), "expected finite numbers"),
        (lambda: points([["a"]], [1]), "expected real numbers"),
        (lambda: classes(np.eye(3), [0, 1], 3), "label: expected one value"),
        (lambda: classes(np.eye(3), [0, 1, 5], 3), "expected labels 0"),
        (lambda: differences([points(np.eye(3), [1, 1, -1])]), "expected rows with bias 0"),
    ],
)
def test_factories_refuse_what_kernels_could_not_index(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_sound_matrix_is_read_in_place():
    X, S = np.ones((3, 2)), sound()
    assert np.shares_memory(as_rows(X), X)
    assert np.shares_memory(as_rows(S).data, S.data)
    assert as_rows(X.astype(np.int32)).dtype == np.float64


def test_doubled_entries_are_one_for_solver_and_check():
    doubled = sp.csr_array((np.array([1.0, 2.0, -4.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    assert not check_sparse(doubled)
    assert as_canonical_csr(doubled).toarray().tolist() == [[3.0], [-4.0]]
    rule = MaximumMargin().fit(doubled, [1, 0])
    assert rule.check(doubled, [1, 0])
    assert rule.certificate_.check(doubled, [1, 0])
    assert rule.margin_ == pytest.approx(3.5)


def test_doubled_entries_of_infinite_sum_are_refused():
    X = sp.csr_array((np.array([1.5e308, 1.5e308, 1.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    with pytest.raises(ValueError, match="infinity"):
        MaximumMargin().fit(X, [1, 0])


def test_numbers_behind_the_last_pointer_are_no_part_of_the_matrix():
    X = sp.csr_array(np.array([[1.0], [-1.0]]))
    X.data, X.indices = np.append(X.data, np.nan), np.append(X.indices, 9).astype(X.indices.dtype)
    assert Perceptron().fit(X, [1, 0]).certificate_.status == "separated"


@given(st.sampled_from([np.float64, np.float32]).flatmap(lambda kind: arrays(kind, st.integers(0, 40))))
def test_magnitudes_are_those_of_numpy(numbers):
    found, size = magnitudes(numbers), np.abs(numbers.astype(np.float64))
    if np.isnan(size).any():
        assert np.isnan(found.largest)
    else:
        assert found.largest == size.max(initial=0.0)
        assert found.least == size[size > 0].min(initial=np.inf)


@given(st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=6))
def test_canonical_is_what_scipy_calls_so(rows):
    indices, indptr = np.array([j for row in rows for j in row], dtype=np.int32), np.cumsum([0, *map(len, rows)])
    X = sp.csr_array((np.ones(indices.size), indices, indptr), shape=(len(rows), 5))
    assert check_sparse(X) == all(a < b for row in rows for a, b in pairwise(row))


def test_far_more_memory_than_the_data_is_refused_with_the_numbers():
    require_room(2**27, 1, "x", "")
    X = sp.csr_array((np.ones(4), np.arange(4) * 700_000, np.arange(5)), shape=(4, 3_000_000))
    wide = sp.vstack([X] * 60).tocsr()
    with pytest.raises(ValueError, match=r"needs .* GiB\) for an input of 240"):
        LeastSquares("ho-kashyap").fit(wide, [0, 1] * 120)
