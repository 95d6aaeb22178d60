"""The same bits whatever was fitted before: a list of fits in two processes, in opposite orders."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from test_recorded_fits import FITS, IRIS, MIXED, WRONG, reading

from . import structures
from .malformed import estimators
from .malformed_structures import GRAPHS, ON, SEQUENCES, TAGS
from .tally import Tally

ANEW = "kozinec, sparse", "soft", "margin, many", "squares, lms", "sequences", "anderson, kozinec", "walk, sparse"


def fits() -> dict[str, Callable[[], Any]]:
    """The recorded fits, and every estimator on rows of several kinds."""
    import linsep as ls
    from linsep import bayes

    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5)) + 0.7 * y[:, None]
    apart = X + 3.0 * y[:, None]
    found: dict[str, Callable[[], Any]] = dict(FITS)
    for name, rule in estimators().items():
        for kind, rows in {"mixed": X, "apart": apart, "float32": X.astype(np.float32)}.items():
            found[f"{name}, {kind}"] = lambda rule=rule, rows=rows: scored(rule.fit(rows, y), rows)
        if not name.startswith(("Anderson", "Bayes", "NearestMean", "Mahalanobis", "Lifted")):  # for dense rows
            sparse = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
            found[f"{name}, sparse"] = lambda rule=rule, rows=sparse: scored(rule.fit(rows, y), rows)
    for rule in structures.RULES:
        found[f"sequences, {rule}"] = lambda rule=rule: ls.SequenceClassifier(rule, random_state=0).fit(SEQUENCES, TAGS)
        found[f"networks, {rule}"] = lambda rule=rule: ls.NetworkClassifier(rule=rule, random_state=0).fit(GRAPHS, ON)
    found |= {
        "margin, least score": lambda: ls.MaximumMargin(least_score=1.0).fit(apart, y),
        "soft, machine": lambda: ls.MaximumMargin(1.0).fit(*MIXED),
        "densities, Parzen": lambda: scored(ls.Bayes(bayes.Parzen(bandwidth=2.0)).fit(*IRIS), IRIS[0]),
        "densities, piecewise": lambda: scored(ls.Bayes(bayes.PiecewiseConstant()).fit(*IRIS), IRIS[0]),
        "densities, uniform": lambda: scored(ls.Bayes(bayes.Uniform()).fit(*IRIS), IRIS[0]),
        "densities, Rayleigh": lambda: scored(ls.Bayes(bayes.Rayleigh()).fit(*IRIS), IRIS[0]),
        "chosen, in threads": lambda: ls.MaximumMarginCV([0.01, 1.0], n_jobs=2).fit(*WRONG),
    }
    return found


def scored(rule: Any, X: Any) -> Any:
    """The estimator, if it has weights; else its scores of rows."""
    return rule if hasattr(rule, "coef_") else rule.decision_function(X)


def child(backwards: bool, names: list[str]) -> None:
    """Fit these, or all, in order or backwards; prints a checksum of each."""
    sums = {}
    order = [(name, fit) for name, fit in fits().items() if name in names or not names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, fit in reversed(order) if backwards else order:
            sums[name] = hashlib.sha256(json.dumps(reading(fit())).encode()).hexdigest()
    print(json.dumps(sums))


def attack(seed: int, tally: Tally) -> None:
    """All fits with the cache of compiled code, and some that compile it anew, in the order of the process."""
    compare([], os.environ, tally)
    compare(list(ANEW), None, tally)


def compare(names: list[str], environment: Any, tally: Tally) -> None:
    """Two processes; without an ``environment`` each has a cache of its own. What differs is a failure."""
    found = []
    for backwards in ("0", "1"):
        with tempfile.TemporaryDirectory() as folder:
            settings = environment or os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run(
                [sys.executable, "-m", "attack.same_bits", backwards, *names],
                capture_output=True, text=True, env=settings | {"PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
        if done.returncode:
            tally.fail("crash", "same bits", f"exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
            return
        found.append(json.loads(done.stdout.splitlines()[-1]))
    for name, bits in found[0].items():
        tally.problems["same bits"] += 1
        if bits != found[1][name]:
            tally.fail("other bits", name, "the result depends on what was fitted before")


if __name__ == "__main__":
    import_module("attack.same_bits").child(sys.argv[1] == "1", sys.argv[2:])
