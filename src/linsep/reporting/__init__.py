"""Reports about a fitted classifier: one HTML file that people send to each other, Markdown, or JSON.

`facts` collects all numbers, `words` puts them into sentences, `figures` draws them, `html` and `markdown` write them.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..atomic import replace_file
from ..data import Dataset
from . import words
from .facts import Part, Subject, collect
from .weights import plain_features, table_features

ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json"}


class Report:
    """What is known about a fitted classifier: ``html()``, ``markdown()``, ``json()``, and `save`.

    ``facts`` has all of it as plain data. In notebooks the page itself is shown.
    """

    def __init__(self, facts: dict[str, Any]):
        self.facts = facts

    def html(self) -> str:
        """One page, without scripts; nothing is loaded from anywhere."""
        from .html import page

        return page(self.facts)

    def markdown(self) -> str:
        """The same words and tables."""
        from .markdown import text

        return text(self.facts)

    def json(self) -> str:
        """The same numbers; those that are not finite are null."""
        return json.dumps(as_plain(self.facts), allow_nan=False, ensure_ascii=False, indent=1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report, whole or not at all; ``.html``, ``.md`` or ``.json`` says in which form."""
        kind = ENDINGS.get(Path(path).suffix.lower())
        if kind is None:
            raise ValueError(f"report: expected a name that ends with .html, .md or .json, got {os.fspath(path)!r}.")
        with replace_file(path) as file:
            file.write(getattr(self, kind)().encode("utf-8", "replace"))

    def __str__(self) -> str:
        return f"{self.facts['question']}\n{self.facts['answer']}"

    def _repr_html_(self) -> str:
        from .markup import tag

        style = "width:100%;height:80vh;border:1px solid #8886;border-radius:6px"
        return tag("iframe", srcdoc=self.html(), style=style, sandbox="", title=self.facts["question"])


def report(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, test: Any = None, refits: int = 5,
    max_seconds: float = 10.0,
) -> Report:  # fmt: skip
    """Collect everything that is known about a fitted classifier: docs/report.md.

    Parameters
    ----------
    model : fitted classifier of rows
        Such as `MaximumMargin`, or a `Lifted`.
    X, y, sample_weight
        The data that it was fitted to; or a `Dataset` alone.
    test : tuple of X and y, default=None
        Rows on which errors are counted; None: on those that it was fitted to.
    refits : int, default=5
        How often the model is fitted again, with other seeds and the rows in another order; 0: not at all.
    max_seconds : float, default=10.0
        Of all refits; those that take longer are left out, and the report says so.

    Returns
    -------
    Report

    Examples
    --------
    >>> from linsep import MaximumMargin, report
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]], ["o", "o", "x", "x"]
    >>> found = report(MaximumMargin().fit(X, y), X, y)
    >>> print(found.facts["question"])
    Can a linear rule tell o from x by 2 columns?
    >>> found.facts["errors"]["confusion"], found.facts["certificate"]["check"]["holds"]
    ([[2, 0], [0, 2]], True)
    """
    if not hasattr(model, "classes_") or not hasattr(model, "predict") or np.ndim(model.classes_) != 1:
        raise TypeError(f"report: expected a fitted classifier of rows, got {type(model).__name__}.")
    if not (isinstance(refits, int) and refits >= 0 and max_seconds > 0):
        raise ValueError(f"refits, max_seconds: expected 0 or more and a positive number, got {refits}, {max_seconds}.")
    dataset = X if isinstance(X, Dataset) else None
    if dataset is None:
        _require_rows(X, y, sample_weight)
    names = _names(model, X)
    train = _part(X, y, sample_weight, names)
    if test is not None and not isinstance(test[0], Dataset):
        _require_rows(test[0], test[1], None)
    judged = train if test is None else _part(test[0], test[1], None, names)
    on = "test rows" if test is not None else words.FITTED
    schema = getattr(dataset, "schema", None)
    features = table_features(schema) if hasattr(schema, "columns") else plain_features(names)
    data = describe_data(train, schema, len(names))
    subject = Subject(model, features, _present(judged) if judged.weight is not None else judged, on, train, data)
    return finish(collect(subject, refits=refits, seconds=max_seconds))


