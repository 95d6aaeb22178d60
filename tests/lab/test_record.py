"""Recordings: every number is what `trace` yields, bit for bit, and what the certificate of `fit` says."""

import itertools
import json
import math

import golden
import numpy as np
import pytest
from loop_cases import floats
from sklearn.base import clone

from linsep import (
    Functions,
    Kozinec,
    LeastSquares,
    Lifted,
    LinearMachine,
    OneVsAll,
    Perceptron,
    Quadratic,
    Relaxation,
    trace,
)
from linsep.lab import PRESETS, RULES, Recording, record
from linsep.lab.rules import make_rule

S1, XOR, THREE = (PRESETS[name] for name in ("S1, nine points", "XOR", "three classes"))


GAUSSIANS, WORDS = PRESETS["Gaussians to drag"], PRESETS["short words"]


def read_back(recording):
    return Recording.from_json(recording.to_json())


def test_the_worked_example_by_hand():
    recording = read_back(record("perceptron", **S1))
    assert recording.content["updates"]["row"] == golden.ROWS
    assert recording.w.reshape(3, 3).tolist() == golden.PATH
    steps = [recording.step(k) for k in (1, 2, 3)]
    assert [step["wa"] for step in steps] == [0.0, -6.25, -1.0]
    assert [step["a"] for step in steps] == [[-0.5, -3.0, -1.0], [4.5, 1.0, 1.0], [-1.5, -2.5, -1.0]]
    assert [step["before"] for step in steps] == [[0.0, 0.0, 0.0], *golden.PATH[:2]]
    assert [step["errors"] for step in steps] == [4.0, 1.0, 0.0]
    assert recording.content["answer"] == golden.W and recording.content["complete"]
    assert "3 updates made" in recording.content["certificates"][0]["sentence"]


def test_the_lifting_example_of_s0():
    recording = record("lifting to x^2 - 1", **PRESETS["S0, lifting"])
    assert recording.w[-1][0] == pytest.approx([-1.5, 3.12, 3.0])  # S0 (32)
    assert recording.content["lift"]["functions"][1] == [[1.0, [2]], [-1.0, [0]]]
    assert recording.content["lift"]["Z"][0] == pytest.approx([-0.9, 0.81 - 1])


