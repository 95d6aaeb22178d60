"""Positions as dictionaries, in the form of sklearn-crfsuite, read in bulk.

{"word": "dog", "upper": False, "size": 3, "parts": ["d", "og"], "next": {"word": "barks"}} has the features "word:dog",
"upper" (of value 0), "size" (of value 3), "parts:d", "parts:og" and "next:word:barks". A pair of a name and a value
that was seen before is looked up as it is, so that no string is joined for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from numbers import Number
from typing import Any

import numpy as np

NOTHING = -1  # the code of a pair without a feature: never seen in training, or of value 0
MANY = list | tuple | set | frozenset | dict  # values that stand for any number of features


class Unreadable(Exception):
    """A value that is neither a string, nor a number, nor a list or dictionary of these."""


class Special(threading.local):
    """What codes can't say: several features, or one of any value. Each thread that reads has its own."""

    def __init__(self) -> None:
        self.found: list[list[tuple[int, float]]] = []


class PairCodes(dict[tuple[Any, Any], int]):
    """The code of every pair (name, value) that was read: the number of its feature, if that has the value 1.

    Other codes are `NOTHING`, or -2, -3, ... for the first, second, ... of ``special.found``: features and values.

    >>> codes = PairCodes({}, learn=True)
    >>> codes["word", "dog"], codes["upper", True], codes["upper", False], codes["length", 3]
    (0, 1, -1, -2)
    >>> codes.numbers, codes.special.found
    ({'word:dog': 0, 'upper': 1, 'length': 2}, [[(2, 3.0)]])
    """

    def __init__(self, numbers: dict[Any, int], learn: bool = False):
        self.numbers, self.learn, self.special = numbers, learn, Special()

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        found = list(list_features(*pair))
        numbered = [(self.number(name), value) for name, value in found]
        if len(found) == 1 and found[0][1] in (0.0, 1.0):
            code = numbered[0][0] if found[0][1] else NOTHING
            if code >= 0 or self.learn:  # what training has not seen is not kept: predict may be called for ever
                self[pair] = code
            return code
        return self.keep(numbered)

    def keep(self, numbered: list[tuple[int, float]]) -> int:
        """A code for several features, or for one of any value."""
        self.special.found.append([(number, value) for number, value in numbered if number >= 0])
        return NOTHING - len(self.special.found)

    def number(self, name: Any) -> int:
        """The number of a feature; a new one in training, else `NOTHING`."""
        return self.numbers.setdefault(name, len(self.numbers)) if self.learn else self.numbers.get(name, NOTHING)


def list_features(name: Any, value: Any) -> Iterator[tuple[Any, float]]:
    """The names and values of the features of a pair.

    >>> list(list_features("a", {"b": 1.5, "c": "x", "d": ["u"]}))
    [('a:b', 1.5), ('a:c:x', 1.0), ('a:d:u', 1.0)]
    """
    if isinstance(value, str):
        yield f"{name}:{value}", 1.0
    elif isinstance(value, Number | np.bool_):
        yield name, float(value)  # type: ignore[arg-type]
    elif isinstance(value, dict):
        for inner, each in value.items():
            yield from list_features(f"{name}:{inner}", each)
    elif isinstance(value, MANY):
        yield from ((f"{name}:{each}", 1.0) for each in value)
    else:
        raise Unreadable


def read_dictionaries(
    positions: Sequence[Any], codes: PairCodes, place: Callable[[int], str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Where the features of each position begin, their numbers, and their values; None: all are 1."""
    codes.special.found.clear()
    try:
        sizes = np.fromiter(map(len, positions), dtype=np.int64, count=len(positions))
        pairs = chain.from_iterable(map(dict.items, positions))
        code = np.fromiter(map(codes.__getitem__, pairs), dtype=np.int64, count=int(sizes.sum()))
    except (TypeError, Unreadable):  # lists and dictionaries inside, or what is to be refused
        codes.special.found.clear()
        one_by_one = (each for t, position in enumerate(positions) for each in _code_pairs(position, t, codes, place))
        code = np.fromiter(one_by_one, dtype=np.int64)
    indptr, one = np.concatenate([[0], np.cumsum(sizes)]), code >= 0
    if one.all():
        return indptr, code.astype(np.int32), None
    counts, found = one.astype(np.int64), codes.special.found
    counts[code < NOTHING] = list(map(len, found))
    numbers, ends = np.repeat(code, counts), np.concatenate([[0], np.cumsum(counts)])
    if not found:
        return ends[indptr], numbers.astype(np.int32), None
    values, several = np.ones(numbers.size), numbers < NOTHING
    numbers[several], values[several] = np.array([each for some in found for each in some]).reshape(-1, 2).T
    found.clear()
    return ends[indptr], numbers.astype(np.int32), values


def _code_pairs(position: Any, t: int, codes: PairCodes, place: Callable[[int], str]) -> Iterator[int]:
    """The codes of one position, where values may be lists, sets or dictionaries."""
    if not isinstance(position, dict):
        raise TypeError(f"X: {place(t)}: expected a dictionary, as the first position, got {position!r}.")
    for name, value in position.items():
        try:
            if isinstance(value, MANY):
                yield codes.keep([(codes.number(each), number) for each, number in list_features(name, value)])
            else:
                yield codes[name, value]
        except Unreadable:
            raise TypeError(
                f"X: {place(t)}, {name!r}: expected a string, a number, a list or a dictionary, got {value!r}."
            ) from None
