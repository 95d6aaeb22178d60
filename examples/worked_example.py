"""The lectures' worked example (S1): nine points, three updates of the perceptron, at x1, x6 and x5.

    python examples/worked_example.py [folder]

Prints every scalar product of the lecture, and writes into the folder (``out``) a plot of
the decision line with signed distances and of the bounds of the margin, and an animation of the updates.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep import Perceptron
from linsep.plot import animate, bounds, decision
from linsep.plot.replay import compute_vector, format_update, replay_updates
from linsep.plot.style import format_number, format_vector
from linsep.rules import Increment
from linsep.targets import Margin

# x5 is (1.5, 2.5): the lecture's first table misprints it, its arithmetic does not
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])  # class 2 is the positive side: class 1 is mirrored
sign = np.where(y == 2, 1, -1)
a = np.array([compute_vector(X, sign, row) for row in range(len(X))])


def print_trace() -> None:
    """Print the trace as the lecture does: every visit with its scalar product, every update with its sum."""
    print("Augmented and mirrored:")
    for i, one in enumerate(a, start=1):
        print(f"  x{i} = {format_vector(one)}")
    at = 0
    w = np.zeros(3)
    print(f"\nw1 = {format_vector(w)}")
    for k, update in enumerate(replay_updates(X, sign, Margin(0.0), Increment(1.0)), start=2):
        while at % len(X) != update.row:
            print(f"  w{k - 1}·x{at % len(X) + 1} = {format_number(w @ a[at % len(X)])} > 0")
            at += 1
        print(f"  w{k - 1}·x{update.row + 1} = {format_number(update.wa)} <= 0: x{update.row + 1} is misclassified")
        print(f"w{k}: {format_update(update)}")
        w, at = update.after, at + 1
    for i in range(at, at + len(X)):  # the lecture prints w4·x2 = 11.5; it is 12
        print(f"  w{k}·x{i % len(X) + 1} = {format_number(w @ a[i % len(X)])} > 0")
    w1, w2, w0 = w
    print("All nine points are classified correctly. The line is")
    for factor in (1, 2):
        print(f"{format_number(factor * w1)} x1 - {format_number(-factor * w2)} x2 - {format_number(-factor * w0)} = 0")


def draw(folder: Path) -> list[Path]:
    """Write the plot and the animation."""
    from matplotlib import pyplot as plt

    rule = Perceptron().fit(X, y)
    print(f"\n{rule.certificate_}")
    print(f"Recomputed from the data: {'it holds' if rule.certificate_.check(X, y) else 'IT DOES NOT HOLD'}.")
    figure, (one, two) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    decision(rule, X, y, ax=one, distances=True)
    bounds(rule, ax=two)
    figure.savefig(folder / "worked_example.png", dpi=110)
    return [folder / "worked_example.png", animate(X, y, folder / "worked_example.gif", seconds_per_frame=1.5)]


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    print_trace()
    for path in draw(place):
        print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
