"""Malformed arrays at every public entry, in a process of its own: one sentence each, never a signal."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from . import damage
from .tally import Tally

MEMORY = 8 * 2**30  # bytes of address space
PARTS = "rows", "structures", "entries", "functions", "collections"
REFUSE, READ, EITHER = "refuse", "read", "either"
OF_ROWS = (
    "predict", "decision_function", "distance", "predict_proba", "predict_log_proba", "risks", "votes", "ambiguous",
    "transform",
)  # fmt: skip


class Case(NamedTuple):
    """A call with arrays that must be refused with one sentence, or read."""

    entry: str
    kind: str
    expected: str
    call: Callable[[], Any]


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Good rows of two classes: 10 x 3, all different, small quarters."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 30, (10, 3)) / 4
    y = np.arange(10) % 2
    return X + 3.0 * y[:, None], y


def estimators() -> dict[str, Any]:
    """Every estimator of rows, with small budgets."""
    import linsep as ls
    from linsep.risk import StructuralRisk

    plain = {"max_iter": 20}
    return {
        "Perceptron": ls.Perceptron(**plain),
        "AveragedPerceptron": ls.AveragedPerceptron(**plain),
        "Perceptron(batch)": ls.Perceptron(batch=True, **plain),
        "Relaxation": ls.Relaxation(**plain),
        "Kozinec": ls.Kozinec(**plain),
        "LinearMachine": ls.LinearMachine(**plain),
        "MaximumMargin": ls.MaximumMargin(),
        "MaximumMargin(C=1)": ls.MaximumMargin(C=1.0),
        "LeastSquares": ls.LeastSquares("pinv"),
        "LeastSquares(ridge)": ls.LeastSquares(),
        "LeastSquares(lms)": ls.LeastSquares("lms", **plain),
        "LeastSquares(ho-kashyap)": ls.LeastSquares("ho-kashyap", **plain),
        "GradientDescent": ls.GradientDescent(**plain),
        "MaximumMarginCV": ls.MaximumMarginCV([0.1, 1.0], cv=2),
        "Anderson": ls.Anderson(shrinkage=0.1),
        "Bayes": ls.Bayes(),
        "NearestMean": ls.NearestMean(),
        "Mahalanobis": ls.Mahalanobis(),
        "OneVsAll": ls.OneVsAll(ls.Perceptron(**plain)),
        "OneVsOne": ls.OneVsOne(ls.Perceptron(**plain)),
        "Lifted": ls.Lifted(ls.Quadratic(), ls.Perceptron(**plain)),
        "StructuralRisk": StructuralRisk(
            [ls.Perceptron(**plain), ls.MaximumMargin(C=1.0)], choose="cross-validation", cv=2
        ),
    }


def row_cases() -> Iterator[Case]:
    """Rows, labels and weights at every method of every estimator, and at functions of rows."""
    from sklearn.base import clone
    from sklearn.utils import get_tags

    import linsep as ls
    from linsep.oracles import classes, points

    X, y = rows()
    for name, rule in estimators().items():
        sparse = READ if get_tags(rule).input_tags.sparse else EITHER
        fitted = clone(rule).fit(X, y)
        takes_weight = name not in ("NearestMean", "Mahalanobis", "StructuralRisk")
        methods: dict[str, Callable] = {"fit": clone(rule).fit}
        if hasattr(rule, "partial_fit"):
            methods["partial_fit"] = lambda X, y, *rest, rule=rule: clone(rule).partial_fit(X, y, [0, 1], *rest)
            methods["partial_fit again"] = lambda X, y, *rest, rule=rule: (
                clone(rule).partial_fit(*rows(), [0, 1]).partial_fit(X, y, None, *rest)
            )
        if hasattr(fitted, "check"):
            methods["check"] = lambda X, y, *rest, rule=fitted: _require(rule.check(X, y, *rest))
        if hasattr(fitted, "losses"):
            methods["losses"] = lambda X, y, *rest, rule=fitted: rule.losses(X, y)
        if hasattr(rule, "path"):
            methods["path"] = lambda X, y, *rest, rule=rule: clone(rule).path(X, y, [0.1, 1.0], *rest)
        for method, call in methods.items():
            first = method in ("fit", "partial_fit", "path")
            weighted = takes_weight and method != "losses"
            yield from with_labels(f"{name}.{method}", call, X, y, sparse, first, weighted)
        for method in OF_ROWS:
            if hasattr(fitted, method):
                yield from rows_only(f"{name}.{method}", getattr(fitted, method), X, sparse)
    yield from with_labels("separability", ls.separability, X, y, READ, True, True)
    for name, call in {"points": lambda X: points(X, 2 * y - 1), "classes": lambda X: classes(X, y, 2)}.items():
        for case in rows_only(name, call, X, READ, first=True):  # factories may ask for arrays of numbers
            yield case._replace(expected=EITHER) if case.kind in ("objects", "lists", "frame") else case


def _require(verdict: Any) -> Any:
    """A verdict that is false is as good as a refusal."""
    if not verdict:
        raise ValueError("The certificate is WRONG.")
    return verdict


def rows_only(entry: str, call: Callable, X: np.ndarray, sparse: str, first: bool = False) -> Iterator[Case]:
    for kind, make in damage.ROWS.items():
        expected = EITHER if first and kind in damage.AFTER_FIT else REFUSE
        yield Case(entry, kind, expected, lambda make=make: call(make(X)))
    for kind, make in damage.GOOD_ROWS.items():
        yield Case(entry, kind, READ, lambda make=make: call(make(X)))
    for kind, make in damage.GOOD_SPARSE.items():
        yield Case(entry, kind, sparse, lambda make=make: call(make(X)))


# many arguments because: one line per estimator says what holds for it
def with_labels(entry: str, call: Callable, X, y, sparse: str, first: bool, weighted: bool) -> Iterator[Case]:
    check = entry.endswith("check")
    for case in rows_only(entry, lambda X: call(X, y), X, sparse, first):
        yield case._replace(expected=EITHER) if check and case.expected == READ and case.kind != "as they are" else case
    for kind, make in damage.LABELS.items():
        partial = kind == "one class" and not (first and "partial_fit" not in entry)
        yield Case(entry, kind, EITHER if partial else REFUSE, lambda make=make: call(X, make(y)))
    if weighted:
        for kind, make in damage.WEIGHTS.items():
            partial = kind == "weights zero in a class" and "partial_fit" in entry
            yield Case(entry, kind, EITHER if partial else REFUSE, lambda make=make: call(X, y, make(y)))


def all_cases(part: str) -> Iterator[Case]:
    """All cases of rows or of structures, always in the same order."""
    from .malformed_collections import collection_cases
    from .malformed_entries import entry_cases
    from .malformed_functions import function_cases
    from .malformed_structures import structure_cases

    found = {
        "rows": row_cases, "structures": structure_cases, "entries": entry_cases, "functions": function_cases,
        "collections": collection_cases,
    }  # fmt: skip
    return found[part]()


def entry_name(entry: str) -> str:
    """The public name that an entry is about."""
    return entry.split(".")[0].split("(")[0]


def try_case(case: Case) -> str:
    """What is wrong with the answer of a case, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case.call()
        except (ValueError, TypeError) as error:
            if case.expected == READ:
                return f"refused: {type(error).__name__}: {error}"
            message = str(error)
            if not message.strip() or "\n" in message.strip():
                return f"expected one sentence, got {type(error).__name__}: {message[:200]!r}"
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]!r}"
    return "accepted" if case.expected == REFUSE else ""


