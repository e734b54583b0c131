# SPDX-License-Identifier: Apache-2.0
"""Executes, checks, plans and folds graphs with the native library."""
import dataclasses
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import library
from .bad_file import read_file
from .dtypes import DType, numpy_dtype
from .graph import Graph

native = library.load()
AssayError, BadInput, LimitReached = native.AssayError, native.BadInput, native.LimitReached
Context = native.Context

GraphLike = Union[Graph, bytes, str, os.PathLike]
Arrays = Union[Sequence[Any], Mapping[str, Any]]


class GraphError(AssayError):
    """Raised if an ERROR_IF of the specification is true for a graph. `rule` is its id."""

    def __init__(self, rule, message):
        super().__init__(f"{rule}: {message}" if message else rule)
        self.rule = rule


class Unpredictable(GraphError):
    """Raised if a REQUIRE or a level check of the specification fails. `rule` is its id."""


@dataclasses.dataclass(frozen=True)
class Breach:
    """A rule that a graph breaks, the place, and the text of the rule."""
    rule: str
    where: str
    text: str


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer of a memory plan. It is live in the ticks [begin, end) of each range in `live`."""
    name: str
    kind: str
    size: int
    pool: str
    offset: int
    live: tuple


@dataclasses.dataclass(frozen=True)
class MemoryPlan:
    """Where the buffers of a graph go. No plan can have less than `bound_bytes`. `dynamic` is the
    number of tensors of unknown size, which have no buffer."""
    buffers: tuple
    total_bytes: int
    bound_bytes: int
    dynamic: int


@dataclasses.dataclass(frozen=True)
class CachedTensor:
    """A tensor that a stage of a folding computes, and that later stages read."""
    name: str
    dtype: DType
    shape: tuple
    stage: str
    bytes: int


@dataclasses.dataclass(frozen=True)
class Folding:
    """A folded graph. `compile_time` runs once, `runtime` once in each context, and `entry` every
    time. The outputs of the first two are the `cached` tensors."""
    compile_time: Graph
    runtime: Graph
    entry: Graph
    cached: tuple
    postponed: int


def content_of(graph: GraphLike):
    """Returns the bytes of a `.tosa` or `.spv` file for a graph, and a name for messages."""
    if isinstance(graph, Graph):
        return graph.to_bytes(), "graph"
    if isinstance(graph, (bytes, bytearray)):
        return bytes(graph), "graph"
    return read_file(graph), str(graph)


class Program:
    """A graph that is executed several times: `program = Program(graph); program(inputs)`.

    `inputs` and `outputs` are lists of (name, dtype, shape)."""

    def __init__(self, graph: GraphLike):
        self._program = native.Program(*content_of(graph))
        self.inputs = [(name, DType(dtype), shape) for name, dtype, shape in self._program.inputs]
        self.outputs = [(name, DType(dtype), shape)
                        for name, dtype, shape in self._program.outputs]

    def __call__(self, inputs: Arrays = (), *, context: Optional[Context] = None,
                 level: str = "none", dynamic: bool = False, seconds: float = 0) -> list:
        """Does the same as execute()."""
        arrays = [_array(one, dtype) for one, (_, dtype, _) in
                  zip(self._ordered(inputs), self.inputs)]
        kind, rule, message, outputs = self._program.run(
            arrays, Context() if context is None else context, level, dynamic, seconds)
        if kind == "valid":
            return outputs
        if kind == "error":
            raise GraphError(rule, message)
        if kind == "unpredictable":
            raise Unpredictable(rule, message)
        raise LimitReached(message)

    def _ordered(self, inputs):
        if not isinstance(inputs, Mapping):
            inputs = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
            if len(inputs) != len(self.inputs):
                raise BadInput(f"the graph has {len(self.inputs)} inputs, and is given "
                               f"{len(inputs)}")
            return inputs
        names = [name for name, _, _ in self.inputs]
        for name in names:
            if name not in inputs:
                raise BadInput(f"input {name!r} is missing")
        for name in inputs:
            if name not in names:
                raise BadInput(f"the graph has no input {name!r}")
        return [inputs[name] for name in names]


def _array(given, dtype):
    """Returns an array as the library takes it. Lists and numbers of Python get the type of the
    input; arrays must have it."""
    if isinstance(given, np.ndarray):
        return given
    return np.asarray(given, numpy_dtype(dtype))


def execute(graph: GraphLike, inputs: Arrays = (), *, context: Optional[Context] = None,
            level: str = "none", dynamic: bool = False, seconds: float = 0) -> list:
    """Executes a graph with the reference executor, and returns its outputs as a list of arrays.

        y, = assay.execute(graph, [x])          # or {"x": x}

    The arrays of inputs are read where they are, and the outputs are read-only. Variables are those
    of `context`, which several executions may share; without one, they are new. `level` is "none"
    or "8K". With `dynamic`, compile-time-constant operands may be computed (EXT-DYNAMIC). More than
    `seconds` of wall time raise LimitReached; 0 is no limit.

    Raises GraphError if an ERROR_IF is true, Unpredictable if a REQUIRE or a level check fails, and
    BadInput if an input has another type or shape."""
    return Program(graph)(inputs, context=context, level=level, dynamic=dynamic, seconds=seconds)


def check(graph: GraphLike, *, level: str = "8K", target: Sequence[str] = ()) -> list:
    """Returns the static rules that a graph breaks, as a list of Breach objects.

    `target` has profiles and extensions ("PRO-INT", "EXT-BF16"); operators outside of it are
    reported as well."""
    content, name = content_of(graph)
    return [Breach(*one) for one in native.check(content, name, level, list(target))]


def plan(graph: GraphLike, *, algorithm: str = "auto", alignment: int = 16,
         workspace_io: bool = False, share: bool = False) -> MemoryPlan:
    """Plans where the buffers of a graph go, and returns a MemoryPlan.

    With `workspace_io`, inputs and outputs have buffers, too. With `share`, results share the
    memory of an operand where that is possible. `assay plan --help` lists the algorithms."""
    content, name = content_of(graph)
    made = native.plan(content, name, algorithm, alignment, workspace_io, share)
    buffers = tuple(Buffer(*one[:5], tuple(one[5])) for one in made.pop("buffers"))
    return MemoryPlan(buffers, **made)


def fold(graph: GraphLike, *, constness: Optional[Mapping[str, str]] = None, form: str = "split",
         policy: str = "ratio", limit: int = 8, postpone: bool = True) -> Folding:
    """Folds the constants of a graph, and returns a Folding.

    `constness` says of inputs, by name, that they are "compile-time" or "runtime" constants; all
    others are "varying". A tensor is cached if it has at most `limit` times the bytes that it is
    made of (policy "ratio"), so many bytes more ("additive"), or so many bytes ("absolute")."""
    content, name = content_of(graph)
    inputs = [one for one, _, _ in native.Program(content, name).inputs]
    constness = dict(constness or {})
    for one in constness:
        if one not in inputs:
            raise BadInput(f"the graph has no input {one!r}")
    folded = native.fold(content, name, [constness.get(one, "varying") for one in inputs], form,
                         policy, limit, postpone)
    stages = {stage: Graph.from_bytes(made, stage) for stage, made in folded["stages"].items()}
    cached = tuple(CachedTensor(one, DType(dtype), shape, stage, size)
                   for one, (dtype, shape), stage, size in folded["cached"])
    return Folding(stages["compile-time"], stages["runtime"], stages["entry"], cached,
                   folded["postponed"])


def set_threads(threads: int) -> None:
    """Sets the number of threads that one execution may use; 1 unless set. No result depends on
    it."""
    native.set_threads(threads)
