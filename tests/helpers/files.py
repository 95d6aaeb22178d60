"""Datasets written to files, in any format and any number of parts."""

from itertools import pairwise

import numpy as np
import polars

from linsep.data.columns import Schema
from linsep.data.columns.kinds import Number

TABLES = ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow", "jsonl"]
FORMATS = [*TABLES, "svm", "npz"]


def frame(X, y):
    return polars.DataFrame({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "class": y})


def write(path, X, y):
    """Write rows and labels in the format of the path's ending."""
    kind = path.name.partition(".")[2]
    if kind == "svm":
        text = "\n".join(
            f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
            for label, row in zip(y.tolist(), np.asarray(X).tolist(), strict=True)
        )
        path.write_text(text + "\n")
    elif kind == "npz":
        np.savez(path, X=X, y=y)
    elif kind == "parquet":
        frame(X, y).write_parquet(path)
    elif kind == "arrow":
        frame(X, y).write_ipc(path)
    elif kind == "jsonl":
        frame(X, y).write_ndjson(path)
    else:
        text = frame(X, y).write_csv(separator="\t" if kind == "tsv" else ",").encode()
        path.write_bytes(_pack(text, kind))
    return path


def _pack(text, kind):
    if kind.endswith(".gz"):
        import gzip

        return gzip.compress(text)
    if kind.endswith(".zst"):
        import zstandard

        return zstandard.compress(text)
    return text


def plain(names, target="y", kind="word", weight=None):
    """A schema that takes numbers as they are."""
    return Schema(tuple(Number(name, fill=float("nan")) for name in names), target, weight, kind)


def write_parts(folder, kind, X, y, count):
    """The rows in ``count`` files; some are as short as one row. Returns their paths, in order."""
    cuts = np.unique(np.linspace(0, len(y), count + 1).astype(int))
    cuts[1:-1] += np.arange(cuts.size - 2) % 3
    pairs = list(pairwise(cuts))
    return [write(folder / f"part-{k:02}.{kind}", X[a:b], y[a:b]) for k, (a, b) in enumerate(pairs)]
