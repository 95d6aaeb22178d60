"""The report: its numbers against scikit-learn's, its page without references or foreign code, its size."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris

import linsep
from linsep.cli.app import run
from linsep.reporting import finish, words
from linsep.reporting.facts import Part, Subject, collect
from linsep.reporting.markdown import plain
from linsep.reporting.weights import plain_features

EVIL = "<script>alert('x')</script><img src=http://example.com/a.png onerror=alert(1)>"


@pytest.fixture(scope="module")
def tumours():
    """A model of standardised tumours, rows that it has not seen, and its report about these."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = linsep.MaximumMargin(C=0.01).fit(X[::2], y[::2])
    return model, X[1::2], y[1::2], linsep.report(model, X[::2], y[::2], test=(X[1::2], y[1::2]), refits=2)


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = linsep.Perceptron(max_iter=30).fit(X, names)
    return model, X, names, linsep.report(model, X, names, refits=0)


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_errors_are_those_of_scikit_learn(tumours):
    model, X, y, found = tumours
    facts, said = json.loads(found.json()), model.predict(X)
    errors = facts["errors"]
    assert errors["confusion"] == metrics.confusion_matrix(y, said).tolist()
    assert errors["accuracy"] == pytest.approx(metrics.accuracy_score(y, said), rel=1e-14)
    for k, each in enumerate(errors["classes"]):
        assert each["recall"] == pytest.approx(metrics.recall_score(y, said, pos_label=k))
        assert each["precision"] == pytest.approx(metrics.precision_score(y, said, pos_label=k))
    interval = binomtest(int((said == y).sum()), y.size).proportion_ci(0.95, method="exact")
    assert errors["interval"] == pytest.approx([interval.low, interval.high])
    assert errors["largest_class"] == np.bincount(y).max() / y.size


def test_curves_and_areas_are_those_of_scikit_learn(tumours):
    model, X, y, found = tumours
    g, (ranking,) = model.decision_function(X), json.loads(found.json())["ranking"]
    assert ranking["class"] == 1 and ranking["rows"] == int(y.sum())
    assert ranking["auc"] == pytest.approx(metrics.roc_auc_score(y, g), rel=1e-12)
    assert ranking["average_precision"] == pytest.approx(metrics.average_precision_score(y, g), rel=1e-12)
    false, true, cut = metrics.roc_curve(y, g, drop_intermediate=False)
    curve = {float(c): (f, t) for f, t, c in zip(false, true, cut)}
    for f, t, c in ranking["roc"]:
        assert (f, t) == pytest.approx(curve[np.inf if c is None else c])
    precision, recall, cut = metrics.precision_recall_curve(y, g)
    curve = {float(c): (r, p) for r, p, c in zip(recall, precision, cut)}
    assert all((r, p) == pytest.approx(curve[c]) for r, p, c in ranking["precision_recall"] if c in curve)
    assert sum(c in curve for *_, c in ranking["precision_recall"]) > 50


def test_the_error_at_each_threshold_is_counted(tumours):
    model, X, y, found = tumours
    g, facts = model.decision_function(X), found.facts["threshold"]
    assert facts["error"] == np.mean((g > 0) != y)
    assert facts["false_positives"] == int(((g > 0) & (y == 0)).sum())
    assert facts["false_negatives"] == int(((g <= 0) & (y == 1)).sum())
    for at, error in facts["points"]:
        assert error == pytest.approx(np.mean((g > at) != y))
    every = min(np.mean((g > at) != y) for at in np.concatenate([g, [g.min() - 1]]))
    assert facts["best_error"] == pytest.approx(every) == np.mean((g > facts["best_threshold"]) != y)


