"""The lectures' worked example (S1): nine points, three updates of the perceptron, at x1, x6 and x5.

    python examples/worked_example.py [folder]

Prints every scalar product of the lecture, and writes into the folder (``out``) a picture of
the decision line with signed distances and of the bounds of the margin, and a film of the updates.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep import Perceptron
from linsep.plot import animate, bounds, decision
from linsep.plot.replay import formula, replay, vector_of
from linsep.plot.style import number, vector
from linsep.rules import Increment
from linsep.targets import Margin

# x5 is (1.5, 2.5): the lecture's first table misprints it, its arithmetic does not
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])  # class 2 is the positive side: class 1 is mirrored
sign = np.where(y == 2, 1, -1)
a = np.array([vector_of(X, sign, row) for row in range(len(X))])


def tell() -> None:
    """The trace as the lecture writes it: every visit with its scalar product, every update with its sum."""
    print("Augmented and mirrored:")
    for i, one in enumerate(a, start=1):
        print(f"  x{i} = {vector(one)}")
    at = 0
    w = np.zeros(3)
    print(f"\nw1 = {vector(w)}")
    for k, update in enumerate(replay(X, sign, Margin(0.0), Increment(1.0)), start=2):
        while at % len(X) != update.row:
            print(f"  w{k - 1}·x{at % len(X) + 1} = {number(w @ a[at % len(X)])} > 0")
            at += 1
        print(f"  w{k - 1}·x{update.row + 1} = {number(update.wa)} <= 0: x{update.row + 1} is misclassified")
        print(f"w{k}: {formula(update)}")
        w, at = update.after, at + 1
    for i in range(at, at + len(X)):  # the lecture prints w4·x2 = 11.5; it is 12
        print(f"  w{k}·x{i % len(X) + 1} = {number(w @ a[i % len(X)])} > 0")
    print(
        f"All nine are classified correctly: the line is {number(w[0])} x1 - {number(-w[1])} x2 - {number(-w[2])} = 0,"
    )
    print(f"or {number(2 * w[0])} x1 - {number(-2 * w[1])} x2 - {number(-2 * w[2])} = 0.")


def draw(folder: Path) -> list[Path]:
    """The picture and the film."""
    from matplotlib import pyplot as plt

    rule = Perceptron().fit(X, y)
    print(f"\n{rule.certificate_}")
    print(f"Checked again from the data: {'it holds' if rule.certificate_.check(X, y) else 'IT DOES NOT HOLD'}.")
    figure, (one, two) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    decision(rule, X, y, ax=one, distances=True)
    bounds(rule, ax=two)
    figure.savefig(folder / "worked_example.png", dpi=110)
    return [folder / "worked_example.png", animate(X, y, folder / "worked_example.gif", seconds_per_frame=1.5)]


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    tell()
    for path in draw(place):
        print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
