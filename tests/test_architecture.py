"""Short files and functions, few arguments, Numba and scikit-learn's private parts each in one file."""

import ast
import os
import re
import subprocess
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
KNOWN: dict[str, set[str]] = {
    "lines of a file": set(),
    "lines of a function": set(),
    "positional parameters": set(),
    "numba": set(),
    "private parts of scikit-learn": set(),
    "not in a layer": set(),
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


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_an_edit_of_anything_that_is_compiled_gets_a_new_cache():
    counted = subprocess.run([ROOT / "script" / "numba-cache", "--sources"], capture_output=True, text=True, check=True)
    counted = {line.removeprefix("src/linsep/") for line in counted.stdout.splitlines()}
    compiling = {
        name
        for name, code in FILES.items()
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and {each.name for each in node.names} & {"compiled", "component"}
    }
    assert len(compiling) > 40 and compiling <= counted
    assert "cli/app.py" not in counted and "plot/plane.py" not in counted


def test_excuses_are_read():
    code = "# many arguments because: a test\ndef f(a, b, c, d, e, f, g, h):\n    pass\n"
    FILES["excused.py"] = code
    try:
        assert excused("excused.py", ast.parse(code).body[0], "many arguments")
        assert not excused("excused.py", ast.parse(code).body[0], "long")
        assert positional(ast.parse(code).body[0]) == 8
    finally:
        del FILES["excused.py"]
