# %% [markdown]
# # S4: Linear Classifier (Kozinec's algorithm, the Anderson tasks)
#
# The lecture from top to bottom, slide by slide (n/44): every formula with a number to check, every algorithm compared
# with the library, every figure drawn. The figures' points are our own, since the lecture does not print them. Run it
# as a notebook (percent format), or `python examples/lecture_S4.py [folder]`.

# %%
from __future__ import annotations

import sys
import warnings
from math import log, sqrt
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from linsep import Anderson, Kozinec, Lifted, MaximumMargin, Perceptron, Polynomial, plot, separability, trace
from linsep.bayes import Gaussian, Model, Strategy, hyperplane_errors
from linsep.risk import StructuralRisk, dimension_capacity, empirical_risk, enclosing_ball, margin_capacity, vc_bound
from linsep.rules import Increment, Nearest

FOLDER = Path(sys.argv[1] if len(sys.argv) == 2 else "out")
FOLDER.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore", ConvergenceWarning)
plt.style.use("linsep.plot.lectures")


def keep(name, axes):
    """Write a picture to the folder; a notebook shows and closes it by itself."""
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    figure.savefig(FOLDER / f"S4_{name}.png", dpi=90)
    if "ipykernel" not in sys.modules:
        plt.close(figure)


# %% [markdown]
# ## 2, 3, 4 Classifier: regions without overlap, decision boundaries, j = argmax f_j(x)

# %%
rng = np.random.default_rng(0)
centres = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.0], [7.0, 4.5], [-2.0, 4.0], [2.5, 8.5]])
P, c = np.repeat(centres, 20, axis=0) + rng.normal(0, 0.6, (120, 2)), np.repeat([1, 2, 3, 4, 5, 6], 20)
machine = Perceptron(random_state=0).fit(P, c)
f = P @ machine.coef_.T + machine.intercept_
assert np.array_equal(machine.classes_[f.argmax(axis=1)], machine.predict(P))

# %% [markdown]
# ## 5 Why are linear classifiers important? (1) Bayes' strategy divides the space of probabilities into convex cones

# %%
keep("05_cones", plot.probability_cones())
W = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
for _ in range(200):  # two observations with the same decision: so has every mixture of them, and every multiple
    p, q = rng.dirichlet(np.ones(3), 2)
    if np.argmin(W @ p) == np.argmin(W @ q):
        assert np.argmin(W @ (0.3 * p + 0.7 * q)) == np.argmin(W @ p) == np.argmin(W @ (5 * p))

# %% [markdown]
# ## 6 Why are linear classifiers important? (2)
#
# Two Gaussians with one covariance have a linear strategy. The capacity is n + 1 (S4 prints n + 2). Straightening the
# feature space makes some non-linear functions linear.

# %%
shared = [[1.0, 0.3], [0.3, 2.0]]
known = Strategy(Model([Gaussian.from_parameters(mean, shared) for mean in ([0.0, 0.0], [2.0, 1.0])]))
keep("06_linear_strategy", plot.strategy(known, contours=True))
grid = rng.normal(size=(50, 2))
difference = np.linalg.solve(shared, [2.0, 1.0])
assert np.allclose(
    np.diff(known.scores(grid), axis=1)[:, 0] - np.diff(known.scores([[0.0, 0.0]]), axis=1)[0, 0], grid @ difference
)
assert dimension_capacity(2) == 3
square, xor = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1, 1]
assert separability(square, xor).status == "not separable"
assert Lifted(Polynomial(2), Perceptron()).fit(square, xor).score(square, xor) == 1.0

# %% [markdown]
# ## 7 Linear discriminant function: |K| convex regions; 8 dichotomy

# %%
keep("07_regions", plot.regions(machine, P, c))
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
k = np.array([-1] * 5 + [1] * 4)  # -1 is S4's class 2
rule = Perceptron(keep="last", scaling=None).fit(X, k)
keep("08_dichotomy", plot.decision(rule, X, k))

