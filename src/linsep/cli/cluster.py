"""``linsep fit --workers N`` and ``--scheduler ADDRESS``: the rows are learned from where Dask's workers load them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..engines import EngineError
from ..engines.dask_client import connect
from .output import Problem, refuse

RULES = "perceptron, relaxation, linear-machine, kozinec, least-squares or maximum-margin"


def check_cluster(options: dict[str, Any]) -> None:
    """Refuse what can't be learned in parts, before anything is read."""
    name = "--scheduler" if options["scheduler"] else "--workers" if options["workers"] else ""
    if options["scheduler"] and options["workers"]:
        refuse("--workers: expected without --scheduler, whose cluster has its workers.")
    if name and options["rule"] in ("auto", "averaged-perceptron"):
        refuse(f"{name}: the rule {options['rule']} can't be learned in parts here. Give --rule {RULES}.")
    if name and options["lift"]:
        refuse(f"{name}: --lift is not for rows in parts.")
    if name and options["price"] == "auto":
        refuse(f"{name}: --C auto compares fits, which is not for rows in parts. Give a number, or leave --C out.")


@contextmanager
def on_cluster(options: dict[str, Any], table: Any, sample: Any, out: Any) -> Iterator[Any]:
    """The sample to learn from: with a scheduler or workers its rows are in parts there, while the block runs."""
    if not (options["scheduler"] or options["workers"]):
        yield sample
        return
    path = options["checkpoint"] or options["output"]
    with ExitStack() as stack:
        try:
            client, owned = connect(options["scheduler"], options["workers"] or 1)
            for each in (*owned, client):
                stack.enter_context(each)
            placed = table.dataset.on(client, sample.weight)
            count = len(client.nthreads())
            out.note(f"{len(placed.pieces)} parts on {count} worker{'s' * (count != 1)} of {client.scheduler.address}.")
            yield sample._replace(X=placed)
        except ImportError as error:
            raise Problem(str(error)) from error
        except EngineError as error:
            more = " The same command with --resume goes on where the last checkpoint was written." if path else ""
            raise Problem(f"{error}{more}") from error
