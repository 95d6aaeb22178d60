"""Estimators that run the loop: they name a target and a rule, everything else is here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..certificates.margin import Certificate
from ..loop.abreast import learn_abreast
from ..loop.keep import Pocket
from ..loop.learn import Result, State, answer, begin, learn, passes, record
from ..loop.stop import Stop
from ..oracles import Differences, differences, flat, points, shaped
from ..rules import Scheduled
from ._base import Sample, all_or_nothing, auto_passes, rows, sets, watchers
from ._many import ManyClass


class Looped(ManyClass):
    """Fit by `learn`, and go on with `partial_fit`. A subclass names target, rule and advice."""

    history_: list[dict[str, float]]
    n_passes_: int

    # what a subclass without such a parameter has
    batch = False
    fit_intercept = True
    patience = None
    theta = None
    _stops_when_refuted = False

    def _target(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} names no target")

    def _rule(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} names no rule")

    def _advice(self) -> str:
        return "Raise max_passes to go on."

    def _auto_passes(self, X) -> int:
        """The budget behind max_passes="auto"."""
        return auto_passes(X)

    def _rule_weights(self, weight: np.ndarray | None) -> np.ndarray | None:
        """What the rule makes of the weights."""
        return weight

    def _bias(self) -> str:
        return "augmented" if self.fit_intercept else "none"

    def _parts(self, sample: Sample, rivals: Any = None) -> list[Any]:
        sample = sample._replace(weight=self._rule_weights(sample.weight))
        if self._bias() == "free":
            return list(differences([rows(sample, bias=0.0)], rivals))
        return [sets(sample, bias=1.0 if self._bias() == "augmented" else 0.0)]

    def _stop(self, X) -> Stop:
        budget = self._auto_passes(X) if self.max_passes == "auto" else self.max_passes
        return Stop(
            budget, self.max_updates, self.max_seconds, self.patience, self.theta,
            refute=not self.batch and self._stops_when_refuted,
        )  # fmt: skip

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights 0 leave a row out."""
        self._validate_params()
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        committee = self._committee()
        if committee is not None:
            return self._show(committee.fit(sample.X, self.classes_[sample.label], sample.weight))
        self._forget("committee_", "certificates_")
        parts = self._parts(sample)
        start = self._warm(parts) if warm else None
        seed = np.random.default_rng(check_random_state(self.random_state).randint(2**31)) if self.shuffle else None
        result = self._learn(sample, parts, start, seed)
        self._publish(result.w, result.certificate)
        self._remember(result.state, parts)
        self.history_ = result.history
        self._warn(self._advice())
        return self

    def _warm(self, parts: list[Any]) -> State | np.ndarray | None:
        """Where the next fit begins: at the present w."""
        return self._present(0)

    def _learn(self, sample: Sample, parts: list[Any], start, seed) -> Result:
        """One run of the loop."""
        return learn(
            parts, self._target(), self._rule(), stop=self._stop(sample.X), keep=self.keep, whole=self.batch,
            seed=seed, start=start, watch=watchers(self.verbose),
        )  # fmt: skip

    def _abreast(self, X, label: np.ndarray, count: int, weight: np.ndarray | None) -> list[Looped] | None:
        """A clone for each class against all others, learned in one sweep over the rows; None where that can't be."""
        self._validate_params()
        self.classes_ = np.arange(2)  # of each clone
        bias, rule = self._bias(), self._rule()
        scheduled = isinstance(rule, Scheduled) or self.patience is not None or self.keep == "pocket"
        if self._machine() or self.batch or bias == "free" or scheduled or self.verbose or self.class_weight:
            return None
        weight = None if weight is None or (weight == 1.0).all() else self._rule_weights(weight)
        if weight is not None and not all(weight[label == k].any() for k in range(count)):
            return None  # a class that is absent: let it say so alone
        part = points(X, np.ones(label.size), weight, bias=1.0 if bias == "augmented" else 0.0)
        seed = np.random.default_rng(check_random_state(self.random_state).randint(2**31)) if self.shuffle else None
        average = self.keep in ("average", "auto")
        courses = learn_abreast(part, label, count, self._target(), rule, stop=self._stop(X), average=average, rng=seed)
        members = []
        for k, course in enumerate(courses):
            member = clone(self)
            member.classes_, member.n_features_in_ = np.arange(2), X.shape[1]
            own = part._replace(sign=np.where(label == k, 1, -1).astype(np.int8))
            state, reason = course.state, course.reason
            w, certificate = answer([own], self._target(), state, keep=self.keep, whole=False, reason=reason)
            if self._misled(label == k, certificate, seed):
                members.append(member.fit(X, (label == k).astype(np.int64), weight))
                continue
            member._publish(w, certificate)
            member._remember(state, [own])
            member.history_ = course.history
            member._warn(self._advice())
            members.append(member)
        return members

    def _misled(self, label: np.ndarray, certificate: Certificate, seed) -> bool:
        """Whether learning should be tried again in another order."""
        return False

    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over more data, going on from where learning stands.

        ``classes`` (all labels) is needed at the first call, unless ``on_new_class="add"``. The certificate
        speaks of the rows of this call only, and of the updates of all.
        """
        self._validate_params()
        first = not hasattr(self, "coef_")
        before = getattr(self, "classes_", None)
        sample = self._part(X, y, classes, sample_weight)
        committee = self._go_on(sample)
        if committee is not None:
            return self._show(committee)
        parts = self._parts(sample, None if first else self._rivals)
        average = self.keep in ("average", "auto") and not self.batch
        state = begin(parts, "average" if average else "last")
        if not first:
            state = self._resumed(state, parts[0], before)
        state = next(passes(parts, self._target(), self._rule(), state, whole=self.batch))
        reason = "one pass was asked for"
        w, certificate = answer(parts, self._target(), state, keep=self.keep, whole=self.batch, reason=reason)
        self._publish(w, certificate)
        self._remember(state, parts)
        self.history_ = [*getattr(self, "history_", []), record(state)]
        return self

    def _remember(self, state: State, parts: list[Any]) -> None:
        """What `partial_fit` needs to go on: nothing that is as large as the data."""
        w, total = (shaped(parts[0], each) for each in (state.w, state.keep.total))
        self._state = replace(state, w=w, keep=type(state.keep)(total), dual=np.zeros(0), pocket=Pocket())
        self._rivals = parts[0].slots if isinstance(parts[0], Differences) else None
        self.n_passes_ = state.passes

    def _resumed(self, state: State, part: Any, known: np.ndarray) -> State:
        """``state`` with what is remembered, for rows like those of ``part``; classes not ``known`` begin at 0."""
        before: State = self._state
        w, total = (flat(part, self._grown(each, known)) for each in (before.w, before.keep.total))
        tick = before.tick._replace(clean=0)
        return replace(state, w=w, keep=type(before.keep)(total), tick=tick, passes=before.passes)
