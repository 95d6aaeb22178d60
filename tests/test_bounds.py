"""Kernels trust their arrays: with Numba's bounds checking, no recorded fit reads or writes beyond one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.long
def test_no_recorded_fit_leaves_its_arrays(tmp_path):
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    options = ["-q", "-x", "-p", "no:cacheprovider", str(HERE / "test_recorded_fits.py")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options], env=environment, cwd=HERE.parent, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-3000:]
