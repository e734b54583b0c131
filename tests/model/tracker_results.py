# SPDX-License-Identifier: Apache-2.0
"""The places where the faults of tracker_faults.py act, and their results. A place is a LayerPlace
of tracker_worker.py, with the operands of its last run."""
import dataclasses
import math

import numpy as np

from assay import DType, NanPropagationMode, Op, RoundingMode, dtypes
from compliant_numbers import FORMATS, numbers_of
from compliant_operators import BITS, OPERATORS, is_float, limits, wrapped
from fusion_faults import CONVOLUTIONS, is_float_type, shape_of, then

INTEGERS = (DType.INT8, DType.INT16)
ELEMENT_WISE = {Op.ABS, Op.ADD, Op.CLAMP, Op.EXP, Op.MUL, Op.SIGMOID, Op.SUB, Op.TANH}


# ---- Places
def at(*ops):
    return lambda place: place.op.op in ops


def at_float(*ops):
    return lambda place: place.op.op in ops and is_float_type(place.in_type)


def constant(place, index):
    """The numbers of an operand, or None if the graph does not know them."""
    tensor = place.block.tensor(place.op.inputs[index])
    if tensor.data is None:
        return None
    return numbers_of(getattr(tensor, "dtype", DType.SHAPE), tensor.numpy())


def may_be(test, place, index):
    """Whether a number of an operand passes a test, as far as the graph knows."""
    numbers = constant(place, index)
    return numbers is None or bool(np.any(test(numbers)))


def is_not_zero(numbers):
    return numbers != 0


def attribute(place, name):
    return place.op.attributes[name]


def bound(place, name):
    """A bound of CLAMP."""
    return numbers_of(place.in_type, dtypes.unpack(place.in_type, (), attribute(place, name)))


def producer(place, index, *ops):
    """The place that makes an operand, if it is of one of these operators."""
    made = place.producers[index] if index < len(place.producers) else None
    return made if made is not None and made.op.op in ops else None


def beside_constant(place, op):
    """The place of an operator that makes one of two operands, if the other one is a constant; and
    the position of the constant."""
    for k in (0, 1):
        made = producer(place, k, op)
        if made is not None and constant(place, 1 - k) is not None:
            return made, 1 - k
    return None, -1


def feeds_one(place):
    return len(place.readers) == 1 and place.op.outputs[0] not in place.block.outputs


def sizes(place):
    """The shapes of two operands and of the result."""
    return [shape_of(place, name) for name in (*place.op.inputs[:2], place.op.outputs[0])]


def broadcasts_columns(place):
    """The position of an operand of several elements with one column for all, or -1."""
    *operands, out = sizes(place)
    return next((k for k, shape in enumerate(operands)
                 if shape and shape[-1] == 1 and out[-1] > 1 and math.prod(shape) > 1), -1)


# ---- Results
def changed(place, run, operands, **attributes):
    """The result with other operands and attributes."""
    op = dataclasses.replace(place.op, attributes=place.op.attributes | attributes)
    return OPERATORS[op.op](run, op, *operands)[0]


def of_operands(function):
    """A result of the right result and of the operands."""
    return lambda place, run, compute, right: function(right, *place.operands)


def of_padded(fill):
    """A window that has no padding, on an input that is padded by fill(place)."""
    def result(place, run, compute, right):
        top, bottom, left, right_ = attribute(place, "pad")
        x = np.pad(place.operands[0], ((0, 0), (top, bottom), (left, right_), (0, 0)),
                   constant_values=fill(place))
        return changed(place, run, [x, *place.operands[1:]], pad=[0, 0, 0, 0])
    return result


def is_padded(*ops):
    return lambda place: place.op.op in ops and max(attribute(place, "pad")) > 0


def zero_point(place, index):
    return place.operands[index].reshape(-1)[0]


def signed(value, dtype, _):
    return value


def unsigned(value, dtype, is_unsigned):
    return value & (1 << BITS[dtype]) - 1 if is_unsigned else value


def single_round(value, multiplier, shift):
    return value * multiplier + (np.int64(1) << shift - 1) >> shift


def two_rounds(value, multiplier, shift):
    """The high half of the doubled product, then a shift; each rounds."""
    product = value * multiplier
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    high = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))
    by = np.maximum(shift - 31, 0)
    mask = (np.int64(1) << by) - 1
    twice = (high >> by) + ((high & mask) > (mask >> 1) + (high < 0))
    return np.where(shift > 31, twice, single_round(value, multiplier, shift))


