"""The linear machine (D1) by its own name, with any rule and target."""

from __future__ import annotations

from typing import Any

from ..rules import Increment
from ._looped import LoopedLinear
from ._parameters import shared_parameters
from ._types import ClassWeight, Condition
from ._validation import set_parameters
from .perceptron import with_best_margin


@shared_parameters
class LinearMachine(LoopedLinear):
    r"""The linear machine: :math:`\arg\max_k \langle w_k,x\rangle + b_k`, all classes learned as one problem.

    Every rule moves the weights of two classes at a time: those of the row's own class y, and those of its best
    rival k, whenever :math:`\langle w_y - w_k, (x,1)\rangle` misses the goal of the target.

    Parameters
    ----------
    rule : {"perceptron", "relaxation", "kozinec"} or a rule, default="perceptron"
        How w moves: a name, or an object of `linsep.rules` or your own (`linsep.protocols.Rule`).

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`: one row of ``coef_`` per class, for two classes the difference of their weights.

    Examples
    --------
    >>> from linsep import LinearMachine
    >>> X, y = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]], ["a", "b", "c"]
    >>> machine = LinearMachine().fit(X, y)
    >>> machine.predict(X).tolist(), machine.certificate_.status, bool(machine.check(X, y))
    (['a', 'b', 'c'], 'separated', True)
    """

    def __init__(
        self, rule: Any = "perceptron", target: Any = None, *, batch: bool = False, keep: str = "auto", fit_intercept:
        bool = True, scaling: str | None = "auto", max_iter: int | str = "auto", max_updates: int | None = None,
        max_seconds: float | None = None, patience: int | None = None, stop: Condition | None = None, theta: float |
        None = None, start: Any = None, shuffle: bool = False, random_state: Any = None, class_weight: ClassWeight |
        None = None, warm_start: bool = False, verbose: int = 0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _machine(self) -> bool:
        return True

    def _run(self, parts, start, max_iter, watch=(), rng=None):
        result = super()._run(parts, start, max_iter, watch, rng)
        if not isinstance(self._rule(), Increment):  # Novikoff's bound is the perceptron's
            return result
        return result._replace(certificate=with_best_margin(parts, result.certificate, result.state.passes))
