"""README and docs show what Python prints: code runs by itself, and its output is compared with the page.

- A ``python`` block directly followed by a ``text`` block prints exactly that text; one without prints nothing.
- A ``text`` block in a paragraph after `python examples/NAME.py` shows lines that the example prints, in their order.

``LINSEP_WRITE_PAGES=1 script/test tests/test_examples.py`` writes what is printed into the pages; read the diff.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^```python\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.M | re.S)
SHOWN = re.compile(r"`python (examples/\w+\.py)`[^`]*\n\n```text\n(.*?)^```\n", re.M | re.S)
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*.py"))
QUICK = {"examples/worked_example.py"}


def read(page):
    return page.read_text(encoding="utf-8")


BLOCKS = [
    pytest.param(page, found, id=f"{page.name}-{k}")
    for page in PAGES
    for k, found in enumerate(CODE.finditer(read(page)))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_code_on_the_pages_prints_what_they_show(page, block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block[1], f"{page.name}", "exec"), {"__name__": "page"})
    pyplot.close("all")
    printed = capsys.readouterr().out
    if os.environ.get("LINSEP_WRITE_PAGES"):
        text = f"\n```text\n{printed}```\n" if printed else ""
        page.write_text(read(page).replace(block[0], f"```python\n{block[1]}```\n{text}"), encoding="utf-8")
    else:
        assert printed == (block[2] or "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_output_on_the_pages_is_compared(page):
    compared = sum(bool(block[2]) for block in CODE.finditer(read(page))) + len(SHOWN.findall(read(page)))
    assert read(page).count("\n```text\n") == compared
    assert "# prints" not in read(page)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "example", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in EXAMPLES]
)
def test_examples_draw_their_picture_and_print_what_the_pages_show(example, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [example, str(tmp_path)])
    runpy.run_path(str(ROOT / example), run_name="__main__")
    pyplot.close("all")
    printed = capsys.readouterr().out
    assert any(file.stat().st_size > 10_000 for file in tmp_path.iterdir())
    for page in PAGES:
        for name, text in SHOWN.findall(read(page)):
            assert name != example or text in printed, f"{page.name} shows what {example} does not print"


def test_names_are_read_better_as_words_than_letter_by_letter(tmp_path, capsys):
    runpy.run_path(str(ROOT / "examples" / "names.py"))["main"](str(tmp_path), 200)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("noise")]
    rates = [[float(word.rstrip("%")) for word in line.split() if word.endswith("%")] for line in lines]
    assert len(rates) == 5
    assert sum(alone for alone, _ in rates) > 1.2 * sum(words for _, words in rates)


@pytest.mark.long
def test_letters_under_noise_are_read_better_as_a_network(tmp_path, capsys):
    runpy.run_path(str(ROOT / "examples" / "denoise.py"))["main"](str(tmp_path))
    printed = capsys.readouterr().out
    alone, network = (float(part) for part in re.findall(r"([0-9.]+)% right", printed))
    assert network > alone + 15.0
    assert "optimal" in printed
