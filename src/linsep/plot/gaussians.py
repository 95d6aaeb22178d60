"""Gaussians and any hyperplane (S4): ellipses that grow until they touch it, errors, and errors against iterations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from scipy.special import ndtr

from ..certificates.prove.radius import compute_radii
from ..oracles import ellipsoids
from ..solvers.anderson.gaussians import factorize
from .geometry import PlotBox, bounding_box, clip_line
from .labels import write_beside
from .plane import get_line, shade_sides
from .progress import get_column, get_history
from .style import (
    BLUE,
    DASHED,
    DOTTED,
    GREY,
    INK,
    MARKERS,
    SIGN_COLOURS,
    SMALL,
    class_name,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)

STEPS = 4  # ellipses drawn of each Gaussian, the last one as large as the line allows
LARGEST = 3.0  # the radius in deviations where no line stops the ellipses
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 181)
RIM = np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])


@styled
def gaussians(
    rule: Any, means: Any = None, covariances: Any = None, labels: Any = None, ax: Axes | None = None, *,
    steps: int = STEPS,
) -> Axes:  # fmt: skip
    r"""Draw Gaussians of two classes and a hyperplane: ellipses that grow until they touch it (S4.18, S4.40, S4.43).

    .. math:: r_j = y_j(\langle w,\mu_j\rangle + w_0)/\sqrt{w^T \Sigma_j w}, \qquad \varepsilon_j = \Phi(-r_j)

    The largest ellipses have the radius r of the worst Gaussian; those that decide touch the line, in a dot. The error
    of every Gaussian is written at its mean. With one column the densities are drawn, and the errors are areas.

    Parameters
    ----------
    rule : classifier
        A fitted `linsep.Anderson`; or any fitted linear rule for one or two features, with the next three arguments.
    means : array-like of shape (n_gaussians, 1) or (n_gaussians, 2), default=None
        The Gaussians. None: those of ``rule``.
    covariances : number, or list, default=None
        As for `linsep.Anderson.fit_gaussians`.
    labels : array-like of shape (n_gaussians,), default=None
        The class of each Gaussian.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    steps : int, default=4
        Ellipses of each Gaussian.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(coef_=np.array([[1.0, 0.0]]), intercept_=np.array([-2.0]), classes_=np.array([0, 1]))
    >>> gaussians(rule, [[0.0, 0.0], [4.0, 0.0]], 1.0, [0, 1], Figure().subplots()).get_title()
    'r = 2, the worst Gaussian errs in 2.28 %'
    """
    if means is None:
        if not hasattr(rule, "means_"):
            raise ValueError("gaussians: expected a fitted Anderson, or means, covariances and labels.")
        means, covariances, labels = rule.means_, rule.covariances_, rule.labels_
    shown = read_gaussians(means, covariances, labels, rule.classes_)
    columns = shown.means.shape[1]
    w, w0 = get_line(rule, "gaussians", columns if columns <= 2 else 2)
    radii = shown.radii(w, w0)
    ax = prepare_axes(ax)
    (_draw_ellipses if columns == 2 else _draw_bells)(ax, shown, w, w0, steps)
    for j in np.flatnonzero(np.isfinite(radii)).tolist():
        at = shown.means[j] if columns == 2 else (shown.means[j, 0], _height(shown.deviation(j)))
        toward = shown.sign[j] * w if columns == 2 else np.array([0.0, 1.0])
        write_beside(ax, at, toward, format_percent(ndtr(-radii[j])), size=SMALL, zorder=6)
    r = float(radii.min())
    worst = f"r = {format_number(r)}, the worst Gaussian errs in {format_percent(ndtr(-r))}"
    write_title(ax, "no Gaussian spreads towards the line" if r == math.inf else worst)
    draw_legend(ax)
    return ax


class ShownGaussians(NamedTuple):
    """Gaussians of two classes, with factors F of their covariances, F F' = Sigma."""

    means: np.ndarray
    factors: list[np.ndarray]  # d x p each
    sign: np.ndarray
    classes: list
    factorized: Any  # what the solvers and the loop see

    def radii(self, w: np.ndarray, w0: float) -> np.ndarray:
        """r_j of every Gaussian, as the library computes it."""
        return compute_radii(self.factorized, np.append(np.ldexp(w, self.factorized.exponent), w0))

    def as_oracle(self, r: float) -> Any:
        """The ellipsoids of radius r, as the loop visits them."""
        width = max(factor.shape[1] for factor in self.factors)
        low = np.stack([np.pad(factor.T, ((0, width - factor.shape[1]), (0, 0))) for factor in self.factors])
        return ellipsoids(self.means, low, np.zeros((len(self.means), 0)), r, self.sign)

    def deviation(self, j: int) -> float:
        """The standard deviation of a Gaussian with one column."""
        return float(np.linalg.norm(self.factors[j]))

    def rim(self, j: int, r: float) -> np.ndarray:
        """Points of the ellipse of radius r."""
        values, vectors = np.linalg.eigh(self.factors[j] @ self.factors[j].T)
        return self.means[j] + r * RIM @ (vectors * np.sqrt(np.maximum(values, 0.0))).T


