# SPDX-License-Identifier: Apache-2.0
"""Judges the variants of the compliant worker in this process. They share the decoded graphs, and
with these what compliant_worker.py keeps in a block, so that many variants are cheap."""
import functools

from assay import in_process
from assay.graph import Graph
from assay.verification import native
from compliant_variants import VARIANTS
from compliant_worker import CompliantBackend


@functools.cache
def _decoded(content):
    return Graph.from_bytes(content, "graph")


class _Connection(in_process.Connection):
    def again(self):
        return _Connection(self._backend)

    def _load_graph(self, number, content, level):
        self._graphs[number] = self._backend.load_graph(_decoded(content), level)
        return ("done",)


def judge(vectors, variant, declared):
    """Returns the report of a run of a variant on vectors, as assay.prepare() returns them."""
    return native.verify([], vectors, _Connection(CompliantBackend(VARIANTS[variant]())), variant,
                         {"declarations": list(declared)})


def forget():
    """Drops the graphs of all runs until now."""
    _decoded.cache_clear()
