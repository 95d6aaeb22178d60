"""Structural risk on the screen: a ladder of rules, and the bound S0 (1) of every rung for any N and eta (A4, A5)."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..atomic import replace_file
from ..certificates.base import Verdict
from ..estimators.perceptron import Perceptron
from ..lifting import Lifted, Polynomial
from ..risk import StructuralRisk, vc_bound
from ..risk.risk_table import RiskTable, Rung
from .parameters import check_described, code, describe, names_in
from .plain import number, plain
from .schema import check_data, check_numbers

FORMAT, VERSION = "linsep risk", 1
SIZES = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000)
ETAS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
MOST_RUNGS, MOST_DEGREE = 12, 5
GRID = (72, 54)  # columns and rows of the decisions that are drawn


def make_ladder(degree: float = MOST_DEGREE) -> StructuralRisk:
    """Polynomials of degree 1, 2, ...: the pocket perceptron in each lifted space."""
    return StructuralRisk(
        [
            (f"degree {d}", Lifted(Polynomial(d), Perceptron(keep="pocket", max_iter=60, random_state=0)))
            for d in range(1, int(degree) + 1)
        ]
    )


class RiskLadder:
    """The rungs of a ladder with their risks and bounds: see `record_risk`.

    Parameters
    ----------
    content : dict
        The fields of docs/lab.md; checked.
    """

    def __init__(self, content: dict[str, Any]):
        _check(content)
        self.content = content

    def __repr__(self) -> str:
        return f"<RiskLadder of {len(self.content['rungs'])} rungs, {len(self.content['data']['y'])} rows>"

    def __len__(self) -> int:
        """How many rungs there are."""
        return len(self.content["rungs"])

    def check(self) -> list[Verdict]:
        """Compute every bound again by `linsep.risk.vc_bound`, and every choice from them; not the risks themselves."""
        expected = bound_table(self.content["rungs"], self.content["N"], self.content["eta"])
        return [Verdict(() if self.content[key] == plain(table) else (key,)) for key, table in expected.items()]

    def to_json(self) -> str:
        """The ladder as JSON."""
        return json.dumps(self.content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def to_csv(self) -> str:
        """One line per rung, N and eta: the risks and the bound."""
        lines = ["rung,h,empirical,cross_validated,N,eta,bound"]
        for rung, table in zip(self.content["rungs"], self.content["bound"], strict=True):
            for N, row in zip(self.content["N"], table, strict=True):
                for eta, bound in zip(self.content["eta"], row, strict=True):
                    name = '"' + rung["name"].replace('"', '""') + '"'
                    lines.append(f"{name},{rung['h']},{rung['empirical']},{rung['cross_validated']},{N},{eta},{bound}")
        return "\n".join(lines) + "\n"

    def code(self) -> str:
        """Python code that makes the same ladder."""
        data, described = self.content["data"], [each["classifier"] for each in self.content["rungs"]]
        ladder = ", ".join(f"({each['name']!r}, {code(each['classifier'])})" for each in self.content["rungs"])
        return "\n".join(
            [
                f"from linsep import {', '.join(sorted(names_in(described)))}",
                "from linsep.lab import record_risk",
                "from linsep.risk import StructuralRisk",
                "",
                f"X = {data['X']!r}",
                f"y = {[data['classes'][k] for k in data['y']]!r}",
                f"model = StructuralRisk([{ladder}], eta={self.content['chosen_eta']!r})",
                "recording = record_risk(model, X, y)",
                'print(recording.content["sentence"])',
                "",
            ]
        )

    def to_html(self, path: str | Path | None = None, beside: Any = None) -> str:
        """One page that shows it offline, without Python; also written to ``path``, if there is one."""
        from .page import make_page

        if beside is not None:
            raise ValueError("beside: expected None; a ladder stands alone.")
        page = make_page({"recordings": [self.content], "codes": [self.code()]})
        if path is not None:
            with replace_file(path) as file:
                file.write(page.encode())
        return page

    def _repr_html_(self) -> str:
        from .show import as_frame

        return as_frame(self)


def record_risk(model: Any, X: Any, y: Any, *, columns: Any = None, title: str = "") -> RiskLadder:
    r"""Fit a ladder of rules and write down the bound of every rung for many N and eta, by `linsep.risk.vc_bound`.

    .. math:: R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4K}\right]}

    Each of K rungs gets :math:`\eta/K`. The bounds at another N say what the same risks would mean on N examples.

    Parameters
    ----------
    model : StructuralRisk
        The ladder, of estimators of this package.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        Rows of the plane and labels of two classes.
    columns : list of str, default=None
        Names of the columns.
    title : str, default=""
        What the player writes above.

    Returns
    -------
    RiskLadder

    Examples
    --------
    >>> import numpy as np
    >>> from linsep.lab import record_risk
    >>> from linsep.lab.ladder import make_ladder
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> recording = record_risk(make_ladder(3), X, (np.hypot(*X.T) < 0.7).astype(int))
    >>> recording.content["sentence"].split(",")[0]
    'Chosen by the bound: degree 2'
    """
    from .record import check_data as check_rows
    from .record import describe_data

    X, y = check_rows(X, y)
    if X.shape[1] != 2 or len(np.unique(y)) != 2:
        raise ValueError("The ladder is drawn for two columns and two classes.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the table
        fitted = model.__class__(model.ladder, eta=model.eta, cv=model.cv).fit(X, y)
    table: RiskTable = fitted.table_
    if len(table) > MOST_RUNGS:
        raise ValueError(f"ladder: expected up to {MOST_RUNGS} rungs, got {len(table)}.")
    box = _box(X)
    rungs = [
        _describe_rung(rung, each, describe(classifier), box, fitted.classes_)
        for rung, each, (_, classifier) in zip(table, fitted.estimators_, _pairs(model.ladder, table), strict=True)
    ]
    sizes, etas = sorted({*SIZES, len(y)}), sorted({*ETAS, float(model.eta)})
    content = {
        "format": FORMAT, "version": VERSION, "linsep": __version__, "title": str(title),
        "data": describe_data(X, y, columns), "rungs": rungs, "box": box, "grid": list(GRID), "N": sizes, "eta": etas,
        "chosen_N": len(y), "chosen_eta": float(model.eta), "sentence": table.reasons()[0],
        **bound_table(rungs, sizes, etas),
    }  # fmt: skip
    return RiskLadder(plain(content))


def _pairs(ladder: Sequence[Any], table: RiskTable) -> list[tuple[str, Any]]:
    return [each if isinstance(each, tuple) else (rung.name, each) for each, rung in zip(ladder, table, strict=True)]


def _describe_rung(rung: Rung, fitted: Any, classifier: Any, box: list[float], classes: np.ndarray) -> dict[str, Any]:
    """Its numbers, and what it decides on a grid, row by row from below."""
    xs, ys = (low + (high - low) * (np.arange(k) + 0.5) / k for low, high, k in
              ((box[0], box[1], GRID[0]), (box[2], box[3], GRID[1])))  # fmt: skip
    points = np.array([[x, y] for y in ys for x in xs])
    decided = np.searchsorted(classes, fitted.predict(points))
    return {
        "name": rung.name, "classifier": classifier, "h": rung.bound.h, "from": rung.capacity.source,
        "empirical": rung.empirical, "cross_validated": rung.cross_validated, "spread": rung.spread,
        "decided": "".join(map(str, decided.tolist())),
    }  # fmt: skip


def _box(X: np.ndarray) -> list[float]:
    low, high = X.min(axis=0), X.max(axis=0)
    pad = 0.08 * np.maximum(high - low, 1e-9)
    return [float(v) for pair in zip(low - pad, high + pad, strict=True) for v in pair]


def bound_table(rungs: list[dict[str, Any]], sizes: list[int], etas: list[float]) -> dict[str, list]:
    """The bound of every rung, and the chosen rung, for every N and eta; each of K rungs gets eta / K."""
    found = [
        [[vc_bound(r["empirical"], number(r["h"]), N, eta / len(rungs)).value for eta in etas] for N in sizes]
        for r in rungs
    ]
    values = np.round(np.array(found), 12)
    return {"bound": found, "best": np.argmin(values, axis=0).tolist()}


def _check(content: Any) -> None:
    """Refuse what is not a ladder, by the name of the field."""
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise ValueError(f"ladder: expected JSON with the format {FORMAT!r}, version {VERSION}.")
    names = {"data", "rungs", "box", "grid", "N", "eta", "bound", "best", "chosen_N", "chosen_eta", "sentence"}
    if not names <= set(content):
        raise ValueError(f"ladder: expected the fields {', '.join(sorted(names - set(content)))}.")
    if check_data(content["data"])[1] != 2 or content["grid"] != list(GRID):
        raise ValueError(f"ladder: expected two columns, and a grid of {list(GRID)}.")
    check_numbers(content["box"], 4, "box")
    sizes, etas, rungs = content["N"], content["eta"], content["rungs"]
    for name in ("N", "eta"):
        check_numbers(content[name], None, name)
    if not isinstance(rungs, list) or not 1 <= len(rungs) <= MOST_RUNGS or len(content["bound"]) != len(rungs):
        raise ValueError(f"rungs: expected 1 to {MOST_RUNGS}, each with its bounds.")
    for rung, table in zip(rungs, content["bound"], strict=True):
        check_described(rung["classifier"])
        words = isinstance(rung["name"], str) and isinstance(rung["decided"], str)
        if not words or len(rung["decided"]) != GRID[0] * GRID[1] or set(rung["decided"]) - {"0", "1"}:
            raise ValueError("rungs: expected a name, and the decisions of a grid.")
        check_numbers([rung[key] for key in ("h", "empirical", "cross_validated", "spread")], 4, "rungs", finite=False)
        if len(table) != len(sizes):
            raise ValueError("bound: expected one list for each N.")
        for row in table:
            check_numbers(row, len(etas), "bound", finite=False)
    best = content["best"]
    if len(best) != len(sizes) or any(len(row) != len(etas) or not set(row) <= set(range(len(rungs))) for row in best):
        raise ValueError("best: expected the number of a rung for each N and eta.")
