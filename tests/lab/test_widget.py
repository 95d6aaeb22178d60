"""The live lab in notebooks: what the widget answers, and that it says so where it can't be live."""

import builtins
import json

import pytest

from linsep import Perceptron
from linsep.lab import PRESETS, Exercise, Recording, record, show
from linsep.lab.rules import make_rule
from linsep.lab.show import MISSING, Frame

S1, GAUSSIANS, WORDS = (PRESETS[name] for name in ("S1, nine points", "Gaussians to drag", "short words"))


@pytest.fixture
def without_anywidget(monkeypatch):
    importing = builtins.__import__

    def refuse(name, *rest, **more):
        if name == "anywidget" or (name == "widget" and rest and rest[-1] == 1):
            raise ImportError(name)
        return importing(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_anywidget_the_page_says_that_it_is_not_live(without_anywidget):
    recording = record("perceptron", **S1)
    found = show(recording)
    assert isinstance(found, Frame) and "pip install &#x27;linsep[notebook]&#x27;" in found._repr_html_()
    assert MISSING not in show(recording, live=False)._repr_html_()
    with pytest.raises(ImportError, match=r"expected anywidget: pip install 'linsep\[notebook\]'"):
        show(recording, live=True)


def test_exercises_are_not_live():
    exercise = Exercise([record("perceptron", **S1)], ["separable"])
    assert isinstance(show(exercise), Frame)
    with pytest.raises(TypeError, match="live: expected a Recording, got Exercise"):
        show(exercise, live=True)


def asked(widget, **changed):
    """What the widget sends back to the page."""
    sent = []
    widget.send = sent.append
    widget._handle_custom_msg({"id": 0.5, "asked": {**S1, "rules": [{"rule": "perceptron"}], **changed}}, [])
    assert [each["id"] for each in sent] == [0.5]
    return json.loads(sent[0]["answer"])


def test_points_that_are_dragged_are_recorded_anew():
    pytest.importorskip("anywidget", reason="no anywidget here: pip install anywidget")
    widget = show(record("perceptron", **S1), height=500)
    assert widget.height == 500 and "S1, nine points" in widget.page
    assert [each.w.tolist() for each in widget.recordings] == [record("perceptron", **S1).w.tolist()]
    seen = []
    widget.observe(lambda change: seen.append(change.new), "recordings")
    X = [*S1["X"][:5], [4.0, 2.0], *S1["X"][6:]]
    found = asked(widget, X=X)
    expected = record("perceptron", X, S1["y"])
    assert Recording(found["recordings"][0]).w.tobytes() == expected.w.tobytes()
    assert found["codes"] == [expected.code()]
    assert len(seen) == 1 and widget.recordings[0].w.tobytes() == expected.w.tobytes()


def test_a_rule_of_ones_own_stays_itself_and_its_budget_too():
    pytest.importorskip("anywidget", reason="no anywidget here: pip install anywidget")
    rule = Perceptron(margin=2.0, keep="last", scaling=None)
    widget = show(record(rule, **S1, max_updates=7), record("relaxation", **S1))
    names = list(widget._own)
    assert names == ["Perceptron(keep='last', margin=2.0, scaling=None)", "relaxation"]
    found = asked(widget, rules=[{"rule": names[0]}, {"rule": "relaxation", "options": {"rate": 1.1}}])
    own, other = found["recordings"]
    assert own["rule"]["parameters"] == {"keep": "last", "margin": 2.0, "scaling": None}
    assert len(own["updates"]["w"]) == len(record(rule, **S1, max_updates=7)) and own["max_updates"] == 7
    assert other["updates"]["w"] == record(make_rule("relaxation", rate=1.1), **S1).content["updates"]["w"]


def test_gaussians_and_words_are_live_too():
    pytest.importorskip("anywidget", reason="no anywidget here: pip install anywidget")
    for name, data in (("anderson by directions", GAUSSIANS), ("structured perceptron", WORDS)):
        recording = record(name, **data)
        found = asked(show(recording), **data, rules=[{"rule": name}])
        assert found["recordings"][0]["updates"]["w"] == recording.content["updates"]["w"]


def test_forged_messages_get_one_sentence():
    pytest.importorskip("anywidget", reason="no anywidget here: pip install anywidget")
    widget = show(record("perceptron", **S1))
    before = widget.recordings
    assert "rule: expected one of" in asked(widget, rules=[{"rule": "os.system"}])["error"]
    assert "one class only" in asked(widget, y=[1] * 9)["error"]
    assert "up to 2000 points" in asked(widget, X=[[0, 0]] * 2001, y=[0] * 2001)["error"]
    for message in (None, [], "asked", {"id": 1}):
        widget._handle_custom_msg(message, [])
    assert widget.recordings == before
