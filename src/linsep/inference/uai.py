"""Networks in files: the UAI format, plain or gzipped, with evidence.

A file lists tables of non-negative factors; the value of a labelling is the sum of the *natural logarithms* of its
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

from .network import Network, require_network

LIMIT = 2**26  # bytes of a file, unpacked
TIMES = 16  # a network may have so many labels per byte of its file: those of variables without a table are not in it


def read_uai(path: str | os.PathLike, evidence: str | os.PathLike | None = None, limit: int = LIMIT) -> Network:
    """The network of a UAI file (``MARKOV`` or ``BAYES``).

    Factors of more than two variables that are not observed are refused, and so are files that announce more than 16
    labels per byte: memory is allocated for what the file holds.

    Parameters
    ----------
    path : str or path-like
        The file, plain or gzipped.
    evidence : str, path-like or None, default=None
        A file of observed variables, which keep their one observed label.
    limit : int, default=2**26
        Files of more bytes than this, unpacked, are refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.uai")
    ...     _ = path.write_text("MARKOV 1 2 1 1 0 2 0.25 1.0")
    ...     network = read_uai(path)
    >>> network.unary.round(6)
    array([-1.386294,  0.      ])
    """
    observed = {} if evidence is None else _parse_evidence(_read_ascii(Path(evidence), limit), Path(evidence).name)
    return _parse_network(_read_ascii(Path(path), limit), observed, Path(path).name)


def write_uai(network: Network, path: str | os.PathLike) -> None:
    """Write a network to a UAI file; its constant is a factor of no variables.

    Entries are written as exp(entry): those below -745 are read back as forbidden.

    Parameters
    ----------
    network : Network
        The network.
    path : str or path-like
        The file; gzipped if the name ends in ``.gz``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_uai(Network.from_tables([[0.0, 1.0]]), Path(folder, "one.uai.gz"))
    ...     read_uai(Path(folder, "one.uai.gz")).unary
    array([0., 1.])
    """
    require_network(network)
    tables = [np.exp(network.node_table(v)) for v in range(network.n_nodes)]
    tables += [np.exp(network.edge_table(e)).ravel() for e in range(network.n_edges)]
    if not all(np.isfinite(table).all() for table in tables):
        raise ValueError("write_uai: expected entries up to 709, got larger ones; subtract a constant first.")
    scopes = [f"1 {v}" for v in range(network.n_nodes)] + [f"2 {u} {v}" for u, v in network.edges.tolist()] + ["0"]
    tables.append(np.array([math.exp(network.constant)]))
    n_labels = " ".join(map(str, network.n_labels.tolist()))
    lines = ["MARKOV", str(network.n_nodes), n_labels, str(len(scopes)), *scopes]
    for table in tables:
        lines += [str(table.size), " ".join(map(repr, table.tolist()))]
    data = ("\n".join(lines) + "\n").encode()
    Path(path).write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def _read_ascii(path: Path, limit: int) -> str:
    """The contents of a file, unpacked, if they are no longer than ``limit`` bytes."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            data = file.read(limit + 1)
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        if packed:
            raise ValueError(f"{path.name}: expected a gzip file, got a damaged or truncated one ({error}).") from None
        raise
    if len(data) > limit:
        raise ValueError(f"{path.name}: expected at most {limit} bytes, got more; pass a larger limit to read it.")
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: expected an ASCII file, got another byte at {error.start}.") from None


