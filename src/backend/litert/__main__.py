# SPDX-License-Identifier: Apache-2.0
"""The worker of the backend `litert`: python3 -m assay.backends.litert relaxed|compat"""
import sys

from assay import Value
from assay.worker import Backend, Rejected, serve

from . import translation
from ..onnxruntime.session_host import SessionError, SessionHost


class LiteRt(Backend):
    def __init__(self, variant):
        self._variant, self._loaded = variant, 0

    def start(self):
        self._host = SessionHost("@litertjs/core", self._variant, "litert", "litert")
        self.operators = translation.supported()
        self.name, self.release = "LiteRT.js", self._host.version
        self.environment = [f"node {self._host.node}", f"WebAssembly {self._variant}"]

    def load_graph(self, graph, level):
        translated = translation.translate(graph)
        self._loaded += 1
        if not translated.outputs:
            return None, translated, graph
        self._try(self._host.load, self._loaded, translated.model)
        return self._loaded, translated, graph

    def unload_graph(self, loaded):
        if loaded[0] is not None:
            self._host.unload(loaded[0])

    def invoke(self, context, loaded, inputs):
        session, translated, graph = loaded
        if session is None:
            return []
        names = [str(i) for i in range(len(inputs))]
        arrays = {name: value.array.astype(one.dtype, copy=False)
                  for name, one, value in zip(names, translated.inputs, inputs)}
        outputs = self._try(self._host.run, session, arrays, graph.main.outputs)
        return [Value(graph.main.tensor(name).dtype, array.reshape(one.shape))
                for name, one, array in zip(graph.main.outputs, translated.outputs, outputs)]

    def _try(self, function, *arguments):
        try:
            return function(*arguments)
        except SessionError as error:
            raise Rejected(str(error).strip().splitlines()[0]) from error


if __name__ == "__main__":
    serve(LiteRt(sys.argv[1]))
