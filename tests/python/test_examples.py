# SPDX-License-Identifier: Apache-2.0
"""The examples, the snippets of the README, and installation with pip."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, assay_program, run_python

EXAMPLES = ROOT / "src" / "python" / "examples"


def test_the_example_finds_the_mistake_that_its_readme_shows(tmp_path):
    run = run_python(EXAMPLES / "numpy_backend.py", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "findings: 1, in 1 group" in run.stdout and "MAXIMUM fp32: wrong value" in run.stdout
    assert "nan_mode=IGNORE" in run.stdout and "0 unsupported" not in run.stdout


def test_the_mistake_is_found_by_pytest_and_hypothesis_as_well(tmp_path):
    pytest.importorskip("hypothesis")
    for name in ("numpy_backend.py", "test_numpy_backend.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    run = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert run.returncode == 1 and "MAXIMUM" in run.stdout, run.stdout
    assay_program("gen", "--out", tmp_path / "suite", "--op", "MAXIMUM,ADD", "--type", "fp32",
                  "--kind", "operator", "--count", 200)
    run = run_python("-m", "pytest", "-q", "-p", "pytest_assay", "-p", "no:cacheprovider", "--assay",
                     "suite", "--assay-backend", "numpy_backend:run", cwd=tmp_path)
    assert run.returncode == 1 and "MAXIMUM fp32: wrong value" in run.stdout, run.stdout


def test_the_snippets_of_the_readme_run(tmp_path):
    text = (ROOT / "src" / "python" / "README.md").read_text()
    snippets = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(snippets) >= 5
    assay_program("gen", "--out", tmp_path / "suite", "--kind", "operator", "--op", "ADD,ABS",
                  "--count", 20)
    vector = next((tmp_path / "suite").rglob("*.tvec"))
    shutil.copy(vector, tmp_path / "case.tvec")
    b = "import assay; b = assay.Builder(); x = b.input('x', [2], 'fp32'); " \
        "w = b.const([1.0, 2.0], 'fp32', name='weights'); b.graph(b.mul(x, w)).save('model.tosa')"
    assert run_python("-c", b, cwd=tmp_path).returncode == 0
    program = "\n".join(snippets)
    run = run_python("-c", program, cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_pip_installs_the_package_into_a_new_environment(tmp_path):
    build = pathlib.Path(os.environ["ASSAY"]).parent
    for module in ("venv", "setuptools"):
        pytest.importorskip(module)
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "V"],
                          capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip("python3-venv is not installed")
    # A copy, because pip leaves files beside the sources.
    package = tmp_path / "toolkit" / "src" / "python"
    shutil.copytree(ROOT / "src" / "python", package, ignore=shutil.ignore_patterns(
        "build", "*.egg-info", "__pycache__"))
    (tmp_path / "toolkit" / "src" / "base").mkdir()
    shutil.copy(ROOT / "src" / "base" / "version.h", tmp_path / "toolkit" / "src" / "base")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # A relative path, as in the README, begins where pip is called.
    environment |= {"ASSAY_BUILD": build.name, "ASSAY_BUILD_IS_COMPLETE": "1",
                    "PWD": str(build.parent)}
    installed = subprocess.run([tmp_path / "V" / "bin" / "pip", "install", "-q", "--no-index",
                                "--no-build-isolation", package], env=environment,
                               capture_output=True, text=True, cwd=build.parent)
    assert installed.returncode == 0, installed.stderr
    python = tmp_path / "V" / "bin" / "python"
    run = subprocess.run([python, "-c", "import assay; print(assay.verify(assay.generate('operator', "
                          "count=20), 'reference')); print(assay.__file__)"], env=environment,
                         capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0 and "agrees" in run.stdout and str(tmp_path) in run.stdout, run.stderr
    helped = subprocess.run([python, "-m", "pytest", "--help"], env=environment,
                            capture_output=True, text=True, cwd=tmp_path)
    assert "--assay-backend" in helped.stdout
