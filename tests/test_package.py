"""The package as a whole: its names, what importing it does to others, compiled and interpreted functions."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import linsep
from linsep.jit import at_speed, compiled

NAMES = {
    "Anderson",
    "AveragedPerceptron",
    "Bayes",
    "Certificate",
    "Dataset",
    "Functions",
    "GradientDescent",
    "Kozinec",
    "LeastSquares",
    "Lifted",
    "LinearMachine",
    "Mahalanobis",
    "MaximumMargin",
    "MaximumMarginCV",
    "NearestMean",
    "NetworkClassifier",
    "LabellingCertificate",
    "MarginCertificate",
    "ObjectiveCertificate",
    "OneVsAll",
    "OneVsOne",
    "Perceptron",
    "Polynomial",
    "Quadratic",
    "RadiusCertificate",
    "Relaxation",
    "RidgeCertificate",
    "SequenceClassifier",
    "StructuredClassifier",
    "checkpointing",
    "load",
    "open_dataset",
    "open_shards",
    "report",
    "separability",
    "trace",
    "warm_up",
}
MODULES = {"bayes", "data", "inference", "lab", "lifting", "oracles", "plot", "risk", "rules", "targets"}


def run(code: str, **environment: str) -> str:
    """What Python prints for this code in a process of its own."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_name_is_there_and_no_other():
    assert set(linsep.__all__) == NAMES
    assert set(dir(linsep)) == {*NAMES, *MODULES, "__version__"}
    assert all(getattr(linsep, name) is not None for name in dir(linsep))
    with pytest.raises(AttributeError, match="no attribute 'Perzeptron'"):
        linsep.Perzeptron  # noqa: B018


def test_modules_come_with_the_package():
    assert run("import linsep; print(linsep.risk.empirical_risk([0, 1], [0, 0]))") == "0.5"


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, linsep; print('numba' in sys.modules, 'sklearn' in sys.modules)"
    assert run(code) == "False False"
    code = "import sys; from linsep import Kozinec; print({'linsep.inference', 'linsep.bayes'} & {*sys.modules})"
    assert run(code) == "set()"


# --- compiled and interpreted ----------------------------------------------------------------------------------------


@compiled
def inverse(x):
    return 1 / x


@compiled
def inverse_of_sum(values, out):
    out[0] = inverse(values[0] + values[1])


class Half(NamedTuple):
    """A rule: half of the way."""

    share: float = 0.5

    def step(self, t, wa, ww, aa, goal):
        return self.share, (1 - self.share) / t


@compiled
def step_of(rule, t):
    return rule.step(t, 1.0, 1.0, 1.0, 0.0)


def test_compiled_functions_are_their_python_functions():
    out, interpreted = np.zeros(1), np.zeros(1)
    inverse_of_sum(np.array([1.0, 3.0]), out)
    inverse_of_sum.py_func(np.array([1.0, 3.0]), interpreted)
    assert out[0] == interpreted[0] == inverse.py_func(4.0) == 0.25
    assert at_speed(step_of, Half())(Half(), 2) == step_of.py_func(Half(), 2) == (0.5, 0.25)


def test_errors_inside_compiled_functions_come_out():
    with pytest.raises(ZeroDivisionError):
        inverse_of_sum(np.array([1.0, -1.0]), np.zeros(1))
    step = at_speed(step_of, Half())
    with pytest.raises(ZeroDivisionError):
        step(Half(), 0)
    assert step(Half(0.25), 1) == (0.25, 0.75)


# --- what others see -------------------------------------------------------------------------------------------------

FITS = """
import warnings; warnings.simplefilter("ignore")
import numpy as np
from sklearn.datasets import load_breast_cancer
from linsep import *
X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)
rng = np.random.default_rng(0)
sequences = [rng.normal(size=(n, 5)) for n in (3, 4, 5, 6)]
labels = [rng.integers(0, 3, len(x)) for x in sequences]
FITS = {
    "perceptron": lambda: Perceptron(keep="last", max_iter=3).fit(X, y),
    "sequences": lambda: SequenceClassifier(max_iter=3, random_state=0).fit(sequences, labels),
    "machine": lambda: LinearMachine(max_iter=3).fit(X, (2 * y + (X[:, 0] > 0))),
    "kozinec": lambda: Kozinec(max_iter=3).fit(X, y),
    "margin": lambda: MaximumMargin(C=1.0).fit(X, y),
}
"""

OTHERS = """
import gc, json
from typing import NamedTuple
import numba
class Game(NamedTuple):
    goal: float
    step: float
@numba.njit
def total(game):
    return game.goal + game.step
@numba.njit
def missing(game):
    return game.lowest(1.0, 2)
def show():
    try:
        found = missing(Game(1.0, 2.0))
    except Exception as error:
        found = type(error).__name__
    settings = {name: repr(getattr(numba.config, name)) for name in dir(numba.config) if name.isupper()}
    return json.dumps([total(Game(1.0, 2.0)), found, gc.isenabled(), settings])
"""


def test_others_kernels_and_numbas_settings_are_left_alone():
    alone = json.loads(run(f"{OTHERS}print(show())"))
    beside = json.loads(run(f"{OTHERS}{FITS}for fit in FITS.values(): fit()\nprint(show())"))
    assert alone[:3] == beside[:3] == [3.0, "TypingError", True]
    assert alone[3] == beside[3]


@pytest.mark.parametrize("cache", ["shared", pytest.param("fresh", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["perceptron", "sequences"])
def test_bits_do_not_depend_on_what_was_fitted_before(name, cache, tmp_path):
    """Fresh caches compile all kernels in the order of the fits: what one asks for must not change another."""
    show = f"print(FITS[{name!r}]().coef_.tobytes().hex())"
    places = [{} if cache == "shared" else {"NUMBA_CACHE_DIR": str(tmp_path / part)} for part in ("alone", "after")]
    alone = run(f"{FITS}{show}", **places[0])
    after = run(f"{FITS}for fit in [*FITS.values()][::-1]: fit()\n{show}", **places[1])
    assert alone == after
