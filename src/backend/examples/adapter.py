#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example of a program for `--backend exec:`. It hands every step to a command line that runs one
graph, here `assay run`, and shows how to answer, refuse and decline.

    assay verify suite --backend 'exec:/usr/bin/python3 adapter.py build/release/assay {dir}'
"""
import pathlib
import subprocess
import sys


def read_steps(folder):
    """The steps of steps.txt: [{"graph": ..., "inputs": [(file, name)...], "outputs": [...], ...}]."""
    steps = []
    for line in (folder / "steps.txt").read_text().splitlines()[1:]:
        word, *rest = line.split(" ")
        if word == "step":
            steps.append({"graph": rest[1], "context": rest[3], "inputs": [], "outputs": [],
                          "loads": [], "variables": []})
        else:
            name = " ".join(rest[2:]).strip('"')
            steps[-1][word + "s"].append((rest[0], name))
    return steps


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    steps = read_steps(folder)
    if len(steps) > 1 or steps[0]["loads"]:
        print("more than one step, or state", file=sys.stderr)
        return 77
    for number, step in enumerate(steps):
        out = folder / "out"
        command = [program, "run", folder / step["graph"], "--out", out]
        for file, name in step["inputs"]:
            command += ["--input", f"{name}={folder / file}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 1:
            (folder / f"step-{number}-refused.txt").write_text(run.stdout)
        elif run.returncode == 3:
            print(run.stdout, file=sys.stderr)
            return 77
        elif run.returncode != 0:
            print(run.stderr, file=sys.stderr)
            return 1
        else:
            for file, name in step["outputs"]:
                (out / f"{name}.npy").rename(folder / file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
