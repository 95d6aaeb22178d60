"""Linear classifiers of rows: a hyperplane between two classes, or a linear machine of more (B1, D1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..certificates.base import Certificate, Status, Verdict
from ..certificates.prove import RowProver
from ..loop.stop import AUTO, name_interrupt
from ..loop.trace import Update
from ..model_file import Saved
from ..oracles import differences
from ..oracles.classes import against_rivals
from ..oracles.points import rows_oracle
from ..oracles.scaled import column_metric, with_metric
from ..polynomial_function import PolynomialFunction, write_polynomials
from ..proof_file import save_proof
from ..rows.matrix import write_class_scores, write_scores
from ..validation import Magnitudes
from ._datasets import RowClassifier, takes_dataset
from ._fitted import refuse_changed, remember_parameters
from ._lazy import row_by_row
from ._parted import Parted
from ._scale import SAFE, Scale, choose_scale
from ._validation import (
    Sample,
    check_input,
    check_sample_weight,
    check_start,
    distinct,
    finite_scores,
    look_at,
    require_known_labels,
    say_briefly,
    warn_user,
)


class LinearClassifier(Saved, RowClassifier, BaseEstimator):
    r"""A hyperplane :math:`\langle w,x\rangle + w_0 = 0` between ``classes_[0]`` (negative) and ``classes_[1]``.

    Of more classes a linear machine, :math:`\arg\max_k \langle w_k,x\rangle + b_k`: ``coef_`` has one row per class.
    """

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray
    certificate_: Certificate
    _scale: Scale = Scale()
    class_weight: Any = None
    start: Any = None
    _members = 1  # rules that learn together and share a budget of work: the members of a committee
    _fixed = ("fit_intercept", "bias", "rule", "method", "batch", "keep", "scaling")  # of all calls of partial_fit

    if TYPE_CHECKING:  # the parameters, which `set_parameters` sets

        def __getattr__(self, name: str) -> Any: ...

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many()
        tags.input_tags.sparse = True
        return tags

    def _takes_many(self) -> bool:
        """Whether more than two classes can be learned."""
        return True

    def _advice_for_many(self) -> str:
        """What to use for more than two classes, if this takes two only."""
        return f"Use LinearMachine or OneVsAll({type(self).__name__}())."

    def _bias_of_rows(self) -> str | None:
        """Which bias the rows have: "augmented", "free" or "none"; None: they are not to be scaled."""
        return None

    def _any_columns(self) -> bool:
        """Whether columns may be of very different size."""
        return False

    def _safe(self) -> int:
        """The powers of two that rows may be away from 1 and still be learned from as they are."""
        return SAFE

    def _power(self) -> int:
        """How w grows with the rows: see `Scale`."""
        return -1

    def _machine(self) -> bool:
        """Whether the classes of ``classes_`` are learned as one linear machine."""
        return len(self.classes_) > 2

    # --- data --------------------------------------------------------------------------------------------------------

    def _sample(self, X, y, sample_weight, *, reset: bool = True, classes=None) -> Sample:
        """Check X, y and the weights; sets ``classes_``. ``classes`` are all labels, where y may lack some."""
        given_X = X
        X, y = check_input(self, X, y, reset=reset, finite=False)
        magnitudes = look_at(X, given_X)
        if y.dtype.kind not in "biuUS":  # whole numbers and words are classes, whatever they are
            check_classification_targets(y)
        given = distinct(y if classes is None else classes)
        if len(given) > 2 and not self._takes_many():
            names = f"{', '.join(map(repr, given[:3].tolist()))}{', ...' * (len(given) > 3)}"
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y has "
                f"{len(given)} classes ({names}). {self._advice_for_many()}"
            )
        if len(given) < 2:
            raise ValueError(f"Expected two classes or more, got one class only: {given.tolist()[0]!r}.")
        if classes is not None:
            require_known_labels(y, given)
        self.classes_, self._class_weight = given, deepcopy(self.class_weight)
        label = (np.searchsorted(given, y) if given.size > 2 else y == given[1]).astype(np.int32)
        plain = sample_weight is None and self.class_weight is None
        weight = None if plain else self._weights(X, label, sample_weight, partial=classes is not None)
        if isinstance(X, Parted) and weight is not None:
            X.weigh(self, label, sample_weight)
        if self._machine():
            sample = Sample(X, np.ones(label.size, dtype=np.int8), weight, label, given.size)
        else:
            sample = Sample(X, (2 * label - 1).astype(np.int8), weight, label)
        return self._scaled(sample, magnitudes, partial=classes is not None)

    def _scaled(self, sample: Sample, magnitudes: Magnitudes, partial: bool) -> Sample:
        """The sample with its rows in a safe range; sets ``_scale``, which later calls of partial_fit keep."""
        bias = self._bias_of_rows()
        scale = Scale()
        if bias is not None:
            scale = choose_scale(sample.X, magnitudes, bias, self._power(), self._any_columns(), self._safe())
        if partial and hasattr(self, "coef_") and bias is not None:
            changed, scale = scale.exponent != self._scale.exponent, self._scale
            if changed and abs(np.frexp(magnitudes.largest)[1] - scale.exponent) > 2 * SAFE:
                raise ValueError(
                    "partial_fit: expected rows of similar size in all calls, got values up to "
                    f"{magnitudes.largest:.3g}, where those of the first call were about "
                    f"{np.ldexp(1.0, scale.exponent):.3g}."
                )
        self._scale = scale
        return sample._replace(X=scale.rows(sample.X), scale=scale)

    def _partial_sample(self, X, y, classes, sample_weight) -> Sample:
        """Check the rows of one call of partial_fit; the first call needs the classes."""
        first = not hasattr(self, "coef_")
        if not first:
            refuse_changed(self, self._learned_with)
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs all labels, partial_fit(X, y, [a, b]).")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes: expected {self.classes_.tolist()} as in the first call, got {list(classes)}.")
        return self._sample(X, y, sample_weight, reset=first, classes=classes if first else self.classes_)

    def _weights(self, X, label, sample_weight, partial: bool) -> np.ndarray | None:
        """Sample weights times class weights, or None if all are 1."""
        if sample_weight is None and self._class_weight is None:
            return None
        weight = np.ones(label.size) if sample_weight is None else check_sample_weight(sample_weight, X)
        assert weight is not None
        if not weight.any():
            raise ValueError("sample_weight: all weights are zero, so there is nothing to learn from.")
        if self._class_weight is not None:
            weight *= self._class_weights(label[weight > 0], partial)[label]
        for k, name in enumerate(self.classes_.tolist()):
            if not partial and not weight[label == k].any():
                raise ValueError(f"sample_weight: expected a weight > 0 in every class, got none in class {name!r}.")
        return None if np.all(weight == 1.0) else weight

    def _class_weights(self, label: np.ndarray, partial: bool) -> np.ndarray:
        """The weights of the classes; absent rows don't count for "balanced"."""
        if partial and self._class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once, partial_fit sees a part: "
                "give the weights as a dictionary {label: weight}."
            )
        weights = compute_class_weight(self._class_weight, classes=self.classes_, y=self.classes_[label])
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(f"class_weight={self._class_weight!r}: weights must be finite and not negative.")
        return weights

    # --- what was learned --------------------------------------------------------------------------------------------

    def _publish(self, certificate: Certificate) -> None:
        """Set what a fitted estimator shows; the certificate, and its w, are about the scaled rows."""
        certificate = self._scale.certificate(certificate)
        shown = _shown_weights(certificate.w)
        self.coef_ = shown[:, :-1].copy(order="F")  # so that a product with coef_.T needs no copy
        self.intercept_ = shown[:, -1].copy()
        labels = tuple(label.item() if hasattr(label, "item") else label for label in self.classes_)
        self.certificate_ = replace(certificate, classes=labels, reason=name_interrupt(certificate.reason))
        self._learned_with = remember_parameters(self, self._fixed)

    def _check_loaded(self) -> None:
        """Of a model file: scores are computed by compiled code, which does not look how long w is."""
        super()._check_loaded()
        if not hasattr(self, "coef_") or hasattr(self, "committee_"):  # whose members are checked
            return
        count = len(self.classes_) if len(self.classes_) > 2 else 1
        shapes = {"coef_": (count, self.n_features_in_), "intercept_": (count,)}
        for name, shape in shapes.items():
            found = getattr(self, name)
            if found.shape != shape or found.dtype != np.float64:
                raise ValueError(f"{name}: expected float64 of shape {shape}, got {found.dtype} of {found.shape}.")

    def _shown(self, found: Iterable[Update], most: int, sample: Sample, bounds: bool) -> Iterator[Update]:
        """Updates of a method that is not the loop, at most ``most``; ``bounds``: with the margin of w."""
        bias, shape = self._bias_of_rows(), (sample.n_classes, -1) if sample.n_classes else (-1,)
        part: Any = set_oracle(sample, bias=float(bias == "augmented"))
        prover = RowProver(differences([part]) if bias == "free" else [part]) if bounds else None
        for update in islice(found, most):
            w, before, a = (each.reshape(shape) for each in (update.w, update.before, update.a))
            if prover is not None:
                vector = part.as_vector(w)
                vector[-1] *= bias != "free"
                update = update._replace(lower=prover.margin(vector), errors=prover.errors(vector))
            lower, upper = (float(np.ldexp(each, self._scale.exponent)) for each in (update.lower, update.upper))
            w, before, a = (self._scale.show(each) for each in (w, before, a))
            yield update._replace(w=w, before=before, a=a, lower=lower, upper=upper)

    def _auto_seconds(self, parts: int = 1) -> float | None:
        """The budget of work behind max_iter="auto", for each of so many parts of the work."""
        parts *= self._members
        return AUTO / parts if self.max_iter == "auto" else None

    def _first_w(self, shape: tuple[int, ...]) -> np.ndarray:
        """Where learning begins: at ``start``, or at 0."""
        if self.start is None:
            return np.zeros(shape)
        w = check_start(self.start, shape)
        if self._bias_of_rows() == "none" and w[..., -1].any():
            raise ValueError("start: expected a bias of 0, its last number, with fit_intercept=False.")
        return self._scale.hide(w)

    def _present_w(self, size: int) -> np.ndarray:
        """The present w, bias last, of a machine one row per class; before the first fit where learning begins."""
        if not hasattr(self, "coef_"):
            return self._first_w((size,))
        if self._machine() and self.certificate_.w.ndim == 2:
            return self._scale.hide(self.certificate_.w.copy())
        return self._scale.hide(np.append(self.coef_[0], self.intercept_[0]))

    def _advice_if_inseparable(self) -> str:
        """What to try if the data are not separable; nothing where the answer is a good one all the same."""
        return ""

    def _advice(self) -> str:
        """What to try if a budget is spent."""
        return "Raise max_iter to go on."

    def _warn(self) -> None:
        """Say that the target was not reached, and what to try next: in one line, the same for all data."""
        found: Any = self.certificate_
        missed = found.status == Status.SEPARATED and found.eps + found.relative > 0
        if found.status == Status.NOT_SEPARABLE and (advice := self._advice_if_inseparable()):
            warn_user(f"{type(self).__name__}: the data are not separable. {advice} See certificate_.")
        elif found.status in (Status.BUDGET_SPENT, Status.INTERRUPTED) or missed:
            warn_user(f"{type(self).__name__}: {say_briefly(found.reason)}. {self._advice()} See certificate_.")

    def _checks_parts(self) -> bool:
        """Whether ``check`` takes rows that are elsewhere."""
        return True

    @takes_dataset
    def check(self, X, y, sample_weight=None) -> Verdict:
        """Compute every claim of the certificate again from the data that it was made for.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``; of ``partial_fit`` the rows of the last call.

        Returns
        -------
        Verdict
            True if nothing was found wrong; else it says what.
        """
        check_is_fitted(self)
        X, y = check_input(self, X, y)
        require_known_labels(y, self.classes_)
        weight = self._weights(X, np.searchsorted(self.classes_, y), sample_weight, partial=False)
        verdict: Verdict = self.certificate_.check(X.for_check() if isinstance(X, Parted) else X, y, weight)
        shown = np.column_stack([self.coef_, self.intercept_])
        if shown.shape != (w := _shown_weights(self.certificate_.w)).shape or not np.array_equal(shown, w):
            wrong = "w: coef_ and intercept_ are not those of the certificate"
            return verdict._replace(failures=(*verdict.failures, wrong))
        return verdict

    def save_proof(self, path, X, y, sample_weight=None, *, data=None, verifier: bool = False) -> None:
        """Write the certificate as a proof file, which anyone can verify without linsep: docs/proofs.md.

        Parameters
        ----------
        path : str or path
            Where to write, for example ``proof.json``.
        X, y, sample_weight
            As for ``check``.
        data : str or path, default=None
            Where to write the data as a CSV file; None if whoever verifies has them.
        verifier : bool, default=False
            Whether to copy ``verify.py``, the verifier, beside the proof.
        """
        check_is_fitted(self)
        X, y = check_input(self, X, y)
        require_known_labels(y, self.classes_)
        weight = self._weights(X, np.searchsorted(self.classes_, y), sample_weight, partial=False)
        verdict = self.check(X, y, sample_weight)
        if not verdict:
            raise ValueError(f"proof: {verdict}")
        names = getattr(self, "feature_names_in_", None)
        save_proof(path, self.certificate_, X, y, weight, features=names, data=data, verifier=verifier)

    @row_by_row
    def decision_function(self, X) -> np.ndarray:
        """g(x), positive on the side of ``classes_[1]``; of many classes one column per class, the largest wins."""
        check_is_fitted(self)
        return finite_scores(self, X, self._scores)

    def _scores(self, X) -> np.ndarray:
        """g(x) of checked rows."""
        if isinstance(X, np.ndarray) and X.dtype != np.float64:  # read in place: NumPy would make a float64 copy
            part = rows_oracle(X, np.ones(X.shape[0], dtype=np.int8))
            w = np.column_stack([self.coef_, self.intercept_]).ravel()
            g = np.empty((X.shape[0], len(self.classes_))[: self.coef_.shape[0]])
            if g.ndim == 2:
                write_class_scores(part, w, g)
            else:
                write_scores(part, w, np.arange(X.shape[0]), g)
            return g
        g = X @ self.coef_.T if len(self.coef_) > 1 else X @ self.coef_[0]
        g += self.intercept_
        return g

    @row_by_row
    def predict(self, X) -> np.ndarray:
        """The class of x; a point on the hyperplane goes to ``classes_[0]``, ties of many classes to the first."""
        g = self.decision_function(X)
        return self.classes_[g.argmax(axis=1) if g.ndim == 2 else (g > 0).astype(int)]

    @row_by_row
    def distance(self, X) -> np.ndarray:
        """Signed distance g(x) / |w| from the hyperplane (B1); of many classes that from the border of x's region."""
        g = self.decision_function(X)
        if g.ndim == 1:
            norm = float(np.linalg.norm(self.coef_))
            if norm == 0:
                raise ValueError("distance: w is zero, there is no hyperplane to measure from.")
            return g / norm
        gaps = np.linalg.norm(self.coef_[:, None] - self.coef_[None], axis=2)
        best = g.argmax(axis=1)
        lead = g[np.arange(len(g)), best][:, None] - g
        with np.errstate(invalid="ignore", divide="ignore"):
            lead = lead / gaps[best]  # classes with the same w have no border: infinitely far, or everywhere a tie
        lead[np.arange(len(g)), best] = np.inf
        return np.nan_to_num(lead, nan=0.0, posinf=np.inf).min(axis=1)

    def as_polynomial(self, lift=None) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
        """g(x) written out in the variables of X, or of the fitted ``lift`` (B3); of many classes one each."""
        check_is_fitted(self)
        return write_polynomials(self, lift)


