# SPDX-License-Identifier: Apache-2.0
"""The example worker with limits that it does not declare: limited_worker.py EXAMPLE. It refuses at
the time a graph is loaded, as a compiler does, and answers everything else.

  kernel 8, stride 3    of the windows that it pretends to have (below)
  rank 4                of all operators but TRANSPOSE, which has every rank but 5
  dimension 4096
  no int16

The example has no windows. So this worker pretends to have MAX_POOL2D, AVG_POOL2D and CONV2D, and
answers zeros for them, which is enough to be probed."""
import importlib.util
import sys

import numpy as np

from assay import DType, Op, worker

SPECIFICATION = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(example)

WINDOWS = (Op.MAX_POOL2D, Op.AVG_POOL2D, Op.CONV2D)
KERNEL, STRIDE, RANK, DIMENSION = 8, 3, 4, 4096


def check_window(block, op):
    if op.op == Op.CONV2D:
        kernel = block.tensor(op.inputs[1]).shape[1:3]
    else:
        kernel = op.attributes["kernel"]
    if max(kernel) > KERNEL:
        raise worker.Rejected("kernel too large", unsupported=True)
    if max(op.attributes["stride"]) > STRIDE:
        raise worker.Rejected("stride too large", unsupported=True)


def check(block):
    for op in block.operators:
        tensors = [block.tensor(name) for name in (*op.inputs, *op.outputs)]
        tensors = [tensor for tensor in tensors if hasattr(tensor, "dtype")]
        if any(tensor.dtype == DType.INT16 for tensor in tensors):
            raise worker.Rejected("no int16", unsupported=True)
        if op.op in WINDOWS:
            check_window(block, op)
        shapes = [tensor.shape for tensor in tensors if tensor.shape is not None]
        rank = max((len(shape) for shape in shapes), default=0)
        if op.op not in (Op.TRANSPOSE, *example.CONSTANTS) and rank > RANK:
            raise worker.Rejected("rank too large", unsupported=True)
        if op.op == Op.TRANSPOSE and rank == 5:
            raise worker.Rejected("no TRANSPOSE of rank 5", unsupported=True)
        if any(size > DIMENSION for shape in shapes for size in shape):
            raise worker.Rejected("dimension too large", unsupported=True)


class Limited(example.NumpyBackend):
    operators = {op: [] for op in (*example.NumpyBackend.operators, *WINDOWS)}
    operators |= {op: types for op, types in example.NumpyBackend.operators.items() if types}

    def load_graph(self, graph, level):
        for region in graph.regions:
            for block in region.blocks:
                check(block)
        return graph


class Invocation(example.Invocation):
    def _results(self, block, op, operands):
        if op.op not in WINDOWS:
            return super()._results(block, op, operands)
        out = block.tensor(op.outputs[0])
        return [np.zeros(out.shape, example.dtypes.numpy_dtype(out.dtype))]


example.Invocation = Invocation

if __name__ == "__main__":
    worker.serve(Limited())
