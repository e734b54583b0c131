# SPDX-License-Identifier: Apache-2.0
"""The floating-point formats of TOSA, section Supported Number Formats, as float64 numbers."""
import numpy as np

from assay import DType, dtypes


class Format:
    """A floating-point type: its numbers are float64 here, its roundings go from float64."""

    def __init__(self, fraction_bits, normal_min, largest, has_infinity=True, may_flush=True,
                 native=None):
        self.fraction_bits, self.normal_min, self.largest = fraction_bits, normal_min, largest
        self.beyond = np.inf if has_infinity else np.nan
        self.may_flush = may_flush
        self._native = native  # the type of numpy that has the same numbers
        self._smallest = np.frexp(normal_min)[1]

    def unit(self, x):
        """The distance of neighbours at x."""
        exponent = np.maximum(np.frexp(x)[1], self._smallest)
        return np.ldexp(1.0, exponent - (1 + self.fraction_bits))

    def _rounded(self, x, function):
        x = np.asarray(x, np.float64)
        unit = self.unit(x)
        rounded = function(x / unit) * unit
        return np.where(np.abs(rounded) > self.largest, np.copysign(self.beyond, x), rounded)

    def nearest(self, x):
        if self._native is not None:
            return np.asarray(x, np.float64).astype(self._native).astype(np.float64)
        return self._rounded(x, np.rint)

    def toward_zero(self, x):
        return self._rounded(x, np.trunc)

    def below(self, x):
        return self._rounded(x, np.floor)

    def above(self, x):
        return self._rounded(x, np.ceil)

    def flushed(self, x):
        if not self.may_flush:
            return x
        return np.where(np.abs(x) < self.normal_min, np.copysign(0.0, x), x)


FORMATS = {
    DType.FP32: Format(23, 2.0**-126, float(np.finfo(np.float32).max),
                       native=np.float32),
    DType.BF16: Format(7, 2.0**-126, (2 - 2.0**-7) * 2.0**127),
    DType.FP16: Format(10, 2.0**-14, 65504.0, native=np.float16),
    DType.FP8E5M2: Format(2, 2.0**-14, 57344.0, may_flush=False),
    DType.FP8E4M3: Format(3, 2.0**-6, 448.0, has_infinity=False, may_flush=False),
}
_E4M3 = dtypes.to_float32(DType.FP8E4M3, np.arange(127, dtype=np.uint8)).astype(np.float64)


def numbers_of(dtype, array):
    """What a tensor's elements stand for: float64, int64 or bool."""
    if dtype in FORMATS:
        return dtypes.to_float32(dtype, array).astype(np.float64)
    return array.astype(bool if dtype == DType.BOOL else np.int64)


def array_of(dtype, numbers):
    """The elements of a tensor; floats are rounded to nearest."""
    if dtype not in FORMATS:
        return np.asarray(numbers).astype(dtypes.numpy_dtype(dtype))
    x = FORMATS[dtype].nearest(numbers)
    if dtype == DType.BF16:
        return (np.atleast_1d(x).astype(np.float32).view(np.uint32) >> 16).astype(
            np.uint16).reshape(np.shape(x))
    if dtype == DType.FP8E5M2:
        return (np.atleast_1d(x).astype(np.float16).view(np.uint16) >> 8).astype(
            np.uint8).reshape(np.shape(x))
    if dtype == DType.FP8E4M3:
        bits = np.where(np.isnan(x), 127, np.searchsorted(_E4M3, np.abs(x)))
        return (bits | np.where(np.signbit(x), 128, 0)).astype(np.uint8)
    return x.astype(dtypes.numpy_dtype(dtype))
