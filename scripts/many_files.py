# SPDX-License-Identifier: Apache-2.0
"""Damaged files by the thousand, each through every command that reads files of its kind."""

import collections
import concurrent.futures
import contextlib
import dataclasses
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading

# The cost that a run may have: for a file below 1 MB, and more for each further MB.
CPU_SECONDS, CPU_SECONDS_PER_MB = 20, 2
MEMORY, MEMORY_PER_MB = 6 << 30, 100 << 20
FILE_MAX = 16 << 20
OUTPUT_KEPT = 1 << 16
BATCH = 50  # files


def by_mlir(vectors):
    return "verify", vectors, "--backend", "mlir", "--jobs", "1"


# The commands for each kind of file; @ is the file, ENDING one of those below it, and the present folder
# is for what they write.
OF_GRAPHS = (("show", "@"), ("check", "@"), ("run", "@"), ("convert", "@", "outENDING"),
             ("convert", "@", "out.tvec"), ("plan", "@"), ("plan", "@", "--emit", "out"),
             ("fold", "@", "--out", "fold.tvec"), ("fold", "check", "@", "@"))
OF_VECTORS = (("show", "@"), ("run", "@"), ("verify", "@", "--backend", "reference", "--jobs", "1"),
              ("coverage", "@"), ("convert", "@", "outENDING"), ("fold", "@"),
              ("fold", "check", "@"), ("fold", "run", "@", "--repeat", "2"), ("plan", "@"),
              ("plan", "check", "@"))
TO_MLIR = {OF_GRAPHS: "out.tvec", OF_VECTORS: "@"}  # what of them goes through `mlir`, many at a time
ENDINGS = {OF_GRAPHS: (".mlir", ".tosa", ".json", ".dot", ".txt"), OF_VECTORS: (".tosa", "/")}
OF_FOLDERS = (("run", "@"), ("verify", "@", "--backend", "reference", "--jobs", "1"),
              ("coverage", "@"), ("convert", "@", "out.tvec"), ("plan", "@"))
COMMANDS = {
    "tosa": OF_GRAPHS, "json": OF_GRAPHS, "mlir": OF_GRAPHS, "tvec": OF_VECTORS, "arm": OF_FOLDERS,
    "suite": (("verify", "@", "--backend", "reference", "--jobs", "1"), ("coverage", "@")),
    "table": (("plan", "@"), ("plan", "check", "@")),
}
# A third of the files, or a little more, goes through each command.
TURNS = ("tosa", "tvec", "json", "tvec", "mlir", "tvec", "arm", "suite", "table")


@dataclasses.dataclass
class Run:
    status: int
    output: str
    cpu_seconds: float
    memory: int


