# SPDX-License-Identifier: Apache-2.0
"""Faults of compilers that fuse operators, for fusing_worker.py. Each changes the result of one
operator that is fused with others, and of no operator that stands alone."""
import dataclasses
from typing import Callable

import numpy as np

from assay import DType, Op
from compliant_arithmetic import Forward, Kept
from compliant_numbers import FORMATS
from compliant_operators import gather, is_float, pool_taps

CONVOLUTIONS = {Op.CONV2D, Op.CONV3D, Op.DEPTHWISE_CONV2D, Op.TRANSPOSE_CONV2D}
DOT_PRODUCTS = CONVOLUTIONS | {Op.MATMUL}
ACTIVATIONS = {Op.CLAMP, Op.ERF, Op.EXP, Op.SIGMOID, Op.TANH}


@dataclasses.dataclass
class Fault:
    """`acts_in` tells of a Place (fusing_worker.py) whether the fault can act there. `result` gets
    the Place, the Run, a function that computes the operator on other operands, and the right
    result. It returns a wrong one."""
    acts_in: Callable
    result: Callable


# ---- Places
def behind_dot(*ops):
    return lambda place: place.op.op in ops and place.is_behind_dot


def fused(*ops):
    return lambda place: place.op.op in ops and is_float_type(place.out_type)


def fused_dot(*ops):
    """Dot products whose results stay fused."""
    return lambda place: place.op.op in ops and bool(place.readers) and is_float_type(place.in_type)


def is_float_type(dtype):
    return dtype in FORMATS


def follows(place, op):
    """The position of the operand that a fused operator of this kind computes, or -1."""
    return next((k for k, one in enumerate(place.producers) if one is not None and
                 one.op.op == op), -1)


def shape_of(place, name):
    return tuple(getattr(place.block.tensor(name), "shape", ()))


def has_residual(place):
    """An ADD behind a dot product with another operand of the same shape from elsewhere."""
    return residual(place) >= 0


def residual(place):
    if place.op.op != Op.ADD or not place.is_behind_dot:
        return -1
    for k in (0, 1):
        other = place.producers[k]
        if (place.producers[1 - k] is not None and place.producers[1 - k].dot is not None and
                (other is None or other.dot is None) and
                shape_of(place, place.op.inputs[k]) == shape_of(place, place.op.outputs[0])):
            return k
    return -1


# ---- Results
def scaled(size):
    return lambda place, run, compute, right: right * (1 + size)


