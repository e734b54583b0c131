# SPDX-License-Identifier: Apache-2.0
"""An ONNX model under construction. The translation of an operator appends nodes to it."""
import dataclasses
from typing import Optional

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from assay.dtypes import DType
from assay.worker import Unsupported

# Opset 13 has all that the translation needs but bitwise operators, which came with 18. onnx 1.12
# checks 13. OpenCV 4.6 reads Clip and ReduceSum of 10 alone, which have attributes and not inputs.
OPSET_OPENCV, OPSET, OPSET_BITWISE = 10, 13, 18
_IR_VERSIONS = {OPSET_OPENCV: 5, OPSET: 7, OPSET_BITWISE: 8}

# The type of the ONNX tensor that holds a TOSA tensor. INT48 has no type in ONNX: INT64 holds its
# values, and no result of a valid graph is beyond them.
NUMPY_TYPES = {
    DType.BOOL: np.dtype("?"), DType.INT8: np.dtype("i1"), DType.INT16: np.dtype("i2"),
    DType.INT32: np.dtype("i4"), DType.INT48: np.dtype("i8"), DType.SHAPE: np.dtype("i8"),
    DType.FP32: np.dtype("f4"), DType.FP16: np.dtype("f2"),
}
BOOL, INT8, INT16, INT32, INT64 = (np.dtype(one) for one in ("?", "i1", "i2", "i4", "i8"))
UINT8, UINT32, UINT64, FP32, FP16 = (np.dtype(one) for one in ("u1", "u4", "u8", "f4", "f2"))
FLOATS = (FP32, FP16)

# The types that a kind of node is used with in place of those for which runtimes have no kernel.
# All values of the type are values of the other one.
_IN_PLACE = {
    "Where": {BOOL: UINT8, INT8: INT32, INT16: INT32, FP16: FP32},
    "Pad": {INT16: INT32},
    "ReduceMax": {INT16: INT32}, "ReduceMin": {INT16: INT32},
    "ArgMax": {INT16: INT32},
    "Clip": {INT16: INT32},
    "MaxPool": {INT16: FP32},
    "Resize": {INT16: INT32},
}