def finish(facts: dict[str, Any], **origin: Any) -> Report:
    """The report of these facts."""
    facts["origin"] |= origin
    facts["question"], facts["answer"] = words.question(facts), words.answer(facts)
    facts["title"] = facts["question"]
    return Report(facts)


def _names(model: Any, X: Any) -> list[str]:
    given = getattr(model, "feature_names_in_", None)
    if given is None:
        given = X.feature_names if isinstance(X, Dataset) else getattr(X, "columns", None)
    if given is None:
        width = X.n_features if isinstance(X, Dataset) else np.shape(X)[1]
        given = [f"x{k + 1}" for k in range(width)]
    return [str(name) for name in given]


def _require_rows(X: Any, y: Any, weight: Any) -> None:
    """Raise a ValueError if X has no rows and columns, or not a label and a weight for each row."""
    if np.ndim(X) != 2:
        raise ValueError(f"X: expected rows and columns, got {type(X).__name__} of {np.ndim(X)} dimensions.")
    for name, found in (("y", y), ("sample_weight", weight)):
        if found is not None and np.shape(found) != np.shape(X)[:1]:
            raise ValueError(f"{name}: expected one number or label per row, got shape {np.shape(found)}.")


def _part(X: Any, y: Any, weight: Any, names: list[str]) -> Part:
    """Rows as a report needs them: cells are the numbers of X, of a data frame its cells."""
    cells: Any = None
    if isinstance(X, Dataset):
        X, y, weight = X.rows
    elif hasattr(X, "columns"):
        frame = X
        cells = lambda rows: [dict(zip(names, frame.iloc[row].tolist())) for row in rows]  # noqa: E731
        X = X.to_numpy()
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if y is None:
        raise ValueError("y: expected the labels of X.")
    y = np.asarray(y)
    weight = None if weight is None else np.asarray(weight, dtype=np.float64)
    return Part(X, y, weight, np.arange(y.size), cells or row_cells(X, names))


def row_cells(X: Any, names: list[str]) -> Any:
    """The cells of rows of numbers; of sparse ones those that are not 0."""

    def cells(rows: Any) -> list[dict[str, Any]]:
        if not sp.issparse(X):
            return [dict(zip(names, X[row].tolist())) for row in rows]
        found = []
        for row in rows:
            line = X[[row]]
            shown = ", ".join(f"{names[j]}: {v:.4g}" for j, v in zip(line.indices[:8].tolist(), line.data[:8].tolist()))
            found.append({"columns that are not 0": shown + (", …" if line.nnz > 8 else "")})
        return found

    return cells


def _present(part: Part) -> Part:
    """The rows whose weight is not 0."""
    rows = np.flatnonzero(np.ones(part.y.size) if part.weight is None else part.weight)
    return Part(part.X[rows], part.y[rows], None, part.rows[rows], part.cells)


def describe_data(train: Part, schema: Any, n_features: int) -> dict[str, Any]:
    """How many rows, columns and classes there are; what was noticed about the columns."""
    there = train.y if train.weight is None else train.y[train.weight > 0]
    labels, counts = np.unique(there, return_counts=True)
    columns = getattr(schema, "columns", None)
    facts: dict[str, Any] = {
        "rows": int(train.y.size),
        "features": n_features,
        "used": sum(column.use != "ignore" for column in columns) if columns else n_features,
        "target": getattr(schema, "target", None),
        "noticed": list(getattr(schema, "noticed", ())),
        "classes": [
            {"class": label, "rows": count, "share": count / there.size}
            for label, count in zip(labels.tolist(), counts.tolist())
        ],
    }
    if columns:
        from ..data.columns import describe

        facts["columns"] = [{"name": column.name, "use": describe(column)} for column in columns]
    absent = train.y.size - there.size
    held = f"; {absent} of the rows have the weight 0" if absent else ""
    width = words.counted(n_features, "feature" if columns else "column")
    if columns:
        width = f"{words.counted(len(columns), 'column')}, {width}"
    facts["said"] = f"{train.y.size} rows, {width}, {words.counted(len(labels), 'class')}{held}."
    return facts


def as_plain(value: Any) -> Any:
    """As JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): as_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return as_plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
