"""How Numba compiles our texts: what it would do in vain, or twice, is left out, for the sake of the first fit.

This leans on names inside Numba, which 0.61 and 0.68 have.
"""

from __future__ import annotations

import gc
from typing import Any

from numba.core import config, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

# Passes of Numba's compiler for what no text of ours has: closures, `with`, loops over literals, whole-array formulas.
UNUSED = {
    "WithLifting", "InlineClosureLikes", "InlineInlinables", "DeadBranchPrune", "FindLiterallyCalls", "LiteralUnroll",
    "LiteralPropagationSubPipelinePass", "NopythonRewrites", "DumpParforDiagnostics",
}  # fmt: skip


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

    def add_ir_module(self, module):
        for function in module.functions:
            if function.name.startswith("_ZN7cpython") and not function.is_declaration:
                function.attributes.add("noinline")
                function.attributes.add("optnone")
        super().add_ir_module(module)


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
TILE: dict[str, Any] = {**PART, "pipeline_class": _TileCompiler}
