"""Values as JSON and arrays, and back.

A JSON list is a list, and strings, booleans, null and finite numbers are themselves. Everything else is an object whose
first name says what it is: ``{"tuple": [...]}``, ``{"array": "3.npy"}``; docs/model_files.md lists them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certificates.base import Certificate
from .kinds import check_types, find_class, find_name, make, take_apart

DEEPEST = 60  # values within values
EXACT_INTEGERS = 1 << 53  # larger ones are written in hexadecimal: other readers of JSON take numbers for doubles
SCALARS = (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
SCALARS += (np.float16, np.float32, np.float64, np.str_)  # type: ignore[assignment]
CONTAINERS: dict[str, type] = {"tuple": tuple, "set": set, "frozenset": frozenset}


class Encoder:
    """Turns values into JSON; ``arrays`` collects the arrays by the names of their members.

    >>> encoder = Encoder()
    >>> encoder.encode({"a": (1, math.inf)}), encoder.encode(np.zeros(2)), list(encoder.arrays)
    ({'dict': [['a', {'tuple': [1, {'float': 'inf'}]}]]}, {'array': '0.npy'}, ['0.npy'])
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._names: dict[int, str] = {}  # of arrays and functions, by their id

    def encode(self, value: Any, place: str = "", depth: int = 0) -> Any:
        """The JSON of a value; ``place`` is where it stands, for messages and for the names of functions."""
        if depth > DEEPEST:
            raise ValueError(f"save: {_say(place)} has more than {DEEPEST} values within values, or itself.")
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind in (int, float):
            return _encode_number(value)

        def inner(each: Any, where: str) -> Any:
            return self.encode(each, f"{place}{where}", depth + 1)

        if kind is list:
            return [inner(each, f"[{k}]") for k, each in enumerate(value)]
        if kind is dict and _is_numbering(value):
            return {"dict": list(map(list, value.items()))}
        if kind is dict:
            return {"dict": [[inner(key, ".key"), inner(each, f"[{key!r:.40}]")] for key, each in value.items()]}
        if kind in CONTAINERS.values():
            items = [inner(each, f"[{k}]") for k, each in enumerate(value)]
            return {kind.__name__: items if kind is tuple else sorted(items, key=repr)}  # equal sets, equal files
        if kind is bytes:
            return {"bytes": value.hex()}
        if kind is np.ndarray:
            return self._encode_array(value, inner)
        if kind in SCALARS:
            return {"scalar": [kind.__name__, inner(value.item(), "")]}
        return self._encode_object(value, place, inner)

    def _encode_array(self, value: np.ndarray, inner: Callable[[Any, str], Any]) -> dict[str, Any]:
        if value.dtype.kind == "O":
            items = [inner(each, f"[{k}]") for k, each in enumerate(value.ravel().tolist())]
            return {"objects": items, "shape": list(value.shape)}
        if id(value) not in self._names:
            self._names[id(value)] = name = f"{len(self.arrays)}.npy"
            self.arrays[name] = value
        return {"array": self._names[id(value)]}

    def _encode_object(self, value: Any, place: str, inner: Callable[[Any, str], Any]) -> dict[str, Any]:
        if isinstance(value, Certificate):
            return {"certificate": {name: inner(each, f".{name}") for name, each in value.parts().items()}}
        if sp.issparse(value) and value.format == "csr":
            parts = {name: inner(getattr(value, name), f".{name}") for name in ("data", "indices", "indptr")}
            return {"sparse": type(value).__name__, **parts, "shape": list(value.shape)}
        if isinstance(value, type) and find_name(value):
            return {"class": find_name(value)}
        name = find_name(type(value))
        if name is not None:
            values = take_apart(value)
            prefix = "." if place else ""
            return {"kind": name, "values": {each: inner(v, f"{prefix}{each}") for each, v in values.items()}}
        if callable(value) and not isinstance(value, type):
            return {"function": self._names.setdefault(id(value), place)}
        raise TypeError(
            f"save: {_say(place)} is of {type(value).__module__}.{type(value).__qualname__}, which model files can't "
            "hold: they hold numbers, strings, arrays, and objects of linsep."
        )


def _is_numbering(value: dict) -> bool:
    """Whether strings have small whole numbers: such dictionaries may be long, and are their own JSON."""
    return (
        set(map(type, value)) == {str} and set(map(type, value.values())) == {int}
        and max(value.values()) <= EXACT_INTEGERS and min(value.values()) >= -EXACT_INTEGERS
    )  # fmt: skip


