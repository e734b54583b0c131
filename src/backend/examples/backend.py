#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example of a program for `--backend worker:`, to start a backend of your own from. It executes
graphs with numpy; the package `assay` (src/python) speaks the protocol and reads `.tosa`.

    assay verify suite --backend 'worker:/usr/bin/python3 backend.py' \\
        --backend-env PYTHONPATH=build/release/python

/usr/bin/python3 is Debian's, for which python3-numpy and python3-flatbuffers are. Another python3
may come first on PATH, and may have neither.

What it declares it does exactly; all else is unsupported, and counted as that."""
import platform

from assay import DType, NanPropagationMode, Op, Value, dtypes, worker  # says if numpy is missing
import numpy as np

INTEGERS = [DType.INT8, DType.INT16, DType.INT32]
FLOATS = [DType.FP32, DType.FP16, DType.BF16]
NUMBERS = [DType.INT32, *FLOATS]
ANY = []  # all types: the elements are only moved


def numbers_of(dtype, array):
    """What to compute with: integers cannot overflow, and numpy has no BF16."""
    if dtype == DType.BF16:
        return dtypes.to_float32(dtype, array)
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


def array_of(dtype, numbers):
    """The other way round. Integers wrap; BF16 is FP32 rounded to its upper half, ties to even.
    (To round twice is to round once here: FP32 has more than twice the digits, and two.)"""
    if dtype != DType.BF16:
        return numbers.astype(dtypes.numpy_dtype(dtype), copy=False)
    bits = np.atleast_1d(numbers).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1) >> 16).reshape(np.shape(numbers))
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)


def multiply(op, x, y, shift):
    if x.dtype.kind != "i" or shift[0] == 0:
        return x * y
    return ((x * y >> shift[0] - 1) + 1) >> 1


def negate(op, x, input_zp, output_zp):
    if x.dtype.kind == "f":
        return -x
    return output_zp[0] - (x - input_zp[0])


def extreme(propagate, ignore):
    """MAXIMUM or MINIMUM by what numpy calls it."""
    def function(op, x, y):
        nan_mode = op.attributes["nan_mode"]
        return (ignore if nan_mode == NanPropagationMode.IGNORE else propagate)(x, y)
    return function


MAXIMUM, MINIMUM = extreme(np.maximum, np.fmax), extreme(np.minimum, np.fmin)


def plain(function):
    """An operator without attributes that numpy has."""
    return lambda op, *operands: function(*operands)


# What an operator makes of its operands, numbers as numbers_of() gives them, and its types.
ELEMENT_WISE = {
    Op.ABS: (plain(np.abs), NUMBERS),
    Op.ADD: (plain(np.add), NUMBERS),
    Op.BITWISE_AND: (plain(np.bitwise_and), INTEGERS),
    Op.BITWISE_NOT: (plain(np.bitwise_not), INTEGERS),
    Op.BITWISE_OR: (plain(np.bitwise_or), INTEGERS),
    Op.BITWISE_XOR: (plain(np.bitwise_xor), INTEGERS),
    Op.CEIL: (plain(np.ceil), FLOATS),
    Op.EQUAL: (plain(np.equal), NUMBERS),
    Op.FLOOR: (plain(np.floor), FLOATS),
    Op.GREATER: (plain(np.greater), NUMBERS),
    Op.GREATER_EQUAL: (plain(np.greater_equal), NUMBERS),
    Op.LOGICAL_AND: (plain(np.logical_and), [DType.BOOL]),
    Op.LOGICAL_NOT: (plain(np.logical_not), [DType.BOOL]),
    Op.LOGICAL_OR: (plain(np.logical_or), [DType.BOOL]),
    Op.LOGICAL_XOR: (plain(np.logical_xor), [DType.BOOL]),
    Op.MAXIMUM: (MAXIMUM, NUMBERS),
    Op.MINIMUM: (MINIMUM, NUMBERS),
    Op.MUL: (multiply, [*INTEGERS, *FLOATS]),
    Op.NEGATE: (negate, [*INTEGERS, *FLOATS]),
    Op.SUB: (plain(np.subtract), NUMBERS),
    Op.TABLE: (plain(lambda x, table: table[x + 128]), [DType.INT8]),
}

# What an operator makes of arrays, whatever their elements mean; `to` is the output's shape.
MOVES = {
    Op.CONCAT: lambda op, to, *xs: np.concatenate(xs, op.attributes["axis"]),
    Op.IDENTITY: lambda op, to, x: x,
    Op.PAD: lambda op, to, x, padding, fill: np.pad(x, padding.reshape(-1, 2),
                                                    constant_values=fill[0]),
    Op.RESHAPE: lambda op, to, x, shape: x.reshape(to),
    Op.REVERSE: lambda op, to, x: np.flip(x, op.attributes["axis"]),
    Op.SELECT: lambda op, to, condition, x, y: np.where(condition, x, y),
    Op.SLICE: lambda op, to, x, start, size: x[tuple(map(slice, start, start + size))],
    Op.TILE: lambda op, to, x, multiples: np.tile(x, multiples),
    Op.TRANSPOSE: lambda op, to, x: np.transpose(x, op.attributes["perms"]),
}

CONSTANTS = (Op.CONST, Op.CONST_SHAPE)
CONTROL_FLOW = (Op.COND_IF, Op.WHILE_LOOP)
STATE = (Op.VARIABLE, Op.VARIABLE_READ, Op.VARIABLE_WRITE)


class Invocation:
    """One run of a graph in a context, which is a dict: Values of variables by name."""

    def __init__(self, context, graph):
        self._context, self._graph = context, graph

    def run(self, block, inputs, values=None):
        """The outputs of a block, as arrays. `values` gets all its tensors by name."""
        values = {} if values is None else values
        values.update(zip(block.inputs, inputs))
        for op in block.operators:
            if op.op in STATE:
                self._touch(block, op, values)
            else:
                operands = [self._operand(block, values, name) for name in op.inputs]
                for name, result in zip(op.outputs, self._results(block, op, operands)):
                    self._put(block, values, name, result)
        return [self._operand(block, values, name) for name in block.outputs]

    def _operand(self, block, values, name):
        tensor = block.tensor(name)
        if getattr(tensor, "variable", False):  # the older form of state
            self._declare(name, tensor)
            return self._context[name].array
        return values[name]

    def _put(self, block, values, name, array):
        tensor = block.tensor(name)
        if getattr(tensor, "variable", False):
            self._context[name] = Value(tensor.dtype, array)
        else:
            values[name] = array

    def _declare(self, name, tensor):
        """A variable has its initial value until it is written to, and keeps it from then on."""
        if name not in self._context and tensor.data is not None:
            self._context[name] = Value(tensor.dtype, tensor.numpy())

    def _touch(self, block, op, values):
        """The variable is an operand: VARIABLE()->(v), VARIABLE_READ(v)->(x), VARIABLE_WRITE(x)->(v)."""
        tensor = block.tensor(op.inputs[0] if op.op == Op.VARIABLE_READ else op.outputs[0])
        name = tensor.variable_name or tensor.name
        if op.op == Op.VARIABLE:
            self._declare(name, tensor)
        elif op.op == Op.VARIABLE_READ:
            values[op.outputs[0]] = self._context[name].array
        else:
            self._context[name] = Value(tensor.dtype, values[op.inputs[0]])

    def _results(self, block, op, operands):
        if op.op == Op.COND_IF:
            name = op.attributes["then_graph" if operands[0].all() else "else_graph"]
            return self.run(self._graph.block(name), operands[1:])
        if op.op == Op.WHILE_LOOP:
            condition = self._graph.block(op.attributes["cond_graph"])
            while self.run(condition, operands)[0].all():
                operands = self.run(self._graph.block(op.attributes["body_graph"]), operands)
            return operands
        out = block.tensor(op.outputs[0])
        if op.op in CONSTANTS:
            return [out.numpy()]
        if op.op in MOVES:
            return [MOVES[op.op](op, out.shape, *operands)]
        types = [block.tensor(name).dtype for name in op.inputs]
        numbers = [numbers_of(dtype, array) for dtype, array in zip(types, operands)]
        if op.op == Op.CLAMP:
            bounds = [numbers_of(types[0], dtypes.unpack(types[0], (), op.attributes[name]))
                      for name in ("min_val", "max_val")]
            result = MINIMUM(op, MAXIMUM(op, numbers[0], bounds[0]), bounds[1])
        else:
            result = ELEMENT_WISE[op.op][0](op, *numbers)
        if op.op == Op.NEGATE and out.dtype in INTEGERS:  # saturates, where others do not overflow
            limits = np.iinfo(dtypes.numpy_dtype(out.dtype))
            result = np.clip(result, limits.min, limits.max)
        return [array_of(out.dtype, result)]


class NumpyBackend(worker.Backend):
    name, release = "numpy example", np.__version__
    variable_tensors = takes_state = True
    operators = {op: types for op, (_, types) in ELEMENT_WISE.items()}
    operators |= {op: ANY for op in (*MOVES, *CONSTANTS, *CONTROL_FLOW, *STATE)}
    operators |= {Op.CLAMP: [DType.INT8, DType.INT16, *FLOATS]}
    declarations = ["rounds-results"]  # each result is an array of its type
    environment = [f"Python {platform.python_version()}"]
    taps = taps_are_read = True

    def load_graph(self, graph, level):
        return graph

    def open_context(self):
        return {}

    def reset_context(self, context):
        context.clear()

    def set_state(self, context, variables):
        context.update(variables)

    def state(self, context):
        return context

    def invoke(self, context, graph, inputs):
        return self.invoke_with_taps(context, graph, inputs, [])[0]

    def invoke_with_taps(self, context, graph, inputs, taps):
        values = {}
        with np.errstate(all="ignore"):  # infinities and NaNs are results like others
            outputs = Invocation(context, graph).run(graph.main, [one.array for one in inputs],
                                                     values)
        typed = lambda name, array: Value(graph.main.tensor(name).dtype, array)
        return ([typed(name, array) for name, array in zip(graph.main.outputs, outputs)],
                {name: typed(name, values[name]) for name in taps if name in values})


if __name__ == "__main__":
    worker.serve(NumpyBackend())
