"""``linsep predict``, ``evaluate`` and ``check``: apply a model to a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from .options import Command, answering, data_argument, format_options, memory_option, model_argument
from .output import NO, Output, Problem, keep_inputs

ENDINGS: dict[str, tuple[str, dict[str, Any]]] = {  # of files of decisions, and who writes them
    ".csv": ("write_csv", {}),
    ".tsv": ("write_csv", {"separator": "\t"}),
    ".jsonl": ("write_ndjson", {}),
    ".parquet": ("write_parquet", {}),
}


def open_model(path: str) -> tuple[Any, dict[str, Any]]:
    """The estimator of a model file and its origin; without one, say so."""
    from ..model_file import load_with_origin

    model, origin = load_with_origin(path)
    if not hasattr(model, "predict") or not hasattr(model, "classes_"):
        raise Problem(f"{path}: holds a {type(model).__name__} that is not fitted, or no classifier of rows.")
    return model, origin


@contextmanager
def made_by_linsep(path: str) -> Iterator[None]:
    """A model file whose values don't fit together is bad data, whatever Python says about it."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        said = f"{type(error).__name__}: {error}"
        raise Problem(f"{path}: not a model file that can be used: {said[:200]}") from error


class Meeting(NamedTuple):
    """A model and the rows that it is applied to."""

    rule: Any
    origin: dict[str, Any]
    table: Any


def meet(path: str, data: tuple[str, ...], reading: dict[str, Any], out: Output, labels: bool = True) -> Meeting:
    """Open a model and a table, and find the model's columns in it; ``reading`` says how: kind, separator, memory."""
    from .schemas import schema_of
    from .tables import open_table

    model, origin = open_model(path)
    schema = schema_of(model, origin, path)
    if labels and getattr(schema, "target", "") is None:
        raise Problem(f"{path}: does not say which column was predicted: it was not made by linsep fit.")
    table = open_table(
        data, out, schema=schema, labels=labels, **reading,
        target=getattr(schema, "target", None) if labels else None,
        weight=getattr(schema, "weight", None) if labels else None,
    )  # fmt: skip
    return Meeting(model, origin, table)


def held_out_of(origin: dict[str, Any], path: str) -> Any:
    """The rows that a model was not learned from, by a rule that the model has; None: all were used."""
    from ..data.columns import HeldOut

    held = origin.get("held_out") or {}
    if not isinstance(held, dict) or "fraction" not in held:
        return None
    fraction, seed = held["fraction"], held.get("seed")
    if not (isinstance(fraction, float) and 0 < fraction < 1 and isinstance(seed, int) and 0 <= seed < 2**32):
        raise Problem(f"{path}: held_out: expected a fraction and a seed, got {held!s:.80}.")
    return HeldOut(fraction, seed)


def is_source(table: Any, origin: dict[str, Any]) -> bool:
    """Whether these are the bytes that a model was fitted to."""
    source = origin.get("data")
    return isinstance(source, dict) and table.sha256 is not None and source.get("sha256") == table.sha256


@click.command(cls=Command)
@model_argument
@data_argument
@click.option("-o", "--output", metavar="OUT", help="Write here instead: .csv, .tsv, .jsonl or .parquet.")
@format_options
@memory_option
@answering
def predict(model: str, data: tuple[str, ...], *, output: str | None, out: Output, **reading: Any) -> None:
    """Decide about the rows of a table.

    \b
    Examples:
      linsep predict iris.linsep new.csv
      linsep predict iris.linsep new.csv -o decisions.parquet
      cat new.csv | linsep predict iris.linsep - | head

    The columns of DATA are found by name, in any order. One line per row:
    the class, and the score: of two classes g(x), positive for the second one; of
    more by how much the best class leads. A score near 0 is a near miss.
    """
    from .tables import decide

    keep_inputs("-o", output, model, *data)
    if output not in (None, "-") and Path(str(output)).suffix.lower() not in ENDINGS:
        raise Problem(f"{output}: expected a name that ends with {', '.join(ENDINGS)}.", 2)
    rule, _, table = meet(model, data, reading, out, labels=False)
    with made_by_linsep(model):
        decided, score = decide(rule, table.dataset)
    out.answer(rows=int(decided.size), output=output)
    if output is None and out.as_json:
        out.answer(prediction=decided, score=score)
    else:
        _write(decided, score, output, out)


