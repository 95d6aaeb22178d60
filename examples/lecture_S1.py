# %% [markdown]
# # S1: Linear Classifier: Perceptron
#
# The lecture from top to bottom, slide by slide: its worked example with every printed number, the weight space and
# its safe region, relaxation, and minimum squared error. Run it as a notebook (percent format), or
# `python examples/lecture_S1.py [folder]`.

# %%
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from linsep import GradientDescent, LeastSquares, Perceptron, Relaxation, plot, separability, trace

FOLDER = Path(sys.argv[1] if len(sys.argv) == 2 else "out")


def keep(name, axes):
    """Write a picture to the folder; a notebook shows and closes it by itself."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    figure.savefig(FOLDER / f"S1_{name}.png", dpi=90)
    if "ipykernel" not in sys.modules:
        plt.close(figure)


# %% [markdown]
# ## Introduction: W gives the orientation of the line, w0 its position; y = (x, 1)
#
# The data are those of the worked example. S1's first table prints x5 as (1.5, 3.5); its arithmetic uses (1.5, 2.5).

# %%
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([1] * 5 + [2] * 4)
rule = Perceptron(keep="last", scaling=None).fit(X, y)
keep("introduction", plot.decision(rule, X, y, distances=True))

# %% [markdown]
# ## Uniform criterion function: J_p(a) = sum of -a'y over the misclassified

# %%
Y = np.where(y == 2, 1, -1)[:, None] * np.column_stack([X, np.ones(9)])  # augmented, class 1 negated


def J_p(a):
    return -(Y @ a)[Y @ a <= 0].sum()


assert J_p(np.array([-0.5, -3.0, -1.0])) == 6.25 + 6.5 + 4.75 + 5.25  # x6 to x9 are misclassified by w2
assert J_p(np.array([2.5, -4.5, -1.0])) == 0  # the minimum

# %% [markdown]
# ## Perceptron algorithm: a(k+1) = a(k) + eta(k) * (the sum of all misclassified y)
#
# The batch version, in four lines, and in the library.

# %%
a, steps = np.zeros(3), 0
while (Y @ a <= 0).any():
    a, steps = a + Y[Y @ a <= 0].sum(axis=0), steps + 1
batch = Perceptron(batch=True, keep="last", scaling=None).fit(X, y)
assert np.allclose(np.append(batch.coef_, batch.intercept_), a)
print(f"batch perceptron: a = {a} after {steps} steps")

# %% [markdown]
# ## Issues, sequential version: one sample at a time, eta = 1 without loss of generality
#
# "ALGORITHM - Fixed-Increment Single-Sample Perceptron", and the library's `trace` of it.


# %%
def fixed_increment(Y, a):
    """S1's algorithm; yields the misclassified sample and the new a."""
    k = clean = 0
    while clean < len(Y):
        clean += 1
        if Y[k] @ a <= 0:
            a, clean = a + Y[k], 0
            yield k, a
        k = (k + 1) % len(Y)


updates = list(trace(Perceptron(scaling=None), X, y))
for (k, a), update in zip(fixed_increment(Y, np.zeros(3)), updates, strict=True):
    assert k == update.row
    assert np.array_equal(a, update.w)

# %% [markdown]
# ## Example: Perceptron learning algorithm
#
# Augment, and negate class 1. Then every number that S1 prints.

# %%
assert Y.tolist() == [
    [-0.5, -3, -1], [-1, -3, -1], [-0.5, -2.5, -1], [-1, -2.5, -1], [-1.5, -2.5, -1],
    [4.5, 1, 1], [5, 1, 1], [4.5, 0.5, 1], [5.5, 0.5, 1],
]  # fmt: skip
keep("three_spaces", plot.three_spaces(rule, X, y))

w1 = np.zeros(3)
w2, w3, w4 = (update.w for update in updates)
assert [update.wa for update in updates] == [0, -6.25, -1]  # of x1, x6, x5: none is > 0
assert w1 @ Y[0] == 0  # so w2 = w1 + x1
assert w2.tolist() == [-0.5, -3, -1]
assert [w2 @ Y[k] for k in (1, 2, 3, 4)] == [10.5, 8.75, 9, 9.25]  # x2 to x5 are properly classified
assert w2 @ Y[5] == -6.25  # so w3 = w2 + x6
assert w3.tolist() == [4, -2, 0]
assert [w3 @ Y[k] for k in (6, 7, 8, 0, 1, 2, 3)] == [18, 17, 21, 4, 2, 3, 1]
assert w3 @ Y[4] == -1  # so w4 = w3 + x5
assert w4.tolist() == [2.5, -4.5, -1]
assert [w4 @ Y[k] for k in (5, 6, 7, 8)] == [5.75, 7, 8, 10.5]
assert [w4 @ Y[k] for k in (0, 1, 2, 3, 4)] == [13.25, 12, 11, 9.75, 8.5]  # S1 prints 11.5 for x2: a misprint
assert (2 * w4).tolist() == [5, -9, -2]  # the line 5 x1 - 9 x2 - 2 = 0
assert np.append(rule.coef_, rule.intercept_).tolist() == [2.5, -4.5, -1]
assert rule.certificate_.updates == 3
print(rule.certificate_)
print(rule.check(X, y))
plot.animate(X, y, FOLDER / "S1_worked_example.gif")

