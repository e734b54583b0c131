# SPDX-License-Identifier: Apache-2.0
"""The operators of TOSA 1.0, written from the text of the specification. Each is a function of what
runs (Invocation in compliant_worker.py), the operator, and its operands: float64, int64 or bool."""
import itertools
import math

import numpy as np

from assay import DType, NanPropagationMode, Op, ResizeMode, RoundingMode, dtypes
from compliant_arithmetic import DotRule
from compliant_numbers import FORMATS, numbers_of

_erf = np.vectorize(math.erf, otypes=[np.float64])
BITS = {DType.INT8: 8, DType.INT16: 16, DType.INT32: 32, DType.INT48: 48}
BASE = {DType.FP32: 3}  # err_base of EXP, TANH and POW; 1 for other types


def is_float(x):
    return np.asarray(x).dtype.kind == "f"


def wrapped(x, bits):
    """The low bits as a signed number."""
    half = 1 << bits - 1
    return (x + half & (1 << bits) - 1) - half


def limits(dtype):
    half = 1 << BITS[dtype] - 1
    return -half, half - 1


# Accuracy rules: the error that is allowed of a float64 reference.
def ulps(count):
    def error(dtype, reference, *_):
        form = FORMATS[dtype]
        return np.where((reference == 0) | ~np.isfinite(reference), 0,
                        form.unit(np.where(np.isfinite(reference), reference, 1)) * count)
    return error


def absolute(dtype, magnitude, value, lower, divisor):
    """calcAbsErrorBound."""
    form = FORMATS[dtype]
    bound = np.maximum(np.abs(magnitude), form.normal_min)
    if lower > 0:
        bound = np.maximum(bound, lower / value)
    return 2.0 ** -int(form.fraction_bits / divisor) * bound * value


def exp_error(dtype, reference, x):
    return absolute(dtype, reference, BASE.get(dtype, 1) + 2 * np.abs(x), 0, 1)


def log_error(dtype, reference, x):
    return absolute(dtype, reference, 5.0, 0.5, 1)


def sigmoid_error(dtype, reference, x):
    return np.where(x == 0, 0, absolute(dtype, reference, 2 * (1 + np.abs(x)), 0, 1))


def tanh_error(dtype, reference, x):
    value = 4 * (BASE.get(dtype, 1) + 2 * np.abs(x))
    return np.where(x == 0, 0, absolute(dtype, reference, value, 0.5, 1))


def sin_error(dtype, reference, x):
    error = np.maximum(absolute(dtype, x, 2.0, 0, 2), np.pi * FORMATS[dtype].normal_min)
    return np.where(x == 0, 0, error)


def cos_error(dtype, reference, x):
    return absolute(dtype, 1 + np.abs(x), 1.0, 0, 2)


def element_wise(function, error=None):
    """An operator of one element of each operand. `error`: of its floating-point results, which are
    exact without."""
    def run(run, op, *xs):
        result = function(*xs)
        if not is_float(result):
            return [result]
        dtype = run.out_type(op)
        if error is None:
            return [run.arithmetic.store(dtype, result)]
        arithmetic = run.arithmetic
        allowed = error(dtype, result, *xs) if arithmetic.uses_errors else None
        return [arithmetic.element(dtype, result, allowed)]
    return run


def integer_bits(function):
    """An operator that needs to know how wide its operands are."""
    return lambda run, op, *xs: [function(op, BITS[run.in_type(op)], *xs)]


def arithmetic_right_shift(op, bits, x, by):
    result = x >> by
    if op.attributes["round"]:
        result = result + np.where(by > 0, x >> np.maximum(by - 1, 0) & 1, 0)
    return result


def intdiv(x, y):
    quotient = np.abs(x) // np.abs(y)
    return np.where((x < 0) != (y < 0), -quotient, quotient)


def clz(x):
    return 32 - np.frexp((x & 0xFFFFFFFF).astype(np.float64))[1].astype(np.int64)


