# SPDX-License-Identifier: Apache-2.0
"""Translates TOSA graphs to models of TensorFlow Lite.

OPERATORS is the table: the types of each operator, and the function that appends its nodes. A
RESCALE behind a convolution becomes part of it. README.md says what is unsupported, and why."""
import dataclasses
from collections import Counter

import numpy as np

from assay import DType, Op
from assay.worker import Unsupported

from . import integers as i, operators as o, windows as w
from .call import Call, INT8, NUMPY_TYPES
from .model import Model, Value

_I8, _I16, _I32, _F32, _BOOL = DType.INT8, DType.INT16, DType.INT32, DType.FP32, DType.BOOL
INTEGERS = [_I8, _I16, _I32]
WIDE = [_I32, _F32]
MOVED = [_BOOL, _I8, _I32, _F32]

# The types of the first input (of the first output if there is none, or if it is BOOL) by operator.
OPERATORS = {
    Op.ABS: (WIDE, o.simple("ABS")),
    Op.ADD: (WIDE, o.add),
    Op.ARGMAX: ([_I8, _F32], o.argmax),
    Op.ARITHMETIC_RIGHT_SHIFT: (INTEGERS, o.right_shift),
    Op.AVG_POOL2D: ([_I8, _F32], w.average_pool),
    Op.BITWISE_NOT: (INTEGERS, o.bitwise_not),
    Op.BITWISE_XOR: (INTEGERS, o.simple("BITWISE_XOR")),
    Op.CAST: ([_BOOL, *INTEGERS], o.cast),
    Op.CEIL: ([_F32], o.simple("CEIL")),
    Op.CLAMP: ([_I8, _F32], o.clamp),
    Op.CONCAT: (MOVED, o.concat),
    Op.CONV2D: ([_I8, _F32], w.convolution("CONV_2D")),
    Op.COS: ([_F32], o.simple("COS")),
    Op.DEPTHWISE_CONV2D: ([_I8, _F32], w.convolution("DEPTHWISE_CONV_2D")),
    Op.EQUAL: (WIDE, o.simple("EQUAL", 4)),
    Op.EXP: ([_F32], o.simple("EXP")),
    Op.FLOOR: ([_F32], o.simple("FLOOR")),
    Op.GATHER: (MOVED, o.gather),
    Op.GREATER: (WIDE, o.simple("GREATER", 4)),
    Op.GREATER_EQUAL: (WIDE, o.simple("GREATER_EQUAL", 4)),
    Op.IDENTITY: (MOVED, o.reshape),
    Op.INTDIV: ([_I32], o.simple("DIV", 5)),
    Op.LOG: ([_F32], o.simple("LOG")),
    Op.LOGICAL_AND: ([_BOOL], o.simple("LOGICAL_AND", 4)),
    Op.LOGICAL_NOT: ([_BOOL], o.simple("LOGICAL_NOT")),
    Op.LOGICAL_OR: ([_BOOL], o.simple("LOGICAL_OR", 4)),
    Op.LOGICAL_XOR: ([_BOOL], o.simple("NOT_EQUAL", 4)),
    Op.MATMUL: ([_I8, _F32], w.matmul),
    Op.MAXIMUM: (WIDE, o.extreme("MAXIMUM")),
    Op.MAX_POOL2D: ([_I8, _F32], w.max_pool),
    Op.MINIMUM: (WIDE, o.extreme("MINIMUM")),
    Op.MUL: ([_I8, _I16, *WIDE], o.multiply),
    Op.NEGATE: (WIDE, o.negate),
    Op.PAD: (MOVED, o.pad),
    Op.POW: ([_F32], o.simple("POW", 4)),
    Op.RECIPROCAL: ([_F32], o.reciprocal),
    Op.REDUCE_ALL: ([_BOOL], o.reduce("REDUCE_ALL")),
    Op.REDUCE_ANY: ([_BOOL], o.reduce("REDUCE_ANY")),
    Op.REDUCE_MAX: ([_I8, _I32, _F32], o.reduce("REDUCE_MAX")),
    Op.REDUCE_MIN: ([_I8, _I32, _F32], o.reduce("REDUCE_MIN")),
    Op.REDUCE_PRODUCT: ([_F32], o.reduce("REDUCE_PROD")),
    Op.REDUCE_SUM: (WIDE, o.reduce("SUM")),
    Op.RESCALE: (INTEGERS, i.rescale),
    Op.RESHAPE: (MOVED, o.reshape),
    Op.REVERSE: (MOVED, o.reverse),
    Op.RSQRT: ([_F32], o.simple("RSQRT")),
    Op.SELECT: (MOVED, o.simple("SELECT_V2", 5)),
    Op.SIGMOID: ([_F32], o.simple("LOGISTIC")),
    Op.SIN: ([_F32], o.simple("SIN")),
    Op.SLICE: (MOVED, o.slice_),
    Op.SUB: (WIDE, o.simple("SUB", 6)),
    Op.TABLE: ([_I8], i.table),
    Op.TANH: ([_F32], o.simple("TANH")),
    Op.TILE: (MOVED, o.tile),
    Op.TRANSPOSE: (MOVED, o.transpose),
}
STRUCTURE = {Op.CONST: list(NUMPY_TYPES), Op.CONST_SHAPE: []}

