"""Estimators that run the loop: they name a target and a rule, everything else is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..certificates.margin import MarginCertificate
from ..certificates.prove import prover_for
from ..certificates.prove.margin import Outcome, prove_margin
from ..interrupt import is_spent, why_ended
from ..jit import read_only
from ..loop.keep import Pocket
from ..loop.learn import Result, answer, keeps_average, keeps_pocket, learn, record
from ..loop.passes import State, begin, passes
from ..loop.stop import AUTO, Progress, Stop
from ..loop.trace import Update, updates
from ..oracles import differences, points
from ..oracles.points import rows_oracle
from ..oracles.scaled import column_metric, looked_at
from ..protocols import declared
from ..rules import Increment, Nearest, Relaxation
from ..targets import EpsOptimal, Margin
from ..validation import Magnitudes, as_rows
from ._linear import LinearClassifier, auto_passes, row_oracle
from ._oracles import set_oracles
from ._parted import Parted
from ._validation import Sample, all_or_nothing, check_parameters, make_rng

RULES = {"perceptron": Increment(1.0), "relaxation": Relaxation(1.5), "kozinec": Nearest()}
ONE_PASS = "one pass was asked for"
ONE_CLASS = "rows of one class only have come so far"


def named_rule(rule: Any) -> Any:
    """A rule by its name, or as it is."""
    if isinstance(rule, str) and rule not in RULES:
        raise ValueError(f"rule: expected one of {list(RULES)} or a rule, got {rule!r}.")
    return RULES[rule] if isinstance(rule, str) else rule


def target_for(target: Any, rule: Any) -> Any:
    """The target that a user means: None is what the rule is usually asked for, a number is a margin."""
    if target is not None:
        return Margin(float(target)) if isinstance(target, Real) else target
    if declared(type(rule), "NEEDS_MARGIN"):
        return Margin(1.0)
    return EpsOptimal(0.0, 0.01) if declared(type(rule), "INSIDE_HULL") else Margin(0.0)


class Looped:
    """Learning by the loop, from any oracles. A subclass names rule and target; parameters are those of `SHARED`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    history_: list[dict[str, float]]
    n_iter_: int

    # what a subclass without such a parameter has
    batch = False
    patience = None
    stop: Callable[[Progress], Any] | None = None
    start: Any = None
    theta = None
    _stops_when_inseparable = False

    def _rule(self) -> Any:
        return named_rule(self.rule)

    def _target(self) -> Any:
        return target_for(self.target, self._rule())

    def _scaled_target(self) -> Any:
        return self._target()

    def _run(
        self, parts: list[Any], start: Any, max_iter: int, watch: tuple[Callable, ...] = (), rng: Any = None
    ) -> Result:
        """One run of the loop; ``rng`` replaces the order of visits that the parameters ask for.

        With ``watch``, patience is theirs: they may count other errors than those of the training set.
        """
        parts, own = self._with_weights_up_to_1(parts), self.stop
        auto = AUTO if getattr(self, "max_iter", None) == "auto" else None
        stop = Stop(
            max_iter, self.max_updates, self.max_seconds, None if watch else self.patience, self.theta,
            when_inseparable=self._stops_when_inseparable and not self.batch,
            auto=auto, condition=own and (lambda found: own(self._shown_progress(found, parts[0]))),
        )  # fmt: skip
        return learn(
            parts, self._scaled_target(), self._rule(), stop=stop, keep=self.keep, batch=bool(self.batch),
            rng=rng or make_rng(self), start=start, watch=((print_progress,) if self.verbose else ()) + watch,
        )  # fmt: skip

    def _shown_progress(self, found: Progress, part: Any) -> Progress:
        """What a user's condition is shown."""
        return found

    def _with_weights_up_to_1(self, parts: list[Any]) -> list[Any]:
        """The oracles with weights that a rule which moves w to a goal can take: more than 1 would move it beyond."""
        largest = max(part.weight.max(initial=0.0) for part in parts)
        if largest == 0 or self.batch or not declared(type(self._rule()), "NEEDS_MARGIN"):
            return parts
        return [part._replace(weight=read_only(part.weight / largest)) for part in parts]

    def _run_one_pass(self, parts: list[Any], before: State | None, start: Any = None) -> Result:
        """One pass, going on from ``before``, a state whose w is as long as that of ``parts``, or from ``start``."""
        parts = self._with_weights_up_to_1(parts)
        average = keeps_average(self.keep, bool(self.batch))
        state = start if isinstance(start, State) else begin(parts, average=average, w=start)
        if before is not None:
            counters = before.counters._replace(satisfied=0)
            if before.w.shape != state.w.shape or before.keeper.total.shape != state.keeper.total.shape:
                raise ValueError(f"w: expected {state.w.size} numbers to go on from, got {before.w.size}.")
            state = replace(state, w=before.w, keeper=before.keeper, counters=counters, passes=before.passes)
            if before.pocket is not None and before.pocket.w is not None:  # its errors are those of these rows
                state.offer(before.pocket.w, prover_for(type(parts[0]))(parts).errors(before.pocket.w))
        rng, target = make_rng(self), self._scaled_target()
        batch = bool(self.batch)
        state = next(passes(parts, target, self._rule(), state, batch=batch, rng=rng, halt=is_spent))
        reason = why_ended() or ONE_PASS
        w, certificate = answer(parts, target, state, keep=self.keep, batch=batch, reason=reason)
        return Result(w, certificate, [*getattr(self, "history_", []), record(state)], state)

    def _trace_loop(self, parts: list[Any], start: Any, most: int, bounds: bool) -> Iterator[Update]:
        """The updates of a run, with w as the kernels hold it."""
        parts = self._with_weights_up_to_1(parts)
        prover = prover_for(type(parts[0]))(parts) if bounds else None
        options = {"most": most, "start": start, "batch": bool(self.batch), "rng": make_rng(self)}
        for update in updates(parts, self._scaled_target(), self._rule(), **options):
            if prover is None:
                yield update
            else:
                yield update._replace(lower=prover.margin(update.w), errors=prover.errors(update.w))

    def _remember(self, result: Result, convert: Callable[[np.ndarray], np.ndarray] = np.copy) -> None:
        """What `partial_fit` needs to go on: nothing that is as large as the data."""
        pocket = result.state.pocket if keeps_pocket(self.keep, bool(self.batch)) else None
        self._state = _with_w(replace(result.state, dual_weights=np.zeros(0), entries=[], pocket=pocket), convert)
        self.history_, self.n_iter_ = result.history, result.state.passes


