"""Files as they come: wrong ones are refused in one sentence with their place, unusual ones are read."""

import gzip
import io
import pickle
import sys

import numpy as np
import polars
import pytest
import scipy.sparse as sp
from files import plain, write
from sklearn.datasets import load_svmlight_file

import linsep
from linsep.data import DataError
from linsep.data.open import parse_size


def opened(path, target="y", **options):
    return linsep.open_dataset(path, target, **{"cache": False, **options})


def saved(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


WRONG = {
    "short row": ("a,b,y\n1,2,u\n3,4\n", "line 3: expected 3 cells as in the header, got 2"),
    "long row": ("a,b,y\n1,2,u\n3,4,v,5\n", "line 3: expected 3 cells as in the header, got 4"),
    "short row after quotes": ('a,b,y\n1,2,"u"\n"3",4\n', "line 3: expected 3 cells"),
    "short row after a cell of two lines": ('a,b,y\n1,2,"u\nu"\n3,4\n', "line 4: expected 3 cells"),
    "quote not closed": ('a,b,y\n1,2,u\n1,2,"u\n3,4,v\n', "line 3: a quote is opened and not closed"),
    "Latin 1": (b"a,b,y\n1,2,x\n1,2,\xe9\n", "line 3, column 5: expected UTF-8, got the byte 0xe9. Convert it"),
    "UTF-16": ("a,b,y\n1,2,u\n".encode("utf-16"), "line 1, column 1: expected UTF-8, got UTF-16. Convert it"),
    "empty": ("", "the file is empty. Expected a line with the names"),
    "blank": ("\n\n", "line 1: expected the names of the columns, got an empty line"),
    "header only": ("a,b,y\n", "expected rows, found none"),
    "a name twice": ("a,b,a,y\n1,2,3,4\n", "line 1, column 'a': two columns have this name. Rename one"),
    "no names": ("1,2,3\n4,5,6\n", "line 1: expected the names of the columns, got numbers. Add a line"),
    "no target": ("a,b,yy\n1,2,u\n", "there is no column 'y'. Do you mean 'yy'?"),
    "no label": ("a,b,y\n1,2,u\n3,4,\n", "row 2: expected a label, got ''. Give the row one"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_csv_is_refused_with_its_place(tmp_path, name):
    text, message = WRONG[name]
    path = saved(tmp_path, text)
    with pytest.raises(DataError) as error:
        opened(path)
    assert message in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


def test_unusual_csv_is_read(tmp_path):
    text = '\ufeffa,b,y\r\n1, 2,"u\nv"\r\n\r\n-3,NA,"w""w"\r\n'
    rows = opened(saved(tmp_path, text), schema=plain("ab")).to_arrays()
    assert np.isnan(rows.X[1, 1]) and rows.X[[0, 0, 1], [0, 1, 0]].tolist() == [1, 2, -3]
    assert [label.replace("\r", "") for label in rows.y] == ["u\nv", 'w"w']
    assert opened(saved(tmp_path, "a;y\n1;u\n2;v\n"), separator=";", schema=plain("a")).rows.X.tolist() == [[1], [2]]
    with pytest.raises(DataError, match="separator: expected one character"):
        opened(tmp_path / "data.csv", separator="::")
    assert opened(saved(tmp_path, "a,y\n1,u\n2,v")).rows.y.tolist() == ["u", "v"]  # no newline at the end


@pytest.mark.parametrize("last", ["1.5,2,v", "1,,v", "1e3,7.25,v"])
def test_types_that_change_late_are_found_and_nothing_is_lost(tmp_path, last):
    text = "a,b,y\n" + "1,2,u\n" * 40_000 + last + "\n" + "5,6,w\n" * 40_000
    rows = opened(saved(tmp_path, text), memory="1MB", schema=plain("ab")).rows
    a, b, label = last.split(",")
    assert rows.X.shape == (80_001, 2) and rows.y[40_000] == label and rows.X[-1].tolist() == [5, 6]
    np.testing.assert_array_equal(rows.X[40_000], [float(a), float(b or "nan")])


def test_a_late_short_row_has_its_line(tmp_path):
    text = "a,b,y\n" + "1,2,u\n" * 40_000 + "3,4\n" + "5,6,w\n" * 10
    with pytest.raises(DataError, match="line 40002: expected 3 cells"):
        opened(saved(tmp_path, text), memory="1MB")


def test_files_of_other_columns_are_refused(tmp_path):
    first, second = saved(tmp_path, "a,b,y\n1,2,u\n", "1.csv"), saved(tmp_path, "b,y,a\n2,v,1\n", "2.csv")
    assert opened([first, second], schema=plain("ab")).rows.X.tolist() == [[1, 2], [1, 2]]  # in any order
    saved(tmp_path, "a,c,y\n1,2,u\n", "2.csv")
    with pytest.raises(DataError, match=r"2\.csv, line 1, column 'b': the files before have this column"):
        opened(tmp_path / "*.csv")


SVMLIGHT = {
    "no label": ("1 1:2\nx 1:2\n", "line 2, column 1: expected a number as label"),
    "a label is missing": ("1 1:2\n1:2 2:3\n", "line 2, column 1: expected a number as label"),
    "several labels": ("1,2 1:2\n", "expected one label per row, got several: '1,2'"),
    "no colon": ("1 1:2 3\n", "line 1, column 7: expected index:value, got '3'"),
    "no value": ("1 1:2 3:x\n", "line 1, column 9: expected a number, got 'x'"),
    "nothing behind the colon": ("1 1:2 3: 4:5\n", "column 9: expected a number"),
    "falling": ("1 1:2 5:3 4:1\n", "line 1, column 11: expected indices in rising order"),
    "twice": ("1 1:2 1:3\n", "expected indices in rising order"),
    "too large": ("1 99999999999999999999999:2\n", "expected an index below 2147483648"),
    "negative": ("1 -1:2\n", "expected index:value, got '-1:2'"),
    "NaN": ("1 1:nan\n", "expected a number, got 'nan'"),
    "empty": ("# nothing\n\n", "expected rows, found none"),
}


@pytest.mark.parametrize("name", SVMLIGHT)
def test_wrong_svmlight_is_refused_with_its_place(tmp_path, name):
    text, message = SVMLIGHT[name]
    with pytest.raises(DataError) as error:
        opened(saved(tmp_path, text, "data.svm"))
    assert message in str(error.value)


def test_svmlight_is_read_as_scikit_learn_does(tmp_path):
    text = "# a comment\n+1 2:0.5 7:-1e-3 # end\n\n-1.0 qid:3 1:.25 2:123456789012345678901234567890\r\n3\n2e0\t4:1e400"
    path = saved(tmp_path, text.replace("1e400", "1.7976931348623157e308"), "data.svm")
    expected, y = load_svmlight_file(str(path))
    data = opened(path)
    np.testing.assert_array_equal(data.rows.X.toarray(), expected.toarray())
    assert data.rows.y.tolist() == y.tolist() and data.rows.y.dtype == np.int64 and data.schema.base == 1
    zero = opened(saved(tmp_path, "1 5:1\n0 0:2\n", "zero.svm"))
    assert zero.rows.X.toarray().tolist() == [[0, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 0]] and zero.schema.base == 0
    assert opened(path, n_features=20).n_features == 20
    with pytest.raises(DataError, match="expected 3 columns, found an entry in column 6"):
        opened(path, n_features=3)
    with pytest.raises(DataError, match="expected indices from 1, got 0"):
        opened(tmp_path / "zero.svm", zero_based=False)
    assert opened(saved(tmp_path, "1 1:1\n", "few.svm"), schema=data.schema).n_features == data.n_features


def test_vowpal_wabbit_text_becomes_hashed_rows(tmp_path):
    text = "1 |f a:1 b c:2 a:3\n-1 2.0 'tag|g a |m:2 y:1.5\n\n1 tag|f a\n"
    rows = opened(saved(tmp_path, text, "data.vw"), bits=16).rows
    assert rows.y.tolist() == [1, -1, 1] and rows.weight.tolist() == [1, 2, 1] and rows.X.shape == (3, 2**16)
    X = rows.X.toarray()
    a = np.flatnonzero(X[2])
    assert a.size == 1 and X[0, a] == 4 and X[1, a] == 0  # "a" of another namespace is another feature
    assert sorted(X[0][X[0] != 0]) == [1, 2, 4] and sorted(X[1][X[1] != 0]) == [1, 3]
    assert rows.X.has_sorted_indices
    assert opened(saved(tmp_path, "|f a\n|f b\n", "data.vw")).rows.y is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x |f a\n", "line 1, column 1: expected a label"),
        ("1 |f a\n1 a b\n", "line 2, column 1: expected a | before the features"),
        ("1 |f a:b\n", "line 1, column 8: expected a number behind the colon, got 'b'"),
        ("1:2 |f a\n", "expected a label"),
        ("|f a\n1 |f b\n", "expected a label in all rows or in none"),
    ],
)
def test_wrong_vowpal_wabbit_text_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(DataError) as error:
        opened(saved(tmp_path, text, "data.vw"))
    assert message in str(error.value)


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.float32, np.float64, np.int16])
def test_arrays_keep_their_types(tmp_path, dtype):
    X, y = np.arange(12).reshape(6, 2).astype(dtype), np.array(list("ababab"))
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    np.savez_compressed(tmp_path / "both.npz", X=X, y=y, weight=np.arange(6.0))
    sparse = {"data": X.ravel(), "indices": np.tile([1, 0], 6), "indptr": np.arange(0, 13, 2), "shape": (6, 2)}
    np.savez(tmp_path / "sparse.npz", y=y, **sparse)
    kept = np.float64 if dtype == np.int16 else dtype
    for path, target in (("X.npy", tmp_path / "y.npy"), ("both.npz", None), ("sparse.npz", None)):
        rows = opened(tmp_path / path, target).to_arrays()
        dense = rows.X.toarray()[:, ::-1] if sp.issparse(rows.X) else rows.X
        assert rows.X.dtype == kept and dense.tolist() == X.tolist() and rows.y.tolist() == y.tolist()
        assert (rows.weight is None) == (path != "both.npz")
        assert not sp.issparse(rows.X) or rows.X.has_sorted_indices


