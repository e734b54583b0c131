# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest."""
import importlib.util
import json
import pathlib
import re

import pytest

from conftest import run_python

HERE = pathlib.Path(__file__).parent


def run_pytest(folder, suite, *options, backend="own_backends:wrong_add"):
    return run_python("-m", "pytest", "-p", "pytest_assay", "-p", "no:cacheprovider", "--strict-markers",
                      "--assay", suite, "--assay-backend", backend, "-q", *options, cwd=folder,
                      PYTHONPATH=f"{importlib.util.find_spec('pytest_assay').origin[:-15]}:{HERE}")


def counts(run):
    found = re.findall(r"(\d+) (failed|passed|skipped|xfailed|deselected|error)",
                       run.stdout.splitlines()[-1])
    return {word: int(number) for number, word in found}


def names(run):
    return sorted(line for line in run.stdout.splitlines() if ".tvec::" in line)


def test_each_vector_is_a_test_with_its_own_name(suite, tmp_path):
    run = run_pytest(tmp_path, suite, "--collect-only")
    vectors = list(suite.rglob("*.tvec"))
    assert len(names(run)) == len(set(names(run))) == len(vectors), run.stdout + run.stderr
    assert any(name.endswith("::ADD-fp32") for name in names(run))
    one = names(run_pytest(tmp_path, suite, "--collect-only", vectors[0]))
    assert len(one) == 1 and vectors[0].name in one[0]


def test_a_failure_shows_the_smallest_vector_and_a_replay_line(suite, tmp_path):
    run = run_pytest(tmp_path, suite, "-rs")
    assert run.returncode == 1 and counts(run)["failed"] > 3 and counts(run)["passed"] > 5
    assert counts(run)["skipped"] > 10 and "unsupported: MUL" in run.stdout
    assert "ADD fp32: wrong value" in run.stdout and "smallest vector:" in run.stdout
    assert "Traceback" not in run.stdout and "def runtest" not in run.stdout
    replays = re.findall(r"replay: assay verify (\S+) --backend '(worker:.*)'", run.stdout)
    assert replays and all((tmp_path / path).is_file() for path, _ in replays)
    assert replays[0][1].endswith("-m assay.serve own_backends:wrong_add")


def test_without_minimizing_the_vector_itself_is_shown(suite, tmp_path):
    run = run_pytest(tmp_path, suite, "--assay-no-minimize", "-m", "ADD")
    assert run.returncode == 1 and "smallest vector:" not in run.stdout
    replays = re.findall(r"replay: assay verify (\S+) ", run.stdout)
    assert replays and all((tmp_path / path).is_relative_to(suite) for path in replays)
    assert not (tmp_path / "assay-findings").exists()


def test_operators_and_profiles_are_markers(suite, tmp_path):
    run = run_pytest(tmp_path, suite, "-m", "ADD and PRO_FP")
    chosen = counts(run)
    assert 0 < chosen["failed"] and chosen["deselected"] > 10
    run = run_pytest(tmp_path, suite, "-m", "SUB and kind_operator")
    assert run.returncode == 0 and counts(run)["passed"] > 1


def test_known_failures_are_expected(suite, tmp_path):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"format": "assay known failures", "version": 1, "known": [
        {"operator": "ADD", "violation": "value", "reason": "issue 12"}]}))
    before = counts(run_pytest(tmp_path, suite))
    run = run_pytest(tmp_path, suite, "-rx", "--assay-known", known)
    assert run.returncode == 0 and counts(run)["xfailed"] == before["failed"], run.stdout
    assert "issue 12" in run.stdout


def test_several_processes_give_the_same(suite, tmp_path):
    pytest.importorskip("xdist")
    alone, together = run_pytest(tmp_path, suite), run_pytest(tmp_path, suite, "-n", "2")
    assert counts(alone) == counts(together), together.stdout + together.stderr
    assert not [one for one in (tmp_path / "assay-findings").iterdir() if one.is_dir()]


def test_a_worker_may_crash(suite, tmp_path):
    run = run_pytest(tmp_path, suite, "--assay-isolated", "--assay-no-minimize", "-m",
                     "SUB and PRO_FP", backend="own_backends:exits")
    assert run.returncode == 1 and "crash" in run.stdout, run.stdout


@pytest.mark.parametrize("options, words", [
    ((), "needs --assay-backend"),
    (("--assay-backend", "nothing:run"), "No module named 'nothing'"),
    (("--assay-backend", "own_backends:missing"), "has no missing"),
    (("--assay-backend", "own_backends:_buffer"), "is no backend"),
    (("--assay-backend", "own_backends:run", "--assay-declare", "plain-sum"), "no declaration is named"),
    (("--assay-backend", "own_backends:run", "--assay-known", "nowhere.json"), "nowhere.json"),
    (("--assay-backend", "worker:/nowhere"), "no such program")])
def test_wrong_options_are_one_line(suite, tmp_path, options, words):
    run = run_python("-m", "pytest", "-p", "pytest_assay", "--assay", suite, *options, cwd=tmp_path,
                     PYTHONPATH=f"{importlib.util.find_spec('pytest_assay').origin[:-15]}:{HERE}")
    assert run.returncode == 4 and words in run.stderr, run.stderr
    assert len([line for line in run.stderr.splitlines() if line]) == 1


def test_a_backend_without_a_suite_is_one_line(tmp_path):
    run = run_python("-m", "pytest", "-p", "pytest_assay", "--assay-backend", "own_backends:run",
                     cwd=tmp_path, PYTHONPATH=importlib.util.find_spec("pytest_assay").origin[:-15])
    assert run.returncode == 4 and "--assay-backend needs --assay PATH" in run.stderr, run.stderr
    assert len([line for line in run.stderr.splitlines() if line]) == 1


def test_a_damaged_suite_is_one_line(suite, tmp_path):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "suite.json").write_text("{")
    run = run_pytest(tmp_path, tmp_path / "suite")
    assert run.returncode == 4 and "suite.json" in run.stderr, run.stderr
