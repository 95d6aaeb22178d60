"""What estimators for any number of classes share: a linear machine (D1), or a committee of rules (D2, D3)."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ..loop.sweep import profiles
from ..oracles import points
from ._base import Sample, TwoClass, scored
from .one_vs import OneVsAll, OneVsOne

MANY: dict[str, list[Any]] = {
    "multi_class": [StrOptions({"machine", "one-vs-all", "one-vs-one"})],
    "on_new_class": [StrOptions({"error", "add"})],
}


class ManyClass(TwoClass):
    r"""Two classes as in `TwoClass`; more of them by ``multi_class``.

    "machine" learns one problem, :math:`\arg\max_k \langle w_k,x\rangle + b_k`: ``coef_`` has a row a class, and
    ``certificate_`` speaks of the machine. "one-vs-all" and "one-vs-one" learn two-class problems: ``committee_``
    decides, ``certificates_`` has one a problem.
    """

    multi_class = "machine"
    on_new_class = "error"
    committee_: OneVsAll | OneVsOne

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many()
        return tags

    def _takes_many(self) -> bool:
        return True

    def _machine(self) -> bool:
        return self._way() == "machine" and (len(self.classes_) > 2 or self.on_new_class == "add")

    def _way(self) -> str:
        """How more than two classes are learned: a value of ``multi_class`` other than "auto"."""
        return self.multi_class

    def _committee(self) -> OneVsAll | OneVsOne | None:
        """The committee that is to learn, if one is."""
        way = self._way()
        if way == "machine" or len(self.classes_) == 2:
            return None
        if self.on_new_class == "add":
            raise ValueError(f"on_new_class='add' needs multi_class='machine', not {way!r}.")
        kind = OneVsAll if way == "one-vs-all" else OneVsOne
        # class weights are in the weights of the rows already
        return kind(clone(self).set_params(multi_class="machine", class_weight=None))

    def _show(self, committee: OneVsAll | OneVsOne):
        """Publish what the committee has learned."""
        self.committee_ = committee
        self.coef_, self.intercept_ = committee.coef_, committee.intercept_
        self.certificates_ = committee.certificates_
        self._forget("certificate_", "history_", "n_passes_")
        return self

    def _go_on(self, sample: Sample) -> OneVsAll | OneVsOne | None:
        """The committee after it has learned one more part, if there is to be one."""
        committee = self._committee()
        if committee is None:
            return None
        first = not hasattr(self, "committee_")
        committee = committee if first else copy(self.committee_)
        y = self.classes_[sample.label]
        return committee.partial_fit(sample.X, y, self.classes_ if first else None, sample.weight)

    def _grown(self, w: np.ndarray, known: np.ndarray) -> np.ndarray:
        """A matrix with a row for each class, from one for the classes ``known``; the others begin at 0."""
        if w.ndim < 2 or len(w) == len(self.classes_):
            return w
        full = np.zeros((len(self.classes_), w.shape[1]))
        full[np.searchsorted(self.classes_, known)] = w
        return full

    def _forget(self, *names: str) -> None:
        """Take back what an earlier fit of another kind has published."""
        for name in names:
            if hasattr(self, name):
                delattr(self, name)

    def _present(self, size: int) -> np.ndarray:
        if self._machine() and hasattr(self, "certificate_") and self.certificate_.w.ndim == 2:
            return self.certificate_.w.copy()
        return super()._present(size)

    def decision_function(self, X) -> np.ndarray:
        """g(x), positive on the side of ``classes_[1]``; of many classes one column a class, the largest wins."""
        check_is_fitted(self)
        return scored(self._checked, X, self._scores)

    def _scores(self, X) -> np.ndarray:
        if hasattr(self, "committee_"):
            return self.committee_._decide(self.committee_._ask(X))
        if len(self.classes_) == 2:
            return super()._scores(X)
        if isinstance(X, np.ndarray) and X.dtype != np.float64:  # read in place: NumPy would make a float64 copy
            g = np.empty((X.shape[0], len(self.classes_)))
            profiles(points(X, np.ones(X.shape[0])), np.column_stack([self.coef_, self.intercept_]).ravel(), g)
            return g
        g = X @ self.coef_.T
        g += self.intercept_
        return g

    def predict(self, X) -> np.ndarray:
        """The class of x; ties go to the first class."""
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().predict(X)
        return self.classes_[self.decision_function(X).argmax(axis=1)]

    def distance(self, X) -> np.ndarray:
        """Signed distance g(x) / |w| from the hyperplane (B1); of many classes that from the border of x's region."""
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().distance(X)
        if hasattr(self, "committee_"):
            raise ValueError("distance: the regions of a committee are not convex; ask its members (committee_).")
        g = self.decision_function(X)
        gaps = np.linalg.norm(self.coef_[:, None] - self.coef_[None], axis=2)
        best = g.argmax(axis=1)
        lead = g[np.arange(len(g)), best][:, None] - g
        with np.errstate(invalid="ignore", divide="ignore"):
            lead = lead / gaps[best]  # classes with the same w have no border: infinitely far, or everywhere a tie
        lead[np.arange(len(g)), best] = np.inf
        return np.nan_to_num(lead, nan=0.0, posinf=np.inf).min(axis=1)


def bias_for(wanted: str, machine: bool) -> str:
    """Whose margin is meant: the biases of a linear machine always count in the norm."""
    return "augmented" if machine else wanted
