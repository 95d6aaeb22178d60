r"""The nearest point of a hull of very many vectors, of which an oracle finds the lowest (C10 for D1, E4).

`generate_columns` keeps some vectors, finds the nearest point of their hull with `nearest_point`, asks for the lowest
vector of every set, and takes in those that are lower than the point allows, until none is: column generation.

If the point of least norm is the origin, `decide_on_columns` decides in exact arithmetic, on the few vectors that it is
made of, whether any w has a positive score for all vectors: the same vectors are taken in until one has, or none can.

- `machine_margin` has Kesler's n (K - 1) vectors, of which few decide.
- `largest_margin`: the largest margin over labellings. The vectors :math:`\varphi(x,y) - \varphi(x,y')` are as many as
  there are labellings (B4 for E4).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.optimize

from ..certificates.labelling import LabellingCertificate
from ..certificates.prove.labelling import LabellingProver
from ..certificates.prove.margin import Outcome
from ..interrupt import is_spent, why_ended
from ..jit import at_speed, compiled
from ..loop.stop import HIDDEN, Rounds, name_interrupt
from ..loop.trace import retold, tell
from ..oracles import points
from ..oracles.update_log import Entries, new_log, take_entries
from ..rows.matrix import scores
from ..targets import EpsOptimal
from .exact_nearest_point import Decision, IntegerVectors, decide
from .nearest_point import nearest_point

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

    def sets_of(self, numbers: np.ndarray) -> np.ndarray:
        """The sets that the vectors with these numbers belong to."""

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors with these numbers, one row each."""

    def decide(self, numbers: np.ndarray, weights: np.ndarray, seconds: float) -> Decision:
        """Whether any w has a positive score for the vectors with these numbers, from weights of a point of theirs."""


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
        if k > 1:
            tell(partial(_told, sets, now, float(score.min()) / max(norm, 1e-300), norm))
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


def _told(sets: VectorSets, now: Generated, lower: float, upper: float) -> dict[str, Any]:
    """The nearest point of the vectors in use, with the two bounds of the margin that it has."""
    rows = np.unique(sets.sets_of(now.used[now.weights > 0]))
    return {"w": now.w, "rows": rows, "lower": lower, "upper": upper, "state": now}


def decide_on_columns(
    sets: VectorSets, used: np.ndarray, weights: np.ndarray, rounds: Rounds, seconds: float
) -> tuple[Decision, np.ndarray]:
    """Whether any w has a positive score for every vector, and the vectors whose numbers the decision's rows are.

    From vectors ``used`` and weights of a point of theirs near the origin; for at most ``seconds``.
    """
    deadline = time.monotonic() + seconds
    for _ in rounds:
        decision = sets.decide(used, weights, max(0.0, deadline - time.monotonic()))
        if decision.w is None:
            return decision, used
        lower = np.flatnonzero(sets.lowest_scores(decision.w[:-1]) <= 0)
        more = np.union1d(used, sets.lowest_vectors(lower))
        if more.size == used.size:  # this w has a positive score for every vector there is, as far as floats can tell
            return decision, used
        grown = np.zeros(more.size)
        grown[np.searchsorted(more, used)] = weights
        used, weights = more, grown
    return Decision(reason=rounds.reason), used


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
    with retold():
        found = nearest_point([rows], "none", tol, Rounds(1000))
    return scale * (Q @ found.w[: Q.shape[1]]), found.dual_weights


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

    def sets_of(self, numbers: np.ndarray) -> np.ndarray:
        """The examples of the vectors with these numbers."""
        return self.entries(numbers).example

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors with these numbers."""
        if numbers.size * self.size > MOST:
            raise ValueError(
                f"the largest margin needs {numbers.size} vectors of {self.size} numbers in memory: too many. "
                "Use Kozinec's rule, which comes as near as you ask."
            )
        return self.prover.vectors(self.entries(numbers))

    def decide(self, numbers: np.ndarray, weights: np.ndarray, seconds: float) -> Decision:
        """By the vectors as they are: their features are sums, which floats would round."""
        exact, base = self.prover.exact_vectors(self.entries(numbers))
        return decide(lambda deadline: IntegerVectors(exact, base, self.size, deadline), weights, seconds)

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
    if certificate.proved or rounds.reason:
        return replace(certificate, reason=name_interrupt(certificate.reason))
    if is_spent():
        return replace(certificate, reason=why_ended())
    decision, used = decide_on_columns(sets, found.used, found.weights, rounds, seconds)
    if decision.rows is not None:  # a proof in integers does not round
        total = sum(decision.integers)
        shares = np.array([max(number / total, 5e-324) for number in decision.integers])
        proof = sets.entries(used[decision.rows])
        return sets.prover.prove_margin(found.w, proof, shares, outcome, decision.integers)
    if decision.w is not None:
        return sets.prover.prove_margin(decision.w[:-1], sets.entries(found.used), found.weights, outcome)
    return replace(certificate, reason=decision.reason)
