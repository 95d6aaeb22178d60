# %% [markdown]
# # S0: Perceptron Classifier: Empirical vs Structural Risk Minimization
#
# The lecture from top to bottom, slide by slide (n/45): every formula with a number to check, every algorithm written
# down in a few lines and compared with the library, every figure drawn. The figures' points are our own, since the
# lecture does not print them. Run it as a notebook (percent format), or `python examples/lecture_S0.py [folder]`.

# %%
from __future__ import annotations

import sys
import warnings
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from linsep import (
    Bayes,
    Functions,
    Kozinec,
    Lifted,
    MaximumMargin,
    Perceptron,
    Polynomial,
    plot,
    separability,
    trace,
)  # fmt: skip
from linsep.bayes import Gaussian, Model, ProbabilityTable, Strategy
from linsep.risk import StructuralRisk, dimension_capacity, empirical_risk, enclosing_ball, margin_capacity, vc_bound
from linsep.rules import Increment, Nearest

FOLDER = Path(sys.argv[1] if len(sys.argv) == 2 else "out")
FOLDER.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore", ConvergenceWarning)


def keep(name, axes):
    """Write a picture to the folder; a notebook shows and closes it by itself."""
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    figure.savefig(FOLDER / f"S0_{name}.png", dpi=90)
    if "ipykernel" not in sys.modules:
        plt.close(figure)


# %% [markdown]
# ## 2 Classifier design (Bayes): R(q) = sum p(x,k) W(q(x),k)
#
# A table of probabilities, a loss, the strategy of least risk; the sum written out.

# %%
p = [[Fraction(1, 2), Fraction(1, 10)], [Fraction(1, 10), Fraction(3, 10)]]  # rows x, columns k
W = [[0, 10], [1, 0]]  # taking the second class for the first costs 10
table = ProbabilityTable(p, classes=[1, 2])
q = table.strategy(W)
R = sum(p[x][k] * W[[1, 2].index(q[x])][k] for x in range(2) for k in range(2))
assert table.risk(q, W) == R == Fraction(6, 10)
assert all(table.risk([i, j], W) >= R for i in (1, 2) for j in (1, 2))  # no strategy is better

# %% [markdown]
# ## 3 Classifier design via parameter estimation
#
# Gaussians are estimated from a training set, then the risk is minimised as if they were true. Cross-validation
# predicts the error on test data.

# %%
rng = np.random.default_rng(0)
cloud = np.vstack([rng.normal(0, 1, (100, 2)), rng.normal(2, 1, (100, 2))])
kind = np.repeat([1, 2], 100)
estimated = Bayes(Gaussian()).fit(cloud, kind)
keep("03_parameters", plot.strategy(estimated, cloud, kind, contours=True))
known = Strategy(Model([Gaussian.from_parameters([m, m], np.eye(2)) for m in (0.0, 2.0)]))
accuracy = cross_val_score(estimated, cloud, kind).mean()
print(f"3: cross-validated accuracy {accuracy:.3f}; risk of the true densities {known.risk(random_state=0)}")

# %% [markdown]
# ## 4 Classifier design via risk minimization: R_emp = 1/L sum W(q(x_i), k_i)

# %%
assert empirical_risk([1, 1, 2, 2], [1, 2, 2, 1], W, labels=[1, 2]) == (0 + 1 + 0 + 10) / 4

# %% [markdown]
# ## 5 Empirical risk minimization can lead to overfitting

# %%
points = rng.uniform(-1, 1, (90, 2))
side = (points[:, 1] > 1.2 * points[:, 0] ** 2 - 0.4).astype(int)
side[rng.random(90) < 0.08] ^= 1
ladder = [(f"degree {d}", Lifted(Polynomial(d), MaximumMargin(C=C))) for d, C in ((1, 10.0), (2, 10.0), (6, 1e3))]
model = StructuralRisk(ladder, choose="cross-validation").fit(points, side)
keep("05_overfitting", plot.fits(model, points, side))
poor, chosen, rich = model.table_
assert poor.empirical > chosen.empirical > rich.empirical  # a richer class has a smaller empirical risk
assert chosen.cross_validated < min(poor.cross_validated, rich.cross_validated)  # but not a smaller true one

# %% [markdown]
# ## 6 Structural risk minimization principle (1): the bound of Vapnik and Chervonenkis

