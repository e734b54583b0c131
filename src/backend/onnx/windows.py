# SPDX-License-Identifier: Apache-2.0
"""Convolutions, MATMUL, pooling and RESIZE. TOSA has the channels last, and ONNX has them first."""
import numpy as np

from assay import DType, ResizeMode
from assay.worker import Unsupported

from .elementwise import ignores_nan, number_or_lowest
from .integers import apply_scale, clip
from .model import BOOL, FP16, FP32, INT16, INT32, INT64, INT8, UINT8

_NUMPY_OF_ACCUMULATOR = {DType.FP32: FP32, DType.FP16: FP16}


def channels_first(m, x):
    return m.transpose(x, (0, x.rank - 1, *range(1, x.rank - 1)))


def channels_last(m, x):
    return m.transpose(x, (0, *range(2, x.rank), 1))


def _first(shape):
    """Returns a shape with the channels first."""
    return (shape[0], shape[-1], *shape[1:-1])


def _pads(pad):
    """Returns ONNX's order: all sides before, then all sides after."""
    return [*pad[0::2], *pad[1::2]]


# ---- Convolutions


def _kernel(c, weight):
    """Returns the weight as [output channels, input channels of a group, ...], and the groups."""
    m = c.model
    if c.name == "DEPTHWISE_CONV2D":
        height, width, channels, multiplier = weight.shape
        weight = m.transpose(weight, (2, 3, 0, 1))
        return m.reshape(weight, (channels * multiplier, 1, height, width)), channels
    return channels_first(m, weight), 1


def _bias(c, dtype):
    """Returns the bias, one number for each output channel."""
    m, bias = c.model, c.model.cast(c.inputs[2], dtype)
    channels = c.out_shape[-1]
    if bias.shape == (channels,):
        return bias
    if bias.constant is not None:
        return m.constant(np.repeat(bias.constant, channels))
    return m.node("Expand", [bias, m.constant([channels], np.int64)], bias.dtype, [channels])


def convolution(c):
    """CONV2D, CONV3D and DEPTHWISE_CONV2D."""
    if c.inputs[0].dtype.kind == "f":
        return _float_convolution(c)
    m, window = c.model, {"strides": c.attributes["stride"], "dilations": c.attributes["dilation"],
                          "pads": _pads(c.attributes["pad"])}
    weight, groups = _kernel(c, c.inputs[1])
    x = channels_first(m, c.inputs[0])
    return _integer_convolution(c, x, weight, group=groups, **window)


def _float_convolution(c):
    m, accumulator = c.model, _NUMPY_OF_ACCUMULATOR[c.attributes["acc_type"]]
    x, weight = (m.cast(one, accumulator) for one in c.inputs[:2])
    weight, groups = _kernel(c, weight)
    out = m.node("Conv", [channels_first(m, x), weight, _bias(c, accumulator)], accumulator,
                 _first(c.out_shape), strides=c.attributes["stride"], group=groups,
                 dilations=c.attributes["dilation"], pads=_pads(c.attributes["pad"]),
                 kernel_shape=weight.shape[2:])
    return m.cast(channels_last(m, out), c.out_dtype)


def _unsigned(m, x, zero_point):
    """Returns INT8 numbers and their zero point, both plus 128, as UINT8, which more runtimes have
    in ConvInteger."""
    if x.constant is not None:
        shifted = m.constant((x.constant.astype(np.int32) + 128).astype(np.uint8))
    else:
        shifted = m.cast(m.broadcast("Add", m.cast(x, INT32), m.constant(128, INT32)), UINT8)
    return shifted, m.constant(zero_point + 128, UINT8)


def _bytes(m, x, zero_point):
    """Returns INT8 or INT16 numbers as UINT8 numbers with their zero points and factors."""
    if x.dtype == INT8:
        return [(*_unsigned(m, x, zero_point), 1)]
    # x = 256 * high + low. `position` is x + 2^15.
    position = m.broadcast("Add", m.cast(x, INT32), m.constant(1 << 15, INT32))
    high = m.broadcast("Div", position, m.constant(256, INT32))
    low = m.broadcast("Sub", position, m.broadcast("Mul", high, m.constant(256, INT32)))
    return [(m.cast(high, UINT8), m.constant(128, UINT8), 256),
            (m.cast(low, UINT8), m.constant(0, UINT8), 1)]


def _sum_of_products(m, x, zero_point, weight, weight_zero_point, out_dtype, shape, **window):
    """Returns the convolution of integers with the channels first, without a bias."""
    total = None
    for digits, digits_zero_point, factor in _bytes(m, x, zero_point):
        part = m.node("ConvInteger", [digits, weight, digits_zero_point, weight_zero_point], INT32,
                      shape, kernel_shape=weight.shape[2:], **window)
        part = m.cast(part, out_dtype)
        if factor != 1:
            part = m.broadcast("Mul", part, m.constant(factor, out_dtype))
        total = part if total is None else m.broadcast("Add", total, part)
    return total


