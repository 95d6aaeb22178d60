# %% [markdown]
# # S2: Linear Classifier and its Learning by Perceptron (structured output)
#
# The lecture from top to bottom: the generic linear classifier, its instances (two classes, many classes, sequences,
# Markov networks), empirical risk, separable examples, and the structured perceptron. The slides have no numbers; the
# headings are their titles. Run it as a notebook (percent format), or `python examples/lecture_S2.py [folder]`.

# %%
from __future__ import annotations

import sys
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from linsep import NetworkClassifier, Perceptron, SequenceClassifier, StructuredClassifier, plot, trace
from linsep.inference import Network, solve
from linsep.inference.chain import viterbi
from linsep.risk import empirical_risk

FOLDER = Path(sys.argv[1] if len(sys.argv) == 2 else "out")
FOLDER.mkdir(parents=True, exist_ok=True)


def keep(name, axes):
    """Write a picture to the folder; a notebook shows and closes it by itself."""
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    figure.savefig(FOLDER / f"S2_{name}.png", dpi=90)
    if "ipykernel" not in sys.modules:
        plt.close(figure)


# %% [markdown]
# ## A generic linear classifier: h(x; w) = Argmax over y in Y(x) of <w, phi(x,y)>


# %%
def h(x, w, phi, labels):
    return max(labels(x), key=lambda y: w @ phi(x, y))


# %% [markdown]
# ## Example: two-classes linear classifier, phi(x,y) = [y phi(x), y]
#
# The data are those of S1's worked example. Learned as a structure it is the two-class perceptron, update by update.

# %%
X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
y = np.array([-1] * 5 + [1] * 4)


def phi_of_two(x, y):
    return y * np.append(x, 1.0)


by_phi = StructuredClassifier(phi_of_two, labels=[-1, 1], keep="last", shuffle=False).fit(list(X), list(y))
by_sign = Perceptron(keep="last", scaling=None).fit(X, y)
assert np.allclose(by_phi.coef_, 2 * np.append(by_sign.coef_, by_sign.intercept_))  # phi(x,y) - phi(x,-y) = 2 y [x, 1]
assert all(h(x, by_phi.coef_, phi_of_two, lambda x: [-1, 1]) == label for x, label in zip(X, y, strict=True))

# %% [markdown]
# ## Example: multi-class linear classifier, phi(x,y) = (0; ...; phi(x) in the y-th slot; ...; 0)

# %%
rng = np.random.default_rng(0)
centres = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 4.0]])
P, c = np.repeat(centres, 15, axis=0) + rng.normal(0, 0.6, (45, 2)), np.repeat([0, 1, 2], 15)


def phi_of_many(x, y):
    slots = np.zeros((3, 3))
    slots[y] = np.append(x, 1.0)
    return slots.ravel()


machine = Perceptron(keep="last", scaling=None).fit(P, c)
w = np.column_stack([machine.coef_, machine.intercept_]).ravel()
assert np.allclose([[w @ phi_of_many(x, k) for k in range(3)] for x in P], machine.decision_function(P))
assert [h(x, w, phi_of_many, lambda x: range(3)) for x in P] == machine.predict(P).tolist() == c.tolist()
keep("multi_class", plot.regions(machine, P, c))

# %% [markdown]
# ## Example: sequence classifier, JOHN = Argmax over 26^4 labellings
#
# Pictures of letters are noisy vectors; letters of a name are labelled together.

# %%
ALPHABET = [chr(ord("A") + k) for k in range(26)]
NAMES = ["JOHN", "BILL", "DANA", "JILL", "ADAM", "NINA", "LISA", "EMIL", "HANA", "ALAN"]
PATTERNS = rng.normal(0, 1, (26, 12))


def draw(name, noise=0.7):
    return np.array([PATTERNS[ALPHABET.index(letter)] for letter in name]) + rng.normal(0, noise, (len(name), 12))


words, letters = [draw(name) for name in NAMES * 3], [list(name) for name in NAMES * 3]
reader = SequenceClassifier(fit_end=False, random_state=0, max_iter=50).fit(words, letters)
print(reader.certificate_)
assert "".join(reader.predict([words[0]])[0]) == "JOHN"
best, second = reader.predict_best([words[0]], 2)[0]
assert "".join(best.labels) == "JOHN" and best.score > second.score
print(f"<phi(x, {''.join(best.labels)}), w> = {best.score:.2f} > {second.score:.2f} of {''.join(second.labels)}")

