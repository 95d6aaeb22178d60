"""The schema of a command: inferred from its table, helped by its options, or taken from a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import DataError
from .output import Output, Problem, refuse

if TYPE_CHECKING:
    from ..data.columns import HeldOut, Plan
    from .tables import Table


def make_plan(options: dict[str, Any], held_out: HeldOut | None = None) -> Plan:
    """What the options of a command say about columns."""
    from ..data.columns import Plan

    target = options["target"]
    uses = {name: "text" for name in options["text"]} | {name: "ignore" for name in options["ignore"]}
    if target in uses or (target is not None and target == options["weight"]):
        refuse(f"{target!r} can't be the target and something else.")
    given, more = read_decisions(options["schema"]) if options["schema"] else ({}, {})
    given = {name: column for name, column in given.items() if name not in uses}
    return Plan(tuple({**more, **uses}.items()), tuple(given.values()), held_out)


def say_schema(table: Table, out: Output) -> None:
    """What was noticed about the columns; refuse a table without features, or without classes."""
    schema: Any = table.dataset.schema
    for note in getattr(schema, "noticed", ()):
        out.note(note)
    if not schema.n_features:
        raise Problem(f"{', '.join(table.files)}: no column is left to learn from.")
    require_classes(table)


def require_classes(table: Table) -> None:
    """Refuse labels of one class, and numbers that are no classes."""
    classes, target = table.dataset.classes, getattr(table.dataset.schema, "target", None)
    where = f"{', '.join(table.files)}, {f'column {target!r}' if target else 'labels'}"
    if classes is None:
        return
    if classes.size == 1:
        raise Problem(f"{where}: expected two classes or more, got one class only: {classes.tolist()[0]!r}.")
    if classes.dtype.kind == "f" and (broken := classes[classes % 1 != 0]).size:
        raise Problem(
            f"{where}: expected classes, got numbers such as {broken[0]:g}. Take another --target, or make a column "
            "of classes from them, such as low and high."
        )


def read_decisions(path: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns of a schema file: those that are complete, and uses of those that only have a name and a use."""
    from ..data.columns.kinds import KINDS, read_column

    try:
        plain = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Problem(f"--schema {path}: expected JSON, as linsep fit --schema prints it: {error}") from error
    columns = plain.get("columns") if isinstance(plain, dict) else None
    if not isinstance(columns, list):
        raise Problem(f'--schema {path}: expected an object with "columns".')
    given, uses = {}, {}
    try:
        for each in columns:
            if isinstance(each, dict) and set(each) == {"name", "use"} and each["use"] in KINDS:
                uses[str(each["name"])] = each["use"]
            else:
                column = read_column(each)
                given[column.name] = column
    except DataError as error:
        raise Problem(f"{path}: {error}") from error
    return given, uses


def feature_names(schema: Any) -> Sequence[str]:
    """The names of the features; of rows that are numbers already their indices, as the file has them: x1, x2, ..."""
    return schema.feature_names or [f"x{k}" for k in range(schema.base, schema.base + schema.n_features)]


def schema_of(model: Any, origin: dict[str, Any], path: str) -> Any:
    """The schema of a model: its own, or numbers in the columns that it was fitted to."""
    from ..data.columns import Schema
    from ..data.columns.kinds import Number
    from ..data.rows import RowSchema

    if "schema" in origin:
        plain = origin["schema"]
        of_table = not isinstance(plain, dict) or plain.get("format") == "linsep schema"
        try:
            schema: Any = Schema.from_dict(plain) if of_table else RowSchema.from_dict(plain)
            int(schema.n_features), bool(schema.base if not of_table else 0)
        except (DataError, TypeError, ValueError) as error:
            raise Problem(f"{path}: {error}") from error
    else:
        names = getattr(model, "feature_names_in_", None)
        if names is None and "tokens" in origin:
            raise Problem(f"{path}: is a model of linsep tag fit; use linsep tag predict or linsep tag evaluate.")
        if names is None:
            raise Problem(f"{path}: does not say which columns it was fitted to: it was not made by linsep fit.")
        schema = Schema(tuple(Number(str(name)) for name in names))
    if schema.n_features != getattr(model, "n_features_in_", schema.n_features):
        raise Problem(f"{path}: its schema makes {schema.n_features} features, its rule takes {model.n_features_in_}.")
    return schema
