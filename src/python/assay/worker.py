"""The backend's side of `assay verify --backend worker:COMMAND`.

A backend is an object with the methods of Backend, and its program ends with serve(backend). The
protocol is described in src/format/worker/worker_message.fbs. The output of print() goes to
standard error, because standard output belongs to the protocol."""
import os
import struct
import traceback

from . import wire
from .bad_file import BadFile
from .generated.wire import (Answer, Body, Done, Failed, NamedTensor, OperatorSupport, Ready,
                             Refused as _refused, Unsupported as _unsupported, WorkerMessage)
from .graph import Graph
from .test_vector import read_state, read_value, write_value

VERSION = 1  # of the protocol
_IDENTIFIER = b"TWRK"
_ALIGNMENT = 16


class Refused(Exception):
    """Raised for a graph for which an ERROR_IF of the specification is true."""


class Unsupported(Exception):
    """Raised for graphs that the backend does not support; such vectors are counted, never
    judged."""


class Backend:
    """The methods that serve() calls. Any exception other than the two above counts as a crash."""

    name = "backend"  # for the report
    release = ""
    # The supported types of each operator: {Op.ADD: [DType.INT32]}; an empty list means all. The
    # type is that of the first input. If there is none, or if it is BOOL or SHAPE, it is the type
    # of the first output. For VARIABLE it is the type of the variable.
    operators = {}
    contexts_max = 0  # how many may be open at once; 0: no limit
    refuses = False  # True if the backend checks graphs and raises Refused
    variable_tensors = False  # True if it has tensors with variable=true, the older form of state
    takes_state = False  # True if it has set_state()

    def load_graph(self, graph, level):
        """Returns what invoke() needs of an assay.Graph. The graph is within `level`, "8K" or
        "none"."""
        raise NotImplementedError

    def open_context(self):
        """Returns a new context, which holds variables. No variable has been declared yet."""
        raise NotImplementedError

    def reset_context(self, context):
        """Returns a context to the state of a new one."""
        raise NotImplementedError

    def close_context(self, context):
        """Closes a context, which will not be used again."""

    def invoke(self, context, graph, inputs):
        """Runs a graph once on a list of assay.Values, and returns the outputs as a list of
        Values."""
        raise NotImplementedError

    def set_state(self, context, variables):
        """Sets variables before an invocation. `variables` are Values by name."""
        raise NotImplementedError

    def state(self, context):
        """Returns the present Values of variables by name. A backend may leave variables out."""
        return {}


class _Server:
    def __init__(self, backend):
        self._backend = backend
        self._graphs, self._contexts = {}, {}

    def answer(self, request):
        """Returns the reply to the body of a request."""
        return getattr(self, "_" + request.__class__.__name__[:-1])(request)

    def _Hello(self, _):
        ready, backend = Ready.ReadyT(), self._backend
        ready.version, ready.contextsMax = VERSION, backend.contexts_max
        ready.name, ready.release = wire.to_text(backend.name), wire.to_text(backend.release)
        ready.refuses, ready.takesState = backend.refuses, backend.takes_state
        ready.variableTensors = backend.variable_tensors
        ready.operators = []
        for op, types in backend.operators.items():
            support = OperatorSupport.OperatorSupportT()
            support.op, support.types = int(op), [int(one) for one in types] or None
            ready.operators.append(support)
        return ready

    def _LoadGraph(self, request):
        content = b"" if request.tosa is None else request.tosa.tobytes()
        try:
            graph = Graph.from_bytes(content, f"graph {request.graph}")
        except BadFile as error:
            raise Unsupported(str(error)) from error
        self._graphs[request.graph] = self._backend.load_graph(graph, wire.text(request.level))
        return Done.DoneT()

    def _UnloadGraph(self, request):
        del self._graphs[request.graph]
        return Done.DoneT()

    def _OpenContext(self, request):
        self._contexts[request.context] = self._backend.open_context()
        return Done.DoneT()

    def _ResetContext(self, request):
        self._backend.reset_context(self._contexts[request.context])
        return Done.DoneT()

    def _CloseContext(self, request):
        self._backend.close_context(self._contexts.pop(request.context))
        return Done.DoneT()

    def _Invoke(self, request):
        context, graph = self._contexts[request.context], self._graphs[request.graph]
        if request.state:
            variables = read_state(request.state, lambda one: read_value(one.tensor))
            self._backend.set_state(context, variables)
        inputs = [read_value(one) for one in request.inputs or ()]
        answer = Answer.AnswerT()
        answer.outputs = [write_value(one) for one in self._backend.invoke(context, graph, inputs)]
        answer.state = []
        for name, value in self._backend.state(context).items():
            entry = NamedTensor.NamedTensorT()
            entry.name, entry.tensor = wire.to_text(name), write_value(value)
            answer.state.append(entry)
        return answer


def _with_reason(reply, reason):
    reply.reason = wire.to_text(str(reason).replace("\n", " "))
    return reply


def reply_to(server, content):
    """Returns the bytes of the reply to the bytes of a request."""
    request = wire.read_root(content, _IDENTIFIER, WorkerMessage.WorkerMessage,
                             WorkerMessage.WorkerMessageT)
    message = WorkerMessage.WorkerMessageT()
    message.number = request.number
    try:
        message.body = server.answer(request.body)
    except Refused as reason:
        message.body = _with_reason(_refused.RefusedT(), reason)
    except Unsupported as reason:
        message.body = _with_reason(_unsupported.UnsupportedT(), reason)
    except Exception as error:  # any exception becomes a line in the report
        traceback.print_exc()
        message.body = _with_reason(Failed.FailedT(), f"{type(error).__name__}: {error}")
    message.bodyType = getattr(Body.Body, type(message.body).__name__[:-1])
    return wire.write_root(message, _IDENTIFIER, _ALIGNMENT)


def frame(message):
    """Returns a message with its length in front, which is its form on the pipe."""
    return struct.pack("<I", len(message)) + message


def serve(backend):
    """Answers requests until standard input ends."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = _Server(backend)
    while prefix := requests.read(4):
        content = requests.read(struct.unpack("<I", prefix)[0])
        replies.write(frame(reply_to(server, content)))
        replies.flush()
