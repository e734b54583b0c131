# SPDX-License-Identifier: Apache-2.0
"""The strategies for Hypothesis."""
import pytest

pytest.importorskip("hypothesis")
from hypothesis import find, given, settings

import assay
from assay import Op, strategies

QUIET = settings(database=None, deadline=None, max_examples=40, derandomize=True)


def working(vector):
    return [op.op for op in vector.graphs[0].main.operators
            if op.op not in (Op.CONST, Op.CONST_SHAPE)]


@QUIET
@given(strategies.vectors(operators=["ADD", "MUL"], types=["fp32"], depth=4))
def test_vectors_are_valid_and_within_what_is_asked(vector):
    assert 0 < len(working(vector)) <= 4 and set(working(vector)) <= {Op.ADD, Op.MUL}
    assert assay.check(vector.graphs[0]) == []
    step, = vector.steps
    outputs = assay.execute(vector.graphs[0], [value.array for value in step.inputs])
    assert assay.judge(vector, outputs).verdict != "disagrees"


@pytest.mark.parametrize("op", [Op.MUL, Op.REDUCE_SUM])
def test_vectors_shrink_to_one_operator_on_zeros(op):
    found = find(strategies.vectors(), lambda vector: op in working(vector),
                 settings=settings(QUIET, max_examples=500))
    assert working(found) == [op]
    assert all(not value.array.any() for value in found.steps[0].inputs)
    assert all(value.array.size == 1 for value in found.steps[0].inputs)


def test_graphs_are_the_graphs_of_vectors():
    graph = find(strategies.graphs(types=["i8"]), lambda graph: len(graph.main.operators) > 0,
                 settings=QUIET)
    assert isinstance(graph, assay.Graph)


def test_wrong_arguments_are_refused_at_once():
    for options in ({"depth": 0}, {"operators": ["ADDD"]}, {"types": ["fp99"]}):
        with pytest.raises(ValueError):
            strategies.vectors(**options)
