"""The proof of a margin over sequences in shards: what one shard can tell is computed where it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...oracles.update_log import Entries
from .labelling import LabellingProver


class ShardsProver(LabellingProver):
    """What learning asks about a w, of sequences that an engine holds."""

    def sum_vectors(self, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums of every shard, added in their order; what is 0 does not travel."""
        asked = self.oracle.split(entries)
        each, which = [(some, weights[own]) for _, own, some in asked], [k for k, _, _ in asked]
        total, absolute, count = np.zeros((3, self.oracle.size))
        for places, *sums in self.oracle.map(_sums, each=each, which=which):
            for whole, own in zip((total, absolute, count), sums, strict=True):
                whole[places] += own
        return total, absolute, count

    def lowest_entries(self, w: np.ndarray, examples: np.ndarray) -> Entries:
        """The lowest vectors of some examples, whose numbers rise."""
        starts = self.oracle.starts
        shard = np.searchsorted(starts, examples, side="right") - 1
        which = np.unique(shard).tolist()
        each = [(examples[shard == k] - starts[k],) for k in which]
        found = self.oracle.map(_lowest, w, each=each, which=which)
        example = np.concatenate([some.example + starts[k] for k, some in zip(which, found, strict=True)])
        sizes = np.concatenate([np.diff(some.begin) for some in found])
        label = np.concatenate([some.label for some in found])
        return Entries(example, np.concatenate([[0], np.cumsum(sizes)]), label)


def _sums(oracle: Any, entries: Entries, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    total, absolute, count = LabellingProver([oracle]).sum_vectors(entries, weights)
    places = np.flatnonzero(count)
    return places, total[places], absolute[places], count[places]


def _lowest(oracle: Any, w: np.ndarray, examples: np.ndarray) -> Entries:
    return LabellingProver([oracle]).lowest_entries(w, examples)
