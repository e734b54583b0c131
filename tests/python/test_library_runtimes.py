# SPDX-License-Identifier: Apache-2.0
"""The backends onednn, xnnpack (plugins that are built if their library is installed) and pytorch."""
import os
import pathlib
import shutil
import subprocess

import pytest

import assay
from conftest import assay_program

# The backends, and operators of which each agrees in all vectors.
RUNTIMES = {
    "onednn": "ADD,MUL,CONV2D,DEPTHWISE_CONV2D,TRANSPOSE_CONV2D,MATMUL,AVG_POOL2D,TRANSPOSE,PAD",
    "onednn:unfused": "ADD,MUL,CONV2D,MATMUL,SIGMOID,TANH,CONCAT,SLICE",
    "xnnpack": "ABS,CEIL,FLOOR,NEGATE,MATMUL,RESHAPE,RESIZE",
    "pytorch": "ADD,CONV2D,MATMUL,MAX_POOL2D,REDUCE_MAX,ERF,RFFT2D",
    "pytorch:script": "ADD,CONV2D,MATMUL,MAX_POOL2D,REDUCE_MAX",
}
PROGRAMS = pathlib.Path(os.environ["ASSAY"]).parent


def run(*arguments, **environment):
    return subprocess.run([os.environ["ASSAY"], *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment})


def exam(runtime):
    """The output of `assay backend test`; skips the test if the runtime is not installed."""
    ran = run("backend", "test", runtime)
    if ran.returncode == 3:
        pytest.skip(ran.stderr.strip())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_says_that_it_is_not_installed(runtime, suite, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError\n")  # in front of the one installed
    ran = run("verify", str(suite), "--backend", runtime, PYTHONPATH=str(tmp_path),
              ASSAY_ADAPTERS=str(tmp_path))
    assert ran.returncode == 3
    name = runtime.split(":")[0]
    assert ran.stderr.startswith(f"assay: {runtime}: not installed: "), ran.stderr
    assert f"scripts/install.sh --with {name} " in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_knows_its_variants():
    ran = run("backend", "test", "onednn:fusd")
    assert ran.returncode == 2
    assert "no variant of onednn is named 'fusd'; the nearest is fused" in ran.stderr


def test_a_library_without_variants_says_so(tmp_path):
    shutil.copy(PROGRAMS / "example_backend.so", tmp_path / "onednn.so")
    ran = run("backend", "test", "onednn", ASSAY_ADAPTERS=str(tmp_path))
    assert ran.returncode == 0 and "onednn (C example 1)" in ran.stdout, ran.stdout + ran.stderr
    ran = run("backend", "test", "onednn:unfused", ASSAY_ADAPTERS=str(tmp_path))
    assert ran.returncode == 3
    assert ran.stderr == "assay: onednn:unfused: has no variants\n"


def test_post_operators_of_onednn_keep_precision():
    # MUL and SUB in bf16: a post-operator reads the product before it is rounded.
    probes = {variant: [line for line in exam(variant).splitlines() if "rounds-results" in line]
              for variant in ("onednn", "onednn:unfused")}
    assert "probes differ" in probes["onednn"][0], probes
    assert ", and agree" in probes["onednn:unfused"][0], probes


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_agrees_on_operators(runtime, tmp_path):
    exam(runtime)
    vectors = str(tmp_path / "suite")
    assay_program("gen", "--out", vectors, "--kind", "operator", "--op", RUNTIMES[runtime],
                  "--ext", "EXT-BF16", "--count", 100 if "pytorch" in runtime else 3000)
    ran = run("verify", vectors, "--backend", runtime)
    assert ran.returncode == 0, ran.stdout + ran.stderr


# The numbers of RESIZE for each way in which a runtime maps pixels, from sides of 3.
RESIZES = {"corners": ([2, 1, 2, 1], [0, 0], [0, 0]), "origins": ([2, 1, 2, 1], [0, 0], [1, 1]),
           "centers": ([4, 2, 4, 2], [-1, -1], [1, 1])}


@pytest.mark.parametrize("runtime, way", [("xnnpack", "corners"), ("xnnpack", "origins"),
                                          ("xnnpack", "centers"), ("pytorch", "corners"),
                                          ("pytorch", "centers")])
def test_maps_pixels_as_the_runtime_does(runtime, way, tmp_path):
    exam(runtime)
    scale, offset, border = RESIZES[way]
    builder = assay.Builder()
    image = builder.input("image", [1, 3, 3, 2], "fp32")
    resized = builder.resize(image, scale, offset, border, mode="BILINEAR")
    builder.graph(resized).save(tmp_path / "graph.tosa")
    ran = run("verify", str(tmp_path / "graph.tosa"), "--backend", runtime)
    assert ran.returncode == 0 and ": 1 agrees" in ran.stdout, ran.stdout + ran.stderr