# %% [markdown]
# ## Hidden Markov chain: p(x,y) = p(y1) prod p(y_i | y_i-1) prod p(x_i | y_i), and its MAP estimate
#
# With logarithms as weights it is a linear classifier; dynamic programming finds what trying all labellings finds.

# %%
start, transition = np.array([0.6, 0.2, 0.2]), np.array([[0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.5, 0.3, 0.2]])
emission = np.array([[0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
chain = SequenceClassifier.from_hmm(start, transition, emission, labels=list("ANT"), symbols=list("ant"))


def probability(x, y):
    pairs = np.prod([transition[j, k] for j, k in pairwise(y)])
    return start[y[0]] * pairs * np.prod([emission[k, s] for s, k in zip(x, y, strict=True)])


for x in product(range(3), repeat=4):
    best_y = max(product(range(3), repeat=4), key=lambda y, x=x: probability(x, y))
    found = chain.predict([["ant"[s] for s in x]])[0]
    assert np.isclose(probability(x, best_y), probability(x, ["ANT".index(k) for k in found]))
tables = np.log(emission[:, [1, 0, 1, 2]].T)
tables[0] += np.log(start)
labels, value = viterbi(tables, np.log(transition))
assert np.isclose(value, np.log(probability([1, 0, 1, 2], labels)))
keep("trellis", plot.trellis(chain, list("nant"), list("TANA")))

# %% [markdown]
# ## phi(x,y) = phi(y1) + sum phi(y_i-1, y_i) + sum phi(x_i, y_i)
#
# The chain's own phi, written out, has the classifier's scores.


# %%
def phi_of_chain(x, y):
    first, pairs, emitted = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    first[y[0]] += 1
    for j, k in pairwise(y):
        pairs[j, k] += 1
    for symbol, k in zip(x, y, strict=True):
        emitted[symbol, k] += 1
    return np.concatenate([first, pairs.ravel(), emitted.ravel()])


def list_weights(rule):
    """w of a classifier in the order of phi_of_chain."""
    rows = [rule.reader_.numbers[symbol] for symbol in "ant"]
    return np.concatenate([rule.weights_.start, rule.weights_.pairs.ravel(), rule.weights_.emission[rows].ravel()])


w = list_weights(chain)
for y_ in product(range(3), repeat=4):
    assert np.isclose(w @ phi_of_chain([1, 0, 1, 2], y_), np.log(probability([1, 0, 1, 2], y_)))

# %% [markdown]
# ## Example: Max-Sum (Markov-Network) classifier
#
# A cycle of four nodes; the answer has an upper bound of all labellings, and trying all confirms it.

# %%
edges = [(0, 1), (1, 2), (2, 3), (3, 0)]
g_v, g_vv = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3))


def total(y):
    return sum(g_v[v, y[v]] for v in range(4)) + sum(g_vv[e, y[v], y[u]] for e, (v, u) in enumerate(edges))


answer = solve(Network.from_tables(g_v, edges, pairwise=g_vv))
assert answer.status == "optimal"
assert np.isclose(answer.value, max(map(total, product(range(3), repeat=4))))
assert np.isclose(total(answer.labels), answer.value)

graphs = [(rng.choice([-1, 1], (4, 1)) * rng.uniform(0.5, 2.0, (4, 1)), np.array(edges)) for _ in range(20)]
marks = [(features[:, 0] > 0).astype(int) for features, _ in graphs]
network = NetworkClassifier(random_state=0, max_iter=50).fit(graphs, marks)
assert network.score(graphs, marks) == 1.0

# %% [markdown]
# ## Learning by empirical risk minimization: R = 1/m sum l(y, h(x; w)), l >= 0, and 0 iff y = y'

# %%
truth, read = [list("JOHN"), list("BILL")], [list("JOHN"), list("HILT")]
assert empirical_risk(truth, read, "hamming") == (0 + 2 / 4) / 2
assert empirical_risk(truth, read, "zero-one") == 1 / 2
assert reader.risk(words, letters) == 0

# %% [markdown]
# ## Learning from separable examples, definition 1; 26^4 - 1 inequalities of every name
#
# `separated` means that the truth beats every rival strictly: here against all 3^4 - 1 rivals of one word.

# %%
assert reader.certificate_.status == "separated" and bool(reader.check(words, letters))
rivals = 26**4 - 1
assert rivals == 456_975
options = {"fit_end": False, "fit_intercept": False}  # S2's phi: no end term, no weight of a label alone
task = [list("nant"), list("tan")], [list("TANA"), list("NAT")]
few = SequenceClassifier(random_state=0, max_iter=50, **options).fit(*task)
w = list_weights(few)
score = {labels: w @ phi_of_chain([1, 0, 1, 2], labels) for labels in product(range(3), repeat=4)}
true_score = score.pop((2, 0, 1, 0))  # of TANA
assert len(score) == 3**4 - 1 and all(true_score > other for other in score.values())

# %% [markdown]
# ## Example: noise-free setting: labels made by a linear h* are separable

# %%
w_star = rng.normal(size=(3, 3))
Q = rng.normal(size=(200, 2))
noise_free = np.argmax(np.column_stack([Q, np.ones(200)]) @ w_star.T, axis=1)
assert Perceptron(max_iter=10_000).fit(Q, noise_free).certificate_.status == "separated"

# %% [markdown]
# ## (Generic) perceptron algorithm, theorem 1: at most A^2 / gamma^2 steps


# %%
def generic_perceptron(A):
    """Theorem 1's algorithm on a list of points."""
    w, steps = np.zeros(A.shape[1]), 0
    while (A @ w <= 0).any():
        w, steps = w + A[np.argmax(A @ w <= 0)], steps + 1
    return w, steps


A = y[:, None] * np.column_stack([X, np.ones(9)])
w, steps = generic_perceptron(A)
best = StructuredClassifier(phi_of_two, labels=[-1, 1], rule="maximum margin").fit(list(X), list(y))
gamma, longest = best.certificate_.lower / 2, np.linalg.norm(A, axis=1).max()
assert (A @ w > 0).all() and steps <= longest**2 / gamma**2
keep("novikoff", plot.novikoff(X, y))

# %% [markdown]
# ## Structured output perceptron: w <- w + phi(x,y) - phi(x,ŷ)
#
# The algorithm with the chain's phi, trying all labellings. Of rivals that score the same the library may take another
# one, so it may make other updates; both end when every right labelling beats all others.


# %%
def structured_perceptron(examples, labels):
    """S2's algorithm, going over the examples again and again; ties count as errors, as w = 0 ties everything."""
    w, clean, i, updates = np.zeros(21), 0, 0, 0
    while clean < len(examples):
        x, truth = examples[i % len(examples)]
        rivals = [rival for rival in product(range(labels), repeat=len(x)) if rival != truth]
        best = max(rivals, key=lambda rival: w @ phi_of_chain(x, rival))
        clean += 1
        if w @ phi_of_chain(x, truth) <= w @ phi_of_chain(x, best):
            w, clean, updates = w + phi_of_chain(x, truth) - phi_of_chain(x, best), 0, updates + 1
        i += 1
    return w, updates


examples = [((1, 0, 1, 2), (2, 0, 1, 0)), ((2, 0, 1), (1, 0, 2))]
w, updates = structured_perceptron(examples, 3)
assert all(
    w @ phi_of_chain(x, truth) > w @ phi_of_chain(x, rival)
    for x, truth in examples
    for rival in product(range(3), repeat=len(x))
    if rival != truth
)
same = SequenceClassifier(keep="last", shuffle=False, max_iter=100, **options).fit(*task)
assert same.certificate_.status == "separated" and same.check(*task)

# %% [markdown]
# ## Convergence of the structured output perceptron: A^2 / gamma^2, A <= 2 max |phi|

# %%
vectors = np.array(
    [
        phi_of_chain(x, truth) - phi_of_chain(x, rival)
        for x, truth in examples
        for rival in product(range(3), repeat=len(x))
        if rival != truth
    ]
)
longest = np.linalg.norm(vectors, axis=1).max()
largest_phi = max(np.linalg.norm(phi_of_chain(x, y_)) for x, _ in examples for y_ in product(range(3), repeat=len(x)))
assert longest <= 2 * largest_phi
optimal = SequenceClassifier(rule="maximum margin", **options).fit(*task)
gamma = optimal.certificate_.lower
w = list_weights(optimal)
assert np.isclose((vectors @ w).min() / np.linalg.norm(w), gamma, rtol=1e-6)
assert updates <= longest**2 / gamma**2
before = np.zeros(optimal.coef_.size)
traced = list(trace(SequenceClassifier(keep="last", shuffle=False, **options), *task))
for update in traced:
    assert np.allclose(update.w, before + update.a)  # a = phi(x,y) - phi(x,ŷ)
    before = update.w
assert len(traced) <= longest**2 / gamma**2
print(f"{updates} updates <= A²/gamma² = {longest**2 / gamma**2:.1f}")
untrained = SequenceClassifier(max_iter=1, max_updates=1, keep="last", shuffle=False, **options)
untrained.fit(*task)
keep("change_of_w", plot.trellis(untrained, list("tan"), list("NAT")))
plt.close("all")
