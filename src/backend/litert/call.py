# SPDX-License-Identifier: Apache-2.0
"""An operator of a graph, as the functions that translate operators get it."""
import dataclasses

import numpy as np

from assay import DType, NanPropagationMode
from assay.worker import Unsupported

from .model import Model, TENSOR_TYPES, Value

NUMPY_TYPES = {DType.BOOL: np.dtype("?"), DType.INT8: np.dtype("i1"), DType.INT16: np.dtype("i2"),
               DType.INT32: np.dtype("i4"), DType.FP32: np.dtype("f4")}
BOOL, INT8, INT32, FP32 = (np.dtype(one) for one in ("?", "i1", "i4", "f4"))


@dataclasses.dataclass
class Call:
    """One operator of a graph, with what its translation needs."""
    model: Model
    name: str
    attributes: dict
    inputs: list
    in_type: DType
    out: Value
    rescale: object = None  # the Call of the RESCALE that becomes part of this operator

    def constant(self, operand):
        value = self.inputs[operand].constant
        if value is None:
            raise Unsupported(f"operand {operand} of {self.name} is no constant")
        return value

    def node(self, kind, *inputs, **options):
        return self.model.node(kind, inputs or self.inputs, self.out, **options)

    def list(self, numbers):
        return self.model.constant(numbers, np.int32)


def no_ignore(c):
    if c.inputs[0].dtype == FP32 and c.attributes["nan_mode"] == NanPropagationMode.IGNORE:
        raise Unsupported("nan_mode=IGNORE")


def as_int32(m, x):
    return x if x.dtype == INT32 else convert(m, x, Value(INT32, x.shape))


def convert(m, x, out):
    return m.node("CAST", [x], out, **{"from": TENSOR_TYPES[x.dtype.name],
                                       "to": TENSOR_TYPES[out.dtype.name]})
