# %% [markdown]
# # S3: discriminant functions, many classes, gradient descent
#
# The slides that begin with "Empirical Risk Minimization", from top to bottom: generative and discriminative
# classifiers, linear discriminant functions, one versus all, one versus one, the linear machine, Cover's theorem,
# gradient descent and the algorithms 1 to 5. The slides have no numbers; the headings are their titles. Run it as a
# notebook (percent format), or `python examples/lecture_S3.py [folder]`.

# %%
from __future__ import annotations

import sys
import warnings
from itertools import combinations, product
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.exceptions import ConvergenceWarning

from linsep import (
    Bayes,
    Functions,
    GradientDescent,
    Lifted,
    Mahalanobis,
    MaximumMargin,
    NearestMean,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Quadratic,
    plot,
    separability,
    trace,
)  # fmt: skip
from linsep.bayes import Gaussian, Parzen, PiecewiseConstant, Rayleigh, Uniform
from linsep.plot.dichotomies import share_separable
from linsep.risk import empirical_risk

FOLDER = Path(sys.argv[1] if len(sys.argv) == 2 else "out")
FOLDER.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore", ConvergenceWarning)


def keep(name, axes):
    """Write a picture to the folder; a notebook shows and closes it by itself."""
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    figure.savefig(FOLDER / f"S3_{name}.png", dpi=90)
    if "ipykernel" not in sys.modules:
        plt.close(figure)


# %% [markdown]
# ## Empirical risk minimization: learning minimises a loss on the training data

# %%
rng = np.random.default_rng(0)
lightness = np.concatenate([rng.normal(3, 1, 150), rng.normal(6, 1.2, 150)])
width = np.concatenate([rng.normal(19, 1, 150), rng.normal(16, 1.2, 150)])
fish, kind = np.column_stack([lightness, width]), np.repeat(["salmon", "sea bass"], 150)
rule = Perceptron().fit(fish, kind)
assert np.isclose(empirical_risk(kind, rule.predict(fish)), np.mean(rule.predict(fish) != kind))

# %% [markdown]
# ## Classifier taxonomy: generative (parametric, non-parametric) and discriminative
#
# Class conditional densities of one feature; Gaussian, uniform, Rayleigh, or built from the data.

# %%
brightness = fish[:, :1]
for name, density in {
    "gaussian": Gaussian(), "uniform": Uniform(), "rayleigh": Rayleigh(), "parzen": Parzen(),
    "piecewise": PiecewiseConstant(),
}.items():  # fmt: skip
    generative = Bayes(density).fit(brightness, kind)
    print(f"{name:>10}: accuracy {generative.score(brightness, kind):.3f}")
    if name in ("gaussian", "parzen"):
        keep(f"density_{name}", plot.strategy(generative, brightness, kind))

# %% [markdown]
# ## Figure 1.4: lightness and width; with two features fewer errors than with one

# %%
two = Bayes(Gaussian()).fit(fish, kind)
assert two.score(fish, kind) > Bayes(Gaussian()).fit(brightness, kind).score(brightness, kind)
keep("figure_1_4", plot.strategy(two, fish, kind, contours=True))

# %% [markdown]
# ## Discriminative classifier: no density; weights that define the decision surface are updated

# %%
keep("discriminative", plot.decision(rule, fish, kind))

# %% [markdown]
# ## Figure 5.1, g(x) = w'x + w0 (1): decide omega_1 if g(x) > 0
#
# The data of S1's worked example.

# %%
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([-1] * 5 + [1] * 4)  # omega_2 and omega_1, the class of g > 0
line = MaximumMargin().fit(X, y)
w, w0 = line.coef_[0], line.intercept_[0]
g = X @ w + w0
assert np.array_equal(np.where(g > 0, 1, -1), y)  # the unit of figure 5.1 emits +1 or -1

# %% [markdown]
# ## w is orthogonal to the decision surface; x = x_p + r w/|w|, r = g(x)/|w|

# %%
along = np.array([-w[1], w[0]])
on_surface = -w0 * w / (w @ w) + np.outer([0.0, 1.0], along)
assert np.allclose(on_surface @ w + w0, 0) and np.isclose(w @ (on_surface[1] - on_surface[0]), 0)
r = line.distance(X)
assert np.allclose(r, g / np.linalg.norm(w))
foot = X - np.outer(r, w / np.linalg.norm(w))
assert np.allclose(foot @ w + w0, 0)
keep("distances", plot.decision(line, X, y, distances=True))

# %% [markdown]
# ## c linear discriminant functions; H_ij: (w_i - w_j)'x + (w_i0 - w_j0) = 0
#
# S3 prints g_i(x) = w'x_i + w_i0 and means w_i'x + w_i0.

