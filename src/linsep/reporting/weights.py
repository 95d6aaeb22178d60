"""What the weights mean: each feature with its sign, its effect in units of the table, the rule as a formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..polynomial_function import PolynomialFunction, format_sum

SHORT = 12  # terms of a formula that is shown
KEPT = 500  # features in the JSON, the largest weights
YEAR = 365.2425  # days


class Feature(NamedTuple):
    """A column of X: its name, how much of the table's unit one unit of it is, and that unit in words."""

    name: str
    factor: float = 1.0  # weight x factor: the effect of one unit of the table
    unit: str = "per 1"
    term: str | None = None  # in a formula; None: too long for one
    shift: float = 0.0  # the feature is factor * (term - shift)


def table_features(schema: Any) -> list[Feature]:
    """The features of a table's schema."""
    return [feature for column in schema.columns for feature in _column_features(column)]


def _column_features(column: Any) -> list[Feature]:
    name, names = column.name, column.feature_names()
    if column.use == "number":
        if column.log:
            term = f"log(1 + {name}/{column.scale:g})"
            first = Feature(name, math.log(2), f"per doubling of {name} + {column.scale:g}", term)
        else:
            first = Feature(name, 1 / column.scale, f"per 1 of {name}", name, column.centre)
        return [first, *(Feature(each, 1.0, "if missing") for each in names[1:])]
    if column.use == "boolean":
        first = Feature(name, 1.0, f"if {column.yes}", f"[{name} = {column.yes}]")
        return [first, *(Feature(each, 1.0, "if missing") for each in names[1:])]
    if column.use == "date":
        first = Feature(name, YEAR / column.scale, "per year")
        rest = [
            Feature(each, 1.0, "if missing" if each.endswith("is missing") else "at its peak") for each in names[1:]
        ]
        return [first, *rest]
    if column.use == "category":
        levels = [f"{name} = {each.removeprefix(f'{name}=')}" for each in names]
        return [Feature(each, 1.0, f"if {level}", f"[{level}]") for each, level in zip(names, levels, strict=True)]
    words = {"hashed": "if its word is of this group", "text": "per unit of tf-idf"}
    return [Feature(each, 1.0, words.get(column.use, "per 1")) for each in names]


def plain_features(names: Sequence[str]) -> list[Feature]:
    """Columns that are numbers already."""
    return [Feature(str(name), 1.0, "per 1", str(name)) for name in names]


def weight_facts(model: Any, features: Sequence[Feature]) -> dict[str, Any] | None:
    """The weights, the largest first; None if the rule has no weights of its columns."""
    coef = getattr(model, "coef_", None)
    if not isinstance(coef, np.ndarray) or coef.ndim != 2 or len(coef) not in (1, len(model.classes_)):
        return None
    if coef.shape[1] != len(features):  # lifted
        names: Any = getattr(model, "get_feature_names_out", lambda given: ())([each.name for each in features])
        features = plain_features([str(name) for name in names])
    if coef.shape[1] != len(features):
        return None
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")
    return {
        "count": len(features),
        "zero": int((coef == 0).all(axis=0).sum()),
        "intercept": np.broadcast_to(model.intercept_, len(coef)).tolist(),
        "features": [
            {
                "feature": features[k].name,
                "weights": coef[:, k].tolist(),
                "effects": (coef[:, k] * features[k].factor).tolist(),
                "unit": features[k].unit,
            }
            for k in order[:KEPT]
        ],
    }


def write_formula(model: Any, features: Sequence[Feature]) -> list[str] | None:
    """The rule written out in the columns of the table, one line per function; None: it is too long."""
    coef, classes = getattr(model, "coef_", None), model.classes_
    if not isinstance(coef, np.ndarray) or coef.ndim != 2 or len(coef) not in (1, len(classes)):
        return None
    if coef.shape[1] == len(features):
        used = np.flatnonzero((coef != 0).any(axis=0)).tolist()
        if len(used) > SHORT or len(used) * len(coef) > 2 * SHORT or any(features[k].term is None for k in used):
            return None
        biases = np.broadcast_to(model.intercept_, len(coef))
        sums = [_sum(row, float(bias), features, used) for row, bias in zip(coef, biases, strict=True)]
    else:
        found = _polynomials(model, features)
        if found is None:
            return None
        sums = [each.to_string() for each in found]
    if len(sums) == 1:
        return [f"{classes[1]} if {sums[0]} > 0, else {classes[0]}"]
    return [f"{label}: {each}" for label, each in zip(classes.tolist(), sums, strict=True)] + ["the largest decides"]


def _sum(row: np.ndarray, bias: float, features: Sequence[Feature], used: list[int]) -> str:
    terms = []
    for k in used:
        feature = features[k]
        factor = 1.0 if "log(" in str(feature.term) else feature.factor
        terms.append((float(row[k]) * factor, str(feature.term)))
        bias -= float(row[k]) * factor * feature.shift
    return format_sum([*terms, (bias, "")])


def _polynomials(model: Any, features: Sequence[Feature]) -> list[PolynomialFunction] | None:
    """The polynomials of a lifted rule, with the names of the features."""
    try:
        found = model.as_polynomial()
    except (AttributeError, TypeError, ValueError):
        return None
    functions = list(found) if isinstance(found, tuple) else [found]
    if sum(len(each.terms) for each in functions) > 2 * SHORT or max(len(each.terms) for each in functions) > SHORT:
        return None
    names = tuple(each.name for each in features)
    return [replace(each, names=names) if len(each.names) == len(names) else each for each in functions]
