"""Decisions of minimal risk over class densities (A1, A2): strategies, tables, Gaussian and other generative rules.

``Parzen`` is loaded when it is first asked for: scikit-learn's neighbours take a quarter of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .classifier import Bayes
from .densities.gaussian import Gaussian
from .densities.piecewise import PiecewiseConstant
from .densities.rayleigh import Rayleigh
from .densities.uniform import Uniform
from .discriminant import Discriminant, discriminant_of
from .model import Model
from .nearest import Mahalanobis, NearestMean
from .risk import Risk, monte_carlo
from .strategy import Strategy
from .table import Table

if TYPE_CHECKING:
    from .densities.parzen import Parzen

__all__ = [
    "Bayes", "Discriminant", "Gaussian", "Mahalanobis", "Model", "NearestMean", "Parzen", "PiecewiseConstant",
    "Rayleigh", "Risk", "Strategy", "Table", "Uniform", "discriminant_of", "monte_carlo",
]  # fmt: skip


def __getattr__(name: str):
    if name == "Parzen":
        from .densities.parzen import Parzen

        return Parzen
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
