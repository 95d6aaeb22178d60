"""Risk: the mean loss of decisions, a bound of it on new data, and the choice between classes of rules."""

from __future__ import annotations

from ..rows.ball import Ball, enclosing_ball
from .bound import VCBound, vc_bound
from .capacity import Capacity, compute_capacity, dimension_capacity, margin_capacity
from .empirical import empirical_risk
from .risk_table import RiskTable, Rung
from .spans import SpanScores, bio_forbidden, bio_spans, span_scores
from .structural import StructuralRisk

__all__ = [
    "Ball", "Capacity", "RiskTable", "Rung", "SpanScores", "StructuralRisk", "VCBound", "bio_forbidden", "bio_spans",
    "compute_capacity", "dimension_capacity", "empirical_risk", "enclosing_ball", "margin_capacity", "span_scores",
    "vc_bound",
]  # fmt: skip
