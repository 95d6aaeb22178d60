"""Columns of words, and features by templates: as integer columns, without a dictionary or a string for each position.

Every function of a word (its lower case, its suffixes, its shape) is computed once for each *different* word; windows
shift columns of numbers, conjunctions multiply them. So features cost less than reading the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

_FACTOR = re.compile(r"(?P<column>[^\s.\[\]]+)(?P<functions>(\.[^\s.\[\]]+)*)(\[(?P<shift>[+-]?\d+)\])?$")
_CUT = re.compile(r"(prefix|suffix)(\d+)$")


class Columns:
    """Sequences as columns, one value a position: words, tags, anything that can be a key of a dictionary.

    >>> table = Columns({"word": ["The", "cat", "Hi"]}, begin=[0, 2, 3])
    >>> len(table), Columns.of([[("The", "DT"), ("cat", "NN")], [("Hi", "UH")]], ["word", "tag"]).columns["tag"]
    (2, ['DT', 'NN', 'UH'])
    """

    def __init__(self, columns: Mapping[str, Sequence], begin: Sequence[int]):
        self.columns, self.begin = dict(columns), np.asarray(begin, dtype=np.int64)
        if self.begin.ndim != 1 or self.begin.size < 1 or self.begin[0] != 0 or (np.diff(self.begin) < 0).any():
            raise ValueError("Columns: begin must rise from 0 to the number of positions.")
        for name, values in self.columns.items():
            if len(values) != self.begin[-1]:
                raise ValueError(
                    f"Columns: column {name!r} has {len(values)} values, but begin ends at {self.begin[-1]}."
                )

    @classmethod
    def of(cls, sequences: Iterable[Iterable[Sequence]], names: Sequence[str]) -> Columns:
        """Columns of lists of tuples, a tuple a position; further fields of a tuple are left out."""
        begin, rows = [0], []
        for sequence in sequences:
            rows.extend(sequence)
            begin.append(len(rows))
        values = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        return cls({name: list(column) for name, column in zip(names, values)}, begin)

    def __len__(self) -> int:
        return self.begin.size - 1

    def __repr__(self) -> str:
        return f"Columns({', '.join(self.columns)}; {len(self)} sequences, {self.begin[-1]} positions)"


def shape(word: str) -> str:
    """The word with X for capitals, x for small letters, d for digits, of runs two at most.

    >>> shape("McDonald-1999")
    'XxXxx-dd'
    """
    marks = ["X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word]
    return "".join(mark for at, mark in enumerate(marks) if at < 2 or not mark == marks[at - 1] == marks[at - 2])


def window(column: str = "word") -> list[str]:
    """The usual templates for tagging: the word and its parts, two neighbours on each side, pairs of words.

    >>> len(window()), window()[-1]
    (20, 'word.lower[-1] word.lower[+1]')
    """
    own = ["", ".lower", ".shape", *(f".{part}{k}" for part in ("prefix", "suffix") for k in (1, 2, 3, 4))]
    near = [f".lower[{shift:+d}]" for shift in (-2, -1, 1, 2)] + [f".suffix3[{shift:+d}]" for shift in (-1, 1)]
    lower = f"{column}.lower"
    pairs = [f"{lower}[-1] {lower}", f"{lower} {lower}[+1]", f"{lower}[-1] {lower}[+1]"]
    return [column + part for part in own + near] + pairs


class Factor(NamedTuple):
    """A column, functions of its values, and how far to look."""

    signal: tuple[str, ...]
    shift: int


class Templates:
    """Features of positions: ``column.function[shift]``; several with spaces between are one feature, a conjunction.

    Functions: ``lower``, ``shape``, ``prefix3``, ``suffix2`` and so on, and those given by name. Beyond the border of a
    sequence a factor has a value of its own. Each value of a template that training meets is a feature; others are
    ignored later. Features are numbered as they appear, so that positions near each other read weights near each other.

    >>> table = Columns({"word": ["The", "cat", "Hi"]}, begin=[0, 2, 3])
    >>> templates = Templates(["word.lower", "word[-1] word.suffix1"])
    >>> indptr, indices = templates.learn(table)
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4, 6], [0, 1, 2, 3, 4, 5])
    >>> templates.names()[:4]
    ['word.lower=the', 'word[-1] word.suffix1=|e', 'word.lower=cat', 'word[-1] word.suffix1=The|t']
    >>> templates.apply(Columns({"word": ["the", "dog"]}, begin=[0, 2]))[1].tolist()
    [0, 1]
    """

    def __init__(self, templates: Sequence[str], functions: Mapping[str, Callable[[Any], Any]] | None = None):
        if isinstance(templates, str):
            raise TypeError(f"templates: a list of strings is wanted, not the string {templates!r}.")
        self.templates, self.functions = list(templates), dict(functions or {})
        self._factors = [[self._parsed(text) for text in template.split()] for template in self.templates]
        if not self._factors or not all(self._factors):
            raise ValueError("templates: one at least is wanted, and none may be empty.")

    def _parsed(self, text: str) -> Factor:
        found = _FACTOR.match(text)
        if found is None:
            raise ValueError(f"templates: {text!r} is not of the form column.function[shift].")
        names = found["functions"].split(".")[1:]
        for name in names:
            self._function(name)
        return Factor((found["column"], *names), int(found["shift"] or 0))

    def _function(self, name: str) -> Callable[[Any], Any]:
        if name in self.functions:
            return self.functions[name]
        if name in ("lower", "shape"):
            return str.lower if name == "lower" else shape
        cut = _CUT.match(name)
        if cut is None:
            raise ValueError(
                f"templates: there is no function {name!r}; lower, shape, prefix3, suffix3 and the like are."
            )
        size = int(cut[2])
        return (lambda word: word[:size]) if cut[1] == "prefix" else (lambda word: word[-size:])

    def learn(self, table: Columns) -> tuple[np.ndarray, np.ndarray]:
        """Meet the features of ``table``, and number them; returns them as `apply` does."""
        self._values: dict[tuple[str, ...], dict[Any, int]] = {}
        self._codes: list[list[np.ndarray]] = [[] for _ in self._factors]
        raw = self._numbers(table, learn=True)
        flat = raw.ravel()
        appeared = np.full(self._offsets[-1], flat.size)
        appeared[flat[::-1]] = np.arange(flat.size)[::-1]  # of equal numbers the first one stays
        order = np.argsort(appeared, kind="stable")
        self.width = int((appeared < flat.size).sum())
        self._rank = np.full(self._offsets[-1], -1, dtype=np.int32)
        self._rank[order[: self.width]] = np.arange(self.width)
        return np.arange(len(raw) + 1) * raw.shape[1], self._rank[flat]

    def apply(self, table: Columns) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the features of every position: indptr and indices; those never met are left out."""
        raw = self._numbers(table, learn=False)
        numbers = np.where(raw >= 0, self._rank[raw], -1)
        known = numbers >= 0
        indptr = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        return indptr, numbers[known]

    def _numbers(self, table: Columns, learn: bool) -> np.ndarray:
        """N x templates: the number of each value, a block of numbers a template; -1: never met."""
        begin, n = table.begin, int(table.begin[-1])
        first, last = np.repeat(begin[:-1], np.diff(begin)), np.repeat(begin[1:], np.diff(begin))
        read: dict[str, tuple[np.ndarray, list]] = {}
        signals: dict[tuple[str, ...], np.ndarray] = {}

        def signal(names: tuple[str, ...]) -> np.ndarray:
            if names not in signals:
                if names[0] not in read:
                    if names[0] not in table.columns:
                        raise ValueError(
                            f"templates: there is no column {names[0]!r}, only {', '.join(table.columns)}."
                        )
                    read[names[0]] = factorised(table.columns[names[0]])
                ids, values = read[names[0]]
                for name in names[1:]:
                    values = list(map(self._function(name), values))
                known = self._values.setdefault(names, {})
                if learn:
                    places = [known.setdefault(value, len(known)) for value in values]
                else:
                    places = [known.get(value, -1) for value in values]
                signals[names] = np.array(places, dtype=np.int64)[ids] if n else np.zeros(0, dtype=np.int64)
            return signals[names]

        def factor(each: Factor) -> np.ndarray:
            ids = signal(each.signal)
            if each.shift == 0:
                return ids
            at = np.arange(n) + each.shift
            inside = (at >= first) & (at < last)
            return np.where(inside, ids[np.clip(at, 0, max(n - 1, 0))], len(self._values[each.signal]))

        columns, sizes = [], []
        for codes, factors in zip(self._codes, self._factors, strict=True):
            ids = factor(factors[0])
            size = len(self._values[factors[0].signal]) + 1
            for step, other in enumerate(factors[1:]):
                more = factor(other)
                base = len(self._values[other.signal]) + 1
                code = np.where((ids >= 0) & (more >= 0), ids * base + more, -1)
                if learn:
                    met, ids = np.unique(code, return_inverse=True)
                    codes.append(met)
                else:
                    met = codes[step]
                    place = np.minimum(np.searchsorted(met, code), max(met.size - 1, 0))
                    ids = np.where(met[place] == code, place, -1) if met.size else np.full(n, -1)
                size = met.size
            columns.append(ids)
            sizes.append(size)
        if learn:
            self._offsets = np.concatenate([[0], np.cumsum(sizes)])
        return np.column_stack([np.where(ids >= 0, ids + off, -1) for ids, off in zip(columns, self._offsets)])

    def names(self) -> list[str]:
        """The names of the features, in the order of their numbers; beyond a border a value is empty."""
        names = [""] * self.width
        for template, factors, codes, offset in zip(self.templates, self._factors, self._codes, self._offsets):
            values = [[*map(str, self._values[each.signal]), ""] for each in factors]
            texts = values[0]
            for met, more in zip(codes, values[1:], strict=True):
                left, right = np.divmod(met, len(more))
                texts = [f"{texts[a]}|{more[b]}" for a, b in zip(left.tolist(), right.tolist(), strict=True)]
            for number, text in zip(self._rank[offset : offset + len(texts)].tolist(), texts, strict=True):
                if number >= 0:
                    names[number] = f"{template}={text}"
        return names


def factorised(values: Sequence) -> tuple[np.ndarray, list]:
    """Numbers of values in the order in which they appear, and the different values.

    >>> ids, names = factorised(["b", "a", "b"])
    >>> ids.tolist(), names
    ([0, 1, 0], ['b', 'a'])
    """
    place = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values)), list(place)
