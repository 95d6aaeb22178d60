"""Run a rule step by step and write down everything: what the lab shows is what the library did."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from .. import __version__
from ..certificates.base import Certificate
from ..estimators._validation import check_input
from ..estimators.anderson import Anderson
from ..estimators.one_vs import OneVsAll, OneVsOne
from ..estimators.sequences.classifier import SequenceClassifier
from ..lifting import Lifted, Polynomial, Quadratic
from .gaussians import prepare_gaussians
from .parameters import describe
from .plain import plain
from .proof import proof_points
from .recording import Recording
from .rules import make_rule
from .schema import FORMAT, MOST_CLASSES, MOST_COLUMNS, MOST_LIFTED, MOST_ROWS, MOST_UPDATES, VERSION
from .table import Question, Table, fit_within
from .words import prepare_words


# many arguments because: they are the options of a recording, by keyword
def record(
    rule: Any, X: Any, y: Any, *, max_updates: int = 1000, max_seconds: float = 20.0, columns: Any = None,
    title: str = "", name: str | None = None, covariances: Any = None,
) -> Recording:  # fmt: skip
    r"""Learn as ``rule`` does, :math:`w \leftarrow \alpha w + \beta a`, and record every update with its numbers.

    Parameters
    ----------
    rule : str or estimator
        A name of `linsep.lab.RULES`, or an estimator of this package: what `linsep.trace` follows is recorded update by
        update, of others the answer with its certificate; `OneVsAll` and `OneVsOne` member by member, `Lifted` in its
        lifted space.
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
        Numbers and labels; at most 5,000 rows of 64 columns, 10 classes, and of `Lifted` 100 lifted columns.
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
    covariances : list of arrays of shape (2, 2), default=None
        For `Anderson`: the rows of X are the means of Gaussians, and these are their covariances. None: the Gaussians
        are estimated from the rows.

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
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "linsep": __version__, "title": str(title)}
    content |= {"max_updates": max_updates}
    content["rule"] = {**describe(estimator), "catalogue": rule if isinstance(rule, str) else name}
    if covariances is not None and not isinstance(estimator, Anderson):
        raise ValueError("covariances: expected None, or Anderson as rule.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the certificate
        learn = _prepare(estimator, X, y, columns, covariances, content)
        for _ in range(2):  # the first time may be spent on compiling
            end = time.monotonic() + max_seconds
            found = learn(max_updates, end)
            if time.monotonic() < end:
                break
    return Recording(plain({**content, **found}))


Learn = Callable[[int, float], dict[str, Any]]  # at most so many updates, until so many seconds


# many arguments because: they are those of `record`
def _prepare(estimator: Any, X: Any, y: Any, columns: Any, covariances: Any, content: dict[str, Any]) -> Learn:
    """What is learned from, written down in ``content``, and how to learn."""
    if isinstance(estimator, SequenceClassifier):
        return prepare_words(estimator, X, y, content)
    X, y = check_data(X, y)
    content["data"] = describe_data(X, y, columns)
    if isinstance(estimator, Anderson):
        return prepare_gaussians(estimator, X, y, covariances, content)
    Z, estimator = _lift(estimator, X, y, content)
    questions = _questions(estimator, Z, y, content)

    def learn(most: int, end: float) -> dict[str, Any]:
        found = _learn(questions, Z, most, end)
        if content["decides"]["kind"] == "sign" and found["shape"][0] > 1:
            content["decides"] = {"kind": "machine"}
        return found

    return learn


def describe_data(X: np.ndarray, y: np.ndarray, columns: Any) -> dict[str, Any]:
    """Rows, numbers of classes, labels and names."""
    classes, label = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Expected two classes or more, got one class only: {classes.tolist()[0]!r}.")
    if len(classes) > MOST_CLASSES:
        raise ValueError(f"y: a recording holds up to {MOST_CLASSES} classes, got {len(classes)}. Take fewer classes.")
    names = [f"x{j + 1}" for j in range(X.shape[1])] if columns is None else [str(name) for name in columns]
    if len(names) != X.shape[1]:
        raise ValueError(f"columns: expected {X.shape[1]} names, got {len(names)}.")
    return {"X": X.tolist(), "y": label.tolist(), "classes": classes.tolist(), "columns": names}


def check_data(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and labels that the lab takes."""
    X, y = check_input(BaseEstimator(), X, y, reset=True, accept_sparse=False, dtype=np.float64)
    if len(X) > MOST_ROWS or X.shape[1] > MOST_COLUMNS:
        raise ValueError(f"X: the lab takes up to {MOST_ROWS} rows of {MOST_COLUMNS} columns, got {X.shape}.")
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
    if isinstance(estimator.lift, Polynomial):  # counted first: the products themselves may not fit into memory
        degree = 2 if isinstance(estimator.lift, Quadratic) else estimator.lift.degree
        _check_lifted(math.comb(X.shape[1] + int(degree), int(degree)) - 1)
    lift = clone(estimator.lift).fit(X, y)
    Z = np.asarray(lift.transform(X), dtype=np.float64)
    _check_lifted(Z.shape[1])
    functions = []
    for unit in np.eye(Z.shape[1]):
        g = lift.expand(unit)
        functions.append([[c, e] for c, e in zip(g.coefficients.tolist(), g.exponents.tolist(), strict=True)])
    names = [str(name) for name in lift.get_feature_names_out(content["data"]["columns"])]
    content["lift"] = {"columns": names, "functions": functions, "Z": Z.tolist()}
    return Z, estimator.classifier


def _check_lifted(count: int) -> None:
    """Refuse what would be too long to write down: the polynomials of so many columns."""
    if count > MOST_LIFTED:
        said = f"lifting: a recording holds up to {MOST_LIFTED} lifted columns, got {count}."
        raise ValueError(f"{said} Take a lower degree or fewer columns.")


def _questions(estimator: Any, X: np.ndarray, y: np.ndarray, content: dict[str, Any]) -> list[Question]:
    """What is learned one after the other: one problem, or one for each member of a committee."""
    classes = np.unique(y)
    if not isinstance(estimator, OneVsAll | OneVsOne):
        content["decides"] = {"kind": "machine" if len(classes) > 2 else "sign"}
        return [Question(estimator, X, y, np.arange(len(y)))]
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
        found.append(Question(clone(estimator.estimator), X[rows], (label[rows] == high).astype(np.int64), rows))
    return found


def _learn(questions: list[Question], Z: np.ndarray, most: int, end: float) -> dict[str, Any]:
    """All updates of all questions, with w as one matrix of which each question owns its rows."""
    table = Table(len(questions), Z.shape[1] + 1)
    certificates, answers, complete = [], [], True
    for number, question in enumerate(questions):
        left = most - table.count
        fitted = fit_within(question, max(left, 1), max(end - time.monotonic(), 0.1))
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
