r"""The nearest point of a hull of very many vectors, of which an oracle finds the lowest (C10 for D1, E4).

`generate_columns` keeps some vectors, finds the nearest point of their hull with `nearest_point`, asks for the lowest
vector of every set, and takes in those that are lower than the point allows, until none is: column generation.

- `nearest_machine`: the linear machine of largest margin, from Kesler's n (K - 1) vectors, of which few decide.
- `largest_margin`: the largest margin over labellings. The vectors :math:`\varphi(x,y) - \varphi(x,y')` are as many as
  there are labellings. If the point of least norm is the origin, exact arithmetic decides on the few vectors it is made
  of whether any w labels all examples right (B4 for E4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.optimize

from ..certificates.labelling import LabellingCertificate
from ..certificates.prove.labelling import LabellingProver
from ..certificates.prove.margin import Outcome
from ..jit import at_speed, compiled
from ..loop.stop import HIDDEN, Rounds
from ..oracles import Classes, points
from ..oracles.update_log import Entries, new_log, take_entries
from ..rows.matrix import present_blocks, scores, vectors
from ..targets import EpsOptimal
from .exact_nearest_point import decide_exactly
from .nearest_point import NearestPoint, nearest_point

U = float(np.finfo(np.float64).eps)
ROUGH = 1e-6  # how far a rough solution is trusted, relative
MOST = 1 << 28  # numbers of the vectors in use
SECONDS = 60.0  # budget of exact arithmetic


class VectorSets(Protocol):
    """Sets of vectors, each of which has a number."""

    size: int  # the length of a vector

    def lowest_scores(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every set; infinite for an absent one."""

    def lowest_vectors(self, sets: np.ndarray) -> np.ndarray:
        """The numbers of the lowest vectors of some sets, for the w that was scored last."""

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors with these numbers, one row each."""


class Generated(NamedTuple):
    """The point of least norm; the vectors that it is made of, their convex weights; and the passes it took."""

    w: np.ndarray
    used: np.ndarray
    weights: np.ndarray
    passes: int


def generate_columns(sets: VectorSets, tol: float, rounds: Iterable[int]) -> Generated:
    """The point of least norm in the hull of all vectors of all sets.

    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data are not
    separable), when rounding hides what could still be gained, or when ``rounds`` do.
    """
    now = Generated(np.zeros(sets.size), np.zeros(0, dtype=np.int64), np.zeros(0), 0)
    best, least, idle, exact = now, np.inf, 0, False
    for k in rounds:
        score = sets.lowest_scores(now.w)
        norm = float(np.linalg.norm(now.w))
        wanted = norm * norm if k > 1 else np.inf  # no vector of the hull is lower than its nearest point
        if exact:
            idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
            if norm < least:
                best, least = now, norm
            if score.min() >= (1.0 - tol) * wanted or idle > 3:
                break
        exact = exact or score.min() >= (1.0 - ROUGH) * wanted
        lower = np.flatnonzero(score < wanted)
        lower = lower[np.argsort(score[lower], kind="stable")[: max(100, now.used.size // 2)]]
        used = np.union1d(now.used[now.weights > 0], sets.lowest_vectors(lower))
        B = sets.vectors(used)
        longest = float(np.sqrt(np.einsum("ij,ij->i", B, B).max()))
        w, weights = (now.w, now.weights) if exact else _solve_roughly(B)
        if exact or np.linalg.norm(w) <= ROUGH * longest:
            w, weights = _solve(B, 0.1 * tol)
        now = Generated(w, used, weights, k)
        best = now if least == np.inf else best
        if np.linalg.norm(w) <= 16 * U * longest:  # the origin
            best = now
            break
    return best._replace(passes=now.passes)


def _solve_roughly(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest point of the hull of the rows of B, and its weights, to some digits.

    Non-negative least squares, ``|B'v|^2 + (sum v - 1)^2``, ends at a multiple of the weights.
    """
    R = scipy.linalg.qr(B.T, mode="r", check_finite=False)[0][: len(B)]
    R = R / max(float(np.abs(R).max()), 1e-300)
    try:
        v, _ = scipy.optimize.nnls(np.vstack([R, np.ones(len(B))]), np.append(np.zeros(len(R)), 1.0))
    except RuntimeError:  # no end in sight
        return _solve(B, ROUGH)
    weights = v / v.sum()
    return B.T @ weights, weights


