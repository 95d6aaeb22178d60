"""Certificates as plain data: numbers, strings and lists, which JSON can hold, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self

import numpy as np


class Plain:
    """A dataclass of numbers, strings, arrays (their default has their type) and ``classes``, a tuple of labels."""

    classes: tuple

    def to_dict(self) -> dict[str, Any]:
        """Numbers, strings and lists only: what JSON can hold."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        for name, value in plain.items():
            if isinstance(value, np.ndarray):
                plain[name] = value.tolist()
        plain["classes"] = [getattr(label, "item", lambda label=label: label)() for label in self.classes]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The certificate that `to_dict` wrote."""
        kept = dict(plain)
        for f in fields(cls):  # type: ignore[arg-type]
            default = f.default_factory() if callable(f.default_factory) else None
            if isinstance(default, np.ndarray) and f.name in plain:
                kept[f.name] = np.asarray(plain[f.name], dtype=default.dtype)
        kept["classes"] = tuple(plain["classes"])
        return cls(**kept)
