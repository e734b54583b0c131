# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` gives is enough to build on: run by CTest with BUILD (the build tree)."""
import os
import pathlib
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["BUILD"])
EXAMPLES = ROOT / "src/format/serialization/examples"
BACKENDS = ROOT / "src/backend/examples"
MODELS = ROOT / "src/plan/emit/examples"


def run(*command, **keywords):
    """What a command prints; it must succeed."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **keywords)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install") / "prefix"
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="session")
def environment(prefix):
    """Of programs that find what is installed, and nothing of the build tree."""
    library = prefix / "lib"
    return dict(os.environ, LD_LIBRARY_PATH=str(library), PKG_CONFIG_PATH=str(library / "pkgconfig"),
                PYTHONPATH=str(prefix / "lib/python3/dist-packages"), PYTHONDONTWRITEBYTECODE="1",
                PATH=f"{prefix / 'bin'}:{os.environ['PATH']}")


@pytest.fixture(scope="session")
def examples(prefix, tmp_path_factory):
    """The folder of the example project's programs."""
    folder = tmp_path_factory.mktemp("examples")
    run("cmake", "-G", "Ninja", "-S", EXAMPLES, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)
    return folder


@pytest.fixture(scope="session")
def graph(tmp_path_factory, environment):
    """y = x + w, with w = [1.5, -2] a constant."""
    path = tmp_path_factory.mktemp("graph") / "add.tosa"
    run(sys.executable, "-c", f"""
import assay, numpy
w = assay.Tensor("w", (), assay.DType.FP32)
w.set(numpy.float32([1.5, -2]))
x, y = (assay.Tensor(name, (2,), assay.DType.FP32) for name in "xy")
block = assay.Block(tensors=[x, w, y], inputs=["x"], outputs=["y"], operators=[
    assay.Operator(assay.Op.CONST, [], ["w"]), assay.Operator(assay.Op.ADD, ["x", "w"], ["y"])])
assay.Graph(regions=[assay.Region(blocks=[block])]).save({str(path)!r})
""", env=environment)
    return path


PRINTED = """TOSA 1.0.0
region main
  block main: x -> y
    tensor x: fp32[2]
    tensor w: fp32[2] 8 bytes
    tensor y: fp32[2]
    w = CONST
    y = ADD x w
"""


def test_the_c_example_prints_a_graph(examples, graph):
    assert run(examples / "print_graph", graph) == PRINTED


def test_the_c_example_says_why_it_does_not(examples, tmp_path):
    bad = tmp_path / "bad.tosa"
    bad.write_bytes(b"no graph")
    done = subprocess.run([examples / "print_graph", bad], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"{bad}: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("program", ["scale_constant", "scale_constant_static"])
def test_the_cpp_example_changes_a_constant(program, examples, graph, environment, tmp_path):
    out = tmp_path / "out.tosa"
    run(examples / program, graph, "w", "-2", out)
    data = run(sys.executable, "-c", f"import assay; print(assay.load({str(out)!r})"
               ".main.tensor('w').data.hex())", env=environment)
    assert data.strip() == struct.pack("<2f", -3, 4).hex()


def test_pkg_config_knows_the_library(environment, graph, tmp_path):
    flags = run("pkg-config", "--cflags", "--libs", "assay_serialization", env=environment).split()
    program = tmp_path / "print_graph"
    run("cc", "-std=c99", "-pedantic-errors", EXAMPLES / "print_graph.c", "-o", program, *flags)
    assert run(program, graph, env=environment) == PRINTED


def test_every_header_is_enough_by_itself(prefix, tmp_path):
    headers = sorted((prefix / "include/assay").glob("*.h"))
    assert headers
    for header in headers:
        source = tmp_path / "source.cc"
        source.write_text(f"#include <assay/{header.name}>\n")
        run("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
            "-I", prefix / "include", source)


def test_the_shared_library_exports_its_own_names_only(environment):
    library = pathlib.Path(environment["LD_LIBRARY_PATH"]) / "libassay_serialization.so"
    names = run("nm", "-DC", "--defined-only", library).splitlines()
    assert len(names) > 50
    strange = [name for name in names if not name.split(maxsplit=2)[2].startswith("assay")]
    assert not strange
    assert "SONAME" in run("objdump", "-p", library)


def test_the_program_runs(environment, graph):
    assert "ADD" in run("assay", "show", graph, env=environment)


@pytest.fixture(scope="session")
def plugin(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    run("cmake", "-G", "Ninja", "-S", BACKENDS, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)
    return f"plugin:{folder / 'backend.so'}"


@pytest.mark.parametrize("backend", ["plugin", f"worker:{sys.executable} {BACKENDS / 'backend.py'}"])
def test_the_example_backends_agree(backend, environment, request, tmp_path):
    if backend == "plugin":
        backend = request.getfixturevalue("plugin")
    asked = run("assay", "backend", "test", backend, env=environment)
    assert "ok             keeps contexts apart" in asked
    run("assay", "gen", "--out", tmp_path / "suite", "--kind", "stateful", "--count", 50, env=environment)
    told = run("assay", "verify", tmp_path / "suite", "--backend", backend, env=environment)
    assert " 0 disagrees" in told and ": 0 agrees" not in told


def test_a_model_in_c_runs(environment, tmp_path):
    run("assay", "plan", MODELS / "scale.json", "--emit", tmp_path, env=environment)
    flags = run("pkg-config", "--cflags", "--libs", "assay_kernels", env=environment).split()
    run("cc", "-std=c99", "-pedantic-errors", "-I", tmp_path, tmp_path / "scale.c", MODELS / "own_memory.c",
        "-o", tmp_path / "scale", *flags)
    done = subprocess.run([tmp_path / "scale"], input=struct.pack("<4f", 1, 2, -0.5, -1), capture_output=True)
    assert done.stdout == struct.pack("<4f", 3.75, 0, 0.3125, 2)


def test_the_kernels_leave_the_allocator_to_the_program(prefix, environment, tmp_path):
    """A program that has settings of its own for jemalloc, by a name that only one may define."""
    assert "malloc_conf" not in run("nm", "-A", "--defined-only", *(prefix / "lib").glob("*.a"))
    run("assay", "plan", MODELS / "scale.json", "--emit", tmp_path, env=environment)
    (tmp_path / "settings.c").write_text('const char* malloc_conf = "narenas:1";\n')
    flags = run("pkg-config", "--cflags", "--libs", "assay_kernels", env=environment).split()
    archive = prefix / "lib/libassay_kernels.a"
    run("cc", "-std=c99", "-I", tmp_path, tmp_path / "scale.c", MODELS / "own_memory.c", tmp_path / "settings.c",
        "-o", tmp_path / "scale", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", *flags)
    done = subprocess.run([tmp_path / "scale"], input=struct.pack("<4f", 1, 2, -0.5, -1), capture_output=True)
    assert done.stdout == struct.pack("<4f", 3.75, 0, 0.3125, 2)
