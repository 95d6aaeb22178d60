"""``linsep lab``: draw points and watch the rules learn, in the browser; or look at a model and its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import Command, Whole, answering, format_options, memory_option
from .output import Output, json_text, refuse

if TYPE_CHECKING:
    from ..lab.server import Site


@click.command(cls=Command)
@click.argument("model", required=False, metavar="[MODEL]")
@click.argument("data", nargs=-1, metavar="[DATA...]")
@click.option("--port", type=Whole(0, 65535), default=8737, metavar="NUMBER", help="Port; a free one if it is busy.")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@format_options
@memory_option
@answering
def lab(model: str | None, data: tuple[str, ...], *, port: int, no_browser: bool, out: Output, **reading: Any) -> None:
    """Draw points in the browser and watch every rule learn, step by step.

    \b
    Examples:
      linsep lab
      linsep lab --no-browser --port 9000
      linsep lab iris.linsep iris.csv

    With MODEL and DATA: the rows of a table as the model sees them, how far they
    are from its hyperplane, those that are worst, those that support it, and equal
    ones with different labels.

    The page is served to this machine only, at an address with a token in it.
    Ctrl-C ends it.
    """
    from ..lab.server import LabServer, serve

    if model is not None and not data:
        refuse("expected MODEL and DATA, or neither.")
    server = LabServer(port, None if model is None else _view(model, data, reading, out))
    out.answer(address=server.address)
    if out.as_json:
        print(json_text(out.fields), flush=True)
    elif not out.quiet:
        print(f"The lab is at {server.address}\nCtrl-C ends it.", flush=True)
    if model is None:
        server.warm_up()
    if not no_browser:
        import webbrowser

        webbrowser.open(server.address)
    serve(server)
    out.as_json = False  # the object was printed at the start


def _view(model: str, data: tuple[str, ...], reading: dict[str, Any], out: Output) -> Site:
    """What is shown of a model and a table."""
    from ..lab.server import view_site
    from ..lab.view import make_view
    from .apply import made_by_linsep, meet
    from .report import make_subject

    rule, origin, table = meet(model, data, reading, out)
    with table.dataset.within_memory(), made_by_linsep(model):
        view = make_view(make_subject(rule, origin, table, model, reading))
    out.answer(drawn=view.content["drawn"], rows=view.content["of"])
    return view_site(view)
