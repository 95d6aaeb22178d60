"""Three ways to many classes (S3): the linear machine's convex regions, and where the members of a committee disagree.

    python examples/many_classes.py [folder]

Writes one picture: five classes of points, learned as one linear machine, one versus all, one versus one.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np

from linsep import LinearMachine, OneVsAll, OneVsOne, Perceptron
from linsep.plot import regions


def five_clouds(seed: int = 3, each: int = 14) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(5) / 5 + 0.3
    centres = 4 * np.column_stack([np.cos(angles), np.sin(angles)])
    y = np.repeat(np.arange(5), each)
    return centres[y] + 0.7 * rng.normal(size=(y.size, 2)), np.array(list("ABCDE"))[y]


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    warnings.simplefilter("ignore")
    X, y = five_clouds()
    rules = [
        LinearMachine("kozinec", max_iter=2000).fit(X, y),
        OneVsAll(Perceptron(max_iter=500)).fit(X, y),
        OneVsOne(Perceptron(max_iter=500)).fit(X, y),
    ]
    figure, axes = plt.subplots(1, 3, figsize=(16, 6), layout="constrained")
    for ax, rule in zip(axes, rules, strict=True):
        regions(rule, X, y, ax=ax)
        print(f"{ax.get_title()}; {100 * rule.score(X, y):.0f} % of the points are right")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "many_classes.png", dpi=100)
    print(f"wrote {place / 'many_classes.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
