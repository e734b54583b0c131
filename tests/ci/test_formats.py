# SPDX-License-Identifier: Apache-2.0
"""Reads the files of corpus/formats, one of each version of each format, with today's program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSAY = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")) / "assay"
FORMATS = ROOT / "corpus/formats"
CANARY = "canary:swapped-operands"


def assay(*words, status=0, folder=None):
    done = subprocess.run([ASSAY, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout


def table():
    """The rows of the README: {format: (version, oldest, file or None)}."""
    rows = {}
    for line in (FORMATS / "README.md").read_text().splitlines():
        row = re.match(r"\| ([\w -]+) \| (\d+) \| (\d+) \| (`(\S+)`|none: .*?) \| \[`(\S+)`\]\((\S+)\) \|$", line)
        if row:
            assert (ROOT / row[6]).samefile(FORMATS / row[7]), row[6]
            rows[row[1]] = int(row[2]), int(row[3]), row[5]
    return rows


TABLE = table()
FILES = [(name, number, FORMATS / file.replace("N", str(number)))
         for name, (version, oldest, file) in TABLE.items() if file for number in range(oldest, version + 1)]


def test_the_table_has_the_versions_of_the_program():
    said = {name: (int(version), int(oldest or version)) for name, version, oldest in
            re.findall(r"^  (\S.*?) (\d+)(?:, reads from (\d+))?$", assay("--version"), re.M)}
    assert len(said) > 20
    assert {name: row[:2] for name, row in TABLE.items()} == said


def test_the_version_names_commit_and_specification():
    said = assay("--version")
    assert re.search(r"^commit ([0-9a-f]{40}(, modified)?|unknown)$", said, re.M), said
    specification = json.loads(assay("spec", "--json"))["specification"]
    assert f"\nspecification: TOSA {specification}\n" in said


def test_no_file_is_left_out():
    expected = {path.relative_to(FORMATS).parts[0] for _, _, path in FILES}
    assert {path.name for path in FORMATS.iterdir()} == expected | {"README.md", "tosa"}


def copied(path, to):
    """A copy that a command may write to."""
    (shutil.copytree if path.is_dir() else shutil.copy)(path, to)
    return to


def vector(path, scratch):
    told = assay("verify", path, "--backend", "reference")
    assert ": 1 agrees, 0 disagrees" in told


def suite(path, scratch):
    for form in (path, path.with_name(path.name + "-packed")):
        told = assay("verify", form, "--backend", CANARY, status=1)
        assert ": 9 agrees, 3 disagrees" in told


def suite_of(path):
    """The suite that reports and answers are about."""
    return FORMATS / "suite" / "1"


def report(path, scratch):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    schema = json.loads((ROOT / "src/report/report.schema.json").read_text())
    for line in lines:
        jsonschema.validate(line, schema)
    old = next(line["group"] for line in lines if "group" in line)
    assay("verify", suite_of(path), "--backend", CANARY, "--report", scratch / "new", "--since", path.parent, status=1)
    groups = [json.loads(line) for line in (scratch / "new/report.jsonl").read_text().splitlines()
              if line.startswith('{"group"')]
    assert [(group["group"], group["new"]) for group in groups] == [(old, False)]


def model_report(path, scratch):
    jsonschema.validate(json.loads(path.read_text()), json.loads((ROOT / "src/model/model.schema.json").read_text()))
    assay("model", FORMATS / "tosa/1.0.tosa", "--backend", "reference", "--report", scratch)
    same_members(path, scratch / "model.json")


def target(path, scratch):
    assert "EXT-BF16" in assay("target", "show", path)


def plan(path, scratch):
    assert "the plan is sound" in assay("plan", "check", path)


def known_failures(path, scratch):
    told = assay("verify", suite_of(path), "--backend", CANARY, "--known", path)
    assert "3 known" in told or "known: 3" in told, told


def history(path, scratch):
    copy = copied(path, scratch / "history.jsonl")
    assay("verify", suite_of(path), "--backend", "reference", "--report", scratch / "r", "--history", copy)
    old, new = copy.read_text().splitlines()
    assert old == path.read_text().strip()
    assert set(members(json.loads(old))) - set(members(json.loads(new))) == {("/cases/disagrees", "int"), ("/groups/*", "str")}


def timing(path, scratch):
    assay("verify", suite_of(path), "--backend", "reference", "--report", scratch)
    same_members(path, scratch / "timing.json")


def answer(path, scratch):
    told = assay("verify", suite_of(path) / "operator", suite_of(path) / "window", "--backend", f"recorded:{path}")
    assert ": 4 agrees" in told


def export(path, scratch):
    """Programs elsewhere answer what an older Assay has exported."""
    copy = copied(path if path.is_dir() else path.parent, scratch / "there")
    examples = ROOT / "src/backend/examples"
    subprocess.run([sys.executable, examples / "run_export.py", copy, sys.executable, examples / "adapter.py", ASSAY,
                    "{dir}"], check=True, capture_output=True)
    told = assay("verify", suite_of(path) / "operator", "--backend", f"recorded:{copy}")
    assert ": 2 agrees" in told
    fresh = scratch / "fresh"
    assay("export", suite_of(path) / "operator", "--out", fresh)
    for old in [path] if path.is_file() else path.rglob("vector.json"):
        same_members(old, fresh / old.relative_to(path if path.is_dir() else path.parent))


def package(path, scratch):
    folder = copied(path.parent, scratch / "package")
    assay("verify", folder / "vectors", "--backend", "reference", "--report", scratch / "report")
    told = assay("submit", scratch / "report", "--package", folder, "--out", scratch / "statement.json")
    assert "every claimed list is complete" in told
    return scratch / "statement.json"


def statement(path, scratch):
    same_members(path, package(FORMATS / "assay-conformance-package/1/package.json", scratch))


def members(json_value, place=""):
    """Yields each member of a JSON file with its type; elements of lists are alike."""
    yield place, type(json_value).__name__
    if isinstance(json_value, dict):
        for name, value in json_value.items():
            yield from members(value, f"{place}/{name}")
    elif isinstance(json_value, list):
        for value in json_value:
            yield from members(value, f"{place}/*")


def same_members(old, new):
    """Programs that read the old file find all that they know in a new one."""
    missing = set(members(json.loads(old.read_text()))) - set(members(json.loads(new.read_text())))
    assert not missing


READERS = {
    "test vector": vector, "suite": suite, "report": report, "model report": model_report, "target": target,
    "assay-plan": plan, "assay known failures": known_failures, "assay history": history, "assay timing": timing,
    "assay answer": answer, "assay backend": answer, "assay export": export, "assay exported vector": export,
    "assay conformance package": package, "assay must-pass lists": package, "assay conformance statement": statement,
}


@pytest.mark.parametrize("name, number, path", FILES, ids=[f"{name} {number}" for name, number, _ in FILES])
def test_older_files_are_read(name, number, path, tmp_path):
    assert path.exists(), f"corpus/formats has no file of {name} {number}"
    if path.suffix in (".json", ".jsonl"):
        head = json.loads(path.read_text().splitlines()[0] if path.suffix == ".jsonl" else path.read_text())
        assert number in (head.get("version"), head.get("schema"), head.get("assay_target"))
    READERS[name](path.parent if name == "assay backend" else path, tmp_path)


def test_a_graph_of_tosa_1_0_is_read():
    assert "ADD" in assay("show", FORMATS / "tosa/1.0.tosa")
