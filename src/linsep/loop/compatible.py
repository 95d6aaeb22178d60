"""Which targets, rules and oracles work together; what can't is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..oracles import Differences
from ..rules import Increment, Nearest, Relaxation
from ..targets import EpsOptimal, Margin

Oracle = Any


def exactly(part: Any) -> Any:
    """A target or rule as the kernels want it: floats, for an int field would compile again.

    A wanted eps is taken a millionth smaller, so that the bounds of the certificate, computed anew,
    are eps apart even after rounding.
    """
    if isinstance(part, EpsOptimal):
        part = EpsOptimal(*((1.0 - 1e-6) * value for value in part))
    return (
        type(part)(*map(float, part))
        if isinstance(part, Margin | EpsOptimal | Increment | Relaxation | Nearest)
        else part
    )


def refuse(parts: Sequence[Oracle], target, rule, whole: bool) -> None:
    """Say no, with the reason, to what can't work together."""
    if not parts:
        raise ValueError("learn: no data, the list of parts is empty.")
    if whole and isinstance(parts[0], Differences):
        raise ValueError(
            "Differences have no whole-pass form: the rival of a row is known only after the pass. "
            "Use the single-sample form, or points with the bias inside (augmented)."
        )
    if isinstance(rule, Relaxation):
        if isinstance(target, EpsOptimal):
            raise ValueError("Relaxation has no goal to move to under EpsOptimal; use Margin(b) with b > 0.")
        if target.b <= 0:
            raise ValueError(f"Relaxation needs a margin b > 0, not {target.b:g}: it would stand still at w = 0.")
    if isinstance(target, EpsOptimal) and target.eps == 0 and target.relative == 0:
        raise ValueError("EpsOptimal: eps must be > 0: the best margin itself is reached only in the limit.")
    if isinstance(rule, Nearest) and isinstance(target, Margin) and target.b > 0:
        raise ValueError(
            f"Nearest stays inside the convex hull of the vectors, where no w need have <w,a> > {target.b:g}. "
            "Use Margin(0) (Kozinec) or EpsOptimal (eps-Kozinec)."
        )
