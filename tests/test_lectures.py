"""docs/lectures.md has a row for every slide, and its code runs; docs/pictures.md has every function of plot."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

from linsep import plot

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "lectures.md").read_text(encoding="utf-8")
TEXTS = sorted((ROOT.parent / "shared" / "seeds").glob("*.txt"))
SLIDES = {"S0": 45, "S1": 42, "S2": 22, "S3": 41, "S4": 44}
ROW = re.compile(r"^\| (\d+)(?:–(\d+))? \| (.+?) \| (.+) \|$", re.M)


def rows(lecture):
    """First and last slide, title and code of every row of a lecture."""
    section = PAGE.partition(f"\n### {lecture}: ")[2].partition("\n#")[0]
    return [(int(first), int(last or first), title, code) for first, last, title, code in ROW.findall(section)]


@pytest.fixture(scope="module")
def names():
    """What the page defines before its tables."""
    (block,) = re.findall(r"^```python\n(.*?)^```\n", PAGE.partition("## Slide by slide")[2], re.M | re.S)
    defined = {"__name__": "page"}
    exec(compile(block, "lectures.md", "exec"), defined)
    return defined


@pytest.mark.parametrize("lecture", SLIDES)
def test_every_slide_has_its_row(lecture):
    covered = [slide for first, last, _, _ in rows(lecture) for slide in range(first, last + 1)]
    assert covered == list(range(1, SLIDES[lecture] + 1))


@pytest.mark.parametrize("lecture", SLIDES)
def test_a_row_has_code_or_says_why_not(lecture):
    for first, _, _, code in rows(lecture):
        assert bool(re.match(r"none: \w+", code)) != ("`" in code), f"{lecture} {first}"
        linked = re.search(r"\]\(\.\./src/linsep/[\w/]+\.py\)$", code)
        assert linked or code.startswith("none: "), f"{lecture} {first}: expected a link to the file that does it"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lecture", SLIDES)
def test_the_code_of_every_slide_runs(lecture, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for first, _, title, cell in rows(lecture):
        for code in re.findall(r"`([^`]+)`", cell):
            value = eval(compile(code, f"{lecture} {first}: {title}", "eval"), names)
            assert value is not None, f"{lecture} {first}: {code}"
            assert not isinstance(value, bool | np.bool_) or value, f"{lecture} {first}: {code} is not true"
        pyplot.close("all")


@pytest.mark.skipif(not TEXTS, reason="the texts of the lectures are not here")
@pytest.mark.parametrize("lecture", SLIDES)
def test_titles_are_those_of_the_lecture_in_its_order(lecture):
    def letters(words):
        return re.sub(r"[^a-z0-9]", "", words.lower())

    text, at = letters(TEXTS[int(lecture[1])].read_text(encoding="utf-8")), 0
    for first, _, title, _ in rows(lecture):
        found = text.find(letters(title), at)
        assert found >= at, f"{lecture} {first}: {title!r} is not in the text after the slide before"
        at = found


def test_every_function_of_plot_is_on_the_page_of_pictures():
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `plot\.(\w+)` \|", page, re.M) == sorted(plot.__all__)
