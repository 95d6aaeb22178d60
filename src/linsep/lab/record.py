"""Run a rule step by step and write down everything: what the lab shows is what the library did."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from .. import __version__
from ..certificates.base import Certificate
from ..estimators.one_vs import OneVsAll, OneVsOne
from ..estimators.trace import Update, trace
from ..lifting import Lifted
from .parameters import describe
from .plain import plain
from .proof import class_points, proof_points
from .recording import Recording
from .rules import make_rule
from .schema import FORMAT, MOST_COLUMNS, MOST_ROWS, MOST_UPDATES, VERSION

MOST_BATCH_ROWS = 400_000  # numbers of rows that all batch steps of a recording may name


class _Question(NamedTuple):
    """Data of two classes or more that one w, or one matrix, is learned from."""

    estimator: Any
    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray  # their numbers in all data


# many arguments because: they are the options of a recording, by keyword
def record(
    rule: Any, X: Any, y: Any, *, max_updates: int = 1000, max_seconds: float = 20.0, columns: Any = None,
    title: str = "", name: str | None = None,
) -> Recording:  # fmt: skip
    r"""Learn as ``rule`` does, :math:`w \leftarrow \alpha w + \beta a`, and record every update with its numbers.

    Parameters
    ----------
    rule : str or estimator
        A name of `linsep.lab.RULES`, or an estimator of this package: what `linsep.trace` follows is recorded update by
        update, of others the answer with its certificate; `OneVsAll` and `OneVsOne` member by member, `Lifted` in its
        lifted space.
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
        Numbers and labels; at most 5,000 rows of 64 columns.
    max_updates : int, default=1000
        End after so many updates; at most 20,000.
    max_seconds : float, default=20.0
        End after so many seconds; twice as many where kernels had to be compiled first.
    columns : list of str, default=None
        Names of the columns. None: x1, x2, ...
    title : str, default=""
        What the player writes above.
    name : str, default=None
        Name of the rule; None: that of the catalogue, or of the class.

    Returns
    -------
    Recording

    Examples
    --------
    The lectures' worked example (S1), three updates at x1, x6 and x5:

    >>> from linsep.lab import PRESETS, record
    >>> recording = record("perceptron", **PRESETS["S1, nine points"])
    >>> recording.content["updates"]["row"], recording.w.tolist()[-1]
    ([0, 5, 4], [[2.5, -4.5, -1.0]])
    """
    estimator = make_rule(rule) if isinstance(rule, str) else clone(rule)
    if isinstance(max_updates, bool) or not isinstance(max_updates, int) or not 1 <= max_updates <= MOST_UPDATES:
        raise ValueError(f"max_updates: expected a whole number from 1 to {MOST_UPDATES}, got {max_updates!r}.")
    X, y = _check_data(X, y)
    content = _header(X, y, columns)
    content |= {"title": str(title), "max_updates": max_updates}
    content["rule"] = {**describe(estimator), "catalogue": rule if isinstance(rule, str) else name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the certificate
        Z, estimator = _lift(estimator, X, y, content)
        questions = _questions(estimator, Z, y, content)
        for _ in range(2):  # the first time may be spent on compiling
            end = time.monotonic() + max_seconds
            found = _learn(questions, Z, max_updates, end)
            if content["decides"]["kind"] == "sign" and found["shape"][0] > 1:
                content["decides"] = {"kind": "machine"}
            if time.monotonic() < end:
                break
    return Recording(plain({**content, **found}))


def _header(X: np.ndarray, y: np.ndarray, columns: Any) -> dict[str, Any]:
    """The format, and the data."""
    classes, label = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Expected two classes or more, got one class only: {classes.tolist()[0]!r}.")
    names = [f"x{j + 1}" for j in range(X.shape[1])] if columns is None else [str(name) for name in columns]
    if len(names) != X.shape[1]:
        raise ValueError(f"columns: expected {X.shape[1]} names, got {len(names)}.")
    data = {"X": X.tolist(), "y": label.tolist(), "classes": classes.tolist(), "columns": names}
    return {"format": FORMAT, "version": VERSION, "linsep": __version__, "data": data}


def _check_data(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    X = check_array(X, dtype=np.float64, input_name="X")
    if len(X) > MOST_ROWS or X.shape[1] > MOST_COLUMNS:
        raise ValueError(f"X: the lab takes up to {MOST_ROWS} rows of {MOST_COLUMNS} columns, got {X.shape}.")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    if y.dtype.kind not in "biuUS" and not (y.dtype.kind == "O" and all(isinstance(label, str) for label in y)):
        if y.dtype.kind != "f" or not np.isfinite(y).all():
            raise ValueError("y: expected whole numbers or words as labels.")
        if not (y == np.round(y)).all():
            raise ValueError(f"y: expected whole numbers or words as labels, got {y[y != np.round(y)][0]}.")
        y = y.astype(np.int64)
    return X, y.astype(str) if y.dtype.kind in "OS" else y


def _lift(estimator: Any, X: np.ndarray, y: np.ndarray, content: dict[str, Any]) -> tuple[np.ndarray, Any]:
    """The rows of the space that is learned in, and the rule there; a lift is written down as polynomials of x."""
    if not isinstance(estimator, Lifted):
        return X, estimator
    lift = clone(estimator.lift).fit(X, y)
    Z = np.asarray(lift.transform(X), dtype=np.float64)
    functions = []
    for unit in np.eye(Z.shape[1]):
        g = lift.expand(unit)
        functions.append([[c, e] for c, e in zip(g.coefficients.tolist(), g.exponents.tolist(), strict=True)])
    names = [str(name) for name in lift.get_feature_names_out(content["data"]["columns"])]
    content["lift"] = {"columns": names, "functions": functions, "Z": Z.tolist()}
    return Z, estimator.classifier


def _questions(estimator: Any, X: np.ndarray, y: np.ndarray, content: dict[str, Any]) -> list[_Question]:
    """What is learned one after the other: one problem, or one for each member of a committee."""
    classes = np.unique(y)
    if not isinstance(estimator, OneVsAll | OneVsOne):
        content["decides"] = {"kind": "machine" if len(classes) > 2 else "sign"}
        return [_Question(estimator, X, y, np.arange(len(y)))]
    label, all_rows = np.searchsorted(classes, y), np.arange(len(y))
    if isinstance(estimator, OneVsAll):
        sides = [[-1, k] for k in range(len(classes))] if len(classes) > 2 else [[0, 1]]
    else:
        sides = [[i, k] for i in range(len(classes)) for k in range(i + 1, len(classes))]
    kind = "one versus all" if isinstance(estimator, OneVsAll) else "one versus one"
    content["decides"] = {"kind": kind, "sides": sides}
    found = []
    for low, high in sides:
        rows = all_rows if low < 0 else all_rows[(label == low) | (label == high)]
        found.append(_Question(clone(estimator.estimator), X[rows], (label[rows] == high).astype(np.int64), rows))
    return found


def _learn(questions: list[_Question], Z: np.ndarray, most: int, end: float) -> dict[str, Any]:
    """All updates of all questions, with w as one matrix of which each question owns its rows."""
    table = _Table(len(questions), Z.shape[1] + 1)
    certificates, answers, complete = [], [], True
    for number, question in enumerate(questions):
        left = most - table.count
        fitted = _fit(question, max(left, 1), max(end - time.monotonic(), 0.1))
        certificate: Certificate = fitted.certificate_
        w = np.column_stack([fitted.coef_, fitted.intercept_])
        answers.append(certificate.w if certificate.w.ndim == 2 and len(w) == 1 else w)  # a machine of two classes
        certificates.append({**certificate.to_dict(), "sentence": str(certificate)})
        certificates[-1] |= proof_points(certificate, question.X, question.y, question.rows)
        complete &= table.follow(question, number, fitted, certificate, left, end)
    w = np.concatenate(answers)
    return {
        "shape": list(w.shape),
        "start": table.start(w.shape).ravel().tolist(),
        "updates": table.columns(),
        "answer": w.ravel().tolist(),
        "certificates": certificates,
        "complete": bool(complete),
    }


def _fit(question: _Question, most: int, seconds: float) -> Any:
    """The rule, fitted with the budget of the recording where it has none of its own."""
    rule = clone(question.estimator)
    given = rule.get_params(deep=False)
    budget: dict[str, Any] = {"max_updates": most, "max_seconds": seconds}
    settings = {key: value for key, value in budget.items() if key in given and given[key] is None}
    if given.get("method") == "lms" and given["max_iter"] == "auto":
        settings["max_iter"] = max(1, most // len(question.y))
    elif given.get("max_iter") == "auto" and "max_updates" not in given and "C" not in given:
        settings["max_iter"] = most
    return rule.set_params(**settings).fit(question.X, question.y)


class _Table:
    """The updates of a recording, column by column."""

    def __init__(self, members: int, width: int):
        self.members, self.width, self.count, self.listed = members, width, 0, 0
        self.found: dict[str, list] = {name: [] for name in (*NUMBERS, "row", "rival", "pass", "visits", "w", "a")}
        self.found |= {"member": [], "rows": [], "points": []}
        self.w: np.ndarray | None = None
        self.first: np.ndarray | None = None

    # many arguments because: they are what is known of one run
    def follow(
        self, question: _Question, member: int, fitted: Any, certificate: Certificate, most: int, end: float
    ) -> bool:
        """Write down the updates of one question; whether the rule came to its end within the budgets."""
        if not hasattr(question.estimator, "_updates"):
            return True
        loop = "max_updates" in question.estimator.get_params(deep=False)
        made = min(most, certificate.updates) if loop else most
        count = 0
        for update in _updates(question, made):
            self._add(update, question, member)
            count += 1
            if time.monotonic() > end:
                return False
        return count < most or (loop and certificate.proved and not certificate.reason)

    def _add(self, update: Update, question: _Question, member: int) -> None:
        w, before = (np.atleast_2d(each) for each in (update.w, update.before))
        if self.w is None:
            self.w = np.zeros((self.members, self.width)) if self.members > 1 else before.copy()
        if self.first is None:
            self.first = self.w.copy()
        place = slice(member, member + 1) if self.members > 1 else slice(None)
        self.w[place] = w
        found = self.found
        found["w"].append(self.w.ravel().tolist())
        found["a"].append(np.ravel(update.a).tolist())
        found["row"].append(int(question.rows[update.row]) if update.row >= 0 else -1)
        found["pass"].append(int(update.passes))
        found["visits"].append(int(update.visits))
        found["member"].append(member)
        found["rival"].append(self._rival(update, question))
        for name in NUMBERS:
            found[name].append(float(getattr(update, name)))
        if update.row < 0 and self.listed <= MOST_BATCH_ROWS:
            self.listed += update.rows.size
            found["rows"].append(question.rows[update.rows].tolist())
        weights = getattr(update.state, "dual_weights", None)
        if self.members == 1 and w.shape[0] == 1 and weights is not None and _is_free(question.estimator):
            found["points"].append(class_points(question.X, question.y, weights))
        self.count += 1

    @staticmethod
    def _rival(update: Update, question: _Question) -> int | None:
        """The row of the other class, or the number of the class, that a row was compared with."""
        if update.rival is None:
            return None
        if np.ndim(update.w) == 2:
            return int(np.searchsorted(np.unique(question.y), update.rival))
        return int(question.rows[update.rival])

    def start(self, shape: tuple[int, ...]) -> np.ndarray:
        """The w before the first update."""
        return np.zeros(shape) if self.first is None else self.first

    def columns(self) -> dict[str, list]:
        """The columns that hold anything."""
        found = self.found
        keep = {"rows": len(found["rows"]) == self.count, "points": len(found["points"]) == self.count}
        keep |= {"member": self.members > 1, "rival": any(each is not None for each in found["rival"])}
        keep |= {name: not all(map(math.isnan, found[name])) for name in NUMBERS}
        return {name: values for name, values in found.items() if self.count == 0 or keep.get(name, True)}


NUMBERS = ("wa", "goal", "alpha", "beta", "errors", "lower", "upper", "value")


def _is_free(estimator: Any) -> bool:
    """Whether w is half the difference of two points, one of each hull."""
    return getattr(estimator, "bias", None) == "free"


def _updates(question: _Question, most: int) -> Iterator[Update]:
    """What `trace` yields, or nothing where it says that there are no updates to follow."""
    if most < 1:
        return
    try:
        yield from trace(question.estimator, question.X, question.y, max_updates=most, bounds=True)
    except (TypeError, ValueError) as error:
        if not str(error).startswith("trace:"):
            raise
