# SPDX-License-Identifier: Apache-2.0
"""The translation to ONNX, without a runtime: the nodes of an operator, what onnx.checker and the
inference of shapes say, and what is unsupported."""
import numpy as np
import pytest

import assay
from assay import Op
from assay.worker import Unsupported

onnx = pytest.importorskip("onnx", reason="python3-onnx is not installed")
from assay.backends.onnx.__main__ import nodes_as_text
from assay.backends.onnx.model import OPSET, onnx_type
from assay.backends.onnx.translation import OPERATORS, STRUCTURE, translate

# Operators without a translation: DFT has no stated accuracy in ONNX, a session keeps no variables,
# and CUSTOM is nothing of TOSA's.
UNTRANSLATED = {Op.CUSTOM, Op.FFT2D, Op.RFFT2D, Op.VARIABLE, Op.VARIABLE_READ, Op.VARIABLE_WRITE}


def nodes_of(build, *inputs):
    """Returns the nodes for a graph with inputs ("fp32", [2, 3]), by which `build` gets a result."""
    b = assay.Builder()
    operands = [b.input(f"x{i}", shape, dtype) for i, (dtype, shape) in enumerate(inputs)]
    translation = translate(b.graph(build(b, *operands)))
    check(translation)
    return translation.model.graph.node


def check(translation):
    """Checks a model. onnx 1.12 does not know opset 18, which bitwise operators need."""
    if translation.model.opset_import[0].version == OPSET:
        onnx.checker.check_model(translation.model)
        onnx.shape_inference.infer_shapes(translation.model, check_type=True, strict_mode=True)


def kinds(*arguments):
    return [node.op_type for node in nodes_of(*arguments)]


def attributes(node):
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}


IMAGE = ("fp32", [1, 5, 5, 2])
BYTES = ("i8", [1, 5, 5, 2])
# The kinds of the nodes by what is translated. A change here is a change of meaning or of speed:
# read the README before.
GOLDEN = {
    "ADD i32": (lambda b, x: b.add(x, x), [("i32", [2])], "Add"),
    "RSQRT": (lambda b, x: b.rsqrt(x), [IMAGE], "Sqrt Reciprocal"),
    "MAXIMUM, NaNs propagate": (lambda b, x: b.maximum(x, x, nan_mode="PROPAGATE"), [IMAGE], "Max"),
    "MAXIMUM, NaNs ignored": (lambda b, x, y: b.maximum(x, y, nan_mode="IGNORE"), [IMAGE, IMAGE],
                              "Max IsNaN IsNaN Where Where"),
    "CLAMP, NaNs ignored": (
        lambda b, x: b.clamp(x, min_val=0.0, max_val=6.0, nan_mode="IGNORE"), [IMAGE],
        "Clip IsNaN Where"),
    "ARGMAX": (lambda b, x: b.argmax(x, axis=1), [IMAGE], "ArgMax Cast"),
    "REDUCE_MAX, NaNs ignored": (
        lambda b, x: b.reduce_max(x, axis=1, nan_mode="IGNORE"), [IMAGE],
        "IsNaN Where Not Cast ReduceMax Cast ReduceMax Where"),
    "MUL i32 keeps the low bits": (lambda b, x: b.mul(x, x), [("i32", [2])], "Cast Cast Mul Cast"),
    "SELECT bool": (lambda b, x: b.select(x, x, x), [("bool", [2])], "Cast Cast Where Cast"),
    "CAST to i8 rounds and saturates": (
        lambda b, x: b.cast(x, output_type="i8"), [IMAGE], "Round Max Min Cast Cast"),
    "CONV2D with constants": (
        lambda b, x: b.conv2d(x, np.ones((3, 2, 2, 2), np.float32), np.zeros(3, np.float32)),
        [IMAGE], "Transpose Conv Transpose"),
    "CONV2D i8": (
        lambda b, x: b.conv2d(x, np.ones((3, 2, 2, 2), np.int8), np.zeros(3, np.int32), input_zp=5),
        [BYTES], "Transpose Cast Add Cast ConvInteger Transpose Add"),
    "MATMUL i8": (lambda b, x, y: b.matmul(x, y, A_zp=1, B_zp=2), [("i8", [1, 2, 3]), ("i8", [1, 3, 2])],
                  "MatMulInteger"),
    "MATMUL i16": (lambda b, x, y: b.matmul(x, y), [("i16", [1, 2, 3]), ("i16", [1, 3, 2])],
                   "Cast Cast MatMul"),
    "RESIZE by a power of two": (
        lambda b, x: b.resize(x, [2, 1, 2, 1], [0, 0], [1, 1], mode="NEAREST"), [IMAGE],
        "Transpose Resize Transpose"),
    "RESIZE by other scales": (
        lambda b, x: b.resize(x, [3, 1, 3, 1], [0, 0], [2, 2], mode="NEAREST"), [IMAGE],
        "Gather Gather"),
    "GATHER": (lambda b, x, i: b.gather(x, i), [("fp32", [2, 3, 4]), ("i32", [2, 5])],
               "Cast Reshape GatherND"),
    "BITWISE_NOT": (lambda b, x: b.bitwise_not(x), [BYTES], "BitwiseNot"),
    "an input as output": (lambda b, x: [x, x], [IMAGE], "Identity Identity"),
    "COND_IF": (lambda b, c, x: b.cond_if(c, [x], lambda b, x: b.abs(x), lambda b, x: x),
                [("bool", [1]), IMAGE], "Reshape If"),
    "WHILE_LOOP": (
        lambda b, x: b.while_loop([x], lambda b, x: b.greater(b.const(np.int32(3)), x),
                                  lambda b, x: b.add(x, b.const(np.int32(1)))),
        [("i32", [])], "Greater Loop"),
}