def mul(run, op, x, y, shift):
    if is_float(x):
        return element_wise(np.multiply, ulps(0.5))(run, op, x, y)
    product = x * y
    if shift.reshape(-1)[0] > 0:
        by = shift.reshape(-1)[0]
        return [product + (1 << by - 1) >> by]
    return [wrapped(product, 32)]


def negate(run, op, x, input_zp, output_zp):
    if is_float(x):
        return [-x]
    return [np.clip(-(x - input_zp.reshape(-1)[0]) + output_zp.reshape(-1)[0],
                    *limits(run.in_type(op)))]


def table(run, op, x, entries):
    if run.in_type(op) == DType.INT8:
        return [entries[x + 128]]
    index, fraction = x + 32768 >> 7, x + 32768 & 127
    return [(entries[index] << 7) + (entries[index + 1] - entries[index]) * fraction]


def picks(propagate, ignore):
    def function(op, x, y):
        return (ignore if ignores_nan(op) else propagate)(x, y)
    return function


def ignores_nan(op):
    return op.attributes["nan_mode"] == NanPropagationMode.IGNORE


MAXIMUM, MINIMUM = picks(np.maximum, np.fmax), picks(np.minimum, np.fmin)


def clamp(run, op, x):
    dtype = run.in_type(op)
    low, high = (numbers_of(dtype, dtypes.unpack(dtype, (), op.attributes[name]))
                 for name in ("min_val", "max_val"))
    if is_float(x):
        low, high = run.arithmetic.load(dtype, low), run.arithmetic.load(dtype, high)
    return [MINIMUM(op, MAXIMUM(op, x, low), high)]


def reduction(function):
    return lambda run, op, x: [function(op, x)]


def reduce_extreme(pick):
    def function(op, x):
        axis = op.attributes["axis"]
        result = np.take(x, [0], axis)
        for i in range(1, x.shape[axis]):
            result = pick(op, result, np.take(x, [i], axis))
        return result
    return reduction(function)


def reduce_product(run, op, x):
    axis, dtype = op.attributes["axis"], run.in_type(op)
    result = np.ones_like(np.take(x, [0], axis))
    for i in run.arithmetic.order(x.shape[axis]):
        result = run.arithmetic.rounded(dtype, result * np.take(x, [i], axis))
    growth = (1 + 2.0 ** (-FORMATS[dtype].fraction_bits - 1)) ** x.shape[axis] - 1
    error = np.maximum(np.abs(result), FORMATS[dtype].normal_min) * growth
    return [run.arithmetic.element(dtype, result, error)]


def argmax(run, op, x):
    axis = op.attributes["axis"]
    if not is_float(x):
        return [np.argmax(x, axis)]
    nan = np.isnan(x)
    if not ignores_nan(op):
        return [np.where(nan.any(axis), np.argmax(nan, axis), np.argmax(x, axis))]
    best = np.argmax(np.where(nan, -np.inf, x), axis)
    best_is_nan = np.take_along_axis(nan, np.expand_dims(best, axis), axis).squeeze(axis)
    return [np.where(best_is_nan, np.argmax(~nan, axis), best)]


# Dot products: a[k] and b[k] are what is multiplied k-th, for all results at once.
def float_dot(run, op, rule, data, a, b, mask):
    """The sum, which is rounded to the type of the accumulator, and the error rule measured."""
    rule.measure(data, a, b, mask)
    if run.arithmetic.multiplies_padding and b is not None:
        a, mask = np.where(mask, a, 0.0), np.ones_like(mask)
    return run.arithmetic.dot(rule.acc, a, b, mask, rule)


def gather(x, axes):
    """Elements of x[N, ..., C] for each tap of a window. An axis has, for each tap, the indices of
    its outputs. Arrays [taps, N, outputs..., C] and [taps, 1, outputs..., 1]: which are inside."""
    rank, places, inside = len(axes), [], True
    for axis, (index, valid) in enumerate(axes):
        shape = np.ones(2 * rank, int)
        shape[[axis, rank + axis]] = index.shape
        places.append(np.where(valid, index, 0).reshape(shape))
        inside = inside & valid.reshape(shape)
    outputs = inside.shape[rank:]
    elements = np.moveaxis(x[(slice(None), *places)], 0, rank)
    return (np.ascontiguousarray(elements.reshape(-1, len(x), *outputs, x.shape[-1])),
            inside.reshape(-1, 1, *outputs, 1))


