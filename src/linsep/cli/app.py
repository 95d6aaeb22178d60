"""The commands by name, and what happens to errors: one line on stderr, and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from .output import BAD_DATA, BUG, INTERRUPTED, USAGE, Problem, as_named, json_text

HOME = {  # the commands, in the order of the help, and their modules
    "fit": "fit",
    "predict": "apply",
    "evaluate": "apply",
    "check": "apply",
    "report": "report",
    "export": "export",
    "separable": "look",
    "inspect": "look",
    "tag": "tag",
    "anderson": "tasks",
    "infer": "tasks",
    "risk": "tasks",
    "lab": "lab",
    "demo": "tools",
    "warm-up": "tools",
    "completion": "tools",
}
SHORT = {
    "fit": "Learn a classifier from a file, with a proof of its margin.",
    "predict": "Decide about the rows of a file.",
    "evaluate": "Count the errors of a model on a file.",
    "check": "Compute a model's certificate again from the data.",
    "report": "Write all about a model and a table into one HTML file.",
    "export": "Write a model as Python, C, SQL, ONNX or JSON.",
    "separable": "Find out whether any hyperplane separates the classes.",
    "inspect": "Show what a model file holds.",
    "tag": "Label the tokens of sentences: fit, predict, evaluate.",
    "anderson": "Find the hyperplane whose worst Gaussian errs least.",
    "infer": "Find the best labelling of a network (UAI format).",
    "risk": "Bound the risk on new data, from numbers or a model.",
    "lab": "Draw points in the browser and watch rules learn.",
    "demo": "Make a small table, learn from it, check, draw.",
    "warm-up": "Compile ahead of time what fits need.",
    "completion": "Print the code that completes commands in your shell.",
}


class Commands(click.Group):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their use."""
        return list(HOME)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, or None."""
        if name not in HOME:
            return None
        return getattr(import_module(f".{HOME[name]}", __package__), name.replace("-", "_"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SHORT.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="linsep", message="%(prog)s %(version)s")
def app() -> None:
    """Learn linear classifiers from files, and prove what was learned.

    \b
    Examples:
      linsep fit customers.csv --target left -o customers.linsep
      linsep predict customers.linsep new.csv -o decisions.csv
      linsep check customers.linsep customers.csv

    DATA is a file, several, a pattern in quotes ("part-*.csv"), or - for standard
    input. Answers go to standard output, notes and errors to standard error.

    \b
    Exit codes: 0 done; 1 the answer is no (not separable, certificate wrong);
    2 usage; 3 bad data; 4 --time-limit spent, or not decided; 130 interrupted.
    """


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns its exit code."""
    debug = "--debug" in arguments
    try:
        return app.main(list(arguments), prog_name="linsep", standalone_mode=False, obj=list(arguments)) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.ctx.get_help() if error.ctx else error, file=sys.stderr)
        return USAGE
    except click.ClickException as error:
        name = getattr(getattr(error, "ctx", None), "command_path", "linsep")
        return _fail(f"{error.format_message()} See {name} --help.", USAGE, arguments)
    except Problem as error:
        if debug:
            traceback.print_exc()
        return _fail(str(error), error.code, arguments)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted; nothing was written.", INTERRUPTED, arguments)
    except BrokenPipeError:  # whoever reads our output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, MemoryError) as error:
        if debug:
            traceback.print_exc()
        return _fail(_say(error), BAD_DATA, arguments)
    except Exception as error:
        if debug:
            traceback.print_exc()
        said = f"a bug of linsep: {type(error).__name__}: {_say(error)} Add --debug to see where."
        return _fail(said, BUG, arguments)


def _say(error: BaseException) -> str:
    """An error in one line, of bounded length."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, MemoryError):
        return f"not enough memory. {error}"
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) <= 500 else f"{said[:500]} ..."


def _fail(said: str, code: int, arguments: Sequence[str]) -> int:
    """Say what went wrong, for people and for programs."""
    said = as_named(said)
    command: Any = next((each for each in arguments if each in HOME), None)
    if "--json" in arguments:
        print(json_text({"linsep": __version__, "command": command, "error": said, "exit_code": code}))
    print(f"linsep: error: {said}", file=sys.stderr)
    return code
