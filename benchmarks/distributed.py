"""Batch passes over Parquet files on Dask: python -m benchmarks.distributed --size 4GB

One and two worker processes of one thread, beside the same passes in this process; CPU seconds of all processes, and
the bytes of all answers by the scheduler's own count. Of every run the least of three.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import linsep
from linsep.cli.options import Size

COLUMNS = 50
FILE = 2**26  # bytes of the numbers of a file


def write_files(folder: Path, size: int) -> list[str]:
    """Parquet files of about so many bytes of numbers."""
    import pandas as pd

    rng, paths = np.random.default_rng(0), []
    normal = rng.standard_normal(COLUMNS)
    for k in range(max(1, size // FILE)):
        X = rng.standard_normal((FILE // 8 // COLUMNS, COLUMNS))
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
        frame["y"] = np.where(X @ normal + 2.0 * rng.standard_normal(len(X)) > 0, "b", "a")
        paths.append(str(folder / f"part{k:04}.parquet"))
        frame.to_parquet(paths[-1])
    return paths


def counted() -> Any:
    """A plugin of the scheduler that adds up the bytes of the answers of passes."""
    from distributed import SchedulerPlugin

    class Answers(SchedulerPlugin):
        name = "answers"

        async def start(self, scheduler: Any) -> None:
            self.scheduler, scheduler.answers = scheduler, [0, 0]

        def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
            if finish == "memory" and str(key).startswith("_answer_all"):
                self.scheduler.answers[0] += 1
                self.scheduler.answers[1] += self.scheduler.tasks[key].nbytes

    return Answers()


def fit(X: Any, passes: int) -> Any:
    """So many passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule: Any = linsep.Perceptron(batch=True, scaling=None, keep="last", max_iter=passes)
        return rule.fit(X)


def per_pass(X: Any, passes: int, cpu: Any) -> tuple[float, float]:
    """Wall and CPU seconds of one pass: the least of three long fits less the least of three short ones."""
    found: dict[int, list[tuple[float, float]]] = {2: [], 2 + passes: []}
    for most in [*found] * 3:
        began, used = time.perf_counter(), cpu()
        fit(X, most)
        found[most].append((time.perf_counter() - began, cpu() - used))
    short, long = (list(map(min, zip(*each, strict=True))) for each in found.values())
    return (long[0] - short[0]) / passes, (long[1] - short[1]) / passes


def ours(paths: list[str], cache: str, memory: int, client: Any) -> Any:
    """Our predictions: the files read, and learned from on the workers."""
    rule: Any = linsep.Perceptron(batch=True, scaling=None, max_iter=20)
    rule.fit(linsep.open_dataset(paths, "y", cache=cache, memory=memory).on(client))
    return rule.predict


def of_dask_ml(paths: list[str], kind: str) -> Any:
    """Predictions of dask-ml: one pass of stochastic gradient descent over the parts, or logistic regression."""
    import dask.dataframe as dd
    from dask_ml.linear_model import LogisticRegression
    from dask_ml.wrappers import Incremental
    from sklearn.linear_model import SGDClassifier

    table = dd.read_parquet(paths)
    X = table.drop(columns="y").to_dask_array(lengths=True)
    y = (table["y"] == "b").astype(int).to_dask_array(lengths=True)
    if kind == "Incremental(SGDClassifier)":
        model = Incremental(SGDClassifier(random_state=0), assume_equal_chunks=True).fit(X, y, classes=[0, 1])
    else:
        model = LogisticRegression(solver="lbfgs", max_iter=20).fit(X, y)
    return lambda rows: np.where(np.asarray(model.predict(np.ascontiguousarray(rows))) == 1, "b", "a")


def compare(paths: list[str], held_out: str, folder: str, memory: int, client: Any, cpu: Any) -> None:
    """CPU seconds of all processes, from the files to w, and the share of held-out rows that are right."""
    import pandas as pd

    table = pd.read_parquet(held_out)
    X, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
    runs: dict[str, Any] = {"ours": lambda: ours(paths, f"{folder}/again", memory, client)}
    for kind in ("Incremental(SGDClassifier)", "LogisticRegression"):
        runs[f"dask-ml {kind}"] = lambda kind=kind: of_dask_ml(paths, kind)
    for name, learn in runs.items():
        began = cpu()
        try:
            predict = learn()
        except ImportError as error:
            print(f"{name}: not measured: {error}")
            continue
        print(f"{name}: {cpu() - began:.1f} CPU s, {(predict(X) == y).mean():.4f} of {len(y)} held-out rows are right")


def main() -> None:
    """Write the files, measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="1GB")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--peers", action="store_true", help="dask-ml too, if it is installed")
    given = parser.parse_args()
    size = Size().convert(given.size, None, None)
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), size)
        paths, held_out = (paths[:-1], paths[-1]) if len(paths) > 1 else (paths, paths[0])
        data = linsep.open_dataset(paths, "y", cache=folder, memory=8 * size)
        print(f"{data.n_rows} rows x {data.n_features}, {size / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f}")
        fit(data, 2)
        here = per_pass(data, given.passes, time.process_time)
        print(f"memory     {here[0]:8.3f} s {here[1]:8.3f} CPU s per pass")
        whole, walls = fit(data, 5), []
        for workers in (1, 2):
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0)
            with cluster, Client(cluster) as client:
                client.register_plugin(counted())
                placed = data.on(client)

                def cpu(client: Any = client) -> float:
                    return time.process_time() + sum(client.run(time.process_time).values())

                same = (fit(placed, 5).coef_ == whole.coef_).all()
                before = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.answers))
                fit(placed, 12)
                after = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.answers))
                fit(placed, 2)
                last = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.answers))
                sent = (after[1] - before[1] - (last[1] - after[1])) / 10
                wall, used = per_pass(placed, given.passes, cpu)
                walls.append(wall)
                print(
                    f"{workers} worker{'s' * (workers > 1)}  {wall:8.3f} s {used:8.3f} CPU s per pass "
                    f"({used / here[1]:.2f} x memory), {sent:.0f} bytes of answers from {len(placed.pieces)} parts, "
                    f"same bits: {same}"
                )
                if given.peers and workers == 2:
                    compare(paths, held_out, folder, 8 * size, client, cpu)
        print(f"two workers are {walls[0] / walls[1]:.2f} x as fast as one")


if __name__ == "__main__":
    main()
