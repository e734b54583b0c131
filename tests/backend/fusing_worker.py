#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A compliant backend in numpy that fuses operators, and the same with one planted fault.

    fusing_worker.py [FAULT[@N]]

A value that only element-wise operators and reductions read stays in float64 until the last of them
has run; the specification allows that. The faults (fusion_faults.py) act only on operators that are
fused with another one. With @N, a fault acts in the N-th place of a block where it can, from 0.
Without a fault, this backend may never have a finding.

    fusing_worker.py --list     prints the faults"""
import sys

import numpy as np

from assay import DType, Op, Value, dtypes, worker
from compliant_arithmetic import Kept
from compliant_numbers import FORMATS, array_of, numbers_of
from compliant_operators import is_float
from compliant_worker import CompliantBackend, Invocation, Run
from fusion_faults import DOT_PRODUCTS, FAULTS

# The operators that read a fused value without rounding it first.
READERS = {Op.ABS, Op.ADD, Op.AVG_POOL2D, Op.CAST, Op.CLAMP, Op.ERF, Op.EXP, Op.FLOOR, Op.LOG,
           Op.MAXIMUM, Op.MINIMUM, Op.MUL, Op.NEGATE, Op.RECIPROCAL, Op.REDUCE_MAX, Op.REDUCE_SUM,
           Op.RSQRT, Op.SIGMOID, Op.SUB, Op.TANH}
# The operators whose results may stay fused.
HEADS = READERS | DOT_PRODUCTS


class Place:
    """An operator of a block, and the operators that it is fused with."""

    def __init__(self, block, op, producers, readers):
        self.block, self.op = block, op
        self.producers = producers  # by the position of the operand: Place or None
        self.readers = readers  # operators; empty if the result leaves the fused kernel
        self.operands = None  # numbers of the last run
        self.dot = op if op.op in DOT_PRODUCTS else None
        for producer in producers:
            if producer is not None and self.dot is None:
                self.dot = producer.dot

    @property
    def is_fused(self):
        return bool(self.readers) or any(self.producers)

    @property
    def is_behind_dot(self):
        return self.dot is not None and self.op.op not in DOT_PRODUCTS

    def type_of(self, name):
        return getattr(self.block.tensor(name), "dtype", None)

    @property
    def out_type(self):
        return self.type_of(self.op.outputs[0])

    @property
    def in_type(self):
        return self.type_of(self.op.inputs[0])


def places_of(block):
    """The places of a block by the first output of their operators."""
    readers = {}
    for op in block.operators:
        for name in set(op.inputs):
            readers.setdefault(name, []).append(op)
    types = {one.name: one.dtype for one in block.tensors}
    places = {}
    for op in block.operators:
        if op.op not in HEADS or len(op.outputs) != 1:
            continue
        out = op.outputs[0]
        behind = readers.get(out, [])
        stays = (types.get(out) in FORMATS and out not in block.outputs and
                 all(one.op in READERS for one in behind))
        producers = []
        for name in op.inputs:
            place = places.get(name) if op.op in READERS else None
            producers.append(place if place is not None and place.readers else None)
        places[out] = Place(block, op, producers, behind if stays else [])
    return places


class FusingInvocation(Invocation):
    """A run of a graph in which fused values are not rounded."""

    def __init__(self, arithmetic, context, graph, fault, site):
        super().__init__(arithmetic, context, graph)
        self._fault, self._site = fault, site
        self._places = {}
        self.acted = False  # whether the fault has changed a number
        self.taps = {}  # numbers of the tensors of the main block that are rounded

    def places(self, block):
        if id(block) not in self._places:
            self._places[id(block)] = places_of(block)
        return self._places[id(block)]

    def spoiled(self, block):
        """The first outputs of the operators in which the fault acts."""
        if self._fault is None:
            return []
        names = [name for name, place in self.places(block).items()
                 if place.is_fused and self._fault.acts_in(place)]
        return names if self._site is None else names[self._site:self._site + 1]

    def _stored(self, block, name, result, run):
        place = self.places(block).get(name)
        if place is None or not place.readers:
            dtype = getattr(block.tensor(name), "dtype", None)
            if dtype in FORMATS:
                result = FORMATS[dtype].nearest(result)
            if block is self._graph.main:
                self.taps[name] = result
        return result

    def _results(self, run, block, op, operands):
        place = self.places(block).get(op.outputs[0]) if op.outputs else None
        if place is None:
            return super()._results(run, block, op, operands)
        place.operands = operands

        def compute(*changed):
            return super(FusingInvocation, self)._results(run, block, op, changed)[0]

        if op.outputs[0] not in self.spoiled(block):
            return [compute(*operands)]
        right = compute(*operands)
        wrong = self._fault.result(place, run, compute, right)
        if is_float(wrong):
            wrong = np.where(np.isnan(right), right, wrong)
        self.acted = self.acted or not np.array_equal(right, wrong, equal_nan=True)
        return [wrong]


class FusingBackend(CompliantBackend):
    name = "fusing numpy worker"
    taps = True

    def __init__(self, fault=None, site=None):
        super().__init__(Kept())
        self._fault, self._site = fault, site
        self.acted = False  # whether the fault has changed a number since this was set to False

    def invoke(self, context, graph, inputs):
        return self.invoke_with_taps(context, graph, inputs, [])[0]

    def invoke_with_taps(self, context, graph, inputs, taps):
        main = graph.main
        run = FusingInvocation(self._arithmetic, context, graph, self._fault, self._site)
        with np.errstate(all="ignore"):
            outputs = run.run(main, [numbers_of(one.dtype, one.array) for one in inputs])
            self.acted = self.acted or run.acted
            values = {name: numbers for name, numbers in run.taps.items() if name in taps}
            values |= zip(main.outputs, outputs)
            values = {name: Value(main.tensor(name).dtype,
                                  array_of(main.tensor(name).dtype, numbers))
                      for name, numbers in values.items()}
        return ([values[name] for name in main.outputs],
                {name: values[name] for name in taps if name in values})


def backend_of(text):
    """The backend with the fault "NAME" or "NAME@N"; without a fault for ""."""
    name, _, site = text.partition("@")
    return FusingBackend(FAULTS[name] if name else None, int(site) if site else None)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(FAULTS))
        sys.exit(0)
    if len(sys.argv) > 2 or (sys.argv[1:] and sys.argv[1].partition("@")[0] not in FAULTS):
        sys.exit("usage: fusing_worker.py [FAULT[@N]], or --list")
    worker.serve(backend_of(sys.argv[1] if sys.argv[1:] else ""))