# %% [markdown]
# ## 9, 10, 11 Learning: finite sets or Gaussians; three formulations; empirical risk

# %%
assert empirical_risk([1, 1, 2, 2], [1, 2, 2, 1], [[0, 10], [1, 0]], labels=[1, 2]) == (0 + 1 + 0 + 10) / 4

# %% [markdown]
# ## 12 Overfitting and underfitting

# %%
points = rng.uniform(-1, 1, (90, 2))
side = (points[:, 1] > 1.2 * points[:, 0] ** 2 - 0.4).astype(int)
side[rng.random(90) < 0.08] ^= 1
ladder = [(f"degree {d}", Lifted(Polynomial(d), MaximumMargin(C=C))) for d, C in ((1, 10.0), (2, 10.0), (6, 1e3))]
model = StructuralRisk(ladder, choose="cross-validation").fit(points, side)
assert model.best_name_ == "degree 2" and model.table_[2].empirical < model.table_[1].empirical
keep("12_overfitting", plot.fits(model, points, side))

# %% [markdown]
# ## 13, 14 Minimization of a real risk margin, structural risk: R <= R_emp + R_str(h, 1/L)

# %%
L, h, eta = 1000, 3, 0.05
assert np.isclose(vc_bound(0.1, h, L, eta).value, 0.1 + sqrt((h * (log(2 * L / h) + 1) - log(eta / 4)) / L))
assert (
    vc_bound(0.1, 6, L).value > vc_bound(0.1, 3, L).value > vc_bound(0.1, 3, 10 * L).value
)  # grows with h, falls with L
keep("14_structural_risk", plot.structural_risk(model))

# %% [markdown]
# ## 15 Minimization of a real risk margin (2): h <= R^2/m^2 + 1; (w*, b*) of largest m

# %%
best = MaximumMargin().fit(X, k)
w, b = best.coef_[0], best.intercept_[0]
m = min((X[k == 1] @ w + b).min(), (-(X[k == -1] @ w) - b).min()) / np.linalg.norm(w)
assert np.isclose(m, best.margin_) and np.isclose(m, sqrt(3**2 + 1.5**2) / 2)  # half of the way from x5 to x6
R = enclosing_ball(X, tol=1e-6).radius
assert margin_capacity(R, m) >= R**2 / m**2 + 1
keep("15_R_and_m", plot.radius_and_margin(best, X, k))

# %% [markdown]
# ## 16-21 Generalized Anderson task: Gaussians (mu_j, sigma_j), j in J1 and J2; the worst error is to be smallest

# %%
means = np.array([[0.0, 0.0], [1.5, -2.5], [5.0, 0.5], [3.0, 4.0]])
sigma = np.array(
    [[[1.0, 0.2], [0.2, 0.6]], [[0.5, 0.0], [0.0, 0.9]], [[1.2, 0.3], [0.3, 0.8]], [[1.6, 0.5], [0.5, 0.7]]]
)
J = np.array([1, 1, 2, 2])
task = Anderson().fit_gaussians(means, sigma, J)
print(task.certificate_)
keep("18_gaussians", plot.gaussians(task, means, sigma, J))
samples = [rng.multivariate_normal(mean, cov, 100_000) for mean, cov in zip(means, sigma, strict=True)]
wrong = [np.mean(task.predict(drawn) != label) for drawn, label in zip(samples, J, strict=True)]
assert np.allclose(wrong, task.errors_, atol=0.004)  # 19: epsilon(k, z), by Monte Carlo
assert np.isclose(max(task.errors_), task.error_)

# %% [markdown]
# ## 22 Anderson-Bahadur task: one Gaussian of each class

# %%
bahadur = Anderson().fit_gaussians(means[[0, 2]], sigma[[0, 2]], [1, 2])
assert np.isclose(*bahadur.errors_)  # both errors are equal at the optimum

