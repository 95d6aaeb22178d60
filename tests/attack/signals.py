"""Ctrl-C in every estimator and engine: seen by the caller at once, the work kept, the handler as it was.

A child learns from data that take long, and sends itself SIGINT a moment later. What ended before is called again, and
interrupted sooner: somewhere within the time that it took. The answer is one line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from .tally import Tally

DELAY = 0.7  # seconds from the beginning to SIGINT
TRIES = 5  # calls that may end before it
LATE = 1.0  # seconds within which the caller must see it, on a machine of one's own:
BUSY = 8.0  # where others work too, our own CPU time counts, and the time divided by this
MOST = 180.0  # seconds after which a child is ended


def _mixed(n: int, d: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Clouds that overlap a little: nothing separates them, and no method ends soon."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + 0.5 * np.eye(max(d, classes))[y][:, :d], y


def _apart(n: int, d: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows that hyperplanes separate, by little."""
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(n, d)), rng.normal(size=(d, max(classes, 2)))
    score = np.sort(X @ W, axis=1)
    return X[score[:, -1] - score[:, -2] > 0.01], np.argmax(X @ W, axis=1)[score[:, -1] - score[:, -2] > 0.01]


def _tagged(n: int = 400, length: int = 40, d: int = 8) -> tuple[list, list]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(length, d)) for _ in range(n)], [rng.integers(0, 6, length).tolist() for _ in range(n)]


def _pictures(n: int = 100, side: int = 5) -> tuple[list, list]:
    from linsep.estimators.graphs import grid

    rng = np.random.default_rng(0)
    X = [grid(rng.normal(size=(side, side))) for _ in range(n)]
    return X, [rng.integers(0, 3, side * side).tolist() for _ in range(n)]


def _hard_network(side: int = 60, labels: int = 4) -> Any:
    from networks_at_random import grid_edges

    from linsep.inference import Network

    rng = np.random.default_rng(0)
    edges = grid_edges(side, side)
    return Network.from_tables(
        rng.normal(size=(side * side, labels)), edges, rng.normal(size=(len(edges), labels, labels))
    )


def _phi(x, y):
    return np.array([x[0] * y, x[1] * (y == 1), x[2] * (y == 2), x[0] * x[1] * y])


def _fit(
    make: Callable[[], Any], data: Callable[[], tuple], warm: int = 12, kept: bool = True
) -> Callable[[], tuple[Any, Callable]]:
    """An estimator, if its work is ``kept``, and its fit; before, a fit of a few rows compiles what is needed."""

    def prepare() -> tuple[Any, Callable]:
        X, y = data()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = make()
            few = {"max_iter": 1} if "max_iter" in first.get_params() else {}
            first.set_params(**few).fit(X[:warm], y[:warm])
        rule = make()
        rule.examples = X, y  # for what the child asks afterwards
        return rule if kept else None, lambda: rule.fit(X, y)

    return prepare


