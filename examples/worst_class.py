"""A class that Fisher's discriminant neglects, and the rule whose worst Gaussian is as good as possible (S4).

    python examples/worst_class.py [folder]

Healthy people are one round Gaussian. Ill people are two: a common, mild form and a rare one, close to the healthy and
stretched along a line. Fisher's discriminant weighs the Gaussians by how often they occur, and gives up the rare form;
Anderson's rule does not use these numbers, and protects every Gaussian alike. Writes one picture of both rules, of
their errors on fresh data, and of the iterations to the best line.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from linsep import Anderson
from linsep.plot import gaussians, worst_error

NAMES = ("healthy", "ill, common form", "ill, rare form")
LABELS = np.array(["healthy", "ill", "ill"])
MEANS = np.array([[0.0, 0.0], [5.0, 0.5], [1.0, 4.0]])
COVARIANCES = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.2, 0.3], [0.3, 0.8]], [[2.2, 1.0], [1.0, 0.7]]])
SHARES = np.array([0.6, 0.37, 0.03])  # how often each occurs: only Fisher's discriminant uses it


def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and the number of the Gaussian that each was drawn from."""
    which = rng.choice(3, n, p=SHARES)
    return np.array([rng.multivariate_normal(MEANS[j], COVARIANCES[j]) for j in which]), which


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(0)
    X, which = draw(4000, rng)
    fresh, truth = draw(40_000, rng)
    fisher = LinearDiscriminantAnalysis().fit(X, LABELS[which])
    found = np.array([X[which == j].mean(axis=0) for j in range(3)])
    spread = np.array([np.cov(X[which == j].T, bias=True) for j in range(3)])
    rule = Anderson().fit_gaussians(found, spread, LABELS)
    print(rule.certificate_)
    print(rule.certificate_.check(found, spread, LABELS))
    errors = {}
    for name, one in (("Fisher", fisher), ("Anderson", rule)):
        wrong = one.predict(fresh) != LABELS[truth]
        errors[name] = [100 * float(wrong[truth == j].mean()) for j in range(3)]
        shown = ", ".join(f"{kind} {error:.1f} %" for kind, error in zip(NAMES, errors[name], strict=True))
        print(f"{name}: errors on fresh data: {shown}; of all {100 * wrong.mean():.1f} %")

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 5.2), layout="constrained")
    gaussians(rule, ax=left)
    w, w0 = fisher.coef_[0], fisher.intercept_[0]
    height = np.array(left.get_ylim())
    along = -(w0 + w[1] * height) / w[0]
    left.plot(along, height, "--", color="#222222", lw=1.2, scaley=False, scalex=False)
    left.annotate("Fisher", (along[1], height[1]), textcoords="offset points", xytext=(8, -12), fontsize=9)
    place = np.arange(3)
    for shift, (name, colour) in zip((-0.2, 0.2), (("Fisher", "#8A8A8A"), ("Anderson", "#009E73")), strict=True):
        bars = middle.bar(place + shift, errors[name], 0.38, color=colour, label=name)
        middle.bar_label(bars, fmt="%.1f", fontsize=8)
    middle.set_xticks(place, NAMES)
    middle.set(ylabel="errors on fresh data, %", title="no form is given up")
    middle.spines[["top", "right"]].set_visible(False)
    middle.legend(frameon=False)
    worst_error(Anderson(method="direction", tol=1e-6).fit_gaussians(found, spread, LABELS), right)
    right.set_title("improving directions", fontsize=10)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    figure.savefig(target / "worst_class.png", dpi=110)
    print(f"wrote {target / 'worst_class.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
