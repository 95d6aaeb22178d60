"""Pictures: lines where g = 0, margins at their distance, bounds of the history, frames of updates."""

from __future__ import annotations

import runpy
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace

import matplotlib
from conftest import REPOSITORY

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver
from PIL import Image

from linsep import Perceptron, plot
from linsep.plot import film
from linsep.plot.cone import extremes, solution_cone
from linsep.plot.film import lines
from linsep.plot.geometry import Box, around, chord, clip
from linsep.plot.replay import formula, replay
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

EXAMPLES = REPOSITORY / "examples"

# S1's worked example
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])
sign = np.where(y == 2, 1, -1)


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(scope="module")
def rule():
    return Perceptron().fit(X, y)


def linear(w, w0, classes=(1, 2)):
    return SimpleNamespace(coef_=np.array([w], dtype=float), intercept_=np.array([w0]), classes_=np.array(classes))


def named(ax, label):
    (found,) = [one for one in ax.get_children() if one.get_label() == label]
    return found


def names(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def area(polygon):
    ahead = np.roll(polygon, -1, axis=0)
    return 0.5 * abs(float(np.sum(polygon[:, 0] * ahead[:, 1] - polygon[:, 1] * ahead[:, 0])))


# decision


def test_the_decision_line_is_where_g_is_zero(rule, ax):
    plot.decision(rule, X, y, ax)
    line = named(ax, "g(x) = 0").get_xydata()
    assert len(line) == 2 and np.linalg.norm(line[1] - line[0]) > 3
    assert rule.decision_function(line) == pytest.approx(0, abs=1e-9)


def test_the_margin_is_dashed_on_both_sides_at_the_smallest_distance(rule, ax):
    plot.decision(rule, X, y, ax)
    dashed = [line for line in ax.lines if line.is_dashed()]
    found = sorted(float(np.mean(rule.distance(line.get_xydata()))) for line in dashed)
    m = 5.75 / np.hypot(2.5, 4.5)  # x6 is nearest
    assert found == pytest.approx([-m, m])
    for line in dashed:
        assert np.ptp(rule.distance(line.get_xydata())) < 1e-9  # parallel
    assert "margin 1.117" in names(ax)


def test_a_line_that_does_not_separate_has_no_margin_and_says_so(ax):
    plot.decision(linear([1, 0], -1.2), X, y, ax)
    assert not [line for line in ax.lines if line.is_dashed()]
    assert "(1 of 9 on the wrong side)" in ax.get_title()


def test_points_are_drawn_on_their_side_with_their_label(rule, ax):
    plot.decision(rule, X, np.where(y == 2, 2, 1), ax)
    for label in (1, 2):
        assert named(ax, f"class {label}").get_offsets().tolist() == X[y == label].tolist()
    shaded = [patch.get_xy()[:-1] for patch in ax.patches]
    assert len(shaded) == 2
    for polygon, side in zip(shaded, (-1, 1), strict=True):
        assert np.all(side * rule.decision_function(polygon) >= -1e-9)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert sum(map(area, shaded)) == pytest.approx((right - left) * (top - bottom))


def test_the_arrow_of_w_stands_upright_on_the_line_and_points_to_the_positive_side(rule, ax):
    plot.decision(rule, X, y, ax)
    (arrow,) = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    tip, tail = np.array(arrow.xy), np.array(arrow.get_position())
    assert rule.decision_function([tail]) == pytest.approx(0, abs=1e-9)
    w = rule.coef_[0]
    assert (tip - tail) @ w == pytest.approx(np.linalg.norm(tip - tail) * np.linalg.norm(w))
    assert ax.get_aspect() == 1.0


def test_distances_end_at_the_foot_and_the_nearest_are_written(rule, ax):
    plot.decision(rule, X, y, ax, distances=True)
    (joined,) = [one for one in ax.collections if isinstance(one, LineCollection)]
    segments = np.array(joined.get_segments())
    assert segments[:, 0].tolist() == X.tolist()
    assert rule.decision_function(segments[:, 1]) == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) == pytest.approx(np.abs(rule.distance(X)))
    r = rule.distance(X)
    nearest = {f"{v:.4g}" for s in (-1, 1) for v in np.round(sorted(r[sign == s], key=abs)[:3], 3)}
    assert {text.get_text() for text in ax.texts} - {"", "w"} == nearest


