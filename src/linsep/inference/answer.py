"""What an engine returns: a labelling, its value, and an upper bound of the values of all labellings."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from .network import UNIT, Network


@dataclass(frozen=True, eq=False)
class Answer:
    """A labelling with its value, and a number that no labelling's value exceeds.

    Parameters
    ----------
    labels : array of shape (n_nodes,), int64
        One label per node.
    value : float
        The value of ``labels``.
    upper : float
        An upper bound of the values of all labellings, rounding errors included.
    engine : str
        The engines that were used.
    seconds : float
        The time it took.
    rounding : float
        How far value and bound of one and the same labelling may differ by the rounding errors of the engine.
    note : str, default=""
        How the engine proceeded.

    Examples
    --------
    >>> from linsep.inference import Network, solve
    >>> answer = solve(Network.from_tables([[0.0, 1.0], [2.0, 0.0]]))
    >>> answer.labels, answer.value, round(answer.gap, 9), answer.status
    (array([1, 0]), 3.0, 0.0, 'optimal')
    """

    labels: np.ndarray
    value: float
    upper: float
    engine: str
    seconds: float
    rounding: float
    note: str = ""

    def __post_init__(self) -> None:
        if not self.upper >= self.value - self.rounding:
            raise RuntimeError(
                f"{self.engine}: expected a bound of at least the value {self.value!r}, got {self.upper!r}: a bug."
            )
        object.__setattr__(self, "upper", max(self.upper, self.value))

    @property
    def gap(self) -> float:
        """``upper - value``: how much better another labelling might be."""
        return self.upper - self.value if self.upper > self.value else 0.0

    @property
    def optimal(self) -> bool:
        """Whether value and bound agree within the rounding errors of the engine."""
        return self.gap <= self.rounding

    @property
    def status(self) -> str:
        """``"optimal"``, ``"not proved"``, or ``"impossible"`` where every labelling is forbidden."""
        if self.upper == -math.inf:
            return "impossible"
        return "optimal" if self.optimal else "not proved"

    def __str__(self) -> str:
        line = f"{self.engine}: {self.status}, value {self.value:.10g} <= {self.upper:.10g}, {self.seconds:.3g} s"
        return f"{line} ({self.note})" if self.note else line


def make_answer(
    network: Network, labels: np.ndarray, upper: float, rounding: float, engine: str, began: float, note: str = ""
) -> Answer:
    """The answer, its value computed again from the tables of ``network``.

    ``upper`` is a bound of the network or of its finite version (`Network.make_finite`); ``began`` is the time when
    the engine began.
    """
    labels = np.asarray(labels, dtype=np.int64)
    value = network.value(labels)
    largest = network.magnitude()
    if value == -math.inf and upper < (-2.0 * largest or -0.5):  # below the value of every allowed labelling
        upper = -math.inf
    rounding += 2.0 * UNIT * abs(value) if math.isfinite(value) else 0.0
    return Answer(labels, value, upper, engine, time.perf_counter() - began, rounding, note)


def bound_summation_error(network: Network) -> float:
    """A bound of the rounding error of adding one entry of every table, in any order."""
    terms = network.n_nodes + network.n_edges + 1
    return 1.01 * terms * UNIT * network.magnitude()