def test_damaged_binary_files_are_refused(tmp_path):
    X, y = np.arange(2000.0).reshape(1000, 2), np.arange(1000) % 2
    for kind in ("npz", "parquet", "arrow", "csv.gz", "csv.zst"):
        path = write(tmp_path / f"data.{kind}", X, y)
        whole = path.read_bytes()
        for cut in (whole[: len(whole) // 2], b"", b"nonsense" * 100):
            path.write_bytes(cut)
            with pytest.raises(DataError) as error:
                opened(path, None if kind == "npz" else "class")
            assert str(path) in str(error.value)
    np.save(tmp_path / "objects.npy", np.array([[1, "x"]], dtype=object))
    with pytest.raises(DataError, match="expected numbers or text, got Python objects"):
        opened(tmp_path / "objects.npy", None)


def test_json_lines_keep_the_order_of_the_first_line_and_name_the_wrong_one(tmp_path):
    path = saved(tmp_path, '{"b":1,"a":2,"y":"u"}\n{"y":"v","a":2.5,"b":null}\n', "data.jsonl")
    assert opened(path).schema.columns[0].name == "b"
    data = opened(path, schema=plain("ba"))
    assert data.feature_names == ["b", "a"] and data.rows.X[0].tolist() == [1, 2] and np.isnan(data.rows.X[1, 0])
    for text, message in (
        ('{"a":1,"y":2}\n{"a":1,"y"\n', "line 2, column 11: expected a JSON object"),
        ('{"a":1,"y":2}\n[1, 2]\n', "line 2: expected a JSON object, got [1, 2]"),
    ):
        with pytest.raises(DataError) as error:
            opened(saved(tmp_path, text, "data.jsonl"))
        assert message in str(error.value)


# --- names of files --------------------------------------------------------------------------------------------------


def test_paths_that_lead_nowhere_are_refused(tmp_path):
    for path, message in (
        (tmp_path / "none.csv", "No such file or directory. Check the path."),
        (tmp_path / "*.csv", "no file has such a name"),
        (tmp_path, "it is a folder. Name its files"),
        ([], "got an empty list"),
    ):
        with pytest.raises(DataError) as error:
            opened(path)
        assert message in str(error.value)
    saved(tmp_path, "a,y\n1,2\n")
    with pytest.raises(DataError, match="it is named twice"):
        opened([tmp_path / "data.csv", tmp_path / "data.csv"])
    with pytest.raises(DataError, match="format: expected one of arrow, csv"):
        opened(tmp_path / "data.csv", format="xls")
    saved(tmp_path, "1 1:2\n", "data.svm")
    with pytest.raises(DataError, match="expected files of one format, got"):
        opened([tmp_path / "data.csv", tmp_path / "data.svm"])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("+1 3:4 7:5\n", "svmlight"),
        ("a,b\n1,2\n", "csv"),
        ("a\tb\n", "tsv"),
        ("1 |f a b\n", "vw"),
        ('{"a": 1}', "jsonl"),
    ],
)
def test_the_format_is_seen_in_the_first_bytes(tmp_path, text, kind):
    from linsep.data.formats import format_of
    from linsep.data.sources import find_sources

    assert format_of(find_sources(saved(tmp_path, text, "data")), None) == kind
    packed = tmp_path / "data.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert format_of(find_sources(packed), None) == kind


