"""Risk: what a decision costs on average, how much more it may cost on new data, and which class of rules to take."""

from __future__ import annotations

from .ball import Ball, enclosing_ball
from .bound import VCBound, vc_bound
from .capacity import Capacity, capacity_of, dimension_capacity, margin_capacity
from .empirical import empirical_risk
from .spans import Spans, bio_forbidden, span_scores, spans
from .structural import StructuralRisk
from .table import Rung, Table

__all__ = [
    "Ball",
    "Capacity",
    "Rung",
    "Spans",
    "StructuralRisk",
    "Table",
    "VCBound",
    "bio_forbidden",
    "capacity_of",
    "dimension_capacity",
    "empirical_risk",
    "enclosing_ball",
    "margin_capacity",
    "span_scores",
    "spans",
    "vc_bound",
]
