# SPDX-License-Identifier: Apache-2.0
"""Builds graphs operator by operator."""
import os
import sys
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import library
from .dtypes import NAMED_TYPES, DType, checked, ml_dtypes_view, numpy_dtype, pack
from .graph import (Block, Graph, NanPropagationMode, Op, Operator, Region, ResizeMode,
                    RoundingMode, Shape, Tensor)
from .operators import ROWS, Operators

native = library.load()

_OF_NUMPY = {np.dtype("?"): DType.BOOL, np.dtype("i1"): DType.INT8, np.dtype("i2"): DType.INT16,
             np.dtype("i4"): DType.INT32, np.dtype("f4"): DType.FP32, np.dtype("f2"): DType.FP16}
_ENUMS = {"nan_mode": NanPropagationMode, "mode": ResizeMode, "rounding_mode": RoundingMode,
          "acc_type": DType}
_WIDEST_FIRST = (DType.FP32, DType.INT48, DType.INT32, DType.FP16)

TypeLike = Union[DType, str]


def dtype_of(name: TypeLike) -> DType:
    """Returns the type of a name: "fp32" or "FP32", "i8" or "INT8"."""
    if isinstance(name, DType):
        return name
    text = str(name)
    if text.lower() in NAMED_TYPES:
        return NAMED_TYPES[text.lower()]
    if text.upper() in DType.__members__:
        return DType[text.upper()]
    raise native.BadInput(f"{text!r} is no type; the types are {', '.join(NAMED_TYPES)}")


