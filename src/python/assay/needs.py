"""What the package needs: numpy, flatbuffers, and the classes that its build makes of the schemas.
Where one is missing, importing the package ends in one line that says which and what to do."""
import importlib.util
import os
import sys


class MissingModule(ImportError):
    """A module that the package needs is not there."""


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
