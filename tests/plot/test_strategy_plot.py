"""Pictures of decisions: every pixel is what the rule decides there, rejects are hatched, densities are the model's."""

import runpy

import matplotlib
from artists import names
from conftest import REPOSITORY

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA

from linsep import Bayes, NearestMean, plot
from linsep.bayes import Gaussian, Model, Parzen, Strategy
from linsep.plot.strategy import SHADE
from linsep.plot.style import GREY, PALETTE

EXAMPLES = REPOSITORY / "examples"
X, y = load_iris(return_X_y=True)
PLANE = X[:, :2]


@pytest.fixture
def ax():
    return Figure().subplots()


def pixels(ax, count=6000):
    """Some points of the picture, and the colours there."""
    (image,) = ax.images
    shown = np.asarray(image.get_array())
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert tuple(image.get_extent()) == (left, right, bottom, top)
    rows, columns = np.random.default_rng(0).integers(0, shown.shape, (count, 2)).T
    at = np.column_stack([columns + 0.5, rows + 0.5]) / shown.shape[::-1]
    colours = image.cmap(image.norm(shown[rows, columns]))[:, :3]
    return at * [right - left, top - bottom] + [left, bottom], colours


@pytest.mark.parametrize(
    "rule", [NearestMean(), Bayes(), Bayes(Gaussian(), reject=0.3), Bayes(Parzen(), reject=0.2)], ids=str
)
def test_every_pixel_has_the_colour_of_the_decision(rule, ax):
    rule.fit(PLANE, y)
    plot.strategy(rule, PLANE, y, ax)
    at, colours = pixels(ax)
    decided = rule.predict(at)
    for d in np.unique(decided):
        tint = 1 - SHADE * (1 - np.array(to_rgb(GREY if d == -1 else PALETTE[d])))
        assert colours[decided == d] == pytest.approx(np.broadcast_to(tint, (np.sum(decided == d), 3)))
    rejects = getattr(rule, "reject", None) is not None
    assert (-1 in decided) == rejects
    assert names(ax) == ["class 0", "class 1", "class 2"] + ["reject"] * rejects
    hatched = [one for one in ax.collections if getattr(one, "hatches", [None])[0]]
    assert len(hatched) == rejects
    for one in hatched:  # the hatching is where the rejects are
        (path,) = [p for p in one.get_paths() if len(p.vertices)]
        assert np.mean(path.contains_points(at) == (decided == -1)) > 0.98


def test_borders_are_where_the_decision_changes_and_straight_if_the_rule_is_linear(ax):
    """The nearest mean of two: every point of the border is as far from one as from the other, to 1e-5."""
    rule = NearestMean().fit([[0.0, 0.0], [3.0, 1.0]], [0.0, 1.0])
    plot.strategy(rule, [[0.0, 0.0], [3.0, 1.0]], [0.0, 1.0], ax)
    (border,) = [one for one in ax.collections if isinstance(one, LineCollection)]
    segments = np.array(border.get_segments())
    assert len(segments) > 100
    assert segments @ [3.0, 1.0] == pytest.approx(np.full(segments.shape[:2], 5.0), abs=1e-5)
    assert names(ax) == ["class 0", "class 1"]


def test_three_regions_meet_in_a_point(ax):
    rule = NearestMean().fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], ["a", "b", "c"])
    plot.strategy(rule, [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], ["a", "b", "c"], ax)
    (border,) = [one for one in ax.collections if isinstance(one, LineCollection)]
    ends = np.array(border.get_segments()).reshape(-1, 2)
    assert np.linalg.norm(ends - [1.0, 1.0], axis=1).min() < 0.02


def test_known_densities_need_no_data(ax):
    """Two Gaussians at 0 and 2 with deviation 1: the error of the best threshold, 1, is Phi(-1) = 0.1587."""
    model = Model([Gaussian.from_parameters([mean], [[1.0]]) for mean in (0.0, 2.0)])
    plot.strategy(Strategy(model), ax=ax)
    left, right = (patch.get_extents().xmax for patch in ax.patches)
    assert left == pytest.approx(ax.transData.transform([(1.0, 0.0)])[0, 0], abs=1.0)  # a pixel
    assert right == pytest.approx(ax.get_window_extent().xmax)
    assert abs(float(ax.get_title().split("risk ")[1].split(" ±")[0]) - 0.1587) < 0.005
    assert not [one for one in ax.collections if len(one.get_offsets()) > 1]  # no points
    with pytest.raises(ValueError, match="NearestMean has no densities to be drawn without X and y"):
        plot.strategy(NearestMean().fit(PLANE, y), ax=ax)


