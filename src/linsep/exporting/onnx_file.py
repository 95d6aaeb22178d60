"""A rule as a graph of ONNX: one input per column, in doubles; `onnxruntime` runs it.

Numbers and yes or no (1 or 0) come as doubles, NaN where missing; dates as days since 2000-01-01; words as strings
without blanks around them, "" where missing. Every input has the shape (rows, 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import evaluate
from .rule import answers, free_name

OPSET, ML_OPSET, IR = 18, 3, 8
INSTALL = "pip install 'linsep[onnx]'"


def write(rule: dict[str, Any]) -> bytes:
    """The graph; columns that ONNX can't hold are refused."""
    for column in rule["columns"]:
        if column["use"] in ("hashed", "text"):
            what = {"hashed": "its words are hashed", "text": "its words are looked for"}[column["use"]]
            said = f"export: column {column['name']!r}: {what}, ONNX can't. Use --to python"
            raise ValueError(f"{said}, or fit with --ignore.")
    try:
        import onnx
    except ImportError as error:
        raise ImportError(f"--to onnx needs the packages onnx and onnxruntime: {INSTALL}") from error
    graph = _Graph(onnx)
    sums = [graph.constant(np.array([rule["intercept"]]))]
    for column in rule["columns"]:
        sums.append(BUILDERS[column["use"]](graph, column))
    total = sums[0]
    for term in sums[1:]:
        total = graph.node("Add", total, term)
    total = _products(graph, total, rule["lift"]) if "lift" in rule else total
    score = graph.node("Identity", total, name=free_name("score", rule))
    if len(answers(rule)) == 1:
        place = graph.node("Cast", graph.node("Greater", score, graph.constant(0.0)), to=onnx.TensorProto.INT64)
        place = graph.node("Squeeze", place, graph.constant(np.array([1])))
    else:
        place = graph.node("ArgMax", score, axis=1, keepdims=0)
    labels = rule["classes"]
    words = not all(isinstance(label, bool | int) for label in labels)
    kept = np.array([str(label) for label in labels], dtype=object) if words else np.array(labels, dtype=np.int64)
    prediction = graph.node("Gather", graph.constant(kept), place, name=free_name("prediction", rule))
    return graph.finish(prediction, score, words, len(answers(rule)))


def _products(graph: _Graph, features: str, lift: dict[str, Any]) -> str:
    """Features centred and scaled, their products likewise, and these times their weights."""
    places, means, sizes, weights = zip(*lift["products"], strict=True)
    degree, none = max(map(len, places)), len(lift["centre"])
    centred = graph.node("Sub", features, graph.constant(np.array([lift["centre"]])))
    scaled = graph.node("Div", centred, graph.constant(np.array([lift["scale"]])))
    # a last feature of 1, for products of fewer than the most
    padded = graph.node("Pad", scaled, graph.constant(np.array([0, 0, 0, 1])), graph.constant(1.0))
    product = ""
    for k in range(degree):
        some = graph.constant(np.array([each[k] if k < len(each) else none for each in places]))
        factor = graph.node("Gather", padded, some, axis=1)
        product = graph.node("Mul", product, factor) if product else factor
    product = graph.node("Sub", product, graph.constant(np.array([means])))
    shown = graph.node("Div", product, graph.constant(np.array([sizes])))
    sums = graph.node("MatMul", shown, graph.constant(np.array(weights)))
    return graph.node("Add", sums, graph.constant(np.array([lift["intercept"]])))


