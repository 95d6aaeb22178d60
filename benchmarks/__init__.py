"""Benchmarks: linsep beside its peers, as ratios measured in one run. One thread, unless a file says otherwise."""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
