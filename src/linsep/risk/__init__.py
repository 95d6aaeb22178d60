"""Risk: the mean loss of decisions, a bound of it on new data, and the choice between classes of rules."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..rows.ball import Ball as Ball
    from ..rows.ball import enclosing_ball as enclosing_ball
    from .bound import VCBound as VCBound
    from .bound import vc_bound as vc_bound
    from .capacity import Capacity as Capacity
    from .capacity import compute_capacity as compute_capacity
    from .capacity import dimension_capacity as dimension_capacity
    from .capacity import margin_capacity as margin_capacity
    from .empirical import empirical_risk as empirical_risk
    from .risk_table import RiskTable as RiskTable
    from .risk_table import Rung as Rung
    from .spans import SpanScores as SpanScores
    from .spans import SpanTable as SpanTable
    from .spans import bio_forbidden as bio_forbidden
    from .spans import bio_spans as bio_spans
    from .spans import span_scores as span_scores
    from .structural import StructuralRisk as StructuralRisk

# Where a name lives. It is imported when it is asked for: who labels sequences does not wait for scikit-learn.
_HOME = {
    "Ball": "..rows.ball",
    "Capacity": ".capacity",
    "RiskTable": ".risk_table",
    "Rung": ".risk_table",
    "SpanScores": ".spans",
    "SpanTable": ".spans",
    "StructuralRisk": ".structural",
    "VCBound": ".bound",
    "bio_forbidden": ".spans",
    "bio_spans": ".spans",
    "compute_capacity": ".capacity",
    "dimension_capacity": ".capacity",
    "empirical_risk": ".empirical",
    "enclosing_ball": "..rows.ball",
    "margin_capacity": ".capacity",
    "span_scores": ".spans",
    "vc_bound": ".bound",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """A name that is asked for the first time."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOME[name], __name__), name)
    return found