FOLLOWED = {
    "single": (Perceptron(keep="last", scaling=None), (golden.X, golden.Y)),
    "batch": (Perceptron(keep="last", batch=True, rate="1/k"), floats(1, apart=0.3)),
    "relaxation": (Relaxation(keep="last"), floats(1, apart=0.3)),
    "kozinec": (Kozinec(tol=1e-3, keep="last"), floats(1, apart=1.5)),
    "augmented": (Kozinec(tol=1e-2, bias="augmented", keep="last"), floats(1, apart=1.5)),
    "machine": (LinearMachine(keep="last", max_iter=50), (np.array(THREE["X"]), THREE["y"])),
    "lms": (LeastSquares("lms"), floats(1, apart=1.0)),
    "ho-kashyap": (LeastSquares("ho-kashyap"), floats(1, apart=0.2)),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_every_w_is_that_of_trace_bit_for_bit(name):
    estimator, (X, y) = FOLLOWED[name]
    recording = read_back(record(estimator, X, y, max_updates=120))
    steps = list(trace(estimator, X, y, max_updates=len(recording), bounds=True))
    assert len(steps) == len(recording) > 0
    before = np.ravel(steps[0].before)
    for k, step in enumerate(steps, start=1):
        found = recording.step(k)
        assert np.array(found["before"]).tobytes() == before.tobytes()
        before = np.ravel(step.w)
        assert np.array(found["w"]).tobytes() == before.tobytes()
        assert np.array(found["a"]).tobytes() == np.ravel(step.a).tobytes()
        for number in ("wa", "goal", "alpha", "beta", "errors", "lower", "upper", "value"):
            expected = getattr(step, number)
            if number in found and found[number] is not None:
                assert float(found[number]) == expected or math.isclose(float(found[number]), expected, rel_tol=0)
            else:
                assert math.isnan(expected)


def data_of(name):
    """Data of the lectures that a rule of the catalogue takes."""
    if RULES[name].data != "points":
        return {"gaussians": GAUSSIANS, "words": WORDS}[RULES[name].data]
    if name == "ho-kashyap":  # on the others the first pseudo-inverse separates
        return PRESETS["a tiny margin"]
    return THREE if RULES[name].many and "margin" not in name else PRESETS["S0, lifting"] if "x^2" in name else S1


def traced(name, recording):
    """What `trace` says of each w, a and <w,a> of a recording, asked without the lab."""
    rule, data, most = make_rule(name), data_of(name), len(recording)
    if RULES[name].data == "gaussians":
        return list(rule.fit_gaussians(data["X"], data["covariances"], data["y"])._gaussian_updates(most))
    X, y = (recording.content["lift"]["Z"] if "lift" in recording.content else data["X"]), np.array(data["y"], object)
    rule = getattr(rule, "classifier", rule)
    if "sides" not in recording.content["decides"]:
        return list(trace(rule, X, data["y"], max_updates=most, bounds=True))
    found, members = [], np.array(recording.content["updates"]["member"])
    classes = recording.content["data"]["classes"]
    for k, (low, high) in enumerate(recording.content["decides"]["sides"]):
        rows = [i for i, label in enumerate(y) if low < 0 or label in (classes[low], classes[high])]
        sides = [int(y[i] == classes[high]) for i in rows]
        made = int((members == k).sum())
        found += list(trace(rule.estimator, [X[i] for i in rows], sides, max_updates=max(made, 1), bounds=True))[:made]
    return found


@pytest.mark.parametrize("name", RULES)
def test_every_w_of_every_rule_is_that_of_trace_bit_for_bit(name):
    recording = read_back(record(name, **data_of(name), max_updates=300))
    steps, updates = traced(name, recording), recording.content["updates"]
    assert len(steps) == len(recording) > 0
    for k, step in enumerate(steps):
        w = recording.w[k]
        own = w[updates["member"][k]] if "member" in updates else w
        assert own.tobytes() == np.asarray(step.w, dtype=np.float64).tobytes()
        before = np.ravel(recording.step(k + 1)["before"]).reshape(w.shape)
        own = before[updates["member"][k]] if "member" in updates else before
        assert own.tobytes() == np.asarray(step.before, dtype=np.float64).tobytes()
        assert np.array(updates["a"][k]).tobytes() == np.ravel(step.a).tobytes()
        for number in set(updates) & {"wa", "goal", "alpha", "beta"}:
            np.testing.assert_array_equal(float_of(updates[number][k]), getattr(step, number))


def float_of(written):
    return math.nan if written is None else float(written)


@pytest.mark.parametrize("name", RULES)
def test_every_rule_is_recorded_proved_and_made_again_by_its_code(name, capsys):
    recording = read_back(record(name, **data_of(name), max_updates=300))
    assert all(recording.check()), recording.check()
    exec(compile(recording.code(), "exported", "exec"), made := {"__name__": "exported"})
    assert made["recording"].w.tobytes() == recording.w.tobytes()
    sentences = [each["sentence"] for each in recording.content["certificates"]]
    assert capsys.readouterr().out.splitlines()[-len(sentences) :] == sentences
    lines = recording.to_csv().splitlines()
    assert len(lines) == len(recording) + 1 and len(set(map(lambda line: line.count(","), lines))) == 1


def test_kozinecs_points_are_in_the_hulls_and_w_is_half_their_difference():
    recording = record(Kozinec(tol=1e-6, keep="last"), **S1)
    for points, w in zip(recording.content["updates"]["points"], recording.w, strict=True):
        np.testing.assert_allclose((np.array(points[1]) - points[0]) / 2, w[0, :2], atol=1e-12)
    assert points == [[1.5, 2.5], [4.5, 1.0]]  # by hand: the nearest pair of S1's two hulls
    certificate = recording.content["certificates"][0]
    assert certificate["lower"] == pytest.approx(np.hypot(3, 1.5) / 2) and not certificate["meet"]


def test_ellipses_touch_the_line_and_their_radii_are_the_formulas():
    recording = record("kozinec on ellipsoids", **GAUSSIANS)
    means, labels = np.array(GAUSSIANS["X"]), np.array(GAUSSIANS["y"])
    assert len(recording) > 2
    for k in range(1, len(recording) + 1):
        step = recording.step(k)
        w, w0 = np.array(step["w"][:2]), step["w"][2]
        for j, covariance in enumerate(np.array(GAUSSIANS["covariances"])):
            side = 1 if labels[j] == 2 else -1
            r = side * (w @ means[j] + w0) / np.sqrt(w @ covariance @ w)
            assert step["radii"][j] == pytest.approx(r, rel=1e-9)
            touch = np.array(step["touching"][j])
            assert w @ touch + w0 == pytest.approx(0.0, abs=1e-9 * np.linalg.norm(w) * 10)
            away = touch - means[j]
            assert np.sqrt(away @ np.linalg.inv(covariance) @ away) == pytest.approx(abs(r), rel=1e-9)
    assert step["lower"] == min(step["radii"]) > 2.5758  # the quantile of 0.005


def test_gaussians_estimated_from_rows_are_checked_again():
    recording = read_back(record("anderson by directions", **PRESETS["two Gaussians"]))
    assert len(recording.content["gaussians"]["means"]) == 2 and len(recording.X) == 40 and all(recording.check())
    content = json.loads(recording.to_json())
    content["gaussians"]["means"][0][0] += 0.5
    assert not all(Recording(content).check())


def test_words_are_traced_with_the_score_of_the_best_labelling_through_every_node():
    recording = record("structured perceptron", **WORDS)
    content, names = recording.content, recording.content["names"]
    assert [each["w"] for each in map(recording.step, range(1, len(recording) + 1))] == [
        update.w.tolist() for update in trace(make_rule("structured perceptron"), WORDS["X"], WORDS["y"])
    ]
    step = recording.step(2)
    word, classes, w = (
        WORDS["X"][step["row"]],
        content["data"]["classes"],
        dict(zip(names, step["before"], strict=True)),
    )

    def score(path):
        found = w[f"⊢ {path[0]}"] + sum(w[f"{x}, {k}"] for x, k in zip(word, path, strict=True))
        return found + sum(w[f"{j} → {k}"] for j, k in itertools.pairwise(path))

    for t in range(len(word)):  # by brute force
        for k, label in enumerate(classes):
            paths = [path for path in itertools.product(classes, repeat=len(word)) if path[t] == label]
            assert step["through"][t][k] == max(map(score, paths))
    assert score([classes[k] for k in step["rival"]]) == max(map(score, itertools.product(classes, repeat=len(word))))


FORGED_KINDS = [
    (GAUSSIANS, "kozinec on ellipsoids", lambda c: c["gaussians"]["means"][0].append(1.0), "means"),
    (GAUSSIANS, "kozinec on ellipsoids", lambda c: c["gaussians"].pop("factors"), "gaussians: expected"),
    (GAUSSIANS, "kozinec on ellipsoids", lambda c: c["updates"]["touching"][0].pop(), "touching"),
    (WORDS, "structured perceptron", lambda c: c["data"]["X"][0].append("<b>"), "one number of a label"),
    (WORDS, "structured perceptron", lambda c: c["updates"]["rival"][0].pop(), "one number of a label"),
    (WORDS, "structured perceptron", lambda c: c["updates"].pop("through"), "rival, through"),
    (WORDS, "structured perceptron", lambda c: c.update(names=[1]), "names: expected"),
]


@pytest.mark.parametrize(("data", "rule", "forge", "said"), FORGED_KINDS)
def test_forged_gaussians_and_words_are_refused(data, rule, forge, said):
    content = json.loads(record(rule, **data).to_json())
    forge(content)
    with pytest.raises(ValueError, match=said):
        Recording(content)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"X": ["abc"], "y": [["a", "b"]]}, "each with a label"),
        ({"X": ["abc" * 5], "y": [["a", "b", "a"] * 5]}, "1 to 12 positions"),
        ({"X": ["ab"], "y": [[1, 2]]}, "lists of words as labels"),
        ({"X": ["ab"], "y": [["a", "a"]]}, "2 to 12 labels"),
    ],
)
def test_bad_words_get_one_sentence(data, said):
    with pytest.raises(ValueError, match=said):
        record("structured perceptron", **data)