def _write(decided: Any, score: Any, output: str | None, out: Output) -> None:
    """Write the decisions to a file, whole or not at all, or to standard output."""
    import io

    import polars as pl

    from ..atomic import replace_file

    frame = pl.DataFrame({"prediction": decided, "score": score})
    if output in (None, "-"):
        if not out.quiet:
            sys.stdout.write(frame.write_csv())
        return
    place = Path(str(output))
    name, options = ENDINGS[place.suffix.lower()]
    buffer = io.BytesIO()
    getattr(frame, name)(buffer, **options)
    with replace_file(place) as file:
        file.write(buffer.getvalue())
    out.say(f"wrote {place}: {frame.height} rows")


@click.command(cls=Command)
@model_argument
@data_argument
@click.option("--picture", metavar="FILE", help="Draw the scores and the largest weights: .png, .svg or .pdf.")
@format_options
@memory_option
@answering
def evaluate(model: str, data: tuple[str, ...], *, picture: str | None, out: Output, **reading: Any) -> None:
    """Count the errors of a model on a table that has the target column.

    \b
    Examples:
      linsep evaluate iris.linsep test.csv
      linsep evaluate iris.linsep test.csv --picture iris.png

    Says how many rows are decided wrongly, the accuracy with a 95 % interval
    (Clopper and Pearson), precision and recall of every class.
    """
    from .metrics import evaluate as count
    from .metrics import say_classes, say_evaluation

    keep_inputs("--picture", picture, model, *data)
    rule, origin, table = meet(model, data, reading, out)
    if is_source(table, origin):
        own = table.sample(held_out_of(origin, model)).present().size
        out.note(f"the model was fitted to {own} of these {table.dataset.n_rows} rows: expect more errors on new ones.")
    with made_by_linsep(model):
        found = count(rule, table)
    out.answer(**found)
    say_evaluation(found, out, "rows")
    say_classes(found, out)
    if picture is not None:
        from .picture import draw
        from .schemas import feature_names

        draw(picture, rule, table.sample(), feature_names(table.dataset.schema))
        out.answer(picture=picture)
        out.say(f"wrote {picture}")


@click.command(cls=Command)
@model_argument
@data_argument
@format_options
@memory_option
@answering
def check(model: str, data: tuple[str, ...], *, out: Output, **reading: Any) -> None:
    """Compute a model's certificate again from the data it was made for.

    \b
    Examples:
      linsep check iris.linsep iris.csv
      linsep check iris.linsep iris.csv && echo proved

    DATA must be the file that the model was fitted to; rows that were held out
    are left out again. The check shares no code with the solver. The exit code is
    0 if every claim holds, 1 if one does not.
    """
    from .learning import certificates_of

    rule, origin, table = meet(model, data, reading, out)
    X, y, weight = table.sample(held_out_of(origin, model))
    same = is_source(table, origin)
    if not same:
        out.note("these are not the bytes that the model was fitted to: its certificate is about others.")
    with table.dataset.within_memory(), made_by_linsep(model):
        verdict = rule.check(X, y, weight)
    for certificate in certificates_of(rule):
        out.say(certificate)
    out.say(verdict)
    out.answer(
        holds=bool(verdict), failures=list(verdict.failures), lower=verdict.lower, upper=verdict.upper, same_data=same,
        certificate=[str(each) for each in certificates_of(rule)],
    )  # fmt: skip
    if not verdict:
        out.code = NO
