"""What a fit has found, to be compared bit for bit."""

import dataclasses

import numpy as np


def learned(rule):
    """All that a fit has found, but for seconds."""
    history = [{name: value for name, value in entry.items() if name != "seconds"} for entry in rule.history_]
    return rule.coef_.tobytes(), rule.intercept_.tobytes(), repr(history), dataclasses.astuple(rule.certificate_)


def same(one, other):
    """Whether two fits have found the same bits."""
    pairs = zip(one[3], other[3], strict=True)
    equal = (np.array_equal(a, b) if isinstance(a, np.ndarray) else repr(a) == repr(b) for a, b in pairs)
    return one[:3] == other[:3] and all(equal)