def test_calibration_by_groups_and_platts_sigmoid(tumours):
    model, X, y, found = tumours
    g, facts = model.decision_function(X), found.facts["calibration"]
    order = np.argsort(g)
    for part, each in zip(np.array_split(order, 10), facts["groups"], strict=True):
        assert each["share"] == y[part].mean() and each["rows"] == part.size
        assert each["mean"] == pytest.approx(g[part].mean())
    ones = y.sum()
    t = np.where(y == 1, (ones + 1) / (ones + 2), 1 / (y.size - ones + 2))
    cost = lambda v: np.sum(np.logaddexp(0, v[0] * g + v[1]) - t * (v[0] * g + v[1]))  # noqa: E731
    best = minimize(cost, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
    assert [facts["slope"], facts["intercept"]] == pytest.approx(best, rel=1e-4)
    p = 1 / (1 + np.exp(-(facts["slope"] * g + facts["intercept"])))
    assert facts["brier"] == pytest.approx(metrics.brier_score_loss(y, p))
    assert facts["log_loss"] == pytest.approx(metrics.log_loss(y, p))


def test_margins_weights_violators_and_bounds(tumours):
    model, X, y, found = tumours
    facts = json.loads(found.json())
    by = model.distance(X) * (2 * y - 1)
    assert facts["margins"]["margin"] == pytest.approx(1 / np.linalg.norm(model.coef_))
    assert sum(sum(each["counts"]) for each in facts["margins"]["classes"]) == y.size
    assert facts["margins"]["not_positive"] == int((by <= 0).sum()) == facts["violators"]["count"]
    worst = np.argsort(by)[: len(facts["violators"]["rows"])]
    assert [each["row"] for each in facts["violators"]["rows"]] == (worst + 1).tolist()
    assert [each["distance"] for each in facts["violators"]["rows"]] == pytest.approx(by[worst].tolist())
    assert facts["violators"]["rows"][0]["cells"]["x1"] == pytest.approx(X[worst[0], 0])
    weights = {each["feature"]: each["weights"][0] for each in facts["weights"]["features"]}
    assert weights == pytest.approx({f"x{k + 1}": w for k, w in enumerate(model.coef_[0])})
    assert facts["certificate"]["check"]["holds"] and facts["certificate"]["upper"] == model.certificate_.upper
    assert facts["support"]["count"] == np.unique(model.certificate_.rows).size
    N, h, emp = 285, 31, model.certificate_.violated / 285
    root = np.sqrt((h * (np.log(2 * N / h) + 1) - np.log(0.05 / 4)) / N)
    assert facts["risk"]["dimension"]["bound"] == pytest.approx(emp + root)
    assert len(facts["stability"]["runs"]) == 2 and all(each["degrees"] < 1 for each in facts["stability"]["runs"])


def test_many_classes_one_against_the_rest(flowers):
    model, X, names, found = flowers
    facts, g = found.facts, model.decision_function(X)
    assert facts["errors"]["confusion"] == metrics.confusion_matrix(names, model.predict(X)).tolist()
    for k, each in enumerate(facts["ranking"]):
        assert each["auc"] == pytest.approx(metrics.roc_auc_score(names == model.classes_[k], g[:, k]))
        assert each["average_precision"] == pytest.approx(
            metrics.average_precision_score(names == model.classes_[k], g[:, k])
        )
    assert len(facts["formula"]) == 4 and facts["formula"][-1] == "the largest decides"


def test_equal_scores_are_one_step():
    g, y = np.array([0.0, 0.0, 1.0, 1.0, 1.0, -1.0]), np.array([0, 1, 1, 0, 1, 0])
    from linsep.reporting.curves import Ranking

    ranking = Ranking(g, y == 1)
    assert ranking.area() == pytest.approx(metrics.roc_auc_score(y, g))
    assert ranking.average_precision() == pytest.approx(metrics.average_precision_score(y, g))
    assert ranking.errors().tolist() == [3, 2, 2, 3]


def test_many_classes_are_told_apart_by_machines_and_have_no_bound_of_risk(flowers):
    facts = flowers[3].facts
    assert facts["certificate"]["status"] == "not separable" or "hyperplane" not in facts["answer"]
    page = flowers[3].html()
    assert "hyperplane" not in page and "is for two classes" in page
    largest = max((abs(w), each["feature"]) for each in facts["weights"]["features"] for w in each["weights"])
    first = re.search(r'aria-label="the largest weights".*?<tbody><tr><td>(.*?)</td>.*?--size:(.*?)"', page)
    assert first.groups() == (largest[1], "1.000")


def test_numbers_of_things():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]
    assert linsep.report(linsep.Perceptron().fit(X, y), X, y, refits=0).facts["data"]["said"].endswith("2 classes.")
    assert "6 rows, 1 column, " in linsep.report(linsep.Perceptron().fit(X, y), X, y, refits=0).markdown()


