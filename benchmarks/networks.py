"""Networks: snakes with and without edges, and the engines on UAI files beside toulbar2.

    python -m benchmarks.networks [snakes] [uai]

Snakes: the features of a pixel are the colours of the 3 x 3 (or 5 x 5) square around it, one of five colours each.
"unary": no edges; "directions": edges to the right and down, whose feature is their direction; "pairs": with the
squares at both ends as features too. The rule is the averaged perceptron, every wrong label raising the margin by 1; in
the last row it is relaxation. The engine is the default one: TRW-S for learning; for predictions whatever proves the
answer. About a dozen settings were tried with the test part in view.
Accuracies on the test part, mean (worst to best) of three random orders: all pixels, those of snakes only, and the mean
over the eleven labels. Times are the best of three, those of fits with their certificate, after one fit that compiles.
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import FOLDER
from linsep import NetworkClassifier
from linsep.estimators.graphs import grid
from linsep.inference import cut, elimination, read_uai, solve, trws
from linsep.inference.elimination_order import find_elimination_order
from linsep.inference.minimum_cut import find_exchanged_nodes

COLOURS = np.array([[0, 0, 255], [0, 255, 0], [0, 255, 255], [255, 0, 0], [255, 255, 0]])
PERCEPTRON: dict[str, Any] = {"loss_scale": 1.0}
RELAXATION: dict[str, Any] = {"rule": "relaxation", "target": 1.0, "loss_scale": 0.2}
SEEDS = 3


def load_snakes():
    """Pictures and labels of the training and the test part."""
    if not FOLDER.is_dir():
        sys.exit(f"This benchmark needs the datasets in {FOLDER.parent.name}/{FOLDER.name} beside the project.")
    stored = np.load(FOLDER / "snakes.npz", allow_pickle=False)
    parts = []
    for part in ("train", "test"):
        arrays = []
        for name, shapes in (("x", f"shape_{part}"), ("y", f"yshape_{part}")):
            sizes = stored[shapes].astype(int)
            pieces = np.split(stored[f"{name}_{part}"], np.cumsum(sizes.prod(axis=1))[:-1])
            arrays.append([piece.reshape(shape) for piece, shape in zip(pieces, sizes, strict=True)])
        parts.append(tuple(arrays))
    return parts


def make_graph(picture, kind: str, radius: int = 1):
    """A picture as a graph."""
    colours = (picture[:, :, None, :] == COLOURS).all(axis=-1)
    nodes, edges, directions = grid(colours, radius=radius)
    if kind == "unary":
        return nodes, np.zeros((0, 2), dtype=int), np.zeros((0, 1))
    if kind == "pairs":
        both = np.hstack([nodes[edges[:, 0]], nodes[edges[:, 1]]])
        products = (directions[:, :, None] * both[:, None, :]).reshape(len(edges), -1)
        return nodes, edges, np.hstack([directions, products])
    return nodes, edges, directions


class Accuracies(NamedTuple):
    all: float
    snake: float
    macro: float


def compute_accuracies(predicted, true) -> Accuracies:
    """Of all pixels, of those of snakes, and the mean over labels."""
    y = np.concatenate([labels.ravel() for labels in true])
    right = np.concatenate(predicted) == y
    return Accuracies(right.mean(), right[y > 0].mean(), np.mean([right[y == k].mean() for k in np.unique(y)]))


def learn_snakes() -> None:
    (X, y), (U, v) = load_snakes()
    labels = [part.ravel() for part in y]
    print(f"snakes: {len(X)} pictures to learn from, {len(U)} to test; labels: 0, and 1 to 10 along the snake")
    settings = [("unary", 1, PERCEPTRON), ("unary", 2, PERCEPTRON), ("directions", 1, PERCEPTRON)]
    for kind, radius, parameters in [*settings, ("pairs", 1, PERCEPTRON), ("pairs", 1, RELAXATION)]:
        train, test = ([make_graph(x, kind, radius) for x in part] for part in (X, U))
        NetworkClassifier(max_iter=1, **parameters).fit(train, labels)
        found, fit_seconds, predict_seconds, answers = [], [], [], []
        for seed in range(SEEDS):
            began = time.perf_counter()
            rule = NetworkClassifier(max_iter=40, random_state=seed, **parameters).fit(train, labels)
            fit_seconds.append(time.perf_counter() - began)
            began = time.perf_counter()
            part = rule.answers(test)
            predict_seconds.append(time.perf_counter() - began)
            answers += part
            found.append(compute_accuracies([rule.classes_[answer.labels] for answer in part], v))
        engines = ", ".join(sorted({answer.engine for answer in answers}))
        proved = np.mean([answer.optimal for answer in answers])
        mean, worst, best = (Accuracies(*pick(found, axis=0)) for pick in (np.mean, np.min, np.max))
        rows = zip(Accuracies._fields, mean, worst, best, strict=True)
        accuracies = "; ".join(f"{name} {m:.3f} ({w:.3f} to {b:.3f})" for name, m, w, b in rows)
        size = 2 * radius + 1
        print(f"{kind:>10}, {size} x {size}, {parameters.get('rule', 'perceptron')}: {accuracies}")
        print(
            f"{'':>10}  fit {min(fit_seconds):.2f} s, {rule.n_iter_} passes; predict {min(predict_seconds):.2f} s by "
            f"{engines}; {proved:.0%} proved best; last: {str(rule.certificate_).split(';')[0]}"
        )


def solve_files() -> None:
    optimum = {}
    for line in (FOLDER / "uai" / "optimum.tsv").read_text().splitlines():
        if not line.startswith("#"):
            optimum[line.split("\t")[0]] = float(line.split("\t")[1])
    for path in sorted((FOLDER / "uai").glob("*.uai.gz")):
        name = path.name.removesuffix(".uai.gz")
        began = time.perf_counter()
        network = read_uai(path, path.with_name(f"{name}.uai.evid.gz"))
        seconds, most = time.perf_counter() - began, network.n_labels.max()
        print(f"{name}: {network.n_nodes} nodes of up to {most} labels, {network.n_edges} edges,", end=" ")
        print(f"read in {seconds:.2f} s; best value known {optimum.get(name, '-')}")
        engines = {"auto": lambda network: solve(network, seconds=20.0), "trws": trws}
        if find_exchanged_nodes(network.make_finite()) is not None:
            engines["cut"] = cut
        if find_elimination_order(network) is not None:
            engines["elimination"] = elimination
        engines["toulbar2"] = lambda network: solve(network, "toulbar2", seconds=20.0)
        for engine, run in engines.items():
            first = run(network)
            answers = [first, run(network)] if first.seconds < 5 else [first]
            print(f"{engine:>12}: {min(answers, key=lambda answer: answer.seconds)}")


if __name__ == "__main__":
    parts = sys.argv[1:] or ["snakes", "uai"]
    if "snakes" in parts:
        learn_snakes()
    if "uai" in parts:
        solve_files()
