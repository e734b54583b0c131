# SPDX-License-Identifier: Apache-2.0
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).parent))  # for tests that import own backends


def pytest_configure():
    # A library that is there and does not load is an error of every test, and not a skip.
    if importlib.util.find_spec("assay.native") is None:
        pytest.exit("skipped: the package assay has no native library", returncode=77)


def assay_program(*arguments, statuses=(0,)):
    """What the C++ program prints."""
    run = subprocess.run([os.environ["ASSAY"], *map(str, arguments)], capture_output=True, text=True)
    assert run.returncode in statuses, run.stdout + run.stderr
    return run.stdout


def run_python(*arguments, cwd=None, **more):
    """Runs this Python with this package."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more}
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd, env=environment)


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Vectors of operators that own_backends.py has, from the program."""
    folder = tmp_path_factory.mktemp("suites") / "suite"
    assay_program("gen", "--out", folder, "--kind", "operator", "--op", "ADD,SUB,MUL", "--count",
                  120, "--seed", 7)
    return folder