def _fit_parts(make: Callable[[], Any], data: Callable[[], tuple], workers: int = 0) -> Callable[[], tuple]:
    """A fit of Dask arrays in four parts: by threads of the process, or by so many other processes."""

    def prepare() -> tuple[Any, Callable]:
        import dask.array as da
        from distributed import Client, LocalCluster

        if workers:
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, processes=True)
            cluster.client = Client(cluster)  # of the process, as long as it lives
        X, y = data()
        parts = [da.from_array(each, chunks=(len(y) // 4, *each.shape[1:])) for each in (X, y)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make().set_params(max_iter=1).fit(*parts)
        rule = make()
        rule.examples, rule.cluster = (X, y), cluster if workers else None
        return rule, lambda: rule.fit(*parts)

    return prepare


def _solve(engine: str, **options: Any) -> Callable[[], tuple[Any, Callable]]:
    def prepare() -> tuple[Any, Callable]:
        from linsep.inference import solve

        small, large = _hard_network(4), _hard_network()
        solve(small, engine, 5.0)
        return None, lambda: solve(large, engine, 50.0, **options)

    return prepare


def _decide(data: Callable[[], tuple], **options: Any) -> Callable[[], tuple[Any, Callable]]:
    """Whether data are separable."""

    def prepare() -> tuple[Any, Callable]:
        from linsep import separability

        X, y = data()
        separability(X[:12], y[:12], **options)
        return None, lambda: separability(X, y, **options)

    return prepare


def _search(make: Callable[[], Any]) -> Callable[[], tuple[Any, Callable]]:
    def prepare() -> tuple[Any, Callable]:
        from sklearn.model_selection import GridSearchCV

        X, y = _mixed(20_000, 10)
        search = GridSearchCV(make(), {"random_state": list(range(8))}, n_jobs=2, cv=3)
        return None, lambda: search.fit(X, y)

    return prepare


def cases() -> dict[str, Callable[[], tuple[Any, Callable]]]:
    """Names, and functions that prepare an estimator (or None) and a call that takes long."""
    import linsep as ls
    from linsep.risk import StructuralRisk

    forever = {"max_iter": 10**7}
    rows, apart, three = (lambda: _mixed(3000, 10)), (lambda: _apart(3000, 10)), (lambda: _mixed(3000, 10, 3))
    wide = lambda: _mixed(2000, 2500)  # noqa: E731
    found = {
        "Perceptron": _fit(lambda: ls.Perceptron(**forever), rows),
        "Perceptron(batch)": _fit(lambda: ls.Perceptron(batch=True, **forever), rows),
        "Perceptron, three classes": _fit(lambda: ls.Perceptron(**forever), three),
        "Relaxation": _fit(lambda: ls.Relaxation(**forever), rows),
        "AveragedPerceptron": _fit(lambda: ls.AveragedPerceptron(**forever), rows),
        "Kozinec": _fit(lambda: ls.Kozinec(tol=1e-12, **forever), apart),
        "Kozinec(augmented)": _fit(lambda: ls.Kozinec(tol=1e-12, bias="augmented", **forever), apart),
        "Kozinec, not separable": _fit(lambda: ls.Kozinec(tol=1e-12, **forever), lambda: _mixed(100_000, 50)),
        "LinearMachine": _fit(lambda: ls.LinearMachine(**forever), three),
        "LinearMachine(kozinec)": _fit(lambda: ls.LinearMachine("kozinec", **forever), three),
        "MaximumMargin, separable": _fit(lambda: ls.MaximumMargin(**forever), lambda: _apart(100_000, 150)),
        "MaximumMargin, not separable": _fit(lambda: ls.MaximumMargin(**forever), lambda: _mixed(200_000, 60)),
        "MaximumMargin, wide": _fit(lambda: ls.MaximumMargin(**forever), wide),
        "MaximumMargin, three classes": _fit(lambda: ls.MaximumMargin(**forever), lambda: _mixed(60_000, 40, 3)),
        "MaximumMargin, three classes apart": _fit(lambda: ls.MaximumMargin(**forever), lambda: _apart(60_000, 40, 3)),
        "MaximumMargin(C=1000)": _fit(
            lambda: ls.MaximumMargin(C=1000.0, tol=1e-13, **forever), lambda: _mixed(60_000, 40)
        ),
        "MaximumMargin(ascent)": _fit(
            lambda: ls.MaximumMargin(C=1e4, tol=1e-13, method="ascent", **forever), lambda: _mixed(20_000, 30)
        ),
        "MaximumMargin(squared)": _fit(
            lambda: ls.MaximumMargin(C=1e4, loss="squared_hinge", method="ascent", tol=1e-13, **forever),
            lambda: _mixed(60_000, 40),
        ),
        "MaximumMarginCV": _fit(
            lambda: ls.MaximumMarginCV([0.01, 1.0, 1e4], tol=1e-13, cv_tol=1e-12, **forever), lambda: _mixed(20_000, 30)
        ),
        "MaximumMarginCV(n_jobs=2)": _fit(
            lambda: ls.MaximumMarginCV([0.01, 1e4], tol=1e-13, cv_tol=1e-12, n_jobs=2, **forever),
            lambda: _mixed(20_000, 30),
        ),
        "Perceptron on Dask, threads": _fit_parts(
            lambda: ls.Perceptron(batch=True, **forever), lambda: _mixed(40_000, 30)
        ),
        "Kozinec on Dask, threads": _fit_parts(
            lambda: ls.Kozinec(batch=True, tol=1e-12, **forever), lambda: _apart(40_000, 30)
        ),
        "Perceptron on Dask, processes": _fit_parts(
            lambda: ls.Perceptron(batch=True, **forever), lambda: _mixed(40_000, 30), workers=2
        ),
        "MaximumMargin on Dask, processes": _fit_parts(
            lambda: ls.MaximumMargin(C=1e4, loss="squared_hinge", method="newton", tol=1e-15, **forever),
            lambda: _mixed(200_000, 60),
            workers=2,
        ),
        "MaximumMargin(C=1), three classes": _fit(
            lambda: ls.MaximumMargin(C=1e4, tol=1e-13, method="ascent", **forever), lambda: _mixed(20_000, 30, 3)
        ),
        "LeastSquares(gradient)": _fit(
            lambda: ls.LeastSquares("gradient", step_tol=1e-300, rate=1e-9, **forever), rows
        ),
        "LeastSquares(lms)": _fit(lambda: ls.LeastSquares("lms", step_tol=1e-300, **forever), rows),
        "LeastSquares(ho-kashyap)": _fit(lambda: ls.LeastSquares("ho-kashyap", step_tol=1e-300, **forever), apart),
        "LeastSquares(ridge)": _fit(lambda: ls.LeastSquares(tol=1e-14, **forever), lambda: _mixed(100_000, 200, 3)),
        "GradientDescent": _fit(lambda: ls.GradientDescent(theta=1e-300, rate=1e-9, **forever), rows),
        "OneVsAll": _fit(lambda: ls.OneVsAll(ls.Perceptron(**forever)), three),
        "OneVsOne": _fit(lambda: ls.OneVsOne(ls.Perceptron(**forever)), three),
        "Lifted": _fit(lambda: ls.Lifted(ls.Quadratic(), ls.Perceptron(**forever)), rows),
        "Anderson(direction)": _fit(
            lambda: ls.Anderson(method="direction", tol=1e-15, **forever), lambda: _mixed(4000, 300), 1200
        ),
        "Anderson(kozinec)": _fit(
            lambda: ls.Anderson(0.001, method="kozinec", **forever), lambda: _mixed(4000, 100), 500
        ),
        "SequenceClassifier": _fit(lambda: ls.SequenceClassifier(**forever), _tagged),
        "SequenceClassifier(order=2)": _fit(lambda: ls.SequenceClassifier(order=2, **forever), _tagged),
        "SequenceClassifier(maximum margin)": _fit(
            lambda: ls.SequenceClassifier("maximum margin", **forever), _tagged, 4
        ),
        "NetworkClassifier": _fit(lambda: ls.NetworkClassifier(**forever), _pictures, 1),
        "StructuredClassifier": _fit(
            lambda: ls.StructuredClassifier(_phi, labels=[0, 1, 2], **forever),
            lambda: (np.random.default_rng(0).normal(size=(300, 3)), [k % 3 for k in range(300)]),
        ),
        "StructuralRisk": _fit(
            lambda: StructuralRisk([ls.Lifted(ls.Polynomial(k), ls.Perceptron(**forever)) for k in (1, 2, 3)]),
            rows,
            kept=False,  # a search, as GridSearchCV
        ),
        "separability": _decide(lambda: _mixed(200_000, 60)),
        "separability, separable": _decide(lambda: _apart(100_000, 150)),
        "separability, sequences": _decide(_tagged, estimator=ls.SequenceClassifier()),
        "solve(auto)": _solve("auto"),
        "solve(trws)": _solve("trws", passes=10**7),
        "solve(toulbar2)": _solve("toulbar2"),
        "GridSearchCV(n_jobs=2)": _search(lambda: ls.Perceptron(**forever)),
    }
    return found


def usable(rule: Any, X: Any, y: Any) -> dict[str, Any]:
    """Whether an estimator can be used, why it says that learning ended, and what its check finds wrong."""
    try:
        predicted = len(rule.predict(X[:5])) == 5
    except NotFittedError:
        return {"coef": False, "reason": "", "wrong": []}
    known = rule.certificates_ if hasattr(rule, "certificates_") else [rule.certificate_]
    reason = next((each.reason for each in known if each.reason), "")
    return {"coef": predicted, "reason": reason, "wrong": list(rule.check(X, y).failures)}


def _interrupted(call: Callable, delay: float) -> dict[str, Any]:
    """What happened to a call that SIGINT came to after ``delay`` seconds, if it had not ended by then."""
    sent: list[float] = []  # the time of SIGINT, and the CPU time

    def send() -> None:
        time.sleep(delay)
        sent[:] = time.monotonic(), time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    sender, began, ended = threading.Thread(target=send, daemon=True), time.monotonic(), math.nan
    sender.start()
    try:
        call()
        ended = time.monotonic()
        over = not sent
        sender.join()
        time.sleep(0.2)
    except KeyboardInterrupt:
        if math.isnan(ended):
            return {"seen": True, "late": time.monotonic() - sent[0], "cpu": time.process_time() - sent[1]}
    return {"seen": False, "tested": not over, "ended": ended - began}


def child(name: str, seed: int) -> None:
    """Interrupt one case; prints what happened."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # where the attack is a job in the background: ignored
    rule, call = cases()[name]()
    before, delay, rng = signal.getsignal(signal.SIGINT), DELAY, np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(TRIES):
            answer = _interrupted(call, delay)
            if answer["seen"] and "processes" in name and not hasattr(rule, "coef_"):
                delay *= 2.0  # it came while the rows were sent to the workers, and there was no w yet
            elif answer.get("tested", True):
                break
            else:
                delay = rng.uniform(0.1, 0.8) * answer["ended"]
    answer["handler"] = signal.getsignal(signal.SIGINT) is before
    if rule is not None:
        answer.update(usable(rule, *rule.examples))
    print(json.dumps(answer), flush=True)
    os.killpg(os.getpid(), signal.SIGKILL)  # workers of a grid search may still run, and hold our pipes


def interrupt(name: str, tally: Tally, seed: int = 0) -> None:
    """Interrupt one case in a process of its own."""
    command = [sys.executable, "-m", "attack.signals", name, str(seed)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        out, err = process.communicate(timeout=MOST)
    except subprocess.TimeoutExpired:
        tally.fail("hang", name, f"SIGINT: no answer after {MOST:.0f} s")
        return
    finally:
        _end(process)
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if not lines:
        tally.fail("crash", name, f"SIGINT: exit code {process.returncode}: {' '.join(err.split())[-300:]}")
        return
    answer = json.loads(lines[-1])
    if not answer.get("tested", True):
        tally.notes[f"not tested: {name} ended before SIGINT"] += 1
        return
    tally.problems["signals"] += 1
    if answer["seen"]:
        print(f"{name}: seen after {answer['late']:.2f} s, {answer['cpu']:.2f} s of CPU", file=sys.stderr)
    if not answer["seen"]:
        tally.fail("signal", name, f"SIGINT was swallowed: {answer}")
    elif max(min(answer["cpu"], answer["late"]), answer["late"] / BUSY) > LATE:
        tally.fail("signal", name, f"SIGINT was seen after {answer['late']:.1f} s: {answer}")
    if not answer["handler"]:
        tally.fail("signal", name, "the handler of SIGINT is another one afterwards")
    if answer["seen"] and "coef" in answer and not (answer["coef"] and "interrupted" in answer["reason"]):
        tally.fail("signal", name, f"the work was lost: {answer}")
    if answer.get("wrong"):
        tally.fail("false claim", name, f"after SIGINT: {answer['wrong']}")


def _end(process: subprocess.Popen) -> None:
    """End a child and all that it started: workers of a grid search would go on."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def attack(seed: int, tally: Tally) -> None:
    """All cases, one after the other."""
    for name in cases():
        interrupt(name, tally, seed)


if __name__ == "__main__":
    import_module("attack.signals").child(sys.argv[1], int(sys.argv[2]))
