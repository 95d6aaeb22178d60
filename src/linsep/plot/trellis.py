"""The trellis of a short sequence: its labels, the true and the predicted path, and the change of w (E2, E4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from .style import (
    DASHED,
    GREEN,
    GREY,
    SMALL,
    VERMILION,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)

OTHERS = 2  # labels per position shown beside the true and the predicted one
LARGEST = 12  # positions
SHIFT = 0.04  # between the two paths


@styled
def trellis(rule: Any, x: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the labels of every position, the true path, the predicted path, and the change of w (S2).

    .. math:: w \leftarrow w + \varphi(x,y) - \varphi(x,\hat y), \qquad
              \varphi(x,y) = \varphi(y_1) + \sum_{i>1} \varphi(y_{i-1},y_i) + \sum_i \varphi(x_i,y_i)

    The number in a node is the score of the best labelling that goes through it. Where both paths differ, the
    perceptron adds to the weights of the true nodes and edges (+), and takes from those of the predicted ones (−).

    Parameters
    ----------
    rule : SequenceClassifier
        With weights, of order 1.
    x : sequence
        One sequence, as in the X of ``fit``, of at most 12 positions.
    y : sequence of labels
        Its true labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep import SequenceClassifier
    >>> rule = SequenceClassifier.from_hmm([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.2, 0.8]])
    >>> trellis(rule, [0, 1, 1], [0, 0, 1], Figure().subplots()).get_title()
    'truth 0 0 1, prediction 1 1 1: w changes by φ(x,y) − φ(x,ŷ)'
    """
    if not hasattr(rule, "max_marginals") or not hasattr(rule, "classes_"):
        raise ValueError(f"trellis: expected a SequenceClassifier with weights, got {rule!r}.")
    if getattr(rule, "order", 1) != 1:
        raise ValueError("trellis: expected a chain of order 1, in which a label depends on one before it.")
    through = np.asarray(rule.max_marginals([x])[0])
    classes, truth = rule.classes_.tolist(), np.asarray(y).tolist()
    if not 1 <= len(through) <= LARGEST or len(truth) != len(through):
        raise ValueError(
            f"trellis: expected 1 to {LARGEST} positions, each with a label, got {len(through)} with {len(truth)}."
        )
    for label in truth:
        if label not in classes:
            raise ValueError(f"trellis: y has the label {label!r}, which is not one of {classes}.")
    right = [classes.index(label) for label in truth]
    found = [classes.index(label) for label in np.asarray(rule.predict([x])[0]).tolist()]
    shown = _choose_labels(through, right, found)
    ax = prepare_axes(ax, size=(1.9 * len(through) + 2.2, 0.75 * len(shown) + 2.4))
    place = {k: len(shown) - 1 - row for row, k in enumerate(shown)}
    _draw_nodes(ax, through, place)
    _draw_path(ax, [place[k] + SHIFT for k in right], GREEN, "o", "truth", solid=True)
    _draw_path(ax, [place[k] - SHIFT for k in found], VERMILION, "s", "prediction", solid=False)
    _write_changes(ax, right, found, place)
    ax.set(xlim=(-0.5, len(through) - 0.5), ylim=(-0.6, len(shown) - 0.4), xlabel=" ")
    ax.set_xticks(range(len(through)), [f"{t + 1}\n{_name(one)}" for t, one in enumerate(_list_positions(x, through))])
    ax.set_yticks(list(place.values()), [str(classes[k]) for k in place])
    same = right == found
    written = f"truth {' '.join(map(str, truth))}, prediction {' '.join(str(classes[k]) for k in found)}"
    write_title(ax, f"{written}: {'w stays' if same else 'w changes by φ(x,y) − φ(x,ŷ)'}")
    draw_legend(ax)
    return ax


def find_changes(right: Sequence[int], found: Sequence[int]) -> tuple[dict, dict]:
    """Return the nodes (t, k) and the edges (t, j, k) that the true (+1) or the predicted (-1) path has alone.

    >>> find_changes([0, 0, 1], [0, 1, 1])
    ({(1, 0): 1, (1, 1): -1}, {(1, 0, 0): 1, (2, 0, 1): 1, (1, 0, 1): -1, (2, 1, 1): -1})
    """
    nodes: dict[tuple[int, int], int] = {}
    edges: dict[tuple[int, int, int], int] = {}
    for path, other, sign in ((right, found, 1), (found, right, -1)):
        for t, k in enumerate(path):
            if k != other[t]:
                nodes[t, k] = sign
            if t and (path[t - 1], k) != (other[t - 1], other[t]):
                edges[t, path[t - 1], k] = sign
    return nodes, edges


def _choose_labels(through: np.ndarray, right: list[int], found: list[int]) -> list[int]:
    """Return the labels to be shown: of both paths, and the next best ones of every position."""
    best = np.argsort(-through, axis=1, kind="stable")[:, : OTHERS + 1]
    return sorted({*right, *found, *best.ravel().tolist()}) if through.shape[1] > 6 else list(range(through.shape[1]))


def _draw_nodes(ax: Axes, through: np.ndarray, place: dict[int, int]) -> None:
    heights = list(place.values())
    lines = [[(t - 1, j), (t, k)] for t in range(1, len(through)) for j in heights for k in heights]
    ax.add_collection(LineCollection(lines, colors=GREY, linewidths=0.5, alpha=0.35, zorder=0))
    for t, scores in enumerate(through):
        for k, height in place.items():
            name = format_number(round(float(scores[k]), 2)) if np.isfinite(scores[k]) else "−∞"
            circle = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": GREY, "lw": 1.0}
            ax.text(t, height, name, ha="center", va="center", fontsize=SMALL, bbox=circle, zorder=4)


def _draw_path(ax: Axes, heights: list[float], colour: str, marker: str, name: str, solid: bool) -> None:
    style = {"ls": "-" if solid else DASHED, "lw": 3.0}
    look: dict[str, Any] = {"color": colour, "marker": marker, "mfc": "none", "mew": 2.2, **style}
    ax.plot(range(len(heights)), heights, ms=26, zorder=2, **look)
    ax.plot([], [], ms=10, label=name, **look)


def _write_changes(ax: Axes, right: list[int], found: list[int], place: dict[int, int]) -> None:
    """Write + and − at the nodes and edges whose weights an update changes."""
    nodes, edges = find_changes(right, found)
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL + 4, "weight": "bold", "zorder": 6}
    for (t, k), sign in nodes.items():
        ax.text(t + 0.15, place[k] + 0.3, "+" if sign > 0 else "−", color=GREEN if sign > 0 else VERMILION, **look)
    for (t, j, k), sign in edges.items():
        x, height = t - 0.6, place[j] + 0.4 * (place[k] - place[j]) + (SHIFT if sign > 0 else -SHIFT)
        back = {"boxstyle": "circle,pad=0.05", "fc": "white", "ec": "none", "alpha": 0.9}
        ax.text(x, height, "+" if sign > 0 else "−", color=GREEN if sign > 0 else VERMILION, bbox=back, **look)


def _list_positions(x: Any, through: np.ndarray) -> list[Any]:
    """Return what to write below the positions: names and strings, nothing of arrays."""
    named = isinstance(x, str | list | tuple) and all(isinstance(one, str | int | list | tuple) for one in x)
    return list(x) if named else [""] * len(through)


def _name(position: Any) -> str:
    word = position if isinstance(position, str | int) else position[0] if len(position) == 1 else ""
    return str(word)[:12]
