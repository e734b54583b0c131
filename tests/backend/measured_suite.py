# SPDX-License-Identifier: Apache-2.0
"""Runs suites through `assay` and through the workers in this process, for the measurements."""
import json
import shutil
import subprocess
import sys


def outputs_of(backend, vector):
    """The outputs of all steps of a vector, in a list."""
    contexts, outputs = {}, []
    for step in vector.steps:
        context = contexts.setdefault(step.context, {})
        context.update(step.state_before)
        outputs += backend.invoke(context, vector.graphs[step.graph], step.inputs)
    return outputs


class Assay:
    """Runs the program, and reads its reports."""

    def __init__(self, program, folder):
        self._program, self._folder = program, folder

    def run(self, *words):
        return subprocess.run([self._program, *map(str, words)], capture_output=True, text=True,
                              check=False)

    def suite(self, name, *words):
        """The folder of a new suite."""
        folder = self._folder / name
        made = self.run("gen" if "extract" not in words else "extract", "--out", folder,
                        *(word for word in words if word != "extract"))
        if made.returncode not in (0, 3):
            sys.exit(made.stderr)
        return folder

    def verify(self, worker, paths, *words):
        """The lines of the report for cases, after a run of `worker` on paths."""
        return self.verify_on(f"worker:{sys.executable} {worker}", paths, *words)

    def verify_on(self, backend, paths, *words):
        """The same for any backend."""
        report = self._folder / "report"
        self.run("verify", *paths, "--jobs", 1, "--repeat", 0, "--backend", backend,
                 "--report", report, *words)
        lines = (report / "report.jsonl").read_text().splitlines()
        shutil.rmtree(report)
        return [line for line in map(json.loads, lines) if "case" in line]
