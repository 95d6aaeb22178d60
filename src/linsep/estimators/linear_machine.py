"""The linear machine (D1) by its own name, with any rule and target."""

from __future__ import annotations

from numbers import Real

from sklearn.utils._param_validation import StrOptions

from ..rules import BEYOND, Increment, Nearest, Relaxation, Scheduled
from ..targets import EpsOptimal, Margin
from ._looped import Looped
from .perceptron import Perceptron

RULES = {
    "perceptron": (Increment(1.0), Margin(0.0)),
    "relaxation": (Relaxation(1.5), Margin(1.0 / BEYOND)),
    "kozinec": (Nearest(), EpsOptimal(0.0, 0.01)),
}


def usual_target(rule):
    """What a rule is usually asked for."""
    usual = {Increment: "perceptron", Scheduled: "perceptron", Relaxation: "relaxation", Nearest: "kozinec"}
    return RULES[usual[type(rule)]][1]


class LinearMachine(Looped):
    r"""The linear machine: :math:`\arg\max_k \langle w_k,x\rangle + b_k`, all classes learned as one problem.

    Every rule moves the weights of two classes at a time: those of the row's own class y, and those of its best
    rival k, whenever :math:`\langle w_y - w_k, (x,1)\rangle` misses the goal of the target.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec"} or a rule of `linsep.rules`, default="perceptron"
        How w moves.
    target : float, a target of `linsep.targets` or None
        When a row is violated; a number b is ``Margin(b)``. None: what the rule is usually asked for, ``Margin(0)``,
        ``Margin(1)``, or ``EpsOptimal(relative=0.01)`` for Kozinec.
    batch, keep, fit_intercept, max_passes, max_updates, max_seconds, patience, theta, shuffle, random_state,
    class_weight, warm_start, verbose, on_new_class
        As for `Perceptron`; ``max_passes="auto"`` is a budget of some seconds, whatever the rule.

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_passes_
        One row of ``coef_`` a class. For two classes ``coef_`` is the difference of the two weights.

    Examples
    --------
    >>> from linsep import LinearMachine
    >>> X, y = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]], ["a", "b", "c"]
    >>> machine = LinearMachine().fit(X, y)
    >>> machine.predict(X).tolist(), machine.certificate_.status, bool(machine.certificate_.check(X, y))
    (['a', 'b', 'c'], 'separated', True)
    """

    _parameter_constraints: dict = {
        **{name: kind for name, kind in Perceptron._parameter_constraints.items() if name not in ("rate", "margin")},
        "rule": [StrOptions(set(RULES)), Increment, Relaxation, Nearest, Scheduled],
        "target": [None, Real, Margin, EpsOptimal],
    }
    del _parameter_constraints["multi_class"]

    def __init__(
        self,
        rule="perceptron",
        target=None,
        *,
        batch=False,
        keep="auto",
        fit_intercept=True,
        max_passes="auto",
        max_updates=None,
        max_seconds=None,
        patience=None,
        theta=None,
        shuffle=False,
        random_state=None,
        class_weight=None,
        warm_start=False,
        verbose=0,
        on_new_class="error",
    ):
        self.rule = rule
        self.target = target
        self.batch = batch
        self.keep = keep
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.patience = patience
        self.theta = theta
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.on_new_class = on_new_class

    def _machine(self) -> bool:
        return True

    def _rule(self):
        return RULES[self.rule][0] if isinstance(self.rule, str) else self.rule

    def _target(self):
        if self.target is None:
            return usual_target(self._rule())
        return Margin(float(self.target)) if isinstance(self.target, Real) else self.target
