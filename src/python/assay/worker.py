# SPDX-License-Identifier: Apache-2.0
"""The backend's side of `assay verify --backend worker:COMMAND`.

A backend is an object with the methods of Backend, and its program ends with serve(backend). The
protocol is described in src/format/worker/worker_message.fbs. The output of print() goes to
standard error, because standard output belongs to the protocol."""
import dataclasses
import os
import struct
import sys
import traceback

from . import wire
from .bad_file import BadFile
from .generated.wire import (Answer, AttributeRange, Body, Capability as _capability, Done, Failed,
                             Limits as _limits, NamedTensor, OperatorSupport, Ready,
                             Refused as _refused, Rejected as _rejected, RejectionKind,
                             Unsupported as _unsupported, WorkerMessage)
from .graph import Graph
from .test_vector import read_state, read_value, write_value

VERSION = 2  # the highest version of the protocol that this module speaks
_IDENTIFIER = b"TWRK"
_ALIGNMENT = 16


class _Reply(Exception):
    """An exception that is sent as a reply. `op` is the operator that it belongs to ("CONV2D"), and
    `pass_name` the part of the backend that raised it."""

    def __init__(self, reason="", op="", pass_name=""):
        super().__init__(reason)
        self.op, self.pass_name = op, pass_name


class Refused(_Reply):
    """Raised for a graph for which an ERROR_IF of the specification is true."""


class Unsupported(_Reply):
    """Raised for graphs that the backend does not support; such vectors are counted, never
    judged."""


class Rejected(_Reply):
    """Raised for a graph that the backend should take, and rejects for a reason of its own. That is
    a finding; with `unsupported`, the vector is counted as unsupported."""

    def __init__(self, reason="", op="", pass_name="", unsupported=False):
        super().__init__(reason, op, pass_name)
        self.unsupported = unsupported


@dataclasses.dataclass
class Capability:
    """One way in which an operator may be used. `inputs` and `outputs` are lists of DTypes; the last
    one of a list is also that of all further tensors, DType.UNKNOWN is any type, and an empty list
    allows all types. `attributes` has a range (min, max), or a list of values, by name."""

    op: int
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    attributes: dict = dataclasses.field(default_factory=dict)


class Backend:
    """The methods that serve() calls. Any exception other than the three above counts as a crash. It
    may have `op` and `pass_name` as well."""

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
    capabilities = []  # Capability objects; an operator may also be allowed by one of them
    # The largest graphs that it takes, by "rank", "dimension", "elements", "constant_bytes" and
    # "graphs". A limit that is not here is none.
    limits = {}
    # Facts about it, by name. `assay verify --help` lists all names at --declare.
    declarations = []
    environment = []  # lines for the report: the version of the runtime, the device, ...
    taps = False  # True if it has invoke_with_taps()
    # True if all later operators have read the values of taps, which are rounded to their types. It
    # is the same as the declaration "taps-used".
    taps_are_read = False

    def start(self):
        """Called before the attributes above are read. It may set them, and raises Unsupported if
        the backend cannot run here: "not installed"."""

    def load_graph(self, graph, level):
        """Returns what invoke() needs of an assay.Graph. The graph is within `level`, "8K" or
        "none"."""
        raise NotImplementedError

    def open_context(self):
        """Returns a new context, which holds variables. No variable has been declared yet. A
        backend without variables needs none."""
        return None

    def reset_context(self, context):
        """Returns a context to the state of a new one."""

    def close_context(self, context):
        """Closes a context, which will not be used again."""

    def unload_graph(self, graph):
        """Drops what load_graph() has returned, which will not be used again."""

    def invoke(self, context, graph, inputs):
        """Runs a graph once on a list of assay.Values, and returns the outputs as a list of
        Values."""
        raise NotImplementedError

    def invoke_with_taps(self, context, graph, inputs, taps):
        """Does the same as invoke(). Returns the outputs, and the Values of those tensors of the
        block `main` by name that `taps` names. It may leave tensors out."""
        raise NotImplementedError

    def log(self):
        """Returns text about the last request, which is kept with a finding."""
        return ""

    def set_state(self, context, variables):
        """Sets variables before an invocation. `variables` are Values by name."""
        raise NotImplementedError

    def state(self, context):
        """Returns the present Values of variables by name. A backend may leave variables out."""
        return {}


