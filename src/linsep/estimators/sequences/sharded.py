"""Sequences in shards: the features and labels of all are agreed here; the sequences stay where they are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ...data.shards import PlacedShards, Shard
from ...oracles.sequences import Sequences
from ...oracles.sequences.shards import Shards, shards
from .alphabet import Counts, Strings, count_features, find_strings, merge_features, merge_strings
from .labels import Agreed, flatten_labels
from .reader import Reader
from .templates import Templates

Tokens = tuple[list, list[list[str]]]


class Gathered(NamedTuple):
    """What was gathered from all shards."""

    tokens: list[Any]  # handles
    reader: Reader
    labels: Iterable[str]


def gather(placed: PlacedShards, templates: Templates | None) -> Gathered:
    """Have the shards read, and agree on one alphabet of features: two looks at all of them."""
    given, engine = placed.shards, placed.engine
    if templates is None:
        raise ValueError("templates: expected those of columns of strings for shards, as 'window', got None.")
    if templates.columns != given.layout.columns:
        raise ValueError(f"columns: expected {given.layout.columns}, as the shards have, got {templates.columns}.")
    tokens = engine.hold(Shard.load, [(Shard(source, given.layout),) for source in given.sources])
    nothing: list[tuple] = [()] * len(tokens)
    found = engine.map(_find_strings, tokens, (templates,), nothing)
    merge_strings(templates, found)
    merge_features(templates, engine.map(_count_features, tokens, (templates,), nothing), [f.tokens for f in found])
    reader = Reader(templates)
    reader.width = templates.width
    return Gathered(tokens, reader, dict.fromkeys(label for each in found for label in each.labels))


def place_sequences(placed: PlacedShards, gathered: Gathered, agreed: Agreed) -> Shards:
    """All shards as one oracle."""
    shared = placed.engine.hold(_together, [(gathered.reader, agreed)])[0]
    handles = placed.engine.hold(_make_oracle, [(tokens, shared) for tokens in gathered.tokens])
    return shards(placed.engine, handles, agreed.loss)


# --- where the shards are --------------------------------------------------------------------------------------------


def _find_strings(tokens: Tokens, templates: Templates) -> Strings:
    return find_strings(*tokens, templates)


def _count_features(tokens: Tokens, templates: Templates) -> list[Counts]:
    return count_features(tokens[0], templates)


def _together(reader: Reader, agreed: Agreed) -> tuple[Reader, Agreed]:
    return reader, agreed


def _make_oracle(tokens: Tokens, shared: tuple[Reader, Agreed]) -> Sequences:
    reader, agreed = shared
    read = reader.apply(tokens[0])
    return agreed.oracle(read, flatten_labels(tokens[1], read.begin))
