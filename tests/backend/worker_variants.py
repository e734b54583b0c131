# SPDX-License-Identifier: Apache-2.0
"""The example worker with one thing wrong: worker_variants.py EXAMPLE VARIANT. It goes wrong at the
second request to invoke a graph; before that it is the example."""
import importlib.util
import os
import signal
import struct
import sys
import time

import numpy as np

from assay import DType, Op, Value, worker
from assay.generated.wire import Body, Done, Ready, Unsupported, WorkerMessage

EXAMPLE, VARIANT = sys.argv[1:]
SPECIFICATION = importlib.util.spec_from_file_location("example", EXAMPLE)
example = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(example)


class Variant(example.NumpyBackend):
    invocations = 0
    shared = {}

    def open_context(self):
        return self.shared if VARIANT == "leaks" else super().open_context()

    def reset_context(self, context):
        if VARIANT != "never-resets":
            super().reset_context(context)

    def invoke(self, context, graph, inputs):
        Variant.invocations += 1
        if Variant.invocations != 2:
            return super().invoke(context, graph, inputs)
        does = getattr(self, VARIANT.replace("-", "_"), None)
        outputs = super().invoke(context, graph, inputs)
        return outputs if does is None else does(outputs)

    # What it does in place of an answer.
    def crashes(self, _):
        os.kill(os.getpid(), signal.SIGSEGV)

    def exits(self, _):
        os._exit(0)

    def raises(self, _):
        raise KeyError("v")

    def spins(self, _):
        while True:
            pass

    def blocks(self, _):
        time.sleep(600)

    def stops(self, _):
        os.kill(os.getpid(), signal.SIGSTOP)

    # Answers that are wrong, though well said.
    def gives_a_wrong_value(self, outputs):
        return [Value(one.dtype, one.array + one.array.dtype.type(1)) for one in outputs]

    def gives_a_wrong_shape(self, outputs):
        return [Value(one.dtype, one.array.reshape(1, -1)) for one in outputs]

    def gives_a_wrong_type(self, outputs):
        return [Value(DType.FP16, one.array.astype(np.float16)) for one in outputs]

    def gives_too_many(self, outputs):
        return [*outputs, *outputs]

    def prints(self, outputs):
        print("hello")
        return outputs

    def declines(self, _):
        raise worker.Unsupported("not today")

    def declines_at_length(self, _):
        raise worker.Unsupported("not today, " * 1_000_000)

    # Replies of version 2.
    def invoke_with_taps(self, context, graph, inputs, taps):
        outputs, values = super().invoke_with_taps(context, graph, inputs, taps)
        if VARIANT == "gives-other-taps":
            values["other"] = outputs[0]
        return outputs, values

    def rejects(self, _):
        raise worker.Rejected("no registers left", op="ADD", pass_name="allocation, step 2")

    def rejects_as_unsupported(self, _):
        raise worker.Rejected("no registers left", unsupported=True)

    def fails_in_a_pass(self, _):
        raise Failing("no registers left", op="ADD", pass_name="allocation, step 2")

    def log(self):
        return f"invoked {Variant.invocations} times" if VARIANT == "logs" else ""


class Failing(RuntimeError):
    def __init__(self, reason, op, pass_name):
        super().__init__(reason)
        self.op, self.pass_name = op, pass_name



def damaged(message):
    """The bytes of a reply, as the variant says them."""
    framed = struct.pack("<I", len(message)) + message
    if Variant.invocations != 2:
        return framed
    if VARIANT == "says-garbage":
        return b"Segfault? No, just a log line.\n" + framed
    if VARIANT == "is-damaged":
        return framed[:24] + b"\xff" * (len(framed) - 24)
    if VARIANT == "is-too-long":
        return b"\xff\xff\xff\xff" + message
    if VARIANT == "breaks-off":
        os.write(copies[1], framed[:-7])
        os._exit(0)
    if VARIANT == "closes":
        os.close(copies[1])
        time.sleep(600)
    return framed


def changed(message):
    """The same for what can be said in the words of the schema."""
    if Variant.invocations == 2:
        if VARIANT == "answers-another":
            message.number -= 1
        if VARIANT == "answers-otherwise":
            message.body, message.bodyType = Done.DoneT(), Body.Body.Done
        if VARIANT == "gives-too-few-bytes":
            for tensor in message.body.outputs:
                tensor.data = np.asarray(tensor.data[:-1], np.uint8)
    if VARIANT == "is-of-another-version" and isinstance(message.body, Ready.ReadyT):
        message.body.version = 3
    if VARIANT == "knows-only-version-1" and isinstance(message.body, Ready.ReadyT):
        if worker.VERSION == 2:
            message.body = Unsupported.UnsupportedT()
            message.bodyType = Body.Body.Unsupported
        worker.VERSION = 1
    return message


if VARIANT == "speaks-version-1":
    worker.VERSION = 1
if VARIANT == "declares-what-is-unknown":
    Variant.declarations = ["rounds-result"]
if VARIANT == "says-very-much":
    Variant.name, Variant.release = "n" * 3_000_000, "r" * 3_000_000
    Variant.environment = ["é" * 2_000] * 2_000
    Variant.operators = {Op.CONST: []}
if VARIANT == "says-very-much-in-lines":
    Variant.environment = ["é" * 2_000]
if VARIANT == "has-limits":
    Variant.limits = {"rank": 3, "dimension": 100, "elements": 1000, "constant_bytes": 64,
                      "graphs": 2}
if VARIANT == "has-capabilities":
    Variant.operators = {Op.CONST: []}
    Variant.capabilities = [
        worker.Capability(Op.ADD, [DType.INT32], [DType.INT32]),
        worker.Capability(Op.MUL, [DType.INT8, DType.INT8, DType.UNKNOWN], [DType.INT32]),
        worker.Capability(Op.CLAMP, attributes={"nan_mode": [1]}),
        worker.Capability(Op.REVERSE, attributes={"axis": (0, 1)})]
if VARIANT == "has-a-strange-attribute":
    Variant.capabilities = [worker.Capability(Op.ADD, attributes={"axis": (0, 1)})]


dup, copies = os.dup, []
os.dup = lambda descriptor: copies.append(dup(descriptor)) or copies[-1]
write_root = worker.wire.write_root
worker.wire.write_root = lambda message, *rest: write_root(
    changed(message) if isinstance(message, WorkerMessage.WorkerMessageT) else message, *rest)
worker.frame = damaged
worker.serve(Variant())
