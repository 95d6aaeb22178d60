"""Losses of labellings (E5): one order W(decision, truth) wherever a loss is taken; learned with and counted alike."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import linsep
from linsep import Bayes, NetworkClassifier, SequenceClassifier, StructuredClassifier
from linsep.bayes import Gaussian, ProbabilityTable, Strategy, monte_carlo_risk
from linsep.estimators._loss import count_loss, tabulate_loss
from linsep.oracles.custom import Custom, UserFunctions
from linsep.oracles.graphs import make_graphs
from linsep.oracles.labelling_loss import labelling_loss
from linsep.oracles.networks import networks
from linsep.oracles.sequences import features, sequences
from linsep.risk import empirical_risk

# deciding b where a is true costs 5; deciding a where b is true costs 1
W = np.array([[0.0, 1.0], [5.0, 0.0]])


def asymmetric(decision, truth):
    """W of two labels "a" and "b"."""
    return float(W["ab".index(decision), "ab".index(truth)])


def of_words(decision, truth):
    """The sum of W over the letters of two words."""
    return sum(asymmetric(d, t) for d, t in zip(decision, truth, strict=True))


# --- one order -------------------------------------------------------------------------------------------------------

TRUE_A = {  # the loss of every decision "b" where "a" is true, of all who take a loss: 5, not 1
    "empirical_risk, function": lambda: empirical_risk(["a"], ["b"], asymmetric),
    "empirical_risk, matrix": lambda: empirical_risk(["a"], ["b"], W, labels=["a", "b"]),
    "Bayes": lambda: bayes_for_b().losses([[4.5]], ["a"])[0],
    "Strategy": lambda: Strategy(bayes_for_b().strategy_.model, W).risks(np.array([[-50.0]]))[0, 1],
    "ProbabilityTable": lambda: float(ProbabilityTable([[1, 0]], ["a", "b"]).risk(["b"], W)),
    "monte_carlo_risk": lambda: monte_carlo_risk(lambda X: np.full(len(X), "b"), certain_a(), W, n=10).value,
    "Custom": lambda: -Custom([1.0], ["a"], UserFunctions(lambda x, y: np.zeros(1), labels=lambda x: ["a", "b"],
                                                           cost=asymmetric), loss=1.0).lowest(np.zeros(1), 0)[0],
    "StructuredClassifier": lambda: structured(asymmetric).risk([1.0], ["a"]),
    "SequenceClassifier, function": lambda: chain(asymmetric).risk([["u"]], [["a"]]),
    "SequenceClassifier, matrix": lambda: chain(W).risk([["u"]], [["a"]]),
    "NetworkClassifier, function": lambda: network(asymmetric).risk([NODE], [["a"]]),
    "NetworkClassifier, matrix": lambda: network(W).risk([NODE], [["a"]]),
    "sequences": lambda: -sequences([0, 1], [0], features(dense=np.zeros((1, 1))), 2, loss=1.0, cost=W).lowest(
        np.zeros(12), 0)[0],
    "networks": lambda: -networks(make_graphs([(np.zeros((1, 1)), np.zeros((0, 2), int), np.zeros((0, 1)))], 2,
                                              [np.array([0])]), loss=1.0, cost=W).lowest(np.zeros(6), 0)[0],
}  # fmt: skip
NODE = (np.ones((1, 1)), np.zeros((0, 2), dtype=int))


ROWS = [[0.0], [1.0], [8.0], [9.0]], list("aabb")


def certain_a():
    """A model in which a is true, for sure."""
    return Bayes(Gaussian(), priors=[1.0, 0.0]).fit(*ROWS).strategy_.model


def bayes_for_b():
    """A rule that decides b between the classes: to decide a there costs 1001 if b is true."""
    return Bayes(Gaussian(), loss=[[0, 1001], [5, 0]]).fit(*ROWS)


def structured(loss):
    """A classifier that decides b always."""
    phi = lambda x, y: np.array([float(y == "b")])  # noqa: E731
    return StructuredClassifier(phi, labels=["a", "b"], loss=loss).fit([1.0], ["b"])


def chain(loss):
    """A chain that decides b for the word u."""
    return SequenceClassifier(loss=loss, random_state=0).fit([["u"], ["v"]], [["b"], ["a"]])


def network(loss):
    """A network that decides b for a node of feature 1."""
    return NetworkClassifier(loss=loss, random_state=0).fit([NODE, (-NODE[0], NODE[1])], [["b"], ["a"]])


@pytest.mark.parametrize("place", TRUE_A)
def test_the_decision_comes_first_wherever_a_loss_is_taken(place):
    assert TRUE_A[place]() == pytest.approx(5.0)


HINGES = {"MaximumMargin", "MaximumMarginCV"}


def test_every_public_loss_is_in_that_list():
    """A new estimator or function with a loss must join the list above; hinge losses are named, not given."""
    public = {name: getattr(linsep, name) for name in linsep.__all__}
    takes = {name for name, each in public.items() if isinstance(each, type) and "loss" in vars(each).get(
        "_parameter_constraints", {})}  # fmt: skip
    assert takes - HINGES == {"Bayes", "NetworkClassifier", "SequenceClassifier", "StructuredClassifier"}
    assert all(any(place.startswith(name) for place in TRUE_A) for name in takes - HINGES)


# --- learned with it -------------------------------------------------------------------------------------------------


def phi_of_words(x, y):
    """S2's chain on words of letters u, v: emission (2 x 2), start, end, pairs, as `SequenceClassifier` has them."""
    emission, start, end, pairs = np.zeros((2, 2)), np.zeros(2), np.zeros(2), np.zeros((2, 2))
    numbers = ["ab".index(label) for label in y]
    for letter, k in zip(x, numbers, strict=True):
        emission["uv".index(letter), k] += 1.0
    start[numbers[0]], end[numbers[-1]] = 1.0, 1.0
    for j, k in itertools.pairwise(numbers):
        pairs[j, k] += 1.0
    return np.concatenate([emission.ravel(), np.zeros(2), start, end, pairs.ravel()])


