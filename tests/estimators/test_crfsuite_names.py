"""What users of sklearn-crfsuite look for: the same names and the same meaning."""

import copy
import pickle

import numpy as np
import pytest

from linsep import SequenceClassifier
from linsep.estimators.sequences.dictionaries import PairCodes, read_dictionaries
from linsep.estimators.sequences.reader import Reader

pycrfsuite = pytest.importorskip("pycrfsuite")

POSITIONS = [
    {"a": "x", "b": 1, "c": True, "d": False, "e": 2.5},
    {"a": ["p", "q"], "f": {"b": 1.5, "c": "x", "d": ["u"], "e": {"g": True}}, "h": []},
    {"a": "x", "b": 0.0, "s": {"p"}},
    {},
    {"a": "y", "e": -1, "n": np.float64(0.5), "t": np.bool_(True)},
]


def as_dictionaries(reader, X):
    """What was read, by name; features of value 0 say nothing."""
    begin, (_, indptr, indices, values, _) = reader.apply(X)
    values, names = np.broadcast_to(values, indices.size), reader.names(np.unique(indices))
    found = [
        {names[int(indices[e])]: float(values[e]) for e in range(indptr[t], indptr[t + 1])} for t in range(begin[-1])
    ]
    return [{name: value for name, value in each.items() if value} for each in found]


@pytest.mark.parametrize("positions", [POSITIONS, POSITIONS[:1], [POSITIONS[0], POSITIONS[2]], POSITIONS[3:4] * 2])
def test_dictionaries_have_the_features_that_crfsuite_gives_them(positions):
    expected = [
        {name: value for name, value in each.items() if value}
        for each in pycrfsuite.ItemSequence([dict(p) if "t" not in p else {**p, "t": True} for p in positions]).items()
    ]
    reader = Reader()
    reader.learn([positions, positions])
    assert as_dictionaries(reader, [positions]) == expected
    for other in (copy.deepcopy(reader), pickle.loads(pickle.dumps(reader))):  # what was looked up is not copied
        assert as_dictionaries(other, [positions]) == expected


def test_numbers_are_given_as_names_appear_and_unknown_ones_are_left_out():
    reader = Reader()
    reader.learn([[{"a": "x", "b": 2.0}, {"a": "y"}, {"c": False}]])
    assert reader.numbers == {"a:x": 0, "b": 1, "a:y": 2, "c": 3}
    found = reader.apply([[{"a": "z", "b": 3}, {"new": 1.0, "a:y": True, "c": 1}]]).x
    assert found.indptr.tolist() == [0, 1, 3] and found.indices.tolist() == [1, 2, 3]
    assert found.values.tolist() == [3.0, 1.0, 1.0]
    more = reader.learn_more([[{"a": "z"}, {"a": ["x", "w"]}]]).x  # what predict has met before is new all the same
    assert more.indices.tolist() == [4, 0, 5] and more.width == 6
    again = reader.learn([[{"a": "z"}]]).x  # all anew
    assert again.indices.tolist() == [0] and reader.numbers == {"a:z": 0}


