"""Exports decide as `predict` does: 10,000 rows of mixed types with missing cells; a difference stops the export."""

import ctypes
import json
import math
import shutil
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32
from stages import examples

import linsep
from linsep import exporting
from linsep.cli.app import run
from linsep.data.columns import Schema, cells, infer_schema
from linsep.data.columns.kinds import Date, Number, Text
from linsep.exporting import c_file, evaluate, export, sql_query
from linsep.exporting.compare import compare, make_rows, near_ties, transform
from linsep.exporting.rule import make_rule

ROWS = 10_000
needs_c = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")


def make_table(rows=ROWS, classes=3, seed=0):
    """All kinds of columns, with missing cells, words with quotes and accents, dates with times."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)

    def gaps(values, share=0.07):
        return [None if gap else v for v, gap in zip(values, rng.uniform(size=rows) < share)]

    first = np.datetime64("2015-01-01")
    clock = np.datetime64("2020-01-01T00:00:00")
    return pl.DataFrame(
        {
            "size": gaps((rng.normal(size=rows) + y).round(3).tolist()),
            "amount": gaps(np.exp(rng.normal(size=rows) * 2 + 0.3 * y).round(2).tolist()),
            'it "is"': gaps(np.array(["yes", "No"])[(rng.uniform(size=rows) < 0.3 + 0.2 * y).astype(int)].tolist()),
            "plan": gaps(
                np.array(["basic", "it's", "říše", "x y", 'a"b?'])[(rng.integers(0, 3, rows) + y) % 5].tolist()
            ),
            "code": rng.integers(1, 6, rows).tolist(),
            "day": gaps([str(first + int(k)) for k in rng.integers(0, 3000, rows) + y * 100]),
            "at": gaps([str(clock + int(k)).replace("T", " ") for k in rng.integers(0, 10**8, rows)]),
            "street": gaps([f"ulice č. {k}" for k in rng.integers(0, 2000, rows)]),
            "note": gaps([f"the {k % 13} line, is slow{'!' * (k % 3)} Ö{k % 7}k" for k in rng.integers(0, 999, rows)]),
            "kind": np.array(["a", "b", "c"])[y].tolist(),
        }
    )


USES = {"code": "category", "street": "hashed", "note": "text"}
HOLDS = {  # which columns a kind can't hold
    "json": (), "python": (), "c": ("note",), "sql": ("note", "street"), "onnx": ("note", "street"),
}  # fmt: skip


@pytest.fixture(scope="module")
def models():
    """For each kind of export and 2 or 3 classes: a model, its schema, the rows, and what it decides."""
    found = {}
    for classes in (2, 3):
        whole = make_table(classes=classes)
        for left_out in set(HOLDS.values()):
            table = whole.drop(left_out)
            uses = {name: use for name, use in USES.items() if name in table.columns}
            schema = infer_schema([table], "kind", uses=uses)
            X, y, _ = schema.transform(table)
            model = linsep.LeastSquares(alpha=1.0).fit(X, y)
            found[classes, left_out] = model, schema, table, model.predict(X)
    return found


def run_duckdb(query, rule, frame):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:

        def insert(statement, rows):
            names = [f"c{k}" for k in range(len(rows[0]))]
            columns = list(zip(*rows, strict=True))
            given = pl.DataFrame(dict(zip(names, columns, strict=True)), infer_schema_length=None)
            database.register("given", given.to_arrow())
            database.execute(statement[: statement.index("VALUES")] + "SELECT * FROM given")

        return sql_query.run_query(query, rule, frame, database.execute, insert)


@pytest.mark.parametrize("classes", [pytest.param(2, marks=pytest.mark.long), 3])
@pytest.mark.parametrize("kind", ["json", "python", pytest.param("c", marks=needs_c), "sql", "duckdb", "onnx"])
def test_same_decisions_on_ten_thousand_rows(models, kind, classes):
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
    form = "sql" if kind == "duckdb" else kind
    model, schema, table, expected = models[classes, HOLDS[form]]
    rule = make_rule(model, schema)
    made = export(model, schema, form, check=False)
    if kind == "duckdb":
        got = run_duckdb(made.content.decode(), rule, table)
    else:
        writers = {"json": exporting._run_json, "python": exporting._run_python}
        with ExitStack() as stack:
            opened = (writers.get(kind) or exporting._other(kind)[1])(made.content, rule)
            got = stack.enter_context(opened)(table)
    assert len(got) == ROWS and len({*got}) == classes
    assert [k for k, (a, b) in enumerate(zip(expected.tolist(), got)) if a != b] == []
    assert near_ties(model, transform(schema, table)).sum() == 0


@pytest.mark.parametrize("kind", ["json", "python", pytest.param("c", marks=needs_c), "sql", "onnx"])
@pytest.mark.parametrize("classes", [2, 3])
def test_names_of_columns_that_mean_something_in_the_file(kind, classes):
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 200)
    names = ["/* a */ b; /*/", "line\nbreak; --", "Prediction", "score", "LINSEP_G0", "back\\slash\\", "%s {0} ??/"]
    table = pl.DataFrame({each: rng.normal(size=200) + y for each in names} | {"y": np.array(["*/", "it's", '"'])[y]})
    schema = infer_schema([table], "y")
    X, labels, _ = schema.transform(table)
    made = export(linsep.LeastSquares(alpha=1.0).fit(X, labels), schema, kind, frames=[table])
    assert made.comparison.rows == 1200 and not made.comparison.differences


@pytest.mark.parametrize("kind", ["c", "sql", "onnx"])
def test_columns_that_a_kind_cannot_hold_are_named(models, kind):
    model, schema, *_ = models[2, ()]
    with pytest.raises(ValueError, match=r"column '(note|street)'"):
        export(model, schema, kind)


@pytest.mark.parametrize("kind", ["json", "python", pytest.param("c", marks=needs_c), "sql", "onnx"])
def test_an_export_that_decides_otherwise_is_refused(models, kind, monkeypatch):
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
    model, schema, table, _ = models[2, HOLDS[kind]]
    assert "same decisions" in str(export(model, schema, kind, [table.head(500)]).comparison)

    def wrong(model, schema):
        rule = make_rule(model, schema)
        rule["columns"][0]["weights"][0][0] *= -1
        return rule

    monkeypatch.setattr(exporting, "make_rule", wrong)
    with pytest.raises(ValueError, match="decisions differ"):
        export(model, schema, kind)


def test_near_ties_are_counted_and_not_compared():
    schema = Schema((Number("a"), Number("b")))
    model = linsep.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["o", "x"])
    model.coef_, model.intercept_ = np.array([[1.0, -1.0]]), np.zeros(1)
    frame = pl.DataFrame({"a": [0.1, 1.0, 0.3], "b": [0.1, 2.0, 0.2]})
    found = compare(model, schema, lambda frame: ["x", "o", "x"], [frame], 0)
    assert (found.near_ties, found.differences) == (1, 0) and "both answers are right" in str(found)
    found = compare(model, schema, lambda frame: ["x", "x", "x"], [frame], 0)
    assert found.differences == 1 and "expected 'o', got 'x'" in str(found)


# --- cells -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """C functions g of one cell: a number as it is, and the days of a date."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    found = {}
    for column in (Number("x"), Date("x", "%Y-%m-%d"), Date("x", "%Y-%m-%d %H:%M:%S")):
        model = linsep.Perceptron().fit([[0.0], [1.0]], [0, 1])
        model.coef_, model.intercept_ = np.array([[1.0]]), np.zeros(1)
        path = tmp_path_factory.mktemp("c")
        (path / "rule.c").write_bytes(c_file.write(make_rule(model, Schema((column,)))))
        flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
        subprocess.run(["cc", *flags, "-shared", "-fPIC", "rule.c", "-o", "rule.so", "-lm"], cwd=path, check=True)
        decide = ctypes.CDLL(str(path / "rule.so")).linsep_decide

        def score(said, decide=decide):
            g = (ctypes.c_double * 1)()
            k = decide((ctypes.c_char_p * 1)(said.encode()), g)
            return g[0] if k >= 0 else None

        found[getattr(column, "form", "number")] = score
    return found


