# SPDX-License-Identifier: Apache-2.0
"""Translates TOSA graphs to models of TensorFlow Lite.

OPERATORS is the table: the types of each operator, and the function that appends its nodes. A
RESCALE behind a convolution becomes part of it. README.md says what is unsupported, and why."""
import dataclasses
from collections import Counter

import numpy as np

from assay import DType, NanPropagationMode, Op, dtypes
from assay.worker import Unsupported

from . import rounding
from .model import Model, TENSOR_TYPES, Value

NUMPY_TYPES = {DType.BOOL: np.dtype("?"), DType.INT8: np.dtype("i1"), DType.INT16: np.dtype("i2"),
               DType.INT32: np.dtype("i4"), DType.FP32: np.dtype("f4")}
BOOL, INT8, INT16, INT32, FP32 = (np.dtype(one) for one in ("?", "i1", "i2", "i4", "f4"))
_SAME, _VALID = 0, 1


@dataclasses.dataclass
class Call:
    """One operator of a graph, with what its translation needs."""
    model: Model
    name: str
    attributes: dict
    inputs: list
    in_type: DType
    out: Value
    rescale: object = None  # the Call of the RESCALE that becomes part of this operator

    def constant(self, operand):
        value = self.inputs[operand].constant
        if value is None:
            raise Unsupported(f"operand {operand} of {self.name} is no constant")
        return value

    def node(self, kind, *inputs, **options):
        return self.model.node(kind, inputs or self.inputs, self.out, **options)

    def list(self, numbers):
        return self.model.constant(numbers, np.int32)


def no_ignore(c):
    if c.inputs[0].dtype == FP32 and c.attributes["nan_mode"] == NanPropagationMode.IGNORE:
        raise Unsupported("nan_mode=IGNORE")


# ---- Element-wise operators


def simple(kind, rank_max=8):
    def translate(c):
        if max(len(one.shape) for one in c.inputs) > rank_max and len(
                {one.shape for one in c.inputs}) > 1:
            raise Unsupported(f"broadcasting of more than {rank_max} dimensions")
        c.node(kind)
    return translate


def extreme(kind):
    def translate(c):
        no_ignore(c)
        simple(kind, 5)(c)
    return translate


def multiply(c):
    if c.inputs[0].dtype != FP32 and c.constant(2)[0] != 0:
        raise Unsupported("MUL with a shift")
    x, y = (_as_int32(c.model, one) if one.dtype != FP32 else one for one in c.inputs[:2])
    simple("MUL", 6)(dataclasses.replace(c, inputs=[x, y]))


def negate(c):
    if c.inputs[0].dtype != FP32 and (c.constant(1)[0] or c.constant(2)[0]):
        raise Unsupported("NEGATE with a zero point")
    c.node("NEG", c.inputs[0])


def reciprocal(c):
    c.node("DIV", c.model.constant(1, np.float32), c.inputs[0])


def cast(c):
    source, target = c.inputs[0].dtype, c.out.dtype
    if source == FP32 or target == BOOL:
        raise Unsupported("CAST, which rounds and saturates; TensorFlow Lite truncates")
    _cast(c.model, c.inputs[0], c.out)


def clamp(c):
    no_ignore(c)
    m, x = c.model, c.inputs[0]
    low, high = (m.constant(dtypes.unpack(c.in_type, (), c.attributes[name]), x.dtype,
                            scales=x.scales, zero_point=x.zero_point)
                 for name in ("min_val", "max_val"))
    c.node("MINIMUM", m.result("MAXIMUM", [x, low], x.dtype, x.shape, x), high)


def reduce(kind):
    def translate(c):
        if "nan_mode" in c.attributes:
            no_ignore(c)
        c.node(kind, c.inputs[0], c.list([c.attributes["axis"]]), keep_dims=True)
    return translate


def argmax(c):
    no_ignore(c)
    c.node("ARG_MAX", c.inputs[0], c.list(c.attributes["axis"]),
           output_type=TENSOR_TYPES["int32"])


# ---- Operators that move elements


def concat(c):
    c.node("CONCATENATION", axis=c.attributes["axis"])


