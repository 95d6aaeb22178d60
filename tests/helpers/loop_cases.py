"""Small data, oracles, rules and targets for tests of the loop, and runs of it, compiled and interpreted."""

import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from unittest import mock

import numpy as np
import reference
import scipy.sparse as sp

from linsep.loop.passes import begin
from linsep.loop.sweep import Task, sweep
from linsep.oracles import differences, points
from linsep.rules import Increment, Nearest, Relaxation, Scheduled
from linsep.targets import EpsOptimal, Margin

DTYPES = {"float64": np.float64, "float32": np.float32, "uint8": np.uint8, "bool": np.bool_}


def csr(X, index=np.int32):
    """X as CSR with indices of the given type."""
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


FORMATS = {"dense": np.asarray, "csr32": csr, "csr64": partial(csr, index=np.int64)}
ORACLES = {
    "points": lambda X, sign, **more: [points(X, sign, **more)],
    "differences": lambda X, sign, **more: differences([points(X, sign, bias=0.0, **more)]),
}
RULES = {
    "increment": lambda: Increment(1.0),
    "1/k": lambda: Increment(1.0, 1.0),
    "scheduled": lambda: Scheduled(lambda k: 1.0 / k),
    "relaxation": lambda: Relaxation(1.3),
    "nearest": lambda: Nearest(),
}
TARGETS = {
    "any": Margin(0.0),
    "margin": Margin(0.5),
    "absolute": EpsOptimal(0.05, 0.0),
    "relative": EpsOptimal(0.0, 0.1),
}
NAIVE = {  # the same targets, as `reference` writes them
    "any": reference.margin(0.0),
    "margin": reference.margin(0.5),
    "absolute": reference.eps_optimal(0.05),
    "relative": reference.eps_optimal(0.0, 0.1),
}


def is_refused(rule, target):
    """Pairs without a meaning: tests/loop/test_learn.py has the reasons."""
    return (rule == "relaxation" and target != "margin") or (rule == "nearest" and target == "margin")


PAIRS = [(rule, target) for rule in RULES for target in TARGETS if not is_refused(rule, target)]


@contextmanager
def interpreted():
    """While this lasts the loop and the scores of labellings run interpreted, so that nothing is compiled for them.

    Wherever a module chooses the speed of a kernel: one that is forgotten here would compile, and nobody would see it.
    """
    modules = [each for name, each in sys.modules.items() if name.startswith("linsep.") and name != "linsep.jit"]
    with ExitStack() as stack:
        for module in modules:
            for choice in {"kernel_for", "at_speed"} & vars(module).keys():
                stack.enter_context(mock.patch.object(module, choice, lambda kernel, *components: kernel.py_func))
        yield


def integers(seed=0, n=40, d=5, high=2):
    """Small integers, so that every type holds them and sums are exact; two overlapping classes."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], n)
    X = rng.integers(0, high, (n, d))
    X[:, 0] = np.where(rng.random(n) < 0.8, sign > 0, X[:, 0])
    return X.astype(np.float64), sign


def floats(seed=0, n=40, d=5, apart=1.0):
    """Gaussian clouds ``apart`` from each other."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], n)
    return rng.normal(size=(n, d)) + apart * sign[:, None], sign


def xor():
    """Four points that no hyperplane separates."""
    return np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])


def slow():
    """Separable, but the perceptron needs very many passes: the classes lie far from the origin, close together."""
    return np.array([[100.0], [101.0]]), np.array([-1, 1])


def run_sweeps(kernel, parts, target, rule, *, average=False, rounds=4):
    """``rounds`` sweeps over all parts by ``kernel``: `sweep`, or `sweep.py_func`."""
    state = begin(parts, average=average)
    for _ in range(rounds):
        for part in parts:
            order = np.arange(part.sign.size)
            ready = rule.for_updates(state.counters.updates, order.size) if isinstance(rule, Scheduled) else rule
            task = Task(part, target, ready, state.keeper)
            state.counters = kernel(task, state.w, state.dual_weights, state.counters, order, 10**9, -1)
    return state


def both_speeds(make, target, rule, **options):
    """The states after the same sweeps over ``make()``, compiled and interpreted."""
    return [run_sweeps(kernel, make(), target, rule, **options) for kernel in (sweep, sweep.py_func)]


def assert_same_bits(left, right, note=""):
    """Every number of two states is the same, except ``visited``, which counts within one call."""
    assert left.counters._replace(visited=0) == right.counters._replace(visited=0), note
    for name, one, other in (
        ("w", left.w, right.w),
        ("dual_weights", left.dual_weights, right.dual_weights),
        ("the average", left.keeper.total, right.keeper.total),
    ):
        apart = np.abs(one - other).max(initial=0.0)
        assert one.tobytes() == other.tobytes(), f"{note} {name} differs by {apart:g}"


def assert_same_updates(left, right):
    """The same updates, and the same w except for rounding."""
    assert left.counters.updates == right.counters.updates > 0
    assert np.array_equal(np.flatnonzero(left.dual_weights), np.flatnonzero(right.dual_weights))
    np.testing.assert_allclose(left.weights, right.weights, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(left.dual_weights, right.dual_weights, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(left.keeper.total, right.keeper.total, rtol=1e-8, atol=1e-8)
