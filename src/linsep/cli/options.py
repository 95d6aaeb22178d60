"""Options that several commands share, and how numbers with units are read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import click

from .delay import delay_imports
from .output import Output

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
TIMES = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class Command(click.Command):
    """A command whose help has short first columns."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, one under the other."""
        records = [each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl([each for each in records if each is not None], col_max=24)


class Size(click.ParamType):
    """A number of bytes: 512M, 1GB, 2GiB."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number of bytes."""
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]i?|)b?\s*", str(value).lower())
        if not found or float(found[1]) <= 0:
            self.fail(f"expected a size such as 512M or 2GB, got {value!r}.", param, ctx)
        return int(float(found[1]) * UNITS[found[2]])


class Duration(click.ParamType):
    """A number of seconds: 30, 30s, 5min, 1h."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """The number of seconds."""
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(s|min|m|h|)\s*", str(value).lower())
        if not found or float(found[1]) <= 0:
            self.fail(f"expected a time such as 30s, 5min or 1h, got {value!r}.", param, ctx)
        return float(found[1]) * TIMES[found[2]]


class Whole(click.ParamType):
    """A whole number of a range, which the help does not print."""

    name = "number"

    def __init__(self, low: int, high: int):
        self.low, self.high = low, high

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number."""
        text = str(value)
        if not text.isdecimal() or not self.low <= int(text[:20]) <= self.high:
            self.fail(f"expected a whole number from {self.low} to {self.high}, got {value!r}.", param, ctx)
        return int(text)


class Price(click.ParamType):
    """C: a positive number, inf, or auto."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> float | str:
        """The number, or "auto"."""
        if value == "auto":
            return value
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not number > 0:
            self.fail(f"expected a number above 0, inf or auto, got {value!r}.", param, ctx)
        return number


def data_argument(function: Callable) -> Callable:
    """DATA: one file or more."""
    return click.argument("data", nargs=-1, required=True, metavar="DATA...")(function)


def model_argument(function: Callable) -> Callable:
    """MODEL: a model file."""
    return click.argument("model", metavar="MODEL")(function)


class Separator(click.ParamType):
    """What stands between the cells of CSV: one character, or the word tab."""

    name = "separator"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """The character."""
        mark = {"tab": "\t", "\\t": "\t"}.get(value, value)
        if len(mark) != 1 or not mark.isascii() or mark in '"\n\r':
            self.fail(f"expected one character such as ';', or tab, got {value!r}.", param, ctx)
        return mark


def format_options(function: Callable) -> Callable:
    """--format and --separator: how to read DATA."""
    for option in (
        click.option("--separator", type=Separator(), metavar="MARK", help="Separator of CSV cells: ';', tab, ..."),
        click.option("--format", "kind", metavar="NAME", help="Format of DATA, if its name does not show it."),
    ):
        function = option(function)
    return function


def target_option(function: Callable) -> Callable:
    """--target, --weight, --text, --ignore, --schema, --format and --separator: which columns are what."""
    for option in (
        format_options,
        click.option(
            "--schema",
            is_flag=False,
            flag_value="",
            metavar="[FILE]",
            help="How columns are used, read from FILE. Without FILE, as the last argument: print it and stop.",
        ),
        click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave this column out; may be repeated."),
        click.option("--text", multiple=True, metavar="COLUMN", help="Use the words of this column; may be repeated."),
        click.option("--weight", metavar="COLUMN", help="Column with a weight for every row; 0 leaves it out."),
        click.option("-t", "--target", metavar="COLUMN", help="Column to predict."),
    ):
        function = option(function)
    return function


def memory_option(function: Callable) -> Callable:
    """--memory."""
    return click.option("--memory", type=Size(), default="1GB", help="Memory limit for data; default: 1GB.")(function)


def time_option(function: Callable) -> Callable:
    """--time-limit."""
    return click.option("--time-limit", type=Duration(), help="Stop after this time: 30s, 5min, 1h.")(function)


def seed_option(function: Callable) -> Callable:
    """--seed."""
    return click.option(
        "--seed",
        type=Whole(0, 2**32 - 1),
        default=0,
        metavar="NUMBER",
        help="Random seed; default: 0.",
    )(function)


def answering(function: Callable) -> Callable:
    """A command that gets an `Output` as ``out`` and has the options of all commands."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of words.")
    @click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
    @click.option("--debug", is_flag=True, help="Show where an error comes from.")
    @functools.wraps(function)
    def command(*args: Any, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
        name = (click.get_current_context().info_name or "").strip()
        out = Output(name, as_json=as_json, quiet=quiet)
        delay_imports()
        function(*args, out=out, **options)
        return out.finish()

    return command
