"""The classes that a model file may name, and how an object is taken apart and made again.

An object is its class and its values: the fields of a named tuple or dataclass, or the attributes of an instance. They
are set without running the constructor; then types are compared with the annotations of the class, and its own
``_check_loaded`` compares shapes. A few classes of other packages are made by their constructors instead.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

HOME = {  # of the classes that may be in a file
    "estimators.anderson": "Anderson Estimation",
    "estimators.averaged_perceptron": "AveragedPerceptron",
    "estimators.gradient_descent": "GradientDescent",
    "estimators.kozinec": "Kozinec",
    "estimators.least_squares": "LeastSquares",
    "estimators.linear_machine": "LinearMachine",
    "estimators.maximum_margin": "MaximumMargin",
    "estimators.maximum_margin_cv": "MaximumMarginCV",
    "estimators.network_classifier": "NetworkClassifier",
    "estimators.one_vs": "OneVsAll OneVsOne",
    "estimators.perceptron": "Perceptron",
    "estimators.relaxation": "Relaxation",
    "estimators.sequences.classifier": "SequenceClassifier",
    "estimators.sequences.reader": "Reader",
    "estimators.sequences.templates": "Atom Templates Values",
    "estimators.structured_classifier": "StructuredClassifier",
    "estimators._scale": "Scale",
    "lifting": "Functions Lifted Polynomial Quadratic",
    "bayes": "Bayes Gaussian Mahalanobis Model NearestMean Parzen PiecewiseConstant Rayleigh Strategy Uniform",
    "bayes.discriminant": "CentredDiscriminant Discriminant",
    "solvers.anderson.moments": "Moments",
    "solvers.least_squares": "Triangle",
    "solvers.ridge": "NormalEquations",
    "loop.keep": "Average Last Pocket",
    "loop.passes": "State",
    "loop.sweep": "Counters",
    "oracles.points": "Dense Sparse",
    "oracles.sequences": "Chain",
    "rules": "Increment Nearest Relaxation Scheduled",
    "targets": "EpsOptimal Margin",
}  # fmt: skip
COMPONENTS = ("rules", "targets")  # named with their module: an estimator may have the same name
KINDS = {
    f"{home}.{name}" if home in COMPONENTS else name: f"linsep.{home}"
    for home, names in HOME.items()
    for name in names.split()
}
KINDS |= {"StandardScaler": "sklearn.preprocessing", "PolynomialFeatures": "sklearn.preprocessing"}
KINDS |= {"KDTree": "sklearn.neighbors", "RandomState": "numpy.random"}


def find_class(name: str) -> type:
    """The class of a name that a file may have; nothing else is ever imported."""
    if name not in KINDS:
        raise ValueError(f"expected a class that model files may name, got {name!r:.80}.")
    return getattr(import_module(KINDS[name]), name.rpartition(".")[2])


def find_name(kind: type) -> str | None:
    """The name of a class in files; None: it is not stored."""
    names = (kind.__name__, *(f"{module}.{kind.__name__}" for module in COMPONENTS))
    return next((name for name in names if name in KINDS and find_class(name) is kind), None)


def take_apart(thing: Any) -> dict[str, Any]:
    """The values that an object is made of."""
    kind = type(thing)
    if kind.__name__ in MADE:
        return MADE[kind.__name__].take_apart(thing)
    if isinstance(thing, tuple):
        return dict(zip(kind._fields, thing, strict=True))
    return dict(vars(thing))


def make(name: str, values: dict[str, Any], kind: type | None = None) -> Any:
    """The object of a class with these values, checked; ``kind`` is the class if not the one of this name."""
    kind = kind or find_class(name)
    if name in MADE:
        return MADE[name].make(**values)
    if issubclass(kind, tuple) or is_dataclass(kind):
        thing: Any = kind(**values)
    else:
        thing = kind.__new__(kind)
        for attribute in values:
            if not attribute.isidentifier() or attribute.startswith("__") or _is_code(kind, attribute):
                raise ValueError(f"{name}: expected names of values, got {attribute!r:.80}.")
        vars(thing).update(values)
        for parameter, default in _defaults(kind).items():
            vars(thing).setdefault(parameter, default)
    check_types(thing, values)
    if hasattr(thing, "_check_loaded"):
        thing._check_loaded()
    return thing


def _is_code(kind: type, attribute: str) -> bool:
    """Whether the class has a method, a property or a class of this name."""
    found = inspect.getattr_static(kind, attribute, None)
    return callable(found) or hasattr(found, "__get__")


def _defaults(kind: type) -> dict[str, Any]:
    """The defaults of an estimator's parameters: a file that was written before one existed has none for it."""
    if not hasattr(kind, "get_params"):
        return {}
    parameters = inspect.signature(kind).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}


def check_types(thing: Any, names: Iterable[str]) -> None:
    """Raise a ValueError if a value is not of the type that its class declares."""
    hints = get_type_hints(type(thing))
    for name in names:
        if name in hints and not fits(getattr(thing, name), hints[name]):
            found = type(getattr(thing, name)).__name__
            raise ValueError(f"{type(thing).__name__}.{name}: expected {hints[name]}, got {found}.")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type; what containers contain is not looked at.

    >>> fits(1, float), fits("1", float), fits(None, int | None), fits([1], list[str])
    (True, False, True, True)
    """
    origin = get_origin(hint) or hint
    if origin is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(hint))
    if origin is float:
        return isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    return isinstance(value, int | np.integer) if origin is int else isinstance(value, origin)


# --- classes of other packages, made by their constructors -----------------------------------------------------------


class Made(NamedTuple):
    """How objects of a class are taken apart and made again."""

    take_apart: Any
    make: Any


def _make_tree(data: np.ndarray, leaf_size: int, sample_weight: np.ndarray | None) -> Any:
    return find_class("KDTree")(data, leaf_size=leaf_size, sample_weight=sample_weight)


def _take_products(products: Any) -> dict[str, Any]:
    return {name: getattr(products, name) for name in ("degree", "n_features_in_")}


def _make_products(degree: int, n_features_in_: int) -> Any:
    if not (0 < degree <= 1000 and 0 < n_features_in_ <= 1_000_000):
        raise ValueError(f"PolynomialFeatures: degree {degree} of {n_features_in_} variables.")
    products = find_class("PolynomialFeatures")(degree, include_bias=False).set_output(transform="default")
    return products.fit(np.zeros((1, n_features_in_)))


def _make_generator(key: np.ndarray, position: int, gauss: float | None) -> np.random.RandomState:
    if not 0 <= position <= 624:
        raise ValueError(f"RandomState: position: expected 0 ... 624, got {position}.")
    generator = np.random.RandomState(0)
    generator.set_state(("MT19937", key, position, int(gauss is not None), gauss or 0.0))
    return generator


def _take_generator(generator: np.random.RandomState) -> dict[str, Any]:
    name, key, position, has_gauss, gauss = generator.get_state()
    if name != "MT19937":
        raise TypeError(f"random_state: expected a RandomState of MT19937, got {name}.")
    return {"key": key, "position": position, "gauss": gauss if has_gauss else None}


def _take_tree(tree: Any) -> dict[str, Any]:
    weight = tree.sample_weight
    return {"data": np.array(tree.data), "leaf_size": 40, "sample_weight": None if weight is None else np.array(weight)}


MADE = {
    "KDTree": Made(_take_tree, _make_tree),
    "PolynomialFeatures": Made(
        lambda it: {name: getattr(it, name) for name in ("degree", "n_features_in_")}, _make_products
    ),
    "RandomState": Made(_take_generator, _make_generator),
}