# The zero points that an operator states: (operand of the zero point, operand that has it, or None
# for the output).
_ZERO_POINTS = {
    Op.CONV2D: [(3, 0)], Op.DEPTHWISE_CONV2D: [(3, 0)],
    Op.MATMUL: [(2, 0), (3, 1)], Op.RESCALE: [(3, 0), (4, None)],
    Op.AVG_POOL2D: [(1, 0), (2, None)],
}
# Operators whose INT8 inputs and outputs must have the same zero point.
_KEEPS_ZERO_POINT = {Op.AVG_POOL2D, Op.CLAMP, Op.CONCAT, Op.GATHER, Op.IDENTITY, Op.MAX_POOL2D,
                     Op.PAD, Op.REDUCE_MAX, Op.REDUCE_MIN, Op.RESHAPE, Op.REVERSE, Op.SELECT,
                     Op.SLICE, Op.TILE, Op.TRANSPOSE}
_CONVOLUTIONS = {Op.CONV2D, Op.DEPTHWISE_CONV2D}


def supported():
    """Returns the types by operator, as worker.Backend declares."""
    return {op: types for op, (types, _) in OPERATORS.items()} | STRUCTURE


@dataclasses.dataclass
class Translation:
    """A model, and the Values of its inputs and outputs in the order of the graph's."""
    model: bytes
    inputs: list
    outputs: list


def translate(graph):
    """Returns the Translation of an assay.Graph. Raises Unsupported if there is none."""
    return _Translator(graph).translate()


class _ZeroPoints:
    """The zero points of the INT8 tensors. TensorFlow Lite has them at tensors, and TOSA at
    operators, so all operators must agree on that of a tensor."""

    def __init__(self, block):
        self._leaders, self._known, self._block = {}, {}, block
        for op in block.operators:
            if op.op in _KEEPS_ZERO_POINT:
                moved = [one for one in (*op.inputs, *op.outputs) if self._quantized(one)]
                for one in moved[1:]:
                    self._leaders[self._leader(one)] = self._leader(moved[0])
        for op in block.operators:
            for operand, data in _ZERO_POINTS.get(op.op, []):
                self._state(op, operand, op.outputs[0] if data is None else op.inputs[data])

    def _quantized(self, name):
        return getattr(self._block.tensor(name), "dtype", None) == DType.INT8

    def _leader(self, name):
        while name in self._leaders and self._leaders[name] != name:
            name = self._leaders[name]
        return name

    def _state(self, op, operand, name):
        content = self._block.tensor(op.inputs[operand]).numpy()
        if content is None:
            raise Unsupported("a zero point that is no constant", op=op.op.name)
        zero_point = int(content.reshape(-1)[0])
        if self._quantized(name) and self._known.setdefault(self._leader(name),
                                                            zero_point) != zero_point:
            raise Unsupported("a tensor with different zero points", op=op.op.name)

    def of(self, name):
        return self._known.get(self._leader(name), 0)


