# SPDX-License-Identifier: Apache-2.0
"""`.tosa` files: TOSA graphs."""
import dataclasses
import functools
import importlib
import math
import re
from typing import Any, Optional

import numpy as np

from . import dtypes, wire
from .bad_file import Damaged, quoted
from .dtypes import DType
from .generated.tosa import (Attribute, NanPropagationMode as _nan_mode, Op as _op, OpLocation,
                             ResizeMode as _resize_mode, RoundingMode as _rounding_mode,
                             TosaBasicBlock, TosaGraph, TosaOperator, TosaRegion, TosaShape,
                             TosaTensor, Version as _version)

Op = dtypes.enum_of(_op.Op)
NanPropagationMode = dtypes.enum_of(_nan_mode.NanPropagationMode)
ResizeMode = dtypes.enum_of(_resize_mode.ResizeMode)
RoundingMode = dtypes.enum_of(_rounding_mode.RoundingMode)

_IDENTIFIER = b"TOSA"
_ALIGNMENT = 8
_RANK_MAX = 32
_ENUMS = {"acc_type": DType, "nan_mode": NanPropagationMode, "mode": ResizeMode,
          "rounding_mode": RoundingMode}
# The values of attributes that a file leaves out. All other such attributes are empty lists.
_ABSENT = {name: "" for name in ("operator_name", "domain_name", "then_graph", "else_graph",
                                 "cond_graph", "body_graph")}
_ABSENT |= {name: b"" for name in ("min_val", "max_val", "implementation_attrs")}


@dataclasses.dataclass
class Version:
    """The version of the specification that a graph is written for."""
    major: int = 1
    minor: int = 0
    patch: int = 0
    draft: bool = False


@dataclasses.dataclass
class Tensor:
    """A tensor of a block. `data` has the elements of a constant or the initial value of a
    variable, packed like in the file. It is None for other tensors."""
    name: str
    shape: tuple
    dtype: DType
    data: Optional[bytes] = None
    variable: bool = False
    variable_name: str = ""
    is_unranked: bool = False

    def elements(self):
        """Returns the number of elements."""
        return math.prod(self.shape)

    def numpy(self):
        """Returns the elements (see dtypes), or None if the tensor has no data. Raises ValueError
        if there are too few for the shape."""
        return None if self.data is None else dtypes.unpack(self.dtype, self.shape, self.data)

    def set(self, array):
        """Sets elements and shape to those of an array; raises ValueError if they do not fit the
        type."""
        array = np.asarray(array)
        self.data = dtypes.pack(self.dtype, array)
        self.shape = tuple(array.shape)


@dataclasses.dataclass
class Shape:
    """A value of type shape_t: `rank` numbers. Its name must differ from those of tensors, too."""
    name: str
    rank: int
    data: Optional[bytes] = None

    def elements(self):
        """Returns the number of numbers."""
        return self.rank

    def numpy(self):
        """Returns the numbers as int64, or None if there is no data."""
        if self.data is None and self.rank > 0:
            return None
        return dtypes.unpack(DType.SHAPE, (self.rank,), self.data or b"")

    def set(self, numbers):
        array = np.asarray(numbers, np.int64)
        if array.ndim != 1:
            raise ValueError("a shape is a list of numbers")
        self.data = dtypes.pack(DType.SHAPE, array)
        self.rank = array.size


@dataclasses.dataclass
class Operator:
    """An operator of a block.

    `inputs` and `outputs` are names of tensors and shapes. `attributes` has every attribute by its
    name in the specification. The bounds of CLAMP are bytes: elements of its input's type."""
    op: Op
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    attributes: dict[str, Any] = dataclasses.field(default_factory=dict)
    location: str = ""


@dataclasses.dataclass
class Block:
    name: str = "main"
    operators: list = dataclasses.field(default_factory=list)
    tensors: list = dataclasses.field(default_factory=list)
    shapes: list = dataclasses.field(default_factory=list)
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)

    def tensor(self, name):
        """Returns the Tensor or Shape of that name; raises KeyError if there is none."""
        for one in (*self.tensors, *self.shapes):
            if one.name == name:
                return one
        raise KeyError(name)


@dataclasses.dataclass
class Region:
    name: str = "main"
    blocks: list = dataclasses.field(default_factory=list)

    def block(self, name):
        """Returns the first block of that name; raises KeyError if there is none."""
        for one in self.blocks:
            if one.name == name:
                return one
        raise KeyError(name)


