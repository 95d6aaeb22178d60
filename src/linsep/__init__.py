"""linsep learns linear classifiers and proves what it learned."""

from __future__ import annotations

from .bayes import Bayes, Mahalanobis, NearestMean
from .core.certificate import Certificate
from .core.objective import Objective
from .core.radius import RadiusCertificate
from .core.structure_certificate import StructureCertificate
from .estimators.anderson import Anderson
from .estimators.gradient_descent import GradientDescent
from .estimators.kozinec import Kozinec
from .estimators.least_squares import LeastSquares
from .estimators.linear_machine import LinearMachine
from .estimators.maximum_margin import MaximumMargin
from .estimators.network_classifier import NetworkClassifier
from .estimators.one_vs import OneVsAll, OneVsOne
from .estimators.perceptron import Perceptron
from .estimators.relaxation import Relaxation
from .estimators.separability import separability
from .estimators.sequence_classifier import SequenceClassifier
from .estimators.structured_classifier import StructuredClassifier
from .lift import Functions, Lifted, Polynomial, Quadratic

__version__ = "0.1.0"
__all__ = [
    "Anderson",
    "Bayes",
    "Certificate",
    "Functions",
    "GradientDescent",
    "Kozinec",
    "LeastSquares",
    "Lifted",
    "LinearMachine",
    "Mahalanobis",
    "MaximumMargin",
    "NearestMean",
    "NetworkClassifier",
    "Objective",
    "OneVsAll",
    "OneVsOne",
    "Perceptron",
    "Polynomial",
    "Quadratic",
    "RadiusCertificate",
    "Relaxation",
    "SequenceClassifier",
    "StructureCertificate",
    "StructuredClassifier",
    "separability",
]
