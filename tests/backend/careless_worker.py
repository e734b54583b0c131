# SPDX-License-Identifier: Apache-2.0
"""The example worker with operators whose faults show in other operators: careless_worker.py EXAMPLE.
- BITWISE_OR writes its result into its first operand.
- EQUAL stores 2 for true. Answers and taps have 1 in its place, and LOGICAL_NOT flips the lowest bit.
- BITWISE_XOR writes beyond its memory: alone it crashes, and in a graph the operator behind it gives 1 more.
- NEGATE damages the memory of its graph, so that every ADD behind it crashes."""
import importlib.util
import sys

import numpy as np

from assay import DType, Op, worker

SPECIFICATION = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(example)


class AddCrashed(Exception):
    op = "ADD"


class XorCrashed(Exception):
    op = "BITWISE_XOR"


class CarelessInvocation(example.Invocation):
    is_damaged = False
    is_overwritten = False

    def run(self, block, inputs, values=None):
        return super().run(block, [np.array(one) for one in inputs], values)

    def _results(self, block, op, operands):
        if op.op == Op.ADD and self.is_damaged:
            raise AddCrashed("memory access out of bounds")
        self.is_damaged |= op.op == Op.NEGATE
        if op.op == Op.LOGICAL_NOT:
            return [operands[0] ^ 1]
        if op.op == Op.BITWISE_XOR and sum(each.op != Op.CONST for each in block.operators) == 1:
            raise XorCrashed("memory access out of bounds")
        results = super()._results(block, op, operands)
        if self.is_overwritten:
            results = [results[0] + 1]
        self.is_overwritten = op.op == Op.BITWISE_XOR
        if op.op == Op.BITWISE_OR:
            operands[0][...] = results[0]
        if op.op == Op.EQUAL:
            results = [results[0].astype(np.uint8) * 2]
        return results


example.Invocation = CarelessInvocation


class Careless(example.NumpyBackend):
    def invoke_with_taps(self, context, graph, inputs, taps):
        outputs, shown = super().invoke_with_taps(context, graph, inputs, taps)
        for one in [*outputs, *shown.values()]:
            if one.dtype == DType.BOOL:
                one.array = one.array.astype(bool)
        return outputs, shown


if __name__ == "__main__":
    worker.serve(Careless())
