"""Risk: what a decision costs on average, how much more it may cost on new data, and which class of rules to take."""

from __future__ import annotations

from .ball import Ball, enclosing_ball
from .bound import VCBound, dimension_capacity, margin_capacity, vc_bound
from .empirical import empirical_risk
from .structural import Rung, StructuralRisk, Table

__all__ = [
    "Ball",
    "Rung",
    "StructuralRisk",
    "Table",
    "VCBound",
    "dimension_capacity",
    "empirical_risk",
    "enclosing_ball",
    "margin_capacity",
    "vc_bound",
]
