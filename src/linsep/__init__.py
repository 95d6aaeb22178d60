"""linsep learns linear classifiers and proves what it learned."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .bayes import Bayes, Mahalanobis, NearestMean
from .core.certificate import Certificate
from .core.objective import Objective
from .core.radius import RadiusCertificate
from .core.structure_certificate import StructureCertificate
from .estimators.gradient_descent import GradientDescent
from .estimators.kozinec import Kozinec
from .estimators.least_squares import LeastSquares
from .estimators.linear_machine import LinearMachine
from .estimators.maximum_margin import MaximumMargin
from .estimators.one_vs import OneVsAll, OneVsOne
from .estimators.perceptron import Perceptron
from .estimators.relaxation import Relaxation
from .estimators.separability import separability
from .lift import Functions, Lifted, Polynomial, Quadratic

if TYPE_CHECKING:
    from .estimators.anderson import Anderson
    from .estimators.network_classifier import NetworkClassifier
    from .estimators.sequence_classifier import SequenceClassifier
    from .estimators.structured_classifier import StructuredClassifier

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

# Imported when they are asked for: the others are ready half a second sooner.
_LATER = {
    "Anderson": "anderson",
    "NetworkClassifier": "network_classifier",
    "SequenceClassifier": "sequence_classifier",
    "StructuredClassifier": "structured_classifier",
}


def __getattr__(name: str) -> Any:
    """An estimator that is imported later."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".estimators.{_LATER[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """All names, those that are imported later too."""
    return sorted({*globals(), *__all__})