def _say(place: str) -> str:
    return place or "the model"


def _encode_number(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    return value if abs(value) <= EXACT_INTEGERS else {"integer": hex(value)}


class Decoder:
    """Turns JSON back into values: ``array`` gives the array of a name, ``functions`` are the user's own.

    ``instead`` are classes that objects are made of in place of those that the file names.
    """

    def __init__(
        self, array: Callable[[str], np.ndarray], functions: Mapping[str, Callable],
        instead: Mapping[str, type] | None = None,
    ):  # fmt: skip
        self._array, self._functions, self._instead = array, functions, instead or {}

    def decode(self, value: Any, depth: int = 0) -> Any:
        """The value of some JSON."""
        if depth > DEEPEST:
            raise ValueError(f"expected at most {DEEPEST} values within values.")
        if isinstance(value, list):
            return [self.decode(each, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        tag = next(iter(value), "")
        content = value.get(tag)
        if tag in CONTAINERS and len(value) == 1:
            return CONTAINERS[tag](self.decode(_require(content, list), depth + 1))
        read = getattr(self, f"_read_{tag}", None) if tag in TAGS and set(value) == TAGS[tag] | {tag} else None
        if read is None:
            raise ValueError(f"expected a known form of a value, got {list(value)!r:.80}.")
        return read(content, value, depth + 1)

    def _read_dict(self, pairs: Any, value: dict, depth: int) -> dict:
        pairs = [_require(pair, list) for pair in _require(pairs, list)]
        if {type(each) for pair in pairs for each in pair} <= {str, int}:  # long ones, of names and their numbers
            return dict(pairs)
        return {self.decode(key, depth): self.decode(each, depth) for key, each in pairs}

    def _read_float(self, text: Any, value: dict, depth: int) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text]

    def _read_integer(self, text: Any, value: dict, depth: int) -> int:
        return int(_require(text, str), 16)

    def _read_bytes(self, text: Any, value: dict, depth: int) -> bytes:
        return bytes.fromhex(_require(text, str))

    def _read_array(self, name: Any, value: dict, depth: int) -> np.ndarray:
        return self._array(_require(name, str))

    def _read_objects(self, items: Any, value: dict, depth: int) -> np.ndarray:
        found = [self.decode(each, depth) for each in _require(items, list)]
        out = np.empty(len(found), dtype=object)
        for k, each in enumerate(found):  # one by one: NumPy would take lists of one length for a table
            out[k] = each
        return out.reshape(_shape(value["shape"]))

    def _read_scalar(self, content: Any, value: dict, depth: int) -> Any:
        name, number = _require(content, list)
        return next(kind for kind in SCALARS if kind.__name__ == name)(self.decode(number, depth))

    def _read_sparse(self, name: Any, value: dict, depth: int) -> Any:
        parts = [_require(self.decode(value[part], depth), np.ndarray) for part in ("data", "indices", "indptr")]
        matrix = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}[name](tuple(parts), _shape(value["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _read_class(self, name: Any, value: dict, depth: int) -> type:
        return find_class(_require(name, str))

    def _read_function(self, name: Any, value: dict, depth: int) -> Callable:
        if name not in self._functions:
            raise ValueError(
                f"functions: a function of yours, {name!r}, is not in the file: load(path, {{{name!r}: ...}})."
            )
        if not callable(self._functions[name]):
            raise TypeError(f"functions: expected a function for {name!r}, got {self._functions[name]!r}.")
        return self._functions[name]

    def _read_certificate(self, plain: Any, value: dict, depth: int) -> Certificate:
        found = Certificate.from_dict({k: self.decode(each, depth) for k, each in _require(plain, dict).items()})
        check_types(found, vars(found))
        return found

    def _read_kind(self, name: Any, value: dict, depth: int) -> Any:
        values = {k: self.decode(each, depth) for k, each in _require(value["values"], dict).items()}
        return make(_require(name, str), values, self._instead.get(name))


TAGS: dict[str, set[str]] = {name.removeprefix("_read_"): set() for name in vars(Decoder) if name.startswith("_read_")}
TAGS |= {"objects": {"shape"}, "sparse": {"data", "indices", "indptr", "shape"}, "kind": {"values"}}


def _require(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"expected {kind.__name__}, got {type(value).__name__}.")
    return value


def _shape(value: Any) -> tuple[int, ...]:
    if not all(type(each) is int and each >= 0 for each in _require(value, list)):
        raise ValueError(f"shape: expected numbers that are not negative, got {value!r:.80}.")
    return tuple(value)
