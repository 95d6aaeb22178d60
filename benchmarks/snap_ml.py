"""The soft margin, two classes, C = 1, against Snap ML: CPU seconds to the same objective.

    pip install snapml
    OPENBLAS_NUM_THREADS=1 python -m benchmarks.snap_ml [--limit SECONDS] [--quick]

Both are given several tolerances. Of each the quickest run counts whose cost is as near to the optimum as asked; both
costs are computed here. With two threads Snap ML's CPU time is halved: what two idle cores would take at best. Ours
is one thread.
"""

import sys
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks.margin import best_time, cost, quickest, soft_sets
from benchmarks.timing import verdict
from linsep import MaximumMargin

OURS = (0.3, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
THEIRS: tuple[tuple[int, float], ...] = (
    (1, 1e-1),
    (2, 1e-1),
    (5, 1e-1),
    (10, 1e-2),
    (30, 1e-3),
    (1000, 1e-2),
    (1000, 1e-3),
    (1000, 1e-4),
)
THEIRS += ((10_000, 1e-5), (10_000, 1e-6))


def own_runs(X, y, sign, squared: bool, limit: float):
    """(seconds, cost) of several tolerances."""
    loss = "squared_hinge" if squared else "hinge"
    for tol in OURS:
        rule = MaximumMargin(C=1.0, loss=loss, bias="augmented", tol=tol)
        seconds = best_time(rule, X, y)
        yield seconds, cost(rule.coef_[0], rule.intercept_[0], X, sign, squared)
        if seconds > limit:
            return


def snap_runs(X, sign, squared: bool, limit: float, threads: int):
    """(seconds, cost) of several numbers of passes and tolerances."""
    from snapml import SupportVectorMachine

    X = X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X)
    X = sp.csr_matrix(X) if sp.issparse(X) else X
    for passes, tol in THEIRS:
        rule = SupportVectorMachine(
            loss="squared_hinge" if squared else "hinge", max_iter=passes, tol=tol, fit_intercept=True, n_jobs=threads,
            regularizer=1.0, random_state=0,
        )  # fmt: skip
        seconds = best_time(rule, X, sign.astype(np.float64)) / threads
        w = np.ravel(rule.coef_).astype(np.float64)
        yield seconds, cost(w, float(np.ravel(rule.intercept_)[0]), X, sign, squared)
        if seconds > limit:
            return


def compare(name: str, X, y, squared: bool, limit: float) -> None:
    """Print the seconds of each to several distances from the optimum."""
    sign, loss = np.where(y, 1, -1), "squared_hinge" if squared else "hinge"
    best = MaximumMargin(C=1.0, loss=loss, bias="augmented", tol=1e-8).fit(X, y).certificate_
    print(f"{name}, {loss}: optimum {best.lower:.9g}, gap {best.relative_gap:.1e}")
    own = list(own_runs(X, y, sign, squared, limit))
    peers = {threads: list(snap_runs(X, sign, squared, limit, threads)) for threads in (1, 2)}
    nearest = min(value for runs in peers.values() for _, value in runs) / best.lower - 1
    print(f"  Snap ML's least cost is {nearest:.1e} above it")
    for gap in (1e-2, 5e-3, 1e-3, 5e-4, 1e-4, 1e-5):
        ours = quickest(own, best.lower, gap)
        for threads, runs in peers.items():
            theirs = quickest(runs, best.lower, gap)
            if theirs == np.inf:
                print(f"  to {gap:.0e}, threads {threads}: ours {ours:.3f} s, Snap ML never came there", flush=True)
            else:
                ratio = verdict(ours / theirs, 1.0, at_most=True)
                print(f"  to {gap:.0e}, threads {threads}: ours {ours:.3f} s, / Snap ML's {ratio}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    limit = float(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else 20.0
    for name, X, y in soft_sets(10 if "--quick" in sys.argv else 1):
        X = X.astype(np.float64)
        if sp.issparse(X):
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        for squared in (False, True):
            compare(name, X, y, squared, limit)


if __name__ == "__main__":
    main()