def words_of(x):
    return ["".join(y) for y in itertools.product("ab", repeat=len(x))]


X = ["uv", "vu", "uuv", "v", "uvvu"]
Y = ["ab", "ba", "aab", "b", "abba"]
LAST = ["uv", "vu", "uuv", "vv"], ["ab", "bb", "aab", "bb"]  # the last label is b, whatever the letter
LOSSES = {
    "count": ("count", "count"),
    "hamming": ("hamming", "hamming"),
    "zero-one": ("zero-one", "zero-one"),
    "a matrix": (W, of_words),
    "a function": (asymmetric, of_words),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_sequences_learn_with_a_loss_as_structured_classifiers_do(loss):
    own, listed = LOSSES[loss]
    options = {"loss_scale": 3.0, "max_iter": 300, "keep": "last", "shuffle": False}
    chain = SequenceClassifier(loss=own, fit_intercept=False, **options).fit(list(map(list, X)), list(map(list, Y)))
    peer = StructuredClassifier(phi_of_words, labels=words_of, loss=listed, **options).fit(X, Y)
    for w in (chain.coef_, peer.coef_):  # both learned what was asked for; ties may have gone to other rivals
        for x, y in zip(X, Y, strict=True):
            for other in set(words_of(x)) - {y}:
                lead = w @ (phi_of_words(x, y) - phi_of_words(x, other))
                assert lead > 3.0 * count_loss(own, np.array(["a", "b"]))(other, y) - 1e-9
    assert chain.risk(list(map(list, X)), list(map(list, Y))) == peer.risk(X, Y) == 0.0
    wrong = ["b" * len(x) for x in X]
    function = of_words if not isinstance(listed, str) else listed
    decisions = ["".join(each) for each in chain.predict(list(map(list, X)))]
    assert chain.risk(list(map(list, X)), list(map(list, wrong))) == pytest.approx(
        empirical_risk(wrong, decisions, function)
    )


@pytest.mark.parametrize("engine", ["auto", "elimination"])
def test_networks_learn_with_a_loss(engine):
    path = np.array([[0, 1], [1, 2]])
    rng = np.random.default_rng(0)
    X = [(rng.normal(size=(3, 2)), path) for _ in range(6)]
    y = [np.where(nodes[:, 0] + 0.5 * nodes[:, 1] > 0, "a", "b") for nodes, _ in X]
    W = np.array([[0.0, 1.0], [5.0, 0.0]])
    rule = NetworkClassifier(loss=W, loss_scale=2.0, max_iter=3000, keep="last", engine=engine, random_state=0)
    rule.fit(X, y)
    assert rule.certificate_.separates and rule.check(X, y)
    for x, truth in zip(X, y, strict=True):
        own = rule.decision_function([x], [truth])[0]
        for other in itertools.product("ab", repeat=3):
            cost = sum(W["ab".index(d), "ab".index(t)] for d, t in zip(other, truth, strict=True))
            assert other == tuple(truth) or own - rule.decision_function([x], [other])[0] > 2.0 * cost
    wrong = [np.full(3, "a")] * 6
    by_hand = np.mean([sum(W["ab".index(d), 0] for d in found) for found in rule.predict(X)])
    assert rule.risk(X, wrong) == pytest.approx(by_hand)
    assert rule.risk(X, y) == 0.0


@pytest.mark.parametrize("name", ["count", "hamming", "zero-one"])
def test_the_loss_to_learn_is_the_count_loss(name):
    """The table that the search uses and the function that risk uses are the same loss, for names and matrices."""
    rng, classes = np.random.default_rng(3), np.array(["a", "b", "c"])
    matrix = rng.integers(0, 5, (3, 3)) * (1.0 - np.eye(3))
    for loss in (name, matrix, lambda d, t: float(matrix["abc".index(d), "abc".index(t)])):
        table, function = labelling_loss(tabulate_loss(loss, classes), 3), count_loss(loss, classes)
        for _ in range(50):
            decision, truth = rng.integers(0, 3, (2, int(rng.integers(1, 5))))
            places = table.table[decision, truth].sum()
            found = (places / truth.size if table.mean else places) + table.whole * (decision != truth).any()
            assert found == pytest.approx(function(classes[decision], classes[truth]))


def test_what_was_fitted_is_counted():
    """A matrix that is changed later, or a parameter set later, does not change the risk of what was learned."""
    own = W.copy()
    rule = chain(own)
    own[:] = 99.0
    assert rule.set_params(loss="count").risk([["u"]], [["a"]]) == 5.0


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ("huber", "loss"),
        ([[0.0, 1.0]], r"loss: expected a 2 x 2 matrix W\[decision, truth\].*got shape \(1, 2\)"),
        ([[0.0, np.nan], [1.0, 0.0]], r"got W\[0, 1\] = nan"),
        ([[0.0, 1.0], [-1.0, 0.0]], r"got W\[1, 0\] = -1"),
        ([[0.0, 1.0], [1.0, 2.0]], r"expected W\[1, 1\] = 0, a right label costs nothing"),
        (lambda decision, truth: 1.0, r"expected W\[0, 0\] = 0, a right label costs nothing"),
    ],
)
def test_a_loss_that_is_none_is_named(loss, said):
    for rule, data in (
        (SequenceClassifier(loss=loss), ([["u"], ["v"]], [["b"], ["a"]])),
        (NetworkClassifier(loss=loss), ([NODE, NODE], [["a"], ["b"]])),
    ):
        with pytest.raises(ValueError, match=said):
            rule.fit(*data)
        assert not hasattr(rule, "coef_")


