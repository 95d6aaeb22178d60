"""Many classes: the linear machine against scikit-learn on MNIST and 20 newsgroups, and prediction against one product.

    python -m benchmarks.many_classes

MNIST as uint8, its official split; newsgroups 70/30 (ten splits), rows of length 1: averaged least squares with its
default rate and passes, and what three-fold cross-validation inside the training rows of each split chooses from a
ladder. The defaults were chosen by cross-validation inside the training rows of split 0 (rates 1/4, 1/2 and 1, passes
3 to 20, with and without a bias); test rows were not looked at, but most of other splits are training rows there.
Times are whole fits, checks of the input, passes and certificate, in CPU time; each the best of some, after one that
compiles. They don't count the cross-validation.
"""

import time
import warnings

import numpy as np
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.preprocessing import normalize

from benchmarks.data import load
from benchmarks.timing import best_times, verdict
from linsep import LeastSquares, LinearMachine, OneVsAll, Perceptron
from linsep.loop.passes import begin, passes
from linsep.oracles import classes
from linsep.rules import Increment
from linsep.targets import Margin

SPLITS = 10


def machine(margin: float) -> LinearMachine:
    """An averaged linear machine through the origin."""
    return LinearMachine(target=margin, max_iter=10, keep="average", fit_intercept=False)


LADDER = {
    "least squares": LeastSquares("lms", keep="average", fit_intercept=False),
    "least squares, bias": LeastSquares("lms", keep="average"),
    "machine, margin 4": machine(4.0),
    "machine, margin 8": machine(8.0),
    "machine, margin 16": machine(16.0),
}


def fitted(rule, X, y, rounds: int):
    """The rule, and the least time of its fits."""
    best = float("inf")
    for k in range(rounds + 1):
        began = time.process_time()
        rule.fit(X, y)
        best = min(best, time.process_time() - began) if k or rounds == 0 else best
    return rule, best


def mnist() -> None:
    pictures, digits = load("mnist")
    X, y, T, t = pictures[:60_000], digits[:60_000], pictures[60_000:], digits[60_000:]
    part = classes(X, y, 10)
    run = passes([part], Margin(0.0), Increment(1.0), begin([part], average=True))
    next(run)
    taken = []
    for _ in range(4):
        began = time.perf_counter()
        next(run)
        taken.append(time.perf_counter() - began)
    own, seconds = fitted(Perceptron(max_iter=2, keep="average"), X, y, 3)
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
    each, seconds = fitted(OneVsAll(Perceptron(max_iter=2, keep="average")), X, y, 1)
    print(f"  one versus all in one sweep: {seconds:.2f} s, accuracy {each.score(T, t):.4f}")
    T64 = T.astype(np.float64)
    times = best_times(
        9,
        time.process_time,
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
    won = {"default": 0, "chosen": 0}
    ahead: dict[str, list[float]] = {"default": [], "chosen": []}
    for seed in range(SPLITS):
        A, B, a, b = train_test_split(X, y, test_size=0.3, random_state=seed)
        for part in (A, B):  # scikit-learn wants 32 bits
            part.indices, part.indptr = part.indices.astype(np.int32), part.indptr.astype(np.int32)
        sgd, waited = fitted(SGDClassifier(random_state=seed), A, a, 2)
        theirs = sgd.score(B, b)
        folds = StratifiedKFold(3, shuffle=True, random_state=seed)
        inside = {name: cross_val_score(rule, A, a, cv=folds).mean() for name, rule in LADDER.items()}
        chosen = max(inside, key=lambda name: inside[name])
        print(f"newsgroups, split {seed}: SGDClassifier {theirs:.4f} in {waited:.2f} s")
        for kind, name in (("default", "least squares"), ("chosen", chosen)):
            own, seconds = fitted(LADDER[name], A, a, 2)
            ours = own.score(B, b)
            won[kind] += ours >= theirs and seconds < waited
            ahead[kind].append(ours - theirs)
            better = "yes" if ours >= theirs else "NO"
            print(f"  {kind}: {name}, {ours:.4f}, {ours - theirs:+.4f} (>= 0: {better});", end="")
            print(" time / SGDClassifier's", verdict(seconds / waited, 1.0, at_most=True), flush=True)
    for kind, gains in ahead.items():
        spread = np.std(gains, ddof=1) / np.sqrt(SPLITS)
        print(f"newsgroups, {kind}: ahead in accuracy and time on {won[kind]} of {SPLITS} splits;", end="")
        print(f" accuracy less SGDClassifier's {np.mean(gains):+.4f} on the average, +- {spread:.4f}", end="")
        print(f" (least {min(gains):+.4f})")
    plain, quick = fitted(Perceptron(), A, a, 1)
    print(f"  Perceptron() with nothing set, last split: {plain.score(B, b):.4f} in {quick:.2f} s")
    own = LADDER["machine, margin 8"].fit(A, a)
    W = own.coef_.T.copy()
    times = best_times(9, time.process_time, ours=lambda: own.predict(B), product=lambda: B @ W)
    print("  predict / X @ W, CSR       ", verdict(times["ours"] / times["product"], 1.2, at_most=True))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    mnist()
    newsgroups()
