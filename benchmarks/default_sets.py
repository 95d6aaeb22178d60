"""The sets of `benchmarks.defaults`: scikit-learn's bundled ones, those of shared/data, and generated ones.

They come in two halves. The defaults were chosen on `CHOSEN_ON`; `REPORTED` was looked at afterwards only.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.data import FOLDER, load


def letters():
    """Handwritten letters of 16 x 8 pixels, each by itself, the first 20,000."""
    load("tulip")  # puts the folder into the path, or says that it is missing
    from load import words

    pictures, labels, _ = words()
    return np.concatenate(pictures)[:20_000], np.concatenate(labels)[:20_000]


def covtype_like(n: int = 20_000, seed: int = 1):
    """Ten columns of very different sizes and places, 44 of zeros and ones; seven classes of very different sizes."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 10))
    size = np.array([280.0, 112, 7.5, 212, 58, 1559, 27, 20, 38, 1324])
    place = np.array([2959.0, 156, 14, 269, 46, 2350, 212, 223, 142, 1980])
    area, soil = rng.integers(0, 4, n), rng.integers(0, 40, n)
    codes = np.column_stack([area[:, None] == np.arange(4), soil[:, None] == np.arange(40)]).astype(float)
    W, V = rng.standard_normal((10, 7)), 1.5 * rng.standard_normal((44, 7))
    curved = 0.5 * np.sin(2 * Z) @ rng.standard_normal((10, 7))
    scores = Z @ W + codes @ V + curved + np.log([0.36, 0.49, 0.06, 0.01, 0.02, 0.03, 0.04])
    y = (scores + 1.5 * rng.gumbel(size=scores.shape)).argmax(axis=1)
    return np.column_stack([np.round(Z * size + place), codes]), y


def units(n: int = 5_000, seed: int = 2):
    """Twenty columns in units between 1e-4 and 1e4, some far from 0, two classes that overlap."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 20))
    y = Z @ rng.standard_normal(20) + 1.5 * rng.logistic(size=n) > 0.5
    return (Z + 5 * rng.standard_normal(20)) * 10.0 ** rng.uniform(-4, 4, 20), y.astype(int)


def money(n: int = 8_000, seed: int = 3):
    """Amounts with heavy tails, years and counts: a table as companies have it."""
    rng = np.random.default_rng(seed)
    amounts = np.exp(rng.normal(6, 1.5, (n, 6)))
    years = rng.integers(1950, 2024, (n, 2)).astype(float)
    counts = rng.poisson(3, (n, 8)).astype(float)
    seen = np.column_stack([np.log(amounts) - 6, (years - 1987) / 20, (counts - 3) / 2])
    y = seen @ rng.standard_normal(16) + rng.logistic(size=n) > 0.8
    return np.column_stack([amounts, years, counts]), y.astype(int)


def genes(n: int = 120, d: int = 5_000, seed: int = 4):
    """Far more columns than rows, with levels of expression of very different sizes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    Z = rng.standard_normal((n, d))
    Z[:, :60] += 1.2 * rng.standard_normal((3, 60))[y]
    return (Z + 6) * np.exp(rng.normal(0, 1, d)), y


def documents(n: int = 12_000, d: int = 30_000, topics: int = 8, seed: int = 5, length: int = 60):
    """Counts of words: a Zipf law for all, and some words that each topic prefers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, topics, n)
    common = 1.0 / np.arange(1, d + 1)
    boost = np.ones((topics, d))
    for k in range(topics):
        boost[k, rng.choice(d, d // 50, replace=False)] = 4.0
    words = np.empty((n, length), dtype=np.int32)
    for k in range(topics):
        odds = np.cumsum(common * boost[k])
        rows = np.flatnonzero(y == k)
        words[rows] = np.searchsorted(odds, rng.random((rows.size, length)) * odds[-1])
    indptr = np.arange(0, n * length + 1, length, dtype=np.int32)
    X = sp.csr_array((np.ones(n * length), np.minimum(words, d - 1).ravel(), indptr), shape=(n, d))
    X.sum_duplicates()
    return X, y


def shrunk(name: str, most: int):
    """A stored set, its first rows."""
    X, y = load(name)
    return X[:most], y[:most]


def bundled(read: Callable):
    return read(return_X_y=True)


Reader = Callable[[], tuple]
CHOSEN_ON: dict[str, Reader] = {
    "wine": partial(bundled, load_wine),
    "iris": partial(bundled, load_iris),
    "spambase": partial(load, "spambase"),
    "a9a": partial(load, "a9a"),
    "sms_spam_counts": partial(load, "sms_spam_counts"),
    "ocr_digits": partial(load, "ocr_trn"),
    "letters": letters,
    "riply": partial(load, "riply_trn"),
    "covtype_like": covtype_like,
    "units": units,
    "documents": documents,
}
REPORTED: dict[str, Reader] = {
    "breast_cancer": partial(bundled, load_breast_cancer),
    "digits": partial(bundled, load_digits),
    "adult_onehot": partial(load, "adult_onehot"),
    "mushrooms": partial(load, "mushrooms"),
    "news20": partial(load, "news20_multiclass"),
    "mnist": partial(shrunk, "mnist", 20_000),
    "vltava": partial(load, "vltava"),
    "pentagon": partial(load, "pentagon"),
    "covtype_like_2": partial(covtype_like, 20_000, 11),
    "money": money,
    "genes": genes,
}
LONG: dict[str, Reader] = {"sparse_2M": partial(documents, 2_000_000, 100_000, 2, 6)}  # 1.4 GB; only if named


def read(name: str):
    """X and y of a set by its name."""
    known = CHOSEN_ON | REPORTED | LONG
    if name not in known:
        sys.exit(f"Expected one of {', '.join(known)}, got {name!r}.")
    return known[name]()


__all__ = ["CHOSEN_ON", "FOLDER", "LONG", "REPORTED", "read"]
