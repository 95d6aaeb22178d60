"""With no parameter set: Perceptron() against scikit-learn's SGDClassifier() and Perceptron(), on held-out thirds.

    python -m benchmarks.defaults

Each third is held out once, with the rows in the order of the file and in random order.
"""

import time
import warnings

import numpy as np
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.data import load
from linsep import Perceptron


def thirds(X, y, shuffled: bool):
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        train = np.random.default_rng(0).permutation(train) if shuffled else train
        yield X[train], y[train], X[test], y[test]


def judge(make, X, y, shuffled: bool, standardise: bool) -> tuple[float, float]:
    """Mean accuracy and total time to fit, over the three thirds; the best time of three."""
    accuracy, seconds = [], 0.0
    for A, labels, B, truth in thirds(X, y, shuffled):
        if standardise:
            scaler = StandardScaler().fit(A)
            A, B = scaler.transform(A), scaler.transform(B)
        best = float("inf")
        for seed in range(3):
            rule = make(seed)
            began = time.perf_counter()
            rule.fit(A, labels)
            best = min(best, time.perf_counter() - began)
            accuracy.append(rule.score(B, truth))
        seconds += best
    return float(np.mean(accuracy)), seconds


def main() -> None:
    warnings.simplefilter("ignore")
    for name in ("a9a", "spambase", "adult_onehot", "sms_spam_counts"):
        X, y = load(name)
        for shuffled in (False, True):
            order = "random order" if shuffled else "file order"
            own = judge(lambda seed: Perceptron(), X, y, shuffled, name == "spambase")
            sgd = judge(lambda seed: SGDClassifier(random_state=seed), X, y, shuffled, name == "spambase")
            peer = judge(lambda seed: Peer(random_state=seed), X, y, shuffled, name == "spambase")
            good = "yes" if own[0] >= sgd[0] and own[1] < sgd[1] else "NO"
            print(f"{name}, {order}: accuracy {own[0]:.4f}, SGD {sgd[0]:.4f}, Perceptron {peer[0]:.4f};", end="")
            print(
                f" time / SGDClassifier's {own[1] / sgd[1]:.2f}, / Perceptron's {own[1] / peer[1]:.2f}; better: {good}"
            )


if __name__ == "__main__":
    main()
