"""All pictures of linsep.plot on one sheet, each with the name of its function.

python examples/contact_sheet.py [folder]
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linsep import (
    Anderson,
    Bayes,
    Functions,
    Kozinec,
    Lifted,
    MaximumMargin,
    OneVsAll,
    Perceptron,
    Polynomial,
    SequenceClassifier,
    plot,
)  # fmt: skip
from linsep.risk import StructuralRisk

COLUMNS, WIDTH, HEIGHT = 4, 5.0, 4.4  # of the sheet, in inches

X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
Y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])
LINE, SIDES = np.array([[0.5], [1.0], [1.6], [2.4], [3.0]]), np.array([-1, -1, -1, 1, 1])
PLANE = np.array([[3.0, 1.5], [2.0, 2.5], [-1.0, -2.2], [-1.8, -0.9], [-2.6, -2.4]]), np.array([1, 1, -1, -1, -1])
MEANS = np.array([[0.0, 0.0], [1.5, -2.5], [5.0, 0.5], [3.0, 4.0]])
SIGMA = np.array([np.eye(2), 0.5 * np.eye(2), [[1.2, 0.3], [0.3, 0.8]], np.diag([1.6, 0.7])])
GAUSSIANS = MEANS, SIGMA, [1, 1, 2, 2]


def draw_all(folder: Path) -> dict:
    """Return, for every function of linsep.plot, what it draws: axes, or the path of an animation."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.5]])
    P, c = np.repeat(centres, 25, axis=0) + rng.normal(0, 0.8, (75, 2)), np.repeat([1, 2, 3], 25)
    cloud, kind = np.vstack([rng.normal(0, 1, (80, 2)), rng.normal(4, 1, (80, 2))]), np.repeat(["no", "yes"], 80)
    ring = rng.uniform(-1, 1, (90, 2))
    curve = (ring[:, 1] > 1.2 * ring[:, 0] ** 2 - 0.4).astype(int)
    curve[rng.random(90) < 0.08] ^= 1
    rungs = [(f"degree {d}", Lifted(Polynomial(d), MaximumMargin(C=C))) for d, C in ((1, 10.0), (2, 10.0), (6, 1e3))]
    ladder = StructuralRisk(rungs, choose="cross-validation").fit(ring, curve)
    square = Functions([("r²", lambda X: (X**2).sum(axis=1, keepdims=True))], centre=False, scale=False)
    disc = (np.hypot(*ring.T) > 0.6).astype(int)
    best, threshold = MaximumMargin().fit(X, Y), Perceptron(keep="last", scaling=None).fit(LINE, SIDES)
    hmm = [0.6, 0.2, 0.2], [[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.5, 0.3, 0.2]], [[0.6, 0.4], [0.3, 0.7], [0.5, 0.5]]
    chain = SequenceClassifier.from_hmm(*hmm, labels=list("ANT"), symbols=list("an"))
    return {
        "animate": plot.animate(LINE, SIDES, folder / "animate.gif", space="weights"),
        "animate_gaussians": plot.animate_gaussians(*GAUSSIANS, folder / "gaussians.gif", 0.05),
        "bounds": plot.bounds(Kozinec(tol=1e-3).fit(cloud, kind)),
        "criterion": plot.criterion(*PLANE, "relaxation", surface=True),
        "decision": plot.decision(best, X, Y, distances=True),
        "dichotomies": plot.dichotomies(),
        "directions": plot.directions(*GAUSSIANS),
        "fits": plot.fits(ladder, ring, curve),
        "gaussians": plot.gaussians(Anderson().fit_gaussians(*GAUSSIANS), *GAUSSIANS),
        "hulls": plot.hulls(best, X, Y),
        "lifted": plot.lifted(Lifted(square, MaximumMargin()).fit(ring, disc), ring, disc),
        "longest_vector": plot.longest_vector(*PLANE),
        "mirrored_hull": plot.mirrored_hull(*PLANE, updates=4),
        "mistakes": plot.mistakes(Perceptron(batch=True, max_iter=40).fit(ring, curve)),
        "novikoff": plot.novikoff(LINE, SIDES),
        "probability_cones": plot.probability_cones(),
        "radius_and_margin": plot.radius_and_margin(best, X, Y),
        "regions": plot.regions(OneVsAll(Perceptron(random_state=0)).fit(P, c), P, c),
        "step": plot.step([1.0, 2.0], [2.0, -1.5]),
        "strategy": plot.strategy(Bayes(reject=0.1).fit(P, c), P, c, contours=True),
        "structural_risk": plot.structural_risk(ladder),
        "three_spaces": plot.three_spaces(threshold, LINE, SIDES),
        "trellis": plot.trellis(chain, list("nana"), list("TANA")),
        "units": plot.units(Perceptron(random_state=0).fit(P, c), [5.0, 1.0]),
        "weight_space": plot.weight_space(*PLANE, margin=4.0, start=[-1.0, -2.0], limiting_lines=True),
        "worst_error": plot.worst_error(Anderson(method="direction", tol=1e-4).fit_gaussians(*GAUSSIANS)),
    }


def read_image(drawn, folder: Path) -> np.ndarray:
    """Return what was drawn as an array: a figure, or the middle frame of an animation."""
    from PIL import Image

    if isinstance(drawn, Path):
        with Image.open(drawn) as film:
            film.seek(film.n_frames // 2)
            return np.asarray(film.convert("RGB"))
    figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    figure.savefig(folder / "one.png", dpi=80, bbox_inches="tight")
    with Image.open(folder / "one.png") as image:
        return np.asarray(image.convert("RGB"))


def main(folder: str = "out") -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    warnings.simplefilter("ignore", ConvergenceWarning)
    plt.rcParams["figure.max_open_warning"] = 0
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        images = {name: read_image(drawn, Path(scratch)) for name, drawn in draw_all(Path(scratch)).items()}
    plt.close("all")
    assert sorted(images) == sorted(plot.__all__), "every function of linsep.plot has its picture"
    lines = -(-len(images) // COLUMNS)
    figure, axes = plt.subplots(lines, COLUMNS, figsize=(COLUMNS * WIDTH, lines * HEIGHT), layout="constrained")
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, (name, image) in zip(axes.flat, sorted(images.items()), strict=False):
        ax.imshow(image, interpolation="antialiased")
        ax.set_title(f"plot.{name}", fontsize=16, family="monospace")
    figure.savefig(place / "contact_sheet.png", dpi=70)
    print(f"{len(images)} pictures\nwrote {place / 'contact_sheet.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
