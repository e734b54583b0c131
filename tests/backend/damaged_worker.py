# SPDX-License-Identifier: Apache-2.0
"""The example worker with planted damage: damaged_worker.py EXAMPLE CULPRIT VICTIM. After a graph
with the operator CULPRIT, the process gives wrong results for each graph with VICTIM."""
import importlib.util
import sys

from assay import Op, Value, worker

SPECIFICATION = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(example)
CULPRIT, VICTIM = (getattr(Op, name) for name in sys.argv[2:4])


class Damaged(example.NumpyBackend):
    is_damaged = False

    def invoke_with_taps(self, context, graph, inputs, taps):
        outputs, shown = super().invoke_with_taps(context, graph, inputs, taps)
        ops = {op.op for op in graph.main.operators}
        if Damaged.is_damaged and VICTIM in ops:
            outputs = [Value(one.dtype, one.array + one.array.dtype.type(1)) for one in outputs]
        Damaged.is_damaged |= CULPRIT in ops
        return outputs, shown


if __name__ == "__main__":
    worker.serve(Damaged())
