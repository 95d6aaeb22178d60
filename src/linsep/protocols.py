"""The contracts: what an oracle, a target, a rule and a keeper must have.

Components are NamedTuples of numbers and arrays with plain methods, so that the loop can be compiled; any other class
with these methods works too, interpreted. A component says what it is by class attributes; nothing is guessed.
`require` names what is missing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from .oracles.update_log import SparseVectors, UpdateLog

# What a class may say of itself by an attribute of this name, and what is taken for granted if it does not.
DECLARATIONS = {
    "LABELLINGS": False,  # oracle: a set holds the rival labellings of an example
    "IN_SHARDS": False,  # oracle: one stands for sequences in shards that an engine holds
    "BATCH": True,  # oracle: it has a batch form
    "NEEDS_NORM": True,  # target, rule: it uses <w,w> or <a,a>
    "WEIGHTED": True,  # rule: beta is multiplied by the weight of the set
    "NEEDS_MARGIN": False,  # rule: it stands still at w = 0 without a margin b > 0
    "INSIDE_HULL": False,  # rule: w stays in the convex hull, where no margin b > 0 can be promised
}
ROW_BYTES = 12.0  # oracle: `row_bytes`, the size of a set in memory; as many as fit the cache are shuffled together


class Oracle(Protocol):
    """WHAT is separated: sets of vectors. It finds the lowest vector of a set, and adds it to w.

    The slot that `lowest` returns says which vector of the set it is: `squared_norm`, `add` and `record` are given it.
    """

    @property
    def weight(self) -> np.ndarray:
        """One number per set, or empty: all weigh 1; weight 0 = absent."""

    @property
    def sign(self) -> np.ndarray:
        """One number per set, +1 or -1."""

    @property
    def first(self) -> int:
        """The number of set 0 in the whole training set."""

    @property
    def size(self) -> int:
        """How many numbers w has."""

    @property
    def slots(self) -> int:
        """Places of a set in `dual_weights`."""

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


class CertifiedOracle(Oracle, Protocol):
    """Sets whose vectors are rows, or rows against rival classes: what a `MarginCertificate` is about."""

    @property
    def certified(self) -> Any:
        """The oracle whose vectors a certificate names."""

    @property
    def bias_kind(self) -> str:
        """Which margin it is about: "free", "augmented" or "none"."""


class LabellingOracle(Oracle, Protocol):
    """Sets of rival labellings: sequences, networks, and a user's own functions.

    The slot is an entry of ``log``: `lowest` writes the rival there, `record` keeps the entry.
    """

    @property
    def loss(self) -> float:
        """By how much the loss of a rival raises the goal."""

    @property
    def log(self) -> UpdateLog:
        """Where rivals are written down."""

    @property
    def exact(self) -> bool:
        """Whether `lowest` finds the best rival for sure."""

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors of the entries of ``log``: the vectors of a proof."""

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores, one per set."""

    def norm_bound(self) -> float:
        """No vector is longer."""


class InexactOracle(LabellingOracle, Protocol):
    """Labellings whose best rival may be missed: ``exact`` is False."""

    def score_bounds(self, w: np.ndarray) -> np.ndarray:
        """Numbers that no score is below, one per set whose weight is not 0."""


class WholeOracle(LabellingOracle, Protocol):
    """Labellings whose vectors may be of whole numbers: sums of them are not rounded, w is its own proof."""

    def has_whole_numbers(self) -> bool:
        """Whether all vectors are of whole numbers."""


class Target(Protocol):
    """WHEN a vector is violated."""

    @property
    def tolerance(self) -> tuple[float, float]:
        """How far the margin may be from the best one, absolute and relative; (0, 0): any margin will do."""

    def goal(self, ww: float, total: float) -> float:
        """The score that every vector must exceed: violated iff <w,a> <= goal."""


class Rule(Protocol):
    """HOW w moves: w <- alpha w + beta a, with alpha, beta >= 0."""

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


F = TypeVar("F", bound=Callable[..., Any])


def cached(function: F) -> F:
    """`functools.cache` for functions of classes, which mypy takes for unhashable."""
    return cast(F, functools.cache(function))


def declared(kind: type, name: str) -> bool:
    """What the class of a component says of itself, or what is taken for granted.

    >>> from linsep.rules import Nearest
    >>> declared(Nearest, "WEIGHTED"), declared(Nearest, "NEEDS_MARGIN")
    (False, False)
    """
    return getattr(kind, name, DECLARATIONS[name])


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


NAMES = {
    "Oracle": "an oracle",
    "CertifiedOracle": "an oracle with a certificate",
    "LabellingOracle": "an oracle of labellings",
    "Target": "a target",
    "Rule": "a rule",
}


@cached
def require(kind: type, contract: type) -> None:
    """Raise a TypeError that names the first thing that a class of components lacks.

    >>> from typing import NamedTuple
    >>> class Half(NamedTuple):
    ...     rate: float
    >>> require(Half, Rule)
    Traceback (most recent call last):
    TypeError: Half is not a rule: expected a method step(self, t, wa, ww, aa, goal).
    """
    what = f"{kind.__name__} is not {NAMES[contract.__name__]}"
    for base in (each for each in reversed(contract.__mro__) if each not in (object, Protocol, Generic)):
        for name, expected in _methods(base).items():
            found = getattr(kind, name, None)
            if not callable(found):
                raise TypeError(f"{what}: expected a method {name}({expected}).")
            got = ", ".join(inspect.signature(found).parameters)
            if got != expected:
                raise TypeError(f"{what}: expected {name}({expected}), got {name}({got}).")
        for name in (name for name, member in vars(base).items() if isinstance(member, property)):
            if issubclass(kind, tuple) and not hasattr(kind, name):
                raise TypeError(f"{what}: expected an attribute {name}.")
