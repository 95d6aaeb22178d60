"""Points: each set is one point, row i of X, augmented by ``bias`` and mirrored by its label (B2).

``a_i = sign_i * (x_i, bias)`` is never built: X is read in place, whatever its type. ``w`` has one
number more than X has columns; the last one belongs to the bias. Dense and sparse rows are two
oracles with the same methods.

Row numbers are unsigned inside the kernels: for signed ones Numba checks each for negative wrap-around.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .ahead import fetch

LINE = 64  # bytes that are fetched together
LINES = 4  # after so many lines in a row the processor fetches the next ones by itself


class Dense(NamedTuple):
    """Rows of a C-ordered array of float64, float32, uint8 or bool."""

    X: np.ndarray  # n x d
    sign: np.ndarray  # n of int8: +1 or -1
    weight: np.ndarray  # n of float64, or empty: every row weighs 1
    bias: float  # what augments a row: 1.0, or 0.0 for a hyperplane through the origin
    first: int  # the number of row 0 in the whole training set

    def probe(self, w, i):
        """<w, a_i>."""
        i = np.uint64(i)
        d = self.X.shape[1]
        wx = 0.0
        for j in range(d):
            wx += w[j] * self.X[i, j]
        return self.sign[i] * (wx + self.bias * w[d])

    def square(self, i):
        """<a_i, a_i>."""
        i = np.uint64(i)
        xx = self.bias * self.bias
        for j in range(self.X.shape[1]):
            x = np.float64(self.X[i, j])
            xx += x * x
        return xx

    def add(self, w, i, beta):
        """Add beta a_i to w."""
        i = np.uint64(i)
        d = self.X.shape[1]
        step = beta * self.sign[i]
        for j in range(d):
            w[j] += step * self.X[i, j]
        w[d] += step * self.bias

    def credit(self, dual, i, beta):
        """Remember that beta a_i was added."""
        dual[self.first + i] += beta

    def recall(self, dual, i, total):
        """Add what ``dual`` holds of a_i to ``total``; returns its length."""
        beta = dual[self.first + i]
        if beta == 0.0:
            return 0.0
        self.add(total, i, beta)
        return beta * np.sqrt(self.square(i))

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of row i."""
        return self.weight[i] if self.weight.size else 1.0

    def side(self, i):
        """The side of row i, +1 or -1."""
        return self.sign[i]

    def profile(self, w, i, out):
        """The scores <w_k, (x_i, bias)> of all K classes; w holds one class after the other.

        Five at a time: the row is converted once for five sums, and these fit into the registers.
        """
        i, one, five = np.uint64(i), np.uint64(1), np.uint64(5)
        d = np.uint64(self.X.shape[1])
        size, classes, k = d + one, np.uint64(out.size), np.uint64(0)
        while k + five <= classes:
            p = k * size
            q, r, s, t = p + size, p + size + size, p + np.uint64(3) * size, p + np.uint64(4) * size
            wp, wq, wr, ws, wt = 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(d):
                x = np.float64(self.X[i, j])
                wp += w[p + j] * x
                wq += w[q + j] * x
                wr += w[r + j] * x
                ws += w[s + j] * x
                wt += w[t + j] * x
            out[k] = wp + self.bias * w[p + d]
            out[k + one] = wq + self.bias * w[q + d]
            out[k + np.uint64(2)] = wr + self.bias * w[r + d]
            out[k + np.uint64(3)] = ws + self.bias * w[s + d]
            out[k + np.uint64(4)] = wt + self.bias * w[t + d]
            k += five
        while k < classes:
            p = k * size
            wp = 0.0
            for j in range(d):
                wp += w[p + j] * self.X[i, j]
            out[k] = wp + self.bias * w[p + d]
            k += one

    def spread(self, w, i, k, classes, step):
        """Add step (x_i, bias) to class k of w."""
        i = np.uint64(i)
        d = np.uint64(self.X.shape[1])
        p = np.uint64(k) * (d + np.uint64(1))
        for j in range(d):
            w[p + j] += step * self.X[i, j]
        w[p + d] += step * self.bias

    def fetch(self, i):
        """Row i will be visited soon."""
        begin = i * self.X.shape[1]
        for line in range(LINES):
            fetch(self.X, begin + line * (LINE // self.X.itemsize))

    def scatter(self, w, i, steps):
        """Add steps[k] (x_i, bias) to every class k of w."""
        for k in range(steps.size):
            self.spread(w, i, k, steps.size, steps[k])

    def store(self, slot, rows, i):
        """Copy row i of ``rows`` into row ``slot``."""
        for j in range(self.X.shape[1]):
            self.X[slot, j] = rows.X[i, j]

    def gap(self, i, rows, slot):
        """|x_i - x_slot|^2."""
        i = np.uint64(i)
        gap = 0.0
        for j in range(self.X.shape[1]):
            x = np.float64(self.X[i, j]) - np.float64(rows.X[slot, j])
            gap += x * x
        return gap


class Sparse(NamedTuple):
    """Rows of a CSR matrix with sorted indices: every method costs the row's non-zeros, never d."""

    data: np.ndarray
    indices: np.ndarray  # int32 or int64
    indptr: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    bias: float
    first: int
    width: int  # d

    def probe(self, w, i):
        """<w, a_i>."""
        i = np.uint64(i)
        wx = 0.0
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            wx += w[np.uint64(self.indices[k])] * self.data[k]
        return self.sign[i] * (wx + self.bias * w[w.size - 1])

    def square(self, i):
        """<a_i, a_i>."""
        i = np.uint64(i)
        xx = self.bias * self.bias
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[k])
            xx += x * x
        return xx

    def add(self, w, i, beta):
        """Add beta a_i to w."""
        i = np.uint64(i)
        step = beta * self.sign[i]
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[np.uint64(self.indices[k])] += step * self.data[k]
        w[w.size - 1] += step * self.bias

    def bend(self, H, i, beta):
        """Add beta a_i a_i' to the upper half of H."""
        i, last = np.uint64(i), np.uint64(H.shape[0] - 1)
        end = np.uint64(self.indptr[i + np.uint64(1)])
        for k in range(np.uint64(self.indptr[i]), end):
            row, step = np.uint64(self.indices[k]), beta * self.data[k]
            for m in range(k, end):
                H[row, np.uint64(self.indices[m])] += step * self.data[m]
            H[row, last] += step * self.bias
        H[last, last] += beta * self.bias * self.bias

    def profile(self, w, i, out):
        """The scores <w_k, (x_i, bias)> of all K classes; w holds column after column, K weights each."""
        i = np.uint64(i)
        classes = np.uint64(out.size)
        last = np.uint64(w.size) - classes
        for k in range(classes):
            out[k] = self.bias * w[last + k]
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[m])
            p = np.uint64(self.indices[m]) * classes
            for k in range(classes):
                out[k] += w[p + k] * x

    def spread(self, w, i, k, classes, step):
        """Add step (x_i, bias) to class k of w."""
        i, k, classes = np.uint64(i), np.uint64(k), np.uint64(classes)
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[np.uint64(self.indices[m]) * classes + k] += step * self.data[m]
        w[np.uint64(w.size) - classes + k] += step * self.bias

    def fetch(self, i):
        """Row i will be visited soon."""
        begin = self.indptr[i]
        for line in range(LINES):
            fetch(self.data, begin + line * (LINE // self.data.itemsize))
        for line in range(LINES // 2):
            fetch(self.indices, begin + line * (LINE // self.indices.itemsize))

    def scatter(self, w, i, steps):
        """Add steps[k] (x_i, bias) to every class k of w."""
        i = np.uint64(i)
        classes = np.uint64(steps.size)
        last = np.uint64(w.size) - classes
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[m])
            p = np.uint64(self.indices[m]) * classes
            for k in range(classes):
                w[p + k] += steps[k] * x
        for k in range(classes):
            w[last + k] += steps[k] * self.bias

    def store(self, slot, rows, i):
        """Copy row i of ``rows`` into row ``slot``, which has room for the longest row."""
        begin, source = np.uint64(self.indptr[slot]), np.uint64(rows.indptr[i])
        size = np.uint64(rows.indptr[i + 1]) - source
        for k in range(size):
            self.data[begin + k] = rows.data[source + k]
            self.indices[begin + k] = rows.indices[source + k]
        self.indptr[slot + 1] = begin + size

    def gap(self, i, rows, slot):
        """|x_i - x_slot|^2, by merging the two sorted rows."""
        p, p_end = np.uint64(self.indptr[i]), np.uint64(self.indptr[i + 1])
        q, q_end = np.uint64(rows.indptr[slot]), np.uint64(rows.indptr[slot + 1])
        gap = 0.0
        while p < p_end and q < q_end:
            ahead = np.int64(self.indices[p]) - np.int64(rows.indices[q])
            x = 0.0
            if ahead <= 0:
                x += np.float64(self.data[p])
                p += np.uint64(1)
            if ahead >= 0:
                x -= np.float64(rows.data[q])
                q += np.uint64(1)
            gap += x * x
        for k in range(p, p_end):
            x = np.float64(self.data[k])
            gap += x * x
        for k in range(q, q_end):
            x = np.float64(rows.data[k])
            gap += x * x
        return gap

    def credit(self, dual, i, beta):
        """Remember that beta a_i was added."""
        dual[self.first + i] += beta

    def recall(self, dual, i, total):
        """Add what ``dual`` holds of a_i to ``total``; returns its length."""
        beta = dual[self.first + i]
        if beta == 0.0:
            return 0.0
        self.add(total, i, beta)
        return beta * np.sqrt(self.square(i))

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of row i."""
        return self.weight[i] if self.weight.size else 1.0

    def side(self, i):
        """The side of row i, +1 or -1."""
        return self.sign[i]