def _metric(sample: Sample, bias: float, always: bool) -> np.ndarray | None:
    """The metric of the columns; of rows that are elsewhere those that tell it come here."""
    X, sign, weight = sample.X, sample.sign, sample.weight
    if not isinstance(X, Parted):
        return column_metric(rows_oracle(X, sign, weight, bias=bias), always)
    some = looked_at(sign.size if weight is None else np.flatnonzero(weight), sign.size, X.size)
    rows = rows_oracle(X.take(some), sign[some], None if weight is None else weight[some], bias=bias)
    return column_metric(rows, always, np.arange(some.size))


def _with_w(state: State, convert: Callable[[np.ndarray], np.ndarray]) -> State:
    """The state with w, and what its keeper and its pocket hold, in another form."""
    pocket = state.pocket
    if pocket is not None and pocket.w is not None:
        pocket = Pocket(convert(pocket.w), pocket.errors)
    return replace(state, w=convert(state.w), keeper=type(state.keeper)(convert(state.keeper.total)), pocket=pocket)


class LoopedLinear(Looped, LinearClassifier):
    """Linear classifiers of rows that run the loop."""

    certificate_: MarginCertificate
    fit_intercept = True
    scaling: str | None = None  # of a subclass without such a parameter

    def _scaled(self, sample: Sample, magnitudes: Magnitudes, partial: bool) -> Sample:
        """The sample, to be learned in scaled coordinates if ``scaling`` says so."""
        sample = super()._scaled(sample, magnitudes, partial)
        always = self._always_scaled(sample.X)
        if not self._takes_metric():
            if always:
                raise ValueError(
                    "scaling='columns': expected the rule of perceptron or relaxation, and a margin to reach."
                )
            return sample
        if self.scaling is None or (partial and (hasattr(self, "coef_") or not always)):
            return sample
        bias = sample.scale.constant if self._bias_of_rows() == "augmented" else 0.0
        metric = _metric(sample, bias, always)
        if metric is not None:
            self._scale = sample.scale._replace(metric=metric, power=-1)
        return sample._replace(scale=self._scale)

    def _always_scaled(self, X) -> bool:
        """Whether columns are scaled even if they are of similar size."""
        return self.scaling == "columns"

    def _takes_metric(self) -> bool:
        """Whether rule and target can learn in scaled coordinates: those that ask for <w,w> mean that of w itself."""
        rule, target = type(self._rule()), type(self._target())
        return ((rule is Relaxation and not self.batch) or not declared(rule, "NEEDS_NORM")) and not declared(
            target, "NEEDS_NORM"
        )

    def _auto_passes(self, X) -> int:
        """The budget behind max_iter="auto"."""
        return auto_passes(X.size)

    def _bias_of_rows(self) -> str:
        return "augmented" if self.fit_intercept else "none"

    def _power(self) -> int:
        return -1 if declared(type(self._rule()), "NEEDS_MARGIN") else 1

    def _scaled_target(self) -> Any:
        """The target for the scaled rows."""
        target, exponent = self._target(), self._scale.exponent
        if not exponent:
            return target
        if isinstance(target, EpsOptimal):
            return target._replace(eps=float(np.ldexp(target.eps, -exponent)))
        if isinstance(target, Margin) and self._scale.power < 0:
            return target
        if isinstance(target, Margin):
            with np.errstate(over="ignore"):  # an infinite margin is never reached, as that one is not
                return Margin(float(np.ldexp(target.b, -2 * exponent)))
        raise ValueError(
            f"target: {type(target).__name__} can't be scaled, and X has values of about {2.0**exponent:.3g}. Scale X."
        )

    def _parts(self, sample: Sample, rivals: Any = None) -> list[Any]:
        bias = self._bias_of_rows()
        if bias == "free":
            return list(differences([row_oracle(sample, bias=0.0)], rivals))
        return set_oracles(sample, self.classes_, bias=1.0 if bias == "augmented" else 0.0)

    def _learns_from_parts(self) -> bool:
        """Whether ``fit`` takes rows that are elsewhere: batch passes do, and parts that learn by themselves."""
        return self._bias_of_rows() != "free"

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        r"""Learn from rows and labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of n rows, Dataset, or dask collection
            Read in place. Without ``batch=True`` each part of a dask collection learns by itself, from one w, and
            :math:`w \leftarrow \sum_i k_i w_i / \sum_i k_i` after every pass, part i having made k_i updates: not the
            w of one machine (docs/distributed.md).
        y : array of n labels
            Two classes or more.
        sample_weight : array of n numbers, default=None
            Weights of the rows; a weight of 0 leaves a row out.

        Returns
        -------
        self
        """
        check_parameters(self)
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        parts = self._parts(sample)
        start = self._warm_start(parts) if warm else self._start(parts)
        result = self._run(parts, start, self._auto_passes(sample.X) if self.max_iter == "auto" else self.max_iter)
        self._publish_result(result, parts[0])
        self._warn()
        return self

    def _updates(self, X, y, sample_weight, most: int, bounds: bool) -> Iterator[Update]:
        """Every update of a fit, for `trace`."""
        check_parameters(self)
        parts = self._parts(self._sample(X, y, sample_weight))
        scale, machine = self._scale, self._machine()
        for update in self._trace_loop(parts, self._start(parts), most, bounds):
            w, before, a = (scale.show(parts[0].as_matrix(each)) for each in (update.w, update.before, update.a))
            rival = self.classes_[update.rival] if machine and update.rival is not None else update.rival
            lower, upper = (float(np.ldexp(each, scale.exponent)) for each in (update.lower, update.upper))
            yield update._replace(w=w, before=before, a=a, rival=rival, lower=lower, upper=upper)

    def _start(self, parts: list[Any]) -> State | np.ndarray | None:
        """Where learning begins: at ``start``, or at 0.

        In scaled coordinates |w| / total bounds nothing: a given w has no total.
        """
        if self.start is None:
            return None if self._scale.metric is None else np.zeros(parts[0].size)
        if declared(type(self._rule()), "INSIDE_HULL"):
            raise ValueError("start: the rule of Kozinec begins at a point of the hull: use Kozinec(start=weights).")
        return parts[0].as_vector(self._first_w(parts[0].as_matrix(np.zeros(parts[0].size)).shape))

    def _shown_progress(self, found: Progress, part: Any) -> Progress:
        return found._replace(w=self._scale.show(part.as_matrix(found.w)))

    def _warm_start(self, parts: list[Any]) -> State | np.ndarray | None:
        """Where the next fit begins: at the present w."""
        return parts[0].as_vector(self._present_w(0))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over more data, going on from where learning stands.

        The certificate is about the rows of this call only, and about the updates of all. Parameters that say what is
        learned (``fit_intercept``, ``bias``, ``rule``, ``batch``, ``keep``, ``scaling``) must stay as they are; others
        may change. With a free bias w is 0 until rows of both classes have come.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        classes : array of labels, default=None
            All labels; needed at the first call.

        Returns
        -------
        self
        """
        check_parameters(self)
        sample = self._partial_sample(X, y, classes, sample_weight)
        rivals = getattr(self, "_rivals", None)
        present = sample.sign if sample.weight is None else sample.sign[sample.weight > 0]
        if self._bias_of_rows() == "free" and not {-1, 1} <= {*present, *(() if rivals is None else rivals.sign)}:
            return self._wait(sample)
        parts = self._parts(sample, rivals)
        before: State | None = getattr(self, "_state", None)
        before = None if before is None else _with_w(before, parts[0].as_vector)
        start = self._start(parts) if before is None else None
        self._publish_result(self._run_one_pass(parts, before, start), parts[0])
        return self

    def _check_loaded(self) -> None:
        super()._check_loaded()
        metric = self._scale.metric
        if metric is not None and (metric.shape != (2, self.n_features_in_) or metric.dtype != np.float64):
            raise ValueError(f"metric: expected float64 of shape (2, {self.n_features_in_}), got {metric.shape}.")
        rivals = getattr(self, "_rivals", None)
        if rivals is not None:
            as_rows(rivals.matrix, "rivals")
            if rivals.width != self.n_features_in_ or rivals.sign.shape != (rivals.matrix.shape[0],):
                raise ValueError(f"rivals: expected rows of {self.n_features_in_} columns, with their signs.")

    def _wait(self, sample: Sample):
        """A free bias needs a row of each class to begin with: w is 0 until then, and one row is kept."""
        part, w = row_oracle(sample, bias=0.0), np.zeros(sample.X.shape[1] + 1)
        outcome = Outcome(self._scaled_target(), "free", 0, ONE_CLASS)
        self._publish(prove_margin([part], w, np.zeros(part.sign.size), outcome))
        place = np.flatnonzero(part.present_places())[:1]
        self._rivals: Any = points(sample.X[place], sample.sign[place], bias=0.0)
        self.history_, self.n_iter_ = [], 0
        return self

    def _publish_result(self, result: Result, part: Any) -> None:
        self._publish(result.certificate)
        exponent = self._scale.exponent
        for entry in result.history if exponent else ():
            entry.update({name: float(np.ldexp(entry[name], exponent)) for name in ("lower", "upper")})
        self._remember(result, part.as_matrix)
        self._rivals = getattr(part, "rivals", None)  # of a free bias


def print_progress(state: State) -> None:
    """Print one line per pass, for ``verbose``."""
    counts = f"pass {state.passes:>6}  updates {state.counters.updates:>10}  mistakes {state.mistakes:>8}"
    print(f"{counts}  margin <= {state.upper:.6g}", file=sys.stderr)
