"""From the end of a run to its certificate: the bounds of w and dual, computed once more from the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..oracles import Classes, Dense, Differences, Sparse, flat, rows_of, shaped
from ..targets import EpsOptimal
from .certificate import EPS_OPTIMAL, OPTIMAL, Certificate, conclude, novikoff
from .jit import compiled
from .refute import EXACT, WIDEST, refute
from .sweep import BLOCK, Survey, compose, profiles, scores, survey

U = float(np.finfo(np.float64).eps)

Rows = Dense | Sparse
Sets = Any  # what a certificate speaks of: Dense, Sparse or Classes


class Terms(NamedTuple):
    """What a certificate is about, beside w and dual."""

    target: tuple
    bias: str  # "free", "augmented" or "none"
    updates: int
    reason: str  # why learning ended before its target, or nothing
    ended: bool = False  # over, not out of budget: a closed form, a small step
    exact: bool = False  # the target was the optimum itself, not a w within eps of it
    widest: int = WIDEST  # columns up to which a proof of inseparability is tried


def judged(part) -> Sets:
    """What the certificate of a part speaks of: differences stand for the rows that they are made of."""
    return part.rows if isinstance(part, Differences) else part


def live(part: Sets) -> Iterator[np.ndarray]:
    """The rows of a part that weigh anything, in fixed blocks."""
    part = rows_of(part)
    for begin in range(0, part.sign.size, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, part.sign.size))
        rows = rows[part.weight[rows] > 0] if part.weight.size else rows
        if rows.size:
            yield rows


def width(part: Sets) -> int:
    """The number of columns."""
    part = rows_of(part)
    return int(part.X.shape[1]) if isinstance(part, Dense) else part.width


def copies(part: Sets) -> int:
    """How many weight vectors w holds: one a class for `Classes`, else one. A row has as many places in `dual`."""
    return part.score.size if isinstance(part, Classes) else 1


def size_of(part: Sets) -> int:
    """How many numbers w has."""
    return copies(part) * (width(part) + 1)


def biased(part: Sets, bias: float) -> Sets:
    """The part with rows augmented by ``bias``."""
    if isinstance(part, Classes):
        return part._replace(rows=part.rows._replace(bias=bias))
    return part._replace(bias=bias)


def augment(parts: Sequence[Sets], bias: str) -> list[Sets]:
    """The rows as vectors of the space in which separability is decided: a free bias is a coordinate there too."""
    return [biased(part, 0.0 if bias == "none" else 1.0) for part in parts]


def length(v: np.ndarray) -> float:
    """|v|, for any v: squares of very small or large numbers would be lost.

    >>> length(np.array([3e-200, 4e-200]))
    5e-200
    """
    largest = float(np.abs(v).max(initial=0.0))
    return largest * float(np.linalg.norm(v / largest)) if 0 < largest < math.inf else largest


def look(parts: Sequence[Sets], w: np.ndarray) -> Survey:
    """One survey of all rows of all parts."""
    slack = (longest_row(parts) + 4) * U * length(w)
    seen = [survey(part, w, rows, slack) for part in parts for rows in live(part)]
    count, weight, lowest, sure, longest, negative, positive = zip(*seen, strict=True)
    return Survey(sum(count), math.fsum(weight), min(lowest), min(sure), max(longest), min(negative), min(positive))


def longest_row(parts: Sequence[Sets]) -> int:
    """The largest number of terms in a scalar product."""
    return max(
        part.X.shape[1] if isinstance(part, Dense) else int(np.diff(part.indptr).max(initial=0))
        for part in map(rows_of, parts)
    )


def free_bias(parts: Sequence[Rows], w: np.ndarray, rivals: Rows | None = None) -> np.ndarray:
    """w with the best bias: half-way between the classes, or, where they overlap, with the fewest errors.

    Where the rows are of one class only, ``rivals`` (slots of `Differences`) stand for both, if given.
    """
    best = w.copy()
    if any(not any((part.sign == side).any() for part in parts) for side in (-1, 1)):
        if rivals is not None:
            best[-1] = 0.5 * (rivals.probe(w, 0) - rivals.probe(w, 2))
        return best
    g = np.full(sum(part.sign.size for part in parts), np.nan)
    for part in parts:
        for rows in live(part):
            scores(part._replace(bias=0.0), w, rows, g)
    sign = np.concatenate([part.sign for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    negative, positive = np.nanmin(g[sign < 0], initial=np.inf), np.nanmin(g[sign > 0], initial=np.inf)
    if negative + positive > 0:
        best[-1] = 0.5 * (negative - positive)
    else:
        g *= sign
        best[-1] = -_cut(g, np.argsort(g), sign, weight)
    return best


def free_biases(parts: Sequence[Classes], w: np.ndarray) -> np.ndarray:
    """w with the bias of one class after the other moved to where the machine errs least, the others at rest.

    Only if that saves a hundredth of all weight: a bias that follows single rows learns nothing.
    """
    W = shaped(parts[0], w).copy()
    G = np.concatenate([_profiles(part, w) for part in parts])
    label = np.concatenate([part.label for part in parts])
    weight = np.concatenate([part.rows.weight for part in parts])
    weight = weight if weight.size else np.ones(label.size)
    every = np.arange(label.size)
    for k in range(W.shape[0]):
        rest = G.copy()
        rest[:, k] = -np.inf
        best = rest.max(axis=1)
        own = label == k
        # class k gets its rows where it beats the rest, and takes those of others that beat the rest
        rest[every, label] = -np.inf
        counts = (weight > 0) & (own | (G[every, label] > rest.max(axis=1)))
        lead = np.where(counts, G[:, k] - best, np.nan)
        sign = np.where(own, 1, -1).astype(np.int8)
        move = -_cut(lead, np.argsort(lead), sign, weight)
        now, then = (weight[counts & np.where(own, lead + more <= 0, lead + more >= 0)].sum() for more in (0.0, move))
        if now - then > 0.01 * weight.sum():
            W[k, -1] += move
            G[:, k] += move
    return flat(parts[0], W)


def _profiles(part: Classes, w: np.ndarray) -> np.ndarray:
    """The scores of all classes, a row a row."""
    out = np.empty((part.label.size, part.score.size))
    profiles(part.rows, w, out)
    return out


@compiled
def _cut(g, order, sign, weight):
    """The threshold that errs least if rows with g above it are called positive; NaN (rows left out) comes last."""
    errors = 0.0
    n = 0
    for i in order:
        if not np.isnan(g[i]):
            n += 1
            if sign[i] < 0:
                errors += weight[i] if weight.size else 1.0
    fewest, cut = errors, g[order[0]] - 1.0
    for k in range(n):
        i = order[k]
        cost = weight[i] if weight.size else 1.0
        errors += cost if sign[i] > 0 else -cost
        last = k == n - 1
        if errors < fewest and (last or g[order[k + 1]] > g[i]):
            fewest = errors
            cut = g[i] + 1.0 if last else 0.5 * (g[i] + g[order[k + 1]])
    return cut


def certify(parts: Sequence[Sets], w: np.ndarray, dual: np.ndarray, terms: Terms) -> Certificate:
    """The certificate of w, with ``dual`` (row weights, any scale) as proof of the upper bound."""
    norm = length(w[:-1] if terms.bias == "free" else w)
    seen = look(augment(parts, terms.bias), w)
    lower = seen.sure / norm * (1 - 4 * U) if norm > 0 else -math.inf
    longest = math.sqrt(seen.longest)
    weights = usable(parts, dual, terms.bias)
    proof = None if seen.sure > 0 else disprove(parts, terms.bias, weights, terms.widest)
    weights = weights if proof is None else proof
    upper, error = _upper(parts, weights, terms.bias)
    eps, relative = terms.target if isinstance(terms.target, EpsOptimal) else (0.0, 0.0)
    status = conclude(
        lowest=seen.lowest if norm > 0 else -math.inf, lower=lower, upper=upper,
        refuted=proof is not None, eps=eps, relative=relative, ended=terms.ended,
    )  # fmt: skip
    status = OPTIMAL if terms.exact and status == EPS_OPTIMAL else status
    places = np.flatnonzero(weights)
    rows, rivals = np.divmod(places, copies(parts[0])) if isinstance(parts[0], Classes) else (places, places[:0])
    return Certificate(
        status, lower, upper, terms.updates, seen.violated,
        novikoff(longest, seen.sure / length(w)) if norm > 0 else math.inf,
        terms.bias, shaped(parts[0], w), rows, weights[places], proof is not None,
        size=sum(rows.size for part in parts for rows in live(part)), longest=longest,
        rounding=error + (seen.lowest / norm - lower if norm > 0 else 0.0),
        eps=eps, relative=relative, reason="" if status in (EPS_OPTIMAL, OPTIMAL) else terms.reason,
        rivals=rivals, classes=tuple(range(copies(parts[0]))) if isinstance(parts[0], Classes) else (-1, 1),
    )  # fmt: skip


def sides(parts: Sequence[Sets], bias: str) -> list[np.ndarray]:
    """The places in `dual` that share one unit of weight: all, or, with a free bias, each class by itself."""
    if isinstance(parts[0], Classes):
        return [np.concatenate([_rivals(part) for part in parts if isinstance(part, Classes)])]
    parts = list(map(rows_of, parts))
    sign = np.concatenate([part.sign for part in parts])
    if parts[0].weight.size:
        sign = np.where(np.concatenate([part.weight for part in parts]) > 0, sign, 0)
    return [sign < 0, sign > 0] if bias == "free" else [sign != 0]


def _rivals(part: Classes) -> np.ndarray:
    """Which of the K places of each row stand for a vector: the other classes, if the row weighs anything."""
    places = np.ones((part.label.size, part.score.size), dtype=bool)
    places[np.arange(part.label.size), part.label] = False
    if part.rows.weight.size:
        places[part.rows.weight == 0] = False
    return places.ravel()


def usable(parts: Sequence[Sets], dual: np.ndarray, bias: str) -> np.ndarray:
    """Dual weights with mass where it is needed: a run without updates still bounds the margin by one vector."""
    weights = dual
    for side in sides(parts, bias):
        if side.any() and not dual[side].any():
            weights = weights.copy() if weights is dual else weights
            weights[int(np.argmax(side))] = 1.0
    return weights


def shares(parts: Sequence[Sets], dual: np.ndarray, bias: str) -> np.ndarray:
    """Dual weights as those of a convex combination: sum 1, and with a free bias one half for each class."""
    weights = usable(parts, dual, bias).copy()
    halves = sides(parts, bias)
    for side in halves:
        weights[side] /= max(float(weights[side].sum()), 1e-300) * len(halves)
    return weights


def combination(parts: Sequence[Sets], weights: np.ndarray) -> np.ndarray:
    """The weighted sum of the vectors."""
    return _combination(parts, weights)[0]


def _combination(parts: Sequence[Sets], weights: np.ndarray) -> tuple[np.ndarray, float]:
    """The same, and the sum of the lengths in it."""
    total, lengths = np.zeros(size_of(parts[0])), 0.0
    for part in parts:
        for rows in live(part):
            block = np.zeros_like(total)
            lengths += compose(part, weights, rows, block)
            total += block
    return total, lengths


def _upper(parts: Sequence[Sets], weights: np.ndarray, bias: str) -> tuple[float, float]:
    """The norm of the convex combination, and how much rounding was added to be safe."""
    if not all(side.any() for side in sides(parts, bias)):
        return math.inf, 0.0  # rows of one class: a hyperplane may be as far from them as it likes
    parts = [biased(part, 1.0 if bias == "augmented" else 0.0) for part in parts]
    total, lengths = _combination(parts, shares(parts, weights, bias))
    terms = min(int(np.count_nonzero(weights)), BLOCK + weights.size // BLOCK) + 4
    error = 2 * terms * U * lengths
    return length(total) * (1 + (total.size + 4) * U) + error, error


def disprove(parts: Sequence[Sets], bias: str, dual: np.ndarray, widest: int = WIDEST) -> np.ndarray | None:
    """Weights that prove the parts not separable, or None. Only the heaviest rows of ``dual`` are tried."""
    parts = augment(parts, bias)
    size = max(1, copies(parts[0]) - 1) * (width(parts[0]) + 1)
    rows = np.flatnonzero(dual)
    if rows.size == 0 or (size > widest and rows.size * size > EXACT):
        return None
    most = max(500, 8 * size)
    if rows.size > most:
        rows = np.sort(rows[np.argsort(-dual[rows], kind="stable")[:most]])
    heavy = rows[dual[rows] > 1e-12 * dual[rows].max()]
    for some in (rows, heavy)[: 1 + (heavy.size < rows.size)]:  # next to nothing can spoil a proof
        A = vectors(parts, some)
        if isinstance(parts[0], Classes):
            A = A[:, np.repeat(_telling(parts, some), A.shape[1] // copies(parts[0]))]
        found = refute(A, dual[some], widest)
        if found is not None:
            proof = np.zeros_like(dual)
            proof[some] = found
            return proof
    return None


def _telling(parts: Sequence[Classes], places: np.ndarray) -> np.ndarray:
    """The classes whose weights tell something new: all but one of those that the places connect.

    Whatever a vector adds to a class it takes from another, so one class is minus the sum of those connected with it.
    """
    count = copies(parts[0])
    rows, rivals = np.divmod(places, count)
    label = np.concatenate([part.label for part in parts])[rows]
    graph = sp.coo_array((np.ones(rows.size), (label, rivals)), shape=(count, count))
    group = connected_components(graph, directed=False)[1]
    return np.arange(count) != np.array([np.flatnonzero(group == g)[-1] for g in group])


def vectors(parts: Sequence[Sets], rows: np.ndarray) -> np.ndarray:
    """The vectors of some rows (for `Classes`: of some places in `dual`) as a dense matrix, class after class."""
    if isinstance(parts[0], Classes):
        return _pairs([part for part in parts if isinstance(part, Classes)], rows)
    blocks = []
    for part in map(rows_of, parts):
        own = rows[(rows >= part.first) & (rows < part.first + part.sign.size)] - part.first
        if isinstance(part, Dense):
            X = part.X[own].astype(np.float64)
        else:
            X = sp.csr_array((part.data, part.indices, part.indptr), shape=(part.sign.size, part.width))
            X = X[own].toarray().astype(np.float64)
        if part.bias:
            X = np.column_stack([X, np.full(own.size, part.bias)])
        blocks.append(X * part.sign[own, None])
    return np.concatenate(blocks)


def _pairs(parts: Sequence[Classes], places: np.ndarray) -> np.ndarray:
    """Kesler's vectors: the row in the place of its class, mirrored in the place of the rival."""
    rows, rivals = np.divmod(places, copies(parts[0]))
    X = vectors([part.rows for part in parts], rows)
    label = np.concatenate([part.label for part in parts])[rows]
    full = np.zeros((len(X), copies(parts[0]), X.shape[1]))
    full[np.arange(len(X)), label] = X
    full[np.arange(len(X)), rivals] = -X
    return full.reshape(len(X), -1)
