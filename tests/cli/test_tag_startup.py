"""`linsep tag predict` starts without scikit-learn, whose import takes longer than labelling a file; `fit` without
what scikit-learn imports and hardly uses."""

import subprocess
import sys

PROGRAM = """
import sys
from linsep.cli.app import run
assert run(["tag", "predict", {model!r}, {data!r}]) == 0
slow = {{"sklearn", "joblib", "pandas.core", "polars", "scipy.stats._morestats", "scipy.sparse.csgraph"}}
print(sorted(slow & set(sys.modules)))
"""


def test_predict_does_not_import_scikit_learn(tmp_path):
    data, model = tmp_path / "some.txt", tmp_path / "tagger.linsep"
    data.write_text("the D\ndog N\nbarks V\n\na D\ncat N\nsleeps V\n")
    subprocess.run([sys.executable, "-m", "linsep", "tag", "fit", data, "-o", model, "--quiet"], check=True)
    program = PROGRAM.format(model=str(model), data=str(data))
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found == "the\tD\tD\ndog\tN\tN\nbarks\tV\tV\n\na\tD\tD\ncat\tN\tN\nsleeps\tV\tV\n\n[]\n"


LEARN = """
import gc, sys
from linsep.cli.app import run
assert run(["tag", "fit", {data!r}, "-q"]) == 0
assert gc.isenabled()
print(sorted({{"polars", "scipy.stats._morestats", "pandas.core"}} & set(sys.modules)))
import pandas, scipy.stats
from scipy.stats import binomtest
import pandas.api.types
print(scipy.stats.norm.cdf(0.0), binomtest(1, 2).pvalue, pandas.DataFrame({{"a": [1]}}).shape)
"""


def test_fit_does_not_import_what_scikit_learn_hardly_uses(tmp_path):
    """But who asks for it gets it."""
    data = tmp_path / "some.txt"
    data.write_text("the D\ndog N\nbarks V\n\na D\ncat N\nsleeps V\n")
    program = LEARN.format(data=str(data))
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found == "[]\n0.5 1.0 (1, 1)\n"
