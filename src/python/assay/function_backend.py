# SPDX-License-Identifier: Apache-2.0
"""Backends that are plain functions."""
import contextlib
import importlib
import importlib.util
import os
import pathlib
import sys

import numpy as np

from . import worker
from .dtypes import DType, checked, ml_dtypes_view, numpy_dtype
from .graph import Op
from .test_vector import Value

_STATE = (Op.VARIABLE, Op.VARIABLE_READ, Op.VARIABLE_WRITE)
# The type of an output whose array has another element type than the graph declares.
_OTHER = {np.dtype("?"): DType.BOOL, np.dtype("i1"): DType.INT8, np.dtype("i2"): DType.INT16,
          np.dtype("i4"): DType.INT32, np.dtype("f4"): DType.FP32, np.dtype("f2"): DType.FP16}


class FunctionBackend(worker.Backend):
    """The backend that calls `function(graph, inputs)` for each invocation.

    `graph` is an assay.Graph, and `inputs` is a list of arrays in the order of its inputs. The
    function returns the outputs: a list of arrays in the order of the graph's outputs, a dict by
    their names, or one array. It raises Unsupported for what it does not support, and Refused for a
    graph for which an ERROR_IF of the specification is true; any other exception is a crash.

    A function keeps no state, so graphs with variables are unsupported."""

    def __init__(self, function):
        self._function = function
        self.name = getattr(function, "__qualname__", type(function).__name__)
        # Every operator with any type: the function says itself what it does not support.
        self.operators = {op: [] for op in Op if op != Op.UNKNOWN}
        self.operators.update(getattr(function, "operators", {}))
        self.refuses = bool(getattr(function, "refuses", False))
        self.declarations = list(getattr(function, "declarations", ()))

    def load_graph(self, graph, level):
        for region in graph.regions:
            for block in region.blocks:
                if any(operator.op in _STATE for operator in block.operators):
                    raise worker.Unsupported("variables: a function keeps no state")
        return graph

    def invoke(self, context, graph, inputs):
        outputs = self._function(graph, [value.array for value in inputs])
        names = graph.main.outputs
        return [_value(graph, name, array) for name, array in zip(names, _in_order(names, outputs))]


def _in_order(names, outputs):
    """Returns the arrays that a function has returned, in the order of the outputs."""
    if outputs is None:
        raise TypeError("the function returned None, no outputs")
    if isinstance(outputs, dict):
        missing = [name for name in names if name not in outputs]
        if missing:
            raise ValueError(f"the function returned no output {missing[0]!r}")
        return [outputs[name] for name in names]
    if isinstance(outputs, (list, tuple)):
        if len(outputs) != len(names):
            raise ValueError(f"the function returned {len(outputs)} outputs in place of "
                             f"{len(names)}")
        return outputs
    if len(names) != 1:
        raise ValueError(f"the function returned one array in place of {len(names)} outputs")
    return [outputs]


def _value(graph, name, array):
    """Returns the Value of an output. Its type is the one that the graph declares if the array has
    elements of this type; otherwise the judge gets the type that the array has."""
    declared = graph.main.tensor(name).dtype
    array = ml_dtypes_view(np.asarray(array))
    if array.dtype == numpy_dtype(declared):
        return Value(declared, checked(declared, array))
    if array.dtype not in _OTHER:
        raise TypeError(f"output {name!r} is {array.dtype}, which is no {declared.name}; it takes "
                        f"{numpy_dtype(declared)}")
    return Value(_OTHER[array.dtype], array)


def backend_of(backend):
    """Returns a backend object: the object itself if it has the methods of worker.Backend, an
    object of it if it is such a class, or the backend of a function."""
    if isinstance(backend, type) and hasattr(backend, "invoke"):
        return backend()
    if hasattr(backend, "invoke") and hasattr(backend, "load_graph"):
        return backend
    if callable(backend):
        return FunctionBackend(backend)
    raise TypeError(f"{type(backend).__name__} is no backend: neither a function run(graph, inputs) "
                    "nor an object with the methods of assay.worker.Backend")


_loading = None  # the module or file that assay.serve loads at this moment


@contextlib.contextmanager
def loading(module):
    """Makes refuse_while_loading() raise in its block."""
    global _loading
    _loading = module
    try:
        yield
    finally:
        _loading = None


def refuse_while_loading(function):
    """Raises ImportError if assay.serve is loading the module that calls `function`. Otherwise each
    worker would start a further one, without end."""
    if _loading:
        raise ImportError(f"{_loading}: calls assay.{function}() while it is loaded as a worker; put "
                          "the call below `if __name__ == \"__main__\":`")


def import_backend(place):
    """Returns what `place` names: "package.module:name", or "file.py:name"."""
    module, _, name = place.rpartition(":")
    if not module or not name:
        raise ValueError(f"{place!r} is not of the form module:name")
    if module.endswith(".py"):
        path = pathlib.Path(module)
        if not path.is_file():
            raise ValueError(f"{module}: no such file")
        specification = importlib.util.spec_from_file_location(path.stem, path)
        loaded = importlib.util.module_from_spec(specification)
        sys.modules.setdefault(path.stem, loaded)
        specification.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    found = loaded
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module} has no {name}")
        found = getattr(found, part)
    return found


def place_of(backend):
    """Returns the text that import_backend() takes for a function, class or object of a module;
    None if there is none, as for a lambda."""
    name = getattr(backend, "__qualname__", None)
    module = getattr(backend, "__module__", None)
    if name is None or module is None or "<" in name:
        return None
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not backend:
        return None
    if module != "__main__":
        return f"{module}:{name}"
    path = getattr(sys.modules["__main__"], "__file__", None)
    return f"{os.path.abspath(path)}:{name}" if path else None


def module_path():
    """Returns the folders of sys.path that another Python does not search by itself."""
    own = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    folders = [os.path.abspath(folder) for folder in sys.path]  # "" is the current one
    return [folder for folder in folders
            if os.path.isdir(folder) and not folder.startswith(tuple(one + "/lib" for one in own))]
