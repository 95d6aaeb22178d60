"""What all tests share: shared data sets, and settings of Hypothesis."""

import importlib.util
import json
import signal
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
DATA = REPOSITORY.parent / "shared" / "data"

for stage, count in (("quick", 20), ("all", 60)):
    hypothesis.settings.register_profile(
        stage,
        deadline=None,
        max_examples=count,
        derandomize=True,
        database=None,
        suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
    )


def pytest_configure(config):
    """Hypothesis tries a third of the examples in the quick stage; `stages.examples` follows."""
    hypothesis.settings.load_profile("quick" if config.option.markexpr == "not long" else "all")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of jobs that a script starts in the background; tests press it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of scikit-learn's contract checks, those of the first instance of each class in a file are quick, others long."""
    first = {}
    for item in items:
        if item.name.startswith("test_scikit_learn_contract["):
            estimator = item.callspec.params["estimator"]
            if first.setdefault((item.path, type(estimator)), estimator) is not estimator:
                item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def shared():
    """``shared("tulip")`` gives a data set of ../shared/data; the test skips where that folder is not there."""

    def load(name):
        if not (DATA / "load.py").exists():
            pytest.skip(f"{DATA} is not there: the test needs its data set {name!r}")
        spec = importlib.util.spec_from_file_location("shared_load", DATA / "load.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found = module.load(name)
        return found["X"], found["y"]

    return load


@pytest.fixture(scope="session")
def optimum():
    """The true largest margins of optimum.json."""
    if not (DATA / "optimum.json").exists():
        pytest.skip(f"{DATA} is not there: the test needs optimum.json")
    return json.loads((DATA / "optimum.json").read_text())["max_margin"]


@pytest.fixture(scope="session")
def gaussians_of():
    """``gaussians_of("mars")``: means, covariances, +1 / -1 and the true optimum."""

    def load(name):
        if not (DATA / f"{name}.npz").exists():
            pytest.skip(f"{DATA} is not there: the test needs its data set {name!r}")
        stored = np.load(DATA / f"{name}.npz")
        best = json.loads((DATA / "optimum.json").read_text())["anderson"][name]
        return stored["mean"], stored["cov"], np.where(stored["y"] == 1, 1, -1), best

    return load


@pytest.fixture(scope="session")
def machines():
    """The true largest margins of linear machines in optimum.json."""
    if not (DATA / "optimum.json").exists():
        pytest.skip(f"{DATA} is not there: the test needs optimum.json")
    return json.loads((DATA / "optimum.json").read_text())["multiclass"]


class Hangs(AssertionError):
    """A test that should have ended long ago."""


@pytest.fixture
def within():
    """``with within(): ...`` fails if the body hangs. No limit is under 5 minutes: a slow machine is no failure."""

    @contextmanager
    def limit(seconds=300):
        seconds = max(seconds, 300)

        def alarm(signum, frame):
            raise Hangs(f"still running after {seconds} s")

        before = signal.signal(signal.SIGALRM, alarm)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return limit


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two worker processes of one thread."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
        yield cluster
