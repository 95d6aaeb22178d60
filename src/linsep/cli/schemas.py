"""The schema of a command: inferred from its table, helped by its options, or taken from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import DataError
from .output import Output, Problem, refuse

if TYPE_CHECKING:
    from ..data.columns import Schema
    from .tables import Table


def find_schema(table: Table, frame: Any, options: dict[str, Any], out: Output) -> Schema:
    """The schema of the rows of ``frame``, a part of the table."""
    from ..data.columns import infer_schema

    target = options["target"]
    uses = {name: "text" for name in options["text"]} | {name: "ignore" for name in options["ignore"]}
    if target in uses or target == options["weight"]:
        refuse(f"{target!r} can't be the target and something else.")
    given, more = read_decisions(options["schema"]) if options["schema"] else ({}, {})
    with table.named():
        schema = infer_schema([frame], target, options["weight"], uses={**more, **uses}, given=given)
    for note in schema.noticed:
        out.note(note)
    if not schema.n_features:
        raise Problem(f"{', '.join(table.files)}: no column is left to learn from.")
    return schema


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


def schema_of(model: Any, origin: dict[str, Any], path: str) -> Schema:
    """The schema of a model: its own, or numbers in the columns that it was fitted to."""
    from ..data.columns import Schema
    from ..data.columns.kinds import Number

    if "schema" in origin:
        try:
            schema = Schema.from_dict(origin["schema"])
        except DataError as error:
            raise Problem(f"{path}: {error}") from error
    else:
        names = getattr(model, "feature_names_in_", None)
        if names is None:
            raise Problem(f"{path}: does not say which columns it was fitted to: it was not made by linsep fit.")
        schema = Schema(tuple(Number(str(name)) for name in names))
    if schema.n_features != getattr(model, "n_features_in_", schema.n_features):
        raise Problem(f"{path}: its schema makes {schema.n_features} features, its rule takes {model.n_features_in_}.")
    return schema
