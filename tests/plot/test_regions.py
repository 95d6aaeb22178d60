"""Regions of many classes: polygons in which the rule answers as it is drawn."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import matplotlib
from conftest import REPOSITORY

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from sklearn.naive_bayes import GaussianNB

from linsep import LinearMachine, OneVsAll, OneVsOne, Perceptron, plot
from linsep.plot.geometry import PlotBox
from linsep.plot.regions import _area, _get_lines, _split_by_classes, _split_by_members

EXAMPLES = REPOSITORY / "examples"
RULES = {
    "machine": LinearMachine(max_iter=50),
    "one versus all": OneVsAll(Perceptron(max_iter=50)),
    "one versus one": OneVsOne(Perceptron(max_iter=50)),
    "two classes": Perceptron(max_iter=50),
}


def clouds(count=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(count), 12)
    turn = 2 * np.pi * y / count
    return 4 * np.column_stack([np.cos(turn), np.sin(turn)]) + rng.normal(size=(y.size, 2)), np.array(list("abcde"))[y]


@pytest.mark.parametrize("name", RULES)
def test_cells_tile_the_picture_and_answer_as_the_rule(name):
    X, y = clouds(2 if name == "two classes" else 5)
    rule = RULES[name].fit(X, y)
    box = PlotBox(-7.0, 7.0, -6.0, 6.0)
    W = _get_lines(rule)
    cells = _split_by_members(rule, W, box.corners) if hasattr(rule, "votes") else _split_by_classes(W, box.corners)
    assert sum(_area(cell.corners) for cell in cells) == pytest.approx(14 * 12)
    points = np.random.default_rng(1).uniform([-7, -6], [7, 6], (500, 2))
    said = np.searchsorted(rule.classes_, rule.predict(points))
    if hasattr(rule, "votes"):
        said = np.where(rule.ambiguous(points), -1, rule.votes(points).argmax(axis=1))
    drawn = np.full(500, -2)
    for cell in cells:
        drawn[Outline(cell.corners).contains_points(points)] = cell.label
    assert np.array_equal(drawn, said)
    if name == "machine":
        assert len({cell.label for cell in cells}) == len(cells)  # one convex region per class
    if name == "one versus all":
        assert (said == -1).any()


@pytest.mark.parametrize("name", RULES)
def test_regions_are_drawn_with_their_names(name):
    X, y = clouds(2 if name == "two classes" else 5)
    ax = plot.regions(RULES[name].fit(X, y), X, y, Figure().subplots())
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said[:2] == ["class a", "class b"]
    assert ("ambiguous" in said) == (name.startswith("one"))
    assert name.split()[0] in ax.get_title() or name == "two classes"


def test_an_estimator_is_drawn_by_its_committee():
    X, y = clouds()
    rule = SimpleNamespace(committee_=OneVsOne(Perceptron(max_iter=20)).fit(X, y))
    ax = plot.regions(rule, X, y, Figure().subplots())
    assert "one versus one" in ax.get_title()


def test_what_cannot_be_drawn_is_refused():
    X, y = clouds()
    rule = LinearMachine(max_iter=5).fit(X, y)
    with pytest.raises(ValueError, match="2 columns"):
        plot.regions(rule, np.ones((60, 3)), y)
    with pytest.raises(ValueError, match="'z'"):
        plot.regions(rule, X, np.full(60, "z"))
    with pytest.raises((ValueError, AttributeError), match="coef_"):
        plot.regions(OneVsAll(GaussianNB()).fit(X, y), X, y)


@pytest.mark.long
def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["many_classes.py", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "many_classes.py"), run_name="__main__")
    assert (tmp_path / "many_classes.png").stat().st_size > 20_000
    assert "convex regions" in capsys.readouterr().out