def rescaled(zero=unsigned, subtract=np.subtract, scale=single_round, first=None, offset=None):
    """RESCALE with another way to read the zero point of the input, to subtract it, and to scale;
    `first` is done before the zero point of the output is added, and `offset` is in place of it."""
    def result(place, run, compute, right):
        x, multiplier, shift, input_zp, output_zp = place.operands
        flags = attribute(place, "input_unsigned"), attribute(place, "output_unsigned")
        if not attribute(place, "per_channel"):
            multiplier, shift = multiplier.reshape(-1)[0], shift.reshape(-1)[0]
        value = subtract(unsigned(x, place.in_type, flags[0]),
                         zero(input_zp.reshape(-1)[0], place.in_type, flags[0]))
        low, high = limits(place.out_type)
        if flags[1]:
            low, high = 0, high - low
        value = scale(value, multiplier, shift)
        value = value if first is None else first(value, low, high)
        value = value + (unsigned(output_zp.reshape(-1)[0], place.out_type, flags[1])
                         if offset is None else offset)
        return wrapped(np.clip(value, low, high), BITS[place.out_type])
    return result


def is_rescale(place):
    return (place.op.op == Op.RESCALE and
            attribute(place, "rounding_mode") == RoundingMode.SINGLE_ROUND)


def of_first_channel(place, run, compute, right):
    """Eight cores share the channels and take two at a time. The last one of an odd share has the
    scale of channel 0."""
    operands = [np.array(one) for one in place.operands]
    for channel in single_channels(operands[1].size):
        for k in (1, 2):
            operands[k].reshape(-1)[channel] = operands[k].reshape(-1)[0]
    return compute(*operands)


