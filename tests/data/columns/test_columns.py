"""Columns become features: what is decided, that counts are exact in any grouping, and what new tables get."""

import json
import math
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linsep import open_dataset
from linsep.data.columns import Schema, infer_schema
from linsep.data.columns.exact_sum import Moments
from linsep.data.columns.kinds import KINDS, Category
from linsep.data.errors import DataError

N = 60


def table(n=N, **more):
    """A table of all kinds of columns."""
    rng = np.random.RandomState(n)
    days = [f"20{10 + k % 12}-0{1 + k % 9}-1{k % 10}" for k in range(n)]
    columns = {
        "row": list(range(1, 1 + n)),
        "size": [None if k % 7 == 3 else float(x) for k, x in enumerate(rng.normal(50, 10, n))],
        "money": [float(x) for x in np.append(rng.uniform(1, 2, n - 1), 1e4)],
        "flag": [k % 3 == 0 for k in range(n)],
        "answer": [("yes", "No")[k % 2] for k in range(n)],
        "city": [["Praha", "Brno", "Zlín"][k % 3] if k > 2 else f"ves{k}" for k in range(n)],
        "day": days,
        "same": [7] * n,
        "empty": [None] * n,
        "nick": [f"nick{k}" for k in range(n)],
        "note": [" ".join(rng.choice(["good", "bad", "late", "call", "thanks"], 5)) + f" {k}" for k in range(n)],
        "y": [("a", "b")[int(x > 0)] for x in rng.normal(size=n)],
    }
    return pl.DataFrame({**columns, **more})


def uses(schema):
    return {column.name: column.use for column in schema.columns}


def test_what_an_analyst_would_decide():
    schema = infer_schema([table()], "y", uses={"note": "text"})
    assert uses(schema) == {
        "row": "ignore", "size": "number", "money": "number", "flag": "boolean", "answer": "boolean",
        "city": "category", "day": "date", "same": "ignore", "empty": "ignore", "nick": "ignore", "note": "text",
    }  # fmt: skip
    columns = {column.name: column for column in schema.columns}
    assert columns["size"].indicator and columns["money"].log and not columns["money"].indicator
    assert columns["city"] == Category("city", ("Brno", "Praha", "Zlín"), other=True, missing=False)
    assert columns["day"].periods == ("year", "week") and columns["answer"].yes == "yes"
    said = " ".join(schema.noticed)
    assert all(word in said for word in ("row: it numbers", "money: a long tail", "city: 3 rare", "same:", "nick:"))


def test_numbers_are_centred_and_scaled_and_missing_ones_have_an_indicator():
    found = table()
    X, y, weight = infer_schema([found.select("size", "y")], "y").transform(found)
    size = found["size"].to_numpy().astype(float)
    there = ~np.isnan(size)
    assert weight is None and X.flags.c_contiguous and y.dtype.kind == "U"
    np.testing.assert_allclose(X[there, 0], (size[there] - size[there].mean()) / size[there].std(), atol=1e-4)
    assert (X[~there, 0] == 0).all() and (X[:, 1] == ~there).all()


def test_a_schema_is_json_and_back():
    schema = infer_schema([table()], "y", uses={"note": "text", "nick": "hashed"})
    again = Schema.from_dict(json.loads(json.dumps(schema.as_dict())))
    assert again == schema
    one, other = schema.transform(table(40)), again.transform(table(40))
    assert sp.issparse(one[0]) == schema.sparse and (one[0] != other[0]).sum() == 0


@cache
def infer_whole():
    return infer_schema([table()], "y", uses={"note": "text"}).as_dict()


@given(st.lists(st.integers(1, N - 1), max_size=5))
def test_counts_are_the_same_in_any_grouping(cuts):
    edges = sorted({0, N, *cuts})
    parts = [table()[a:b] for a, b in pairwise(edges)]
    assert infer_schema(parts, "y", uses={"note": "text"}).as_dict() == infer_whole()


@given(st.lists(st.floats(-1e150, 1e150, allow_nan=False), max_size=30), st.integers(0, 30))
def test_sums_have_no_rounding(values, cut):
    a, b = Moments.of(np.array(values[:cut], dtype=float)), Moments.of(np.array(values[cut:], dtype=float))
    a.merge(b)
    assert Fraction(a.total, 1 << 1074) == sum(map(Fraction, values))
    assert Fraction(a.squares, 1 << 2148) == sum(Fraction(x) ** 2 for x in values)


def test_deviation_where_the_mean_is_large():
    x = 1e12 + np.arange(1000.0)
    assert math.isclose(Moments.of(x).deviation, np.arange(1000.0).std(), rel_tol=1e-12)


