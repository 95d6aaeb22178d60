"""``linsep fit``: a table in, a model with its certificate out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from .options import (
    Command,
    Duration,
    Price,
    Whole,
    answering,
    data_argument,
    memory_option,
    seed_option,
    target_option,
    time_option,
)
from .output import BUDGET_SPENT, INTERRUPTED, Output, Problem, json_text, keep_inputs, refuse

RULES = (
    "auto", "averaged-perceptron", "perceptron", "kozinec", "maximum-margin", "relaxation", "least-squares",
    "linear-machine",
)  # fmt: skip


# long because: its help is its docstring
@click.command(cls=Command)
@data_argument
@target_option
@click.option(
    "-r", "--rule", type=click.Choice(RULES), default="auto", metavar="RULE", help="How to learn; default: auto."
)
@click.option("--C", "price", type=Price(), metavar="NUMBER", help="Soft margin: what an error costs; or auto.")
@click.option("--lift", type=Whole(2, 9), metavar="DEGREE", help="Products of features, up to this degree.")
@click.option("--test", metavar="FRACTION|FILE", help="Rows to hold out and evaluate on: 0.25, or a file.")
@click.option("-o", "--output", metavar="MODEL", help="Write the model to this file.")
@click.option("--proof", metavar="FILE", help="Write the certificate for verify.py, which needs no linsep: .json.")
@click.option("--with-verifier", is_flag=True, help="Copy verify.py beside the proof.")
@click.option("--passes", type=Whole(1, 10**9), metavar="NUMBER", help="Maximum number of passes over the data.")
@click.option("--resume", is_flag=True, help="Continue a fit that was cut short, from its checkpoint.")
@click.option("--checkpoint", metavar="FILE", help="Where checkpoints go; default: MODEL.checkpoint.")
@click.option("--checkpoint-every", type=Duration(), default="60s", help="Time between checkpoints; default: 60s.")
@click.option("--workers", type=Whole(1, 1024), metavar="NUMBER", help="Learn in so many processes, by Dask.")
@click.option("--scheduler", metavar="ADDRESS", help="Learn on the workers of this Dask scheduler.")
@click.option("--dry-run", is_flag=True, help="Read the data, say what would be done, and stop.")
@seed_option
@time_option
@memory_option
@answering
def fit(data: tuple[str, ...], *, out: Output, **options: Any) -> None:
    """Learn a classifier from a table, with a proof of its margin.

    \b
    Examples:
      linsep fit iris.csv --target species -o iris.linsep
      linsep fit a.csv b.csv -t label --test 0.25 --seed 1
      linsep fit train.csv -t y --test test.csv --rule perceptron
      cat iris.csv | linsep fit - -t species --json
      linsep fit iris.csv -t species --schema > decisions.json
      linsep fit iris.csv -t species --proof proof.json --with-verifier
      linsep fit 's3://bucket/*.parquet' -t y -r perceptron --workers 4

    \b
    RULE is one of:
      auto            separable? then maximum-margin, else soft, C by
                      cross-validation; says why
      averaged-perceptron   quick and accurate, whatever the data
      perceptron      quick; separates if possible
      kozinec         largest margin to a thousandth
      maximum-margin  largest margin, exactly; with --C a soft margin
      relaxation      every score above 1
      least-squares   all rows count
      linear-machine  the perceptron, one vector per class

    Ctrl-C, or the end of --time-limit, writes the best model so far. After them,
    or after a crash, the same command with --resume goes on where it stood.
    """
    from .checkpoints import checkpoint_path, checkpoints
    from .cluster import check_cluster, on_cluster
    from .learning import learn
    from .proof import write_proof

    check_cluster(options)
    path = checkpoint_path(options, data)
    training, test, held = _read(data, options, out)
    table, sample = training
    if options["dry_run"] or options["schema"] == "":
        _say_decisions(table, out, as_file=options["schema"] == "")
        return
    _say_data(table, out)
    with checkpoints(path, options, table, out) as checkpoint:
        with table.dataset.within_memory(), on_cluster(options, table, sample, out) as rows:
            learned = learn(
                rows, out, rule=options["rule"], C=options["price"], lift=options["lift"], seed=options["seed"],
                seconds=options["time_limit"], passes=options["passes"],
            )  # fmt: skip
        _say_learned(learned, out)
        _evaluate(learned.model, test, out)
        schema = table.dataset.schema
        origin = {"data": table.source, "held_out": held, "schema": schema.as_dict()}
        _write(learned.model, options["output"], origin, out)
        if options["proof"]:
            write_proof(options["proof"], learned.model, sample, schema, options["with_verifier"], out)
        _say_end(learned, out, checkpoint)


def _read(data: tuple[str, ...], options: dict[str, Any], out: Output) -> tuple[Any, Any, dict[str, Any] | None]:
    """The table and its rows to learn from; the table of the held-out rows, with how they were chosen; and in words."""
    from .proof import check_proof
    from .schemas import make_plan, say_schema
    from .tables import open_table

    check_output(options["output"])
    held_out, test_file = _held_out(options)
    keep_inputs("-o", options["output"], *data, test_file, options["schema"])
    check_proof(options["proof"], options["with_verifier"], *data, test_file, options["schema"])
    places = {name: options[name] for name in ("kind", "memory", "target", "weight", "separator")}
    table = open_table(data, out, schema=make_plan(options, held_out), **places)
    say_schema(table, out)
    schema, sample = table.dataset.schema, table.sample(held_out)
    test = open_table([test_file], out, **{**places, "schema": schema}) if test_file else table if held_out else None
    held = held_out._asdict() if held_out else {"file": test_file} if test_file else None
    out.answer(data=table.source, features=schema.n_features, classes=table.dataset.classes, held_out=held)
    return (table, sample), (test, held_out), held


def _evaluate(model: Any, test: tuple[Any, Any], out: Output) -> None:
    """Count the errors on held-out rows, if there are any."""
    from .metrics import evaluate, say_evaluation

    if test[0] is not None:
        found = evaluate(model, *test)
        out.answer(test=found)
        say_evaluation(found, out, "held-out rows")


def _say_data(table: Any, out: Output) -> None:
    """What there is to learn from."""
    from ..reporting.words import counted

    data = table.dataset
    columns = f"{counted(len(data.schema.columns), 'column')}, " if hasattr(data.schema, "columns") else ""
    out.say(f"{data.n_rows} rows, {columns}{counted(data.n_features, 'feature')}, {len(data.classes)} classes.")


def _say_decisions(table: Any, out: Output, as_file: bool) -> None:
    """How the columns are used: in words, or as ``--schema FILE`` takes it back."""
    schema = table.dataset.schema
    out.answer(schema=schema.as_dict())
    if as_file:
        out.say(json_text(schema.as_dict(), indent=1))
    else:
        _say_data(table, out)
        out.say(schema)


def _say_learned(learned: Any, out: Output) -> None:
    """Why this rule, and what is proved about it."""
    from .learning import certificates_of

    words = [str(each) for each in certificates_of(learned.model)]
    out.answer(rule=learned.rule, why=learned.why, estimator=str(learned.model), certificate=words)
    for line in (*learned.why, *words):
        out.say(line)


def _write(model: Any, path: str | None, origin: dict[str, Any], out: Output) -> None:
    """Write the model, or say that it was not asked for."""
    from ..model_file import save

    if path is None:
        out.note("the model was not written: give -o MODEL to keep it.")
        return
    command = shlex.join(["linsep", *click.get_current_context().find_root().obj])
    save(model, path, {"command": command, **origin})
    out.answer(model=path)
    out.say(f"wrote {path}")


def _say_end(learned: Any, out: Output, checkpoint: Any) -> None:
    """Whether learning ended too early; then its checkpoint stays."""
    if not (learned.interrupted or learned.out_of_time):
        return
    out.code = INTERRUPTED if learned.interrupted else BUDGET_SPENT
    why = "interrupted" if learned.interrupted else "the time limit is spent"
    more = ""
    if checkpoint is not None and checkpoint.path.exists():
        checkpoint.keep, more = True, " Add --resume to go on."
    out.note(f"{why}: this is the best model so far.{more}")


def check_output(path: str | None, example: str = "model.linsep") -> None:
    """Say before hours of learning that the model can't be written."""
    if path is None:
        return
    if path == "-":
        refuse("-o -: a model is a binary file; give it a name.")
    place = Path(path)
    if place.is_dir() or not place.absolute().parent.is_dir():
        raise Problem(f"{path}: is a folder, or its folder does not exist. Give a path such as {example}.")


def _held_out(options: dict[str, Any]) -> tuple[Any, str | None]:
    """The rows to hold out, or the file of others."""
    from ..data.columns import HeldOut

    test = options["test"]
    if test is None:
        return None, None
    try:
        fraction = float(test)
    except ValueError:
        return None, test
    if not 0 < fraction < 1:
        refuse(f"--test: expected a fraction between 0 and 1, or a file, got {test}.")
    return HeldOut(fraction, options["seed"]), None
