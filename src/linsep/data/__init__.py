"""Datasets: files of any size as rows, in memory that is bounded. `linsep.open_dataset` makes a `Dataset`."""

from .dataset import Dataset, Part
from .errors import DataError
from .open import open_dataset

__all__ = ["DataError", "Dataset", "Part", "open_dataset"]
