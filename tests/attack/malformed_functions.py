"""Malformed arrays at the modules: densities, tables of probabilities, the lab, spans, pictures, engines."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import clone

from . import damage
from .malformed import EITHER, READ, REFUSE, Case, rows, rows_only, with_labels

# names of modules that take no arrays of users, or only what other names here have made and checked
ELSEWHERE = {
    "bayes": {"Discriminant", "Mahalanobis", "NearestMean", "Bayes", "RiskEstimate"},
    "data": {"DataError", "Dataset", "Part", "open_dataset"},
    "inference": {"ENGINES", "Answer", "Network", "best_rival", "read_uai", "solve"},
    "lab": {"PRESETS", "RULES", "Exercise", "RiskLadder", "show"},
    "plot": {
        "animate", "bounds", "criterion", "decision", "dichotomies", "hulls", "lifted", "longest_vector",
        "mirrored_hull", "mistakes", "novikoff", "radius_and_margin", "regions", "strategy", "structural_risk",
        "three_spaces", "trellis", "units", "weight_space", "worst_error",
    },
    "risk": {
        "Ball", "Capacity", "RiskTable", "Rung", "SpanScores", "SpanTable", "StructuralRisk", "VCBound",
        "compute_capacity", "dimension_capacity", "empirical_risk", "enclosing_ball",
    },
}  # fmt: skip


def function_cases() -> Iterator[Case]:
    """All of them, in the same order always."""
    yield from _density_cases()
    yield from _probability_cases()
    yield from _lab_cases()
    yield from _risk_cases()
    yield from _picture_cases()
    yield from _engine_cases()


def _density_cases() -> Iterator[Case]:
    from linsep.bayes import Gaussian, Model, Parzen, PiecewiseConstant, Rayleigh, Uniform

    X, _ = rows()
    for density in (Gaussian(), Parzen(), PiecewiseConstant(2), Rayleigh(), Uniform()):
        name, fitted = type(density).__name__, clone(density).fit(X)
        for method, call, first in (
            ("fit", lambda X, density=density: clone(density).fit(X), True),
            ("partial_fit", lambda X, density=density: clone(density).partial_fit(X), True),
            ("score_samples", fitted.score_samples, False), ("score", fitted.score, False),
        ):  # fmt: skip
            if hasattr(fitted, method):
                yield from rows_only(f"{name}.{method}", call, X, EITHER, first=first)
        for kind, make in damage.WEIGHTS.items():
            expected = EITHER if kind == "weights zero in a class" else REFUSE
            yield Case(
                f"{name}.fit", kind, expected,
                lambda make=make, density=density: clone(density).fit(X, None, make(np.arange(10) % 2)),
            )  # fmt: skip
    model = Model([Gaussian().fit(X[::2]), Gaussian().fit(X[1::2])])
    for name in ("log_joint", "predict_proba", "predict_log_proba", "score_samples"):
        yield from rows_only(f"Model.{name}", getattr(model, name), X, EITHER)
    for kind, priors in _priors(2).items():
        yield Case("Model", f"priors {kind}", REFUSE, lambda p=priors: Model([Gaussian().fit(X)] * 2, p))
    for kind, some in {"none": [], "None": None, "a number": 3, "words": ["a", "b"], "arrays": X}.items():
        yield Case("Model", f"densities {kind}", REFUSE, lambda some=some: Model(some))
    for kind, (mean, covariance) in {
        "mean NaN": ([np.nan, 0], np.eye(2)), "mean infinite": ([np.inf, 0], np.eye(2)), "mean of words": ("ab", 1.0),
        "mean flat": (np.eye(2), np.eye(2)), "covariance of another size": ([0, 0], np.eye(3)),
        "covariance NaN": ([0, 0], np.eye(2) * np.nan), "covariance negative": ([0, 0], -np.eye(2)),
        "covariance not symmetric": ([0, 0], [[1, 2], [0, 1]]), "covariance None": ([0, 0], None),
        "covariance of words": ([0, 0], "full"), "no mean": ([], np.zeros((0, 0))),
    }.items():  # fmt: skip
        yield Case(
            "Gaussian.from_parameters", kind, REFUSE, lambda m=mean, c=covariance: Gaussian.from_parameters(m, c)
        )
    for kind, scale in {"NaN": [np.nan], "negative": [-1.0], "zero": [0.0], "words": ["a"], "None": None}.items():
        yield Case("Rayleigh.from_parameters", kind, REFUSE, lambda s=scale: Rayleigh.from_parameters(s))
    for kind, (low, high) in {
        "NaN": ([np.nan], [1.0]), "crossed": ([1.0], [0.0]), "infinite": ([0.0], [np.inf]), "uneven": ([0.0], [1, 2]),
        "words": (["a"], ["b"]),
    }.items():  # fmt: skip
        yield Case("Uniform.from_parameters", kind, REFUSE, lambda a=low, b=high: Uniform.from_parameters(a, b))
    for kind, (edges, shares) in {
        "edges fall": ([[0.0, 2, 1]], [[0.5, 0.5]]), "edges NaN": ([[0, np.nan, 1]], [[0.5, 0.5]]),
        "edges too few": ([[0.0]], [[1.0]]), "shares too many": ([[0.0, 1]], [[0.5, 0.5]]),
        "shares negative": ([[0.0, 1, 2]], [[1.5, -0.5]]), "shares NaN": ([[0.0, 1, 2]], [[np.nan, 1]]),
        "shares of words": ([[0.0, 1, 2]], [["a", "b"]]), "None": (None, None),
    }.items():  # fmt: skip
        yield Case(
            "PiecewiseConstant.from_parameters", kind, REFUSE,
            lambda e=edges, s=shares: PiecewiseConstant.from_parameters(e, s),
        )  # fmt: skip


def _priors(count: int) -> dict[str, Any]:
    """Lists of numbers that are no distribution on so many classes."""
    even = [1.0 / count] * count
    return {
        "too few": even[1:], "too many": [*even, 0.0], "negative": [2.0, -1.0, *[0.0] * (count - 2)],
        "NaN": [np.nan, *even[1:]], "infinite": [np.inf, *even[1:]], "zero": [0.0] * count, "words": ["a"] * count,
        "a word": "even", "in columns": [[each] for each in even], "complex": [1j, *even[1:]],
    }  # fmt: skip


def _probability_cases() -> Iterator[Case]:
    from linsep.bayes import (
        Gaussian,
        Model,
        ProbabilityTable,
        Strategy,
        compute_discriminant,
        hyperplane_errors,
        monte_carlo_risk,
    )

    joint = [[Fraction(1, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(0)]]
    table, X = ProbabilityTable(joint), rows()[0]
    model = Model([Gaussian().fit(X[::2]), Gaussian().fit(X[1::2])])
    plan = Strategy(model)
    tables = {
        "NaN": [[np.nan, 0.5]], "negative": [[-0.5, 1.5]], "above 1": [[0.9, 0.9]], "words": [["a", "b"]],
        "flat": [0.5, 0.5], "empty": [], "None": None, "a number": 3, "uneven": [[0.5], [0.25, 0.25]],
        "infinite": [[np.inf, 0.0]], "complex": [[0.5j, 0.5]],
    }  # fmt: skip
    for kind, wrong in tables.items():
        yield Case("ProbabilityTable", kind, REFUSE, lambda t=wrong: ProbabilityTable(t))
    losses = {
        "NaN": [[0, np.nan], [1, 0]], "of another size": [[0, 1, 1]] * 3, "words": [["a", "b"]] * 2, "flat": [0, 1],
        "a number": 3, "complex": [[0, 1j], [1, 0]], "infinite": [[0, np.inf], [1, 0]], "a word": "zero",
    }  # fmt: skip
    for kind, loss in losses.items():
        yield Case("ProbabilityTable.strategy", f"loss {kind}", REFUSE, lambda c=loss: table.strategy(c))
        yield Case("Strategy", f"loss {kind}", REFUSE, lambda c=loss: Strategy(model, c).predict(X))
        yield Case("monte_carlo_risk", f"loss {kind}", REFUSE, lambda c=loss: monte_carlo_risk(plan, model, c, n=100))
    for kind, decisions in {"too few": [0], "too many": [0, 1, 0], "unknown": [0, 7], "None": None, "flat": 3}.items():
        yield Case("ProbabilityTable.risk", f"decisions {kind}", REFUSE, lambda d=decisions: table.risk(d))
    for name in ("predict", "decide", "risks", "scores"):
        yield from rows_only(f"Strategy.{name}", getattr(plan, name), X, EITHER)
    for kind, wrong in {"None": None, "words": "model", "an array": X, "a number": 1}.items():
        yield Case("Strategy", f"model {kind}", REFUSE, lambda m=wrong: Strategy(m).predict(X))
        yield Case("compute_discriminant", f"model {kind}", REFUSE, lambda m=wrong: compute_discriminant(m))
        yield Case("monte_carlo_risk", f"model {kind}", REFUSE, lambda m=wrong: monte_carlo_risk(plan, m, n=100))
    means, covariances, sign = np.array([[0.0, 0.0], [4.0, 1.0]]), [np.eye(2)] * 2, [-1, 1]
    for kind, args in {
        "w too short": ([1.0], 0.0, means, covariances, sign), "w NaN": ([np.nan, 1], 0.0, means, covariances, sign),
        "w of words": (["a", "b"], 0.0, means, covariances, sign), "b NaN": ([1, 1], np.nan, means, covariances, sign),
        "means NaN": ([1, 1], 0.0, means * np.nan, covariances, sign),
        "covariances too few": ([1, 1], 0.0, means, covariances[:1], sign),
        "covariances NaN": ([1, 1], 0.0, means, [np.eye(2) * np.nan] * 2, sign),
        "covariances of another size": ([1, 1], 0.0, means, [np.eye(3)] * 2, sign),
        "labels too few": ([1, 1], 0.0, means, covariances, [1]),
        "labels of three": ([1, 1], 0.0, np.eye(3)[:, :2], [np.eye(2)] * 3, [0, 1, 7]),
        "labels None": ([1, 1], 0.0, means, covariances, None), "w zero": ([0, 0], 0.0, means, covariances, sign),
    }.items():  # fmt: skip
        yield Case("hyperplane_errors", kind, REFUSE, lambda a=args: hyperplane_errors(*a))


def _lab_cases() -> Iterator[Case]:
    from linsep import Anderson, Perceptron
    from linsep.lab import Recording, record, record_risk
    from linsep.risk import StructuralRisk

    X, y = rows()
    X, brief = np.ascontiguousarray(X[:, :2]), {"max_updates": 5, "max_seconds": 20.0}
    wholes = {"labels mixed", "labels of lists", "labels of dictionaries"}
    for rule in ("perceptron", Perceptron(max_iter=5)):
        said = f"record({rule if isinstance(rule, str) else 'Perceptron'})"
        call = lambda X, y, rule=rule: record(rule, X, y, **brief)  # noqa: E731
        for case in with_labels(said, call, X, y, EITHER, True, False):
            either = case.expected == READ and case.kind != "as they are"
            yield case._replace(expected=EITHER) if either and case.kind not in wholes else case
    for kind, wrong in {"too few": [np.eye(2)], "NaN": [np.eye(2) * np.nan] * 2, "words": "full"}.items():
        call = lambda c=wrong: record(Anderson(), X[:2], y[:2], covariances=c, **brief)  # noqa: E731
        yield Case("record(Anderson)", f"covariances {kind}", REFUSE, call)
    for kind, names in {"too few": ["a"], "a number": 3}.items():
        yield Case("record", f"columns {kind}", REFUSE, lambda n=names: record("perceptron", X, y, columns=n, **brief))
    for kind, most in {"0": 0, "negative": -1, "of words": "all", "NaN": np.nan, "10^9": 10**9}.items():
        yield Case("record", f"max_updates {kind}", REFUSE, lambda m=most: record("perceptron", X, y, max_updates=m))
    ladder = StructuralRisk([Perceptron(max_iter=5)], choose="cross-validation", cv=2)
    for kind, make in damage.ROWS.items():
        expected = EITHER if kind in damage.AFTER_FIT else REFUSE
        yield Case("record_risk", kind, expected, lambda make=make: record_risk(ladder, make(X), y))
    good = record("perceptron", X, y, **brief).to_json()
    for kind, wrong in {
        "empty": "", "words": "no recording", "cut short": good[: len(good) // 2], "a list": "[1, 2]", "null": "null",
        "other keys": '{"a": 1}', "other bytes": b"\xff\xfe\x00",
    }.items():  # fmt: skip
        yield Case("Recording.from_json", kind, REFUSE, lambda said=wrong: Recording.from_json(said))
    yield Case("Recording.from_json", "as it is", READ, lambda: Recording.from_json(good))


def _risk_cases() -> Iterator[Case]:
    from linsep.risk import bio_forbidden, bio_spans, margin_capacity, span_scores, vc_bound

    truth = [["B-x", "I-x"], ["O"]]
    for kind, wrong in {
        "too few": truth[:1], "too many": [*truth, ["O"]], "short": [["B-x"], ["O"]], "None": None, "a number": 3,
        "of numbers": [[1, 2], [3]], "of None": [[None, None], [None]], "flat": ["O", "O"],
    }.items():  # fmt: skip
        expected = EITHER if kind == "flat" else REFUSE
        yield Case("span_scores", f"predicted {kind}", expected, lambda wrong=wrong: span_scores(truth, wrong))
        yield Case("span_scores", f"truth {kind}", expected, lambda wrong=wrong: span_scores(wrong, truth))
    for kind, labels in {
        "None": None,
        "a number": 3,
        "of numbers": [1, 2],
        "of None": [None],
        "of lists": [[]],
    }.items():
        yield Case("bio_spans", kind, REFUSE, lambda labels=labels: bio_spans(labels))
        said = EITHER if kind.startswith("of") else REFUSE  # what is not BIO forbids nothing
        yield Case("bio_forbidden", kind, said, lambda labels=labels: bio_forbidden(labels))
    for kind, number in {"NaN": np.nan, "negative": -1.0, "words": "a", "None": None, "an array": np.ones(3)}.items():
        yield Case("margin_capacity", f"radius {kind}", REFUSE, lambda x=number: margin_capacity(x, 1.0))
        yield Case("margin_capacity", f"margin {kind}", REFUSE, lambda x=number: margin_capacity(1.0, x))
        yield Case("vc_bound", f"empirical {kind}", REFUSE, lambda x=number: vc_bound(x, 3, 100))
        yield Case("vc_bound", f"h {kind}", REFUSE, lambda x=number: vc_bound(0.1, x, 100))
        yield Case("vc_bound", f"N {kind}", REFUSE, lambda x=number: vc_bound(0.1, 3, x))
        yield Case("vc_bound", f"eta {kind}", REFUSE, lambda x=number: vc_bound(0.1, 3, 100, x))


def _picture_cases() -> Iterator[Case]:
    import matplotlib.pyplot as plt

    from linsep import Anderson, Bayes, plot

    means, covariances, labels = np.array([[0.0, 0.0], [4.0, 1.0]]), np.array([np.eye(2)] * 2), [0, 1]
    rule = Anderson().fit_gaussians(means, covariances, labels)

    def drawn(call: Callable, *args: Any) -> None:
        try:
            call(*args)
        finally:
            plt.close("all")

    gaussians = {
        "means NaN": (means * np.nan, covariances, labels), "means flat": (means[0], covariances, labels),
        "means of words": ([["a", "b"]] * 2, covariances, labels), "labels too few": (means, covariances, [0]),
        "covariances too few": (means, covariances[:1], labels), "one class": (means, covariances, [0, 0]),
        "covariances of another size": (means, [np.eye(3)] * 2, labels),
        "covariances NaN": (means, covariances * np.nan, labels), "covariances negative": (means, -covariances, labels),
        "means of three columns": (np.ones((2, 3)), [np.eye(3)] * 2, labels),
    }  # fmt: skip
    for kind, args in gaussians.items():
        yield Case("plot.directions", kind, REFUSE, lambda a=args: drawn(plot.directions, *a))
        yield Case(
            "plot.animate_gaussians", kind, REFUSE, lambda a=args: drawn(plot.animate_gaussians, *a, io.BytesIO())
        )
        yield Case("plot.gaussians", kind, REFUSE, lambda a=args: drawn(plot.gaussians, rule, *a))
    X, y = rows()
    bayes = Bayes().fit(X[:, :1], y)
    for kind, make in damage.ROWS.items():
        either = EITHER if kind in damage.AFTER_FIT else REFUSE
        yield Case("plot.fits", kind, either, lambda make=make: drawn(plot.fits, bayes, make(X[:, :1]), y))
    for kind, (w, a) in {
        "w NaN": ([np.nan, 1], [1, 1]), "a NaN": ([1, 1], [np.nan, 1]), "of three numbers": ([1, 1, 1], [1, 1, 1]),
        "of two lengths": ([1, 1], [1]), "of words": (["a", "b"], [1, 1]), "None": (None, None),
    }.items():  # fmt: skip
        yield Case("plot.step", kind, REFUSE, lambda w=w, a=a: drawn(plot.step, w, a))
    for kind, priors in _priors(3).items():
        said = EITHER if kind == "too few" else REFUSE  # those of two classes
        yield Case("plot.probability_cones", kind, said, lambda p=priors: drawn(plot.probability_cones, None, p))


def _engine_cases() -> Iterator[Case]:
    """Engines called by themselves, not by `solve`."""
    import tempfile
    from pathlib import Path

    from linsep.inference import Network, cut, elimination, expansion, forest, toulbar2, trws, write_uai

    tables = np.array([[1.0, 0.0], [0.0, 1.0]])
    network = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2)], [tables] * 2)
    broken = {
        "head beyond": {"head": np.array([1, 10**8], dtype=np.int32)}, "unary short": {"unary": np.zeros(2)},
        "pairwise short": {"pairwise": np.zeros(1)}, "unary NaN": {"unary": network.unary * np.nan},
        "labels too many": {"n_labels": np.array([2, 2, 99], dtype=np.int32)},
        "edge start falls": {"edge_start": np.array([0, 3, 1, 4])},
        "unary start beyond": {"unary_start": np.array([0, 2, 4, 10**9])},
    }  # fmt: skip
    for engine in (cut, elimination, expansion, forest, toulbar2, trws):
        for kind, changed in broken.items():
            damaged = network._replace(**changed)
            yield Case(f"inference.{engine.__name__}", kind, REFUSE, lambda e=engine, n=damaged: e(n))
        for kind, other in {"None": None, "an array": tables, "a word": "network"}.items():
            yield Case(f"inference.{engine.__name__}", kind, REFUSE, lambda e=engine, n=other: e(n))
    for kind, changed in broken.items():
        path = Path(tempfile.gettempdir(), "linsep-attack.uai")
        damaged = network._replace(**changed)
        yield Case("inference.write_uai", kind, REFUSE, lambda n=damaged, path=path: write_uai(n, path))
