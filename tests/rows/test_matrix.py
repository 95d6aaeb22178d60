"""Rows in blocks: products with them, and what one pass over every vector tells of a w."""

import math
from unittest import mock

import loop_cases as cases
import numpy as np
import pytest
import reference
from loop_cases import FORMATS

from linsep.oracles import points
from linsep.rows.evaluate import FUZZ, evaluate, evaluate_block, scores_and_norms, write_scores_and_norms
from linsep.rows.matrix import VectorMatrix, combine, length, scores, weighted_length


@pytest.mark.parametrize(
    ("form", "compiled"),
    [("dense", True), ("csr32", True), pytest.param("csr64", True, marks=pytest.mark.long), ("csr64", False)],
)
def test_an_evaluation_is_what_the_built_vectors_say(form, compiled):
    X, sign = cases.integers(6, high=9)
    weight = np.arange(1.0, sign.size + 1)
    part, w, rows = points(FORMATS[form](X), sign, weight), np.arange(-2.0, 4.0), np.arange(sign.size)
    seen = np.empty((2, sign.size))
    (write_scores_and_norms if compiled else write_scores_and_norms.py_func)(part.with_bias(0.0), w, rows, *seen)
    seen[0] += sign * w[-1]
    asked = tuple(seen), part.sign, part.weight, rows, (2.0**-40, 2.0**-41, 1.0)
    found = evaluate_block.py_func(*asked)
    if compiled:
        assert tuple(evaluate_block(*asked)) == tuple(found)
    A = reference.mirrored(X, sign)
    score = A @ w
    assert (found.size, found.violated) == (len(A), np.sum(score <= 0))
    assert (found.weight, found.lowest) == (weight[score <= 0].sum(), score.min())
    assert (found.lowest_negative, found.lowest_positive) == (score[sign < 0].min(), score[sign > 0].min())
    assert found.longest == np.max(np.sum(A * A, axis=1))
    squares = np.sum(A * A, axis=1)
    assert found.sure == pytest.approx(
        np.min(score - 2.0**-40 * np.sqrt((squares - 1.0) * (1.0 + FUZZ)) - 2.0**-41), rel=1e-15
    )


def test_the_doubt_about_a_score_is_that_of_the_columns_in_any_unit():
    """Beside a bias of 1 the squares of small columns are lost: scores of 2^-80 are not known to 2^-60."""
    X, sign = cases.integers(6, high=9)
    w, unit = np.arange(-2.0, 4.0), 2.0**-40
    one = evaluate([points(X, sign)], w)
    other = evaluate([points(unit * X, sign)], unit * np.append(w[:-1], unit * w[-1]))
    assert (other.lowest, other.sure) == (unit * unit * one.lowest, unit * unit * one.sure)


@pytest.mark.parametrize("form", ["dense", "csr32"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_without_the_bias_serve_any_bias(form, weighted):
    X, sign = cases.integers(8, n=40, high=9)
    weight = (np.arange(40) % 4 > 0).astype(float) if weighted else None
    X, w = FORMATS[form](X), np.arange(-2.0, 4.0)
    parts = [points(X[:16], sign[:16], None if weight is None else weight[:16], bias=0.5)]
    parts.append(points(X[16:], sign[16:], None if weight is None else weight[16:], bias=0.5, first=16))
    seen = scores_and_norms([part.with_bias(0.0) for part in parts], w)
    seen.add_bias(parts, w[-1])
    expected = scores_and_norms(parts, w)
    assert np.array_equal(seen.wa, expected.wa, equal_nan=True)
    present = np.ones(40, dtype=bool) if weight is None else weight > 0
    assert np.array_equal(seen.aa[present], expected.aa[present])
    assert np.isnan(seen.wa[~present]).all()
    assert evaluate(parts, w, seen) == evaluate(parts, w)


@pytest.mark.parametrize("form", ["dense", "csr32"])
def test_blocks_add_up_to_the_products_with_built_vectors(form):
    X, sign = cases.integers(7, n=50, high=9)
    weight = (np.arange(50) % 3 > 0).astype(float)
    present = weight > 0
    A, w, r = reference.mirrored(X, sign), np.arange(-2.0, 4.0), np.arange(50.0)
    part = points(FORMATS[form](X), sign, weight)
    with mock.patch("linsep.rows.matrix.BLOCK", 16):
        assert np.array_equal(scores([part], w)[present], (A @ w)[present])
        assert np.isnan(scores([part], w)[~present]).all()
        assert np.array_equal(combine([part], r), (r * weight) @ A)
        assert weighted_length([part], r) == pytest.approx((r * weight) @ np.linalg.norm(A, axis=1))
        found = evaluate([part], w)
    assert (found.size, found.violated) == (present.sum(), np.sum((A @ w <= 0)[present]))
    matrix = VectorMatrix(part)  # where absent rows are rows too
    assert np.array_equal(matrix @ w, A @ w) and np.array_equal(matrix.T @ r, r @ A)


def test_the_length_of_very_small_and_large_numbers():
    assert length(np.array([3e-200, 4e-200])) == 5e-200
    assert length(np.array([3e200, 4e200])) == pytest.approx(5e200, rel=1e-15)
    assert length(np.zeros(3)) == length(np.zeros(0)) == 0.0
    for scale in (1.0, 1e-200, 1e200):  # many numbers are summed with compensation
        v = scale * np.random.default_rng(0).normal(size=5000) * np.geomspace(1e-8, 1.0, 5000)
        assert length(v) == pytest.approx(math.hypot(*v.tolist()), rel=5e-16)
