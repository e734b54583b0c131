# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def assay_program(*arguments):
    """What the C++ program prints."""
    command = [os.environ["ASSAY"], *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Vectors of every kind, from the generators."""
    folder = tmp_path_factory.mktemp("suite") / "suite"
    assay_program("gen", "--out", folder, "--count", 400, "--seed", 7)
    return sorted(folder.rglob("*.tvec"))


@pytest.fixture(scope="session")
def graph_files(suite, tmp_path_factory):
    """Files of Arm's tools, and graphs out of the suite."""
    folder = tmp_path_factory.mktemp("graphs")
    made = []
    for index, vector in enumerate(suite[::7]):
        made.append(folder / f"{index}.tosa")
        assay_program("convert", vector, made[-1], "--graph", 0)
    return sorted((ROOT / "corpus").rglob("*.tosa")) + made


@pytest.fixture(scope="session")
def vector_files(suite):
    return sorted((ROOT / "corpus").rglob("*.tvec")) + suite[::5]