def test_long_cells_are_cut_only_where_it_makes_them_shorter():
    assert words.cell("x" * 80) == "x" * 80
    assert words.cell("x" * 81) == f"{'x' * 60}… (81 characters)"


# --- the page --------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """All tags, attributes and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attributes]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_loads_nothing_and_describes_every_picture(tumours):
    page = Page(tumours[3].html())
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"} & {*page.tags}
    assert not [each for each in page.attributes if each[1] in ("src", "href", "srcset") or each[1].startswith("on")]
    assert "http://" not in tumours[3].html() and "https://" not in tumours[3].html()
    assert "url(" not in tumours[3].html() and "@import" not in tumours[3].html()
    assert page.tags.count("svg") == page.tags.count("desc") == page.tags.count("figcaption") >= 6
    assert all(len(value) > 40 for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label"))


def test_a_table_with_html_in_its_cells_is_shown_and_never_interpreted(tmp_path, capsys):
    table, model, out = tmp_path / "t.csv", tmp_path / "m.linsep", tmp_path / "r.html"
    rows = [f'{k},"{EVIL}{k % 3}","{"<b>no</b>" if k % 2 else "|yes|"}"' for k in range(60)]
    table.write_text("\n".join(["<i>size</i>,note,kind", *rows]))
    assert run(["fit", str(table), "-t", "kind", "-o", str(model), "-q"]) == 0
    for ending in ("html", "md", "json"):
        assert run(["report", str(model), str(table), "-o", str(out.with_suffix(f".{ending}")), "-q"]) == 0
    text = out.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "img", "b", "i"} & {*page.tags}
    assert not [each for each in page.attributes if each[1] in ("src", "href") or each[1].startswith("on")]
    assert any(each.startswith(EVIL[:40]) for each in page.texts)
    assert "<b>no</b>" in page.texts and "<i>size</i>" in page.texts
    markdown = out.with_suffix(".md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<", markdown) and r"\|yes\|" in markdown
    assert json.loads(out.with_suffix(".json").read_text())["model"]["classes"] == ["<b>no</b>", "|yes|"]


def test_text_that_would_break_markdown_or_a_page():
    assert plain("a\nb | *c* `d` [e](f)") == r"a b \| \*c\* \`d\` \[e\](f)"
    assert plain("\u202eabc\x00") == "\ufffdabc\ufffd"


def test_a_million_rows_make_a_page_of_less_than_two_megabytes():
    rng = np.random.default_rng(0)
    n = 1_000_000
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + y[:, None]
    some = slice(0, 2000)
    model = linsep.LeastSquares().fit(X[some], y[some])

    def cells(rows):
        return [{"note": "long " * 100, "x": float(X[row, 0])} for row in rows]

    judged = Part(X, y, None, np.arange(n), cells)
    data = {"said": "", "classes": [], "rows": n}
    subject = Subject(model, plain_features(["x1", "x2"]), judged, "rows", None, data)
    found = finish(collect(subject, refits=0, seconds=1.0))
    assert len(found.html()) < 200_000 and len(found.json()) < 200_000
    assert found.facts["ranking"][0]["auc"] == pytest.approx(metrics.roc_auc_score(y, model.decision_function(X)))


# --- the command and the function ------------------------------------------------------------------------------------

LINE = "a,b,kind\n" + "".join(f"{k / 2},{k * k % 7},{'low' if k < 12 else 'high'}\n" for k in range(24))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line.csv").write_text(LINE)
    assert run(["fit", "line.csv", "-t", "kind", "--test", "0.25", "-o", "m.linsep", "-q"]) == 0
    return tmp_path


