"""Which targets, rules and oracles can be combined; what can't is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..protocols import BatchRule, LabellingOracle, Oracle, Rule, Target, declared, has_methods, require


def check_compatible(parts: Sequence[Any], target: Any, rule: Any, batch: bool) -> None:
    """Refuse, with the reason, components that lack a method, and those that can't be combined."""
    if not parts:
        raise ValueError("learn: expected a list of oracles, got an empty one.")
    for part in parts:
        require(part, LabellingOracle if declared(part, Oracle, "LABELLINGS") else Oracle)
    require(target, Target)
    require(rule, Rule)
    if len(parts) > 1 and declared(parts[0], Oracle, "LABELLINGS"):
        raise ValueError(f"learn: expected one oracle of labellings, got {len(parts)}; go on from the last state.")
    name, b = type(rule).__name__, getattr(target, "b", 0.0)
    if batch and not has_methods(rule, BatchRule):
        raise ValueError(f"{name} has no batch form: expected the methods batch_weight and batch_step.")
    if batch and not declared(parts[0], Oracle, "BATCH"):
        raise ValueError(
            f"{type(parts[0]).__name__} have no batch form: the rival of a row is known only after the pass. "
            "Use the single-sample form, or points with the bias inside (augmented)."
        )
    if declared(rule, Rule, "NEEDS_MARGIN"):
        if any(target.tolerance):
            raise ValueError(f"{name} has no goal to move to under {type(target).__name__}; use Margin(b) with b > 0.")
        if b <= 0:
            raise ValueError(f"{name}: expected a margin b > 0, got {b:g}; it would stand still at w = 0.")
    if hasattr(target, "eps") and not any(target.tolerance):
        raise ValueError("EpsOptimal: expected eps > 0, got 0; the best margin itself is reached only in the limit.")
    if declared(rule, Rule, "INSIDE_HULL") and b > 0:
        raise ValueError(
            f"{name} stays inside the convex hull of the vectors, where no w need have <w,a> > {b:g}. "
            "Use Margin(0) (Kozinec) or EpsOptimal (eps-Kozinec)."
        )


def with_float_fields(component: Any) -> Any:
    """A target or rule with floats in its float fields: an int would be another type, and compile again.

    >>> from linsep.rules import Increment
    >>> with_float_fields(Increment(2))
    Increment(rate=2.0, decay=0.0)
    """
    if not isinstance(component, tuple):
        return component
    notes = {name: note for kind in type(component).__mro__ for name, note in vars(kind).get("__annotations__", {}).items()}
    floats = {
        name: float(value)
        for name, value in component._asdict().items()  # type: ignore[attr-defined]
        if getattr(notes[name], "__forward_arg__", notes[name]) in (float, "float")
    }
    return component._replace(**floats)  # type: ignore[attr-defined]
