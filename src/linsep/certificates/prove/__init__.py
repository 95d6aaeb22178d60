"""Provers: they compute the bounds of a certificate, once, from the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...protocols import Oracle, declared
from .labelling import LabellingProver
from .margin import Outcome, RowProver, prove_margin

__all__ = ["LabellingProver", "Outcome", "RowProver", "make_prover", "prove_margin"]


def make_prover(parts: Sequence[Any]) -> RowProver | LabellingProver:
    """The prover for oracles of rows or of labellings."""
    return LabellingProver(parts) if declared(type(parts[0]), Oracle, "LABELLINGS") else RowProver(parts)