def child(part: str, start: int, stride: int) -> None:
    """Try cases, telling before each which one it is."""
    out = os.fdopen(os.dup(1), "w")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what asks for more is refused, not fed
    for number, case in enumerate(all_cases(part)):
        if start <= number and number % stride == start % stride:
            print(f"{number}\t{case.entry}\t{case.kind}", file=out, flush=True)
            said = " ".join(try_case(case).split())
            print(f"\t{said}", file=out, flush=True)
    print("end", file=out, flush=True)


def attack(seed: int, tally: Tally, stride: int = 1) -> None:
    """All cases, or every ``stride``-th, from the seed on."""
    for part in PARTS:
        start: int | None = seed % stride
        while start is not None:
            start = _run_child(part, start, stride, tally)


def _run_child(part: str, start: int, stride: int, tally: Tally) -> int | None:
    """Cases from ``start`` on in one process; where to go on after a crash, None at the end."""
    command = [sys.executable, "-m", "attack.malformed", part, str(start), str(stride)]
    entry, kind, number = f"malformed {part}", "before the first case", None
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "env": environment}
    with subprocess.Popen(command, **pipes) as process:
        for line in process.stdout:
            fields = line.rstrip("\n").split("\t")
            if fields == ["end"]:
                return None
            if fields[0]:
                number, entry, kind = int(fields[0]), fields[1], fields[2]
                continue
            tally.problems[f"malformed: {entry.split('.')[0].split('(')[0]}"] += 1
            if fields[1]:
                tally.fail("malformed", entry, f"{kind}: {fields[1]}")
    tally.fail("crash", entry, f"{kind}: exit code {process.returncode}")
    return None if number is None else number + stride


if __name__ == "__main__":
    import_module("attack.malformed").child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
