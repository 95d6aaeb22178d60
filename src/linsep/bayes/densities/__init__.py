"""Class densities p(x|k) (A2): objects with ``fit``, ``score_samples`` (the logarithm) and ``sample``; one a file."""
