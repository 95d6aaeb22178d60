"""From a file to a model in one pass: linsep, Vowpal Wabbit, and scikit-learn behind its own reader, pandas and polars.

    python -m benchmarks.files [--size MB] [--memory 512MB] [--folder FOLDER] [csv] [svmlight]

Every line is a process of its own on one core, with one thread; times are those from the file to the model, without
imports. ``peak`` is the largest resident memory, ``more`` what it is beyond that after the imports. Vowpal Wabbit
reads the same rows in its own format (``pip install vowpalwabbit``; left out if it is not there).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.timing import verdict

NONZEROS, WIDE, COLUMNS = 75, 50_000, 100
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
FRAME = """
import json, os, resource, sys, time, warnings
warnings.simplefilter("ignore")
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
train, test, folder, memory = sys.argv[1:5]
%(imports)s
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, wall, cpu = peak(), time.perf_counter(), time.process_time()
%(run)s
wall, cpu, most = time.perf_counter() - wall, time.process_time() - cpu, peak()
%(test)s
print(json.dumps({"wall": wall, "cpu": cpu, "peak": most, "more": most - before, "accuracy": accuracy}))
"""
RULES = {"svmlight": "Relaxation(rate=1.0, max_iter=PASSES)", "csv": "AveragedPerceptron(max_iter=PASSES)"}
LINSEP: dict[str, str] = {
    "imports": "import linsep.data; from linsep import open_dataset, AveragedPerceptron, Relaxation; rule = RULE",
    "run": "data = open_dataset(train, TARGET, memory=memory, cache=folder); rule.fit(data)",
    "test": "accuracy = rule.score(open_dataset(test, TARGET, schema=data.schema, cache=False))",
}
SGD = "from sklearn.linear_model import SGDClassifier; rule = SGDClassifier(max_iter=1, tol=None)"
PEERS: dict[str, dict[str, dict[str, str]]] = {
    "svmlight": {
        "scikit-learn": {
            "imports": f"""{SGD}
from sklearn.datasets import load_svmlight_file
def narrow(X):  # SGDClassifier takes no others
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
""",
            "run": f"X, y = load_svmlight_file(train, n_features={WIDE}); narrow(X); rule.fit(X, y)",
            "test": f"X, y = load_svmlight_file(test, n_features={WIDE}); accuracy = rule.score(X, y)",
        },
    },
    "csv": {
        "pandas + SGDClassifier": {
            "imports": f"{SGD}; import pandas",
            "run": "t = pandas.read_csv(train); y = t.pop('y').to_numpy(); rule.fit(t.to_numpy(), y)",
            "test": "t = pandas.read_csv(test); y = t.pop('y').to_numpy(); accuracy = rule.score(t.to_numpy(), y)",
        },
        "polars + SGDClassifier": {
            "imports": f"{SGD}; import polars",
            "run": "t = polars.read_csv(train); y = t['y'].to_numpy(); rule.fit(t.drop('y').to_numpy(order='c'), y)",
            "test": "t = polars.read_csv(test); X = t.drop('y').to_numpy(order='c'); accuracy = rule.score(X, t['y'])",
        },
    },
}
VOWPAL_WABBIT = {
    "imports": "from vowpalwabbit import Workspace",
    "run": "rule = Workspace(f'-d {train} --quiet --binary --loss_function logistic -b 18')",
    "test": """
def right(line):
    label, _, features = line.partition("|")
    return (rule.predict("|" + features) > 0) == (float(label) > 0)
