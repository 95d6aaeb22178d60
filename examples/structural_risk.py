"""Which lift? Structural risk minimisation on a circle and on a line, by the bound and by cross-validation (A5).

    python examples/structural_risk.py [folder]

Polynomial lifts of degree 1 to 5 are fitted to 400 points on a circle and inside it, and to 400 points on both
sides of a line. The tables and the plot show the risks and bounds of every rung.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep import Lifted, Perceptron, Polynomial
from linsep.risk import StructuralRisk

N = 400
DEGREES = (1, 2, 3, 4, 5)


def circle(rng: np.random.Generator, size: int = N):
    """Return points near a circle of radius 1, and points inside it."""
    y = rng.integers(0, 2, size)
    radius = np.where(y == 1, rng.normal(1, 0.05, size), 0.8 * np.sqrt(rng.random(size)))
    angle = rng.uniform(0, 2 * np.pi, size)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def line(rng: np.random.Generator, size: int = N):
    """Return points on both sides of a line, at a distance of at least 0.05."""
    y = rng.integers(0, 2, size)
    along, across = rng.uniform(-1, 1, size), np.where(y == 1, 1, -1) * rng.uniform(0.05, 1, size)
    return np.column_stack([along + 0.5 * across, across - 0.5 * along]), y


def ladder():
    return [(f"degree {d}", Lifted(Polynomial(d), Perceptron())) for d in DEGREES]


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    from linsep.plot import structural_risk

    figure, axes = plt.subplots(2, 2, figsize=(11, 9), width_ratios=[1, 1.6], layout="constrained")
    for (points, ax), name, task in zip(axes, ("a circle and its inside", "a line"), (circle, line), strict=True):
        X, y = task(np.random.default_rng(0))
        model = StructuralRisk(ladder()).fit(X, y)
        print(f"{name}\n\n{model.table_}\n")
        structural_risk(model, ax)
        draw_regions(points, model, X, y)
        points.set_title(f"{name}, N = {len(y)}, {model.best_name_}", fontsize=10)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "structural_risk.png", dpi=110)
    print(f"wrote {place / 'structural_risk.png'}")


def draw_regions(ax, model, X, y) -> None:
    """Draw the points, and the decisions of the chosen rung."""
    from linsep.plot.style import INK, MARKERS, SIGN_COLOURS

    reach = 1.1 * np.abs(X).max()
    side = np.linspace(-reach, reach, 300)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    g = model.decision_function(grid.reshape(-1, 2)).reshape(300, 300)
    ax.contourf(side, side, g, levels=[-np.inf, 0, np.inf], colors=[SIGN_COLOURS[-1], SIGN_COLOURS[1]], alpha=0.10)
    ax.contour(side, side, g, levels=[0], colors=INK, linewidths=1.6)
    for label, sign in zip(model.classes_, (-1, 1), strict=True):
        ax.scatter(*X[y == label].T, s=14, color=SIGN_COLOURS[sign], marker=MARKERS[(sign + 1) // 2], lw=0, alpha=0.8)
    ax.set(aspect=1, xticks=[], yticks=[])


if __name__ == "__main__":
    main(*sys.argv[1:2])
