"""One pass over the data against reading it once (BLAS, SciPy) and against scikit-learn's Perceptron.

    python -m benchmarks.single_pass [--quick] [--csr]

Rows are drawn at random and cut to a margin from a planted hyperplane, so that they are separable; "noisy" ones have
1 % of their labels flipped. "pass" is the best of passes 2 to 4 of a run, "whole fit" everything that `fit` does in one
pass: checks of the input, the pass, the certificate; its CPU time is compared with that of scikit-learn's one-pass fit
in the data's order. scikit-learn's Perceptron is timed as it comes (it shuffles) as well: ``fit`` with one pass, and
its passes 2 to 4, also in the data's order, which is faster.
"""

import math
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Peer

from benchmarks.timing import best_times, verdict
from linsep import Perceptron
from linsep.loop.passes import begin, passes
from linsep.oracles import differences, points
from linsep.rules import Increment, Nearest, Relaxation
from linsep.targets import Margin


def labelled(X, rng, flipped: float):
    """Rows at least a little away from a planted hyperplane, and their side of it, or the other one."""
    score = X @ rng.standard_normal(X.shape[1]).astype(X.dtype)
    kept = np.abs(score) > 0.1 * score.std()
    side = np.where(score[kept] > 0, 1, -1)
    return X[kept], np.where(rng.random(side.size) < flipped, -side, side)


def dense(n: int, d: int, dtype, rng):
    return rng.standard_normal((n, d), dtype=dtype)


def sparse(n: int, d: int, nonzeros: int, rng):
    stripe = d // nonzeros  # one column out of each stripe: sorted, none twice
    indices = rng.integers(0, stripe, (n, nonzeros), dtype=np.int32) + stripe * np.arange(nonzeros, dtype=np.int32)
    indptr = np.arange(0, n * nonzeros + 1, nonzeros, dtype=np.int32)
    return sp.csr_array((rng.standard_normal(n * nonzeros), indices.ravel(), indptr), shape=(n, d))


def later_pass(parts, target, rule) -> tuple[float, int]:
    """The best time of passes 2 to 4, and the updates made in it."""
    run = passes(parts, target, rule, begin(parts))
    next(run)
    seen = []
    for _ in range(3):
        began = time.perf_counter()
        state = next(run, None)
        if state is not None:
            seen.append((time.perf_counter() - began, state.mistakes))
    return min(seen)


def compare(name: str, X, rng, rounds: int, read_limit: float, peer_limit: float, flipped: float = 0.0) -> None:
    X, y = labelled(X, rng, flipped)
    w = rng.standard_normal(X.shape[1]).astype(X.dtype)
    part = points(X, y)
    flat = differences([part.with_bias(0.0)])
    runs = {
        "perceptron": ([part], Margin(0.0), Increment(1.0)),
        "relaxation": ([part], Margin(1.0), Relaxation(1.5)),
        "kozinec, augmented": ([part], Margin(0.0), Nearest()),
        "kozinec, free bias": (flat, Margin(0.0), Nearest()),
    }
    best = dict.fromkeys(runs, (math.inf, 0))
    for _ in range(rounds):
        best = {rule: min(best[rule], later_pass(*run)) for rule, run in runs.items()}
    times = best_times(rounds, read=lambda: X @ w)
    whole = best_times(
        rounds,
        time.process_time,
        fit=lambda: Perceptron(max_iter=1).fit(X, y),
        last=lambda: Perceptron(max_iter=1, keep="last").fit(X, y),
        peer=lambda: Peer(shuffle=False, tol=None, max_iter=1).fit(X, y),
    )
    peer = best_times(
        max(1, rounds // 3),
        one=lambda: Peer(tol=None, max_iter=1).fit(X, y),
        four=lambda: Peer(tol=None, max_iter=4).fit(X, y),
        ordered_one=lambda: Peer(shuffle=False, tol=None, max_iter=1).fit(X, y),
        ordered_four=lambda: Peer(shuffle=False, tol=None, max_iter=4).fit(X, y),
    )
    shuffled, ordered = (peer["four"] - peer["one"]) / 3, (peer["ordered_four"] - peer["ordered_one"]) / 3
    own, updates = best["perceptron"]
    print(f"{name}: X @ w {1e3 * times['read']:.1f} ms, a pass {1e3 * own:.1f} ms", end="")
    print(f" (updates at {100 * updates / y.size:.1f} % of the rows), scikit-learn's {1e3 * shuffled:.1f} ms")
    print("  pass / X @ w                         ", verdict(own / times["read"], read_limit, at_most=True))
    print("  scikit-learn, one pass / pass        ", verdict(peer["one"] / own, peer_limit, at_most=False))
    print("  scikit-learn's later passes / pass   ", verdict(shuffled / own, peer_limit, at_most=False))
    print("  the same in the data's order         ", verdict(ordered / own, peer_limit, at_most=False))
    fit_limit = 1.2 if sp.issparse(X) else 1.0
    print("  whole fit / scikit-learn's, in order ", verdict(whole["fit"] / whole["peer"], fit_limit, at_most=True))
    print("  the same, without the average        ", verdict(whole["last"] / whole["peer"], fit_limit, at_most=True))
    for rule, (seconds, count) in list(best.items())[1:]:
        share = f"updates {100 * count / y.size:.1f} %"
        print(f"  {rule} / perceptron     ", verdict(seconds / own, 1.5, at_most=True), share)


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    quick = "--quick" in sys.argv
    rounds, shrink = (3, 10) if quick else (9, 1)
    for flipped in (0.0, 0.01):
        noisy = ", noisy" if flipped else ""
        for dtype in () if "--csr" in sys.argv else (np.float64, np.float32):
            for n, d, peer in ((400_000, 100, 8), (40_000, 1000, 4)):
                X = dense(n // shrink, d, dtype, rng)
                compare(f"dense {n:,} x {d:,} {np.dtype(dtype)}{noisy}", X, rng, rounds, 1.3, peer, flipped)
        X = sparse(500_000 // shrink, 50_000, 75, rng)
        compare(f"CSR 500,000 x 50,000, 75 a row{noisy}", X, rng, rounds, 1.5, 1.7, flipped)


if __name__ == "__main__":
    main()
