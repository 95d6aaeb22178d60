"""One alphabet of features for shards of tokens: gathered where the shards are, and agreed here.

The templates that come of it are those that `Templates.fit` makes of all shards together, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .templates import EDGE, Templates, number_strings

Table = Sequence[Sequence[Sequence[str]]]


class Strings(NamedTuple):
    """What a shard has: the different strings of each column, and its labels, as they appear; and its size."""

    columns: dict[str, list[str]]
    labels: list[str]
    tokens: int


class Counts(NamedTuple):
    """The keys of a template that occur in a shard, how often, and at which feature of the shard each appears first."""

    keys: np.ndarray
    times: np.ndarray
    first: np.ndarray


def find_strings(table: Table, labels: list[list[str]], templates: Templates) -> Strings:
    """The strings of a shard."""
    columns = {name: number_strings(table, place, name)[0] for place, name in templates.used_columns()}
    every = dict.fromkeys(label for some in labels for label in some)
    return Strings(columns, list(every), sum(map(len, table)))


def merge_strings(templates: Templates, found: Sequence[Strings]) -> None:
    """Tell the templates which strings there are, those of the first shard first."""
    for atom in templates.plain_atoms():
        strings = list(dict.fromkeys(string for each in found for string in each.columns[atom.column]))
        known = templates.values_of(atom)
        known.number_readings(strings, np.zeros(0, dtype=np.int64), learn=True)
        templates.radix[atom] = len(known.number) + EDGE


def count_features(table: Table, templates: Templates) -> list[Counts]:
    """The features of a shard, template by template."""
    found, several = [], len(templates.templates)
    for number, key in enumerate(templates.keys_of(table)):
        keys, first, count = np.unique(key, return_index=True, return_counts=True)
        found.append(Counts(keys, count, first * several + number))
    return found


def merge_features(templates: Templates, found: Sequence[list[Counts]], tokens: Sequence[int]) -> None:
    """Tell the templates which features there are: numbered as they appear, rare ones left out."""
    before = np.concatenate([[0], np.cumsum(tokens)]) * len(templates.templates)
    keys, appeared = [], []
    for each in zip(*found, strict=True):
        every = np.concatenate([own.keys for own in each])
        first = np.concatenate([own.first + start for own, start in zip(each, before[:-1], strict=True)])
        known, inverse = np.unique(every, return_inverse=True)
        count = np.bincount(inverse, np.concatenate([own.times for own in each]), known.size)
        earliest = np.full(known.size, before[-1])
        np.minimum.at(earliest, inverse, first)
        kept = count >= templates.min_count
        keys.append(known[kept])
        appeared.append(earliest[kept])
    templates.number_features(keys, np.concatenate(appeared))
