"""An estimator as plain data, as Python code, and back; only classes of this package, only literals."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

import linsep

NAMES = frozenset(
    [
        *("Perceptron", "AveragedPerceptron", "Relaxation", "Kozinec", "LinearMachine", "GradientDescent"),
        *("LeastSquares", "MaximumMargin", "OneVsAll", "OneVsOne", "Lifted", "Polynomial", "Quadratic", "Functions"),
        *("Anderson", "SequenceClassifier"),
    ]
)


def describe(estimator: Any) -> dict[str, Any]:
    """The name of the class and the parameters that are not the defaults.

    >>> from linsep import Perceptron
    >>> describe(Perceptron(margin=1.0))
    {'name': 'Perceptron', 'parameters': {'margin': 1.0}}
    """
    name = type(estimator).__name__
    if name not in NAMES or type(estimator) is not getattr(linsep, name):
        raise TypeError(f"rule: expected an estimator of linsep, one of {', '.join(sorted(NAMES))}, got {name}.")
    defaults = {key: each.default for key, each in inspect.signature(type(estimator)).parameters.items()}
    found = {}
    for key, value in estimator.get_params(deep=False).items():
        if not _same(value, defaults[key]):
            found[key] = _plain(key, value)
    return {"name": name, "parameters": found}


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and not hasattr(value, "shape") and value == default)


def _plain(key: str, value: Any) -> Any:
    if hasattr(value, "get_params"):
        return describe(value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(key, each) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise TypeError(f"{key}: a recording holds numbers, words and lists of them, got {value!r}.")


def code(described: Any) -> str:
    """The Python expression that makes the estimator again.

    >>> code({"name": "OneVsAll", "parameters": {"estimator": {"name": "Perceptron", "parameters": {"margin": 1.0}}}})
    'OneVsAll(estimator=Perceptron(margin=1.0))'
    """
    if not isinstance(described, dict):
        return repr(described)
    inside = ", ".join(f"{key}={_literal(value)}" for key, value in described["parameters"].items())
    return f"{described['name']}({inside})"


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return code(value)


def build(described: Any) -> Any:
    """The estimator itself; ``described`` was checked.

    >>> build({"name": "OneVsAll", "parameters": {"estimator": {"name": "Perceptron", "parameters": {"margin": 1.0}}}})
    OneVsAll(estimator=Perceptron(margin=1.0))
    """
    if isinstance(described, list):
        return [build(each) for each in described]
    if not isinstance(described, dict):
        return described
    return getattr(linsep, described["name"])(**{key: build(each) for key, each in described["parameters"].items()})


def names_in(described: Any) -> set[str]:
    """The classes that `code` needs."""
    if isinstance(described, list):
        return set().union(*map(names_in, described)) if described else set()
    if not isinstance(described, dict):
        return set()
    return {described["name"]}.union(*map(names_in, described["parameters"].values()))


def check_described(described: Any, depth: int = 0) -> None:
    """Refuse what `describe` does not write: other classes, names that are no names, anything but literals."""
    if depth > 4 or not isinstance(described, dict) or not {"name", "parameters"} <= set(described):
        raise ValueError("rule: expected a name and parameters.")
    if described["name"] not in NAMES or not isinstance(described["parameters"], dict):
        raise ValueError(f"rule: expected the name of an estimator of linsep, got {str(described['name'])[:60]!r}.")
    for key, value in described["parameters"].items():
        if not key.isidentifier():
            raise ValueError(f"rule: expected the name of a parameter, got {key[:60]!r}.")
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                check_described(each, depth + 1)
            elif not (each is None or isinstance(each, bool | int | float | str)):
                raise ValueError(f"rule: {key}: expected numbers and words.")
