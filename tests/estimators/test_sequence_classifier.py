"""SequenceClassifier: what goes in, what comes out, what is proved, and what is refused."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from linsep import SequenceClassifier
from linsep.estimators.sequences.templates import Templates
from linsep.risk import bio_forbidden
from linsep.targets import EpsOptimal


def sample(n=30, seed=0, noise=0.0, labels="abc"):
    """Sequences whose labels are to be read off the columns and the label before: separable without noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for length in rng.integers(1, 7, n):
        k = rng.integers(0, len(labels), length)
        x = np.eye(len(labels))[k] + noise * rng.normal(size=(length, len(labels)))
        if length > 1 and noise == 0:  # nothing to see at the end: the label before decides
            x[-1] = 1.0
            k[-1] = (k[-2] + 1) % len(labels)
        X.append(x)
        y.append([labels[j] for j in k])
    return X, y


def tolist(found):
    return [labels.tolist() for labels in found]


NAMED = [[["the"], ["dog"], ["barks"]], [["a"], ["cat"]], [["dogs"], ["bark"]]]
TAGS = [["DET", "NOUN", "VERB"], ["DET", "NOUN"], ["NOUN", "VERB"]]


# --- what goes in ----------------------------------------------------------------------------------------------------


def test_all_forms_of_the_same_numbers_learn_the_same():
    X, y = sample(noise=0.3)
    X = [np.round(x, 3) for x in X]
    forms = {
        "arrays": X,
        "float32": [x.astype(np.float32).astype(float) for x in X],
        "sparse": [sp.csr_array(x) for x in X],
        "lists": [x.tolist() for x in X],
        "dictionaries": [[{f"x{j}": float(v) for j, v in enumerate(row)} for row in x] for x in X],
    }
    found = {name: SequenceClassifier(random_state=0).fit(form, y) for name, form in forms.items()}
    for name, form in forms.items():
        if name != "float32":
            assert np.allclose(found[name].coef_, found["arrays"].coef_)
        assert tolist(found[name].predict(form)) == tolist(found["arrays"].predict(X))


def test_binary_pictures_dense_and_few_are_one():
    rng = np.random.default_rng(0)
    few = [(rng.random((5, 12)) < 0.2).astype(np.uint8) for _ in range(20)]
    y = [[int(row[:4].sum() > row[4:8].sum()) for row in x] for x in few]
    one = SequenceClassifier(random_state=0).fit(few, y)
    assert one.coef_.size == SequenceClassifier(random_state=0).fit([x.astype(float) for x in few], y).coef_.size
    full = [np.concatenate([x, np.ones((5, 40), np.uint8)], axis=1) for x in few]  # read as dense columns
    two = SequenceClassifier(random_state=0, n_jobs=1).fit(full, y)
    assert two.score(full, y) > 0.9 and one.score(few, y) > 0.9


def test_names_as_lists_dictionaries_and_alone():
    listed = SequenceClassifier(random_state=0).fit(NAMED, TAGS)
    keyed = SequenceClassifier(random_state=0).fit([[{w: True} for (w,) in x] for x in NAMED], TAGS)
    joined = SequenceClassifier(random_state=0).fit([[{"word": w} for (w,) in x] for x in NAMED], TAGS)
    alone = SequenceClassifier(random_state=0).fit([[w for (w,) in x] for x in NAMED], TAGS)
    for other in (keyed, joined, alone):
        assert np.array_equal(other.coef_, listed.coef_)
    assert joined.reader_.name(0) == "word:the" and listed.reader_.name(0) == "the"
    nested = SequenceClassifier().fit([[{"w": ["p", "q"], "size": 2.0}, {"w": "p"}]], [["A", "B"]])
    assert [nested.reader_.name(j) for j in range(nested.reader_.width)] == ["w:p", "w:q", "size"]


def test_a_name_never_seen_is_ignored():
    tagger = SequenceClassifier(random_state=0).fit(NAMED, TAGS)
    found = tagger.predict([[["the", "zebra"], ["dog"]], [["zebra"]]])
    assert found[0].tolist() == tagger.predict([[["the"], ["dog"]]])[0].tolist()
    assert found[1].tolist() == tagger.predict([[[]]])[0].tolist()


