# SPDX-License-Identifier: Apache-2.0
"""How the variants of the compliant worker calculate with floating-point numbers."""
import functools

import numpy as np

from compliant_numbers import FORMATS


class Forward:
    """Does what the pseudocode says: sums in its order, in the types that it names."""
    keeps_precision = False  # between operators
    doubles_inside = False  # operators calculate in float64
    multiplies_padding = False  # tosa_extra_multiplies
    skips_zero_sines = True  # of RFFT2D
    flushes = False  # operands change where they are loaded
    uses_errors = False  # element() reads `error`

    def load(self, dtype, x):
        """An operand as an operator reads it."""
        return x

    def store(self, dtype, x):
        """The result of an operator."""
        return FORMATS[dtype].nearest(x)

    def step(self, dtype, x):
        """The result of one addition, multiplication or division inside an operator."""
        return self.rounded(dtype, x)

    def rounded(self, dtype, x):
        """The same inside RESIZE and REDUCE_PRODUCT, whose rules have no room for a flush."""
        return FORMATS[dtype].nearest(x)

    def cast(self, dtype, x):
        """The result of CAST between floats."""
        return FORMATS[dtype].nearest(x)

    def element(self, dtype, reference, error):
        """The result of an operator whose rule allows `error` around the float64 `reference`.
        `error` is None unless uses_errors."""
        return self.store(dtype, reference)

    def order(self, terms):
        return range(terms)

    def starts_convolution(self, op, shape, x, weight):
        """Called with the operands of a convolution, and the shape of its result, before dot()."""

    def dot(self, acc, a, b, mask, rule):
        """The sum of a[k] * b[k] where mask[k]; `b` None: of a[k]."""
        shape = np.broadcast_shapes(a.shape[1:], mask.shape[1:], () if b is None else b.shape[1:])
        terms = a if b is None else self.product(acc, a * b)
        total, has_gaps = np.zeros(shape), not mask.all()
        for k in self.order(len(a)):
            added = self.step(acc, total + terms[k])
            total = np.where(mask[k], added, total) if has_gaps else added
        return total

    def product(self, acc, x):
        """A product before it is added."""
        return self.step(acc, x)

    def dot_result(self, out, total, rule):
        return self.store(out, total)


class Reverse(Forward):
    """Sums from the other end by fused multiply-add, rounds casts toward zero, leaves out nothing
    that may be left out."""
    multiplies_padding = True
    skips_zero_sines = False

    def cast(self, dtype, x):
        return FORMATS[dtype].toward_zero(x)

    def order(self, terms):
        return reversed(range(terms))

    def product(self, acc, x):
        return x


class Pairwise(Forward):
    """Calculates in float64 inside operators, and sums in pairs."""
    doubles_inside = True
    skips_zero_sines = False

    def rounded(self, dtype, x):
        return x

    def dot(self, acc, a, b, mask, rule):
        terms = np.where(mask, a if b is None else a * b, 0.0)
        while len(terms) > 1:
            if len(terms) % 2:
                terms = np.concatenate([terms, np.zeros_like(terms[:1])])
            terms = terms[0::2] + terms[1::2]
        return terms[0]


class Flush(Forward):
    """Has no subnormal numbers."""
    flushes = True

    def load(self, dtype, x):
        return FORMATS[dtype].flushed(x)

    def store(self, dtype, x):
        return FORMATS[dtype].flushed(FORMATS[dtype].nearest(x))

    step = cast = store


class Kept(Pairwise):
    """Hands on its results in float64, through casts as well."""
    keeps_precision = True

    def store(self, dtype, x):
        return x

    cast = store


class Edge(Pairwise):
    """Is as far off as the rule of the operator allows, up and down so that the errors cancel."""
    uses_errors = True
    reach = 1 - 2.0**-30  # of what the rule allows; float64 is off itself
    dot_reach = 0.98  # a share of the reach, for sums of which float64 has no exact result

    def edges(self, dtype, reference, error):
        """The largest and the smallest results that `error` around the float64 `reference` allows."""
        form, nearest = FORMATS[dtype], self.store(dtype, reference)
        usable = np.isfinite(error) & np.isfinite(nearest)
        reference = np.where(usable, reference, 0)
        error = np.where(usable, error, 0) * self.reach
        for edge in form.below(reference + error), form.above(reference - error):
            good = usable & np.isfinite(edge) & (np.abs(edge - reference) <= error)
            yield np.where(good, edge, nearest)

    def element(self, dtype, reference, error):
        up, down = self.edges(dtype, reference, error)
        odd = np.arange(np.size(reference)).reshape(np.shape(reference)) % 2
        return np.where(odd, down, up)

    def cast(self, dtype, x):
        return FORMATS[dtype].toward_zero(x)

    def dot_result(self, out, total, rule):
        """Large tensors keep the rules on the sums of their errors and of the squares, too."""
        roundings = rule.roundings(FORMATS[out])
        errors = 2 * roundings
        if np.size(total) >= 1000:
            errors = min(errors, (1.6 * roundings) ** 0.5)
        form = FORMATS[out]
        unit = np.maximum(rule.bound * 2.0 ** (-1 - form.fraction_bits), form.normal_min)
        grown = rule.bound * (1 + 2 * roundings * 2.0 ** (-1 - form.fraction_bits))
        overflows = ~np.isfinite(form.nearest(grown))
        error = np.where((rule.bound == 0) | overflows, 0, self.dot_reach * errors * unit)
        up, down = self.edges(out, total, error)
        return self.balanced(total, up, down, error, unit)

    @staticmethod
    def balanced(total, up, down, error, unit):
        """Takes one edge for each element, so that the sum of the errors in units is small."""
        ups, downs = (np.where(error > 0, edge - total, 0) / unit for edge in (up, down))
        balance, upward = 0.0, np.zeros(np.size(total), dtype=bool)
        for k, (higher, lower) in enumerate(zip(np.ravel(ups), np.ravel(downs))):
            upward[k] = balance < 0
            balance += higher if upward[k] else lower
        return np.where(upward.reshape(np.shape(total)), up, down)


class DotRule:
    """What the accuracy rule of dot products needs to know of one operator."""

    def __init__(self, kernel_size, in_type, acc, local_bound):
        self.kernel_size, self.in_type, self.acc = kernel_size, in_type, acc
        self.local_bound = local_bound
        self.of_result = lambda bound: bound  # what the operator does with the sum of magnitudes

    def roundings(self, out):
        bits = FORMATS[self.acc].fraction_bits - out.fraction_bits
        return np.ceil(self.kernel_size / 2.0 ** (bits // 2)) + 1

    def measure(self, data, a, b, mask):
        """Takes the operands of the products."""
        self._operands = data, a, b, mask

    @functools.cached_property
    def bound(self):
        """The sum of the magnitudes of the products, and what else the operator adds."""
        data, a, b, mask = self._operands
        normal_min = FORMATS[self.in_type].normal_min
        magnitudes = np.maximum(np.abs(a if self.local_bound else np.max(np.abs(data))), normal_min)
        if b is not None:
            magnitudes = magnitudes * np.maximum(np.abs(b), normal_min)
        return self.of_result(np.sum(np.where(mask, magnitudes, 0.0), axis=0))


class Beyond(Edge):
    """Is not compliant: it goes beyond the rule. A suite that finds nothing here tests nothing."""
    reach = 1.25
