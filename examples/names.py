"""Names drawn in many fonts with noise: letters read alone against letters read as words (S2).

    python examples/names.py [folder]

A letter that noise has blurred beyond recognition can be told from its neighbours: after J comes O, after OH comes N.
Letters alone are read by a linear machine; words by chains of first and second order, which learn from the same pixels
which letters follow which. All three learn from words of some fonts, and read the same names in fonts that they have
not seen, and names that they have not seen either. Writes one picture.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linsep import LinearMachine, SequenceClassifier

NAMES = [
    "JOHN", "BILL", "DANA", "MARY", "ANNA", "PETER", "CLARA", "DAVID", "EMMA", "FRANK",
    "HELEN", "IRENE", "LAURA", "NINA", "OSCAR", "PAUL", "ROSA", "SIMON", "TOM", "VERA",
]  # fmt: skip
NEW = ["ADAM", "ALICE", "DORA", "EVA", "LEO", "MARTIN", "NORA", "OLIVER", "RITA", "VICTOR"]
LEARN = [("DejaVu Sans", "normal"), ("DejaVu Sans", "bold"), ("DejaVu Serif", "normal"), ("STIXGeneral", "normal")]
TEST = [("DejaVu Sans Mono", "normal"), ("DejaVu Serif", "bold"), ("STIXGeneral", "bold"), ("cmss10", "normal")]
SIZE, NOISE = 12, 0.5


def glyph(letter: str, family: str, weight: str) -> np.ndarray:
    """A letter as SIZE x SIZE pixels, 1 is ink."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), dpi=8 * SIZE)
    figure.text(0.5, 0.5, letter, family=family, weight=weight, size=80, ha="center", va="center_baseline")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    ink = 1.0 - np.asarray(canvas.buffer_rgba())[..., 0] / 255.0
    return ink.reshape(SIZE, 8, SIZE, 8).mean(axis=(1, 3))


def draw(names: list[str], fonts: list, copies: int, rng: np.random.Generator) -> tuple[list, list]:
    """Noisy words, length x pixels, and their letters."""
    letters = {(c, font): glyph(c, *font).ravel() for c in set("".join(names)) for font in fonts}
    X, y = [], []
    for _ in range(copies):
        for name in names:
            for font in fonts:
                clean = np.array([letters[c, font] for c in name])
                X.append(clean + NOISE * rng.normal(size=clean.shape))
                y.append(list(name))
    return X, y


def right(found: list, truth: list) -> tuple[float, float]:
    """The shares of letters and of words that are right."""
    pairs = [(list(a), list(b)) for a, b in zip(found, truth, strict=True)]
    letters = [a == b for one, other in pairs for a, b in zip(one, other, strict=True)]
    return float(np.mean(letters)), float(np.mean([one == other for one, other in pairs]))


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    warnings.simplefilter("ignore", ConvergenceWarning)  # noisy letters are not separable
    rng = np.random.default_rng(1)
    X, y = draw(NAMES, LEARN, 20, rng)
    known, new = draw(NAMES, TEST, 6, rng), draw(NEW, TEST, 6, rng)
    alone = LinearMachine(keep="average", max_passes=10).fit(np.concatenate(X), [c for word in y for c in word])
    words = {order: SequenceClassifier(order=order, max_passes=10, random_state=0).fit(X, y) for order in (1, 2)}
    readers = {
        "letters alone": lambda some: [alone.predict(x) for x in some],
        "words, first order": words[1].predict,
        "words, second order": words[2].predict,
    }
    shares = {name: [right(read(some), truth) for some, truth in (known, new)] for name, read in readers.items()}
    for name, ((a, b), (c, d)) in shares.items():
        print(
            f"{name:20} names learned from: letters {a:.3f}, words {b:.3f}; new names: letters {c:.3f}, words {d:.3f}"
        )
    print(words[2].certificate_)
    strongest = ", ".join(
        f"{way.before or 'start'} -> {way.after or 'end'}" for way in words[1].strongest_transitions(6)
    )
    print(f"strongest transitions: {strongest}")

    figure, (left, middle) = plt.subplots(1, 2, figsize=(12, 6.2), layout="constrained", width_ratios=(1.15, 1))
    some = ["JOHN", "BILL", "DANA", "FRANK"]
    shown = [NAMES.index(name) * len(TEST) + font for font, name in enumerate(some)]  # each in another font
    left.set(xlim=(0, 5 * (SIZE + 1)), ylim=(len(shown) * (SIZE + 9), -2), title="a noisy name, and how it is read")
    left.axis("off")
    for row, i in enumerate(shown):
        top = row * (SIZE + 9)
        for t, pixels in enumerate(known[0][i]):
            at = t * (SIZE + 1)
            left.imshow(
                pixels.reshape(SIZE, SIZE), cmap="gray_r", extent=(at, at + SIZE, top + SIZE, top), vmin=-0.8, vmax=1.6
            )
        for line, (name, colour) in enumerate((("letters alone", "#8A8A8A"), ("words, second order", "#009E73"))):
            found = "".join(readers[name]([known[0][i]])[0])
            mark = "" if found == "".join(known[1][i]) else "  (wrong)"
            left.text(
                0,
                top + SIZE + 2.8 + 2.6 * line,
                f"{found}{mark}  {name}",
                color=colour,
                family="monospace",
                fontsize=10,
            )
    left.set(xlim=(0, 5 * (SIZE + 1)), ylim=(len(shown) * (SIZE + 9), -2), aspect="equal")
    place, width = np.arange(4), 0.26
    for k, (name, colour) in enumerate(zip(readers, ("#8A8A8A", "#56B4E9", "#009E73"), strict=True)):
        (a, b), (c, d) = shares[name]
        bars = middle.bar(place + (k - 1) * width, [100 * v for v in (a, b, c, d)], width, color=colour, label=name)
        middle.bar_label(bars, fmt="%.0f", fontsize=8)
    middle.set_xticks(place, ["letters", "words", "letters of\nnew names", "words,\nnew names"])
    middle.set(ylabel="read right, %", ylim=(0, 112), title="fonts never seen before")
    middle.spines[["top", "right"]].set_visible(False)
    middle.legend(frameon=False, ncols=3, loc="upper center", fontsize=9)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    figure.savefig(target / "names.png", dpi=110)
    print(f"wrote {target / 'names.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
