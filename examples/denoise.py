"""Denoising: coloured letters under heavy noise, every pixel labelled alone or all as a network (S2, E3).

    python examples/denoise.py [folder]

Both classifiers learn from the same pictures of random letters; the network also learns which labels are neighbours,
across and down. Every answer says whether it is proved to be the best labelling. Writes one picture.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib
import numpy as np

from linsep import NetworkClassifier
from linsep.estimators.graphs import grid
from linsep.plot.style import GREY, PALETTE

COLOURS = np.array([[1.0, 1.0, 1.0], [0.0, 0.45, 0.7], [0.84, 0.37, 0.0], [0.0, 0.62, 0.45]])  # of labels 0 ... 3
NOISE = 0.5


def letters(word: str, height: int = 28) -> np.ndarray:
    """The labels of a picture of a word: 0 outside, 1, 2, 3 in turn inside its letters."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    labels, font = [], FontProperties(family="DejaVu Sans", weight="bold")
    for k, letter in enumerate(word):
        path = TextPath((0, 0), letter, size=height, prop=font)
        box = path.get_extents()
        across, down = np.meshgrid(
            np.arange(box.x0 - 1.5, box.x1 + 2.0), np.arange(height * 0.85, -height * 0.25, -1.0)
        )
        inside = path.contains_points(np.column_stack([across.ravel(), down.ravel()])).reshape(across.shape)
        labels.append(np.where(inside, 1 + k % 3, 0))
    return np.hstack(labels)


def seen(labels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The picture with noise."""
    return COLOURS[labels] + NOISE * random.normal(size=(*labels.shape, 3))


def alone(picture: np.ndarray) -> tuple:
    """The same pixels without edges."""
    return grid(picture)[0], np.zeros((0, 2), dtype=int)


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import ListedColormap

    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 4)) for _ in range(12)]
    truths = [letters(word) for word in words]
    pictures = [seen(labels, random) for labels in truths]
    flat = [labels.ravel() for labels in truths]
    truth = letters("MARKOV")
    picture = seen(truth, random)

    found = {}
    for name, example in (("every pixel alone", alone), ("as a network", grid)):
        began = time.perf_counter()
        rule = NetworkClassifier(loss_scale=1.0, max_iter=10, random_state=0)
        rule.fit([example(one) for one in pictures], flat)
        answer = rule.answers([example(picture)])[0]
        right = float(np.mean(answer.labels == truth.ravel()))
        inside = float(np.mean((answer.labels == truth.ravel())[truth.ravel() > 0]))
        found[name] = answer.labels.reshape(truth.shape), f"{right:.1%} right ({inside:.1%} of letters)"
        print(f"{name}: {found[name][1]}, {time.perf_counter() - began:.1f} s; {answer}")
    print("weights of pairs of labels, across:\n", np.round(rule.edge_coef_[0] / np.abs(rule.coef_).max(), 2))

    figure, panels = plt.subplots(2, 2, figsize=(12, 3.7), layout="constrained")
    labels = ListedColormap([GREY if k == 0 else PALETTE[k - 1] for k in range(4)])
    shown = [("truth", truth), (f"seen, noise {NOISE:g}", picture), *((f"{n}: {t}", y) for n, (y, t) in found.items())]
    for ax, (title, image) in zip(panels.flat, shown, strict=True):
        ax.imshow(np.clip(image, 0, 1) if image.ndim == 3 else image, cmap=labels, vmin=0, vmax=3, interpolation="none")
        ax.set_title(title, fontsize=11)
        ax.axis("off")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    figure.savefig(place / "denoise.png", dpi=80)
    print(f"wrote {place / 'denoise.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
