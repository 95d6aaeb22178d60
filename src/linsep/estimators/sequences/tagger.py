"""What decides about sequences: reader, labels, chain and w. No scikit-learn: `linsep tag predict` starts soon."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...oracles.sequences import Chain, Sequences, count_weights, sequences
from ...oracles.validation import require_w
from .decoding import best_labels
from .reader import Reader, without_empty


class Tagger:
    """The part of a `linsep.SequenceClassifier` that `predict` needs."""

    reader_: Reader
    classes_: np.ndarray
    coef_: np.ndarray
    _chain: Chain

    def _asked(self, X: Iterable) -> tuple[Sequences, np.ndarray]:
        """Sequences without labels, those that have positions, and where all begin."""
        begin, x = self.reader_.apply(X)
        label = np.zeros(begin[-1], dtype=np.int32)
        return sequences(without_empty(begin), label, x, **self._chain._asdict()), begin

    def _present_coef(self) -> np.ndarray:
        """w, as many numbers as the chain needs."""
        return require_w(self.coef_, count_weights(self.reader_.width, self._chain))

    def label_positions(self, X: Iterable, threads: int) -> tuple[np.ndarray, np.ndarray]:
        """The best labels of all positions, one sequence after the other, and where each sequence begins."""
        oracle, begin = self._asked(X)
        return self.classes_[best_labels(oracle, self._present_coef(), threads)], begin
