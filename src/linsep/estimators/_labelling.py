"""What classifiers of labellings share: rules, targets, budgets, certificates, going on with more examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..certificates.labelling import LabellingCertificate
from ..loop.learn import Result
from ..loop.passes import State
from ..loop.stop import Rounds
from ..solvers.column_generation import largest_margin
from ._looped import Looped, _with_w

MAXIMUM_MARGIN = "maximum margin"


class LabellingClassifier(Looped, BaseEstimator):
    """argmax_y <w, phi(x,y)>, whatever x, y and phi are: an oracle of labellings is all that is needed."""

    coef_: np.ndarray
    certificate_: LabellingCertificate

    def _learn(self, oracle: Any, watch: tuple = ()) -> None:
        """Learn from the examples of an oracle; publishes w and what is known of it."""
        if self.rule == MAXIMUM_MARGIN:
            self._learn_optimum(oracle)
            return
        start = self.coef_ if self.warm_start and hasattr(self, "coef_") else None
        self._publish(self._run([oracle], start, self.max_iter, watch))

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
        self._publish(self._run_one_pass([oracle], before))

    def _grown(self, w: np.ndarray, size: int) -> np.ndarray:
        """w for as many numbers as there are now; one that can't grow has as many as before."""
        if w.size not in (0, size):
            raise ValueError(f"phi: expected {w.size} numbers as in the first call, got {size}.")
        return w.copy()

    def _publish(self, result: Result) -> None:
        self.coef_, self.certificate_ = result.w, result.certificate  # type: ignore[assignment]
        self._remember(result)