def by_polars(column, said):
    """The value of a cell as `predict` reads it; None: refused."""
    from linsep.data import DataError

    try:
        return float(column.features(pl.Series("x", [said], dtype=pl.String))[0, 0])
    except DataError:
        return None


def by_python(column, said):
    plain = {**column.as_dict(), "marks": []}
    try:
        return evaluate.FEATURES[column.use](said, plain)[0][1]
    except evaluate.BadCell:
        return None


NUMBERS = st.one_of(
    st.text(alphabet="0123456789+-.eE \t\u00a0", max_size=8),
    st.floats().map(repr),
    st.sampled_from(
        ["NA", "?", "", "inf", "nan", "Infinity", "0x10", "1_0", "1e400", "-0", "٣", " 7\u2003", "1e", "--"]
    ),
)


@examples(400)
@given(said=NUMBERS)
def test_numbers_are_read_as_predict_reads_them(compiled, said):
    column = Number("x")
    expected = by_polars(column, said)
    assert by_python(column, said) == expected
    if "\0" not in said:
        assert compiled["number"](said) == expected


DIGITS = st.integers(0, 70).map(lambda k: f"{k:02d}") | st.integers(0, 9).map(str)
YEARS = st.integers(0, 9999).map(lambda y: f"{y:04d}") | st.sampled_from(["24", "+2024", "2024", "1900", "2000"])