def has_unlike_columns(sample: Sample) -> bool:
    """Whether dense columns are of so different sizes, or so far from 0, that learning should scale them."""
    if not isinstance(sample.X, np.ndarray):
        return False
    return column_metric(rows_oracle(sample.X, sample.sign, sample.weight, bias=1.0), always=False) is not None


def _shown_weights(w: np.ndarray) -> np.ndarray:
    """One row per class, the bias last; of two classes one row, the difference of theirs in a linear machine."""
    rows = w if w.ndim == 2 else w[None]
    return rows[1:] - rows[:1] if len(rows) == 2 else rows


def row_oracle(sample: Sample, *, bias: float) -> Any:
    """The sample as an oracle of points."""
    rows = rows_oracle(sample.X, sample.sign, sample.weight, bias=bias * sample.scale.constant)
    return with_metric(rows, sample.scale.metric)


def set_oracle(sample: Sample, *, bias: float) -> Any:
    """The sample as an oracle: points, or rows against their rivals where a linear machine is learned."""
    rows = row_oracle(sample, bias=bias)
    return against_rivals(rows, sample.label, sample.n_classes) if sample.n_classes else rows


def auto_passes(numbers: int, most: float = 4e9) -> int:
    """About ``most`` multiplications, but 100 passes at least and 20,000 at most; the clock may end them earlier."""
    return int(np.clip(most / max(numbers, 100), 100, 20_000))
