# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of TOSA in ONNX's integer operators, bit by bit.

ONNX's Cast drops high bits, its Div truncates, and its BitShift has unsigned operands. It does not
say what an overflow of Add or Mul gives, so all that may leave its type is calculated in INT64."""
import numpy as np

from .model import INT16, INT32, INT64, UINT32, UINT64


def shift_right(m, x, amount):
    """Returns the arithmetic shift, which rounds down. Of a negative x it shifts -1 - x, the
    complement, which is not negative."""
    unsigned = UINT64 if x.dtype == INT64 else UINT32
    minus_one = m.constant(-1, x.dtype)
    negative = m.compare("Less", x, m.constant(0, x.dtype))
    magnitude = m.select(negative, m.broadcast("Sub", minus_one, x), x)
    shifted = m.broadcast("BitShift", m.cast(magnitude, unsigned), m.cast(amount, unsigned),
                          direction="RIGHT")
    shifted = m.cast(shifted, x.dtype)
    return m.select(negative, m.broadcast("Sub", minus_one, shifted), shifted)


def arithmetic_right_shift(c):
    m, (x, amount) = c.model, (c.model.cast(one, INT32) for one in c.inputs)
    shifted = shift_right(m, x, amount)
    if c.attributes["round"]:
        # x >> (s-1) is 2 * (x >> s) + the last bit that is lost, so the difference adds that bit.
        zero, one = m.constant(0, INT32), m.constant(1, INT32)
        before = shift_right(m, x, m.like("Max", m.broadcast("Sub", amount, one), zero))
        rounded = m.broadcast("Sub", before, shifted)
        shifted = m.select(m.compare("Greater", amount, zero), rounded, shifted)
    return m.cast(shifted, c.out_dtype)


def logical_shift(direction):
    def translate(c):
        m, (x, amount) = c.model, c.inputs
        wide = m.cast(x, INT64)
        if direction == "RIGHT" and x.dtype != np.dtype("u4"):
            bits = 8 * x.dtype.itemsize
            high = m.broadcast("Add", wide, m.constant(1 << bits, INT64))
            wide = m.select(m.compare("Less", wide, m.constant(0, INT64)), high, wide)
        shifted = m.broadcast("BitShift", m.cast(wide, UINT32), m.cast(amount, UINT32),
                              direction=direction)
        return m.cast(shifted, c.out_dtype)
    return translate


def count_leading_zeros(c):
    """Counts for each k from 0 to 31 whether x < 2^k, with x as an unsigned number."""
    m, x = c.model, c.model.cast(c.inputs[0], INT64)
    high = m.broadcast("Add", x, m.constant(1 << 32, INT64))
    x = m.select(m.compare("Less", x, m.constant(0, INT64)), high, x)
    powers = m.constant([1 << k for k in range(32)], INT64)
    below = m.compare("Less", m.reshape(x, (*x.shape, 1)), powers)
    return m.reduce("ReduceSum", m.cast(below, INT32), x.rank, keepdims=0)


def multiply(c):
    m, (x, y, shift) = c.model, c.inputs
    if c.out_dtype.kind == "f":
        return m.broadcast("Mul", x, y)
    if x.dtype != INT32:
        return m.broadcast("Mul", m.cast(x, INT32), m.cast(y, INT32))
    product = m.broadcast("Mul", m.cast(x, INT64), m.cast(y, INT64))
    amount = c.constant(2)
    if amount[0] != 0:
        rounded = m.broadcast("Add", product, m.constant(1 << (int(amount[0]) - 1), INT64))
        product = shift_right(m, rounded, m.constant(amount[0], INT64))
    return m.cast(product, INT32)


def negate(c):
    m, x = c.model, c.inputs[0]
    if x.dtype.kind == "f":
        return m.like("Neg", x)
    wide = m.cast(x, INT64)
    both = m.constant(int(c.constant(1)[0]) + int(c.constant(2)[0]), INT64)
    return m.cast(clip(m, m.broadcast("Sub", both, wide), x.dtype), x.dtype)


def clip(m, x, dtype):
    """Returns integers within the range of a type, in their own type."""
    limits = np.iinfo(dtype)
    low = m.broadcast("Max", x, m.constant(limits.min, x.dtype))
    return m.broadcast("Min", low, m.constant(limits.max, x.dtype))


def apply_scale(m, x, multiplier, shift, double_round=False):
    """Returns (x * multiplier + round) >> shift. `multiplier` and `shift` are arrays."""
    shift = np.asarray(shift, np.int64)
    rounding = np.left_shift(np.int64(1), shift - 1)
    product = m.broadcast("Mul", m.cast(x, INT64), m.constant(multiplier, INT64))
    if double_round and (shift > 31).any():
        more = np.where(shift > 31, np.int64(1 << 30), np.int64(0))
        positive = m.compare("GreaterOrEqual", m.cast(x, INT64), m.constant(0, INT64))
        rounds = m.select(positive, m.constant(rounding + more), m.constant(rounding - more))
    else:
        rounds = m.constant(rounding)
    return shift_right(m, m.broadcast("Add", product, rounds), m.constant(shift))


def rescale(c):
    """The pipeline of RESCALE, in INT64. QuantizeLinear rounds halves to even in FP32, which is not
    what RESCALE does, so it is not used."""
    m, x, a = c.model, c.inputs[0], c.attributes
    unsigned = {True: np.dtype("u1"), False: np.dtype("u2")}
    in_zp, out_zp = int(c.constant(3)[0]), int(c.constant(4)[0])
    wide = m.cast(x, INT64)
    if a["input_unsigned"]:
        bits = 8 * x.dtype.itemsize
        in_zp &= (1 << bits) - 1
        high = m.broadcast("Add", wide, m.constant(1 << bits, INT64))
        wide = m.select(m.compare("Less", wide, m.constant(0, INT64)), high, wide)
    limits = c.out_dtype
    if a["output_unsigned"]:
        limits = unsigned[c.out_dtype.itemsize == 1]
        out_zp &= (1 << 8 * c.out_dtype.itemsize) - 1
    value = m.broadcast("Sub", wide, m.constant(in_zp, INT64))
    scaled = apply_scale(m, value, _channels(c, 1), _channels(c, 2),
                         a["rounding_mode"].name == "DOUBLE_ROUND")
    scaled = m.broadcast("Add", scaled, m.constant(out_zp, INT64))
    return m.cast(clip(m, scaled, limits), c.out_dtype)


def _channels(c, operand):
    """Returns one number, or one for each channel, as an array that broadcasts."""
    numbers = c.constant(operand).astype(np.int64)
    return numbers if c.attributes["per_channel"] else numbers.reshape(())


def table(c):
    m, (x, entries) = c.model, c.inputs
    position = m.broadcast("Add", m.cast(x, INT32), m.constant(-np.iinfo(x.dtype).min, INT32))
    if x.dtype != INT16:
        return m.node("Gather", [entries, position], entries.dtype, x.shape, axis=0)
    entries, seven_bits = m.cast(entries, INT32), m.constant(128, INT32)
    index = m.broadcast("Div", position, seven_bits)
    fraction = m.broadcast("Sub", position, m.broadcast("Mul", index, seven_bits))
    base = m.node("Gather", [entries, index], INT32, x.shape, axis=0)
    following = m.broadcast("Add", index, m.constant(1, INT32))
    slope = m.broadcast("Sub", m.node("Gather", [entries, following], INT32, x.shape, axis=0), base)
    return m.broadcast("Add", m.broadcast("Mul", base, seven_bits),
                       m.broadcast("Mul", slope, fraction))