@examples(300)
@given(
    year=YEARS,
    parts=st.tuples(*[DIGITS] * 5),
    between=st.sampled_from([" ", "  ", "T", ""]),
    end=st.sampled_from(["", " ", "x"]),
)
def test_dates_are_read_as_predict_reads_them(compiled, year, parts, between, end):
    month, day, *clock = parts
    for form, said in (
        ("%Y-%m-%d", f"{year}-{month}-{day}{end}"),
        ("%Y-%m-%d %H:%M:%S", f"{year}-{month}-{day}{between}{':'.join(clock)}{end}"),
    ):
        column = Date("x", form)
        expected = by_polars(column, said)
        assert by_python(column, said) == expected, said
        assert compiled[form](said) == expected, said


@examples(300)
@given(said=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20))
def test_words_are_hashed_as_predict_hashes_them(said):
    assert evaluate.murmur(said) == murmurhash3_32(said, seed=0, positive=True)
    text = Text("x", 100, tuple(range(8192)), (3,) * 8192)
    expected = text.features(pl.Series("x", [said])).toarray()[0]
    got = np.zeros(8192)
    for place, value in evaluate.of_text(said, {**text.as_dict(), "marks": []}):
        got[place] = value
    assert np.abs(got - expected).max() < 1e-15


def test_the_words_for_missing_cells_and_the_rule_are_the_librarys():
    assert evaluate.MISSING == cells.MISSING
    assert all(evaluate.word(mark, {}) is None for mark in cells.MISSING)
    schema = infer_schema([make_table(500)], "kind", uses=USES)
    made = make_rows(schema, 300)
    assert made.height == 300 and made.null_count().sum_horizontal()[0] > 100
    for cell, said in ((5.0, "5"), (1e-7, "1e-7"), (True, "true"), (math.nan, None), (" NA ", None), (1e20, "1e+20")):
        column = pl.Series("x", [cell])
        assert evaluate.word(cell, {}) == cells.words(column)[0] == said


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_table(600).drop("street").write_csv(tmp_path / "t.csv")
    arguments = ["-t", "kind", "--text", "note", "--rule", "least-squares", "-q"]
    assert run(["fit", "t.csv", *arguments, "-o", "m.linsep"]) == 0
    assert (
        run(["fit", "t.csv", "-t", "kind", "--ignore", "note", "--rule", "least-squares", "-q", "-o", "n.linsep"]) == 0
    )
    return tmp_path


