"""All that a report says, as plain data: numbers, words and lists."""

from __future__ import annotations

import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from ..certificates.base import Status
from ..risk.bound import vc_bound
from ..risk.capacity import compute_capacity, dimension_capacity
from .curves import calibration_facts, ranking_facts, threshold_facts
from .errors import count_errors
from .stability import refit_facts
from .weights import Feature, weight_facts, write_formula

SLICE = 1 << 16  # rows that are decided at a time
SCORES = 20_000_000  # numbers of a matrix of scores that is kept
SHOWN_ROWS = 12  # of the user's table
BINS = 48
VERSIONS = ("numpy", "scipy", "scikit-learn", "numba")

Cells = Callable[[Sequence[int]], list[dict[str, Any]]]


class Part(NamedTuple):
    """Rows with labels; ``rows`` are their numbers in the table, from 0, and ``cells`` gives the cells of these."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    rows: np.ndarray
    cells: Cells


class Subject(NamedTuple):
    """What a report is about."""

    model: Any
    features: Sequence[Feature]
    judged: Part  # the rows on which errors are counted
    judged_on: str  # which these are, in words
    train: Part | None = None  # the rows of the certificate; None: they are not there
    data: dict[str, Any] = {}
    origin: dict[str, Any] = {}


class Scores(NamedTuple):
    """Decisions and scores of rows."""

    decided: np.ndarray
    lead: np.ndarray | None  # how far a row is on its own side: of two classes g(x), of more the lead over the rival
    g: np.ndarray | None  # scores of the rows ``some``
    some: np.ndarray


def score(model: Any, part: Part) -> Scores:
    """Decide about all rows; the matrix of scores of many classes is kept for evenly spaced rows, if it is large."""
    n, k = part.y.size, len(model.classes_)
    width = 1 if k == 2 else k
    some = np.unique(np.linspace(0, n - 1, min(n, max(1, SCORES // width))).astype(np.int64))
    decided, leads, kept = [], [], []
    has_scores = hasattr(model, "decision_function")
    for begin in range(0, n, SLICE):
        end = min(begin + SLICE, n)
        X = part.X[begin:end]
        decided.append(model.predict(X))
        if has_scores:
            g = model.decision_function(X)
            leads.append(_lead(g, part.y[begin:end], model.classes_))
            kept.append(g[some[(some >= begin) & (some < end)] - begin])
    found = np.concatenate(decided)
    if not has_scores:
        return Scores(found, None, None, some)
    return Scores(found, np.concatenate(leads), np.concatenate(kept), some)


def _lead(g: np.ndarray, y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """How far rows are on the side of their class: negative on the wrong one, -inf for a class without a score."""
    if g.ndim == 1:
        return np.where(y == classes[1], g, np.where(y == classes[0], -g, -np.inf))
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    every = np.arange(len(g))
    own = g[every, place]
    others = g.copy()
    others[every, place] = -np.inf
    return np.where(classes[place] == y, own - others.max(axis=1), -np.inf)


def certificates_of(model: Any) -> list[Any]:
    """The certificate of a model, or those of its members."""
    one = getattr(model, "certificate_", None)
    return [one] if one is not None else list(getattr(model, "certificates_", ()))


def collect(subject: Subject, *, refits: int, seconds: float) -> dict[str, Any]:
    """All facts of a report."""
    with warnings.catch_warnings():  # rows are arrays here, whatever the model was fitted to
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return _collect(subject, refits, seconds)


def _collect(subject: Subject, refits: int, seconds: float) -> dict[str, Any]:
    model, judged, train = subject.model, subject.judged, subject.train
    scores = score(model, judged)
    errors = count_errors(model.classes_, judged.y, scores.decided)
    facts: dict[str, Any] = {
        "format": "linsep report",
        "version": 1,
        "model": {"estimator": " ".join(str(model).split()), "classes": model.classes_.tolist()},
        "data": subject.data,
        "certificate": certificate_facts(model, train),
        "judged": {"on": subject.judged_on, "rows": int(judged.y.size)},
        "errors": errors,
    }
    if scores.g is not None:
        facts |= _score_facts(model, judged, scores)
    facts["support"] = _support_facts(model, train)
    facts["weights"] = weight_facts(model, subject.features)
    facts["formula"] = write_formula(model, subject.features)
    facts["risk"] = _risk_facts(model, train)
    if train is not None and refits:
        facts["stability"] = refit_facts(model, train, judged, refits=refits, seconds=seconds)
    facts["origin"] = {"command": subject.origin.get("command"), **_versions()}
    return facts


def certificate_facts(model: Any, train: Part | None) -> dict[str, Any]:
    """What is proved, whether it holds, and how both bounds came together."""
    certificates = certificates_of(model)
    facts: dict[str, Any] = {"sentences": [str(each) for each in certificates], "check": None, "curve": []}
    if train is not None and certificates and hasattr(model, "check"):
        verdict = model.check(train.X, train.y, train.weight)
        facts["check"] = {"holds": bool(verdict), "said": str(verdict)}
    if len(certificates) != 1:
        return facts
    found = certificates[0]
    kind = type(found).__name__.removesuffix("Certificate").lower()
    facts |= {
        "kind": kind, "status": str(found.status), "proved": found.proved, "lower": found.lower, "upper": found.upper,
        "quantity": {"margin": "margin", "radius": "radius", "labelling": "margin"}.get(kind, "cost"),
        "violated": getattr(found, "violated", None), "size": found.size,
    }  # fmt: skip
    history = getattr(model, "history_", None) or getattr(getattr(model, "classifier_", None), "history_", [])
    counted = "updates" if history and "updates" in history[0] else "pass"
    curve = [
        [each.get(counted), each.get("lower"), each.get("upper")]
        for each in history
        if np.isfinite(each.get("lower", np.nan)) and np.isfinite(each.get("upper", np.nan))
    ]
    if len(curve) > 1:
        from .curves import sample

        facts["counted"], facts["curve"] = counted, [curve[k] for k in sample(np.array(curve)[:, 0])]
    return facts


def _score_facts(model: Any, judged: Part, scores: Scores) -> dict[str, Any]:
    """Everything that is computed from scores."""
    classes, y, g, lead = model.classes_, judged.y[scores.some], scores.g, scores.lead
    assert g is not None and lead is not None
    two = len(classes) == 2
    pairs = [(1, g)] if g.ndim == 1 else list(enumerate(g.T))
    ranked = [ranking_facts(column, y == classes[k], classes.tolist()[k]) for k, column in pairs]
    facts: dict[str, Any] = {"ranking": [each for each in ranked if each is not None]}
    if scores.some.size < judged.y.size:
        facts["judged_scores"] = int(scores.some.size)
    if two and g.ndim == 1:
        facts["threshold"] = threshold_facts(g, y == classes[1])
        facts["calibration"] = calibration_facts(g, y == classes[1], f"the score g(x): rows of {classes[1]}")
    elif g.ndim == 2:
        best = np.diff(np.partition(g, -2, axis=1)[:, -2:], axis=1)[:, 0]
        right = scores.decided[scores.some] == y
        facts["calibration"] = calibration_facts(best, right, "the lead of the decided class: right decisions")
    norm = float(np.linalg.norm(model.coef_)) if two and hasattr(model, "coef_") and np.size(model.coef_) else 0.0
    by = lead / norm if norm > 0 else lead
    facts["margins"] = _histogram(by, judged.y, classes, "distance" if norm > 0 else "lead", _margin_lines(model, norm))
    facts["violators"] = _violators(by, judged, scores)
    return facts


def _margin_lines(model: Any, norm: float) -> float | None:
    """The margin that the rule aims at, as a distance: 1 / |w| of a soft one, else what the certificate proves."""
    found = certificates_of(model)
    if norm <= 0 or len(found) != 1 or found[0].status in (Status.INTERRUPTED, Status.NOT_SEPARABLE):
        return None
    kind = type(found[0]).__name__
    if kind == "ObjectiveCertificate":
        return 1 / norm
    return found[0].lower if kind == "MarginCertificate" and found[0].lower > 0 and found[0].bias == "free" else None


def _histogram(by: np.ndarray, y: np.ndarray, classes: np.ndarray, what: str, margin: float | None) -> dict[str, Any]:
    """How many rows of each class are how far on their side; the end bins hold all that is beyond."""
    finite = by[np.isfinite(by)]
    low, high = (float(v) for v in np.percentile(finite, [0.5, 99.5])) if finite.size else (-1.0, 1.0)
    low, high = min(low, 0.0), max(high, 0.0)
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    inside = np.clip(by, edges[0], edges[-1])
    shown = classes if len(classes) <= 8 else classes[:0]
    groups = [(label, inside[y == label]) for label in shown] or [("all", inside)]
    counts = [{"class": k, "counts": np.histogram(v, edges)[0].tolist()} for k, v in groups]
    wrong = int((by <= 0).sum())
    return {"what": what, "edges": edges.tolist(), "classes": counts, "margin": margin, "not_positive": wrong}


def _violators(by: np.ndarray, judged: Part, scores: Scores) -> dict[str, Any]:
    """The rows farthest on the wrong side, with their cells."""
    wrong = np.flatnonzero(scores.decided != judged.y)
    worst = wrong[np.argsort(by[wrong], kind="stable")[:SHOWN_ROWS]]
    cells = judged.cells(judged.rows[worst].tolist()) if worst.size else []
    rows = [
        {"row": int(judged.rows[k]) + 1, "class": _plain(judged.y[k]), "decided": _plain(scores.decided[k]),
         "distance": float(by[k]), "cells": each}
        for k, each in zip(worst, cells, strict=True)
    ]  # fmt: skip
    return {"count": int(wrong.size), "rows": rows}


def _support_facts(model: Any, train: Part | None) -> dict[str, Any] | None:
    """The rows that hold the certificate: support points, or the rows whose combination is zero."""
    found = certificates_of(model)
    if train is None or len(found) != 1 or not len(getattr(found[0], "rows", ())):
        return None
    rows, share = np.asarray(found[0].rows), np.abs(np.asarray(found[0].weights, dtype=np.float64))
    different, place = np.unique(rows, return_inverse=True)
    total = np.bincount(place, weights=share)
    kept = total > 0
    different, total = different[kept], total[kept] / (total.sum() or 1.0)
    top = np.argsort(-total, kind="stable")[:SHOWN_ROWS]
    if not top.size or different.max() >= train.y.size:
        return None
    cells = train.cells(train.rows[different[top]].tolist())
    shown = [
        {"row": int(train.rows[different[k]]) + 1, "class": _plain(train.y[different[k]]), "share": float(total[k]),
         "cells": each}
        for k, each in zip(top, cells, strict=True)
    ]  # fmt: skip
    zero = bool(getattr(found[0], "zero_sum", False))
    return {"count": int(different.size), "of": int(found[0].size), "zero_sum": zero, "rows": shown}


def _risk_facts(model: Any, train: Part | None) -> dict[str, Any] | None:
    """The bound of Vapnik and Chervonenkis (A4), for two classes."""
    found = certificates_of(model)
    coef = getattr(model, "coef_", None)
    if len(model.classes_) != 2 or len(found) != 1 or not isinstance(coef, np.ndarray):
        return None
    wrong, size = getattr(found[0], "violated", None), int(found[0].size)
    if wrong is None or not size or found[0].status == Status.INTERRUPTED:
        return None
    bound = vc_bound(wrong / size, dimension_capacity(coef.shape[-1]), size)
    facts = {"empirical": bound.empirical, "dimension": {"h": bound.h, "bound": bound.value, "said": str(bound)}}
    if train is not None and wrong == 0:
        there = slice(None) if train.weight is None else np.flatnonzero(train.weight)
        capacity = compute_capacity(model, train.X[there], train.y[there])
        if capacity.margin is not None and capacity.radius is not None:
            from ..risk.capacity import margin_capacity

            h = margin_capacity(capacity.radius, capacity.margin)
            other = vc_bound(0.0, h, size)
            facts["margin"] = {
                "h": h, "radius": capacity.radius, "margin": capacity.margin, "bound": other.value, "said": str(other),
            }  # fmt: skip
    return facts


def _versions() -> dict[str, Any]:
    from .. import __version__

    found = {"linsep": __version__, "python": platform.python_version()} | {name: version(name) for name in VERSIONS}
    return {"versions": found, "platform": f"{platform.machine()}, {sys.platform}"}


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
