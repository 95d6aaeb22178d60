"""Damaged files of every format are read, or refused in one sentence with their name: never another error, no hang."""

import io
import random

import numpy as np
import polars
import pytest

import linsep
from linsep.data import DataError

TABLE = polars.DataFrame(
    {"a": [1.5, 2.0, -3.25, 4.0] * 5, "b": list("xyzx") * 5, "c": [1, 2, 3, 4] * 5, "y": list("uvuv") * 5}
)
INSERTED = [
    b'"', b",", b"\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b"NaN", b"1e999", b":", b"|", b"{", b"}", b"'", b" ",
    b"\t", b"99999999999999999999", b"-", b"#", b"\n\n", b'"\n"', b"\xe2\x82", b"inf",
]  # fmt: skip


def in_bytes(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


SPARSE = {"data": np.ones(10), "indices": np.arange(10) % 3, "indptr": np.arange(11), "shape": (10, 3)}
WHOLE = {
    "csv": TABLE.write_csv().encode(),
    "tsv": TABLE.write_csv(separator="\t").encode(),
    "jsonl": TABLE.write_ndjson().encode(),
    "arrow": in_bytes(TABLE.write_ipc),
    "svm": b"+1 1:0.5 3:2 # c\n-1 2:1e-3 4:5\n" * 8,
    "vw": b"1 2.0 'tag|ns a:1 b |m c\n-1 |ns b:2.5 d\n" * 8,
    "npz": in_bytes(lambda file: np.savez(file, X=np.arange(20.0).reshape(10, 2), y=np.arange(10) % 2)),
    "sparse.npz": in_bytes(lambda file: np.savez_compressed(file, y=np.arange(10) % 2, **SPARSE)),
}


def damage(content, rng):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at, kind = rng.randrange(len(content) + 1), rng.random()
        if kind < 0.35:
            content[at:at] = rng.choice(INSERTED)
        elif kind < 0.6:
            del content[at : at + rng.randint(1, 8)]
        elif kind < 0.75 and content:
            content[at % len(content)] = rng.randrange(256)
        elif kind < 0.85:
            del content[at:]
        else:
            other = rng.randrange(len(content) + 1)
            content[at:at] = content[other : other + rng.randint(1, 40)]
    return bytes(content)


def read_or_refuse(path, content):
    path.write_bytes(content)
    target = "y" if path.suffix in (".csv", ".tsv", ".jsonl", ".arrow") else None
    try:
        linsep.open_dataset(path, target, cache=False, memory="1MB").to_arrays()
    except DataError as error:
        said = str(error)
    else:
        return True
    assert str(path) in said and "\n" not in said
    return False


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [12, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", WHOLE)
def test_damaged_files_are_read_or_refused(tmp_path, kind, count):
    rng, path = random.Random(f"{kind} {count}"), tmp_path / f"data.{kind}"
    assert read_or_refuse(path, WHOLE[kind])
    assert not all(read_or_refuse(path, damage(WHOLE[kind], rng)) for _ in range(count))


def test_a_column_that_never_has_a_value_ends(tmp_path):
    assert not read_or_refuse(tmp_path / "data.tsv", b"a\tb\tc\ty\n1.5\tx\t1\t")  # it began again for ever
    assert not read_or_refuse(tmp_path / "data.svm", b"1 3:")
