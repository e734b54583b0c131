# SPDX-License-Identifier: Apache-2.0
"""Checks that the package has what it needs: numpy, flatbuffers, and the classes that the build
generates from the schemas. If one is missing, importing the package fails with one line that names
it and says what to do."""
import importlib.util
import os
import sys


class MissingModule(ImportError):
    """Raised if a module that the package needs is missing."""


def _print_one_line(kind, error, trace, otherwise=sys.excepthook):
    if isinstance(error, MissingModule):
        print(error, file=sys.stderr)
    else:
        otherwise(kind, error, trace)


def _require():
    folder = os.path.dirname(os.path.abspath(__file__))
    if not os.path.isfile(os.path.join(folder, "generated", "__init__.py")):
        raise MissingModule(f"{folder}: is not built; build the target assay_python and use "
                            "build/release/python", name="assay.generated")
    for module in ("numpy", "flatbuffers"):
        if importlib.util.find_spec(module) is None:
            raise MissingModule(
                f"{sys.executable}: has no module {module}, which the package assay needs; install "
                f"python3-{module} and use /usr/bin/python3", name=module)


sys.excepthook = _print_one_line
_require()
