"""Rows that are held elsewhere, by the threads or the workers of an engine; here are their signs and weights only.

`Elsewhere` stands for the rows of one part wherever a list of oracles is expected. Whatever reads rows does it by
`map_parts`: a function of an oracle is called where the rows are, and its answers come back in the order of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..jit import read_only
from ..protocols import declared
from .classes import Classes, against_rivals
from .points import RowMethods


class Held(NamedTuple):
    """What an engine holds of a part: its rows, which begin at 0, and the numbers of their classes."""

    rows: Any  # an oracle of points
    label: np.ndarray


class Recipe(NamedTuple):
    """Which oracle is to be made of what is held."""

    bias: float
    scaled: bool  # learned in scaled coordinates
    classes: int  # of a linear machine; 0: points
    weight: np.ndarray | None = None  # of the rows, if it is not the one that is held

    def oracle(self, held: Held) -> Any:
        """The oracle, whose first row has the number 0."""
        rows = (held.rows if self.scaled else held.rows.certified).with_bias(self.bias)
        if self.weight is not None:
            rows = rows._replace(weight=read_only(self.weight))
        return against_rivals(rows, held.label, self.classes) if self.classes else rows


@dataclass(frozen=True)
class Place:
    """Where the rows of a part are, and what is known of them here."""

    engine: Any
    handle: Any
    width: int
    longest_row: int
    numbers: int  # stored: non-zeros of sparse rows
    row_bytes: float
    class_by_class: bool
    weight: np.ndarray  # as it is held


class _ElsewhereFields(NamedTuple):
    place: Place
    sign: np.ndarray
    weight: np.ndarray
    bias: float
    first: int
    scaled: bool


class Elsewhere(RowMethods, _ElsewhereFields):
    """The rows of a part, for oracles of which nobody visits single sets: batch passes and proofs."""

    __slots__ = ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.place.width

    @property
    def longest_row(self) -> int:
        """The largest number of terms in a scalar product."""
        return self.place.longest_row

    @property
    def numbers(self) -> int:
        """How many numbers are stored."""
        return self.place.numbers

    @property
    def row_bytes(self) -> float:
        """The size of a row in memory."""
        return self.place.row_bytes

    @property
    def CLASS_BY_CLASS(self) -> bool:
        """How w holds the weights of many classes."""
        return self.place.class_by_class

    @property
    def certified(self) -> Elsewhere:
        """The rows as they are: a certificate is about them."""
        return self._replace(scaled=False)

    def vectors(self, places: np.ndarray) -> np.ndarray:
        """The vectors at some places of `dual_weights` that belong to these rows, as a dense matrix."""
        own = places[(places >= self.first) & (places < self.first + self.sign.size)] - self.first
        if not own.size:
            return np.zeros((0, self.width + bool(self.bias)))
        return map_parts(_vectors, [self], each=[(own,)])[0]

    def lowest(self, w, i):
        """Refused, as are the other methods that read a row."""
        raise TypeError("The rows of this part are elsewhere: expected a batch pass, got a visit of one row.")

    def squared_norm(self, i, slot):
        """Refused."""
        self.lowest(None, i)

    def add(self, w, i, slot, beta):
        """Refused."""
        self.lowest(w, i)


def _vectors(part: Any, own: np.ndarray) -> np.ndarray:
    return part.vectors(own)


def _apply(held: Held, function: Callable[..., Any], count: int, *arguments: Any) -> Any:
    """Where the rows are: call the function with the oracle; ``count`` arguments are shared, then comes the recipe."""
    recipe: Recipe = arguments[count]
    return function(recipe.oracle(held), *arguments[:count], *arguments[count + 1 :])


def _recipe(part: Any) -> Recipe:
    row, weight = part.rows, part.weight
    same = weight is row.place.weight or weight.size == row.place.weight.size == 0
    return Recipe(row.bias, row.scaled, part.slots if isinstance(part, Classes) else 0, None if same else weight)


def in_shards(oracle: Any) -> bool:
    """Whether this one oracle stands for sequences in shards."""
    return declared(type(oracle), "IN_SHARDS")


def are_elsewhere(parts: Sequence[Any]) -> bool:
    """Whether what these oracles are about is held by an engine."""
    return in_shards(parts[0]) or isinstance(getattr(parts[0], "rows", None), Elsewhere)


def count_parts(parts: Sequence[Any]) -> int:
    """How many parts there are; one oracle stands for all shards of sequences."""
    return len(parts[0].handles) if in_shards(parts[0]) else len(parts)


def map_parts(
    function: Callable[..., Any], parts: Sequence[Any], *shared: Any, each: Sequence[tuple] | None = None
) -> list[Any]:
    """``function(oracle, *shared, *own)`` of every part, in their order; the oracle's first row has the number 0.

    The function of rows that are elsewhere must be importable there, as those of this package are.
    """
    if in_shards(parts[0]):
        return parts[0].map(function, *shared, each=each)
    own = [()] * len(parts) if each is None else each
    if not are_elsewhere(parts):
        return [function(from_zero(part), *shared, *more) for part, more in zip(parts, own, strict=True)]
    rows = [part.rows for part in parts]
    recipes = [_recipe(part) for part in parts]
    handles = [row.place.handle for row in rows]
    arguments = (function, len(shared), *shared)
    return rows[0].place.engine.map(_apply, handles, arguments, [(r, *m) for r, m in zip(recipes, own, strict=True)])


def from_zero(part: Any) -> Any:
    """The oracle with its own row 0 as the first."""
    if part.first == 0:
        return part
    return (
        part._replace(first=0, rows=part.rows._replace(first=0))
        if isinstance(part, Classes)
        else part._replace(first=0)
    )
