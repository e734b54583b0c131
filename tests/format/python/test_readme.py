# SPDX-License-Identifier: Apache-2.0
"""What README.md of the package and the examples promise to a person who tries them."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import assay
from assay import DType, Op
from conftest import ROOT, assay_program

PACKAGE = pathlib.Path(assay.__file__).parent


def test_a_constant_without_elements_is_read():
    block = assay.Block(tensors=[assay.Tensor("none", (2, 0), DType.INT48)],
                        operators=[assay.Operator(Op.CONST, outputs=["none"])], outputs=["none"])
    graph = assay.Graph(regions=[assay.Region(blocks=[block])])
    back = assay.Graph.from_bytes(graph.to_bytes())
    assert back.main.tensor("none").numpy().shape == (2, 0)
    assert back.main.tensor("none").numpy().dtype == np.int64


def test_constants_without_elements_of_gen_are_read(tmp_path):
    # Among the first vectors is one that breaks the rule on the sizes of tensors.
    empty = 0
    for seed in (2, 3):
        assay_program("gen", "--out", tmp_path / str(seed), "--kind", "invalid", "--count", 20,
                      "--seed", seed)
    for path in sorted(tmp_path.rglob("*.tvec")):
        for graph in assay.load(path).graphs:
            constants = [graph.main.tensor(one.outputs[0]) for one in graph.main.operators
                         if one.op == Op.CONST]
            empty += any(0 in one.shape and one.numpy().size == 0 for one in constants)
    assert empty > 0


def test_outputs_have_arrays_as_inputs_have(suite):
    seen = 0
    for path in suite[:100]:
        for step in assay.load(path).steps:
            for value in [*step.inputs, *step.outputs]:
                assert isinstance(value.array, np.ndarray) and isinstance(value.dtype, DType)
            seen += len(step.outputs)
    assert seen > 50


def test_numbers_of_the_schema_print_as_names():
    assert f"{Op.ADD} {Op.ADD:>5} {DType.FP32}" == "ADD   ADD FP32"
    assert str(assay.Outcome.VALID) == "VALID" and Op.ADD == 15 and int(Op.ADD) == 15


def run_python(code, path, *options):
    """Runs this Python, without its own site-packages where `options` say so."""
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True,
                          env=environment)


@pytest.mark.parametrize("module", ["numpy", "flatbuffers"])
def test_a_python_without_a_module_says_so_in_one_line(module, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "assay")
    for other in {"numpy", "flatbuffers"} - {module}:
        (tmp_path / f"{other}.py").write_text("")
    run = run_python("import assay", tmp_path, "-S")
    assert run.returncode == 1 and run.stdout == ""
    assert run.stderr.splitlines() == [
        f"{sys.executable}: has no module {module}, which the package assay needs; install "
        f"python3-{module} and use /usr/bin/python3"]
    caught = run_python("try:\n  import assay\nexcept ImportError as error:\n  print(error.name)",
                        tmp_path, "-S")
    assert caught.stdout == f"{module}\n", caught.stderr


def test_a_package_that_is_not_built_says_so_in_one_line():
    run = run_python("import assay", ROOT / "src" / "python")
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1
    assert "is not built; build the target assay_python" in run.stderr


def test_a_package_without_the_library_reads_files_and_skips_the_tests_of_the_library(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "assay", ignore=shutil.ignore_patterns("native.*"))
    run = run_python("import assay; print(assay.Graph()); assay.execute", tmp_path)
    assert run.returncode == 1 and "Graph" in run.stdout
    last = run.stderr.splitlines()[-1]
    assert "ImportError: the package assay has no native library" in last and "pybind11-dev" in last
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                          ROOT / "tests" / "python"], capture_output=True, text=True,
                         env=environment)
    assert run.returncode == 77, run.stdout + run.stderr  # which is a skipped test for CTest
    assert "skipped: the package assay has no native library" in run.stdout + run.stderr


def test_a_worker_without_numpy_says_what_is_missing(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "assay")
    (tmp_path / "flatbuffers.py").write_text("")
    assay_program("gen", "--out", tmp_path / "s", "--kind", "operator", "--count", 1)
    worker = f"worker:{sys.executable} -S {ROOT}/src/backend/examples/backend.py"
    run = subprocess.run([os.environ["ASSAY"], "verify", tmp_path / "s", "--backend", worker,
                          "--backend-env", f"PYTHONPATH={tmp_path}"], capture_output=True, text=True)
    assert run.returncode != 0
    assert "has no module numpy, which the package assay needs" in run.stdout + run.stderr


def test_the_example_worker_agrees_and_the_replay_line_has_its_environment(tmp_path):
    assay_program("gen", "--out", tmp_path / "s", "--kind", "operator", "--count", 400, "--match",
                  "ADD i32, IDENTITY")
    example = ROOT / "src" / "backend" / "examples" / "backend.py"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def verify(backend):
        return subprocess.run(
            [os.environ["ASSAY"], "verify", "s", "--backend", f"worker:{sys.executable} {backend}",
             "--backend-env", f"PYTHONPATH={PACKAGE.parent}", "--backend-env", "EMPTY="],
            capture_output=True, text=True, env=environment, cwd=tmp_path)
    run = verify(example)
    assert run.returncode == 0, run.stdout + run.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(example.read_text().replace("plain(np.add)", "plain(np.subtract)"))
    run = verify(wrong)
    assert run.returncode == 1, run.stdout + run.stderr
    assert f" --backend-env PYTHONPATH={PACKAGE.parent} --backend-env EMPTY=\n" in run.stdout
