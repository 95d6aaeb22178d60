"""Updates replayed and animated: every frame shows the numbers of its update."""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path

import matplotlib
from artists import named
from conftest import REPOSITORY

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from linsep import plot
from linsep.plot import animation
from linsep.plot.film import DataFilm, split_formula
from linsep.plot.plot_data import check_two_classes
from linsep.plot.replay import format_update, replay_updates
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

EXAMPLES = REPOSITORY / "examples"


# S1's worked example
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])


y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])


sign = np.where(y == 2, 1, -1)


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
    updates = list(replay_updates(X, sign, target, rule, bias=bias))
    assert updates
    for before, update in zip([None, *updates], updates, strict=False):
        assert update.alpha * update.before + update.beta * update.a == pytest.approx(update.after, abs=1e-9)
        assert update.wa <= update.goal + 1e-9
        assert before is None or update.before.tolist() == before.after.tolist()


def test_the_lectures_formulas():
    updates = list(replay_updates(X, sign, Margin(0.0), Increment(1.0)))
    assert [update.row + 1 for update in updates] == [1, 6, 5]
    assert format_update(updates[1]) == "w ← w + 1·(4.5, 1, 1) = (-0.5, -3, -1) + (4.5, 1, 1) = (4, -2, 0)"


def test_a_formula_with_two_factors():
    updates = list(replay_updates(X, sign, EpsOptimal(0.1), Nearest(), max_updates=3))
    text = format_update(updates[2])
    assert text == "w ← 0.6788·(-0.5, -2.5, -1) + 0.3212·(4.5, 1, 1) = (1.106, -1.376, -0.3576)"
    assert " ".join(part.strip() for part in split_formula(updates[2])) == text


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
    assert len(frames(plot.animate(X, y, tmp_path / "film.gif", EpsOptimal(0.1), Nearest(), max_updates=2))) == 4
    assert len(frames(plot.animate(X, y, tmp_path / "film.gif", max_updates=0))) == 2


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def test_each_frame_shows_its_line_its_point_and_its_numbers():
    data = check_two_classes(X, y, "animate")
    updates = list(replay_updates(X, sign, Margin(0.0), Increment(1.0)))
    movie = DataFilm(data, updates, Margin(0.0), "augmented", np.zeros(3))
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
        assert format_update(update) in words(movie.right).replace("   = ", " = ")
    assert k == 4


def test_a_film_that_ran_out_of_updates_says_so():
    updates = list(replay_updates(X, sign, Margin(0.0), Increment(1.0), max_updates=2))
    title, said = DataFilm(
        check_two_classes(X, y, "animate"), updates, Margin(0.0), "augmented", np.zeros(3)
    ).describe_result(updates[-1].after)
    assert title == "Stopped after 2 updates" and "-1." in said[-1]


def test_a_free_bias_lies_half_way_between_the_classes():
    updates = list(replay_updates(X, sign, EpsOptimal(0.01), Nearest(), bias="free"))
    w, w0 = DataFilm(check_two_classes(X, y, "animate"), updates, EpsOptimal(0.01), "free", np.zeros(2)).get_line(
        updates[-1].after
    )
    g = X @ w + w0
    assert g[sign > 0].min() == pytest.approx(-g[sign < 0].max()) and g[sign > 0].min() > 0


@pytest.mark.parametrize("broken", ["grab_frame", "finish"])
def test_a_film_that_fails_leaves_no_file_and_the_old_one_untouched(tmp_path, monkeypatch, broken):
    old = tmp_path / "old.gif"
    old.write_bytes(b"old")

    def half(self, **_):
        Path(self.outfile).write_bytes(b"GIF89a half")
        raise OSError("disk full")

    monkeypatch.setattr(animation.PillowWriter, broken, half)
    for path in (old, tmp_path / "new.gif"):
        with pytest.raises(OSError, match="disk full"):
            plot.animate(X, y, path, max_updates=1)
    assert list(tmp_path.iterdir()) == [old] and old.read_bytes() == b"old"


def test_what_cannot_be_filmed_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "film.gif"
    with pytest.raises(ValueError, match="expected two classes, got 1: 1"):
        plot.animate(X, np.ones(9, dtype=int), path)
    with pytest.raises(ValueError, match="2 columns"):
        plot.animate(X[:, :1], y, path)
    with pytest.raises(ValueError, match=r"expected one of .* got 'odd'"):
        plot.animate(X, y, path, bias="odd")
    with pytest.raises(ValueError, match="seconds_per_frame"):
        plot.animate(X, y, path, seconds_per_frame=0)
    with pytest.raises(ValueError, match=r"\.gif"):
        plot.animate(X, y, tmp_path / "film.mp4")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        plot.animate(X, y, tmp_path / "nowhere" / "film.gif")
    assert not list(tmp_path.iterdir())


def test_the_worked_example_tells_the_lecture(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "worked_example.py"))["main"](str(tmp_path / "out"))
    said = capsys.readouterr().out
    for line in ("w2·x6 = -6.25 <= 0", "w3·x5 = -1 <= 0", "w4·x9 = 10.5 > 0", "5 x1 - 9 x2 - 2 = 0", "it holds"):
        assert line in said
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"worked_example.png", "worked_example.gif"}
    plt.close("all")