class _Translator:
    def __init__(self, graph):
        self._graph, self._model, self._block = graph, Model(), graph.main
        self._known, self._waiting = {}, {}

    def translate(self):
        block = self._block
        for op in block.operators:
            if op.op not in OPERATORS and op.op not in STRUCTURE:
                raise Unsupported(f"{op.op.name} has no translation", op=op.op.name)
        self._zero_points = _ZeroPoints(block)
        self._uses = Counter(name for op in block.operators for name in op.inputs)
        self._uses.update(block.outputs)
        self._consumers = {name: op for op in block.operators for name in op.inputs}
        self._constants = {op.outputs[0] for op in block.operators if op.op == Op.CONST}
        inputs = [self._new(name) for name in block.inputs]
        self._known.update(zip(block.inputs, inputs))
        for shape in block.shapes:
            self._known[shape.name] = self._model.constant(shape.numpy())
        for op in block.operators:
            try:
                self._operator(op)
            except Unsupported as reason:
                reason.op = reason.op or op.op.name
                raise
        outputs = self._model.outputs([self._known[name] for name in block.outputs])
        return Translation(self._model.finish(inputs, outputs), inputs, outputs)

    def _new(self, name, constant=None):
        tensor = self._block.tensor(name)
        if tensor.dtype not in NUMPY_TYPES:
            raise Unsupported(f"{tensor.dtype.name}")
        dtype = NUMPY_TYPES[tensor.dtype]
        value = Value(dtype, tuple(int(one) for one in tensor.shape), constant)
        if tensor.dtype in (DType.INT8, DType.INT16):
            value.scales = (1.0,)
        if tensor.dtype == DType.INT8:
            value.zero_point = self._zero_points.of(name)
        return value

    def _operator(self, op):
        if op.op == Op.CONST_SHAPE:
            return
        out = self._new(op.outputs[0])
        self._known[op.outputs[0]] = out
        if op.op == Op.CONST:
            content = self._block.tensor(op.outputs[0]).numpy()
            out.constant = np.ascontiguousarray(content, out.dtype).reshape(out.shape)
            return
        inputs = [self._known[name] for name in op.inputs]
        call = Call(self._model, op.op.name, op.attributes, inputs,
                    getattr(self._block.tensor(op.inputs[0]), "dtype", DType.SHAPE), out)
        if op.op in _CONVOLUTIONS and call.in_type == DType.INT8:
            if self._next(op) != Op.RESCALE:
                raise Unsupported("a convolution of INT8 without a RESCALE behind it")
            self._waiting[op.outputs[0]] = OPERATORS[op.op][1], call
        elif op.op == Op.MATMUL and self._is_dense(op, call):
            call.inputs.append(self._model.constant([0], np.int32))
            self._waiting[op.outputs[0]] = w.dense, call
        elif op.inputs[0] in self._waiting:
            self._continue(op, call)
        else:
            OPERATORS[op.op][1](call)

    def _next(self, op):
        """Returns the kind of the only operator that reads the result of an operator, or None."""
        name = op.outputs[0]
        return self._consumers[name].op if self._is_read_once(name) else None

    def _is_read_once(self, name):
        return self._uses[name] == 1 and name in self._consumers

    def _is_dense(self, op, call):
        """Tells whether a MATMUL of INT8 is by a constant matrix, with a RESCALE to INT8 behind it
        or behind the addition of a constant vector."""
        weight = call.inputs[1]
        if call.in_type != DType.INT8 or weight.constant is None or weight.shape[0] != 1:
            return False
        if self._next(op) == Op.ADD:
            add_op = self._consumers[op.outputs[0]]
            bias = add_op.inputs[1]
            shape = tuple(self._block.tensor(bias).shape)
            if bias not in self._constants or shape not in ((1, 1, 1), (1, 1, weight.shape[2])):
                return False
            op = add_op
        if self._next(op) != Op.RESCALE:
            return False
        return self._block.tensor(self._consumers[op.outputs[0]].outputs[0]).dtype == DType.INT8

    def _continue(self, op, call):
        """Makes the bias or the RESCALE part of the operator that waits for it."""
        function, before = self._waiting.pop(op.inputs[0])
        if op.op == Op.ADD:
            before.inputs[4] = call.inputs[1]
            self._waiting[op.outputs[0]] = function, before
            return
        if call.out.dtype != INT8 or call.constant(3)[0] != 0:
            raise Unsupported("RESCALE of a convolution to another type than INT8")
        before.rescale, before.out = call, call.out
        function(before)
