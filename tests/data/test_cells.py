"""The compiled reader of plain cells gives what polars gives, and leaves to polars what it does not know."""

import numpy as np
import pytest

from linsep import open_dataset
from linsep.data.pieces import Piece
from linsep.data.readers import cells, csv

N = 12_000  # rows: of some pieces
WORDS = ("cat", "dog", "a b", "ěšč", "")


def number_of(rng, kind):
    if kind == "whole":
        return str(rng.integers(-(10**6), 10**6))
    if kind == "gaps":
        return "" if rng.random() < 0.1 else f"{rng.normal():.6f}"
    if kind == "exponents":
        return f"{rng.normal() * 10.0 ** rng.integers(-20, 20):.12e}"
    return repr(float(rng.normal() * 10.0 ** rng.integers(-3, 4)))


def write(path, rng, odd, end="\n", separator=","):
    """A table of numbers and words, in whose last third some cells are ``odd``."""
    kinds = ("whole", "gaps", "exponents", "floats", "floats")
    lines = [separator.join(["a", "b", "c", "d", "word", "e", "truth", "y"])]
    for k in range(N):
        row = [number_of(rng, kind) for kind in kinds]
        if odd and k > 2 * N // 3 and rng.random() < 0.001:
            row[int(rng.integers(5))] = odd
        word = WORDS[rng.integers(len(WORDS))]
        row = [*row[:4], word, row[4], ("true", "false")[rng.integers(2)], ("yes", "no")[rng.integers(2)]]
        lines.append(separator.join(row))
    path.write_text(end.join(lines) + end, encoding="utf-8", newline="")


def answers(path, cache, **options):
    data = open_dataset(path, "y", memory="1MB", cache=cache, **options)
    X = data.rows.X
    return data.schema.as_dict(), np.asarray(X).tobytes(), data.rows.y.tolist()


ODD = ["", " 2.5", "NA", '"2.5"', "123456789012345678901234567890", "-.5", "+4", "9007199254740993"]


@pytest.mark.parametrize("odd", ODD)
def test_the_same_as_polars_alone(tmp_path, monkeypatch, odd):
    path = tmp_path / "table.csv"
    write(path, np.random.default_rng(len(odd)), odd, end="\r\n" if odd == "NA" else "\n")
    used = []

    def counted(*arguments):
        used.append(found := cells.read_cells(*arguments))
        return found

    monkeypatch.setattr(csv, "read_cells", counted)
    ours = answers(path, tmp_path / "ours")
    assert sum(found is not None for found in used) >= 2
    monkeypatch.setattr(csv, "read_cells", lambda *arguments: None)
    assert ours == answers(path, tmp_path / "theirs")


def piece(text):
    return Piece(np.frombuffer(text, np.uint8), 1)


def test_cells_that_are_not_plain_are_left_alone():
    numeric = np.array([True, False, True])
    for line in ("1,a\n", "1,a,2,3\n", "1,a,x\n", '1,"a",2\n', "\n1,a,2\n", "1,a,2 \n", "1\r,a,2\n"):
        assert cells.read_cells(piece(f"1,a,2\n{line}".encode()), ",", numeric) is None
    columns, aside, rows = cells.read_cells(piece(b"1,a,2\r\n-3,,\n.5,b c,1e3\n"), ",", numeric)
    np.testing.assert_array_equal(columns[:, :rows], [[1, -3, 0.5], [2, np.nan, 1000]])
    assert aside == b"a\n\nb c\n"
