"""The main job: fit, read the certificate, check it with independent code, look at the picture.

python examples/demo.py [folder]
"""

import dataclasses
import sys
import textwrap
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linsep import Kozinec, Perceptron, plot
from linsep.plot.style import INK, SIGN_COLOURS, class_name, draw_legend


def say(text, indent: str = "  ") -> None:
    print(textwrap.fill(str(text), 100, initial_indent=indent, subsequent_indent=indent))


def digits():
    """Threes against eights: the largest margin between them, to a thousandth."""
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    rule = Kozinec(tol=1e-3).fit(X, y)
    print("1. Handwritten 3 against 8 (357 scans of 8 x 8 pixels): Kozinec(tol=1e-3)")
    say(rule.certificate_)
    say(rule.check(X, y))
    forged = dataclasses.replace(rule.certificate_, lower=1.01 * rule.certificate_.lower)
    print("  And with the lower bound forged by 1 %:")
    say(forged.check(X, y), indent="    ")
    return rule, X, y


def tumours():
    """All 30 measurements, a third held out; then two of them, which can't separate the classes."""
    X, y = load_breast_cancer(return_X_y=True)
    names = load_breast_cancer().target_names
    train, test, train_labels, test_labels = train_test_split(X, names[y], test_size=1 / 3, random_state=0)
    print("\n2. Breast tumours, 30 measurements, a third held out: Perceptron(), nothing set")
    for peer in (Perceptron(), SGDClassifier(random_state=0)):
        began = time.perf_counter()
        accuracy = make_pipeline(StandardScaler(), peer).fit(train, train_labels).score(test, test_labels)
        seconds = time.perf_counter() - began
        name = f"{type(peer).__module__.split('.')[0]}.{type(peer).__name__}"
        print(f"  {name:<24} accuracy {accuracy:.3f}  {1e3 * seconds:6.1f} ms")
    print("\n3. Two of the measurements, worst radius and worst texture: Perceptron(), nothing set")
    pair = StandardScaler().fit_transform(X[:, [20, 21]])
    rule = Perceptron().fit(pair, names[y])
    say(rule.certificate_)
    say(rule.check(pair, names[y]))
    return rule, pair, names[y]


def picture(path: Path, first, second) -> None:
    rule, X, y = first
    plt.style.use("linsep.plot.lectures")
    figure, axes = plt.subplots(1, 4, figsize=(19, 5.2), width_ratios=[1, 1.3, 1.3, 1.3], layout="constrained")
    extent = np.abs(rule.coef_).max()
    colours = [SIGN_COLOURS[-1], "white", SIGN_COLOURS[1]]
    shades = LinearSegmentedColormap.from_list("signs", colours)
    axes[0].imshow(rule.coef_.reshape(8, 8), cmap=shades, vmin=-extent, vmax=extent)
    axes[0].set(title="w: blue for 3, orange for 8", xticks=[], yticks=[])
    axes[0].spines[:].set_visible(False)
    distance = rule.distance(X)
    for label, colour, hatch in zip(rule.classes_, SIGN_COLOURS.values(), ("//", ""), strict=True):
        bars = {"bins": 24, "facecolor": colour, "edgecolor": "white", "hatch": hatch, "alpha": 0.75}
        axes[1].hist(distance[y == label], **bars, label=class_name(label))
    for side, name in ((-1, "margin"), (1, None)):
        axes[1].axvline(side * rule.certificate_.lower, color=INK, linestyle="--", linewidth=1.3, label=name)
    axes[1].set(title="signed distance from the hyperplane", xlabel="distance", ylabel="scans")
    draw_legend(axes[1])
    plot.bounds(rule, ax=axes[2])
    axes[2].set_title("bounds of the best margin")
    plot.decision(*second, ax=axes[3])
    axes[3].set(
        title="two measurements: proved not separable",
        xlabel="worst radius (standardised)",
        ylabel="worst texture (standardised)",
    )
    figure.savefig(path, dpi=100)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", ConvergenceWarning)
    Perceptron().fit([[0.0], [1.0], [2.0]], [0, 1, 0])  # compile before the clock starts
    first = digits()
    second = tumours()
    picture(folder / "demo.png", first, second)
    print(f"\nwrote {folder / 'demo.png'}")


if __name__ == "__main__":
    main()