lines = open(test).read().splitlines()[:5000]
accuracy = sum(map(right, lines)) / len(lines)
""",
}
CAT = {
    "imports": "buffer = bytearray(1 << 22)",
    "run": "file = open(train, 'rb', buffering=0)\nwhile file.readinto(buffer): pass",
    "test": "accuracy = float('nan')",
}
READ = {**LINSEP, "run": "data = open_dataset(train, TARGET, memory=memory, cache=folder)", "test": CAT["test"]}


def write_blocks(paths: dict[str, Path], kind: str, size: int, seed: int) -> None:
    """Rows of one problem in its format and in that of Vowpal Wabbit, until the file has ``size`` bytes."""
    rng = np.random.default_rng(seed)
    with open(paths[kind], "wb") as file, open(paths["vw"], "wb") as other:
        while file.tell() < size:
            table = sparse_rows(rng) if kind == "svmlight" else dense_rows(rng)
            if kind == "csv":
                file.write(table.write_csv(include_header=file.tell() == 0).encode())
                names = [pl.concat_str(pl.lit(f"x{j}:"), pl.col(f"x{j}").cast(pl.String)) for j in range(COLUMNS)]
            else:
                names = [pl.concat_str(f"i{j}", pl.lit(":"), f"v{j}") for j in range(NONZEROS)]
                rows = table.select(pl.concat_str("y", *names, separator=" "))
                file.write(rows.write_csv(include_header=False, quote_style="never").encode())
            label = pl.when(pl.col("y") > 0).then(pl.lit("1 |")).otherwise(pl.lit("-1 |"))
            rows = table.select(pl.concat_str(label, *names, separator=" "))
            other.write(rows.write_csv(include_header=False, quote_style="never").encode())


def sparse_rows(rng: np.random.Generator, n: int = 10_000) -> pl.DataFrame:
    gaps = rng.integers(1, 2 * WIDE // NONZEROS - 1, (n, NONZEROS))
    index = np.minimum(np.cumsum(gaps, axis=1), WIDE - NONZEROS + np.arange(NONZEROS))
    value = rng.normal(size=(n, NONZEROS)).round(4)
    truth = np.random.default_rng(0).normal(size=WIDE)
    y = np.where((truth[index] * value).sum(axis=1) + rng.normal(size=n) > 0, 1, -1)
    columns = {f"i{j}": index[:, j] + 1 for j in range(NONZEROS)} | {f"v{j}": value[:, j] for j in range(NONZEROS)}
    return pl.DataFrame({"y": y, **columns})


def dense_rows(rng: np.random.Generator, n: int = 10_000) -> pl.DataFrame:
    X = rng.normal(size=(n, COLUMNS)).round(6)
    y = (X @ np.random.default_rng(0).normal(size=COLUMNS) + 2 * rng.normal(size=n) > 0).astype(np.int64)
    return pl.DataFrame({**{f"x{j}": X[:, j] for j in range(COLUMNS)}, "y": y})


def run(code: dict[str, str], passes: int, kind: str, *arguments: str) -> dict[str, float] | None:
    """What the process reports; None if a package is missing."""
    text = FRAME % code
    text = text.replace("RULE", RULES[kind]).replace("PASSES", str(passes))
    text = text.replace("TARGET", "'y'" if kind == "csv" else "None")
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, env={**os.environ, **ONE_THREAD}
    )
    if done.returncode:
        print(done.stderr.splitlines()[-1] if done.stderr else "failed")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compare(kind: str, options: argparse.Namespace, folder: Path) -> None:
    sets = {}
    for name, size, seed in (("train", options.size * 10**6, 1), ("test", max(options.size // 20, 5) * 10**6, 2)):
        sets[name] = {each: folder / f"{name}.{each}" for each in (kind, "vw")}
        write_blocks(sets[name], kind, size, seed)
    megabytes = sets["train"][kind].stat().st_size / 1e6
    runs: dict[str, tuple[dict[str, str], int, str]] = {
        "warm-up, not counted": (LINSEP, 1, kind),
        "reading the bytes": (CAT, 1, kind),
        "linsep, reading only": (READ, 1, kind),
        "linsep, one pass": (LINSEP, 1, kind),
        "linsep, five passes": (LINSEP, 5, kind),
        "linsep, one pass, from the cache": (LINSEP, 1, kind),
        "Vowpal Wabbit": (VOWPAL_WABBIT, 1, "vw"),
        **{name: (code, 1, kind) for name, code in PEERS[kind].items()},
    }
    print(f"\n{kind}, {megabytes:.0f} MB, memory={options.memory}")
    print(f"{'':<34}{'wall s':>8}{'CPU s':>8}{'MB/s':>7}{'peak MB':>9}{'more':>7}{'accuracy':>10}")
    found: dict[str, Any] = {}
    for name, (code, passes, form) in runs.items():
        files = sets["test" if name.startswith("warm-up") else "train"]
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            if name.endswith("from the cache"):
                run(READ, 1, kind, str(files[kind]), str(sets["test"][kind]), cache, options.memory)
            one = run(code, passes, kind, str(files[form]), str(sets["test"][form]), cache, options.memory)
        if one is None or name.startswith("warm-up"):
            continue
        found[name] = one
        speed = megabytes / one["cpu"]
        print(
            f"{name:<34}{one['wall']:8.2f}{one['cpu']:8.2f}{speed:7.0f}{one['peak']:9.0f}{one['more']:7.0f}"
            f"{one['accuracy']:10.4f}"
        )
    judge(kind, found, options)


def judge(kind: str, found: dict[str, Any], options: argparse.Namespace) -> None:
    """The ratios of CPU time beside what is asked for."""
    ours = found["linsep, one pass"]
    limits = {"Vowpal Wabbit": 2.0 if kind == "svmlight" else 1.5, "scikit-learn": 5.0}
    for name, peer in found.items():
        if name.startswith(("linsep", "reading")):
            continue
        print(f"  {name} / ours: {verdict(peer['cpu'] / ours['cpu'], limits.get(name, 1.0), at_most=False)}")
    print(f"  five passes / one: {verdict(found['linsep, five passes']['cpu'] / ours['cpu'], 1.5, at_most=True)}")
    bound = float(options.memory.rstrip("MB"))
    print(f"  memory beyond the interpreter / memory=: {verdict(ours['more'] / bound, 1.0, at_most=True)}")
    print(f"  share of the time that is reading: {found['linsep, reading only']['cpu'] / ours['cpu']:.2f}")
    print(f"  ours / reading the bytes: {ours['cpu'] / found['reading the bytes']['cpu']:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", choices=[[], "csv", "svmlight"], default=[])
    parser.add_argument("--size", type=int, default=1000, help="MB of each file")
    parser.add_argument("--memory", default="512MB")
    parser.add_argument("--folder", help="where to write, 4 times the size; a temporary folder if not given")
    options = parser.parse_args()
    for kind in options.kinds or ["svmlight", "csv"]:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            compare(kind, options, Path(folder))


if __name__ == "__main__":
    main()
