# SPDX-License-Identifier: Apache-2.0
"""Translates a graph: python3 -m assay.backends.onnx FILE [MODEL.onnx]

FILE is a `.tosa` or `.tvec` file, of which the first graph counts. Without MODEL.onnx, the nodes are
printed."""
import sys

import assay
from assay.worker import Unsupported

from .translation import translate


def nodes_as_text(graph):
    """Returns a line for each node of an onnx.GraphProto: results = Kind(operands) attributes."""
    from onnx import helper
    lines = []
    for node in graph.node:
        attributes = [f" {one.name}={helper.get_attribute_value(one)}" for one in node.attribute
                      if not one.HasField("g")]
        lines.append(f"{', '.join(node.output)} = {node.op_type}({', '.join(node.input)})"
                     + "".join(attributes))
        for one in node.attribute:
            if one.HasField("g"):
                lines += [f"  {one.name}:", *("  " + line for line in nodes_as_text(one.g))]
    return lines


def main(arguments):
    if len(arguments) not in (1, 2):
        print("usage: python3 -m assay.backends.onnx FILE [MODEL.onnx]", file=sys.stderr)
        return 2
    try:
        file = assay.load(arguments[0])
        model = translate(file.graphs[0] if hasattr(file, "graphs") else file).model
    except (OSError, assay.BadFile, Unsupported) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 3 if isinstance(error, Unsupported) else 2
    if len(arguments) == 2:
        with open(arguments[1], "wb") as output:
            output.write(model.SerializeToString())
    else:
        print("\n".join(nodes_as_text(model.graph)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
