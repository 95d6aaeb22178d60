"""NamedTuples in compiled code by reference: by value an oracle is some two hundred numbers.

A kernel says ``oracle = in_place(oracle)`` once; fields are then read where they are, by name only, and methods and
functions get the address. A field that is a NamedTuple is a reference again.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_builtin, register_model, type_callable


class Reference(types.Type):
    """A NamedTuple in memory, of which kernels hand on the address."""

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
        return _named(reference, name) if name in reference.fields else None


def _named(reference, name):
    """The type of a field."""
    kind = reference.kind[reference.fields.index(name)]
    return Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@lower_getattr_generic(Reference)
def _read(context, builder, reference, value, name):
    kind, number = _named(reference, name), ir.IntType(32)
    place = builder.gep(value, [number(0), number(reference.fields.index(name))], inbounds=True)
    if isinstance(kind, Reference):
        return place
    return context.data_model_manager[kind].load_from_data_pointer(builder, place)


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
