"""Compiled code learns to call the methods of our NamedTuples; with `compiler` and `reference` all that knows Numba.

Oracles, targets, rules and keepers are NamedTuples with plain Python methods. Numba can read the
fields of a NamedTuple but not call its methods; the few lines below teach it each method *name*, once,
for all components. The text of a method is thus written once and runs at two speeds.
"""

from __future__ import annotations

import inspect
import warnings
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaWarning
from numba.extending import intrinsic, overload, overload_method

from .compiler import OPTIONS, PART, TILE
from .oracles.ahead import fetch
from .reference import Reference, in_place

__all__ = ["at_speed", "compiled", "compiled_with", "in_place", "inlined", "norm", "tiled"]

F = TypeVar("F", bound=Callable[..., Any])

# Sums of products may be reordered and fused; NaN and infinity keep their meaning.
SCALAR_PRODUCTS = {"reassoc", "contract", "nsz"}


def stamp(folder: Path) -> int:
    """A number that an edit of any file in it changes: kernels are made of texts from several files.

    Numba would look at the file of the kernel only, and go on with what the others said before.
    """
    files = sorted(file for file in folder.rglob("*.py") if file.is_file())
    return zlib.crc32(repr([(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files]).encode())


STAMP = stamp(Path(__file__).parent)


def compiled_with(part: dict[str, Any] = PART, reads: Sequence[str] = (), **options: Any) -> Callable[[F], F]:
    """`compiled`, with further options of Numba; ``part`` are those for the text inside other kernels.

    There, arrays that the arguments ``reads`` name are taken as read-only: one text serves those and writable ones.
    Whether a kernel takes the text in or calls it is left to LLVM, unless ``forceinline`` is said: from the methods of
    oracles it would be handed on, and long texts be copied to all their places.
    """

    def compile(function: F) -> F:
        inside: Any = numba.njit(**{**OPTIONS, **part, "forceinline": False, **options})(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            try:
                kernel: Any = numba.njit(cache=True, **OPTIONS, **options)(function)
            except RuntimeError:  # no locator available: nowhere to write the cache
                kernel = numba.njit(**OPTIONS, **options)(function)
            else:
                kernel._cache._cache_file._source_stamp = STAMP
        names = inspect.signature(function).parameters

        def template(args, kws):
            plain = [types.unliteral(arg) for arg in args]  # or Numba would compile again for every 0 and 1
            for k in (list(names).index(name) for name in reads):
                plain[k] = plain[k].copy(readonly=True)
            return inside.get_call_template(tuple(plain), kws)

        kernel.get_call_template, kernel.get_overload = template, inside.get_overload
        return kernel

    return compile


def compiled(function: F) -> F:
    """Compile ``function`` lazily; the result is kept on disk where there is a place for it.

    A read-only install without a home directory has no such place: then nothing is kept, quietly.
    ``function.py_func`` stays the interpreted reference. Kernels that call it compile it again, as a part of theirs.
    """
    return compiled_with()(function)


def tiled(*reads: str) -> Callable[[F], F]:
    """`compiled`, for kernels whose sums in m0, m1, m2, m3 should become one register.

    Inner loops over some 20 labels are too short for the vectoriser of loops. ``reads``: see `compiled_with`.
    """
    return compiled_with(TILE, reads)


inlined = compiled_with(forceinline=True)  # for texts with an oracle: handing on its arrays costs some hundred moves


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
            for kind in (types.NamedTuple, types.NamedUniTuple, Reference):
                overload_method(kind, name, jit_options=jit_options)(choose)  # type: ignore[call-arg]


_teach(_Oracle, fastmath=SCALAR_PRODUCTS, forceinline=True, _nrt=False, **PART)
_teach(_Exact, forceinline=True, _nrt=False, **PART)


def norm(oracle, rule, target, i):
    """<a,a> of the vector of set i found last, if rule or target use norms; if not, none is even compiled."""
    return oracle.square(i) if rule.uses_norms() or target.uses_norms() else 0.0


@overload(norm, jit_options={"forceinline": True, "_nrt": False, **PART})  # type: ignore[typeddict-item]
def _norm(oracle, rule, target, i):
    if any(kind.instance_class.uses_norms(None) for kind in (rule, target)):  # all of a kind say the same
        return lambda oracle, rule, target, i: oracle.square(i)
    return lambda oracle, rule, target, i: 0.0


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
