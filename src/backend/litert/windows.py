# SPDX-License-Identifier: Apache-2.0
"""Convolutions, matrix products and pooling."""
import numpy as np

from assay.worker import Unsupported

from . import rounding
from .call import FP32, INT8, no_ignore

_SAME, _VALID = 0, 1


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
    multiplier, shift = (np.resize(c.rescale.constant(i), bias.size) for i in (1, 2))
    return _find_scales(c, multiplier, shift, *_sums(c.inputs[0], weight, bias))


def _sums(x, weight, bias):
    """Returns the least and the greatest sum of each channel, which is the last axis of `weight`.
    The sums of a window with padding are between them."""
    ends = [weight.astype(np.int64) * (limit - x.zero_point) for limit in (-128, 127)]
    axes = tuple(range(weight.ndim - 1))
    return bias + np.minimum(*ends).sum(axes), bias + np.maximum(*ends).sum(axes)


def _find_scales(c, multiplier, shift, low, high):
    rescale_call = c.rescale
    attributes, limits = rescale_call.attributes, np.iinfo(INT8)
    if attributes["input_unsigned"] or attributes["output_unsigned"]:
        raise Unsupported("RESCALE of unsigned numbers")
    zero_point = int(rescale_call.constant(4)[0])
    scales = rounding.find_scales(multiplier.astype(np.int64), shift.astype(np.int64), low, high,
                                  (limits.min - zero_point, limits.max - zero_point),
                                  attributes["rounding_mode"].name == "DOUBLE_ROUND")
    if scales is None or (scales >= 256).any() or (scales < 2.0 ** -32).any():
        raise Unsupported("RESCALE, which rounds some sums in another way than XNNPACK")
    return tuple(float(one) for one in scales)


def dense(c):
    """MATMUL by a constant, with a RESCALE behind it. Operand 4 is the bias."""
    m, weight = c.model, c.constant(1)[0]
    bias = np.resize(c.constant(4), weight.shape[1])
    if c.constant(3)[0] != 0 or c.rescale.attributes["per_channel"]:
        raise Unsupported("MATMUL with a zero point of weights, or a RESCALE per channel")
    low, high = _sums(c.inputs[0], weight, bias)
    scales = _find_scales(c, c.rescale.constant(1), c.rescale.constant(2), low.min(keepdims=True),
                          high.max(keepdims=True))
    c.node("FULLY_CONNECTED", c.inputs[0], m.constant(weight.T, scales=scales),
           m.constant(bias, np.int32, scales=scales), keep_num_dims=True)


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


def matmul(c):
    if c.inputs[0].dtype == INT8 and any(c.constant(i)[0] for i in (2, 3)):
        raise Unsupported("MATMUL with a zero point: BATCH_MATMUL to INT32 has none")
    c.node("BATCH_MATMUL", *c.inputs[:2])
