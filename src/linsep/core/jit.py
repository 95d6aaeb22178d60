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
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.extending import intrinsic, overload, overload_method

from ..oracles.ahead import fetch

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


def tiled(function: F) -> F:
    """`compiled`, with LLVM's vectoriser for straight-line code: sums kept in m0, m1, m2, m3 become one register.

    Numba leaves it off. Inner loops over some 20 labels are too short for the vectoriser of loops.
    """
    kernel: Any = compiled(function)
    compile = kernel.compile

    def vectorised(signature):
        with global_compiler_lock:
            before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
            try:
                return compile(signature)
            finally:
                config.SLP_VECTORIZE = before

    kernel.compile = vectorised
    return kernel


def at_speed(kernel: Any, part: Any) -> Callable[..., Any]:
    """The compiled kernel, or its interpreted text for an oracle that is made of a user's Python functions."""
    return kernel.py_func if getattr(part, "interpreted", False) else kernel


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

    def note(self, i, rival, count):
        return self.instance_class.note

    def load(self, i, begin):
        return self.instance_class.load

    def bend(self, H, i, beta):
        return self.instance_class.bend

    def fetch(self, i):
        return self.instance_class.fetch

    def find(self, network, truth, rival, at):
        return self.instance_class.find

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


@intrinsic
def _prefetch(context, array, at):
    """LLVM's prefetch of a place in a contiguous array: for reading, to be kept in the cache."""

    def build(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(prefetch, [builder.bitcast(builder.gep(data, [args[1]]), byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, at), build


@overload(fetch, jit_options={"forceinline": True, "_nrt": False})  # type: ignore[typeddict-unknown-key]
def _fetch(array, at):
    return lambda array, at: _prefetch(array, at)