def test_without_distances_nothing_is_joined(rule, ax):
    plot.decision(rule, X, y, ax)
    assert not [one for one in ax.collections if isinstance(one, LineCollection)]


def test_distances_are_written_along_their_segments_without_overlap(rule):
    ax = plot.decision(rule, X, y, distances=True)
    ax.figure.canvas.draw()
    texts = [text for text in ax.texts if text.get_text() not in ("", "w")]
    places = np.array([text.get_position() for text in texts])
    r = rule.distance(X)
    owners = [int(np.argmin(np.abs(r - float(text.get_text())))) for text in texts]
    w = rule.coef_[0] / np.linalg.norm(rule.coef_)
    across = np.array([-w[1], w[0]])
    assert places @ across == pytest.approx(X[owners] @ across)  # on the segment of its own point
    part = rule.distance(places) / r[owners]
    assert np.all((part > 0) & (part < 1))
    shown = ax.transData.transform(places)
    for i, j in combinations(range(len(texts)), 2):  # seen along and across the words, 8 points high
        assert abs((shown[i] - shown[j]) @ across) > 11 or abs((shown[i] - shown[j]) @ w) > 35
    plt.close(ax.figure)


def test_crowded_labels_avoid_each_other():
    from linsep.plot.labels import place

    ax = Figure().subplots()
    anchors = np.array([[0.5, 0.5], [0.52, 0.5], [0.5, 0.52], [0.51, 0.48], [0.51, 0.5]])
    placed = place(ax, anchors, ["-1.234"] * 5, anchors, np.zeros((0, 2, 2)))
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in placed]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_line_beside_the_data_is_brought_into_the_picture(ax):
    plot.decision(linear([1, 0], 1.0), X, y, ax)  # x = -1, the data begin at 0.5
    assert named(ax, "g(x) = 0").get_xdata().tolist() == [-1, -1]
    assert ax.get_xlim()[0] < -1


def test_a_line_far_away_does_not_squeeze_the_data(ax):
    plot.decision(linear([1, 0], 1000.0), X, y, ax, distances=True)
    assert ax.get_xlim()[0] > -5
    assert "far off" in ax.get_title()


def test_w_zero_has_no_line(ax):
    plot.decision(linear([0, 0], 1.0), X, y, ax)
    assert not ax.lines and "no decision line" in ax.get_title()


def test_columns_of_very_different_ranges_are_not_drawn_to_one_scale(ax):
    plot.decision(linear([1, 0], -3.0), X * [1, 1000], y, ax)
    assert ax.get_aspect() == "auto"


def test_new_axes_are_made_and_given_ones_used(rule, ax):
    before = plt.get_fignums()
    assert plot.decision(rule, X, y, ax) is ax
    assert plt.get_fignums() == before
    made = plot.decision(rule, X, y)
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(made.figure)


