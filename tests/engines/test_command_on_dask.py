"""`linsep fit --workers`, and datasets on a cluster: parts of files, their changes, and a scheduler that dies."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import linsep
from linsep.cli.app import run
from linsep.data.dataset import Placed
from linsep.engines import EngineError, Serial
from linsep.engines.dask_client import require_versions

pd = pytest.importorskip("pandas")
pytest.importorskip("distributed")
pytest.importorskip("pyarrow")


def write_files(folder, rows=20_000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 5))
    y = np.where(X @ [1.0, -2.0, 0.3, 0.0, 1.0] + 0.5 * rng.standard_normal(rows) > 0, "b", "a")
    frame = pd.DataFrame(X, columns=list("pqrst")).assign(y=y)
    paths = [str(folder / "one.parquet"), str(folder / "two.parquet")]
    frame[: rows // 3].to_parquet(paths[0])
    frame[rows // 3 :].to_parquet(paths[1])
    return paths


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "--workers: the rule auto can't be learned in parts here"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1", "-r", "perceptron"], "expected without --scheduler"),
        (["--workers", "2", "-r", "maximum-margin", "--C", "auto"], "--C auto compares fits, which is not for rows in"),
        (["--workers", "2", "-r", "perceptron", "--lift", "2"], "--lift is not for rows in parts"),
    ],
)
def test_what_is_not_learned_in_parts_is_refused(tmp_path, options, said, capsys):
    assert run(["fit", str(tmp_path / "none.csv"), "-t", "y", *options]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.filterwarnings("ignore")
def test_parts_of_files_without_a_cache_are_read_again_and_changed_ones_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LINSEP_CACHE", str(tmp_path / "elsewhere"))  # that of a worker on another machine
    paths = write_files(tmp_path)
    data = linsep.open_dataset(paths, "y", cache=tmp_path / "here")
    whole = linsep.Perceptron(batch=True, max_iter=4).fit(data)
    placed = Placed(data, Serial(), None)
    assert len(placed.pieces) == 5
    shutil.move(tmp_path / "here", tmp_path / "gone")
    found = linsep.Perceptron(batch=True, max_iter=4).fit(placed)
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    shutil.rmtree(tmp_path / "elsewhere")
    pd.read_parquet(paths[1]).iloc[::-1].to_parquet(paths[1])
    with pytest.raises(ValueError, match=r"^[^ ]*two\.parquet: expected what the dataset was opened with\."):
        linsep.Perceptron(batch=True).fit(placed)
    os.remove(paths[1])
    with pytest.raises(ValueError, match=r"^[^ ]*two\.parquet: "):
        linsep.Perceptron(batch=True).fit(placed)
    with pytest.raises(ValueError, match=r"Kozinec\.fit takes no dask collections"):
        linsep.Kozinec().fit(placed)


def test_workers_with_other_versions_are_named():
    class Client:
        def get_versions(self, packages):
            here, there = ({"linsep": v, "numpy": "2.0", "numba": "0.6"} for v in ("1.0", None))
            return {"client": {"packages": here}, "workers": {"tcp://a": {"packages": there}}}

    with pytest.raises(EngineError, match=r"^dask: the worker tcp://a has no linsep, here is linsep 1\.0\."):
        require_versions(Client())


COMMANDS = {
    "perceptron": (["--passes", "8"], lambda: linsep.Perceptron(batch=True, max_iter=8)),
    "maximum-margin": (["--C", "0.1"], lambda: linsep.MaximumMargin(0.1, method="newton")),
    "least-squares": ([], linsep.LeastSquares),
}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", COMMANDS)
def test_the_command_learns_what_memory_learns(rule, tmp_path):
    (options, make), paths, model = COMMANDS[rule], write_files(tmp_path), str(tmp_path / "m.linsep")
    command = [sys.executable, "-m", "linsep", "fit", *paths, "-t", "y", "-r", rule, *options]
    subprocess.run([*command, "--workers", "2", "-o", model, "-q"], check=True, timeout=300)
    whole = make().fit(linsep.open_dataset(paths, "y"))
    found = linsep.load(model)
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    assert found.certificate_.to_dict() == whole.certificate_.to_dict()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_is_an_error_and_the_fit_goes_on_elsewhere(tmp_path):
    from distributed import Client, LocalCluster

    data = linsep.open_dataset(write_files(tmp_path), "y")
    make = lambda: linsep.Perceptron(batch=True, max_iter=60, keep="last")  # noqa: E731
    whole, path = make().fit(data), tmp_path / "fit.checkpoint"
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host",
         "127.0.0.1", "--scheduler-file", str(tmp_path / "where.json")],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    worker = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(tmp_path / "where.json"),
         "--no-dashboard", "--nthreads", "1", "--death-timeout", "20"],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with Client(scheduler_file=str(tmp_path / "where.json"), timeout=10) as client:
            client.wait_for_workers(1)

            def kill(progress):
                if progress.t == 20:
                    os.kill(scheduler.pid, signal.SIGKILL)
                    time.sleep(1.0)

            with pytest.raises(EngineError, match=r"^dask: "), linsep.checkpointing(path, every=0.0):
                make().set_params(stop=kill).fit(data.on(client))
    finally:
        for each in (worker, scheduler):
            each.kill()
            each.wait()
    assert path.exists()
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client, linsep.checkpointing(path, every=60.0):
        found = make().set_params(stop=lambda progress: False).fit(data.on(client))
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    assert found.certificate_.to_dict() == whole.certificate_.to_dict()
    assert found.n_iter_ == whole.n_iter_
