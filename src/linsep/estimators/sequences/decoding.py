"""Labels for sequences that were read: the best labelling, the k best, max-marginals, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

import numpy as np

from ...oracles.sequences import Sequences, decode, decode_k_best, with_new_scratch, write_max_marginals
from ...oracles.validation import require_memory
from ...risk.spans import span_scores
from .labels import split_positions

SCORING = ("token", "sequence", "span")
ONE_THREAD = 1000  # positions that are not worth a second thread


class Labelling(NamedTuple):
    """A labelling and its score."""

    labels: np.ndarray
    score: float


def best_labels(oracle: Sequences, w: np.ndarray, threads: int) -> np.ndarray:
    """The numbers of the best labels of all positions; few positions are the work of one thread."""
    out, values = np.empty(oracle.label.size, dtype=np.int32), np.empty(oracle.sign.size)
    threads = threads if oracle.label.size > ONE_THREAD else 1
    work_in_threads(lambda rows: decode(with_new_scratch(oracle), w, rows, out, values), oracle.sign.size, threads)
    return out


def best_labellings(oracle: Sequences, w: np.ndarray, k: int, classes: np.ndarray) -> Iterator[list[Labelling]]:
    """For every sequence its k best labellings; fewer if fewer are allowed."""
    if not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k: expected an integer of 1 or more, got {k!r}.")
    room = (*oracle.best.shape, int(k))
    require_memory(float(np.prod(room, dtype=np.float64)), "predict_best: length x labels x k")
    messages = np.empty(room), np.zeros(room, np.int64), np.zeros(room, np.int64)
    for i, n in enumerate(np.diff(oracle.begin)):
        out, values = np.empty((k, n), dtype=np.int32), np.empty(k)
        count = decode_k_best(oracle, w, i, messages, out, values)
        yield [Labelling(classes[out[j]], float(values[j])) for j in range(count)]


def marginals(oracle: Sequences, w: np.ndarray) -> list[np.ndarray]:
    """For every sequence length x labels: the score of the best labelling that has this label there."""
    out = np.empty((oracle.label.size, oracle.chain.labels))
    write_max_marginals(oracle, w, np.arange(oracle.sign.size), np.empty_like(oracle.best), out)
    return split_positions(out, oracle.begin)


def score_labels(truth: list, found: list, begin: np.ndarray, by: str, sample_weight=None) -> float:
    """The share of right labels, of sequences right throughout, or the F1 of spans.

    >>> score_labels(["a", "b", "b"], ["a", "b", "a"], np.array([0, 2, 3]), "sequence")
    0.5
    """
    if by not in SCORING:
        raise ValueError(f"by: expected one of {', '.join(map(repr, SCORING))}, got {by!r}.")
    if by == "span":
        if sample_weight is not None:
            raise ValueError("score: spans can't be weighted.")
        spans = ([labels[a:b] for a, b in pairwise(begin.tolist())] for labels in (truth, found))
        return span_scores(*spans).total.f1
    right, lengths = np.array([a == b for a, b in zip(truth, found, strict=True)]), np.diff(begin)
    if by == "sequence":
        return float(np.average(np.add.reduceat(right, begin[:-1]) == lengths, weights=sample_weight))
    return float(np.average(right, weights=None if sample_weight is None else np.repeat(sample_weight, lengths)))


def work_in_threads(work: Callable[[np.ndarray], None], n: int, jobs: int) -> None:
    """Call ``work`` on the numbers 0 ... n - 1, cut into as many runs as threads; the kernels release the GIL."""
    runs = [run for run in np.array_split(np.arange(n), jobs) if run.size]
    if len(runs) == 1:
        work(runs[0])
        return
    with ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(work, runs))
