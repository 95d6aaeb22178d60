"""Files of labelled tokens as shards: each is read where it is learned from, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .conll import Tokens, read_tokens
from .errors import DataError
from .sources import Source, find_sources

Sentences = list[list[tuple[str, ...]]]


class Layout(NamedTuple):
    """What the columns of a file are: it is stored in the model."""

    columns: tuple[str, ...]  # the names of all columns but that of the labels
    label: int  # the number of that column, from 0
    width: int  # columns in all

    def split(self, tokens: Tokens) -> tuple[Sentences, list[list[str]]]:
        """The columns that features are made of, and the labels if there are any."""
        if tokens.width < self.width:
            return tokens.sentences, []
        at = self.label
        return [[token[:at] + token[at + 1 :] for token in each] for each in tokens.sentences], tokens.column(at)


class Shard(NamedTuple):
    """A file as it was when the shards were opened."""

    source: Source
    layout: Layout

    def load(self) -> tuple[Sentences, list[list[str]]]:
        """The sentences and their labels; a pure function of the file, which must be the same as then."""
        self.source.require_unchanged()
        tokens = read_tokens(self.source)
        if tokens.width != self.layout.width:
            raise DataError(f"expected {self.layout.width} columns, got {tokens.width}.", self.source.path)
        return self.layout.split(tokens)


class PlacedShards(NamedTuple):
    """Shards that an engine loads; `TokenShards.on` makes one."""

    shards: TokenShards
    engine: Any


class TokenShards(NamedTuple):
    """Files of labelled tokens; `linsep.open_shards` makes one.

    `SequenceClassifier.fit` takes ``shards.on(client)`` in place of X and y.
    """

    sources: list[Source]
    layout: Layout

    def on(self, client: Any) -> PlacedShards:
        """The shards for `fit` on the workers of a Dask client, which read them themselves: docs/distributed.md."""
        from ..engines.dask_client import Dask

        return PlacedShards(self, Dask(client))

    def load(self) -> tuple[Sentences, list[list[str]]]:
        """All sentences and their labels, in memory: what `check` and `score` take."""
        X: Sentences = []
        y: list[list[str]] = []
        for source in self.sources:
            sentences, labels = Shard(source, self.layout).load()
            X += sentences
            y += labels
        return X, y


def open_shards(paths: Any, columns: Sequence[str] = ("word", "label"), label: str | None = None) -> TokenShards:
    """Files with one token per line (CoNLL) as shards, to learn from where they are.

    Parameters
    ----------
    paths : str, path or list of them
        Files or globs, in this order; local ones, and addresses that fsspec knows.
    columns : sequence of str, default=("word", "label")
        The names of all columns.
    label : str, default=None
        The column of the labels; None: the last.

    Returns
    -------
    TokenShards

    Examples
    --------
    >>> import os, tempfile
    >>> from linsep import open_shards
    >>> place = os.path.join(tempfile.mkdtemp(), "some.txt")
    >>> with open(place, "w") as file:
    ...     _ = file.write("The DT\\ndog NN\\n\\nGo VB\\n")
    >>> shards = open_shards(place)
    >>> shards.layout.columns, shards.load()
    (('word',), ([[('The',), ('dog',)], [('Go',)]], [['DT', 'NN'], ['VB']]))
    """
    names = list(columns)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"columns: expected two different names or more, got {names}.")
    if label is not None and label not in names:
        raise ValueError(f"label: expected one of {names}, got {label!r}.")
    place = len(names) - 1 if label is None else names.index(label)
    layout = Layout(tuple(name for k, name in enumerate(names) if k != place), place, len(names))
    return TokenShards(find_sources(paths), layout)
