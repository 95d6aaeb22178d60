"""The only file that knows ``numba.extending``: compiled code learns to call the methods of our NamedTuples.

Oracles, targets, rules and keepers are NamedTuples with plain Python methods. Numba can read the
fields of a NamedTuple but not call its methods; the few lines below teach it each method *name*, once,
for all components. The text of a method is thus written once and runs at two speeds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types
from numba.core.errors import NumbaWarning
from numba.extending import overload_method

F = TypeVar("F", bound=Callable[..., Any])

# Sums of products may be reordered and fused; NaN and infinity keep their meaning.
SCALAR_PRODUCTS = {"reassoc", "contract", "nsz"}

# Kernels run without the GIL, and without reference counts: they allocate nothing and keep nothing, while
# counting the arrays of an oracle at every visit cost as much as a scalar product of 100 numbers.
OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}


def compiled_with(**options: Any) -> Callable[[F], F]:
    """`compiled`, with further options of Numba."""

    def compile(function: F) -> F:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            try:
                return numba.njit(cache=True, **OPTIONS, **options)(function)
            except RuntimeError:  # no locator available: nowhere to write the cache
                return numba.njit(**OPTIONS, **options)(function)

    return compile


def compiled(function: F) -> F:
    """Compile ``function`` lazily; the result is kept on disk where there is a place for it.

    A read-only install without a home directory has no such place: then nothing is kept, quietly.
    ``function.py_func`` stays the interpreted reference.
    """
    return compiled_with()(function)


class _Oracle:
    """Methods of oracles: scalar products, so their sums may be reordered."""

    def probe(self, w, i):
        return self.instance_class.probe

    def square(self, i):
        return self.instance_class.square

    def add(self, w, i, beta):
        return self.instance_class.add

    def credit(self, dual, i, beta):
        return self.instance_class.credit

    def settle(self, w):
        return self.instance_class.settle

    def cost(self, i):
        return self.instance_class.cost

    def recall(self, dual, i, total):
        return self.instance_class.recall

    def side(self, i):
        return self.instance_class.side

    def profile(self, w, i, out):
        return self.instance_class.profile

    def spread(self, w, i, k, classes, step):
        return self.instance_class.spread

    def scatter(self, w, i, steps):
        return self.instance_class.scatter

    def store(self, slot, rows, i):
        return self.instance_class.store

    def gap(self, i, rows, slot):
        return self.instance_class.gap


class _Exact:
    """Methods of targets, rules and keepers: plain IEEE arithmetic."""

    def goal(self, ww, mass):
        return self.instance_class.goal

    def step(self, t, wa, ww, aa, goal):
        return self.instance_class.step

    def pull(self, wa, aa, goal):
        return self.instance_class.pull

    def weigh(self, cost):
        return self.instance_class.weigh

    def uses_norms(self):
        return self.instance_class.uses_norms

    def moved(self, oracle, i, beta):
        return self.instance_class.moved

    def folded(self, w, seen):
        return self.instance_class.folded


def _teach(methods: type, **jit_options: Any) -> None:
    for name, choose in vars(methods).items():
        if not name.startswith("_"):
            for kind in (types.NamedTuple, types.NamedUniTuple):
                overload_method(kind, name, jit_options=jit_options)(choose)  # type: ignore[call-arg]


_teach(_Oracle, fastmath=SCALAR_PRODUCTS, forceinline=True, _nrt=False)
_teach(_Exact, forceinline=True, _nrt=False)
