# SPDX-License-Identifier: Apache-2.0
"""The backends that are runtimes in Python or behind it: litert, onnxruntime, onnxruntime-web,
opencv."""
import os
import pathlib
import re
import subprocess

import pytest

from assay.generated.wire import Hello, UnloadGraph
from assay.worker import Backend, Server, Unsupported
from conftest import ROOT, assay_program

# Those in LLVM have a test of their own, tests/backend/mlir_test.cc.
FINDINGS = sorted(note for note in ROOT.glob("corpus/findings/*/*/note.md")
                  if not note.parts[-3].startswith("llvm-"))
CPU = pathlib.Path("/proc/cpuinfo")

# The backends, and operators of which each agrees in all vectors.
RUNTIMES = {
    "litert": "ADD,CONV2D,DEPTHWISE_CONV2D,MATMUL,AVG_POOL2D,RESCALE,TABLE,TRANSPOSE,PAD,GATHER",
    "onnxruntime": "ADD,CONV2D,RESCALE,AVG_POOL2D,TRANSPOSE_CONV2D,SCATTER,CAST",
    "onnxruntime-web": "ADD,CONV2D,RESCALE,AVG_POOL2D,TRANSPOSE_CONV2D,SCATTER,CAST",
    "opencv": "SIGMOID,TANH,CONV2D,TRANSPOSE,MATMUL",
}


def run(*arguments, **environment):
    return subprocess.run([os.environ["ASSAY"], *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_says_that_it_is_not_installed(runtime, suite, tmp_path):
    for module in ("cv2", "onnx"):  # in front of those that are installed
        (tmp_path / f"{module}.py").write_text(f"raise ImportError(name={module!r})\n")
    ran = run("verify", str(suite), "--backend", runtime, PYTHONPATH=str(tmp_path),
              ASSAY_RUNTIMES=str(tmp_path))
    assert ran.returncode == 3
    assert ran.stderr.startswith(f"assay: {runtime}: not installed: "), ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("runtime, package", [("litert", "@litertjs/core"),
                                              ("onnxruntime", "onnxruntime-node"),
                                              ("onnxruntime-web", "onnxruntime-web")])
def test_says_that_the_npm_package_is_not_installed(runtime, package, tmp_path):
    if runtime != "litert":
        pytest.importorskip("onnx", reason="python3-onnx is not installed")
    ran = run("backend", "test", runtime, ASSAY_RUNTIMES=str(tmp_path))
    assert ran.returncode == 3
    assert ran.stderr == (f"assay: {runtime}: not installed: there is no {tmp_path}/{package}/"
                          f"node_modules/{package}; scripts/install.sh --with {runtime} installs "
                          "it\n")


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


def has_worker(runtime):
    """Whether the runtime is no backend of Assay, and has a worker beside its findings."""
    return (ROOT / "corpus/findings" / runtime / "worker.js").exists()


@pytest.mark.parametrize("note", FINDINGS, ids=lambda note: f"{note.parts[-3]}/{note.parts[-2]}")
def test_notes_are_complete_and_listed(note):
    text, (runtime, folder) = note.read_text(), note.parts[-3:-1]
    assert text.startswith("# ")
    for part in ("Specification", "By hand", "Expected", "Got", "At fault", "Kind", "State"):
        assert text.count(f"\n- {part}: ") == 1, part
    vector = f"corpus/findings/{runtime}/{folder}/vector.tvec"
    worker = f"'worker:node corpus/findings/{runtime}/worker.js"
    backend = worker if has_worker(runtime) else f"{runtime}`"
    replay = re.search(r"\n- Replay: `assay verify (.*)", text).group(1)
    assert f"{vector} --backend {backend}" in replay
    assert f"| {folder} |" in note.parents[1].joinpath("README.md").read_text()


@pytest.mark.parametrize("runtime", sorted({note.parts[-3] for note in FINDINGS}))
def test_findings_are_still_there(runtime):
    vectors = [str(note.parent / "vector.tvec") for note in FINDINGS if note.parts[-3] == runtime]
    assert f"total: {len(vectors)} vectors on reference" in assay_program(
        "verify", *vectors, "--backend", "reference")  # agrees with all, or its status is 1
    if has_worker(runtime):
        pytest.skip(f"{runtime} is installed by hand, as its README says")
    if runtime in ("onednn", "xnnpack") and "avx512_bf16" not in CPU.read_text():
        pytest.skip(f"the notes of {runtime} are about its code for AVX-512 and bf16")
    ran = run("verify", *vectors, "--backend", runtime)
    if ran.returncode == 3 and "not installed" in ran.stderr:
        pytest.skip(ran.stderr.strip())
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f": 0 agrees, {len(vectors)} disagrees\n" in ran.stdout


class Missing(Backend):
    def start(self):
        raise Unsupported("not installed: the runtime")


class Loaded(Backend):
    graphs = []

    def unload_graph(self, graph):
        self.graphs.remove(graph)


def test_a_worker_says_at_the_start_what_is_missing():
    with pytest.raises(Unsupported, match="not installed: the runtime"):
        Server(Missing()).answer(Hello.HelloT())


def test_a_worker_drops_a_graph():
    backend = Loaded()
    server = Server(backend)
    backend.graphs = ["a", "b"]
    server._graphs = {1: "a", 2: "b"}
    request = UnloadGraph.UnloadGraphT()
    request.graph = 1
    server.answer(request)
    assert backend.graphs == ["b"]
