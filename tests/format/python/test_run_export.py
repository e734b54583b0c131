# SPDX-License-Identifier: Apache-2.0
"""src/backend/examples/run_export.py, which runs a program on exported vectors."""
import subprocess
import sys

import pytest

from conftest import ROOT

RUN_EXPORT = ROOT / "src" / "backend" / "examples" / "run_export.py"


def run_export(folder, *words):
    return subprocess.run([sys.executable, RUN_EXPORT, *words], capture_output=True, text=True, cwd=folder)


@pytest.fixture
def there(tmp_path):
    """An export of three vectors, and a program that answers with a file and counts its runs."""
    for key in "abc":
        (tmp_path / "there" / "vectors" / key).mkdir(parents=True)
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho run >> runs\ntouch "$1/step-0-output-0.npy"\n')
    program.chmod(0o755)
    return tmp_path


def test_vectors_with_an_answer_are_skipped_and_counted_and_run_again_if_asked(there):
    vectors = sorted((there / "there" / "vectors").iterdir())
    first = run_export(there, "there", "./program")
    assert (first.returncode, first.stdout) == (0, "3 vectors run\n"), first.stderr
    (vectors[0] / "done.txt").unlink()
    (vectors[0] / "step-1-refused.txt").touch()  # an answer of a run that did not end
    second = run_export(there, "there", "./program")
    assert second.stdout.startswith("1 vectors run, 2 skipped because they have an answer; --again")
    (vectors[1] / "done.txt").rename(vectors[1] / "crashed.txt")
    third = run_export(there, "--again", "--jobs", "2", "there", "./program")
    assert third.stdout == "3 vectors run\n"
    assert (there / "runs").read_text().count("run") == 7
    for vector in vectors:
        assert sorted(one.name for one in vector.iterdir()) == ["done.txt", "step-0-output-0.npy"]


def test_a_missing_program_and_a_folder_without_vectors_are_one_line_each(there):
    (there / "empty").mkdir()
    (there / "bad").write_bytes(b"\x7fELF of another machine")
    (there / "bad").chmod(0o755)
    (there / "plain").touch()
    for words, said in ((("there", "./nothing"), "./nothing: no such program"),
                        (("there", "./plain"), "./plain: no such program, or it cannot be executed"),
                        (("there", "./bad"), "./bad"), (("there",), "no program is given"),
                        (("empty", "./program"), "empty: has no vectors"),
                        (("nowhere", "./program"), "nowhere: has no vectors"),
                        (("--jobs", "0", "there", "./program"), "--jobs: must be at least 1")):
        run = run_export(there, *words)
        assert run.returncode == 2 and run.stdout == "" and said in run.stderr, (words, run.stderr)
        assert len(run.stderr.splitlines()) == 1 and run.stderr.startswith("run_export.py: "), run.stderr
    assert not (there / "runs").exists()
