"""Sequences with a label for every position: the oracle, its features, and decoding (E2)."""

from .features import Features, features
from .oracle import Sequences, decode, decode_k_best, sequences, with_new_scratch, write_max_marginals
from .scores import Chain, Weights, count_weights, grow_weights, split_weights

__all__ = [
    "Chain", "Features", "Sequences", "Weights", "count_weights", "decode", "decode_k_best", "features", "grow_weights",
    "sequences", "split_weights", "with_new_scratch", "write_max_marginals",
]  # fmt: skip
