"""Is the set linearly separable? (B4)"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.base import clone

from ..certificates.margin import MarginCertificate
from ..certificates.prove.margin import Outcome
from ..data import Dataset
from ..engines.dask_client import is_collection
from ..interrupt import interrupts
from ..loop.stop import Rounds
from ..oracles import Classes
from ..solvers.machine_margin import Machine
from ..solvers.separability import CLOSE, PASSES, decide_separability
from ..targets import Margin
from ._datasets import load_parts
from ._labelling import MAXIMUM_MARGIN, LabellingClassifier
from ._linear import LinearClassifier
from ._oracles import two_classes
from ._validation import POSITIVE, HasMethods, StrOptions, checked

WIDEST = 1000  # columns up to which a proof in floating point is tried


class _Question(LinearClassifier):
    """Data and labels, checked as those of an estimator."""

    def _bias_of_rows(self) -> str:
        return "augmented" if self._machine() else "free"

    def _any_columns(self) -> bool:
        return True  # the solver scales them


@checked(exact=[StrOptions({"auto"}), "boolean"], max_seconds=[None, POSITIVE], estimator=[None, HasMethods("check")])
def separability(
    X: Any, y: Any = None, sample_weight: Any = None, *, exact: bool | str = "auto", max_seconds: float | None = None,
    estimator: Any = None,
) -> MarginCertificate:  # fmt: skip
    r"""Whether any hyperplane separates the two classes of ``X``, or any linear machine more of them, with a proof.

    Either a w that does, or weights that make the convex hulls of the classes meet,

    .. math:: \lambda \ge 0, \quad \sum \lambda_i = 1, \quad \sum \lambda_i a_i = 0, \qquad a_i = \pm(x_i, 1),

    of at most d + 2 rows. Of more than two classes the :math:`a_i` are Kesler's vectors, a row against a rival
    class (see `MarginCertificate`). The w need not be the best one: for that, see `MaximumMargin`.

    Parameters
    ----------
    X : array, sparse matrix or data frame of n rows, Dataset, or dask collection
        Read in place. A dataset has its labels. Of dask collections two classes are decided.
    y : array of n labels, default=None
        Two classes or more.
    sample_weight : array of n numbers, default=None
        Rows of weight 0 are absent, other weights don't matter.
    exact : {"auto", True, False}, default="auto"
        Rational arithmetic where floating point can't decide, as where the hulls just touch. "auto": for at most a
        minute; True: as long as it takes, or ``max_seconds``; False: never.
    max_seconds : float or None, default=None
        Budget of time; None is a minute of exact arithmetic for "auto".
    estimator : SequenceClassifier, NetworkClassifier, StructuredClassifier or None, default=None
        Of structured data (S2's definition 1): what phi is. The question is then whether any w gives every example a
        larger score for its own labelling than for any other. The estimator itself is not changed.

    Returns
    -------
    MarginCertificate
        Its ``separable`` is True, False, or None if it could not be decided; ``check(X, y)`` verifies it. Of structured
        data a `LabellingCertificate`.

    Examples
    --------
    >>> from linsep import separability
    >>> xor = separability([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> xor.separable, xor.rows.tolist(), xor.weights.round(9).tolist()
    (False, [0, 1, 2, 3], [0.25, 0.25, 0.25, 0.25])
    >>> separability([[0.0], [1.0], [1.0 + 2**-52]], [0, 0, 1]).separable
    True
    >>> [separability([[0], [1], [2], [3]], list(y)).separable for y in ("abcd", "abca")]
    [True, False]

    Equal letters with different labels can't be told apart one by one, but as a chain:

    >>> from linsep import SequenceClassifier
    >>> separability([["b", "b", "b"]], [[0, 1, 0]], estimator=SequenceClassifier()).separable
    True
    """
    if estimator is not None:
        return _of_structures(estimator, X, y, sample_weight, max_seconds)
    if isinstance(X, Dataset):
        with X.within_memory() as rows:
            return _of_rows(*rows, exact, max_seconds)
    return _of_rows(X, y, sample_weight, exact, max_seconds)


def _of_rows(X: Any, y: Any, sample_weight: Any, exact: bool | str, max_seconds: float | None) -> MarginCertificate:
    """The answer for rows."""
    if is_collection(X):
        X, y, sample_weight = load_parts(X, y, sample_weight)
    question = _Question()
    with interrupts(max_seconds):
        try:
            sample = question._sample(X, y, sample_weight)
        except (ValueError, TypeError) as error:
            _hint_at_estimator(X, y, error)
            raise
        parts = two_classes(sample, question.classes_, bias=1.0)
        if isinstance(parts[0], Classes):
            outcome = Outcome(Margin(0.0), "augmented", 0, "", widest=WIDEST)
            certificate = Machine(parts[0], CLOSE, Rounds(PASSES, max_seconds), outcome, exact).solve()
        else:
            outcome = Outcome(Margin(0.0), "free", 0, "", widest=WIDEST)
            certificate = decide_separability(parts, outcome, max_seconds, exact)
        question._publish(certificate)
        return cast(MarginCertificate, question.certificate_)


def _hint_at_estimator(X: Any, y: Any, error: Exception) -> None:
    """Say what structured data need, where they were given as if they were rows."""
    nested = any(isinstance(labels, list | tuple | np.ndarray) for labels in (y if isinstance(y, list | tuple) else ()))
    listed = isinstance(X, list | tuple) and any(isinstance(x, str | dict) or np.ndim(_first(x)) > 0 for x in X)
    if nested or listed or "convert string" in str(error):
        raise ValueError(
            "separability: expected rows of numbers with one label each. For sequences, graphs, other structures pass "
            "estimator=, such as SequenceClassifier(), which says what phi is; words need a transformer first."
        ) from error


def _first(x: Any) -> Any:
    """The first thing in a sequence, if there is one."""
    return x[0] if isinstance(x, list | tuple | np.ndarray) and len(x) else 0.0


def _of_structures(estimator: Any, X: Any, y: Any, sample_weight: Any, max_seconds: float | None) -> MarginCertificate:
    """The certificate of the largest margin over all labellings, which is positive iff they are separable."""
    if not isinstance(estimator, LabellingClassifier):
        raise ValueError(
            f"estimator: expected one of structures, such as SequenceClassifier(), got {type(estimator).__name__}; "
            "rows need none."
        )
    asked = {
        "rule": MAXIMUM_MARGIN,
        "target": None,
        "loss_scale": 0.0,
        "start": None,
        "batch": False,
        "warm_start": False,
    }
    parameters = {name: value for name, value in asked.items() if name in estimator.get_params(deep=False)}
    fitted = clone(estimator).set_params(**parameters, max_seconds=max_seconds)
    return cast(MarginCertificate, fitted.fit(X, y, sample_weight=sample_weight).certificate_)
