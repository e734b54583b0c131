# SPDX-License-Identifier: Apache-2.0
"""`.tvec` files: graphs, and a sequence of invocations with inputs and expected outputs."""
import dataclasses
from typing import Optional

import numpy as np

from . import dtypes, wire
from .bad_file import Damaged, quoted
from .dtypes import DType
from .generated.wire import (DotStatistics as _statistics, EmbeddedGraph,
                             Expectation as _expectation, NamedExpectation, NamedTensor,
                             Outcome as _outcome, Provenance as _provenance, SpecVersion,
                             Step as _step, Tensor as _tensor, TestVector as _test_vector)
from .graph import Graph, Version

Outcome = dtypes.enum_of(_outcome.Outcome)

_IDENTIFIER = b"TVEC"
_ALIGNMENT = 16
_FORMATS = (1, 2, 3, 4, 5)
_SEMANTICS = ("1.0", "nested-keeps-seen", "rfc")


@dataclasses.dataclass
class Value:
    """An array with the type of its elements (see dtypes; INT4 and INT48 are not packed)."""
    dtype: DType
    array: np.ndarray


@dataclasses.dataclass
class DotStatistics:
    """Bounds on the errors of a whole tensor of dot products; test_vector.fbs describes them."""
    unit: np.ndarray
    abs_bound: float = 0.0
    variance_bound: float = 0.0
    set: int = -1


@dataclasses.dataclass
class Expectation:
    """The expected content of a tensor.

    Without `reference` and `error` the tensor must equal `value`. Otherwise both have one number
    for each element, and each element must lie within `error` of `reference`."""
    value: Value
    reference: Optional[np.ndarray] = None
    error: Optional[np.ndarray] = None
    rule: str = ""
    statistics: Optional[DotStatistics] = None

    @property
    def dtype(self):
        """Returns the type of the elements of `value`."""
        return self.value.dtype

    @property
    def array(self):
        """Returns the array of `value`."""
        return self.value.array


@dataclasses.dataclass
class Step:
    """One invocation of a graph.

    `inputs` are Values and `outputs` are Expectations, in the order of the inputs and outputs of
    the graph's main block. The keys of states are names of variables."""
    context: int = 0
    graph: int = 0
    inputs: list = dataclasses.field(default_factory=list)
    expected: Outcome = Outcome.VALID
    rule: str = ""
    outputs: list = dataclasses.field(default_factory=list)
    state_after: dict = dataclasses.field(default_factory=dict)
    state_before: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Provenance:
    campaign: int = 0
    index: int = 0
    kind: str = ""
    generator_version: int = 0
    toolkit_version: str = ""
    note: str = ""


@dataclasses.dataclass
class TestVector(wire.File):
    """A test vector. Every field is described in test_vector.fbs.

    Records about folding and memory plans are not converted. They are lists of flatc's objects:
    ArgumentConstnessT, FoldRecordT, FoldPairT, PlanRecordT."""
    name: str = ""
    spec: Version = dataclasses.field(default_factory=Version)
    requirements: list = dataclasses.field(default_factory=list)
    level: str = "none"
    graphs: list = dataclasses.field(default_factory=list)
    steps: list = dataclasses.field(default_factory=list)
    tags: list = dataclasses.field(default_factory=list)
    provenance: Provenance = dataclasses.field(default_factory=Provenance)
    semantics: str = "1.0"
    constness: list = dataclasses.field(default_factory=list)
    folds: list = dataclasses.field(default_factory=list)
    fold_pairs: list = dataclasses.field(default_factory=list)
    plans: list = dataclasses.field(default_factory=list)

    __test__ = False  # pytest takes classes with names like Test... for tests

    @classmethod
    def from_bytes(cls, content, name="bytes"):
        """Returns the vector in the bytes of a `.tvec` file; raises BadFile with `name` if it has
        none."""
        with wire.reasons(name):
            root = wire.read_root(content, _IDENTIFIER, _test_vector.TestVector,
                                  _test_vector.TestVectorT)
            return _read_vector(root, len(content), name)

    def to_bytes(self):
        """Returns the bytes of a `.tvec` file, the same for equal vectors."""
        return wire.write_root(_write_vector(self), _IDENTIFIER, _ALIGNMENT)


def _read_vector(root, size, name):
    if root.format not in _FORMATS:
        raise Damaged(f"is of format {root.format}; {_FORMATS[0]} to {_FORMATS[-1]} are read")
    vector = TestVector(wire.text(root.name), _read_spec(root.spec), wire.texts(root.requirements),
                        wire.text(root.level), tags=wire.texts(root.tags),
                        provenance=_read_provenance(root.provenance))
    if root.semantics is not None:
        vector.semantics = wire.text(root.semantics)
        if vector.semantics not in _SEMANTICS:
            raise Damaged(f"semantics {quoted(vector.semantics)} are not known")
    contents = [b"" if one.tosa is None else one.tosa.tobytes() for one in root.graphs or ()]
    if sum(map(len, contents)) > size:
        raise Damaged("graphs overlap")
    vector.graphs = [Graph.from_bytes(content, f"{name}: graph {index}")
                     for index, content in enumerate(contents)]
    for index, step in enumerate(root.steps or ()):
        try:
            vector.steps.append(_read_step(step, len(vector.graphs)))
        except (Damaged, ValueError) as error:
            raise Damaged(f"step {index}: {error}") from error
    vector.constness, vector.folds = root.constness or [], root.folds or []
    vector.fold_pairs, vector.plans = root.foldPairs or [], root.plans or []
    return vector


def _read_spec(root):
    return Version() if root is None else Version(root.major, root.minor, root.patch, root.draft)


