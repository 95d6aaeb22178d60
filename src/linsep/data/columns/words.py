"""Words of a text as numbers: hashed into buckets, as often as they occur, weighed by how rare they are (tf-idf)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

BUCKETS = 1 << 13


def _hashing() -> Any:
    """scikit-learn's way from text to counts of hashed words; it keeps no state."""
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(n_features=BUCKETS, alternate_sign=False, norm=None, dtype=np.float64)


def count_words(said: Any) -> sp.csr_matrix:
    """How often words of each bucket occur in each cell."""
    return _hashing().transform(said.fill_null("").to_list()) if len(said) else sp.csr_matrix((0, BUCKETS))


def count_documents(said: Any) -> np.ndarray:
    """In how many cells each bucket occurs."""
    return np.bincount(count_words(said).indices, minlength=BUCKETS).astype(np.int64)


def name_buckets(said: Any) -> dict[int, str]:
    """For each bucket its first word in the order of the alphabet, to show to people."""
    from sklearn.utils import murmurhash3_32

    names: dict[int, str] = {}
    analyse = _hashing().build_analyzer()
    for word in sorted({word for cell in said.drop_nulls().unique().to_list() for word in analyse(cell)}):
        names.setdefault(abs(murmurhash3_32(word, seed=0)) % BUCKETS, word[:40])
    return names


def weigh_words(said: Any, rows: int, buckets: np.ndarray, documents: np.ndarray) -> sp.csr_matrix:
    """Rows of norm 1 of ``(1 + log count) (1 + log((1 + rows) / (1 + documents)))``, for the ``buckets`` alone."""
    counts = count_words(said)[:, buckets].tocsr()
    counts.sort_indices()
    counts.data = 1.0 + np.log(counts.data)
    counts.data *= 1.0 + np.log((1.0 + rows) / (1.0 + documents[counts.indices]))
    norm = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    counts.data /= np.repeat(np.where(norm > 0, norm, 1.0), np.diff(counts.indptr))
    return counts


def bucket_of(said: Any, buckets: int) -> np.ndarray:
    """The bucket of each cell as a whole; -1 for missing ones."""
    from sklearn.utils import murmurhash3_32

    different = said.unique().drop_nulls().to_list()
    table = {word: int(murmurhash3_32(word, seed=0, positive=True)) % buckets for word in different}
    return np.array([-1 if word is None else table[word] for word in said.to_list()], dtype=np.int64)
