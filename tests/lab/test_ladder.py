"""Structural risk in the lab: the bounds of the sliders are those of `linsep.risk.vc_bound`."""

import copy
import json

import numpy as np
import pytest

from linsep.lab import PRESETS, RiskLadder, record_risk
from linsep.lab.ladder import make_ladder
from linsep.risk import vc_bound

X = np.random.default_rng(0).uniform(-1, 1, (120, 2)).round(3)
Y = (np.hypot(*X.T) < 0.7).astype(int)


@pytest.fixture(scope="module")
def recording():
    return record_risk(make_ladder(3), X, Y, title="circle")


def test_every_bound_is_that_of_python_and_the_choice_is_the_smallest(recording):
    content = json.loads(recording.to_json())
    assert [rung["h"] for rung in content["rungs"]] == [3.0, 6.0, 10.0]
    for i, N in enumerate(content["N"]):
        for j, eta in enumerate(content["eta"]):
            bounds = [vc_bound(rung["empirical"], rung["h"], N, eta / 3).value for rung in content["rungs"]]
            assert [float(table[i][j]) for table in content["bound"]] == bounds
            assert content["best"][i][j] == int(np.argmin(np.round(bounds, 12)))
    assert all(RiskLadder(content).check())


def test_the_drawn_decisions_are_those_of_the_rungs(recording):
    rung, (columns, rows), box = recording.content["rungs"][1], recording.content["grid"], recording.content["box"]
    inside = np.array([int(k) for k in rung["decided"]]).reshape(rows, columns)
    x = box[0] + (box[1] - box[0]) * (np.arange(columns) + 0.5) / columns
    y = box[2] + (box[3] - box[2]) * (np.arange(rows) + 0.5) / rows
    far = np.hypot(x[None, :], y[:, None])
    assert inside[far < 0.5].all() and not inside[far > 0.9].any()  # the circle has radius 0.7


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda c: c.pop("bound"), "expected the fields bound"),
        (lambda c: c["rungs"][0].update(decided="2"), "decisions of a grid"),
        (lambda c: c["rungs"][0]["classifier"].update(name="os.system"), "name of an estimator"),
        (lambda c: c["bound"][0][0].pop(), "bound: expected"),
        (lambda c: c["best"][0].__setitem__(0, 99), "best: expected"),
        (lambda c: c.update(version=9), "version 1"),
    ],
)
def test_forged_ladders_are_refused(recording, forge, said):
    content = copy.deepcopy(recording.content)
    forge(content)
    with pytest.raises(ValueError, match=said):
        RiskLadder(content)


def test_a_forged_bound_does_not_pass_the_check(recording):
    content = copy.deepcopy(recording.content)
    content["bound"][0][3][2] *= 0.5
    assert not all(RiskLadder(content).check())


def test_more_columns_or_classes_get_one_sentence():
    with pytest.raises(ValueError, match="two columns and two classes"):
        record_risk(make_ladder(2), **PRESETS["three classes"])