def test_columns_by_templates():
    table = [[(w,) for (w,) in x] for x in NAMED]
    tagger = SequenceClassifier(templates=["word", "word[-1]|word", "suffix(word, 1)"], random_state=0).fit(table, TAGS)
    assert tolist(tagger.predict(table)) == TAGS
    assert {weight.feature.split("=")[0] for weight in tagger.strongest_features(50)} <= {
        "word", "word[-1]|word", "suffix(word, 1)",
    }  # fmt: skip
    given = Templates(["word"], min_count=2)
    SequenceClassifier(templates=given).fit(table, TAGS)
    assert given.width == 0  # the estimator learns on a copy
    assert SequenceClassifier(templates="window", random_state=0).fit(table, TAGS).score(table, TAGS) == 1.0


@pytest.mark.parametrize("labels", [["x", "y"], [3, 7], [("a", 1), ("b", 2)], [True, False], [None, "x"]])
def test_labels_of_any_kind_come_back(labels):
    X = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0]])]
    y = [[labels[0], labels[1]], [labels[1]]]
    assert tolist(SequenceClassifier(random_state=0).fit(X, y).predict(X)) == y


# --- what is learned and proved --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("rule", ["perceptron", "relaxation", "kozinec", "maximum margin"])
def test_separable_sequences_are_separated_with_a_certificate_that_holds(rule, order):
    X, y = sample(12)
    rule = SequenceClassifier(rule, order=order, keep="auto", max_iter=3000, random_state=0).fit(X, y)
    assert rule.certificate_.separable and rule.score(X, y, by="sequence") == 1.0
    verdict = rule.check(X, y)
    assert verdict, verdict
    if rule.rule == "perceptron":
        assert rule.certificate_.updates <= rule.certificate_.novikoff


def test_kozinec_and_the_largest_margin_agree():
    X, y = sample(8)
    best = SequenceClassifier("maximum margin").fit(X, y).certificate_
    near = SequenceClassifier(
        "kozinec", EpsOptimal(0.0, 0.05), keep="last", max_iter=20_000, random_state=0
    ).fit(X, y).certificate_  # fmt: skip
    assert near.status == "eps-optimal"
    assert near.lower <= best.upper * (1 + 1e-9) and near.upper >= best.lower * (1 - 1e-9)
    assert best.upper - best.lower <= 1e-6 * best.upper


def test_a_certificate_that_was_tampered_with_is_refused():
    from dataclasses import replace

    X, y = sample(8)
    rule = SequenceClassifier(keep="last", max_iter=500, random_state=0).fit(X, y)
    assert rule.check(X, y)
    claim = rule.certificate_
    for change in ({"lower": 2 * claim.upper}, {"upper": claim.lower / 2}, {"w": -claim.w}, {"novikoff": 1.0}):
        rule.certificate_ = replace(claim, **change)
        assert not rule.check(X, y)
    rule.certificate_ = claim
    assert not rule.check(X, [labels[::-1] for labels in y])


@pytest.mark.parametrize(
    "parameters",
    [{"pair_features": True}, {"fit_intercept": False}, {"loss_scale": 0.5}, {"target": 2.0}, {"order": 2}],
    ids=str,
)
def test_options_learn_and_their_certificates_hold(parameters):
    X, y = sample(12)
    rule = SequenceClassifier(keep="last", max_iter=2000, random_state=0, **parameters).fit(X, y)
    assert rule.certificate_.status == "separated" and rule.score(X, y) == 1.0
    assert rule.check(X, y), rule.check(X, y)


def test_the_order_counts_where_the_label_before_the_last_decides():
    rng = np.random.default_rng(0)
    y = [[int(a), int(b), int(a ^ b), int(b ^ (a ^ b))] for a, b in rng.integers(0, 2, (20, 2))]
    X = [[[f"first{labels[0]}"], [f"second{labels[1]}"], ["?"], ["?"]] for labels in y]
    first = SequenceClassifier(max_iter=100, keep="auto", random_state=0).fit(X, y)
    second = SequenceClassifier(order=2, max_iter=100, keep="auto", random_state=0).fit(X, y)
    assert first.score(X, y) < 1.0 and second.score(X, y) == 1.0


