"""Recordings in notebooks: live where anywidget is installed, else a frame with the stand-alone page inside."""

from __future__ import annotations

import html
from typing import Any

HEIGHT = 760  # pixels
MISSING = "Not live, for anywidget is not installed: pip install 'linsep[notebook]'"


class Frame:
    """A page to be shown in a notebook."""

    def __init__(self, page: str, height: int, note: str = ""):
        self.page, self.height, self.note = page, height, note

    def _repr_html_(self) -> str:
        inside = html.escape(self.page, quote=True)
        look = f"width:100%;height:{self.height}px;border:0;border-radius:8px"
        allowed = "allow-scripts allow-downloads"  # no access to the notebook's page, its cookies or its kernel
        note = f'<p style="font:13px system-ui,sans-serif;opacity:.7">{html.escape(self.note)}</p>' if self.note else ""
        return f'<iframe title="linsep lab" sandbox="{allowed}" style="{look}" srcdoc="{inside}"></iframe>{note}'


def as_frame(recording: Any, beside: Any = None, height: int = HEIGHT) -> str:
    """The HTML of the frame."""
    return Frame(recording.to_html(beside=beside), height)._repr_html_()


def show(recording: Any, beside: Any = None, *, height: int = HEIGHT, live: bool | None = None) -> Any:
    """Show a recording in a notebook, alone or with another rule on the same data beside it.

    Live, points can be drawn, dragged and relabelled, and rules be chosen: the kernel records every change anew, and
    ``recordings`` of what is returned are those that are shown.

    Parameters
    ----------
    recording : Recording, RiskLadder or Exercise
        What to show; only recordings are live.
    beside : Recording, default=None
        Another rule on the same data.
    height : int, default=760
        Pixels.
    live : bool, default=None
        Whether Python answers, which needs anywidget (``pip install 'linsep[notebook]'``). None: if it is installed;
        if not, the page that is shown says so.

    Examples
    --------
    >>> from linsep.lab import PRESETS, record, show
    >>> show(record("perceptron", **PRESETS["XOR"]), live=False)._repr_html_()[:34]
    '<iframe title="linsep lab" sandbox'
    """
    from .recording import Recording

    page = recording.to_html() if beside is None else recording.to_html(beside=beside)  # which checks both
    if not isinstance(recording, Recording):
        if live:
            raise TypeError(f"live: expected a Recording, got {type(recording).__name__}; it is shown with live=False.")
        return Frame(page, height)
    if live is False:
        return Frame(page, height)
    try:
        from .widget import LabWidget
    except ImportError as error:
        if live:
            raise ImportError("live: expected anywidget: pip install 'linsep[notebook]'.") from error
        return Frame(page, height, MISSING)
    return LabWidget([each for each in (recording, beside) if each is not None], height)
