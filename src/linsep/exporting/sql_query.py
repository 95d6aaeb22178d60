"""A rule as one SELECT, for SQLite and DuckDB: all columns of the table, the functions g, and the prediction."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import evaluate
from .rule import answers, free_name

TABLE = "data"  # in the query; to be replaced by the table's name
CHUNK = 100  # terms of a sum without parentheses: SQLite bounds the depth of expressions


def name(identifier: str) -> str:
    """A quoted name."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value of SQL; floats with an exponent, which makes them doubles.

    >>> literal(0.5), literal(-1e-7), literal("it's"), literal(True)
    ('0.5e0', '(-1e-07)', "'it''s'", '1')
    """
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float):
        said = repr(value) if "e" in repr(value) else f"{value!r}e0"
        return f"({said})" if value < 0 or said.startswith("-") else said
    return "'" + str(value).replace("'", "''") + "'"


def write(rule: dict[str, Any]) -> bytes:
    """The query; columns that SQL can't hold are refused."""
    for column in rule["columns"]:
        if column["use"] in ("hashed", "text"):
            what = {"hashed": "its words are hashed", "text": "its words are looked for"}[column["use"]]
            raise ValueError(
                f"export: column {column['name']!r}: {what}, SQL can't. Use --to python, or fit with --ignore."
            )
    lift, sums = rule.get("lift"), []
    functions = _features(rule) if lift else _functions(rule)
    for k, bias in enumerate(rule["intercept"]):
        columns = [c for c in rule["columns"] if not lift or any(weights[k] for weights in c["weights"])]
        term = _sum([literal(bias), *(_term(column, k) for column in columns)])
        if lift:
            term = f"({term} - {literal(lift['centre'][k])}) / {literal(lift['scale'][k])}"
        sums.append(f"    {term} AS {functions[k]}")
    inner = ["  SELECT *,", ",\n".join(sums), f"  FROM {name(TABLE)})"]
    decided = f"SELECT *, {_decision(rule)} AS {free_name('prediction', rule)}"
    where = "behind the features, before linsep_scores" if lift else "in the last line"
    lines = [
        "-- A linear rule, written by linsep export --to sql, for SQLite (3.35 or newer) and DuckDB.",
        f"-- Put the name of your table in place of {name(TABLE)} {where}. A row with a cell that can't be",
        "-- read, such as a word among numbers, has no prediction: NULL. Cells are trimmed of spaces.",
    ]
    if lift:  # materialized: what is used many times is computed once
        lines += ["WITH linsep_features AS MATERIALIZED (", *inner, ", linsep_scores AS MATERIALIZED ("]
        lines += ["  SELECT *,", ",\n".join(_products(rule)), "  FROM linsep_features)", decided, "FROM linsep_scores;"]
    else:
        lines += [decided, "FROM (", *inner[:-1], f"{inner[-1]} AS linsep_scores;"]
    return ("\n".join(lines) + "\n").encode()


def _sum(terms: list[str]) -> str:
    """A sum, in chunks if it is long."""
    if len(terms) <= CHUNK:
        return "\n      + ".join(terms)
    return _sum([f"({_sum(terms[k : k + CHUNK])})" for k in range(0, len(terms), CHUNK)])


def _functions(rule: dict[str, Any]) -> list[str]:
    return [free_name(f"linsep_g{k}", rule) for k in range(len(answers(rule)))]


def _features(rule: dict[str, Any]) -> list[str]:
    return [free_name(f"linsep_f{k}", rule) for k in range(len(rule["intercept"]))]


def _products(rule: dict[str, Any]) -> list[str]:
    """The functions of products of features."""
    features, sums = _features(rule), []
    for k, bias in enumerate(answers(rule)):
        terms = [
            f"{literal(weights[k])} * (({' * '.join(features[j] for j in places)}) - {literal(mean)}) / {literal(size)}"
            for places, mean, size, weights in rule["lift"]["products"]
        ]
        sums.append(f"    {_sum([literal(bias), *terms])} AS {_functions(rule)[k]}")
    return sums


