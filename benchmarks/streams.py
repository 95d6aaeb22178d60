"""The quickest good rule for streams: one to three passes with nothing else set, on held-out rows.

    python -m benchmarks.streams                # all sets; or some: news20 sms_spam_counts

Rows come in random order, as from a stream, and columns are not scaled, but for `AveragedPerceptron`, whose
``partial_fit`` takes the sizes of dense columns from its first rows. Three splits; a third of the rows is held out.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.default_sets import read
from linsep import AveragedPerceptron, LeastSquares, Perceptron, Relaxation

SETS = ("sms_spam_counts", "news20", "documents", "a9a", "letters", "digits", "spambase", "breast_cancer")
PASSES = (1, 2, 3)
LAST: dict[str, Any] = {"scaling": None, "keep": "last"}
MEAN: dict[str, Any] = {"scaling": None, "keep": "average"}
RULES: dict[str, Any] = {
    "perceptron, last w": lambda k: Perceptron(max_iter=k, **LAST),
    "perceptron, averaged": lambda k: Perceptron(max_iter=k, **MEAN),
    "AveragedPerceptron": lambda k: AveragedPerceptron(max_iter=k),
    "AveragedPerceptron, not scaled": lambda k: AveragedPerceptron(max_iter=k, scaling=None),
    "relaxation, rate 1, averaged": lambda k: Relaxation(1.0, max_iter=k, **MEAN),
    "relaxation, rate 0.5, averaged": lambda k: Relaxation(0.5, max_iter=k, **MEAN),
    "relaxation, rate 1.5, averaged": lambda k: Relaxation(1.5, max_iter=k, **MEAN),
    "Widrow-Hoff, averaged": lambda k: LeastSquares("lms", keep="average", max_iter=k),
    "sklearn Perceptron": lambda k: Peer(max_iter=k, tol=None, shuffle=False),
    "sklearn SGDClassifier, averaged": lambda k: SGDClassifier(max_iter=k, tol=None, shuffle=False, average=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[str, list[np.ndarray]] = {}
    for name in args.sets:
        X, y = read(name)
        some = np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)])
        for make in RULES.values():  # compile
            make(1).fit(X[some], y[some])
        best = {}
        for rule, make in RULES.items():
            found = np.array([[measure(make(k), X, y, seed) for seed in range(3)] for k in PASSES]).mean(axis=1)
            best[rule] = found
            shown = "  ".join(f"{right:.3f}" for right in found[:, 0])
            print(f"| {name} | {rule} | {shown} | {found[0, 1]:.3f} s |", flush=True)
        most = max(found[:, 0].max() for found in best.values())
        for rule, found in best.items():
            sums.setdefault(rule, []).append(most - found[:, 0])
    for rule, behind in sums.items():
        print(f"| mean distance from the best | {rule} | {'  '.join(f'{x:.3f}' for x in np.mean(behind, axis=0))} | |")


def measure(rule: Any, X: Any, y: np.ndarray, seed: int) -> tuple[float, float]:
    """The share of held-out rows that are right, and the CPU seconds of the fit."""
    train, test = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed).split(X, y))
    began = time.process_time()
    rule.fit(X[train], y[train])
    return float((rule.predict(X[test]) == y[test]).mean()), time.process_time() - began


if __name__ == "__main__":
    main()