# %%
N, h, eta = 1000, 6, 0.05
assert np.isclose(vc_bound(0.1, h, N, eta).value, 0.1 + sqrt((h * (log(2 * N / h) + 1) - log(eta / 4)) / N))
keep("06_bound", plot.structural_risk(model))

# %% [markdown]
# ## 7 Structural risk minimization principle (2): h <= R^2/m^2 + 1; SVM or eps-Kozinec maximise m

# %%
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
k = np.array([-1] * 5 + [1] * 4)
best = MaximumMargin().fit(X, k)
w, b = best.coef_[0], best.intercept_[0]
m = min((X[k == 1] @ w + b).min(), (-(X[k == -1] @ w) - b).min()) / np.linalg.norm(w)
assert np.isclose(m, best.margin_)
R = enclosing_ball(X, tol=1e-6).radius
assert margin_capacity(R, m) == np.ceil(R**2 / m**2) + 1
keep("07_R_and_m", plot.radius_and_margin(best, X, k))
svm, kozinec = MaximumMargin(C=1.0).fit(X, k), Kozinec(eps=0.01).fit(X, k)
assert m - 0.01 <= kozinec.certificate_.lower <= m <= kozinec.certificate_.upper

# %% [markdown]
# ## 8 Vapnik suggests learning with progressively more complex classes

# %%
print(model.table_)

# %% [markdown]
# ## 9 Linear classifiers: their capacity in n dimensions is n + 1
#
# Three points of the plane can be divided in all ways, of four points XOR cannot.

# %%
triangle, square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
assert dimension_capacity(2) == 3
assert all(separability(triangle, sides).status == "separated" for sides in ([0, 0, 1], [0, 1, 0], [1, 0, 0]))
assert separability(square, [0, 0, 1, 1]).status == "not separable"

# %% [markdown]
# ## 10, 11 Linear separability (2), dichotomy (3)

# %%
assert separability(X, k).status == "separated"
rule = Perceptron(keep="last", scaling=None).fit(X, k)
assert np.array_equal(np.sign(X @ rule.coef_[0] + rule.intercept_), k)
keep("11_dichotomy", plot.decision(rule, X, k))

# %% [markdown]
# ## 12, 13 Perceptron classifier (4)-(6), formulation: points, augmented, mirrored

# %%
x, labels = np.array([[0.5], [1.0], [1.6], [2.4], [3.0]]), np.array([-1, -1, -1, 1, 1])
A = labels[:, None] * np.column_stack([np.ones(5), x])  # x'' = k (1, x), as S0 writes it
threshold = Perceptron(keep="last", scaling=None).fit(x, labels)
assert (A @ [threshold.intercept_[0], threshold.coef_[0, 0]] > 0).all()  # (6)
keep("13_formulation", plot.three_spaces(threshold, x, labels))

# %% [markdown]
# ## 14 Perceptron learning: algorithm (Rosenblatt 1962)


# %%
def perceptron(A):
    """S0's algorithm, going over the data again and again; yields w(1), w(2), ..."""
    w, clean, j = np.zeros(A.shape[1]), 0, 0
    while clean < len(A):
        clean += 1
        if w @ A[j] <= 0:  # wrongly classified
            w, clean = w + A[j], 0
            yield w
        j = (j + 1) % len(A)


run = list(perceptron(A))
for by_hand, update in zip(run, trace(Perceptron(scaling=None), x, labels), strict=True):
    assert np.allclose(by_hand, update.w[[1, 0]])  # the library has the bias last

# %% [markdown]
# ## 15 Perceptron, example 1: two points, two updates

# %%
two, sides = np.array([[2.0, 1.0], [-1.0, 3.0]]), np.array([1, -1])
vectors = sides[:, None] * two
assert (vectors[0] @ vectors[1] <= 0) and [w.tolist() for w in perceptron(vectors)] == [[2, 1], [3, -2]]
keep("15_example_1", plot.weight_space(two, sides))

# %% [markdown]
# ## 16-22 Perceptron, example 2: seven iterations in the space of weights

# %%
assert len(run) == 7
plot.animate(x, labels, FOLDER / "S0_16_example_2.gif", space="weights")
keep("22_example_2", plot.weight_space(x, labels))

