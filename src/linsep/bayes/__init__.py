"""Decisions of minimal risk given class densities (A1, A2): strategies, probability tables, Gaussian and other models.

``Parzen`` is imported on first use: importing scikit-learn's neighbours takes a quarter of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .classifier import Bayes
from .densities.gaussian import Gaussian
from .densities.piecewise import PiecewiseConstant
from .densities.rayleigh import Rayleigh
from .densities.uniform import Uniform
from .discriminant import Discriminant, compute_discriminant
from .hyperplane import hyperplane_errors
from .model import Model
from .monte_carlo import RiskEstimate, monte_carlo_risk
from .nearest_mean import Mahalanobis, NearestMean
from .probability_table import ProbabilityTable
from .strategy import Strategy

if TYPE_CHECKING:
    from .densities.parzen import Parzen

__all__ = [
    "Bayes", "Discriminant", "Gaussian", "Mahalanobis", "Model", "NearestMean", "Parzen", "PiecewiseConstant",
    "ProbabilityTable", "Rayleigh", "RiskEstimate", "Strategy", "Uniform", "compute_discriminant", "hyperplane_errors",
    "monte_carlo_risk",
]  # fmt: skip


def __getattr__(name: str):
    if name == "Parzen":
        from .densities.parzen import Parzen

        return Parzen
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
