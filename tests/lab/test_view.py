"""The engineers' view: what is drawn of a model and its rows, and what the server answers about them."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification

from linsep import MaximumMargin, Perceptron
from linsep.lab.projection import principal_direction
from linsep.lab.server import view_site
from linsep.lab.view import make_view
from linsep.lifting import Lifted, Polynomial
from linsep.reporting import row_cells
from linsep.reporting.facts import Part, Subject
from linsep.reporting.weights import plain_features

TABLES = ("violators", "support", "opposites")


def subject_of(model, X, y, cells=None, judged=None):
    names = [f"x{k + 1}" for k in range(X.shape[1])]
    cells = cells or row_cells(X, names)
    train = Part(X, y, None, np.arange(y.size), cells)
    rows = np.arange(y.size) if judged is None else judged
    part = Part(X[rows], y[rows], None, rows, cells)
    data = {"used": X.shape[1], "files": ["t.csv"], "target": None}
    return Subject(model, plain_features(names), part, "rows that the rule was fitted to", train, data)


def noisy(n=400, d=6):
    X, y = make_classification(n, d, n_informative=2, n_redundant=0, flip_y=0.1, random_state=1)
    return X, np.array(["no", "yes"])[y]


# --- the second axis -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 40, 200])
@pytest.mark.parametrize("scale", [1.0, 1e150, 1e-150])
def test_the_direction_is_that_of_the_singular_values(n, scale):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 5)) * [5, 3, 1, 1, 1] + 7
    w = rng.normal(size=(1, 5))
    unit = w / np.linalg.norm(w)
    rest = X - (X @ unit.T) @ unit
    rest -= rest.mean(axis=0)
    _, values, right = np.linalg.svd(rest)
    found = principal_direction(X * scale, w)
    assert abs(found.vector @ right[0]) == pytest.approx(1.0, abs=1e-6)
    assert found.share == pytest.approx(values[0] ** 2 / (values**2).sum(), rel=1e-6)
    assert abs(found.vector @ unit[0]) < 1e-9
    np.testing.assert_allclose(found.places(X * scale) / scale, rest @ found.vector, atol=1e-7)
    sparse = principal_direction(sp.csr_matrix(X * scale), w)
    np.testing.assert_allclose(sparse.vector, found.vector, atol=1e-6)


def test_what_has_no_direction_is_zero():
    for X in (np.ones((5, 3)), np.zeros((5, 3)), np.arange(5.0)[:, None], sp.csr_matrix((4, 9))):
        found = principal_direction(X, np.ones((1, X.shape[1])))
        assert not found.vector.any() and found.share == 0.0 and not found.places(X).any()


# --- what is drawn ---------------------------------------------------------------------------------------------------


def test_every_row_is_where_its_distance_and_label_say():
    X, y = noisy()
    model = MaximumMargin(C=1.0).fit(X, y)
    content = make_view(subject_of(model, X, y)).content
    points, distance = content["points"], model.decision_function(X) / np.linalg.norm(model.coef_)
    assert content["drawn"] == content["of"] == 400 and content["axes"]["across"] == "distance"
    assert points["row"] == list(range(1, 401))
    np.testing.assert_allclose(points["x"], distance, rtol=1e-12)
    assert [content["classes"][k] for k in points["class"]] == y.tolist()
    assert [content["classes"][k] for k in points["decided"]] == model.predict(X).tolist()
    wrong = np.flatnonzero(model.predict(X) != y)
    worst = wrong[np.argsort(-np.abs(distance[wrong]))][:12] + 1
    assert [each["row"] for each in content["violators"]["rows"]] == worst.tolist()
    assert content["violators"]["count"] == wrong.size
    support = {each["row"] - 1 for each in content["support"]["rows"]}
    assert support <= set(model.certificate_.rows.tolist()) and content["holds"]


def test_of_many_rows_a_sample_is_drawn_and_all_are_counted():
    X, y = noisy(3000)
    model = Perceptron(max_iter=3).fit(X, y)
    content = make_view(subject_of(model, X, y), most=100).content
    assert content["drawn"] == 100 and content["of"] == 3000
    assert sum(sum(each["counts"]) for each in content["margins"]["classes"]) == 3000
    rows = content["points"]["row"]
    listed = {each["row"] for name in TABLES if content[name] for each in content[name]["rows"]}
    assert len(rows) == len(set(rows)) and set(rows[100:]) == listed - set(rows[:100])
    spread = np.array(rows[:100])
    assert (spread <= 1500).sum() == pytest.approx(50, abs=20)  # from all over the file


def test_held_out_rows_are_judged_and_support_points_are_drawn_too():
    X, y = noisy()
    model = MaximumMargin(C=1.0).fit(X[:300], y[:300])
    content = make_view(subject_of(model, X, y, judged=np.arange(300, 400))).content
    assert content["of"] == 100 and min(content["points"]["row"][: content["drawn"]]) == 301
    assert {each["row"] for each in content["support"]["rows"]} <= set(content["points"]["row"])


def test_equal_rows_with_different_labels_are_listed():
    X, y = noisy(50)
    X[7], y[7] = X[3], "no" if y[3] == "yes" else "yes"
    content = make_view(subject_of(Perceptron(max_iter=5).fit(X, y), X, y)).content
    assert [each["row"] for each in content["opposites"]["rows"]] == [4, 8] and content["opposites"]["lost"] == 1


def test_other_rules_have_other_axes():
    X, y = load_iris(return_X_y=True)
    content = make_view(subject_of(MaximumMargin(C=1.0).fit(X, y), X, y)).content
    assert content["axes"]["across"] == "lead" and content["classes"] == ["0", "1", "2"]
    X, y = noisy(60, 3)
    lifted = Lifted(Polynomial(2), Perceptron(max_iter=5)).fit(X, y)
    assert make_view(subject_of(lifted, X, y)).content["axes"]["across"] == "score"
    sparse = sp.csr_matrix(X)
    content = make_view(subject_of(Perceptron(max_iter=5).fit(sparse, y), sparse, y)).content
    assert content["axes"]["across"] == "distance" and content["drawn"] == 60
    json.dumps(content, allow_nan=False)


def test_rules_without_scores_are_refused():
    class Guess:
        classes_ = np.array([0, 1])

    with pytest.raises(ValueError, match="expected a rule with scores, got Guess"):
        make_view(subject_of(Guess(), *noisy(20)))


# --- what is answered ------------------------------------------------------------------------------------------------


def test_the_cells_of_any_row_are_answered_and_nothing_else():
    X, y = noisy(30)
    cells = lambda rows: [{"name": "<b>", "empty": None, "row": row, "long": "x" * 9999} for row in rows]  # noqa: E731
    site = view_site(make_view(subject_of(Perceptron(max_iter=5).fit(X, y), X, y, cells)))
    assert list(site.answers) == ["/row"] and "live" not in site.content()
    found = json.loads(site.answers["/row"]({"row": 7}))
    assert found["cells"] == {"name": "<b>", "empty": "–", "row": "6", "long": "x" * 2000}
    for asked in ({"row": 0}, {"row": 31}, {"row": True}, {"row": "7"}, {"row": None}, {}, [], None, "row"):
        with pytest.raises(ValueError, match="row: expected a number from 1 to 30"):
            site.answers["/row"](asked)