# %% [markdown]
# ## 23 Optimal separation of finite sets of points; 24 simple separation
#
# Points are Gaussians that have no spread. Small equal spheres give the hyperplane of largest margin.

# %%
spheres = Anderson().fit_gaussians(X, 1e-6, k)
assert np.isclose(abs(spheres.coef_[0] @ w) / np.linalg.norm(spheres.coef_[0]) / np.linalg.norm(w), 1.0)
keep("23_optimal", plot.hulls(best, X, k))
assert rule.score(X, k) == 1.0  # 24: any hyperplane between the sets

# %% [markdown]
# ## 25 Good news: the criterion is unimodal; bad news: neither convex nor differentiable

# %%
signs = np.where(task.classes_[1] == J, 1, -1)


def worst(angle):
    """The worst error of the best hyperplane of this direction."""
    w = np.array([np.cos(angle), np.sin(angle)])
    projected, spread = means @ w, np.sqrt(np.einsum("i,kij,j->k", w, sigma, w))
    thresholds = np.linspace(projected.min(), projected.max(), 2001)
    return norm.cdf(-signs * (projected - thresholds[:, None]) / spread).max(axis=1).min()


angles = np.linspace(-np.pi, np.pi, 721)
errors = np.array([worst(angle) for angle in angles])
useful = errors[errors < 0.499]  # beyond them every hyperplane is as bad as a coin
down = np.diff(useful) < 0
assert np.sum(down[:-1] != down[1:]) == 1  # falls, then rises
assert np.isclose(useful.min(), task.error_, rtol=0.01)
keep("25_unimodal", plot.directions(means, sigma, J))

# %% [markdown]
# ## 26-29 Equivalent formulation: through the origin of the (n+1)-dimensional space, mirrored

# %%
keep("27_three_spaces", plot.three_spaces(best, X, k))
A = k[:, None] * np.column_stack([X, np.ones(9)])
assert (A @ np.append(w, b) > 0).all()

# %% [markdown]
# ## 30 Reformulation: minimise the worst error that <w, x> <= 0

# %%
error = hyperplane_errors(task.coef_[0], task.intercept_[0], means, sigma, np.where(task.classes_[1] == J, 1, -1))
assert np.allclose(error, task.errors_)

# %% [markdown]
# ## 31, 32 Training algorithm 1: perceptron ("goto 1" means 2)


# %%
def perceptron(A):
    """S4's algorithm, going over the data again and again; yields the successive w."""
    w, clean, j = np.zeros(A.shape[1]), 0, 0
    while clean < len(A):
        clean += 1
        if w @ A[j] <= 0:
            w, clean = w + A[j], 0
            yield w
        j = (j + 1) % len(A)


run = list(perceptron(A))
for by_hand, update in zip(run, trace(Perceptron(scaling=None), X, k), strict=True):
    assert np.allclose(by_hand, update.w)
keep("32_perceptron", plot.step([1.0, 2.0], [2.0, -1.5], Increment(1.0)))

# %% [markdown]
# ## 33 Novikoff theorem: t* <= D^2/m^2

# %%
V, v = np.array([[3.0, 1.5], [2.0, 2.5], [-1.0, -2.2], [-1.8, -0.9], [-2.6, -2.4]]), np.array([1, 1, -1, -1, -1])
keep("33_novikoff", plot.longest_vector(V, v))
augmented = MaximumMargin(bias="augmented").fit(X, k)
m, D = augmented.margin_, np.linalg.norm(A, axis=1).max()
assert len(run) <= D**2 / m**2

# %% [markdown]
# ## 34, 35 The closest point to the convex hull; lower and upper bound of m

# %%
keep("35_hull", plot.mirrored_hull(V, v))
nearest = augmented.dual_coef_[0] @ np.column_stack([X[augmented.support_], np.ones(len(augmented.support_))])
assert np.isclose(np.linalg.norm(nearest) / np.abs(augmented.dual_coef_).sum(), m)
for weights in rng.dirichlet(np.ones(9), 200):
    w = weights @ A
    assert (A @ w).min() / np.linalg.norm(w) <= m * (1 + 1e-9) and m <= np.linalg.norm(w) * (1 + 1e-9)

