"""The real data sets beside the project, in shared/data; they are not part of it."""

import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def load(name: str):
    """X and y of a set; CSR indices as int32, which scikit-learn's peers want."""
    if not FOLDER.is_dir():
        sys.exit(f"This benchmark needs the data sets in {FOLDER.parent.name}/{FOLDER.name} beside the project.")
    sys.path.insert(0, str(FOLDER))
    from load import load as stored

    found = stored(name)
    X = found["X"]
    if hasattr(X, "indptr"):
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, found["y"]
