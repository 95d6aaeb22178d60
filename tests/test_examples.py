"""Examples of structured output run, and draw their pictures."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


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
