# SPDX-License-Identifier: Apache-2.0
"""The builder."""
import numpy as np
import pytest

import assay
from assay import Op
from assay.operators import ROWS

NOT_BUILT_BY_ROWS = {Op.CONST, Op.CONST_SHAPE, Op.CUSTOM, Op.COND_IF, Op.WHILE_LOOP, Op.VARIABLE,
                     Op.VARIABLE_READ, Op.VARIABLE_WRITE, Op.UNKNOWN}


def rebuilt(graph):
    """Returns a graph of one operator, built again by the method of the operator."""
    b = assay.Builder(level="none")
    known = {}
    for name in graph.main.inputs:
        tensor = graph.main.tensor(name)
        known[name] = b.input(name, tensor.shape, tensor.dtype)
    for op in graph.main.operators:
        result = graph.main.tensor(op.outputs[0])
        if op.op == Op.CONST:
            known[result.name] = b.const(result.numpy(), result.dtype)
        elif op.op == Op.CONST_SHAPE:
            known[result.name] = b.shape(result.numpy())
        else:
            arguments = [one for one in ROWS[op.op.name][0] if one[1] == "input"]
            operands = [known[name] for name in op.inputs]
            if arguments[0][2] == "tensor_list_t":
                operands = [operands]
            values = dict(zip((one[0] for one in arguments), operands))
            attributes = dict(op.attributes)
            for name in ("min_val", "max_val"):
                if name in attributes:
                    dtype = graph.main.tensor(op.inputs[0]).dtype
                    attributes[name] = assay.unpack(dtype, (), attributes[name])
            made = getattr(b, op.op.name.lower())(**values, **attributes, output_type=result.dtype)
            known.update(zip(op.outputs, made if isinstance(made, list) else [made]))
    return b.graph([known[name] for name in graph.main.outputs])


def test_every_operator_of_the_table_infers_what_the_generator_has():
    seen = {}
    for seed in (5, 6):
        for vector in assay.generate("operator", seed=seed, count=1500):
            step = vector.steps[0]
            graph = vector.graphs[0]
            working = [op.op for op in graph.main.operators if op.op not in (Op.CONST, Op.CONST_SHAPE)]
            if (len(vector.steps) != 1 or step.expected != assay.Outcome.VALID or len(working) != 1
                    or working[0] in NOT_BUILT_BY_ROWS or seen.get(working[0], 0) > 5):
                continue
            built = rebuilt(graph)
            for mine, theirs in zip(built.main.outputs, graph.main.outputs):
                mine, theirs = built.main.tensor(mine), graph.main.tensor(theirs)
                assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype), working
            outputs = assay.execute(built, [value.array for value in step.inputs], level="none")
            assert assay.judge(vector, outputs).verdict != "disagrees"
            seen[working[0]] = seen.get(working[0], 0) + 1
    assert set(seen) == set(Op) - NOT_BUILT_BY_ROWS


def test_numbers_become_constants_and_the_widest_accumulator_is_the_default():
    b = assay.Builder()
    x = b.input("x", [1, 4, 4, 1], "i8")
    y = b.conv2d(x, np.ones((2, 3, 3, 1), np.int8), [1, 2], input_zp=-3)
    graph = b.graph(b.rescale(y, multiplier=[1 << 30], shift=[31], output_zp=4, scale32=True,
                              per_channel=False, output_type="i8"))
    convolution = next(op for op in graph.main.operators if op.op == Op.CONV2D)
    assert convolution.attributes["acc_type"] == assay.DType.INT32
    assert graph.main.tensor(convolution.inputs[3]).numpy().tolist() == [-3]
    assert assay.check(graph) == []
    assert graph.main.tensor(graph.main.outputs[0]).dtype == assay.DType.INT8


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_integers_become_floating_point_where_the_operator_needs_it(dtype):
    b = assay.Builder()
    x = b.input("x", [2], dtype)
    graph = b.graph(b.clamp(b.add(x, [1, -2]), min_val=0, max_val=6))
    assert assay.execute(graph, [np.array([2, 1], assay.numpy_dtype(x.dtype))])[0].tolist() == [3, 0]
    assert b.const([65504.0, np.inf], dtype).numpy().tolist() == [65504, np.inf]


def test_a_broken_rule_names_the_rule_and_the_line():
    b = assay.Builder()
    x = b.input("x", [2, 3], "fp32")
    with pytest.raises(assay.BadInput) as error:
        b.add(x, b.input("y", [2, 4], "fp32"))
    assert str(error.value).startswith("test_builder.py:") and "ADD/ERROR_IF/" in str(error.value)
    half, bits = b.input("half", [2], "fp16"), b.input("bits", [2], "bf16")
    state = b.variable("state", [2], "fp32")
    for call, words in (
            (lambda: b.add(x, b.input("z", [2, 3], "i32")), "ADD/ERROR_IF/types"),
            (lambda: b.abs(1.5), "ABS: the type of input1 is not determined"),
            (lambda: b.avg_pool2d(b.input("i", [1, 2, 2, 1], "i32"), kernel=[1, 1], stride=[1, 1],
                                  pad=[0, 0, 0, 0]), "AVG_POOL2D: acc_type must be given"),
            (lambda: b.clamp(bits, min_val=1.5, max_val=2.0), "numpy has no BF16; give the bits"),
            (lambda: b.clamp(half, min_val=0, max_val=65520), "max_val: a value is beyond the range"),
            (lambda: b.variable_write(state, half), "has not the type of the variable 'state'"),
            (lambda: b.variable("small", [1], "i8", initial_value=[300]), "beyond the range of INT8"),
            (lambda: b.cast(x), "CAST: the output may be"),
            (lambda: b.reduce_sum(x, axis=2), "REDUCE_SUM/ERROR_IF/"),
            (lambda: b.clamp(x, min_val=0, max_val=1, nan_mode="SOMETIMES"), "none of PROPAGATE"),
            (lambda: b.input("w", [1], "fp99"), "is no type"),
            (lambda: b.const(1.5), "needs a dtype"),
            (lambda: b.const([300], "i8"), "beyond the range"),
            (lambda: b.add(x, assay.Builder().input("x", [2, 3], "fp32")), "another builder"),
            (lambda: b.concat([1, 2], axis=0), "is no tensor")):
        with pytest.raises(assay.BadInput) as error:
            call()
        assert words in str(error.value) and "\n" not in str(error.value), error.value


def test_control_flow_is_built_from_functions():
    b = assay.Builder()
    x = b.input("x", [1], "i32")
    doubled = b.while_loop([x], lambda c, v: c.greater(c.const([100], "i32"), v),
                           lambda c, v: [c.add(v, v)])
    chosen = b.cond_if(b.greater(doubled, b.const([150], "i32")), [doubled],
                       lambda c, v: c.negate(v), lambda c, v: c.identity(v))
    graph = b.graph(chosen)
    run = lambda number: int(assay.execute(graph, [np.array([number], np.int32)])[0][0])
    assert run(3) == -192 and run(16) == 128


def test_operators_have_the_line_that_built_them(tmp_path):
    b = assay.Builder()
    graph = b.graph(b.abs(b.input("x", [1], "fp32")))
    assert graph.main.operators[0].location.startswith("test_builder.py:")
    graph.save(tmp_path / "g.tosa")
    assert assay.load(tmp_path / "g.tosa").main.operators[0].location.startswith("test_builder")
