"""Naive loops, as the lectures write them: what the compiled code must agree with.

Every function takes the vectors themselves (augmented, mirrored: the rows of A) and goes over them
``passes`` times, or until all are satisfied. It returns w and ``rows``: where it was moved, or how often.
``goal(ww, total)`` is the score that every vector must exceed.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import scipy.optimize


def mirrored(X, sign, bias=1.0):
    """The vectors sign_i (x_i, bias), built."""
    X = np.asarray(X, dtype=np.float64)
    return np.column_stack([X, np.full(len(X), bias)]) * np.asarray(sign, dtype=np.float64)[:, None]


def margin(b):
    return lambda ww, total: b


def eps_optimal(eps=0.0, relative=0.0):
    return lambda ww, total: max(0.0, (1 - relative) * ww / total - eps * math.sqrt(ww)) if ww * total > 0 else 0.0


def perceptron(A, goal, eta=lambda k: 1.0, passes=10, weight=None, mean=None):
    """C1, C4. ``mean`` (a list) receives w after every visit."""
    w, total, rows = np.zeros(A.shape[1]), 0.0, []
    for _ in range(passes):
        before = len(rows)
        for i, a in enumerate(A):
            if w @ a <= goal(w @ w, total):
                beta = eta(len(rows) + 1) * (1.0 if weight is None else weight[i])
                w = w + beta * a
                total += beta
                rows.append(i)
            if mean is not None:
                mean.append(w)
        if len(rows) == before:
            break
    return w, rows


def batch_perceptron(A, goal, eta=lambda k: 1.0, passes=10, weight=None):
    """C2: gradient descent on J_p."""
    w, total, steps = np.zeros(A.shape[1]), 0.0, 0
    weight = np.ones(len(A)) if weight is None else np.asarray(weight)
    for _ in range(passes):
        violated = A @ w <= goal(w @ w, total)
        if not violated.any():
            break
        steps += 1
        w = w + eta(steps) * (weight[violated] @ A[violated])
        total += eta(steps) * weight[violated].sum()
    return w, steps


def relaxation(A, b, rate, passes=10, weight=None):
    """C6, single sample. The aim lies 1e-9 beyond b: LECTURES, trap 4."""
    w, rows = np.zeros(A.shape[1]), []
    for _ in range(passes):
        before = len(rows)
        for i, a in enumerate(A):
            if w @ a <= b:
                w = w + rate * (1.0 if weight is None else weight[i]) * ((1 + 1e-9) * b - w @ a) / (a @ a) * a
                rows.append(i)
        if len(rows) == before:
            break
    return w, rows


def batch_relaxation_step(w, B, b, rate, weight, form="safe"):
    """w after one batch step from the violated vectors B."""
    short, lengths = (1 + 1e-9) * b - B @ w, np.linalg.norm(B, axis=1)
    J, total = 0.5 * weight @ (short / lengths) ** 2, (weight * short / lengths**2) @ B
    summed = form == "sum" or (form == "safe" and rate * (total @ total) <= (1 + rate / 2) * 2 * J)
    return w + rate * total / (1.0 if summed else weight.sum())


def batch_relaxation(A, b, rate, passes=10, weight=None, form="safe"):
    """C6, batch: S1's sum of all moves, their mean, or "safe": the sum where it is known to converge."""
    w, steps = np.zeros(A.shape[1]), 0
    weight = np.ones(len(A)) if weight is None else np.asarray(weight)
    for _ in range(passes):
        violated = A @ w <= b
        if not violated.any():
            break
        w = batch_relaxation_step(w, A[violated], b, rate, weight[violated], form)
        steps += 1
    return w, steps


def nearer(w, a):
    """The point nearest to the origin on the segment from w to a."""
    gap = (w - a) @ (w - a)
    k = min(1.0, max(0.0, w @ (w - a) / gap)) if gap > 0 else 0.0
    return (1 - k) * w + k * a


def kozinec(A, goal, passes=10, mean=None):
    """C8, and C9 with eps_optimal."""
    w, rows = np.zeros(A.shape[1]), []
    for _ in range(passes):
        before = len(rows)
        for i, a in enumerate(A):
            if w @ a <= goal(w @ w, 1.0):
                w = a.copy() if not rows else nearer(w, a)
                rows.append(i)
            if mean is not None:
                mean.append(w)
        if len(rows) == before:
            break
    return w, rows


def batch_kozinec(A, goal, passes=10, weight=None):
    """Kozinec towards the mean of all violated vectors."""
    w, steps = np.zeros(A.shape[1]), 0
    weight = np.ones(len(A)) if weight is None else np.asarray(weight)
    for _ in range(passes):
        violated = A @ w <= goal(w @ w, 1.0)
        if not violated.any():
            break
        a = np.average(A[violated], axis=0, weights=weight[violated])
        w = a if steps == 0 else nearer(w, a)
        steps += 1
    return w, steps


