"""What `linsep lab MODEL DATA` shows: the rows in the plane, the margins of all of them, and the rows that matter."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..reporting import words
from ..reporting.facts import Part, Scores, Subject, collect, score
from ..reporting.opposites import find_opposites
from .plain import plain
from .projection import principal_direction

FORMAT, VERSION = "linsep view", 1
MOST_POINTS = 2_000
CARRIERS = 3  # features that are named of a direction
CELL = 2_000  # letters of a cell


class View(NamedTuple):
    """The page's content, and how to get the cells of other rows."""

    content: dict[str, Any]
    cells: Callable[[Any], dict[str, Any]]


def make_view(subject: Subject, most: int = MOST_POINTS) -> View:
    """All that the page shows of a model and its rows; at most so many of these are drawn, chosen at random."""
    if not hasattr(subject.model, "decision_function"):
        raise ValueError(f"lab: expected a rule with scores, got {type(subject.model).__name__}.")
    facts = collect(subject, refits=0, seconds=0.0)
    judged, whole = subject.judged, subject.train or subject.judged
    opposites = find_opposites(whole)
    size = judged.y.size
    drawn = np.sort(np.random.default_rng(0).choice(size, min(size, most), replace=False))
    sample = Part(judged.X[drawn], judged.y[drawn], None, judged.rows[drawn], judged.cells)
    tables = {"violators": facts.get("violators"), "support": facts["support"], "opposites": opposites}
    last = int(whole.rows[-1]) + 1
    content: dict[str, Any] = {
        "format": FORMAT, "version": VERSION,
        "question": words.question(facts), "answer": words.answer(facts),
        "estimator": facts["model"]["estimator"], "classes": [str(each) for each in facts["model"]["classes"]],
        "sentences": facts["certificate"]["sentences"][:10], "checked": words.checked(facts["certificate"]),
        "holds": (facts["certificate"]["check"] or {}).get("holds"), "judged_on": facts["judged"]["on"],
        "of": int(size), "rows": last, "margins": _in_words(facts.get("margins")),
        **{name: found and found | {"rows": [_row(each) for each in found["rows"]]} for name, found in tables.items()},
        **_places(subject.model, sample, _listed(tables, whole), [each.name for each in subject.features]),
    }  # fmt: skip

    def cells(asked: Any) -> dict[str, Any]:
        row = asked.get("row") if isinstance(asked, dict) else None
        if isinstance(row, bool) or not isinstance(row, int) or not 1 <= row <= last:
            raise ValueError(f"row: expected a number from 1 to {last}, got {str(row)[:60]!r}.")
        return {"row": row, "cells": _cells(judged.cells([row - 1])[0])}

    return View(plain(content), cells)


def _listed(tables: dict[str, Any], whole: Part) -> Part:
    """The rows of the tables, which are drawn too."""
    named = {each["row"] - 1 for found in tables.values() if found for each in found["rows"]}
    at = np.searchsorted(whole.rows, np.array(sorted(named), dtype=np.int64))
    return Part(whole.X[at], whole.y[at], None, whole.rows[at], whole.cells)


def _places(model: Any, sample: Part, listed: Part, names: list[str]) -> dict[str, Any]:
    """Where the rows are drawn: how far from the hyperplane, and the first principal direction of the sample."""
    new = ~np.isin(listed.rows, sample.rows)
    stack = sp.vstack if sp.issparse(sample.X) else np.concatenate
    X = stack([sample.X, listed.X[np.flatnonzero(new)]])
    y, rows = (np.concatenate([getattr(sample, each), getattr(listed, each)[new]]) for each in ("y", "rows"))
    part = Part(X, y, None, rows, sample.cells)
    with warnings.catch_warnings():  # rows are arrays here, whatever the model was fitted to
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found, classes = score(model, part), model.classes_
    kind, x, away = _across(model, found, X.shape[1])
    direction = principal_direction(sample.X, away)
    order = np.argsort(-np.abs(direction.vector), kind="stable")[:CARRIERS]
    place = {label: k for k, label in enumerate(classes.tolist())}
    carried = [[names[k], float(direction.vector[k])] for k in order if direction.vector[k] and k < len(names)]
    return {
        "axes": {"across": kind, "share": direction.share, "carried": carried},
        "drawn": int(sample.y.size),
        "points": {
            "row": (part.rows + 1).tolist(), "x": x.tolist(), "y": direction.places(X).tolist(),
            "class": [place.get(label, -1) for label in part.y.tolist()],
            "decided": [place.get(label, -1) for label in found.decided.tolist()],
        },
    }  # fmt: skip


def _across(model: Any, found: Scores, width: int) -> tuple[str, np.ndarray, np.ndarray]:
    """What is drawn from left to right, and the directions that it is made of."""
    assert found.g is not None and found.lead is not None
    none = np.zeros((0, width))
    if found.g.ndim == 2:
        return "lead", np.where(np.isfinite(found.lead), found.lead, np.nan), none
    coef = np.asarray(getattr(model, "coef_", none))
    norm = float(np.linalg.norm(coef))
    if coef.shape == (1, width) and norm > 0:
        return "distance", found.g / norm, coef
    return "score", found.g, none


def _in_words(margins: dict[str, Any] | None) -> dict[str, Any] | None:
    """The histogram with labels as words."""
    if margins is None:
        return None
    return margins | {"classes": [each | {"class": str(each["class"])} for each in margins["classes"]]}


def _row(found: dict[str, Any]) -> dict[str, Any]:
    """A row of a table with all labels and cells as words."""
    labels = {name: str(found[name]) for name in ("class", "decided") if name in found}
    return found | labels | {"cells": {name: words.cell(value) for name, value in found["cells"].items()}}


def _cells(found: dict[str, Any]) -> dict[str, str]:
    """The cells of a row, nearly in full."""
    return {name: "–" if value is None else str(value)[:CELL] for name, value in found.items()}
