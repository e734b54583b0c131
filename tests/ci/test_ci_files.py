# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of the files in scripts/ci as a CI system would."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import needs_tree

yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release"))
CI = ROOT / "scripts" / "ci"

# The command whose output gitlab.yml keeps: a hash of the sources that it has built.
SOURCES = ("cd assay && find CMakeLists.txt src generators oracles corpus/spec -type f -print0 | sort -z"
           " | xargs -0 sha256sum | sha256sum")

# A suite that takes seconds to make.
SMALL = {"ASSAY_SUITE": "--smoke --profile PRO-INT --ext none"}

needs_debian = pytest.mark.skipif(not shutil.which("dpkg-query"), reason="this is no Debian")


def github():
    return yaml.safe_load((CI / "github.yml").read_text())


def gitlab():
    return yaml.safe_load((CI / "gitlab.yml").read_text())


def github_steps():
    """The `run:` steps, by name."""
    return {step["name"]: step["run"] for step in github()["jobs"]["smoke"]["steps"] if "run" in step}


@pytest.fixture
def repository(tmp_path):
    """A stranger's repository, with Assay checked out and built beside it."""
    (tmp_path / "assay").symlink_to(ROOT)
    (tmp_path / "assay-build").mkdir()
    for name in ("assay", "assay-plugin-host", "assay-vulkan-host", "python"):
        (tmp_path / "assay-build" / name).symlink_to(BUILD / name)
    (tmp_path / "assay-build/sources.txt").write_text(subprocess.check_output(
        ["sh", "-c", SOURCES], cwd=tmp_path, text=True))
    return tmp_path


def run(script, folder, variables, **more):
    """Runs a step as the CI systems do: bash, which ends at the first command that fails."""
    environment = {**os.environ, **variables, **more, "GITHUB_STEP_SUMMARY": str(folder / "shown.md"),
                   "GITHUB_OUTPUT": str(folder / "outputs")}
    return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment,
                          capture_output=True, text=True)


def expect_reports(folder, failures):
    suite = ElementTree.parse(folder / "report" / "report.xml").getroot().find("testsuite")
    assert int(suite.get("tests")) > 100
    assert (int(suite.get("failures")) > 0) == failures
    assert float(suite.get("time")) > 0 and suite.get("timestamp")
    names = [case.get("name") for case in suite.iter("testcase")]
    assert len(set(names)) == len(names)
    for failure in suite.iter("failure"):
        assert "\nreplay: assay verify " in failure.text
    assert (folder / "report" / "summary.md").read_text().startswith("# Assay: ")


def test_each_file_keeps_the_programs_that_assay_starts():
    for name in ("github.yml", "gitlab.yml", "Dockerfile"):
        for program in ("assay-plugin-host", "assay-vulkan-host"):
            assert program in (CI / name).read_text(), name


def test_every_step_is_known():
    """A step that no test runs must be an action of GitHub's own."""
    for step in github()["jobs"]["smoke"]["steps"]:
        assert ("run" in step) != ("uses" in step), step
        if "uses" in step:
            assert re.fullmatch(r"actions/(checkout|cache/restore|cache/save|upload-artifact)@v\d+",
                                step["uses"])
    assert set(gitlab()["smoke"]) == {"stage", "image", "cache", "script", "artifacts"}


@needs_debian
def test_github_steps_end_in_a_verdict(repository):
    workflow, begun = github(), time.monotonic()
    for name, script in github_steps().items():
        done = run(script, repository, {**workflow["env"], **SMALL})
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    print(f"all steps, from an empty cache of suites: {time.monotonic() - begun:.1f} s")
    expect_reports(repository, failures=False)
    assert (repository / "shown.md").read_text() == (repository / "report/summary.md").read_text()
    worker = {"ASSAY_BACKEND": "worker:/usr/bin/python3 assay/src/backend/examples/backend.py"}
    done = run(github_steps()["Verify the backend"], repository, {**workflow["env"], **SMALL, **worker})
    assert done.returncode == 0, (done.stdout, done.stderr)
    expect_reports(repository, failures=False)
    for step in workflow["jobs"]["smoke"]["steps"]:
        for path in step.get("with", {}).get("path", "").split():
            assert (repository / path).exists(), path