# %% [markdown]
# ## 23-25 Novikoff theorem and its proof: (17), (22), (23), (24)

# %%
u = MaximumMargin(bias="augmented").fit(x, labels)
unit = np.append(u.intercept_, u.coef_) / np.linalg.norm(np.append(u.intercept_, u.coef_))
gamma, D = (A @ unit).min(), np.linalg.norm(A, axis=1).max()
for t, w in enumerate(run, start=1):
    assert t * D**2 >= w @ w >= (w @ unit) ** 2 >= (t * gamma) ** 2 * (1 - 1e-9)
assert len(run) <= D**2 / gamma**2
assert np.isclose(threshold.certificate_.longest, D)
V, v = np.array([[3.0, 1.5], [2.0, 2.5], [-1.0, -2.2], [-1.8, -0.9], [-2.6, -2.4]]), np.array([1, 1, -1, -1, -1])
keep("23_novikoff", plot.longest_vector(V, v))
keep("25_proof", plot.novikoff(x, labels))
print(f"24: {len(run)} updates <= D²/gamma² = {D**2 / gamma**2:.1f}")

# %% [markdown]
# ## 26, 27 Perceptron learning as an optimisation problem: J has no gradient, J_p has

# %%
keep("26_J", plot.criterion(x, labels, "errors"))
keep("27_J_p", plot.criterion(x, labels, "perceptron", start=[-1.0, 2.0], rate=0.2))
keep("27_J_p_surface", plot.criterion(x, labels, "perceptron", start=[-1.0, 2.0], rate=0.2, surface=True))


def J_p(w):
    return -(A @ w)[A @ w <= 0].sum()


