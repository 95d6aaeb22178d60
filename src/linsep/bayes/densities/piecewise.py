r"""The piecewise constant density: a histogram (A2)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval

from .._check import checked, numbers
from ._base import Density, by_column


class PiecewiseConstant(Density):
    r"""Constant in each cell of a grid: :math:`p(x) = \frac{n_c + a}{(n + a B)\,V_c}` in cell c of volume V_c.

    B is the number of cells. Only occupied cells are kept, so that many columns do no harm to the memory; to the
    estimate they do. In `Bayes` all classes have the same grid.

    Parameters
    ----------
    bins : int or edges, default=10
        The number of equal intervals that the range of each column is cut into; or the edges themselves, one
        increasing sequence for each column (for one column the sequence alone will do).
    smoothing : float, default=0.0
        a, what every cell is given in advance. With 0 an empty cell has density 0.

    Examples
    --------
    >>> density = PiecewiseConstant(bins=[0.0, 1.0, 3.0]).fit([[0.5], [0.1], [2.0], [3.0]])
    >>> np.exp(density.score_samples([[0.2], [1.5], [4.0]])).round(4)
    array([0.5 , 0.25, 0.  ])
    """

    _parameter_constraints: dict = {
        "bins": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, bins=10, *, smoothing=0.0):
        self.bins = bins
        self.smoothing = smoothing

    @classmethod
    def of(cls, edges: Any, probabilities: Any) -> PiecewiseConstant:
        """The density with known edges and the probability of each cell, an array with one axis for each column."""
        p = numbers(probabilities, "probabilities")
        known = cls(bins=edges)
        known.n_features_in_ = p.ndim
        known.edges_ = known._edges([p])
        if p.shape != tuple(len(e) - 1 for e in known.edges_):
            raise ValueError(
                f"probabilities: shape {tuple(len(e) - 1 for e in known.edges_)} is wanted, not {p.shape}."
            )
        if not np.all(p >= 0) or abs(p.sum() - 1) > 1e-9:
            raise ValueError(f"probabilities: numbers >= 0 with sum 1 are wanted, these sum to {p.sum()}.")
        known._keep(np.argwhere(p > 0), p[p > 0])
        return known

    def fit_together(self, parts: list[np.ndarray], weights: list[np.ndarray], classes: Any) -> list[PiecewiseConstant]:
        """One density for each part, all on the grid of all of them."""
        self._validate_params()
        found = [clone(self) for _ in parts]
        tables = [checked(one, X, reset=True) for one, X in zip(found, parts, strict=True)]
        edges = found[0]._edges(tables)
        for one, X, w in zip(found, tables, weights, strict=True):
            one.edges_ = edges
            one._count(X, w)
        return found

    def _learn(self, X, weight) -> None:
        self.edges_ = self._edges([X])
        self._count(X, weight)

    def _edges(self, tables: list[np.ndarray]) -> list[np.ndarray]:
        d = self.n_features_in_
        if isinstance(self.bins, Integral):
            low, high = (np.array([f(X, axis=0) for X in tables]) for f in (np.min, np.max))
            low, high = low.min(axis=0), high.max(axis=0)
            by_column(
                "PiecewiseConstant", np.flatnonzero(~(high > low)), f"has no width (n_samples={sum(map(len, tables))})."
            )
            return [np.linspace(a, b, int(self.bins) + 1) for a, b in zip(low, high, strict=True)]
        given = [self.bins] if np.ndim(self.bins[0]) == 0 else list(self.bins)
        if len(given) != d:
            raise ValueError(f"bins: {len(given)} sequences of edges for {d} columns.")
        edges = [numbers(e, "bins") for e in given]
        for j, e in enumerate(edges):
            if e.ndim != 1 or e.size < 2 or not np.isfinite(e).all() or not np.all(np.diff(e) > 0):
                raise ValueError(
                    f"bins: the edges of column {j} must be two or more increasing numbers, not {e.tolist()}."
                )
        return edges

    def _cells(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each row, and whether the row is inside the grid; the last edge belongs to the last cell."""
        cells = np.empty(X.shape, dtype=np.int64)
        inside = np.ones(len(X), dtype=bool)
        for j, e in enumerate(self.edges_):
            cells[:, j] = np.minimum(np.searchsorted(e, X[:, j], side="right") - 1, e.size - 2)
            inside &= (X[:, j] >= e[0]) & (X[:, j] <= e[-1])
        return cells, inside

    def _count(self, X: np.ndarray, weight: np.ndarray) -> None:
        cells, inside = self._cells(X)
        for i in np.flatnonzero(~inside)[:1]:
            raise ValueError(f"PiecewiseConstant: row {i} of X is outside the edges given, {X[i].tolist()}.")
        occupied, at = np.unique(cells, axis=0, return_inverse=True)
        self._keep(occupied, np.bincount(at.ravel(), weight))

    def _keep(self, cells: np.ndarray, masses: np.ndarray) -> None:
        self.cells_, self.masses_ = cells, masses
        self._place = {cell.tobytes(): at for at, cell in enumerate(np.ascontiguousarray(cells, dtype=np.int64))}

    def _log(self, X) -> np.ndarray:
        cells, inside = self._cells(X)
        sizes = np.sum([np.log(np.diff(e))[c] for e, c in zip(self.edges_, cells.T, strict=True)], axis=0)
        at = np.array([self._place.get(cell.tobytes(), -1) for cell in cells])
        mass = np.append(self.masses_, 0.0)[at] + self.smoothing
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(mass / (self.masses_.sum() + self._advance())) - sizes, -np.inf)

    def _advance(self) -> float:
        """What all cells together were given in advance."""
        return self.smoothing * float(np.prod([e.size - 1.0 for e in self.edges_])) if self.smoothing else 0.0

    def _draw(self, n, rng) -> np.ndarray:
        total = self.masses_.sum() + self._advance()
        cells = self.cells_[rng.choice(len(self.cells_), n, p=self.masses_ / self.masses_.sum())]
        anywhere = np.column_stack([rng.randint(e.size - 1, size=n) for e in self.edges_])
        cells = np.where((rng.uniform(size=n) < self._advance() / total)[:, None], anywhere, cells)
        low = np.column_stack([e[c] for e, c in zip(self.edges_, cells.T, strict=True)])
        high = np.column_stack([e[c + 1] for e, c in zip(self.edges_, cells.T, strict=True)])
        return rng.uniform(low, high)
