"""``linsep export``: a model as code or data that needs nothing of linsep."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from .apply import made_by_linsep, open_model
from .options import Command, answering, format_options, model_argument
from .output import Output, Problem, keep_inputs, refuse

ROWS = 100_000  # of --data that are compared
KINDS = ("json", "python", "c", "sql", "onnx")


@click.command(cls=Command)
@model_argument
@click.option(
    "--to", "form", type=click.Choice(KINDS), metavar="KIND", help="json, python, c, sql or onnx; else by -o."
)
@click.option("-o", "--output", metavar="FILE", help="Write here: .json, .py, .c, .sql or .onnx.")
@click.option("--data", multiple=True, metavar="FILE", help="Compare decisions on these rows, too; may be repeated.")
@click.option("--unchecked", is_flag=True, help="Write without comparing decisions.")
@format_options
@answering
def export(
    model: str, *, form: str | None, output: str | None, data: tuple[str, ...], unchecked: bool, out: Output,
    **reading: Any,
) -> None:  # fmt: skip
    """Write a model as code or data that needs nothing of linsep.

    \b
    Examples:
      linsep export iris.linsep -o iris.py --data iris.csv
      linsep export iris.linsep --to sql > iris.sql
      linsep export iris.linsep -o iris.onnx

    \b
    KIND is one of:
      json    the rule as data; docs/export.md says how to read it
      python  one file for Python's standard library: python iris.py new.csv
      c       one file: int linsep_decide(const char *const cells[],
              double g[])
      sql     one SELECT, for SQLite and DuckDB
      onnx    a graph for onnxruntime: one input per column

    How the columns of the table become features is part of it. Before anything
    is written, its decisions are compared with those of predict, on 1,000 made-up
    rows and on those of --data; if one differs, nothing is written.
    """
    from ..atomic import replace_file
    from ..exporting import KINDS as ENDINGS
    from ..exporting import export as make
    from .schemas import schema_of

    endings = {ending: name for name, ending in ENDINGS.items()}
    form = form or (endings.get(Path(output).suffix.lower()) if output else None)
    if form is None:
        refuse(f"--to: expected one of {', '.join(KINDS)}, or -o with such an ending.")
    keep_inputs("-o", output, model, *data)
    if form == "onnx" and output in (None, "-"):
        refuse("-o: a graph of ONNX is a binary file; give it a name.")
    rule, origin = open_model(model)
    schema = schema_of(rule, origin, model)
    with made_by_linsep(model):
        try:
            made = make(rule, schema, form, list(_frames(data, reading)), check=not unchecked)
        except ImportError as error:
            raise Problem(str(error), 2) from error
    said = "not compared with the model." if made.comparison is None else str(made.comparison)
    if output in (None, "-"):
        if out.as_json:
            out.answer(kind=form, compared=said, text=made.content.decode())
        elif not out.quiet:
            sys.stdout.write(made.content.decode())
        return
    with replace_file(str(output)) as file:
        file.write(made.content)
    out.answer(kind=form, output=output, compared=said)
    out.say(f"{said[0].upper()}{said[1:]}")
    out.say(f"wrote {output}")


def _frames(data: tuple[str, ...], reading: dict[str, Any]) -> Iterator[Any]:
    """The rows of the user's files, at most so many, in batches."""
    from ..data.look_up import read_batches

    left = ROWS
    for batch in read_batches(data, format=reading["kind"], separator=reading["separator"]) if data else ():
        yield batch.head(left)
        left -= batch.height
        if left <= 0:
            return