def read_gaussians(means: Any, covariances: Any, labels: Any, classes: Any) -> ShownGaussians:
    """Check Gaussians of two classes in one or two dimensions."""
    labels, known = np.asarray(labels), np.asarray(classes).tolist()
    if len(known) != 2:
        raise ValueError(f"gaussians: expected labels of two classes, got {known}.")
    for label in labels.tolist():
        if label not in known:
            raise ValueError(f"gaussians: labels has {label!r}, which is not one of {known}.")
    sign = np.where(labels == known[1], 1.0, -1.0)
    g = factorize(means, covariances, sign)
    factors = [np.ldexp(g.factor(j), g.exponent).T for j in range(len(sign))]
    return ShownGaussians(np.ldexp(g.means, g.exponent), factors, sign, known, g)


def fit_ellipse_box(ax: Axes, shown: ShownGaussians, largest: float) -> PlotBox:
    """Set the limits so that the ellipses of this radius are seen."""
    reach = np.concatenate([shown.rim(j, largest) for j in range(len(shown.sign))])
    extent = ax.get_window_extent()
    box = bounding_box(reach, ratio=extent.height / extent.width)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel="x₁", ylabel="x₂")
    ax.set_aspect("equal", adjustable="box")
    return box


def draw_line_and_ellipses(
    ax: Axes, shown: ShownGaussians, w: np.ndarray, w0: float, box: PlotBox, sizes: np.ndarray
) -> None:
    """Draw the line with its sides, the ellipses of these radii, and the means in the looks of their classes."""
    shade_sides(ax, box, w, w0)
    ax.plot(*clip_line(box, w, w0).T, color=INK, label="g(x) = 0", zorder=2)
    for j, sign in enumerate(shown.sign):
        for size in sizes:
            last = size == sizes[-1]
            look: dict[str, Any] = {
                "color": SIGN_COLOURS[int(sign)],
                "lw": 1.8 if last else 0.9,
                "alpha": 1.0 if last else 0.5,
            }
            ax.plot(*shown.rim(j, size).T, ls="-" if sign > 0 else "--", **look, zorder=3)
    for side, label in zip((-1, 1), shown.classes, strict=True):
        ax.plot(*shown.means[shown.sign == side].T, MARKERS[(side + 1) // 2], color=SIGN_COLOURS[side], ms=8,
                mec="white", label=class_name(label), ls="none", zorder=4)  # fmt: skip


def _draw_ellipses(ax: Axes, shown: ShownGaussians, w: np.ndarray, w0: float, steps: int) -> None:
    radii = shown.radii(w, w0)
    r = float(radii.min())
    largest = r if 0 < r < math.inf else LARGEST
    box = fit_ellipse_box(ax, shown, largest)
    draw_line_and_ellipses(ax, shown, w, w0, box, largest * np.arange(1, steps + 1) / steps)
    for j in np.flatnonzero((0 < r < math.inf) & (radii <= r * (1 + 1e-6))):
        along = shown.factors[j] @ (shown.factors[j].T @ w)
        ax.plot(*(shown.means[j] - shown.sign[j] * r * along / math.sqrt(w @ along)), "o", color=INK, ms=6, zorder=5)


def _draw_bells(ax: Axes, shown: ShownGaussians, w: np.ndarray, w0: float, steps: int) -> None:
    """Draw densities over one column, the threshold, and the errors as areas beyond it."""
    spread = np.array([shown.deviation(j) for j in range(len(shown.sign))])
    reach = 3.5 * np.where(spread > 0, spread, spread.max() or 1.0)
    x = np.linspace((shown.means[:, 0] - reach).min(), (shown.means[:, 0] + reach).max(), 800)
    drawn: set[float] = set()
    for j, sign in enumerate(shown.sign):
        colour, name = SIGN_COLOURS[int(sign)], class_name(shown.classes[int(sign > 0)])
        mean, label = shown.means[j, 0], None if sign in drawn else name
        drawn.add(sign)
        if spread[j] == 0:
            ax.plot(mean, 0.0, MARKERS[int(sign > 0)], color=colour, label=label, clip_on=False, zorder=4)
            continue
        p = np.exp(-0.5 * ((x - mean) / spread[j]) ** 2) * _height(spread[j])
        ax.plot(x, p, color=colour, ls="-" if sign > 0 else "--", label=label, zorder=3)
        ax.fill_between(x, p, where=sign * (w[0] * x + w0) <= 0, color=colour, alpha=0.4, lw=0, zorder=2)
    if w[0] != 0:
        ax.axvline(-w0 / w[0], color=INK, label="g(x) = 0", zorder=2)
    top = max((_height(value) for value in spread if value > 0), default=1.0)
    ax.set(xlim=(x[0], x[-1]), ylim=(0.0, 1.2 * top), xlabel="x", ylabel="p(x|j)")


def _height(deviation: float) -> float:
    """Return the largest density of a Gaussian; 0 for a point."""
    return 1.0 / (math.sqrt(2.0 * math.pi) * deviation) if deviation > 0 else 0.0


def format_percent(share: float) -> str:
    """Format a probability in percent.

    >>> format_percent(0.0228), format_percent(1e-12)
    ('2.28 %', '1e-10 %')
    """
    return f"{100 * share:.3g} %"


@styled
def worst_error(history: Any, ax: Axes | None = None) -> Axes:
    r"""The error of the worst Gaussian, :math:`\Phi(-r)`, against the iterations (S4.42).

    ``history`` is a list of dictionaries with "updates" and "lower", or a fitted `linsep.Anderson`: then a dashed line
    shows the smallest possible error.

    >>> from matplotlib.figure import Figure
    >>> ax = worst_error([{"updates": 1, "lower": 0.0}, {"updates": 2, "lower": 1.0}], Figure().subplots())
    >>> ax.lines[0].get_ydata().round(4).tolist()
    [0.5, 0.1587]
    """
    past, certificate = get_history(history, "worst_error"), getattr(history, "certificate_", None)
    updates, error = get_column(past, "updates"), ndtr(-get_column(past, "lower"))
    known = np.isfinite(error)
    ax = prepare_axes(ax)
    marker = "o" if known.sum() <= 60 else None
    ax.plot(updates[known], error[known], color=BLUE, marker=marker, ms=4.5, label="worst error")
    if certificate is not None and math.isfinite(certificate.upper):
        least = certificate.best_error
        ax.axhline(least, color=GREY, lw=1.5, ls=DASHED, label=f"no less than {format_number(least)}", zorder=0)
    required = getattr(certificate, "required", None)
    if required is not None:
        name = f"required {format_number(ndtr(-required))}"
        ax.axhline(ndtr(-required), color=INK, lw=1.5, ls=DOTTED, label=name, zorder=0)
    if updates.max() > 100:
        ax.set_xscale("log")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="updates", ylabel="error of the worst Gaussian")
    draw_legend(ax)
    return ax
