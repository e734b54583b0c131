# SPDX-License-Identifier: Apache-2.0
"""A model of TensorFlow Lite under construction, written as a flatbuffer of its schema (version 3).

The members of a table are given by their numbers in the schema, so no generated code is needed."""
import dataclasses
from typing import Optional

import flatbuffers
from flatbuffers import number_types as n
import numpy as np

TENSOR_TYPES = {"float32": 0, "int32": 2, "int64": 4, "bool": 6, "int16": 7, "int8": 9}

# The number and the version of each operator that is used. The version is that which has the types.
OPERATOR_CODES = {
    "ABS": (101, 1), "ADD": (0, 2), "ARG_MAX": (56, 2), "AVERAGE_POOL_2D": (1, 2),
    "BATCH_MATMUL": (126, 1), "BITWISE_XOR": (160, 1), "CAST": (53, 1), "CEIL": (104, 1),
    "CONCATENATION": (2, 2), "CONV_2D": (3, 3), "COS": (108, 1), "DEPTHWISE_CONV_2D": (4, 3),
    "DIV": (42, 1), "EQUAL": (71, 1), "EXP": (47, 1), "FLOOR": (8, 1), "FLOOR_DIV": (90, 1),
    "FULLY_CONNECTED": (9, 5), "GATHER": (36, 5), "GREATER": (61, 1), "GREATER_EQUAL": (62, 1),
    "LOG": (73, 1), "LOGICAL_AND": (86, 1), "LOGICAL_NOT": (87, 1), "LOGICAL_OR": (84, 1),
    "LOGISTIC": (14, 1), "MAXIMUM": (55, 2), "MAX_POOL_2D": (17, 2), "MINIMUM": (57, 2),
    "MUL": (18, 1), "NEG": (59, 1), "NOT_EQUAL": (72, 1), "PADV2": (60, 2), "POW": (78, 1),
    "REDUCE_ALL": (140, 1), "REDUCE_ANY": (91, 1), "REDUCE_MAX": (82, 2), "REDUCE_MIN": (89, 2),
    "REDUCE_PROD": (81, 1), "RESHAPE": (22, 1), "REVERSE_V2": (105, 3), "RIGHT_SHIFT": (161, 1),
    "RSQRT": (76, 1), "SELECT_V2": (123, 1), "SIN": (66, 1), "SLICE": (65, 3), "SUB": (41, 1),
    "SUM": (74, 1), "TANH": (28, 1), "TILE": (69, 1), "TRANSPOSE": (39, 2),
}

