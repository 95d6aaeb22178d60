"""The contracts: what an oracle, a target, a rule and a keeper must have.

Components are NamedTuples of numbers and arrays with plain methods, so that the loop can be compiled; any other class
with these methods works too, interpreted. A component says what it is by class attributes; nothing is guessed.
`require` names what is missing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol

import numpy as np

if TYPE_CHECKING:
    from .oracles.update_log import Touched, UpdateLog


class Oracle(Protocol):
    """WHAT is separated: sets of vectors. It finds the lowest vector of a set, and adds it to w.

    The slot that `lowest` returns says which vector of the set it is: `squared_norm`, `add` and `record` are given it.
    """

    weight: np.ndarray  # one number per set, or empty: all weigh 1; weight 0 = absent
    sign: np.ndarray  # one number per set, +1 or -1
    first: int  # the number of set 0 in the whole training set

    size: int  # how many numbers w has
    slots: int  # places of a set in `dual_weights`

    LABELLINGS: ClassVar[bool] = False  # whether a set holds the rival labellings of an example (see below)
    BATCH: ClassVar[bool] = True  # whether it has a batch form
    row_bytes: ClassVar[float] = 12.0  # the size of a set in memory: as many as fit the cache are shuffled together

    def lowest(self, w: np.ndarray, i: int) -> tuple[float, int]:
        """<w,a> of the lowest vector a of set i, and its slot."""

    def squared_norm(self, i: int, slot: int) -> float:
        """<a,a>."""

    def add(self, w: np.ndarray, i: int, slot: int, beta: float) -> None:
        """Add beta a to w."""

    def record(self, dual_weights: np.ndarray, i: int, slot: int, beta: float) -> None:
        """Remember that beta a was added: the proof of every upper bound."""

    def w_changed(self, w: np.ndarray) -> None:
        """Called after every change of w, for oracles that keep scores."""


class LabellingOracle(Oracle, Protocol):
    """Sets of rival labellings: sequences, networks, and a user's own functions.

    The slot is an entry of ``log``: `lowest` writes the rival there, `record` keeps the entry.
    """

    LABELLINGS: ClassVar[bool] = True
    loss: float  # by how much the loss of a rival raises the goal
    log: UpdateLog
    exact: bool  # whether `lowest` finds the best rival for sure

    def difference_vectors(self, log: UpdateLog) -> Iterator[Touched]:
        """The vectors of the entries of ``log``: the vectors of a proof."""

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores, one per set."""

    def norm_bound(self) -> float:
        """No vector is longer."""

    def score_bounds(self, w: np.ndarray) -> np.ndarray:
        """Numbers that no score is below, one per present set; asked only if ``exact`` is False."""


class Target(Protocol):
    """WHEN a vector is violated."""

    NEEDS_NORM: ClassVar[bool] = True  # whether `goal` uses <w,w>
    tolerance: tuple[float, float]  # how far the margin may be from the best one: absolute, relative; (0, 0): any

    def goal(self, ww: float, total: float) -> float:
        """The score that every vector must exceed: violated iff <w,a> <= goal."""


class Rule(Protocol):
    """HOW w moves: w <- alpha w + beta a, with alpha, beta >= 0."""

    NEEDS_NORM: ClassVar[bool] = True  # whether `step` uses <w,w> or <a,a>
    WEIGHTED: ClassVar[bool] = True  # whether beta is multiplied by the weight of the set
    NEEDS_MARGIN: ClassVar[bool] = False  # whether it stands still at w = 0 without a margin b > 0
    INSIDE_HULL: ClassVar[bool] = False  # whether w stays in the convex hull, where no margin b > 0 can be promised

    def step(self, t: int, wa: float, ww: float, aa: float, goal: float) -> tuple[float, float]:
        """Alpha and beta of update t = 0, 1, ..."""


class BatchRule(Rule, Protocol):
    """A rule with a batch form: w <- alpha w + beta s, where s is the weighted sum of all violated vectors."""

    def batch_weight(self, wa: float, aa: float, goal: float) -> float:
        """The weight of a violated vector in s."""

    def batch_step(self, t: int, batch: Any) -> tuple[float, float]:
        """Alpha and beta from the numbers of s (`linsep.rules.Batch`)."""


class ScheduledRule(Protocol):
    """A rule that is a Python function of the number of updates."""

    def for_updates(self, t: int, count: int) -> Rule:
        """The rule for updates t, ..., t + count - 1, for compiled code."""


class Keeper(Protocol):
    """WHICH w of the run is the answer."""

    def update(self, oracle: Oracle, i: int, slot: int, beta: float) -> None:
        """Beta a is about to be added to w."""

    def rescale(self, w: np.ndarray, seen: float) -> None:
        """The scale of w is about to be multiplied out."""

    def result(self, w: np.ndarray, seen: float) -> np.ndarray:
        """The w to return."""


def declared(kind: type, contract: type, name: str) -> Any:
    """What the class of a component says of itself, or what its contract takes for granted.

    >>> from linsep.rules import Nearest
    >>> declared(Nearest, Rule, "WEIGHTED"), declared(Nearest, Rule, "NEEDS_MARGIN")
    (False, False)
    """
    return getattr(kind, name, getattr(contract, name))


def has_methods(kind: type, contract: type) -> bool:
    """Whether a class has the methods that ``contract`` adds to the contracts it is based on."""
    return all(callable(getattr(kind, name, None)) for name in _methods(contract))


def _methods(contract: type) -> dict[str, str]:
    """The methods of a contract itself, with their parameters."""
    return {
        name: ", ".join(inspect.signature(method).parameters)
        for name, method in vars(contract).items()
        if inspect.isfunction(method) and not name.startswith("_")
    }


CONTRACTS = {Oracle: "an oracle", LabellingOracle: "an oracle of labellings", Target: "a target", Rule: "a rule"}


def require(kind: type, contract: type) -> None:
    """Raise a TypeError that names the first thing that a class of components lacks.

    >>> from typing import NamedTuple
    >>> class Half(NamedTuple):
    ...     rate: float
    >>> require(Half, Rule)
    Traceback (most recent call last):
    TypeError: Half is not a rule: expected a method step(self, t, wa, ww, aa, goal).
    """
    what = f"{kind.__name__} is not {CONTRACTS[contract]}"
    for base in (each for each in reversed(contract.__mro__) if each not in (object, Protocol, Generic)):
        for name, expected in _methods(base).items():
            found = getattr(kind, name, None)
            if not callable(found):
                raise TypeError(f"{what}: expected a method {name}({expected}).")
            got = ", ".join(inspect.signature(found).parameters)
            if got != expected:
                raise TypeError(f"{what}: expected {name}({expected}), got {name}({got}).")
        for name, note in vars(base).get("__annotations__", {}).items():
            if issubclass(kind, tuple) and "ClassVar" not in str(note) and not hasattr(kind, name):
                raise TypeError(f"{what}: expected an attribute {name}.")
