# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages of this build, checks them, and uses them in an empty Debian tree."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from conftest import needs_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release"))
SECURITY = "deb http://deb.debian.org/debian-security bookworm-security main"

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-shlibdeps"), reason="needs dpkg-dev")


def pack(folder, *options):
    """Returns the packages by name. They are compressed by gzip here, which takes a third of the time of xz."""
    done = subprocess.run(["cpack", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", *options], cwd=BUILD, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(folder / "_CPack_Packages")
    return {path.name.split("_")[0]: path for path in sorted(folder.glob("*.deb"))}


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    made = pack(tmp_path_factory.mktemp("packages"))
    for name, path in made.items():
        print(f"{name}: {path.stat().st_size} bytes")
    return made


def field(package, name):
    return subprocess.run(["dpkg-deb", "--field", package, name], capture_output=True, text=True,
                          check=True).stdout.strip()


def test_packages_depend_on_what_they_link(packages):
    assert {"assay", "libassay-dev", "python3-assay"} < set(packages)
    for library in ("libc6", "libfmt9", "libpugixml1v5", "libssl3", "libmpfr6", "libz3-4"):
        assert re.search(rf"\b{library}\b", field(packages["assay"], "Depends")), library
    version = field(packages["assay"], "Version")
    for library in ("libassay1", "libassay-serialization0.1"):
        assert f"{library} (= {version})" in field(packages["libassay-dev"], "Depends")
    if "assay-mlir" in packages:
        assert "libmlir-22" in field(packages["assay-mlir"], "Depends")


def test_packages_hold_every_file(packages, tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "usr"], check=True, capture_output=True)
    installed = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if not path.is_dir()}
    held = []
    for package in packages.values():
        listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
        held += re.findall(r"^[^d].* \./(\S+?)(?: -> .*)?$", listed, re.M)
    # Files that depend on the runtimes and compilers of a machine are for those who build Assay themselves.
    installed = {path for path in installed if not re.match(r"usr/lib/(assay/|libassay_fuzzer)", path)}
    only_packaged = re.compile(r"usr/share/(doc|lintian)/|.*\.dist-info/")
    assert len(installed) > 50
    assert sorted(path for path in held if not only_packaged.match(path)) == sorted(installed)


def test_packages_have_the_same_bytes_twice(packages, tmp_path):
    again = pack(tmp_path, "-D", "CPACK_COMPONENTS_ALL=dev;serialization")
    assert len(again) == 2
    for name, path in again.items():
        assert path.read_bytes() == packages[name].read_bytes(), name