@needs_debian
def test_github_steps_fail_on_findings_until_they_are_known(repository):
    steps = github_steps()
    variables = {**github()["env"], **SMALL, "ASSAY_BACKEND": "canary:swapped-operands"}
    verify = steps["Verify the backend"]
    for name, script in steps.items():
        done = run(script, repository, variables)
        assert done.returncode == (1 if script == verify else 0), (name, done.stdout, done.stderr)
    expect_reports(repository, failures=True)
    update = run(verify.rstrip() + " --known known.json --update-known", repository, variables)
    assert update.returncode == 1, update.stderr
    done = run(verify, repository, variables)
    assert done.returncode == 0, (done.stdout, done.stderr)


@needs_debian
def test_other_options_make_another_suite(repository):
    """The cache may have the suite of earlier options, and a red run saves it as well."""
    make = next(script for name, script in github_steps().items() if name.startswith("Make the suite"))
    for script in (make, gitlab()["smoke"]["script"][3]):
        counts = []
        for options in ("--kind operator --count 3", "--kind operator --count 5"):
            for _ in range(2):
                done = run(script, repository, {}, ASSAY_SUITE=options)
                assert done.returncode == 0, done.stderr
                counts.append(len(list(repository.glob("suite/operator/*.tvec"))))
        assert counts == [3, 3, 5, 5]
    names = [step["name"] for step in github()["jobs"]["smoke"]["steps"]]
    assert names.index("Save the program and the suite, whatever the verdict will be") < names.index(
        "Verify the backend")
    assert gitlab()["smoke"]["cache"]["when"] == "always"


@needs_debian
def test_gitlab_script_ends_in_a_verdict(repository):
    job, begun = gitlab()["smoke"], time.monotonic()
    done = run("\n".join(job["script"]), repository, {**gitlab()["variables"], **SMALL})
    assert done.returncode == 0, (done.stdout, done.stderr)
    print(f"the script, from an empty cache of suites: {time.monotonic() - begun:.1f} s")
    expect_reports(repository, failures=False)
    for path in job["cache"]["paths"] + job["artifacts"]["paths"]:
        assert (repository / path).exists(), path
    assert (repository / job["artifacts"]["reports"]["junit"]).exists()
    failing = run("\n".join(job["script"]), repository,
                  {**gitlab()["variables"], **SMALL, "ASSAY_BACKEND": "canary:swapped-operands"})
    assert failing.returncode == 1, (failing.stdout, failing.stderr)


@needs_debian
def test_gitlab_builds_again_when_a_branch_has_moved(tmp_path):
    """The version stays the same, and the cache has the program of the sources before."""
    for folder in ("src", "generators", "oracles", "corpus/spec"):
        (tmp_path / "assay" / folder).mkdir(parents=True)
    source = tmp_path / "assay/src/a file.cc"
    (tmp_path / "assay/CMakeLists.txt").write_text("")
    build = gitlab()["smoke"]["script"][2]
    # The program is a script with the content of the source.
    stand_in = ('install_packages() { :; }\n'
                'build() { mkdir -p ../assay-build; cp "src/a file.cc" ../assay-build/assay;'
                ' chmod +x ../assay-build/assay; echo built >>../builds; }\n')
    for content in ("1", "1", "2", "2"):
        source.write_text(content)
        done = run(stand_in + build, tmp_path, {})
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "assay-build/assay").read_text() == content
        (tmp_path / "suite").mkdir(exist_ok=True)
    assert (tmp_path / "builds").read_text() == "built\n" * 2
    source.write_text("3")
    assert run(stand_in + build, tmp_path, {}).returncode == 0
    assert not (tmp_path / "suite").exists(), "the suite is that of the sources before"


