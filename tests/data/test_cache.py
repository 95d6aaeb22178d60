"""The cache: used if nothing has changed, written anew if something has, whole or not at all, within memory."""

import errno
import json
import os
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from files import plain

import linsep
from linsep.data import DataError, cache
from linsep.data import open as opening
from linsep.data.cache import HEADER, checksum
from linsep.data.resident import bounded, mapped_bytes

TEXT = "a,b,y\n1,2,u\n3,4,v\n5,6,u\n"


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "data.csv"
    place.write_text(TEXT)
    return place


@pytest.fixture
def passes(monkeypatch):
    """How many first passes were made."""
    made, write = [], opening.write_cache
    monkeypatch.setattr(opening, "write_cache", lambda *args: made.append(1) or write(*args))
    return made


def opened(path, **options):
    return linsep.open_dataset(
        path, **{"target": "y", "schema": plain("ab"), "cache": path.parent / "cache", **options}
    )


def test_files_are_read_once(path, passes):
    first, second = opened(path), opened(path)
    assert len(passes) == 1 and second.rows.X.tolist() == first.rows.X.tolist()
    assert str(second.schema) == str(first.schema) and second.classes.tolist() == ["u", "v"]


def test_a_changed_file_or_recipe_is_read_again(path, passes):
    opened(path)
    path.write_text(TEXT.replace("6", "7"))
    os.utime(path, ns=(1, 1))
    assert opened(path).rows.X[2, 1] == 7 and len(passes) == 2
    assert opened(path, schema=plain("b", weight="a")).rows.weight.tolist() == [1, 3, 5] and len(passes) == 3
    folders = [entry.name for entry in (path.parent / "cache").iterdir()]
    assert len(folders) == 2 and not any(name.startswith(".") for name in folders)  # the changed file took its place


@pytest.mark.parametrize("what", ["flip", "cut", "header", "version", "missing"])
def test_a_damaged_cache_is_noticed_and_written_anew(path, passes, what):
    data = opened(path)
    file = data.place / "X.npy"
    content = bytearray(file.read_bytes())
    if what == "flip":
        content[-3] ^= 1
        file.write_bytes(content)
    elif what == "cut":
        file.write_bytes(content[:-8])
    elif what == "missing":
        file.unlink()
    else:
        header = json.loads((data.place / HEADER).read_text())
        header = {**header, "version": 99} if what == "version" else []
        (data.place / HEADER).write_text(json.dumps(header))
    assert opened(path).rows.X.tolist() == [[1, 2], [3, 4], [5, 6]] and len(passes) == 2


def test_the_checksum_sees_flips_swaps_and_cuts(tmp_path):
    file, seen = tmp_path / "bytes", set()
    content = np.random.default_rng(0).integers(0, 256, 100_003, dtype=np.uint8)
    swapped = content.copy()
    swapped[:8], swapped[8:16] = content[8:16], content[:8]
    flipped = content.copy()
    flipped[50_000] ^= 64
    for each in (content, swapped, flipped, content[:-5], content[8:]):
        file.write_bytes(each.tobytes())
        seen.add(checksum(file))
    assert len(seen) == 5


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(path, monkeypatch, number):
    def full(self, values):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(cache._Column, "append", full)
    with pytest.raises(DataError, match=r"the cache can't be written: .*Name another folder with cache="):
        opened(path)
    assert list((path.parent / "cache").iterdir()) == []


def test_a_failed_pass_keeps_the_cache_that_was_there(path):
    data = opened(path)
    path.write_text("a,b,y\n1,2\n")
    with pytest.raises(DataError):
        opened(path)
    assert data.rows.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert [entry.name for entry in (path.parent / "cache").iterdir()] == [data.place.name]


def test_a_file_that_changes_while_it_is_read_is_refused(path, monkeypatch):
    def changed(self, values):
        path.write_text(TEXT + "7,8,u\n")
        return keep(self, values)

    keep = cache._Column.append
    monkeypatch.setattr(cache._Column, "append", changed)
    with pytest.raises(DataError, match="it has changed since the dataset was opened"):
        opened(path)


def test_a_part_whose_cache_and_file_are_gone_says_so(path, monkeypatch):
    monkeypatch.setenv("LINSEP_CACHE", str(path.parent / "elsewhere"))
    part = opened(path).parts[0]
    for file in (path.parent / "cache").rglob("*.*"):
        file.unlink() if file.is_file() else None
    path.unlink()
    with pytest.raises(DataError, match=r"data\.csv: No such file"):
        part.load()


def test_progress_ends_with_all_bytes(path):
    seen = []
    opened(path, progress=lambda done, size: seen.append((done, size)))
    assert seen[-1] == (len(TEXT), len(TEXT)) and seen == sorted(seen)