# %% [markdown]
# ## 36-39 eps-solution, training algorithm 2: Kozinec (1973), Kozinec and eps-solution


# %%
def kozinec_steps(A, eps):
    """S4's algorithm; it starts at an observation, never at 0."""
    w = A[0]
    while True:
        yield w
        x = A[np.argmin(A @ w)]
        if np.linalg.norm(w) - x @ w / np.linalg.norm(w) < eps:
            return
        kappa = np.clip(w @ (w - x) / ((w - x) @ (w - x)), 0, 1)
        w = (1 - kappa) * w + kappa * x


*_, w = kozinec_steps(A, 0.01)
assert np.linalg.norm(w) - 0.01 <= (A @ w).min() / np.linalg.norm(w) <= m <= np.linalg.norm(w)
certificate = Kozinec(eps=0.01, bias="augmented").fit(X, k).certificate_
assert certificate.upper - certificate.lower <= 0.01 and certificate.lower <= m <= certificate.upper
assert Kozinec(method="plain", bias="augmented").fit(X, k).score(X, k) == 1.0
keep("38_kozinec", plot.step([1.0, 2.0], [2.0, -1.5], Nearest()))
keep("38_path", plot.mirrored_hull(V, v, updates=4))
cloud = np.vstack([rng.normal(0, 1, (100, 2)), rng.normal(5, 1, (100, 2))])
keep("39_bounds", plot.bounds(Kozinec(tol=1e-3, bias="augmented").fit(cloud, np.repeat([1, 2], 100))))

# %% [markdown]
# ## 40 The role of the Mahalanobis distance: eps = Phi(-r)
#
# S4's "eps ~ 1/r" means that it falls as r grows.

# %%
for mean, cov, label, r, eps in zip(means, sigma, J, task.radii_, task.errors_, strict=True):
    sign = 1 if label == task.classes_[1] else -1
    distance = sign * (task.coef_[0] @ mean + task.intercept_[0]) / sqrt(task.coef_[0] @ cov @ task.coef_[0])
    assert np.isclose(r, distance) and np.isclose(eps, norm.cdf(-r))

# %% [markdown]
# ## 41, 42 Optimal solution; the algorithm with improving directions

# %%
direction = Anderson(method="direction", tol=1e-4).fit_gaussians(means, sigma, J)
assert np.isclose(direction.error_, task.error_, rtol=0.01)
keep("42_directions", plot.worst_error(direction))
r_best = min(task.radii_)
for tilt in rng.normal(0, 0.2, (300, 3)):  # no hyperplane near it has a larger least r
    w, b = task.coef_[0] + tilt[:2] * np.linalg.norm(task.coef_[0]), task.intercept_[0] * (1 + tilt[2])
    other = hyperplane_errors(w, b, means, sigma, np.where(task.classes_[1] == J, 1, -1))
    assert max(other) >= task.error_ * (1 - 1e-9)

# %% [markdown]
# ## 43, 44 eps-solution using Kozinec's algorithm (or the perceptron) on the ellipsoids of radius r0

# %%
required = 0.05
assert required > task.error_  # it is possible
r0 = -norm.ppf(required)
for method in ("kozinec", "perceptron"):
    found = Anderson(error=required, method=method).fit_gaussians(means, sigma, J)
    assert max(found.errors_) <= required and min(found.radii_) >= r0 * (1 - 1e-9)
plot.animate_gaussians(means, sigma, J, FOLDER / "S4_43_growing_ellipses.gif", required)
impossible = Anderson(error=0.5 * task.error_).fit_gaussians(means, sigma, J)
print(impossible.certificate_)
assert impossible.certificate_.status == "impossible"
plt.close("all")
