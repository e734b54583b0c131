# SPDX-License-Identifier: Apache-2.0
"""A backend of ten operators, and its verdict: /usr/bin/python3 numpy_backend.py

The function run() is all that a backend needs. What it does not support it says so."""
import numpy as np

import assay
from assay import Op
from assay.worker import Unsupported

BINARY = {Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.MAXIMUM: np.maximum}
UNARY = {Op.ABS: np.abs, Op.CEIL: np.ceil, Op.FLOOR: np.floor, Op.IDENTITY: np.array}


def run(graph, inputs):
    values = dict(zip(graph.main.inputs, inputs))
    for op in graph.main.operators:
        operands = [values[name] for name in op.inputs]
        if op.op in BINARY and operands[0].dtype == np.float32:
            result = BINARY[op.op](*operands[:2])
        elif op.op in UNARY and operands[0].dtype == np.float32:
            result = UNARY[op.op](operands[0])
        elif op.op in (Op.CONST, Op.CONST_SHAPE):
            result = graph.main.tensor(op.outputs[0]).numpy()
        else:
            raise Unsupported(op.op.name)
        values[op.outputs[0]] = result
    return [values[name] for name in graph.main.outputs]


if __name__ == "__main__":
    np.seterr(all="ignore")  # infinities and NaNs are results like others
    suite = assay.generate("operator", seed=1, count=400,
                           operators=[op.name for op in (*BINARY, *UNARY)], types=["fp32"])
    result = assay.verify(suite, run, minimize=True)
    print(result.text)
