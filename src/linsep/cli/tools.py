"""``linsep warm-up``, ``demo`` and ``completion``."""

from __future__ import annotations

from typing import Any

import click

from .options import Command, answering
from .output import Output


@click.command("warm-up", cls=Command)
@answering
def warm_up(*, out: Output) -> None:
    """Compile ahead of time what fits need, on all cores; once per machine.

    \b
    Example:
      linsep warm-up

    Without it the first fit on a machine takes some seconds more.
    """
    from ..estimators.warm_up import warm_up as compile_all

    out.say("compiling, for up to a minute ...")
    done = compile_all()
    out.answer(compiled=done)
    out.say(f"compiled: {', '.join(done)}")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@answering
def completion(shell: str, *, out: Output) -> None:
    """Print the code that completes linsep's commands and options in your shell.

    \b
    Examples:
      linsep completion bash >> ~/.bashrc
      linsep completion zsh >> ~/.zshrc
      linsep completion fish > ~/.config/fish/completions/linsep.fish
    """
    from click.shell_completion import get_completion_class

    from .app import app

    kind: Any = get_completion_class(shell)
    code = kind(app, {}, "linsep", "_LINSEP_COMPLETE").source()
    out.answer(shell=shell, code=code)
    out.say(code)


@click.command(cls=Command)
@click.argument("folder", default="out", metavar="[FOLDER]")
@answering
def demo(folder: str, *, out: Output) -> None:
    """Make a small table, learn from it, check the certificate, draw a picture.

    \b
    Examples:
      linsep demo
      linsep demo /tmp/linsep

    The table has numbers, amounts, categories, dates, words and missing cells.
    Files go to FOLDER; default: out.
    """
    from pathlib import Path

    from .app import run
    from .demo_table import write_demo_table

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    table, model, picture = (str(place / name) for name in ("customers.csv", "customers.linsep", "customers.png"))
    write_demo_table(Path(table))
    out.say(f"wrote {table}: 900 made-up customers of a telephone company; 11 columns, of all kinds\n")
    for command in (
        ["fit", table, "--target", "left", "--text", "last_message", "--test", "0.25", "-o", model],
        ["check", model, table],
        ["evaluate", model, table, "--picture", picture],
    ):
        out.say(f"$ linsep {' '.join(command)}")
        out.code = run([*command, "--quiet"] if out.as_json or out.quiet else command)
        out.say()
        if out.code:
            break
    out.answer(files=[table, model, picture])
