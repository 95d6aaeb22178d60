r"""Networks in files: the UAI format, plain or gzipped, with evidence.

A file lists tables of non-negative factors; a labelling's value is the sum of the *natural logarithms* of its
entries, so that the largest product becomes the largest sum, and a factor 0 is forbidden.
"""

from __future__ import annotations

import gzip
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .network import Network

LIMIT = 2**26  # bytes of text, unpacked


def read_uai(path: str | os.PathLike, evidence: str | os.PathLike | None = None, limit: int = LIMIT) -> Network:
    """The network of a UAI file (``MARKOV`` or ``BAYES``); the nodes of ``evidence`` keep their one observed label.

    Factors of more than two variables that evidence leaves free are refused. A text of more than ``limit`` bytes,
    unpacked, is not read; nothing is allocated on the word of the file alone.
    """
    seen = _observed(_text(Path(evidence), limit)) if evidence is not None else {}
    return _parse(_text(Path(path), limit), seen, Path(path).name)


def write_uai(network: Network, path: str | os.PathLike) -> None:
    """Write the network, gzipped if the name ends in ``.gz``; its constant is a factor of no variables.

    Tables are written as they are read back, exp(entry): values below -745 come back as forbidden.
    """
    shift = [np.exp(network.node_table(v)) for v in range(network.n)]
    shift += [np.exp(network.edge_table(e)).ravel() for e in range(network.m)]
    if not all(np.isfinite(table).all() for table in shift):
        raise ValueError("write_uai: an entry above 709 is too large for its exponential; subtract a constant first.")
    scopes = [f"1 {v}" for v in range(network.n)] + [f"2 {u} {v}" for u, v in network.edges.tolist()] + ["0"]
    shift.append(np.array([math.exp(network.constant)]))
    lines = ["MARKOV", str(network.n), " ".join(map(str, network.labels.tolist())), str(len(scopes)), *scopes]
    for table in shift:
        lines += [str(table.size), " ".join(map(repr, table.tolist()))]
    data = ("\n".join(lines) + "\n").encode()
    Path(path).write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _text(path: Path, limit: int) -> str:
    """The text, unpacked, if it is no longer than ``limit``."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            data = file.read(limit + 1)
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        if packed:
            raise ValueError(f"{path.name}: the gzip file is damaged or cut off ({error}).") from None
        raise
    if len(data) > limit:
        raise ValueError(f"{path.name}: more than {limit} bytes of text; give a larger limit to read it.")
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: not a text file (byte {error.start}).") from None


def _numbers(text: str, name: str) -> np.ndarray:
    """All numbers of a text that holds nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text, sep=" ")
        except (DeprecationWarning, ValueError):
            bad = next((word for word in text.split() if not _is_number(word)), "?")
            raise ValueError(f"{name}: {bad[:40]!r} where a number is expected.") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


class _Reader:
    """Numbers one after the other, with errors that say what is missing."""

    def __init__(self, numbers: np.ndarray, name: str) -> None:
        self.numbers, self.name, self.at = numbers, name, 0

    def whole(self, what: str, low: int, high: float = math.inf) -> int:
        """A whole number within limits."""
        (value,) = self.take(1, what)
        if not (low <= value <= high and value == int(value)):
            raise ValueError(f"{self.name}: {what} is {value:g}, not a whole number of {low} ... {high}.")
        return int(value)

    def take(self, count: int, what: str) -> np.ndarray:
        """The next numbers."""
        if count > self.numbers.size - self.at:
            left = self.numbers.size - self.at
            raise ValueError(f"{self.name}: the file ends within {what}: {count} numbers expected, {left} left.")
        self.at += count
        return self.numbers[self.at - count : self.at]


