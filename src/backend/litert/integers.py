# SPDX-License-Identifier: Apache-2.0
"""RESCALE and TABLE, bit by bit."""
import numpy as np

from assay.worker import Unsupported

from .call import INT32, as_int32, convert


def rescale(c):
    """A RESCALE of its own. QUANTIZE is not used, because it rounds twice."""
    if c.attributes["input_unsigned"] or c.attributes["output_unsigned"]:
        raise Unsupported("RESCALE of unsigned numbers")
    if c.constant(1).size != 1:
        raise Unsupported("RESCALE per channel without a convolution before it")
    x = c.inputs[0]
    multiplier, shift, in_zp, out_zp = (int(c.constant(i)[0]) for i in range(1, 5))
    limits = np.iinfo(x.dtype)
    bounds = [one - in_zp for one in (x.bounds if x.dtype == INT32 else (limits.min, limits.max))]
    if not _rescale_in_integers(c, multiplier, shift, in_zp, out_zp, bounds):
        raise Unsupported("RESCALE by a scale that needs more than INT32")


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
    numbers = (*bounds, *products, *results)
    if min(numbers) < -(1 << 31) or max(numbers) >= 1 << 31 or shift > 30:
        return False
    for kind, operand, neutral in (("SUB", in_zp, 0), ("MUL", multiplier, 1), ("ADD", half, 0),
                                   ("FLOOR_DIV", 1 << shift, 1), ("ADD", out_zp, 0)):
        if operand != neutral:
            x = m.result(kind, [as_int32(m, x), c.list(operand)], INT32, x.shape)
    limits = np.iinfo(c.out.dtype)
    c.out.bounds = (max(min(results), limits.min), min(max(results), limits.max))
    for kind, limit, exceeded in (("MAXIMUM", limits.min, min(results) < limits.min),
                                  ("MINIMUM", limits.max, max(results) > limits.max)):
        if exceeded:
            x = m.result(kind, [as_int32(m, x), c.list(limit)], INT32, x.shape)
    if x.dtype == c.out.dtype:
        m.node("RESHAPE", [x, c.list(x.shape)], c.out)
    else:
        convert(m, x, c.out)
    return True


def table(c):
    m, x = c.model, c.inputs[0]
    place = m.result("ADD", [as_int32(m, x), c.list(128)], INT32, x.shape)
    c.node("GATHER", c.inputs[1], place, axis=0, batch_dims=0)
