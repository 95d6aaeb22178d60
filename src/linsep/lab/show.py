"""Recordings in notebooks: a frame with the stand-alone page inside, in Jupyter, VS Code, Colab and marimo."""

from __future__ import annotations

import html
from typing import Any

HEIGHT = 760  # pixels


class Frame:
    """A page to be shown in a notebook."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        inside = html.escape(self.page, quote=True)
        look = f"width:100%;height:{self.height}px;border:0;border-radius:8px"
        allowed = "allow-scripts allow-downloads"  # no access to the notebook's page, its cookies or its kernel
        return f'<iframe title="linsep lab" sandbox="{allowed}" style="{look}" srcdoc="{inside}"></iframe>'


def as_frame(recording: Any, beside: Any = None, height: int = HEIGHT) -> str:
    """The HTML of the frame."""
    return Frame(recording.to_html(beside=beside), height)._repr_html_()


def show(recording: Any, beside: Any = None, *, height: int = HEIGHT) -> Frame:
    """Show a recording in a notebook, alone or with another rule on the same data beside it.

    Parameters
    ----------
    recording : Recording or Exercise
        What to show.
    beside : Recording, default=None
        Another rule on the same data.
    height : int, default=760
        Pixels.

    Examples
    --------
    >>> from linsep.lab import PRESETS, record, show
    >>> show(record("perceptron", **PRESETS["XOR"]))._repr_html_()[:34]
    '<iframe title="linsep lab" sandbox'
    """
    page = recording.to_html() if beside is None else recording.to_html(beside=beside)
    return Frame(page, height)