def test_held_out_rows_are_judged_and_the_formula_is_in_the_tables_units(folder, capsys):
    capsys.readouterr()
    assert run(["report", "m.linsep", "line.csv", "--to", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["judged"]["on"] == "held-out rows" and facts["certificate"]["check"]["holds"]
    assert facts["data"]["sha256"] and "linsep report" in facts["origin"]["report"]
    (rule,) = facts["formula"]
    found = re.fullmatch(r"low if (\S+)·a ([+−] \S+)·b ([+−] \S+) > 0, else high", rule)
    w = [float(each.replace(" ", "").replace("−", "-")) for each in found.groups()]
    lines = [line.split(",") for line in LINE.splitlines()[1:]]
    said = ["low" if w[0] * float(a) + w[1] * float(b) + w[2] > 0 else "high" for a, b, _ in lines]
    assert said == [kind for *_, kind in lines]
    assert all(each["cells"]["kind"] == each["class"] for each in facts["support"]["rows"])


def test_other_rows_are_judged_without_a_check(folder, capsys):
    (folder / "other.csv").write_text(LINE.replace("low", "high", 2))
    assert run(["report", "m.linsep", "other.csv", "-o", "r.json", "-q"]) == 0
    facts = json.loads((folder / "r.json").read_text())
    assert facts["certificate"]["check"] is None and facts["support"] is None and facts["errors"]["errors"] == 2
    capsys.readouterr()
    assert run(["report", "m.linsep", "other.csv", "--to", "markdown"]) == 0
    assert "not the ones of this report" in capsys.readouterr().out


def test_other_separators(folder, capsys):
    (folder / "semi.csv").write_text(LINE.replace(",", ";"))
    assert run(["fit", "semi.csv", "-t", "kind", "--separator", ";", "-o", "s.linsep", "-q"]) == 0
    assert run(["report", "s.linsep", "semi.csv", "--separator", ";", "-o", "s.json", "-q"]) == 0
    facts = json.loads((folder / "s.json").read_text())
    assert [each["name"] for each in facts["data"]["columns"]] == ["a", "b"] and facts["data"]["columns"][0][
        "high"
    ] == 11.5
    assert facts["support"]["rows"][0]["cells"]["kind"] in ("low", "high")
    assert run(["export", "s.linsep", "-o", "s.py", "--data", "semi.csv", "--separator", ";", "-q"]) == 0


def test_bad_names_are_refused_before_work(folder, capsys):
    assert run(["report", "m.linsep", "line.csv", "-o", "r.doc"]) == 2
    assert run(["report", "m.linsep", "line.csv", "-o", "m.linsep"]) == 2
    assert ".html" in capsys.readouterr().err
    with pytest.raises(TypeError, match="fitted classifier"):
        linsep.report(linsep.Perceptron(), [[0.0]], [0])


def test_sparse_rows_lifts_committees_and_rules_without_scores():
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] ** 2 + X[:, 1] > 0.5).astype(int) + (X[:, 2] > 1)
    for model, rows in (
        (linsep.MaximumMargin(C=1.0), sp.csr_matrix(X)),
        (linsep.Lifted(linsep.Polynomial(2), linsep.MaximumMargin(C=1.0)), X),
        (linsep.OneVsAll(linsep.Perceptron(max_iter=5)), X),
        (linsep.OneVsOne(linsep.Perceptron(max_iter=5)), X),
        (linsep.NearestMean(), X),
    ):
        found = linsep.report(model.fit(rows, y), rows, y, refits=1)
        assert found.facts["errors"]["errors"] == int((model.predict(rows) != y).sum())
        assert "<h1>" in found.html() and "# Can" in found.markdown() and json.loads(found.json())
    lifted = linsep.Lifted(linsep.Polynomial(2), linsep.MaximumMargin(C=1.0)).fit(X[:, :1], y > 0)
    facts = linsep.report(lifted, X[:, :1], y > 0, refits=0).facts
    assert "x1²" in facts["formula"][0] and facts["question"].startswith("Can a rule that is linear in lifted ")


def test_a_data_frame_is_shown_by_its_own_cells():
    frame, y = load_iris(as_frame=True, return_X_y=True)
    frame, y = frame[50:].set_axis(range(7, 107)), y[50:].to_numpy()
    model = linsep.MaximumMargin(C=1.0).fit(frame, y)
    facts = linsep.report(model, frame, y, refits=1).facts
    assert facts["weights"]["features"][0]["feature"].endswith("(cm)")
    for each in facts["violators"]["rows"]:
        assert list(each["cells"].values()) == frame.iloc[each["row"] - 1].tolist()


def test_rows_of_weight_zero_are_not_counted():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 0])
    weight = np.array([1.0, 1.0, 1.0, 0.0])
    found = linsep.report(linsep.MaximumMargin().fit(X, y, weight), X, y, weight, refits=1)
    assert found.facts["errors"]["rows"] == 3 and found.facts["errors"]["errors"] == 0
    assert found.facts["certificate"]["check"]["holds"]
