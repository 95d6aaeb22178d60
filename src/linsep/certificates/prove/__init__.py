"""Provers: they compute the bounds of a certificate, once, from the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...protocols import CertifiedOracle, declared, require
from .labelling import LabellingProver
from .margin import Outcome, RowProver, prove_margin

__all__ = ["LabellingProver", "Outcome", "RowProver", "make_prover", "prove_margin"]


def make_prover(parts: Sequence[Any]) -> RowProver | LabellingProver:
    """The prover for oracles of rows or of labellings."""
    if declared(type(parts[0]), "LABELLINGS"):
        return LabellingProver(parts)
    for part in parts:
        require(type(part), CertifiedOracle)  # type: ignore[arg-type]  # classes are hashable
    return RowProver(parts)
