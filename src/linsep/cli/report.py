"""``linsep report``: everything about a model and a table, in one file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .apply import held_out_of, is_source, made_by_linsep, meet
from .options import Command, Duration, Whole, answering, data_argument, format_options, memory_option, model_argument
from .output import NO, Output, keep_inputs, refuse

if TYPE_CHECKING:
    from ..reporting.facts import Subject

KINDS = {"html": ".html", "markdown": ".md", "json": ".json"}


@click.command(cls=Command)
@model_argument
@data_argument
@click.option("-o", "--output", metavar="FILE", help="Write here: .html, .md or .json.")
@click.option(
    "--to", type=click.Choice([*KINDS]), metavar="KIND", help="html, markdown or json, whatever FILE is named."
)
@click.option(
    "--refits", type=Whole(0, 100), default=5, metavar="NUMBER", help="Refits for the part about chance; default: 5."
)
@click.option("--time-limit", type=Duration(), default="10s", help="Of all refits; default: 10s.")
@format_options
@memory_option
@answering
def report(model: str, data: tuple[str, ...], *, out: Output, **options: Any) -> None:
    """Write everything about a model and a table into one file.

    \b
    Examples:
      linsep report iris.linsep iris.csv -o iris.html
      linsep report iris.linsep iris.csv -o iris.md --refits 0
      linsep report iris.linsep new.csv --to json | jq .errors

    The file shows errors, curves, margins, weights, the rows that matter, and
    the certificate with its check. It needs no network and runs no scripts.
    Errors are counted on the rows that fit held out, if DATA is the file that the
    model was fitted to; else on all rows. Without -o it goes to standard output.
    """
    from ..atomic import replace_file
    from ..reporting import as_plain

    output = options["output"]
    kind = options["to"] or _kind_of(output)
    keep_inputs("-o", output, model, *data)
    rule, origin, table = meet(model, data, {name: options[name] for name in ("kind", "separator", "memory")}, out)
    command = shlex.join(["linsep", *click.get_current_context().find_root().obj])
    with table.dataset.within_memory(), made_by_linsep(model):
        found = _make(rule, origin, table, model, options, command)
    facts = found.facts
    check = facts["certificate"]["check"]
    if check is not None and not check["holds"]:
        out.code = NO
    if output in (None, "-"):
        if out.as_json:
            out.answer(report=as_plain(facts))
        elif not out.quiet:
            print(getattr(found, kind)(), end="" if kind != "json" else "\n")
        return
    with replace_file(output) as file:
        file.write(getattr(found, kind)().encode("utf-8", "replace"))
    out.answer(output=output, question=facts["question"], answer=facts["answer"], holds=check and check["holds"])
    out.say(facts["question"])
    out.say(facts["answer"])
    out.say(f"wrote {output}")


def _kind_of(output: str | None) -> str:
    """What to write, by the ending of the file."""
    if output in (None, "-"):
        return "html"
    for kind, ending in {**KINDS, "html ": ".htm"}.items():
        if Path(str(output)).suffix.lower() == ending:
            return kind.strip()
    refuse(f"-o {output}: expected a name that ends with {', '.join(KINDS.values())}; or say --to.")


def _make(rule: Any, origin: dict[str, Any], table: Any, path: str, options: dict[str, Any], command: str) -> Any:
    """Collect the facts."""
    from ..reporting import finish
    from ..reporting.facts import collect

    subject = make_subject(rule, origin, table, path, options)
    return finish(collect(subject, refits=options["refits"], seconds=options["time_limit"]), report=command)


def make_subject(rule: Any, origin: dict[str, Any], table: Any, path: str, options: dict[str, Any]) -> Subject:
    """A model and its rows: trained on what it was fitted to, judged on what was held out."""
    import numpy as np

    from ..data.look_up import describe_columns
    from ..reporting import describe_data
    from ..reporting.facts import Part, Subject
    from ..reporting.weights import plain_features, table_features
    from ..reporting.words import FITTED
    from .schemas import feature_names

    schema, same = table.dataset.schema, is_source(table, origin)
    names = list(feature_names(schema))
    reading = {"format": options["kind"], "separator": options["separator"]}
    cells = _cells(table, reading, names)
    X, y, weight = table.sample()
    every = np.arange(y.size)
    whole = Part(X, y, weight, every, cells)
    train, judged, on = None, whole, "rows"
    held_out = held_out_of(origin, path)
    if same:
        sample = table.sample(held_out)
        train = Part(sample.X, sample.y, sample.weight, every, cells)
        on = FITTED
        if held_out is not None:
            rows = np.flatnonzero(held_out.mask(0, y.size))
            judged, on = Part(X[rows], y[rows], None, rows, cells), "held-out rows"
    if judged is whole and weight is not None and not weight.all():
        rows = np.flatnonzero(weight)
        judged = Part(X[rows], y[rows], None, rows, cells)
    features = table_features(schema) if hasattr(schema, "columns") else plain_features(names)
    facts = describe_data(train or whole, schema, len(names)) | {"files": table.files, "sha256": table.sha256}
    if held_out is not None and same:
        facts["said"] = facts["said"].replace("of the rows have the weight 0", "of the rows were held out")
    described = {each["name"]: each for each in describe_columns(table.dataset.paths, **reading) or ()}
    facts["columns"] = [{**described.get(each["name"], {}), **each} for each in facts.get("columns", ())]
    return Subject(rule, features, judged, on, train, facts, origin)


def _cells(table: Any, reading: dict[str, Any], names: list[str]) -> Any:
    """The cells of rows as the files have them; of files of numbers those of X."""
    from ..data.look_up import look_up
    from ..reporting import row_cells

    def cells(rows: Any) -> list[dict[str, Any]]:
        found = look_up(table.dataset.paths, rows, **reading)
        return row_cells(table.dataset.rows.X, names)(rows) if found is None else [found[row] for row in rows]

    return cells
