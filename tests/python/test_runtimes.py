"""The backends that are runtimes in Python or behind it: onnxruntime, onnxruntime-web, opencv."""
import os
import subprocess

import pytest

from conftest import assay_program

# The backends, and operators of which each agrees in all vectors.
RUNTIMES = {
    "onnxruntime": "ADD,CONV2D,RESCALE,AVG_POOL2D,TRANSPOSE_CONV2D,SCATTER,CAST",
    "onnxruntime-web": "ADD,CONV2D,RESCALE,AVG_POOL2D,TRANSPOSE_CONV2D,SCATTER,CAST",
    "opencv": "SIGMOID,TANH,CONV2D",
}


def run(*arguments, **environment):
    return subprocess.run([os.environ["ASSAY"], *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_says_that_it_is_not_installed(runtime, suite, tmp_path):
    for module in ("cv2", "onnx"):  # in front of those that are installed
        (tmp_path / f"{module}.py").write_text(f"raise ImportError(name={module!r})\n")
    ran = run("verify", str(suite), "--backend", runtime, PYTHONPATH=str(tmp_path))
    assert ran.returncode == 3
    assert ran.stderr.startswith(f"assay: {runtime}: not installed: "), ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("runtime", ["onnxruntime", "onnxruntime-web"])
def test_says_that_the_npm_package_is_not_installed(runtime, tmp_path):
    pytest.importorskip("onnx", reason="python3-onnx is not installed")
    ran = run("backend", "test", runtime, ASSAY_RUNTIMES=str(tmp_path))
    assert ran.returncode == 3
    assert ran.stderr == (f"assay: {runtime}: not installed: there is no {tmp_path}/"
                          f"{RUNTIME_PACKAGES[runtime]}; scripts/install.sh --with {runtime} "
                          "installs it\n")


RUNTIME_PACKAGES = {name: f"{package}/node_modules/{package}"
                    for name, package in (("onnxruntime", "onnxruntime-node"),
                                          ("onnxruntime-web", "onnxruntime-web"))}


def test_knows_its_optimization_levels():
    ran = run("backend", "test", "onnxruntime:al")
    assert ran.returncode == 2
    assert "no variant of onnxruntime is named 'al'" in ran.stderr


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_agrees_on_operators(runtime, tmp_path):
    exam = run("backend", "test", runtime)
    if exam.returncode == 3:
        pytest.skip(exam.stderr.strip())
    suite = str(tmp_path / "suite")
    assay_program("gen", "--out", suite, "--kind", "operator", "--op", RUNTIMES[runtime], "--ext",
                  "none", "--count", 120)
    ran = run("verify", suite, "--backend", runtime)
    assert ran.returncode == 0, ran.stdout + ran.stderr
