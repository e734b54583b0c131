#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compliant backend in numpy with one fault that a public tracker reports.

    tracker_worker.py [FAULT]

The faults are in tracker_faults.py. The backend executes one operator after the other, and offers
no taps. Without a fault, it may never have a finding.

    tracker_worker.py --list     prints the faults and the reports"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "backend"))
from assay import Value, worker  # noqa: E402
from compliant_arithmetic import Forward  # noqa: E402
from compliant_numbers import array_of, numbers_of  # noqa: E402
from compliant_operators import OPERATORS  # noqa: E402
from compliant_worker import CompliantBackend, Invocation  # noqa: E402
from fusing_worker import Place  # noqa: E402
from tracker_faults import FAULTS, GITHUB  # noqa: E402


class LayerPlace(Place):
    """A layer of a block, with all places that make its operands and all operators that read it."""

    def __init__(self, block, op, producers, readers, places):
        super().__init__(block, op, producers, readers)
        self._places = places

    def others(self):
        return [one for one in self._places.values() if one is not self]


def places_of(block):
    """The places of a block by the first output of their operators. Constants have none."""
    readers, places = {}, {}
    for op in block.operators:
        for name in dict.fromkeys(op.inputs):
            readers.setdefault(name, []).append(op)
    for op in block.operators:
        if op.op in OPERATORS:
            producers = [places.get(name) for name in op.inputs]
            out = op.outputs[0]
            places[out] = LayerPlace(block, op, producers, readers.get(out, []), places)
    return places


class TrackerInvocation(Invocation):
    """A run of a graph with a fault of tracker_faults.py, or None."""

    def __init__(self, arithmetic, context, graph, fault):
        super().__init__(arithmetic, context, graph)
        self._fault, self._places, self._values = fault, {}, {}

    def run(self, block, inputs, values=None):
        outer, self._values = self._values, {} if values is None else values
        outputs = super().run(block, inputs, self._values)
        self._values = outer
        return outputs

    def _results(self, run, block, op, operands):
        if id(block) not in self._places:
            self._places[id(block)] = places_of(block)
        place = self._places[id(block)].get(op.outputs[0]) if op.outputs else None
        right = super()._results(run, block, op, operands)
        if place is None or self._fault is None:
            return right
        place.operands = operands
        if not self._fault.acts_in(place):
            return right

        def compute(*others):
            return super(TrackerInvocation, self)._results(run, block, op, list(others))[0]

        result = self._fault.result(place, run, compute, right[0])
        if self._fault.overwrites:
            run.asked = True
            self._values[op.inputs[0]] = self._stored(block, op.outputs[0], result, run)
        return [result, *right[1:]]


class TrackerBackend(CompliantBackend):
    taps = taps_are_read = False

    def __init__(self, fault=None):
        super().__init__(Forward())
        self._fault = fault

    def invoke(self, context, graph, inputs):
        main = graph.main
        invocation = TrackerInvocation(self._arithmetic, context, graph, self._fault)
        with np.errstate(all="ignore"):
            outputs = invocation.run(main, [numbers_of(one.dtype, one.array) for one in inputs])
        types = [main.tensor(name).dtype for name in main.outputs]
        return [Value(dtype, array_of(dtype, one)) for dtype, one in zip(types, outputs)]


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        for name, fault in FAULTS.items():
            print(f"{name}: {fault.what}; {GITHUB}{fault.link}")
        sys.exit(0)
    if len(sys.argv) > 2 or (sys.argv[1:] and sys.argv[1] not in FAULTS):
        sys.exit("usage: tracker_worker.py [FAULT], or --list")
    worker.serve(TrackerBackend(*[FAULTS[name] for name in sys.argv[1:]]))
