"""The trellis and lifted points: scores by brute force, changes by phi itself."""

from __future__ import annotations

from itertools import pairwise, product

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from artists import named, polygons, texts
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from linsep import Functions, Lifted, MaximumMargin, Perceptron, Quadratic, SequenceClassifier, plot
from linsep.plot.trellis import find_changes

START = np.array([0.6, 0.2, 0.2])
TRANSITION = np.array([[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.5, 0.3, 0.2]])
EMISSION = np.array([[0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def chain():
    return SequenceClassifier.from_hmm(START, TRANSITION, EMISSION, labels=list("ANT"), symbols=list("ant"))


def score(x, y):
    pairs = sum(np.log(TRANSITION[j, k]) for j, k in pairwise(y))
    return np.log(START[y[0]]) + pairs + sum(np.log(EMISSION[k, s]) for s, k in zip(x, y, strict=True))


def test_nodes_have_the_score_of_the_best_labelling_through_them(chain, ax):
    x = [1, 0, 1, 2]
    plot.trellis(chain, ["ant"[s] for s in x], list("TANA"), ax)
    for t, k in product(range(4), range(3)):
        best = max(score(x, y) for y in product(range(3), repeat=4) if y[t] == k)
        (drawn,) = [text for text in ax.texts if text.get_position() == (t, 2 - k) and text.get_text() not in "+−"]
        assert float(drawn.get_text()) == pytest.approx(best, abs=0.006)


def test_paths_are_the_truth_and_the_best_labelling(chain, ax):
    x = [1, 0, 1, 2]
    plot.trellis(chain, ["ant"[s] for s in x], list("TANA"), ax)
    best = max(product(range(3), repeat=4), key=lambda y: score(x, y))
    truth, prediction = (line.get_ydata() for line in ax.lines if len(line.get_xdata()) == 4)
    assert np.round(truth).tolist() == [0, 2, 1, 2]
    assert np.round(prediction).tolist() == [2 - k for k in best]
    assert {named(ax, name).get_linestyle() for name in ("truth", "prediction")} == {"-", "--"}


@pytest.mark.parametrize("seed", range(6))
def test_changes_are_phi_of_the_truth_minus_phi_of_the_prediction(seed):
    rng = np.random.default_rng(seed)
    right, found = rng.integers(0, 3, (2, 5)).tolist()
    nodes, edges = find_changes(right, found)
    phi = {"node": np.zeros((5, 3)), "edge": np.zeros((5, 3, 3))}
    for path, sign in ((right, 1), (found, -1)):
        for t, k in enumerate(path):
            phi["node"][t, k] += sign
            if t:
                phi["edge"][t, path[t - 1], k] += sign
    assert nodes == {tuple(map(int, at)): phi["node"][tuple(at)] for at in np.argwhere(phi["node"])}
    assert edges == {tuple(map(int, at)): phi["edge"][tuple(at)] for at in np.argwhere(phi["edge"])}


def test_signs_are_written_where_w_changes(chain, ax):
    plot.trellis(chain, list("nant"), list("TANA"), ax)
    assert sorted(text for text in texts(ax) if text in "+−") == ["+", "+", "−", "−"]
    same = Figure().subplots()
    plot.trellis(chain, list("nant"), list("TANT"), same)
    assert not [text for text in texts(same) if text in "+−"]
    assert same.get_title().endswith("w stays")


def test_of_many_labels_the_best_are_shown(ax):
    words = ["JOHN", "BILL", "DANA"]
    X, y = [[[letter] for letter in word] for word in words], [list(word) for word in words]
    rule = SequenceClassifier(random_state=0).fit(X, y)
    plot.trellis(rule, X[0], y[0], ax)
    shown = {label.get_text() for label in ax.get_yticklabels()}
    assert set("JOHN") <= shown <= set("JOHNBILDA")
    assert [label.get_text().splitlines()[1] for label in ax.get_xticklabels()] == list("JOHN")


def test_bad_sequences_are_refused(chain, ax):
    with pytest.raises(ValueError, match="expected 1 to 12 positions"):
        plot.trellis(chain, list("nant"), list("TAN"), ax)
    with pytest.raises(ValueError, match="label 'Z'"):
        plot.trellis(chain, list("nant"), list("TANZ"), ax)
    with pytest.raises(ValueError, match="expected a SequenceClassifier"):
        plot.trellis(Perceptron(), list("nant"), list("TANZ"), ax)


LINE, SIDES = np.array([[-2.2], [-1.3], [-0.5], [0.4], [0.8], [1.6]]), np.array([1, 1, 0, 0, 0, 1])


def test_a_lift_to_two_columns_is_drawn_in_the_plane(ax):
    rule = Lifted(Quadratic(centre=False, scale=False), Perceptron(keep="last")).fit(LINE, SIDES)
    plot.lifted(rule, LINE, SIDES, ax)
    w, w0 = rule.classifier_.coef_[0], rule.classifier_.intercept_[0]
    assert np.column_stack(named(ax, "g(x) = 0").get_data()) @ w + w0 == pytest.approx(0, abs=1e-8)
    assert np.asarray(named(ax, "class 0").get_offsets()) == pytest.approx(np.column_stack([LINE[2:5], LINE[2:5] ** 2]))
    parabola = np.column_stack(named(ax, "φ(x)").get_data())
    assert parabola[:, 1] == pytest.approx(parabola[:, 0] ** 2)
    assert "x0^2" in ax.get_title() and "x₁" not in ax.get_title()  # the names of the axes
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert -3 < left < -2.2 and 1.6 < right < 2.4 and -1 < bottom < 0 and 4.84 < top < 6.5  # as large as the data


def test_covers_figure_has_a_plane_between_the_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (np.hypot(*X.T) > 1.2).astype(int)
    lift = Functions([("r²", lambda X: (X**2).sum(axis=1, keepdims=True))], centre=False, scale=False)
    rule = Lifted(lift, MaximumMargin()).fit(X, y)
    ax = plot.lifted(rule, X, y)
    (plane,) = [one for one in ax.collections if isinstance(one, Poly3DCollection)]
    (corners,) = polygons(plane)
    w, w0 = rule.classifier_.coef_[0], rule.classifier_.intercept_[0]
    assert corners @ w + w0 == pytest.approx(0, abs=1e-8)
    drawn = np.asarray(np.column_stack(named(ax, "class 1")._offsets3d))
    assert drawn == pytest.approx(np.column_stack([X, (X**2).sum(axis=1)])[y == 1])
    assert ax.get_title().endswith("separated by a plane")
    plt.close("all")


def test_lifts_of_other_sizes_are_refused(ax):
    rule = Lifted(Quadratic(), Perceptron()).fit(np.column_stack([LINE, LINE[::-1]]), SIDES)
    with pytest.raises(ValueError, match="expected a lift to two or three columns, got 5"):
        plot.lifted(rule, np.column_stack([LINE, LINE[::-1]]), SIDES, ax)
    with pytest.raises(ValueError, match="expected a fitted Lifted"):
        plot.lifted(Perceptron().fit(LINE, SIDES), LINE, SIDES, ax)
