# SPDX-License-Identifier: Apache-2.0
"""Validates real reports against the published schemas."""
import json
import os
import pathlib
import subprocess

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSAY = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")) / "assay"
KNOWN = {"format": "assay known failures", "version": 1,
         "known": [{"operator": "SUB", "type": "i32", "reason": "swapped"}]}


def validator(path):
    schema = json.loads((ROOT / path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def assay(folder, *words, status, helper="/no/helper"):
    done = subprocess.run([ASSAY, *words], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "ASSAY_MLIR_HELPER": str(helper)})
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout


def kinds_in(lines, valid):
    """Checks every line. Returns the first member of each, and all members that were met."""
    kinds, members = set(), set()
    for line in lines.splitlines():
        value = json.loads(line)
        for error in valid.iter_errors(value):
            reasons = [(list(inner.path), inner.message) for inner in error.context]
            pytest.fail(f"{line}\n{reasons}")
        kinds.add(next(iter(value)))
        members |= set(value)
    return kinds, members


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    assay(folder, "gen", "--out", "s", "--count", "240", "--seed", "5", status=0)
    (folder / "known.json").write_text(json.dumps(KNOWN))
    (folder / "refuse").write_text("#!/bin/sh\necho no >$1/step-0-refused.txt\n")
    (folder / "refuse").chmod(0o755)
    return folder


REPORT = "src/report/report.schema.json"


@pytest.mark.parametrize("words, status, wanted", [
    (["--backend", "canary:swapped-operands", "--report", "r", "--minimize", "--known", "known.json"], 1,
     {"run", "case", "finding", "group", "sha256"}),
    (["--backend", "reference", "--implied-errors"], 0, {"run", "case", "sha256"}),
    (["--backend", "exec:./refuse", "--report", "q"], 1, {"run", "case", "finding", "group", "sha256"}),
])
def test_lines_of_verify(suite, words, status, wanted):
    lines = assay(suite, "verify", "s", *words, "--json", status=status)
    kinds, members = kinds_in(lines, validator(REPORT))
    assert kinds == wanted
    assert {"schema", "about"} <= members
    if "--report" in words:
        report = (suite / words[words.index("--report") + 1] / "report.jsonl").read_text()
        assert report == lines


def test_lines_of_a_later_run_of_merged_shards_and_of_a_package(suite):
    valid, backend = validator(REPORT), ["--backend", "canary:swapped-operands"]
    assay(suite, "verify", "s", *backend, "--report", "old", status=1)
    later = assay(suite, "verify", "s", *backend, "--minimize", "--report", "new", "--since", "old", "--json",
                  status=1)
    kinds, members = kinds_in(later, valid)
    assert {"since", "new"} <= members and "group" in kinds
    for shard in ("0", "1"):
        assay(suite, "verify", "s", *backend, "--shard", f"{shard}/2", "--report", f"part{shard}", status=1)
    assay(suite, "merge", "part0", "part1", "--minimize", "--report", "merged", status=1)
    kinds, members = kinds_in((suite / "merged" / "report.jsonl").read_text(), valid)
    assert {"run", "case", "finding", "group"} <= kinds
    assert "suites" not in members
    assay(suite, "gen", "--conformance", "INT", "--ext", "none", "--op", "ADD", "--count", "200", "--out", "p", status=0)
    lines = assay(suite, "verify", "p/vectors", "--backend", "reference", "--json", status=0)
    kinds, members = kinds_in(lines, valid)
    assert "suites" in members


def test_lines_of_a_finding_with_its_pass(suite):
    helper = ASSAY.parent / "assay-mlir-helper"
    if not helper.exists():
        pytest.skip("mlir: not installed")
    vector = ROOT / "corpus/findings/llvm-22/clamp-to-minus-infinity-dropped/vector.tvec"
    lines = assay(suite, "verify", vector, "--backend", "mlir-rewrite:canonicalize", "--minimize", "--report",
                  "pass", "--json", status=1, helper=helper)
    kinds_in(lines, validator(REPORT))
    finding = next(json.loads(line) for line in lines.splitlines() if line.startswith('{"finding"'))
    changed = finding["cause"]["changed_by"]
    assert changed["pass"] == "canonicalize"
    for when in ("before", "after"):
        assert (suite / finding["module_" + when]).read_text() == changed[when]
    assert "tosa.clamp" in changed["before"] and "tosa.clamp" not in changed["after"]
    page = (suite / "pass" / "report.html").read_text()
    assert "changed by pass canonicalize" in page and "module before canonicalize" in page


def test_lines_of_recorded_answers(suite):
    assay(suite, "gen", "--out", "few", "--count", "40", "--seed", "5", status=0)
    assay(suite, "verify", "few", "--backend", "reference", "--record", "answers", status=0)
    valid = validator(REPORT)
    kinds, _ = kinds_in(assay(suite, "verify", "few", "--backend", "recorded:answers", "--json", status=0), valid)
    assert kinds == {"run", "case", "sha256"}
    assay(suite, "export", "few", "--out", "asked", status=0)
    kinds, members = kinds_in(assay(suite, "verify", "few", "--backend", "recorded:asked", "--json", status=3), valid)
    assert kinds == {"run", "case", "sha256"} and "partial" in members


def test_lines_of_fuzz(suite):
    lines = assay(suite, "fuzz", "--backend", "canary:swapped-operands", "--budget", "200", "--out", "f",
                  "--json", status=1)
    kinds, _ = kinds_in(lines, validator(REPORT))
    assert {"run", "finding", "group"} <= kinds


def test_report_of_model(suite):
    model = next((ROOT / "corpus/examples/arm").rglob("*conv2d*f32*/*.tosa"))
    valid = validator("src/model/model.schema.json")
    for words, status in ((["--backend", "reference"], 0), (["--backend", "canary:truncated-broadcast"], None),
                          (["--backend", "reference", "--against", "canary:swapped-operands"], None)):
        done = subprocess.run([ASSAY, "model", model, *words, "--report", "m", "--json"], cwd=suite,
                              capture_output=True, text=True)
        assert done.returncode in ({0, 1, 3} if status is None else {status}), done.stderr
        valid.validate(json.loads(done.stdout))
        assert (suite / "m" / "model.json").read_text() == done.stdout


def test_comparison_of_backends(suite):
    assay(suite, "verify", "s", "--backend", "reference", "--backend", "canary:swapped-operands", "--report", "c",
          status=1)
    comparison = json.loads((suite / "c" / "comparison.json").read_text())
    validator("src/report/comparison.schema.json").validate(comparison)
    assert comparison["parted"] and comparison["groups"]


def test_schema_refuses_what_is_not_documented():
    valid = validator(REPORT)
    group = {"group": "a", "title": "b", "findings": [], "seen": 1, "vector": "", "replay": ""}
    assert valid.is_valid(group)
    assert not valid.is_valid({**group, "time": 1})
    assert not valid.is_valid({key: value for key, value in group.items() if key != "replay"})
    assert not valid.is_valid({})