@dataclasses.dataclass
class Graph(wire.File):
    """A TOSA graph.

    Reading checks that the bytes are complete: names are unique in their block, operands are
    declared, and data is long enough. `assay check` checks the rules of the specification. Writing
    checks nothing."""
    version: Version = dataclasses.field(default_factory=Version)
    regions: list = dataclasses.field(default_factory=list)

    @property
    def main(self):
        """Returns the block that runs: the one called main in the first region, or its first
        block."""
        blocks = self.regions[0].blocks
        return next((block for block in blocks if block.name == "main"), blocks[0])

    def block(self, name):
        """Returns the block that control flow calls by this name: one of the first region, or else
        the first of a region."""
        main, *others = self.regions
        named = [block for block in main.blocks if block.name == name]
        named += [region.blocks[0] for region in others if region.name == name]
        return named[0]

    @classmethod
    def from_bytes(cls, content, name="bytes"):
        """Returns the graph in the bytes of a `.tosa` file; raises BadFile with `name` if it has
        none."""
        with wire.reasons(name):
            return _GraphReader(content).read()

    def to_bytes(self):
        """Returns the bytes of a `.tosa` file, the same for equal graphs."""
        return wire.write_root(_write_graph(self), _IDENTIFIER, _ALIGNMENT)


@functools.cache
def _attribute_class(op):
    """Returns the class that flatc made of an operator's attribute table. Union members have the
    number of their operator."""
    name = _MEMBERS[op]
    return getattr(importlib.import_module(f"{TosaGraph.__package__}.{name}"), name + "T")


_MEMBERS = {number: name for name, number in vars(Attribute.Attribute).items()
            if not name.startswith("_")}


def _attribute_fields(unpacked):
    """Returns (name in the specification, name in the class that flatc made) of every attribute."""
    return [(re.sub("([A-Z])", lambda upper: "_" + upper[1].lower(), name), name)
            for name in vars(unpacked)]


class _GraphReader:
    def __init__(self, content):
        self._file = content
        self._first_block = None  # its names, which blocks of control flow may use

    def read(self):
        root = wire.read_root(self._file, _IDENTIFIER, TosaGraph.TosaGraph, TosaGraph.TosaGraphT)
        return Graph(self._version(root.version), [self._region(one) for one in root.regions or ()])

    def _region(self, root):
        return Region(wire.text(root.name), [self._block(one) for one in root.blocks or ()])

    def _version(self, root):
        if root is None:
            raise Damaged("the graph has no version")
        version = Version(root.Major, root.Minor, root.Patch, root.Draft)
        if version.major != 1 or version.minor not in (0, 1) or version.patch < 0:
            raise Damaged(f"is of TOSA {version.major}.{version.minor}.{version.patch}; "
                          "1.0, and what 1.1 has of it, is read")
        return version

    def _block(self, root):
        block = Block(wire.text(root.name), [self._operator(one) for one in root.operators or ()],
                      [self._tensor(one) for one in root.tensors or ()],
                      [self._shape(one) for one in root.shapes or ()], wire.texts(root.inputs),
                      wire.texts(root.outputs))
        self._check_names(block)
        self._check_constants(block)
        return block

    @staticmethod
    def _check_constants(block):
        """Checks the data of constants and variables. Other data has no meaning and is not
        checked."""
        constants = {name for one in block.operators if one.op in (Op.CONST, Op.CONST_SHAPE)
                     for name in one.outputs[:1]}
        for one in (*block.tensors, *block.shapes):
            is_variable = isinstance(one, Tensor) and one.variable and one.data is not None
            try:
                if one.name in constants and one.data is None and one.elements() == 0:
                    one.data = b""  # a constant without elements
                if (one.name in constants or is_variable) and one.numpy() is None:
                    raise ValueError("a constant without data")
            except ValueError as error:
                raise Damaged(f"block {quoted(block.name)}: tensor {quoted(one.name)}: {error}"
                              ) from error

    def _check_names(self, block):
        names = set()
        for one in (*block.tensors, *block.shapes):
            if one.name in names:
                raise Damaged(f"block {quoted(block.name)}: tensor {quoted(one.name)} is there "
                              "twice")
            names.add(one.name)
        if self._first_block is None:
            self._first_block = names
        lists = [block.inputs, block.outputs]
        lists += [names for one in block.operators for names in (one.inputs, one.outputs)]
        for name in (name for one in lists for name in one):
            if name not in names and name not in self._first_block:
                raise Damaged(f"block {quoted(block.name)}: {quoted(name)} is not declared")

    def _tensor(self, root):
        name = wire.text(root.name)
        shape = tuple(int(dim) for dim in (() if root.shape is None else root.shape))
        if not 0 < root.type < len(DType):
            raise Damaged(f"tensor {quoted(name)} has type {root.type}, which is none of TOSA 1.0")
        if len(shape) > _RANK_MAX:
            raise Damaged(f"tensor {quoted(name)} has rank {len(shape)}, above {_RANK_MAX}")
        return Tensor(name, shape, DType(root.type), self._data(root, name), root.variable,
                      wire.text(root.variableName), root.isUnranked)

    def _data(self, root, name):
        """Returns the data of a tensor, which is in the FlatBuffer or behind it in the file."""
        if root.data is not None and len(root.data) > 0:
            return root.data.tobytes()
        if root.offset <= 1:
            return None
        if root.offset + root.size > len(self._file):
            raise Damaged(f"tensor {quoted(name)}: data is at offset {root.offset}, beyond the end")
        return bytes(self._file[root.offset:root.offset + root.size])

    def _shape(self, root):
        data = None if root.data is None else root.data.tobytes()
        return Shape(wire.text(root.name), root.rank, data)

    def _operator(self, root):
        if not 0 < root.op < len(Op):
            raise Damaged(f"there is an operator {root.op}, which is none of TOSA 1.0")
        op = Op(root.op)
        if root.attributeType >= len(_MEMBERS):
            raise Damaged(f"{op.name} has attributes {root.attributeType}, none of TOSA 1.0")
        return Operator(op, wire.texts(root.inputs), wire.texts(root.outputs),
                        self._attributes(op, root),
                        "" if root.location is None else wire.text(root.location.text))

    @staticmethod
    def _attributes(op, root):
        """Returns the attributes by name. An operator without any may have the empty table of
        another operator, which some writers take."""
        expected = _attribute_class(op)
        fields = _attribute_fields(expected())
        if not fields:
            return {}
        if root.attributeType != op or root.attribute is None:
            raise Damaged(f"{op.name} has not its own attribute table")
        return {name: _attribute(name, getattr(root.attribute, wire_name))
                for name, wire_name in fields}