def two_hulls(X, sign, goal, move, passes=10):
    """Free bias: each row against the lowest row of the other class seen so far; w is without its bias.

    ``move(w, a, total, k)`` gives w and total after update k.
    """
    M = np.asarray(X, dtype=np.float64) * np.asarray(sign)[:, None]
    rival = {side: M[np.flatnonzero(np.asarray(sign) == side)[0]] for side in (-1, 1)}
    w, total, rows = np.zeros(M.shape[1]), 0.0, []
    for _ in range(passes):
        before = len(rows)
        for i, m in enumerate(M):
            if w @ m < w @ rival[sign[i]]:
                rival[sign[i]] = m
            a = (m + rival[-sign[i]]) / 2
            if w @ a <= goal(w @ w, total):
                w, total = move(w, a, total, len(rows) + 1)
                rows.append(i)
        if len(rows) == before:
            break
    return w, rows


def kesler(X, label, count, bias=1.0):
    """Kesler's vectors, built: for every row those of its class against each rival, in the rivals' order."""
    X = mirrored(X, np.ones(len(X)), bias)
    sets = []
    for x, own in zip(X, label):
        vectors = np.zeros((count, count, X.shape[1]))
        vectors[:, own] = x
        for k in range(count):
            vectors[k, k] -= x
        sets.append(np.delete(vectors.reshape(count, -1), own, axis=0))
    return sets


def machine(sets, goal, move, passes=10, mean=None):
    """The loop of the lectures on sets of vectors; ``move(w, a, total, k)`` gives w and total after update k."""
    w, total, rows = np.zeros(sets[0].shape[1]), 0.0, []
    for _ in range(passes):
        before = len(rows)
        for i, vectors in enumerate(sets):
            a = vectors[np.argmin(vectors @ w)]
            if w @ a <= goal(w @ w, total):
                w, total = move(w, a, total, len(rows) + 1)
                rows.append(i)
            if mean is not None:
                mean.append(w)
        if len(rows) == before:
            break
    return w, rows


def batch_machine(sets, goal, step, passes=10):
    """Batch passes; ``step(w, B, total, k)`` gives w and total after step k from the violated vectors B."""
    w, total, steps = np.zeros(sets[0].shape[1]), 0.0, 0
    for _ in range(passes):
        lowest = np.array([vectors[np.argmin(vectors @ w)] for vectors in sets])
        violated = lowest @ w <= goal(w @ w, total)
        if not violated.any():
            break
        steps += 1
        w, total = step(w, lowest[violated], total, steps)
    return w, steps


# --- referees --------------------------------------------------------------------------------------------------------


def largest_margin(X, sign, bias="augmented"):
    """The largest margin of any hyperplane, 0 if none separates: the distance of the hull of the vectors from 0.

    Non-negative least squares finds it: ``|A'v|^2 + (sum v - 1)^2`` is least at a multiple of the weights of the
    hull's nearest point. With a free bias the vectors are all halved differences of the two classes.
    """
    X, sign = np.asarray(X, dtype=np.float64), np.asarray(sign)
    if bias == "free":
        A = np.array([(p - q) / 2 for p in X[sign > 0] for q in X[sign < 0]])
    else:
        A = mirrored(X, sign, 1.0 if bias == "augmented" else 0.0)
    return nearest(A)


def nearest(A):
    """The distance of the hull of the rows of A from 0."""
    v, _ = scipy.optimize.nnls(np.vstack([A.T, np.ones(len(A))]), np.append(np.zeros(A.shape[1]), 1.0), maxiter=10_000)
    return float(np.linalg.norm(A.T @ v) / v.sum())


def separable(A):
    """Is there a w with <w,a> >= 1 for all rows of A? A linear program; to be trusted for small integers."""
    found = scipy.optimize.linprog(np.zeros(A.shape[1]), -A, -np.ones(len(A)), bounds=(None, None), method="highs")
    assert found.status in (0, 2), found.message
    return found.status == 0


def exact_lowest(X, sign, w, bias=1):
    """The least <w,a> in rational arithmetic."""
    w = [Fraction(float(x)) for x in w]
    scores = [sum(p * Fraction(float(x)) for p, x in zip(w, row)) + bias * w[-1] for row in np.asarray(X).tolist()]
    return min(int(s) * score for s, score in zip(sign, scores))


def meets(A):
    """Is 0 in the convex hull of the rows of A? All sets of at most d + 1 rows, in rational arithmetic: exact, slow."""
    A = [[Fraction(float(x)) for x in row] for row in np.asarray(A)]
    width = len(A[0])
    return any(
        _positive_solution([[*A[i], Fraction(1)] for i in rows])
        for size in range(1, width + 2)
        for rows in itertools.combinations(range(len(A)), size)
    )


def _positive_solution(rows):
    """Do positive weights of these independent rows give (0, ..., 0, 1)? Dependent rows: no, fewer will do."""
    table = [[row[j] for row in rows] + [Fraction(int(j == len(rows[0]) - 1))] for j in range(len(rows[0]))]
    done = 0
    for column in range(len(rows)):
        pivot = next((r for r in range(done, len(table)) if table[r][column] != 0), None)
        if pivot is None:
            return False
        table[done], table[pivot] = table[pivot], table[done]
        table[done] = [x / table[done][column] for x in table[done]]
        for r, line in enumerate(table):
            if r != done and line[column] != 0:
                table[r] = [x - line[column] * y for x, y in zip(line, table[done])]
        done += 1
    return all(line[-1] == 0 for line in table[done:]) and all(line[-1] > 0 for line in table[:done])
