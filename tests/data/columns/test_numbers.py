"""Columns of numbers, counted and written all at once by compiled code, against one column at a time in NumPy."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stages import examples

from linsep.data import DataError
from linsep.data.columns.kinds import Number
from linsep.data.columns.numbers import NumberCounts
from linsep.data.columns.schema import Schema, infer_schema

ODD = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1.5, 1e-300, 5e-324, 1e150, -1e150, 2e150, math.inf, -math.inf])
CELLS = st.one_of(ODD, st.none(), st.just(math.nan), st.floats(-1e6, 1e6))


def count(frame, label, cuts=()):
    """The statistics of a table that comes in parts."""
    found = NumberCounts(frame.columns, [kind == pl.Boolean for kind in frame.dtypes])
    for begin, end in zip([0, *cuts], [*cuts, frame.height]):
        found.add(frame[begin:end], None if label is None else label[begin:end], begin)
    return found.statistics()


def usable(cells):
    return [cell for cell in cells if abs(cell) <= 1e150]


def reference(column, label):
    """The same, cell by cell, with fractions."""
    cells = [math.nan if cell is None else float(cell) for cell in column]
    kept = usable(cells)
    by_class = {}
    for cell, k in zip(cells, label.tolist()):
        by_class.setdefault(k, []).append(cell)
    return {
        "rows": len(cells), "infinite": sum(abs(cell) > 1e150 for cell in cells), "missing": len(cells) - len(kept),
        "count": len(kept), "low": min(kept, default=math.inf), "high": max(kept, default=-math.inf),
        "total": sum(map(Fraction, kept)), "whole": all(cell == math.floor(cell) for cell in kept),
        "increasing": all(a < b for a, b in pairwise(kept)),
        "classes": {k: (len(mine), len(mine) - len(usable(mine)), min(usable(mine), default=math.inf)) for k, mine in
                    by_class.items()},
    }  # fmt: skip


@examples(60)
@given(st.lists(st.tuples(CELLS, CELLS, st.integers(0, 2)), min_size=1, max_size=30), st.data())
def test_counts_are_exact_and_do_not_depend_on_the_parts(rows, data):
    frame = pl.DataFrame(
        {"a": [a for a, _, _ in rows], "b": [b for _, b, _ in rows]}, schema=dict.fromkeys("ab", float)
    )
    label = np.array([k for _, _, k in rows])
    cut = data.draw(st.integers(0, len(rows)))
    found, again = count(frame, label), count(frame, label, [cut])
    assert repr(found) == repr(again)
    for one, name in zip(found, "ab"):
        ours = {
            "rows": one.rows, "infinite": one.infinite, "missing": one.missing, "count": one.numbers.count,
            "low": one.low, "high": one.high, "total": Fraction(one.numbers.total, 1 << 1074), "whole": one.whole,
            "increasing": one.increasing, "classes": {k: (c.rows, c.missing, c.low) for k, c in one.classes.items()},
        }  # fmt: skip
        assert ours == reference(frame[name], label)


def test_equal_columns_have_equal_contents_and_others_have_not():
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    frame = pl.DataFrame(
        {"a": a, "b": a, "moved": np.roll(a, 1), "near": np.nextafter(a, 9), "y": rng.integers(0, 2, 100)}
    )
    found = {one.name: one.content for one in count(frame, None, [7, 50])}
    assert found["a"] == found["b"] and len(set(found.values())) == 4


def test_the_deviation_is_that_of_numpy():
    values = np.random.default_rng(1).normal(5.0, 3.0, 1000)
    (one,) = count(pl.DataFrame({"a": values}), None, [300])
    assert one.numbers.deviation == pytest.approx(values.std(), rel=1e-14)
    assert float(one.numbers.mean) == math.fsum(values) / 1000


def test_features_are_those_of_one_column_at_a_time():
    frame = pl.DataFrame({
        "a": [1.5, None, -2.0, 7.0], "b": [1, 2, 3, 4], "c": [True, False, None, True], "d": ["x", "y", "x", "y"],
        "e": [0.1, math.nan, 5.0, 100.0], "y": [0, 1, 0, 1],
    })  # fmt: skip
    columns = (
        Number("a", 0.3, 1.7, False, 9.0, True), Number("b", 2.5, 0.7), Number("c", 0.5, 0.5, False, 0.25),
        Number("e", 0.0, 2.0, True, 1.0, True), Number("gone", 1.0, 3.0, False, 4.0, True),
    )  # fmt: skip
    X, _, _ = Schema(columns, "y", target_kind="integer").transform(frame)
    blocks = [c.features(frame[c.name]) if c.name in frame.columns else c.absent(4) for c in columns]
    assert X.flags.c_contiguous and X.tobytes() == np.ascontiguousarray(np.hstack(blocks)).tobytes()


def test_a_number_that_is_not_finite_is_refused_by_its_place():
    frame = pl.DataFrame({"a": [1.0, 2.0, math.inf], "y": [0, 1, 0]})
    with pytest.raises(DataError, match=r"column 'a': expected a finite number, got 'inf'"):
        Schema((Number("a"),), "y", target_kind="integer").transform(frame)


def test_a_column_whose_type_changes_between_batches_is_still_one_column():
    frames = [pl.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}), pl.DataFrame({"a": ["3", "4"], "y": [0, 1]})]
    assert isinstance(infer_schema(frames, "y").columns[0], Number)