def single_channels(channels):
    share = -(-channels // 8)
    starts = range(0, channels, share)
    ends = [min(start + share, channels) for start in starts]
    return [end - 1 for start, end in zip(starts, ends) if (end - start) % 2]


def has_single_channels(place):
    if not (is_rescale(place) and attribute(place, "per_channel")):
        return False
    scales = constant(place, 1)
    return scales is None or any(scales[one] != scales[0] for one in single_channels(scales.size))


def shifted_rows(place, run, compute, right):
    """The rows of the result that the first rows of the input complete are not handed on, so that
    all others come too early, and the last ones never."""
    x, weight, bias, input_zp, weight_zp = place.operands
    stride, crop = attribute(place, "stride")[0], -attribute(place, "out_pad")[0]
    first = -(-crop // stride)  # rows of the input
    lost = stride - crop % stride
    parts = []
    for keeps in (slice(0, first), slice(first, None)):
        part = np.full_like(x, input_zp.reshape(-1)[0])
        part[:, keeps] = x[:, keeps]
        parts.append(compute(part, weight, np.zeros_like(bias), input_zp, weight_zp))
    late = np.zeros_like(parts[1])
    late[:, :-lost] = parts[1][:, lost:]
    return parts[0] + late + bias


def last_maximum(place, run, compute, right):
    x, axis = place.operands[0], attribute(place, "axis")
    last = x.shape[axis] - 1 - np.argmax(np.flip(x, axis), axis)
    return np.where(np.isnan(x).any(axis), right, last) if is_float(x) else last


def last_nan(place, run, compute, right):
    nan, axis = np.isnan(place.operands[0]), attribute(place, "axis")
    last = nan.shape[axis] - 1 - np.argmax(np.flip(nan, axis), axis)
    return np.where(nan.any(axis), last, right)


def propagates(place):
    return attribute(place, "nan_mode") == NanPropagationMode.PROPAGATE


def by_comparison(place, run, compute, right):
    """The maximum as a < b ? b : a, which forgets a NaN in b."""
    if place.op.op == Op.MAXIMUM:
        a, b = place.operands
        return np.where(a < b, b, a)
    x, axis = place.operands[0], attribute(place, "axis")
    return np.max(np.where(np.isnan(x), -np.inf, x), axis, keepdims=True)


def without_last(place, run, compute, right):
    """The last row and the last column of an image are never read."""
    x = np.array(place.operands[0])
    if x.shape[1] > 1:
        x[:, -1] = x[:, -2]
    if x.shape[2] > 1:
        x[:, :, -1] = x[:, :, -2]
    return compute(x, *place.operands[1:])


def may_leave_32_bits(place):
    """An int16 convolution without bias, with a sum that may need more than 32 bits."""
    if place.op.op not in CONVOLUTIONS or place.out_type != DType.INT48:
        return False
    weight = shape_of(place, place.op.inputs[1])
    terms = math.prod(weight[:2] if place.op.op == Op.DEPTHWISE_CONV2D else weight[1:])
    return terms << 22 > 1 << 31 and not may_be(is_not_zero, place, 2)


def gathered_in_16_bits(right, values, indices):
    """The address of a row is an index times the length of a row."""
    rows, columns = values.shape[1:]
    row = np.mod(wrapped(indices * columns, 16) // columns, rows)
    return np.stack([one[index] for one, index in zip(values, row)])


def without_last_entry(right, x, entries):
    index, fraction = x + 32768 >> 7, x + 32768 & 127
    short = np.append(entries[:512], 0)
    return (short[index] << 7) + (short[index + 1] - short[index]) * fraction


def without_tail(lanes):
    def function(right):
        wrong = np.array(right)
        flat = wrong.reshape(-1)
        flat[flat.size // lanes * lanes:] = 0
        return wrong
    return then(function)


def into_next_row(lanes):
    """A sum of the last axis takes whole vectors, which end in the next row."""
    def result(place, run, compute, right):
        x = place.operands[0]
        length = x.shape[-1]
        flat = np.append(x.reshape(-1), np.zeros(lanes))
        extra = np.arange(length, -(-length // lanes) * lanes)
        starts = np.arange(x.size // length) * length
        return right + flat[starts[:, np.newaxis] + extra].sum(1).reshape(right.shape)
    return result


def sums_last_axis(place):
    """A sum of rows that are no whole vectors; behind one row of several is the next one."""
    if place.op.op != Op.REDUCE_SUM or not is_float_type(place.in_type):
        return False
    shape = shape_of(place, place.op.inputs[0])
    return (attribute(place, "axis") == len(shape) - 1 and math.prod(shape[:-1]) > 1 and
            shape[-1] > 8 and shape[-1] % 8 > 0)


def without_last_terms(place, run, compute, right):
    a, b, *zero_points = place.operands
    terms = a.shape[2] // 16 * 16
    return compute(a[:, :, :terms], b[:, :terms], *zero_points)


def has_last_terms(place):
    terms = shape_of(place, place.op.inputs[0])[-1] if at_float(Op.MATMUL)(place) else 0
    return terms > 128 and terms % 16 > 0


def along_rows(place, run, compute, right):
    """An operand with one column for all is read in the order of the result."""
    k = broadcasts_columns(place)
    operands = list(place.operands)
    flat = operands[k].reshape(-1)
    operands[k] = flat[np.arange(right.size) % flat.size].reshape(right.shape)
    return compute(*operands)


def first_and_last_lane(place, run, compute, right):
    """An operand with one column for all is zero in the two inner ones of four columns."""
    k = broadcasts_columns(place)
    operands = list(place.operands)
    inner = np.isin(np.arange(right.shape[-1]) % 4, (1, 2))
    operands[k] = np.where(inner, 0, np.broadcast_to(operands[k], right.shape))
    return compute(*operands)


def exchanged(place, run, compute, right):
    return compute(*reversed(place.operands))


def second_is_smaller(place):
    if place.op.op != Op.SUB:
        return False
    first, second, _ = sizes(place)
    return math.prod(second) < math.prod(first)


def by_inverse(place, run, compute, right):
    inverse = np.argsort(attribute(place, "perms"))
    return np.transpose(place.operands[0], inverse).reshape(right.shape)


def has_other_inverse(place):
    return (place.op.op == Op.TRANSPOSE and
            list(np.argsort(attribute(place, "perms"))) != list(attribute(place, "perms")))


def channels_first(place, run, compute, right):
    return np.moveaxis(place.operands[0], -1, 1).reshape(right.shape)


def reshapes_pixels(place):
    """A RESHAPE of what a convolution of single pixels computes."""
    made = producer(place, 0, Op.CONV2D) if place.op.op == Op.RESHAPE else None
    if made is None or shape_of(made, made.op.inputs[1])[1:3] != (1, 1):
        return False
    _, height, width, channels = shape_of(made, made.op.outputs[0])
    return height * width > 1 and channels > 1


def clamped_for_all(place, run, compute, right):
    [clamp] = [op for op in place.readers if op.op == Op.CLAMP][:1]
    return OPERATORS[Op.CLAMP](run, clamp, right)[0]


def feeds_clamp_and_others(place):
    clamps = [op for op in place.readers if op.op == Op.CLAMP]
    return (place.op.op in CONVOLUTIONS and is_float_type(place.in_type) and bool(clamps) and
            not feeds_one(place))


def readers_too(place):
    return [place, *(one for one in place.others() if one.op in place.readers)]


def scales_dot(place):
    """A float MUL by a constant of a convolution with a bias."""
    if place.op.op != Op.MUL or not is_float_type(place.out_type):
        return False
    found = (beside_constant(place, op)[0] for op in CONVOLUTIONS)
    made = next((one for one in found if one is not None), None)
    return made is not None and feeds_one(made) and may_be(is_not_zero, made, 2)


def unscaled_bias(place, run, compute, right):
    k = next(k for k in (0, 1) if producer(place, k, *CONVOLUTIONS))
    bias = place.producers[k].operands[2]
    return right - bias * place.operands[1 - k] + bias


def with_producers(depth):
    """A place, and those that it is behind."""
    def involved(place):
        found = [place]
        for _ in range(depth):
            found += [one for made in found for one in made.producers if one is not None and
                      all(one is not other for other in found)]
        return found
    return involved


def normalized_chain(place):
    """The places of a convolution, its CLAMP, and the MUL by a constant before this ADD of one; or
    Nones."""
    scale, _ = beside_constant(place, Op.MUL) if place.op.op == Op.ADD else (None, -1)
    clamp, _ = beside_constant(scale, Op.CLAMP) if scale else (None, -1)
    dot = producer(clamp, 0, *CONVOLUTIONS) if clamp else None
    chain = (dot, clamp, scale)
    return chain if dot and all(map(feeds_one, chain)) else (None, None, None)


def normalized_before_clamp(place, run, compute, right):
    _, clamp, scale = normalized_chain(place)
    _, factor = beside_constant(scale, Op.CLAMP)
    _, shift = beside_constant(place, Op.MUL)
    scaled = clamp.operands[0] * scale.operands[factor] + place.operands[shift]
    return OPERATORS[Op.CLAMP](run, clamp.op, scaled)[0]


def folded_pad(place):
    """The PAD before a pooling that pads images with zero, or None."""
    made = producer(place, 0, Op.PAD) if at_float(Op.AVG_POOL2D)(place) else None
    if made is None or constant(made, 1) is None or may_be(is_not_zero, made, 2):
        return None
    padding = constant(made, 1)
    return None if padding[:2].any() or padding[6:].any() else made


def pooled_without_padding(place, run, compute, right):
    made = folded_pad(place)
    pad = np.add(attribute(place, "pad"), constant(made, 1)[2:6]).tolist()
    return changed(place, run, [made.operands[0], *place.operands[1:]], pad=pad)


def summed_constants(place, run, compute, right):
    """c - x + e as (c + e) - x."""
    made, k = beside_constant(place, Op.SUB)
    form = FORMATS[place.out_type]
    return form.nearest(form.nearest(made.operands[0] + place.operands[k]) - made.operands[1])


def adds_to_difference(place):
    if place.op.op != Op.ADD or not is_float_type(place.out_type):
        return False
    made, _ = beside_constant(place, Op.SUB)
    return made is not None and constant(made, 0) is not None


def later_readers(place):
    """The operators that read the first operand of a place after it."""
    operators = place.block.operators
    position = next(k for k, op in enumerate(operators) if op is place.op)
    return [op for op in operators[position + 1:] if place.op.inputs[0] in op.inputs]


def reuses_live_buffer(place):
    """An element-wise operator whose first operand has its size, is made in the graph, and is read
    again."""
    name = place.op.inputs[0] if place.op.op in ELEMENT_WISE else None
    return (name is not None and place.producers[0] is not None and
            name not in place.block.outputs and
            shape_of(place, name) == shape_of(place, place.op.outputs[0]) and
            place.in_type == place.out_type and bool(later_readers(place)))


def and_later_readers(place):
    later = later_readers(place)
    return [place, *(one for one in place.others() if any(one.op is op for op in later))]


def rows_of(place, name):
    return math.prod(shape_of(place, name)[:attribute(place, "axis")])


def concatenates_in_place(place):
    """The first operand is made in the graph, has several rows, and is not read again."""
    return (place.op.op == Op.CONCAT and place.producers[0] is not None and
            feeds_one(place.producers[0]) and rows_of(place, place.op.inputs[0]) > 1)


def over_first_operand(place, run, compute, right):
    """Rows are copied in their order to a buffer that begins with the first operand."""
    rows = rows_of(place, place.op.inputs[0])
    first, *others = (one.reshape(rows, -1) for one in place.operands)
    buffer = np.zeros(right.size, right.dtype)
    buffer[:first.size] = first.reshape(-1)
    width, length = right.size // rows, first.shape[1]
    for row in range(rows):
        whole = [buffer[row * length:(row + 1) * length].copy(), *(one[row] for one in others)]
        buffer[row * width:(row + 1) * width] = np.concatenate(whole)
    return buffer.reshape(right.shape)
