"""What users of sklearn-crfsuite look for, by its names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class CrfsuiteNames:
    """Methods and attributes of `linsep.SequenceClassifier` with the names and the meaning of sklearn-crfsuite.

    >>> from linsep import SequenceClassifier
    >>> X, y = [[{"word": "the"}, {"word": "dog"}]], [["DET", "NOUN"]]
    >>> tagger = SequenceClassifier(random_state=0).fit(X, y)
    >>> tagger.predict_single(X[0])
    ['DET', 'NOUN']
    >>> tagger.transition_features_[("DET", "NOUN")] > 0, sorted(tagger.state_features_)[0]
    (True, ('word:dog', 'DET'))
    """

    predict: Any
    weights_: Any
    reader_: Any
    classes_: Any

    def predict_single(self, x: Any) -> list:
        """The best labels of one sequence, as a list; of an empty one none."""
        x = list(x) if isinstance(x, Iterator) else x
        return self.predict([x])[0].tolist() if (x.shape[0] if hasattr(x, "shape") else len(x)) else []

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """The weight of each pair of labels (before, after), but for those that are 0.

        Starts and ends, which CRFsuite does not have, are in ``weights_``.
        """
        pairs, labels = self.weights_.pairs, self.classes_.tolist()
        return {(labels[j], labels[k]): float(pairs[j, k]) for j, k in np.argwhere(pairs).tolist()}

    @property
    def state_features_(self) -> dict[tuple[str, Any], float]:
        """The weight of each feature for each label: (name of the feature, label), but for those that are 0."""
        emission, labels = self.weights_.emission, self.classes_.tolist()
        names = self.reader_.names(np.flatnonzero(emission.any(axis=1)))
        return {(names[j], labels[k]): float(emission[j, k]) for j, k in np.argwhere(emission).tolist()}
