"""Names read from noisy pictures: letter by letter, and as words (S2's own example).

    python examples/names.py [folder]

Names are drawn in several fonts, moved a little, and covered with noise. A linear machine reads every letter alone; a
sequence classifier reads the whole name, and has learned from its training names which letters follow one another.
Writes a picture of names that one of them misreads, of both error rates against the noise, and of what was learned
about pairs of letters.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from linsep import LinearMachine, SequenceClassifier
from linsep.plot.style import BLUE, VERMILION

NAMES = (  # noqa: SIM905
    "JOHN BILL DANA ANNA EMIL HUGO IDA JANA KARL LENA MARK NINA OLGA PAUL ROSA SARA TOM URS VERA ZOE ADAM BELA CARL "
    "DORA EVA FILIP GITA HANA IVAN JITKA"
).split()
FONTS = ("DejaVuSans", "DejaVuSansMono", "DejaVuSerif", "DejaVuSans-Bold", "DejaVuSerif-Italic")
SIZE = 16  # a letter is a picture of SIZE x SIZE pixels


def letters() -> dict[tuple[str, str], np.ndarray]:
    """Every letter in every font, ink 1 on paper 0."""
    from PIL import Image, ImageDraw, ImageFont

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    found = {}
    for font in FONTS:
        face = ImageFont.truetype(str(folder / f"{font}.ttf"), SIZE - 1)
        for letter in sorted(set("".join(NAMES))):
            page = Image.new("L", (SIZE, SIZE))
            ImageDraw.Draw(page).text((SIZE / 2, SIZE / 2), letter, fill=255, font=face, anchor="mm")
            found[letter, font] = np.asarray(page, dtype=np.float64) / 255.0
    return found


def draw(name: str, glyphs: dict, noise: float, rng: np.random.Generator) -> np.ndarray:
    """A name in one font: one row per letter, its pixels in the columns."""
    font = FONTS[rng.integers(len(FONTS))]
    rows = []
    for letter in name:
        picture = np.roll(glyphs[letter, font], rng.integers(-1, 2, size=2), axis=(0, 1))
        rows.append((picture + noise * rng.normal(size=picture.shape)).ravel())
    return np.array(rows)


def sample(n: int, glyphs: dict, noise: float, rng: np.random.Generator) -> tuple[list, list]:
    """Names drawn at random, with their letters."""
    names = rng.choice(NAMES, n)
    return [draw(name, glyphs, noise, rng) for name in names], [list(name) for name in names]


def wrong(truth: list, found: list) -> float:
    """The share of letters that were misread."""
    pairs = [(a, b) for t, f in zip(truth, found, strict=True) for a, b in zip(t, f, strict=True)]
    return float(np.mean([a != b for a, b in pairs]))


def read(X: list, y: list, fresh: list) -> tuple[list, list, SequenceClassifier]:
    """What a linear machine and a sequence classifier read, and the latter."""
    alone = LinearMachine(max_iter=10, keep="average").fit(np.concatenate(X), np.concatenate(y))
    words = SequenceClassifier(max_iter=10, random_state=0).fit(X, y)
    return [alone.predict(x).tolist() for x in fresh], [list(name) for name in words.predict(fresh)], words


def main(folder: str = "out", n: int = 600) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rng, glyphs = np.random.default_rng(0), letters()
    levels = (0.0, 0.1, 0.2, 0.3, 0.4)
    errors, shown, words = [], None, None
    for noise in levels:
        X, y = sample(n, glyphs, noise, rng)
        fresh, truth = sample(max(n // 2, 100), glyphs, noise, rng)
        alone, whole, classifier = read(X, y, fresh)
        errors.append((wrong(truth, alone), wrong(truth, whole)))
        print(f"noise {noise:.1f}: {errors[-1][0]:6.1%} of the letters misread alone, {errors[-1][1]:6.1%} as words")
        if noise == 0.3:
            shown, words = (fresh, truth, alone, whole), classifier
    assert shown is not None and words is not None
    print(words.certificate_)

    figure = plt.figure(figsize=(14, 6.2), layout="constrained")
    left, middle, right = figure.subfigures(1, 3, width_ratios=(1.1, 1, 1.1))
    _names(left, *shown)
    _rates(middle, levels, errors)
    _pairs(right, words)
    Path(folder).mkdir(parents=True, exist_ok=True)
    figure.savefig(Path(folder) / "names.png", dpi=110)
    print(f"wrote {Path(folder) / 'names.png'}")


def _names(figure, fresh: list, truth: list, alone: list, whole: list) -> None:
    """Names that were misread, first of all those that only the letters alone misread."""
    figure.suptitle("Noise 0.3: read alone, and as words")
    order = sorted(range(len(fresh)), key=lambda i: (whole[i] != truth[i], alone[i] == truth[i]))
    first = {"".join(truth[i]): i for i in reversed(order)}  # each name once
    bad = [i for i in first.values() if whole[i] != truth[i]][:1]
    good = sorted((i for i in first.values() if i not in bad), key=order.index)
    for ax, i in zip(figure.subplots(6, 1), [*good[: 6 - len(bad)], *bad], strict=True):
        ax.imshow(np.hstack(fresh[i].reshape(-1, SIZE, SIZE)), cmap="gray_r", vmin=-1, vmax=2)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{''.join(alone[i])}   →   {''.join(whole[i])}", family="monospace", fontsize=11)


def _rates(figure, levels: tuple, errors: list) -> None:
    figure.suptitle("Letters misread")
    ax = figure.subplots()
    looks = (("alone", "X", VERMILION), ("as words", "o", BLUE))
    for (name, mark, colour), rates in zip(looks, zip(*errors, strict=True), strict=True):
        ax.plot(levels, [100 * rate for rate in rates], marker=mark, color=colour, label=name)
    ax.set_xlabel("noise (standard deviation; ink is 1)")
    ax.set_ylabel("% of letters")
    ax.set_ylim(bottom=0)
    ax.set_xticks(levels)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)


def _pairs(figure, words: SequenceClassifier) -> None:
    figure.suptitle("Which letter follows which: weights of pairs")
    ax = figure.subplots()
    labels = [str(label) for label in words.classes_]
    pairs = words.weights_.pairs
    top = float(np.abs(pairs).max())
    ax.imshow(pairs, cmap="RdBu_r", vmin=-top, vmax=top)
    ax.set_xticks(range(len(labels)), labels)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_xlabel("next letter")
    ax.set_ylabel("letter")


if __name__ == "__main__":
    main(*sys.argv[1:])
