"""CPU seconds of a fit with nothing set, on all rows of the largest sets: none may take more than ten.

    python -m benchmarks.budgets                    # all
    python -m benchmarks.budgets a9a news20 --only LinearMachine

A first fit to few rows compiles what is needed; it is not counted.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.default_sets import read
from linsep import (
    GradientDescent,
    Kozinec,
    LeastSquares,
    LinearMachine,
    MaximumMargin,
    Perceptron,
    Relaxation,
)

SETS = ("a9a", "adult_onehot", "news20", "mnist", "letters")
FITS: dict[str, Any] = {
    "Perceptron": Perceptron, "Perceptron(batch=True)": lambda: Perceptron(batch=True), "Relaxation": Relaxation,
    "Kozinec": Kozinec, "LinearMachine": LinearMachine, "LinearMachine('kozinec')": lambda: LinearMachine("kozinec"),
    "GradientDescent": GradientDescent, "LeastSquares('lms')": lambda: LeastSquares("lms"),
    "MaximumMargin(C=1)": lambda: MaximumMargin(C=1.0), "MaximumMargin": MaximumMargin,
}  # fmt: skip
LIMIT = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--only", nargs="*", default=list(FITS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':26}{'':14}CPU s  passes  why it ended")
    for name in args.sets:
        X, y = read(name)
        some = np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)])
        for fit in args.only:
            if fit == "GradientDescent" and len(np.unique(y)) > 2:
                continue  # of two classes only
            FITS[fit]().fit(X[some], y[some])
            began = time.process_time()
            rule = FITS[fit]().fit(X, y)
            spent = time.process_time() - began
            found = rule.certificate_ if hasattr(rule, "certificate_") else rule.certificates_[0]
            passes = getattr(rule, "n_iter_", "")
            over = "  MORE THAN 10" if spent > LIMIT else ""
            print(f"{fit:26}{name:14}{spent:5.1f}  {passes!s:>6}  {found.status}, {found.reason}{over}", flush=True)


if __name__ == "__main__":
    main()
