"""Animations of the updates, frame by frame: of points, of the weight space, and of Gaussians that grow."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.animation import PillowWriter
from scipy.special import ndtri

from ..rules import Increment, Nearest
from ..targets import Margin
from .film import DPI, DataFilm, Film, GaussianFilm, WeightFilm
from .gaussians import read_gaussians
from .plot_data import check_two_classes
from .replay import check_start, replay_ellipsoids, replay_updates
from .style import styled

REPEAT_LAST = 3  # the last frame is shown this many times longer


@styled
def animate(
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    target: Any = Margin(0.0),  # noqa: B008  (an immutable NamedTuple)
    rule: Any = Increment(1.0),  # noqa: B008
    *,
    space: str = "data",
    start: Any = None,
    max_updates: int = 60,
    seconds_per_frame: float = 0.8,
    bias: str = "augmented",
) -> Path:
    r"""Write a GIF of the updates :math:`w \leftarrow \alpha w + \beta a`, and return its path (S0, S1, S4.32, S4.38).

    The frames: the start, one per update, then the result, shown longer. The file is written wholly or not at all.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    path : str or path
        The file, ending in .gif.
    target : target, default=Margin(0.0)
        When a vector is violated.
    rule : rule, default=Increment(1.0)
        How far w moves.
    space : {"data", "weights"}, default="data"
        "data": the points and the line. "weights": the vectors, the solution cone and w (S0, "Perceptron, Example 2"),
        of one column, or of two with bias="none".
    start : array-like, default=None
        The initial w. None: 0.
    max_updates : int, default=60
        Largest number of updates.
    seconds_per_frame : float, default=0.8
        Duration of a frame.
    bias : {"augmented", "free", "none"}, default="augmented"
        The bias; "free": halved differences of the classes (C10).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate([[1.0], [3.0]], [0, 1], f"{folder}/two.gif", space="weights").name
    'two.gif'
    """
    if space not in ("data", "weights"):
        raise ValueError(f"animate: expected space='data' or 'weights', got {space!r}.")
    data = check_two_classes(X, y, "animate", columns=(1, 2) if space == "weights" else (2,))
    size = data.X.shape[1] + (bias == "augmented")
    if space == "weights" and (size != 2 or bias == "free"):
        raise ValueError(f"animate: expected two weights, got {data.X.shape[1]} columns with bias={bias!r}.")
    path = _check_path(path, seconds_per_frame, "animate")
    run = replay_updates(data.X, data.sign, target, rule, bias=bias, max_updates=max_updates, start=start)
    updates, first = list(run), np.zeros(size) if start is None else check_start(start, size)
    film = (WeightFilm if space == "weights" else DataFilm)(data, updates, target, bias, first)
    return _write_gif(film, path, seconds_per_frame)


@styled
def animate_gaussians(
    means: Any,
    covariances: Any,
    labels: Any,
    path: str | os.PathLike[str],
    error: float = 0.05,
    *,
    rule: Any = Nearest(),  # noqa: B008  (an immutable NamedTuple)
    growth: int = 5,
    max_updates: int = 60,
    seconds_per_frame: float = 0.8,
) -> Path:
    r"""Write a GIF of Kozinec's rule on ellipses that grow to the radius of a required error (S4.43, S4.44).

    .. math:: E_j(r) = \{x : (x-\mu_j)^T \Sigma_j^{-1} (x-\mu_j) \le r^2\}, \qquad r \to r_0 = -\Phi^{-1}(error)

    Whenever all ellipses of a radius are on their sides of the line, they grow, and the loop goes on from its w.

    Parameters
    ----------
    means, covariances, labels
        The Gaussians in the plane, as for `linsep.Anderson.fit_gaussians`.
    path : str or path
        The file, ending in .gif.
    error : float, default=0.05
        The required error of the worst Gaussian, below 1/2.
    rule : rule, default=Nearest()
        How far w moves: Kozinec's rule; ``Increment(1.0)`` is the perceptron.
    growth : int, default=5
        Number of radii, the last one :math:`r_0`.
    max_updates : int, default=60
        Largest number of updates.
    seconds_per_frame : float, default=0.8
        Duration of a frame.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = animate_gaussians([[0.0, 0.0], [4.0, 1.0]], 1.0, [0, 1], f"{folder}/grow.gif", growth=2)
    ...     film.name
    'grow.gif'
    """
    if not 0.0 < error < 0.5:
        raise ValueError(f"animate_gaussians: expected an error between 0 and 1/2, got {error}.")
    path = _check_path(path, seconds_per_frame, "animate_gaussians")
    shown = read_gaussians(means, covariances, labels, np.unique(labels))
    if shown.means.shape[1] != 2:
        raise ValueError(f"animate_gaussians: expected means of 2 columns, got {shown.means.shape[1]}.")
    target, r0 = Margin(0.0), -float(ndtri(error))
    updates: list[Any] = []
    radii: list[float] = []
    for r in r0 * np.arange(1, growth + 1) / growth:
        start = updates[-1].after if updates else None
        found = list(replay_ellipsoids(shown.as_oracle(r), target, rule, start, max_updates - len(updates)))
        updates, radii = updates + found, radii + [float(r)] * len(found)
        if len(updates) >= max_updates:
            break
    return _write_gif(GaussianFilm(shown, updates, [*radii, float(r)], target), path, seconds_per_frame)


def _check_path(path: str | os.PathLike[str], seconds_per_frame: float, function: str) -> Path:
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"{function}: expected a path ending in .gif, got {path.name!r}.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{function}: the folder {str(path.parent)!r} does not exist.")
    if not seconds_per_frame > 0:
        raise ValueError(f"{function}: expected seconds_per_frame > 0, got {seconds_per_frame}.")
    return path


def _write_gif(film: Film, path: Path, seconds_per_frame: float) -> Path:
    with write_atomically(path) as partial, mpl.rc_context({"savefig.bbox": None}):
        writer = PillowWriter(fps=1 / seconds_per_frame)  # type: ignore[arg-type]
        writer.setup(film.figure, str(partial), dpi=DPI)
        for _ in film.frames():
            writer.grab_frame()
        for _ in range(REPEAT_LAST - 1):
            writer.grab_frame()
        writer.finish()
    return path


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path``; the file gets its name if all went well, and is removed if not."""
    partial = path.with_name(f".{path.stem}-{os.getpid()}-{secrets.token_hex(4)}{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
