"""Equal rows with different labels: no rule that reads these columns alone can be right about all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .facts import SHOWN_ROWS, Part

SLICE = 1 << 16  # rows that are looked at at a time
SHOWN_OF_GROUP = 4


def find_opposites(part: Part) -> dict[str, Any]:
    """Groups of equal rows that have several labels, the largest first, and how many errors they cost any rule.

    >>> X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]])
    >>> part = Part(X, np.array(["a", "a", "b", "a"]), None, np.arange(4), lambda rows: [{} for _ in rows])
    >>> found = find_opposites(part)
    >>> found["groups"], found["count"], found["lost"], [each["row"] for each in found["rows"]]
    (1, 3, 1, [1, 3, 4])
    """
    groups = [] if part.y.size < 2 else equal_rows(part.X, part.y)
    lost = sum(len(group) - int(np.unique(part.y[group], return_counts=True)[1].max()) for group in groups)
    groups.sort(key=lambda group: (-len(group), int(group[0])))
    rows: list[dict[str, Any]] = []
    for number, group in enumerate(groups, start=1):
        some = group if len(group) <= SHOWN_OF_GROUP else _one_of_each(group, part.y)
        if len(rows) + len(some) > SHOWN_ROWS:
            break
        cells = part.cells(part.rows[some].tolist())
        rows += [
            {"row": int(part.rows[k]) + 1, "class": part.y[k].item(), "group": number, "of": len(group), "cells": each}
            for k, each in zip(some, cells, strict=True)
        ]
    return {"groups": len(groups), "count": int(sum(map(len, groups))), "lost": lost, "rows": rows}


def _one_of_each(group: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The first row of each of the first labels of a group."""
    first = np.unique(y[group], return_index=True)[1]
    return group[np.sort(first)[:SHOWN_OF_GROUP]]


def equal_rows(X: Any, y: np.ndarray) -> list[np.ndarray]:
    """The rows that are equal, in groups that have more than one label."""
    X = _canonical(X)
    code = np.concatenate([hash_rows(X[k : k + SLICE]) for k in range(0, y.size, SLICE)])
    order = np.argsort(code, kind="stable")
    begin = np.flatnonzero(np.r_[True, np.diff(code[order]) != 0])
    label = np.unique(y, return_inverse=True)[1][order]
    mixed = np.minimum.reduceat(label, begin) < np.maximum.reduceat(label, begin)
    end = np.append(begin[1:], y.size)
    groups = [order[begin[k] : end[k]] for k in np.flatnonzero(mixed).tolist()]
    return [equal for group in groups for equal in _split(X, group) if np.unique(y[equal]).size > 1]


def _canonical(X: Any) -> Any:
    """Sparse rows whose entries are in order, without zeros."""
    if not sp.issparse(X):
        return X
    X = X.tocsr()
    if not (X.has_canonical_format and X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def hash_rows(X: Any) -> np.ndarray:
    """A number for each row: equal rows have equal ones, others hardly ever."""
    factor = _mix(np.arange(1, X.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    if sp.issparse(X):
        total = np.r_[np.uint64(0), np.cumsum(_mix(_bits(X.data)) * factor[X.indices], dtype=np.uint64)]
        return total[X.indptr[1:]] - total[X.indptr[:-1]]
    return (_mix(_bits(np.asarray(X))) * factor).sum(axis=1, dtype=np.uint64)


def _bits(values: np.ndarray) -> np.ndarray:
    """Floats as whole numbers, -0 as 0."""
    return (values.astype(np.float64) + 0.0).view(np.uint64)


def _mix(bits: np.ndarray) -> np.ndarray:
    """Every bit spread over all 64; 0 stays 0."""
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return bits ^ (bits >> np.uint64(32))


def _split(X: Any, group: np.ndarray) -> list[np.ndarray]:
    """Rows of the same number, compared: nearly always they are one group."""
    different = [_differ(X, group[k : k + SLICE], group[0]) for k in range(0, len(group), SLICE)]
    other = np.concatenate(different)
    if not other.any():
        return [group]
    return [group[~other], *_split(X, group[other])]


def _differ(X: Any, rows: np.ndarray, one: int) -> np.ndarray:
    """Which rows are not equal to this one."""
    if not sp.issparse(X):
        return np.any(X[rows] != X[one], axis=1)
    repeated = sp.csr_matrix(X[[one]])[np.zeros(len(rows), dtype=np.int64)]
    return (X[rows] != repeated).getnnz(axis=1) > 0
