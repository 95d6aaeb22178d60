"""The command ``linsep``: files in, a model out. docs/command.md describes it; nothing here is imported by the library.

`app` has the commands' names and the exit codes, `fit`, `apply`, `look` and `tools` the commands; heavy packages are
imported by the function that needs them, so that ``linsep --help`` is there at once.
"""

from __future__ import annotations


def main() -> None:
    """The entry point of the command."""
    import sys

    from .app import run

    sys.exit(run(sys.argv[1:]))