# The number of an operator's options in the union, and the numbers and types of its members.
_INT, _BYTE, _BOOL = n.Int32Flags, n.Int8Flags, n.BoolFlags
_OPTIONS = {
    "CONV_2D": (1, {"padding": (0, _BYTE), "stride_w": (1, _INT), "stride_h": (2, _INT),
                    "dilation_w": (4, _INT), "dilation_h": (5, _INT)}),
    "DEPTHWISE_CONV_2D": (2, {"padding": (0, _BYTE), "stride_w": (1, _INT), "stride_h": (2, _INT),
                              "multiplier": (3, _INT), "dilation_w": (5, _INT),
                              "dilation_h": (6, _INT)}),
    "AVERAGE_POOL_2D": (5, {"padding": (0, _BYTE), "stride_w": (1, _INT), "stride_h": (2, _INT),
                            "filter_w": (3, _INT), "filter_h": (4, _INT)}),
    "FULLY_CONNECTED": (8, {"keep_num_dims": (2, _BOOL)}),
    "CONCATENATION": (10, {"axis": (0, _INT)}),
    "ADD": (11, {}), "MUL": (21, {}), "SUB": (28, {}), "DIV": (29, {}), "RESHAPE": (17, {}),
    "GATHER": (23, {"axis": (0, _INT), "batch_dims": (1, _INT)}),
    "SUM": (27, {"keep_dims": (0, _BOOL)}),
    "CAST": (37, {"from": (0, _BYTE), "to": (1, _BYTE)}),
    "ARG_MAX": (40, {"output_type": (0, _BYTE)}),
    "BATCH_MATMUL": (101, {}),
}
_OPTIONS["MAX_POOL_2D"] = _OPTIONS["AVERAGE_POOL_2D"]
_OPTIONS |= {name: _OPTIONS["SUM"]
             for name in ("REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")}


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor of the model. Scales are one number or one for each slice along `axis`. `bounds` are
    known limits of the elements of an INT32 tensor."""
    dtype: np.dtype
    shape: tuple
    constant: Optional[np.ndarray] = None
    scales: tuple = ()
    zero_point: int = 0
    axis: int = 0
    bounds: tuple = (-(1 << 31), (1 << 31) - 1)


class Model:
    def __init__(self):
        self._operators = []
        self._computed = set()

    def constant(self, array, dtype=None, **quantization):
        array = np.array(array, dtype, order="C")
        return Value(array.dtype, array.shape, array, **quantization)

    def node(self, kind, inputs, out, **options):
        """Appends an operator with one output, and returns this."""
        self._operators.append((kind, inputs, out, options))
        self._computed.add(out)
        return out

    def result(self, kind, inputs, dtype, shape, like=None, **options):
        """Appends an operator with a new output, which has the quantization of `like`."""
        out = Value(np.dtype(dtype), tuple(int(one) for one in shape))
        if like is not None:
            out.scales, out.zero_point = like.scales, like.zero_point
        return self.node(kind, inputs, out, **options)

    def outputs(self, values):
        """Returns values as outputs of the model: each is computed, and is another one."""
        results = []
        for value in values:
            if value not in self._computed or value in results:
                shape = self.constant(value.shape, np.int32)
                value = self.result("RESHAPE", [value, shape], value.dtype, value.shape, value)
            results.append(value)
        return results

    def finish(self, inputs, outputs):
        """Returns the bytes of the model."""
        return _Writer().write(self._operators, inputs, outputs)


class _Writer:
    def __init__(self):
        self._b = flatbuffers.Builder(1024)

    def _table(self, members):
        """Writes a table from its members: number -> (flags or None for an offset, value)."""
        self._b.StartObject(max(members, default=-1) + 1)
        for slot, (flags, value) in members.items():
            if flags is None:
                self._b.PrependUOffsetTRelativeSlot(slot, value, 0)
            else:
                self._b.PrependSlot(flags, slot, value, None)
        return self._b.EndObject()

    def _array(self, values, dtype):
        return None, self._b.CreateNumpyVector(np.array(values, dtype))

    def _offsets(self, offsets):
        self._b.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self._b.PrependUOffsetTRelative(offset)
        return None, self._b.EndVector()

    def _buffer(self, content):
        if content is None:
            return self._table({})
        data = content.tobytes()
        self._b.StartVector(1, len(data), 16)
        self._b.head -= len(data)
        self._b.Bytes[self._b.head:self._b.head + len(data)] = data
        return self._table({0: (None, self._b.EndVector())})

    def _tensor(self, value, buffer):
        members = {0: self._array(value.shape, np.int32),
                   1: (n.Int8Flags, TENSOR_TYPES[value.dtype.name]), 2: (n.Uint32Flags, buffer),
                   3: (None, self._b.CreateString(f"tensor{buffer}"))}
        if value.scales:
            zero_points = [value.zero_point] * len(value.scales)
            members[4] = (None, self._table({2: self._array(value.scales, np.float32),
                                             3: self._array(zero_points, np.int64),
                                             6: (n.Int32Flags, value.axis)}))
        return self._table(members)

    def _operator(self, kinds, index, kind, inputs, out, options):
        members = {0: (n.Uint32Flags, kinds.index(kind)),
                   1: self._array([index[one] for one in inputs], np.int32),
                   2: self._array([index[out]], np.int32)}
        if kind in _OPTIONS:
            number, slots = _OPTIONS[kind]
            members[3] = (n.Uint8Flags, number)
            members[4] = (None, self._table({slots[name][0]: (slots[name][1], int(value))
                                             for name, value in options.items()}))
        return self._table(members)

    def write(self, operators, inputs, outputs):
        tensors = list(dict.fromkeys(
            [*inputs, *(one for _, ins, out, _ in operators for one in (*ins, out))]))
        index = {value: i for i, value in enumerate(tensors)}
        kinds = list(dict.fromkeys(kind for kind, *_ in operators))
        codes = [self._table({0: (n.Int8Flags, min(OPERATOR_CODES[one][0], 127)),
                              2: (n.Int32Flags, OPERATOR_CODES[one][1]),
                              3: (n.Int32Flags, OPERATOR_CODES[one][0])}) for one in kinds]
        buffers = [self._buffer(None), *(self._buffer(one.constant) for one in tensors)]
        nodes = [self._operator(kinds, index, *one) for one in operators]
        graph = self._table({
            0: self._offsets([self._tensor(one, i + 1) for i, one in enumerate(tensors)]),
            1: self._array([index[one] for one in inputs], np.int32),
            2: self._array([index[one] for one in outputs], np.int32),
            3: self._offsets(nodes)})
        model = self._table({0: (n.Uint32Flags, 3), 1: self._offsets(codes),
                             2: self._offsets([graph]), 4: self._offsets(buffers)})
        self._b.Finish(model, b"TFL3")
        return bytes(self._b.Output())
