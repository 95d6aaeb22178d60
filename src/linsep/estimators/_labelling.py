"""What estimators of structures share: rules, targets, budgets, certificates, going on with more examples."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..certificates.labelling import StructureCertificate
from ..loop.keep import Pocket
from ..loop.learn import State, answer, begin, learn, passes, record
from ..loop.stop import Rounds, Stop
from ..rules import Increment, Nearest, Relaxation, Scheduled
from ..solvers.labelling_margin import largest_margin
from ..targets import EpsOptimal, Margin
from ._base import BUDGETS, watchers
from .linear_machine import RULES, usual_target

OPTIMAL = "maximum margin"


class Structured(BaseEstimator):
    """argmax_y <w, phi(x,y)>, whatever x, y and phi are: an oracle of labellings is all that is needed."""

    coef_: np.ndarray
    certificate_: StructureCertificate
    history_: list[dict[str, float]]

    _parameter_constraints: dict = {
        "rule": [StrOptions({*RULES, OPTIMAL}), Increment, Relaxation, Nearest, Scheduled],
        "target": [None, Real, Margin, EpsOptimal],
        "loss_scale": [Interval(Real, 0, None, closed="left")],
        "keep": [StrOptions({"last", "average", "pocket", "auto"})],
        "batch": ["boolean"],
        "max_passes": BUDGETS["max_passes"][1:],
        "max_updates": BUDGETS["max_updates"],
        "max_seconds": BUDGETS["max_seconds"],
        "patience": BUDGETS["max_updates"],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def _rule(self) -> Any:
        return RULES[self.rule][0] if isinstance(self.rule, str) else self.rule

    def _target(self) -> Any:
        if self.target is None:
            return usual_target(self._rule())
        return Margin(float(self.target)) if isinstance(self.target, Real) else self.target

    def _learn(self, part: Any, watch: tuple = ()) -> None:
        """Learn from the examples of an oracle; publishes w and what is known of it."""
        if self.rule == OPTIMAL:
            self._learn_optimum(part)
            return
        stop = self._stop()
        start = self.coef_ if self.warm_start and hasattr(self, "coef_") else None
        w, certificate, self.history_, state = learn(
            [part], self._target(), self._rule(), stop=stop, keep=self.keep, whole=self.batch, seed=self._seed(),
            start=start, watch=(*watchers(self.verbose), *watch), via=self._passes(),
        )  # fmt: skip
        self._publish(w, certificate, state)

    def _stop(self) -> Stop:
        return Stop(self.max_passes, self.max_updates, self.max_seconds, self.patience)

    def _passes(self) -> Any:
        """Who goes through the examples."""
        return passes

    def _learn_optimum(self, part: Any) -> None:
        """The largest margin, or a proof that there is none."""
        if self.loss_scale:
            raise ValueError(f"rule={OPTIMAL!r}: the largest margin has no loss_scale, set it to 0.")
        tol = self._tolerance()
        certificate = largest_margin(part, tol, Rounds(max(self.max_passes, 1000), self.max_seconds))
        self.coef_, self.certificate_, self.history_ = certificate.w, certificate, []
        self.n_passes_ = certificate.updates

    def _tolerance(self) -> float:
        """How near the bounds of the largest margin must be."""
        if self.target is None:
            return 1e-9
        if isinstance(self.target, EpsOptimal) and self.target.eps == 0 < self.target.relative:
            return self.target.relative
        raise ValueError(f"rule={OPTIMAL!r}: target is None (1e-9) or EpsOptimal(0.0, relative), not {self.target!r}.")

    def _seed(self) -> np.random.Generator | None:
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31)) if self.shuffle else None

    def _learn_more(self, part: Any) -> None:
        """One pass over more examples, from where learning stands; the certificate speaks of these examples only."""
        if self.rule == OPTIMAL:
            raise ValueError(f"partial_fit: rule={OPTIMAL!r} needs all examples at once; a rule of the loop does not.")
        average = self.keep in ("average", "auto") and not self.batch
        state = begin([part], "average" if average else "last")
        if hasattr(self, "_state"):
            before: State = self._state
            w, total = (self._grown(each, state.w.size) for each in (before.w, before.keep.total))
            tick = before.tick._replace(clean=0)
            state = replace(state, w=w, keep=type(before.keep)(total), tick=tick, passes=before.passes)
        rng = self._seed()
        state = next(passes([part], self._target(), self._rule(), state, whole=self.batch, rng=rng))
        reason = "one pass was asked for"
        w, certificate = answer([part], self._target(), state, keep=self.keep, whole=self.batch, reason=reason)
        self.history_ = [*getattr(self, "history_", []), record(state)]
        self._publish(w, certificate, state)

    def _grown(self, w: np.ndarray, size: int) -> np.ndarray:
        """w for as many numbers as there are now; one that can't grow has as many as before."""
        if w.size not in (0, size):
            raise ValueError(f"phi has {size} numbers, learning began with {w.size}.")
        return w.copy()

    def _publish(self, w: np.ndarray, certificate: Any, state: State) -> None:
        self.coef_, self.certificate_, self.n_passes_ = w, certificate, state.passes
        self._state = replace(state, dual=np.zeros(0), notes=[], pocket=Pocket())
