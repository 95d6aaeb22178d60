"""Exports: a model, with the preprocessing of its table, as code or data that needs nothing of linsep. docs/export.md.

`rule` makes one plain object of a model; `python_file`, `c_file`, `sql_query` and `onnx_file` write it; `compare`
compares decisions before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from .compare import MADE_UP, Comparison, compare, make_rows
from .rule import make_rule

KINDS = {"json": ".json", "python": ".py", "c": ".c", "sql": ".sql", "onnx": ".onnx"}


class Exported(NamedTuple):
    """What is written, and how its decisions compare with the model's; None: not compared."""

    content: bytes
    comparison: Comparison | None


def export(
    model: Any, schema: Any, kind: str, frames: Sequence[Any] = (), *, check: bool = True, made_up: int = MADE_UP
) -> Exported:
    """The model as ``kind`` ("json", "python", "c", "sql" or "onnx"), compared with `predict` on ``frames`` and on
    made-up rows; a `ValueError` if a decision differs, or if the kind can't hold a column.
    """
    rule = make_rule(model, schema)
    writer: tuple[Callable[[dict], bytes], Callable[[bytes, dict], Any]] = {
        "json": (_write_json, _run_json),
        "python": (_write_python, _run_python),
    }.get(kind) or _other(kind)
    content = writer[0](rule)
    if not check:
        return Exported(content, None)
    made = [make_rows(schema, made_up)] if made_up else []
    with writer[1](content, rule) as run:
        found = compare(model, schema, run, [*frames, *made], made_up)
    if found.differences:
        raise ValueError(f"export: {found}")
    return Exported(content, found)


def _other(kind: str) -> Any:
    module = import_module({"c": ".c_file", "sql": ".sql_query", "onnx": ".onnx_file"}[kind], __package__)
    return module.write, module.running


def _write_json(rule: dict[str, Any]) -> bytes:
    columns = ",\n  ".join(json.dumps(column, ensure_ascii=False, allow_nan=False) for column in rule["columns"])
    rest = {key: value for key, value in rule.items() if key != "columns"}
    head = json.dumps(rest, ensure_ascii=False, allow_nan=False, indent=None)[:-1]
    return f'{head},\n "columns": [\n  {columns}\n ]}}\n'.encode()


def _write_python(rule: dict[str, Any]) -> bytes:
    from pathlib import Path

    source = Path(__file__).with_name("evaluate.py").read_text(encoding="utf-8")
    columns = "".join(f"        {column!r},\n" for column in rule["columns"])
    rest = "".join(f"    {key!r}: {value!r},\n" for key, value in rule.items() if key != "columns")
    text = f"RULE: dict = {{\n{rest}    'columns': [\n{columns}    ],\n}}\n"
    marker = "RULE: dict = {}  # the rule stands here\n"
    assert marker in source
    return source.replace(marker, text).encode()


class _Running:
    """A ``with`` block that gives a function."""

    def __init__(self, run: Any):
        self.run = run

    def __enter__(self) -> Any:
        return self.run

    def __exit__(self, *error: object) -> None:
        pass


def _run_json(content: bytes, rule: dict[str, Any]) -> _Running:
    from .evaluate import decide

    read = json.loads(content)
    return _Running(lambda frame: [decide(row, read) for row in frame.iter_rows(named=True)])


def _run_python(content: bytes, rule: dict[str, Any]) -> _Running:
    space: dict[str, Any] = {"__name__": "rule"}
    exec(compile(content, "rule.py", "exec"), space)  # what we have just written
    return _Running(lambda frame: [space["decide"](row) for row in frame.iter_rows(named=True)])
