# SPDX-License-Identifier: Apache-2.0
"""The comparisons of outputs that other projects use, for measure_power.py."""
import numpy as np

from assay import Op
from compliant_arithmetic import Kept
from compliant_numbers import FORMATS, numbers_of
from compliant_worker import Invocation


class _Ruled(Kept):
    """Calculates in float64, and keeps the error that the rule of the last operator allows."""
    uses_errors = True

    def __init__(self):
        self.error = None

    def element(self, dtype, reference, error):
        self.error = np.broadcast_to(error, np.shape(reference))
        return reference

    def dot_result(self, out, total, rule):
        form = FORMATS[out]
        unit = np.maximum(rule.bound * 2.0 ** (-1 - form.fraction_bits), form.normal_min)
        self.error = np.where(rule.bound == 0, 0, 2 * rule.roundings(form) * unit)
        return total


class _Measured(Invocation):
    """Keeps the errors of each operator's results by the name of the tensor."""

    def __init__(self, context, graph):
        self._ruled = _Ruled()
        self.errors = {}
        super().__init__(self._ruled, context, graph)

    def _results(self, run, block, op, operands):
        self._ruled.error = None
        results = super()._results(run, block, op, operands)
        for name in op.outputs:
            self.errors[name] = 0 if op.op == Op.COND_IF else self._ruled.error
        return results


class Bounds:
    """Float64 numbers of the outputs of a vector, and the errors that the rules of the operators
    allow that compute them: None for operators without one. It is computed when it is needed."""

    def __init__(self, vector):
        self._vector, self._outputs = vector, None

    def outputs(self):
        if self._outputs is None:
            self._outputs = list(self._computed())
        return self._outputs

    def _computed(self):
        contexts = {}
        for step in self._vector.steps:
            context = contexts.setdefault(step.context, {})
            context.update(step.state_before)
            graph = self._vector.graphs[step.graph]
            run = _Measured(context, graph)
            with np.errstate(all="ignore"):
                results = run.run(graph.main, [numbers_of(one.dtype, one.array)
                                               for one in step.inputs])
            for name, result in zip(graph.main.outputs, results):
                yield result, run.errors.get(name)


def _numbers(value):
    return np.asarray(numbers_of(value.dtype, value.array))


def close(relative, absolute):
    """numpy.allclose() with NaN equal to NaN; integers must be equal."""
    def check(_, got, expected):
        x, y = _numbers(got), _numbers(expected)
        if got.dtype not in FORMATS:
            return np.array_equal(x, y)
        return np.allclose(x, y, rtol=relative, atol=absolute, equal_nan=True)
    return check


def cosine(least):
    """The cosine of the angle between the tensors as vectors."""
    def check(_, got, expected):
        x, y = _numbers(got).ravel(), _numbers(expected).ravel()
        if got.dtype not in FORMATS:
            return np.array_equal(x, y)
        usable = np.isfinite(x) & np.isfinite(y)
        if not np.array_equal(np.isfinite(x), np.isfinite(y)):
            return False
        largest = max(np.max(np.abs(x[usable]), initial=0), np.max(np.abs(y[usable]), initial=0))
        if largest == 0:
            return True
        x, y = x[usable] / largest, y[usable] / largest
        norms = np.sqrt(np.dot(x, x) * np.dot(y, y))
        return bool(norms > 0 and np.dot(x, y) >= least * norms)
    return check


def bounded(bound, got, expected):
    """Arm's verification of one operator, applied to the last operator of a graph: its rule around
    the float64 result of the graph. Operators without a rule must give the expected bits."""
    reference, error = bound
    x = _numbers(got)
    if got.dtype not in FORMATS or error is None:
        return np.array_equal(x, _numbers(expected), equal_nan=got.dtype in FORMATS)
    form = FORMATS[got.dtype]
    with np.errstate(all="ignore"):
        rounded = form.nearest(reference)
        good = np.abs(x - reference) <= np.maximum(error, form.unit(rounded) / 2)
    same = (x == rounded) | (np.isnan(x) & np.isnan(rounded))
    return bool(np.all(np.where(np.isfinite(rounded) & np.isfinite(error), good | same, same)))


TOLERANCES = {"rtol 1e-2": close(1e-2, 1e-3), "rtol 1e-3": close(1e-3, 1e-3),
              "cosine 0.99": cosine(0.99), "Arm": bounded}