def test_names_of_columns_become_names_of_axes(rule, ax):
    pd = pytest.importorskip("pandas")
    plot.decision(rule, pd.DataFrame(X, columns=["length", "width"]), y, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((2, 3)), [1, 2], "2 columns"),
        (np.zeros((2, 2)), [1, 2, 2], "2 rows"),
        ([[0, 1], [2, np.nan]], [1, 2], r"X\[1, 1\] = nan"),
        (np.zeros((2, 2)), [1, 3], "label 3"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        plot.decision(linear([1, 0], 0.0), X, y)


def test_a_rule_of_three_features_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        plot.decision(linear([1, 0, 2], 0.0), X, y)


# bounds and mistakes


def history(updates, lower, upper):
    keys = ("pass", "updates", "mistakes", "lower", "upper")
    count = range(1, len(updates) + 1)
    return [dict(zip(keys, row, strict=True)) for row in zip(count, updates, updates, lower, upper, strict=True)]


def test_bounds_are_those_of_the_history(ax):
    past = history([2, 4, 5], [-0.2, np.nan, 1.1], [np.inf, 2.0, 1.5])
    plot.bounds(past, ax)
    assert named(ax, "upper bound").get_xydata().tolist() == [[4, 2.0], [5, 1.5]]
    assert named(ax, "lower bound").get_xydata().tolist() == [[2, -0.2], [5, 1.1]]
    assert ax.get_xscale() == ax.get_yscale() == "linear"


def test_the_gap_lies_between_the_bounds(ax):
    plot.bounds(history([1, 2, 3], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    gap = named(ax, "the best margin is in here").get_path()
    assert np.ptp(gap.vertices[:, 0]) == 2
    assert gap.contains_points([[1.5, 0.5], [2.9, 0.35], [2.9, 0.65]]).all()
    assert not gap.contains_points([[1.5, 0.1], [1.5, 0.95], [2.9, 0.8]]).any()


def test_nothing_is_shaded_before_the_first_lower_bound(ax):
    plot.bounds(history([1, 2, 3], [np.nan, 0.2, np.nan], [0.9, 0.8, 0.7]), ax)
    gap = named(ax, "the best margin is in here").get_path()
    assert gap.vertices[:, 0].min() == 2 and gap.contains_points([[2.9, 0.25]]).all()
    other = Figure().subplots()
    plot.bounds(history([1, 2], [np.nan, np.nan], [0.9, 0.8]), other)
    assert not other.patches


def test_an_estimator_shows_what_its_certificate_proves(rule, ax):
    plot.bounds(rule, ax)
    found = rule.certificate_
    dots = [line.get_xydata()[0].tolist() for line in ax.lines if line.get_marker() == "D" and len(line.get_xdata())]
    assert dots == [[3, found.upper], [3, found.lower]]
    assert {text.get_text() for text in ax.texts} == {f"{found.upper:.4g}", f"{found.lower:.4g}"}
    assert named(ax, "upper bound").get_ydata().tolist() == [*(one["upper"] for one in rule.history_), found.upper]
    assert named(ax, "lower bound").get_ydata()[-1] == found.lower


def test_many_updates_make_the_axis_logarithmic(ax):
    plot.bounds(history([1, 50, 101], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    assert ax.get_xscale() == "log"


def test_two_decades_are_still_linear_and_zero_is_shown(ax):
    plot.bounds(history([1, 50, 100], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), ax)
    assert ax.get_xscale() == "linear"
    other = Figure().subplots()
    plot.bounds(history([0, 1, 500], [0.1, 0.2, 0.3], [0.9, 0.8, 0.7]), other)
    assert other.get_xscale() == "symlog"


def test_bounds_of_many_sizes_are_logarithmic_and_hide_only_what_is_not_positive(ax):
    plot.bounds(history([1, 2, 3], [-5.0, 0.001, 0.002], [9.0, 0.1, 0.003]), ax)
    assert ax.get_yscale() == "log" and ax.get_ylim()[0] < 0.001
    assert "lower bound (from 0 up)" in names(ax)


@pytest.mark.parametrize("draw", [plot.bounds, plot.mistakes])
def test_no_history_is_said(draw):
    with pytest.raises(ValueError, match="empty"):
        draw([])
    with pytest.raises(ValueError, match="has no history_"):
        draw(Perceptron())


def test_mistakes_are_those_of_the_history(rule, ax):
    plot.mistakes(rule, ax)
    assert ax.lines[0].get_xydata().tolist() == [[1, 2], [2, 1], [3, 0]]
    assert ax.get_ylim()[0] == 0
    assert plot.mistakes(history(range(1, 200), range(1, 200), range(1, 200))).get_xscale() == "log"
    plt.close("all")


# weight space

CONE = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 0, 0])


def arrows(ax, label):
    found = named(ax, label)
    assert isinstance(found, Quiver)
    return np.column_stack([found.XY, found.U, found.V])


def test_the_solution_cone_satisfies_every_vector(ax):
    data, labels = CONE
    a = np.where(labels == 1, 1, -1)[:, None] * data
    plot.weight_space(data, labels, ax=ax)
    polygon = named(ax, "solution cone").get_xy()[:-1]
    assert len(polygon) >= 3
    assert np.all(polygon @ a.T >= -1e-9)
    assert np.all(polygon.mean(axis=0) @ a.T > 0.1)  # and is no thread


def test_the_cone_is_all_there_is(ax):
    """A grid of the picture: inside the polygon if and only if all scalar products are positive."""
    data, labels = CONE
    a = np.where(labels == 1, 1, -1)[:, None] * data
    plot.weight_space(data, labels, ax=ax)
    grid = np.random.default_rng(0).uniform(
        [ax.get_xlim()[0], ax.get_ylim()[0]], [ax.get_xlim()[1], ax.get_ylim()[1]], (500, 2)
    )
    inside = named(ax, "solution cone").get_path().contains_points(grid)
    assert 10 < inside.sum() < 490
    assert inside.tolist() == np.all(grid @ a.T > 0, axis=1).tolist()


def test_the_path_is_the_perceptrons(ax):
    data, labels = CONE
    plot.weight_space(data, labels, ax=ax)
    w, a = np.zeros(2), np.where(labels == 1, 1, -1)[:, None] * data
    path, clean, i = [w], 0, 0
    while clean < 4:
        clean, w = (clean + 1, w) if w @ a[i % 4] > 0 else (0, w + a[i % 4])
        path, i = (path if clean else [*path, w]), i + 1
    steps = arrows(ax, "path of w")
    assert steps[:, :2] == pytest.approx(np.array(path[:-1]))
    assert steps[:, :2] + steps[:, 2:] == pytest.approx(np.array(path[1:]))
    assert {text.get_text() for text in ax.texts} == {str(k) for k in range(len(path))}


def test_vectors_are_mirrored_and_their_lines_are_upright_on_them(ax):
    data, labels = CONE
    plot.weight_space(data, labels, ax=ax)
    assert arrows(ax, "a of class 1")[:, 2:].tolist() == data[:2].tolist()
    assert arrows(ax, "a of class 0 (mirrored)")[:, 2:].tolist() == (-data[2:]).tolist()
    drawn = [np.array(one.get_segments()) for one in ax.collections if isinstance(one, LineCollection)]
    for segments, a in zip(drawn, (-data[2:], data[:2]), strict=True):
        assert np.einsum("kpj,kj->kp", segments, a) == pytest.approx(0, abs=1e-9)
    assert ax.get_aspect() == 1.0


def test_an_empty_cone_is_reported(ax):
    plot.weight_space([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, 1, 0], ax=ax)
    assert ax.get_title().startswith("no solution")
    assert "solution cone" not in names(ax)
    assert len(arrows(ax, "path of w")) == 12  # a path without an end is cut short


def test_one_feature_has_the_bias_as_its_second_weight(ax):
    plot.weight_space([[1.0], [3.0]], [0, 1], ax=ax)
    assert arrows(ax, "a of class 0 (mirrored)")[:, 2:].tolist() == [[-1, -1]]
    assert arrows(ax, "a of class 1")[:, 2:].tolist() == [[3, 1]]
    assert ax.get_ylabel() == "w₀"


def test_a_given_path_is_drawn_as_it_is(ax):
    path = [[0.0, 0.0], [1.0, 2.0], [0.5, 2.5]]
    plot.weight_space(*CONE, path=path, ax=ax)
    assert arrows(ax, "path of w").tolist() == [[0, 0, 1, 2], [1, 2, -0.5, 0.5]]


def test_a_path_of_three_weights_and_a_single_class_are_refused():
    with pytest.raises(ValueError, match=r"\(k, 2\)"):
        plot.weight_space(*CONE, path=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="two classes are needed, but y has 1: 0"):
        plot.weight_space([[1.0], [3.0]], [0, 0])


angles = st.lists(st.integers(0, 359), min_size=1, max_size=8)


@given(angles)
@settings(max_examples=200, deadline=None)
def test_the_cone_is_empty_exactly_if_no_direction_satisfies_all(degrees):
    """Referee: half degrees all round, for vectors at whole degrees; a cone is at least half a degree wide."""
    a = np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    tried = np.radians(np.arange(0.5, 360, 0.5))
    scores = np.column_stack([np.cos(tried), np.sin(tried)]) @ a.T
    solvable = bool(np.any(np.all(scores > 1e-9, axis=1)))
    assert (len(extremes(a)) == 2) == solvable
    polygon = solution_cone(a, Box(-1.0, 2.0, -1.5, 1.0))
    assert (len(polygon) >= 3) == solvable
    assert np.all(polygon @ a.T >= -1e-9)


def test_the_zero_vector_leaves_no_solution():
    assert len(extremes(np.array([[1.0, 0.0], [0.0, 0.0]]))) == 0


# geometry

numbers = st.integers(-5, 5).map(float)


@given(numbers, numbers, numbers)
@settings(max_examples=200, deadline=None)
def test_a_line_cuts_the_box_into_its_two_sides(n1, n2, offset):
    box, normal = Box(-2.0, 3.0, -1.0, 4.0), np.array([n1, n2])
    if not normal.any():
        return
    ends = chord(box, normal, offset)
    assert ends @ normal + offset == pytest.approx(0, abs=1e-9)
    g = box.corners @ normal + offset
    assert (len(ends) == 2) or not (g.min() < 0 < g.max())
    covered = 0.0
    for side in (-1, 1):
        p = clip(box.corners, side * normal, side * offset)
        assert np.all(side * (p @ normal + offset) >= -1e-9)
        covered += area(p)
    assert covered == pytest.approx(25.0)


def test_one_point_has_a_box_too():
    assert np.all(around(np.array([[2.0, 3.0]])).size > 0)


# replay and film


@pytest.mark.parametrize(
    ("target", "rule", "bias"),
    [
        (Margin(0.0), Increment(1.0), "augmented"),
        (Margin(0.5), Increment(2.0, 0.5), "none"),
        (Margin(0.5), Scheduled(lambda k: 1 / k), "augmented"),
        (Margin(1.0), Relaxation(1.5), "augmented"),
        (EpsOptimal(0.5), Nearest(), "augmented"),
        (EpsOptimal(0.01), Nearest(), "free"),
        (Margin(0.0), Increment(1.0), "free"),
    ],
)
def test_every_update_adds_up(target, rule, bias):
    """alpha and beta are asked of the rule again: alpha w + beta a must be the w of the run, and a be violated."""
    updates = list(replay(X, sign, target, rule, bias=bias))
    assert updates
    for before, update in zip([None, *updates], updates, strict=False):
        assert update.alpha * update.before + update.beta * update.a == pytest.approx(update.after, abs=1e-9)
        assert update.wa <= update.goal + 1e-9
        assert before is None or update.before.tolist() == before.after.tolist()


def test_the_lectures_formulas():
    updates = list(replay(X, sign, Margin(0.0), Increment(1.0)))
    assert [update.row + 1 for update in updates] == [1, 6, 5]
    assert formula(updates[1]) == "w ← w + 1·(4.5, 1, 1) = (-0.5, -3, -1) + (4.5, 1, 1) = (4, -2, 0)"


def test_a_formula_with_two_factors():
    updates = list(replay(X, sign, EpsOptimal(0.1), Nearest(), most=3))
    text = formula(updates[2])
    assert text == "w ← 0.6788·(-0.5, -2.5, -1) + 0.3212·(4.5, 1, 1) = (1.106, -1.376, -0.3576)"
    assert " ".join(part.strip() for part in lines(updates[2])) == text


def frames(path):
    with Image.open(path) as image:
        found = []
        for k in range(image.n_frames):
            image.seek(k)
            found.append((image.info["duration"], np.asarray(image.convert("RGB"), dtype=int)))
        return found


def test_the_film_has_a_frame_an_update_and_two_more(tmp_path):
    path = plot.animate(X, y, tmp_path / "film.gif", seconds_per_frame=0.5)
    assert path == tmp_path / "film.gif" and list(tmp_path.iterdir()) == [path]
    shown = frames(path)
    assert [duration for duration, _ in shown] == [500] * 4 + [1500]  # w = 0, three updates, the result held
    for (_, one), (_, two) in pairwise(shown):
        assert np.abs(one - two).max() > 100


def test_a_film_ends_after_most_updates(tmp_path):
    assert len(frames(plot.animate(X, y, tmp_path / "film.gif", EpsOptimal(0.1), Nearest(), most=2))) == 4
    assert len(frames(plot.animate(X, y, tmp_path / "film.gif", most=0))) == 2


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def test_each_frame_shows_its_line_its_point_and_its_numbers():
    data = film.sample(X, y)
    updates = list(replay(X, sign, Margin(0.0), Increment(1.0)))
    movie = film.Film(data, updates, Margin(0.0), "augmented")
    for k in movie.frames():
        line, before = (named(movie.left, label).get_xydata() for label in ("g(x) = 0", "before"))
        if k == 0:
            assert not len(line) and "no line yet" in words(movie.right)
            continue
        w = updates[min(k, 3) - 1].after
        assert len(line) == 2 and line @ w[:2] + w[2] == pytest.approx(0, abs=1e-9)
        if k == 4:
            assert "Done after 3 updates" in words(movie.right) and "is 5.75" in words(movie.right)
            continue
        update = updates[k - 1]
        assert before @ update.before[:2] + update.before[2] == pytest.approx(0, abs=1e-9)
        rings = [one.get_offsets().tolist() for one in movie.left.collections if not one.get_facecolor().size]
        assert rings == [[X[update.row].tolist()]] and words(movie.left) == f"x{update.row + 1}"
        assert formula(update) in words(movie.right).replace("   = ", " = ")
    assert k == 4


def test_a_film_that_ran_out_of_updates_says_so():
    updates = list(replay(X, sign, Margin(0.0), Increment(1.0), most=2))
    title, said = film.Film(film.sample(X, y), updates, Margin(0.0), "augmented").verdict(updates[-1].after)
    assert title == "Stopped after 2 updates" and "-1." in said[-1]


def test_a_free_bias_lies_half_way_between_the_classes():
    updates = list(replay(X, sign, EpsOptimal(0.01), Nearest(), bias="free"))
    w, w0 = film.Film(film.sample(X, y), updates, EpsOptimal(0.01), "free").line(updates[-1].after)
    g = X @ w + w0
    assert g[sign > 0].min() == pytest.approx(-g[sign < 0].max()) and g[sign > 0].min() > 0


@pytest.mark.parametrize("broken", ["grab_frame", "finish"])
def test_a_film_that_fails_leaves_no_file_and_the_old_one_untouched(tmp_path, monkeypatch, broken):
    old = tmp_path / "old.gif"
    old.write_bytes(b"old")

    def half(self, **_):
        Path(self.outfile).write_bytes(b"GIF89a half")
        raise OSError("disk full")

    monkeypatch.setattr(film.PillowWriter, broken, half)
    for path in (old, tmp_path / "new.gif"):
        with pytest.raises(OSError, match="disk full"):
            plot.animate(X, y, path, most=1)
    assert list(tmp_path.iterdir()) == [old] and old.read_bytes() == b"old"


def test_what_cannot_be_filmed_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "film.gif"
    with pytest.raises(ValueError, match="two classes are needed, but y has 1: 1"):
        plot.animate(X, np.ones(9, dtype=int), path)
    with pytest.raises(ValueError, match="2 columns"):
        plot.animate(X[:, :1], y, path)
    with pytest.raises(ValueError, match="bias='odd'"):
        plot.animate(X, y, path, bias="odd")
    with pytest.raises(ValueError, match="seconds_per_frame"):
        plot.animate(X, y, path, seconds_per_frame=0)
    with pytest.raises(ValueError, match=r"\.gif"):
        plot.animate(X, y, tmp_path / "film.mp4")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        plot.animate(X, y, tmp_path / "nowhere" / "film.gif")
    assert not list(tmp_path.iterdir())


# the package and its examples


def test_without_matplotlib_the_import_says_what_to_install():
    script = "import sys; sys.modules['matplotlib'] = None\nimport linsep\nimport linsep.plot"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip install linsep[plot]" in done.stderr.splitlines()[-1]


def test_plot_does_not_know_the_estimators():
    folder = Path(plot.__file__).parent
    assert not [path for path in folder.glob("*.py") if "estimators" in path.read_text(encoding="utf-8")]


def test_the_worked_example_tells_the_lecture(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "worked_example.py"))["main"](str(tmp_path / "out"))
    said = capsys.readouterr().out
    for line in ("w2·x6 = -6.25 <= 0", "w3·x5 = -1 <= 0", "w4·x9 = 10.5 > 0", "5 x1 - 9 x2 - 2 = 0", "it holds"):
        assert line in said
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"worked_example.png", "worked_example.gif"}
    plt.close("all")


def test_the_weight_space_example_draws(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "weight_space.py"))["main"](str(tmp_path))
    assert capsys.readouterr().out.count("no solution") == 1
    assert (tmp_path / "weight_space.png").stat().st_size > 10_000
    plt.close("all")
