# SPDX-License-Identifier: Apache-2.0
"""The node process that runs models; session_host.js in the folder of a runtime is its other side."""
import json
import os
import pathlib
import struct
import subprocess

import numpy as np

from assay.worker import Unsupported

_BACKENDS = pathlib.Path(__file__).parents[1]
_TYPES = {"bool": "?", "int8": "i1", "uint8": "u1", "int16": "<i2", "int32": "<i4", "int64": "<i8",
          "float32": "<f4", "float16": "<f2"}
_NAMES = {np.dtype(numpy): name for name, numpy in _TYPES.items()}


def runtimes_folder():
    """Returns the folder into which scripts/install.sh --with NAME installs npm packages."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return pathlib.Path(os.environ.get("ASSAY_RUNTIMES") or f"{data}/assay/runtimes")


class SessionError(Exception):
    """An error that the runtime has reported. The process goes on."""


class SessionHost:
    def __init__(self, package, level, runtime="onnxruntime", installed_by=None):
        """Starts node with the session_host.js of a runtime; raises Unsupported if node or the
        package is not installed."""
        folder = runtimes_folder() / package / "node_modules" / package
        if not folder.is_dir():
            raise Unsupported(f"not installed: there is no {folder}; scripts/install.sh --with "
                              f"{installed_by or package.replace('-node', '')} installs it")
        reading, writing = os.pipe()
        node = os.environ.get("ASSAY_NODE", "node")
        host = _BACKENDS / runtime / "session_host.js"
        try:
            self._process = subprocess.Popen([node, host, folder, level, str(writing)],
                                             stdin=subprocess.PIPE, stdout=2, pass_fds=[writing])
        except OSError as error:
            raise Unsupported(f"not installed: {node}: {error.strerror}") from None
        os.close(writing)
        self._replies = os.fdopen(reading, "rb")
        try:
            about, _ = self._receive()
        except EOFError:
            raise Unsupported(f"not installed: {node} cannot load {folder}") from None
        self.version, self.node = about["version"], about["node"]

    def load(self, session, model):
        self._ask({"kind": "load", "session": session}, model)

    def unload(self, session):
        self._ask({"kind": "unload", "session": session})

    def run(self, session, inputs, outputs):
        """Runs a model on arrays by name, and returns the named outputs as arrays."""
        described, body = [], []
        for name, array in inputs.items():
            body.append(np.ascontiguousarray(array).tobytes())
            described.append({"name": name, "type": _NAMES[array.dtype], "shape": list(array.shape),
                              "bytes": len(body[-1])})
        head = {"kind": "run", "session": session, "inputs": described, "outputs": outputs}
        reply, content = self._ask(head, b"".join(body))
        arrays, offset = [], 0
        for one in reply["outputs"]:
            part = content[offset:offset + one["bytes"]]
            array = np.frombuffer(part, _TYPES[one["type"]]).reshape(one["shape"])
            if one["type"] == "bool":  # a runtime may give another byte than 0 and 1 for true
                array = array.view(np.uint8) != 0
            arrays.append(array)
            offset += one["bytes"]
        return arrays

    def _ask(self, head, body=b""):
        text = json.dumps(head).encode()
        try:
            self._process.stdin.write(struct.pack("<II", len(text), len(body)) + text + body)
            self._process.stdin.flush()
            reply, content = self._receive()
        except (EOFError, BrokenPipeError):
            status = self._process.wait()
            end = f"signal {-status}" if status < 0 else f"status {status}"
            raise EOFError(f"node ended with {end} at '{head['kind']}'") from None
        if "error" in reply:
            raise SessionError(reply["error"])
        return reply, content

    def _receive(self):
        lengths = self._replies.read(8)
        if len(lengths) < 8:
            raise EOFError
        head, body = struct.unpack("<II", lengths)
        return json.loads(self._replies.read(head)), self._replies.read(body)