def _parse(text: str, seen: dict[int, int], name: str) -> Network:
    """The network of a text."""
    kind, _, rest = text.lstrip().partition("\n")
    words = kind.split(maxsplit=1)
    if not words or words[0].upper() not in ("MARKOV", "BAYES"):
        raise ValueError(f"{name}: a UAI file begins with MARKOV or BAYES, not {kind.strip()[:20]!r}.")
    reader = _Reader(_numbers(" ".join([*words[1:], rest]), name), name)
    n = reader.whole("the number of variables", 1)
    labels = reader.take(n, "the numbers of labels")
    if not ((labels >= 1) & (labels == np.floor(labels)) & (labels < 2**31)).all():
        v = int(np.argmin((labels >= 1) & (labels == np.floor(labels)) & (labels < 2**31)))
        raise ValueError(f"{name}: variable {v} has {labels[v]:g} labels.")
    labels = labels.astype(np.int64)
    for v, label in seen.items():
        if not (v < n and label < labels[v]):
            raise ValueError(f"{name}: the evidence says that variable {v} has label {label}; there is no such label.")
    scopes = list(_scopes(reader, n))
    if labels.sum() > 2**24 + 4 * reader.numbers.size:
        raise ValueError(f"{name}: {labels.sum()} labels in all, which no table of the file speaks of.")
    unary = [np.zeros(count) for count in labels]
    edges, pairwise, constant = [], [], 0.0
    for f, scope in enumerate(scopes):
        table = _factor(reader, f, scope, labels)
        free = [v for v in scope if v not in seen]
        table = table[tuple(seen.get(v, slice(None)) for v in scope)]
        if len(free) > 2:
            raise ValueError(
                f"{name}: factor {f} has {len(free)} variables that are not observed; at most two are supported."
            )
        if len(free) == 2:
            edges.append(free)
            pairwise.append(table)
        elif free:
            unary[free[0]] += table
        else:
            constant += float(table)
    if reader.at < reader.numbers.size:
        raise ValueError(f"{name}: {reader.numbers.size - reader.at} numbers too many after the last table.")
    for v, label in seen.items():
        unary[v][np.arange(labels[v]) != label] = -np.inf
    if constant == -math.inf:
        raise ValueError(f"{name}: the evidence has probability 0: a factor of observed variables is 0.")
    return Network.of(unary, edges, pairwise, constant)


def _scopes(reader: _Reader, n: int) -> Iterator[list[int]]:
    """The variables of every factor."""
    for f in range(reader.whole("the number of factors", 0, reader.numbers.size)):
        size = reader.whole(f"the number of variables of factor {f}", 0, n)
        scope = [reader.whole(f"a variable of factor {f}", 0, n - 1) for _ in range(size)]
        if len(set(scope)) < size:
            raise ValueError(f"{reader.name}: factor {f} names a variable twice.")
        yield scope


def _factor(reader: _Reader, f: int, scope: list[int], labels: np.ndarray) -> np.ndarray:
    """The logarithms of a factor's table."""
    shape = [int(labels[v]) for v in scope]
    count = reader.whole(f"the size of table {f}", 1)
    if count != math.prod(shape):
        raise ValueError(f"{reader.name}: table {f} has {count} entries, but its variables have {math.prod(shape)}.")
    entries = reader.take(count, f"table {f}")
    bad = np.flatnonzero(~((entries >= 0.0) & (entries < np.inf)))
    if bad.size:
        raise ValueError(f"{reader.name}: table {f}: entry {bad[0]} is {entries[bad[0]]:g}; none may be negative.")
    with np.errstate(divide="ignore"):
        return np.log(entries).reshape(shape)


def _observed(text: str) -> dict[int, int]:
    """Observed labels; the file may begin with the number of samples (one), as newer ones do."""
    numbers = _numbers(text, "evidence")
    if not ((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < 2**31)).all():
        raise ValueError("evidence: variables and labels must be whole numbers.")
    whole = [int(number) for number in numbers]
    if not whole or whole == [0]:
        return {}
    if len(whole) % 2 == 0:
        if whole[0] != 1:
            raise ValueError(f"evidence: {whole[0]} samples; one is supported.")
        whole = whole[1:]
    if len(whole) != 1 + 2 * whole[0]:
        raise ValueError(f"evidence: {whole[0]} observed variables announced, {(len(whole) - 1) / 2:g} given.")
    found: dict[int, int] = {}
    for v, label in zip(whole[1::2], whole[2::2]):
        if found.setdefault(v, label) != label:
            raise ValueError(f"evidence: variable {v} is observed twice, as {found[v]} and as {label}.")
    return found
