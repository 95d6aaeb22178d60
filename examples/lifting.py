"""Dimension lifting: twelve points on a line that no threshold separates, and a parabola that does (S0, B3).

    python examples/lifting.py [folder]

Lifted to (x, x²) a straight line separates them. Centred and scaled columns lower Novikoff's bound of the number of
updates; the learned rule is printed as a polynomial in x. Writes one plot.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep import Functions, Lifted, MaximumMargin, Perceptron, Quadratic
from linsep.plot import decision
from linsep.plot.style import GREY, INK, SIGN_COLOURS, draw_legend, prepare_axes, scatter_classes

X = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]
Y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1])
LIFTS = {
    ("x", "x²"): Functions([("x²", np.square)], centre=False, scale=False),
    ("x", "x² − 1"): Functions([("x² − 1", lambda X: X**2 - 1)], centre=False, scale=False),
    ("x, centred and scaled", "its square, centred and scaled"): Quadratic(),
}


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    print(f"on the line: {MaximumMargin().fit(X, Y).certificate_}\n")
    figure, panels = plt.subplots(2, 2, figsize=(12, 10.4), layout="constrained")
    for ax, (names, lift) in zip(panels.flat, LIFTS.items(), strict=False):
        best = Lifted(lift, MaximumMargin(bias="augmented")).fit(X, Y).certificate_
        rule = Lifted(lift, Perceptron(keep="last", max_iter=1000)).fit(X, Y)
        counts = f"Novikoff: at most {best.novikoff:.0f} updates; made: {rule.certificate_.updates}"
        print(f"({'; '.join(names)}): {counts}\n    {rule.as_polynomial()}\n    {rule.check(X, Y)}")
        decision(rule.classifier_, rule.lift_.transform(X), Y, ax=ax)
        ax.set(xlabel=names[0], ylabel=names[1])
        ax.set_title(f"lifted to ({'; '.join(names)})\n{counts}", fontsize=10)
    draw_parabola(panels[1, 1], rule)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "lifting.png", dpi=80)
    print(f"wrote {place / 'lifting.png'}")


def draw_parabola(ax, rule) -> None:
    """Draw the points on their line, and g above it."""
    g = rule.as_polynomial()
    x = np.linspace(-2.5, 2.4, 400)
    height = g(x[:, None])
    prepare_axes(ax)
    ax.axhline(0, color=GREY, lw=1)
    ax.plot(x, height, color=INK, lw=1.8, label="g(x)")
    for side, colour in SIGN_COLOURS.items():
        ax.fill_between(x, height.min(), height.max(), where=side * height > 0, color=colour, alpha=0.09, lw=0)
    scatter_classes(ax, np.column_stack([X, np.zeros(len(X))]), Y, [0, 1])
    ax.set(xlabel="x", ylabel="g(x)")
    ax.set_title(f"back on the line: g(x) = {g.to_string(3)}", fontsize=10)
    draw_legend(ax)


if __name__ == "__main__":
    main(*sys.argv[1:2])
