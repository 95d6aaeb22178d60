"""A second reader of proofs, written from docs/proofs.md alone: margins of two classes, and Gaussians.

It is here to show that the page says enough. It shares nothing with verify.py, not even the way to compute: all numbers
are fractions, and equations are solved by Gauss and Jordan.
"""

import csv
import json
import math
from fractions import Fraction


def holds(proof_path, data_path):
    """Whether the proof holds for the data."""
    proof = json.loads(proof_path.read_text())
    assert (proof["format"], proof["version"]) == ("linsep proof", 1)
    lower, upper = float(proof["lower"]), float(proof["upper"])
    return {"margin": margin, "radius": radius}[proof["claim"]](proof, data_path, lower, upper)


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def below(bound, number, square):
    """Whether bound * sqrt(square) <= number, by squares with their signs."""
    if square == 0:
        return bound == -math.inf or number > 0
    if math.isinf(bound):
        return bound < 0
    return Fraction(bound) * abs(Fraction(bound)) * square <= number * abs(number)


def as_vectors(proof, data_path):
    """The vectors a = +-(x, 1) of the data, and the class of each."""
    about, found = proof["data"], []
    with open(data_path, newline="") as file:
        for line in csv.DictReader(file):
            label = line[about["target"]]
            side = [label == str(each) if isinstance(each, str) else float(label) == each for each in proof["classes"]]
            x = [Fraction(float(line[name])) for name in about["features"]] + [Fraction(proof["bias"] != "none")]
            found.append((side.index(True), [a if side[1] else -a for a in x]))
    return found


def margin(proof, data_path, lower, upper):
    """The claim "margin" of two classes, all weights 1."""
    found, w, free = as_vectors(proof, data_path), [Fraction(x) for x in proof["w"]], proof["bias"] == "free"
    scores = [dot(w, a) for _, a in found]
    if proof["size"] != len(found) or proof["violated"] > sum(score <= 0 for score in scores):
        return False
    norm = w[:-1] if free else w
    if not below(lower, min(scores), dot(norm, norm)):
        return False
    rows = proof["rows"]
    if proof["status"] == "not separable":
        n = [int(x, 16) for x in proof["integers"]]
        sums = [sum(k * found[i][1][j] for k, i in zip(n, rows, strict=True)) for j in range(len(w))]
        return len({*rows}) == len(rows) > 0 and min(n) > 0 and not any(sums)
    if upper < math.inf:
        weights = [Fraction(x) for x in proof["weights"]]
        share = [sum(x for x, i in zip(weights, rows, strict=True) if found[i][0] == c) for c in (0, 1)]
        if min(weights) < 0 or (free and not min(share)):
            return False
        if free:
            weights = [x / share[found[i][0]] / 2 for x, i in zip(weights, rows, strict=True)]
        sums = [sum(x * found[i][1][j] for x, i in zip(weights, rows, strict=True)) for j in range(len(norm))]
        if upper < 0 or dot(sums, sums) > (Fraction(upper) * sum(weights)) ** 2:
            return False
    wanted = proof["eps"] + proof["relative"] * upper
    near = lower > 0 and 0 < wanted < math.inf and upper - lower <= wanted
    return {"separated": lower > 0, "eps-optimal": near, "optimal": near and wanted <= 1e-6 * upper}.get(
        proof["status"], True
    )


def solve(G, t):
    """A solution v of G v = t by Gauss and Jordan, or None."""
    rows, places = [[*row, b] for row, b in zip(G, t, strict=True)], []
    for c in range(len(G)):
        k = next((k for k in range(len(places), len(rows)) if rows[k][c]), None)
        if k is None:
            continue
        top = len(places)
        rows[top], rows[k] = rows[k], rows[top]
        rows[top] = [x / rows[top][c] for x in rows[top]]
        for i in range(len(rows)):
            if i != top:
                rows[i] = [x - rows[i][c] * y for x, y in zip(rows[i], rows[top], strict=True)]
        places.append(c)
    if any(row[-1] for row in rows[len(places) :]):
        return None
    v = [Fraction(0)] * len(G)
    for row, c in zip(rows, places):
        v[c] = row[-1]
    return v


def radius(proof, data_path, lower, upper):
    """The claim "radius"; that covariances are semidefinite is left to the other reader."""
    given = json.loads(data_path.read_text())
    y = [1 if label == proof["classes"][1] else -1 for label in given["labels"]]
    means = [[Fraction(x) for x in mean] for mean in given["means"]]
    matrices = [[[Fraction(x) for x in row] for row in matrix] for matrix in given["covariances"]]
    *w, b = map(Fraction, proof["w"])
    for sign, mean, matrix in zip(y, means, matrices, strict=True):
        if not below(lower, sign * (dot(w, mean) + b), dot(w, [dot(row, w) for row in matrix])):
            return False
    if upper < math.inf and not (upper >= 0 and meet(proof, y, means, matrices, Fraction(upper))):
        return False
    near = lower > 0 and upper - lower <= proof["eps"] * upper
    says = {"infeasible": upper <= 0, "separated": lower >= 100, "optimal": near, "eps-optimal": near}
    if proof.get("required") is not None:
        says |= {"reached": lower >= proof["required"], "impossible": upper < proof["required"]}
    return proof["size"] == len(y) and says.get(proof["status"], True)


def meet(proof, y, means, matrices, upper):
    rows, d = proof["rows"], len(means[0])
    if proof["integers"]:
        n = [int(x, 16) for x in proof["integers"]]
        sums = [sum(k * y[i] * [*means[i], 1][j] for k, i in zip(n, rows, strict=True)) for j in range(d + 1)]
        return min(n) > 0 and not any(sums)
    weights, us = [Fraction(x) for x in proof["weights"]], [[Fraction(x) for x in u] for u in proof["u"]]
    moves = [[dot(row, u) for row in matrices[i]] for i, u in zip(rows, us, strict=True)]
    square = max(dot(u, move) for u, move in zip(us, moves, strict=True))
    t, G = [Fraction(0)] * (d + 1), [[Fraction(0)] * (d + 1) for _ in range(d + 1)]
    for i, weight, move in zip(rows, weights, moves, strict=True):
        a = [y[i] * x for x in (*(m + s for m, s in zip(means[i], move, strict=True)), 1)]
        t = [s + weight * x for s, x in zip(t, a, strict=True)]
        for r in range(d + 1):
            for c in range(d + 1):
                G[r][c] += weight**2 * (a[r] * a[c] + (square * matrices[i][r][c] if max(r, c) < d else 0))
    v = solve(G, t)
    if v is None or min(weights) <= 0:
        return False
    rho = dot(t, v)
    up = Fraction(math.isqrt(math.ceil(rho * 4**400)) + 1, 2**400) if rho else rho  # a little more than the root
    return up < 1 and square <= (upper * (1 - up)) ** 2
