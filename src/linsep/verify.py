"""Verify a proof of linsep without linsep: this one file, Python's standard library, exact arithmetic.

    python verify.py proof.json data.csv

A proof says how good a linear classifier w is, and how good any other could be. Both sides are computed again here,
from the proof and the data, without any rounding. The format, and why each test is a proof: docs/proofs.md of linsep.
Exit code: 0 the proof holds, 1 it does not, 2 the files can't be read.

How it is exact: floats become whole numbers of units 2^-1074; all sums and products are Python's integers or fractions.
"""

import csv
import functools
import gzip
import itertools
import json
import math
import sys
from fractions import Fraction

VERSION, TOP, ONE = 1, 1074, 1 << 1074  # ONE is the number 1 in units


class Unreadable(Exception):
    """A file is not what it should be."""


class Wrong(Exception):
    """The proof does not hold, for this reason."""


def require(holds, said, kind=Wrong):
    """Go on only if this holds."""
    if not holds:
        raise kind(said)


@functools.lru_cache(100_000)
def units(x):
    """The float x as a whole number of units; an error for what is not a finite number."""
    above, below = float(x).as_integer_ratio()
    return above << (TOP + 1 - below.bit_length())


def open_text(path):
    """A text file, perhaps compressed."""
    try:
        return (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8-sig", newline="")
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None


def read_proofs(path):
    """Yield the proof of a file, or those of the members of a committee, with w as one long list."""
    with open_text(path) as file:
        found = json.load(file)
    known = isinstance(found, dict) and (found.get("format"), found.get("version")) == ("linsep proof", VERSION)
    require(known, f"{path}: expected a proof of linsep, version {VERSION} of the format", Unreadable)
    for one in found["members"] if found["claim"] == "committee" else [{"absent": []}]:
        proof = {**found, **one}
        for name in ("lower", "upper"):
            proof[name] = float(proof[name])  # also of the strings "inf" and "-inf"
        w = proof["w"]
        proof["machine"] = bool(w) and isinstance(w[0], list)  # one row per class
        proof["width"] = len(w[0] if proof["machine"] else w)
        proof["integers"] = [int(x, 16) for x in proof.get("integers") or ()]
        known = proof["claim"] in VERIFIERS and proof["bias"] in ("free", "augmented", "none") and proof["width"] > 0
        known &= len(proof["classes"]) == (len(w) if proof["machine"] else 2)
        known &= found["claim"] == "committee" or not any(isinstance(label, list) for label in proof["classes"])
        require(known, "unknown claim or bias, no w, or not as many classes as w needs", Unreadable)
        # integers are the weights of a zero sum, or a w that separates where no w of floats does
        proof["whole w"] = proof["status"] == "not decided within rounding" and proof["integers"]
        flat = [units(x) for row in (w if proof["machine"] else [w]) for x in row]
        yield {**proof, "w": proof["whole w"] or flat}


def class_of(label, classes):
    """The number of the class of a label in a file: that string, or that number; or one of a list of such."""
    for k, known in enumerate(classes):
        for one in known if isinstance(known, list) else [known]:
            if str(label) == str(one) if isinstance(one, (str, bool)) else number(label) == one:
                return k
    raise ValueError(f"its label {label!r} is none of {classes}")


def number(cell):
    """The double nearest to a number in a file; nan for what is none."""
    try:
        return float(cell) if str(cell).isascii() and "_" not in str(cell) else math.nan
    except ValueError:
        return math.nan


def read_rows(path, proof):
    """Yield every row of a data file: its numbers as pairs (column, number), its label and its weight."""
    kind, about = path.removesuffix(".gz").rpartition(".")[2], proof["data"]
    with open_text(path) as file:
        if kind in ("svm", "svmlight", "libsvm"):
            for line in file:
                label, *pairs = line.partition("#")[0].split() or [None]
                if label is not None:
                    cells = (pair.split(":") for pair in pairs if not pair.startswith("qid:"))
                    yield [(int(j) - about.get("first_index", 1), number(x)) for j, x in cells], label, 1.0
            return
        lines = csv.reader(file, delimiter="\t" if kind == "tsv" else ",")
        header = next(lines, [])
        wanted = [*about["features"], about["target"], about.get("weight")]
        usable = {*wanted} <= {*header, None} and not {*wanted[:-2]} & {*wanted[-2:]}
        require(usable, f"{path}: its first line lacks a column, or labels or weights are features, too", Unreadable)
        *places, target, weight = (name and header.index(name) for name in wanted)
        for cells in filter(None, lines):
            x = [(j, number(cells[place])) for j, place in enumerate(places)]
            yield x, cells[target], 1.0 if weight is None else number(cells[weight])


def rows(proof, path):
    """Yield (number, class, weight, x) for every row with a weight; x is a list of pairs (place, units), 1 included."""
    if "vectors" in proof:  # of structures: listed in the proof itself
        yield from ((i, 1, 1.0, [(j, units(x)) for j, x in pairs]) for i, pairs in enumerate(proof["vectors"]))
        return
    i, width, classes = -1, proof["width"], [*proof["classes"], proof.get("absent", [])]
    constant = [] if proof["bias"] == "none" else [(width - 1, ONE)]
    try:
        for i, (cells, label, weight) in enumerate(read_rows(path, proof)):
            usable = 0 <= weight < math.inf and all(0 <= j < width - 1 for j, _ in cells)
            require(usable, f"its weight is {weight!r}, or it has more columns than w", ValueError)
            y, x = class_of(label, classes), [(j, units(x)) for j, x in cells if x] + constant
            if weight and y < len(classes) - 1:  # not of a class that this member of a committee does not ask about
                yield i, y, weight, x
    except (ValueError, IndexError, OverflowError, EOFError, OSError, csv.Error) as error:
        raise Unreadable(f"{path}, row {i} or the next: {error}") from None


def read_weights(proof):
    """The weight of every vector that the proof names by (row, rival class), in units; 0 stands for no rival."""
    named, rivals = proof["rows"], proof.get("rivals") or [0] * len(proof["rows"])
    floats = [units(x) for x in proof["weights"]]
    weights = proof["integers"] if proof["status"] == "not separable" else floats
    found, lengths = dict(zip(zip(named, rivals), weights)), {len(named), len(rivals), len(weights), len(floats)}
    fit = lengths == {len(found)} and all(weight >= 0 for weight in weights + floats)
    require(fit, "rows and weights differ in number, a vector is named twice, or has a negative weight")
    return found


class Sums:
    """What one pass over the data collects: scores of w, and the weighted sum of the vectors that the proof names.

    A row x has the vector a = +-(x, 1) of a hyperplane. In a linear machine, whose w is one class after the other, a
    row of class y has, for every other class k, the vector with (x, 1) in the places of y and -(x, 1) in those of k.
    """

    def __init__(self, proof, path):
        w, named = proof["w"], read_weights(proof)
        machine, width, count = proof["machine"], proof["width"], len(proof["classes"])
        self.score, self.cost, self.class_of = {}, {}, {}  # of each row: the least <w,a> in units squared; its weight
        self.sides, self.share = ({}, {}), [0, 0]  # of each class of two: sum of weight * a, of weight
        for i, y, weight, x in rows(proof, path):
            self.cost[i], self.class_of[i] = weight, y
            starts = [k * width for k in range(count)] if machine else [0]
            scores = [sum(w[start + j] * n for j, n in x) for start in starts]
            sign = 1 if machine or y else -1
            self.score[i] = scores.pop(y) - max(scores) if machine else sign * scores[0]
            for k in range(count) if machine else (0,):
                share, side = named.pop((i, k), 0), self.sides[sign > 0]
                require(not (machine and share and k == y), f"row {i} is named with its own class as rival")
                self.share[sign > 0] += share
                for start, times in ((y * width, share), (k * width, -share)) if machine else ((0, sign * share),):
                    add(side, times, ((start + j, n) for j, n in x if share))
        require(not any(named.values()), "the proof names rows that are not there, or have no weight")
        self.lowest, self.violated = min(self.score.values()), sum(score <= 0 for score in self.score.values())
        every = "vectors" in proof or len({*self.class_of.values()}) == count
        counted = proof["size"] == len(self.score) and proof["violated"] <= self.violated and every
        require(counted, f"size, violated, classes: counted {len(self.score)} rows, {self.violated} on the wrong side")
        self.last = len(w) - 1  # the place of the bias
        self.square = sum(x * x for x in (w[:-1] if proof["bias"] == "free" else w))  # |w|^2, in units squared


def judge(proof, lower, upper, says):
    """Whether both bounds are proved is known; ``says`` tells of some statuses whether the bounds allow them."""
    require(lower, f"lower: {proof['lower']!r} is claimed, but the proof gives less")
    require(upper, f"upper: {proof['upper']!r} is claimed, but the proof gives more")
    require(says.get(proof["status"], True), f"status: the bounds do not say {proof['status']!r}")


def verify_margin(proof, path):
    """lower <= min <w,a> / |w|, and the best margin of all w <= upper; or no w separates."""
    sums, status, lower, upper = Sums(proof, path), proof["status"], proof["lower"], proof["upper"]
    if proof["whole w"]:
        require(sums.lowest > 0, "the w of whole numbers does not separate the data")
        return "a w of whole numbers separates the data; no w of floating-point numbers was found that does"
    torn, proved = status == "not separable", upper == math.inf
    if torn or not proved:
        columns, whole = combine(sums, halves=proof["bias"] == "free" and not torn)
        proved = upper >= 0 and sum(x * x for x in columns.values()) <= (0 if torn else (units(upper) * whole) ** 2)
    wanted = proof["eps"] + proof["relative"] * upper
    near = lower > 0 and 0 < wanted < math.inf and upper - lower <= wanted
    says = {"separated": lower > 0, "eps-optimal": near, "optimal": near and wanted <= 1e-6 * upper}
    judge(proof, at_most_ratio(lower, Fraction(sums.lowest, ONE), sums.square), proved, says)
    if torn:
        return f"no w separates the data: {len(proof['rows'])} vectors have a weighted sum of exactly zero"
    said = f"w separates the {'listed vectors' if 'vectors' in proof else 'data'}"
    said = said if lower > 0 else f"{sums.violated} of {len(sums.score)} are on the wrong side of w"
    return f"{said}; its margin is at least {lower!r}, and no w has more than {upper!r}"


def at_most_ratio(bound, score, square):
    """Whether bound <= score / sqrt(square), exactly; over a square of 0 a positive score is inf, any other -inf."""
    if square == 0 or math.isinf(bound):
        return bound == -math.inf or (square == 0 and score > 0)
    return Fraction(bound) * abs(Fraction(bound)) * square <= score * abs(score)


def combine(sums, halves):
    """The weighted sum of the named vectors, by place, and what to divide it by.

    With a free bias each class weighs one half: the sum is (p - q) / 2, p and q points of the two classes' hulls.
    """
    (minus, plus), (negative, positive) = sums.sides, sums.share
    require((min if halves else max)(sums.share) > 0, "upper: the proof has no weights, or none for a class")
    times, other, whole = (positive, negative, 2 * negative * positive) if halves else (1, 1, negative + positive)
    kept = {*minus, *plus} - ({sums.last} if halves else set())  # a free bias is not in the norm
    return {j: times * minus.get(j, 0) + other * plus.get(j, 0) for j in kept}, whole


def verify_cost(proof, path):
    """P(w) = |w|^2 / 2 + sum C_i loss(1 - <w,a_i>) <= upper, and no w costs less than lower <= D(alpha)."""
    require(proof["loss"] in ("hinge", "squared_hinge") and 0 < proof["C"] < math.inf, "loss or C: unknown", Unreadable)
    sums, alpha, squared = Sums(proof, path), read_weights(proof), proof["loss"] == "squared_hinge"
    one, upper, lower = ONE * ONE, proof["upper"], proof["lower"]
    cost = {i: units(proof["C"] * weight) for i, weight in sums.cost.items()}
    lost = {i: max(one - score, 0) for i, score in sums.score.items()}  # the hinge, in units squared
    loss = sum(cost[i] * lost[i] * (lost[i] if squared else one) for i in cost)
    primal = Fraction(sums.square, 2 * one) + Fraction(loss, ONE * one * one)
    row_sums = {}  # of a linear machine a row has one dual weight per rival
    for (i, _), n in alpha.items():
        row_sums[i] = row_sums.get(i, 0) + n
    require(squared or all(n <= cost[i] for i, n in row_sums.items()), "the dual weights of a row are above its C")
    free = proof["bias"] == "free"  # then the dual needs equal sums of both classes: the larger one is made smaller
    cut = [Fraction(min(sums.share), share) if free and share else Fraction(1) for share in sums.share]
    kept = {*sums.sides[0], *sums.sides[1]} - ({sums.last} if free else set())
    total = {j: cut[0] * sums.sides[0].get(j, 0) + cut[1] * sums.sides[1].get(j, 0) for j in kept}
    dual = sum(c * share for c, share in zip(cut, sums.share)) / ONE
    dual -= sum(x * x for x in total.values()) / (2 * one * one)
    for i, n in row_sums.items() if squared else ():  # each rounded up, by less than 2^-2000
        dual -= cut[bool(sums.class_of[i])] ** 2 * Fraction(-(-n * n * ONE // (4 * cost[i])), one)
    judge(proof, lower <= dual, primal <= upper, {"optimal": upper - lower <= proof["tol"] * upper})
    return f"w costs at most {upper!r}, and no w costs less than {lower!r}"


def verify_ridge(proof, path):
    """J(w) = sum c e^2 + alpha |w|^2 <= upper with e = t - <w,x>; no w costs less than D(u), and lower <= D(u)."""
    # D(u) = 2 <u,t> - sum u^2 / c - |sum u x|^2 / alpha, u less c times its mean if there is a bias; or u = c e
    lower, upper, alpha, margins = proof["lower"], proof["upper"], Fraction(proof["alpha"]), proof["margins"]
    require(alpha > 0 and proof["bias"] != "augmented", "alpha or bias: out of range", Unreadable)
    last, size, cost, squares, listed = proof["width"] - 1, 0, 0, 0, proof.get("weights")
    ws = [(proof["w"][k : k + last + 1], {}, {}) for k in range(0, len(proof["w"]), last + 1)]
    for i, y, weight, x in rows(proof, path):
        c, b, size = units(weight), units(margins[i] if margins[1:] else margins[0]), size + 1
        for k, (w, mass, pull) in enumerate(ws):
            target = b * (y == k) if proof["machine"] else b * (2 * y - 1)
            error = target * ONE - sum(w[j] * n for j, n in x)
            u = units(listed[i][k]) * ONE * ONE if listed else c * error
            cost += c * error * error
            squares += -(-u * u // c) if listed else c * error * error  # rounded up, by less than 2^-5000
            add(mass, c, [*x, (-1, target)])  # the sums of c (x, t) and of u (x, t); t has the place -1
            add(pull, u, [*x, (-1, target)])
    dual = -Fraction(squares, ONE**5)
    for _, mass, pull in ws:
        mean = Fraction(pull.get(last, 0), mass.get(last, 1))  # 0 without a bias
        left = {j: pull[j] - mean * mass[j] for j in pull}
        dual += mean * pull.get(last, 0) / ONE**6 + 2 * left.get(-1, 0) / ONE**4
        dual -= sum(x * x for j, x in left.items() if 0 <= j < last) / ONE**8 / alpha
    require(size == proof["size"], f"size: counted {size} rows")
    total = Fraction(cost, ONE**5) + alpha * Fraction(sum(n * n for w, _, _ in ws for n in w[:last]), ONE**2)
    judge(proof, lower <= max(dual, 0), total <= upper, {"optimal": upper - lower <= proof["tol"] * upper})
    return f"the squared errors of w cost at most {upper!r}, and no w costs less than {lower!r}"


def add(sums, times, x):
    """Add times * x to sums, by place."""
    for j, n in x:
        sums[j] = sums.get(j, 0) + times * n


def verify_radius(proof, path):
    """lower <= min_j y_j (<w,mu_j> + b) / sqrt(w' Sigma_j w), and no hyperplane has more than upper."""
    with open_text(path) as file:
        given = json.load(file)
    lower, upper = proof["lower"], proof["upper"]
    sign = [1 if class_of(label, proof["classes"]) else -1 for label in given["labels"]]
    means = [[Fraction(x) for x in mean] for mean in given["means"]]
    covariances = [[[Fraction(x) for x in row] for row in matrix] for matrix in given["covariances"]]
    require(proof["size"] == len(sign) == len(means) == len(covariances) and len({*sign}) == 2, "size: other Gaussians")
    *w, b = (Fraction(n, ONE) for n in proof["w"])
    reached = True
    for y, mean, matrix in zip(sign, means, covariances):
        symmetric = all(row[j] == matrix[j][i] for i, row in enumerate(matrix) for j in range(i))
        require(symmetric and eliminate(matrix) is not None, "a covariance is not symmetric and positive semidefinite")
        reached &= at_most_ratio(lower, y * (dot(w, mean) + b), form(matrix, w))
    proved = upper == math.inf or (upper >= 0 and meet(proof, sign, means, covariances))
    near, required = lower > 0 and upper - lower <= proof["eps"] * upper < math.inf, proof.get("required")
    says = {"infeasible": upper <= 0, "separated": lower >= 100, "optimal": near, "eps-optimal": near}
    says |= {} if required is None else {"reached": lower >= required, "impossible": upper < required}
    judge(proof, reached, proved, says)
    return f"r of w is at least {lower!r}, and no hyperplane has more than {upper!r}"


def meet(proof, sign, means, covariances):
    """Whether the hulls of the two classes' ellipsoids of radius ``upper`` meet, so that no hyperplane does better.

    The points mu_j + Sigma_j u_j, times y_j and weights, sum to t, which is 0 but for rounding. Changing the weights by
    a part rho at most, and the points by rho q at most, q their largest radius, makes the sum 0, if
    rho^2 = t' G^-1 t with G = sum weight_j^2 (a_j a_j' + q^2 Sigma_j). Then radii of q / (1 - rho) suffice.
    """
    rows, upper, whole = proof["rows"], Fraction(proof["upper"]), proof["integers"]
    require(0 < len(set(rows)) == len(rows) == len(proof["weights"]) == len(proof["u"]), "upper: it has no proof")
    if whole:  # the means themselves meet
        points = [[sign[i] * x for x in (*means[i], 1)] for i in rows]
        return min(whole) > 0 and len(whole) == len(rows) and not any(dot(whole, column) for column in zip(*points))
    moves, d = [[Fraction(x) for x in u] for u in proof["u"]], len(means[0])
    square = max(form(covariances[i], u) for i, u in zip(rows, moves))
    table = [[Fraction(0)] * (d + 2) for _ in range(d + 2)]  # G, bordered by t, and the number of points
    for i, weight, u in zip(rows, map(Fraction, proof["weights"]), moves):
        require(weight > 0, "upper: a weight is not positive")
        point = [m + dot(row, u) for m, row in zip(means[i], covariances[i])]
        a = [*(weight * sign[i] * x for x in (*point, 1)), 1]
        for r, c in itertools.product(range(d + 2), repeat=2):
            table[r][c] += a[r] * a[c] + (weight**2 * square * covariances[i][r][c] if max(r, c) < d else 0)
    rest = eliminate(table, bordered=True)
    n, below = (len(rows) - rest).as_integer_ratio() if rest is not None else (1, 1)
    rho = Fraction(math.isqrt(n * below << 1000) + bool(n), below << 500)  # the root, or less than 2^-500 above it
    return rho < 1 and square <= (upper * (1 - rho)) ** 2


def dot(x, y):
    """<x, y>."""
    return sum((a * b for a, b in zip(x, y)), Fraction(0))


def form(matrix, v):
    """v' matrix v."""
    return dot(v, [dot(row, v) for row in matrix])


def eliminate(matrix, bordered=False):
    """The last diagonal entry after elimination; None if a pivot is negative, or 0 in a row that is not."""
    A = [row[:] for row in matrix]
    for c in range(len(A) - bordered):
        pivot = A[c][c]
        if pivot < 0 or (pivot == 0 and any(A[c][c + 1 :])):
            return None
        for row in A[c + 1 :] if pivot else []:
            factor = row[c] / pivot
            row[c:] = [x - factor * y for x, y in zip(row[c:], A[c][c:])]
    return A[-1][-1]


VERIFIERS = {"margin": verify_margin, "cost": verify_cost, "ridge": verify_ridge, "radius": verify_radius}


def verify_one(proof, data_path):
    """What a proof that holds says."""
    listed, nothing = "vectors" in proof, (proof["lower"], proof["upper"]) == (-math.inf, math.inf)
    require(listed == (data_path is None), "this proof needs the data; or none, if it lists its vectors", Unreadable)
    if proof["status"] == "interrupted":
        require(nothing, "interrupted: nothing may be claimed")
        return "interrupted: nothing is claimed"
    about = f" ({proof['width'] - 1} columns, bias {proof['bias']}, {proof['size']} rows with a weight)"
    about = ". That the vectors in the proof are those of the data is not verified here" if listed else about
    return VERIFIERS[proof["claim"]](proof, str(data_path)) + about


def verify(proof_path, data_path=None):
    """Whether the proof holds for the data, and a sentence; of a committee one for each member."""
    try:
        said = [(proof["classes"], verify_one(proof, data_path)) for proof in read_proofs(proof_path)]
        return True, "; ".join(f"{yes} against {no}: {what}" for (no, yes), what in said) if said[1:] else said[0][1]
    except Wrong as reason:
        return False, str(reason)
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        raise Unreadable(f"{proof_path}: not a complete proof: {type(error).__name__} {error}") from None


def main(arguments):
    """The command."""
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 2 * (arguments not in (["-h"], ["--help"]))
    try:
        holds, said = verify(*arguments)
    except Unreadable as error:
        print(f"verify: {error}.", file=sys.stderr)
        return 2
    print(f"The proof holds: {said}." if holds else f"The proof is WRONG: {said}.")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
