"""Fitting a 2 GB memmap: how much private (anonymous) memory it takes.

    python -m benchmarks.memory [folder for the file]

On labels that a plane separates, and on the same with 5 % of them flipped.
"""

import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

from linsep import Kozinec, Perceptron

ROWS, COLUMNS = 2_500_000, 100


def anonymous() -> int:
    """Private memory of this process, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return 1024 * int(line.split()[1])
    sys.exit("This benchmark reads RssAnon from /proc, which this machine does not have.")


class Peak(threading.Thread):
    """The largest private memory seen while it runs."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.running = 0, True

    def run(self):
        while self.running:
            self.most = max(self.most, anonymous())
            time.sleep(0.002)


def report(name: str, rule, X: np.ndarray, y: np.ndarray) -> None:
    rule.fit(X[:1000], y[:1000])  # compile first
    before = anonymous()
    peak = Peak()
    peak.start()
    began = time.perf_counter()
    rule.fit(X, y)
    elapsed = time.perf_counter() - began
    peak.running = False
    peak.join()
    grown = (peak.most - before) / 1e6
    print(f"{name}, {rule}: {X.nbytes / 1e9:.1f} GB in {elapsed:.1f} s, private memory + {grown:.0f} MB", end="")
    print(f" (< 100: {'yes' if grown < 100 else 'NO'})")


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    planted = rng.standard_normal(COLUMNS)
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        X = np.memmap(Path(folder) / "X.dat", dtype=np.float64, mode="w+", shape=(ROWS, COLUMNS))
        y = np.empty(ROWS, dtype=np.int8)
        for at in range(0, ROWS, 50_000):
            X[at : at + 50_000] = rng.standard_normal((50_000, COLUMNS))
            y[at : at + 50_000] = X[at : at + 50_000] @ planted > 0
        X.flush()
        X = np.memmap(Path(folder) / "X.dat", dtype=np.float64, mode="r", shape=(ROWS, COLUMNS))
        for name, labels in (("separable", y), ("noisy", y ^ (rng.random(ROWS) < 0.05))):
            for rule in (Perceptron(max_iter=3), Perceptron(max_iter=3, batch=True), Kozinec(max_iter=3)):
                report(name, rule, X, labels)
        del X


if __name__ == "__main__":
    main()