def _attribute(name, value):
    if value is None:
        return _ABSENT.get(name, [])
    if name in _ENUMS:
        if value >= len(_ENUMS[name]):
            raise Damaged(f"{name} is {value}, which TOSA 1.0 does not have")
        return _ENUMS[name](value)
    if isinstance(value, bytes):
        return wire.text(value)
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype == np.uint8 else value.tolist()
    return value


def _write_graph(graph):
    root = TosaGraph.TosaGraphT()
    root.version = _version.VersionT()
    root.version.Major, root.version.Minor = graph.version.major, graph.version.minor
    root.version.Patch, root.version.Draft = graph.version.patch, graph.version.draft
    root.regions = [_write_region(region) for region in graph.regions]
    return root


def _write_region(region):
    root = TosaRegion.TosaRegionT()
    root.name = wire.to_text(region.name)
    root.blocks = [_write_block(block) for block in region.blocks]
    return root


def _write_block(block):
    root = TosaBasicBlock.TosaBasicBlockT()
    root.name = wire.to_text(block.name)
    root.operators = [_write_operator(one) for one in block.operators]
    root.tensors = [_write_tensor(one) for one in block.tensors]
    root.shapes = [_write_shape(one) for one in block.shapes]
    root.inputs, root.outputs = wire.to_texts(block.inputs), wire.to_texts(block.outputs)
    return root


def _write_tensor(tensor):
    root = TosaTensor.TosaTensorT()
    root.name = wire.to_text(tensor.name)
    root.shape = np.asarray(tensor.shape, np.int32)
    root.type = int(tensor.dtype)
    if tensor.data is not None:
        root.data = wire.to_bytes(tensor.data)
    root.variable, root.isUnranked = tensor.variable, tensor.is_unranked
    if tensor.variable_name:
        root.variableName = wire.to_text(tensor.variable_name)
    return root


def _write_shape(shape):
    root = TosaShape.TosaShapeT()
    root.name, root.rank = wire.to_text(shape.name), shape.rank
    if shape.data is not None:
        root.data = wire.to_bytes(shape.data)
    return root


def _write_operator(operator):
    root = TosaOperator.TosaOperatorT()
    root.op = root.attributeType = int(operator.op)
    root.attribute = _attribute_class(operator.op)()
    fields = dict(_attribute_fields(root.attribute))
    for name, value in operator.attributes.items():
        if name not in fields:
            raise ValueError(f"{operator.op.name} has no attribute {name}")
        setattr(root.attribute, fields[name], _write_attribute(value))
    root.inputs, root.outputs = wire.to_texts(operator.inputs), wire.to_texts(operator.outputs)
    if operator.location:
        root.location = OpLocation.OpLocationT()
        root.location.text = wire.to_text(operator.location)
    return root


def _write_attribute(value):
    if isinstance(value, str):
        return wire.to_text(value)
    if isinstance(value, (bytes, bytearray)):
        return wire.to_bytes(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return np.asarray(value, np.int32)
    return value
