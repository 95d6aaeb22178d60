"""Data of the lectures, small enough to be drawn: lists of rows and of labels."""

from __future__ import annotations

from typing import Any

import numpy as np


def _gaussians() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    turn = np.array([[0.9, 0.5], [-0.2, 0.7]])
    X = np.vstack([rng.normal(size=(20, 2)) @ turn + (0.5, 2.6), rng.normal(size=(20, 2)) @ turn + (3.6, 0.4)])
    return {"X": X.round(2).tolist(), "y": [1] * 20 + [2] * 20}


def _three() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    X = np.vstack([0.45 * rng.normal(size=(9, 2)) + at for at in ((0.5, 0.5), (3.5, 0.8), (2.0, 3.2))])
    return {"X": X.round(2).tolist(), "y": [1] * 9 + [2] * 9 + [3] * 9}


PRESETS: dict[str, dict[str, Any]] = {
    "S1, nine points": {  # x5 as in its arithmetic: LECTURES, misprint 1
        "X": [[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]],
        "y": [1, 1, 1, 1, 1, 2, 2, 2, 2],
    },
    "S0, lifting": {  # for which the perceptron ends at S0 (32)
        "X": [[-0.9], [0.8], [-0.1], [1.8], [0.25], [0.0], [0.2]],
        "y": [1, 1, 1, 1, -1, -1, -1],
    },
    "XOR": {"X": [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], "y": [1, 1, 2, 2]},
    "a tiny margin": {
        "X": [[0.0, 1.0], [1.0, 2.1], [2.0, 2.9], [3.0, 4.1], [0.0, 0.9], [1.0, 1.9], [2.0, 2.7], [3.0, 3.9]],
        "y": [1, 1, 1, 1, 2, 2, 2, 2],
    },
    "two Gaussians": _gaussians(),
    "three classes": _three(),
    "Gaussians to drag": {  # S4's picture: means and covariances, the worst of which decides
        "X": [[0.0, 0.0], [1.5, 3.0], [6.0, 1.0], [7.0, 4.0]],
        "y": [1, 1, 2, 2],
        "covariances": [
            [[1.0, 0.3], [0.3, 0.5]],
            [[0.6, -0.3], [-0.3, 0.8]],
            [[0.7, 0.0], [0.0, 1.6]],
            [[1.2, 0.5], [0.5, 0.6]],
        ],
    },
    "short words": {  # consonant or vowel: y is both, which its neighbours tell
        "X": [list(word) for word in ("baby", "yes", "tidy", "yard", "city", "gym")],
        "y": [
            ["C", "V", "C", "V"],
            ["C", "V", "C"],
            ["C", "V", "C", "V"],
            ["C", "V", "C", "C"],
            ["C", "V", "C", "V"],
            ["C", "V", "C"],
        ],
    },
}
SUGGESTED = {  # rules; else the perceptron
    "S0, lifting": "lifting to x^2 - 1",
    "three classes": "linear machine",
    "Gaussians to drag": "anderson by directions",
    "short words": "structured perceptron",
}
