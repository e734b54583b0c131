# SPDX-License-Identifier: Apache-2.0
"""Dot products that are no sums of the products of the operands: Winograd convolutions, and three
bf16 products for one fp32 product. Whether they keep the accuracy rule depends on the operands."""
import numpy as np

from assay import DType, Op
from compliant_arithmetic import Forward, Pairwise
from compliant_numbers import FORMATS


class OtherProducts(Pairwise):
    """Computes each dot product exactly as well, and keeps how far off its own results are: `worst`
    is the largest error, in units of the one that the rule allows, and `sure` is the largest that
    flushing of operands and results does not explain. `variance` and `bias` are the same for the
    rules on tensors of at least 1000 results."""

    def __init__(self):
        self.worst = self.sure = self.variance = self.bias = 0.0
        self._exact = self._flushed = self._other = None

    def other(self, acc, a, b, mask):
        """The sum of products as Forward.dot() gets it; None if this arithmetic has no way of its
        own to compute it."""
        raise NotImplementedError

    def dot(self, acc, a, b, mask, rule):
        self._exact = self._flushed = super().dot(acc, a, b, mask, rule)
        of_operator = b is not None and rule is not None  # not a sum, nor a part of FFT2D
        self._other = self.other(acc, a, b, mask) if of_operator else None
        if self._other is not None:
            form = FORMATS[rule.in_type]
            self._flushed = super().dot(acc, form.flushed(a), form.flushed(b), mask, rule)
        return self._exact

    def dot_result(self, out, total, rule):
        if self._other is None:
            return super().dot_result(out, total, rule)
        difference = self._other - self._exact
        result = FORMATS[out].nearest(total + difference.reshape(np.shape(total)))
        self._measure(FORMATS[out], result, total, rule)
        return result

    def _measure(self, form, result, total, rule):
        roundings = rule.roundings(form)
        unit = np.maximum(rule.bound * 2.0 ** (-1 - form.fraction_bits), form.normal_min)
        grown = rule.bound * (1 + 2 * roundings * 2.0 ** (-1 - form.fraction_bits))
        judged = np.isfinite(form.nearest(grown)) & np.isfinite(total) & (rule.bound > 0)
        errors = np.where(judged, (result - total) / unit, 0)
        errors = np.where(np.isnan(errors), np.inf, errors)
        slack = np.abs(self._exact - self._flushed).reshape(np.shape(total)) + 2 * form.normal_min
        sure = np.where(np.isfinite(slack), np.abs(errors) - slack / unit, 0)
        self.worst = max(self.worst, np.max(np.abs(errors), initial=0) / (2 * roundings))
        self.sure = max(self.sure, np.max(sure, initial=0) / (2 * roundings))
        if errors.size >= 1000:
            allowed = 1.6 * roundings * errors.size
            self.variance = max(self.variance, np.sum(errors * errors) / allowed)
            self.bias = max(self.bias, abs(np.sum(errors)) / (10 * allowed) ** 0.5)


class Bf16x3(OtherProducts):
    """Splits each fp32 operand into the sum of two bf16 numbers, and leaves out the product of the
    two small ones."""

    def other(self, acc, a, b, mask):
        if acc != DType.FP32:
            return None
        form = FORMATS[DType.BF16]
        split = [(form.nearest(x), form.nearest(x - form.nearest(x))) for x in (a, b)]
        (a0, a1), (b0, b1) = split
        if all(np.array_equal(x, x0) for x, (x0, _) in zip((a, b), split)):
            return None  # the operands are bf16 numbers
        total = 0.0
        for x, y in ((a1, b0), (a0, b1), (a0, b0)):
            total = FORMATS[DType.FP32].nearest(total + Forward.dot(_PLAIN, acc, x, y, mask, None))
        return total


_PLAIN = Forward()
_TRANSFORMS = {  # for the input, the kernel and the output, of F(2, 3) and F(4, 3)
    2: (((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
        ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)),
        ((1, 1, 1, 0), (0, 1, -1, -1))),
    4: (((4, 0, -5, 0, 1, 0), (0, -4, -4, 1, 1, 0), (0, 4, -4, -1, 1, 0), (0, -2, -1, 2, 1, 0),
         (0, 2, -1, -2, 1, 0), (0, 4, 0, -5, 0, 1)),
        ((1 / 4, 0, 0), (-1 / 6, -1 / 6, -1 / 6), (-1 / 6, 1 / 6, -1 / 6),
         (1 / 24, 1 / 12, 1 / 6), (1 / 24, -1 / 12, 1 / 6), (0, 0, 1)),
        ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1))),
}


def _transformed(matrix, tiles):
    """The matrix times tiles [rows, columns, ...] times its transpose, in float32 step by step."""
    for axis in (0, 1):
        parts = []
        for row in np.float32(matrix):
            total = np.float32(0)
            for k, factor in enumerate(row):
                if factor:
                    total = total + factor * np.take(tiles, k, axis)
            parts.append(total)
        tiles = np.stack(parts, axis)
    return tiles


class Winograd(OtherProducts):
    """Computes CONV2D of 3 x 3 kernels in tiles of `tile` x `tile` results, in fp32."""
    tile = 2

    def __init__(self):
        super().__init__()
        self._convolution = None

    def starts_convolution(self, op, shape, x, weight):
        fits = (op.op == Op.CONV2D and weight.shape[1:3] == (3, 3) and
                list(op.attributes["stride"]) == [1, 1] and
                list(op.attributes["dilation"]) == [1, 1])
        self._convolution = (op.attributes["pad"], shape, x, weight) if fits else None

    def other(self, acc, a, b, mask):
        convolution, self._convolution = self._convolution, None
        if convolution is None or acc != DType.FP32:
            return None
        pad, shape, x, weight = convolution
        size = self.tile
        rows, columns = -(-shape[1] // size), -(-shape[2] // size)
        below = rows * size + 2 - x.shape[1] - pad[0]
        right = columns * size + 2 - x.shape[2] - pad[2]
        x = np.pad(x, ((0, 0), (pad[0], max(below, 0)), (pad[2], max(right, 0)), (0, 0)))
        places = [[x[:, i:i + rows * size:size, j:j + columns * size:size]
                   for j in range(size + 2)] for i in range(size + 2)]
        tiles = np.stack([np.stack(row) for row in places]).astype(np.float32)
        for_input, for_kernel, for_output = _TRANSFORMS[size]
        tiles = _transformed(for_input, tiles)[..., np.newaxis, :]  # [.., 1, IC]
        kernel = np.moveaxis(weight.astype(np.float32), 0, 2)  # [3, 3, OC, IC]
        kernel = _transformed(for_kernel, kernel)[:, :, np.newaxis, np.newaxis, np.newaxis]
        total = np.float32(0)
        for channel in range(weight.shape[3]):
            total = total + tiles[..., channel] * kernel[..., channel]
        result = _transformed(for_output, total)  # [size, size, N, rows, columns, OC]
        result = np.moveaxis(result, (0, 1), (2, 4))  # [N, rows, size, columns, size, OC]
        whole = result.reshape(shape[0], rows * size, columns * size, shape[3])
        return whole[:, :shape[1], :shape[2]].astype(np.float64)


class WideWinograd(Winograd):
    tile = 4


PRODUCTS = {"winograd-2": Winograd, "winograd-4": WideWinograd, "bf16x3": Bf16x3}