@pytest.mark.parametrize("case", GOLDEN)
def test_nodes_of(case):
    build, inputs, expected = GOLDEN[case]
    assert " ".join(kinds(build, *inputs)) == expected


def test_every_operator_is_translated_or_listed_here():
    assert set(OPERATORS) | set(STRUCTURE) == set(Op) - UNTRANSLATED - {Op.UNKNOWN}


def test_padding_is_in_the_order_of_onnx():
    weight, bias = np.ones((1, 3, 2, 2), np.float32), np.zeros(1, np.float32)
    _, conv, _ = nodes_of(lambda b, x: b.conv2d(x, weight, bias, pad=[1, 0, 1, 2], stride=[3, 3],
                                                dilation=[1, 2]), ("fp32", [1, 5, 6, 2]))
    assert attributes(conv) == {"pads": [1, 1, 0, 2], "strides": [3, 3], "dilations": [1, 2],
                                "group": 1, "kernel_shape": [3, 2]}


def test_margins_of_a_transposed_convolution_are_padded():
    weight, bias = np.ones((1, 3, 3, 2), np.float32), np.ones(1, np.float32)
    nodes = nodes_of(lambda b, x: b.transpose_conv2d(x, weight, bias, out_pad=[1, -1, -2, 0],
                                                     stride=[1, 1]), IMAGE)
    assert [node.op_type for node in nodes] == ["Transpose", "ConvTranspose", "Transpose", "Pad",
                                                "Add"]
    assert attributes(nodes[1])["pads"] == [0, 2, 1, 0]


def test_models_of_generated_vectors_are_valid():
    translated = set()
    for vector in assay.generate("operator", seed=3, count=700):
        graph = vector.graphs[0]
        if vector.steps[0].expected != assay.Outcome.VALID:
            continue
        try:
            translation = translate(graph)
        except Unsupported:
            continue
        check(translation)
        for name, value in zip(graph.main.outputs, translation.outputs):
            assert value.shape == tuple(graph.main.tensor(name).shape)
        translated |= {op.op for op in graph.main.operators}
    assert len(translated) > 55


@pytest.mark.parametrize("build, reason", [
    (lambda b: b.add(b.input("x", [2], "bf16"), b.input("y", [2], "bf16")), "BF16 has no type"),
    (lambda b: b.fft2d(b.input("x", [1, 2, 2], "fp32"), b.input("y", [1, 2, 2], "fp32"),
                       inverse=False), "FFT2D has no translation"),
])
def test_the_rest_is_unsupported(build, reason):
    b = assay.Builder()
    with pytest.raises(Unsupported, match=reason):
        translate(b.graph(build(b)))


def test_nodes_are_printed():
    nodes = nodes_as_text(onnx.helper.make_graph(
        nodes_of(lambda b, x: b.reduce_sum(x, axis=1), ("fp32", [2, 3])), "g", [], []))
    assert nodes == ["ReduceSum_3 = ReduceSum(value_1, constant_2) keepdims=1"]


def test_types_have_the_numbers_of_onnx():
    assert onnx_type(np.float32) == onnx.TensorProto.FLOAT
    assert onnx_type("?") == onnx.TensorProto.BOOL
