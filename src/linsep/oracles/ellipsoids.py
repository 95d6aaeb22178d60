r"""Ellipsoids: each set is the ellipsoid of one Gaussian, of radius r, augmented and mirrored (F3).

.. math:: E_j(r) = \{\mu_j + F_j v : |v| \le r\}, \qquad \Sigma_j = F_j F_j^T .

Along w the lowest point of a mirrored ellipsoid is :math:`y_j\mu_j - r\,\Sigma_j w/\sigma_j` with
:math:`\sigma_j = \sqrt{w^T\Sigma_j w} = |F_j^T w|`. The factor is ``F = [low | diag(deviation)]``: full, diagonal, low
rank plus diagonal, or nothing at all: a point is a Gaussian without spread (F4). So every rule that separates points
separates ellipsoids too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import component, read_only


@component(slots=1)
class Ellipsoids(NamedTuple):
    """Set i is the ellipsoid of Gaussian i; slot 0 is its lowest point, which `lowest` leaves in ``offset``."""

    means: np.ndarray  # k x d
    low: np.ndarray  # k x q x d: the transposed low parts of the factors
    deviation: np.ndarray  # k x d, or k x 0
    radius: np.ndarray  # k
    sign: np.ndarray  # k of int8: +1 or -1
    weight: np.ndarray  # k of float64, or empty: every Gaussian weighs 1
    bias: float  # what augments a point
    first: int  # the number of Gaussian 0 in the whole training set
    width: int  # d
    offset: np.ndarray  # 1 x d numbers: r Sigma w / sigma of the Gaussian in each slot

    @property
    def size(self) -> int:
        """How many numbers w has."""
        return self.width + 1

    def lowest(self, w, i):
        """<w, a> of the lowest point a."""
        i = np.uint64(i)
        d, q = self.means.shape[1], self.low.shape[1]
        wx, square = 0.0, 0.0
        for j in range(d):
            wx += w[j] * self.means[i, j]
            self.offset[0, j] = 0.0
        for c in range(q):
            v = 0.0
            for j in range(d):
                v += self.low[i, c, j] * w[j]
            square += v * v
            for j in range(d):
                self.offset[0, j] += v * self.low[i, c, j]
        for j in range(self.deviation.shape[1]):
            v = self.deviation[i, j] * w[j]
            square += v * v
            self.offset[0, j] += v * self.deviation[i, j]
        sigma = np.sqrt(square)
        share = self.radius[i] / sigma if sigma > 0.0 else 0.0
        for j in range(d):
            self.offset[0, j] *= share
        return self.sign[i] * (wx + self.bias * w[d]) - self.radius[i] * sigma, 0

    def squared_norm(self, i, slot):
        """<a, a>."""
        i = np.uint64(i)
        aa = self.bias * self.bias
        for j in range(self.means.shape[1]):
            a = self.sign[i] * self.means[i, j] - self.offset[slot, j]
            aa += a * a
        return aa

    def add(self, w, i, slot, beta):
        """Add beta a to w."""
        i = np.uint64(i)
        d = self.means.shape[1]
        for j in range(d):
            w[j] += beta * (self.sign[i] * self.means[i, j] - self.offset[slot, j])
        w[d] += beta * self.sign[i] * self.bias

    def record(self, dual_weights, i, slot, beta):
        """Remember that beta of Gaussian i was added."""
        dual_weights[self.first + i] += beta

    def w_changed(self, w):
        """No scores are kept."""


def ellipsoids(means, low, deviation, radius, sign, *, weight=None, bias: float = 1.0, first: int = 0) -> Ellipsoids:
    """The ellipsoids of Gaussians with covariances ``low' low + diag(deviation)^2``; ``radius`` is one number or k.

    >>> discs = ellipsoids(np.array([[3.0, 0.0]]), np.eye(2)[None], np.zeros((1, 0)), 2.0, [-1])
    >>> float(discs.lowest(np.array([-1.0, 0.0, 0.5]), 0)[0])  # 3 - 0.5, less the radius
    0.5
    """
    means, low, deviation = _to_floats(means, "means"), _to_floats(low, "low"), _to_floats(deviation, "deviation")
    if means.ndim != 2 or 0 in means.shape:
        raise ValueError(f"means: expected one row per Gaussian, got an array of shape {means.shape}.")
    k, d = means.shape
    sign, radius = _to_floats(sign, "sign"), _to_floats(radius, "radius")
    radius = np.full(k, float(radius)) if radius.ndim == 0 else radius
    rest = np.zeros(0) if weight is None else _to_floats(weight, "weight")
    for name, array, expected in (
        ("low", low, (k, low.shape[1] if low.ndim == 3 else "q", d)),
        ("deviation", deviation, (k, d if deviation.size else 0)),
        ("radius", radius, (k,)),
        ("sign", sign, (k,)),
        ("weight", rest, (0,) if weight is None else (k,)),
    ):
        if array.shape != expected:
            raise ValueError(f"{name}: expected shape {expected} for means of shape {(k, d)}, got {array.shape}.")
    if not np.isin(sign, (-1.0, 1.0)).all():
        raise ValueError(f"sign: expected +1 or -1, got {sign[np.abs(sign) != 1][0]:g}.")
    for name, array in (("radius", radius), ("weight", rest)):
        if (array < 0).any():
            raise ValueError(f"{name}: expected numbers that are not negative, got {array.min():g}.")
    return Ellipsoids(
        read_only(means), read_only(low), read_only(deviation), read_only(radius), read_only(sign.astype(np.int8)),
        read_only(rest), float(bias), int(first), int(d), np.zeros((1, d)),
    )  # fmt: skip


def _to_floats(values, name: str) -> np.ndarray:
    """A C-ordered array of finite numbers, or an error that names it."""
    try:
        array = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected an array of numbers.") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got {array[~np.isfinite(array)][0]}.")
    return array
