# SPDX-License-Identifier: Apache-2.0
"""Graphs of one dot product in fp32, of kinds for which there are other algorithms."""
import numpy as np

from assay import DType, Op
from assay.graph import Block, Graph, Operator, Region, Tensor


def _constant(block, name, array, dtype=DType.FP32):
    tensor = Tensor(name, (), dtype)
    tensor.set(array)
    block.tensors.append(tensor)
    block.operators.append(Operator(Op.CONST, [], [name]))
    return name


def _input(block, name, shape):
    block.tensors.append(Tensor(name, shape, DType.FP32))
    block.inputs.append(name)
    return name


def _graph(block, op, operands, attributes, out_shape):
    """The graph of a block whose last operator is to be added."""
    block.tensors.append(Tensor("output", out_shape, DType.FP32))
    block.outputs.append("output")
    block.operators.append(Operator(op, operands, ["output"], attributes))
    return Graph(regions=[Region(blocks=[block])])


def convolution(size, channels, out_channels, local_bound, random):
    """CONV2D of 3 x 3 kernels with a bias. MUL makes its input, by powers of two, so that large and
    small numbers are neighbours."""
    block, shape = Block(), (1, size, size, channels)
    attributes = {"pad": [1, 1, 1, 1], "stride": [1, 1], "dilation": [1, 1],
                  "local_bound": local_bound, "acc_type": DType.FP32}
    powers = np.float32(2.0 ** random.integers(-14, 15, shape))
    shift = _constant(block, "shift", np.int8([0]), DType.INT8)
    factors = [_input(block, "input", shape), _constant(block, "powers", powers), shift]
    block.tensors.append(Tensor("scaled", shape, DType.FP32))
    block.operators.append(Operator(Op.MUL, factors, ["scaled"]))
    weights = random.standard_normal((out_channels, 3, 3, channels))
    operands = ["scaled", _constant(block, "weights", np.float32(weights)),
                _constant(block, "bias", np.float32(random.standard_normal(out_channels)))]
    operands += [_constant(block, name, np.float32([0])) for name in ("input_zp", "weight_zp")]
    return _graph(block, Op.CONV2D, operands, attributes, (1, size, size, out_channels))


def matmul(rows, terms, columns):
    block = Block()
    operands = [_input(block, "a", (1, rows, terms)), _input(block, "b", (1, terms, columns))]
    operands += [_constant(block, name, np.float32([0])) for name in ("a_zp", "b_zp")]
    return _graph(block, Op.MATMUL, operands, {}, (1, rows, columns))


def product_graphs(seed, most=None):
    """Yields names and graphs: convolutions with and without local_bound, and matrix products of
    few and of many terms; at most `most` of each, spread over all."""
    random = np.random.default_rng(seed)
    convolutions = [(channels, size, local_bound) for channels in (1, 2, 4, 8, 16, 32)
                    for size in (4, 7, 8, 12) for local_bound in (False, True)]
    products = [(terms, rows) for rows in (4, 6) for terms in
                (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)]
    for channels, size, local_bound in convolutions[::_stride(convolutions, most)]:
        yield (f"convolution-{channels}-{size}" + ("-local" if local_bound else ""),
               convolution(size, channels, 4, local_bound, random))
    for terms, rows in products[::_stride(products, most)]:
        yield f"matmul-{terms}-{rows}", matmul(rows, terms, 8)


def _stride(all_of_them, most):
    """An odd step, so that both values of local_bound occur."""
    return 1 if most is None else -(-len(all_of_them) // most) | 1