# %%
centres = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.5], [6.5, 4.5], [-2.0, 4.0]])
P, c = np.repeat(centres, 20, axis=0) + rng.normal(0, 0.6, (100, 2)), np.repeat([1, 2, 3, 4, 5], 20)
machine = Perceptron(keep="last", scaling=None).fit(P, c)
scores = P @ machine.coef_.T + machine.intercept_
assert np.array_equal(machine.classes_[np.argmax(scores, axis=1)], machine.predict(P))

# %% [markdown]
# ## The quadratic discriminant function: w0 + sum w_i x_i + sum sum w_ij x_i x_j

# %%
third = np.where(c == 3, "3", "other")
conic = Lifted(Quadratic(), Perceptron()).fit(P, third)
polynomial = conic.as_polynomial()
assert np.allclose(polynomial(P), conic.decision_function(P))
print(f"quadratic: {polynomial}")
keep("quadratic", plot.decision(conic, P, third))

# %% [markdown]
# ## One versus all: c functions; one versus one: c(c-1)/2 functions with votes; their ambiguous regions

# %%
three = c <= 3
ova = OneVsAll(Perceptron(random_state=0)).fit(P[three], c[three])
ovo = OneVsOne(Perceptron(random_state=0)).fit(P[three], c[three])
assert len(ova.estimators_) == 3 and len(ovo.estimators_) == 3 * 2 / 2
assert len(OneVsOne(Perceptron()).fit(P, c).estimators_) == 5 * 4 / 2
votes = np.zeros((three.sum(), 3))
for (i, j), member in zip(combinations(range(3), 2), ovo.estimators_, strict=True):
    positive = member.predict(P[three]) == member.classes_[1]
    votes[np.arange(len(votes)), np.where(positive, j, i)] += 1
assert np.array_equal(votes, ovo.votes(P[three]))
keep("one_versus_all", plot.regions(ova, P[three], c[three]))
keep("one_versus_one", plot.regions(ovo, P[three], c[three]))

# %% [markdown]
# ## Figure 5.4: a linear machine of three and of five classes has no ambiguous regions

# %%
keep("figure_5_4_three", plot.regions(Perceptron(random_state=0).fit(P[three], c[three]), P[three], c[three]))
keep("figure_5_4_five", plot.regions(machine, P, c))

# %% [markdown]
# ## g(x) = a'y with functions y_i(x), called phi; linearly separable and non-separable data

# %%
assert separability(X, y).status == "separated"
radius = np.concatenate([rng.uniform(0, 0.8, 40), rng.uniform(1.1, 1.6, 60)])
angle = rng.uniform(0, 2 * np.pi, 100)
ring, out = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), (radius > 1).astype(int)
assert separability(ring, out).status == "not separable"

# %% [markdown]
# ## Cover's theorem: a non-linear map to more dimensions makes data separable
#
# The figure of the slide, and Cover's count of the separable dichotomies, for four points of the plane by trying all.

# %%
lift = Functions([("x1² + x2²", lambda X: (X**2).sum(axis=1, keepdims=True))], centre=False, scale=False)
lifted = Lifted(lift, MaximumMargin()).fit(ring, out)
assert lifted.certificate_.separable
keep("cover_lift", plot.lifted(lifted, ring, out))
keep("cover_before", plot.decision(lifted, ring, out))
keep("cover_count", plot.dichotomies())
four = rng.normal(size=(4, 2))
separable = [
    sides for sides in product([0, 1], repeat=4) if len(set(sides)) == 1 or separability(four, sides).separable
]
assert len(separable) / 2**4 == share_separable(4, 3) == 14 / 16

# %% [markdown]
# ## Nearest mean and Mahalanobis classifiers: their discriminants are linear or quadratic

# %%
nearest, shared, own = NearestMean().fit(P, c), Mahalanobis().fit(P, c), Mahalanobis("own").fit(P, c)
means = np.array([P[c == k].mean(axis=0) for k in nearest.classes_])
assert np.array_equal(nearest.predict(P), nearest.classes_[np.argmin(((P[:, None] - means) ** 2).sum(axis=2), axis=1)])
keep("nearest_mean", plot.strategy(nearest, P, c))
keep("mahalanobis", plot.strategy(shared, P, c))
keep("mahalanobis_own", plot.strategy(own, P, c))

# %% [markdown]
# ## Augmented feature vector y = (1, x), a = (w0, w); normalized version: -y of omega_2; a'y > 0 for all

# %%
Y = y[:, None] * np.column_stack([np.ones(9), X])
a = np.append(w0, w)
assert (Y @ a > 0).all()
cone = np.array([[3.0, 0.3], [1.0, 1.2], [1.6, -0.6], [0.5, -1.2]]), np.array([1, 1, 2, 2])
keep("normalized", plot.weight_space(*cone))
keep("three_spaces", plot.three_spaces(line, X, y))

