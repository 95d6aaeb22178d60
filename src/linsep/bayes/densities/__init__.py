"""Class densities p(x|k) (A2): estimators with ``fit``, ``score_samples`` (the logarithm) and ``sample``."""