def test_standard_input_is_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 1:2\n-1 2:3\n")))
    assert opened("-").rows.X.toarray().tolist() == [[2, 0], [0, 3]]


def test_addresses_of_fsspec_are_files():
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for k in range(3):
        memory.pipe(f"/folder/{k}.csv", f"a,y\n{k},{k % 2}\n".encode())
    polars_bytes = io.BytesIO()
    polars.DataFrame({"a": [1.5], "y": [1]}).write_parquet(polars_bytes)
    memory.pipe("/folder/4.parquet", polars_bytes.getvalue())
    assert opened("memory://folder/*.csv", schema=plain("a", kind="integer")).rows.X.ravel().tolist() == [0, 1, 2]
    assert opened("memory://folder/4.parquet", schema=plain("a", kind="integer")).rows.X.ravel().tolist() == [1.5]
    with pytest.raises(DataError, match="nowhere"):
        opened("nowhere://folder/1.csv")
    with pytest.raises(DataError, match="Check the path"):
        opened("memory://folder/9.csv")


def test_sizes_of_memory():
    assert parse_size("64MB") == 64 << 20 and parse_size("1.5 GiB") == 3 << 29 and parse_size(1 << 20) == 1 << 20
    for wrong in ("x", "5", "1.2.3MB", -1, "64 potatoes"):
        with pytest.raises(DataError, match='memory: expected 1 MB or more, such as "512MB"'):
            parse_size(wrong)