def _decision(rule: dict[str, Any]) -> str:
    labels, g = [literal(label) for label in rule["classes"]], _functions(rule)
    count = len(g)
    if count == 1:
        return f"CASE WHEN {g[0]} > 0 THEN {labels[1]} WHEN {g[0]} <= 0 THEN {labels[0]} END"
    cases = []
    for k in range(count):
        against = [f"{g[k]} {'>' if j < k else '>='} {g[j]}" for j in range(count) if j != k]
        cases.append(f"WHEN {' AND '.join(against)} THEN {labels[k]}")
    return f"CASE {' '.join(cases)} END"


def _cell(column: dict[str, Any]) -> tuple[str, str]:
    """The cell as trimmed text, and the condition that it is missing."""
    said = f"TRIM(CAST({name(column['name'])} AS TEXT))"
    words = ", ".join(literal(word) for word in [*evaluate.MISSING, *column.get("marks", ())])
    return said, f"{name(column['name'])} IS NULL OR {said} IN ({words})"


def _term(column: dict[str, Any], k: int) -> str:
    """What a column adds to the function k."""
    weights = [each[k] for each in column["weights"]]
    said, missing = _cell(column)
    rest = TERMS[column["use"]](column, weights, said)
    return f"CASE WHEN {missing} THEN {literal(_when_missing(column, weights))} {rest} END"


def _when_missing(column: dict[str, Any], weights: list[float]) -> float:
    """What a missing cell adds."""
    total = 0.0
    for place, value in evaluate.FEATURES[column["use"]](None, column):
        total += weights[place] * value
    return total


def _number(column: dict[str, Any], weights: list[float], said: str) -> str:
    x = f"CAST({name(column['name'])} AS DOUBLE)"
    if column["log"]:
        size = f"LN(1e0 + ABS({x}) / {literal(column['scale'])})"
        value = f"CASE WHEN {x} < 0 THEN -{size} ELSE {size} END"
    else:
        value = f"({x} - {literal(column['centre'])}) / {literal(column['scale'])}"
    # only digits, signs, points and exponents: SQLite takes the number at the beginning of any word
    number = f"REPLACE(REPLACE(REPLACE(REPLACE(LOWER({said}), '-', ''), '+', ''), '.', ''), 'e', '')"
    only = f"LENGTH({number}) > 0 AND TRIM({number}, '0123456789') = ''"
    return f"WHEN {only} THEN {literal(weights[0])} * ({value})"


def _boolean(column: dict[str, Any], weights: list[float], said: str) -> str:
    yes = ", ".join(literal(word) for word in dict.fromkeys([column["yes"], "true", "1", "1.0"]))
    no = ", ".join(literal(word) for word in dict.fromkeys([column["no"], "false", "0", "0.0"]))
    return f"WHEN LOWER({said}) IN ({yes}) THEN {literal(weights[0])} WHEN LOWER({said}) IN ({no}) THEN 0e0"


def _date(column: dict[str, Any], weights: list[float], said: str) -> str:
    form = column["form"] or "%Y-%m-%d"
    shape, part, at = "", {}, 1
    for piece in form.replace("%", "\0%").split("\0"):
        if piece.startswith("%"):
            width = 4 if piece[1] == "Y" else 2
            part[piece[1]] = f"CAST(SUBSTR({said}, {at}, {width}) AS INTEGER)"
            shape += "[0-9]" * width + piece[2:]
            at += width + len(piece) - 2
        else:
            shape, at = shape + piece, at + len(piece)
    y, m, d = (part[each] for each in "Ymd")
    leap = f"({y} % 4 = 0 AND ({y} % 100 <> 0 OR {y} % 400 = 0))"
    longest = f"CASE WHEN {m} IN (4, 6, 9, 11) THEN 30 WHEN {m} <> 2 THEN 31 WHEN {leap} THEN 29 ELSE 28 END"
    valid = [f"{m} BETWEEN 1 AND 12 AND {d} BETWEEN 1 AND {longest}"]
    valid += [f"{part[each]} <= {most}" for each, most in (("H", 23), ("M", 59), ("S", 60)) if each in part]
    # years begin in March, so that the day in question is the last one
    year = f"({y} - CASE WHEN {m} <= 2 THEN 1 ELSE 0 END)"
    month = f"({m} + CASE WHEN {m} > 2 THEN -3 ELSE 9 END)"
    days = (
        f"365e0 * {year} + FLOOR({year} / 4e0) - FLOOR({year} / 100e0) + FLOOR({year} / 400e0) "
        f"+ FLOOR((153e0 * {month} + 2e0) / 5e0) + {d} - 730426e0"
    )
    clock = " + ".join(f"{part[each]} * {size}e0" for each, size in (("H", 3600), ("M", 60), ("S", 1)) if each in part)
    x = f"((({days}) * 86400e0 + {clock}) / 86400e0)" if clock else f"({days})"
    terms = [f"{literal(weights[0])} * (({x} - {literal(column['centre'])}) / {literal(column['scale'])})"]
    for k, period in enumerate(column["periods"]):
        turns = f"({x} / {literal(evaluate.PERIODS[period])})"
        phase = f"({literal(2 * math.pi)} * ({turns} - FLOOR({turns})))"
        terms += [f"{literal(weights[2 * k + 1])} * COS({phase})", f"{literal(weights[2 * k + 2])} * SIN({phase})"]
    # CASE inside of CASE: parts of a cell of another shape are no numbers
    return f"WHEN {said} GLOB {literal(shape)} THEN CASE WHEN {' AND '.join(valid)} THEN {' + '.join(terms)} END"