@needs_debian
def test_names_may_have_blanks(repository):
    """The file of known failures, and a target of the suite."""
    (repository / "my target.json").write_text('{"assay_target": 1, "operators": {"SUB": {"types": ["i32"]}}}')
    (repository / "my known.json").write_text(
        '{"format": "assay known failures", "version": 1,'
        ' "known": [{"operator": "SUB", "reason": "swapped"}]}')
    suite = "--kind operator --count 20 --target 'my target.json'"
    steps = github_steps()
    scripts = {"github": [steps["Make the suite if the cache has none of these options"],
                          steps["Verify the backend"]],
               "gitlab": gitlab()["smoke"]["script"][3:]}
    for name, (make, verify) in scripts.items():
        variables = {"ASSAY_SUITE": suite, "ASSAY_KNOWN": "my known.json",
                     "ASSAY_BACKEND": "canary:swapped-operands"}
        made = run(make, repository, variables)
        assert made.returncode == 0, (name, made.stderr)
        done = run(verify, repository, variables)
        assert "reason: swapped" in done.stdout, (name, done.stdout, done.stderr)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        shutil.rmtree(repository / "suite")
        (repository / "assay-build/suite.txt").unlink()


def stages():
    """The stages of the Dockerfile: lists of (instruction, argument)."""
    found = []
    for line in (CI / "Dockerfile").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        instruction, argument = line.split(" ", 1)
        if instruction == "FROM":
            found.append([])
        found[-1].append((instruction, argument))
    return found


def runtime_packages():
    script = '. scripts/install.sh; echo $assay_runtime_packages'
    return subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.split()


@needs_debian
def test_runtime_packages_hold_every_library():
    lines = subprocess.run(["ldd", BUILD / "assay"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    listed = set(runtime_packages()) | {"libc6", "libstdc++6", "libgcc-s1"}
    for line in lines:
        library = re.search(r"=> (/\S+)", line)
        if not library:
            continue
        # dpkg knows files by the path that the package has, before or after /usr was merged.
        owners = [subprocess.run(["dpkg", "-S", path], capture_output=True, text=True).stdout
                  for path in {library[1], os.path.realpath(library[1]),
                               library[1].removeprefix("/usr"), "/usr" + library[1]}]
        names = {owner.split(":")[0] for owner in owners if owner}
        assert names & listed, (line, names)


@needs_debian
@needs_tree
def test_dockerfile_makes_an_image(tree):
    """The second stage in a debootstrap tree, with the programs of this build."""
    folder, variables = "/", {}
    for instruction, argument in stages()[1][1:]:
        words = shlex.split(argument)
        if instruction == "WORKDIR":
            folder = argument
            (tree.folder / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif instruction == "COPY":
            origins = [word for word in words[:-1] if not word.startswith("--")]
            target = tree.folder / (pathlib.Path(folder) / words[-1]).as_posix().lstrip("/")
            for origin in origins:
                source = pathlib.Path(origin)
                source = BUILD / source.name if "--from=build" in words else ROOT / source
                to = target / source.name if argument.endswith("/") else target
                to.parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if source.is_dir() else shutil.copy2)(source, to)
        elif instruction == "ARG":
            variables["ASSAY_SUITE"] = SMALL["ASSAY_SUITE"]
        elif instruction == "ENV":
            variables.update(word.split("=", 1) for word in words)
        elif instruction == "RUN":
            tree.run(argument, 0, folder, variables)
        else:
            assert (instruction, argument) == ("ENTRYPOINT", '["assay"]')
    assert folder == "/work"
    begun = time.monotonic()
    tree.run("assay verify /assay/smoke --backend reference --report report", 0, folder, variables)
    print(f"the image verifies the smoke suite in {time.monotonic() - begun:.1f} s")
    expect_reports(tree.folder / "work", failures=False)
    tree.run("assay verify /assay/smoke --backend canary:swapped-operands", 1, folder, variables)
    tree.run("/usr/bin/python3 -c 'import assay'", 0, folder, variables)
