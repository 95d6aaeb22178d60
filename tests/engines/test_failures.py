"""What goes wrong on a cluster: workers and schedulers that die, parts that vanish, memory that does not suffice."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import linsep
from linsep import AveragedPerceptron, Perceptron
from linsep.engines import EngineError

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

N, ROWS = 40_000, (9_000, 0, 20_000, 11_000)


def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 6))
    return X, np.where(X @ rng.standard_normal(6) + rng.standard_normal(N) > 0, "b", "a")


def as_dask(X, y, rows=ROWS):
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=(rows,))


def bits(rule):
    return rule.coef_.tobytes(), rule.intercept_.tobytes(), rule.certificate_.to_dict(), rule.n_iter_


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_workers_killed_at_random_moments_change_nothing(cluster, seed):
    from distributed import Client

    rng, given = np.random.default_rng(seed), as_dask(*table())
    make = [lambda: Perceptron(batch=True, max_iter=150, keep="last"), lambda: AveragedPerceptron(max_iter=150)][
        seed % 2
    ]
    whole = bits(make().fit(*given))
    killed, over = [], threading.Event()

    def kill():
        while not over.wait(rng.uniform(0.2, 1.2)) and len(killed) < 5:
            alive = [worker.process.pid for worker in cluster.workers.values() if worker.process.pid]
            if alive:
                os.kill(int(rng.choice(alive)), signal.SIGKILL)
                killed.append(time.monotonic())

    with Client(cluster) as client:
        client.wait_for_workers(2)
        thread = threading.Thread(target=kill)
        thread.start()
        try:
            while len(killed) < 2:  # a quick machine may be done before the shots
                assert bits(make().fit(*given)) == whole
        finally:
            over.set()
            thread.join()
        client.wait_for_workers(2)
        assert bits(make().fit(*given)) == whole


@pytest.mark.parametrize("with_cluster", [False, True])
def test_a_part_that_vanishes_is_named(with_cluster, request, tmp_path):
    X, y = table()
    np.save(tmp_path / "rows.npy", X[9_000:])

    def read(path):
        return np.load(path)

    blocks = [
        da.from_array(X[:9_000]),
        da.from_delayed(dask.delayed(read)(tmp_path / "rows.npy"), (N - 9_000, 6), float),
    ]
    given = da.concatenate(blocks), da.from_array(y, chunks=((9_000, N - 9_000),))
    os.remove(tmp_path / "rows.npy")

    def refused():
        with pytest.raises(EngineError, match=r"^dask: part 1 could not be made: FileNotFoundError: .*rows\.npy"):
            Perceptron(batch=True).fit(*given)

    if not with_cluster:
        refused()
        return
    from distributed import Client

    with Client(request.getfixturevalue("cluster")):
        refused()


@pytest.mark.long
def test_a_worker_with_too_little_memory_is_an_error_that_names_the_part():
    from distributed import Client, LocalCluster

    big = 3 * 2**28  # bytes of part 1, more than a worker may have
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit="640MB") as cluster,
        Client(cluster),
    ):
        X = da.concatenate([da.ones((100, 64)), da.ones((big // 512, 64), chunks=(big // 512, 64))])
        y = da.concatenate([da.zeros(100, dtype=int), da.ones(big // 512, dtype=int, chunks=big // 512)])
        with pytest.raises(EngineError, match=r"^dask: parts? .*1: every worker .* died\. Has it enough memory\?"):
            Perceptron(batch=True, max_iter=2).fit(X, y)


def start(module, *arguments):
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(condition, seconds=300.0):
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.05)


class OneMachine:
    """A scheduler and a worker, in processes of their own."""

    def __init__(self, folder):
        place = str(folder / f"{time.monotonic_ns()}.json")
        self.scheduler = start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", place)
        self.worker = start("dask_worker", "--scheduler-file", place, "--nthreads", "1", "--death-timeout", "20")
        wait_for(lambda: os.path.exists(place) and os.path.getsize(place))
        self.address = json.loads(Path(place).read_text())["address"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in (self.worker, self.scheduler):
            each.kill()
            each.wait()


@pytest.mark.long
@pytest.mark.parametrize("rule", ["perceptron", "averaged-perceptron"])
def test_the_command_goes_on_after_its_scheduler_was_killed(tmp_path, rule):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, y = table()
    pd.DataFrame(X, columns=list("pqrstu")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    model, path = tmp_path / "m.linsep", tmp_path / "m.linsep.checkpoint"
    command = [sys.executable, "-m", "linsep", "fit", str(tmp_path / "rows.parquet"), "-t", "y", "-r", rule,
               "--passes", "400", "-o", str(model), "--checkpoint-every", "0.1s"]  # fmt: skip
    with OneMachine(tmp_path) as first:
        fit = subprocess.Popen([*command, "--scheduler", first.address], stderr=subprocess.PIPE, text=True)
        wait_for(lambda: path.exists() or fit.poll() is not None)
        first.scheduler.send_signal(signal.SIGKILL)
        said = fit.communicate(timeout=120)[1]
    assert fit.returncode not in (0, 70), said
    assert "dask: " in said and "--resume" in " ".join(said.split()) and "Traceback" not in said
    assert path.exists() and not model.exists()
    with OneMachine(tmp_path) as second:
        again = [*command, "--scheduler", second.address, "--resume"]
        found = subprocess.run(again, capture_output=True, text=True, timeout=300)
    assert found.returncode in (0, 3) and "going on from" in found.stderr, found.stderr
    with OneMachine(tmp_path) as third:
        other = [*command[:-4], "-o", str(tmp_path / "whole.linsep"), "--scheduler", third.address]
        subprocess.run(other, capture_output=True, timeout=300)
    assert bits(linsep.load(model)) == bits(linsep.load(tmp_path / "whole.linsep"))
