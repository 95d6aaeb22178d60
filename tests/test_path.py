"""The path of the data through a fit: ARCHITECTURE.md tells it as it is, and it does not grow unnoticed."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from linsep import Kozinec, MaximumMargin, Perceptron, SequenceClassifier

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "linsep"
FLOWS = dict(
    re.findall(r"\*\*`(.+?)`\*\*\n\n(.*?)(?=\n\*\*`|\Z)", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.S)
)
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
ROWS = X, (X[:, 0] > 0).astype(int)
WORDS = [rng.normal(size=(5, 4)) for _ in range(20)], [rng.integers(0, 3, 5) for _ in range(20)]
# files and functions (comprehensions not counted) that a warm fit may pass through; decisions 29, 33, 38, 42 and 44
# Kozinec is soon done, so that no clock ends it
CASES = {
    "Perceptron().fit(X, y)": (Perceptron(), ROWS, 34, 171),
    "Kozinec().fit(X, y)": (Kozinec(tol=0.2), ROWS, 31, 162),
    "MaximumMargin(C=1).fit(X, y)": (MaximumMargin(C=1), ROWS, 26, 163),
    "SequenceClassifier().fit(X, y)": (SequenceClassifier(max_iter=3), WORDS, 36, 157),
}


def followed(rule, X, y):
    """The functions that a warm fit calls, as pairs of file and name, in the order of their first calls."""
    seen = {}

    def see(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
            seen.setdefault((str(Path(code.co_filename).relative_to(SOURCE)), code.co_qualname))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(X, y)
        before = sys.getprofile()
        sys.setprofile(see)
        try:
            rule.fit(X, y)
        finally:
            sys.setprofile(before)
    return list(seen)


@pytest.mark.parametrize("case", CASES)
def test_a_fit_passes_through_the_files_that_the_page_names_and_not_many_more(case):
    rule, data, most_files, most_functions = CASES[case]
    functions = followed(rule, *data)
    files = {file for file, _ in functions}
    assert len(files) <= most_files and len(functions) <= most_functions, (len(files), len(functions))
    named = set(re.findall(r"`([\w/]+\.py)`", FLOWS.get(case, "")))
    missing = {name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)}
    assert not missing, f"ARCHITECTURE.md names files that {case} does not pass through: {sorted(missing)}"
