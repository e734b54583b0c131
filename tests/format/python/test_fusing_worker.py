# SPDX-License-Identifier: Apache-2.0
"""A backend that fuses operators is never blamed, and the faults of fusion are found."""
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from assay import DType, Value
from conftest import ROOT, assay_program

BACKENDS = ROOT / "tests" / "backend"
sys.path.insert(0, str(BACKENDS))
import measure_power  # noqa: E402
from fusing_worker import FAULTS, FusingBackend, backend_of  # noqa: E402
from tolerances import bounded, close, cosine  # noqa: E402

# One fault of each family, and vectors that find it: a group of measure_power.
FAMILIES = {
    "activation-off:1e-2": "graphs", "activation-off:1e-6": "lattice",
    "element-off:1e-4": "lattice", "bias-lost-in-one-channel": "lattice",
    "bias-after-activation": "graphs",
    "multiply-add-sign": "graphs", "accumulator-bf16": "graphs", "between-bf16": "graphs",
    "weight-of-next-lane": "lattice", "stale-tile": "lattice", "padding-row": "lattice",
    "residual-of-next-lane": "lattice", "gate-of-next-lane": "graphs", "upper-bound-off": "lattice",
    "tanh-rational": "graphs", "reciprocal-12-bits": "graphs", "epsilon-of-ten-times": "graphs",
    "pool-divides-by-full-window": "graphs", "cast-truncates": "graphs"}


@pytest.fixture(scope="module")
def assay(tmp_path_factory):
    return measure_power.Assay(os.environ["ASSAY"], tmp_path_factory.mktemp("fusing"))


@pytest.fixture(scope="module")
def groups(assay):
    """Vectors with fused operators, and options of `verify`."""
    graphs = assay.suite("graphs", "--kind", "graph", "--count", 300, "--seed", 25)
    networks = assay.suite("networks", "--kind", "network", "--count", 42, "--seed", 25)
    lattice = [one for one in measure_power.load(networks) if "lattice" in one.content.tags]
    return {"graphs": (measure_power.load(graphs), ()),
            "lattice": (lattice, ("--declare", "plain-sums"))}


@pytest.mark.parametrize("group", ("graphs", "lattice"))
def test_has_no_finding_without_a_fault(assay, groups, group):
    vectors, options = groups[group]
    paths = [one.path for one in vectors[:100]]
    cases = assay.verify(BACKENDS / "fusing_worker.py", paths, *options)
    blamed = [case["case"] for case in cases if case["state"] in ("disagrees", "suspect")]
    assert cases and not blamed


@pytest.mark.parametrize("fault", FAMILIES)
def test_has_findings_with_a_fault(assay, groups, fault):
    vectors, options = groups[FAMILIES[fault]]
    shown = (vector for vector, _ in measure_power.that_show(fault, vectors))
    few = itertools.islice(shown, 8)
    found, _ = measure_power.count_found(assay, fault, "here", few, options)
    assert found.get("here", 0) > 0


def test_faults_need_fused_operators(tmp_path):
    """No fault acts in vectors of single operators."""
    assay_program("gen", "--out", tmp_path / "suite", "--kind", "operator", "--count", 150,
                  "--seed", 25)
    for vector in map(measure_power.Vector, sorted((tmp_path / "suite").rglob("*.tvec"))):
        names = [op.op.name for op in vector.blocks[0].operators]
        if sum(not name.startswith("CONST") for name in names) == 1:
            assert not vector.places


def test_taps_are_the_rounded_tensors(groups):
    """Fused tensors have no values of their own to show."""
    vector = next(one for one in groups["graphs"][0] if one.may_show(FAULTS["activation-off:1e-2"]))
    step, graph = vector.content.steps[0], vector.content.graphs[0]
    names = [one.name for one in graph.main.tensors]
    outputs, taps = FusingBackend().invoke_with_taps({}, graph, step.inputs, names)
    fused = {place.op.outputs[0] for place in vector.places if place.readers}
    assert fused and not fused & set(taps)
    for name, output in zip(graph.main.outputs, outputs):
        assert taps[name].array.tobytes() == output.array.tobytes()


def test_acts_in_one_place(groups):
    """FAULT@N acts in at most one operator of a block."""
    vector = next(one for one in groups["lattice"][0]
                  if sum(map(FAULTS["activation-off:1e-1"].acts_in, one.places)) >= 3)
    everywhere = vector.run(backend_of("activation-off:1e-1"))
    second = vector.run(backend_of("activation-off:1e-1@1"))
    right = vector.run(FusingBackend())
    as_bytes = [[one.array.tobytes() for one in outputs] for outputs in (everywhere, second, right)]
    assert len(set(map(tuple, as_bytes))) == 3


def values(*numbers):
    return Value(DType.FP32, np.float32(numbers))


def test_tolerances_compare():
    assert close(1e-2, 0)(None, values(1.005, np.nan), values(1, np.nan))
    assert not close(1e-3, 0)(None, values(1.005), values(1))
    assert cosine(0.99)(None, values(1, 2, 3.1), values(1, 2, 3))
    assert not cosine(0.99)(None, values(1, 2, -3), values(1, 2, 3))
    rule = np.float64([1.0]), np.float64([0.1])
    assert bounded(rule, values(1.09), values(1)) and not bounded(rule, values(1.11), values(1))
    assert not bounded((rule[0], None), values(1.09), values(1))


def test_usage_is_explained():
    run = subprocess.run([sys.executable, BACKENDS / "fusing_worker.py", "no-such-fault"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "usage" in run.stderr
