"""An independent backend that keeps to the specification is never blamed, however it calculates."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT, assay_program

BACKENDS = ROOT / "tests" / "backend"
VARIANTS = ("forward", "reverse", "pairwise", "flush", "kept", "edge", "fused-multiply-add",
            "blocks-of-8", "blocks-of-16", "split", "largest-first", "kept-flush", "lower", "upper",
            "scattered")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Folders of vectors that such a backend has results for."""
    folder = tmp_path_factory.mktemp("compliant")
    counts = {"operator": 60, "graph": 40, "dot-product": 12, "stateful": 8, "control-flow": 8}
    for kind, count in counts.items():
        assay_program("gen", "--out", folder / kind, "--kind", kind, "--count", count, "--seed", 25)
    return [folder / kind for kind in counts]


def verify(vectors, variant):
    worker = f"worker:{sys.executable} {BACKENDS / 'compliant_worker.py'} {variant}"
    return subprocess.run([os.environ["ASSAY"], "verify", *vectors, "--backend", worker],
                          capture_output=True, text=True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_has_no_finding(vectors, variant):
    run = verify(vectors, variant)
    assert run.returncode == 0, run.stdout + run.stderr


def test_has_findings_beyond_the_rules(vectors):
    run = verify(vectors, "beyond")
    assert run.returncode == 1, run.stdout + run.stderr