def _solve(B: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """The same to the last digit: `nearest_point`, in the space that the rows span."""
    Q, R = scipy.linalg.qr(B.T, mode="economic", check_finite=False)
    scale = max(float(np.abs(R).max()), 1e-300)
    rows = points(np.ascontiguousarray(R.T) / scale, np.ones(len(B)), bias=0.0)
    found = nearest_point([rows], "none", tol, Rounds(1000))
    return scale * (Q @ found.w[: Q.shape[1]]), found.dual_weights


# --- many classes ----------------------------------------------------------------------------------------------------


@compiled
def write_lowest(part, w, rows, score, place):
    """The lowest vector of each of ``rows``: its score, and its place in `dual_weights`."""
    for i in rows:
        wa, slot = part.lowest(w, i)
        score[part.first + i] = wa
        place[part.first + i] = (part.first + i) * part.score.size + slot


class ClassVectors:
    """Kesler's vectors: one set per row, one vector per rival; its number is its place in `dual_weights`."""

    def __init__(self, parts: Sequence[Classes]):
        self.parts, self.size = parts, parts[0].size
        self.place = np.zeros(sum(part.label.size for part in parts), dtype=np.int64)

    def lowest_scores(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every row."""
        score = np.full(self.place.size, np.inf)
        w = self.parts[0].as_vector(w.reshape(self.parts[0].slots, -1))
        for part in self.parts:
            for rows in present_blocks(part):
                write_lowest(part, w, rows, score, self.place)
        return score

    def lowest_vectors(self, sets: np.ndarray) -> np.ndarray:
        """The places of the best rivals."""
        return self.place[sets]

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors at these places."""
        return vectors(self.parts, numbers)


def nearest_machine(parts: Sequence[Classes], tol: float, rounds: Iterable[int]) -> NearestPoint:
    """The point of least norm in the hull of all vectors of the parts; w is a matrix, one row per class."""
    sets = ClassVectors(parts)
    found = generate_columns(sets, tol, rounds)
    dual_weights = np.zeros(sets.place.size * parts[0].slots)
    dual_weights[found.used] = found.weights
    return NearestPoint(found.w.reshape(parts[0].slots, -1), dual_weights, found.passes)


# --- labellings ------------------------------------------------------------------------------------------------------


@compiled
def log_lowest(oracle, w, rows, weights):
    """Write the lowest vector of each of ``rows`` into the update log."""
    for i in rows:
        slot = oracle.lowest(w, i)[1]
        oracle.record(weights, i, slot, 1.0)


class RivalVectors:
    """Examples against their rival labellings; vectors are numbered in the order in which they are taken."""

    def __init__(self, oracle: Any):
        self.prover = LabellingProver([oracle])
        self.oracle, self.size = self.prover.oracle, oracle.size
        self.numbers: dict[tuple[int, bytes], int] = {}
        self.w = np.zeros(self.size)

    def lowest_scores(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every example."""
        self.w = w
        return scores([self.oracle], w, missing=np.inf)

    def lowest_vectors(self, sets: np.ndarray) -> np.ndarray:
        """The numbers of the best rivals."""
        log = new_log(sets.size, self.oracle.log.label.size)
        at_speed(log_lowest, self.oracle)(self.oracle._replace(log=log), self.w, sets, np.zeros(sets.size))
        example, begin, label = take_entries(log)
        found = [(int(i), label[begin[k] : begin[k + 1]].tobytes()) for k, i in enumerate(example)]
        return np.array([self.numbers.setdefault(key, len(self.numbers)) for key in found], dtype=np.int64)

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors with these numbers."""
        if numbers.size * self.size > MOST:
            raise ValueError(
                f"the largest margin needs {numbers.size} vectors of {self.size} numbers in memory: too many. "
                "Use Kozinec's rule, which comes as near as you ask."
            )
        return self.prover.vectors(self.entries(numbers))

    def entries(self, numbers: np.ndarray) -> Entries:
        """The vectors with these numbers, as entries of an update log."""
        keys = list(self.numbers)
        some = [keys[k] for k in numbers.tolist()]
        labels = [np.frombuffer(rival, dtype=np.int32) for _, rival in some]
        begin = np.concatenate([[0], np.cumsum([label.size for label in labels])]).astype(np.int64)
        label = np.concatenate([np.zeros(0, np.int32), *labels])
        return Entries(np.array([i for i, _ in some], dtype=np.int64), begin, label)


def largest_margin(
    oracle: Any, tol: float = 1e-9, rounds: Rounds | None = None, seconds: float = SECONDS
) -> LabellingCertificate:
    """The certificate of the w with the largest margin, or a proof that no w labels all examples right.

    ``tol`` is relative; ``seconds`` limit the exact arithmetic of a proof.
    """
    if not oracle.exact:
        raise ValueError("the largest margin needs the best rival for sure: expected an exact oracle.")
    rounds = rounds or Rounds(1000)
    sets = RivalVectors(oracle)
    found = generate_columns(sets, 0.1 * tol, rounds)
    outcome = Outcome(EpsOptimal(0.0, tol), "none", found.passes, rounds.reason or HIDDEN, exact=True)
    certificate = sets.prover.prove_margin(found.w, sets.entries(found.used), found.weights, outcome)
    while not (certificate.separates or certificate.exact or rounds.reason):  # a proof in integers does not round
        A = sets.vectors(found.used)
        decision = decide_exactly([points(A, np.ones(len(A)), bias=0.0)], "none", found.weights, seconds)
        if decision.rows is not None:
            shares = np.array(decision.integers, dtype=object) / sum(decision.integers)
            proof = sets.entries(found.used[decision.rows])
            return sets.prover.prove_margin(found.w, proof, shares.astype(np.float64), outcome, decision.integers)
        if decision.w is None:
            return certificate
        lower = np.flatnonzero(sets.lowest_scores(decision.w[:-1]) <= 0)
        more = np.union1d(found.used, sets.lowest_vectors(lower))
        if more.size == found.used.size:  # this w beats every rival there is
            return sets.prover.prove_margin(decision.w[:-1], sets.entries(found.used), found.weights, outcome)
        weights = np.zeros(more.size)
        weights[np.searchsorted(more, found.used)] = found.weights
        found = found._replace(used=more, weights=weights)
    return certificate