def test_the_python_file_runs_with_the_standard_library_alone(folder, capsys):
    assert run(["export", "m.linsep", "-o", "rule.py", "--data", "t.csv"]) == 0
    assert "600 of your rows and 1000 made-up rows" in " ".join(capsys.readouterr().out.split())
    done = subprocess.run([sys.executable, "-I", "-S", "rule.py", "t.csv"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    assert run(["predict", "m.linsep", "t.csv", "-o", "d.csv", "-q"]) == 0
    lines = [line.split(",") for line in done.stdout.splitlines()[1:]]
    expected = [line.split(",") for line in (folder / "d.csv").read_text().splitlines()[1:]]
    assert [label for label, _ in lines] == [label for label, _ in expected]
    assert [float(g) for _, g in lines] == pytest.approx([float(g) for _, g in expected], abs=1e-12)
    (folder / "bad.csv").write_text("size\nmany\n")
    done = subprocess.run([sys.executable, "-I", "-S", "rule.py", "bad.csv"], capture_output=True, text=True)
    assert done.returncode == 1 and "bad.csv: row 1: size: expected a finite number" in done.stderr


def test_nothing_is_written_if_a_decision_differs(folder, capsys, monkeypatch):
    def wrong(model, schema):
        rule = make_rule(model, schema)
        rule["intercept"] = [value + 5.0 * k for k, value in enumerate(rule["intercept"])]
        return rule

    monkeypatch.setattr(exporting, "make_rule", wrong)
    assert run(["export", "m.linsep", "-o", "rule.py"]) == 3
    assert "decisions differ" in capsys.readouterr().err and not (folder / "rule.py").exists()
    assert run(["export", "m.linsep", "-o", "rule.py", "--unchecked"]) == 0
    assert "Not compared" in capsys.readouterr().out


def test_the_kind_is_the_ending_or_asked_for(folder, capsys):
    assert run(["export", "n.linsep", "--to", "sql"]) == 0
    assert capsys.readouterr().out.startswith("-- A linear rule")
    assert run(["export", "m.linsep", "--to", "json", "-o", "rule.txt", "-q"]) == 0
    found = json.loads((folder / "rule.txt").read_text())
    assert found["format"] == "linsep rule" and found["classes"] == ["a", "b", "c"]
    for arguments in (["m.linsep"], ["m.linsep", "-o", "rule.doc"], ["m.linsep", "--to", "onnx"]):
        assert run(["export", *arguments]) == 2
    assert run(["export", "m.linsep", "-o", "rule.sql"]) == 3
    assert "column 'note'" in capsys.readouterr().err and not (folder / "rule.sql").exists()


def test_rows_of_numbers_and_models_from_python(folder):
    rows = [f"{1 if k % 3 else -1} 1:{k / 2} 2:{k * k % 7 + 1}" for k in range(40)]
    (folder / "t.svm").write_text("\n".join(rows) + "\n")
    assert run(["fit", "t.svm", "--rule", "least-squares", "-o", "s.linsep", "-q"]) == 0
    assert run(["export", "s.linsep", "-o", "rule.py", "-q"]) == 0
    frame = pl.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 0.0]}).to_pandas()
    linsep.Perceptron().fit(frame, [True, False, False]).save(folder / "p.linsep")
    for ending in ("py", "sql", "json"):
        assert run(["export", "p.linsep", "-o", f"p.{ending}", "-q"]) == 0


def test_rules_that_are_not_linear_are_refused(folder, capsys):
    X, y = np.random.RandomState(0).normal(size=(60, 3)), np.arange(60) % 3
    with pytest.raises(ValueError, match=r"votes|one function per class"):
        make_rule(linsep.OneVsOne(linsep.Perceptron()).fit(X, y), Schema(tuple(Number(c) for c in "abc")))


# --- products of features --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[2, 3])
def lifted(request):
    """A lifted rule of 2 or 3 classes, its schema and its rows, which have missing cells."""
    table = make_table(2000, classes=request.param).drop("note", "street")
    schema = infer_schema([table], "kind", uses={"code": "category"})
    X, y, _ = schema.transform(table)
    return linsep.Lifted(linsep.Polynomial(2), linsep.LeastSquares()).fit(X, y), schema, table


@pytest.mark.parametrize("kind", ["json", "python", pytest.param("c", marks=needs_c), "sql", "onnx"])
def test_lifted_rules_decide_alike(kind, lifted):
    model, schema, table = lifted
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
    made = export(model, schema, kind, [table], made_up=500)
    assert made.comparison.rows == 2500 and made.comparison.near_ties < 5
    X, _, _ = schema.transform(table)
    assert len(set(model.predict(X).tolist())) == len(model.classes_)


def test_lifted_rules_decide_alike_in_duckdb(lifted):
    duckdb = pytest.importorskip("duckdb")
    model, schema, table = lifted
    query = export(model, schema, "sql", check=False).content.decode()
    data = table.head(500)  # noqa: F841 - the table of the query
    found = duckdb.sql(query).pl()["prediction"].to_list()
    assert found == model.predict(transform(schema, table.head(500))).tolist()


def test_a_product_by_hand():
    """g = 1 + 10 ((f0 - 1) / 2 * (f1 - 0) / 1 - 3) / 5 at f = (5, 4): 1 + 10 (8 - 3) / 5 = 11."""
    lift = {"centre": [1.0, 0.0], "scale": [2.0, 1.0], "intercept": [1.0], "products": [[[0, 1], 3.0, 5.0, [10.0]]]}
    assert evaluate.lifted([5.0, 4.0], lift) == [11.0]


def test_other_lifts_are_refused():
    X, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]), [1, 0, 0, 0, 1]
    rule = linsep.Lifted(linsep.Functions([np.cos]), linsep.LeastSquares()).fit(X, y)
    with pytest.raises(ValueError, match="products of features, got Functions"):
        export(rule, Schema((Number("x"),)), "json")