def test_bad_gaussians_get_one_sentence():
    with pytest.raises(ValueError, match="Gaussians of two columns, got 1"):
        record("anderson", [[0.0], [1.0]], [0, 1], covariances=[1.0, 1.0])
    with pytest.raises(ValueError, match="covariances: expected None, or Anderson"):
        record("perceptron", **GAUSSIANS)


def test_xor_is_refuted_by_the_point_that_both_hulls_share():
    certificate = record("kozinec", **XOR).content["certificates"][0]
    assert certificate["status"] == "not separable" and certificate["meet"]
    assert certificate["proof_points"] == pytest.approx(np.full((2, 2), 0.5))
    assert sorted(certificate["proof_rows"]) == [0, 1, 2, 3]


def test_endless_rules_stop_at_their_budget_and_say_so():
    recording = record("perceptron", [[0.0], [1.0], [2.0]], [0, 1, 0], max_updates=50)
    assert len(recording) == 50
    slow = record(Perceptron(keep="last", scaling=None, margin=1e6), **S1, max_updates=40)
    assert not slow.content["complete"] and "budget" in slow.content["certificates"][0]["sentence"]


def test_committees_are_recorded_member_by_member():
    recording = record(OneVsAll(Perceptron(keep="last", scaling=None)), **THREE)
    members = recording.content["updates"]["member"]
    assert sorted(set(members)) == [0, 1, 2] and members == sorted(members)
    assert recording.content["shape"] == [3, 3] and len(recording.certificates) == 3
    for k in range(3):
        y = (np.array(THREE["y"]) == k + 1).astype(int)
        *_, last = trace(Perceptron(scaling=None), THREE["X"], y)
        assert recording.w[np.flatnonzero(np.array(members) == k)[-1], k].tolist() == last.w.tolist()


