# SPDX-License-Identifier: Apache-2.0
"""execute(), check(), plan() and fold()."""
import gc
import threading
import time
import types

import numpy as np
import pytest

import assay
from assay import DType
from conftest import assay_program, run_python


def add_graph(dtype="fp32", shape=(2, 3)):
    b = assay.Builder()
    x, y = b.input("x", shape, dtype), b.input("y", shape, dtype)
    return b.graph(b.add(x, y))


def test_a_graph_is_executed_on_arrays_by_position_and_by_name():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    result, = assay.execute(add_graph(), [x, x])
    assert result.dtype == np.float32 and (result == 2 * x).all()
    by_name, = assay.execute(add_graph(), {"y": x, "x": -x})
    assert not by_name.any()


def test_vectors_of_the_generator_are_executed_as_expected():
    checked = 0
    for vector in assay.generate("operator", seed=3, count=200, operators=["CONV2D", "PAD", "CAST"]):
        step = vector.steps[0]
        if step.expected != assay.Outcome.VALID or len(vector.steps) != 1:
            continue
        outputs = assay.execute(vector.graphs[0], [one.array for one in step.inputs])
        verdict = assay.judge(vector, outputs).verdict
        assert verdict in ("agrees", "undecided")
        checked += verdict == "agrees"
    assert checked > 50


def test_inputs_that_do_not_fit_are_named():
    x = np.zeros((2, 3), np.float32)
    for inputs, words in (
            ([x], "has 2 inputs, and is given 1"),
            ([x, x.astype(np.float64)], 'input "y": has elements of float64, which are no fp32'),
            ([x, x[:1]], 'input "y": has shape [1,3]; the graph has [2,3]'),
            ({"x": x}, "input 'y' is missing"),
            ({"x": x, "y": x, "z": x}, "has no input 'z'")):
        with pytest.raises(assay.BadInput) as error:
            assay.execute(add_graph(), inputs)
        assert words in str(error.value) and "\n" not in str(error.value)


def test_an_error_if_a_require_and_a_limit_are_exceptions_of_their_own():
    broken = add_graph()
    broken.main.tensor(broken.main.outputs[0]).shape = (5, 3)
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(assay.GraphError) as error:
        assay.execute(broken, [x, x])
    assert error.value.rule.startswith("ADD/ERROR_IF/")
    b = assay.Builder()
    y = b.input("x", [1], "i32")
    with pytest.raises(assay.Unpredictable) as error:
        assay.execute(b.graph(b.intdiv(y, b.const([0], "i32"))), [np.array([1], np.int32)])
    assert error.value.rule == "INTDIV/REQUIRE/1"
    for kind in (assay.GraphError, assay.Unpredictable, assay.BadInput, assay.LimitReached):
        assert issubclass(kind, assay.AssayError)


def test_levels_limits_of_time_and_computed_constants_are_options():
    b = assay.Builder(level="none")
    graph = b.graph(b.abs(b.input("x", [1] * 7, "fp32")))
    x = np.ones([1] * 7, np.float32)
    assert assay.execute(graph, [x])[0].shape == x.shape
    with pytest.raises(assay.Unpredictable, match="ABS/LEVEL_CHECK/"):
        assay.execute(graph, [x], level="8K")
    b = assay.Builder()
    x = b.input("x", [1, 512, 512], "fp32")
    with pytest.raises(assay.LimitReached, match="wall time"):
        assay.execute(b.graph(b.matmul(x, x)), [np.ones((1, 512, 512), np.float32)], seconds=1e-6)
    b = assay.Builder()
    point = b.const([1], "i8", name="point")
    graph = b.graph(b.negate(b.input("x", [2], "i8"), input1_zp=point, output_zp=0))
    graph.main.operators = [op for op in graph.main.operators if op.outputs != ["point"]]
    graph.main.inputs.append("point")
    graph.main.tensor("point").data = None
    inputs = [np.int8([1, 2]), np.int8([1])]
    with pytest.raises(assay.GraphError, match="compile-time-constant"):
        assay.execute(graph, inputs)
    assert assay.execute(graph, inputs, dynamic=True)[0].tolist() == [0, -1]


def test_values_that_a_type_does_not_have_are_refused():
    b = assay.Builder()
    graph = b.graph(b.identity(b.input("x", [2], "i4")))
    with pytest.raises(assay.BadInput, match="has a value that i4 does not have"):
        assay.execute(graph, [np.array([0, -8], np.int8)])


def test_results_are_read_only_and_live_longer_than_all_else():
    result, = assay.execute(add_graph(), [np.ones((2, 3), np.float32)] * 2)
    assert not result.flags.writeable
    gc.collect()
    assert (result == 2).all()


def test_arrays_of_other_memory_orders_are_taken():
    x = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    result, = assay.execute(add_graph(), [x, x[::1]])
    assert (result == 2 * x).all()


def test_an_identity_shares_the_memory_of_a_large_input():
    b = assay.Builder()
    program = assay.Program(b.graph(b.identity(b.input("x", [1 << 20], "fp32"))))
    x = np.ones(1 << 20, np.float32)
    result, = program([x])
    assert np.shares_memory(result, x)


def test_variables_are_kept_in_a_context():
    b = assay.Builder()
    total = b.variable("total", [1], "fp32", initial_value=[5])
    sum_ = b.add(b.variable_read(total), b.input("x", [1], "fp32"))
    b.variable_write(total, sum_)
    graph = b.graph(sum_)
    context = assay.Context()
    results = [int(assay.execute(graph, [np.ones(1, np.float32)], context=context)[0][0])
               for _ in range(3)]
    assert results == [6, 7, 8] and int(context.variables["total"][0]) == 8
    assert int(assay.execute(graph, [np.ones(1, np.float32)])[0][0]) == 6


