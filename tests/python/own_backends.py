# SPDX-License-Identifier: Apache-2.0
"""Backends for the tests, right and wrong."""
import os
import time

import numpy as np

from assay import DType, Op, Value, worker

FUNCTIONS = {Op.ADD: np.add, Op.SUB: np.subtract}


def run(graph, inputs, functions=FUNCTIONS):
    """ADD and SUB of FP32 and INT32."""
    values = dict(zip(graph.main.inputs, inputs))
    for op in graph.main.operators:
        tensor = graph.main.tensor(op.outputs[0])
        if op.op in (Op.CONST, Op.CONST_SHAPE):
            values[tensor.name] = tensor.numpy()
        elif op.op in functions and tensor.dtype in (DType.FP32, DType.INT32):
            with np.errstate(all="ignore"):
                values[tensor.name] = functions[op.op](*[values[name] for name in op.inputs])
        else:
            raise worker.Unsupported(op.op.name)
    return [values[name] for name in graph.main.outputs]


def wrong_add(graph, inputs):
    return run(graph, inputs, {**FUNCTIONS, Op.ADD: np.subtract})


def raises(graph, inputs):
    raise RuntimeError("no such\nthing")


def returns_nothing(graph, inputs):
    return None


def returns_too_many(graph, inputs):
    return run(graph, inputs) * 2


def returns_float64(graph, inputs):
    return [one.astype(np.float64) for one in run(graph, inputs)]


def returns_other_type(graph, inputs):
    with np.errstate(invalid="ignore"):
        return [one.astype(np.int16) for one in run(graph, inputs)]


def returns_other_shape(graph, inputs):
    return [one.reshape(-1) for one in run(graph, inputs)]


def returns_a_dict(graph, inputs):
    return dict(zip(graph.main.outputs, run(graph, inputs)))


def returns_views_of_one_buffer(graph, inputs):
    outputs = run(graph, inputs)
    for array in outputs:
        _buffer[:array.nbytes] = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    return [_buffer[:one.nbytes].view(one.dtype).reshape(one.shape) for one in outputs]


_buffer = np.zeros(1 << 16, np.uint8)


def is_interrupted(graph, inputs):
    raise KeyboardInterrupt


def never_returns(graph, inputs):
    if any(op.op == Op.SUB for op in graph.main.operators):
        time.sleep(3600)
    return run(graph, inputs)


def exits(graph, inputs):
    if any(op.op == Op.SUB for op in graph.main.operators):
        os._exit(7)
    return run(graph, inputs)


class Counter(worker.Backend):
    """A backend with state: graphs of VARIABLE operators and ADD of INT32."""
    name, release = "counter", "1"
    operators = {Op.VARIABLE: [], Op.VARIABLE_READ: [], Op.VARIABLE_WRITE: [], Op.IDENTITY: [],
                 Op.CONST: []}

    def load_graph(self, graph, level):
        return graph

    def open_context(self):
        return {}

    def reset_context(self, context):
        context.clear()

    def invoke(self, context, graph, inputs):
        values = dict(zip(graph.main.inputs, inputs))
        for op in graph.main.operators:
            tensor = graph.main.tensor((op.inputs if op.op == Op.VARIABLE_READ else op.outputs)[0])
            name = tensor.variable_name or tensor.name
            if op.op == Op.VARIABLE:
                if name not in context and tensor.data is not None:
                    context[name] = Value(tensor.dtype, tensor.numpy())
            elif op.op == Op.VARIABLE_READ:
                values[op.outputs[0]] = context[name]
            elif op.op == Op.VARIABLE_WRITE:
                context[name] = values[op.inputs[0]]
            elif op.op == Op.CONST:
                values[op.outputs[0]] = Value(tensor.dtype, tensor.numpy())
            else:
                values[op.outputs[0]] = values[op.inputs[0]]
        return [values[name] for name in graph.main.outputs]

    def state(self, context):
        return context


class ForgetfulCounter(Counter):
    """Answers as Counter, and says that its variables are 0."""

    def state(self, context):
        return {name: Value(value.dtype, value.array * 0) for name, value in context.items()}
