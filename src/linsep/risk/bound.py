"""The bound of Vapnik and Chervonenkis, S0 (1) (A4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

MUCH_SMALLER = 10  # S0 (1) is for h << N, which we read as MUCH_SMALLER * h <= N


@dataclass(frozen=True)
class VCBound:
    """The bound S0 (1) of one rule, see `vc_bound`."""

    empirical: float  # R_emp, the mean 0/1 loss on the training data
    confidence: float  # the root in S0 (1); infinite where the formula does not hold, h > 2N
    h: float  # capacity of the class from which the rule was chosen
    N: int  # training examples
    eta: float  # probability that the bound fails

    @property
    def value(self) -> float:
        """The bound itself, R_emp + confidence; it may exceed 1."""
        return self.empirical + self.confidence

    @property
    def vacuous(self) -> bool:
        """Whether the bound is 1 or more, which no risk exceeds."""
        return self.value >= 1

    @property
    def valid(self) -> bool:
        """Whether h << N, as S0 requires for (1); read as 10 h <= N."""
        return MUCH_SMALLER * self.h <= self.N

    def __str__(self) -> str:
        given = f"h = {self.h:.4g}, N = {self.N}, eta = {self.eta:.4g}"
        if math.isinf(self.confidence):
            return f"No bound: S0 (1) is for h << N, and fails for h > 2N ({given})."
        sentence = (
            f"With probability at least {1 - self.eta:.4g} the risk is at most {self.value:.4g} = "
            f"{self.empirical:.4g} (empirical) + {self.confidence:.4g} (confidence: {given})."
        )
        if self.vacuous:
            sentence += " Vacuous: no risk exceeds 1; more examples or a smaller capacity would help."
        if not self.valid:
            sentence += f" S0 (1) requires h << N, here h is not much smaller than N ({MUCH_SMALLER} h > N)."
        return sentence


def vc_bound(empirical: float, h: float, N: int, eta: float = 0.05) -> VCBound:
    r"""Return the bound S0 (1) of the risk of a rule, from its empirical risk and the capacity of its class.

    .. math:: R \le R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    with probability at least :math:`1 - \eta` over N independent examples, for *every* rule of the class at
    once, if the class was fixed before the data were seen. The logarithm is the natural one, and S0's
    "= 1 - eta" is to be read ">=". S0 requires h << N. Up to h = 2N the formula is true but vacuous; beyond, it would
    decrease with h, and the result is infinite. ``vacuous``, ``valid`` and ``str`` of the result say so.

    Parameters
    ----------
    empirical : float
        Mean 0/1 loss on the training data.
    h : float
        Capacity (VC dimension) of the class, or an upper bound of it; infinity if none is known.
    N : int
        Number of training examples.
    eta : float, default=0.05
        Probability that the bound fails.

    Examples
    --------
    >>> bound = vc_bound(0.1, h=3, N=1000, eta=0.05)
    >>> print(bound)
    With probability at least 0.95 the risk is at most 0.264 = 0.1 (empirical) + 0.164 (confidence: h = 3,
    N = 1000, eta = 0.05).
    >>> vc_bound(0.0, h=3, N=10).vacuous
    True
    """
    if not (isinstance(empirical, Real) and 0 <= empirical <= 1):
        raise ValueError(f"empirical: expected a mean 0/1 loss between 0 and 1, got {empirical!r}.")
    if not (isinstance(h, Real) and h >= 1):
        raise ValueError(f"h: expected a capacity >= 1, got {h!r}.")
    if not (isinstance(N, Integral) and N >= 1):
        raise ValueError(f"N: expected a number of examples >= 1, got {N!r}.")
    if not (isinstance(eta, Real) and 0 < eta < 1):
        raise ValueError(f"eta: expected a probability, 0 < eta < 1, got {eta!r}.")
    empirical, h, N, eta = float(empirical), float(h), int(N), float(eta)
    if h > 2 * N:
        return VCBound(empirical, math.inf, h, N, eta)
    confidence = math.sqrt((h * (math.log(2 * N / h) + 1) - math.log(eta / 4)) / N)
    return VCBound(empirical, confidence, h, N, eta)
