# SPDX-License-Identifier: Apache-2.0
"""A worker for a backend in Python: python3 -m assay.serve MODULE:NAME

    assay verify suite --backend 'worker:/usr/bin/python3 -m assay.serve mypackage.run:run'

NAME is a function run(graph, inputs), an object with the methods of assay.worker.Backend, or such a
class. A file may be named in place of a module: my_backend.py:run."""
import sys

from . import function_backend, worker
from .function_backend import backend_of, import_backend


def main(arguments):
    if len(arguments) != 1:
        print("usage: python3 -m assay.serve MODULE:NAME", file=sys.stderr)
        return 2
    replies = worker.take_standard_output()  # before the module can print
    sys.path.insert(0, "")
    try:
        with function_backend.loading(arguments[0].rpartition(":")[0]):
            backend = backend_of(import_backend(arguments[0]))
    except (ImportError, TypeError, ValueError) as error:
        print(f"assay.serve: {error}", file=sys.stderr)
        return 2
    worker.serve(backend, replies)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
