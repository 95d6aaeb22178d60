"""Underfit, fit, overfit: the poorest rule of a ladder, the chosen one and the richest, on the same points (A5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from .plane import decision
from .style import format_number, make_axes, styled, write_title


@styled
def fits(model: Any, X: Any, y: Any, axes: Sequence[Axes] | None = None) -> list[Axes]:
    r"""Draw the poorest, the chosen and the richest rung of a ladder: underfit, fit and overfit (S0, S4.12).

    The titles have the empirical risk, which falls with the capacity, and the cross-validated one, which need not.

    Parameters
    ----------
    model : StructuralRisk
        Fitted to one or two features.
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    axes : sequence of matplotlib Axes, default=None
        Where to draw: three, or two if the poorest or the richest rung was chosen. None: a new figure.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from linsep.risk import StructuralRisk
    >>> X, y = [[float(i), 0.0] for i in range(60)], [0] * 30 + [1] * 30
    >>> model = StructuralRisk([("poor", LinearSVC(C=1e-7)), ("rich", LinearSVC(C=1.0))]).fit(X, y)
    >>> [ax.get_title().split(":")[0] for ax in fits(model, X, y)]
    ['underfit', 'fit']
    """
    if not hasattr(model, "estimators_") or not hasattr(model, "table_"):
        raise ValueError(f"fits: expected a fitted StructuralRisk, with estimators_ and table_, got {model!r}.")
    table, best, last = model.table_, model.best_index_, len(model.table_) - 1
    shown = sorted({0, best, last})
    if axes is None:
        axes = make_axes(len(shown), (5.2 * len(shown), 5.2))
    if len(axes) != len(shown):
        raise ValueError(f"fits: expected {len(shown)} axes, got {len(axes)}.")
    for ax, k in zip(axes, shown, strict=True):
        decision(model.estimators_[k], X, y, ax=ax)
        kind = "fit" if k == best else "underfit" if k < best else "overfit"
        empirical, validated = (format_number(round(r, 4)) for r in (table[k].empirical, table[k].cross_validated))
        write_title(ax, f"{kind}: {table[k].name}\nempirical risk {empirical}\ncross-validated {validated}")
    return list(axes)