class _Graph:
    """Nodes, constants and inputs as they are needed."""

    def __init__(self, onnx: Any):
        self.onnx, self.nodes, self.constants, self.inputs = onnx, [], [], []  # type: ignore[var-annotated]

    def _fresh(self) -> str:
        return f"linsep {len(self.nodes)} {len(self.constants)}"

    def input(self, name: str, kind: int) -> str:
        """A column."""
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, [None, 1]))
        return name

    def constant(self, value: Any) -> str:
        """A number or an array."""
        name = f"constant {self._fresh()}"
        array = np.asarray(value)
        if array.dtype == object:
            cells = [str(each).encode() for each in array.ravel()]
            kind = self.onnx.TensorProto.STRING
            self.constants.append(self.onnx.helper.make_tensor(name, kind, array.shape, cells))
        else:
            array = array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)
            self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any) -> str:
        """An operation; returns the name of its output."""
        out = name or f"{kind} {self._fresh()}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [out], domain=domain, **attributes))
        return out

    def finish(self, prediction: str, score: str, words: bool, count: int) -> bytes:
        """The bytes of the model, checked."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        outputs = [
            helper.make_tensor_value_info(prediction, kinds.STRING if words else kinds.INT64, [None]),
            helper.make_tensor_value_info(score, kinds.DOUBLE, [None, count]),
        ]
        graph = helper.make_graph(self.nodes, "linsep", self.inputs, outputs, self.constants)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(graph, opset_imports=versions, producer_name="linsep", ir_version=IR)
        self.onnx.checker.check_model(model)
        return model.SerializeToString()


def _weighted(graph: _Graph, values: list[str], weights: list[list[float]]) -> str:
    """Features times their weights."""
    block = graph.node("Concat", *values, axis=1) if len(values) > 1 else values[0]
    return graph.node("MatMul", block, graph.constant(np.array(weights)))


def _filled(graph: _Graph, column: dict[str, Any]) -> tuple[str, str, str]:
    """A column of doubles with its missing cells filled; where they are, as true and as 1."""
    cells = graph.input(column["name"], graph.onnx.TensorProto.DOUBLE)
    missing = graph.node("IsNaN", cells)
    values = graph.node("Where", missing, graph.constant(float(column["fill"])), cells)
    return values, missing, graph.node("Cast", missing, to=graph.onnx.TensorProto.DOUBLE)


def _standard(graph: _Graph, values: str, column: dict[str, Any]) -> str:
    centred = graph.node("Sub", values, graph.constant(float(column["centre"])))
    return graph.node("Div", centred, graph.constant(float(column["scale"])))


def _number(graph: _Graph, column: dict[str, Any]) -> str:
    values, _, gaps = _filled(graph, column)
    if column["log"]:
        ratio = graph.node("Div", graph.node("Abs", values), graph.constant(float(column["scale"])))
        size = graph.node("Log", graph.node("Add", ratio, graph.constant(1.0)))
        shown = graph.node("Mul", graph.node("Sign", values), size)
    else:
        shown = _standard(graph, values, column)
    return _weighted(graph, [shown, gaps][: 1 + column["indicator"]], column["weights"])


def _boolean(graph: _Graph, column: dict[str, Any]) -> str:
    values, _, gaps = _filled(graph, column)
    return _weighted(graph, [values, gaps][: 1 + column["indicator"]], column["weights"])


def _date(graph: _Graph, column: dict[str, Any]) -> str:
    values, missing, gaps = _filled(graph, column)
    shown, zero = [_standard(graph, values, column)], graph.constant(0.0)
    for period in column["periods"]:
        turns = graph.node("Div", values, graph.constant(evaluate.PERIODS[period]))
        part = graph.node("Sub", turns, graph.node("Floor", turns))
        phase = graph.node("Mul", part, graph.constant(2 * math.pi))
        shown += [graph.node("Where", missing, zero, graph.node(kind, phase)) for kind in ("Cos", "Sin")]
    return _weighted(graph, shown + [gaps] * column["indicator"], column["weights"])


def _category(graph: _Graph, column: dict[str, Any]) -> str:
    """The row of a table of weights: of the level, of other levels, of missing cells."""
    cells = graph.input(column["name"], graph.onnx.TensorProto.STRING)
    levels, weights = column["levels"], [list(each) for each in column["weights"]]
    nothing = [0.0] * len(weights[0]) if weights else [0.0]
    other = weights[len(levels)] if column["other"] else nothing
    absent = weights[len(levels) + column["other"]] if column["missing"] else nothing
    table = np.array([*weights[: len(levels)], other, absent])
    words = [word for word in evaluate.MISSING if word not in levels]
    place = graph.node(
        "LabelEncoder", cells, domain="ai.onnx.ml", keys_strings=[*levels, *words],
        values_int64s=[*range(len(levels)), *[len(levels) + 1] * len(words)], default_int64=len(levels),
    )  # fmt: skip
    flat = graph.node("Squeeze", place, graph.constant(np.array([1])))
    return graph.node("Gather", graph.constant(table), flat, axis=0)


BUILDERS = {"number": _number, "boolean": _boolean, "date": _date, "category": _category}


@contextmanager
def running(content: bytes, rule: dict[str, Any]) -> Iterator[Any]:
    """The graph in onnxruntime, as a function of data frames."""
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(f"onnxruntime is needed to compare decisions: {INSTALL}, or add --unchecked.") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    decided = free_name("prediction", rule)
    labels = {str(label) if isinstance(label, str | float) else int(label): label for label in rule["classes"]}

    def run(frame: Any) -> list[Any]:
        given = {column["name"]: as_input(frame, column) for column in rule["columns"]}
        return [labels[each] for each in session.run([decided], given)[0].tolist()]

    yield run


def as_input(frame: Any, column: dict[str, Any]) -> np.ndarray:
    """A column of a data frame as the graph takes it."""
    name = column["name"]
    cells = frame[name].to_list() if name in frame.columns else [None] * frame.height
    if column["use"] == "category":
        return np.array([[evaluate.word(cell, column) or ""] for cell in cells], dtype=object).reshape(-1, 1)
    if column["use"] == "date":
        values = [evaluate.days(cell, column) for cell in cells]
    elif column["use"] == "boolean":
        said = [evaluate.of_boolean(cell, column | {"fill": math.nan})[0][1] for cell in cells]
        values = list(said)
    else:
        values = [evaluate.number(cell, column) for cell in cells]
    return np.array([[math.nan if value is None else value] for value in values], dtype=np.float64).reshape(-1, 1)
