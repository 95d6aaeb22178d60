"""The first fit in a new process, beyond `import sklearn`, with a warm cache; and the cold compile of each estimator.

    python -m benchmarks.startup [part of a name]

In CPU seconds of the process, which other work on the machine disturbs less.
"""

import os
import resource
import subprocess
import sys
import tempfile

IMPORT = "import sklearn"
ESTIMATORS = {
    "Perceptron()": "dense",
    "Perceptron(batch=True)": "dense",
    "Perceptron(max_passes=5)": "sparse",
    "Relaxation(max_passes=100)": "dense",
    "Kozinec(max_passes=100)": "dense",
    "Kozinec(max_passes=100, bias='augmented')": "sparse",
    "LeastSquares()": "dense",
    "LeastSquares(method='lms')": "dense",
    "GradientDescent(max_passes=100)": "dense",
    "MaximumMargin()": "dense",
    "MaximumMargin(C=1.0)": "dense",
    "MaximumMargin(C=1.0, loss='squared_hinge')": "sparse",
    "Anderson()": "dense",
}
FIT = """
import warnings; warnings.simplefilter("ignore")
import numpy as np, scipy.sparse as sp
import linsep
from linsep import *
rng = np.random.default_rng(0)
X = rng.standard_normal((300, 5)); y = X @ np.arange(1.0, 6.0) > 0.1
X = sp.csr_array(X) if {kind!r} == "sparse" else X
{estimator}.fit(X, y)
"""


def spent() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(code: str, cache: str) -> float:
    began = spent()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "NUMBA_CACHE_DIR": cache})
    return spent() - began


def main() -> None:
    print(f"{'estimator':<44}{'cold':>8}{'warm':>8}{'import sklearn':>16}{'warm - import':>15}")
    for estimator, kind in ESTIMATORS.items():
        if not any(part in estimator for part in sys.argv[1:] or [""]):
            continue
        with tempfile.TemporaryDirectory() as cache:
            code = FIT.format(estimator=estimator, kind=kind)
            seconds(IMPORT, cache)
            bare = min(seconds(IMPORT, cache) for _ in range(3))
            cold = seconds(code, cache)
            warm = min(seconds(code, cache) for _ in range(3))
        holds = "yes" if warm - bare < 1.5 and cold < 10 else "NO"
        print(f"{estimator + ' ' + kind:<44}{cold:8.2f}{warm:8.2f}{bare:16.2f}{warm - bare:15.2f}  {holds}")


if __name__ == "__main__":
    main()