class Builder(Operators):
    """Builds a graph. Each operator is a method; shapes and types of results are inferred, and the
    rules of the specification are checked at once.

        b = assay.Builder()
        x = b.input("x", [1, 4, 4, 2], "fp32")
        y = b.conv2d(x, b.const(weights), b.const(bias), stride=[2, 2])
        graph = b.graph([b.clamp(y, min_val=0.0, max_val=6.0)])

    Operands are what other methods have returned (assay.Tensor and assay.Shape). Numbers, lists and
    arrays become constants of the type that the operator needs. An operator that breaks a rule
    raises BadInput, which names the rule and the line of the caller. The names of methods, operands
    and attributes are those of the specification."""

    def __init__(self, *, level: str = "8K"):
        self._level = level
        self._block = Block()
        self._regions = []
        self._names = set()
        self._outer = None  # the builder of the block that runs this one

    # ---- Leaves

    def input(self, name: str, shape: Sequence[int], dtype: TypeLike) -> Tensor:
        """Adds an input of the graph."""
        tensor = self._tensor(name, shape, dtype_of(dtype))
        self._block.inputs.append(tensor.name)
        return tensor

    def const(self, values: Any, dtype: Optional[TypeLike] = None,
              name: Optional[str] = None) -> Tensor:
        """Adds a constant. Without `dtype`, its type is that of the array: float64 and int64 arrays
        and Python's numbers have none."""
        array = ml_dtypes_view(np.asarray(values))
        if dtype is None:
            if array.dtype not in _OF_NUMPY:
                raise self._error(f"a constant of {array.dtype} needs a dtype")
            dtype = _OF_NUMPY[array.dtype]
        dtype = dtype_of(dtype)
        return self._constant(self._numbers("CONST", "values", array, dtype), dtype, name)

    def shape(self, values: Sequence[int], name: Optional[str] = None) -> Shape:
        """Adds a constant of type shape_t."""
        numbers = [int(one) for one in values]
        shape = Shape(self._new_name(name or "shape"), len(numbers))
        shape.set(numbers)
        self._block.shapes.append(shape)
        self._block.operators.append(Operator(Op.CONST_SHAPE, [], [shape.name], {}))
        return shape

    # ---- Control flow, variables and custom operators

    def cond_if(self, condition: Tensor, inputs: Sequence[Tensor],
                then_graph: Callable[..., Any], else_graph: Callable[..., Any]) -> Any:
        """Adds COND_IF. `then_graph` and `else_graph` are functions that get a Builder and the
        inputs of the block, and return its outputs."""
        then_block = self._nested("then", inputs, then_graph)
        else_block = self._nested("else", inputs, else_graph)
        types = [(tensor.shape, tensor.dtype) for tensor in then_block.result]
        return self._control(Op.COND_IF, [condition, *inputs], types,
                             {"then_graph": then_block.name, "else_graph": else_block.name})

    def while_loop(self, inputs: Sequence[Tensor], cond_graph: Callable[..., Any],
                   body_graph: Callable[..., Any]) -> Any:
        """Adds WHILE_LOOP. The functions are those of cond_if(); `cond_graph` returns one bool, and
        `body_graph` what the inputs are next time."""
        condition = self._nested("cond", inputs, cond_graph)
        body = self._nested("body", inputs, body_graph)
        types = [(tensor.shape, tensor.dtype) for tensor in inputs]
        return self._control(Op.WHILE_LOOP, inputs, types,
                             {"cond_graph": condition.name, "body_graph": body.name})

    def variable(self, name: str, shape: Sequence[int], dtype: TypeLike,
                 initial_value: Any = None) -> Tensor:
        """Adds VARIABLE. variable_read() and variable_write() take what it returns."""
        tensor = self._tensor(name, shape, dtype_of(dtype))
        tensor.variable, tensor.variable_name = True, name
        if initial_value is not None:
            values = self._numbers("VARIABLE", "initial_value", initial_value, tensor.dtype)
            tensor.data = pack(tensor.dtype, np.broadcast_to(values, tensor.shape))
        self._append(Op.VARIABLE, [], [tensor.name], {})
        return tensor

    def variable_read(self, variable: Tensor, name: Optional[str] = None) -> Tensor:
        """Adds VARIABLE_READ, and returns the value."""
        result = self._tensor(name or "read", variable.shape, variable.dtype)
        self._append(Op.VARIABLE_READ, [variable.name], [result.name], {})
        return result

    def variable_write(self, variable: Tensor, value: Tensor) -> None:
        """Adds VARIABLE_WRITE."""
        if (variable.shape, variable.dtype) != (value.shape, value.dtype):
            raise self._error(f"VARIABLE_WRITE: {value.name!r} has not the type of the variable "
                              f"{variable.name!r}")
        self._append(Op.VARIABLE_WRITE, [value.name], [variable.name], {})

    def custom(self, inputs: Sequence[Tensor], outputs: Sequence[tuple], *, operator_name: str,
               domain_name: str, implementation_attrs: bytes = b"") -> list:
        """Adds CUSTOM, and returns its outputs. `outputs` has a (shape, dtype) for each of them."""
        results = [self._tensor("custom", shape, dtype_of(dtype)) for shape, dtype in outputs]
        self._append(Op.CUSTOM, [one.name for one in inputs], [one.name for one in results],
                     {"operator_name": operator_name, "domain_name": domain_name,
                      "implementation_attrs": bytes(implementation_attrs)})
        return results

    # ---- The graph

    def graph(self, outputs: Union[Tensor, Sequence[Tensor]]) -> Graph:
        """Returns the graph with these outputs. Raises BadInput if it breaks a static rule."""
        outputs = [outputs] if isinstance(outputs, Tensor) else list(outputs)
        self._block.outputs = [self._known(one).name for one in outputs]
        graph = Graph(regions=[Region("main", [self._block]), *self._regions])
        broken = native.check(graph.to_bytes(), "graph", self._level, [])
        if broken:
            raise self._error("; ".join(f"{rule}: {text} ({where})" for rule, where, text
                                        in broken[:3]))
        return graph

    # ---- Adding operators

    def _add(self, op, operands, attributes, output_type, name):
        """Adds an operator, as the generated methods do, and returns its result or results."""
        arguments, rows = ROWS[op]
        inputs = [one for one in arguments if one[1] == "input"]
        outputs = [one for one in arguments if one[1] == "output"]
        wished = [] if output_type is None else [dtype_of(output_type)] * len(outputs)
        known = _Variables(rows)
        for (_, _, kind, element, _), operand in zip(inputs, operands):
            if kind == "tensor_t" and isinstance(operand, Tensor):
                known.learn(element, operand.dtype)
        if wished:
            known.learn(outputs[0][3], wished[0])
        made = self._attributes(op, attributes, known)
        names, constant_names = [], set()
        for argument, operand in zip(inputs, operands):
            tensors = self._operands(op, argument, operand, known, made)
            names += tensors
            if argument[4]:
                constant_names.update(tensors)
        operator = Operator(Op[op], names, [], made)
        types = self._infer(operator, len(outputs), wished, constant_names)
        results = [self._tensor(name or op.lower(), shape, DType(dtype)) for dtype, shape in types]
        self._append(Op[op], names, [one.name for one in results], made)
        return results[0] if len(results) == 1 else results

    def _attributes(self, op, attributes, known):
        made = {}
        for name, value in attributes.items():
            if name == "acc_type" and value is None:
                value = known.widest("acc_t")
                if value is None:
                    raise self._error(f"{op}: acc_type must be given")
            if name in _ENUMS and isinstance(value, str):
                members = _ENUMS[name].__members__
                value = value.upper()
                if value not in members:
                    raise self._error(f"{op}: {name} {value!r} is none of "
                                      f"{', '.join(one for one in members if one != 'UNKNOWN')}")
                value = members[value]
            elif name in ("min_val", "max_val"):
                dtype = known.get("in_out_t")
                value = self._numbers(op, name, value, dtype).tobytes()
            elif isinstance(value, (tuple, list, np.ndarray)):
                value = [int(one) for one in value]
            made[name] = value
        return made

    def _operands(self, op, argument, operand, known, attributes):
        """Returns the names of the tensors of an operand, and adds constants for numbers."""
        name, _, kind, element, _ = argument
        if kind == "tensor_list_t":
            return [self._known(one).name for one in operand]
        if isinstance(operand, (Tensor, Shape)):
            return [self._known(operand).name]
        if kind == "shape_t":
            return [self.shape(np.asarray(operand).reshape(-1)).name]
        if element == "mul_t":
            dtype = DType.INT32 if attributes.get("scale32") else DType.INT16
        else:
            dtype = known.get(element)
        if dtype is None:
            dtype = _OF_NUMPY.get(np.asarray(operand).dtype)
            if dtype is not None:
                known.learn(element, dtype)
        if dtype is None:
            raise self._error(f"{op}: the type of {name} is not determined; give a constant")
        array = self._numbers(op, name, operand, dtype)
        return [self._constant(array.reshape(1) if array.ndim == 0 else array, dtype, name).name]

    def _numbers(self, op, name, values, dtype):
        """Returns numbers as an array of a type."""
        if dtype is None:
            raise self._error(f"{op}: the type of {name} is not determined")
        array = ml_dtypes_view(np.asarray(values))
        if array.dtype == numpy_dtype(dtype):
            return array
        if dtype in (DType.BF16, DType.FP8E4M3, DType.FP8E5M2):
            if not array.any():
                return np.zeros(array.shape, numpy_dtype(dtype))
            raise self._error(f"{op}: {name}: numpy has no {dtype.name}; give the bits as "
                              f"{numpy_dtype(dtype)}")
        if array.dtype.kind in "fiub" and dtype in (DType.FP32, DType.FP16):
            with np.errstate(over="ignore"):
                rounded = array.astype(numpy_dtype(dtype))
            if (np.isinf(rounded) & np.isfinite(array)).any():
                raise self._error(f"{op}: {name}: a value is beyond the range of {dtype.name}")
            return rounded
        try:
            return checked(dtype, array)
        except ValueError as error:
            raise self._error(f"{op}: {name}: {error}") from error

    def _infer(self, operator, outputs, wished, constant_names):
        """Returns (dtype, shape) of the outputs of an operator. The library gets a graph of this
        operator alone."""
        names = [f"output{index}" for index in range(outputs)]
        placeholders = [Tensor(name, (1,), wished[0] if wished else DType.INT32) for name in names]
        used = dict.fromkeys(operator.inputs)
        tensors = [self._find(name) for name in used]
        made = [one for one in self._block.operators
                if one.op in (Op.CONST, Op.CONST_SHAPE) and one.outputs[0] in constant_names]
        constants = {one.outputs[0] for one in made}
        alone = [one if one.name in constants or isinstance(one, Shape) else
                 Tensor(one.name, one.shape, one.dtype) for one in tensors]
        block = Block("main", [*made, Operator(operator.op, operator.inputs, names,
                                               operator.attributes)],
                      [*(one for one in alone if isinstance(one, Tensor)), *placeholders],
                      [one for one in alone if isinstance(one, Shape)],
                      [one.name for one in alone if one.name not in constants], names)
        content = Graph(regions=[Region("main", [block])]).to_bytes()
        try:
            return native.infer(content, [int(one) for one in wished], self._level)
        except native.BadInput as error:
            raise self._error(str(error)) from None

    def _nested(self, kind, inputs, function):
        """Builds a block that control flow runs. Returns its Block, with the attribute `result`."""
        builder = Builder(level=self._level)
        root = self
        while root._outer is not None:
            root = root._outer
        builder._outer = self
        arguments = [builder.input(f"arg{index}", one.shape, one.dtype)
                     for index, one in enumerate(inputs)]
        result = function(builder, *arguments)
        result = [result] if isinstance(result, Tensor) else list(result)
        block = builder._block
        block.name = f"{kind}{len(root._regions)}"
        block.outputs = [builder._known(one).name for one in result]
        block.result = result
        root._regions.append(Region(block.name, [block]))
        return block

    def _control(self, op, operands, types, attributes):
        results = [self._tensor(op.name.lower(), shape, dtype) for shape, dtype in types]
        self._append(op, [self._known(one).name for one in operands],
                     [one.name for one in results], attributes)
        return results[0] if len(results) == 1 else results

    def _append(self, op, inputs, outputs, attributes):
        self._block.operators.append(Operator(op, inputs, outputs, attributes, _place()))

    def _constant(self, array, dtype, name):
        tensor = self._tensor(name or "const", array.shape, dtype)
        try:
            tensor.data = pack(dtype, array)
        except ValueError as error:
            raise self._error(f"CONST: {error}") from error
        self._block.operators.append(Operator(Op.CONST, [], [tensor.name], {}))
        return tensor

    def _tensor(self, name, shape, dtype):
        tensor = Tensor(self._new_name(name), tuple(int(one) for one in shape), dtype)
        self._block.tensors.append(tensor)
        return tensor

    def _new_name(self, wish):
        name, number = wish, 1
        while name in self._names:
            number += 1
            name = f"{wish}_{number}"
        self._names.add(name)
        return name

    def _find(self, name):
        return self._block.tensor(name)

    def _known(self, operand):
        """Returns an operand that belongs to this builder."""
        if not isinstance(operand, (Tensor, Shape)):
            raise self._error(f"{operand!r} is no tensor; b.const() makes a constant")
        known = (*self._block.tensors, *self._block.shapes)
        if not any(one is operand for one in known):
            raise self._error(f"{operand.name!r} belongs to another builder")
        return operand

    def _error(self, text):
        place = _place()
        return native.BadInput(f"{place}: {text}" if place else text)


