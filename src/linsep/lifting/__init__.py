"""Lifting (B3): replace rows by functions of them, in which a hyperplane separates what none could before."""

from .functions import Functions
from .lifted import Lifted
from .polynomial import Polynomial, Quadratic

__all__ = ["Functions", "Lifted", "Polynomial", "Quadratic"]
