"""Is a set of labelled structures separable (S2, definition 1)? A linear program over all labellings is the referee."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from linsep import NetworkClassifier, Perceptron, SequenceClassifier, StructuredClassifier, separability


def phi(letters, labels):
    """S2's chain by hand: first label, last label, pairs of labels, pairs of letter and label."""
    first, last, pairs, seen = np.zeros(2), np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    first[labels[0]] += 1
    last[labels[-1]] += 1
    for before, after in itertools.pairwise(labels):
        pairs[before, after] += 1
    for letter, label in zip(letters, labels, strict=True):
        seen["ab".index(letter), label] += 1
    return np.concatenate([first, last, pairs.ravel(), seen.ravel()])


def referee(X, y):
    """Whether some w has <w, phi(x,y) - phi(x,y')> >= 1 for every example and rival."""
    vectors = np.array(
        [
            phi(x, truth) - phi(x, rival)
            for x, truth in zip(X, y, strict=True)
            for rival in itertools.product((0, 1), repeat=len(x))
            if tuple(rival) != tuple(truth)
        ]
    )
    bounds = [(None, None)] * vectors.shape[1]
    return linprog(np.zeros(vectors.shape[1]), -vectors, -np.ones(len(vectors)), bounds=bounds).status == 0


@pytest.mark.parametrize("seed", range(12))
def test_sequences_as_a_linear_program_says(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 4, 4)
    X = [list(rng.choice(["a", "b"], n)) for n in lengths]
    y = [rng.integers(0, 2, n).tolist() for n in lengths]
    y[0][0], y[-1][-1] = 0, 1
    rule = SequenceClassifier()
    found = separability(X, y, estimator=rule)
    assert found.separable is referee(X, y)
    assert not hasattr(rule, "coef_")


def test_the_referee_sees_both_answers():
    assert referee([["b", "b", "b"]], [[0, 1, 0]]) and not referee([["b", "b"]] * 2, [[0, 1], [1, 0]])


def test_networks_and_any_phi():
    edges = np.array([[0, 1]])
    graphs = [(np.array([[1.0], [-1.0]]), edges), (np.array([[-1.0], [1.0]]), edges)]
    assert separability(graphs, [[1, 0], [0, 1]], estimator=NetworkClassifier()).separable
    assert separability(graphs[:1] * 2, [[1, 0], [0, 1]], estimator=NetworkClassifier()).separable is False
    signs = StructuredClassifier(lambda x, y: np.array([x * y, y]), labels=lambda x: (-1, 1))
    assert separability([2.0, 3.0, -1.0], [1, 1, -1], estimator=signs).separable
    assert separability([2.0, 3.0, 2.5], [1, 1, -1], estimator=signs).separable is False


def test_an_estimator_of_rows_is_refused():
    with pytest.raises(ValueError, match="expected one of structures"):
        separability([[0.0], [1.0]], [0, 1], estimator=Perceptron())


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([["a", "b"], ["b", "b"]], [[0, 1], [1, 0]]),
        ([["a", "b"], ["b"]], [[0, 1], [1]]),
        (["abc", "de"], ["xyz", "xy"]),
        ([np.zeros((2, 3)), np.ones((4, 3))], [[0, 1], [0, 1, 1, 1]]),
        ([(np.zeros((2, 1)), np.array([[0, 1]]))], [[0, 1]]),
        ([{"a": 1}, {"b": 1}], [0, 1]),
        (np.array([["a"], ["b"]]), [0, 1]),
    ],
    ids=["words", "of other lengths", "strings", "arrays", "graphs", "dictionaries", "array of strings"],
)
def test_structures_without_an_estimator_are_told_of_it(X, y):
    with pytest.raises(
        ValueError, match=r"^separability: expected rows of numbers .* estimator=, such as SequenceClassifier"
    ):
        separability(X, y)
    with pytest.raises(ValueError, match="one class only"):
        separability([[0.0], [1.0]], [1, 1])  # other errors are as they were