def _integer_convolution(c, x, weight, **window):
    m = c.model
    weight, weight_zero_point = _unsigned(m, weight, int(c.constant(4)[0]))
    out = _sum_of_products(m, x, int(c.constant(3)[0]), weight, weight_zero_point, c.out_dtype,
                           _first(c.out_shape), **window)
    return m.broadcast("Add", channels_last(m, out), c.inputs[2])


def transpose_convolution(c):
    if c.inputs[0].dtype.kind != "f":
        return _integer_transpose_convolution(c)
    m, accumulator = c.model, _NUMPY_OF_ACCUMULATOR[c.attributes["acc_type"]]
    x, weight = (m.cast(one, accumulator) for one in c.inputs[:2])
    weight = m.transpose(weight, (3, 0, 1, 2))
    # ONNX cuts a margin off, and adds none: a margin gets the bias alone.
    out_pad = np.array(c.attributes["out_pad"])
    cut, margin = np.maximum(-out_pad, 0), np.maximum(out_pad, 0)
    bias = _bias(c, accumulator)
    inner = list(_first(c.out_shape))
    inner[2:] = [inner[2] - int(margin[:2].sum()), inner[3] - int(margin[2:].sum())]
    out = m.node("ConvTranspose", [channels_first(m, x), weight, None if margin.any() else bias],
                 accumulator, inner, strides=c.attributes["stride"],
                 pads=_pads([int(one) for one in cut]), kernel_shape=weight.shape[2:])
    out = channels_last(m, out)
    if margin.any():
        if m.opset < 11:
            raise Unsupported("out_pad > 0 in this opset")
        pads = m.constant([0, margin[0], margin[2], 0, 0, margin[1], margin[3], 0], np.int64)
        out = m.node("Pad", [out, pads], accumulator, c.out_shape)
        out = m.broadcast("Add", out, bias)
    return m.cast(out, c.out_dtype)


def _integer_transpose_convolution(c):
    """A convolution of the input, with zero points between its elements, by the mirrored weight."""
    m, stride, x = c.model, c.attributes["stride"], channels_first(c.model, c.inputs[0])
    n, channels, height, width = x.shape
    zero_point = m.constant(c.constant(3)[0], x.dtype)
    between = m.constant([0] * 9 + [stride[0] - 1, 0, stride[1] - 1], np.int64)
    apart = m.widened("Pad", m.reshape(x, (n, channels, height, 1, width, 1)))
    apart = m.node("Pad", [apart, between, m.cast(zero_point, apart.dtype)], apart.dtype,
                   (n, channels, height, stride[0], width, stride[1]))
    apart = m.reshape(apart, (n, channels, height * stride[0], width * stride[1]))
    size = [(height - 1) * stride[0] + 1, (width - 1) * stride[1] + 1]
    ends = [m.constant(one, np.int64) for one in ([0, 0], size, [2, 3])]
    apart = m.cast(m.node("Slice", [apart, *ends], apart.dtype, (n, channels, *size)), x.dtype)
    weight = channels_first(m, c.inputs[1])
    if weight.constant is not None:
        weight = m.constant(weight.constant[:, :, ::-1, ::-1])
    else:
        lowest = np.iinfo(np.int64).min
        mirror = [m.constant(one, np.int64)
                  for one in ([-1, -1], [lowest, lowest], [2, 3], [-1, -1])]
        weight = m.like("Slice", weight, *mirror)
    kernel = np.repeat(weight.shape[2:], 2)
    pads = _pads([int(one) for one in kernel - 1 + np.array(c.attributes["out_pad"])])
    return _integer_convolution(c, apart, weight, pads=pads)


def matmul(c):
    m, (x, y) = c.model, c.inputs[:2]
    shape = c.out_shape
    if x.dtype.kind == "f":
        return m.node("MatMul", [m.cast(x, c.out_dtype), m.cast(y, c.out_dtype)], c.out_dtype, shape)
    if x.dtype == INT16:  # zero points are 0
        return m.node("MatMul", [m.cast(x, INT64), m.cast(y, INT64)], INT64, shape)
    zero_points = [m.constant(c.constant(i)[0]) for i in (2, 3)]
    return m.node("MatMulInteger", [x, y, *zero_points], INT32, shape)


# ---- Pooling


def _pool(c, kind, x, **more):
    return c.model.node(kind, [x], x.dtype, _first(c.out_shape),
                        kernel_shape=c.attributes["kernel"], strides=c.attributes["stride"],
                        pads=_pads(c.attributes["pad"]), **more)


def max_pool(c):
    m, x = c.model, channels_first(c.model, c.model.widened("MaxPool", c.inputs[0]))
    if not ignores_nan(c):
        return m.cast(channels_last(m, _pool(c, "MaxPool", x)), c.out_dtype)
    numbers, valid = number_or_lowest(m, x, -1)
    # Padding is less than the kernel, so each window has an element, and this maximum is 0 or 1.
    any_valid = m.cast(_pool(c, "MaxPool", m.cast(valid, FP32)), BOOL)
    result = m.select(any_valid, _pool(c, "MaxPool", numbers), m.constant(np.nan, x.dtype))
    return channels_last(m, result)