def one_element(size):
    def result(place, run, compute, right):
        wrong = np.array(right)
        if wrong.size:
            wrong.reshape(-1)[wrong.size // 2] *= 1 + size
        return wrong
    return result


def replaced(function):
    """The result of a function of the operands."""
    return lambda place, run, compute, right: function(*place.operands)


def then(function):
    """The result of a function of the right result."""
    return lambda place, run, compute, right: function(right)


def with_operand(index, function):
    """The result with one operand changed."""
    def result(place, run, compute, right):
        operands = list(place.operands)
        operands[index] = function(np.array(operands[index]))
        return compute(*operands)
    return result


def with_dot_weights(function):
    """The result of a dot product with other weights. `function` gets them with the channels of the
    result first and a term of the sum last."""
    def result(place, run, compute, right):
        axes = {Op.MATMUL: (2, 1), Op.DEPTHWISE_CONV2D: (2, 0)}.get(place.op.op, (0, -1))
        operands = list(place.operands)
        weights = np.moveaxis(np.array(operands[1]), axes, (0, -1))
        operands[1] = np.moveaxis(function(weights), (0, -1), axes)
        return compute(*operands)
    return result


class Short(Kept):
    """Has accumulators of one type."""

    def __init__(self, dtype):
        self._format = FORMATS[dtype]

    def step(self, dtype, x):
        return self._format.nearest(x)

    dot, product = Forward.dot, Forward.product


def with_accumulator(dtype):
    def result(place, run, compute, right):
        arithmetic, run.chosen = run.chosen, Short(dtype)
        try:
            return compute(*place.operands)
        finally:
            run.chosen = arithmetic
    return result


def rounded(dtype):
    return then(FORMATS[dtype].nearest)


def rounded_bits(bits):
    def function(right):
        fraction, exponent = np.frexp(np.where(np.isfinite(right), right, 0))
        short = np.ldexp(np.rint(np.ldexp(fraction, bits)), exponent - bits)
        return np.where(np.isfinite(right), short, right)
    return function


def flushed(place, run, compute, right):
    return FORMATS[place.out_type].flushed(right)


def bias_after(place, run, compute, right):
    bias = place.producers[0].operands[2]
    return compute(place.operands[0] - bias, *place.operands[1:]) + bias


def subtracts_product(place, run, compute, right):
    k = follows(place, Op.MUL)
    return place.operands[1 - k] - place.operands[k]


def without_maximum(place, run, compute, right):
    """EXP reads the operand of the subtraction, and overflows in its type where that is large."""
    k = follows(place, Op.SUB)
    x, largest = place.producers[k].operands[:2]
    form = FORMATS[place.out_type]
    high = form.nearest(np.exp(x))
    return np.where(np.isfinite(high), right, np.inf)


def is_softmax(place):
    if place.op.op != Op.EXP or follows(place, Op.SUB) < 0:
        return False
    return any(one.op == Op.REDUCE_MAX and place.producers[0].op.inputs[1] in one.outputs
               for one in place.block.operators)


def feeds(place, *ops):
    return any(reader.op in ops for reader in place.readers)


def epsilon_of(place):
    return next((k for k in (0, 1) if np.prod(shape_of(place, place.op.inputs[k])) == 1), -1)


def with_epsilon(factor):
    def result(place, run, compute, right):
        operands = list(place.operands)
        operands[epsilon_of(place)] = operands[epsilon_of(place)] * factor
        return compute(*operands)
    return result


def changed_residual(function):
    def result(place, run, compute, right):
        operands = list(place.operands)
        operands[residual(place)] = function(operands[residual(place)])
        return compute(*operands)
    return result


def next_lane(x):
    return np.roll(x, -1, -1) if x.ndim else x


def stale_tile(old):
    """The last 16 elements are those of the tile before, or zero."""
    def function(right):
        wrong = np.array(right)
        flat = wrong.reshape(-1)
        if flat.size >= 32:
            flat[-16:] = flat[-32:-16] if old else 0
        return wrong
    return then(function)


def neighbouring_lane(right):
    wrong = np.array(right)
    if wrong.ndim and wrong.shape[-1] >= 2:
        wrong[..., 0] = right[..., 1]
    return wrong


def swapped_channels(right):
    wrong = np.array(right)
    if wrong.ndim and wrong.shape[-1] >= 2:
        wrong[..., 0], wrong[..., 1] = right[..., 1], right[..., 0]
    return wrong


def bound_off(name):
    """A bound of CLAMP is off by one unit in the last place."""
    def result(place, run, compute, right):
        bound = np.max(right) if name == "max_val" else np.min(right)
        reached = (right == bound) & (place.operands[0] != bound)
        unit = FORMATS[place.out_type].unit(right)
        return np.where(reached & np.isfinite(right), right + unit, right)
    return result


def without_bound(pick):
    """One side of CLAMP does not act."""
    return lambda place, run, compute, right: pick(right, place.operands[0])


def is_padded(place):
    return (fused_dot(Op.CONV2D, Op.DEPTHWISE_CONV2D)(place) and
            place.op.attributes["pad"][0] > 0)


def padded_by_edge(place, run, compute, right):
    """The first row of the result is computed as if the first row of the input were above it."""
    x = place.operands[0]
    shifted = np.concatenate([x[:, :1], x[:, :-1]], axis=1)
    wrong = np.array(right)
    wrong[:, 0] = compute(shifted, *place.operands[1:])[:, 0]
    return wrong


def polynomial_erf(coefficients, p):
    """Abramowitz and Stegun, 7.1.25 and 7.1.26."""
    def function(x):
        t = 1 / (1 + p * np.abs(x))
        sum_ = sum(a * t ** (k + 1) for k, a in enumerate(coefficients))
        return np.sign(x) * (1 - sum_ * np.exp(-x * x))
    return replaced(function)


def full_window(place, run, compute, right):
    """The sum is divided by the size of the window, padding included."""
    taps = pool_taps(place.op, place.operands[0].shape, right.shape)
    count = np.sum(gather(place.operands[0], taps)[1], axis=0)
    return right * count / np.prod(place.op.attributes["kernel"])


def mean_of_one_less(place, run, compute, right):
    terms = place.operands[0].shape[place.op.attributes["axis"]]
    return right * terms / max(terms - 1, 0.5)


def linear_exp(x):
    """2^(i + f) as 2^i (1 + f)."""
    y = np.asarray(x) / np.log(2)
    whole = np.floor(y)
    usable = np.isfinite(y) & (np.abs(y) < 2000)
    scale = np.ldexp(1.0, np.where(usable, whole, 0).astype(int))
    return np.where(usable, scale * (1 + np.where(usable, y - whole, 0)), np.exp(x))


def to_integer(rounding):
    """CAST to an integer with another rounding; the value is clipped as it should be."""
    def result(place, run, compute, right):
        return compute(rounding(np.nan_to_num(place.operands[0], nan=0.0)))
    return result


def is_cast_to_integer(place):
    return (place.op.op == Op.CAST and any(place.producers) and
            place.out_type in (DType.INT8, DType.INT16, DType.INT32))


def wraps(place, run, compute, right):
    bits = {DType.INT8: 8, DType.INT16: 16, DType.INT32: 32}[place.out_type]
    x = np.rint(np.nan_to_num(place.operands[0], nan=0.0, posinf=0.0, neginf=0.0))
    low = np.fmod(x, 2.0**bits).astype(np.int64)
    half = 1 << bits - 1
    return (low + half & (1 << bits) - 1) - half


def zero_first(x):
    x.reshape(-1)[:1] = 0
    return x


def edited(at, change):
    """Changes a part of weights."""
    def function(weights):
        weights[at] = change(weights)
        return weights
    return function


def both_of_shape(*ops):
    """Operators with two operands of the shape of the result, one of them fused."""
    return lambda place: (place.op.op in ops and any(place.producers[:2]) and
                          is_float_type(place.out_type) and
                          all(shape_of(place, name) == shape_of(place, place.op.outputs[0])
                              for name in place.op.inputs[:2]))


ANY_DOT = fused_dot(*DOT_PRODUCTS)
ACTIVATION = behind_dot(*ACTIVATIONS)
# A softmax divides the error of its EXP by itself.
SCALED = behind_dot(*ACTIVATIONS - {Op.EXP})
CLAMP = behind_dot(Op.CLAMP)

FAULTS = {f"activation-off:{size}": Fault(SCALED, scaled(float(size)))
          for size in ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7")}
FAULTS |= {f"element-off:{size}": Fault(ACTIVATION, one_element(float(size)))
           for size in ("1e-2", "1e-4", "1e-6")}
FAULTS |= {
    # bias
    "bias-after-activation": Fault(
        lambda place: place.op.op in ACTIVATIONS and place.producers[0] is not None and
        place.producers[0].op.op in CONVOLUTIONS, bias_after),
    "bias-lost": Fault(fused_dot(*CONVOLUTIONS), with_operand(2, np.zeros_like)),
    "bias-lost-in-one-channel": Fault(fused_dot(*CONVOLUTIONS), with_operand(2, zero_first)),
    "bias-twice": Fault(fused_dot(*CONVOLUTIONS), with_operand(2, lambda x: 2 * x)),
    "bias-of-next-channel": Fault(fused_dot(*CONVOLUTIONS), with_operand(2, next_lane)),
    # sums
    "multiply-add-sign": Fault(
        lambda place: place.op.op == Op.ADD and follows(place, Op.MUL) >= 0, subtracts_product),
    "product-sign": Fault(ANY_DOT, with_dot_weights(edited(np.s_[..., 0], lambda w: -w[..., 0]))),
    "last-product-lost": Fault(ANY_DOT, with_dot_weights(edited(np.s_[..., -1], lambda w: 0))),
    "accumulator-bf16": Fault(ANY_DOT, with_accumulator(DType.BF16)),
    "accumulator-fp16": Fault(ANY_DOT, with_accumulator(DType.FP16)),
    "weights-bf16": Fault(ANY_DOT, with_operand(1, FORMATS[DType.BF16].nearest)),
    "weights-11-bits": Fault(ANY_DOT, with_operand(1, rounded_bits(11))),
    "sum-fp16": Fault(fused(Op.REDUCE_SUM), with_accumulator(DType.FP16)),
    "flush-of-sum": Fault(fused_dot(*DOT_PRODUCTS, Op.REDUCE_SUM, Op.AVG_POOL2D), flushed),
    "flush-in-one-operator": Fault(fused(Op.MUL), flushed),
    # the value between operators
    "between-bf16": Fault(ANY_DOT, rounded(DType.BF16)),
    "between-fp16": Fault(ANY_DOT, rounded(DType.FP16)),
    "between-11-bits": Fault(ANY_DOT, then(rounded_bits(11))),
    # weights and lanes
    "weight-of-next-lane": Fault(ANY_DOT, with_dot_weights(
        edited(np.s_[0, ..., 0], lambda w: w[1 % len(w), ..., 0]))),
    "neighbouring-lane": Fault(ACTIVATION, then(neighbouring_lane)),
    "swapped-channels": Fault(ACTIVATION, then(swapped_channels)),
    "stale-tile": Fault(ACTIVATION, stale_tile(True)),
    "zero-tile": Fault(ACTIVATION, stale_tile(False)),
    "padding-row": Fault(is_padded, padded_by_edge),
    # residuals and gates
    "residual-bf16": Fault(has_residual, changed_residual(FORMATS[DType.BF16].nearest)),
    "residual-fp16": Fault(has_residual, changed_residual(FORMATS[DType.FP16].nearest)),
    "residual-lost": Fault(has_residual, changed_residual(np.zeros_like)),
    "residual-of-next-lane": Fault(has_residual, changed_residual(next_lane)),
    "gate-of-next-lane": Fault(both_of_shape(Op.MUL), with_operand(1, next_lane)),
    "operands-swapped": Fault(both_of_shape(Op.SUB), then(np.negative)),
    # bounds
    "upper-bound-off": Fault(CLAMP, bound_off("max_val")),
    "lower-bound-off": Fault(CLAMP, bound_off("min_val")),
    "upper-bound-lost": Fault(CLAMP, without_bound(np.maximum)),
    "lower-bound-lost": Fault(CLAMP, without_bound(np.minimum)),
    # functions
    "tanh-saturates-at-4": Fault(fused(Op.TANH), replaced(
        lambda x: np.where(np.abs(x) >= 4, np.sign(x), np.tanh(x)))),
    "tanh-rational": Fault(fused(Op.TANH), replaced(
        lambda x: np.clip(x * (27 + x * x) / (27 + 9 * x * x), -1, 1))),
    "sigmoid-saturates-at-8": Fault(fused(Op.SIGMOID), replaced(
        lambda x: np.where(np.abs(x) >= 8, x > 0, 1 / (1 + np.exp(-x))))),
    "sigmoid-piecewise": Fault(fused(Op.SIGMOID), replaced(
        lambda x: np.clip(x / 6 + 0.5, 0, 1))),
    "erf-of-5-terms": Fault(fused(Op.ERF), polynomial_erf(
        (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429), 0.3275911)),
    "erf-of-3-terms": Fault(fused(Op.ERF), polynomial_erf(
        (0.3480242, -0.0958798, 0.7478556), 0.47047)),
    "erf-by-tanh": Fault(fused(Op.ERF), replaced(
        lambda x: np.tanh(1.1283791670955126 * (x + 0.08943 * x**3)))),
    "exp-fp16": Fault(fused(Op.EXP), rounded(DType.FP16)),
    "exp-linear": Fault(fused(Op.EXP), replaced(linear_exp)),
    "softmax-without-maximum": Fault(is_softmax, without_maximum),
    "reciprocal-12-bits": Fault(fused(Op.RECIPROCAL), then(rounded_bits(12))),
    "rsqrt-12-bits": Fault(fused(Op.RSQRT), then(rounded_bits(12))),
    "epsilon-of-ten-times": Fault(
        lambda place: place.op.op == Op.ADD and feeds(place, Op.RSQRT) and
        epsilon_of(place) >= 0, with_epsilon(10)),
    "epsilon-lost": Fault(
        lambda place: place.op.op == Op.ADD and feeds(place, Op.RSQRT) and
        epsilon_of(place) >= 0, with_epsilon(0)),
    # pooling, means, casts
    "pool-divides-by-full-window": Fault(fused(Op.AVG_POOL2D), full_window),
    "mean-of-one-less": Fault(
        lambda place: place.op.op == Op.REDUCE_SUM and feeds(place, Op.MUL), mean_of_one_less),
    "cast-truncates": Fault(is_cast_to_integer, to_integer(np.trunc)),
    "cast-rounds-up": Fault(is_cast_to_integer, to_integer(lambda x: np.floor(x + 0.5))),
    "cast-wraps": Fault(is_cast_to_integer, wraps),
}