def pad(c):
    fill = c.constant(2)
    if len(c.out.shape) > 5:
        raise Unsupported("PAD of more than 5 dimensions")
    fill = c.model.constant(fill.reshape(1), c.out.dtype, scales=c.out.scales,
                            zero_point=c.out.zero_point)
    c.node("PADV2", c.inputs[0], c.list(c.constant(1).reshape(-1, 2)), fill)


def reshape(c):
    c.node("RESHAPE", c.inputs[0], c.list(c.out.shape))


def reverse(c):
    c.node("REVERSE_V2", c.inputs[0], c.list([c.attributes["axis"]]))


def slice_(c):
    if not 1 <= len(c.out.shape) <= 5:
        raise Unsupported("SLICE of no or of more than 5 dimensions")
    c.node("SLICE", c.inputs[0], c.list(c.constant(1)), c.list(c.constant(2)))


def tile(c):
    if not c.out.shape:
        return reshape(c)
    return c.node("TILE", c.inputs[0], c.list(c.constant(1)))


def transpose(c):
    if len(c.out.shape) > 6:
        raise Unsupported("TRANSPOSE of more than 6 dimensions")
    c.node("TRANSPOSE", c.inputs[0], c.list(c.attributes["perms"]))


def gather(c):
    c.node("GATHER", axis=1, batch_dims=1)


# ---- Windows


