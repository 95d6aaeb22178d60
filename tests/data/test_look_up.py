"""Cells by row number: as the file has them, in whatever piece of it they are."""

import polars as pl
import pytest

from linsep.data import look_up as module
from linsep.data.look_up import describe_columns, look_up, read_batches


@pytest.mark.parametrize("piece", [64, 1 << 22])
def test_cells_of_every_piece_are_those_of_the_file(tmp_path, monkeypatch, piece):
    """Pieces after the first are read by the compiled parser where numbers are wanted; here cells are."""
    monkeypatch.setattr(module, "PIECE", piece)
    file = tmp_path / "t.csv"
    rows = [{"a": 12345678 + k, "b": k / 4, "word": f"w{k % 3}"} for k in range(60)]
    lines = ["a,b,word", *(f"{row['a']},{row['b']},{row['word']}" for row in rows)]
    file.write_text("\n".join(lines))  # the last line without an end is a piece of its own
    assert look_up([str(file)], range(60)) == dict(enumerate(rows))
    batches = list(read_batches([str(file)]))
    assert all(isinstance(batch, pl.DataFrame) for batch in batches) and sum(map(len, batches)) == 60
    described = {each["name"]: each for each in describe_columns([str(file)])}
    assert described["a"]["high"] == 12345678 + 59 and described["word"]["levels"] == 3
