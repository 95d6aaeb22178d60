"""``linsep lab``: draw points and watch the rules learn, in the browser."""

from __future__ import annotations

import click

from .options import Command, Whole, answering
from .output import Output, json_text


@click.command(cls=Command)
@click.option("--port", type=Whole(0, 65535), default=8737, metavar="NUMBER", help="Port; a free one if it is busy.")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@answering
def lab(port: int, no_browser: bool, *, out: Output) -> None:
    """Draw points in the browser and watch every rule learn, step by step.

    \b
    Examples:
      linsep lab
      linsep lab --no-browser --port 9000

    The page is served to this machine only, at an address with a token in it.
    Ctrl-C ends it.
    """
    from ..lab.server import LabServer, serve

    server = LabServer(port)
    out.answer(address=server.address)
    if out.as_json:
        print(json_text(out.fields), flush=True)
    elif not out.quiet:
        print(f"The lab is at {server.address}\nCtrl-C ends it.", flush=True)
    server.warm_up()
    if not no_browser:
        import webbrowser

        webbrowser.open(server.address)
    serve(server)
    out.as_json = False  # the object was printed at the start
