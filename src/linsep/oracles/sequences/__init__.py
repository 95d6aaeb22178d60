"""Sequences with a label for every position: the oracle, its features, and decoding (E2)."""

from .features import Features, make_features
from .oracle import Sequences, decode, decode_k_best, sequences, with_new_scratch, write_max_marginals
from .scores import Chain, Weights, split_weights

__all__ = [
    "Chain", "Features", "Sequences", "Weights", "decode", "decode_k_best", "make_features", "sequences",
    "split_weights", "with_new_scratch", "write_max_marginals",
]  # fmt: skip