class _Variables:
    """The type variables of an operator, of which some are known."""

    def __init__(self, rows):
        self._rows = rows
        self._known = {}

    def learn(self, element, dtype):
        self._known.setdefault(element.removesuffix("_t"), dtype)

    def _values(self, element):
        """Returns the values of a variable in the rows that fit what is known."""
        rows = [{name.removesuffix("_t"): NAMED_TYPES[value.removesuffix("_t")]
                 for name, value in row.items()} for row in self._rows]
        fits = [row for row in rows if all(row.get(name, dtype) == dtype
                                           for name, dtype in self._known.items())]
        return {row[element] for row in fits if element in row}

    def get(self, element):
        """Returns the type of a variable, or of a type that the table names; None if it is open."""
        element = element.removesuffix("_t")
        if element in self._known:
            return self._known[element]
        if element in NAMED_TYPES:
            return NAMED_TYPES[element]
        values = self._values(element)
        return values.pop() if len(values) == 1 else None

    def widest(self, element):
        values = self._values(element.removesuffix("_t"))
        return next((one for one in _WIDEST_FIRST if one in values), None)


def _place():
    """Returns "file.py:12", the line of the first caller outside of this package."""
    frame = sys._getframe(1)
    own = os.path.dirname(os.path.abspath(__file__))
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == own:
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