# %% [markdown]
# ## Unique solutions. Example 1: unit length, largest least distance. Example 2: least length with a'y >= b
#
# The second is the first one times b/m.

# %%
b = 1.0
assert np.isclose(np.abs(r).min(), line.margin_)
shortest = MaximumMargin(bias="augmented").fit(X, y)
a = np.append(shortest.intercept_, shortest.coef_)
a *= b / (Y @ a).min()
assert np.isclose((Y @ a).min(), b) and np.isclose(np.linalg.norm(a), b / shortest.margin_, rtol=1e-6)
for other in rng.normal(a, 0.3, (500, 3)):  # no other a with a'y >= b is shorter
    assert (Y @ other).min() < b or np.linalg.norm(other) >= np.linalg.norm(a) * (1 - 1e-9)

# %% [markdown]
# ## Taylor, Cauchy-Schwarz: the negative gradient is the direction of steepest descent


# %%
def J_r(a, Y=Y, b=1.0):
    short = Y @ a <= b
    return 0.5 * ((Y @ a - b) ** 2 / (Y**2).sum(axis=1))[short].sum()


at, step = np.array([0.1, -0.2, 0.3]), 1e-4
gradient = np.array([(J_r(at + 1e-6 * e) - J_r(at - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
downhill = J_r(at - step * gradient / np.linalg.norm(gradient))
directions = rng.normal(size=(200, 3))
directions /= np.linalg.norm(directions, axis=1, keepdims=True)
assert all(J_r(at + step * d) >= downhill - 1e-9 for d in directions)

# %% [markdown]
# ## Algorithm 1 (basic gradient descent), with the criteria J_p, J_r and J_s

# %%
for name in ("errors", "perceptron", "relaxation", "squares"):
    keep(f"contours_{name}", plot.criterion(*cone, name))
    keep(f"surface_{name}", plot.criterion(*cone, name, surface=True))


def gradient_descent(gradient, a, eta, theta=1e-9, most=1000):
    """Algorithm 1; its step is tested before it is taken."""
    for k in range(1, most + 1):
        step = eta(k) * gradient(a)
        a = a - step
        if np.linalg.norm(step) < theta:
            break
    return a


def gradient_of_squares(a):
    return 2 * Y.T @ (Y @ a - 1.0)


found = gradient_descent(gradient_of_squares, np.zeros(3), lambda k: 6e-3, theta=1e-10, most=20_000)
descent = GradientDescent("squares", rate=6e-3, theta=1e-10, max_iter=20_000).fit(X, y)
assert np.allclose(found, np.append(descent.intercept_, descent.coef_), atol=1e-6)
assert np.allclose(found, np.linalg.pinv(Y) @ np.ones(9), atol=1e-4)

# %% [markdown]
# ## The perceptron criterion function, the perceptron rule, algorithm 3 (batch perceptron)

# %%
a = np.zeros(3)
while (Y @ a <= 0).any():
    a = a + Y[Y @ a <= 0].sum(axis=0)  # a(k+1) = a(k) + eta(k) sum of misclassified y
batch = Perceptron(batch=True, keep="last", scaling=None).fit(X, y)
assert np.allclose(a, np.append(batch.intercept_, batch.coef_))

# %% [markdown]
# ## Algorithm 4 (fixed-increment single-sample perceptron)

# %%
a, k, clean = np.zeros(3), 0, 0
while clean < 9:
    clean += 1
    if Y[k] @ a <= 0:
        a, clean = a + Y[k], 0
    k = (k + 1) % 9
*_, last = trace(Perceptron(scaling=None), X, y)
assert np.allclose(a, last.w[[2, 0, 1]])

# %% [markdown]
# ## Algorithm 5 (variable increment perceptron with margin)
#
# S3 prints its signs reversed. Violated means a'y <= b; it stops when none is.

# %%
a, k, clean, updates = np.zeros(3), 0, 0, 0
while clean < 9:
    clean += 1
    if Y[k] @ a <= 1.0:
        updates += 1
        a, clean = a + Y[k] / updates, 0  # eta(k) = 1/k
    k = (k + 1) % 9
variable = Perceptron(rate="1/k", margin=1.0, keep="last", scaling=None).fit(X, y)
assert np.allclose(a, np.append(variable.intercept_, variable.coef_))
assert (Y @ a > 1.0).all()

# %% [markdown]
# ## Perceptron convergence theorem: separable samples end in finitely many steps

# %%
print(variable.certificate_)
keep("convergence", plot.novikoff(X, y))
plt.close("all")