# --- S2's chain ------------------------------------------------------------------------------------------------------


def test_a_chain_without_an_end_term_is_the_chain_of_s2():
    """log p(y_1) + sum log p(y_i | y_i-1) + sum log p(x_i | y_i): no number of w speaks of the last label."""
    rule = SequenceClassifier(fit_end=False, fit_intercept=False, keep="last", shuffle=False, max_iter=100)
    rule.fit(list(map(list, X)), list(map(list, Y)))
    assert rule.certificate_.separates and rule.check(list(map(list, X)), list(map(list, Y)))
    assert not rule.weights_.end.any()
    end = slice(8, 10)
    phi = lambda x, y: np.delete(phi_of_words(x, y), end)  # noqa: E731
    w, rivals = np.delete(rule.coef_, end), 0
    for x, y in zip(X, Y, strict=True):
        for other in set(words_of(x)) - {y}:
            assert w @ (phi(x, y) - phi(x, other)) > 0
            rivals += 1
    assert rivals == sum(2 ** len(x) - 1 for x in X)
    longest = max(np.linalg.norm(phi(x, y) - phi(x, other)) for x, y in zip(X, Y, strict=True) for other in words_of(x))
    assert longest <= rule.certificate_.longest


def test_the_largest_margin_of_s2s_chain_is_that_of_the_listed_problem():
    listed = StructuredClassifier(
        lambda x, y: np.delete(phi_of_words(x, y), slice(8, 10)), labels=words_of, rule="maximum margin"
    ).fit(X, Y)
    args = list(map(list, X)), list(map(list, Y))
    without = SequenceClassifier("maximum margin", fit_end=False, fit_intercept=False).fit(*args)
    assert without.certificate_.upper == pytest.approx(listed.certificate_.upper, rel=1e-8)
    words, labels = ([list(each) for each in part] for part in LAST)
    margins = [
        SequenceClassifier("maximum margin", fit_end=end, fit_intercept=False).fit(words, labels).certificate_
        for end in (False, True)
    ]
    assert margins[0].upper < margins[1].lower  # an end term tells the last label, its absence does not
    assert not SequenceClassifier.from_hmm(
        [0.5, 0.5], np.full((2, 2), 0.5), np.eye(2), fit_end=False
    ).weights_.end.any()


def test_exact_fractions_agree_with_the_table():
    """A1 by hand in fractions: the table of probabilities decides by the same order."""
    table = ProbabilityTable([[Fraction(1, 3), Fraction(2, 3)]], ["a", "b"])
    assert table.risk(["a"], W) == Fraction(2, 3) and table.risk(["b"], W) == Fraction(5, 3)
