"""What all estimators here share: checked input, two classes, weights, decisions, distances and warnings."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ..certificates.margin import BUDGET_SPENT, SEPARATED, Certificate
from ..certificates.objective import Objective
from ..loop.learn import State
from ..loop.sweep import scores
from ..oracles import Classes, Dense, Sparse, classes, points
from ..polynomial_function import PolynomialFunction, variable_names

DTYPES = [np.float64, np.float32, np.uint8, np.bool_]  # read in place; all else becomes float64

POSITIVE = Interval(Real, 0, None, closed="neither")
BUDGETS: dict[str, list[Any]] = {
    "max_passes": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "max_updates": [None, Interval(Integral, 1, None, closed="left")],
    "max_seconds": [None, POSITIVE],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "verbose": ["verbose"],
}


class Sample(NamedTuple):
    """Checked data: X as it came, +1 / -1, weights (None: all 1), and the number of each row's class.

    Where a linear machine is learned, ``sign`` is 1 throughout and ``many`` the number of classes; else that is 0.
    """

    X: Any
    sign: np.ndarray
    weight: np.ndarray | None
    label: np.ndarray
    many: int = 0


def listed(found: Any, name: str, what: str) -> None:
    """Complain of what is no list of ``what``.

    >>> listed(None, "y", "labellings")
    Traceback (most recent call last):
    TypeError: y: a list of labellings is wanted, not NoneType.
    """
    if isinstance(found, str) or not hasattr(found, "__len__"):
        raise TypeError(f"{name}: a list of {what} is wanted, not {type(found).__name__}.")


def all_or_nothing(method: Callable) -> Callable:
    """A method that leaves the estimator as it was if it fails."""

    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded


def checked(estimator: BaseEstimator, X, *y, **options):
    """X, or X and y, checked by scikit-learn; an error about NaN or infinity also says where."""
    try:
        return validate_data(estimator, X, *y, order="C", accept_large_sparse=True, **options)
    except ValueError as error:
        if "Input X contains" not in str(error):
            raise
        raise ValueError(f"{str(error).splitlines()[0]} {_first_not_finite(X)}") from None


def scored(check: Callable, X, score: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Scores of the rows of X, which are known to be finite afterwards without having been read twice.

    A NaN or infinity in X makes a score of its row NaN or infinite (0 inf = NaN), so X is looked at only if one is: it
    may be too large numbers, which are allowed.
    """
    with np.errstate(invalid="ignore"):
        g = score(check(X, ensure_all_finite=False))
        if not np.isfinite(g.sum()):
            check(X)
    return g


