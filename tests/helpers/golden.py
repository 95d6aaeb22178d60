"""The lectures' worked example (S1), by hand: x5 is (1.5, 2.5), class 2 is the positive side (LECTURES, misprint 1)."""

import numpy as np

X = np.array(
    [[0.5, 3.0], [1.0, 3.0], [0.5, 2.5], [1.0, 2.5], [1.5, 2.5], [4.5, 1.0], [5.0, 1.0], [4.5, 0.5], [5.5, 0.5]]
)
Y = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])
SIGN = np.where(Y == 2, 1, -1)

ROWS = [0, 5, 4]  # the updates happen at x1, x6, x5 and nowhere else
PATH = [[-0.5, -3.0, -1.0], [4.0, -2.0, 0.0], [2.5, -4.5, -1.0]]  # w after each of them, the bias last
W = PATH[-1]
