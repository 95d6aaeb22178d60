r"""The bound of Vapnik and Chervonenkis, S0 (1) (A4).

.. math:: R \;\le\; R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}
          \qquad\text{with probability at least } 1 - \eta
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

MUCH = 10  # S0 (1) is for h << N; we read that as MUCH * h <= N


@dataclass(frozen=True)
class VCBound:
    """What S0 (1) says of one rule: plain data, see `vc_bound`."""

    empirical: float  # R_emp, the mean 0/1 loss on the training data
    confidence: float  # the root in S0 (1); infinite where the formula does not hold at all, h > 2N
    h: float  # capacity of the class the rule was chosen from
    N: int  # training examples
    eta: float  # the bound may fail with this probability

    @property
    def value(self) -> float:
        """The bound itself, R_emp + confidence; it may exceed 1."""
        return self.empirical + self.confidence

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing: no risk exceeds 1."""
        return self.value >= 1

    @property
    def valid(self) -> bool:
        """Whether h << N, as S0 demands of (1); read as 10 h <= N."""
        return MUCH * self.h <= self.N

    def __str__(self) -> str:
        given = f"h = {self.h:.4g}, N = {self.N}, eta = {self.eta:.4g}"
        if math.isinf(self.confidence):
            return f"No bound: S0 (1) is for h << N, and fails for h > 2N ({given})."
        said = (
            f"With probability at least {1 - self.eta:.4g} the risk is at most {self.value:.4g} = "
            f"{self.empirical:.4g} (empirical) + {self.confidence:.4g} (confidence: {given})."
        )
        if self.vacuous:
            said += " Vacuous: no risk exceeds 1, so this says nothing; more examples or a smaller capacity would."
        if not self.valid:
            said += f" Not what S0 (1) is for: h is not much smaller than N ({MUCH} h <= N is asked)."
        return said


def vc_bound(empirical: float, h: float, N: int, eta: float = 0.05) -> VCBound:
    r"""The bound S0 (1) of the risk of a rule, from its empirical risk and the capacity of its class.

    .. math:: R \le R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    with probability at least :math:`1 - \eta` over N independent examples, for *every* rule of the class at
    once, if the class was fixed before the data were seen. The logarithm is the natural one, and S0's
    "= 1 - eta" is to be read ">=". S0 demands h << N; up to h = 2N the formula is true but vacuous, beyond it
    would fall with h, which is nonsense, and the answer is infinite. The result says all this, as ``vacuous``,
    ``valid`` and in words.

    Parameters
    ----------
    empirical : float
        Mean 0/1 loss on the training data.
    h : float
        Capacity (VC dimension) of the class, or an upper bound of it; infinity if none is known.
    N : int
        Number of training examples.
    eta : float, default=0.05
        The bound may fail with this probability.

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
        raise ValueError(f"empirical={empirical!r}: a mean 0/1 loss, between 0 and 1, is wanted.")
    if not (isinstance(h, Real) and h >= 1):
        raise ValueError(f"h={h!r}: a capacity of 1 or more is wanted.")
    if not (isinstance(N, Integral) and N >= 1):
        raise ValueError(f"N={N!r}: a number of examples, 1 or more, is wanted.")
    if not (isinstance(eta, Real) and 0 < eta < 1):
        raise ValueError(f"eta={eta!r}: a probability between 0 and 1, both excluded, is wanted.")
    empirical, h, N, eta = float(empirical), float(h), int(N), float(eta)
    if h > 2 * N:
        return VCBound(empirical, math.inf, h, N, eta)
    confidence = math.sqrt((h * (math.log(2 * N / h) + 1) - math.log(eta / 4)) / N)
    return VCBound(empirical, confidence, h, N, eta)
