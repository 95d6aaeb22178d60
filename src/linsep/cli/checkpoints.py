"""``linsep fit --resume``: the checkpoint of a fit, beside its model, and whether it is of these data and options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..checkpoint import Checkpoint, checkpointing
from .output import Output, Problem, keep_inputs, refuse

if TYPE_CHECKING:
    from .tables import Table

WITHOUT = "or begin again without --resume."
SAME = (  # options that a fit must have in common with the one that it goes on with
    "rule", "price", "lift", "passes", "test", "seed", "target", "weight", "text", "ignore", "schema", "separator",
)  # fmt: skip


def checkpoint_path(options: dict[str, Any], data: tuple[str, ...]) -> str | None:
    """The file of the checkpoint: beside the model, if it is not named; None: nobody asked for either."""
    path = options["checkpoint"] or (f"{options['output']}.checkpoint" if options["output"] else None)
    if path is None and options["resume"]:
        refuse("--resume: which fit is to go on? Give its -o MODEL, or --checkpoint FILE.")
    if path is not None:
        keep_inputs("--checkpoint", path, *data, options["schema"], options["output"])
        named = options["checkpoint"] is not None
        if named and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
            raise Problem(f"--checkpoint {path}: is a folder, or its folder does not exist.")
    return path


@contextmanager
def checkpoints(path: str | None, options: dict[str, Any], table: Table, out: Output) -> Iterator[Checkpoint | None]:
    """While the block runs checkpoints are written; with ``--resume`` it goes on from one."""
    if path is None:
        with nullcontext():
            yield None
        return
    resume, there = options["resume"], Path(path).exists()
    if there and not resume:
        out.note(f"{path} holds a fit that was cut short: --resume continues it. This one starts from the beginning.")
    if resume and not there:
        out.note(f"there is no {path}: learning begins from the start.")
    with checkpointing(path, options["checkpoint_every"], resume=resume) as checkpoint:
        chosen = {name: list(value) if isinstance(value := options[name], tuple) else value for name in SAME}
        checkpoint.about = {"files": table.files, "digests": table.digests, "options": chosen}
        if checkpoint.found is not None:
            _compare(path, checkpoint.found, checkpoint.about)
            out.note(f"going on from {path}, after {checkpoint.seconds:.0f} s.")
        yield checkpoint


def _compare(path: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Refuse a checkpoint of other data or other options."""
    if old.get("files") != new["files"]:
        raise Problem(f"{path}: was written for {', '.join(old.get('files') or ['?'])}. Give the same files, {WITHOUT}")
    for name, before, now in zip(new["files"], old.get("digests") or (), new["digests"] or (), strict=False):
        if before != now:
            raise Problem(f"{name}: has changed since {path} was written. Bring the old file back, {WITHOUT}")
    for name, now in new["options"].items():
        before = (old.get("options") or {}).get(name)
        if before != now:
            flag = "C" if name == "price" else name
            raise Problem(f"{path}: was written with --{flag} {before}, not {now}. Give the same, {WITHOUT}", 2)
