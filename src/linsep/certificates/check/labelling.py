"""An independent check of the certificate of a structured classifier: a plain statement of the problem, and NumPy.

A `Structure` says what the problem is: examples, truths, phi, and by how much a truth leads its best rival, each by
slow and simple code that the solver does not use. The proof is checked as that of rows is (`check.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..base import Status, Verdict
from ..labelling import LabellingCertificate
from .inseparable import sums_to_zero, whole_weights
from .margin import statuses
from .rows import U, combination


class Structure(Protocol):
    """The problem, stated plainly."""

    n: int  # examples
    size: int  # numbers in w

    def truth(self, i: int) -> Any:
        """The right labelling of example i."""

    def allowed(self, i: int, labelling: Any) -> bool:
        """Whether it is a labelling of example i, and not the truth."""

    def phi(self, i: int, labelling: Any, number: type = float) -> np.ndarray:
        """phi(x_i, labelling), summed as floats, or as fractions without rounding."""

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """Two numbers, and between them the score of the truth less that of its best rival."""

    def reach(self) -> float:
        """No vector phi(x,y) - phi(x,y') is longer."""


def check_structure(claim: LabellingCertificate, structure: Structure, keep: np.ndarray | None = None) -> Verdict:
    """Every number of ``claim`` computed again; ``keep`` says which examples weigh anything, all by default."""
    keep = np.ones(structure.n, dtype=bool) if keep is None else np.asarray(keep, dtype=bool)
    if claim.w.shape != (structure.size,) or claim.bias != "none":
        return Verdict((f"shape: w has {claim.w.size} numbers, {structure.size} are wanted, and no bias",))
    if not np.isfinite(claim.w).all() or not np.isfinite(claim.weights).all():
        return Verdict(("w or the weights of the proof are not finite",))
    wrong: list[str] = []
    norm = math.hypot(*claim.w)
    leads = np.array([structure.lead(claim.w, int(i)) for i in np.flatnonzero(keep)])
    low, high = leads.min(axis=0)
    margin = high / norm if norm > 0 else -math.inf
    fuzz = 4 * (high - low) / norm + 1e-12 * abs(margin) if norm > 0 else 0.0
    if norm > 0 and claim.lower > margin * (1 + 8 * U * math.copysign(1, margin)):
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm > 0 and claim.sound and claim.lower < low / norm - fuzz - 4 * claim.rounding:
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm == 0 and claim.lower != -math.inf:
        wrong.append(f"lower: claimed {claim.lower!r} for w = 0")
    fewest, most = int((leads[:, 1] < 0).sum()), int((leads[:, 0] <= 0).sum())
    if not (fewest if claim.sound else 0) <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != int(keep.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(keep.sum())} examples")
    if claim.longest < structure.reach() * (1 - 1e-12):
        wrong.append(f"longest: claimed {claim.longest!r}, but vectors may be as long as {structure.reach()!r}")
    ratio = claim.longest / claim.lower if claim.lower > 0 else math.inf
    if claim.novikoff != math.inf and not abs(claim.novikoff / (ratio * ratio) - 1) <= 1e-9:
        wrong.append(f"novikoff: claimed {claim.novikoff!r}, found {ratio * ratio!r}")
    if claim.novikoff == math.inf and ratio * ratio < math.inf:
        wrong.append(f"novikoff: claimed to be infinite, found {ratio * ratio!r}")

    bound, zero, unsound = math.nan, False, _unsound(claim, structure, keep)
    if not unsound:
        A, rows = _vectors(claim, structure), np.arange(claim.rows.size)
        flat = replace(claim, rows=rows, w=np.append(claim.w, 0.0))
        every = np.ones(rows.size)
        bound, slack, unsound = combination(A, every, every > 0, flat, 0.0)
        unsound = unsound or whole_weights(flat)
        if not unsound and not bound - slack <= claim.upper <= bound * (1 + 1e-9) + 64 * slack + 8 * claim.rounding:
            wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
        zero = claim.zero_sum and not unsound and _sums_to_zero(flat, claim, structure)
    if unsound:
        wrong.append(f"proof: {unsound}")
    if claim.zero_sum and not zero:
        wrong.append("proof: that the weighted vectors sum to zero is claimed, but not so")
    status = statuses(claim, low, low <= 0 <= high, zero)
    status += () if claim.sound or zero or claim.lower > 0 else (Status.NOT_PROVED, "budget spent")
    if claim.status not in status:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, status))}")
    return Verdict(tuple(wrong), margin, bound)


