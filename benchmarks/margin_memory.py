"""Soft margin of many classes, C = 1: CPU seconds and memory beyond X, against LinearSVC and, if installed, Snap ML.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.margin_memory
    OPENBLAS_NUM_THREADS=1 python -m benchmarks.margin_memory letters "news20 raw" --only ours

Every fit runs in a process of its own, after one to a few rows, which compiles, and whose memory is given back. Memory
is what the process has at most during the fit, less what it had before; "one" is the first class against all others,
with a free bias.
"""

import argparse
import ctypes
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.data import load
from benchmarks.default_sets import read
from linsep import MaximumMargin

SETS = ("letters", "news20 normalised", "news20 raw", "mnist")
FITS = ("ours", "ours, one", "LinearSVC", "Snap ML, 1 thread", "Snap ML, 2 threads")
PAGE = 4096 / 1e6


def rows(name: str):
    """X and y; MNIST's pixels are between 0 and 1."""
    if name == "mnist":
        X, y = load("mnist")
        return X[:60_000] / 255.0, y[:60_000]
    X, y = load("news20_multiclass") if name.startswith("news20") else read(name)
    X = X.astype(np.float64)
    if sp.issparse(X):
        X = normalize(X) if name.endswith("normalised") else X
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def make(fit: str):
    """The estimator of a name."""
    if fit.startswith("ours"):
        return MaximumMargin(C=1.0)
    if fit == "LinearSVC":
        return LinearSVC()
    from snapml import SupportVectorMachine  # optional

    return SupportVectorMachine(regularizer=1.0, n_jobs=int(fit.split()[2]))


def resident() -> float:
    """Megabytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def measure(name: str, fit: str) -> None:
    """Fit once and print what it took."""
    warnings.simplefilter("ignore")
    X, y = rows(name)
    y = (y == y[0]).astype(int) if fit.endswith("one") else y
    some = np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)])
    make(fit).fit(X[some], y[some])
    ctypes.CDLL(None).malloc_trim(0)  # of glibc
    before, over = resident(), threading.Event()
    peak = [before]

    def watch() -> None:
        while not over.wait(0.005):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.process_time()
    rule = make(fit).fit(X, y)
    spent = time.process_time() - began
    over.set()
    watcher.join()
    right = float(np.mean(rule.predict(X) == y))
    gap = f", gap {rule.certificate_.relative_gap:.1e}" if hasattr(rule, "certificate_") else ""
    print(f"{name:18} {fit:20} {spent:6.2f} s  {peak[0] - before:6.1f} MB beyond X  {right:.4f} of its rows{gap}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--only", nargs="*", default=list(FITS))
    parser.add_argument("--here", action="store_true", help="measure in this process")
    asked = parser.parse_args()
    for name in asked.sets:
        for fit in asked.only:
            if asked.here:
                measure(name, fit)
                continue
            command = [sys.executable, "-m", "benchmarks.margin_memory", name, "--only", fit, "--here"]
            done = subprocess.run(command, capture_output=True, text=True)
            print(done.stdout.rstrip() or f"{name:18} {fit:20} {done.stderr.strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