def test_contours_are_ellipses_of_one_two_and_three_deviations(ax):
    model = Model(
        [Gaussian.from_parameters([0.0, 0.0], np.diag([4.0, 1.0])), Gaussian.from_parameters([9.0, 0.0], np.eye(2))]
    )
    plot.strategy(Strategy(model), ax=ax, contours=True)
    drawn = [one for one in ax.collections if type(one).__name__ == "QuadContourSet"]
    assert len(drawn) == 2
    radii = [np.linalg.norm(path.vertices / [2.0, 1.0], axis=1) for path in drawn[0].get_paths()]
    assert [float(np.median(r)) for r in radii] == pytest.approx([3.0, 2.0, 1.0], abs=0.05)


def test_the_points_are_drawn_and_the_mistakes_counted(ax):
    rule = Bayes(Gaussian(), reject=0.3).fit(PLANE, y)
    plot.strategy(rule, PLANE, y, ax)
    drawn = {one.get_label(): one for one in ax.collections}
    for k in range(3):
        assert np.array_equal(drawn[f"class {k}"].get_offsets(), PLANE[y == k])
    decided = rule.predict(PLANE)
    wrong, rejected = np.sum((decided != y) & (decided != -1)), np.sum(decided == -1)
    assert ax.get_title() == f"{wrong} of 150 wrong, {rejected} rejected"


def test_more_classes_than_colours(ax):
    data, digits = load_digits(return_X_y=True)
    Z = PCA(2).fit_transform(data)
    plot.strategy(NearestMean().fit(Z, digits), Z, digits, ax)
    looks = {
        (tuple(one.get_facecolor()[0]), len(one.get_paths()[0].vertices), one.get_paths()[0].vertices[0, 0])
        for one in ax.collections
        if one.get_label().startswith("class")
    }
    assert len(looks) == 10


def test_one_column_shows_the_densities_and_the_intervals(ax):
    rule = Bayes(Gaussian(), reject=0.2).fit(X[:, [2]], y)
    plot.strategy(rule, X[:, [2]], y, ax)
    for k, line in enumerate(ax.lines):
        x, p = line.get_xydata().T
        logs = rule.strategy_.model.densities[k].score_samples(x[:, None])
        assert p == pytest.approx(np.exp(logs) * rule.priors_[k])
    spans = [patch for patch in ax.patches if patch.get_label() != "reject"]
    assert len(spans) == 5  # three classes and a reject between each two
    for patch in spans:
        middle = patch.get_x() + patch.get_width() / 2
        assert (rule.predict([[middle]])[0] == -1) == (patch.get_hatch() is not None)


def test_a_data_frame_gives_its_names_and_no_warning(ax):
    table = pd.DataFrame(PLANE, columns=["length", "width"])
    plot.strategy(Bayes().fit(table, y), table, y, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")


@pytest.mark.parametrize(
    ("rule", "data", "labels", "said"),
    [
        (Bayes(), PLANE, y, "Bayes has no classes_"),
        (Bayes().fit(X, y), X, y, "1 or 2 columns"),
        (Bayes().fit(PLANE, y), PLANE, y + 1, "label 3, which is not one of"),
        (Bayes().fit(PLANE, y), PLANE[:3], y, "3 rows"),
        (NearestMean().fit(X[:, [0]], y), X[:, [0]], y, "NearestMean has no densities"),
    ],
)
def test_bad_input_is_named(rule, data, labels, said):
    with pytest.raises(ValueError, match=said):
        plot.strategy(rule, data, labels, Figure().subplots())


@pytest.mark.long
def test_the_example_runs_and_writes_its_picture(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "bayes.py"))["main"](str(tmp_path))
    said = capsys.readouterr().out
    assert "risk 23/50" in said and "risk 13/40" in said
    picture = np.asarray(Image.open(tmp_path / "bayes.png").convert("RGB"))
    assert picture.std() > 10