def average_pool(c):
    m, x = c.model, channels_first(c.model, c.inputs[0])
    if x.dtype.kind == "f":
        x = m.cast(x, _NUMPY_OF_ACCUMULATOR[c.attributes["acc_type"]])
        out = _pool(c, "AveragePool", x, count_include_pad=0)
        return m.cast(channels_last(m, out), c.out_dtype)
    kernel, channels = c.attributes["kernel"], x.shape[1]
    ones = m.constant(np.ones((channels, 1, *kernel)), UINT8)
    total = _sum_of_products(m, x, int(c.constant(1)[0]), ones, m.constant(0, UINT8), INT64,
                             _first(c.out_shape), group=channels, strides=c.attributes["stride"],
                             pads=_pads(c.attributes["pad"]))
    counts = np.outer(*(_window_sizes(c, axis) for axis in (0, 1)))
    average = apply_scale(m, total, *np.vectorize(_reciprocal_scale)(counts))
    result = m.broadcast("Add", average, m.constant(int(c.constant(2)[0]), INT64))
    return m.cast(channels_last(m, clip(m, result, c.out_dtype)), c.out_dtype)


def _window_sizes(c, axis):
    """Returns for each output position along an axis how much of its window is in the input."""
    start = np.arange(c.out_shape[axis + 1]) * c.attributes["stride"][axis]
    start = start - c.attributes["pad"][2 * axis]
    end = np.minimum(start + c.attributes["kernel"][axis], c.inputs[0].shape[axis + 1])
    return end - np.maximum(start, 0)


def _reciprocal_scale(count):
    """Returns multiplier and shift of the specification's reciprocal_scale."""
    k = (int(count) - 1).bit_length()
    return ((1 << 30) + 1 << k) // int(count), 30 + k


# ---- RESIZE


class _Axis:
    """The places of the output along one axis: between the elements i0 and i1, `rest` of `n` parts
    of the way."""

    def __init__(self, c, axis):
        self.n, self.d = (int(one) for one in c.constant(1)[2 * axis:2 * axis + 2])
        self.offset, self.border = int(c.constant(2)[axis]), int(c.constant(3)[axis])
        size = c.inputs[0].shape[axis + 1]
        position = np.arange(c.out_shape[axis + 1]) * self.d + self.offset
        self.i0 = np.maximum(position // self.n, 0)
        self.i1 = np.minimum(position // self.n + 1, size - 1)
        self.rest = position % self.n
        self.nearest = np.where(2 * self.rest >= self.n, self.i1, self.i0)

    def enlarges_evenly(self):
        """Tells whether ONNX's Resize has the same places, and calculates them without rounding."""
        return (self.d == 1 and self.n & (self.n - 1) == 0 and self.offset == 0
                and self.border == self.n - 1)


def _pick(c, x, indices, axis):
    shape = list(x.shape)
    shape[axis] = len(indices)
    return c.model.node("Gather", [x, c.model.constant(indices, np.int64)], x.dtype, shape, axis=axis)


def resize(c):
    m, y, x = c.model, _Axis(c, 0), _Axis(c, 1)
    if c.attributes["mode"] == ResizeMode.BILINEAR:
        return _bilinear(c, y, x)
    if m.opset >= 11 and y.enlarges_evenly() and x.enlarges_evenly():
        first = channels_first(m, m.widened("Resize", c.inputs[0]))
        scales = m.constant([1, 1, y.n, x.n], np.float32)
        out = m.node("Resize", [first, None, scales], first.dtype, _first(c.out_shape),
                     mode="nearest", coordinate_transformation_mode="asymmetric",
                     nearest_mode="round_prefer_ceil")
        return m.cast(channels_last(m, out), c.out_dtype)
    return _pick(c, _pick(c, c.inputs[0], y.nearest, 1), x.nearest, 2)


def _bilinear(c, y, x):
    """The sum of four products, whose weights are known: ONNX's Resize calculates its own places
    and weights in FP32."""
    m, total, is_float = c.model, None, c.inputs[0].dtype.kind == "f"
    dtype = FP32 if is_float else c.out_dtype
    image = m.cast(c.inputs[0], dtype)
    for rows, row_weights in ((y.i0, y.n - y.rest), (y.i1, y.rest)):
        for columns, column_weights in ((x.i0, x.n - x.rest), (x.i1, x.rest)):
            weights = np.outer(row_weights, column_weights)[None, :, :, None]
            if is_float:
                weights = weights / (y.n * x.n)
            corner = _pick(c, _pick(c, image, rows, 1), columns, 2)
            part = m.broadcast("Mul", corner, m.constant(weights, dtype))
            total = part if total is None else m.broadcast("Add", total, part)
    return m.cast(total, c.out_dtype)
