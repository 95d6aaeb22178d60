"""The first fit in a new process, beyond `import sklearn`, with a warm cache; and the cold compile of each estimator.

    python -m benchmarks.startup [part of a name]

In CPU seconds of the process, which other work on the machine disturbs less; "cold" has nothing compiled, "warm" all:
the difference is what compiling takes. Python keeps its byte code, as it does wherever nobody has forbidden it.
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
    "Perceptron(max_iter=5)": "sparse",
    "Relaxation(max_iter=100)": "dense",
    "Kozinec(max_iter=100)": "dense",
    "Kozinec(max_iter=100, bias='augmented')": "sparse",
    "LeastSquares()": "dense",
    "LeastSquares(method='lms')": "dense",
    "GradientDescent(max_iter=100)": "dense",
    "MaximumMargin()": "dense",
    "MaximumMargin(C=1.0)": "dense",
    "MaximumMargin(C=1.0, loss='squared_hinge')": "sparse",
    "Anderson()": "dense",
    "LinearMachine()": "dense",
    "SequenceClassifier()": "sequences",
    "NetworkClassifier()": "networks",
}
FIT = """
import warnings; warnings.simplefilter("ignore")
import numpy as np, scipy.sparse as sp
from linsep import {name}
rng = np.random.default_rng(0)
X = rng.standard_normal((300, 5)); y = X @ np.arange(1.0, 6.0) > 0.1
if {kind!r} == "sparse":
    X = sp.csr_array(X)
elif {kind!r} == "sequences":
    X, y = np.split(X, 30), np.split(y, 30)
elif {kind!r} == "networks":
    X, y = [(x, np.array([[0, 1], [1, 2], [2, 0]])) for x in np.split(X, 100)], np.split(y, 100)
{estimator}.fit(X, y)
"""


def spent() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(code: str, cache: str) -> float:
    env = {**os.environ, "NUMBA_CACHE_DIR": cache}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    began = spent()
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    return spent() - began


def main() -> None:
    print(f"{'estimator':<52}{'cold':>6}{'warm':>6}{'compile':>9}{'import sklearn':>16}{'warm - import':>15}")
    for estimator, kind in ESTIMATORS.items():
        if not any(part in estimator for part in sys.argv[1:] or [""]):
            continue
        with tempfile.TemporaryDirectory() as cache:
            name = estimator.partition("(")[0]
            code = FIT.format(name=name, estimator=estimator, kind=kind)
            seconds(f"from linsep import {name}", cache)
            bare = min(seconds(IMPORT, cache) for _ in range(3))
            cold = seconds(code, cache)
            warm = min(seconds(code, cache) for _ in range(3))
        compiling, later = cold - warm, warm - bare
        holds = "yes" if later < 1.5 and cold < 10 else "NO"
        print(f"{estimator + ' ' + kind:<52}{cold:6.2f}{warm:6.2f}{compiling:9.2f}{bare:16.2f}{later:15.2f}  {holds}")


if __name__ == "__main__":
    main()