class Server:
    """Answers requests for one backend."""

    def __init__(self, backend):
        self._backend = backend
        self._graphs, self._contexts = {}, {}
        self.version = VERSION  # that the worker has picked

    def answer(self, request):
        """Returns the reply to the body of a request."""
        return getattr(self, "_" + request.__class__.__name__[:-1])(request)

    def log(self):
        """Returns the backend's text about the request."""
        return self._backend.log() if self.version > 1 else ""

    def _Hello(self, request):
        ready, backend = Ready.ReadyT(), self._backend
        backend.start()
        self.version = min(request.version, VERSION)
        ready.version, ready.contextsMax = self.version, backend.contexts_max
        ready.name, ready.release = wire.to_text(backend.name), wire.to_text(backend.release)
        ready.refuses, ready.takesState = backend.refuses, backend.takes_state
        ready.variableTensors = backend.variable_tensors
        ready.operators = []
        for op, types in backend.operators.items():
            support = OperatorSupport.OperatorSupportT()
            support.op, support.types = int(op), [int(one) for one in types] or None
            ready.operators.append(support)
        if self.version > 1:
            self._add_version_2(ready)
        return ready

    def _add_version_2(self, ready):
        backend = self._backend
        ready.capabilities = [_capability_table(one) for one in backend.capabilities]
        ready.declarations = [wire.to_text(one) for one in backend.declarations]
        ready.environment = [wire.to_text(one) for one in backend.environment]
        ready.taps, ready.tapsAreRead = backend.taps, backend.taps_are_read
        ready.limits = _limits.LimitsT()
        for name, limit in backend.limits.items():
            setattr(ready.limits, {"constant_bytes": "constantBytes"}.get(name, name), limit)

    def _LoadGraph(self, request):
        content = b"" if request.tosa is None else request.tosa.tobytes()
        try:
            graph = Graph.from_bytes(content, f"graph {request.graph}")
        except BadFile as error:
            raise Unsupported(str(error)) from error
        self._graphs[request.graph] = self._backend.load_graph(graph, wire.text(request.level))
        return Done.DoneT()

    def _UnloadGraph(self, request):
        self._backend.unload_graph(self._graphs.pop(request.graph))
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
        taps = [wire.text(one) for one in request.taps or ()]
        if taps and self._backend.taps:
            outputs, values = self._backend.invoke_with_taps(context, graph, inputs, taps)
            answer.taps = _named_tensors(values)
        else:
            outputs = self._backend.invoke(context, graph, inputs)
        answer.outputs = [write_value(one) for one in outputs]
        answer.state = _named_tensors(self._backend.state(context))
        return answer


def _named_tensors(values):
    entries = []
    for name, value in values.items():
        entry = NamedTensor.NamedTensorT()
        entry.name, entry.tensor = wire.to_text(name), write_value(value)
        entries.append(entry)
    return entries


def _capability_table(capability):
    table = _capability.CapabilityT()
    table.op = int(capability.op)
    table.inputs = [int(one) for one in capability.inputs] or None
    table.outputs = [int(one) for one in capability.outputs] or None
    table.attributes = []
    for name, allowed in capability.attributes.items():
        entry = AttributeRange.AttributeRangeT()
        entry.name = wire.to_text(name)
        if isinstance(allowed, tuple):
            entry.min, entry.max = allowed
        else:
            entry.values = [int(one) for one in allowed]
        table.attributes.append(entry)
    return table


def _with_reason(reply, reason, words=None):
    """Fills a reply from an exception, of which `words` are the text."""
    reply.reason = wire.to_text((words or str(reason)).replace("\n", " "))
    op, pass_name = getattr(reason, "op", ""), getattr(reason, "pass_name", "")
    if op:
        reply.op = wire.to_text(op)
    if pass_name and hasattr(reply, "pass_"):
        reply.pass_ = wire.to_text(pass_name)
    return reply


def _rejection(rejected, version):
    """Returns the reply to a rejection. Version 1 has none, and the nearest that it has is sent."""
    if version > 1:
        reply = _with_reason(_rejected.RejectedT(), rejected)
        reply.kind = (RejectionKind.RejectionKind.UNSUPPORTED if rejected.unsupported
                      else RejectionKind.RejectionKind.FINDING)
        return reply
    table = _unsupported.UnsupportedT if rejected.unsupported else _refused.RefusedT
    return _with_reason(table(), rejected)


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
    except Rejected as reason:
        message.body = _rejection(reason, server.version)
    except Exception as error:  # any exception becomes a line in the report
        traceback.print_exc()
        message.body = _with_reason(Failed.FailedT(), error, f"{type(error).__name__}: {error}")
    if log := server.log():
        message.log = wire.to_text(log)
    message.bodyType = getattr(Body.Body, type(message.body).__name__[:-1])
    return wire.write_root(message, _IDENTIFIER, _ALIGNMENT)


def frame(message):
    """Returns a message with its length in front, which is its form on the pipe."""
    return struct.pack("<I", len(message)) + message


def take_standard_output():
    """Returns a file for replies, which is standard output. What is printed from now on, by this
    process or one that it starts, goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return replies


def serve(backend, replies=None):
    """Answers requests until standard input ends. `replies` is what take_standard_output() has
    returned, if it was called before."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = replies or take_standard_output()
    server = Server(backend)
    while prefix := requests.read(4):
        content = requests.read(struct.unpack("<I", prefix)[0])
        replies.write(frame(reply_to(server, content)))
        replies.flush()
