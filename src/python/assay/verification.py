# SPDX-License-Identifier: Apache-2.0
"""Generates vectors, and judges backends and their outputs, with the native library."""
import os
import shlex
import sys
import tempfile
from typing import Any, Iterable, Iterator, Optional, Sequence, Union

import numpy as np

from . import function_backend, in_process, library, worker
from .bad_file import read_file
from .dtypes import DType, ml_dtypes_view, names_of, numpy_dtype
from .graph import Op
from .test_vector import TestVector, Value

native = library.load()
CaseResult, Finding, ReportedFinding = native.CaseResult, native.Finding, native.ReportedFinding
Power = native.Power

VectorLike = Union[TestVector, native.Vector, bytes, str, os.PathLike]
_OTHER = function_backend._OTHER


def prepare(vector: VectorLike) -> native.Vector:
    """Returns a vector in the form of the library, which judge() takes as well. Judging outputs of
    one vector several times is faster with it."""
    if isinstance(vector, native.Vector):
        return vector
    if isinstance(vector, TestVector):
        return native.Vector(vector.to_bytes(), vector.name or "vector")
    if isinstance(vector, (bytes, bytearray)):
        return native.Vector(bytes(vector), "vector")
    return native.Vector(read_file(vector), str(vector))


def judge(vector: VectorLike, outputs: Any, *, declare: Sequence[str] = ()) -> CaseResult:
    """Judges outputs that were computed anywhere by the expectation of a vector.

    `outputs` has an entry for each step; for a vector of one step, it is that entry alone. An entry
    is a list of arrays in the order of the graph's outputs, a dict by their names, or an exception
    of assay.worker (Refused, Unsupported), if the backend has not answered. `declare` has facts
    about the backend, as for `assay verify --declare`.

    The result is true if and only if every element that can be judged is as the specification
    demands. Its `verdict` is the verdict as text, and `findings` say what is wrong."""
    vector = prepare(vector)
    entries = [outputs] if vector.steps == 1 else list(outputs)
    outcomes = [_outcome(vector, step, entry) for step, entry in enumerate(entries)
                if step < vector.steps] + [None] * max(0, len(entries) - vector.steps)
    return vector.judge(outcomes, names_of("declare", declare))


def power(*vectors: VectorLike) -> Power:
    """Tells what an agreement on vectors would have noticed.

    A fault is a mutant of one of their operators (`assay mutants --list`) that changes something in
    one of them. It is noticed if a vector disagrees with it. The result has the number of `faults`,
    of those that are `noticed`, and the `missed` ones, each with its id and what it does."""
    return native.power([prepare(vector) for vector in vectors])


def _outcome(vector, step, entry):
    """Returns the outcome of a step as the library takes it."""
    if isinstance(entry, worker.Refused):
        return "error", str(entry), [], {}
    rejected = isinstance(entry, worker.Rejected) and entry.unsupported
    if isinstance(entry, worker.Unsupported) or rejected:
        return "unsupported", str(entry), [], {}
    if isinstance(entry, BaseException):
        return "crashed", f"{type(entry).__name__}: {entry}", [], {}
    described = vector.outputs(step)
    if isinstance(entry, dict):
        missing = [name for name, _, _ in described if name not in entry]
        if missing:
            raise native.BadInput(f"judge: output {missing[0]!r} is missing")
        entry = [entry[name] for name, _, _ in described]
    if isinstance(entry, np.ndarray):
        entry = [entry]
    if not hasattr(entry, "__len__"):
        raise native.BadInput(f"judge: step {step} is given {type(entry).__name__}, and no arrays")
    if len(entry) != len(described):
        raise native.BadInput(f"judge: step {step} has {len(described)} outputs, and is given "
                              f"{len(entry)}")
    pairs = []
    for one, (_, dtype, _) in zip(entry, described):
        array = ml_dtypes_view(np.asarray(one.array if isinstance(one, Value) else one))
        is_meant = array.dtype == numpy_dtype(dtype)
        pairs.append((dtype if is_meant else int(_OTHER.get(array.dtype, dtype)), array))
    return "valid", "", pairs, {}


