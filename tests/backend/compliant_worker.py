#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A compliant backend in numpy, for `--backend worker:`. It shares no code with Assay's executor.

    compliant_worker.py VARIANT [OPERATOR]

The variants (compliant_arithmetic.py) calculate in different ways, all of which the specification
allows: none of them may ever have a finding. Each finding is a defect, of this worker or of Assay.
The variants `beyond` and `beyond-by-tenth` are controls: they break the rules, and must have
findings. Those of other_products.py keep the rules for some operands only. With OPERATOR ("TANH"),
the results of this operator are one part in a thousand too large, a fault to be found."""
import operator
import sys

import numpy as np

from assay import Op, Value, dtypes, worker
from compliant_numbers import FORMATS, array_of, numbers_of
from compliant_operators import OPERATORS
from compliant_variants import CONTROLS, VARIANTS
from other_products import PRODUCTS

CONSTANTS = (Op.CONST, Op.CONST_SHAPE)
CONTROL_FLOW = (Op.COND_IF, Op.WHILE_LOOP)
STATE = (Op.VARIABLE, Op.VARIABLE_READ, Op.VARIABLE_WRITE)


class Memo:
    """What is the same in all runs of a block, in all variants. It is kept in the block."""

    def __init__(self, block):
        self.tensors = {one.name: one for one in (*block.tensors, *block.shapes)}
        self.floats = {one.name: one.dtype for one in block.tensors if one.dtype in FORMATS}
        self.inputs = {}  # numbers by position, shape and bytes
        # Operands and results by the operator's first output, if no arithmetic was asked.
        self.results = {}

    def numbers_of(self, index, value):
        """The numbers of an input; the same array if the input is the same."""
        key = index, value.array.shape, value.array.tobytes()
        if key not in self.inputs:
            self.inputs[key] = numbers_of(value.dtype, value.array)
        return self.inputs[key]


def memo_of(block):
    if not hasattr(block, "memo"):
        block.memo = Memo(block)
    return block.memo


class Run:
    """What an operator may ask about the block that it stands in."""

    def __init__(self, arithmetic, block):
        self.chosen, self.memo = arithmetic, memo_of(block)
        self.asked = False  # whether the present operator has asked for the arithmetic

    @property
    def arithmetic(self):
        self.asked = True
        return self.chosen

    def in_type(self, op):
        return self.memo.tensors[op.inputs[0]].dtype

    def out_tensor(self, op):
        return self.memo.tensors[op.outputs[0]]

    def out_type(self, op):
        return self.out_tensor(op).dtype


def constant(run, op):
    out = run.out_tensor(op)
    return [numbers_of(getattr(out, "dtype", dtypes.DType.SHAPE), out.numpy())]


class Invocation:
    """One run of a graph in a context: numbers of variables by name."""

    def __init__(self, arithmetic, context, graph, faulty=None):
        self._arithmetic, self._context, self._graph = arithmetic, context, graph
        self._faulty = faulty  # an operator, or None

    def run(self, block, inputs, values=None):
        """The outputs of a block. `values` gets all its tensors by name."""
        run, values = Run(self._arithmetic, block), {} if values is None else values
        values.update(zip(block.inputs, inputs))
        for op in block.operators:
            if op.op in STATE:
                self._touch(block, op, values)
            else:
                operands = [values[name] for name in op.inputs]
                if self._arithmetic.flushes:
                    operands = [self._load(run.memo.floats.get(name), operand)
                                for name, operand in zip(op.inputs, operands)]
                run.asked = False
                for name, result in zip(op.outputs, self._results(run, block, op, operands)):
                    values[name] = self._stored(block, name, result, run)
        return [values[name] for name in block.outputs]

    def _load(self, dtype, operand):
        return operand if dtype is None else self._arithmetic.load(dtype, operand)

    def _stored(self, block, name, result, run):
        """The result as the next operator finds it. Numbers are only moved where no arithmetic was
        asked: then they are of the type already."""
        dtype = run.memo.floats.get(name)
        is_new = run.asked or self._arithmetic.flushes
        if dtype is None or self._arithmetic.keeps_precision or not is_new:
            return result
        return self._arithmetic.store(dtype, result)

    def _results(self, run, block, op, operands):
        if op.op == Op.COND_IF:
            name = op.attributes["then_graph" if operands[0].all() else "else_graph"]
            return self.run(self._graph.block(name), operands[1:])
        if op.op == Op.WHILE_LOOP:
            condition = self._graph.block(op.attributes["cond_graph"])
            while self.run(condition, operands)[0].all():
                operands = self.run(self._graph.block(op.attributes["body_graph"]), operands)
            return operands
        is_constant = op.op in CONSTANTS
        if is_constant:
            operands = [run.out_tensor(op).data]
        before, results = run.memo.results.get(op.outputs[0], (None, None))
        if before is None or not all(map(operator.is_, operands, before)):
            results = constant(run, op) if is_constant else OPERATORS[op.op](run, op, *operands)
            if not run.asked:
                run.memo.results[op.outputs[0]] = operands, results
        return [result * 1.001 for result in results] if op.op == self._faulty else results

    def _touch(self, block, op, values):
        """The variable is an operand: VARIABLE()->(v), VARIABLE_READ(v)->(x), VARIABLE_WRITE(x)->(v)."""
        tensor = block.tensor(op.inputs[0] if op.op == Op.VARIABLE_READ else op.outputs[0])
        name = tensor.variable_name or tensor.name
        if op.op == Op.VARIABLE:
            if name not in self._context and tensor.data is not None:
                self._context[name] = Value(tensor.dtype, tensor.numpy())
        elif op.op == Op.VARIABLE_READ:
            values[op.outputs[0]] = numbers_of(tensor.dtype, self._context[name].array)
        else:
            self._context[name] = Value(tensor.dtype, array_of(tensor.dtype, values[op.inputs[0]]))


class CompliantBackend(worker.Backend):
    name, release = "compliant numpy worker", np.__version__
    takes_state = True
    operators = {op: [] for op in (*OPERATORS, *CONSTANTS, *CONTROL_FLOW, *STATE)}
    taps = taps_are_read = True

    def __init__(self, arithmetic, faulty=None):
        self._arithmetic, self._faulty = arithmetic, faulty

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
        main, values = graph.main, {}
        memo = memo_of(main)

        def typed(name, numbers):
            dtype = memo.tensors[name].dtype
            return Value(dtype, array_of(dtype, numbers))

        with np.errstate(all="ignore"):
            outputs = Invocation(self._arithmetic, context, graph, self._faulty).run(
                main, [memo.numbers_of(*one) for one in enumerate(inputs)], values)
            return ([typed(name, numbers) for name, numbers in zip(main.outputs, outputs)],
                    {name: typed(name, values[name]) for name in taps if name in values})


if __name__ == "__main__":
    variants = VARIANTS | CONTROLS | PRODUCTS
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in variants:
        sys.exit("usage: compliant_worker.py " + "|".join(variants) + " [OPERATOR]")
    worker.serve(CompliantBackend(variants[sys.argv[1]](), *[Op[name] for name in sys.argv[2:]]))
