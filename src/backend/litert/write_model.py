# SPDX-License-Identifier: Apache-2.0
"""Writes the model of a graph: python3 -m assay.backends.litert.write_model FILE MODEL.tflite

FILE is a `.tosa` or `.tvec` file, of which the first graph counts."""
import sys

import assay
from assay.worker import Unsupported

from .translation import translate


def main(arguments):
    if len(arguments) != 2:
        print("usage: python3 -m assay.backends.litert.write_model FILE MODEL.tflite",
              file=sys.stderr)
        return 2
    try:
        file = assay.load(arguments[0])
        model = translate(file.graphs[0] if hasattr(file, "graphs") else file).model
    except (OSError, assay.BadFile, Unsupported) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 3 if isinstance(error, Unsupported) else 2
    with open(arguments[1], "wb") as output:
        output.write(model)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
