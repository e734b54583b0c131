# SPDX-License-Identifier: Apache-2.0
"""More ways to calculate that the specification allows, and the table of all variants."""
import numpy as np

from compliant_arithmetic import (Beyond, Edge, Flush, Forward, Kept, Pairwise, Reverse)
from compliant_numbers import FORMATS


class FusedMultiplyAdd(Forward):
    """Sums in the order of the pseudocode by fused multiply-add."""

    def product(self, acc, x):
        return x


class Parts(FusedMultiplyAdd):
    """Adds parts of a sum, each in its order, and then the parts in pairs."""

    def parts(self, terms):
        """Returns a list of slices of the terms."""
        raise NotImplementedError

    def dot(self, acc, a, b, mask, rule):
        sums = [super(Parts, self).dot(acc, a[part], b if b is None or len(b) == 1 else b[part],
                                       mask[part], rule) for part in self.parts(len(a))]
        while len(sums) > 1:
            pairs = [self.step(acc, x + y) for x, y in zip(sums[0::2], sums[1::2])]
            sums = pairs + sums[len(sums) // 2 * 2:]
        return sums[0]


class Blocked(Parts):
    """Adds blocks of neighbouring terms."""
    block = 8

    def parts(self, terms):
        return [slice(at, at + self.block) for at in range(0, terms, self.block)]


class WideBlocked(Blocked):
    block = 16


class Split(Parts):
    """Has four accumulators, and gives every fourth term to each."""

    def parts(self, terms):
        return [slice(first, None, 4) for first in range(min(4, terms))]


class LargestFirst(Forward):
    """Rounds the products and adds them from the largest magnitude down."""

    def dot(self, acc, a, b, mask, rule):
        products = a if b is None else self.step(acc, a * b)
        shape = np.broadcast_shapes(products.shape, mask.shape)
        terms = np.where(mask, products, 0.0)
        order = np.argsort(-np.abs(np.broadcast_to(terms, shape)), axis=0, kind="stable")
        total = np.zeros(shape[1:])
        for term in np.take_along_axis(np.broadcast_to(terms, shape), order, 0):
            total = self.step(acc, total + term)
        return total


class KeptFlush(Kept):
    """Hands on its results in float64, and replaces by zero what rounds to a subnormal number."""
    flushes = True

    def load(self, dtype, x):
        return self.store(dtype, x)

    def store(self, dtype, x):
        form = FORMATS[dtype]
        if not form.may_flush:
            return x
        return np.where(np.abs(form.nearest(x)) < form.normal_min, np.copysign(0.0, x), x)

    cast = store


class Lower(Edge):
    """Gives the smallest result that the rule of the operator allows. In large tensors of dot
    products the errors cancel, as the rules on whole tensors demand."""

    def element(self, dtype, reference, error):
        return list(self.edges(dtype, reference, error))[1]

    def balanced(self, total, up, down, error, unit):
        if np.size(total) >= 1000:
            return super().balanced(total, up, down, error, unit)
        return down


class Upper(Lower):
    """Gives the largest result that the rule of the operator allows."""

    def element(self, dtype, reference, error):
        return list(self.edges(dtype, reference, error))[0]

    def balanced(self, total, up, down, error, unit):
        return super().balanced(total, up, up if np.size(total) < 1000 else down, error, unit)


class Scattered(Edge):
    """Gives any result between the edges. The choice is a function of the bits of the result."""

    def between(self, dtype, reference, up, down):
        bits = np.ascontiguousarray(reference, np.float64).view(np.uint64)
        bits = bits * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)
        share = bits.astype(np.float64).reshape(np.shape(reference)) * 2.0**-24
        both = np.isfinite(up) & np.isfinite(down)
        width = np.where(both, np.where(both, up, 0) - np.where(both, down, 0), 0)
        drawn = FORMATS[dtype].nearest(np.where(both, down, 0) + share * width)
        return np.where(both, np.clip(drawn, down, up), up)

    def element(self, dtype, reference, error):
        up, down = self.edges(dtype, reference, error)
        return self.between(dtype, reference, up, down)

    def dot_result(self, out, total, rule):
        if np.size(total) >= 1000:
            return super().dot_result(out, total, rule)
        self._out = out
        return super().dot_result(out, total, rule)

    def balanced(self, total, up, down, error, unit):
        if np.size(total) >= 1000:
            return super().balanced(total, up, down, error, unit)
        return self.between(self._out, total, up, down)


class BeyondByTenth(Beyond):
    """Is not compliant: its results are off by 1.1 times what the rule of the operator allows,
    where the type has such a number."""
    reach, dot_reach = 1.1, 1.0


VARIANTS = {"forward": Forward, "reverse": Reverse, "pairwise": Pairwise, "flush": Flush,
            "kept": Kept, "edge": Edge, "fused-multiply-add": FusedMultiplyAdd,
            "blocks-of-8": Blocked, "blocks-of-16": WideBlocked, "split": Split,
            "largest-first": LargestFirst, "kept-flush": KeptFlush, "lower": Lower,
            "upper": Upper, "scattered": Scattered}
CONTROLS = {"beyond": Beyond, "beyond-by-tenth": BeyondByTenth}
PLAIN_SUMS = ("forward", "reverse", "pairwise", "flush", "kept", "fused-multiply-add",
              "blocks-of-8", "blocks-of-16", "split", "largest-first", "kept-flush")
FLUSHING = ("flush", "kept-flush")  # the others keep all subnormal numbers
