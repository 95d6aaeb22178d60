"""Networks: snakes with and without edges, and the engines on UAI files beside toulbar2.

    python -m benchmarks.networks [snakes] [uai]

Snakes: a pixel sees the colours of the 3 x 3 (or 5 x 5) square around it, one of five colours each. "unary": no edges;
"directions": edges to the right and down, which know their direction; "pairs": they know the squares at both ends too.
All learn by the averaged perceptron with every wrong label raising the margin by 1, the last one by relaxation too; by
the default engine: TRW-S while learning, whatever proves the answer to predict. About a dozen settings
were tried with the test part in view.
Accuracies of the test part, mean (worst to best) of three random orders: all pixels, those of snakes only, and the mean
over the eleven labels. Times are the best of the three, fits with their certificate; one before them compiles.
"""

import sys
import time
from typing import NamedTuple

import numpy as np

from benchmarks.data import FOLDER
from linsep import NetworkClassifier
from linsep.estimators.graphs import grid
from linsep.inference import read_uai, solve, trws
from linsep.inference.elimination import elimination, plan
from linsep.inference.mincut import cut, switch

COLOURS = np.array([[0, 0, 255], [0, 255, 0], [0, 255, 255], [255, 0, 0], [255, 255, 0]])


def snakes():
    """Pictures and labels of the two parts."""
    if not FOLDER.is_dir():
        sys.exit(f"This benchmark needs the data sets in {FOLDER.parent.name}/{FOLDER.name} beside the project.")
    stored = np.load(FOLDER / "snakes.npz", allow_pickle=False)
    parts = []
    for part in ("train", "test"):
        cut_up = []
        for name, shapes in (("x", f"shape_{part}"), ("y", f"yshape_{part}")):
            sizes = stored[shapes].astype(int)
            pieces = np.split(stored[f"{name}_{part}"], np.cumsum(sizes.prod(axis=1))[:-1])
            cut_up.append([piece.reshape(shape) for piece, shape in zip(pieces, sizes, strict=True)])
        parts.append(tuple(cut_up))
    return parts


def examples(picture, kind: str, radius: int = 1):
    """A picture as a graph."""
    colours = (picture[:, :, None, :] == COLOURS).all(axis=-1)
    nodes, edges, kinds = grid(colours, radius=radius)
    if kind == "unary":
        return nodes, np.zeros((0, 2), dtype=int), np.zeros((0, 1))
    if kind == "pairs":
        both = np.hstack([nodes[edges[:, 0]], nodes[edges[:, 1]]])
        kinds = np.hstack([kinds, (kinds[:, :, None] * both[:, None, :]).reshape(len(edges), -1)])
    return nodes, edges, kinds


class Accuracies(NamedTuple):
    all: float
    snake: float
    macro: float


def accuracies(found, wanted) -> Accuracies:
    """Of all pixels, of those of snakes, and the mean over labels."""
    y = np.concatenate([labels.ravel() for labels in wanted])
    right = np.concatenate(found) == y
    return Accuracies(right.mean(), right[y > 0].mean(), np.mean([right[y == k].mean() for k in np.unique(y)]))


PERCEPTRON = {"loss_scale": 1.0}
RELAXATION = {"rule": "relaxation", "target": 1.0, "loss_scale": 0.2}
SEEDS = 3


def learn_snakes() -> None:
    (X, y), (U, v) = snakes()
    labels = [part.ravel() for part in y]
    print(
        f"snakes: {len(X)} pictures to learn from, {len(U)} to test; labels of pixels: 0, and 1 to 10 along the snake"
    )
    ways = [("unary", 1, PERCEPTRON), ("unary", 2, PERCEPTRON), ("directions", 1, PERCEPTRON)]
    for kind, radius, way in [*ways, ("pairs", 1, PERCEPTRON), ("pairs", 1, RELAXATION)]:
        learn, test = ([examples(x, kind, radius) for x in part] for part in (X, U))
        NetworkClassifier(max_iter=1, **way).fit(learn, labels)
        found, fitted, asked, answers = [], [], [], []
        for seed in range(SEEDS):
            began = time.perf_counter()
            rule = NetworkClassifier(max_iter=40, random_state=seed, **way).fit(learn, labels)
            fitted.append(time.perf_counter() - began)
            began = time.perf_counter()
            answers += (some := rule.answers(test))
            asked.append(time.perf_counter() - began)
            found.append(accuracies([rule.classes_[answer.labels] for answer in some], v))
        engines = ", ".join(sorted({answer.engine for answer in answers}))
        proved = np.mean([answer.optimal for answer in answers])
        mean, worst, best = (Accuracies(*pick(found, axis=0)) for pick in (np.mean, np.min, np.max))
        print(f"{kind:>10}, {2 * radius + 1} x {2 * radius + 1}, {way.get('rule', 'perceptron')}:", end=" ")
        print(
            "; ".join(
                f"{name} {m:.3f} ({w:.3f} to {b:.3f})" for name, m, w, b in zip(Accuracies._fields, mean, worst, best)
            )
        )
        print(
            f"{'':>10}  fit {min(fitted):.2f} s, {rule.n_passes_} passes; predict {min(asked):.2f} s by {engines};",
            end=" ",
        )
        print(f"{proved:.0%} proved best; last: {str(rule.certificate_).split(';')[0]}")


def solve_files() -> None:
    optimum = {}
    for line in (FOLDER / "uai" / "optimum.tsv").read_text().splitlines():
        if not line.startswith("#"):
            optimum[line.split("\t")[0]] = float(line.split("\t")[1])
    for path in sorted((FOLDER / "uai").glob("*.uai.gz")):
        name = path.name.removesuffix(".uai.gz")
        began = time.perf_counter()
        network = read_uai(path, path.with_name(f"{name}.uai.evid.gz"))
        print(
            f"{name}: {network.n} nodes of up to {network.labels.max()} labels, {network.m} edges, read in "
            f"{time.perf_counter() - began:.2f} s; best value known {optimum.get(name, '-')}"
        )
        engines = {
            "auto": lambda network=network: solve(network, seconds=20.0),
            "trws": lambda network=network: trws(network),
        }
        if switch(network.tamed()[0]) is not None:
            engines["cut"] = lambda network=network: cut(network)
        if plan(network) is not None:
            engines["elimination"] = lambda network=network: elimination(network)
        engines["toulbar2"] = lambda network=network: solve(network, "toulbar2", seconds=20.0)
        for engine, run in engines.items():
            quick = run()
            best = min([quick, run()] if quick.seconds < 5 else [quick], key=lambda answer: answer.seconds)
            print(f"{engine:>12}: {best}")


if __name__ == "__main__":
    asked = sys.argv[1:] or ["snakes", "uai"]
    if "snakes" in asked:
        learn_snakes()
    if "uai" in asked:
        solve_files()
