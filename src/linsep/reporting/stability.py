"""Does the answer depend on chance? The model is fitted again, with other seeds and the rows in another order."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from ..interrupt import interrupts, is_spent

LARGEST = 1 << 29  # bytes of rows that are copied in another order


def refit_facts(model: Any, train: Any, judged: Any, *, refits: int, seconds: float) -> dict[str, Any]:
    """Refits within ``seconds``: how many decisions about the judged rows change, and how far w turns.

    A refit that the end of the time has cut short is not counted.
    """
    began, runs, cut = time.monotonic(), [], False
    said, rng = model.predict(judged.X), np.random.RandomState(0)
    size = train.X.data.nbytes if hasattr(train.X, "indptr") else train.X.nbytes
    for k in range(1, refits + 1):
        left = seconds - (time.monotonic() - began)
        if left <= 0:
            cut = True
            break
        other = clone(model)
        seeds = [name for name in other.get_params() if name.split("__")[-1] == "random_state"]
        other.set_params(**{name: k for name in seeds})
        order = rng.permutation(train.y.size) if size <= LARGEST else slice(None)
        weight = {} if train.weight is None else {"sample_weight": train.weight[order]}
        with interrupts(left), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a budget is spent: it is the same for all
            other.fit(train.X[order], train.y[order], **weight)
            cut = is_spent()
        if cut:
            break
        decided = other.predict(judged.X)
        certificate = getattr(other, "certificate_", None)
        runs.append(
            {
                "errors": int(np.sum(decided != judged.y)),
                "changed": int(np.sum(decided != said)),
                "degrees": _angle(model, other),
                "lower": getattr(certificate, "lower", None),
                "upper": getattr(certificate, "upper", None),
            }
        )
    return {
        "asked": refits, "seconds": seconds, "out_of_time": cut, "runs": runs, "rows": int(judged.y.size),
        "errors": int(np.sum(said != judged.y)),
        "reordered": size <= LARGEST,
    }  # fmt: skip


def _angle(model: Any, other: Any) -> float | None:
    """The angle between the weights of two fits, in degrees."""
    w, v = (np.ravel(getattr(each, "coef_", np.zeros(0))) for each in (model, other))
    if w.size != v.size or not w.any() or not v.any():
        return None
    a, b = w / np.linalg.norm(w), v / np.linalg.norm(v)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))
