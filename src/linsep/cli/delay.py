"""Packages that scikit-learn imports and hardly uses: here they are loaded when something of them is asked for.

They take more time than a short command. Only the command does this, never the library.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

SELDOM_USED = ("pandas", "scipy.stats")


class Delayed(ModuleType):
    """Stands for a module until something of it is asked for; from then on it has all that the module has."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        self.__dict__.update(vars(module))
        return getattr(module, name)


def delay_imports() -> None:
    """Delay the packages that are installed and not yet loaded."""
    for name in SELDOM_USED:
        parent = name.rpartition(".")[0]
        path = import_module(parent).__path__ if parent else None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and name not in sys.modules:
            sys.modules[name] = module = Delayed(name)
            module.__spec__ = spec
