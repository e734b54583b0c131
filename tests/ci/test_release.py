# SPDX-License-Identifier: Apache-2.0
"""Makes a source release, twice."""
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "scripts" / "release"

pytestmark = pytest.mark.skipif(
    subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).returncode != 0,
    reason="this is no work tree of git")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The files of a release. Its sources have been unpacked and configured without git."""
    folder = tmp_path_factory.mktemp("release")
    subprocess.run([RELEASE, "--out", folder], check=True)
    return {path.name.split(".", 3)[-1]: path for path in folder.iterdir()}


def test_a_release_has_the_same_bytes_twice(release, tmp_path):
    subprocess.run([RELEASE, "--out", tmp_path, "--no-check"], check=True, capture_output=True)
    assert {path.name: path.read_bytes() for path in release.values()} == {
        path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_the_release_notes_name_version_and_commit(release):
    assert set(release) == {"tar.xz", "md", "spdx.json"}
    notes = release["md"].read_text()
    assert re.match(r"# Assay \d+\.\d+\.\d+\n\n- ", notes)
    assert re.search(r"\nCommit [0-9a-f]{40}\.\n$", notes)


def test_the_sbom_is_spdx_and_has_every_package_at_run_time(release):
    document = json.loads(release["spdx.json"].read_text())
    for member in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        assert document[member]  # SPDX 2.3, section 6
    assert document["spdxVersion"] == "SPDX-2.3"
    packages = {package["name"]: package for package in document["packages"]}
    for package in packages.values():
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        assert package["downloadLocation"] and package["licenseDeclared"]
    known = {package["SPDXID"] for package in packages.values()} | {"SPDXRef-DOCUMENT"}
    ends = [(row["spdxElementId"], row["relatedSpdxElement"]) for row in document["relationships"]]
    assert {end for pair in ends for end in pair} == known
    listed = subprocess.run(["bash", "-c", ". scripts/install.sh; echo $assay_runtime_packages"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    assert set(listed) <= set(packages)


def test_wrong_arguments_are_one_line_and_a_changed_tree_is_noted(tmp_path):
    (tmp_path / "file").touch()
    made = f"--out {tmp_path}/%s: cannot make this folder: %s"
    for words, said in ((("--out", tmp_path / "file"), made % ("file", "File exists")),
                        (("--out", tmp_path / "file/a/b"), made % ("file/a/b", "Not a directory")),
                        (("--out", tmp_path, "--commit", "nosuch"), "--commit nosuch: there is no such commit")):
        done = subprocess.run([RELEASE, "--no-check", *words], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"release: {said}\n")
    tree = tmp_path / "tree"
    subprocess.run(["git", "clone", "-q", "--depth", "1", ROOT.as_uri(), tree], check=True)
    for name in ("a.txt", "b.txt"):
        (tree / name).touch()
    noted = subprocess.run([tree / "scripts/release", "--no-check", "--out", tmp_path / "out"], check=True,
                           capture_output=True, text=True).stderr
    assert noted == "release: note: not committed, so not in the release: a.txt and 1 more\n"


def test_versions_that_differ_are_refused(tmp_path):
    tree = tmp_path / "tree"
    subprocess.run(["git", "clone", "-q", "--depth", "1", ROOT.as_uri(), tree], check=True)
    header = tree / "src/base/version.h"
    header.write_text(re.sub(r'Version = "[^"]+"', 'Version = "9.9.9"', header.read_text()))
    subprocess.run(["git", "-C", tree, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qam", "x"], check=True)
    done = subprocess.run([tree / "scripts/release", "--out", tmp_path, "--no-check"], capture_output=True, text=True)
    assert done.returncode == 1 and "src/base/version.h says 9.9.9" in done.stderr
    assert len(done.stderr.splitlines()) == 1
