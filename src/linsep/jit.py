"""The only file that imports Numba, and only its public parts: njit and the functions of numba.extending.

Oracles, targets, rules and keepers are NamedTuples with plain Python methods. Numba reads the fields of a NamedTuple
but does not call its methods; `component` teaches it the methods of one class. So every function is written once and
runs at two speeds: compiled, and interpreted as ``kernel.py_func``.

fastmath and inlining are decided by the function itself, never inherited from its caller: every function sets them.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import (
    lower_builtin,
    models,
    overload,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
)

F = TypeVar("F", bound=Callable[..., Any])

# Sums of products may be reordered and fused; NaN and infinity keep their meaning.
SCALAR_PRODUCTS = {"reassoc", "contract", "nsz"}
# No function is handed on as a value, so none needs a wrapper for C: a twelfth of the first fit.
KERNEL: Any = {"nogil": True, "forceinline": False, "no_cfunc_wrapper": True}
PART: Any = {"fastmath": False, "forceinline": True, "no_cfunc_wrapper": True}  # of the functions above it


def compiled(function: F | None = None, *, fastmath: set[str] | bool = False, inline: bool = False) -> Any:
    """Compile ``function`` when it is first called; the result is kept on disk where there is a place for it.

    A read-only install without a home directory has no such place: then nothing is kept, quietly. Kernels release the
    GIL. ``function.py_func`` is the interpreted function. ``inline``: a part of the few functions that call it, whose
    ``fastmath`` it must share. Numba would compile it once by itself and again inside each function above it; for
    sequences that is an eighth of the first fit.
    """
    if function is None:
        return functools.partial(compiled, fastmath=fastmath, inline=inline)
    options = {**KERNEL, "fastmath": fastmath, "inline": "always" if inline else "never"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Numba, that nothing is kept
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # Numba found no directory that it may write to
            return numba.njit(**options)(function)


def _without_cache(kernel: Any) -> Any:
    """The same function for components of a user's own: an edit of their code would not be noticed on disk.

    A new one for every set of classes: Numba takes two NamedTuples of the same name and fields for one type, as there
    are after an edit in a notebook.
    """
    return numba.njit(**{**KERNEL, "fastmath": kernel.targetoptions["fastmath"]})(kernel.py_func)


def at_speed(kernel: Any, *components: Any) -> Callable[..., Any]:
    """The kernel compiled for these components, or interpreted if one of them is not a NamedTuple."""
    return kernel_for(kernel, *map(type, components))


@functools.cache
def kernel_for(kernel: Any, *kinds: type) -> Callable[..., Any]:
    """`at_speed`, from the classes of the components."""
    if not all(issubclass(kind, tuple) for kind in kinds):
        return kernel.py_func
    for kind in kinds:
        component(kind)
    ours = __name__.partition(".")[0]
    return kernel if all(kind.__module__.partition(".")[0] == ours for kind in kinds) else _without_cache(kernel)


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view: one compiled function serves writable arrays and read-only memmaps alike."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


# --- methods of NamedTuples ------------------------------------------------------------------------------------------

_METHODS: dict[tuple[type, str], Callable[..., Any]] = {}  # of all components, by class and name
_NAMES: dict[str, inspect.Signature] = {}  # names that Numba has been taught, with their parameters
_SUMS_OF_PRODUCTS = {
    "lowest", "squared_norm", "score_and_norm", "add", "record", "w_changed", "class_scores", "add_to_class",
    "add_to_classes", "add_outer_product", "copy_row", "squared_distance",
}  # fmt: skip
_GATHERED = {"lowest", "score_and_norm"}  # those that read w here and there where rows are sparse


class Component(types.NamedTuple):
    """The Numba type of components. Methods of types.NamedTuple itself would hide fields of other NamedTuples."""


class Gathering(Component):
    """The type of components with `SPARSE`: their scalar products are summed in order.

    If they may be reordered, LLVM uses the gather instructions of the processor, which take nearly twice the time.
    """


register_model(Component)(models.TupleModel)
register_model(Gathering)(models.TupleModel)
_KINDS: set[type] = set()


def component(kind: Any = None, **attributes: Any) -> Any:
    """Teach Numba the public methods of a NamedTuple class; other NamedTuples are not affected.

    ``attributes`` become attributes and methods of the class; in its body they would look like fields to mypy.
    """
    if kind is None:
        return functools.partial(component, **attributes)
    if kind not in _KINDS:
        _KINDS.add(kind)
        of = Gathering if getattr(kind, "SPARSE", False) else Component
        typeof_impl.register(kind)(lambda value, context: of(tuple(map(numba.typeof, value)), type(value)))
    for name, value in attributes.items():
        setattr(kind, name, value)
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or (kind, name) in _METHODS:
            continue
        _METHODS[kind, name] = method
        parameters = inspect.signature(method).parameters.values()
        signature = inspect.Signature([each.replace(annotation=inspect.Parameter.empty) for each in parameters])
        if name not in _NAMES:
            _NAMES[name] = signature
            _teach(name, signature, Component, SCALAR_PRODUCTS if name in _SUMS_OF_PRODUCTS else False)
            if name in _GATHERED:
                _teach(name, signature, Gathering, {"contract"})
        elif _NAMES[name] != signature:
            raise TypeError(f"{kind.__name__}.{name}: expected the parameters {_NAMES[name]}, got {signature}.")
    return kind


def _teach(name: str, signature: inspect.Signature, of: type, fastmath: set[str] | bool) -> None:
    def choose(*args):
        return _METHODS.get((args[0].instance_class, name))

    choose.__signature__ = signature  # type: ignore[attr-defined]
    # inlined: to hand on an oracle of ten arrays costs as much as a scalar product of 100 numbers
    overload_method(of, name, jit_options={**PART, "fastmath": fastmath})(choose)  # type: ignore


def constant(component: Any, name: str, default: bool) -> bool:
    """A class attribute of a component; in compiled code a constant, so that branches on it disappear."""
    return getattr(type(component), name, default)


@overload(constant, jit_options=PART, prefer_literal=True)
def _constant(component, name, default):
    value = getattr(component.instance_class, name.literal_value, default.literal_value)
    return lambda component, name, default: value


# --- LLVM: lowered where they are called, without a function of their own to be compiled ------------------------------


def prefetch(array, at) -> None:
    """Ask the processor for ``array.ravel()[at]``, which is needed soon; interpreted code has nothing to do."""


@type_callable(prefetch)
def _type_prefetch(context):
    return lambda array, at: types.none


@lower_builtin(prefetch, types.Array, types.Integer)
def _prefetch(context, builder, signature, args):
    """LLVM's prefetch of a place in a contiguous array: for reading, to be kept in the cache."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(prefetch, [builder.bitcast(builder.gep(data, [args[1]]), byte), number(0), number(3), number(1)])
    return context.get_dummy_value()