def damage_text(choose, content):
    """The same, as it goes wrong in text: numbers, words and lines."""
    text = content.decode("latin-1")
    kind = choose.randrange(4)
    numbers = list(re.finditer(r"\d+", text))
    if kind == 0 and numbers:
        number = choose.choice(numbers)
        new = choose.choice(("0", "-1", "2147483647", "4294967296", "9223372036854775807", "1e999",
                             "1" * 400, "null", "[]", "{}", '""', "true"))
        text = text[:number.start()] + new + text[number.end():]
    elif kind == 1:
        lines = text.split("\n")
        at, count = choose.randrange(len(lines)), choose.choice((2, 100, 10000))
        count = min(count, FILE_MAX // (len(lines[at]) + 1))
        text = "\n".join(lines[:at] + [lines[at]] * count + lines[at + 1:])
    elif kind == 2:
        bracket = choose.choice("([{<\"")
        at = choose.randrange(len(text) + 1)
        text = text[:at] + bracket * choose.choice((1, 1000, 100000)) + text[at:]
    else:
        at, end = sorted(choose.randrange(len(text) + 1) for _ in range(2))
        text = text[:at] + text[end:]
    return text.encode("latin-1")


class Files:
    """The sound files that damaged ones are made of, by kind: a list of files or folders."""

    def __init__(self, assay, examples, planning, work):
        self.sound = collections.defaultdict(list)
        folder = work / "sound"
        folder.mkdir()
        self.sound["arm"] = sorted(path.parent for path in examples.glob("*/desc.json"))
        self.sound["tosa"] = sorted(examples.glob("*/*.tosa"))
        suite = folder / "suite"
        for kind in ("operator", "control-flow", "stateful", "fold"):
            subprocess.run([assay, "gen", "--out", suite / kind, "--kind", kind, "--count", "30"],
                           check=True, stdout=subprocess.DEVNULL)
            self.sound["tvec"] += sorted((suite / kind).glob("**/*.tvec"))
            self.sound["suite"].append(suite / kind)
        self.sound["tvec"] += sorted((examples.parent.parent / "findings").glob("*/*/vector.tvec"))
        sources = self.sound["tosa"] + self.sound["tvec"][:60]
        for number, source in enumerate(sources):
            for ending in ("mlir", "json"):
                made = folder / f"{number}.{ending}"
                subprocess.run([assay, "convert", source, made], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False)
                if made.exists():
                    self.sound[ending].append(made)
        self.sound["table"] = sorted(path for path in planning.rglob("*")
                                     if path.suffix in (".csv", ".json"))

    def make(self, kind, choose, mutate, folder):
        """Writes a damaged file or folder; its path and its size."""
        source = choose.choice(self.sound[kind])
        copy = folder / source.name
        victim = copy
        if source.is_dir():
            shutil.copytree(source, copy)
            victim = copy / "suite.json"
            if kind == "arm":
                victim = choose.choice(sorted(path for path in copy.rglob("*") if path.is_file()))
        else:
            shutil.copy(source, copy)
        content = victim.read_bytes() or b"\0"
        is_text = victim.suffix in (".json", ".mlir", ".csv")
        for _ in range(choose.choice((1, 1, 1, 2, 5))):
            damage = damage_text if is_text and choose.random() < 0.7 else mutate
            content = damage(choose, content)[:FILE_MAX] or b"\0"
        victim.write_bytes(content)
        return copy, len(content)


def preloaded(assay):
    """The library that makes `assay` serve requests to run: beside it."""
    return pathlib.Path(assay).with_name("fork_server.so")


class Starter:
    """Runs commands with limits that are far above what they may cost."""

    def __init__(self, assay, sanitized):
        self.memory = "" if sanitized else str(12 << 30)
        environment = {**os.environ, "LD_PRELOAD": preloaded(assay), "LD_BIND_NOW": "1"}
        self.server = subprocess.Popen([assay], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       bufsize=0, env=environment)

    def run(self, arguments, folder, size):
        more = max(0, -(-size // (1 << 20)) - 1)
        out, cpu = folder / "printed", 2 * (CPU_SECONDS + CPU_SECONDS_PER_MB * more)
        texts = (folder, out, cpu, self.memory, "assay", *arguments)
        status, microseconds, kib = struct.unpack("=3q", self.answer_to(texts))
        with open(out, "rb") as printed:
            text = printed.read(OUTPUT_KEPT).decode(errors="replace")
        return Run(os.waitstatus_to_exitcode(status), text, microseconds / 1e6, kib << 10)

    def answer_to(self, texts):
        request = b"".join(os.fsencode(str(text)) + b"\0" for text in texts)
        with contextlib.suppress(BrokenPipeError):
            self.server.stdin.write(struct.pack("=I", len(request)) + request)
        answer = self.server.stdout.read(24)
        if len(answer) < 24:
            sys.exit(f"the fork server ended with status {self.server.wait()} and did not answer: "
                     f"{' '.join(map(str, texts[4:]))}, in {texts[0]}")
        return answer


def wrong_with(result, size, sanitized):
    """What a run did that it must not; "" if nothing."""
    more = max(0, -(-size // (1 << 20)) - 1)
    if result.status < 0:
        return f"signal {signal.Signals(-result.status).name}"
    if result.status not in (0, 1, 2, 3):
        return f"exit status {result.status}"
    if "Sanitizer" in result.output or "runtime error:" in result.output:
        return "a sanitizer reports"
    if sanitized:
        return ""
    if result.cpu_seconds > CPU_SECONDS + CPU_SECONDS_PER_MB * more:
        return f"{result.cpu_seconds:.0f} s of CPU"
    if result.memory > MEMORY + MEMORY_PER_MB * more:
        return f"{result.memory >> 20} MiB"
    return ""


def check(assay, examples, planning, work, mutate, options, complain):
    """Counts the exit statuses; complain(arguments, what) keeps the file beside the report."""
    if not preloaded(assay).exists():
        sys.exit(f"{preloaded(assay)}: no such file; scripts/test.sh builds it")
    files = Files(assay, examples, planning, work)
    kinds = [kind for kind in TURNS if files.sound[kind]]
    statuses, most = collections.Counter(), Run(0, "", 0, 0)
    runs = collections.Counter()
    starters = threading.local()

    def start():
        starters.mine = Starter(assay, options.sanitized)

    def run(arguments, folder, size):
        result = starters.mine.run(arguments, folder, size)
        return arguments, result, wrong_with(result, size, options.sanitized)

    # Starting MLIR's helper takes longer than all other commands together: it is done once for all
    # vectors, and for each of them only if something is wrong.
    def all_by_mlir(folder, sizes):
        together = run(by_mlir("."), folder, 0)
        if not together[2]:
            return [(number, [together]) for number in sizes]
        alone = [(number, [run(by_mlir(f"{number}.tvec"), folder, size)]) for number, size in sizes.items()]
        if not any(wrong for _, [(_, _, wrong)] in alone):
            alone.append((next(iter(sizes)), [together]))
        return alone

    def one(number, to_mlir, sizes):
        choose = random.Random(f"{options.seed}-{number}")
        kind = kinds[number % len(kinds)]
        folder = work / f"file-{number}"
        folder.mkdir()
        path, size = files.make(kind, choose, mutate, folder)
        ending = choose.choice(ENDINGS.get(COMMANDS[kind], ("",)))
        results = [run([path.name if word == "@" else word.replace("ENDING", ending) for word in command],
                       folder, size) for command in COMMANDS[kind]]
        made = folder / TO_MLIR.get(COMMANDS[kind], "").replace("@", path.name)
        if made.is_file():
            shutil.copy(made, to_mlir / f"{number}.tvec")
            sizes[number] = size
        if options.keep and any(wrong for _, _, wrong in results):
            shutil.copytree(folder, options.keep / folder.name, dirs_exist_ok=True)
        shutil.rmtree(folder)
        return number, results

    def batch(numbers):
        to_mlir, sizes = work / f"mlir-{numbers[0]}", {}
        to_mlir.mkdir()
        results = [one(number, to_mlir, sizes) for number in numbers]
        by_it = all_by_mlir(to_mlir, sizes) if sizes else []
        if options.keep and any(wrong for _, [(_, _, wrong)] in by_it):
            shutil.copytree(to_mlir, options.keep / to_mlir.name, dirs_exist_ok=True)
        shutil.rmtree(to_mlir)
        return results + by_it

    numbers = range(options.first, options.first + options.files)
    batches = [numbers[at:at + BATCH] for at in range(0, len(numbers), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs, initializer=start) as pool:
        for number, results in itertools.chain.from_iterable(pool.map(batch, batches)):
            for arguments, result, wrong in results:
                statuses[result.status] += 1
                command = arguments[:2] if arguments[1] in ("check", "verify") else arguments[:1]
                runs[" ".join([*command, *arguments[3:4 if "mlir" in arguments else 3]])] += 1
                most.cpu_seconds = max(most.cpu_seconds, result.cpu_seconds)
                most.memory = max(most.memory, result.memory)
                if wrong:
                    complain((f"[file {number}]", *arguments), f"{wrong}: {result.output[-200:]!r}")
    print(f"{options.files} files from {options.first} on; a run took at most {most.cpu_seconds:.1f} s of "
          f"CPU and {most.memory >> 20} MiB")
    print(", ".join(f"{command} {count}" for command, count in sorted(runs.items())))
    return statuses
