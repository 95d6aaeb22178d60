"""Rules of products of features (`linsep fit --lift`): the part of an export that comes after the features.

The columns then have one function for each feature, which is that feature; ``lift`` says what becomes of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lifting import Lifted, Polynomial
from ..lifting.lift import get_affine

MOST = 20_000  # products


def make_lift(model: Any) -> dict[str, Any] | None:
    """What is made of the features: each is centred and scaled, multiplied with others, and the product likewise.

    None: the model is a rule of the features themselves.
    """
    if not hasattr(model, "lift_"):
        return None
    if not isinstance(model, Lifted) or not isinstance(model.lift_, Polynomial):
        raise ValueError(f"export: expected products of features, got {type(getattr(model, 'lift_', model)).__name__}.")
    coef = np.asarray(model.coef_, dtype=np.float64)
    if coef.shape[1] > MOST:
        raise ValueError(f"export: expected at most {MOST} products of features, got {coef.shape[1]}.")
    (inner, sizes), (means, deviations) = map(get_affine, (model.lift_.inner_, model.lift_.scaler_))
    places = np.arange(model.n_features_in_)
    products = zip(model.lift_.products_.powers_, means.tolist(), deviations.tolist(), coef.T.tolist(), strict=True)
    return {
        "centre": inner.tolist(), "scale": sizes.tolist(),
        "intercept": np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef)).tolist(),
        "products": [[np.repeat(places, powers).tolist(), *others] for powers, *others in products],
    }  # fmt: skip


def magnitudes(model: Any, X: np.ndarray) -> np.ndarray:
    """Of every row and product: what rounding errors of the product are in units of."""
    (inner, sizes), (means, deviations) = map(get_affine, (model.lift_.inner_, model.lift_.scaler_))
    V, powers = (np.abs(X) + np.abs(inner)) / sizes, model.lift_.products_.powers_
    P = np.stack([np.prod(V**each, axis=1) for each in powers], axis=1)
    return (P * powers.sum(axis=1) + np.abs(means)) / deviations
