"""Errors of a model on rows with labels, counted and put into words."""

from __future__ import annotations

from typing import Any

from ..data.columns import HeldOut
from .output import Output
from .tables import Table, decide


def evaluate(model: Any, table: Table, held_out: HeldOut | None = None) -> dict[str, Any]:
    """The errors, as `count_errors` has them; of the rows that are held out, if some are."""
    from ..reporting.errors import count_errors

    decided, y = decide(model, table.dataset)[0], table.sample().y
    if held_out is not None:
        mask = held_out.mask(0, y.size)
        decided, y = decided[mask], y[mask]
    return count_errors(model.classes_, y, decided)


def say_evaluation(found: dict[str, Any], out: Output, what: str) -> None:
    """The evaluation in lines."""
    low, high = found["interval"]
    errors = f"{found['errors']} error{'s' * (found['errors'] != 1)}"
    out.say(
        f"{errors} on {found['rows']} {what}: accuracy {found['accuracy']:.4f} "
        f"(95 %: {low:.4f} to {high:.4f}; always the largest class: {found['largest_class']:.4f})."
    )


def say_classes(found: dict[str, Any], out: Output) -> None:
    """One line per class."""
    width = max(len("class"), *(len(str(each["class"])) for each in found["classes"]))
    out.say(f"{'class':<{width}}  {'rows':>8}  recall  precision")
    for each in found["classes"]:
        recall, precision = (f"{v:.4f}" if v is not None else "-" for v in (each["recall"], each["precision"]))
        out.say(f"{each['class']!s:<{width}}  {each['rows']:>8}  {recall:>6}  {precision:>9}")
