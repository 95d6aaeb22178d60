"""An independent check of the certificate of a structured classifier: a plain statement of the problem, and NumPy.

A `Structure` says what the problem is: examples, truths, phi, and by how much a truth leads its best rival, each by
slow and simple code that the solver does not use. The proof is checked as that of rows is (`check.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..base import Status, Verdict
from ..labelling import LabellingCertificate
from .inseparable import whole_weights
from .margin import statuses
from .rows import DECISIVE, U, check_empty, combination, count_violated, is_margin, nearest_float, rounded_up
from .vectors import count_terms, difference, exact_norm, exact_score, rounded, weighted_sum, whole_numbers

EXACT = 2**18  # numbers that the exact norm of the combination may cost


class Structure(Protocol):
    """The problem, stated plainly."""

    n: int  # examples
    size: int  # numbers in w

    def truth(self, i: int) -> Any:
        """The right labelling of example i."""

    def allowed(self, i: int, labelling: Any) -> bool:
        """Whether it is a labelling of example i, and not the truth."""

    def terms(self, i: int, labelling: Any) -> Iterable[tuple[int, float]]:
        """Indices and numbers whose sum is phi(x_i, labelling), without rounding."""

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """Two numbers, and between them the score of the truth less that of its best rival."""

    def exact_lead(self, w: np.ndarray, i: int) -> Fraction | float | None:
        """The same of a w of integers, without rounding; None if that would take long."""

    def reach(self) -> float:
        """No vector phi(x,y) - phi(x,y') is longer."""


def check_structure(claim: LabellingCertificate, structure: Structure, keep: np.ndarray | None = None) -> Verdict:
    """Every number of ``claim`` computed again; ``keep`` says which examples weigh anything, all by default."""
    keep = np.ones(structure.n, dtype=bool) if keep is None else np.asarray(keep, dtype=bool)
    if claim.w.shape != (structure.size,) or claim.bias != "none" or keep.shape != (structure.n,) or not keep.any():
        return Verdict((f"shape: w has {claim.w.size} numbers, {structure.size} are wanted, and no bias",))
    if not np.isfinite(claim.w).all() or not np.isfinite(claim.weights).all():
        return Verdict(("w or the weights of the proof are not finite",))
    if claim.status == Status.INTERRUPTED:
        return check_empty(claim, int(keep.sum()))
    wrong: list[str] = []
    low, high = _check_lower(claim, structure, keep, wrong)
    bound, zero = _check_upper(claim, structure, keep, wrong)
    status = statuses(claim, low, low <= 0 <= high, zero)
    status += () if claim.sound or zero or claim.lower > 0 else (Status.NOT_PROVED, "budget spent")
    if claim.status not in status:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, status))}")
    norm = math.hypot(*claim.w)
    return Verdict(tuple(wrong), high / norm if norm > 0 else -math.inf, bound)


def _check_lower(claim: LabellingCertificate, structure: Structure, keep: np.ndarray, wrong: list[str]) -> tuple:
    """Check all that is claimed of w itself; returns two numbers, and between them its least score."""
    norm, present = math.hypot(*claim.w), np.flatnonzero(keep)
    leads = np.array([structure.lead(claim.w, int(i)) for i in present])
    low, high = leads.min(axis=0)
    fuzz = 4 * (high - low) / norm + 1e-12 * abs(high / norm) if norm > 0 else 0.0
    (whole,), unit = whole_numbers(claim.w)
    exact = cache(lambda k: structure.exact_lead(whole, int(present[k])))
    fewest, most = count_violated(leads[:, 0], leads[:, 1], claim.violated, exact)
    decisive = np.flatnonzero(leads[:, 0] <= high).tolist()
    least: Any = low
    if len(decisive) <= DECISIVE or rounded_up(claim.lower * norm) > low:
        known = [lead for lead in map(exact, decisive) if lead is not None]
        least = min(known) if len(known) == len(decisive) else high
        least = least / unit if isinstance(least, Fraction) else least
        high = nearest_float(least)
    margin = high / norm if norm > 0 else -math.inf
    if norm > 0 and not is_margin(claim.lower, least, claim.w):
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm > 0 and claim.sound and claim.lower < low / norm - fuzz - 4 * claim.rounding:
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm == 0 and claim.lower != -math.inf:
        wrong.append(f"lower: claimed {claim.lower!r} for w = 0")
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
    return low, high


def _check_upper(
    claim: LabellingCertificate, structure: Structure, keep: np.ndarray, wrong: list[str]
) -> tuple[float, bool]:
    """Check the proof of the upper bound; returns the bound, and whether it proves that no w is right throughout."""
    unsound = _unsound(claim, structure, keep)
    bound, zero = math.nan, False
    if not unsound:
        vectors = [
            difference(structure.terms(i, structure.truth(i)), structure.terms(i, y)) for i, y, _ in claim.proof()
        ]
        rows = np.arange(claim.rows.size)
        flat, every = replace(claim, rows=rows, w=np.append(claim.w, 0.0)), np.ones(rows.size)
        bound, slack, unsound = combination(rounded(vectors, structure.size), every, every > 0, flat, 0.0)
        unsound, least = unsound or whole_weights(flat), bound - slack
        if not unsound and count_terms(vectors) <= EXACT:
            weights = [Fraction(float(weight)) for weight in claim.weights]
            share = sum(weights)
            bound = exact_norm(number / share for number in weighted_sum(vectors, weights))
            least = bound * (1 - 4 * U)
        if not unsound and not least <= claim.upper <= bound * (1 + 1e-9) + 64 * slack + 8 * claim.rounding:
            wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
        if claim.zero_sum and not unsound:
            zero = not any(weighted_sum(vectors, claim.integers or [Fraction(float(x)) for x in claim.weights]))
    if unsound:
        wrong.append(f"proof: {unsound}")
    if claim.zero_sum and not zero:
        wrong.append("proof: that the weighted vectors sum to zero is claimed, but not so")
    return bound, zero


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

    def phi(self, i: int, labelling: Any) -> np.ndarray:
        """phi as an array."""
        found = self._phi(self.X[i], labelling)
        return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64).ravel()

    def terms(self, i: int, labelling: Any) -> Iterator[tuple[int, float]]:
        """The numbers of phi that are not 0."""
        found = self.phi(i, labelling)
        yield from ((int(j), float(found[j])) for j in np.flatnonzero(found))

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

    def exact_lead(self, w: np.ndarray, i: int) -> Fraction | float:
        """By trying all rivals."""
        own = list(self.terms(i, self.y[i]))
        rivals = (difference(own, self.terms(i, other)) for other in self._rivals(i))
        return min((exact_score(w, vector) for vector in rivals), default=math.inf)

    def reach(self) -> float:
        """The longest vector of all."""
        lengths = (
            np.linalg.norm(self.phi(i, self.y[i]) - self.phi(i, o)) for i in range(self.n) for o in self._rivals(i)
        )
        return float(max(lengths, default=0.0))


def _equal(one: Any, other: Any) -> bool:
    """Whether two labellings are the same; of arrays, in all places."""
    return np.shape(one) == np.shape(other) and bool(np.all(np.asarray(one == other)))
