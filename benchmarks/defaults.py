"""With nothing set: our estimators against scikit-learn's linear classifiers, on held-out rows of 22 sets.

    python -m benchmarks.defaults                     # all sets, hours; or in parts:
    python -m benchmarks.defaults wine a9a            # these sets
    python -m benchmarks.defaults chosen | reported   # the half that defaults were chosen on, or the other one
    python -m benchmarks.defaults wine --only Perceptron LinearSVC --seeds 2
    python -m benchmarks.defaults --table             # what was measured so far

Each seed holds out another third of the rows. Seconds are CPU seconds of a fit, the better of two, the mean over the
seeds. What was measured is kept in out/defaults.json, and measured anew only with --again. A fit that takes more than
--limit seconds is ended, and its cell says so.
"""

import argparse
import json
import math
import multiprocessing
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.linear_model import Perceptron as Peer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from benchmarks.default_sets import CHOSEN_ON, REPORTED, read
from linsep import AveragedPerceptron, LeastSquares, LinearMachine, MaximumMargin, Perceptron, Relaxation

OURS = {
    "AveragedPerceptron": lambda seed: AveragedPerceptron(),
    "Perceptron": lambda seed: Perceptron(),
    "Relaxation": lambda seed: Relaxation(),
    "LinearMachine": lambda seed: LinearMachine(),
    "LeastSquares": lambda seed: LeastSquares(),
    "MaximumMargin(C=1)": lambda seed: MaximumMargin(C=1.0),
}
THEIRS = {
    "sklearn Perceptron": lambda seed: Peer(random_state=seed),
    "SGDClassifier": lambda seed: SGDClassifier(random_state=seed),
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "LogisticRegression": lambda seed: LogisticRegression(),
    "RidgeClassifier": lambda seed: RidgeClassifier(),
}
RECOMMENDED = "AveragedPerceptron"
STORE = Path("out/defaults.json")
Cell = dict[str, list[float]]  # "right" and "seconds", one number per seed; "limit" if a fit was ended there


def fit_once(send, rule, train, test, limit: float) -> None:
    """Send the share of right rows and the CPU seconds of a fit, which the system ends at the limit."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
    seconds = math.inf
    for _ in range(2):  # the first one may load compiled code
        began = time.process_time()
        rule.fit(*train)
        seconds = min(seconds, time.process_time() - began)
        if seconds > 8:
            break
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit) + 5, math.ceil(limit) + 5))
    send.send((float(rule.score(*test)), seconds))


def measure(X, y, make, seeds: int, limit: float) -> Cell:
    """The share of held-out rows that are right, and the CPU seconds of the fit, for every seed; each in a process."""
    cell: Cell = {"right": [], "seconds": []}
    small = min(300, len(y) // 3)
    rows = np.concatenate([np.flatnonzero(y == k)[: max(2, small // 10)] for k in np.unique(y)])
    make(0).fit(X[rows], y[rows])  # compiles
    for seed in range(seeds):
        ((train, test),) = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed).split(y, y)
        receive, send = multiprocessing.Pipe(duplex=False)
        job = (send, make(seed), (X[train], y[train]), (X[test], y[test]), limit)
        process = multiprocessing.get_context("fork").Process(target=fit_once, args=job)
        process.start()
        send.close()
        try:
            right, seconds = receive.recv()
        except EOFError:  # ended at the limit
            return {"right": [], "seconds": [], "limit": [limit]}
        finally:
            process.join()
        cell["right"].append(right)
        cell["seconds"].append(seconds)
    return cell


def spread(cell: Cell) -> tuple[float, float]:
    """Mean and standard error of the accuracy."""
    right = np.array(cell["right"])
    return float(right.mean()), float(right.std(ddof=1) / math.sqrt(right.size)) if right.size > 1 else 0.0


def judge(cells: dict[str, Cell]) -> str:
    """Our best and the recommended one beside scikit-learn's best, as one row of the table."""
    cells = {name: cell for name, cell in cells.items() if cell["right"]}
    ours, theirs = ([name for name in group if name in cells] for group in (OURS, THEIRS))
    if not ours or not theirs or RECOMMENDED not in cells:
        return "(not measured)"
    best, peer = (max(group, key=lambda name: spread(cells[name])[0]) for group in (ours, theirs))
    (own, error), (other, its) = spread(cells[best]), spread(cells[peer])
    plain, _ = spread(cells[RECOMMENDED])
    level = "yes" if own >= other - math.hypot(error, its) else "NO"
    close = "yes" if plain >= max(own, other) - 0.01 else "NO"
    seconds = {name: float(np.mean(cells[name]["seconds"])) for name in (best, peer, RECOMMENDED)}
    longest = max(float(np.max(cells[name]["seconds"])) for name in ours)
    return (
        f"{own:.4f} {best} {seconds[best]:.2f} s | {other:.4f} {peer} {seconds[peer]:.2f} s | {level} | "
        f"{plain:.4f} {seconds[RECOMMENDED]:.2f} s | {close} | {longest:.1f} s"
    )


def show(cell: Cell | None) -> str:
    """Mean accuracy and seconds of a cell."""
    if cell is None:
        return ""
    if not cell["right"]:
        return f"> {cell['limit'][0]:.0f} s"
    return f"{spread(cell)[0]:.4f} {np.mean(cell['seconds']):.2f} s"


def print_tables(store: dict[str, dict[str, Cell]]) -> None:
    for title, sets in (("chosen on", CHOSEN_ON), ("reported", REPORTED)):
        names = [name for name in sets if name in store]
        print(
            f"\n| {title} | our best | scikit-learn's best | level | {RECOMMENDED}() | within 1 % | longest of ours |"
        )
        print("|---|---|---|---|---|---|---|")
        for name in names:
            print(f"| {name} | {judge(store[name])} |")
        print(f"\n| {title} | {' | '.join([*OURS, *THEIRS])} |")
        print("|---" * (1 + len(OURS) + len(THEIRS)) + "|")
        for name in names:
            print(f"| {name} | {' | '.join(show(store[name].get(rule)) for rule in OURS | THEIRS)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--only", nargs="*", default=[*OURS, *THEIRS])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds of a fit")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--store", type=Path, default=STORE)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    groups = {"chosen": list(CHOSEN_ON), "reported": list(REPORTED)}
    names = [name for given in asked.sets or groups for name in groups.get(given, [given])]
    for name in () if asked.table else names:
        X, y = read(name)
        for rule in asked.only:
            store = json.loads(asked.store.read_text()) if asked.store.exists() else {}
            if rule in store.get(name, {}) and not asked.again:
                continue
            cell = measure(X, y, (OURS | THEIRS)[rule], asked.seeds, asked.limit)
            store = json.loads(asked.store.read_text()) if asked.store.exists() else {}  # another part may have written
            store.setdefault(name, {})[rule] = cell
            asked.store.parent.mkdir(exist_ok=True)
            asked.store.write_text(json.dumps(store))
            print(f"{name}: {rule} {show(cell)}", flush=True)
    print_tables(json.loads(asked.store.read_text()) if asked.store.exists() else {})


if __name__ == "__main__":
    main()