def test_a_machine_of_two_classes_has_two_rows():
    recording = record("linear machine", **S1)
    assert recording.content["decides"]["kind"] == "machine" and recording.content["shape"] == [2, 3]
    assert recording.content["answer"] == recording.content["updates"]["w"][-1] and all(recording.check())


@pytest.mark.long
def test_a_long_recording_is_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = (X @ [1, 2] + 0.3 + 0.5 * rng.normal(size=2000) > 0).astype(int)
    recording = record("perceptron", X, y, max_updates=10_000)
    assert len(recording) == 10_000 and len(recording.to_json()) < 5_000_000


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[0.0, math.nan], [1.0, 2.0]], [0, 1], "NaN"),
        ([[0.0], [1.0]], [1, 1], "one class only"),
        ([["a"], ["b"]], [0, 1], "could not convert"),
        (np.zeros((5001, 2)), np.arange(5001) % 2, "up to 5000 rows"),
        ([[0.0], [1.0]], [0.5, 1.5], "whole numbers or words"),
        ([[0.0], [1.0]], [0, 1, 1], "inconsistent"),
        ([], [], "Expected 2D array"),
        (np.zeros((11, 1)), np.arange(11), "up to 10 classes, got 11"),
    ],
)
def test_bad_data_get_one_sentence(X, y, said):
    with pytest.raises(ValueError, match=said):
        record("perceptron", X, y)


