# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest: one test for each vector of a suite.

    pytest --assay suite --assay-backend mypackage.run:run

The backend is a function run(graph, inputs), an object with the methods of assay.worker.Backend, or
the text of Assay's --backend. A test has the operators, the profiles and extensions, and the kind of
its vector as markers: -m "CONV2D and not EXT_BF16". It passes if the vector agrees. It is skipped if
the vector is unsupported or undecided, and an expected failure if --assay-known names its findings."""
import os
import pathlib
import sys
import tempfile

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("assay", "vectors of Assay, which tests TOSA backends")
    group.addoption("--assay", metavar="PATH", action="append", default=[],
                    help="a suite or a .tvec file; each vector is a test (may be given again)")
    group.addoption("--assay-backend", metavar="BACKEND",
                    help="what runs the vectors: MODULE:NAME or FILE.py:NAME of a function "
                         "run(graph, inputs) or of a backend object, or a backend as for `assay "
                         "verify --backend`")
    group.addoption("--assay-isolated", action="store_true",
                    help="run a function or an object in a worker process, which may crash or hang")
    group.addoption("--assay-known", metavar="FILE",
                    help="file of known failures (src/campaign/README.md): expected failures")
    group.addoption("--assay-declare", metavar="FACT", action="append", default=[],
                    help="a fact about the backend, as for `assay verify`")
    group.addoption("--assay-no-minimize", action="store_true",
                    help="show the vector that failed, and not the smallest one that fails alike")
    group.addoption("--assay-findings", metavar="DIR", default="assay-findings",
                    help="folder for the smallest vectors of failures (default: assay-findings)")
    group.addoption("--assay-wall-seconds", type=float, default=60, metavar="SECONDS",
                    help="limit for a vector in a worker (default: 60)")


def pytest_configure(config):
    paths = config.getoption("--assay")
    if not paths:
        if config.getoption("--assay-backend"):
            raise pytest.UsageError("--assay-backend needs --assay PATH, the suite to run")
        return
    from assay import verification
    if not config.getoption("--assay-backend"):
        raise pytest.UsageError("--assay needs --assay-backend MODULE:NAME")
    try:
        vectors = verification.native.list_vectors([os.path.abspath(path) for path in paths])
        suite = _Suite(config, frozenset(vectors), _open_backend(config))
        # Without vectors, this says now what would be wrong with each of them.
        verification.verify([], suite.backend, known=suite.known, **suite.options)
    except (ImportError, TypeError, ValueError, verification.native.AssayError) as error:
        raise pytest.UsageError(f"--assay: {error}") from None
    config.stash[_SUITE] = suite
    source = getattr(config, "args_source", None)
    chosen = source is not None and source.name == "ARGS"
    if not chosen:
        config.args = []
    if not any(os.path.abspath(one.split("::")[0]) in suite.vectors
               for one in config.args):
        config.args += [path for path in paths if path not in config.args]
    for name in _marker_names(verification.native, vectors):
        config.addinivalue_line("markers", f"{name}: vectors of Assay with {name}")


class _Suite:
    """What --assay and the other options say. `backend` is what verify() takes."""

    def __init__(self, config, vectors, backend):
        self.vectors, self.backend = vectors, backend
        self.known = config.getoption("--assay-known")
        self.options = {
            "isolated": config.getoption("--assay-isolated") and not isinstance(backend, str),
            "declare": config.getoption("--assay-declare"),
            "wall_seconds": config.getoption("--assay-wall-seconds")}
        self.minimize = not config.getoption("--assay-no-minimize")
        self.findings = config.getoption("--assay-findings")


_SUITE = pytest.StashKey()


def _open_backend(config):
    from assay import function_backend, verification
    text = config.getoption("--assay-backend")
    if verification.native.is_backend_name(text):
        return text
    sys.path.insert(0, str(config.invocation_params.dir))
    backend = function_backend.import_backend(text)
    function_backend.backend_of(backend)  # says now if it is none
    return backend


def _marker_names(native, vectors):
    names = set()
    for path in vectors:
        names.update(_markers(_summary(native, path)))
    return sorted(names)


def _summary(native, path):
    """Returns the vector at a path; None for one that is not read, such as an Arm directory."""
    try:
        return native.Vector(pathlib.Path(path).read_bytes(), path)
    except (OSError, native.AssayError):
        return None


def _markers(vector):
    """Returns the names of the markers of a vector."""
    if vector is None:
        return []
    names = [op for op, _ in vector.operators] + vector.requirements
    names += ["kind_" + vector.kind] if vector.kind else []
    return [name.replace("-", "_") for name in names]


def pytest_collect_file(file_path, parent):
    suite = parent.config.stash.get(_SUITE, None)
    if suite is not None and str(file_path) in suite.vectors:
        return _File.from_parent(parent, path=file_path)
    return None


class _File(pytest.File):
    def collect(self):
        from assay.verification import native
        vector = _summary(native, str(self.path))
        operators = [] if vector is None else vector.operators
        words = [f"{op}-{dtype}" for op, dtype in operators[:3]]
        more = [f"{len(operators) - 3}-more"] if len(operators) > 3 else []
        item = _Vector.from_parent(self, name="+".join(words + more) or "vector")
        for name in _markers(vector):
            item.add_marker(name)
        yield item


class Disagreement(Exception):
    """The failure of a vector. The text is the report on it."""


class _Vector(pytest.Item):
    # The folder that the smallest vector was written to, and the one that it was moved to.
    _folder = _findings = ""

    def runtest(self):
        from assay import verification
        suite = self.config.stash[_SUITE]
        result = self._verify(verification, suite, minimize=False)
        case = result.cases[0]
        if case.verdict == "disagrees":
            # The names of groups of known failures are those of minimized findings.
            result = self._minimized(verification, suite, result)
            case = result.cases[0]
        if case.verdict == "known":
            pytest.xfail(next((one.known for one in result.findings if one.known), "known"))
        if case.verdict in ("unsupported", "undecided", "suspect"):
            pytest.skip(f"{case.verdict}: {case.note}" if case.note else case.verdict)
        if case.verdict != "agrees":
            raise Disagreement(self._text(result))

    def _verify(self, verification, suite, **more):
        return verification.verify(str(self.path), suite.backend, known=suite.known,
                                   **suite.options, **more)

    def _minimized(self, verification, suite, result):
        if not suite.minimize and not suite.known:
            return result
        os.makedirs(suite.findings, exist_ok=True)
        # Several processes may find the same: each moves its file to the one place when it is whole.
        with tempfile.TemporaryDirectory(dir=suite.findings) as folder:
            self._folder, self._findings = folder, suite.findings
            found = verification.verify(str(self.path), suite.backend, known=suite.known,
                                        minimize=True, findings=folder, **suite.options)
            for path in pathlib.Path(folder).iterdir():
                os.replace(path, pathlib.Path(suite.findings) / path.name)
        return found

    def _text(self, result):
        lines = []
        for finding in result.findings:
            lines += [finding.headline, *("  " + one for one in finding.text.splitlines())]
            lines += ["smallest vector:" if self.config.stash[_SUITE].minimize else "vector:"]
            lines += ["  " + one for one in finding.graph.splitlines()]
            lines += [f"replay: {finding.replay.replace(self._folder, self._findings)}"]
        case = result.cases[0]
        return "\n".join(lines or [f"{case.verdict}: {case.note}"])

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Disagreement):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, f"{self.path.stem} {self.name}"
