# SPDX-License-Identifier: Apache-2.0
"""Translates TOSA graphs to ONNX models.

OPERATORS is the table: the types of each operator, and the function that appends its nodes. What
ONNX does not have in the same meaning is written with several operators so that it is exact, or is
not in the table. README.md says how each is translated."""
import dataclasses

from onnx import helper

from assay import DType, Op
from assay.worker import Unsupported

from . import elementwise as e, integers as i, movement as move, windows as w
from .model import BOOL, INT64, Model, NUMPY_TYPES, OPSET, OPSET_BITWISE, Value, constant_of

BOOLS = [DType.BOOL]
INTEGERS = [DType.INT8, DType.INT16, DType.INT32]
FLOATS = [DType.FP32, DType.FP16]
WIDE = [DType.INT32, *FLOATS]
ANY = [*BOOLS, *INTEGERS, DType.INT48, *FLOATS]
DOT = [DType.INT8, DType.INT16, *FLOATS]

# The types of the first input (of the first output if there is none, or if it is BOOL) by operator.
OPERATORS = {
    Op.ABS: (WIDE, e.simple("Abs")),
    Op.ADD: (WIDE, e.simple("Add")),
    Op.ARGMAX: ([DType.INT8, DType.INT16, *FLOATS], e.argmax),
    Op.ARITHMETIC_RIGHT_SHIFT: (INTEGERS, i.arithmetic_right_shift),
    Op.AVG_POOL2D: (DOT, w.average_pool),
    Op.BITWISE_AND: (INTEGERS, e.simple("BitwiseAnd")),
    Op.BITWISE_NOT: (INTEGERS, e.simple("BitwiseNot")),
    Op.BITWISE_OR: (INTEGERS, e.simple("BitwiseOr")),
    Op.BITWISE_XOR: (INTEGERS, e.simple("BitwiseXor")),
    Op.CAST: ([*BOOLS, *INTEGERS, *FLOATS], e.cast),
    Op.CEIL: (FLOATS, e.simple("Ceil")),
    Op.CLAMP: ([DType.INT8, DType.INT16, *FLOATS], e.clamp),
    Op.CLZ: ([DType.INT32], i.count_leading_zeros),
    Op.CONCAT: (ANY, move.concat),
    Op.CONV2D: (DOT, w.convolution),
    Op.CONV3D: (DOT, w.convolution),
    Op.COS: (FLOATS, e.simple("Cos")),
    Op.DEPTHWISE_CONV2D: (DOT, w.convolution),
    Op.EQUAL: (WIDE, e.compare("Equal")),
    Op.ERF: (FLOATS, e.simple("Erf")),
    Op.EXP: (FLOATS, e.simple("Exp")),
    Op.FLOOR: (FLOATS, e.simple("Floor")),
    Op.GATHER: (ANY, move.gather),
    Op.GREATER: (WIDE, e.compare("Greater")),
    Op.GREATER_EQUAL: (WIDE, e.compare("GreaterOrEqual")),
    Op.IDENTITY: (ANY, move.identity),
    Op.INTDIV: ([DType.INT32], e.simple("Div")),
    Op.LOG: (FLOATS, e.simple("Log")),
    Op.LOGICAL_AND: (BOOLS, e.simple("And")),
    Op.LOGICAL_LEFT_SHIFT: (INTEGERS, i.logical_shift("LEFT")),
    Op.LOGICAL_NOT: (BOOLS, e.simple("Not")),
    Op.LOGICAL_OR: (BOOLS, e.simple("Or")),
    Op.LOGICAL_RIGHT_SHIFT: (INTEGERS, i.logical_shift("RIGHT")),
    Op.LOGICAL_XOR: (BOOLS, e.simple("Xor")),
    Op.MATMUL: (DOT, w.matmul),
    Op.MAXIMUM: (WIDE, e.extreme("Max")),
    Op.MAX_POOL2D: (DOT, w.max_pool),
    Op.MINIMUM: (WIDE, e.extreme("Min")),
    Op.MUL: ([*INTEGERS, *FLOATS], i.multiply),
    Op.NEGATE: ([*INTEGERS, *FLOATS], i.negate),
    Op.PAD: ([*BOOLS, *INTEGERS, *FLOATS], move.pad),
    Op.POW: (FLOATS, e.simple("Pow")),
    Op.RECIPROCAL: (FLOATS, e.simple("Reciprocal")),
    Op.REDUCE_ALL: (BOOLS, e.reduce_bool("ReduceMin")),
    Op.REDUCE_ANY: (BOOLS, e.reduce_bool("ReduceMax")),
    Op.REDUCE_MAX: ([*INTEGERS, *FLOATS], e.reduce_extreme("ReduceMax", -1)),
    Op.REDUCE_MIN: ([*INTEGERS, *FLOATS], e.reduce_extreme("ReduceMin", 1)),
    Op.REDUCE_PRODUCT: (FLOATS, e.reduce("ReduceProd")),
    Op.REDUCE_SUM: (WIDE, e.reduce("ReduceSum")),
    Op.RESCALE: ([*INTEGERS, DType.INT48], i.rescale),
    Op.RESHAPE: (ANY, move.reshape),
    Op.RESIZE: (DOT, w.resize),
    Op.REVERSE: (ANY, move.reverse),
    Op.RSQRT: (FLOATS, e.rsqrt),
    Op.SCATTER: (ANY, move.scatter),
    Op.SELECT: ([*BOOLS, *INTEGERS, *FLOATS], e.select),
    Op.SIGMOID: (FLOATS, e.simple("Sigmoid")),
    Op.SIN: (FLOATS, e.simple("Sin")),
    Op.SLICE: (ANY, move.slice_),
    Op.SUB: (WIDE, e.simple("Sub")),
    Op.TABLE: ([DType.INT8, DType.INT16], i.table),
    Op.TANH: (FLOATS, e.simple("Tanh")),
    Op.TILE: (ANY, move.tile),
    Op.TRANSPOSE: (ANY, move.transpose),
    Op.TRANSPOSE_CONV2D: (DOT, w.transpose_convolution),
}
# Operators that are no nodes of their own kind.
STRUCTURE = {Op.CONST: ANY, Op.CONST_SHAPE: [], Op.COND_IF: [], Op.WHILE_LOOP: []}


