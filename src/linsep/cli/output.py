"""What a command says: sentences for people, or one JSON object for programs; notes and progress go to stderr."""

from __future__ import annotations

import glob
import json
import math
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .. import __version__
from ..progress import watched

DONE, NO, USAGE, BAD_DATA, BUDGET_SPENT, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130


class Problem(Exception):
    """Something that the user can mend, in one line: what is wrong, where, and what to do."""

    def __init__(self, said: str, code: int = BAD_DATA):
        super().__init__(" ".join(str(said).split()))
        self.code = code


def refuse(said: str) -> NoReturn:
    """A combination of arguments that makes no sense."""
    raise Problem(said, USAGE)


def as_named(said: str) -> str:
    """Files as the user names them: without the current folder, and standard input as -."""
    from ..data.sources import SPOOL

    said = said.replace(f"{os.getcwd()}{os.sep}", "")
    return re.sub(rf"{re.escape(tempfile.gettempdir() + os.sep)}{SPOOL}\w+[/\\]stdin", "-", said)


def keep_inputs(option: str, output: str | None, *read: str | None) -> None:
    """Refuse to write over a file that the command reads; patterns are expanded."""
    if output is None or not os.path.exists(output):
        return
    for each in filter(None, read):
        path = each.removeprefix("file://")
        if any(os.path.exists(name) and os.path.samefile(name, output) for name in [path, *glob.glob(path)]):
            refuse(f"{option}: {output} is read; write to another file.")


class Output:
    """Where the words and numbers of one command go."""

    def __init__(self, command: str, *, as_json: bool = False, quiet: bool = False):
        self.as_json, self.quiet, self.code = as_json, quiet, DONE
        self.fields: dict[str, Any] = {"linsep": __version__, "command": command}

    def say(self, text: object = "") -> None:
        """A line of the answer, for people; a sentence that is longer than the terminal is wide has several."""
        if not (self.as_json or self.quiet):
            print(wrap(str(text)))

    def note(self, text: str) -> None:
        """Something worth knowing that is not the answer."""
        self.fields.setdefault("notes", []).append(text)
        if not (self.as_json or self.quiet):
            sys.stdout.flush()
            print(wrap(f"note: {text}"), file=sys.stderr)

    def answer(self, **fields: Any) -> None:
        """Fields of the JSON object."""
        self.fields.update(fields)

    def finish(self) -> int:
        """Print the JSON object; returns the exit code."""
        if self.as_json:
            print(json_text({**self.fields, "exit_code": self.code}))
        sys.stdout.flush()
        return self.code

    @property
    def on_terminal(self) -> bool:
        """Whether somebody watches."""
        return not (self.as_json or self.quiet) and sys.stderr.isatty()

    @contextmanager
    def reading(self) -> Iterator[Callable[[int, int], None] | None]:
        """A bar on a terminal while files are read: gives the function that is told bytes read and bytes in all."""
        if not self.on_terminal:
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda done, size: bar.update(task, completed=done, total=size)

    @contextmanager
    def progress(self, what: str, seconds: float | None = None) -> Iterator[None]:
        """A line on a terminal while learning goes on: passes, seconds, and how many are left at most."""
        if not self.on_terminal:
            with watched(lambda done, most: None):  # no bar of the library's own either
                yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        bar = Progress(*columns, TextColumn("{task.fields[left]}"), console=Console(stderr=True), transient=True)
        with bar:
            task, began = bar.add_task(what, total=None, left=""), time.monotonic()

            def see(done: int, most: int | None) -> None:
                elapsed = time.monotonic() - began
                left = math.inf if not most else elapsed * (most - done) / done
                left = min(left, math.inf if seconds is None else seconds - elapsed)
                words = f"pass {done}" + (f", at most {say_seconds(left)} left" if left < math.inf else "")
                bar.update(task, completed=done, total=most, left=words)

            with watched(see):
                yield


def wrap(text: str) -> str:
    """Long lines with breaks, for terminals of 40 to 100 columns; 80 where there is none."""
    width = min(max(shutil.get_terminal_size((80, 24)).columns, 40), 100)
    lines = text.split("\n")
    if len(lines) > 3 or text.startswith("$ "):  # a table, or a command
        return text
    return "\n".join(
        textwrap.fill(each, width, subsequent_indent="  ") if len(each) > width else each for each in lines
    )


def say_seconds(seconds: float) -> str:
    """A duration in words.

    >>> say_seconds(3.21), say_seconds(75), say_seconds(7300)
    ('3.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{max(seconds, 0.0):.1f} s"
    minutes = int(seconds) // 60
    return f"{minutes} min {int(seconds) % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def json_text(value: Any, **options: Any) -> str:
    """JSON as its standard has it: numbers that are not finite become null.

    >>> json_text({"a": (1, math.inf), "b": float("nan")})
    '{"a": [1, null], "b": null}'
    """
    return json.dumps(_plain(value), allow_nan=False, ensure_ascii=False, **options)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