class TwoClass(ClassifierMixin, BaseEstimator):
    """A hyperplane <w,x> + w0 = 0 between ``classes_[0]`` (negative) and ``classes_[1]`` (positive side)."""

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray
    certificate_: Certificate | Objective

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _sample(self, X, y, sample_weight, *, reset: bool = True, classes=None) -> Sample:
        """Check X, y and the weights; sets ``classes_``."""
        X, y = self._checked(X, y, reset=reset)
        if y.dtype.kind not in "biuUS":  # whole numbers and words are classes, whatever they are
            check_classification_targets(y)
        given = np.unique(y if classes is None else classes)
        if len(given) > 2 and not self._takes_many():
            ways = " multi_class='one-vs-all' learns more." if hasattr(self, "multi_class") else ""
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y has "
                f"{len(given)} classes ({', '.join(map(repr, given[:3].tolist()))}{', ...' * (len(given) > 3)}).{ways}"
            )
        if len(given) < 2:
            raise ValueError(f"Two classes are needed, but y has one class only: {given.tolist()[0]!r}.")
        known = np.isin(y, given) if classes is not None else np.True_
        if not known.all():
            raise ValueError(f"y has the label {y[~known].tolist()[0]!r}, which is not in classes={given.tolist()}.")
        self.classes_ = given
        label = np.searchsorted(given, y).astype(np.int32)
        weight = self._weights(X, label, sample_weight, partial=classes is not None)
        if self._machine():
            return Sample(X, np.ones(label.size, dtype=np.int8), weight, label, given.size)
        return Sample(X, np.where(label == 1, 1, -1).astype(np.int8), weight, label)

    def _takes_many(self) -> bool:
        """Whether more than two classes can be learned."""
        return False

    def _machine(self) -> bool:
        """Whether the classes of ``classes_`` are learned as one linear machine."""
        return False

    def _checked(self, X, *y, reset: bool = False, **options):
        """X, or X and y, checked."""
        return checked(self, X, *y, accept_sparse="csr", dtype=DTYPES, reset=reset, **options)

    def _part(self, X, y, classes, sample_weight) -> Sample:
        """Check the rows of one call of partial_fit; the first call needs the classes."""
        first = not hasattr(self, "coef_")
        if getattr(self, "on_new_class", "error") == "add" and np.ndim(y) == 1:
            seen = [y, *([] if classes is None else [classes]), *([] if first else [self.classes_])]
            return self._sample(X, y, sample_weight, reset=first, classes=np.unique(np.concatenate(seen)))
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs all labels, partial_fit(X, y, [a, b]).")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={list(classes)}, but learning began with {self.classes_.tolist()}.")
        return self._sample(X, y, sample_weight, reset=first, classes=classes if first else self.classes_)

    def _present(self, size: int) -> np.ndarray:
        """The present w, bias last, or 0 before the first fit."""
        return np.append(self.coef_[0], self.intercept_[0]) if hasattr(self, "coef_") else np.zeros(size)

    def _weights(self, X, label, sample_weight, partial: bool) -> np.ndarray | None:
        """Sample weights times class weights, or None if all are 1."""
        if sample_weight is None and self.class_weight is None:
            return None
        weight = np.array(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
        if not weight.any():
            raise ValueError("sample_weight: all weights are zero, so there is nothing to learn from.")
        if self.class_weight is not None:
            weight *= self._class_weights(label[weight > 0], partial)[label]
        for k, name in enumerate(self.classes_):
            if not partial and not weight[label == k].any():
                raise ValueError(f"sample_weight: all rows of class {name!r} weigh zero, two classes are needed.")
        return None if np.all(weight == 1.0) else weight

    def _class_weights(self, label: np.ndarray, partial: bool) -> np.ndarray:
        """The weights of the classes; absent rows don't count for "balanced"."""
        if partial and self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once, partial_fit sees a part: "
                "give the weights as a dictionary {label: weight}."
            )
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[label])
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(f"class_weight={self.class_weight!r}: weights must be finite and not negative.")
        return weights

    def _publish(self, w: np.ndarray, certificate: Certificate | Objective) -> None:
        """Set what a fitted estimator shows."""
        shown = w if w.ndim == 2 else w[None]
        shown = shown[1:] - shown[:1] if len(shown) == 2 else shown
        self.coef_ = shown[:, :-1].copy(order="F")  # so that a product with coef_.T needs no copy
        self.intercept_ = shown[:, -1].copy()
        labels = tuple(label.item() if hasattr(label, "item") else label for label in self.classes_)
        self.certificate_ = replace(certificate, classes=labels)

    def _warn(self, advice: str) -> None:
        """Say that a budget was spent, what is known so far, and what to try next."""
        found = self.certificate_
        missed = found.eps + found.relative > 0 and found.status == SEPARATED
        if found.status == BUDGET_SPENT or missed:
            frame, level = sys._getframe(), 1  # point to the line of the user's that called us
            while frame.f_back is not None and frame.f_globals["__name__"].startswith("linsep."):
                frame, level = frame.f_back, level + 1
            warnings.warn(f"{found} {advice}", ConvergenceWarning, stacklevel=level)

    def decision_function(self, X) -> np.ndarray:
        """g(x) = <w,x> + w0; positive on the side of ``classes_[1]``."""
        check_is_fitted(self)
        return scored(self._checked, X, self._scores)

    def _scores(self, X) -> np.ndarray:
        """g(x) of checked rows."""
        if isinstance(X, np.ndarray) and X.dtype != np.float64:  # read in place: NumPy would make a float64 copy
            part = points(X, np.ones(X.shape[0], dtype=np.int8))
            g = np.empty(X.shape[0])
            scores(part, np.append(self.coef_[0], self.intercept_[0]), np.arange(X.shape[0]), g)
            return g
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X) -> np.ndarray:
        """The class on whose side x lies; a point on the hyperplane goes to ``classes_[0]``."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def distance(self, X) -> np.ndarray:
        """Signed distance g(x) / |w| of each row from the hyperplane (B1)."""
        check_is_fitted(self)
        norm = float(np.linalg.norm(self.coef_))
        if norm == 0:
            raise ValueError("distance: w is zero, there is no hyperplane to be distant from.")
        return self.decision_function(X) / norm

    def as_polynomial(self, lift=None) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
        """g(x) written out, in the variables of X, or in those of the fitted ``lift`` that X came from (B3).

        Of more than two classes one g a class, in the order of ``classes_``: the largest decides.
        """
        check_is_fitted(self)
        return polynomials(self, lift)


def polynomials(rule: Any, lift: Any = None) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
    """The g of every row of ``coef_`` written out; a single one as it is."""
    if len(rule.classes_) > 2 and hasattr(getattr(rule, "committee_", rule), "pairs_"):
        raise ValueError("as_polynomial: one versus one decides by votes, no class has a g of its own.")
    w = np.atleast_2d(rule.coef_)
    rows = zip(w, np.broadcast_to(rule.intercept_, len(w)).tolist(), strict=True)
    names = variable_names(rule)
    found = tuple(PolynomialFunction.linear(*row, names) if lift is None else lift.expand(*row) for row in rows)
    return found[0] if len(found) == 1 else found


def _first_not_finite(X) -> str:
    """Where the first NaN or infinity of X is, in words."""
    if sp.issparse(X):
        entries = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(entries.data))
        row, column = int(entries.row[bad[0]]), int(entries.col[bad[0]])
    else:
        row, column = (int(at[0]) for at in np.nonzero(~np.isfinite(np.asarray(X, dtype=np.float64))))
    names = getattr(X, "columns", None)
    return f"The first is in row {row}, column {column if names is None else repr(list(names)[column])}."


def progress(state: State) -> None:
    """One line a pass, for ``verbose``."""
    tick = state.tick
    counts = f"pass {state.passes:>6}  updates {tick.updates:>10}  mistakes {state.mistakes:>8}"
    print(f"{counts}  margin <= {state.upper:.6g}", file=sys.stderr)


def tell(verbose: int, record: dict[str, float]) -> dict[str, float]:
    """A line of history, printed for ``verbose``."""
    if verbose:
        print("  ".join(f"{name} {value:.6g}" for name, value in record.items()), file=sys.stderr)
    return record


def watchers(verbose: int) -> tuple:
    """Who watches the passes."""
    return (progress,) if verbose else ()


def rows(sample: Sample, *, bias: float) -> Dense | Sparse:
    """The sample as an oracle of points."""
    return points(sample.X, sample.sign, sample.weight, bias=bias)


def sets(sample: Sample, *, bias: float) -> Dense | Sparse | Classes:
    """The sample as an oracle: points, or rows against their rivals where a linear machine is learned."""
    if sample.many:
        return classes(sample.X, sample.label, sample.many, sample.weight, bias=bias)
    return rows(sample, bias=bias)


def auto_passes(X, most: float = 4e9) -> int:
    """A budget of passes: some seconds, at about ``most`` multiplications, but 100 at least and 20,000 at most."""
    size = X.nnz if hasattr(X, "nnz") else X.size
    return int(np.clip(most / max(size, 100), 100, 20_000))