def test_bits_of_ml_dtypes_are_taken():
    assert assay.dtypes.ml_dtypes_view(np.zeros(2, np.uint16)).dtype == np.uint16
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    b = assay.Builder()
    result, = assay.execute(b.graph(b.add(b.input("x", [2], "bf16"), b.const(array))), [array])
    assert assay.to_ml_dtypes(DType.BF16, result).tolist() == [3.0, -4.0]


def test_other_threads_run_while_the_library_executes():
    b = assay.Builder()
    x = b.input("x", [1, 512, 512], "fp32")
    program = assay.Program(b.graph(b.matmul(x, x)))
    ticks, done = [0], threading.Event()

    def count():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0)
    counter = threading.Thread(target=count)
    counter.start()
    before = ticks[0]
    array = np.ones((1, 512, 512), np.float32)
    for _ in range(3):
        program([array])
    during = ticks[0] - before
    done.set()
    counter.join()
    assert during > 3  # with the lock held it would be at most one for each call


def test_check_names_rule_and_place():
    assert assay.check(add_graph()) == []
    broken = add_graph()
    broken.main.tensor("y").shape = (5, 3)
    breach, *_ = assay.check(broken)
    assert breach.rule.startswith("ADD/ERROR_IF/") and "operator 0 (ADD)" in breach.where
    assert [one.rule for one in assay.check(add_graph(), target=["PRO-INT"])] == [
        "graph/TARGET/operators"]
    with pytest.raises(assay.BadInput, match="no profile or extension is named"):
        assay.check(add_graph(), target=["PRO-NONE"])


def test_modules_of_spirv_are_graphs(tmp_path):
    """Their graph constants are inputs, because a module has no values for them."""
    tosa, module = tmp_path / "add.tosa", tmp_path / "add.spv"
    b = assay.Builder()
    x, weights = b.input("x", (2, 3), "fp32"), b.const(np.full((2, 3), 5, np.float32))
    assay.save(b.graph(b.add(x, weights)), tosa)
    assay_program("convert", tosa, module)
    assert assay.check(module) == []
    ones = np.ones((2, 3), np.float32)
    result, = assay.execute(module.read_bytes(), [ones, 2 * ones])
    assert (result == 3).all()
    with pytest.raises(assay.BadInput, match="word 9: OpCapability"):
        assay.check(module.read_bytes()[:40])


def test_plans_place_every_buffer_without_overlap():
    b = assay.Builder()
    x = b.input("x", [64], "fp32")
    y = b.exp(b.abs(x))
    graph = b.graph(b.add(y, b.floor(x)))
    plan = assay.plan(graph, workspace_io=True)
    assert plan.total_bytes >= plan.bound_bytes > 0 and len(plan.buffers) >= 4
    for one in plan.buffers:
        for other in plan.buffers:
            at_once = any(a < d and c < b for a, b in one.live for c, d in other.live)
            if one is not other and at_once and one.pool == other.pool:
                assert (one.offset + one.size <= other.offset
                        or other.offset + other.size <= one.offset)
    offsets = {one.offset for one in assay.plan(graph, alignment=1024, workspace_io=True).buffers}
    assert len(offsets) > 1 and all(offset % 1024 == 0 for offset in offsets)
    with pytest.raises(assay.BadInput, match="no algorithm is named"):
        assay.plan(graph, algorithm="none of them")


def test_a_folding_computes_the_same():
    b = assay.Builder()
    x, weights = b.input("x", [4], "fp32"), b.input("weights", [4], "fp32")
    graph = b.graph(b.mul(x, b.exp(weights)))
    folding = assay.fold(graph, constness={"weights": "compile-time"})
    assert [str(op.op) for op in folding.compile_time.main.operators] == ["EXP"]
    assert [one.stage for one in folding.cached] == ["compile-time"]
    x, weights = np.arange(4, dtype=np.float32), np.full(4, 0.5, np.float32)
    cached, = assay.execute(folding.compile_time, [weights])
    values = dict(zip([name for name, _, _ in assay.Program(folding.entry).inputs], [x, cached]))
    assert (assay.execute(folding.entry, values)[0] == assay.execute(graph, [x, weights])[0]).all()
    with pytest.raises(assay.BadInput, match="has no input 'w'"):
        assay.fold(graph, constness={"w": "runtime"})


def test_a_file_that_is_no_graph_is_named(tmp_path):
    path = tmp_path / "bad.tosa"
    path.write_bytes(b"nothing of a graph")
    with pytest.raises(assay.BadInput, match="bad.tosa"):
        assay.execute(path, [])


def test_help_and_annotations_are_there():
    for name in ("execute", "check", "judge", "verify", "generate", "minimize", "plan", "fold"):
        function = getattr(assay, name)
        assert isinstance(function, types.FunctionType) and len(function.__doc__) > 80, name
        assert function.__annotations__, name
        assert name in dir(assay)
    assert "ERROR_IF" not in assay.Builder.conv2d.__doc__ and "pad_top" in assay.Builder.conv2d.__doc__


def test_importing_the_package_alone_does_not_load_the_library():
    run = run_python("-c", "import assay, sys; print('assay.native' in sys.modules)")
    assert run.stdout == "False\n", run.stderr
