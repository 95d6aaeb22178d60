"""Small problems of three to five classes with uneven rows, offsets and columns, separable or not."""

import numpy as np


def draw_machine_problem(seed, even=False):
    """X and labels 0, 1, ...: clouds, integers, or rows labelled by a machine; ``even``: nothing is stretched."""
    rng = np.random.default_rng(seed)
    while True:
        K = int(rng.integers(3, 6))
        n, d = int(rng.integers(max(6, K), 41)), int(rng.integers(1, 7))
        label = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
        kind = rng.choice(["clouds", "integers", "touching", "machine", "integer machine"])
        if kind == "clouds":
            X = rng.normal(size=(n, d)) * 0.4 + rng.choice([0.3, 1, 2, 4]) * rng.normal(size=(K, d))[label]
        elif kind == "integers":
            X = rng.integers(-4, 5, (n, d)).astype(float)
        elif kind == "touching":
            X = rng.integers(-3, 4, (n, d)).astype(float) + 5 * rng.integers(-1, 2, (K, d))[label]
        else:
            X = rng.normal(size=(n, d)) if kind == "machine" else rng.integers(-9, 10, (n, d)).astype(float)
            label = np.argmax(X @ rng.normal(size=(K, d)).T + 0.3 * rng.normal(size=K), axis=1)
            label = np.unique(label, return_inverse=True)[1]
        if label.max() >= 2:
            break
    stretched = "nothing" if even else rng.choice(["nothing", "rows", "offset", "columns", "all"])
    if stretched in ("rows", "all"):
        X = X * 2.0 ** rng.integers(-8, 9, (n, 1))
    if stretched in ("columns", "all"):
        X = X * 2.0 ** rng.integers(-20, 21, d)
    if stretched in ("offset", "all"):
        X = X + 10.0 ** rng.integers(0, 7) * (1 if rng.random() < 0.5 else rng.integers(-3, 4, d))
    return X, label