def test_a_table_in_another_order_with_unknown_levels_and_without_a_column():
    found = table()
    schema = infer_schema([found], "y", uses={"note": "ignore"})
    names = list(schema.feature_names)
    shuffled = found.select(reversed(found.columns))
    np.testing.assert_array_equal(schema.transform(shuffled)[0], schema.transform(found)[0])
    odd = found.with_columns(pl.lit("Atlantis").alias("city"))
    assert (schema.transform(odd)[0][:, names.index("city=(other)")] == 1).all()
    assert schema.missing_columns(found.drop("size").columns) == ["size"]
    X = schema.transform(found.drop("size", "y"))[0]
    assert (X[:, names.index("size is missing")] == 1).all() and (X[:, names.index("size")] == 0).all()
    with pytest.raises(DataError, match="expected the column"):
        schema.transform(pl.DataFrame({"z": [1]}))


def test_unknown_levels_have_no_feature_where_none_was_rare():
    found = pl.DataFrame({"c": ["u", "v"] * 10, "y": [0, 1] * 10})
    schema = infer_schema([found], "y")
    X = schema.transform(pl.DataFrame({"c": ["u", "w", None]}))[0]
    assert X.tolist() == [[1, 0], [0, 0], [0, 0]]


def test_twins_leaks_and_gaps_are_noticed():
    label = ["b" if k % 5 < 2 else "a" for k in range(N)]
    leak = [10.0 + k / N if each == "b" else k / N for k, each in enumerate(label)]
    gaps = [None if each == "b" and k % 3 == 0 else float(k % 11) for k, each in enumerate(label)]
    found = table().with_columns(
        pl.Series("y", label), twin=pl.col("size"), leak=pl.Series(leak), gaps=pl.Series(gaps),
        word=pl.Series([{"a": "out", "b": "in"}[each] for each in label]),
    )  # fmt: skip
    schema = infer_schema([found], "y", uses={"note": "ignore"})
    said = "\n".join(schema.noticed)
    assert "twin: equal to size" in said and uses(schema)["twin"] == "ignore"
    assert "leak: alone tells 'y'" in said and "word: alone tells 'y'" in said
    assert "gaps: missing in rows of one class only" in said
    assert "size: alone" not in said and "city: alone" not in said


def test_words_among_numbers_count_as_missing_if_they_are_few():
    cells = [str(k) for k in range(50)] + ["unknown", "unknown"]
    found = pl.DataFrame({"x": [*cells[::-1]], "y": [0, 1] * 26})
    schema = infer_schema([found], "y")
    assert schema.columns[0].marks == ("unknown",) and "x: numbers, but for 2 cells" in schema.noticed[0]
    assert schema.transform(found)[0][:2].tolist() == [[0.0, 1.0]] * 2
    with pytest.raises(DataError, match=r"column 'x': expected a finite number, got 'many'"):
        schema.transform(pl.DataFrame({"x": ["1", "many"]}))


def test_many_words_are_hashed_and_the_features_stay_the_same():
    words = [f"w{k % 300}" for k in range(900)]
    found = pl.DataFrame({"x": words, "y": [0, 1, 1] * 300})
    schema = infer_schema([found], "y", uses={"x": "hashed"})
    X = schema.transform(found)[0]
    assert sp.issparse(X) and X.shape == (900, 512) and (X.sum(axis=1) == 1).all()
    assert (X[:300] != X[300:600]).nnz == 0
    unseen = schema.transform(pl.DataFrame({"x": ["never met", None]}))[0]
    assert unseen.sum() == 1


def test_text_is_scikit_learns_tf_idf_of_hashed_words():
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    found = table()
    schema = infer_schema([found.select("note", "y")], "y", uses={"note": "text"})
    counts = HashingVectorizer(n_features=1 << 13, alternate_sign=False, norm=None).transform(found["note"].to_list())
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(counts)[:, list(schema.columns[0].buckets)]
    assert {"note~good", "note~late", "note~thanks"} <= set(schema.feature_names)
    X = schema.transform(found)[0]
    np.testing.assert_allclose(X.toarray() if sp.issparse(X) else X, expected.toarray(), atol=1e-12)


@pytest.mark.parametrize(
    ("labels", "kind", "dtype"),
    [([0, 1] * 5, "integer", "i"), (["u", "v"] * 5, "word", "U"), ([True, False] * 5, "boolean", "b"),
     ([0.0, 1.0] * 5, "integer", "i"), ([0.5, 1.0] * 5, "number", "f"), (["0", "1"] * 5, "integer", "i")],
)  # fmt: skip
def test_labels_keep_their_kind(labels, kind, dtype):
    found = pl.DataFrame({"x": range(10), "y": labels})
    schema = infer_schema([found], "y")
    assert schema.target_kind == kind and schema.transform(found)[1].dtype.kind == dtype
    with pytest.raises(DataError, match="expected a label"):
        schema.transform(pl.DataFrame({"x": [1.0], "y": [None]}))


@pytest.mark.parametrize(
    "change", [{"version": 2}, {"format": "x"}, {"columns": 3}, {"target": 1}, {"target_kind": "odd"}]
)
def test_a_schema_of_another_format_is_refused(change):
    plain = {**infer_schema([table()], "y", uses={"note": "ignore"}).as_dict(), **change}
    with pytest.raises(DataError, match="schema:"):
        Schema.from_dict(plain)