def test_a_development_set_stops_learning_and_picks_the_pass():
    X, y = sample(60, noise=0.6)
    D, e = sample(40, seed=1, noise=0.6)
    rule = SequenceClassifier(max_iter=50, patience=3, random_state=0).fit(X, y, dev=(D, e))
    scores = [line["dev"] for line in rule.history_]
    assert rule.n_iter_ < 50 and len(scores) == rule.n_iter_ == rule.best_iter_ + 3
    assert np.isclose(rule.score(D, e), max(scores)) and scores[rule.best_iter_ - 1] == max(scores)
    assert rule.n_iter_ == rule.best_iter_ + 3  # patience
    assert rule.check(X, y), rule.check(X, y)


def test_verbose_tells_the_passes(capsys):
    X, y = sample(5)
    SequenceClassifier(max_iter=2, verbose=1, random_state=0).fit(X, y, dev=(X, y))
    told = capsys.readouterr().err
    assert "pass      1" in told and "dev token" in told


def test_partial_fit_goes_on_and_takes_new_names():
    X, y = [[w for (w,) in x] for x in NAMED], TAGS
    parts = SequenceClassifier(shuffle=False, keep="last")
    for x, labels in zip(X, y):
        parts.partial_fit([x], [labels], classes=["DET", "NOUN", "VERB"])
    assert parts.reader_.width == len({w for x in X for w in x})
    whole = SequenceClassifier(shuffle=False, keep="last", max_iter=1).fit(X, y)
    assert np.array_equal(parts.coef_, whole.coef_)
    mean = SequenceClassifier(shuffle=False)
    for x, labels in zip(X, y):
        mean.partial_fit([x], [labels], classes=["DET", "NOUN", "VERB"])
    assert np.allclose(mean.coef_, SequenceClassifier(shuffle=False, max_iter=1).fit(X, y).coef_)
    with pytest.raises(ValueError, match="as in the first call"):
        parts.partial_fit(X, y, classes=["DET", "NOUN"])
    width = parts.reader_.width
    with pytest.raises(ValueError, match="'ADJ'"):
        parts.partial_fit([["new"]], [["ADJ"]])
    assert parts.reader_.width == width  # nothing is half written


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = sample(10)
    rule = SequenceClassifier(keep="last", max_iter=500, random_state=0, warm_start=True).fit(X, y)
    assert rule.fit(X, y).certificate_.updates == 0


def test_seeds_repeat_and_threads_agree():
    X, y = sample(300, noise=0.8)
    one, two = (SequenceClassifier(random_state=3, n_jobs=jobs).fit(X, y) for jobs in (1, 4))
    assert np.array_equal(one.coef_, two.coef_)
    assert tolist(one.predict(X)) == tolist(two.predict(X))
    assert not np.array_equal(one.coef_, SequenceClassifier(random_state=4).fit(X, y).coef_)


def test_weight_zero_is_absence():
    X, y = sample(20, noise=0.5)
    weight = np.array([1.0, 0.0] * 10)
    one = SequenceClassifier(shuffle=False).fit(X, y, weight)
    two = SequenceClassifier(shuffle=False).fit(X[::2], y[::2])
    assert np.array_equal(one.coef_, two.coef_)
    assert one.check(X, y, weight)


def test_parameters_that_change_after_fit_do_not_change_what_was_fitted():
    X, y = [[w for (w,) in x] for x in NAMED], TAGS
    options = {"order": 2, "pair_features": True, "fit_intercept": False, "forbidden": [("VERB", "DET")]}
    rule = SequenceClassifier(random_state=0, keep="last", **options).fit(X, y)
    before, best = tolist(rule.predict(X)), rule.predict_best(X, 2)
    rule.set_params(order=1, pair_features=False, fit_intercept=True, forbidden=None, templates="window")
    assert tolist(rule.predict(X)) == before and rule.score(X, y) == 1.0 and rule.check(X, y)
    assert [[each.score for each in found] for found in rule.predict_best(X, 2)] == [
        [each.score for each in found] for found in best
    ]
    assert rule.weights_.triples.size and rule.max_marginals(X)[0].shape == (3, 3)
    with pytest.raises(ValueError, match="fit_intercept: expected False as when learning began, got True"):
        rule.partial_fit(X, y)
    assert tolist(rule.set_params(templates=None).fit(X, y).predict(X)) == TAGS
    assert rule.weights_.triples.size == 0


def test_clones_and_pickles():
    X, y = [[w for (w,) in x] for x in NAMED], TAGS
    rule = SequenceClassifier(order=2, forbidden=[("DET", "VERB")], random_state=0)
    assert clone(rule).get_params() == rule.get_params()
    again = pickle.loads(pickle.dumps(rule.fit(X, y)))
    assert tolist(again.predict(X)) == tolist(rule.predict(X))
    assert np.array_equal(again.partial_fit(X, y).coef_, rule.partial_fit(X, y).coef_)


