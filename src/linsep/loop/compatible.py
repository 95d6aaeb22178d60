"""Which targets, rules and oracles can be combined; what can't is refused with the reason."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..protocols import (
    BatchRule,
    LabellingOracle,
    Oracle,
    Rule,
    ScheduledRule,
    Target,
    cached,
    declared,
    has_methods,
    require,
)


class Traits(NamedTuple):
    """What the classes of the components say of themselves."""

    labellings: bool  # the oracles hold labellings
    scheduled: bool  # the rule is a Python function of the number of updates
    needs_margin: bool
    inside_hull: bool


def check_compatible(parts: Sequence[Any], target: Any, rule: Any, batch: bool) -> Traits:
    """Refuse what lacks a method, and what can't be combined, with the reason."""
    if not parts:
        raise ValueError("learn: expected a list of oracles, got an empty one.")
    traits = check_classes(tuple(map(type, parts)), type(target), type(rule), batch)
    name, b, near_best = type(rule).__name__, getattr(target, "b", 0.0), any(target.tolerance)
    if traits.needs_margin and near_best:
        raise ValueError(f"{name} has no goal to move to under {type(target).__name__}; use Margin(b) with b > 0.")
    if traits.needs_margin and b <= 0:
        raise ValueError(f"{name}: expected a margin b > 0, got {b:g}; it would stand still at w = 0.")
    if hasattr(target, "eps") and not near_best:
        raise ValueError("EpsOptimal: expected eps > 0, got 0; the best margin itself is reached only in the limit.")
    if traits.inside_hull and b > 0:
        raise ValueError(
            f"{name} stays inside the convex hull of the vectors, where no w need have <w,a> > {b:g}. "
            "Use Margin(0) (Kozinec) or EpsOptimal (eps-Kozinec)."
        )
    return traits


@cached
def check_classes(oracles: tuple[type, ...], target: type, rule: type, batch: bool) -> Traits:
    """The part of the check that depends on the classes only: once per combination."""
    labellings = declared(oracles[0], "LABELLINGS")
    for kind in oracles:
        require(kind, LabellingOracle if labellings else Oracle)
    require(target, Target)
    require(rule, Rule)
    if len(oracles) > 1 and labellings:
        raise ValueError(f"learn: expected one oracle of labellings, got {len(oracles)}; go on from the last state.")
    if batch and not has_methods(rule, BatchRule):
        raise ValueError(f"{rule.__name__} has no batch form: expected the methods batch_weight and batch_step.")
    if batch and not declared(oracles[0], "BATCH"):
        raise ValueError(
            f"{oracles[0].__name__} have no batch form: the rival of a row is known only after the pass. "
            "Use the single-sample form, or points with the bias inside (augmented)."
        )
    needs_margin, inside_hull = declared(rule, "NEEDS_MARGIN"), declared(rule, "INSIDE_HULL")
    return Traits(labellings, has_methods(rule, ScheduledRule), needs_margin, inside_hull)


def with_float_fields(component: Any) -> Any:
    """A target or rule with floats in its float fields: an int would be another type, and compile again.

    >>> from linsep.rules import Increment
    >>> with_float_fields(Increment(2))
    Increment(rate=2.0, decay=0.0)
    """
    if not isinstance(component, tuple):
        return component
    floats = {name: float(getattr(component, name)) for name in float_fields(type(component))}
    return component._replace(**floats)  # type: ignore[attr-defined]


@functools.cache
def float_fields(kind: type) -> list[str]:
    """The fields of a NamedTuple class that are annotated as float."""
    notes = {name: note for each in kind.__mro__ for name, note in vars(each).get("__annotations__", {}).items()}
    return [name for name in notes if getattr(notes[name], "__forward_arg__", notes[name]) in (float, "float")]
