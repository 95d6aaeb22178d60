"""linsep learns linear classifiers and proves what it learned."""

from __future__ import annotations

from .core.certificate import Certificate
from .estimators.perceptron import Perceptron

__version__ = "0.1.0"
__all__ = ["Certificate", "Perceptron"]
