"""A model with the preprocessing of its table as one plain object: what all exports are made from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..data.columns.cells import MISSING, YES_NO
from ..data.columns.kinds import Number
from . import evaluate
from .lift import make_lift

FORMAT, VERSION = "linsep rule", 1
DROPPED = ("words",)  # of columns: for people only


def make_rule(model: Any, schema: Any) -> dict[str, Any]:
    """The rule of a linear model: classes, intercepts, and for each column how it is read and its weights.

    ``weights`` of a column has one list per feature, with one number per function g.
    """
    require_linear(model)
    lift = make_lift(model)
    if lift is None:
        coef = np.asarray(model.coef_, dtype=np.float64)
        intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef))
    else:  # one function for each feature
        coef, intercept = np.eye(len(lift["centre"])), np.zeros(len(lift["centre"]))
    columns, at = [], 0
    for column in columns_of(schema):
        count = len(column.feature_names())
        if column.use == "ignore":
            continue
        plain = {key: value for key, value in column.as_dict().items() if key not in DROPPED}
        if column.use == "boolean":
            plain["no"] = next(iter(next(pair for pair, yes in YES_NO.items() if yes == column.yes) - {column.yes}))
        if column.use == "category":
            plain["numeric"] = bool(column.levels) and all(_is_canonical(level) for level in column.levels)
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}
        columns.append({**plain, "weights": coef[:, at : at + count].T.tolist()})
        at += count
    if at != coef.shape[1]:
        raise ValueError(f"export: the columns make {at} features, the rule has {coef.shape[1]} weights.")
    return {
        "format": FORMAT, "version": VERSION, "classes": model.classes_.tolist(), "intercept": intercept.tolist(),
        "missing": list(MISSING), "columns": columns, **({} if lift is None else {"lift": lift}),
    }  # fmt: skip


def answers(rule: dict[str, Any]) -> list[float]:
    """The intercepts of the functions that decide."""
    return list(rule.get("lift", rule)["intercept"])


def free_name(wanted: str, rule: dict[str, Any]) -> str:
    """A name of an answer that no column of the table has, in any case of letters, for SQL does not tell them apart.

    >>> free_name("prediction", {"columns": [{"name": "Prediction"}]})
    'prediction_'
    """
    taken = {column["name"].casefold() for column in rule["columns"]}
    while wanted.casefold() in taken:
        wanted += "_"
    return wanted


def _is_canonical(level: str) -> bool:
    """Whether a level is a number as linsep writes it."""
    return bool(evaluate.NUMBER.fullmatch(level)) and evaluate.word(float(level), {}) == level


def columns_of(schema: Any) -> list[Any]:
    """The columns of a table's schema; of rows that are numbers already one column for each."""
    if hasattr(schema, "columns"):
        return list(schema.columns)
    return [Number(f"x{k}") for k in range(schema.base, schema.base + schema.n_features)]


def require_linear(model: Any) -> None:
    """Refuse rules that are not the largest of linear functions."""
    name, coef = type(model).__name__, getattr(model, "coef_", None)
    if not isinstance(coef, np.ndarray) or coef.ndim != 2 or len(coef) != len(model.classes_) - (len(coef) == 1):
        raise ValueError(f"export: expected a linear rule with one function per class, got {name}.")
    X = np.random.RandomState(0).normal(size=(50, model.n_features_in_))
    phi = model.lift_.transform(X) if hasattr(model, "lift_") else X
    g = phi @ coef.T + model.intercept_
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        decided = model.predict(X)
    said = model.classes_[(g[:, 0] > 0).astype(int) if len(coef) == 1 else g.argmax(axis=1)]
    if not np.array_equal(said, decided):
        raise ValueError(f"export: {name} does not decide by the largest of its functions, but by votes.")
