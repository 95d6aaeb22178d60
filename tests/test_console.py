"""README and docs show what the command prints: every line after ``$ `` in a ``console`` block is run, page by page.

The commands of one page run one after the other in one folder. Words are compared exactly, numbers to 5 %, since the
last digits of a solver depend on the machine. ``LINSEP_WRITE_PAGES=1 script/test tests/test_console.py`` writes what is
printed into the pages; read the diff.
"""

from __future__ import annotations

import io
import math
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from linsep.cli.app import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")


def read(page):
    return page.read_text(encoding="utf-8")


def with_console(page):
    return BLOCK.search(read(page)) is not None


def commands(block):
    """Pairs of a command and what is printed after it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ ") and not (found and found[-1][0] == "linsep demo"):  # which shows its own commands
            found.append([line[2:], []])
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def execute(command):
    """What a command prints, to both streams."""
    words = shlex.split(command)
    if words[0] == "linsep" and not set(command) & set("|<>;&$"):
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            run(words[1:])
        return printed.getvalue().rstrip("\n")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": path},
    )
    return done.stdout.rstrip("\n")


def same(printed, shown):
    """Whether words are equal, and numbers nearly."""
    squeeze = [" ".join(NUMBER.sub("#", text).split()) for text in (printed, shown)]
    numbers = [list(map(float, NUMBER.findall(text))) for text in (printed, shown)]
    close = all(math.isclose(a, b, rel_tol=0.05, abs_tol=0.01) for a, b in zip(*numbers))
    return squeeze[0] == squeeze[1] and close


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=[] if page.name == "README.md" else pytest.mark.long)
        for page in PAGES
        if with_console(page)
    ],
)
def test_commands_on_the_pages_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = read(page)
    for block in BLOCK.finditer(text):
        new = []
        for command, shown in commands(block[1]):
            printed = execute(command)
            new.append(f"$ {command}\n" + (f"{printed}\n" if printed else ""))
            if not os.environ.get("LINSEP_WRITE_PAGES"):
                assert same(printed, shown.rstrip("\n")), f"{page.name}: $ {command}\n{printed}"
        if os.environ.get("LINSEP_WRITE_PAGES"):
            page.write_text(read(page).replace(block[0], f"```console\n{''.join(new)}```\n"), encoding="utf-8")


def test_numbers_and_words_are_compared():
    assert same("margin 1.00, 3 rows", "margin 1.004,  3 rows")
    assert not same("margin 1.00", "margin 1.5") and not same("margin 1", "border 1")
