"""Examples of structured output run, and draw their pictures."""

from __future__ import annotations

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
