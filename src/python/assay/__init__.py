# SPDX-License-Identifier: Apache-2.0
"""Verifies TOSA backends, and reads and writes TOSA graphs (`.tosa`) and test vectors (`.tvec`).

    def run(graph, inputs):                       # a backend is a function
        ...
        return outputs

    result = assay.verify("suite", run)           # judges it on every vector of a suite
    print(result.text)

    graph = assay.load("model.tosa")
    for operator in graph.main.operators:
        print(operator.op.name, operator.attributes)
    outputs = assay.execute(graph, inputs)        # by the reference executor
    print(assay.check(graph))                     # the rules that it breaks

    b = assay.Builder()
    x = b.input("x", [2, 3], "fp32")
    graph = b.graph([b.add(x, x)])

A file that cannot be read raises BadFile, with the file and the reason. All other exceptions of the
package are AssayErrors. Functions that need the native library load it when they are first used."""
import importlib
import os
import typing

from . import needs  # must be first: reports a missing module before another import fails
from .bad_file import BadFile, read_file
from .dtypes import DType, numpy_dtype, pack, to_float32, to_ml_dtypes, unpack
from .graph import (Block, Graph, NanPropagationMode, Op, Operator, Region, ResizeMode,
                    RoundingMode, Shape, Tensor, Version)
from .test_vector import (DotStatistics, Expectation, Outcome, Provenance, Step, TestVector, Value)

if typing.TYPE_CHECKING:
    from .builder import Builder
    from .execution import (AssayError, BadInput, Breach, Context, Folding, GraphError, LimitReached,
                            MemoryPlan, Program, Unpredictable, check, execute, fold, plan,
                            set_threads)
    from .verification import (CaseResult, Finding, Power, ReportedFinding, Verification, generate,
                               judge, minimize, power, prepare, verify)

# The module of each name that needs the native library, which takes longer to load than the rest.
_LATER = {name: "execution" for name in (
    "AssayError", "BadInput", "Breach", "Context", "Folding", "GraphError", "LimitReached",
    "MemoryPlan", "Program", "Unpredictable", "check", "execute", "fold", "plan", "set_threads")}
_LATER |= {name: "verification" for name in (
    "CaseResult", "Finding", "Power", "ReportedFinding", "Verification", "generate", "judge",
    "minimize", "power", "prepare", "verify")}
_LATER |= {"Builder": "builder"}


def load(path):
    """Returns the Graph or TestVector in a file. The identifier in the file decides which it is."""
    content = read_file(path)
    kind = TestVector if content[4:8] == b"TVEC" else Graph
    return kind.from_bytes(content, path)


def save(graph, path):
    """Writes a Graph or TestVector to a file."""
    if not isinstance(graph, (Graph, TestVector)):
        raise TypeError(f"save: graph is {type(graph).__name__}, neither a Graph nor a TestVector")
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"save: path is {type(path).__name__}, and must be a str or a PathLike")
    graph.save(path)


def __getattr__(name):
    if name in _LATER:
        value = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
        globals()[name] = value
        return value
    if name == "strategies":
        return importlib.import_module(f"{__name__}.strategies")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_LATER})
