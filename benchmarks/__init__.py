"""Benchmarks: linsep beside its peers, as ratios measured in one run. One thread, unless a file says otherwise."""

import ast
import os
import sys
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

asked = next((each for each in sys.orig_argv if each.startswith(f"{__name__}.")), None)  # python -m benchmarks.…
if asked and {"-h", "--help"} & set(sys.orig_argv):  # the first words of each file are its help
    print(ast.get_docstring(ast.parse(Path(__file__).with_name(f"{asked.split('.')[1]}.py").read_text())))
    sys.exit()