w = np.array([2.0, -1.0])
numeric = [(J_p(w + 1e-6 * e) - J_p(w - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
assert np.allclose(numeric, -A[A @ w <= 0].sum(axis=0))  # (29)

# %% [markdown]
# ## 28 Perceptron learning: non-separable case
#
# The best w so far is kept. S0 says that it converges to the optimum with probability 1; a finite run shows the best
# w that it saw, and its errors.

# %%
mixed, mixed_k = np.vstack([x, [[2.7]]]), np.append(labels, -1)
B = mixed_k[:, None] * np.column_stack([np.ones(6), mixed])
w, E, best_w, seen = np.zeros(2), len(B), np.zeros(2), []
for _ in range(50):
    wrong = B @ w <= 0
    if wrong.sum() < E:
        E, best_w = wrong.sum(), w
    seen.append(wrong.sum())
    w = w + B[wrong].sum(axis=0)
pocket = Perceptron(batch=True, keep="pocket", max_iter=50, scaling=None).fit(mixed, mixed_k)
errors = int((pocket.predict(mixed) != mixed_k).sum())
print(f"28: least errors {E} by hand, {errors} in the library: {pocket.certificate_}")
assert E == min(seen) == errors == 1  # no threshold has fewer
keep("28_mistakes", plot.mistakes(pocket))


def term_cond(progress):
    """TermCond(w*, t, t_lup): no better w for ten passes."""
    return progress.t - progress.t_lup >= 10


ended = Perceptron(batch=True, keep="pocket", scaling=None, stop=term_cond).fit(mixed, mixed_k)
assert ended.n_iter_ < 50 and (ended.predict(mixed) != mixed_k).sum() <= 2

# %% [markdown]
# ## 29 Dimension lifting (30): (x, x^2) makes separable what no threshold separates

# %%
line = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]
inside = np.where(np.abs(line[:, 0]) < 1, -1, 1)
assert separability(line, inside).status == "not separable"
plain = Lifted(Polynomial(2, centre=False, scale=False), Perceptron(keep="last", scaling=None)).fit(line, inside)
assert plain.certificate_.status == "separated"
keep("29_lifting", plot.lifted(plain, line, inside))

# %% [markdown]
# ## 30-40 Lifting, example 1: (x, x^2 - 1), and the discriminant function in powers of x, (32) and (33)
#
# "Perceptron then converges faster for our data (this is related to the Novikoff theorem)": D^2/m^2 is smaller.


# %%
def lift_points(x, shift):
    """S0's lift (x, x^2 - shift) of a column."""
    return np.column_stack([x, x**2 - shift])


bound, count = {}, {}
for shift in (0.0, 1.0):
    Z = inside[:, None] * np.column_stack([np.ones(12), lift_points(line, shift)])
    m = MaximumMargin(bias="augmented").fit(lift_points(line, shift), inside).margin_
    bound[shift], count[shift] = (Z**2).sum(axis=1).max() / m**2, len(list(perceptron(Z)))
print(f"30: D²/m² and updates on (x, x²): {bound[0]:.0f}, {count[0]}; on (x, x² - 1): {bound[1]:.0f}, {count[1]}")
assert bound[1] < bound[0]

# %% [markdown]
# Seven points for which the perceptron ends exactly at S0's f(x) = 3 - 1.5 x + 3.12 (x^2 - 1). The lecture does not
# print its own points.

# %%
seven = np.array([[-0.9], [0.8], [-0.1], [1.8], [0.25], [0.0], [0.2]])
outside = np.array([1, 1, 1, 1, -1, -1, -1])
*_, w = perceptron(outside[:, None] * np.column_stack([np.ones(7), lift_points(seven, 1.0)]))
assert np.allclose(w, [3, -1.5, 3.12])  # (32)
lift = Functions(["x^2 - 1"], centre=False, scale=False)
learned = Lifted(lift, Perceptron(keep="last", scaling=None)).fit(seven, outside)
assert np.allclose(learned.lift_.transform(seven), lift_points(seven, 1.0))
assert np.allclose(np.append(learned.classifier_.intercept_, learned.classifier_.coef_), w)
f = learned.as_polynomial()
print(f"40: {f}")
assert f.to_string() == "3.12·x² − 1.5·x − 0.12"  # (33)
assert np.allclose(f(seven), learned.decision_function(seven))
keep("39_lifted", plot.lifted(learned, seven, outside))
keep("40_result", plot.decision(learned, seven, outside))

# %% [markdown]
# ## 41, 42 Optimal separating plane, bounds for the margin m (34)
#
# The plane of largest margin is the nearest point of the hull of the mirrored vectors.

# %%
keep("41_hyperplane", plot.hulls(MaximumMargin().fit(V, v), V, v))
keep("41_hull", plot.mirrored_hull(V, v))
augmented = MaximumMargin(bias="augmented").fit(X, k)
hull = k[:, None] * np.column_stack([X, np.ones(9)])
m = augmented.margin_
for weights in rng.dirichlet(np.ones(9), 200):  # (34) for any w of the hull
    w = weights @ hull
    assert (hull @ w).min() / np.linalg.norm(w) <= m * (1 + 1e-9) and m <= np.linalg.norm(w) * (1 + 1e-9)
keep("42_bounds", plot.mirrored_hull(V, v, updates=4))

# %% [markdown]
# ## 43, 44, 45 eps-solution, Kozinec (1973), Kozinec and eps-solution


# %%
def kozinec_steps(hull, eps):
    """S0's algorithm: w is a point of the hull, and moves to the nearest point of the segment to a violated one."""
    w = hull[0]
    while True:
        yield w
        j = np.argmin(hull @ w)
        if np.linalg.norm(w) - hull[j] @ w / np.linalg.norm(w) < eps:
            return
        kappa = np.clip(w @ (w - hull[j]) / ((w - hull[j]) @ (w - hull[j])), 0, 1)
        w = (1 - kappa) * w + kappa * hull[j]


eps = 0.01
*_, w = kozinec_steps(hull, eps)
assert np.linalg.norm(w) - eps <= (hull @ w).min() / np.linalg.norm(w) <= m <= np.linalg.norm(w)
found = Kozinec(eps=eps, bias="augmented").fit(X, k).certificate_
assert found.upper - found.lower <= eps and found.lower <= m <= found.upper
plain_kozinec = Kozinec(method="plain", bias="augmented").fit(X, k)  # C8: stops at the first w that separates
assert plain_kozinec.score(X, k) == 1.0
keep("44_kozinec", plot.step([1.0, 2.0], [2.0, -1.5], Nearest()))
keep("44_perceptron", plot.step([1.0, 2.0], [2.0, -1.5], Increment(1.0)))
keep("45_eps", plot.bounds(Kozinec(tol=1e-3, bias="augmented").fit(cloud[:, :1] - 3.0 * (kind == 1)[:, None], kind)))
plt.close("all")