# --- what comes out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("forbidden", [None, [("a", "b"), (None, "c"), ("b", None)]])
def test_the_best_labellings_and_max_marginals_are_those_of_all_labellings(order, forbidden):
    X, y = sample(15, noise=0.7)
    if forbidden:
        y = [["b", *"cacbcacb"][: len(labels)] for labels in y]  # b ends nothing, so it is alone nowhere
        y = [labels if labels[-1] != "b" else ["a", *labels[1:-1], "c"][-len(labels) :] for labels in y]
        y = [["a"] if len(labels) == 1 else labels for labels in y]
    rule = SequenceClassifier(order=order, forbidden=forbidden, pair_features=True, random_state=0).fit(X, y)
    w = rule.weights_
    names = rule.classes_.tolist()
    for x, found, marginals, best in zip(X, rule.predict_best(X, 4), rule.max_marginals(X), rule.predict(X)):
        scores = {}
        for labels in itertools.product(range(len(names)), repeat=len(x)):
            named = [names[k] for k in labels]
            if forbidden and (
                named[0] == "c" or named[-1] == "b" or any(pair == ("a", "b") for pair in itertools.pairwise(named))
            ):
                continue
            total = w.start[labels[0]] + w.end[labels[-1]]
            total += sum(x[t] @ w.emission[:, k] + w.bias[k] for t, k in enumerate(labels))
            for t in range(1, len(x)):
                total += w.pairs[labels[t - 1], labels[t]] + x[t] @ w.pair_emission[:, labels[t - 1], labels[t]]
            if order == 2:
                total += sum(w.triples[labels[t - 2 : t + 1]] for t in range(2, len(x)))
            scores[labels] = total
        wanted = sorted(scores.values(), reverse=True)[:4]
        assert np.allclose([each.score for each in found], wanted)
        assert np.allclose([scores[tuple(names.index(k) for k in each.labels)] for each in found], wanted)
        assert found[0].labels.tolist() == best.tolist() or np.isclose(wanted[0], wanted[1])
        for (t, k), value in np.ndenumerate(marginals):
            chosen = [score for labels, score in scores.items() if labels[t] == k]
            assert np.isclose(value, max(chosen)) if chosen else value == -np.inf


def test_scores_by_hand():
    X = [[["dog"], ["barks"]], [["cat"]], [["dog"]]]
    y = [["B-X", "O"], ["O"], ["B-X"]]
    rule = SequenceClassifier(random_state=0, max_iter=50).fit(X, y)
    assert rule.score(X, y) == rule.score(X, y, by="sequence") == rule.score(X, y, by="span") == 1.0
    wrong = [["B-X", "B-X"], ["O"], ["never seen"]]
    assert rule.score(X, wrong) == 0.5 and np.isclose(rule.score(X, wrong, by="sequence"), 1 / 3)
    assert np.isclose(rule.score(X, wrong, [1, 1, 0]), 2 / 3)
    assert np.isclose(rule.score(X[:2], wrong[:2], by="span"), 2 / 3)  # 1 right, 1 found, 2 wanted
    with pytest.raises(ValueError, match="by: expected one of"):
        rule.score(X, y, by="letter")


def test_bio_never_predicts_what_is_forbidden():
    rng = np.random.default_rng(0)
    labels = ["B-X", "I-X", "B-Y", "I-Y", "O"]
    X = [rng.normal(size=(6, 4)) for _ in range(30)]
    y = [["O", "B-X", "I-X", "B-Y", "I-Y", "O"][: len(x)] for x in X]
    rule = SequenceClassifier(forbidden="BIO", max_iter=2, random_state=0).fit(X, y)
    pairs = set(bio_forbidden(labels))
    assert len(pairs) == 2 + 2 * 3
    for found in rule.predict([rng.normal(size=(40, 4)) * 9 for _ in range(20)]):
        assert (None, found[0]) not in pairs and not pairs & set(itertools.pairwise(found.tolist()))
    with pytest.raises(ValueError, match="sequence 1 has a pair of labels that is forbidden"):
        SequenceClassifier(forbidden="BIO").fit(X[:2], [y[0], ["O", "I-X", "O", "O", "O", "O"]])
    with pytest.raises(ValueError, match="sequence 0 has a start"):
        SequenceClassifier(forbidden="BIO").fit(X[:1], [["I-X", "O", "O", "O", "O", "O"]])