def test_what_was_read_before_is_looked_up_and_what_is_unknown_is_not_kept():
    codes = PairCodes({}, learn=True)
    read_dictionaries([{"a": "x", "b": 2.0}], codes, str)
    assert list(codes) == [("a", "x")] and not codes.special.found
    codes.learn = False
    for _ in range(2):
        indptr, numbers, values = read_dictionaries([{"a": "y", "b": 7}, {"a": "x"}], codes, str)
        assert (indptr.tolist(), numbers.tolist(), values.tolist()) == ([0, 1, 2], [1, 0], [7.0, 1.0])
    assert list(codes) == [("a", "x")]


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ({"a": None}, r"sequence 1, position 0, 'a': expected a string, a number, a list or a dictionary, got None"),
        ({"a": {"b": object}}, r"sequence 1, position 0, 'a': expected a string, a number, a list or a dictionary"),
        (["a"], r"sequence 1, position 0: expected a dictionary, as the first position, got \['a'\]"),
        ({"a": float("nan")}, "sequence 1, position 0"),
    ],
)
def test_what_can_not_be_read_is_named(position, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Reader().learn([[{"a": "x"}], [position]])


X = [[{"w": "the"}, {"w": "dog"}], [{"w": "dog"}], [{"w": "a"}, {"w": "dog", "again": True}, {"w": "barks"}]]
Y = [["D", "N"], ["N"], ["D", "N", "V"]]


@pytest.fixture(scope="module")
def tagger():
    return SequenceClassifier(random_state=0).fit(X, Y)


def test_predict_single_is_a_list_of_labels(tagger):
    assert tagger.predict_single(X[2]) == tagger.predict_single(iter(X[2])) == ["D", "N", "V"]
    assert tagger.predict_single([]) == tagger.predict_single(iter([])) == []
    assert list(tagger.classes_) == ["D", "N", "V"] and "N" in tagger.classes_


def test_features_by_name_and_label_are_those_of_w(tagger):
    weights, labels = tagger.weights_, tagger.classes_.tolist()
    found = tagger.state_features_
    assert found == {
        (tagger.reader_.name(j), label): weights.emission[j, k]
        for j in range(tagger.reader_.width)
        for k, label in enumerate(labels)
        if weights.emission[j, k]
    }
    assert {name for name, _ in found} <= {"w:the", "w:dog", "w:a", "w:barks", "again"}
    assert tagger.transition_features_ == {
        (one, other): weights.pairs[j, k]
        for j, one in enumerate(labels)
        for k, other in enumerate(labels)
        if weights.pairs[j, k]
    }


def test_they_have_the_form_of_crfsuite(tmp_path, tagger):
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    for x, y in zip(X, Y, strict=True):
        trainer.append(x, y)
    trainer.train(str(tmp_path / "model"))
    peer = pycrfsuite.Tagger()
    peer.open(str(tmp_path / "model"))
    info = peer.info()
    assert {name for name, _ in info.state_features} <= set(tagger.reader_.numbers)
    assert set(tagger.state_features_) & set(info.state_features)
    assert set(tagger.transition_features_) & set(info.transitions)
    assert [tagger.predict_single(x) for x in X] == [peer.tag(x) for x in X] == Y


def test_sequences_without_positions_have_no_say(tagger):
    with_empty, labels = [[], X[0], [], X[1], X[2], []], [[], Y[0], [], Y[1], Y[2], []]
    other = SequenceClassifier(random_state=0).fit(with_empty, labels, sample_weight=[9, 1, 9, 1, 1, 9])
    assert np.array_equal(other.coef_, tagger.coef_)
    assert [each.tolist() for each in other.predict(with_empty)] == labels
    assert other.check(with_empty, labels) and other.check(X, Y)
    assert other.score(with_empty, labels, sample_weight=[9, 1, 9, 1, 1, 9]) == 1.0
    assert [len(each) for each in other.predict_best(with_empty, 2)] == [0, 2, 0, 2, 2, 0]
    assert [each.shape for each in other.max_marginals(with_empty)] == [(len(y), 3) for y in labels]
    arrays = SequenceClassifier(random_state=0).fit([np.eye(2), np.zeros((0, 2))], [["a", "b"], []])
    assert [len(each) for each in arrays.predict([np.zeros((0, 2)), np.eye(2)])] == [0, 2]
    with pytest.raises(ValueError, match="all sequences are empty: expected one position or more"):
        tagger.predict([[], []])
    with pytest.raises(ValueError, match="sequence 0: expected 0 labels, one per position, got 2"):
        SequenceClassifier().fit([[], X[0]], [Y[0], []])


def test_generators_are_read(tagger):
    def positions(sequences):
        return ((position for position in x) for x in sequences)

    other = SequenceClassifier(random_state=0).fit(positions(X), (iter(y) for y in Y))
    assert np.array_equal(other.coef_, tagger.coef_)
    assert [each.tolist() for each in other.predict(positions(X))] == Y
    assert other.score(positions(X), iter(Y)) == 1.0 and other.check(positions(X), iter(Y))


def test_dev_by_both_names():
    one = SequenceClassifier(random_state=0).fit(X, Y, dev=(X, Y))
    other = SequenceClassifier(random_state=0).fit(X, Y, X_dev=X, y_dev=Y)
    assert one.best_iter_ == other.best_iter_ and np.array_equal(one.coef_, other.coef_)
    assert [entry["dev"] for entry in one.history_] == [entry["dev"] for entry in other.history_]
    for wrong in ({"X_dev": X}, {"y_dev": Y}, {"X_dev": X, "y_dev": Y, "dev": (X, Y)}):
        with pytest.raises(ValueError, match="X_dev, y_dev: expected both or none, and no dev beside them"):
            SequenceClassifier().fit(X, Y, **wrong)