def _padding(c, x, kernel, dilation):
    """Returns SAME or VALID if the padding is that, or else None."""
    if not any(c.attributes["pad"]):
        return _VALID
    for axis in (0, 1):
        before, after = c.attributes["pad"][2 * axis:2 * axis + 2]
        stride, size = c.attributes["stride"][axis], x.shape[axis + 1]
        count = -(-size // stride)
        total = max((count - 1) * stride + (kernel[axis] - 1) * dilation[axis] + 1 - size, 0)
        if (before, after) != (total // 2, total - total // 2):
            return None
    return _SAME


def _padded(c, x):
    """Returns x with the padding of a convolution as elements, which are zeros."""
    top, bottom, left, right = c.attributes["pad"]
    shape = [x.shape[0], x.shape[1] + top + bottom, x.shape[2] + left + right, x.shape[3]]
    fill = c.model.constant([x.zero_point], x.dtype, scales=x.scales, zero_point=x.zero_point)
    pads = c.list([[0, 0], [top, bottom], [left, right], [0, 0]])
    return c.model.result("PADV2", [x, pads, fill], x.dtype, shape, x)


def _window(c, x, kernel, dilation):
    """Returns the input, the padding and the options of a convolution."""
    padding = _padding(c, x, kernel, dilation)
    if padding is None:
        x, padding = _padded(c, x), _VALID
    stride = c.attributes["stride"]
    return x, {"padding": padding, "stride_h": stride[0], "stride_w": stride[1],
               "dilation_h": dilation[0], "dilation_w": dilation[1]}


def convolution(kind):
    def translate(c):
        x, weight = c.inputs[0], c.constant(1)
        depthwise = kind == "DEPTHWISE_CONV_2D"
        kernel = weight.shape[:2] if depthwise else weight.shape[1:3]
        if any(c.attributes["pad"]) and not np.isfinite(weight.astype(np.float64)).all():
            raise Unsupported("a weight of infinities or NaNs with padding")
        channels = c.out.shape[-1]
        bias = np.resize(c.constant(2), channels)
        x, options = _window(c, x, kernel, c.attributes["dilation"])
        quantization, bias_quantization = {}, {}
        if depthwise:
            options["multiplier"] = weight.shape[3]
            weight = weight.reshape(1, *kernel, channels)
        if x.dtype != FP32:
            scales = _scales(c, weight if depthwise else weight.transpose(1, 2, 3, 0), bias)
            quantization = {"scales": scales, "axis": 3 if depthwise else 0}
            bias_quantization = {"scales": scales}
        c.node(kind, x, c.model.constant(weight, **quantization),
               c.model.constant(bias, **bias_quantization), **options)
    return translate


def _scales(c, weight, bias):
    """Returns the scales of the weights of an integer convolution with a RESCALE behind it."""
    if c.constant(4)[0] != 0:
        raise Unsupported("a zero point of weights")
    rescale, weight = c.rescale, weight.astype(np.int64)
    multiplier, shift = (np.resize(rescale.constant(i), bias.size).astype(np.int64)
                         for i in (1, 2))
    lowest, highest = (limit - c.inputs[0].zero_point for limit in (-128, 127))
    axes = tuple(range(weight.ndim - 1))
    low = bias + np.minimum(weight * lowest, weight * highest).sum(axes)
    high = bias + np.maximum(weight * lowest, weight * highest).sum(axes)
    # Padding and the elements of a single input channel of a group are within these bounds.
    scales = _find_scales(rescale, rounding.in_fp32, multiplier, shift, low, high)
    if (scales >= 256).any() or (scales < 2.0 ** -32).any():
        raise Unsupported("a scale that XNNPACK does not have")
    return tuple(float(one) for one in scales)


def _find_scales(c, rounded, multiplier, shift, low, high):
    if c.out.dtype not in (INT8, INT16):
        raise Unsupported(f"RESCALE to {c.out.dtype.name.upper()} by this scale")
    limits, zero_point = np.iinfo(c.out.dtype), int(c.constant(4)[0])
    scales = rounding.find_scales(multiplier, shift, low, high,
                                  (limits.min - zero_point, limits.max - zero_point),
                                  c.attributes["rounding_mode"].name == "DOUBLE_ROUND", rounded)
    if scales is None:
        raise Unsupported("RESCALE, which rounds some numbers in another way than the kernel")
    return scales


def rescale(c):
    """A RESCALE of its own: integer arithmetic if INT32 suffices, or else QUANTIZE."""
    if c.attributes["input_unsigned"] or c.attributes["output_unsigned"]:
        raise Unsupported("RESCALE of unsigned numbers")
    if c.constant(1).size != 1:
        raise Unsupported("RESCALE per channel without a convolution before it")
    x = c.inputs[0]
    multiplier, shift, in_zp, out_zp = (int(c.constant(i)[0]) for i in range(1, 5))
    limits = np.iinfo(x.dtype)
    bounds = [one - in_zp for one in (x.bounds if x.dtype == INT32 else (limits.min, limits.max))]
    if not _rescale_in_integers(c, multiplier, shift, in_zp, out_zp, bounds):
        if x.dtype != INT32 or in_zp or x.scales:
            raise Unsupported("RESCALE by this scale, or of the same tensor by two scales")
        numbers = (np.array([one], np.int64) for one in (multiplier, shift, *bounds))
        x.scales = tuple(float(one) for one in _find_scales(c, rounding.in_fixed_point, *numbers))
        c.node("QUANTIZE", x)


def _rescale_in_integers(c, multiplier, shift, in_zp, out_zp, bounds):
    """Appends (x - in_zp) * multiplier + rounding, divided by 2^shift, in INT32, if it does."""
    m, x = c.model, c.inputs[0]
    if c.attributes["rounding_mode"].name == "DOUBLE_ROUND" and shift > 31:
        return False
    while multiplier % 2 == 0 and shift > 0 and multiplier > 0:
        multiplier, shift = multiplier // 2, shift - 1
    half = (1 << shift) >> 1
    products = [one * multiplier + half for one in bounds]
    results = [(one >> shift) + out_zp for one in products]
    if max(abs(one) for one in (*bounds, *products, *results)) >= 1 << 31 or shift > 30:
        return False
    for kind, operand, neutral in (("SUB", in_zp, 0), ("MUL", multiplier, 1), ("ADD", half, 0),
                                   ("FLOOR_DIV", 1 << shift, 1), ("ADD", out_zp, 0)):
        if operand != neutral:
            x = m.result(kind, [_as_int32(m, x), c.list(operand)], INT32, x.shape)
    limits = np.iinfo(c.out.dtype)
    c.out.bounds = (max(min(results), limits.min), min(max(results), limits.max))
    for kind, limit, exceeded in (("MAXIMUM", limits.min, min(results) < limits.min),
                                  ("MINIMUM", limits.max, max(results) > limits.max)):
        if exceeded:
            x = m.result(kind, [_as_int32(m, x), c.list(limit)], INT32, x.shape)
    if x.dtype == c.out.dtype:
        m.node("RESHAPE", [x, c.list(x.shape)], c.out)
    else:
        _cast(m, x, c.out)
    return True


def _as_int32(m, x):
    return x if x.dtype == INT32 else _cast(m, x, Value(INT32, x.shape))


def _cast(m, x, out):
    return m.node("CAST", [x], out, **{"from": TENSOR_TYPES[x.dtype.name],
                                       "to": TENSOR_TYPES[out.dtype.name]})


def table(c):
    m, x = c.model, c.inputs[0]
    place = m.result("ADD", [_as_int32(m, x), c.list(128)], INT32, x.shape)
    c.node("GATHER", c.inputs[1], place, axis=0, batch_dims=0)


def max_pool(c):
    no_ignore(c)
    _pool(c, "MAX_POOL_2D")


def average_pool(c):
    if c.inputs[0].dtype != FP32:
        # TensorFlow Lite rounds halves of the sum away from zero, and TOSA those of the sum without
        # the zero point. An odd number of elements gives no halves.
        sizes = {size for axis in (0, 1) for size in _window_sizes(c, axis)}
        if c.inputs[0].zero_point and any(size % 2 == 0 for size in sizes):
            raise Unsupported("AVG_POOL2D with a zero point, of an even number of elements")
    _pool(c, "AVERAGE_POOL_2D")


def _window_sizes(c, axis):
    """Returns for each output position along an axis how much of its window is in the input."""
    start = np.arange(c.out.shape[axis + 1]) * c.attributes["stride"][axis]
    start = start - c.attributes["pad"][2 * axis]
    end = np.minimum(start + c.attributes["kernel"][axis], c.inputs[0].shape[axis + 1])
    return end - np.maximum(start, 0)


def _pool(c, kind):
    kernel, stride = c.attributes["kernel"], c.attributes["stride"]
    padding = _padding(c, c.inputs[0], kernel, (1, 1))
    if padding is None:
        raise Unsupported("padding of a pool that is not SAME or VALID")
    c.node(kind, c.inputs[0], padding=padding, stride_h=stride[0], stride_w=stride[1],
           filter_h=kernel[0], filter_w=kernel[1])


def add(c):
    if c.out.dtype == INT32:
        c.out.bounds = tuple(sum(one.bounds[i] for one in c.inputs) for i in (0, 1))
        if max(-c.out.bounds[0], c.out.bounds[1]) >= 1 << 31:
            c.out.bounds = Value.bounds
    simple("ADD", 6)(c)


def matmul(c):
    if c.inputs[0].dtype == INT8 and any(c.constant(i)[0] for i in (2, 3)):
        raise Unsupported("MATMUL with a zero point: BATCH_MATMUL to INT32 has none")
    c.node("BATCH_MATMUL", *c.inputs[:2])


_I8, _I16, _I32, _F32, _BOOL = DType.INT8, DType.INT16, DType.INT32, DType.FP32, DType.BOOL
WIDE = [_I32, _F32]
MOVED = [_BOOL, _I8, _I32, _F32]

# The types of the first input (of the first output if there is none, or if it is BOOL) by operator.
OPERATORS = {
    Op.ABS: (WIDE, simple("ABS")),
    Op.ADD: (WIDE, add),
    Op.ARGMAX: ([_I8, _F32], argmax),
    Op.AVG_POOL2D: ([_I8, _F32], average_pool),
    Op.CAST: ([_BOOL, _I8, _I16, _I32], cast),
    Op.CEIL: ([_F32], simple("CEIL")),
    Op.CLAMP: ([_I8, _F32], clamp),
    Op.CONCAT: (MOVED, concat),
    Op.CONV2D: ([_I8, _F32], convolution("CONV_2D")),
    Op.COS: ([_F32], simple("COS")),
    Op.DEPTHWISE_CONV2D: ([_I8, _F32], convolution("DEPTHWISE_CONV_2D")),
    Op.EQUAL: (WIDE, simple("EQUAL", 4)),
    Op.EXP: ([_F32], simple("EXP")),
    Op.FLOOR: ([_F32], simple("FLOOR")),
    Op.GATHER: (MOVED, gather),
    Op.GREATER: (WIDE, simple("GREATER", 4)),
    Op.GREATER_EQUAL: (WIDE, simple("GREATER_EQUAL", 4)),
    Op.IDENTITY: (MOVED, reshape),
    Op.INTDIV: ([_I32], simple("DIV", 5)),
    Op.LOG: ([_F32], simple("LOG")),
    Op.LOGICAL_AND: ([_BOOL], simple("LOGICAL_AND", 4)),
    Op.LOGICAL_NOT: ([_BOOL], simple("LOGICAL_NOT")),
    Op.LOGICAL_OR: ([_BOOL], simple("LOGICAL_OR", 4)),
    Op.LOGICAL_XOR: ([_BOOL], simple("NOT_EQUAL", 4)),
    Op.MATMUL: ([_I8, _F32], matmul),
    Op.MAXIMUM: (WIDE, extreme("MAXIMUM")),
    Op.MAX_POOL2D: ([_I8, _F32], max_pool),
    Op.MINIMUM: (WIDE, extreme("MINIMUM")),
    Op.MUL: ([_I8, _I16, *WIDE], multiply),
    Op.NEGATE: (WIDE, negate),
    Op.PAD: (MOVED, pad),
    Op.POW: ([_F32], simple("POW", 4)),
    Op.RECIPROCAL: ([_F32], reciprocal),
    Op.REDUCE_ANY: ([_BOOL], reduce("REDUCE_ANY")),
    Op.REDUCE_MAX: ([_I8, _I32, _F32], reduce("REDUCE_MAX")),
    Op.REDUCE_MIN: ([_I8, _I32, _F32], reduce("REDUCE_MIN")),
    Op.REDUCE_PRODUCT: ([_F32], reduce("REDUCE_PROD")),
    Op.REDUCE_SUM: (WIDE, reduce("SUM")),
    Op.RESCALE: ([_I8, _I16, _I32], rescale),
    Op.RESHAPE: (MOVED, reshape),
    Op.REVERSE: (MOVED, reverse),
    Op.RSQRT: ([_F32], simple("RSQRT")),
    Op.SELECT: ([_I8, _I32, _F32], simple("SELECT_V2", 5)),
    Op.SIGMOID: ([_F32], simple("LOGISTIC")),
    Op.SIN: ([_F32], simple("SIN")),
    Op.SLICE: (MOVED, slice_),
    Op.SUB: (WIDE, simple("SUB", 6)),
    Op.TABLE: ([_I8], table),
    Op.TANH: ([_F32], simple("TANH")),
    Op.TILE: (MOVED, tile),
    Op.TRANSPOSE: (MOVED, transpose),
}
STRUCTURE = {Op.CONST: list(NUMPY_TYPES), Op.CONST_SHAPE: []}

# The zero points that an operator states: (operand of the zero point, operand that has it, or None
# for the output).
_ZERO_POINTS = {
    Op.CONV2D: [(3, 0)], Op.DEPTHWISE_CONV2D: [(3, 0)],
    Op.RESCALE: [(3, 0), (4, None)], Op.AVG_POOL2D: [(1, 0), (2, None)],
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
        self._rescaled = {op.inputs[0] for op in block.operators if op.op == Op.RESCALE}
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
        if op.op in _CONVOLUTIONS and inputs[0].dtype == INT8:
            if self._uses[op.outputs[0]] != 1 or op.outputs[0] not in self._rescaled:
                raise Unsupported("a convolution of INT8 without a RESCALE behind it")
            self._waiting[op.outputs[0]] = op, call
        elif op.op == Op.RESCALE and op.inputs[0] in self._waiting:
            if out.dtype != INT8 or call.constant(3)[0] != 0:
                raise Unsupported("RESCALE of a convolution to another type than INT8")
            convolution_op, before = self._waiting.pop(op.inputs[0])
            before.rescale, before.out = call, out
            OPERATORS[convolution_op.op][1](before)
        else:
            OPERATORS[op.op][1](call)
