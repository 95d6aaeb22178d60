"""Sequences: handwritten words and part-of-speech tags, beside CRFsuite's averaged perceptron on the same features.

    python -m benchmarks.sequences [passes]

OCR letters: folds 1-9 to learn, fold 0 to test, pixels and a bias. UD English EWT: the words of train, the test part
to test, the templates of `linsep.estimators.sequences.WINDOW`. Both learn with ten passes in shuffled order and
average; the accuracy is the mean of some seeds (CRFsuite has one order only).

Times are CPU times of one thread, since others may use this machine: the best of some, competitors taking turns.
"training" is a pass over the data in the form that each keeps it in; "prediction" is decoding in that form (CRFsuite:
`Tagger.set` of an ItemSequence made beforehand, and `tag`: it looks its strings up there, which we do when reading),
and once more from raw data, reading included; "end to end" goes from columns of words to the labels of the test part:
features, learning (with our certificate) and prediction. CRFsuite gets lists of strings, the fastest form it takes
from Python. Last, both get the dictionaries of the tutorial of sklearn-crfsuite.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from benchmarks.data import FOLDER, load
from benchmarks.timing import verdict
from linsep import SequenceClassifier
from linsep.estimators.sequences import WINDOW, Templates, shape
from linsep.estimators.sequences.reader import Reader
from linsep.loop.passes import begin, passes
from linsep.oracles.sequences import decode, sequences
from linsep.rules import Increment
from linsep.targets import Margin

SEEDS = 5


def cpu(run: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came out."""
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


def words():
    """Letters of handwritten words: the pixels, the letters and the fold of each word."""
    if not FOLDER.is_dir():
        load("ocr_letters")  # says what is missing
    sys.path.insert(0, str(FOLDER))
    from load import words as stored

    X, y, fold = stored()
    return X, [[chr(97 + int(k)) for k in labels] for labels in y], fold


def tags(part: str):
    """Sentences of UD EWT: lists of (word,), and their tags."""
    if not FOLDER.is_dir():
        load("ud_ewt")
    sys.path.insert(0, str(FOLDER))
    from load import sentences

    stored = sentences(part)
    return [[(word,) for word, *_ in s] for s in stored], [[tag for _, tag, _ in s] for s in stored]


class Ours:
    """Passes and decoding on features that are read already."""

    def __init__(self, X, y, X_test, templates=None):
        reader = Reader(templates)
        read, test = reader.learn(X), reader.apply(X_test)
        names = sorted({label for labels in y for label in labels})
        label = [names.index(each) for labels in y for each in labels]
        self.oracle = sequences(read.begin, label, read.x, len(names))
        self.test = sequences(test.begin, np.zeros(test.begin[-1], dtype=np.int64), test.x, len(names))
        state = begin([self.oracle], average=True)
        self.run = passes([self.oracle], Margin(0.0), Increment(1.0), state, rng=np.random.default_rng(0))

    def one_pass(self) -> None:
        self.state = next(self.run)

    def decode(self) -> np.ndarray:
        out = np.empty(self.test.label.size, dtype=np.int32)
        decode(self.test, self.w, np.arange(self.test.sign.size), out, np.empty(self.test.sign.size))
        return out

    def finish(self) -> None:
        self.w = self.state.keeper.result(self.state.w, self.state.counters.seen)


class Peer:
    """CRFsuite's averaged perceptron."""

    def __init__(self, items, y, passes_: int):
        self.trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
        self.trainer.set_params({"max_iterations": passes_, "epsilon": 0.0, "feature.possible_transitions": False})
        for xs, labels in zip(items, y, strict=True):
            self.trainer.append(xs, labels)
        self.file = str(Path(tempfile.mkdtemp()) / "model")

    def learn(self) -> None:
        self.trainer.train(self.file)

    def tagger(self) -> pycrfsuite.Tagger:
        tagger = pycrfsuite.Tagger()
        tagger.open(self.file)
        return tagger


