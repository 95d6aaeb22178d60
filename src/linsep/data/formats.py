"""Which format a file has: by the ending of its name, else by its first bytes."""

from __future__ import annotations

import re

from .errors import DataError
from .pieces import BOM
from .sources import Source, open_bytes

ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
    ".vw": "vw",
    ".npy": "npy", ".npz": "npz",
}  # fmt: skip
FORMATS = sorted(set(ENDINGS.values()))
TABLES = {"csv", "tsv", "parquet", "arrow", "jsonl"}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"{": "jsonl"}
SVMLIGHT = re.compile(rb"[-+0-9.eE]+([ \t]+(qid|\d+):[-+0-9.eE]+)+[ \t]*(#|\r?\n|$)")


def format_of(sources: list[Source], named: str | None) -> str:
    """The format of all files."""
    if named is not None:
        if named not in FORMATS:
            raise DataError(f"format: expected one of {', '.join(FORMATS)}, got {named!r}.")
        return named
    found = {ENDINGS.get(source.ending) or _look(source): source.path for source in sources}
    if len(found) > 1:
        (first, at), (second, beside) = list(found.items())[:2]
        raise DataError(f"expected files of one format, got {first} ({at}) and {second} ({beside}).")
    return next(iter(found))


def _look(source: Source) -> str:
    """The format that the first bytes show."""
    with open_bytes(source) as file:
        head = file.read(1 << 16).removeprefix(BOM)
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    lines = [line for line in head.split(b"\n") if line.strip() and not line.startswith(b"#")]
    first = lines[0] if lines else b""
    if SVMLIGHT.match(first):
        return "svmlight"
    if b"\t" in first:
        return "tsv"
    if b"," in first:
        return "csv"
    if b"|" in first:
        return "vw"
    raise DataError(f"its format is not known from its name. Name it with format=: {', '.join(FORMATS)}.", source.path)
