# SPDX-License-Identifier: Apache-2.0
"""libassay.so as it is installed: its binary interface, and the examples. Run by CTest with BUILD (the build tree)."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["BUILD"])
EXAMPLES = ROOT / "src/api/examples"
INTERFACE = pathlib.Path(__file__).with_name("binary_interface.txt")


def run(*command, status=0, **keywords):
    """Returns what a command prints."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **keywords)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install") / "prefix"
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="session")
def environment(prefix):
    """Of programs that find what is installed, and nothing of the build tree."""
    library = prefix / "lib"
    return dict(os.environ, LD_LIBRARY_PATH=str(library), PKG_CONFIG_PATH=str(library / "pkgconfig"))


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suites") / "suite"
    run(BUILD / "assay", "gen", "--out", folder, "--kind", "operator", "--op", "ADD,ABS,CLAMP", "--type", "fp32",
        "--count", 60)
    return folder


def layout(header, tmp_path):
    """Returns the lines on constants and structs that a C program prints."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    constants = re.findall(r"\b(ASSAY_\w+) = \d+", text)
    structs = re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, re.S)
    lines = [f'printf("constant {name} %lld\\n", (long long){name});' for name in constants]
    for name, body in structs:
        lines.append(f'printf("struct {name} %d", (int)sizeof({name}));')
        for names in re.findall(r"[^;]*?((?:[*\s]\w+(?:\[\w+\])?,?)+);", body):
            for field in re.findall(r"(\w+)(?:\[\w+\])?(?:,|$)", names.strip()):
                lines.append(f'printf(" {field}:%d", (int)offsetof({name}, {field}));')
        lines.append('puts("");')
    for name in re.findall(r"typedef u?int32_t (\w+);", text):
        lines.append(f'printf("number {name} %d %s\\n", (int)sizeof({name}), ({name})-1 < 0 ? "signed" : "unsigned");')
    source = tmp_path / "layout.c"
    source.write_text('#include <assay/assay.h>\n#include <stdio.h>\nint main(void) {\n' + "\n".join(lines) + "return 0; }\n")
    return source


def test_the_binary_interface_stays(prefix, tmp_path):
    """Every symbol with its version, every declaration, constant and field is in the list, and nothing else is.

    A line that has gone or changed breaks programs. A new line is fine: run with ASSAY_BLESS=1 to add it."""
    header = (prefix / "include/assay/assay.h").read_text()
    program = tmp_path / "layout"
    run("cc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-I", prefix / "include", layout(header, tmp_path), "-o", program)
    found = run(program).splitlines()
    symbols = run("nm", "-D", "--with-symbol-versions", "--defined-only", prefix / "lib/libassay.so")
    found += ["symbol " + line.split()[-1] for line in symbols.splitlines() if line.split()[1] == "T"]
    strange = [line for line in symbols.splitlines() if line.split()[1] not in "TA"]
    assert not strange, "the library exports more than functions"
    declared = re.findall(r"^(?!typedef)(\w[^;{}#]*?\bassay_\w+\([^;]*?\));", re.sub(r"/\*.*?\*/", "", header, flags=re.S), re.M)
    found += ["function " + " ".join(line.split()) for line in declared]
    found += ["soname " + re.search(r"SONAME\s+(\S+)", run("objdump", "-p", prefix / "lib/libassay.so"))[1]]
    text = "\n".join(sorted(found)) + "\n"
    if os.environ.get("ASSAY_BLESS"):
        INTERFACE.write_text(text)
    listed = set(INTERFACE.read_text().splitlines())
    assert not sorted(listed - set(found)), "gone or changed"
    assert not sorted(set(found) - listed), "new"
    functions = [re.search(r"(assay_\w+)\(", line)[1] for line in found if line.startswith("function ")]
    assert sorted(functions) == sorted(re.findall(r"^symbol (\w+)@@ASSAY_\d+\.\d+$", "\n".join(found), flags=re.M))


def test_the_library_needs_little(prefix):
    needed = re.findall(r"NEEDED\s+(\S+?)\.so", run("objdump", "-p", prefix / "lib/libassay.so"))
    assert set(needed) <= {"libcrypto", "libmpfr", "libgmp", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64",
                           "ld-linux-aarch64", "libz"}


@pytest.fixture(scope="session")
def examples(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    run("cmake", "-G", "Ninja", "-S", EXAMPLES, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)
    return folder


def test_the_c_example_agrees_with_the_program(examples, suite, environment):
    told = run(examples / "judge_suite", suite, env=environment)
    counts = dict((name, int(number)) for number, name in re.findall(r"(\d+) (\w+)", told))
    assert counts["agree"] > 10 and counts["disagree"] == 0
    plugin = BUILD / "example_backend.so"
    by_program = run(BUILD / "assay", "verify", suite, "--backend", f"plugin:{plugin}")
    assert f"{counts['agree']} agrees" in by_program, by_program
    assert f"{counts['unsupported']} unsupported" in by_program, by_program


@pytest.fixture(scope="session")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suites") / "packed"
    run(BUILD / "assay", "gen", "--out", folder, "--kind", "operator", "--op", "ADD,ABS,CLAMP", "--type", "fp32",
        "--count", 60, "--packed")
    return folder


def test_packs_and_arm_directories_give_the_same_verdicts(examples, suite, packed, environment, tmp_path):
    run(BUILD / "assay", "export", suite, "--out", tmp_path / "arm", "--as", "arm")
    told = run(examples / "judge_suite", suite, env=environment)
    assert told == run(examples / "judge_suite", packed, env=environment)
    assert told == run(examples / "judge_suite", tmp_path / "arm", env=environment)


def test_a_damaged_suite_is_one_line(examples, suite, packed, environment, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(suite, broken)
    shutil.copytree(packed, broken / "packed")
    for damaged in (sorted(broken.rglob("*.tvec"))[3], *broken.rglob("*.tvecs")):
        damaged.write_bytes(damaged.read_bytes()[:100])
        for path in (damaged, damaged.parent if damaged.suffix == ".tvecs" else broken):
            told = run(examples / "judge_suite", path, status=2, env=environment)
            assert damaged.name in told and told.count("\n") == 1


def test_the_googletest_example_has_a_test_for_each_vector(examples, suite, environment):
    if not (examples / "own_backend_test").exists():
        pytest.skip("GoogleTest is not installed")
    told = run(examples / "own_backend_test", env=dict(environment, ASSAY_SUITE=str(suite)))
    assert re.search(r"\[  PASSED  \] [1-9]\d* tests", told) and "[  SKIPPED ]" in told
    lines = [line for line in (EXAMPLES / "own_backend_test.cc").read_text().splitlines() if line and line[0] != "/"]
    assert len(lines) <= 40


def test_the_rapidcheck_example_finds_the_wrong_rewrite(examples, environment, tmp_path):
    """The property shrinks to the two operators of the rewrite, RC_PARAMS replays it, and without the rewrite it holds."""
    if not (examples / "own_optimizer_test").exists():
        pytest.skip("GoogleTest or RapidCheck is not installed")
    def find(parameters):
        told = run(examples / "own_optimizer_test", status=1, env=dict(environment, RC_PARAMS=parameters))
        return told, told[told.index("AnyGraph:"):told.index("replay:")]

    told, shown = find("seed=1")
    assert re.findall(r"= ([A-Z_]+)\(", shown) == ["ABS", "CLZ"], told
    assert "CLZ i32: wrong value" in told
    assert find("seed=1")[1] == shown
    assert find(re.search(r'RC_PARAMS="(.*)"', told)[1])[1] == shown
    right = (EXAMPLES / "own_optimizer_test.cc").read_text().replace('name == "CLZ" && ', "false && ")
    (tmp_path / "right.cc").write_text(right)
    flags = run("pkg-config", "--cflags", "--libs", "assay", "assay_serialization", env=environment).split()
    run("c++", "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror", tmp_path / "right.cc", "-o", tmp_path / "right", *flags,
        "-lrapidcheck", "-lgtest_main", "-lgtest", "-lpthread")
    run(tmp_path / "right", env=environment)
    readme = (ROOT / "src/api/README.md").read_text()
    snippet = re.search(r"```cpp\n(.*?)```", readme, re.S)[1]
    assert snippet in (EXAMPLES / "own_optimizer_test.cc").read_text()


def test_the_googletest_example_fails_with_the_finding(examples, suite, environment, tmp_path):
    """The same backend with a fault: it subtracts."""
    if not (examples / "own_backend_test").exists():
        pytest.skip("GoogleTest is not installed")
    source = (EXAMPLES / "own_backend_test.cc").read_text()
    (tmp_path / "wrong.cc").write_text(source.replace("[i] + static", "[i] - static"))
    flags = run("pkg-config", "--cflags", "--libs", "assay", env=environment).split()
    run("c++", "-std=c++17", tmp_path / "wrong.cc", "-o", tmp_path / "wrong", *flags, "-lgtest_main", "-lgtest", "-lpthread")
    told = run(tmp_path / "wrong", status=1, env=dict(environment, ASSAY_SUITE=str(suite)))
    assert ".tvec: step 0, " in told and "expected" in told
