"""The only file that knows ``numba.extending``: compiled code learns to call the methods of our NamedTuples.

Oracles, targets, rules and keepers are NamedTuples with plain Python methods. Numba can read the
fields of a NamedTuple but not call its methods; the few lines below teach it each method *name*, once,
for all components. The text of a method is thus written once and runs at two speeds.
"""

from __future__ import annotations

import gc
import inspect
import warnings
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.datamodel.models import PrimitiveModel
from numba.core.errors import NumbaWarning
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    intrinsic,
    lower_builtin,
    overload,
    overload_method,
    register_model,
    type_callable,
)

from ..oracles.ahead import fetch

F = TypeVar("F", bound=Callable[..., Any])

# Sums of products may be reordered and fused; NaN and infinity keep their meaning.
SCALAR_PRODUCTS = {"reassoc", "contract", "nsz"}

# Passes of Numba's compiler for what no text of ours has: closures, `with`, loops over literals, whole-array formulas.
UNUSED = {
    "WithLifting", "InlineClosureLikes", "InlineInlinables", "DeadBranchPrune", "FindLiterallyCalls", "LiteralUnroll",
    "LiteralPropagationSubPipelinePass", "NopythonRewrites", "DumpParforDiagnostics",
}  # fmt: skip


def stamp(folder: Path) -> int:
    """A number that an edit of any file in it changes: kernels are made of texts from several files.

    Numba would look at the file of the kernel only, and go on with what the others said before.
    """
    files = sorted(file for file in folder.rglob("*.py") if file.is_file())
    return zlib.crc32(repr([(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files]).encode())


STAMP = stamp(Path(__file__).parents[1])


class _Undisturbed(event.Listener):
    """While Numba compiles, Python does not look for garbage: there is little, and a tenth of the time went there."""

    def __init__(self) -> None:
        self.depth, self.before = 0, False

    def on_start(self, _):
        if self.depth == 0:
            self.before = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, _):
        self.depth -= 1
        if self.depth == 0 and self.before:
            gc.enable()


event.register("numba:compile", _Undisturbed())


class _Quick(JITCodeLibrary):
    """The code of a kernel; what unpacks Python's objects for it, once a call, is left as it was written.

    That is long for an oracle of thirty arrays, and to optimise it took a twentieth of the time.
    """

    def _optimize_functions(self, module):
        for function in module.functions:
            if function.name.startswith("_ZN7cpython") and not function.is_declaration:
                function.add_function_attribute("noinline")
                function.add_function_attribute("optnone")
        super()._optimize_functions(module)


class _Kernel(Compiler):
    """Numba's compiler, short of some passes for the texts of this package: a twentieth of the time goes there."""

    library: type[JITCodeLibrary] = _Quick

    def __init__(self, typing, target, library, *rest):
        library = self.library(target.codegen(), "kernel")
        library.enable_object_caching()
        super().__init__(typing, target, library, *rest)

    def define_pipelines(self):
        pipelines = super().define_pipelines()
        if self.state.func_id.modname.partition(".")[0] == __name__.partition(".")[0]:
            for pipeline in pipelines:
                pipeline.passes = [each for each in pipeline.passes if each[0].__name__ not in UNUSED]
                pipeline.finalize()
        return pipelines


# Kernels run without the GIL, and without reference counts: they allocate nothing and keep nothing, while
# counting the arrays of an oracle at every visit cost as much as a scalar product of 100 numbers.
# Nor has anybody asked for their address in C.
OPTIONS: dict[str, Any] = {"pipeline_class": _Kernel, "nogil": True, "_nrt": False, "no_cfunc_wrapper": True}


class _Part(JITCodeLibrary):
    """The code of a function inside a kernel that calls it, as it was written: the kernel is optimised as a whole.

    Numba would optimise it by itself, and make machine code of it, before it does both for the kernel: a third of
    the time to compile chains went there.
    """

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalized = True

    def get_pointer_to_function(self, name):
        """None: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """Itself, since there is no place for the environment that Numba would set."""
        return self

    def set_env(self, name, env):
        pass


class _Tile(_Part):
    """`_Part`, optimised by itself with LLVM's vectoriser for straight-line code, which Numba leaves off."""

    def _optimize_final_module(self):
        before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
        try:
            JITCodeLibrary._optimize_final_module(self)
        finally:
            config.SLP_VECTORIZE = before


class _PartCompiler(_Kernel):
    """Numba's compiler, for the parts of kernels."""

    library = _Part


class _TileCompiler(_PartCompiler):
    library = _Tile


PART: dict[str, Any] = {"pipeline_class": _PartCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


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
    return compiled_with({**PART, "pipeline_class": _TileCompiler}, reads)


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


class Reference(types.Type):
    """A NamedTuple in memory, of which kernels hand on the address: by value an oracle is some two hundred numbers."""

    def __init__(self, kind: types.NamedTuple) -> None:
        self.kind, self.fields, self.instance_class = kind, kind.fields, kind.instance_class
        super().__init__(f"Reference({kind})")


@register_model(Reference)
class _Address(PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, manager.lookup(kind.kind).get_data_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        return reference.kind[reference.fields.index(name)] if name in reference.fields else None


@lower_getattr_generic(Reference)
def _read(context, builder, reference, value, name):
    at, number = reference.fields.index(name), ir.IntType(32)
    model = context.data_model_manager[reference.kind[at]]
    return model.load_from_data_pointer(builder, builder.gep(value, [number(0), number(at)], inbounds=True))


def in_place(oracle):
    """The oracle itself; in compiled code a `Reference` to it."""
    return oracle


@type_callable(in_place)
def _typed(context):
    return lambda oracle: Reference(oracle)


@lower_builtin(in_place, types.BaseNamedTuple)
def _in_place(context, builder, signature, args):
    model = context.data_model_manager[signature.args[0]]
    place = cgutils.alloca_once(builder, model.get_data_type())
    builder.store(model.as_data(builder, args[0]), place)
    return place


def _teach(methods: type, **jit_options: Any) -> None:
    for name, choose in vars(methods).items():
        if not name.startswith("_"):
            for kind in (types.NamedTuple, types.NamedUniTuple, Reference):
                overload_method(kind, name, jit_options=jit_options)(choose)  # type: ignore[call-arg]


_teach(_Oracle, fastmath=SCALAR_PRODUCTS, forceinline=True, _nrt=False, **PART)
_teach(_Exact, forceinline=True, _nrt=False, **PART)


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


def _field(context, builder, kind, value, name):
    """Read a field of a NamedTuple from where the tuple is, instead of reading all of the tuple first.

    An oracle has some 200 numbers, which LLVM would have to follow at every field.
    """
    at, block, number = kind.fields.index(name), builder.block, ir.IntType(32)
    if isinstance(value, ir.LoadInstr) and block.instructions[-1:] == [value]:
        block.instructions.pop()
        builder.position_at_end(block)
        found = builder.load(builder.gep(value.operands[0], [number(0), number(at)], inbounds=True))
    else:
        found = builder.extract_value(value, at)
    return impl_ret_borrowed(context, builder, kind[at], found)


for _kind in (types.NamedTuple, types.NamedUniTuple):
    lower_getattr_generic(_kind)(_field)