def supported(operators=None):
    """Returns the types by operator, of all operators or of some, as worker.Backend declares."""
    table = {op: types for op, (types, _) in OPERATORS.items()} | STRUCTURE
    return {op: types for op, types in table.items() if operators is None or op in operators}


@dataclasses.dataclass
class Call:
    """One operator of a graph, with what its translation needs."""
    model: Model
    name: str  # of the operator, "CONV2D"
    attributes: dict
    inputs: list  # Values
    in_type: DType  # of the first input
    out_dtype: object
    out_shape: tuple

    def constant(self, operand):
        """Returns the content of an operand that must be a constant."""
        return constant_of(self.inputs[operand], f"operand {operand} of {self.name}")


@dataclasses.dataclass
class Translation:
    """A model, and the Values of its inputs and outputs in the order of the graph's."""
    model: object  # ModelProto
    inputs: list
    outputs: list


def translate(graph, opset=OPSET):
    """Returns the Translation of an assay.Graph, in an opset that has what is needed, `opset` if it
    does. Raises Unsupported if there is none."""
    return _Translator(graph, opset).translate()


class _Translator:
    def __init__(self, graph, opset):
        self._graph, self._model = graph, Model(opset)

    def translate(self):
        m, main = self._model, self._graph.main
        # Reductions of opset 18 have other operands, so it is known before the first node.
        if any(op.op.name.startswith("BITWISE") for block in self._blocks() for op in block.operators):
            m.opset = OPSET_BITWISE
        inputs = [self._new(main, name) for name in main.inputs]
        outputs = m.outputs(self._block(main, inputs))
        return Translation(m.finish(inputs, outputs), inputs, outputs)

    def _blocks(self):
        return [block for region in self._graph.regions for block in region.blocks]

    def _new(self, block, name):
        tensor = block.tensor(name)
        return Value(self._model.name("value"), self._dtype(tensor), tuple(tensor.shape))

    @staticmethod
    def _dtype(tensor):
        if tensor.dtype not in NUMPY_TYPES:
            raise Unsupported(f"{tensor.dtype.name} has no type in ONNX that is used")
        return NUMPY_TYPES[tensor.dtype]

    def _block(self, block, inputs):
        """Appends the nodes of a block, and returns the Values of its outputs."""
        known = dict(zip(block.inputs, inputs))
        for shape in block.shapes:
            known[shape.name] = self._model.constant(shape.numpy())
        for op in block.operators:
            known.update(zip(op.outputs, self._operator(block, op, known)))
        return [known[name] for name in block.outputs]

    def _operator(self, block, op, known):
        if op.op == Op.CONST_SHAPE:
            return [known[op.outputs[0]]]
        if op.op == Op.CONST:
            tensor = block.tensor(op.outputs[0])
            return [self._model.constant(tensor.numpy(), self._dtype(tensor))]
        inputs = [known[name] for name in op.inputs]
        if op.op == Op.COND_IF:
            return self._cond_if(op, inputs)
        if op.op == Op.WHILE_LOOP:
            return self._while_loop(op, inputs)
        if op.op not in OPERATORS:
            raise Unsupported(f"{op.op} has no translation", op=op.op.name)
        out = block.tensor(op.outputs[0])
        in_type = getattr(block.tensor(op.inputs[0]), "dtype", DType.SHAPE)
        call = Call(self._model, op.op.name, op.attributes, inputs, in_type, self._dtype(out),
                    tuple(out.shape))
        try:
            return [OPERATORS[op.op][1](call)]
        except Unsupported as reason:
            reason.op = reason.op or op.op.name
            raise

    # ---- Control flow: the blocks become subgraphs, which read the values around them.

    def _scalar(self, condition):
        return self._model.reshape(condition, ())

    def _cond_if(self, op, inputs):
        m, (condition, *operands) = self._model, inputs
        branches = {}
        for attribute in ("then_graph", "else_graph"):
            m.open_subgraph()
            outputs = m.outputs(self._block(self._graph.block(op.attributes[attribute]), operands))
            branches[attribute] = m.close_subgraph(attribute, [], outputs)
        results = [Value(m.name("If"), one.dtype, one.shape) for one in outputs]
        m.append(helper.make_node("If", [self._scalar(condition).name], [one.name for one in results],
                                  then_branch=branches["then_graph"],
                                  else_branch=branches["else_graph"]))
        return results

    def _while_loop(self, op, inputs):
        m, condition = self._model, self._graph.block(op.attributes["cond_graph"])
        body = self._graph.block(op.attributes["body_graph"])
        first = self._scalar(self._block(condition, inputs)[0])
        m.open_subgraph()
        iteration = Value(m.name("iteration"), INT64, ())
        before = Value(m.name("condition"), BOOL, ())
        carried = [Value(m.name("carried"), one.dtype, one.shape) for one in inputs]
        after = self._block(body, carried)
        goes_on = self._scalar(self._block(condition, after)[0])
        outputs = m.outputs([goes_on, *after])
        graph = m.close_subgraph("body", [iteration, before, *carried], outputs)
        results = [Value(m.name("Loop"), one.dtype, one.shape) for one in inputs]
        m.append(helper.make_node("Loop", ["", first.name, *(one.name for one in inputs)],
                                  [one.name for one in results], body=graph))
        return results
