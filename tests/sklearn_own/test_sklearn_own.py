"""scikit-learn's own tests, run with our classes in place of theirs; see the table for what is left out, and why."""

from __future__ import annotations

import importlib.util
import inspect
import re
import types
from contextlib import ExitStack
from importlib import import_module
from unittest import mock

import pytest

from sklearn_own.table import EXCEPTIONS, FILES

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def global_random_seed():
    return 42


def load(name: str) -> types.ModuleType:
    """A test file of scikit-learn, with our classes under their names."""
    spec = importlib.util.find_spec(name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with ExitStack() as stack:
        for theirs, ours in FILES[name].items():
            place, _, attribute = theirs.rpartition(".")
            stack.enter_context(mock.patch.object(import_module(place), attribute, ours))
        spec.loader.exec_module(module)
    for attribute, value in list(vars(module).items()):  # modules that are asked at the time of the call
        if isinstance(value, types.ModuleType):
            here = {theirs.rpartition(".")[2]: ours for theirs, ours in FILES[name].items()
                    if theirs.rpartition(".")[0] == value.__name__}  # fmt: skip
            if here:
                setattr(module, attribute, types.SimpleNamespace(**{**vars(value), **here}))
    return module


def about_ours(name: str, function) -> bool:
    """Whether a test is about a class that has a counterpart."""
    text = inspect.getsource(function)
    marks = " ".join(repr(mark.args) for mark in getattr(function, "pytestmark", []))
    names = [theirs.rpartition(".")[2] for theirs in FILES[name]]
    return any(re.search(rf"\b(Sparse)?{each}\b", text + marks) for each in names)


def collect() -> dict[str, object]:
    """Their tests as ours, named after their files; exceptions are skipped, with their reason."""
    found: dict[str, object] = {}
    for name in FILES:
        short = name.rpartition(".")[2].removeprefix("test_")
        for attribute, value in vars(load(name)).items():
            if attribute.startswith("test_") and inspect.isfunction(value) and about_ours(name, value):
                key = f"{short}::{attribute}"
                reason = EXCEPTIONS.get(key)
                marked = pytest.mark.skip(reason=reason)(value) if reason else value
                found[f"test_{short}__{attribute.removeprefix('test_')}"] = marked
    return found


TESTS = collect()
globals().update(TESTS)


def test_every_exception_is_a_test():
    names = {key.replace("::test_", "__") for key in EXCEPTIONS}
    assert names <= {name.removeprefix("test_") for name in TESTS}
