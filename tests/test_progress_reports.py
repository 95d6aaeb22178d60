"""Progress: nothing for two seconds, then a bar on a terminal, lines of the log elsewhere."""

import io
import itertools
import logging

import pytest
from loop_cases import slow

from linsep import MaximumMargin, Perceptron
from linsep.progress import Bar, report, shown, watched


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a tenth of a second each time it is read."""
    ticks = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: 0.1 * next(ticks))


def test_a_terminal_gets_a_bar_that_is_wiped(clock, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    Perceptron(max_iter=100, scaling=None).fit(*slow())
    frames = terminal.getvalue().rpartition("\n")[2].split("\r")  # compiling may have been said before
    assert frames[0] == "" and frames[-1] == "\x1b[K"
    assert all(each.startswith("linsep: [") and "s left" in each for each in frames[1:-1])
    parts = [int(each.partition("]")[2].partition("%")[0]) for each in frames[1:-1]]
    assert parts == sorted(parts) and parts[0] > 0 and len(parts) > 3


def test_elsewhere_the_log_gets_a_line_every_two_seconds(clock, caplog, capsys):
    with caplog.at_level(logging.INFO, "linsep"):
        Perceptron(max_iter=100, scaling=None).fit(*slow())
    assert 1 < len(caplog.records) < 30
    assert all(each.levelname == "INFO" and "%, pass " in each.message for each in caplog.records)
    assert capsys.readouterr().err == ""


def test_what_is_quick_says_nothing(monkeypatch, caplog):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    with caplog.at_level(logging.INFO, "linsep"):
        Perceptron(max_iter=100, scaling=None).fit(*slow())
    assert terminal.getvalue() == "" and not caplog.records


def test_a_watcher_is_told_instead(clock, monkeypatch):
    terminal, seen = Terminal(), []
    monkeypatch.setattr("sys.stderr", terminal)
    with watched(lambda done, most: seen.append((done, most))), shown():
        for k in range(1, 100):
            report(k, 99, k / 99)
    assert seen[-1] == (99, 99) and terminal.getvalue() == ""


def test_the_bar_says_what_is_left():
    assert Bar.draw(0.5, 4.0, 10).endswith(" 50%, pass 10, at most 4 s left")
    assert "left" not in Bar.draw(0.0, 4.0, 1)


@pytest.mark.parametrize("C", [float("inf"), 1.0])
def test_the_maximum_margin_is_verbose_too(C, capsys):
    MaximumMargin(C, verbose=1).fit([[0.0, 1.0], [1.0, 3.0], [4.0, 0.0]], [0, 0, 1])
    assert capsys.readouterr().err.startswith("pass ")
