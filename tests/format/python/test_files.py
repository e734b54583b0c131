# SPDX-License-Identifier: Apache-2.0
"""Files in and out: what Python reads is what is there, and what it writes the C++ reader takes for
the same."""
import json

import numpy as np
import pytest

import assay
from assay import DType, Op
from conftest import ROOT, assay_program


def rewritten(path, folder):
    """What `assay convert` makes of a file: the same bytes for the same content."""
    folder.mkdir(exist_ok=True)
    out = folder / ("out" + path.suffix)
    assay_program("convert", path, out)
    return out.read_bytes()


def test_graphs_survive(graph_files, tmp_path):
    assert len(graph_files) > 40
    for path in graph_files:
        graph = assay.load(path)
        saved = tmp_path / "saved.tosa"
        graph.save(saved)
        assert assay.load(saved) == graph, path
        assert rewritten(saved, tmp_path / "a") == rewritten(path, tmp_path / "b"), path


def test_vectors_survive(vector_files, tmp_path):
    assert len(vector_files) > 80
    for path in vector_files:
        vector = assay.load(path)
        saved = tmp_path / "saved.tvec"
        vector.save(saved)
        assert assay.load(saved).to_bytes() == vector.to_bytes(), path
        assert rewritten(saved, tmp_path / "a") == rewritten(path, tmp_path / "b"), path


def test_files_of_arm_are_read(graph_files):
    path = next((ROOT / "corpus/examples/arm").rglob("test_conv2d*_f32_*/*.tosa"))
    graph = assay.load(path)
    conv = next(one for one in graph.main.operators if one.op == Op.CONV2D)
    assert conv.attributes == {"pad": [0, 0, 0, 0], "stride": [1, 1], "dilation": [1, 1],
                               "local_bound": False, "acc_type": DType.FP32}
    constants = [graph.main.tensor(one.outputs[0]) for one in graph.main.operators
                 if one.op == Op.CONST]
    assert constants and all(one.numpy().shape == one.shape for one in constants)


def test_show_counts_the_same(vector_files):
    for path in vector_files[::5]:
        vector = assay.load(path)
        shown = json.loads(assay_program("show", "--json", path))
        assert shown["name"] == vector.name
        assert len(shown["graphs"]) == len(vector.graphs)
        assert len(shown["steps"]) == len(vector.steps)


def every_type():
    """A graph with a constant of each type, a variable, and attributes of each kind."""
    rng = np.random.default_rng(1)
    block = assay.Block()
    for dtype in set(DType) - {DType.UNKNOWN, DType.SHAPE}:
        tensor = assay.Tensor(f"constant_{dtype.name}", (), dtype)
        tensor.set(rng.integers(0, 2, (3, 5)).astype(assay.numpy_dtype(dtype)))
        block.tensors.append(tensor)
        block.operators.append(assay.Operator(Op.CONST, outputs=[tensor.name]))
        block.outputs.append(tensor.name)
    shape = assay.Shape("shape", 0)
    shape.set([5, 3])
    block.shapes.append(shape)
    block.operators.append(assay.Operator(Op.CONST_SHAPE, outputs=["shape"], location="loc(here)"))
    block.tensors.append(assay.Tensor("b\u00e4", (5, 3), DType.FP32))  # not ASCII
    block.operators.append(assay.Operator(Op.RESHAPE, ["constant_FP32", "shape"], ["b\u00e4"]))
    block.tensors.append(assay.Tensor("low", (3, 5), DType.INT8))
    block.operators.append(assay.Operator(
        Op.CLAMP, ["constant_INT8"], ["low"],
        {"min_val": b"\0", "max_val": b"\1", "nan_mode": assay.NanPropagationMode.PROPAGATE}))
    block.tensors.append(assay.Tensor("turned", (5, 3), DType.INT32))
    block.operators.append(
        assay.Operator(Op.TRANSPOSE, ["constant_INT32"], ["turned"], {"perms": [1, 0]}))
    block.outputs += ["b\u00e4", "low", "turned"]
    return assay.Graph(regions=[assay.Region(blocks=[block])])


def test_a_graph_made_here_runs_there(tmp_path):
    graph = every_type()
    path, out = tmp_path / "made.tosa", tmp_path / "out"
    graph.save(path)
    assert assay.load(path) == graph
    assay_program("check", path)
    assay_program("run", path, "--out", out)
    turned = np.load(next(out.rglob("*turned*.npy")))
    assert (turned == graph.main.tensor("constant_INT32").numpy().T).all()


def test_vectors_of_every_type_survive(tmp_path):
    values = [assay.Value(dtype, np.arange(6).reshape(2, 3).astype(assay.numpy_dtype(dtype)))
              for dtype in set(DType) - {DType.UNKNOWN}]
    graph = every_type()
    expectations = [assay.Expectation(value, rule="exact") for value in values]
    expectations[0].reference = expectations[0].error = np.ones((2, 3))
    step = assay.Step(3, 0, values, outputs=expectations, state_before={"v": values[1]},
                      state_after={"v": expectations[1]})
    vector = assay.TestVector("all", graphs=[graph], steps=[step], tags=["a"])
    path = tmp_path / "all.tvec"
    vector.save(path)
    back = assay.load(path)
    assert back.graphs == [graph] and back.tags == ["a"] and back.steps[0].context == 3
    for before, after in zip(values, back.steps[0].inputs, strict=True):
        assert before.dtype == after.dtype and (before.array == after.array).all()
    assert (back.steps[0].outputs[0].error == 1).all() and back.steps[0].outputs[1].error is None
    assert rewritten(path, tmp_path / "a")


def test_an_attribute_that_the_operator_lacks_is_refused():
    graph = every_type()
    graph.main.operators[0].attributes["axis"] = 1
    with pytest.raises(ValueError, match="CONST has no attribute axis"):
        graph.to_bytes()