def test_the_strongest_are_named():
    tagger = SequenceClassifier(random_state=0).fit(NAMED, TAGS)
    best = tagger.strongest_features(3)
    table = tagger.weights_.emission
    assert len(best) == 3 and abs(best[0].weight) == np.abs(table).max()
    one = tagger.strongest_features(1, label="VERB")[0]
    k = tagger.classes_.tolist().index("VERB")
    assert one.label == "VERB" and abs(one.weight) == np.abs(table[:, k]).max()
    ways = tagger.strongest_transitions(100)
    assert len(ways) == 3 * 3 + 3 + 3 and all((way.before, way.after) != (None, None) for way in ways)
    with pytest.raises(ValueError, match=r"label: expected one of .* got 'ADJ'"):
        tagger.strongest_features(label="ADJ")


# --- hidden Markov chains --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_from_hmm_is_the_chain_itself(seed):
    rng = np.random.default_rng(seed)
    k, symbols = 3, 4

    def table(*shape):
        values = rng.random(shape) * (rng.random(shape) > 0.2 * (seed % 2))
        values[..., 0] += 0.1
        return values / values.sum(axis=-1, keepdims=True)

    start, transition, emission = table(k), table(k, k), table(k, symbols)
    names = ["z", "x", "y"]
    rule = SequenceClassifier.from_hmm(start, transition, emission, labels=names, symbols="abcd")
    for _ in range(10):
        x = rng.integers(0, symbols, rng.integers(1, 5))
        scores = {}
        for y in itertools.product(range(k), repeat=len(x)):
            p = start[y[0]] * np.prod([transition[i, j] for i, j in itertools.pairwise(y)])
            scores[y] = p * np.prod([emission[i, s] for i, s in zip(y, x)])
        found = rule.predict_best(["".join("abcd"[s] for s in x)], 3)[0]
        wanted = sorted((p for p in scores.values() if p > 0), reverse=True)[:3]
        assert np.allclose(np.exp([each.score for each in found]), wanted)
        for each in found:
            assert np.isclose(np.exp(each.score), scores[tuple(names.index(label) for label in each.labels)])


def test_counts_are_learned():
    X, y = ["ab", "abb", "b"], [[0, 1], [0, 1, 1], [1]]
    rule = SequenceClassifier.from_counts(X, y, smoothing=0.0 + 1.0)
    w = rule.weights_
    assert np.allclose(np.exp(w.start), [3 / 5, 2 / 5])
    assert np.allclose(np.exp(w.pairs), [[1 / 4, 3 / 4], [1 / 3, 2 / 3]])
    assert np.allclose(np.exp(w.emission.T), [[3 / 4, 1 / 4], [1 / 6, 5 / 6]])
    assert tolist(rule.predict(["aab"])) == [[0, 0, 1]]
    with pytest.raises(ValueError, match="one symbol per position"):
        SequenceClassifier.from_counts([*NAMED[:1], [["a", "b"]]], [TAGS[0], ["DET"]])
    with pytest.raises(ValueError, match="smoothing > 0"):
        SequenceClassifier.from_counts(["ab"], [[0, 1]], smoothing=0.0)


def test_a_chain_learns_on_from_its_probabilities():
    X, y = ["ab", "abb", "b", "ba"], [[0, 1], [0, 1, 1], [1], [0, 0]]
    rule = SequenceClassifier.from_counts(X, y, keep="last", shuffle=False)
    before = rule.coef_.copy()
    wrong = [i for i in range(4) if rule.predict([X[i]])[0].tolist() != y[i]]
    assert wrong
    rule.partial_fit(X, y)
    change = rule.coef_ - before
    assert change.any() and np.allclose(change, np.round(change))  # updates of 1, added to the logarithms
    hard = SequenceClassifier.from_hmm([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], np.eye(2))
    with pytest.raises(ValueError, match="probability 0"):
        hard.partial_fit([[0, 1]], [[0, 1]])


