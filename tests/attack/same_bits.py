"""The same bits whatever was fitted before: a list of fits in two processes, in opposite orders."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import structures
from .malformed import estimators
from .malformed_structures import GRAPHS, ON, SEQUENCES, TAGS
from .tally import Tally


def fits() -> dict[str, Callable[[], Any]]:
    """Every estimator on dense, sparse and float32 rows, structures, and Gaussians."""
    import linsep as ls

    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5)) + 0.7 * y[:, None]
    apart = X + 3.0 * y[:, None]
    found: dict[str, Callable[[], Any]] = {}
    for name, rule in estimators().items():
        for kind, rows in {"mixed": X, "apart": apart, "float32": X.astype(np.float32)}.items():
            found[f"{name}, {kind}"] = lambda rule=rule, rows=rows: rule.fit(rows, y)
        if not name.startswith(("Anderson", "Bayes", "NearestMean", "Mahalanobis", "Lifted")):  # for dense rows
            found[f"{name}, sparse"] = lambda rule=rule: rule.fit(sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0)), y)
    for rule in structures.RULES:
        found[f"sequences, {rule}"] = lambda rule=rule: ls.SequenceClassifier(rule, random_state=0).fit(SEQUENCES, TAGS)
        found[f"networks, {rule}"] = lambda rule=rule: ls.NetworkClassifier(rule=rule, random_state=0).fit(GRAPHS, ON)
    found["separability"] = lambda: ls.separability(X, y)
    return found


def child(backwards: bool) -> None:
    """Fit all, in order or backwards; prints a checksum of each."""
    sums = {}
    order = list(fits().items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, fit in reversed(order) if backwards else order:
            rule = fit()
            parts = [getattr(rule, part, None) for part in ("coef_", "intercept_", "means_", "w", "weights")]
            bits = b"".join(np.ascontiguousarray(part).tobytes() for part in parts if isinstance(part, np.ndarray))
            certificate = getattr(rule, "certificate_", None)
            bits += repr((getattr(certificate, "lower", None), getattr(certificate, "upper", None))).encode()
            sums[name] = hashlib.sha256(bits).hexdigest()
    print(json.dumps(sums))


def attack(seed: int, tally: Tally) -> None:
    """Two processes without a cache of compiled code in common; what differs is a failure."""
    found = []
    for backwards in ("0", "1"):
        command = [sys.executable, "-m", "attack.same_bits", backwards]
        done = subprocess.run(
            command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        )
        if done.returncode:
            tally.fail("crash", "same bits", f"exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
            return
        found.append(json.loads(done.stdout.splitlines()[-1]))
    for name, bits in found[0].items():
        tally.problems["same bits"] += 1
        if bits != found[1][name]:
            tally.fail("other bits", name, "the result depends on what was fitted before")


if __name__ == "__main__":
    import_module("attack.same_bits").child(sys.argv[1] == "1")