def _read_provenance(root):
    if root is None:
        return Provenance()
    return Provenance(root.campaign, root.index, wire.text(root.kind), root.generatorVersion,
                      wire.text(root.toolkitVersion), wire.text(root.note))


def _read_step(root, graphs):
    if root.graph >= graphs:
        raise Damaged(f"there is no graph {root.graph}")
    if root.expected >= len(Outcome):
        raise Damaged(f"outcome {root.expected} is not known")
    return Step(root.context, root.graph, [read_value(one) for one in root.inputs or ()],
                Outcome(root.expected), wire.text(root.rule),
                [_read_expectation(one) for one in root.outputs or ()],
                read_state(root.stateAfter, lambda one: _read_expectation(one.expectation)),
                read_state(root.stateBefore, lambda one: read_value(one.tensor)))


def read_state(entries, read):
    """Returns the result of `read` for each entry, by the entry's name."""
    state = {}
    for entry in entries or ():
        name = wire.text(entry.name)
        if name in state:
            raise Damaged(f"variable {quoted(name)} is there twice")
        state[name] = read(entry)
    return state


def read_value(root):
    """Returns the Value in a tensor of a file or message."""
    if root is None:
        raise Damaged("a tensor is missing")
    if not 0 < root.type < len(DType):
        raise Damaged(f"type {root.type} is not known")
    dtype = DType(root.type)
    shape = tuple(int(dim) for dim in (() if root.shape is None else root.shape))
    data = b"" if root.data is None else root.data.tobytes()
    array = np.frombuffer(data, dtypes.numpy_dtype(dtype)).reshape(shape)
    return Value(dtype, dtypes.checked(dtype, array))


def _read_expectation(root):
    if root is None:
        raise Damaged("an expectation is missing")
    value = read_value(root.value)
    statistics = root.statistics
    if statistics is not None:
        statistics = DotStatistics(_read_doubles(statistics.unit, value), statistics.absBound,
                                   statistics.varianceBound, statistics.set)
    return Expectation(value, _read_doubles(root.reference, value),
                       _read_doubles(root.error, value), wire.text(root.rule), statistics)


def _read_doubles(numbers, value):
    """Returns the numbers in the shape of the tensor `value`, or None if there are none."""
    return None if numbers is None else numbers.astype(np.float64).reshape(value.array.shape)


def _write_vector(vector):
    root = _test_vector.TestVectorT()
    root.format = _FORMATS[-1]
    root.name, root.level = wire.to_text(vector.name), wire.to_text(vector.level)
    root.spec = SpecVersion.SpecVersionT()
    root.spec.major, root.spec.minor = vector.spec.major, vector.spec.minor
    root.spec.patch, root.spec.draft = vector.spec.patch, vector.spec.draft
    root.requirements = wire.to_texts(vector.requirements)
    root.tags = wire.to_texts(vector.tags)
    if vector.semantics != _SEMANTICS[0]:
        root.semantics = wire.to_text(vector.semantics)
    root.graphs = [_write_graph(graph) for graph in vector.graphs]
    root.steps = [_write_step(step) for step in vector.steps]
    root.provenance = _write_provenance(vector.provenance)
    root.constness, root.folds = vector.constness or None, vector.folds or None
    root.foldPairs, root.plans = vector.fold_pairs or None, vector.plans or None
    return root


def _write_graph(graph):
    root = EmbeddedGraph.EmbeddedGraphT()
    root.tosa = wire.to_bytes(graph.to_bytes())
    return root


def _write_provenance(provenance):
    root = _provenance.ProvenanceT()
    root.campaign, root.index = provenance.campaign, provenance.index
    root.kind, root.note = wire.to_text(provenance.kind), wire.to_text(provenance.note)
    root.generatorVersion = provenance.generator_version
    root.toolkitVersion = wire.to_text(provenance.toolkit_version)
    return root


def _write_step(step):
    root = _step.StepT()
    root.context, root.graph, root.expected = step.context, step.graph, int(step.expected)
    root.rule = wire.to_text(step.rule)
    root.inputs = [write_value(value) for value in step.inputs]
    root.outputs = [_write_expectation(one) for one in step.outputs]
    root.stateAfter, root.stateBefore = [], []
    for name, expectation in step.state_after.items():
        entry = NamedExpectation.NamedExpectationT()
        entry.name, entry.expectation = wire.to_text(name), _write_expectation(expectation)
        root.stateAfter.append(entry)
    for name, value in step.state_before.items():
        entry = NamedTensor.NamedTensorT()
        entry.name, entry.tensor = wire.to_text(name), write_value(value)
        root.stateBefore.append(entry)
    return root


def write_value(value):
    """Returns the tensor of a Value; raises ValueError if the array does not fit the type."""
    root = _tensor.TensorT()
    array = dtypes.checked(value.dtype, value.array)
    root.type, root.shape = int(value.dtype), np.asarray(array.shape, np.int32)
    root.data = wire.to_bytes(array.tobytes())
    return root


def _write_expectation(expectation):
    root = _expectation.ExpectationT()
    root.value = write_value(expectation.value)
    root.reference = _write_doubles(expectation.reference)
    root.error = _write_doubles(expectation.error)
    root.rule = wire.to_text(expectation.rule)
    if expectation.statistics is not None:
        statistics = _statistics.DotStatisticsT()
        statistics.unit = _write_doubles(expectation.statistics.unit)
        statistics.absBound = expectation.statistics.abs_bound
        statistics.varianceBound = expectation.statistics.variance_bound
        statistics.set = expectation.statistics.set
        root.statistics = statistics
    return root


def _write_doubles(numbers):
    return None if numbers is None else np.asarray(numbers, np.float64).reshape(-1)
