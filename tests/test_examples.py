"""Examples run and draw their pictures, and so does every piece of Python in README and docs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PIECES = [
    pytest.param(piece, id=f"{page.name}-{k}")
    for page in PAGES
    for k, piece in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("piece", PIECES)
def test_what_the_pages_show_runs_by_itself(piece, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(piece, "page", "exec"), {"__name__": "page"})
    pyplot.close("all")


def test_names_are_read_better_as_words_than_letter_by_letter(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "names.py"))["main"](str(tmp_path), 200)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("noise")]
    rates = [[float(word.rstrip("%")) for word in line.split() if word.endswith("%")] for line in lines]
    assert len(rates) == 5
    assert sum(alone for alone, _ in rates) > 1.2 * sum(words for _, words in rates)
    assert (tmp_path / "names.png").stat().st_size > 10_000


def test_letters_under_noise_are_read_better_as_a_network(tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / "denoise.py"))["main"](str(tmp_path))
    printed = capsys.readouterr().out
    alone, network = (float(part) for part in re.findall(r"([0-9.]+)% right", printed))
    assert network > alone + 15.0
    assert "optimal" in printed and (tmp_path / "denoise.png").stat().st_size > 10_000
