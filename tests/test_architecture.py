"""Short files and functions, few arguments, Numba and scikit-learn's private parts each in one file."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "linsep"
FILES = {str(file.relative_to(SOURCE)): file.read_text(encoding="utf-8") for file in sorted(SOURCE.rglob("*.py"))}
FUNCTIONS = [
    (name, node)
    for name, code in FILES.items()
    for node in ast.walk(ast.parse(code))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
]

# Offenders that are known, to be removed one by one: an entry that offends no more fails the test.
KNOWN = {
    "lines of a file": {
        "certificates/prove/margin.py",
        "estimators/sequences/classifier.py",
        "lifting/lift.py",
        "oracles/networks.py",
        "oracles/sequences.py",
    },
    "lines of a function": {
        "certificates/check/margin.py:check",
        "loop/learn.py:learn",
        "solvers/anderson/optimal.py:polish",
        "solvers/coordinate_ascent.py:ascent",
    },
    "positional parameters": {
        "inference/chain.py:whence",
        "inference/elimination.py:maximum",
        "inference/forest.py:rival",
        "loop/abreast.py:abreast",
        "loop/learn.py:_single_pass",
        "oracles/__init__.py:ellipsoids",
        "oracles/networks.py:move",
        "oracles/networks.py:weighted",
        "oracles/sequences.py:couple",
        "oracles/sequences.py:described",
        "oracles/sequences.py:emit",
        "oracles/sequences.py:enumerated",
        "oracles/sequences.py:gather",
        "oracles/sequences.py:trail",
        "plot/film.py:animate",
        "solvers/active_set.py:levels",
        "solvers/active_set.py:settle",
        "solvers/active_set.py:sift",
        "solvers/anderson/cone.py:bend",
        "solvers/anderson/cone.py:follow",
        "solvers/coordinate_ascent.py:ascend",
    },
    "numba": {
        "compiler.py",
        "reference.py",
    },
    "private parts of scikit-learn": {
        "bayes/_check.py",
        "bayes/classifier.py",
        "bayes/densities/gaussian.py",
        "bayes/densities/piecewise.py",
        "bayes/nearest.py",
        "estimators/_base.py",
        "estimators/_labelling.py",
        "estimators/_many.py",
        "estimators/anderson.py",
        "estimators/gradient_descent.py",
        "estimators/kozinec.py",
        "estimators/least_squares.py",
        "estimators/linear_machine.py",
        "estimators/maximum_margin.py",
        "estimators/network_classifier.py",
        "estimators/one_vs.py",
        "estimators/perceptron.py",
        "estimators/relaxation.py",
        "estimators/separability.py",
        "estimators/sequences/classifier.py",
        "estimators/structured_classifier.py",
        "lifting/lift.py",
        "risk/empirical.py",
        "risk/structural.py",
    },
    "not in a layer": {
        "compiler",
        "reference",
    },
}


def excused(name, node, word):
    """Whether the comment ``# word because: ...`` stands on a line of the signature, or above it or its decorators."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = FILES[name].splitlines()[max(first - 2, 0) : node.body[0].lineno - 1]
    return any(re.search(rf"# {word} because: \S", line) for line in lines)


def positional(node):
    """How many arguments may be passed by position; self and cls are not counted."""
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def uses(code):
    """Dotted names: ``from a import b`` and ``import a.b`` are a.b, and so is the attribute a.b."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def users(pattern, allowed):
    """Files that use names of this pattern, except the one that is allowed to."""
    return {name for name, code in FILES.items() if name != allowed and any(map(re.compile(pattern).match, uses(code)))}


def layers():
    """The packages and modules of the import contract, and its settings."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    named = next(contract["layers"] for contract in settings if contract["type"] == "layers")
    return set(re.findall(r"linsep\.(\w+)", " ".join(named))), settings


FOUND = {
    "lines of a file": {
        name
        for name, code in FILES.items()
        if len(code.splitlines()) > 400 and not re.search(r"^# long because: \S", code, re.M)
    },
    "lines of a function": {
        f"{name}:{node.name}"
        for name, node in FUNCTIONS
        if node.end_lineno - node.lineno >= 60 and not excused(name, node, "long")
    },
    "positional parameters": {
        f"{name}:{node.name}"
        for name, node in FUNCTIONS
        if positional(node) > 7 and not excused(name, node, "many arguments")
    },
    "numba": users(r"(numba|llvmlite)\b", "jit.py"),
    "private parts of scikit-learn": users(r"sklearn(\.\w+)*\._[a-z]", "estimators/_validation.py"),
    "not in a layer": {name.split("/")[0].removesuffix(".py") for name in FILES} - {"__init__"} - layers()[0],
}


@pytest.mark.parametrize("what", KNOWN)
def test_files_and_functions_are_small_and_private_parts_stay_in_their_place(what):
    found, known = FOUND[what], KNOWN[what]
    assert not found - known, f"{what}: shorten, or say why (see CONTRIBUTING.md): {sorted(found - known)}"
    assert not known - found, f"{what}: no longer an offence, delete from KNOWN: {sorted(known - found)}"


def test_the_import_contract_has_no_exceptions():
    assert all("ignore_imports" not in contract for contract in layers()[1])


def test_excuses_are_read():
    code = "# many arguments because: a test\ndef f(a, b, c, d, e, f, g, h):\n    pass\n"
    FILES["excused.py"] = code
    try:
        assert excused("excused.py", ast.parse(code).body[0], "many arguments")
        assert not excused("excused.py", ast.parse(code).body[0], "long")
        assert positional(ast.parse(code).body[0]) == 8
    finally:
        del FILES["excused.py"]
