"""Damaged files by the thousand, each through every command that reads files of its kind."""

import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess

# The cost that a run may have: for a file below 1 MB, and more for each further MB.
CPU_SECONDS, CPU_SECONDS_PER_MB = 20, 2
MEMORY, MEMORY_PER_MB = 6 << 30, 100 << 20
FILE_MAX = 16 << 20
OUTPUT_KEPT = 1 << 16

# The commands for each kind of file; @ is the file, and the present folder is for what they write.
OF_GRAPHS = (("show", "@"), ("check", "@"), ("run", "@"), ("convert", "@", "out.mlir"),
             ("convert", "@", "out.tosa"), ("convert", "@", "out.json"), ("convert", "@", "out.dot"),
             ("convert", "@", "out.txt"), ("convert", "@", "out.tvec"), ("plan", "@"),
             ("plan", "@", "--emit", "out"), ("fold", "@", "--out", "fold.tvec"),
             ("fold", "check", "@", "@"))
OF_VECTORS = (("show", "@"), ("run", "@"), ("verify", "@", "--backend", "reference", "--jobs", "1"),
              ("coverage", "@"), ("convert", "@", "out.tosa"), ("convert", "@", "out/"),
              ("fold", "@"), ("fold", "check", "@"), ("plan", "@"), ("plan", "check", "@"))
OF_FOLDERS = (("run", "@"), ("verify", "@", "--backend", "reference", "--jobs", "1"),
              ("coverage", "@"), ("convert", "@", "out.tvec"), ("plan", "@"))
COMMANDS = {
    "tosa": OF_GRAPHS, "json": OF_GRAPHS, "mlir": OF_GRAPHS, "tvec": OF_VECTORS, "arm": OF_FOLDERS,
    "suite": (("verify", "@", "--backend", "reference", "--jobs", "1"), ("coverage", "@")),
    "table": (("plan", "@"), ("plan", "check", "@")),
}


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


def run(assay, arguments, folder, size, sanitized):
    """Runs a command with a limit that is far above what it may cost."""
    more = max(0, -(-size // (1 << 20)) - 1)
    cpu = CPU_SECONDS + CPU_SECONDS_PER_MB * more
    limits = f"ulimit -c 0 -t {2 * cpu}" + ("" if sanitized else f" -v {(12 << 30) // 1024}")
    out = folder / "printed"
    with open(out, "wb") as printed:
        process = subprocess.Popen(["sh", "-c", limits + '; exec "$@"', "sh", assay, *arguments],
                                   stdin=subprocess.DEVNULL, stdout=printed, stderr=printed,
                                   cwd=folder, start_new_session=True)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(out, "rb") as printed:
        text = printed.read(OUTPUT_KEPT).decode(errors="replace")
    return Run(process.returncode, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)


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
    files = Files(assay, examples, planning, work)
    kinds = [kind for kind in COMMANDS if files.sound[kind]]
    statuses, most = collections.Counter(), Run(0, "", 0, 0)

    def one(number):
        choose = random.Random(f"{options.seed}-{number}")
        kind = kinds[number % len(kinds)]
        results = []
        folder = work / f"file-{number}"
        folder.mkdir()
        path, size = files.make(kind, choose, mutate, folder)
        for command in COMMANDS[kind]:
            arguments = [path.name if word == "@" else word for word in command]
            result = run(assay, arguments, folder, size, options.sanitized)
            results.append((arguments, result, wrong_with(result, size, options.sanitized)))
        if options.keep and any(wrong for _, _, wrong in results):
            shutil.copytree(folder, options.keep / folder.name, dirs_exist_ok=True)
        shutil.rmtree(folder)
        return number, results

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, results in pool.map(one, range(options.first, options.first + options.files)):
            for arguments, result, wrong in results:
                statuses[result.status] += 1
                most.cpu_seconds = max(most.cpu_seconds, result.cpu_seconds)
                most.memory = max(most.memory, result.memory)
                if wrong:
                    complain((f"[file {number}]", *arguments), f"{wrong}: {result.output[-200:]!r}")
    print(f"{options.files} files from {options.first} on; a run took at most {most.cpu_seconds:.1f} s of "
          f"CPU and {most.memory >> 20} MiB")
    return statuses
