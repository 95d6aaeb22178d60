"""What all certificates share: a status, two bounds, words, plain data, and the verdict of a check."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, fields
from decimal import ROUND_FLOOR, Context
from enum import StrEnum
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np


def at_least(bound: float, digits: int = 6) -> str:
    """A lower bound in words: rounded down, unless it is a round number but for 1e-12 of it.

    >>> at_least(3.32819878), at_least(1.9999999999999996)
    ('3.32819', '2')
    """
    near = f"{bound:.{digits}g}"
    if not math.isfinite(bound) or float(near) - bound <= 1e-12 * abs(bound):
        return near
    return f"{float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(bound)):.{digits}g}"


def at_most(bound: float, digits: int = 6) -> str:
    """An upper bound in words: rounded up.

    >>> at_most(3.33146404), at_most(0.000978)
    ('3.33147', '0.000978')
    """
    return at_least(-bound, digits).removeprefix("-") if bound > 0 else f"{bound:.{digits}g}"


class Status(StrEnum):
    """What a certificate says in one word or two; `Certificate.proved` tells which of them are proved."""

    OPTIMAL = "optimal"  # the bounds meet, to the tolerance that was asked for
    EPS_OPTIMAL = "eps-optimal"  # the bounds are at most eps apart
    SEPARATED = "separated"  # w separates the data
    REACHED = "reached"  # the value that was asked for is reached
    NOT_SEPARABLE = "not separable"  # no w separates the data
    IMPOSSIBLE = "impossible"  # no w reaches the value that was asked for
    INFEASIBLE = "infeasible"  # no w is better than guessing
    NOT_SEPARATED = "not separated"  # learning is over, and this w does not separate the data
    NOT_PROVED = "not proved"  # nothing speaks against w, but the search may have missed something
    WITHIN_ROUNDING = "not decided within rounding"
    BUDGET_SPENT = "budget spent"
    INTERRUPTED = "interrupted"  # the proof too: nothing is claimed of w

    def __repr__(self) -> str:
        return repr(self.value)


PROVED = frozenset(
    {Status.OPTIMAL, Status.EPS_OPTIMAL, Status.SEPARATED, Status.REACHED}
    | {Status.NOT_SEPARABLE, Status.IMPOSSIBLE, Status.INFEASIBLE}
)


class Verdict(NamedTuple):
    """The answer of a check: true if nothing was found wrong.

    >>> bool(Verdict(())), bool(Verdict(("upper: ...",)))
    (True, False)
    >>> print(Verdict((), 1.5, 2.0, "margin"))
    The certificate holds: recomputed from the data, margin 1.5, upper bound 2.
    >>> print(Verdict((), -math.inf, math.inf))
    The certificate holds, but claims nothing: there was no time for a proof.
    """

    failures: tuple[str, ...]
    lower: float = math.nan  # both bounds as the check computed them
    upper: float = math.nan
    quantity: str = "lower bound"  # what `lower` is

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "The certificate is WRONG: " + "; ".join(self.failures) + "."
        if (self.lower, self.upper) == (-math.inf, math.inf):
            return "The certificate holds, but claims nothing: there was no time for a proof."
        found = f"{self.quantity} {self.lower:.12g}, upper bound {self.upper:.12g}"
        return f"The certificate holds: recomputed from the data, {found}."


KINDS = {  # of certificates, and the modules that define them
    "LabellingCertificate": "labelling",
    "MarginCertificate": "margin",
    "ObjectiveCertificate": "objective",
    "RadiusCertificate": "radius",
    "RidgeCertificate": "ridge",
}


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A learned w with what is proved about it: plain data, built by keyword in `linsep.certificates.prove`."""

    status: Status
    lower: float
    upper: float
    updates: int = 0  # updates, passes or steps made
    size: int = 0  # sets that were learned from: rows, examples or Gaussians
    reason: str = ""  # why learning ended before its target, or nothing
    w: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # the bias is its last number
    classes: tuple = (-1, 1)  # the labels of the negative and of the positive side, or of all classes

    @property
    def gap(self) -> float:
        """How far apart the bounds are: upper - lower."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """The gap as a part of the upper bound."""
        return self.gap / self.upper if self.upper > 0 else 0.0 if self.gap == 0 else math.inf

    @property
    def proved(self) -> bool:
        """Whether the status is a proved statement, rather than the end of a budget."""
        return self.status in PROVED

    def _say_nothing(self) -> str:
        """The sentence of a certificate that was interrupted."""
        made = f"{self.updates} update{'s' * (self.updates != 1)} or passes made"
        return f"Interrupted: {self.reason}; there was no time to prove anything about this w; {made}."

    def check(self, *data: Any, **options: Any) -> Verdict:
        """Compute every claim again from the data, with code of its own."""
        raise TypeError(f"{type(self).__name__} has no check.")

    def to_dict(self) -> dict[str, Any]:
        """Numbers, strings and lists only: what JSON can hold."""
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in self.parts().items()}

    def parts(self) -> dict[str, Any]:
        """As `to_dict`, with arrays as they are."""
        plain: dict[str, Any] = {"kind": type(self).__name__}
        plain |= {f.name: getattr(self, f.name) for f in fields(self)}
        plain["status"] = str(self.status)
        plain["classes"] = [getattr(label, "item", lambda label=label: label)() for label in self.classes]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The certificate that `to_dict` wrote, of the kind that it names."""
        name = plain.get("kind", cls.__name__)
        kind = getattr(import_module(f".{KINDS[name]}", __package__), name) if name in KINDS else None
        if kind is None or not issubclass(kind, cls):
            raise ValueError(f"kind: expected a {cls.__name__}, got {name!r}.")
        return kind(**kind._read({key: value for key, value in plain.items() if key != "kind"}))

    @classmethod
    def _read(cls, plain: dict[str, Any]) -> dict[str, Any]:
        """The fields of a certificate, of their own types, from what `to_dict` wrote."""
        read = {**plain, "status": Status(plain["status"]), "classes": tuple(plain["classes"])}
        for f in fields(cls):
            default = f.default_factory() if callable(f.default_factory) else None
            if isinstance(default, np.ndarray) and f.name in plain:
                read[f.name] = np.asarray(plain[f.name], dtype=default.dtype)
        return read

    def _repr_html_(self) -> str:
        """The sentence and the numbers, for notebooks."""
        numbers = {"lower bound": self.lower, "upper bound": self.upper, "updates": self.updates, "size": self.size}
        cells = "".join(f"<tr><th>{name}</th><td>{value:.9g}</td></tr>" for name, value in numbers.items())
        return f"<p><b>{html.escape(self.status)}</b></p><p>{html.escape(str(self))}</p><table>{cells}</table>"
