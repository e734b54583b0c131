# SPDX-License-Identifier: Apache-2.0
"""An independent backend that keeps to the specification is never blamed, however it calculates."""
import json
import os
import subprocess
import sys

import assay
import numpy as np
import pytest
from assay import DType, Op, ResizeMode, Value
from assay.graph import Block, Graph, Operator, Region, Tensor

from conftest import ROOT, assay_program

BACKENDS = ROOT / "tests" / "backend"
VARIANTS = ("forward", "reverse", "pairwise", "flush", "kept", "edge")
MORE_VARIANTS = ("fused-multiply-add", "blocks-of-8", "blocks-of-16", "split", "largest-first",
                 "kept-flush", "lower", "upper", "scattered")


def generated(folder, counts):
    """Folders of vectors, by kind, that such a backend has results for."""
    for kind, count in counts.items():
        assay_program("gen", "--out", folder / kind, "--kind", kind, "--count", count, "--seed", 25)
    return [folder / kind for kind in counts]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return generated(tmp_path_factory.mktemp("compliant"), {
        "operator": 60, "graph": 40, "dot-product": 12, "stateful": 8, "control-flow": 8})


@pytest.fixture(scope="module")
def few_vectors(tmp_path_factory):
    folders = generated(tmp_path_factory.mktemp("few"), {"operator": 30, "graph": 20, "network": 5})
    assay_program("gen", "--out", folders[0].parent / "dots", "--kind", "dot-product", "--match",
                  "MATMUL fp32", "--count", 200, "--seed", 25)
    return [*folders, folders[0].parent / "dots"]


@pytest.fixture(scope="module")
def open_vectors(tmp_path_factory):
    """Graphs and networks without an expectation, so that only inner values can be judged."""
    folder = tmp_path_factory.mktemp("open")
    assay_program("gen", "--out", folder / "made", "--kind", "graph", "--count", 60, "--seed", 11)
    for name in ("mobilenet_v2@16,fp32", "transformer@4,fp16", "gru@3,bf16"):
        assay_program("gen", "--out", folder / "made" / name, "--network", name, "--count", 1)
    (folder / "open").mkdir()
    for index, path in enumerate(sorted((folder / "made").rglob("*.tvec"))):
        vector = assay.load(path)
        for step in vector.steps:
            for output in step.outputs:
                size = np.size(output.array)
                output.reference, output.error = np.zeros(size), np.full(size, np.nan)
                output.statistics = None
        (folder / "open" / f"{index}.tvec").write_bytes(vector.to_bytes())
    return [folder / "open"]


def verify(vectors, variant, *options):
    worker = f"worker:{sys.executable} {BACKENDS / 'compliant_worker.py'} {variant}"
    return subprocess.run([os.environ["ASSAY"], "verify", *vectors, "--backend", worker, *options],
                          capture_output=True, text=True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_has_no_finding(vectors, variant):
    run = verify(vectors, variant)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("variant", MORE_VARIANTS)
def test_has_no_finding_in_other_ways_to_calculate(few_vectors, variant):
    run = verify(few_vectors, variant)
    assert run.returncode == 0, run.stdout + run.stderr


def test_shares_nothing_that_a_variant_computes_in_its_own_way(few_vectors):
    """Variants that run on one decoded graph have the results that each has on its own."""
    sys.path.insert(0, str(BACKENDS))
    from compliant_numbers import numbers_of
    from compliant_variants import VARIANTS as compute
    from compliant_worker import CompliantBackend
    from measured_suite import outputs_of

    def results(variant, vector):
        outputs = [numbers_of(one.dtype, one.array)
                   for one in outputs_of(CompliantBackend(compute[variant]()), vector)]
        # The processor chooses the sign of a NaN.
        return [(one.shape, np.where(np.isnan(one), np.nan, one).tobytes()) for one in outputs]

    paths = sorted(few_vectors[1].rglob("*.tvec"))
    assert len(paths) >= 5
    for path in paths:
        shared = assay.load(path)
        for variant in ("flush", "forward", "kept", "flush"):
            assert results(variant, shared) == results(variant, assay.load(path)), (path, variant)


def test_flushes_no_product_inside_resize():
    """A twelfth of 2^-11 is subnormal in fp16, and the rule of RESIZE has no room for its loss."""
    sys.path.insert(0, str(BACKENDS))
    from compliant_variants import VARIANTS as compute
    from compliant_worker import CompliantBackend
    block = Block(inputs=["x"], outputs=["y"])
    block.tensors = [Tensor("x", (1, 2, 2, 1), DType.FP16), Tensor("y", (1, 4, 5, 1), DType.FP16)]
    for name, values in (("scale", [3, 1, 4, 1]), ("offset", [0, 0]), ("border", [0, 0])):
        block.tensors.append(Tensor(name, (len(values),), DType.SHAPE))
        block.tensors[-1].set(np.int64(values))
        block.operators.append(Operator(Op.CONST_SHAPE, [], [name]))
    block.operators.append(Operator(Op.RESIZE, ["x", "scale", "offset", "border"], ["y"],
                                    {"mode": ResizeMode.BILINEAR}))
    graph, x = Graph(regions=[Region(blocks=[block])]), np.full((1, 2, 2, 1), 2.0 ** -11, np.float16)
    for variant in VARIANTS + MORE_VARIANTS:
        [y] = CompliantBackend(compute[variant]()).invoke({}, graph, [Value(DType.FP16, x)])
        assert np.max(np.abs(np.float64(y.array) - 2.0 ** -11)) <= 20 * 2.0 ** -21, variant


@pytest.mark.parametrize("control", ("beyond", "beyond-by-tenth"))
def test_has_findings_beyond_the_rules(vectors, control):
    run = verify(vectors, control)
    assert run.returncode == 1, run.stdout + run.stderr


@pytest.mark.parametrize("variant", VARIANTS)
def test_has_no_finding_by_taps(open_vectors, variant):
    run = verify(open_vectors, variant)
    assert run.returncode == 0, run.stdout + run.stderr
    judged = int(run.stdout.split("operators judged by taps: ")[1].split()[0])
    assert judged > 500, run.stdout


@pytest.mark.parametrize("operator", ("TANH", "EXP", "ADD", "RSQRT"))
def test_is_found_by_taps_with_the_operator_that_is_wrong(open_vectors, operator):
    run = verify(open_vectors, f"kept {operator}", "--json")
    assert run.returncode == 1, run.stdout + run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    blamed = {finding["operator"] for line in lines if "case" in line
              for finding in line.get("findings", ()) if finding.get("taps")}
    assert blamed == {operator}


@pytest.mark.parametrize("name", ("winograd-2", "winograd-4", "bf16x3"))
def test_has_findings_where_other_products_break_the_rule(tmp_path, name):
    """The worker computes how far off it is, and the findings must be the vectors that break it."""
    sys.path.insert(0, str(BACKENDS))
    import measure_rules
    assay = measure_rules.Assay(os.environ["ASSAY"], tmp_path)
    products = measure_rules.own_products(assay, tmp_path, seed=1, most=16)
    wrong, counts = measure_rules.measure_products(assay, name, [products], [])
    assert not wrong
    assert counts["single", -1, False, True] > 0  # keep the rule
    assert counts["single", 1, True, True] > 0  # break it
