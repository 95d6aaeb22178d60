"""Datasets: files of any size as rows, in memory that is bounded. `linsep.open_dataset` makes a `Dataset`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dataset import Dataset, Part
    from .errors import DataError
    from .open import open_dataset

__all__ = ["DataError", "Dataset", "Part", "open_dataset"]
_HOME = {"DataError": "errors", "Dataset": "dataset", "Part": "dataset", "open_dataset": "open"}


def __getattr__(name: str) -> Any:
    """A name that is asked for the first time: who reads sentences needs no datasets of rows."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return found