def generate(kind: Union[str, Sequence[str], None] = None, *, target: Optional[str] = None,
             seed: int = 1, count: Optional[int] = None, first: int = 0,
             operators: Sequence[Union[str, Op]] = (), types: Sequence[Union[str, DType]] = (),
             rank_max: int = 0, elements_max: int = 0, profiles: Sequence[str] = (),
             extensions: Sequence[str] = (), level: str = "8K", network: str = "",
             implied_errors: bool = False) -> Iterator[TestVector]:
    """Yields test vectors, the same as `assay gen` writes with the same options.

        for vector in assay.generate("operator", seed=7, count=100, operators=["ADD"]): ...

    `kind` is one or several of the kinds that `assay gen --help` lists; all that backends execute
    unless given. `operators` and `types` are lists of names or of members of Op and DType. `target`
    is the path of a target (src/target/README.md). `count` is the number of cases; some have no
    vector, or one outside the target. Without it, there are as many cases as cover everything that a
    kind covers systematically. The first case has the number `first`."""
    cases = _cases(kind, target, seed, operators, types, rank_max, elements_max, profiles,
                   extensions, level, network, implied_errors)
    return _made(cases, first, cases.targets if count is None else count)


def _made(cases, first, count):
    for number in range(first, first + count):
        content = cases.make(number)
        if content is not None:
            yield TestVector.from_bytes(content, f"case {number}")


def _cases(kind, target, seed, operators, types, rank_max, elements_max, profiles, extensions,
           level, network, implied_errors):
    options = {"seed": seed, "level": level, "network": network, "implied_errors": implied_errors,
               "operators": names_of("operators", operators), "types": names_of("types", types),
               "rank_max": rank_max, "elements_max": elements_max,
               "profiles": names_of("profiles", profiles),
               "extensions": names_of("extensions", extensions)}
    if kind:
        options["kinds"] = [kind] if isinstance(kind, str) else list(kind)
    if target:
        options["target"] = str(target)
    return native.Cases(options)


class Verification:
    """The results of verify(). `cases` has a CaseResult for each vector, `counts` the number of
    vectors by verdict, `findings` the distinct findings. It is true if nothing is wrong: no vector
    disagrees other than in known ways, none could not be read, and some agree."""

    def __init__(self, run, folder):
        self._run = run
        self._folder = folder  # has the minimized vectors as long as this object exists

    @property
    def cases(self) -> list:
        return self._run.cases

    @property
    def counts(self) -> dict:
        return self._run.counts

    @property
    def findings(self) -> list:
        return self._run.findings

    @property
    def text(self) -> str:
        """Returns the report for a terminal."""
        return self._run.text

    @property
    def json(self) -> str:
        """Returns the report as JSON lines, as `assay verify --json` prints it."""
        return self._run.json

    def write_report(self, folder: Union[str, os.PathLike]) -> None:
        """Writes report.html, report.xml (JUnit), report.jsonl, report.txt and summary.md."""
        self._run.write_report(str(folder))

    def __bool__(self):
        bad = {"disagrees", "bad input", "defect"}
        return not bad & set(self.counts) and self.counts.get("agrees", 0) > 0

    def __repr__(self):
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"<Verification: {counts or 'no vectors'}>"