def window(size, kernel, stride, dilation, before, count):
    """The taps of one axis of a window that moves over `size` elements: the indices, and which are
    inside, by tap and output."""
    places = np.arange(count) * stride - before + np.arange(kernel)[:, np.newaxis] * dilation
    return places, (places >= 0) & (places < size)


def transposed_window(size, kernel, stride, before, count):
    places = np.arange(count) - before - np.arange(kernel)[:, np.newaxis]
    return places // stride, (places >= 0) & (places < size * stride) & (places % stride == 0)


def channels_as_terms(elements, inside):
    """Every channel of a tap is a term: [taps * C, N, outputs..., 1]."""
    channels = elements.shape[-1]
    terms = np.moveaxis(elements, -1, 1)[..., np.newaxis]
    mask = np.repeat(inside[:, np.newaxis], channels, 1)
    return terms.reshape(-1, *terms.shape[2:]), mask.reshape(-1, *mask.shape[2:])


def convolution(taps_of, weights_of, depthwise=False):
    def run_it(run, op, x, weight, bias, input_zp, weight_zp):
        out = run.out_tensor(op)
        acc = op.attributes["acc_type"]
        if is_float(x):
            run.arithmetic.starts_convolution(op, out.shape, x, weight)
        axes = taps_of(op, x.shape, weight.shape, out.shape)
        elements, inside = gather(x, axes)
        b = weights_of(weight)
        if depthwise:
            a, mask = elements[..., np.newaxis], inside[..., np.newaxis]
            b = b.reshape(len(a), *(1,) * (x.ndim - 1), *b.shape[-2:])
        else:
            a, mask = channels_as_terms(elements, inside)
            b = b.reshape(len(a), *(1,) * (x.ndim - 1), -1)
        if not is_float(x):
            a, b = a - input_zp.reshape(-1)[0], b - weight_zp.reshape(-1)[0]
            return [np.sum(np.where(mask, a * b, 0), axis=0).reshape(out.shape) + bias]
        rule = DotRule(len(a), run.in_type(op), acc, op.attributes["local_bound"])
        total = float_dot(run, op, rule, x, a, b, mask).reshape(out.shape)
        rule.of_result = lambda bound: (
            np.broadcast_to(bound, a.shape[1:-1] + b.shape[-1:]).reshape(out.shape) +
            np.maximum(np.abs(bias), FORMATS[rule.in_type].normal_min))
        total = run.arithmetic.step(out.dtype, run.arithmetic.step(out.dtype, total) + bias)
        return [run.arithmetic.dot_result(out.dtype, total, rule)]
    return run_it


def conv_taps(first):
    """`first`: the axis of the weights where the kernel begins."""
    def taps(op, shape, weight, out):
        pad, stride, dilation = (op.attributes[name] for name in ("pad", "stride", "dilation"))
        return [window(shape[1 + i], weight[first + i], stride[i], dilation[i], pad[2 * i],
                       out[1 + i]) for i in range(len(stride))]
    return taps


def transpose_conv_taps(op, shape, weight, out):
    pad, stride = op.attributes["out_pad"], op.attributes["stride"]
    return [transposed_window(shape[1 + i], weight[1 + i], stride[i], pad[2 * i], out[1 + i])
            for i in range(2)]


def weights_last(weight):
    """[OC, kernel..., IC] as [taps * IC, OC]."""
    return weight.reshape(weight.shape[0], -1).T


def weights_depthwise(weight):
    """[KH, KW, C, M] as [taps, C, M]."""
    return weight.reshape(-1, *weight.shape[2:])


