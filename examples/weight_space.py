"""The weight space of problems with two weights: the solution cone, and the path of the perceptron (S1).

    python examples/weight_space.py [folder]

Every vector restricts w to a half-plane beside a line through 0; their intersection is the solution cone. Each
update adds a violated vector to w, until w is inside. Writes one plot of three problems.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep.plot import weight_space

ORIGIN = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 0, 0])
INSEPARABLE = np.vstack([ORIGIN[0], [1.0, 2.5]]), np.append(ORIGIN[1], 0)
THRESHOLD = np.array([[0.5], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 5.4), layout="constrained")
    names = ("two features, no bias", "the same with one more point", "one feature and a bias")
    for ax, name, (X, y) in zip(axes, names, (ORIGIN, INSEPARABLE, THRESHOLD), strict=True):
        weight_space(X, y, ax=ax)
        ax.set_title(f"{name}\n{ax.get_title()}", fontsize=10)
        print(f"{name}: {ax.get_title().splitlines()[1]}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "weight_space.png", dpi=110)
    print(f"wrote {place / 'weight_space.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