# %% [markdown]
# ## Convergence proof: weight vectors are orthogonal to the decision line
#
# Every line between the limiting lines l1 and l2 separates the classes; the solutions a are a cone.

# %%
cone = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 2, 2])
keep("solution_region", plot.weight_space(*cone, limiting_lines=True))
assert separability(X, y).status == "separated"

# %% [markdown]
# ## Algorithm illustration: a(0) misclassifies samples, and moves towards them into the solution region

# %%
keep("illustration", plot.weight_space(*cone, start=[-1.0, -2.0]))
by_hand = fixed_increment(np.where(cone[1] == 2, 1, -1)[:, None] * cone[0], np.array([-1.0, -2.0]))
started = Perceptron(fit_intercept=False, scaling=None, start=[-1.0, -2.0, 0.0])
for (k, a), update in zip(by_hand, trace(started, *cone), strict=True):
    assert k == update.row
    assert np.allclose(a, update.w[:2])
    print(f"y{k + 1} is misclassified, a'y = {update.wa:.2f}: a = {a}")

# %% [markdown]
# ## The safe region: a'y > b

# %%
keep("safe_region", plot.weight_space(*cone, margin=1.0))
safe = Perceptron(margin=5.0, keep="last", scaling=None).fit(X, y)
assert (Y @ np.append(safe.coef_, safe.intercept_)).min() > 5.0

# %% [markdown]
# ## Relaxation criterion: J_r(a) = 1/2 sum (a'y - b)^2 / |y|^2 over a'y <= b
#
# Its gradient is the sum of (a'y - b) y / |y|^2 (S1 prints a square too many in the first line). Batch and sequential.

# %%
b, eta = 1.0, 1.5


def J_r(a):
    short = Y @ a <= b
    return 0.5 * ((Y @ a - b) ** 2 / (Y**2).sum(axis=1))[short].sum()


def gradient(a):
    short = Y @ a <= b
    return (((Y @ a - b) / (Y**2).sum(axis=1))[:, None] * Y)[short].sum(axis=0)


a = np.array([0.2, 0.1, -0.3])
numeric = [(J_r(a + 1e-6 * e) - J_r(a - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
assert np.allclose(gradient(a), numeric, atol=1e-6)
keep("J_r", plot.criterion(*cone, "relaxation"))
keep("J_r_surface", plot.criterion(*cone, "relaxation", surface=True))

first = next(trace(Relaxation(rate=eta, margin=b, scaling=None), X, y))
assert np.allclose(first.w, eta * b / (Y[0] @ Y[0]) * Y[0])  # a(1) = a(0) + eta (b - 0)/|y|^2 y
sequential = Relaxation(rate=eta, margin=b, scaling=None).fit(X, y)
assert (Y @ np.append(sequential.coef_, sequential.intercept_)).min() > b
by_batch = Relaxation(batch="sum", rate=0.2, margin=b, scaling=None).fit(X, y)
assert (Y @ np.append(by_batch.coef_, by_batch.intercept_)).min() > b
by_descent = GradientDescent("relaxation", margin=b).fit(X, y)
assert by_descent.score(X, y) == 1.0

# %% [markdown]
# "Otherwise, the algorithm can never converge": one more point that no line can separate, and its proof.

# %%
X2, y2 = np.vstack([X, [[5.0, 0.7]]]), np.append(y, 1)
found = separability(X2, y2)
print(found)
assert found.status == "not separable"

# %% [markdown]
# ## Minimum squared error: Ya = b, e = Ya - b, J_s(a) = |Ya - b|^2, a = (Y'Y)^-1 Y'b = Y+ b

# %%
Y2 = np.where(y2 == 2, 1, -1)[:, None] * np.column_stack([X2, np.ones(10)])
ones = np.ones(10)
a = np.linalg.solve(Y2.T @ Y2, Y2.T @ ones)
squares = LeastSquares("pinv").fit(X2, y2)
assert np.allclose(np.append(squares.coef_, squares.intercept_), a)
assert np.allclose(a, np.linalg.pinv(Y2) @ ones)
assert np.allclose(2 * Y2.T @ (Y2 @ a - ones), 0, atol=1e-9)  # the gradient of J_s
assert squares.score(X2, y2) == 0.9  # one error, where no line has none
keep("J_s", plot.criterion(*cone, "squares"))
keep("minimum_squared_error", plot.decision(squares, X2, y2))

# %% [markdown]
# ## Closed form: Y+ Y = I, but Y Y+ is not; other margins b give other solutions

# %%
inverse = np.linalg.pinv(Y2)
assert np.allclose(inverse @ Y2, np.eye(3))
assert not np.allclose(Y2 @ inverse, np.eye(10))
margins = np.where(y2 == 2, 1.0, 3.0)
other = LeastSquares("pinv", margins=margins).fit(X2, y2)
assert np.allclose(np.append(other.coef_, other.intercept_), inverse @ margins)
assert not np.allclose(inverse @ margins, a)

# %% [markdown]
# ## Problem of generalization
#
# Held-out accuracy by cross-validation: any estimator goes into scikit-learn's functions.

# %%
from sklearn.model_selection import cross_val_score  # noqa: E402

print(cross_val_score(Perceptron(), X, y, cv=4))
plt.close("all")