def _parse_numbers(text: str, name: str) -> np.ndarray:
    """All numbers of a string that holds nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text, sep=" ")
        except (DeprecationWarning, ValueError):
            bad = next((word for word in text.split() if not _is_number(word)), "?")
            raise ValueError(f"{name}: expected a number, got {bad[:40]!r}.") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


class _Reader:
    """Takes numbers one after the other; its errors say what is missing."""

    def __init__(self, numbers: np.ndarray, name: str) -> None:
        self.numbers, self.name, self.position = numbers, name, 0

    def take_integer(self, what: str, low: int, high: float = math.inf) -> int:
        """The next number, an integer within limits."""
        (value,) = self.take(1, what)
        if not (low <= value <= high and value == int(value)):
            raise ValueError(f"{self.name}: {what}: expected an integer {low} ... {high}, got {value:g}.")
        return int(value)

    def take(self, count: int, what: str) -> np.ndarray:
        """The next numbers."""
        left = self.numbers.size - self.position
        if count > left:
            raise ValueError(f"{self.name}: {what}: expected {count} numbers, got {left} before the end of the file.")
        self.position += count
        return self.numbers[self.position - count : self.position]


def _parse_network(text: str, observed: dict[int, int], name: str) -> Network:
    """The network of the contents of a file."""
    kind, _, rest = text.lstrip().partition("\n")
    words = kind.split(maxsplit=1)
    if not words or words[0].upper() not in ("MARKOV", "BAYES"):
        raise ValueError(f"{name}: expected MARKOV or BAYES at the beginning, got {kind.strip()[:20]!r}.")
    reader = _Reader(_parse_numbers(" ".join([*words[1:], rest]), name), name)
    n_labels = _take_n_labels(reader, observed)
    scopes = list(_take_scopes(reader, n_labels.size))
    if n_labels.sum() > TIMES * len(text):
        raise ValueError(
            f"{name}: expected at most {TIMES} labels per byte of the file, {TIMES * len(text)} in all, "
            f"got {n_labels.sum()} labels, which need {8 * n_labels.sum() / 2**20:.3g} MB."
        )
    unary = [np.zeros(count) for count in n_labels]
    edges, pairwise, constant = [], [], 0.0
    for f, scope in enumerate(scopes):
        table = _take_factor(reader, f, scope, n_labels)
        free = [v for v in scope if v not in observed]
        table = table[tuple(observed.get(v, slice(None)) for v in scope)]
        if len(free) > 2:
            raise ValueError(f"{name}: factor {f}: expected at most two variables not observed, got {len(free)}.")
        if len(free) == 2:
            edges.append(free)
            pairwise.append(table)
        elif free:
            unary[free[0]] += table
        else:
            constant += float(table)
    left = reader.numbers.size - reader.position
    if left:
        raise ValueError(f"{name}: expected the end of the file after the last table, got {left} more numbers.")
    for v, label in observed.items():
        unary[v][np.arange(n_labels[v]) != label] = -np.inf
    if constant == -math.inf:
        raise ValueError(f"{name}: expected possible evidence, got a factor of observed variables that is 0.")
    return Network.from_tables(unary, edges, pairwise, constant)


def _take_n_labels(reader: _Reader, observed: dict[int, int]) -> np.ndarray:
    """The number of labels of each variable; observed labels must exist."""
    n_labels = reader.take(reader.take_integer("the number of variables", 1), "the numbers of labels")
    valid = (n_labels >= 1) & (n_labels == np.floor(n_labels)) & (n_labels < 2**31)
    if not valid.all():
        v = int(np.argmin(valid))
        raise ValueError(f"{reader.name}: variable {v}: expected a number of labels, got {n_labels[v]:g}.")
    for v, label in observed.items():
        if v >= n_labels.size:
            raise ValueError(f"{reader.name}: evidence: expected variables below {n_labels.size}, got {v}.")
        if label >= n_labels[v]:
            raise ValueError(f"{reader.name}: evidence: expected a label of variable {v}, got {label}.")
    return n_labels.astype(np.int64)


def _take_scopes(reader: _Reader, n: int) -> Iterator[list[int]]:
    """The variables of each factor."""
    for f in range(reader.take_integer("the number of factors", 0, reader.numbers.size)):
        size = reader.take_integer(f"the number of variables of factor {f}", 0, n)
        scope = [reader.take_integer(f"a variable of factor {f}", 0, n - 1) for _ in range(size)]
        if len(set(scope)) < size:
            raise ValueError(f"{reader.name}: factor {f}: expected different variables, got one twice.")
        yield scope


def _take_factor(reader: _Reader, f: int, scope: list[int], n_labels: np.ndarray) -> np.ndarray:
    """The logarithms of the table of a factor."""
    shape = [int(n_labels[v]) for v in scope]
    count = reader.take_integer(f"the size of table {f}", 1)
    if count != math.prod(shape):
        raise ValueError(f"{reader.name}: table {f}: expected {math.prod(shape)} entries, got {count}.")
    entries = reader.take(count, f"table {f}")
    bad = np.flatnonzero(~((entries >= 0.0) & (entries < np.inf)))
    if bad.size:
        entry = entries[bad[0]]
        raise ValueError(f"{reader.name}: table {f}: expected numbers of at least 0, got {entry:g} at {bad[0]}.")
    with np.errstate(divide="ignore"):
        return np.log(entries).reshape(shape)


def _parse_evidence(text: str, name: str) -> dict[int, int]:
    """Observed labels by variable; newer files begin with the number of samples, which must be one."""
    numbers = _parse_numbers(text, name)
    if not ((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < 2**31)).all():
        raise ValueError(f"{name}: expected integers of at least 0, got other numbers.")
    integers = [int(number) for number in numbers]
    if not integers or integers == [0]:
        return {}
    if len(integers) % 2 == 0:
        if integers[0] != 1:
            raise ValueError(f"{name}: expected one sample, got {integers[0]}.")
        integers = integers[1:]
    if len(integers) != 1 + 2 * integers[0]:
        given = (len(integers) - 1) / 2
        raise ValueError(f"{name}: expected {integers[0]} observed variables, got {given:g}.")
    labels: dict[int, int] = {}
    for v, label in zip(integers[1::2], integers[2::2]):
        if labels.setdefault(v, label) != label:
            raise ValueError(f"{name}: expected one label of variable {v}, got {labels[v]} and {label}.")
    return labels
