"""Malformed arrays and files at public entries that are no estimators of rows: lifts, traces, pictures, files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from . import damage
from .malformed import EITHER, READ, REFUSE, Case, rows, rows_only, with_labels
from .malformed_structures import POSITIONS, SEQUENCES, TAGS

# public names that take no arrays of users
WITHOUT_ARRAYS = {
    "Certificate": "what others have in common",
    "LabellingCertificate": "its check takes a Structure; users call check of the estimator",
    "warm_up": "compiles kernels",
}


def entry_cases() -> Iterator[Case]:
    """All of them, in the same order always."""
    yield from _function_cases()
    yield from _lift_cases()
    yield from _certificate_cases()
    yield from _structured_cases()
    yield from _risk_cases()
    yield from _picture_cases()
    yield from _array_file_cases()
    yield from _model_file_cases()
    yield from _checkpoint_cases()
    yield from _shard_cases()


def _function_cases() -> Iterator[Case]:
    """`trace`, `report` and `separability` of structures."""
    import linsep as ls

    X, y = rows()
    fitted = ls.Perceptron(max_iter=20).fit(X, y)
    for name, rule in {"Perceptron": ls.Perceptron(), "Kozinec": ls.Kozinec(), "LeastSquares": _gradient()}.items():
        yield from with_labels(
            f"trace({name})", lambda *data, rule=rule: list(ls.trace(clone(rule), *data)), X, y, READ, True, True
        )
    for case in with_labels("report", lambda *data: ls.report(fitted, *data, refits=0), X, y, EITHER, False, True):
        needed = case.kind not in ("labels None", "one class", "labels mixed")  # without labels it is about X
        yield case if case.expected == REFUSE and needed else case._replace(expected=EITHER)
    for kind, make in POSITIONS.items():
        yield Case(
            "separability(estimator)", kind, REFUSE,
            lambda make=make: ls.separability(
                [make(SEQUENCES[0]), SEQUENCES[1]], TAGS, estimator=ls.SequenceClassifier()
            ),
        )  # fmt: skip


def _gradient() -> Any:
    from linsep import LeastSquares

    return LeastSquares("gradient", max_iter=5)


def _lift_cases() -> Iterator[Case]:
    import linsep as ls

    X, _ = rows()
    for lift in (ls.Polynomial(2), ls.Quadratic(), ls.Functions(["x1", "x2*x3"])):
        name, fitted = type(lift).__name__, clone(lift).fit(X)
        for method, call in {
            "fit": lambda X, lift=lift: clone(lift).fit(X),
            "transform": fitted.transform,
            "fit_transform": lambda X, lift=lift: clone(lift).fit_transform(X),
        }.items():
            for case in rows_only(f"{name}.{method}", call, X, EITHER, first=method != "transform"):
                few = name == "Functions" and case.kind == "no columns"
                yield case._replace(expected=EITHER) if few else case


def _certificate_cases() -> Iterator[Case]:
    import linsep as ls

    X, y = rows()
    for name, rule in {
        "MarginCertificate": ls.Perceptron(max_iter=20), "ObjectiveCertificate": ls.MaximumMargin(C=1.0),
        "RidgeCertificate": ls.LeastSquares(),
    }.items():  # fmt: skip
        claim = rule.fit(X, y).certificate_
        for case in with_labels(
            f"{name}.check", lambda *data, claim=claim: _hold(claim.check(*data)), X, y, EITHER, False, True
        ):
            yield case if case.expected == REFUSE else case._replace(expected=EITHER)


def _hold(verdict: Any) -> None:
    if not verdict:
        raise ValueError("The certificate is WRONG.")


def _structured_cases() -> Iterator[Case]:
    from linsep import StructuredClassifier

    def phi(x: Any, y: Any) -> np.ndarray:
        return np.array([x[0] * y, x[1] * y])

    X, y = [[1.0, 2.0], [3.0, 1.0], [-1.0, -2.0]], [0, 1, 0]
    make = lambda phi=phi: StructuredClassifier(phi, labels=[0, 1], max_iter=5)  # noqa: E731
    fitted = make().fit(X, y)
    broken: dict[str, Callable] = {
        "NaN": lambda x, y: np.array([np.nan, 1.0]), "infinite": lambda x, y: np.array([np.inf, 1.0]),
        "words": lambda x, y: np.array(["a", "b"]), "None": lambda x, y: None,
        "of several lengths": lambda x, y: np.ones(1 + y), "complex": lambda x, y: np.ones(2) * 1j,
        "of no numbers": lambda x, y: np.zeros(0), "not callable": 3,
    }  # fmt: skip
    for kind, wrong in broken.items():
        yield Case("StructuredClassifier.fit", f"phi {kind}", REFUSE, lambda f=wrong: make(f).fit(X, y))
    for kind, labels in {
        "too few": [0], "too many": [0, 1, 0, 1], "None": None, "unknown": [0, 1, 7], "a number": 1, "none": [],
    }.items():  # fmt: skip
        yield Case("StructuredClassifier.fit", f"labels {kind}", REFUSE, lambda y=labels: make().fit(X, y))
        yield Case(
            "StructuredClassifier.partial_fit", f"labels {kind}", REFUSE, lambda y=labels: make().partial_fit(X, y)
        )
        yield Case("StructuredClassifier.check", f"labels {kind}", REFUSE, lambda y=labels: _hold(fitted.check(X, y)))
    for kind, some in {"None": None, "a number": 4, "empty": []}.items():
        yield Case("StructuredClassifier.fit", f"X {kind}", REFUSE, lambda X=some: make().fit(X, y))
        if kind != "empty":
            yield Case("StructuredClassifier.predict", f"X {kind}", REFUSE, lambda X=some: fitted.predict(X))


UNUSABLE = {"one label fewer", "one label more", "no labels", "labels NaN", "labels infinite", "labels complex"}


def _risk_cases() -> Iterator[Case]:
    from linsep import Perceptron
    from linsep.risk import compute_capacity, empirical_risk, enclosing_ball

    X, y = rows()
    fitted = Perceptron(max_iter=20).fit(X, y)
    for case in rows_only("enclosing_ball", enclosing_ball, X, EITHER, first=True):
        yield case if case.expected != READ or case.kind == "as they are" else case._replace(expected=EITHER)
    for case in rows_only("compute_capacity", lambda X: compute_capacity(fitted, X, y), X, EITHER):
        yield case if case.expected == REFUSE else case._replace(expected=EITHER)
    for kind, make in damage.LABELS.items():
        expected = REFUSE if kind in UNUSABLE else EITHER  # labellings may be any objects
        for entry, call in {
            "empirical_risk": lambda wrong: empirical_risk(y, wrong),
            "empirical_risk, truth": lambda wrong: empirical_risk(wrong, y),
        }.items():  # fmt: skip
            yield Case(entry, kind, expected, lambda make=make, call=call: call(make(y)))


def _picture_cases() -> Iterator[Case]:
    """Functions that draw rows of two columns."""
    import matplotlib.pyplot as plt

    import linsep as ls
    from linsep import plot

    X, y = rows()
    X = np.ascontiguousarray(X[:, :2])
    rule, margin = ls.Perceptron(max_iter=20).fit(X, y), ls.MaximumMargin().fit(X, y)
    lifted, bayes = ls.Lifted(ls.Quadratic(), ls.Perceptron(max_iter=20)).fit(X, y), ls.Bayes().fit(X, y)
    draw: dict[str, Callable] = {
        "plot.decision": lambda X, y: plot.decision(rule, X, y), "plot.hulls": lambda X, y: plot.hulls(margin, X, y),
        "plot.regions": lambda X, y: plot.regions(rule, X, y), "plot.lifted": lambda X, y: plot.lifted(lifted, X, y),
        "plot.radius_and_margin": lambda X, y: plot.radius_and_margin(margin, X, y),
        "plot.three_spaces": lambda X, y: plot.three_spaces(rule, X, y),
        "plot.strategy": lambda X, y: plot.strategy(bayes, X, y), "plot.criterion": plot.criterion,
        "plot.longest_vector": plot.longest_vector, "plot.mirrored_hull": plot.mirrored_hull,
        "plot.novikoff": plot.novikoff, "plot.weight_space": plot.weight_space,
        "plot.animate": lambda X, y: plot.animate(X, y, Path(tempfile.gettempdir(), "linsep-attack.gif")),
    }  # fmt: skip

    def drawn(call: Callable, X: Any, y: Any) -> None:
        try:
            call(X, y)
        finally:
            plt.close("all")

    optional = {"plot.strategy": {"None", "labels None"}}  # data that need not be drawn
    for name, call in draw.items():
        for kind, make in damage.ROWS.items():
            expected = EITHER if kind in damage.AFTER_FIT or kind in optional.get(name, ()) else REFUSE
            yield Case(name, kind, expected, lambda make=make, call=call: drawn(call, make(X), y))
        for kind, make in damage.LABELS.items():
            expected = EITHER if kind == "one class" or kind in optional.get(name, ()) else REFUSE
            yield Case(name, kind, expected, lambda make=make, call=call: drawn(call, X, make(y)))


def _array_file_cases() -> Iterator[Case]:
    """Arrays that come from files."""
    from linsep import Perceptron

    X, y = rows()
    for kind, make in damage.ROWS.items():
        if kind in damage.AFTER_FIT or not isinstance(make(X), np.ndarray | sp.csr_matrix):
            continue
        for entry, use in {"open_dataset": len, "Dataset.fit": Perceptron(max_iter=5).fit}.items():
            later = entry == "open_dataset" and any(each in kind for each in ("NaN", "infinity", "no columns"))
            yield Case(
                entry,
                kind,
                EITHER if later else REFUSE,
                lambda make=make, use=use: _through_file(_arrays(make(X), y), use),
            )
    for kind, make in damage.LABELS.items():
        if isinstance(make(y), np.ndarray):
            expected = EITHER if kind in ("labels mixed", "labels of None") else REFUSE
            yield Case(
                "Dataset.fit", kind, expected,
                lambda make=make: _through_file({"X": X, "y": make(y)}, Perceptron(max_iter=5).fit),
            )  # fmt: skip
    yield Case("open_dataset", "as they are", READ, lambda: _through_file({"X": X, "y": y}, Perceptron().fit))
    yield Case("open_dataset", "CSR", READ, lambda: _through_file(_arrays(sp.csr_matrix(X), y), Perceptron().fit))


def _arrays(X: Any, y: np.ndarray) -> dict[str, Any]:
    if sp.issparse(X):
        return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "y": y}
    return {"X": X, "y": y}


def _through_file(arrays: dict[str, Any], use: Callable) -> Any:
    from linsep import open_dataset

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.npz")
        np.savez(path, **arrays)
        return use(open_dataset(path, cache=Path(folder, "cache")))


def _model_file_cases() -> Iterator[Case]:
    """Files that are no models."""
    import linsep as ls

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.linsep")
        ls.Perceptron(max_iter=20).fit(*rows()).save(path)
        good = path.read_bytes()
    for kind, content in _damaged(good).items():
        expected = EITHER if kind in ("one byte more", "begins later") else REFUSE  # a zip may have bytes round it
        yield Case("load", kind, expected, lambda content=content: _load(content))
    yield Case("load", "as it is", READ, lambda: _load(good))
    yield Case("load", "no file", REFUSE, lambda: ls.load(3.5))  # type: ignore[arg-type]


def _damaged(good: bytes) -> dict[str, bytes]:
    """What may have become of a zip file."""
    return {
        "empty": b"", "words": b"no model", "cut short": good[: len(good) // 2], "cut at the end": good[:-1],
        "one byte more": good + b"x", "one byte other": bytes([*good[:200], good[200] ^ 1, *good[201:]]),
        "zeros": bytes(len(good)), "a zip of nothing": b"PK\5\6" + bytes(18),
        "begins later": b"x" * 64 + good, "a pickle": b"\x80\x04N.",
    }  # fmt: skip


def _checkpoint_cases() -> Iterator[Case]:
    """Files that are no checkpoints, checkpoints of other work, and settings that are none."""
    X, y = rows()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.checkpoint")
        try:
            _learn_with(path, X, y, stop=True)
        except RuntimeError:
            good = path.read_bytes()
    for kind, content in _damaged(good).items():
        expected = EITHER if kind in ("one byte more", "begins later") else REFUSE
        yield Case("checkpointing", kind, expected, lambda content=content: _resume(content, X, y))
    yield Case("checkpointing", "as it is", READ, lambda: _resume(good, X, y))
    yield Case("checkpointing", "other rows", REFUSE, lambda: _resume(good, X + 1.0, y))
    yield Case("checkpointing", "other labels", REFUSE, lambda: _resume(good, X, y[::-1]))
    for kind, every in {"negative": -1.0, "NaN": np.nan, "words": "often", "None": None}.items():
        yield Case("checkpointing", f"seconds {kind}", REFUSE, lambda every=every: _resume(good, X, y, every))


def _resume(content: bytes, X: Any, y: Any, every: Any = 0.0) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.checkpoint")
        path.write_bytes(content)
        return _learn_with(path, X, y, every=every)


def _learn_with(path: Path, X: Any, y: Any, every: Any = 0.0, stop: bool = False) -> Any:
    """A fit inside `checkpointing`; ``stop`` leaves the block by an exception, so that the file stays."""
    from linsep import Perceptron, checkpointing

    with checkpointing(path, every=every):
        rule = Perceptron(max_iter=20).fit(X, y)
        if stop:
            raise RuntimeError
    return rule


def _load(content: bytes) -> Any:
    from linsep import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.linsep")
        path.write_bytes(content)
        return load(path)


def _shard_cases() -> Iterator[Case]:
    """Files of tokens."""
    for kind, content in {
        "a column fewer": b"The DT\ndog\n", "a column more": b"The DT\ndog NN x\n", "not UTF-8": b"The \xff\n",
    }.items():  # fmt: skip
        yield Case("open_shards", kind, REFUSE, lambda content=content: _load_shards(content))
    yield Case("open_shards", "no file", REFUSE, lambda: _load_shards(b"The DT\n", name="none"))
    yield Case("open_shards", "as it is", READ, lambda: _load_shards(b"The DT\ndog NN\n"))
    for kind, columns in {"one column": ["word"], "a name twice": ["word", "word"]}.items():
        yield Case("open_shards", kind, REFUSE, lambda columns=columns: _load_shards(b"The DT\n", columns))


def _load_shards(content: bytes, columns: Any = ("word", "label"), name: str = "some.txt") -> Any:
    from linsep import open_shards

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "some.txt").write_bytes(content)
        return open_shards(Path(folder, name), columns).load()
