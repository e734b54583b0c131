# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators, comparisons, reductions and CAST."""
import numpy as np

from assay import NanPropagationMode, dtypes

from .model import BOOL, FP32, INT32, INT64


def simple(kind):
    """An operator that ONNX has in the same meaning."""
    return lambda c: c.model.broadcast(kind, *c.inputs)


def compare(kind):
    return lambda c: c.model.compare(kind, *c.inputs)


def rsqrt(c):
    return c.model.like("Reciprocal", c.model.like("Sqrt", c.inputs[0]))


def ignores_nan(c):
    """Tells whether NaNs are to be ignored. Otherwise they are propagated, which is what ONNX's
    reference implementation of Max, Clip, ReduceMax, ArgMax and MaxPool does."""
    return (c.inputs[0].dtype.kind == "f"
            and c.attributes["nan_mode"] == NanPropagationMode.IGNORE)


def extreme(kind):
    """MAXIMUM or MINIMUM."""
    def translate(c):
        m, (x, y) = c.model, c.inputs
        result = m.broadcast(kind, x, y)
        if not ignores_nan(c):
            return result
        return m.select(m.is_nan(x), y, m.select(m.is_nan(y), x, result))
    return translate


def clamp(c):
    m, x = c.model, c.model.widened("Clip", c.inputs[0])
    low, high = (m.constant(dtypes.unpack(c.in_type, (), c.attributes[name]), x.dtype)
                 for name in ("min_val", "max_val"))
    if m.opset < 11:
        result = m.like("Clip", x, min=float(low.constant), max=float(high.constant))
    else:
        result = m.cast(m.like("Clip", x, low, high), c.out_dtype)
    return m.select(m.is_nan(x), low, result) if ignores_nan(c) else result


def select(c):
    return c.model.select(*c.inputs)


def number_or_lowest(m, x, sign):
    """Returns x with the infinity of a sign in place of each NaN, and where it had none."""
    nan = m.is_nan(x)
    return (m.select(nan, m.constant(sign * np.inf, x.dtype), x),
            m.node("Not", [nan], BOOL, x.shape))


def reduce_extreme(kind, sign):
    """REDUCE_MAX or REDUCE_MIN. `sign` is that of the infinity that loses against any number."""
    def translate(c):
        m, axis = c.model, c.attributes["axis"]
        x = m.widened(kind, c.inputs[0])
        if not ignores_nan(c):
            return m.cast(m.reduce(kind, x, axis), c.out_dtype)
        numbers, valid = number_or_lowest(m, x, sign)
        any_valid = m.cast(m.reduce("ReduceMax", m.cast(valid, INT32), axis), BOOL)
        return m.select(any_valid, m.reduce(kind, numbers, axis), m.constant(np.nan, x.dtype))
    return translate


def reduce_bool(kind):
    """REDUCE_ALL or REDUCE_ANY, as the minimum or maximum of 0 and 1."""
    def translate(c):
        m = c.model
        return m.cast(m.reduce(kind, m.cast(c.inputs[0], INT32), c.attributes["axis"]), BOOL)
    return translate


def reduce(kind):
    def translate(c):
        x = c.model.cast(c.inputs[0], c.out_dtype)
        return c.model.reduce(kind, x, c.attributes["axis"])
    return translate


def argmax(c):
    m, axis = c.model, c.attributes["axis"]
    x = m.widened("ArgMax", c.inputs[0])
    if ignores_nan(c):  # the first number that equals the maximum of the numbers; 0 if there is none
        numbers, valid = number_or_lowest(m, x, -1)
        is_largest = m.compare("Equal", numbers, m.reduce("ReduceMax", numbers, axis))
        x = m.cast(m.broadcast("And", is_largest, valid), INT32)
    shape = [one for i, one in enumerate(x.shape) if i != axis]
    return m.cast(m.node("ArgMax", [x], INT64, shape, axis=axis, keepdims=0), INT32)


def cast(c):
    m, x, to = c.model, c.inputs[0], c.out_dtype
    if x.dtype.kind != "f" or to.kind not in "iu":
        return m.cast(x, to)
    # ONNX's Cast cuts, and what does not fit is undefined: so round half to even and saturate first.
    limits = np.iinfo(to)
    rounded = m.like("Round", m.cast(x, FP32))
    low = m.broadcast("Max", rounded, m.constant(limits.min, FP32))
    if to != INT32:
        fits = m.broadcast("Min", low, m.constant(limits.max, FP32))
        return m.cast(m.cast(fits, INT32), to)
    # 2^31 - 1 is no number of FP32.
    beyond = m.compare("GreaterOrEqual", low, m.constant(2.0 ** 31, FP32))
    fits = m.select(beyond, m.constant(0, FP32), low)
    return m.select(beyond, m.constant(limits.max, INT32), m.cast(fits, INT32))