# --- the dataset -----------------------------------------------------------------------------------------------------


def test_a_dataset_says_what_it_is_and_can_be_sent(tmp_path):
    data = opened(saved(tmp_path, "a,b,y\n1,2,u\n3,4,v\n"), cache=tmp_path / "cache", schema=plain("ab"))
    assert "2 rows x 2 features, classes u, v" in repr(data) and "a: number" in repr(data)
    again = pickle.loads(pickle.dumps(data))
    assert again.rows.X.tolist() == [[1, 2], [3, 4]]
    part = pickle.loads(pickle.dumps(data.parts[0]))
    assert part.load().y.tolist() == ["u", "v"] and part == data.parts[0]


def test_arguments_beside_a_dataset_are_refused(tmp_path):
    data = opened(saved(tmp_path, "a,b,y\n1,2,u\n3,4,v\n"), schema=plain("ab"))
    with pytest.raises(ValueError, match="y: expected a dataset alone"):
        linsep.Perceptron().fit(data, ["u", "v"])
    unlabelled = opened(saved(tmp_path, "a,b\n1,2\n"), schema=plain("ab"))
    with pytest.raises(DataError, match="the dataset has no labels"):
        linsep.Perceptron().fit(unlabelled)
    assert linsep.Perceptron().fit(data).predict(unlabelled).shape == (1,)
    with pytest.raises(ValueError, match="features"):
        linsep.Perceptron().fit(data).predict(opened(saved(tmp_path, "a\n1\n"), schema=plain("a")))


def test_weights_of_a_column_are_sample_weights(tmp_path):
    text = "a,w,y\n0,1,u\n1,0,v\n2,3,v\n"
    rule = linsep.LeastSquares().fit(opened(saved(tmp_path, text), schema=plain("a", weight="w")))
    expected = linsep.LeastSquares().fit([[0.0], [1.0], [2.0]], list("uvv"), sample_weight=[1.0, 0.0, 3.0])
    assert rule.coef_.tolist() == expected.coef_.tolist()
