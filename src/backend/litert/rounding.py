# SPDX-License-Identifier: Apache-2.0
"""Tells for which RESCALEs the requantization of TensorFlow Lite gives the same numbers."""
import numpy as np

_HALF_OF_DOUBLE_ROUND = 1 << 30


def apply_scale(values, multiplier, shift, double_round):
    """TOSA's apply_scale_32, of INT64 arrays."""
    rounding = np.left_shift(np.int64(1), shift - 1)
    if double_round:
        more = np.where(values >= 0, _HALF_OF_DOUBLE_ROUND, -_HALF_OF_DOUBLE_ROUND)
        rounding = rounding + np.where(shift > 31, more, 0)
    return (values * multiplier + rounding) >> shift


def scales_of(multiplier, shift):
    """Returns the scales as TensorFlow Lite has them, FP32 numbers."""
    return np.ldexp(multiplier.astype(np.float64), -shift).astype(np.float32)


def agrees(multiplier, shift, low, high, out_range, double_round):
    """Tells whether RESCALE gives the same numbers as TensorFlow Lite for all accumulators from
    `low` to `high`. All four are INT64 arrays with an element for each channel.

    TensorFlow Lite does not state one rounding: its own kernels multiply by a fixed-point number of
    31 bits, and XNNPACK multiplies in FP32 and rounds halves to even. All are monotonic, as RESCALE
    is. So it is enough to look at both sides of each place at which the result of RESCALE changes:
    the FP32 result must change there, too, and the exact product must not be a half."""
    if (multiplier <= 0).any():
        return False
    results = np.arange(out_range[0] + 1, out_range[1] + 1, dtype=np.int64)
    multiplier, shift, low, high = (one.reshape(-1, 1) for one in (multiplier, shift, low, high))
    below = np.broadcast_to(low, (low.shape[0], results.size)).copy()
    above = np.broadcast_to(high, below.shape).copy()
    reached = ((apply_scale(below, multiplier, shift, double_round) < results)
               & (apply_scale(above, multiplier, shift, double_round) >= results))
    while (reached & (above - below > 1)).any():  # the first accumulator that gives `results`
        middle = (below + above) >> 1
        enough = apply_scale(middle, multiplier, shift, double_round) >= results
        above, below = np.where(enough, middle, above), np.where(enough, below, middle)
    scales = scales_of(multiplier, shift)
    rounded = [np.rint(one.astype(np.float32) * scales) for one in (below, above)]
    halves = [one * multiplier * 2 == (2 * results - 1) << shift for one in (below, above)]
    same = (rounded[0] < results) & (rounded[1] >= results) & ~halves[0] & ~halves[1]
    return bool((same | ~reached).all())
