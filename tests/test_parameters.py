"""One name, one meaning: public parameters and attributes against docs/parameters.md, which is made from docstrings.

``LINSEP_WRITE_PAGES=1 pytest tests/test_parameters.py`` writes the tables into the page; read the diff.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import linsep
from linsep.estimators._parameters import SHARED
from linsep.loop.stop import Stop

PAGE = Path(__file__).parents[1] / "docs" / "parameters.md"
FUNCTIONS = ("separability", "trace", "warm_up")
DATA = ("X", "y", "sample_weight")  # as for fit, wherever they occur
X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0], [0.0, 6.0], [1.0, 7.0]])
Y = np.array([0, 0, 1, 1, 2, 2])
EDGES = np.array([[0, 1], [1, 2]])

# Names that mean the same in several estimators, but take other values in each: described where they stand.
SAME_MEANING = {
    "centre": "Subtract the means.",
    "estimator": "The two-class estimator that is cloned and fitted.",
    "loss": "What a wrong decision costs.",
    "multi_class": "How many classes are learned.",
    "scoring": "What a fit is judged by.",
    "visits": "In which order rows are visited.",
    "margin": "The margin b: the score that every vector must exceed.",
    "method": "Which algorithm.",
    "rate": "The factor of an update or a step.",
    "scale": "Divide by the standard deviations.",
    "shrinkage": "How far estimated covariances are drawn towards spheres.",
    "tol": "How far apart the two bounds may be, relative to the upper one.",
}


class Described(NamedTuple):
    """An entry of a docstring."""

    values: str  # what stands behind the colon, without the default
    default: str | None
    meaning: str


def estimators() -> dict[str, type]:
    """The public estimators."""
    public = {name: getattr(linsep, name) for name in sorted(linsep.__all__)}
    return {name: each for name, each in public.items() if inspect.isclass(each) and issubclass(each, BaseEstimator)}


ESTIMATORS = estimators()
PUBLIC = {**ESTIMATORS, **{name: getattr(linsep, name) for name in FUNCTIONS}}


def entries(thing: Any, section: str) -> dict[str, Described]:
    """The entries of a section of a numpydoc docstring, by name; a line may name several."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?=\n\n\S|\n[A-Z]\w+\n-+\n|\Z)", inspect.getdoc(thing) or "", re.M | re.S)
    described: dict[str, Described] = {}
    for entry in re.split(r"\n(?=\S)", found[1].rstrip()) if found else []:
        head, _, body = entry.partition("\n")
        names, _, values = head.partition(" : ")
        kind = re.fullmatch(r"(.*?)(?:, default=(.*))?", values, re.S)
        for name in names.split(", "):
            described[name] = Described(kind[1], kind[2], " ".join(body.split()))
    return described


