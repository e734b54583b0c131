#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compliant backend in numpy (compliant_worker.py) in two ways, which must have one verdict:

    folder_backend.py serve VARIANT [OPERATOR]         a worker, for `--backend worker:`
    folder_backend.py run EXPORT VARIANT [OPERATOR]    runs the folders of `assay export`

With OPERATOR, the results of this operator are wrong. Whatever makes the backend raise an exception
is refused. It returns no taps and shows no variables, because files in folders have no place for
them. backend.json makes the report say what it says of the worker."""
import json
import pathlib
import sys

import numpy as np

from assay import Op, Value, worker
from assay.dtypes import DType, numpy_dtype
from assay.graph import Graph
from compliant_variants import CONTROLS, VARIANTS
from compliant_worker import CompliantBackend

BITS = {DType.BF16: "V2", DType.FP8E4M3: "V1"}  # the types of their elements in files
TYPES = {"bool": DType.BOOL, "shape": DType.SHAPE, "bf16": DType.BF16, "fp8e4m3": DType.FP8E4M3,
         "fp8e5m2": DType.FP8E5M2, "fp16": DType.FP16, "fp32": DType.FP32, "i4": DType.INT4,
         "i8": DType.INT8, "i16": DType.INT16, "i32": DType.INT32, "i48": DType.INT48}
ENDS = ("done.txt", "unsupported.txt", "step-0-refused.txt")


class FolderBackend(CompliantBackend):
    taps = taps_are_read = False
    refuses = True

    def state(self, context):
        return {}

    def invoke(self, context, graph, inputs):
        try:
            return self.invoke_with_taps(context, graph, inputs, [])[0]
        except Exception as error:  # the worker's way to say that it cannot run a graph
            raise worker.Refused(f"{type(error).__name__}") from error


def read_value(folder, arrays, entry):
    file, dtype = entry["file"], TYPES[entry["type"]]
    array = arrays[file.removesuffix(".npy")] if arrays else np.load(folder / file)
    return Value(dtype, array.view(numpy_dtype(dtype)) if dtype in BITS else array)


def write_value(path, value):
    array = np.asarray(value.array)
    np.save(path, array.view(BITS[value.dtype]) if value.dtype in BITS else array)


def unsupported(backend, folder, vector):
    """Returns the reason why Assay would not send the vector to the worker, or ""."""
    if any(step.get("states") for step in vector["steps"]):
        return "variable tensors"
    for file in sorted(folder.glob("graph-*.tosa"), key=lambda one: int(one.stem[6:])):
        for region in Graph.from_bytes(file.read_bytes(), file.name).regions:
            for block in region.blocks:
                for op in block.operators:
                    if op.op not in backend.operators:
                        return str(op.op)
    return ""


def run_folder(backend, folder):
    vector = json.loads((folder / "vector.json").read_text())
    packed = folder / "inputs.npz"
    arrays = np.load(packed) if packed.exists() else None
    reason = unsupported(backend, folder, vector)
    if reason:
        (folder / "unsupported.txt").write_text(reason + "\n")
        return
    contexts, outputs = {}, {}
    for number, step in enumerate(vector["steps"]):
        context = contexts.setdefault(step["context"], backend.open_context())
        graph = Graph.from_bytes((folder / step["graph"]).read_bytes(), step["graph"])
        backend.set_state(context, {entry["name"]: read_value(folder, arrays, entry)
                                    for entry in step.get("loads", ())})
        inputs = [read_value(folder, arrays, entry) for entry in step["inputs"]]
        try:
            results = backend.invoke(context, backend.load_graph(graph, vector["level"]), inputs)
        except worker.Refused as reason:
            (folder / f"step-{number}-refused.txt").write_text(f"{reason}\n")
            continue
        outputs.update({entry["file"]: value for entry, value in zip(step["outputs"], results)})
    if arrays is None:
        for file, value in outputs.items():
            write_value(folder / file, value)
    else:
        np.savez(folder / "outputs.npz", **{
            file.removesuffix(".npy"): value.array.view(BITS[value.dtype])
                                       if value.dtype in BITS else value.array
            for file, value in outputs.items()})
    (folder / "done.txt").write_text("")


def main():
    variants = VARIANTS | CONTROLS
    mode, *words = sys.argv[1:]
    export = pathlib.Path(words.pop(0)) if mode == "run" else None
    backend = FolderBackend(variants[words[0]](), *[Op[name] for name in words[1:]])
    if mode == "serve":
        worker.serve(backend)
        return
    specification = f"worker:{sys.executable} {pathlib.Path(__file__)} serve {' '.join(words)}"
    (export / "backend.json").write_text(json.dumps({
        "format": "assay backend", "version": 1, "specification": specification,
        "description": f"{specification} ({backend.name} {backend.release})"}))
    for folder in sorted((export / "vectors").iterdir()):
        if not any((folder / end).exists() for end in ENDS):
            run_folder(backend, folder)


if __name__ == "__main__":
    main()