def matmul(run, op, a, b, a_zp, b_zp):
    out = run.out_type(op)
    left = np.moveaxis(a, 2, 0)[..., np.newaxis]  # [C, N, H, 1]
    right = np.moveaxis(b, 1, 0)[:, :, np.newaxis]  # [C, N, 1, W]
    if not is_float(a):
        left, right = left - a_zp.reshape(-1)[0], right - b_zp.reshape(-1)[0]
        return [np.sum(left * right, axis=0)]
    rule = DotRule(len(left), run.in_type(op), out, True)
    mask = np.ones((len(left), 1, 1, 1), bool)
    total = float_dot(run, op, rule, a, left, right, mask)
    return [run.arithmetic.dot_result(out, total, rule)]


def reduce_sum(run, op, x):
    axis, dtype = op.attributes["axis"], run.in_type(op)
    if not is_float(x):
        return [np.sum(x, axis=axis, keepdims=True)]
    terms = np.moveaxis(np.expand_dims(x, 0), axis + 1, 0)
    terms = np.expand_dims(terms.reshape(x.shape[axis], *x.shape[:axis], *x.shape[axis + 1:]),
                           axis + 1)
    rule = DotRule(len(terms), dtype, DType.FP32 if dtype == DType.BF16 else dtype, True)
    total = float_dot(run, op, rule, x, terms, None, np.ones((len(terms),) + (1,) * x.ndim, bool))
    return [run.arithmetic.dot_result(dtype, total, rule)]


def pool_taps(op, shape, out):
    kernel, stride, pad = (op.attributes[name] for name in ("kernel", "stride", "pad"))
    axes = [window(shape[1 + i], kernel[i], stride[i], 1, pad[2 * i], out[1 + i]) for i in (0, 1)]
    used = [inside.any(1) for _, inside in axes]  # the other taps are padding
    return [(index[some], inside[some]) for (index, inside), some in zip(axes, used)]


def avg_pool2d(run, op, x, input_zp, output_zp):
    out, acc = run.out_tensor(op), op.attributes["acc_type"]
    elements, inside = gather(x, pool_taps(op, x.shape, out.shape))
    count = np.sum(inside, axis=0)
    if is_float(x):
        rule = DotRule(math.prod(op.attributes["kernel"]), out.dtype, acc, True)
        total = float_dot(run, op, rule, x, elements, None, inside)
        rule.of_result = lambda bound: bound / count
        divisor = run.arithmetic.step(out.dtype, count.astype(np.float64))
        return [run.arithmetic.dot_result(out.dtype, run.arithmetic.step(acc, total / divisor),
                                          rule)]
    total = np.sum(np.where(inside, elements - input_zp.reshape(-1)[0], 0), axis=0)
    k = np.ceil(np.log2(count)).astype(np.int64)  # reciprocal_scale
    multiplier = ((1 << 30) + 1 << k) // count
    scaled = total * multiplier + (1 << 29 + k) >> 30 + k
    return [np.clip(scaled + output_zp.reshape(-1)[0], *limits(out.dtype))]


def max_pool2d(run, op, x):
    elements, inside = gather(x, pool_taps(op, x.shape, run.out_tensor(op).shape))
    if not is_float(x):
        return [np.max(np.where(inside, elements, limits(run.in_type(op))[0]), axis=0)]
    ignored = np.nan if ignores_nan(op) else -np.inf
    result = np.full(elements.shape[1:], ignored)
    for element, mask in zip(elements, inside):
        result = MAXIMUM(op, result, np.where(mask, element, ignored))
    return [result]


