r"""The piecewise constant density: a histogram (A2)."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from ...estimators._validation import AT_LEAST_ONE, NOT_NEGATIVE, check_parameters
from .._validation import as_float_array, check_rows
from ._base import Density, refuse_columns


class PiecewiseConstant(Density):
    r"""Constant in each cell of a grid: :math:`p(x) = \frac{n_c + a}{(n + a B)\,V_c}` in cell c of volume V_c.

    B is the number of cells. Only occupied cells are stored, so that many columns need little memory; the estimate
    suffers from them all the same. In `Bayes` all classes have the same grid.

    Parameters
    ----------
    bins : int or list of edges, default=10
        The number of equal intervals into which the range of each column is divided; or the edges themselves, one
        increasing sequence per column (for a single column also the sequence alone).
    smoothing : float, default=0.0
        a, added to the count of every cell. With 0 an empty cell has density 0.

    Attributes
    ----------
    edges_ : list of ndarray
        The edges, one array per column.
    cells_ : ndarray of shape (n_cells, n_features)
        Indices of the occupied cells.
    counts_ : ndarray of shape (n_cells,)
        Total weight of the rows in each occupied cell.

    Examples
    --------
    >>> density = PiecewiseConstant(bins=[0.0, 1.0, 3.0]).fit([[0.5], [0.1], [2.0], [3.0]])
    >>> np.exp(density.score_samples([[0.2], [1.5], [4.0]])).round(4)
    array([0.5 , 0.25, 0.  ])
    """

    _parameter_constraints: dict = {
        "bins": [AT_LEAST_ONE, "array-like"],
        "smoothing": [NOT_NEGATIVE],
    }

    def __init__(self, bins=10, *, smoothing=0.0):
        self.bins = bins
        self.smoothing = smoothing

    @classmethod
    def from_parameters(cls, edges: Any, probabilities: Any) -> PiecewiseConstant:
        """Return the density with known edges and cell probabilities, an array with one axis per column."""
        p = as_float_array(probabilities, "probabilities")
        known = cls(bins=edges)
        known.n_features_in_ = p.ndim
        known.edges_ = known._compute_edges([p])
        shape = tuple(len(e) - 1 for e in known.edges_)
        if p.shape != shape:
            raise ValueError(f"probabilities: expected shape {shape}, got {p.shape}.")
        if not np.all(p >= 0) or abs(p.sum() - 1) > 1e-9:
            raise ValueError(f"probabilities: expected numbers >= 0 with sum 1, got the sum {p.sum()}.")
        known._set_counts(np.argwhere(p > 0), p[p > 0])
        return known

    def _can_go_on(self) -> bool:
        if isinstance(self.bins, Integral):
            raise AttributeError("partial_fit: PiecewiseConstant needs all rows for its grid, unless bins are edges.")
        return super()._can_go_on()

    def fit_jointly(self, parts: list[np.ndarray], weights: list[np.ndarray], classes: Any) -> list[PiecewiseConstant]:
        """Fit one density per class, all on the grid of all rows."""
        check_parameters(self)
        found = [clone(self) for _ in parts]
        arrays = [check_rows(one, X, reset=True) for one, X in zip(found, parts, strict=True)]
        edges = found[0]._compute_edges(arrays)
        for one, X, w in zip(found, arrays, weights, strict=True):
            one.edges_ = edges
            one._count(X, w)
            one._total = float(w.sum())
        return found

    def _fit(self, X, weight, more) -> None:
        if not more:
            self.edges_ = self._compute_edges([X])
        self._count(X, weight, more)

    def _compute_edges(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        if isinstance(self.bins, Integral):
            low, high = np.min([X.min(axis=0) for X in arrays], axis=0), np.max([X.max(axis=0) for X in arrays], axis=0)
            n = sum(map(len, arrays))
            refuse_columns("PiecewiseConstant", ~(high > low), f"has zero width (n_samples={n}).")
            return [np.linspace(a, b, int(self.bins) + 1) for a, b in zip(low, high, strict=True)]
        given = [self.bins] if np.ndim(self.bins[0]) == 0 else list(self.bins)
        if len(given) != self.n_features_in_:
            raise ValueError(f"bins: expected edges for {self.n_features_in_} columns, got {len(given)}.")
        edges = [as_float_array(e, "bins") for e in given]
        for j, e in enumerate(edges):
            if e.ndim != 1 or e.size < 2 or not np.isfinite(e).all() or not np.all(np.diff(e) > 0):
                raise ValueError(f"bins: expected two or more increasing edges of column {j}, got {e.tolist()}.")
        return edges

    def _find_cells(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the cell of every row, and whether the row is in the grid; the last edge belongs to the last cell."""
        cells = np.empty(X.shape, dtype=np.int64)
        inside = np.ones(len(X), dtype=bool)
        for j, e in enumerate(self.edges_):
            cells[:, j] = np.minimum(np.searchsorted(e, X[:, j], side="right") - 1, e.size - 2)
            inside &= (X[:, j] >= e[0]) & (X[:, j] <= e[-1])
        return cells, inside

    def _count(self, X: np.ndarray, weight: np.ndarray, more: bool = False) -> None:
        cells, inside = self._find_cells(X)
        for i in np.flatnonzero(~inside)[:1]:
            raise ValueError(f"PiecewiseConstant: row {i} of X is outside the given edges, {X[i].tolist()}.")
        if more:
            cells, weight = np.vstack([cells, self.cells_]), np.append(weight, self.counts_)
        occupied, index = np.unique(cells, axis=0, return_inverse=True)
        self._set_counts(occupied, np.bincount(index.ravel(), weight))

    def _set_counts(self, cells: np.ndarray, counts: np.ndarray) -> None:
        self.cells_, self.counts_, self._smoothing = cells, counts, self.smoothing
        self._index = {cell.tobytes(): i for i, cell in enumerate(np.ascontiguousarray(cells, dtype=np.int64))}

    def _log_density(self, X) -> np.ndarray:
        cells, inside = self._find_cells(X)
        log_volumes = np.sum([np.log(np.diff(e))[c] for e, c in zip(self.edges_, cells.T, strict=True)], axis=0)
        index = np.array([self._index.get(cell.tobytes(), -1) for cell in cells])
        counts = np.append(self.counts_, 0.0)[index] + self._smoothing
        with np.errstate(divide="ignore"):
            logs = np.log(counts / (self.counts_.sum() + self._total_smoothing())) - log_volumes
        return np.where(inside, logs, -np.inf)

    def _total_smoothing(self) -> float:
        """a B, what smoothing adds to all cells together."""
        return self._smoothing * float(np.prod([e.size - 1.0 for e in self.edges_])) if self._smoothing else 0.0

    def _sample(self, n_samples, rng) -> np.ndarray:
        total = self.counts_.sum() + self._total_smoothing()
        cells = self.cells_[rng.choice(len(self.cells_), n_samples, p=self.counts_ / self.counts_.sum())]
        uniform = np.column_stack([rng.randint(e.size - 1, size=n_samples) for e in self.edges_])
        cells = np.where((rng.uniform(size=n_samples) < self._total_smoothing() / total)[:, None], uniform, cells)
        low = np.column_stack([e[c] for e, c in zip(self.edges_, cells.T, strict=True)])
        high = np.column_stack([e[c + 1] for e, c in zip(self.edges_, cells.T, strict=True)])
        return rng.uniform(low, high)
