"""With no parameter set: Perceptron() against scikit-learn's SGDClassifier() and Perceptron(), on held-out thirds.

    python -m benchmarks.defaults

Each third is held out once, with the rows in the order of the file and in random order. Times are CPU time, the best of
some, the competitors taking turns: the shortest fits take 4 ms, and a machine's speed may change by a half in one run.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.data import load
from benchmarks.timing import best_times
from linsep import Perceptron


def thirds(X, y, shuffled: bool):
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        train = np.random.default_rng(0).permutation(train) if shuffled else train
        yield X[train], y[train], X[test], y[test]


RULES = {
    "own": lambda seed: Perceptron(),
    "sgd": lambda seed: SGDClassifier(random_state=seed),
    "peer": lambda seed: Peer(random_state=seed),
}


def judge(X, y, shuffled: bool, standardise: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Mean accuracy (three seeds) and total time to fit of each rule, over the three thirds."""
    accuracy, seconds = dict.fromkeys(RULES, 0.0), dict.fromkeys(RULES, 0.0)
    for A, labels, B, truth in thirds(X, y, shuffled):
        if standardise:
            scaler = StandardScaler().fit(A)
            A, B = scaler.transform(A), scaler.transform(B)
        fits = {name: partial(make(0).fit, A, labels) for name, make in RULES.items()}
        for name, best in best_times(7, time.process_time, **fits).items():
            seconds[name] += best
        for name, make in RULES.items():
            accuracy[name] += np.mean([make(seed).fit(A, labels).score(B, truth) for seed in range(3)]) / 3
    return accuracy, seconds


def main() -> None:
    warnings.simplefilter("ignore")
    for name in ("a9a", "spambase", "adult_onehot", "sms_spam_counts"):
        X, y = load(name)
        for shuffled in (False, True):
            order = "random order" if shuffled else "file order"
            right, seconds = judge(X, y, shuffled, name == "spambase")
            sgd, peer = (seconds["own"] / seconds[other] for other in ("sgd", "peer"))
            good = "yes" if right["own"] >= right["sgd"] and sgd < 1.0 else "NO"
            print(
                f"{name}, {order}: accuracy {right['own']:.4f}, SGD {right['sgd']:.4f}, Perceptron {right['peer']:.4f};"
                f" time / SGDClassifier's {sgd:.2f}, / Perceptron's {peer:.2f}; better: {good}"
            )


if __name__ == "__main__":
    main()