def _category(column: dict[str, Any], weights: list[float], said: str) -> str:
    rest = literal(weights[len(column["levels"])] if column["other"] else 0.0)
    pairs = list(zip(column["levels"], weights))
    if column["numeric"]:
        x = f"CAST({name(column['name'])} AS DOUBLE)"
        cases = " ".join(f"WHEN {x} = {literal(float(level))} THEN {literal(weight)}" for level, weight in pairs)
        return f"{cases} ELSE {rest}"
    cases = " ".join(f"WHEN {literal(level)} THEN {literal(weight)}" for level, weight in pairs)
    return f"ELSE CASE {said} {cases} ELSE {rest} END" if cases else f"ELSE {rest}"


TERMS = {"number": _number, "boolean": _boolean, "date": _date, "category": _category}


@contextmanager
def running(content: bytes, rule: dict[str, Any]) -> Iterator[Any]:
    """The query in SQLite, as a function of data frames."""
    database = sqlite3.connect(":memory:")

    def run(frame: Any) -> list[Any]:
        return run_query(content.decode(), rule, frame, database.execute, database.executemany)

    try:
        database.execute("SELECT LN(2), FLOOR(2.5)")
    except sqlite3.OperationalError as error:
        raise ImportError(
            f"this Python's SQLite lacks functions that the query needs: {error}. Add --unchecked."
        ) from error
    yield run
    database.close()


def run_query(query: str, rule: dict[str, Any], frame: Any, execute: Any, insert: Any) -> list[Any]:
    """The decisions of a query about a data frame, in a database given by two of its functions."""
    columns = [column["name"] for column in rule["columns"]]
    kinds = ["DOUBLE" if c in frame.columns and frame[c].dtype.is_numeric() else "TEXT" for c in columns]
    declared = ", ".join(f"{name(c)} {kind}" for c, kind in zip(columns, kinds, strict=True))
    execute(f"DROP TABLE IF EXISTS {name(TABLE)}")
    execute(f"CREATE TABLE {name(TABLE)} (linsep_row INTEGER, {declared})")
    cells = [
        [None if v is None or v != v else v if isinstance(v, int | float) and not isinstance(v, bool) else _words(v)
         for v in (frame[c].to_list() if c in frame.columns else [None] * frame.height)]
        for c in columns
    ]  # fmt: skip
    marks = ", ".join("?" * (len(columns) + 1))
    insert(f"INSERT INTO {name(TABLE)} VALUES ({marks})", list(zip(range(frame.height), *cells, strict=True)))
    decided = f"SELECT {free_name('prediction', rule)} FROM ({query.rstrip().rstrip(';')}) AS decided"
    found = execute(f"{decided} ORDER BY linsep_row").fetchall()
    labels = {int(label) if isinstance(label, bool) else label: label for label in rule["classes"]}
    return [labels.get(each, each) for (each,) in found]


def _words(cell: Any) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
