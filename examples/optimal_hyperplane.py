"""The optimal hyperplane, half-way between the nearest points of two convex hulls, and hulls that intersect (C10).

    python examples/optimal_hyperplane.py [folder]

Iris setosa and versicolor are separable by two measurements: the plot shows both hulls, their nearest points and
the support vectors. Versicolor and virginica are not: three or four flowers prove it. A soft margin separates them
approximately, with a cost that is proved to be the least up to 1e-9.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
from sklearn.datasets import load_iris

from linsep import MaximumMargin
from linsep.plot import decision, hulls


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    iris = load_iris(as_frame=True)
    X, y = iris.data[["petal length (cm)", "petal width (cm)"]], iris.target_names[iris.target]
    first, second = y != "virginica", y != "setosa"
    figure, axes = plt.subplots(1, 3, figsize=(16, 4.2), layout="constrained")

    hard = MaximumMargin().fit(X[first], y[first])
    print(hard.certificate_)
    print(hard.certificate_.check(X[first], y[first]))
    hulls(hard, X[first], y[first], axes[0])

    intersecting = MaximumMargin().fit(X[second], y[second])
    print(intersecting.certificate_)
    hulls(intersecting, X[second], y[second], axes[1])

    soft = MaximumMargin(C=1.0, tol=1e-9).fit(X[second], y[second])
    print(soft.certificate_)
    print(soft.certificate_.check(X[second], y[second]))
    decision(soft, X[second], y[second], axes[2])

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "optimal_hyperplane.png", dpi=110)
    print(f"wrote {place / 'optimal_hyperplane.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