def test_cross_validation_and_grids_take_lists_of_sequences():
    X, y = sample(30)
    assert np.mean(cross_val_score(SequenceClassifier(random_state=0), X, y, cv=3)) > 0.9
    grid = GridSearchCV(SequenceClassifier(random_state=0, max_iter=3), {"order": [1, 2]}, cv=2).fit(X, y)
    assert grid.best_score_ > 0.8


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (([0.5, 0.6], np.eye(2), np.eye(2)), "start"),
        (([0.5, 0.5], np.eye(3), np.eye(2)), "transition"),
        (([0.5, 0.5], np.eye(2), [[1.5, -0.5], [0.5, 0.5]]), "emission"),
    ],
)
def test_no_probabilities_no_chain(tables, message):
    with pytest.raises(ValueError, match=message):
        SequenceClassifier.from_hmm(*tables)


# --- what is refused -------------------------------------------------------------------------------------------------

A, B = np.ones((2, 3)), np.zeros((1, 3))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], [], "X is empty"),
        ([A, B], [["a", "b"]], "y: expected 2 lists of labels, one per sequence, got 1"),
        ([A, B], [["a", "b"], ["a", "b"]], "sequence 1: expected 1 labels, one per position, got 2"),
        ([A, np.array([[np.nan, 0, 0]])], [["a", "b"], ["a"]], "sequence 1, position 0, column 0: .* got nan"),
        ([A, np.array([[0, np.inf, 0]])], [["a", "b"], ["a"]], "sequence 1, position 0, column 1: .* got inf"),
        ([sp.csr_array(A), sp.csr_array([[0, np.nan, 0]])], [["a", "b"], ["a"]], "sequence 1, position 0, column 1"),
        ([[{"f": 1.0}], [{"f": np.nan}]], [["a"], ["b"]], "sequence 1, position 0.* nan"),
        ([A, np.ones((1, 4))], [["a", "b"], ["a"]], "sequence 1: expected 3 columns, got 4"),
        ([A, B], [["a", "a"], ["a"]], "expected two labels or more"),
        ([A, np.ones((1, 1, 1))], [["a", "b"], ["a"]], "sequence 1: expected length x columns, got 3 dimensions"),
        ([[{"f": object()}]], [["a"]], "sequence 0, position 0, 'f': expected a string"),
        ("abc", [["a"]], "a list of sequences"),
        ([3, 4], [["a"], ["b"]], "sequence 0: expected an array.* got 3"),
        ([A.astype(complex), B], [["a", "b"], ["a"]], "expected arrays of numbers, got complex"),
    ],
)
def test_bad_data_are_named(X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SequenceClassifier().fit(X, y)


def test_bad_data_are_named_when_predicting():
    rule = SequenceClassifier(random_state=0).fit([A, B], [["a", "b"], ["a"]])
    for X, message in (
        ([], "X is empty"),
        ([np.ones((2, 4))], "sequence 0: expected 3 columns, got 4"),
        ([B, np.full((1, 3), np.nan)], "sequence 1, position 0, column 0: .* got nan"),
        ([np.zeros((0, 3))], "all sequences are empty"),
        ([["a", "b"]], "X: expected arrays, as in training, got names"),
    ):
        with pytest.raises(ValueError, match=message):
            rule.predict(X)
    with pytest.raises(ValueError, match="k: expected an integer of 1 or more"):
        rule.predict_best([A], 0)
    with pytest.raises(NotFittedError):
        SequenceClassifier().predict([A])
    for forbidden, message in (([("a", "q")], "'q'"), ([(None, None)], "everything")):
        with pytest.raises(ValueError, match=message):
            SequenceClassifier(forbidden=forbidden).fit([A, B], [["a", "b"], ["a"]])
    with pytest.raises(ValueError, match="at least one non-zero"):
        SequenceClassifier().fit([A, B], [["a", "b"], ["a"]], [0, 0])
    with pytest.raises(ValueError, match="order"):
        SequenceClassifier(order=3).fit([A, B], [["a", "b"], ["a"]])


# --- real data -------------------------------------------------------------------------------------------------------


def test_handwritten_words(shared):
    shared("ocr_trn")  # skips where there are no data
    import sys

    from conftest import DATA

    sys.path.insert(0, str(DATA))
    from load import words

    X, y, fold = words()
    learn, test = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    rule = SequenceClassifier(random_state=0).fit([X[i] for i in learn], [y[i] for i in learn])
    assert rule.score([X[i] for i in test], [y[i] for i in test]) > 0.875
