"""separability of more than two classes, against a linear program."""

import numpy as np
import pytest
import reference
from scipy.optimize import linprog

from linsep import separability


def is_separable(X, label, count):
    """Whether some w has <w,a> >= 1 for every vector of Kesler's construction, by a linear program."""
    A = np.concatenate(reference.kesler(X, label, count))
    return linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None)).status == 0


@pytest.mark.parametrize("seed", range(30))
def test_it_decides_as_a_linear_program_does(seed):
    rng = np.random.default_rng(seed)
    count = 3 + seed % 2
    X = rng.integers(-3, 4, (int(rng.integers(5, 14)), 2)).astype(float)
    label = np.append(np.arange(count), rng.integers(0, count, len(X) - count))
    found = separability(X, label)
    assert found.separable == is_separable(X, label, count)
    assert found.check(X, label)


def test_both_answers_occur_and_names_are_kept():
    X = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0], [2.0, 1.0]]
    apart, mixed = separability(X[:3], ["a", "b", "c"]), separability([*X, [2.0, 1.0]], ["a", "b", "c", "a", "b"])
    assert apart.separable is True and apart.w.shape == (3, 3) and apart.classes == ("a", "b", "c")
    assert mixed.separable is False and mixed.check([*X, [2.0, 1.0]], ["a", "b", "c", "a", "b"])
    assert str(mixed).startswith("Not separable: no linear machine separates")


def test_the_hulls_that_just_touch_are_decided_without_rounding():
    X = np.array([[0.1], [0.2], [0.3], [0.2]])
    assert separability(X[:3], [0, 1, 2]).separable is True
    assert separability(X, [0, 1, 2, 2]).separable is False
    assert separability(np.array([[0.0], [1.0], [1.0 + 2**-52]]), [0, 1, 2]).separable is True
