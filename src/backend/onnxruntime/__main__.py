# SPDX-License-Identifier: Apache-2.0
"""The worker of the backends `onnxruntime` and `onnxruntime-web`:

    python3 -m assay.backends.onnxruntime onnxruntime-node|onnxruntime-web LEVEL"""
import sys

from assay import Value
from assay.worker import Backend, Rejected, Unsupported, serve


class OnnxRuntime(Backend):
    def __init__(self, package, level):
        self._package, self._level = package, level
        self._loaded = 0

    def start(self):
        try:
            from ..onnx import translation
        except ImportError as error:
            raise Unsupported(f"not installed: there is no Python module {error.name}; "
                              "scripts/install.sh --with onnxruntime installs it") from error
        from .session_host import SessionError, SessionHost
        self._translation, self._error = translation, SessionError
        self._host = SessionHost(self._package, self._level)
        self.operators = translation.supported()
        self.name, self.release = self._package, self._host.version
        self.environment = [f"node {self._host.node}", f"optimization level {self._level}"]

    def load_graph(self, graph, level):
        translated = self._translation.translate(graph)
        self._loaded += 1
        if not translated.outputs:  # nothing to run, and ONNX Runtime takes no model without nodes
            return None, translated, graph
        self._try(self._host.load, self._loaded, translated.model.SerializeToString())
        return self._loaded, translated, graph

    def unload_graph(self, loaded):
        if loaded[0] is not None:
            self._host.unload(loaded[0])

    def invoke(self, context, loaded, inputs):
        session, translated, graph = loaded
        if session is None:
            return []
        arrays = {one.name: value.array.astype(one.dtype, copy=False)
                  for one, value in zip(translated.inputs, inputs)}
        outputs = self._try(self._host.run, session, arrays, [one.name for one in translated.outputs])
        return [Value(graph.main.tensor(name).dtype, array)
                for name, array in zip(graph.main.outputs, outputs)]

    def _try(self, function, *arguments):
        """Calls a function of the host. A kernel that the runtime does not have is no finding."""
        try:
            return function(*arguments)
        except self._error as error:
            line = str(error).strip().splitlines()[0]
            missing = "NOT_IMPLEMENTED" in line or "Could not find an implementation" in line
            raise Rejected(line, unsupported=missing) from error


if __name__ == "__main__":
    serve(OnnxRuntime(*sys.argv[1:3]))
