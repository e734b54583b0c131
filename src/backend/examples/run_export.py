#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on the folders that `assay export` or `assay verify --next` has written, and adds
its answers to them. It needs nothing but Python, so it can be copied to the machine of the device.

    assay export suite --out there                              (here)
    run_export.py --jobs 8 there ./my_program                   (on the machine of the device)
    assay verify suite --backend recorded:there                 (here)

The program is one for `--backend exec:`. It gets the folder of a vector as its last argument, or
in place of the word {dir}. It is started for each vector that has no answer yet. --again drops the
answers that are there and runs all vectors. --jobs says how many run at the same time."""
import argparse
import concurrent.futures
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

UNSUPPORTED = 77
LOG_BYTES = 1 << 14
LINE = 300
# Any of these files says that a vector has been run.
ENDS = ("done.txt", "unsupported.txt", "crashed.txt", "timed-out.txt")
ANSWERS = ("step-*-output-*.npy", "step-*-state-*.npy", "step-*-refused.txt", "outputs.npz")


def first_line(text):
    return next((line[:LINE] for line in text.splitlines() if line.strip()), "")


def described(status):
    """Returns the end of a process in words."""
    if status < 0:
        return f"signal {-status} ({signal.strsignal(-status)})"
    return f"exit status {status}"


def end_of(command, folder, seconds):
    """Runs the program. Returns the file that says how it ended, its text, and the log."""
    words = [word.replace("{dir}", str(folder)) for word in command]
    if words == command:
        words.append(str(folder))
    try:
        run = subprocess.run(words, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as end:
        return "timed-out.txt", "timed out", end.stderr or b""
    errors = run.stderr.decode(errors="replace").replace(str(folder), "{dir}")
    line = first_line(errors)
    if run.returncode == UNSUPPORTED:
        return "unsupported.txt", line or "unsupported", b""
    if run.returncode == 0:
        return "done.txt", "", errors.encode()
    return "crashed.txt", described(run.returncode) + (f": {line}" if line else ""), errors.encode()


def run_vector(vector, command, seconds):
    """Runs the program on a copy of a folder, because it may change its files."""
    for pattern in (*ENDS, "log.txt", *ANSWERS):
        for file in vector.glob(pattern):
            file.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "vector"
        shutil.copytree(vector, copy)
        name, text, log = end_of(command, copy, seconds)
        for pattern in ANSWERS:
            for file in copy.glob(pattern):
                shutil.copyfile(file, vector / file.name)
    if log:
        (vector / "log.txt").write_bytes(log[-LOG_BYTES:])
    # The last file: a vector without it is run again.
    (vector / name).write_text(text + "\n")


def vectors_of(export):
    """Returns the folders of the vectors of an export."""
    folder = export / "vectors"
    vectors = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    if not vectors:
        raise ValueError(f"{export}: has no vectors; give a folder that `assay export --out` has written")
    return vectors


def check_program(command):
    if not command:
        raise ValueError("no program is given: run_export.py DIR PROGRAM [ARGUMENT ...]")
    if not shutil.which(command[0]):
        raise ValueError(f"{command[0]}: no such program, or it cannot be executed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, default=1, help="how many vectors run at the same time")
    parser.add_argument("--again", action="store_true", help="drop the answers and run all vectors")
    parser.add_argument("--seconds", type=float, default=60, help="time limit for a vector")
    parser.add_argument("export", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        check_program(options.command)
        found = vectors_of(options.export)
        if options.jobs < 1:
            raise ValueError("--jobs: must be at least 1")
    except (OSError, ValueError) as error:
        print(f"run_export.py: {error}", file=sys.stderr)
        return 2
    vectors = [vector for vector in found
               if options.again or not any((vector / end).exists() for end in ENDS)]
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda one: run_vector(one, options.command, options.seconds), vectors))
    except OSError as error:  # such as a program of another machine, or a full disk
        print(f"run_export.py: {error}", file=sys.stderr)
        return 2
    skipped = len(found) - len(vectors)
    print(f"{len(vectors)} vectors run" + (f", {skipped} skipped because they have an answer; "
                                           "--again runs them, too" if skipped else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
