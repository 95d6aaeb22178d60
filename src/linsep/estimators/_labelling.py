"""What classifiers of labellings share: rules, targets, budgets, certificates, going on with more examples."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..certificates.base import Verdict
from ..certificates.check.labelling import check_structure
from ..certificates.labelling import LabellingCertificate
from ..loop.learn import Result
from ..loop.passes import State
from ..loop.stop import Rounds
from ..loop.trace import Update, collect_updates
from ..model_file import Saved
from ..oracles.validation import require_scalar
from ..proof_file import save_structure_proof
from ..protocols import declared
from ..risk.empirical import empirical_risk
from ..solvers.column_generation import largest_margin
from ._looped import Looped, _with_w
from ._notebook import Shown
from ._scale import Scale
from ._validation import check_parameters, check_start, same_parameter

MAXIMUM_MARGIN = "maximum margin"


class LabellingClassifier(Saved, Shown, Looped, BaseEstimator):
    """argmax_y <w, phi(x,y)>, whatever x, y and phi are: an oracle of labellings is all that is needed."""

    coef_: np.ndarray
    certificate_: LabellingCertificate
    _fitted: dict[str, Any]  # the parameters that w was learned with: what predict, check and score use

    # what a further pass may change; of all other parameters w, or the average of w, is made
    _CHANGEABLE = frozenset({
        "engine", "engine_passes", "loss_scale", "max_iter", "max_seconds", "max_updates", "n_jobs", "patience",
        "random_state", "scoring", "seconds", "shuffle", "start", "stop", "target", "verbose", "warm_start",
    })  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        """X is a list of structures, y of labellings; no classifier for scikit-learn, which would look at classes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = False
        return tags

    def _begin_learning(self, goes_on: bool) -> None:
        """Check the parameters and keep them; those that a w to go on from is made of must be the same as then."""
        check_parameters(self)
        require_scalar(self.loss_scale, "loss_scale")
        if isinstance(self.target, Real):
            require_scalar(abs(self.target), "target")
        now = self.get_params(deep=False)
        for name in sorted(set(now) - self._CHANGEABLE) if goes_on else ():
            if not same_parameter(self._fitted[name], now[name]):
                raise ValueError(
                    f"{name}: expected {self._fitted[name]!r} as when learning began, got {now[name]!r}: "
                    "call fit without warm_start to change it."
                )
        self._fitted = now if callable(self.loss) else {**now, "loss": copy.deepcopy(self.loss)}

    def _first_oracle(self, X: Sequence, y: Sequence, sample_weight: Any) -> Any:
        """The examples of a fit that goes on from nothing, as an oracle."""
        raise NotImplementedError

    def _stated(self, X: Sequence, y: Sequence, sample_weight: Any) -> tuple[Any, np.ndarray | None]:
        """The problem as the check wants it stated, and which examples weigh anything; None: all."""
        raise NotImplementedError

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
        """Compute every claim of the certificate again, by slow and simple code that shares none with the solver.

        Parameters
        ----------
        X, y, sample_weight
            The examples that it was made for, as for ``fit``.

        Returns
        -------
        Verdict
            True if nothing was found wrong; else it says what.
        """
        check_is_fitted(self, "certificate_")
        structure, keep = self._stated(X, y, sample_weight)
        return check_structure(self.certificate_, structure, keep)

    def save_proof(self, path: Any, X: Any, y: Any, sample_weight: Any = None, *, verifier: bool = False) -> None:
        """Write the bound of all w as a proof file, whose vectors are listed in it: docs/proofs.md.

        Parameters
        ----------
        path : str or path
            Where to write, for example ``proof.json``.
        X, y, sample_weight
            As for ``check``.
        verifier : bool, default=False
            Whether to copy ``verify.py``, the verifier, beside the proof.
        """
        check_is_fitted(self, "certificate_")
        structure, keep = self._stated(X, y, sample_weight)
        save_structure_proof(path, self.certificate_, structure, keep, verifier=verifier)

    def _updates(self, X: Sequence, y: Sequence, sample_weight: Any, most: int, bounds: bool) -> Iterator[Update]:
        """Every update of a fit, for `trace`."""
        self._begin_learning(goes_on=False)
        oracle = self._first_oracle(X, y, sample_weight)
        if self.rule == MAXIMUM_MARGIN:
            yield from collect_updates(lambda: self._learn_optimum(oracle), most)
            return
        for update in self._trace_loop([oracle], self._start(oracle), most, bounds):
            yield update if update.rival is None else update._replace(rival=self._shown_rival(update.rival, oracle))

    def _shown_rival(self, label: np.ndarray, oracle: Any) -> Any:
        """A rival labelling as users write it, from the numbers of its labels."""
        return self.classes_[label]

    def _learn(self, oracle: Any, watch: tuple = ()) -> None:
        """Learn from the examples of an oracle; publishes w and what is known of it."""
        if self.rule == MAXIMUM_MARGIN:
            self._learn_optimum(oracle)
            return
        start = self.coef_ if self.warm_start and hasattr(self, "coef_") else self._start(oracle)
        self._publish(self._run([oracle], start, self.max_iter, watch))

    def _start(self, oracle: Any) -> np.ndarray | None:
        """The w that learning begins at."""
        if self.start is None:
            return None
        if declared(type(self._rule()), "INSIDE_HULL"):
            raise ValueError("start: the rule of Kozinec begins at a vector of the examples: expected None.")
        return Scale().hide(check_start(self.start, (oracle.size,)))

    def _learn_optimum(self, oracle: Any) -> None:
        """The largest margin, or a proof that there is none."""
        if self.loss_scale:
            raise ValueError(f"rule={MAXIMUM_MARGIN!r}: expected loss_scale=0, got {self.loss_scale:g}.")
        rounds = Rounds(max(self.max_iter, 1000), self.max_seconds)
        certificate = largest_margin(oracle, self._tolerance(), rounds)
        self.coef_, self.certificate_, self.history_ = certificate.w, certificate, []
        self.n_iter_ = certificate.updates

    def _tolerance(self) -> float:
        """How near the bounds of the largest margin must be."""
        if self.target is None:
            return 1e-9
        eps, relative = getattr(self.target, "tolerance", (0.0, 0.0))
        if eps == 0 < relative:
            return relative
        raise ValueError(
            f"rule={MAXIMUM_MARGIN!r}: expected target=None (1e-9) or EpsOptimal(0.0, relative), got {self.target!r}."
        )

    def _learn_more(self, oracle: Any) -> None:
        """One pass over more examples, from where learning stands; the certificate is about these examples only."""
        if self.rule == MAXIMUM_MARGIN:
            raise ValueError(f"partial_fit: rule={MAXIMUM_MARGIN!r} needs all examples at once.")
        before: State | None = getattr(self, "_state", None)
        if before is not None:
            before = _with_w(before, lambda w: self._grown(w, oracle.size))
        start = self._start(oracle) if before is None else None
        self._publish(self._run_one_pass([oracle], before, start))

    def _grown(self, w: np.ndarray, size: int) -> np.ndarray:
        """w for as many numbers as there are now; one that can't grow has as many as before."""
        if w.size not in (0, size):
            raise ValueError(f"phi: expected {w.size} numbers as in the first call, got {size}.")
        return w.copy()

    def _labelling_loss(self) -> Callable[[Any, Any], float]:
        """The loss W(decision, truth) of two labellings, as it was when learning began."""
        raise NotImplementedError

    def risk(self, X: Sequence, y: Sequence, sample_weight=None) -> float:
        """The empirical risk: the mean loss of the decisions (E5)."""
        return empirical_risk(y, self.predict(X), self._labelling_loss(), sample_weight=sample_weight)

    def _publish(self, result: Result) -> None:
        if not np.isfinite(result.w).all():
            raise ValueError("w became infinite: expected smaller rates, weights, loss_scale or target.")
        self.coef_, self.certificate_ = result.w, result.certificate  # type: ignore[assignment]
        self._remember(result, lambda w: w)  # as large as w may be: no copy


def list_of_arrays(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """An array of arrays of any lengths, as scikit-learn can select from.

    >>> list_of_arrays([np.zeros(2), np.ones(2)])
    array([array([0., 0.]), array([1., 1.])], dtype=object)
    """
    out = np.empty(len(arrays), dtype=object)
    for i, array in enumerate(arrays):
        out[i] = array
    return out