def accuracy(found, truth) -> float:
    pairs = [(a, b) for one, other in zip(found, truth, strict=True) for a, b in zip(one, other, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def strings(word: np.ndarray) -> list[list[str]]:
    """The pixels of a word in the form that CRFsuite takes."""
    return [["bias", *map(str, np.flatnonzero(letter))] for letter in word]


def compare(
    name: str, data, test, *, make: Callable, itemise: Callable, goal: float, rounds: int, templates=None
) -> None:
    (X, y), (X_test, y_test) = data, test
    n, m = sum(map(len, y)), sum(map(len, y_test))
    print(f"{name}: {len(X):,} sequences, {n:,} positions to learn, {m:,} to test, {rounds} passes")

    ours = Ours(X, y, X_test, None if templates is None else Templates(templates))
    ours.one_pass()  # compiles
    ours.finish()
    ours.decode()
    items = [pycrfsuite.ItemSequence(itemise(x)) for x in X]
    asked = [pycrfsuite.ItemSequence(itemise(x)) for x in X_test]
    one, many = Peer(items, y, 1), Peer(items, y, 1 + rounds)
    own, other = [], []
    for _ in range(3):
        own += [cpu(ours.one_pass)[0] for _ in range(3)]
        other.append((cpu(many.learn)[0] - cpu(one.learn)[0]) / rounds)  # without reading and writing
    train, waited = min(own), min(other)
    print(f"  training, positions per second: {n / train:,.0f}; CRFsuite {n / waited:,.0f}")
    print("  CRFsuite's time / ours      ", verdict(waited / train, 4, at_most=False))

    ours.finish()
    peer = Peer(items, y, rounds)
    peer.learn()
    tagger = peer.tagger()

    def tag() -> list:
        found = []
        for sequence in asked:
            tagger.set(sequence)
            found.append(tagger.tag())
        return found

    own, other = [], []
    for _ in range(5):
        own.append(cpu(ours.decode)[0])
        other.append(cpu(tag)[0])
    print(f"  prediction, positions per second: {m / min(own):,.0f}; CRFsuite {m / min(other):,.0f}")
    print("  CRFsuite's time / ours      ", verdict(min(other) / min(own), 5, at_most=False))
    theirs = accuracy(tag(), y_test)
    rule = make(0).fit(X, y)
    own, other = [], []
    for _ in range(3):
        own.append(cpu(lambda: rule.predict(X_test))[0])
        other.append(cpu(lambda: [tagger.tag(itemise(x)) for x in X_test])[0])
    print(f"  prediction of raw data, positions per second: {m / min(own):,.0f}; CRFsuite {m / min(other):,.0f}")
    print("  CRFsuite's time / ours      ", verdict(min(other) / min(own), 5, at_most=False))

    def end_to_end() -> list:
        rule = make(0)
        return rule.fit(X, y).predict(X_test)

    def peer_end_to_end() -> list:
        peer = Peer([itemise(x) for x in X], y, rounds)
        peer.learn()
        tagger = peer.tagger()
        return [tagger.tag(itemise(x)) for x in X_test]

    cpu(end_to_end)  # compiles
    own, other = [], []
    for _ in range(2):
        own.append(cpu(end_to_end)[0])
        other.append(cpu(peer_end_to_end)[0])
    print(f"  end to end: {min(own):.2f} s; CRFsuite {min(other):.2f} s")
    print("  CRFsuite's time / ours      ", verdict(min(other) / min(own), 6, at_most=False))

    scores = [make(seed).fit(X, y).score(X_test, y_test) for seed in range(SEEDS)]
    mean = float(np.mean(scores))
    print(f"  accuracy: {mean:.4f} (seeds: {', '.join(f'{score:.4f}' for score in scores)}); CRFsuite {theirs:.4f}")
    print("  accuracy                    ", f"{mean:.4f}", verdict(mean, goal, at_most=False))
    print("  accuracy / CRFsuite's       ", f"{mean / theirs:.4f}", verdict(mean / theirs, 1.0, at_most=False))
    second = make(0).set_params(order=2).fit(X, y).score(X_test, y_test)
    print(f"  of second order: {second:.4f}")


def named(tokens: list[tuple[str]]) -> list[list[str]]:
    """The features of `WINDOW` as strings, written by hand."""
    words = ["<s>", "<s>", *(word for (word,) in tokens), "</s>", "</s>"]
    lower = [word.lower() for word in words]
    out = []
    for t in range(2, len(words) - 2):
        w, low, last, after = words[t], lower[t], lower[t - 1], lower[t + 1]
        out.append([
            "bias", "w=" + w, "l=" + low, "s=" + shape(w), "p1=" + w[:1], "p2=" + w[:2], "p3=" + w[:3], "p4=" + w[:4],
            "e1=" + w[-1:], "e2=" + w[-2:], "e3=" + w[-3:], "e4=" + w[-4:],
            "l-2=" + lower[t - 2], "l-1=" + last, "l+1=" + after, "l+2=" + lower[t + 2],
            "e3-1=" + words[t - 1][-3:], "e3+1=" + words[t + 1][-3:],
            "l-1|l=" + last + "|" + low, "l|l+1=" + low + "|" + after, "l-1|l+1=" + last + "|" + after,
        ])  # fmt: skip
    return out


def dictionaries(tokens: list[tuple[str]]) -> list[dict[str, object]]:
    """The features of the tutorial of sklearn-crfsuite, without its tags: one dictionary per token."""
    words, out = [word for (word,) in tokens], []
    for t, word in enumerate(words):
        features: dict[str, object] = {
            "bias": 1.0, "word.lower()": word.lower(), "word[-3:]": word[-3:], "word[-2:]": word[-2:],
            "word.isupper()": word.isupper(), "word.istitle()": word.istitle(), "word.isdigit()": word.isdigit(),
        }  # fmt: skip
        for name, place in (("-1", t - 1), ("+1", t + 1)):
            if 0 <= place < len(words):
                near = words[place]
                features |= {
                    f"{name}:word.lower()": near.lower(), f"{name}:word[-3:]": near[-3:],
                    f"{name}:word.istitle()": near.istitle(), f"{name}:word.isupper()": near.isupper(),
                }  # fmt: skip
            else:
                features["BOS" if place < 0 else "EOS"] = True
        out.append(features)
    return out


def compare_dictionaries(rounds: int) -> None:
    """Lists of dictionaries, as sklearn-crfsuite takes them: learning from them, and prediction, reading included."""
    (X, y), (X_test, y_test) = tags("train"), tags("test")
    X, X_test = ([dictionaries(x) for x in each] for each in (X, X_test))
    print(f"UD EWT tags from dictionaries: {sum(len(p) for x in X for p in x):,} entries to learn, {rounds} passes")

    def make() -> SequenceClassifier:
        return SequenceClassifier(max_iter=rounds, random_state=0, n_jobs=1)

    def learn() -> Peer:
        peer = Peer(X, y, rounds)
        peer.learn()
        return peer

    make().fit(X[:100], y[:100]).predict(X[:100])  # compiles
    own, other = [], []
    for _ in range(2):
        own.append(cpu(lambda: make().fit(X, y)))
        other.append(cpu(learn))
    train, waited = (min(seconds for seconds, _ in each) for each in (own, other))
    print(f"  training: {train:.2f} s; CRFsuite {waited:.2f} s")
    print("  CRFsuite's time / ours      ", verdict(waited / train, 2, at_most=False))
    rule, tagger = own[-1][1], other[-1][1].tagger()
    own, other = [], []
    for _ in range(5):
        own.append(cpu(lambda: rule.predict(X_test)))
        other.append(cpu(lambda: [tagger.tag(x) for x in X_test]))
    asked, waited = (min(seconds for seconds, _ in each) for each in (own, other))
    print(f"  prediction: {asked:.3f} s; CRFsuite {waited:.3f} s")
    print("  CRFsuite's time / ours      ", verdict(waited / asked, 1.2, at_most=False))
    scores = (accuracy(each[-1][1], y_test) for each in (own, other))
    print("  accuracy: {:.4f}; CRFsuite {:.4f}".format(*scores))


def main(rounds: int = 10) -> None:
    X, y, fold = words()
    learn, test = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    compare(
        "OCR letters", ([X[i] for i in learn], [y[i] for i in learn]), ([X[i] for i in test], [y[i] for i in test]),
        make=lambda seed: SequenceClassifier(max_iter=rounds, random_state=seed, n_jobs=1),
        itemise=strings, goal=0.885, rounds=rounds,
    )  # fmt: skip
    compare(
        "UD EWT tags", tags("train"), tags("test"),
        make=lambda seed: SequenceClassifier(max_iter=rounds, random_state=seed, n_jobs=1, templates="window"),
        itemise=named, goal=0.948, rounds=rounds, templates=WINDOW,
    )  # fmt: skip
    compare_dictionaries(rounds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