def test_the_default_folder_is_named_by_the_environment(path, monkeypatch, tmp_path):
    monkeypatch.setenv("LINSEP_CACHE", str(tmp_path / "there"))
    assert opened(path, cache=None).place.parent == tmp_path / "there"
    monkeypatch.delenv("LINSEP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert opened(path, cache=None).place.parent == tmp_path / "home" / "linsep"


LARGE = """
import sys, numpy as np
import linsep
from pathlib import Path
def rows(name, n):
    place = Path(sys.argv[1]) / name
    place.mkdir()
    X = np.lib.format.open_memmap(place / "X.npy", "w+", np.float64, (n, 64))
    for at in range(0, n, 4000):
        X[at : at + 4000] = np.random.default_rng(at).normal(size=(min(4000, n - at), 64))
    np.save(place / "y.npy", np.where(X[:, 0] > 0, 1, -1))
    X.flush()
    return linsep.open_dataset(place / "X.npy", place / "y.npy", cache=place, memory="64MB")
def learn(data):
    linsep.Perceptron(max_iter=20, keep="last", scaling=None).fit(data).score(data)
def resident(name):
    return int(next(line for line in open("/proc/self/status") if line.startswith(name)).split()[1]) // 1024
learn(rows("small", 5000))  # what compiling maps is resident from now on
data = rows("large", 400_000)
before, seen = resident("RssFile"), []
import threading, time
def watch():
    while True:
        seen.append(resident("RssFile") - before)
        time.sleep(0.002)
threading.Thread(target=watch, daemon=True).start()
learn(data)
print(int(np.median(seen)), data._mapped.size >> 20)
"""


@pytest.mark.long
@pytest.mark.skipif(mapped_bytes() is None, reason="the system does not say what is resident")
def test_mapped_pages_stay_within_memory(tmp_path):
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", LARGE, str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    usual, size = map(int, run.stdout.split())
    assert size > 190  # MB; all of it would be resident otherwise
    assert usual < 100  # for moments it may be more: the thread that gives pages back looks every few milliseconds


@pytest.mark.skipif(mapped_bytes() is None, reason="the system does not say what is resident")
def test_pages_are_given_back_when_they_are_too_many(tmp_path):
    np.save(tmp_path / "X.npy", np.ones((1 << 20, 8)))
    np.save(tmp_path / "y.npy", np.arange(1 << 20) % 2)
    data = linsep.open_dataset(tmp_path / "X.npy", tmp_path / "y.npy", cache=tmp_path / "cache")
    forgotten = []

    def forget():
        data._mapped.forget()
        forgotten.append(1)

    with bounded(16 << 20, forget):
        while not forgotten:
            assert data.rows.X.sum() == 1 << 23
    assert data.rows.X.sum() == 1 << 23  # read again


def bits(rows):
    """The bytes of rows and labels; sparse rows stay sparse: those of vw have 2^18 columns."""
    X = rows.X
    arrays = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return X.shape, [array.tobytes() for array in arrays], rows.y.tolist()


@pytest.mark.parametrize("kind", ["csv", "svmlight", "vw"])
def test_a_part_is_loaded_where_the_cache_is_not(kind, tmp_path, monkeypatch):
    """As on a worker of a cluster: the files are there, the folder of the cache is not."""
    rng = np.random.RandomState(0)
    rows = rng.normal(size=(9000, 3)).round(3).tolist()
    lines = {
        "csv": ["a,b,c,y", *(f"{a},{b},{c},{'no' if a < b else 'yes'}" for a, b, c in rows)],
        "svmlight": [f"{int(a < b)} 1:{a} 3:{c}" for a, b, c in rows],
        "vw": [f"{1 if a < b else -1} | x:{a} z:{c}" for a, b, c in rows],
    }[kind]
    path = tmp_path / f"rows.{kind}"
    path.write_text("\n".join(lines) + "\n")
    data = linsep.open_dataset(path, "y" if kind == "csv" else None, memory="1MB", cache=tmp_path / "here")
    parts = [pickle.loads(pickle.dumps(part)) for part in data.parts]
    assert len(parts) > 1 and parts[-1].end == 9000
    want = [bits(part.load()) for part in parts]
    shutil.move(tmp_path / "here", tmp_path / "gone")
    monkeypatch.setenv("LINSEP_CACHE", str(tmp_path / "worker"))
    assert [bits(part.load()) for part in parts] == want
    path.write_text("\n".join(lines).replace("0.1", "0.2") + "\n")
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}: expected what the dataset was opened with"):
        parts[0].load()
