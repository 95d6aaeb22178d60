"""The stand-alone page: one file, offline, small, and no data that could become code."""

import base64
import hashlib
import json
import re

import pytest

from linsep.lab import PRESETS, Exercise, record, show
from linsep.lab.page import FRONT, MODULES, embed, script

S1 = PRESETS["S1, nine points"]


def content_of(page):
    inside = re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.S)[1]
    return json.loads(inside)


def test_the_page_holds_the_recording_and_only_its_own_script(tmp_path):
    recording = record("perceptron", **S1)
    page = recording.to_html(tmp_path / "exercise.html")
    assert (tmp_path / "exercise.html").read_text(encoding="utf-8") == page
    assert content_of(page) == {"recordings": [recording.content], "codes": [recording.code()]}
    allowed = re.search(r"script-src 'sha256-([^']+)'", page)[1]
    run = re.search(r'<script type="module">(.*?)</script>', page, re.S)[1]
    assert base64.b64encode(hashlib.sha256(run.encode()).digest()).decode() == allowed
    assert "default-src 'none'" in page and "connect-src 'none'" in page


def test_the_front_end_is_small_and_asks_nobody():
    files = sorted(FRONT.iterdir())
    assert {file.stem for file in files if file.suffix == ".js"} == set(MODULES)
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        addresses = set(re.findall(r"https?://[^\s\"'`]+", file.read_text(encoding="utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg"}, file.name


def test_data_are_never_html_or_code():
    for file in FRONT.glob("*.js"):
        code = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", code), (
            file.name
        )


def test_modules_use_earlier_ones_only_and_share_no_name():
    owner = {}
    for place, name in enumerate(MODULES):
        code = (FRONT / f"{name}.js").read_text(encoding="utf-8")
        for used in re.findall(r'from "\./(\w+)\.js"', code):
            assert MODULES.index(used) < place, f"{name} imports {used}"
        for found in re.findall(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", code, re.M):
            assert found not in owner, f"{found}: {owner.get(found)} and {name}"
            owner[found] = name
    assert not re.search(r"^(import|export)\b", script(), re.M)


def test_words_exist_in_both_languages():
    code = (FRONT / "text.js").read_text(encoding="utf-8")
    english, czech = (re.search(rf"^  {name}: {{(.*?)^  }},", code, re.M | re.S)[1] for name in ("en", "cs"))
    keys = [set(re.findall(r'(?:^\s+|, )"?(\w[\w -]*?)"?: "', part, re.M)) for part in (english, czech)]
    assert keys[0] == keys[1] and len(keys[0]) > 80
    used = set()
    for file in FRONT.glob("*.js"):
        used |= set(re.findall(r'\bt\("(\w+)"', file.read_text(encoding="utf-8")))
    assert used <= keys[0]


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028"


def test_hostile_words_cannot_leave_their_place():
    recording = record("perceptron", S1["X"], [HOSTILE] * 5 + ["b"] * 4, columns=[HOSTILE, "x"], title=HOSTILE)
    page = recording.to_html()
    assert "<img" not in page and page.count("</script>") == 2
    assert sorted(content_of(page)["recordings"][0]["data"]["classes"]) == sorted([HOSTILE, "b"])
    frame = show(recording, live=False)._repr_html_()
    assert frame.count("<") == 2 and 'sandbox="allow-scripts allow-downloads"' in frame
    assert "<" not in embed(HOSTILE)


def test_two_rules_beside_each_other_have_the_same_data():
    one, two = record("perceptron", **S1), record("relaxation", **S1)
    assert len(content_of(one.to_html(beside=two))["recordings"]) == 2
    with pytest.raises(ValueError, match="same data"):
        one.to_html(beside=record("perceptron", **PRESETS["XOR"]))


# --- exercises -------------------------------------------------------------------------------------------------------


def test_an_exercise_is_read_back_and_played(tmp_path):
    questions = ["separable", {"kind": "next update", "after": 1, "text": "Who is next?"}, "separate by hand"]
    exercise = Exercise([record("perceptron", **S1), record("kozinec", **S1)], questions, title="S1")
    exercise.save(tmp_path / "s1.json")
    again = Exercise.load(tmp_path / "s1.json")
    assert again.content == exercise.content
    assert content_of(again.to_html(tmp_path / "s1.html"))["exercise"] == exercise.content


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "expected one or more"),
        (["why"], "expected one of next update"),
        ([{"kind": "next update", "after": 3}], "from 0 to 2"),
        ([{"kind": "separable", "answer": 1}], "expected kind, text and after"),
    ],
)
def test_bad_questions_get_one_sentence(questions, said):
    with pytest.raises(ValueError, match=said):
        Exercise([record("perceptron", **S1)], questions)


def test_nobody_is_asked_what_the_rule_does_not_decide():
    with pytest.raises(ValueError, match="needs a rule that decides it"):
        Exercise([record("soft margin", **S1)], ["separable"])


def test_forged_exercises_are_refused(tmp_path):
    file = tmp_path / "forged.json"
    for said in ["{", "[]", '{"format": "linsep exercise", "version": 1}', "[" * 100_000]:
        file.write_text(said)
        with pytest.raises(ValueError, match="exercise: expected"):
            Exercise.load(file)
