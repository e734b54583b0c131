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


def find_scales(multiplier, shift, low, high, out_range, double_round):
    """Returns FP32 scales, one for each channel, with which XNNPACK gives the numbers of RESCALE
    for all accumulators from `low` to `high`, or None. The first four are INT64 arrays with an
    element for each channel.

    XNNPACK multiplies in FP32 and rounds halves to even. TensorFlow Lite does not state a rounding,
    so the exact product must round to the same numbers in any way, too. All are monotonic, as
    RESCALE is, so it is enough to look at both sides of each place at which the result of RESCALE
    changes. The scale nearest to that of RESCALE is tried first, and then its neighbours."""
    if (multiplier <= 0).any():
        return None
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
    nearest = np.ldexp(multiplier.astype(np.float64), -shift).astype(np.float32)
    scales, found = nearest.copy(), np.zeros(nearest.shape, bool)
    for distance in (0, 1, -1, 2, -2, 3, -3, 4, -4):
        tried = (nearest.view(np.int32) + np.int32(distance)).view(np.float32)
        same = ((_exact(below, tried) < results - 0.5) & (in_fp32(below, tried) < results)
                & (_exact(above, tried) > results - 0.5) & (in_fp32(above, tried) >= results))
        same |= ~reached
        same = same.all(axis=1, keepdims=True)
        scales, found = np.where(same & ~found, tried, scales), found | same
    return scales.reshape(-1) if found.all() else None


def _exact(accumulators, scales):
    return accumulators.astype(np.float64) * scales.astype(np.float64)  # of 31 and 24 bits


def in_fp32(accumulators, scales):
    """Returns products as XNNPACK rounds them."""
    return np.rint(accumulators.astype(np.float32) * scales)
