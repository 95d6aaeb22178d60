"""Forged certificates: one field is changed so that the claim is false, by exact arithmetic; `check` must refuse it."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from linsep import separability

from . import estimators, exact, problems
from .claims import Rows, Truth, find_lies, find_truth
from .tally import Tally

PARTS = (1e-1, 1e-3, 1e-5, 1e-7, 1e-9)  # by which a bound is moved over the truth, relative


def attack(seed: int, tally: Tally) -> None:
    """One problem, two estimators, and all forgeries of their certificates."""
    rng = np.random.default_rng([2, seed])
    count = 2 if rng.random() < 0.75 else 3
    problem = problems.make(rng, count, None if rng.random() < 0.2 else 0)
    rows = Rows(problem.dense, problem.y, problem.kept, tuple(range(count)))
    makers = estimators.TWO if count == 2 else estimators.MANY
    names = [str(name) for name in rng.choice(list(makers), 2, replace=False)]
    claims = {}
    for name in names + ["separability"] * (count == 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if name == "separability":
                    claims[name] = separability(problem.X, problem.y, problem.weight)
                else:
                    rule = makers[name](rng).set_params(**({} if name == "MaximumMargin" else {"max_iter": 100}))
                    claims[name] = rule.fit(problem.X, problem.y, problem.weight).certificate_
            except Exception as error:  # the generator "rows" reports these
                tally.notes[f"no certificate: {type(error).__name__}"] += 1
    for name, claim in claims.items():
        if claim.status == "interrupted":  # on a busy machine: it claims nothing
            tally.notes["interrupted, as the machine is busy"] += 1
            continue
        if not np.isfinite(claim.w).all() or not claim.check(problem.X, problem.y, problem.weight):
            tally.notes["no honest certificate"] += 1
            continue
        for kind, forged in forge(rng, claim, rows):
            try:
                verdict = forged.check(problem.X, problem.y, problem.weight)
            except Exception as error:
                tally.fail("check raised", name, f"{kind} on {problem.words}: {type(error).__name__}: {error}")
                continue
            tally.forge(kind, name, verdict)
            if verdict:
                honest = f"{claim.status} {claim.lower!r} {claim.upper!r}"
                tally.failures[-1]["detail"] += f" on {problem.words}, honest: {honest}"


def forge(rng: np.random.Generator, claim: Any, rows: Rows) -> list[tuple[str, Any]]:
    """Certificates with one change each that makes a claim false."""
    truth = find_truth(rows, claim)
    candidates = [*_move_bounds(claim, truth), *_move_w(rng, claim), *_turn_status(rng, claim)]
    false = [(kind, forged) for kind, forged in candidates if _is_false(claim, forged, rows, truth)]
    return false + _miscount(claim, truth) + _break_proof(rng, claim, truth)


def _is_false(claim: Any, forged: Any, rows: Rows, truth: Truth) -> bool:
    """Whether the forged certificate claims what is not so."""
    same = forged.w is claim.w and forged.classes == claim.classes
    return bool(find_lies(forged, truth if same else find_truth(_relabelled(rows, forged), forged)))


def _relabelled(rows: Rows, forged: Any) -> Rows:
    """The rows under the names of the forged classes."""
    if tuple(forged.classes) == rows.names:
        return rows
    names = np.array(rows.names)[rows.label]
    return Rows(rows.X, names, np.ones(len(names), bool), tuple(forged.classes))


def _move_bounds(claim: Any, truth: Truth) -> list[tuple[str, Any]]:
    """A lower bound above the margin of w, an upper one below the best margin."""
    found = []
    margin = math.copysign(exact.root(truth.low**2 / truth.square), truth.low) if truth.square else 0.0
    best = exact.root(truth.best)
    for part in (*PARTS, 1e-12, 1e-15, 4e-16):
        if truth.square and margin:
            lower = margin + part * abs(margin)
            forged = replace(claim, lower=lower)
            if lower > 0 and claim.lower > 0:  # what follows from the lower bound is changed with it
                forged = replace(forged, novikoff=claim.novikoff * (claim.lower / lower) ** 2)
            found.append((f"lower + {part:g}", forged))
        if part in PARTS and best > 0 and math.isfinite(claim.upper):
            upper = best * (1 - part)
            found.append((f"upper - {part:g}", replace(claim, upper=upper)))
            shrunk = replace(claim, upper=upper, weights=claim.weights * (upper / claim.upper if claim.upper else 1.0))
            found.append((f"upper and weights - {part:g}", shrunk))
    if not truth.best:
        separated = type(claim.status)("separated")
        found.append(("a margin of data that have none", replace(claim, lower=1e-3, status=separated)))
    return found


def _move_w(rng: np.random.Generator, claim: Any) -> list[tuple[str, Any]]:
    """Another w with the old bounds."""
    noisy = claim.w + np.abs(claim.w).max(initial=0.0) * rng.normal(size=claim.w.shape) * 10.0 ** -rng.integers(0, 7)
    return [
        ("w negated", replace(claim, w=-claim.w)),
        ("w with noise", replace(claim, w=noisy)),
        ("w without its bias", replace(claim, w=claim.w * ([1.0] * (claim.w.shape[-1] - 1) + [0.0]))),
        ("classes reversed", replace(claim, classes=tuple(reversed(claim.classes)))),
    ]


def _turn_status(rng: np.random.Generator, claim: Any) -> list[tuple[str, Any]]:
    """Another status, as a bare word and with a made up proof."""
    kind = type(claim.status)
    others = [kind(word) for word in ("separated", "optimal", "not separable", "eps-optimal") if word != claim.status]
    found = [(f"status {word}", replace(claim, status=word)) for word in others]
    rows, weights = claim.rows, claim.weights
    if not rows.size:
        rows, weights = np.arange(min(2, claim.size)), np.ones(min(2, claim.size))
    proof = replace(claim, status=kind("not separable"), zero_sum=True, rows=rows, weights=weights, upper=0.0)
    integers = tuple(int(number) for number in rng.integers(1, 9, rows.size))
    return [*found, ("a sum of zero", proof), ("integers of a sum of zero", replace(proof, integers=integers))]


def _miscount(claim: Any, truth: Truth) -> list[tuple[str, Any]]:
    """Counts and lengths that are wrong."""
    found = [
        ("violated + 1", replace(claim, violated=truth.violated + 1)),
        ("size + 1", replace(claim, size=claim.size + 1)),
        ("size - 1", replace(claim, size=claim.size - 1)),
    ]
    if claim.longest > 0:
        found.append(("longest halved", replace(claim, longest=claim.longest / 2)))
    if 0 < claim.novikoff < math.inf:
        found.append(("novikoff halved", replace(claim, novikoff=claim.novikoff / 2)))
    return found


def _break_proof(rng: np.random.Generator, claim: Any, truth: Truth) -> list[tuple[str, Any]]:
    """A proof that proves nothing: rows that are not there, weights that are no weights, integers of another sum."""
    found = []
    if claim.rows.size and math.isfinite(claim.upper):
        beyond = claim.rows.copy()
        beyond[0] = 10**6
        negative = claim.weights.copy()
        negative[0] *= -1
        found += [("a row beyond", replace(claim, rows=beyond)), ("a row below", replace(claim, rows=-1 - claim.rows))]
        found += [("a weight negative", replace(claim, weights=negative))] if negative[0] else []
        found += [("weights are NaN", replace(claim, weights=claim.weights * math.nan))]
        found += [("one weight fewer", replace(claim, weights=claim.weights[1:]))]
    if claim.zero_sum and claim.exact:
        one = list(claim.integers)
        one[int(rng.integers(len(one)))] += 1
        found.append(("integers + 1", replace(claim, integers=tuple(one))))
        found.append(("integers negated", replace(claim, integers=tuple(-number for number in claim.integers))))
    return found
