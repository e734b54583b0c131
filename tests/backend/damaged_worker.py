# SPDX-License-Identifier: Apache-2.0
"""The example worker with planted damage: damaged_worker.py EXAMPLE CULPRIT[,CULPRIT] VICTIM. After graphs
with all of the operators CULPRIT, the process gives wrong results for each graph with VICTIM."""
import importlib.util
import sys

from assay import Op, Value, worker

SPECIFICATION = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(example)
CULPRITS = {getattr(Op, name) for name in sys.argv[2].split(",")}
VICTIM = getattr(Op, sys.argv[3])


class Damaged(example.NumpyBackend):
    seen = set()

    def invoke_with_taps(self, context, graph, inputs, taps):
        outputs, shown = super().invoke_with_taps(context, graph, inputs, taps)
        ops = {op.op for op in graph.main.operators}
        if Damaged.seen >= CULPRITS and VICTIM in ops:
            outputs = [Value(one.dtype, one.array + one.array.dtype.type(1)) for one in outputs]
        Damaged.seen |= ops & CULPRITS
        return outputs, shown


if __name__ == "__main__":
    worker.serve(Damaged())