def verify(suite: Any, backend: Any, *, isolated: bool = False, minimize: bool = False,
           report: Union[str, os.PathLike, None] = None, known: Optional[str] = None,
           today: str = "", repeats: int = 1, wall_seconds: float = 60, cpu_seconds: float = 10,
           environment: Sequence[str] = (), declare: Sequence[str] = (),
           implied_errors: bool = False,
           findings: Union[str, os.PathLike, None] = None) -> Verification:
    """Runs vectors on a backend and judges every step, as `assay verify` does.

        def run(graph, inputs):
            ...
            return outputs

        result = assay.verify("suite", run)
        print(result.text)

    `suite` is a path or a list of paths (of suites, `.tvec` files and Arm test directories), a
    TestVector, or any iterable of them. `backend` is a function run(graph, inputs), an object with
    the methods of assay.worker.Backend, or the text of `--backend` ("reference", "worker:...").

    Functions and objects run in this process. Then no limit of time is kept, and a crash of the
    interpreter ends the run. With `isolated`, they run in a worker process, which is started again
    after a crash or after `wall_seconds`; the function must belong to a module or a file that can
    be imported there.

    With `minimize`, each finding is reduced to the smallest vector, which is written to the folder
    `findings`, by default the folder of that name in `report`, or a temporary folder that lives as
    long as the result. `known` is a file of known failures."""
    function_backend.refuse_while_loading("verify")
    paths, vectors = _sorted_out(suite)
    connection, name, environment = _opened(backend, isolated, environment)
    if report is not None:
        native.check_report_folder(str(report))
    temporary = None
    if minimize and report is None and findings is None:
        temporary = tempfile.TemporaryDirectory(prefix="assay-")
        findings = temporary.name
    folder = str(findings or os.path.join(report or "", "findings"))
    options = {"minimize": minimize, "folder": folder if minimize else "", "repeats": repeats,
               "wall_seconds": float(wall_seconds), "cpu_seconds": float(cpu_seconds),
               "environment": environment, "declarations": names_of("declare", declare),
               "implied_errors": implied_errors, "known": str(known or ""), "today": today}
    run = native.verify(paths, vectors, connection, name, options)
    words = " ".join(shlex.quote(path) for path in paths)
    variables = "".join(f" --backend-env {shlex.quote(variable)}" for variable in environment)
    run.set_command(f"assay verify {words} --backend {shlex.quote(name)}{variables}")
    result = Verification(run, temporary)
    if report is not None:
        result.write_report(report)
    return result


def minimize(vector: VectorLike, backend: Any, *, isolated: bool = False, calls_max: int = 1000,
             wall_seconds: float = 60, cpu_seconds: float = 10, environment: Sequence[str] = (),
             declare: Sequence[str] = ()) -> TestVector:
    """Returns the smallest vector on which a backend fails in the same way as on this one.

    `backend` and the other options are those of verify(). The backend runs at most `calls_max`
    times. Raises BadInput if it does not fail on the vector."""
    function_backend.refuse_while_loading("minimize")
    connection, name, environment = _opened(backend, isolated, environment)
    options = {"wall_seconds": float(wall_seconds), "cpu_seconds": float(cpu_seconds),
               "environment": environment, "declarations": names_of("declare", declare)}
    content = native.minimize(prepare(vector), connection, name, options, calls_max)
    return TestVector.from_bytes(content, "minimized vector")


def _sorted_out(suite):
    """Returns the paths and the vectors in memory among what a caller gives."""
    if isinstance(suite, (str, os.PathLike, TestVector, native.Vector)):
        suite = [suite]
    if callable(suite) or hasattr(suite, "invoke"):
        raise TypeError("verify: the suite comes first, and then the backend: verify(suite, backend)")
    if not hasattr(suite, "__iter__"):
        raise TypeError(f"verify: {type(suite).__name__} is no suite: neither a path nor a vector nor "
                        "an iterable of them")
    paths, vectors = [], []
    for one in suite:
        if isinstance(one, (str, os.PathLike)):
            paths.append(os.fspath(one))
        else:
            vectors.append(prepare(one))
    return paths, vectors


def _opened(backend, isolated, environment):
    """Returns a connection to a backend in this process, or None; the text that names the backend
    for `--backend`; and the variables that a worker needs, also one that replays a finding."""
    environment = names_of("environment", environment)
    if isinstance(backend, str):
        return None, backend, environment
    place = function_backend.place_of(backend)
    command = f"worker:{shlex.quote(sys.executable)} -m assay.serve {shlex.quote(place or '')}"
    variables = [f"PYTHONPATH={os.pathsep.join(function_backend.module_path())}"]
    if not isolated:
        connection = in_process.Connection(function_backend.backend_of(backend))
        if place is None:
            return connection, f"python:{_name(backend)}", environment
        return connection, command, variables + environment
    if place is None:
        raise native.BadInput(f"{_name(backend)}: belongs to no module or file, so no worker can "
                              "import it; use a function of a module, or isolated=False")
    function_backend.backend_of(backend)
    return None, command, variables + environment


def _name(backend):
    return getattr(backend, "__qualname__", type(backend).__qualname__)
