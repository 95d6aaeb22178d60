"""linsep learns linear classifiers and proves what it learned."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bayes import Bayes as Bayes
    from .bayes import Mahalanobis as Mahalanobis
    from .bayes import NearestMean as NearestMean
    from .certificates.base import Certificate as Certificate
    from .certificates.labelling import LabellingCertificate as LabellingCertificate
    from .certificates.margin import MarginCertificate as MarginCertificate
    from .certificates.objective import ObjectiveCertificate as ObjectiveCertificate
    from .certificates.radius import RadiusCertificate as RadiusCertificate
    from .certificates.ridge import RidgeCertificate as RidgeCertificate
    from .checkpoint import checkpointing as checkpointing
    from .data import Dataset as Dataset
    from .data import open_dataset as open_dataset
    from .data.shards import open_shards as open_shards
    from .estimators.anderson import Anderson as Anderson
    from .estimators.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
    from .estimators.gradient_descent import GradientDescent as GradientDescent
    from .estimators.kozinec import Kozinec as Kozinec
    from .estimators.least_squares import LeastSquares as LeastSquares
    from .estimators.linear_machine import LinearMachine as LinearMachine
    from .estimators.maximum_margin import MaximumMargin as MaximumMargin
    from .estimators.maximum_margin_cv import MaximumMarginCV as MaximumMarginCV
    from .estimators.network_classifier import NetworkClassifier as NetworkClassifier
    from .estimators.one_vs import OneVsAll as OneVsAll
    from .estimators.one_vs import OneVsOne as OneVsOne
    from .estimators.perceptron import Perceptron as Perceptron
    from .estimators.relaxation import Relaxation as Relaxation
    from .estimators.separability import separability as separability
    from .estimators.sequences.classifier import SequenceClassifier as SequenceClassifier
    from .estimators.structured_classifier import StructuredClassifier as StructuredClassifier
    from .estimators.trace import trace as trace
    from .estimators.warm_up import warm_up as warm_up
    from .lifting import Functions as Functions
    from .lifting import Lifted as Lifted
    from .lifting import Polynomial as Polynomial
    from .lifting import Quadratic as Quadratic
    from .model_file import load as load
    from .reporting import report as report

__version__ = "0.1.0"

# Where a name lives. It is imported when it is asked for: who fits a perceptron waits for nothing else.
_HOME = {
    "Anderson": "estimators.anderson",
    "AveragedPerceptron": "estimators.averaged_perceptron",
    "Bayes": "bayes",
    "Certificate": "certificates.base",
    "checkpointing": "checkpoint",
    "Dataset": "data",
    "Functions": "lifting",
    "GradientDescent": "estimators.gradient_descent",
    "Kozinec": "estimators.kozinec",
    "LeastSquares": "estimators.least_squares",
    "Lifted": "lifting",
    "LinearMachine": "estimators.linear_machine",
    "Mahalanobis": "bayes",
    "MaximumMargin": "estimators.maximum_margin",
    "MaximumMarginCV": "estimators.maximum_margin_cv",
    "NearestMean": "bayes",
    "NetworkClassifier": "estimators.network_classifier",
    "MarginCertificate": "certificates.margin",
    "ObjectiveCertificate": "certificates.objective",
    "OneVsAll": "estimators.one_vs",
    "OneVsOne": "estimators.one_vs",
    "Perceptron": "estimators.perceptron",
    "Polynomial": "lifting",
    "Quadratic": "lifting",
    "RadiusCertificate": "certificates.radius",
    "RidgeCertificate": "certificates.ridge",
    "Relaxation": "estimators.relaxation",
    "SequenceClassifier": "estimators.sequences.classifier",
    "LabellingCertificate": "certificates.labelling",
    "StructuredClassifier": "estimators.structured_classifier",
    "load": "model_file",
    "open_dataset": "data",
    "open_shards": "data.shards",
    "report": "reporting",
    "separability": "estimators.separability",
    "trace": "estimators.trace",
    "warm_up": "estimators.warm_up",
}
_MODULES = {"bayes", "data", "inference", "lab", "lifting", "oracles", "plot", "risk", "rules", "targets"}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """A name or a module that is asked for the first time."""
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """All names, asked for or not."""
    return sorted({*_HOME, *_MODULES, "__version__"})