def parameters(thing: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a constructor or a function, data apart."""
    return {name: each for name, each in inspect.signature(thing).parameters.items() if name not in DATA}


def same_default(written: str | None, default: Any) -> bool:
    """Whether a docstring's default is that of the signature."""
    if default is inspect.Parameter.empty:
        return written is None
    if written is None:
        return False
    try:
        return ast.literal_eval(written) == default and type(ast.literal_eval(written)) is type(default)
    except (ValueError, SyntaxError):
        return written in (repr(default), getattr(default, "__name__", None))


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_described_on_its_own_line_with_type_and_default(name):
    described, problems = entries(PUBLIC[name], "Parameters"), []
    for each, parameter in parameters(PUBLIC[name]).items():
        entry = described.get(each)
        if entry is None:
            problems.append(f"{each}: not described")
        elif not entry.values or not entry.meaning:
            problems.append(f"{each}: no type or no meaning")
        elif not same_default(entry.default, parameter.default):
            problems.append(f"{each}: default={entry.default} in words, {parameter.default!r} in the signature")
    extra = set(described) - set(parameters(PUBLIC[name])) - set(DATA)
    assert not problems and not extra, f"{name}: {problems}, described but absent: {extra}"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_shared_parameters_take_the_shared_values(name):
    described = entries(ESTIMATORS[name], "Parameters")
    for each in set(parameters(ESTIMATORS[name])) & set(SHARED):
        shared = set(re.findall(r'"[^"]*"|\w+', SHARED[each].values))
        own = set(re.findall(r'"[^"]*"|\w+', described[each].values))
        assert own <= shared or own >= shared, f"{name}: {each} : {described[each].values}, not {SHARED[each].values}"


def test_a_name_in_several_estimators_has_one_meaning():
    users: dict[str, list[str]] = {}
    for name, kind in ESTIMATORS.items():
        for each in parameters(kind):
            users.setdefault(each, []).append(name)
    several = {each: used for each, used in users.items() if len(used) > 1}
    unknown = {each: used for each, used in several.items() if each not in SHARED and each not in SAME_MEANING}
    assert not unknown, f"neither in SHARED nor in SAME_MEANING: {unknown}"
    stale = {each for each in SAME_MEANING if each in SHARED or each not in users}
    assert not stale, f"no longer needed in SAME_MEANING: {stale}"
    assert set(SHARED) <= set(users)


WORDS = [X[:3], X[3:]], [list("aab"), list("bcc")]


def fitted(name: str) -> list[Any]:
    """Estimators fitted to a little data: one for each set of attributes."""
    kind, two, graphs = ESTIMATORS[name], (X[:4], Y[:4]), [(X[:3], EDGES), (X[3:], EDGES)]
    special = {
        "Anderson": lambda: [kind().fit_gaussians(X[[0, 2]], [1.0, 2.0], [0, 1])],
        "Functions": lambda: [kind([np.sin]).fit(X)],
        "GradientDescent": lambda: [kind().fit(*two)],
        "LeastSquares": lambda: [kind().fit(X, Y), kind("ho-kashyap").fit(*two)],
        "Lifted": lambda: [kind(linsep.Polynomial(2), linsep.Perceptron()).fit(*two)],
        "MaximumMargin": lambda: [
            *(kind(C).fit(*data) for C in (np.inf, 1.0) for data in (two, (X, Y))),
            kind(1.0, multi_class="one-vs-all").fit(X, Y),
        ],
        "MaximumMarginCV": lambda: [
            kind([1.0], cv=2, multi_class=way).fit(*data)
            for way, data in (("auto", two), ("auto", (X, Y)), ("one-vs-all", (X, Y)))
        ],
        "NetworkClassifier": lambda: [kind().fit(graphs, [[0, 0, 1], [1, 2, 2]])],
        "OneVsAll": lambda: [kind(linsep.MaximumMargin(C=1.0)).fit(X, Y)],
        "OneVsOne": lambda: [kind(linsep.MaximumMargin(C=1.0)).fit(X, Y)],
        "SequenceClassifier": lambda: [kind().fit(*WORDS), kind().fit(*WORDS, dev=WORDS)],
        "StructuredClassifier": lambda: [kind(lambda x, k: x * np.eye(2)[k], labels=[0, 1]).fit([1.0, -1.0], [0, 1])],
    }
    return special.get(name, lambda: [kind().fit(X, Y)])()


def attributes(estimator: Any) -> set[str]:
    """The public attributes of a fitted estimator that end in an underscore."""
    names = {name for name in dir(estimator) if name.endswith("_") and not name.startswith("_")}
    return {name for name in names if hasattr(estimator, name)} - {"feature_names_in_"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_fitted_attribute_is_described(name):
    described = set(entries(ESTIMATORS[name], "Attributes"))
    found = set().union(*map(attributes, fitted(name)))
    assert found - {"n_features_in_"} <= described, f"{name}: not described: {found - described}"
    assert described <= found | {"feature_names_in_"}, f"{name}: described but absent: {described - found}"


def test_an_attribute_in_several_estimators_has_one_type():
    kinds: dict[str, dict[str, list[str]]] = {}
    for name, kind in ESTIMATORS.items():
        for each, entry in entries(kind, "Attributes").items():
            if entry.values:
                kinds.setdefault(each, {}).setdefault(
                    entry.values.replace("ndarray", "array").split(" of shape")[0], []
                ).append(name)
    several = {each: found for each, found in kinds.items() if len(found) > 1}
    assert set(several) <= {"certificate_"}, several


# --- the page --------------------------------------------------------------------------------------------------------


def cell(words: str) -> str:
    """Words as they may stand in a table."""
    words = re.sub(r":math:`([^`]*)`", r"`\1`", words.replace("|", "\\|").replace("``", "`"))
    return re.sub(r"(?<!`)`(linsep\.\w+(?:\.\w+)*)`", r"`\1`", words)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(map(cell, line)) + " |\n" for line in lines)


def shown(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return "required"
    return "`" + (getattr(default, "__name__", None) or repr(default).replace("'", '"')) + "`"


def users_by_default(each: str) -> str:
    """The estimators with a parameter, by default."""
    by: dict[str, list[str]] = {}
    for name, kind in ESTIMATORS.items():
        if each in parameters(kind):
            by.setdefault(shown(parameters(kind)[each].default), []).append(name)
    return "; ".join(f"{default}: {', '.join(names)}" for default, names in by.items())


def tables() -> dict[str, str]:
    """The tables of the page, by their mark."""
    shared = [(f"`{each}`", one.values, one.meaning, users_by_default(each)) for each, one in sorted(SHARED.items())]
    own, functions = [], []
    for name, thing in PUBLIC.items():
        for each, parameter in parameters(thing).items():
            entry = entries(thing, "Parameters").get(each, Described("", "", ""))
            row = f"`{each}`", name, entry.values, shown(parameter.default), entry.meaning
            if name in FUNCTIONS:
                functions.append(row)
            elif each not in SHARED:
                own.append(row)
    comments = dict(re.findall(r"^    (\w+): .*?  # (.*)$", inspect.getsource(Stop), re.M))
    stop = [(f"`{f.name}`", str(f.type), shown(f.default), comments.get(f.name, "")) for f in dataclasses.fields(Stop)]
    several = [(f"`{each}`", meaning, users_by_default(each)) for each, meaning in sorted(SAME_MEANING.items())]
    attribute: dict[str, list[str]] = {}
    meaning: dict[str, Described] = {}
    for name in sorted(ESTIMATORS, key=lambda name: (name not in ("Perceptron", "OneVsAll"), name)):
        for each, entry in entries(ESTIMATORS[name], "Attributes").items():
            attribute.setdefault(each, []).append(name)
            if entry.values:
                meaning.setdefault(each, entry)
    learned = [
        (f"`{each}`", meaning[each].values, meaning[each].meaning, ", ".join(sorted(used)))
        for each, used in sorted(attribute.items())
    ]
    return {
        "shared": table(("parameter", "values", "meaning", "default: estimators"), shared),
        "several": table(("parameter", "meaning", "default: estimators"), several),
        "own": table(("parameter", "of", "values", "default", "meaning"), sorted(own)),
        "functions": table(("parameter", "of", "values", "default", "meaning"), functions),
        "stop": table(("field", "type", "default", "meaning"), stop),
        "attributes": table(("attribute", "type", "meaning", "estimators"), learned),
    }


def test_the_page_shows_what_the_code_says():
    page = PAGE.read_text(encoding="utf-8")
    made = page
    for mark, rows in tables().items():
        made = re.sub(
            rf"(<!-- {mark} -->\n)(.*?)(<!-- end -->)",
            lambda found, rows=rows: found[1] + rows + found[3],
            made,
            flags=re.S,
        )
    if os.environ.get("LINSEP_WRITE_PAGES"):
        PAGE.write_text(made, encoding="utf-8")
    else:
        assert made == page, "docs/parameters.md is behind: LINSEP_WRITE_PAGES=1 pytest tests/test_parameters.py"