def load_word(text, at) -> Any:
    """The bytes ``text[at : at + 8]`` as one number of 64 bits, whose lowest byte is the first one."""
    return np.uint64(int.from_bytes(bytes(text[at : at + 8]), "little"))


@type_callable(load_word)
def _type_load_word(context):
    return lambda text, at: types.uint64


@lower_builtin(load_word, types.Array, types.Integer)
def _load_word(context, builder, signature, args):
    """One load, wherever the bytes begin."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
    return builder.load(place, align=1)


def load_byte(text, at) -> Any:
    """The byte ``text[at]``; Numba's indexing would ask first whether ``at`` is negative."""
    return int(text[at])


@type_callable(load_byte)
def _type_load_byte(context):
    return lambda text, at: types.int64


@lower_builtin(load_byte, types.Array, types.Integer)
def _load_byte(context, builder, signature, args):
    """One load, as a number of 64 bits."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.zext(builder.load(builder.gep(data, [args[1]])), ir.IntType(64))


def trailing_zeros(word) -> Any:
    """How many of the lowest bits of a number of 64 bits are 0, before the first 1."""
    word = int(word)
    return np.int64((word & -word).bit_length() - 1 if word else 64)


@type_callable(trailing_zeros)
def _type_trailing_zeros(context):
    return lambda word: types.int64


@lower_builtin(trailing_zeros, types.uint64)
def _trailing_zeros(context, builder, signature, args):
    """LLVM's count."""
    return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))


def borrowed(component: Any) -> Any:
    """The component with arrays that are not counted; for a kernel, whose caller keeps them alive.

    Numba counts references where a method hands on the arrays of its component, with atomic operations that took up to
    half of the time of an update. Interpreted code has nothing to do.
    """
    return component


@type_callable(borrowed)
def _type_borrowed(context):
    return lambda component: component


@lower_builtin(borrowed, types.Any)
def _borrowed(context, builder, signature, args):
    """The same values; the pointer to the counter of each array is null."""

    def without_counters(kind, value):
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            array.meminfo = ir.Constant(array.meminfo.type, None)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for place, part in enumerate(kind):
                inside = without_counters(part, builder.extract_value(value, place))
                value = builder.insert_value(value, inside, place)
        return value

    return without_counters(signature.args[0], args[0])


# --- the first compilation -------------------------------------------------------------------------------------------


@contextmanager
def announced() -> Iterator[None]:
    """Say once per process that functions are being compiled, if that takes a noticeable time; for terminals."""
    if announced.said:  # type: ignore[attr-defined]
        yield
        return
    over, thread = threading.Event(), threading.get_ident()

    def watch() -> None:
        while not over.wait(0.7):
            frame = sys._current_frames().get(thread)
            while frame is not None and not frame.f_globals.get("__name__", "").startswith("numba."):
                frame = frame.f_back
            if frame is not None:
                print("linsep: compiling for this kind of data, once per machine ...", file=sys.stderr, flush=True)
                announced.said = True  # type: ignore[attr-defined]
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


announced.said = False  # type: ignore[attr-defined]