def onnx_type(dtype):
    """Returns the number of ONNX for a numpy type."""
    return helper.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)]


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor of the ONNX graph: its name, numpy type, shape, and content if it is constant."""
    name: str
    dtype: np.dtype
    shape: tuple
    constant: Optional[np.ndarray] = None

    @property
    def rank(self):
        return len(self.shape)


class Model:
    """Nodes, constants and names. Nodes go to the innermost open subgraph, and constants to the
    main graph, which subgraphs can read."""

    def __init__(self, opset):
        self.opset = opset
        self._nodes = [[]]
        self._computed = [set()]  # the names that nodes of each open subgraph have given a value
        self._constants = {}
        self._count = 0

    def name(self, stem):
        self._count += 1
        return f"{stem}_{self._count}"

    def constant(self, array, dtype=None):
        """Returns a constant. Equal constants are one initializer."""
        array = np.array(array, dtype, order="C")
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = self.name("constant")
            proto = numpy_helper.from_array(array, name)
            self._constants[key] = (Value(name, array.dtype, array.shape, array), proto)
        return self._constants[key][0]

    def node(self, kind, inputs, dtype, shape, **attributes):
        """Appends a node with one output, and returns this. An input None is left out."""
        name = self.name(kind)
        names = [one.name if one is not None else "" for one in inputs]
        self.append(helper.make_node(kind, names, [name], **attributes))
        return Value(name, np.dtype(dtype), tuple(int(one) for one in shape))

    def append(self, node):
        self._nodes[-1].append(node)
        self._computed[-1].update(node.output)

    def outputs(self, values):
        """Returns values as outputs of the innermost subgraph. Each must be computed by a node in
        it and be another one; Identity makes such a value of any other."""
        taken, results = set(), []
        for value in values:
            if value.name not in self._computed[-1] or value.name in taken:
                value = self.like("Identity", value)
            taken.add(value.name)
            results.append(value)
        return results

    def like(self, kind, x, *others, **attributes):
        """Appends a node whose result has the type and shape of its first input."""
        return self.node(kind, [x, *others], x.dtype, x.shape, **attributes)

    def broadcast(self, kind, *inputs, dtype=None, **attributes):
        """Appends an element-wise node; the result has the type of the last input or `dtype`."""
        shape = np.broadcast_shapes(*(one.shape for one in inputs))
        return self.node(kind, inputs, dtype or inputs[-1].dtype, shape, **attributes)

    def compare(self, kind, x, y):
        return self.broadcast(kind, x, y, dtype=BOOL)

    def select(self, condition, x, y):
        operands = [self.widened("Where", one) for one in (x, y)]
        return self.cast(self.broadcast("Where", condition, *operands), x.dtype)

    def cast(self, x, dtype):
        """Converts; of integers, high bits are dropped, as ONNX and TOSA both say."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype:
            return x
        if x.constant is not None and x.dtype.kind in "biu" and dtype.kind in "iu":
            return self.constant(x.constant.astype(dtype))
        return self.node("Cast", [x], dtype, x.shape, to=onnx_type(dtype))

    def widened(self, kind, x):
        """Returns x in the type that a kind of node is used with."""
        return self.cast(x, _IN_PLACE.get(kind, {}).get(x.dtype, x.dtype))

    def reshape(self, x, shape):
        shape = tuple(int(one) for one in shape)
        if x.shape == shape:
            return x
        if x.constant is not None:
            return self.constant(x.constant.reshape(shape))
        return self.node("Reshape", [x, self.constant(shape, np.int64)], x.dtype, shape)

    def transpose(self, x, perm):
        perm = [int(one) for one in perm]
        if x.constant is not None:
            return self.constant(x.constant.transpose(perm))
        return self.node("Transpose", [x], x.dtype, [x.shape[one] for one in perm], perm=perm)

    def is_nan(self, x):
        return self.node("IsNaN", [x], BOOL, x.shape)

    def reduce(self, kind, x, axis, keepdims=1):
        """Reduces one axis. Axes are an input from opset 18 on, and of ReduceSum from 13 on."""
        shape = [1 if i == axis else one for i, one in enumerate(x.shape) if keepdims or i != axis]
        if self.opset >= (13 if kind == "ReduceSum" else 18):
            axes = self.constant([axis], np.int64)
            return self.node(kind, [x, axes], x.dtype, shape, keepdims=keepdims)
        return self.node(kind, [x], x.dtype, shape, axes=[axis], keepdims=keepdims)

    def open_subgraph(self):
        self._nodes.append([])
        self._computed.append(set())

    def close_subgraph(self, name, inputs, outputs):
        """Returns the subgraph of the nodes since open_subgraph()."""
        self._computed.pop()
        return helper.make_graph(self._nodes.pop(), name, [info(one) for one in inputs],
                                 [info(one) for one in outputs])

    def finish(self, inputs, outputs):
        """Returns the ModelProto."""
        used = {name for node in _all_nodes(self._nodes[0]) for name in node.input}
        protos = [proto for _, proto in self._constants.values() if proto.name in used]
        graph = helper.make_graph(self._nodes[0], "tosa", [info(one) for one in inputs],
                                  [info(one) for one in outputs], protos)
        return helper.make_model(graph, producer_name="assay", ir_version=_IR_VERSIONS[self.opset],
                                 opset_imports=[helper.make_opsetid("", self.opset)])


def _all_nodes(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _all_nodes(attribute.g.node)


def info(value):
    return helper.make_tensor_value_info(value.name, onnx_type(value.dtype), value.shape)


def constant_of(value, what):
    """Returns the content of an operand that ONNX needs as a constant."""
    if value.constant is None:
        raise Unsupported(f"{what} is no constant")
    return value.constant
