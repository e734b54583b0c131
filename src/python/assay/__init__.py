"""Reads and writes TOSA graphs (`.tosa`) and Assay's test vectors (`.tvec`) as numpy arrays.

    graph = assay.load("model.tosa")
    for operator in graph.main.operators:
        print(operator.op.name, operator.attributes)
    weights = graph.main.tensor("weights")
    weights.set(weights.numpy() * 2)
    graph.save("doubled.tosa")

A file that cannot be read raises BadFile, with the file and the reason."""
import pathlib

from . import needs  # must be first: reports a missing module before another import fails
from .bad_file import BadFile
from .dtypes import DType, numpy_dtype, pack, to_float32, unpack
from .graph import (Block, Graph, NanPropagationMode, Op, Operator, Region, ResizeMode,
                    RoundingMode, Shape, Tensor, Version)
from .test_vector import (DotStatistics, Expectation, Outcome, Provenance, Step, TestVector, Value)


def load(path):
    """Returns the Graph or TestVector in a file. The identifier in the file decides which it is."""
    content = pathlib.Path(path).read_bytes()
    kind = TestVector if content[4:8] == b"TVEC" else Graph
    return kind.from_bytes(content, path)