def _unsound(claim: LabellingCertificate, structure: Structure, keep: np.ndarray) -> str:
    """What is wrong with the entries of the proof, if anything."""
    begins = claim.begins
    if claim.rows.shape != claim.weights.shape or claim.rows.size == 0 or begins.shape != (claim.rows.size + 1,):
        return "it names no examples, or not a rival for each"
    if begins[0] != 0 or begins[-1] != claim.rivals.size or (np.diff(begins) < 0).any():
        return "its rivals are cut wrongly"
    if claim.rows.min() < 0 or claim.rows.max() >= structure.n or not keep[claim.rows].all():
        return "it names an example that does not exist"
    for i, rival, _ in claim.proof():
        if not structure.allowed(i, rival):
            return f"{rival!r} is no rival of example {i}"
    return ""


def _sums_to_zero(flat: LabellingCertificate, claim: LabellingCertificate, structure: Structure) -> bool:
    """Whether the proof shows that no w labels all examples right: of vectors that are not rounded."""
    vectors = [
        structure.phi(i, structure.truth(i), Fraction) - structure.phi(i, y, Fraction) for i, y, _ in claim.proof()
    ]
    if claim.integers:
        return not sum(number * a for number, a in zip(claim.integers, vectors, strict=True)).any()
    A = np.array(vectors)
    rounded = A.astype(np.float64)
    if (rounded != A).any():  # sums that are no floats: integers would be needed
        return False
    return sums_to_zero(sp.csr_array(rounded), np.ones(len(A)), flat, 0.0)


def _vectors(claim: LabellingCertificate, structure: Structure) -> sp.csr_array:
    """The vectors of the proof, a row each."""
    found = (
        sp.csr_array((structure.phi(i, structure.truth(i)) - structure.phi(i, y))[None]) for i, y, _ in claim.proof()
    )
    return sp.csr_array(sp.vstack(list(found)))


class Listed:
    """A structure whose labellings are listed: phi and labels are any functions, and every rival is tried.

    >>> from linsep.certificates.check.labelling import Listed
    >>> signs = Listed([2.0, -3.0], [1, -1], lambda x, y: np.array([x * y]), lambda x: (-1, 1))
    >>> signs.lead(np.array([1.0]), 0)[0] > 3.99, signs.reach()
    (True, 6.0)
    """

    def __init__(self, X: Sequence, y: Sequence, phi: Callable[[Any, Any], Any], labels: Callable[[Any], Iterable]):
        self.X, self.y, self._phi, self.labels = X, y, phi, labels
        self.n, self.size = len(X), int(np.size(self.phi(0, y[0])))

    def truth(self, i: int) -> Any:
        """The right labelling."""
        return self.y[i]

    def phi(self, i: int, labelling: Any, number: type = float) -> np.ndarray:
        """phi as an array."""
        found = self._phi(self.X[i], labelling)
        found = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64).ravel()
        return found if number is float else np.array([number(x) for x in found.tolist()], dtype=object)

    def allowed(self, i: int, labelling: Any) -> bool:
        """Whether it is a listed rival."""
        return any(_equal(labelling, other) for other in self._rivals(i))

    def _rivals(self, i: int) -> list:
        return [other for other in self.labels(self.X[i]) if not _equal(other, self.y[i])]

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """By trying all rivals."""
        own = self.phi(i, self.y[i])
        low, high = math.inf, math.inf
        for other in self._rivals(i):
            a = own - self.phi(i, other)
            score = math.fsum(w * a)
            error = 4 * U * math.fsum(np.abs(w) * (np.abs(own) + np.abs(a)))
            low, high = min(low, score - error), min(high, score + error)
        return low, high

    def reach(self) -> float:
        """The longest vector of all."""
        lengths = (
            np.linalg.norm(self.phi(i, self.y[i]) - self.phi(i, o)) for i in range(self.n) for o in self._rivals(i)
        )
        return float(max(lengths, default=0.0))


def _equal(one: Any, other: Any) -> bool:
    """Whether two labellings are the same; of arrays, in all places."""
    return np.shape(one) == np.shape(other) and bool(np.all(np.asarray(one == other)))
