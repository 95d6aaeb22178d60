"""What a picture shows: its artists by their names, and the entries of its legend."""

from __future__ import annotations

import numpy as np
from matplotlib.quiver import Quiver


def named(ax, label):
    """The one artist with this label."""
    (found,) = [one for one in ax.get_children() if one.get_label() == label]
    return found


def names(ax):
    """The entries of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(ax):
    """What is written inside the axes."""
    return [text.get_text() for text in ax.texts if text.get_text()]


def arrows(ax, label):
    """Rows (x, y, dx, dy) of the arrows with this label."""
    found = named(ax, label)
    assert isinstance(found, Quiver)
    return np.column_stack([found.XY, found.U, found.V])


def polygons(artist):
    """The corners in space of polygons with depth, shape (n, corners, 3)."""
    if hasattr(artist, "_faces"):  # Matplotlib has no public way to read them, and two private ones
        return np.asarray(artist._faces, dtype=float)
    return np.array([artist._vec[:3, one].T for one in artist._segslices])
