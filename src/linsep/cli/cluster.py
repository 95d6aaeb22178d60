"""``linsep fit --workers N`` and ``--scheduler ADDRESS``: the rows are learned from where Dask's workers load them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ..engines import EngineError
from ..engines.dask_client import connect
from .output import Problem, refuse

RULES = "perceptron, averaged-perceptron, relaxation, linear-machine, kozinec, least-squares or maximum-margin"
MIXED = "every part learns by itself, and w is their mean after every pass: not the w of one machine."


def check_cluster(options: dict[str, Any]) -> None:
    """Refuse what can't be learned in parts, before anything is read."""
    name = "--scheduler" if options["scheduler"] else "--workers" if options["workers"] else ""
    if options["scheduler"] and options["workers"]:
        refuse("--workers: expected without --scheduler, whose cluster has its workers.")
    if name and options["rule"] == "auto":
        refuse(f"{name}: the rule {options['rule']} can't be learned in parts here. Give --rule {RULES}.")
    if name and options["lift"]:
        refuse(f"{name}: --lift is not for rows in parts.")
    if name and options["price"] == "auto":
        refuse(f"{name}: --C auto compares fits, which is not for rows in parts. Give a number, or leave --C out.")


def _silence_dask() -> None:
    """What goes wrong is said once, by us. Importing Dask gives several loggers levels of their own."""
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def connected(options: dict[str, Any], more: str = "") -> Iterator[Any]:
    """The client of the scheduler or workers that were asked for, while the block runs; ``more`` is what to do then."""
    with ExitStack() as stack:
        try:
            client, owned = connect(options["scheduler"], options["workers"] or 1)
            _silence_dask()
            for each in (*owned, client):
                stack.enter_context(each)
            yield client
        except ImportError as error:
            raise Problem(str(error)) from error
        except EngineError as error:
            raise Problem(f"{error}{more}") from error


def say_workers(what: str, client: Any, out: Any) -> None:
    """How many workers learn, and from what."""
    count = len(client.nthreads())
    out.note(f"{what} on {count} worker{'s' * (count != 1)} of {client.scheduler.address}.")


@contextmanager
def on_cluster(options: dict[str, Any], table: Any, sample: Any, out: Any) -> Iterator[Any]:
    """The sample to learn from: with a scheduler or workers its rows are in parts there, while the block runs."""
    if not (options["scheduler"] or options["workers"]):
        yield sample
        return
    path = options["checkpoint"] or options["output"]
    more = " The same command with --resume goes on where the last checkpoint was written." if path else ""
    with connected(options, more) as client:
        placed = table.dataset.on(client, sample.weight)
        say_workers(f"{len(placed.pieces)} parts", client, out)
        if options["rule"] == "averaged-perceptron":
            out.note(MIXED)
        yield sample._replace(X=placed)
