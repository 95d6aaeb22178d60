r"""The largest structured margin, exactly, and whether structures are separable at all (C10 and B4 for E4).

The vectors :math:`\varphi(x,y) - \varphi(x,y')` are as many as there are labellings; `nearest_of` takes them in as the
oracle finds them. If the point of least norm is the origin, exact arithmetic decides on the few vectors it is made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates.labelling import StructureCertificate
from ..certificates.prove.labelling import Note, OfStructures
from ..certificates.prove.margin import Terms
from ..jit import at_speed, compiled
from ..loop.stop import HIDDEN, Rounds
from ..oracles import points
from ..oracles.update_log import ledger
from ..rows.matrix import live
from ..targets import EpsOptimal
from .column_generation import nearest_of
from .exact_nearest_point import exact_point

MOST = 1 << 28  # numbers of the vectors in use
SECONDS = 60.0  # budget of exact arithmetic


@compiled
def write(part, w, rows, dual):
    """Write the lowest vector of each of ``rows`` into the ledger."""
    for i in rows:
        part.probe(w, i)
        part.credit(dual, i, 1.0)


class Rivals:
    """Examples against their rivals as a pool; a vector has the number in which it was first taken."""

    def __init__(self, part: Any):
        self.judge = OfStructures([part])
        self.part, self.size = self.judge.part, part.size
        self.numbers: dict[tuple[int, bytes], int] = {}
        self.w = np.zeros(self.size)

    def price(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every example."""
        self.w = w
        score = np.full(self.part.sign.size, np.inf)
        for rows in live(self.part):
            score[rows] = self.judge.scores(w, rows)
        return score

    def take(self, sets: np.ndarray) -> np.ndarray:
        """The numbers of the best rivals."""
        book = ledger(sets.size, self.part.ledger.label.size)
        at_speed(write, self.part)(self.part._replace(ledger=book), self.w, sets, np.zeros(sets.size))
        found = (
            (int(i), book.label[begin:end].tobytes())
            for i, begin, end in zip(book.example, book.begin[:-1], book.begin[1:], strict=True)
        )
        return np.array([self.numbers.setdefault(key, len(self.numbers)) for key in found], dtype=np.int64)

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """Their vectors."""
        if numbers.size * self.size > MOST:
            raise ValueError(
                f"the largest margin needs {numbers.size} vectors of {self.size} numbers in memory: too many. "
                "Use Kozinec's rule, which comes as near as you ask."
            )
        return self.judge.vectors(self.note(numbers))

    def note(self, numbers: np.ndarray) -> Note:
        """The vectors with these numbers, as a note."""
        keys = list(self.numbers)
        some = [keys[k] for k in numbers.tolist()]
        labels = [np.frombuffer(rival, dtype=np.int32) for _, rival in some]
        begin = np.concatenate([[0], np.cumsum([label.size for label in labels])]).astype(np.int64)
        label = np.concatenate([np.zeros(0, np.int32), *labels])
        return Note(np.array([i for i, _ in some], dtype=np.int64), begin, label)


def largest_margin(
    part: Any, tol: float = 1e-9, rounds: Rounds | None = None, seconds: float = SECONDS
) -> StructureCertificate:
    """The certificate of the w with the largest margin, or a proof that no w labels all examples right.

    ``tol`` is relative; ``seconds`` limit the exact arithmetic of a proof.
    """
    if not getattr(part, "exact", True):
        raise ValueError("the largest margin needs the best rival, which this oracle does not know for sure.")
    rounds = rounds or Rounds(1000)
    pool = Rivals(part)
    found = nearest_of(pool, 0.1 * tol, rounds)
    reason = rounds.reason or HIDDEN
    terms = Terms(EpsOptimal(0.0, tol), "none", found.looks, reason, exact=True)
    certificate = pool.judge.claim(found.w, pool.note(found.used), found.weights, terms)
    while certificate.separable is None and not rounds.reason:
        A = pool.vectors(found.used)
        decision = exact_point([points(A, np.ones(len(A)), bias=0.0)], "none", found.weights, seconds)
        if decision.rows is not None:
            shares = np.array(decision.integers, dtype=object) / sum(decision.integers)
            note = pool.note(found.used[decision.rows])
            return pool.judge.claim(found.w, note, shares.astype(np.float64), terms, decision.integers)
        if decision.w is None:
            return certificate
        lower = np.flatnonzero(pool.price(decision.w[:-1]) <= 0)
        more = np.union1d(found.used, pool.take(lower))
        if more.size == found.used.size:  # nothing left that this w has not beaten
            return pool.judge.claim(decision.w[:-1], pool.note(found.used), found.weights, terms)
        weights = np.zeros(more.size)
        weights[np.searchsorted(more, found.used)] = found.weights
        found = found._replace(used=more, weights=weights)
    return certificate
