"""Decisions of minimal risk (A1, A2): linear, quadratic and Parzen's regions, any loss, and the reject option.

    python examples/bayes.py [folder]

Iris, by one or two of its four measurements. Prints the risk of each rule, under its own densities (Monte Carlo, with
the standard error) and by cross-validation, and the decisions of a test for a disease; writes one plot.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from linsep.bayes import Bayes, Gaussian, Parzen, ProbabilityTable
from linsep.plot import strategy

EXPENSIVE = [[0, 1, 1], [1, 0, 1], [1, 5, 0]]  # versicolor taken for virginica costs 5
RULES = {
    "one column, own variances, a reject costs 0.2": ([2], Bayes(Gaussian(), reject=0.2)),
    "one covariance for all: linear": ([0, 1], Bayes(Gaussian(shared=True))),
    "one covariance per class: quadratic": ([0, 1], Bayes(Gaussian())),
    "the same, a reject costs 0.3": ([0, 1], Bayes(Gaussian(), reject=0.3)),
    "the same, versicolor taken for virginica costs 5": ([0, 1], Bayes(Gaussian(), loss=EXPENSIVE)),
    "Parzen's windows, a reject costs 0.3": ([0, 1], Bayes(Parzen(), reject=0.3)),
}


def cross_validated(rule: Bayes, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mean loss on rows that were left out of the fit."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)
    return float(np.concatenate([clone(rule).fit(X[a], y[a]).losses(X[b], y[b]) for a, b in folds]).mean())


def print_hospital() -> None:
    """Print the best decisions of a test for a disease that one in ten has, with their exact risks."""
    parts = [(54, 1), (27, 3), (9, 6)]
    table = ProbabilityTable([[Fraction(p, 100) for p in row] for row in parts], classes=["well", "ill"])
    for words, loss, reject in (
        ("0/1 loss", None, None),
        ("ill taken for well costs 10", [[0, 10], [1, 0]], None),
        ("and a closer look costs 1/2", [[0, 10], [1, 0]], Fraction(1, 2)),
    ):
        q = table.strategy(loss, reject)
        print(f"  {words:<28} low, middle, high: {', '.join(q.tolist()):<24} risk {table.risk(q, loss, reject)}")


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    print("A test for a disease:")
    print_hospital()
    print("Iris:")
    data = load_iris()
    figure, axes = plt.subplots(2, 3, figsize=(15, 9), layout="constrained")
    for ax, (name, (columns, rule)) in zip(axes.flat, RULES.items(), strict=True):
        X, y = data.data[:, columns], data.target_names[data.target]
        rule.fit(X, y)
        strategy(rule, X, y, ax)
        ax.set_xlabel(data.feature_names[columns[0]])
        if len(columns) == 2:
            ax.set_ylabel(data.feature_names[columns[1]])
        risk = rule.risk(random_state=0)
        ax.set_title(f"{name}\n{ax.get_title()}; risk {risk.value:.4f} ± {risk.error:.4f}", fontsize=10)
        print(f"  {name:<50} risk {risk}, cross-validated {cross_validated(rule, X, y):.3f}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "bayes.png", dpi=90)
    plt.close(figure)
    print(f"wrote {place / 'bayes.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
