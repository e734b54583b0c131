# SPDX-License-Identifier: Apache-2.0
"""The backend's end of the worker protocol in this process: requests are function calls."""
import traceback

from . import worker
from .bad_file import BadFile
from .dtypes import DType
from .graph import Graph
from .test_vector import Value


class Connection:
    """Answers the requests of assay.native for one backend. An answer is a tuple that begins with
    its kind. Exceptions of the backend become answers."""

    def __init__(self, backend):
        self._backend = backend
        self._graphs, self._contexts = {}, {}
        self._log = ""

    def again(self):
        """Returns a connection to the same backend without graphs and contexts."""
        return Connection(self._backend)

    def greet(self, request):
        """Returns the message in which the backend describes itself."""
        return worker.reply_to(worker.Server(self._backend), request)

    def log(self):
        """Returns the text about the last request."""
        log, self._log = self._log, ""
        return log + self._backend.log()

    def ask(self, name, *arguments):
        """Returns the answer to a request."""
        try:
            return getattr(self, "_" + name)(*arguments)
        except worker.Refused as reason:
            return ("refused", *_words(reason))
        except worker.Unsupported as reason:
            return ("unsupported", *_words(reason))
        except worker.Rejected as reason:
            return ("rejected", *_words(reason), reason.unsupported)
        except Exception as error:  # any exception is a line in the report
            self._log = traceback.format_exc()
            return ("failed", *_words(error, f"{type(error).__name__}: {error}"))

    def _load_graph(self, number, content, level):
        try:
            graph = Graph.from_bytes(content, f"graph {number}")
        except BadFile as error:
            raise worker.Unsupported(str(error)) from error
        self._graphs[number] = self._backend.load_graph(graph, level)
        return ("done",)

    def _unload_graph(self, number):
        del self._graphs[number]
        return ("done",)

    def _open_context(self, number):
        self._contexts[number] = self._backend.open_context()
        return ("done",)

    def _reset_context(self, number):
        self._backend.reset_context(self._contexts[number])
        return ("done",)

    def _close_context(self, number):
        self._backend.close_context(self._contexts.pop(number))
        return ("done",)

    def _invoke(self, context, graph, inputs, state, taps):
        context, graph = self._contexts[context], self._graphs[graph]
        if state:
            self._backend.set_state(context, {name: _value(one) for name, one in state.items()})
        inputs = [_value(one) for one in inputs]
        values = {}
        if taps and self._backend.taps:
            outputs, values = self._backend.invoke_with_taps(context, graph, inputs, taps)
        else:
            outputs = self._backend.invoke(context, graph, inputs)
        return ("answer", [_pair(one) for one in outputs], _pairs(self._backend.state(context)),
                _pairs(values))


def _words(error, text=None):
    return (" ".join((text or str(error)).split()), str(getattr(error, "op", "")),
            str(getattr(error, "pass_name", "")))


def _value(pair):
    return Value(DType(pair[0]), pair[1])


def _pair(value):
    return int(value.dtype), value.array


def _pairs(values):
    return {name: _pair(value) for name, value in values.items()}
