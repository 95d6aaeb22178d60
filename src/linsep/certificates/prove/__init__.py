"""Provers: they compute the bounds of a certificate, once, from the data."""

from __future__ import annotations

from ...protocols import CertifiedOracle, cached, declared, require
from .labelling import LabellingProver
from .margin import Outcome, RowProver, prove_margin
from .shards import ShardsProver

__all__ = ["LabellingProver", "Outcome", "RowProver", "prover_for", "prove_margin"]


@cached
def prover_for(oracle: type) -> type[RowProver] | type[LabellingProver]:
    """The class of provers for a class of oracles, of rows or of labellings."""
    if declared(oracle, "LABELLINGS"):
        return ShardsProver if declared(oracle, "IN_SHARDS") else LabellingProver
    require(oracle, CertifiedOracle)
    return RowProver