@pytest.mark.skipif(not shutil.which("lintian"), reason="lintian is not installed")
def test_lintian_has_no_complaint(packages):
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *packages.values()],
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def install(tree, packages, *names):
    """Installs packages with what they need, and prints the cost."""
    for name in names:
        shutil.copy(packages[name], tree.folder)
    files = " ".join(f"/{packages[name].name}" for name in names)
    begun = time.monotonic()
    said = tree.run(f"apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io {files}",
                    variables={"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
    counted = re.search(r"(\d+) newly installed", said)[1]
    space = re.search(r"([\d.]+ \w?B) of additional disk space", said)[1]
    print(f"{' '.join(names)}: {counted} packages, {space}, {time.monotonic() - begun:.1f} s")


@pytest.fixture(scope="module")
def installed(tree, packages):
    """The tree with the program."""
    sources = tree.folder / "etc/apt/sources.list"
    sources.write_text(sources.read_text() + SECURITY + "\n")
    tree.run("apt-get update -q")
    install(tree, packages, "assay")
    return tree


@needs_tree
def test_installed_program(installed):
    assert installed.run("assay --version").startswith("assay ")
    installed.run("assay gen --out /suite --count 60 --seed 1")
    told = installed.run("assay verify /suite --backend reference --report /report")
    assert " 0 disagrees" in told and ": 0 agrees" not in told
    installed.run("assay verify /suite --backend canary:swapped-operands", status=1)
    # dpkg leaves the manual out of the trees of some images.
    assert b"\n.SH EXIT STATUS" in subprocess.run(
        ["sh", "-c", 'dpkg-deb --fsys-tarfile "$0" | tar -xO ./usr/share/man/man1/assay.1.gz | gzip -d',
         next(installed.folder.glob("assay_*.deb"))], capture_output=True, check=True).stdout
    installed.run("bash -c '. /usr/share/bash-completion/completions/assay && complete -p assay'")


@needs_tree
def test_installed_python(installed, packages):
    install(installed, packages, "python3-assay")
    told = installed.run("""/usr/bin/python3 -c 'import assay
vector = next(assay.generate("operator", seed=1, count=10, operators=["ABS"]))
print(assay.judge(vector, [expected.array for expected in vector.steps[0].outputs]).verdict)'""")
    assert told == "agrees\n"
    # Each adapter in Python starts, and misses its runtime.
    for backend, missing in (("onnxruntime", "onnx"), ("onnxruntime-web", "onnx"), ("opencv", "cv2"), ("pytorch", "torch"),
                             ("litert", "litertjs")):
        told = installed.run(f"assay backend test {backend} 2>&1", status=3)
        assert re.match(rf"assay: {backend}: not installed: there is no .*{missing}.*scripts/install.sh --with ", told), told
    installed.run("sh -c 'cd /usr/share/assay && scripts/install.sh --with nothing'", status=2)
    installed.run("apt-get purge -y python3-assay")
    assert not (installed.folder / "usr/lib/python3/dist-packages/assay").exists()


PROGRAM = r"""
#include <assay/assay.h>
#include <stdio.h>

/* Executes the vectors of a suite and judges the results. */
int main(int count, char** words) {
  assay_error error;
  assay_suite* suite;
  size_t i, right = 0;
  if (count != 2 || assay_suite_open(words[1], &suite, &error)) return 2;
  for (i = 0; i < assay_suite_size(suite); ++i) {
    assay_vector* vector = NULL;
    assay_outcomes* outcomes = NULL;
    assay_judgement* judgement = NULL;
    if (assay_suite_vector(suite, i, &vector, &error) || assay_execute(vector, &outcomes, &error) ||
        assay_judge(vector, outcomes, &judgement, &error)) {
      puts(error.text);
    } else if (assay_judgement_finding_count(judgement) == 0) {
      ++right;
    }
    assay_judgement_free(judgement);
    assay_outcomes_free(outcomes);
    assay_vector_free(vector);
  }
  printf("%d of %d\n", (int)right, (int)assay_suite_size(suite));
  assay_suite_free(suite);
  return 0;
}
"""


@needs_tree
def test_installed_development_files(installed, packages):
    (installed.folder / "judge.c").write_text(PROGRAM)
    shutil.copy(ROOT / "src/format/serialization/examples/print_graph.c", installed.folder)
    install(installed, packages, "libassay1", "libassay-serialization0.1", "libassay-dev")
    installed.run("apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config")
    for name, library in (("judge", "assay"), ("print_graph", "assay_serialization")):
        installed.run(f"cc -std=c99 /{name}.c -o /{name} $(pkg-config --cflags --libs {library})")
    told = re.fullmatch(r"(\d+) of (\d+)\n", installed.run("/judge /suite"))
    assert told and int(told[1]) == int(told[2]) > 10
    installed.run("assay convert $(ls -d /suite/operator/*.tvec | head -1) /graph.tosa")
    assert installed.run("/print_graph /graph.tosa").startswith("TOSA 1.0.0\n")


@needs_tree
def test_installed_mlir(installed, packages):
    if "assay-mlir" not in packages:
        pytest.skip("this build has no MLIR backend")
    if not installed.run("apt-cache search --names-only '^libmlir-22$'"):
        pytest.skip("the archive has no libmlir-22")
    install(installed, packages, "assay-mlir")
    told = installed.run("assay verify /suite --backend mlir --match 'ADD' || test $? = 1")
    assert re.search(r"[1-9]\d* agrees", told), told