def test_lifts_of_many_columns_are_refused_and_those_of_a_hundred_are_recorded():
    X, y = np.random.default_rng(0).normal(size=(9, 13)), np.arange(9) % 2
    with pytest.raises(ValueError, match="up to 100 lifted columns, got 104"):
        record(Lifted(Quadratic(), Perceptron()), X, y)
    with pytest.raises(ValueError, match="up to 100 lifted columns, got 101"):
        record(Lifted(Functions(["x1^2"] * 88), Perceptron()), X, y)
    assert len(record("lifting", X[:, :12], y).content["lift"]["functions"]) == 90


def test_bad_rules_and_budgets_get_one_sentence():
    with pytest.raises(ValueError, match=r"rule: expected one of perceptron, .*, got 'perzeptron'"):
        record("perzeptron", **S1)
    with pytest.raises(TypeError, match="rate: a recording holds numbers"):
        record(Perceptron(rate=lambda k: 1 / k), **S1)
    with pytest.raises(TypeError, match="rule: expected an estimator of linsep"):
        record(clone(__import__("sklearn.linear_model").linear_model.Perceptron()), **S1)
    with pytest.raises(ValueError, match="max_updates: expected a whole number from 1 to"):
        record("perceptron", **S1, max_updates=10**9)
    with pytest.raises(ValueError, match="tol: expected a number from"):
        make_rule("eps-kozinec", tol=5.0)


# --- forged recordings -----------------------------------------------------------------------------------------------

FORGERIES = [
    (lambda c: c.update(version=2), "expected version 1"),
    (lambda c: c.pop("updates"), "expected the fields updates"),
    (lambda c: c["rule"].update(name="__import__('os').system"), "name of an estimator of linsep"),
    (lambda c: c["rule"]["parameters"].update({"x): import os #": 1}), "name of a parameter"),
    (lambda c: c["rule"]["parameters"].update(rate={"evil": 1}), "a name and parameters"),
    (lambda c: c["data"]["X"][0].append(1.0), "X: expected a list of 2 numbers"),
    (lambda c: c["data"]["X"][0].__setitem__(0, "<b>"), "X: expected numbers"),
    (lambda c: c["data"]["y"].__setitem__(0, 7), "numbers of classes"),
    (lambda c: c["data"].update(classes=[{"a": 1}, 2]), "two labels or more"),
    (lambda c: c["updates"]["w"][0].pop(), "w: expected a list of 3 numbers"),
    (lambda c: c["updates"]["row"].__setitem__(0, 10**6), "numbers of rows"),
    (lambda c: c["updates"]["wa"].__setitem__(0, "<img>"), "wa: expected numbers"),
    (lambda c: c["updates"].update(upper=[1.0]), "upper: expected 3 entries"),
    (lambda c: c["answer"].__setitem__(0, 10**400), "answer: expected numbers"),
    (lambda c: c["certificates"][0].update(sentence=5), "status and a sentence"),
    (lambda c: c.update(shape=[1, 10**9]), "shape: expected"),
]


@pytest.mark.parametrize(("forge", "said"), FORGERIES, ids=[said for _, said in FORGERIES])
def test_forged_recordings_are_refused(forge, said):
    content = json.loads(record("perceptron", **S1).to_json())
    forge(content)
    with pytest.raises(ValueError, match=said):
        Recording.from_json(json.dumps(content))


def test_a_forged_certificate_does_not_pass_the_check():
    content = json.loads(record("kozinec", **XOR).to_json())
    content["certificates"][0]["weights"][0] *= 2
    assert not all(Recording(content).check())
    content["certificates"][0]["weights"] = "none"
    with pytest.raises(ValueError):
        Recording(content).check()


@pytest.mark.parametrize("said", ["", "[]", "{", '{"format": "linsep recording"}', "NaN", "[" * 100_000])
def test_what_is_no_recording_is_refused(said):
    with pytest.raises(ValueError, match="recording: expected"):
        Recording.from_json(said)


def test_files(tmp_path):
    recording = record("perceptron", **S1)
    recording.save(tmp_path / "s1.json")
    assert Recording.load(tmp_path / "s1.json").content == recording.content
