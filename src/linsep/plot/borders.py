"""The plane as any rule divides it: the decision of every small square, and the exact borders between decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .geometry import PlotBox

CELLS = 160  # squares per side at whose corners the rule is asked first
FINER = 6  # a square that a border crosses is divided into so many per side
HALVINGS = 20  # of the side of a square, to find where a border crosses it


class DividedPlane(NamedTuple):
    """The decisions of a rule inside a box."""

    decided: np.ndarray  # index of the decision in every pixel, rows from bottom to top
    borders: np.ndarray  # segments, shape (n, 2, 2)


def divide_plane(decide: Callable[[np.ndarray], np.ndarray], box: PlotBox) -> DividedPlane:
    """Ask a rule for its decisions in the box. ``decide`` maps rows (n, 2) to indices of decisions.

    A border is joined from the points in which it crosses the sides of the squares, each found by bisection: a straight
    border is drawn straight, whatever its slope.

    >>> found = divide_plane(lambda X: (X[:, 0] > 0.3).astype(int), PlotBox(0.0, 1.0, 0.0, 1.0))
    >>> np.unique(found.borders[:, :, 0].round(5)).tolist(), round(float(found.decided.mean()), 2)
    ([0.3], 0.7)
    """
    x, y = np.linspace(*box[:2], CELLS + 1), np.linspace(*box[2:], CELLS + 1)
    nodes = np.stack(np.meshgrid(x, y), axis=-1)
    at_nodes = decide(nodes.reshape(-1, 2)).reshape(nodes.shape[:2])
    crossed = np.zeros((CELLS, CELLS), dtype=bool)
    for corner in (at_nodes[1:, :-1], at_nodes[1:, 1:], at_nodes[:-1, 1:]):
        crossed |= corner != at_nodes[:-1, :-1]
    return DividedPlane(_fill_pixels(decide, box, at_nodes, crossed), _find_borders(decide, nodes, at_nodes, crossed))


def _fill_pixels(decide, box: PlotBox, at_nodes: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Return the decisions in pixels: those of a square's corner, or, where a border crosses it, the rule's own."""
    pixels = np.kron(at_nodes[:-1, :-1], np.ones((FINER, FINER), dtype=at_nodes.dtype))
    rows, columns = np.nonzero(np.kron(crossed, np.ones((FINER, FINER), dtype=bool)))
    if rows.size:
        centres = np.column_stack([columns + 0.5, rows + 0.5]) / (CELLS * FINER)
        pixels[rows, columns] = decide(np.array([box.left, box.bottom]) + centres * box.size)
    return pixels


def _find_borders(decide, nodes: np.ndarray, at_nodes: np.ndarray, crossed: np.ndarray) -> np.ndarray:
    """Return the segments that join the crossings of every square; three or more are joined to their middle."""
    level = _find_crossings(decide, nodes[:, :-1], nodes[:, 1:], at_nodes[:, :-1], at_nodes[:, 1:])
    upright = _find_crossings(decide, nodes[:-1], nodes[1:], at_nodes[:-1], at_nodes[1:])
    sides = np.stack([level[:-1], level[1:], upright[:, :-1], upright[:, 1:]], axis=2)[crossed]
    segments = []
    for four in sides:
        points = four[~np.isnan(four[:, 0])]
        segments += [points] if len(points) == 2 else [np.array([one, points.mean(axis=0)]) for one in points]
    return np.array(segments).reshape(-1, 2, 2)


def _find_crossings(decide, begin: np.ndarray, end: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return where the decision changes between begin and end; NaN where both have the same."""
    found = np.full(begin.shape, np.nan)
    differ = first != second
    if differ.any():
        low, high, at_low = begin[differ], end[differ], first[differ]
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            same = (decide(middle) == at_low)[:, None]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        found[differ] = 0.5 * (low + high)
    return found
