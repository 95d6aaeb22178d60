"""warm_up: compile in processes of their own what estimators need, so that no later fit compiles."""

import json
import os
import subprocess
import sys

import pytest
import scipy.sparse as sp

from linsep import NetworkClassifier, OneVsAll, Perceptron, SequenceClassifier
from linsep.estimators import warm_up as module

FIT = """
import json
from linsep import GradientDescent
from linsep.rows.matrix import write_scores
rule = GradientDescent(max_iter=2).fit([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]], [0, 0, 1, 1])
stats = write_scores.stats
print(json.dumps([sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""


@pytest.mark.long
def test_what_is_compiled_is_found_by_another_process(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    code = "from linsep import GradientDescent, warm_up; print(warm_up([GradientDescent(max_iter=2)], processes=1))"
    guarded = f"if __name__ == '__main__':\n    {code}"
    script = tmp_path / "warm.py"
    script.write_text(guarded)
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "['GradientDescent(max_iter=2)']", done.stderr
    fit = subprocess.run([sys.executable, "-c", FIT], env=environment, capture_output=True, text=True)
    hits, misses = json.loads(fit.stdout.splitlines()[-1])
    assert hits > 0 and misses == 0, fit.stderr


@pytest.mark.parametrize(
    ("estimator", "kinds"),
    [(Perceptron(), 12), (OneVsAll(Perceptron()), 6), (NetworkClassifier(), 1), (SequenceClassifier(), 1)],
)
def test_the_data_are_small_and_of_every_kind(estimator, kinds):
    found = module._data_for(estimator)
    assert len(found) == kinds
    assert all(len(y) <= 6 for _, y in found)


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_estimators_may_refuse_sparse_rows_or_three_classes(error):
    class Refusing:
        def fit(self, X, y):
            raise error("no")

    module._fit(Refusing(), (module.X, module.Y))
    module._fit(Refusing(), (sp.csr_array(module.X[:4]), module.Y[:4]))
    with pytest.raises(error, match="no"):
        module._fit(Refusing(), (module.X[:4], module.Y[:4]))
