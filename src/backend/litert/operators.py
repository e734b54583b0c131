# SPDX-License-Identifier: Apache-2.0
"""The operators that move elements, and those with a number for each element or each row."""
import dataclasses

import numpy as np

from assay import dtypes
from assay.worker import Unsupported

from .call import BOOL, FP32, INT32, as_int32, convert, no_ignore
from .model import TENSOR_TYPES, Value


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


def negate(c):
    if c.inputs[0].dtype != FP32 and (c.constant(1)[0] or c.constant(2)[0]):
        raise Unsupported("NEGATE with a zero point")
    c.node("NEG", c.inputs[0])


def right_shift(c):
    if c.attributes["round"]:
        raise Unsupported("ARITHMETIC_RIGHT_SHIFT that rounds")
    c.node("RIGHT_SHIFT")


def bitwise_not(c):
    c.node("BITWISE_XOR", c.inputs[0], c.model.constant(-1, c.out.dtype))


def reciprocal(c):
    c.node("DIV", c.model.constant(1, np.float32), c.inputs[0])


def cast(c):
    source, target = c.inputs[0].dtype, c.out.dtype
    if source == FP32 or target == BOOL:
        raise Unsupported("CAST, which rounds and saturates; TensorFlow Lite truncates")
    convert(c.model, c.inputs[0], c.out)


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


def multiply(c):
    if c.inputs[0].dtype != FP32 and c.constant(2)[0] != 0:
        raise Unsupported("MUL with a shift")
    x, y = (as_int32(c.model, one) if one.dtype != FP32 else one for one in c.inputs[:2])
    simple("MUL", 6)(dataclasses.replace(c, inputs=[x, y]))


def add(c):
    if c.out.dtype == INT32:
        c.out.bounds = tuple(sum(one.bounds[i] for one in c.inputs) for i in (0, 1))
        if max(-c.out.bounds[0], c.out.bounds[1]) >= 1 << 31:
            c.out.bounds = Value.bounds
    simple("ADD", 6)(c)


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