@pytest.mark.parametrize(
    "column",
    [
        {},
        {"use": "magic"},
        {"use": "number", "scale": 0},
        {"use": "number", "scale": "1"},
        {"use": "number", "z": 1},
        {"use": "hashed", "buckets": 1 << 40},
        {"use": "text", "rows": 1, "buckets": [1], "documents": []},
        {"use": "boolean", "yes": "x"},
        {"use": "date", "form": "%x"},
        {"use": "category", "levels": ["u", "u"]},
    ],
)
def test_a_column_that_cannot_be_used_is_refused(column):
    plain = {"format": "linsep schema", "version": 1, "columns": [{"name": "a", **column}]}
    with pytest.raises(DataError, match="schema:"):
        Schema.from_dict(plain)


@pytest.mark.parametrize("use", sorted(set(KINDS) - {"ignore"}))
def test_any_use_can_be_asked_of_any_column(use):
    """Whether it makes sense or not: features, or an error in one sentence."""
    found = table()
    for name in found.columns[:-1]:
        schema = infer_schema([found.select(name, "y")], "y", uses={name: use})
        with suppress(DataError):
            assert schema.transform(found)[0].shape == (N, schema.n_features)


def test_numbers_may_be_levels_and_5_is_5_0():
    found = pl.DataFrame({"x": [1, 2, 5] * 10, "y": [0, 1] * 15})
    schema = infer_schema([found], "y", uses={"x": "category"})
    assert schema.feature_names == ("x=1", "x=2", "x=5")
    X = schema.transform(pl.DataFrame({"x": [5.0, 2.0, None, 7.5]}))[0]
    assert X.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_table_with_too_many_columns_is_refused(monkeypatch):
    monkeypatch.setattr("linsep.data.columns.schema.MOST_COLUMNS", 11)
    with pytest.raises(DataError, match="a table may have 11 columns, got 12"):
        infer_schema([table()], "y")


@pytest.mark.parametrize("name", ["wide.csv", "wide.jsonl"])
def test_a_file_with_too_many_columns_is_refused_before_its_rows_are_read(name, tmp_path):
    row = {f"c{k}": 1 for k in range(50_001)}
    rows = [",".join(row), "ragged"] if name == "wide.csv" else [json.dumps(row), "no object"]
    (tmp_path / name).write_text("\n".join(rows))
    with pytest.raises(DataError, match="a table may have 50000 columns, got 50001"):
        open_dataset(tmp_path / name, "c0", cache=False)


@pytest.mark.parametrize("cell", ["{},5", "${}.50", "{} %", "1'{}00", "€ {}"])
def test_amounts_are_mentioned(cell):
    frame = pl.DataFrame({"price": [cell.format(k) for k in range(30)], "y": [k % 2 for k in range(30)]})
    assert f"price: amounts such as {cell.format(0)!r} are taken for words" in " ".join(
        infer_schema([frame], "y").noticed
    )


def test_times_that_end_in_z_are_dates():
    cells = [f"2026-01-{k % 28 + 1:02d}T12:30:00Z" for k in range(40)]
    frame = pl.DataFrame({"when": cells, "y": [k % 2 for k in range(40)]})
    schema = infer_schema([frame], "y")
    assert schema.columns[0].use == "date"
    plain = frame.with_columns(pl.col("when").str.strip_chars("Z"))
    np.testing.assert_array_equal(schema.transform(frame)[0], infer_schema([plain], "y").transform(plain)[0])


@pytest.mark.parametrize("cell", ["{:02d}.01.2026", "word {}", "{}"])
def test_gaps_of_one_class_are_mentioned(cell):
    y = [k % 3 == 0 for k in range(60)]
    cells = [cell.format(k % 4 + 1) if k % 3 == 0 or k % 2 else None for k in range(60)]
    said = " ".join(infer_schema([pl.DataFrame({"left_on": cells, "y": y})], "y").noticed)
    assert "left_on: missing in rows of one class only" in said
    cells[0] = None
    assert "one class only" not in " ".join(infer_schema([pl.DataFrame({"left_on": cells, "y": y})], "y").noticed)


def test_classes_that_may_be_one_are_mentioned():
    def said(*labels):
        return " ".join(infer_schema([pl.DataFrame({"x": list(range(len(labels))), "y": labels})], "y").noticed)

    assert "y: 'Yes' and 'yes' are different classes." in said("Yes", "yes", "no")
    assert "y: the classes are numbers and words ('0', '1', 'no')" in said("0", "1", "no")
    assert "y:" not in said("yes", "no", "maybe") + said("0", "1", "2")


def test_numbers_with_commas_are_mentioned():
    cells = [f"{k},200" if k % 2 else str(k) for k in range(1, 31)]
    frame = pl.DataFrame({"price": cells, "y": [k % 2 for k in range(30)]})
    said = " ".join(infer_schema([frame], "y").noticed)
    assert "price: amounts such as '1,200' are taken for words" in said
    words = pl.DataFrame({"price": [*cells[:-1], "free"], "y": frame["y"]})
    assert "amounts" not in " ".join(infer_schema([words], "y").noticed)
