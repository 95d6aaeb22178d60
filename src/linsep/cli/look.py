"""``linsep separable`` and ``inspect``: questions about data and about models."""

from __future__ import annotations

from typing import Any

import click

from .options import Command, answering, data_argument, memory_option, model_argument, target_option, time_option
from .output import BUDGET_SPENT, NO, Output

SHOWN = 10  # weights in words


@click.command(cls=Command)
@data_argument
@target_option
@time_option
@memory_option
@answering
def separable(data: tuple[str, ...], *, target: str | None, out: Output, **options: Any) -> None:
    """Find out whether any hyperplane separates the classes, with a proof.

    \b
    Examples:
      linsep separable iris.csv --target species
      linsep separable big.csv -t y --time-limit 1min

    The exit code is 0 if there is one, 1 if there is none (a few rows prove it),
    4 if the time did not suffice to decide.
    """
    from ..estimators.separability import separability
    from .schemas import make_plan, say_schema
    from .tables import open_table

    options["target"] = target
    table = open_table(
        data, out, kind=options["kind"], schema=make_plan(options), memory=options["memory"], target=target,
        weight=options["weight"], separator=options["separator"],
    )  # fmt: skip
    say_schema(table, out)
    X, y, weight = table.sample()
    with out.progress("is it separable?", options["time_limit"]), table.dataset.within_memory():
        found = separability(X, y, weight, max_seconds=options["time_limit"])
    proof = (found.rows + 1).tolist() if found.separable is False else []
    words = str(found) if found.separable is not False else f"{str(found).partition('; ')[0]}."  # no w, no updates
    out.answer(separable=found.separable, status=str(found.status), proof_rows=proof, certificate=[words])
    out.say({True: "yes", False: "no", None: "not decided"}[found.separable])
    out.say(words)
    if 0 < len(proof) <= SHOWN:
        out.say(f"The proof needs the rows {', '.join(map(str, proof))} (the first is 1).")
    out.code = {True: 0, False: NO, None: BUDGET_SPENT}[found.separable]


@click.command(cls=Command)
@model_argument
@answering
def inspect(model: str, *, out: Output) -> None:
    """Show what a model file holds: estimator, classes, weights, certificate.

    \b
    Examples:
      linsep inspect iris.linsep
      linsep inspect iris.linsep --json

    No code of the file is run, and none is in it.
    """
    from ..model_file import load_with_origin
    from .learning import certificates_of

    rule, origin = load_with_origin(model)
    classes = getattr(rule, "classes_", [])
    certificates = certificates_of(rule) if len(classes) else []
    weights = _weights(rule, origin)
    out.answer(
        estimator=str(rule), classes=list(classes), weights=weights, origin=origin,
        certificate=[str(each) for each in certificates],
    )  # fmt: skip
    out.say(rule)
    out.say(f"classes: {', '.join(map(str, classes))}" if len(classes) else "not fitted")
    if "command" in origin:
        out.say(f"command: {origin['command']}")
    for certificate in certificates:
        out.say(certificate)
    if weights:
        out.say(f"largest weights of {len(weights)}:")
        width = max(len(each["feature"]) for each in weights[:SHOWN])
        for each in weights[:SHOWN]:
            out.say(f"  {each['feature']:<{width}}  " + "  ".join(f"{w:+.6g}" for w in each["weights"]))


def _weights(rule: Any, origin: dict[str, Any]) -> list[dict[str, Any]]:
    """The features with their weights, the largest first."""
    import numpy as np

    coef = getattr(rule, "coef_", None)
    if not isinstance(coef, np.ndarray) or coef.ndim != 2:
        return []
    from .schemas import feature_names, schema_of

    named = "schema" in origin or hasattr(rule, "feature_names_in_")
    names = feature_names(schema_of(rule, origin, "model")) if named else [f"x{k}" for k in range(coef.shape[1])]
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")
    return [{"feature": str(names[k]), "weights": coef[:, k].tolist()} for k in order]
