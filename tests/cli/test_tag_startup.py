"""`linsep tag predict` starts without scikit-learn, whose import takes longer than labelling a file."""

import subprocess
import sys

PROGRAM = """
import sys
from linsep.cli.app import run
assert run(["tag", "predict", {model!r}, {data!r}]) == 0
print(sorted({{"sklearn", "joblib", "pandas", "polars", "scipy.stats", "scipy.sparse.csgraph"}} & set(sys.modules)))
"""


def test_predict_does_not_import_scikit_learn(tmp_path):
    data, model = tmp_path / "some.txt", tmp_path / "tagger.linsep"
    data.write_text("the D\ndog N\nbarks V\n\na D\ncat N\nsleeps V\n")
    subprocess.run([sys.executable, "-m", "linsep", "tag", "fit", data, "-o", model, "--quiet"], check=True)
    program = PROGRAM.format(model=str(model), data=str(data))
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found == "the\tD\tD\ndog\tN\tN\nbarks\tV\tV\n\na\tD\tD\ncat\tN\tN\nsleeps\tV\tV\n\n[]\n"