def coefficients(run, height, width, oy, ox, sign):
    """cos(a) and sin(a) for all input positions of one output."""
    step = run.arithmetic.step
    ay, ax = np.mgrid[0:height, 0:width]
    turns = (ay * oy % height) / height + (ax * ox % width) / width
    circle = step(DType.FP32, sign * 2 * step(DType.FP32, np.float64(np.pi)))
    angle = step(DType.FP32, circle * step(DType.FP32, turns))
    sine_is_zero = (ay * oy % height % max(height // 2, 1) == 0) & (
        ax * ox % width % max(width // 2, 1) == 0)
    return (step(DType.FP32, np.cos(angle)).reshape(-1),
            step(DType.FP32, np.sin(angle)).reshape(-1), sine_is_zero.reshape(-1))


def fourier(run, op, real, imag, columns, sign, skips):
    """Both results, by the pseudocode; imag None: real values alone."""
    arithmetic, (N, H, W) = run.arithmetic, real.shape
    outputs = np.zeros((2, N, H, columns))
    bounds = np.zeros((2, N, H, columns))
    images = [None if one is None else one.reshape(N, -1).T for one in (real, imag)]
    local = op.attributes["local_bound"]
    largest = max(np.max(np.abs(one)) for one in (real, imag) if one is not None)
    form = FORMATS[DType.FP32]
    for oy, ox in itertools.product(range(H), range(columns)):
        cos, sin, zero = coefficients(run, H, W, oy, ox, sign)
        if imag is None:
            a = [images[0], -images[0]]
            b = [cos, sin]
            masks = [np.ones_like(zero), ~(zero & skips)]
        else:  # in turn
            a = [np.stack([images[0], images[1]], 1).reshape(2 * H * W, N),
                 np.stack([-images[0], images[1]], 1).reshape(2 * H * W, N)]
            b = [np.stack([cos, sin], 1).reshape(-1), np.stack([sin, cos], 1).reshape(-1)]
            masks = [np.ones(2 * H * W, bool)] * 2
        for part in (0, 1):
            mask = masks[part][:, np.newaxis]
            weights = b[part][:, np.newaxis]
            outputs[part, :, oy, ox] = arithmetic.dot(DType.FP32, a[part], weights, mask, None)
            magnitudes = np.maximum(np.abs(a[part]) if local else largest, form.normal_min)
            needed = mask if imag is not None or part == 0 else ~zero[:, np.newaxis]
            bounds[part, :, oy, ox] = np.sum(np.where(
                needed, magnitudes * np.maximum(np.abs(weights), form.normal_min), 0), axis=0)
    results = []
    for part in (0, 1):
        rule = DotRule((1 if imag is None else 2) * H * W, DType.FP32, DType.FP32, local)
        rule.bound = bounds[part]
        results.append(arithmetic.dot_result(DType.FP32, outputs[part], rule))
    return results


def fft2d(run, op, real, imag):
    return fourier(run, op, real, imag, real.shape[2], -1.0 if op.attributes["inverse"] else 1.0,
                   False)


def rfft2d(run, op, real):
    return fourier(run, op, real, None, real.shape[2] // 2 + 1, 1.0,
                   run.arithmetic.skips_zero_sines)


def cast(run, op, x):
    source, to = run.in_type(op), run.out_type(op)
    if to == DType.BOOL:
        return [x != 0]
    if to in FORMATS:
        if source in FORMATS:
            return [run.arithmetic.cast(to, x)]
        return [run.arithmetic.store(to, x.astype(np.float64))]
    if source == DType.BOOL:
        return [x.astype(np.int64)]
    if source in FORMATS:
        low, high = limits(to)
        return [np.clip(np.rint(np.nan_to_num(x, nan=0.0)), low, high).astype(np.int64)]
    return [wrapped(x, BITS[to])]


def rescale(run, op, x, multiplier, shift, input_zp, output_zp):
    source, to, attributes = run.in_type(op), run.out_type(op), op.attributes
    def unsigned(value, dtype, flag):
        return value & (1 << BITS[dtype]) - 1 if attributes[flag] else value
    value = unsigned(x, source, "input_unsigned")
    value = value - unsigned(input_zp.reshape(-1)[0], source, "input_unsigned")
    if not attributes["per_channel"]:
        multiplier, shift = multiplier.reshape(-1)[0], shift.reshape(-1)[0]
    half = np.int64(1) << shift - 1
    if attributes["rounding_mode"] == RoundingMode.DOUBLE_ROUND:
        half = half + np.where(shift > 31, np.where(value >= 0, 1 << 30, -(1 << 30)), 0)
    result = value * multiplier + half >> shift
    result = result + unsigned(output_zp.reshape(-1)[0], to, "output_unsigned")
    low, high = (0, (1 << BITS[to]) - 1) if attributes["output_unsigned"] else limits(to)
    return [wrapped(np.clip(result, low, high), BITS[to])]


def resize(run, op, x, scale, offset, border):
    mode, dtype, out = op.attributes["mode"], run.in_type(op), run.out_tensor(op)
    axes = []
    for axis in (0, 1):
        n, d = int(scale[2 * axis]), int(scale[2 * axis + 1])
        place = np.arange(out.shape[1 + axis]) * d + int(offset[axis])
        i, r = place // n, place % n
        unit, part = n, r
        if is_float(x):
            step = lambda value: run.arithmetic.rounded(dtype, value)
            unit, part = 1.0, step(step(r.astype(np.float64)) / step(np.float64(n)))
        i0, i1 = np.maximum(i, 0), np.minimum(i + 1, x.shape[1 + axis] - 1)
        axes.append((i0, i1, unit, part))
    (y0, y1, unit_y, dy), (x0, x1, unit_x, dx) = axes
    if mode == ResizeMode.NEAREST:
        rows = np.where(2 * dy >= unit_y, y1, y0)
        columns = np.where(2 * dx >= unit_x, x1, x0)
        return [x[:, rows][:, :, columns]]
    step = lambda value: run.arithmetic.rounded(dtype, value) if is_float(x) else value
    dy, dx = dy.reshape(1, -1, 1, 1), dx.reshape(1, 1, -1, 1)
    total = None
    for rows, high in ((y0, step(unit_y - dy)), (y1, dy)):
        for columns, wide in ((x0, step(unit_x - dx)), (x1, dx)):
            term = step(step(x[:, rows][:, :, columns] * high) * wide)
            total = term if total is None else step(total + term)
    if not is_float(x):
        return [total]
    largest = np.max(np.abs(x))
    error = np.maximum(absolute(dtype, largest, 20.0, 0, 1), largest * 0.006)
    return [run.arithmetic.element(dtype, total, np.broadcast_to(error, total.shape))]


def scatter(run, op, values, indices, updates):
    result = values.copy()
    for n in range(len(indices)):
        result[n, indices[n]] = updates[n]
    return [result]


def pad(run, op, x, padding, constant):
    return [np.pad(x, padding.reshape(-1, 2), constant_values=constant.reshape(-1)[0])]


def moves(function):
    return lambda run, op, *xs: [function(op, run.out_tensor(op).shape, *xs)]


def power_error(dtype, reference, x, y):
    exponent = y * np.log(x)
    multiplied = absolute(dtype, exponent, 5.5, 0, 1)
    multiplied = np.maximum(multiplied, 2.0 ** -FORMATS[dtype].fraction_bits * np.abs(0.55 * y))
    raised = absolute(dtype, reference,
                      BASE.get(dtype, 1) + 2 * np.abs(exponent + multiplied), 0, 1)
    return np.where((x == 0) | (y == 0), 0, reference * np.expm1(multiplied) + raised)


OPERATORS = {
    Op.ABS: element_wise(np.abs), Op.ADD: element_wise(np.add, ulps(0.5)),
    Op.ARGMAX: argmax, Op.ARITHMETIC_RIGHT_SHIFT: integer_bits(arithmetic_right_shift),
    Op.AVG_POOL2D: avg_pool2d, Op.BITWISE_AND: element_wise(np.bitwise_and),
    Op.BITWISE_NOT: element_wise(np.bitwise_not), Op.BITWISE_OR: element_wise(np.bitwise_or),
    Op.BITWISE_XOR: element_wise(np.bitwise_xor), Op.CAST: cast,
    Op.CEIL: element_wise(np.ceil), Op.CLAMP: clamp, Op.CLZ: element_wise(clz),
    Op.CONCAT: moves(lambda op, to, *xs: np.concatenate(xs, op.attributes["axis"])),
    Op.CONV2D: convolution(conv_taps(1), weights_last),
    Op.CONV3D: convolution(conv_taps(1), weights_last),
    Op.COS: element_wise(np.cos, cos_error),
    Op.DEPTHWISE_CONV2D: convolution(conv_taps(0), weights_depthwise, depthwise=True),
    Op.EQUAL: element_wise(np.equal),
    Op.ERF: element_wise(_erf, ulps(5)),
    Op.EXP: element_wise(np.exp, exp_error), Op.FFT2D: fft2d, Op.FLOOR: element_wise(np.floor),
    Op.GATHER: moves(lambda op, to, values, indices: np.stack(
        [one[index] for one, index in zip(values, indices)])),
    Op.GREATER: element_wise(np.greater), Op.GREATER_EQUAL: element_wise(np.greater_equal),
    Op.IDENTITY: moves(lambda op, to, x: x), Op.INTDIV: element_wise(intdiv),
    Op.LOG: element_wise(np.log, log_error), Op.LOGICAL_AND: element_wise(np.logical_and),
    Op.LOGICAL_LEFT_SHIFT: integer_bits(lambda op, bits, x, by: wrapped(x << by, bits)),
    Op.LOGICAL_NOT: element_wise(np.logical_not), Op.LOGICAL_OR: element_wise(np.logical_or),
    Op.LOGICAL_RIGHT_SHIFT: integer_bits(
        lambda op, bits, x, by: wrapped((x & (1 << bits) - 1) >> by, bits)),
    Op.LOGICAL_XOR: element_wise(np.logical_xor), Op.MATMUL: matmul,
    Op.MAXIMUM: lambda run, op, x, y: [MAXIMUM(op, x, y)], Op.MAX_POOL2D: max_pool2d,
    Op.MINIMUM: lambda run, op, x, y: [MINIMUM(op, x, y)], Op.MUL: mul, Op.NEGATE: negate,
    Op.PAD: pad, Op.POW: element_wise(np.power, power_error),
    Op.RECIPROCAL: element_wise(lambda x: 1.0 / x, ulps(1)),
    Op.REDUCE_ALL: reduction(lambda op, x: np.all(x, op.attributes["axis"], keepdims=True)),
    Op.REDUCE_ANY: reduction(lambda op, x: np.any(x, op.attributes["axis"], keepdims=True)),
    Op.REDUCE_MAX: reduce_extreme(MAXIMUM), Op.REDUCE_MIN: reduce_extreme(MINIMUM),
    Op.REDUCE_PRODUCT: reduce_product, Op.REDUCE_SUM: reduce_sum, Op.RESCALE: rescale,
    Op.RESHAPE: moves(lambda op, to, x, shape: x.reshape(to)), Op.RESIZE: resize,
    Op.REVERSE: moves(lambda op, to, x: np.flip(x, op.attributes["axis"])), Op.RFFT2D: rfft2d,
    Op.RSQRT: element_wise(lambda x: np.where(x < 0, np.nan, 1.0 / np.sqrt(x)), ulps(2)),
    Op.SCATTER: scatter, Op.SELECT: moves(lambda op, to, condition, x, y: np.where(condition, x, y)),
    Op.SIGMOID: element_wise(lambda x: 1.0 / (1.0 + np.exp(-x)), sigmoid_error),
    Op.SIN: element_wise(np.sin, sin_error),
    Op.SLICE: moves(lambda op, to, x, start, size: x[tuple(map(slice, start, start + size))]),
    Op.SUB: element_wise(np.subtract, ulps(0.5)), Op.TABLE: table,
    Op.TANH: element_wise(np.tanh, tanh_error),
    Op.TILE: moves(lambda op, to, x, multiples: np.tile(x, multiples)),
    Op.TRANSPOSE_CONV2D: convolution(transpose_conv_taps, weights_last),
    Op.TRANSPOSE: moves(lambda op, to, x: np.transpose(x, op.attributes["perms"])),
}
