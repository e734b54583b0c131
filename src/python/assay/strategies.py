# SPDX-License-Identifier: Apache-2.0
"""Strategies for Hypothesis.

    from hypothesis import given
    from assay import strategies

    @given(strategies.vectors(operators=["ADD", "MUL"], types=["fp32"], depth=6))
    def test_my_compiler(vector):
        graph, step = vector.graphs[0], vector.steps[0]
        outputs = my_compiler(graph, [value.array for value in step.inputs])
        assert assay.judge(vector, outputs)

Values shrink by Assay's structural moves: Hypothesis draws for each operator whether it is kept, for
each dimension whether it is shortened, and for each tensor whether its numbers become zeros. Smaller
numbers remove more."""
from typing import Optional, Sequence, Union

from hypothesis import reject, strategies as st

from . import library
from .dtypes import DType, names_of
from .graph import Graph, Op
from .test_vector import TestVector

native = library.load()

_NUMBERS_MAX = (1 << 32) - 1
# One draw of sixteen removes something already in the first examples.
_CHANCES = st.integers(0, 15)


def vectors(operators: Sequence[Union[str, Op]] = (), types: Sequence[Union[str, DType]] = (),
            depth: Optional[int] = None, *, rank_max: int = 0, elements_max: int = 64,
            target: Optional[str] = None, profiles: Sequence[str] = (),
            extensions: Sequence[str] = (), level: str = "8K") -> st.SearchStrategy[TestVector]:
    """Returns a strategy of valid vectors with one graph and one invocation: the graph, its inputs
    and the expected outputs.

    `operators` and `types` restrict what graphs have, and `depth` is the greatest number of their
    operators, constants aside. The other arguments are those of assay.generate()."""
    if depth is not None and depth < 1:
        raise ValueError(f"depth is {depth}, and must be 1 or more")
    options = {"kinds": ["graph"], "operators": names_of("operators", operators),
               "types": names_of("types", types), "rank_max": rank_max,
               "elements_max": elements_max, "profiles": names_of("profiles", profiles),
               "extensions": names_of("extensions", extensions), "level": level}
    if target:
        options["target"] = str(target)
    return _vectors(native.Cases(options), depth)


def graphs(operators: Sequence[Union[str, Op]] = (), types: Sequence[Union[str, DType]] = (),
           depth: Optional[int] = None, **options) -> st.SearchStrategy[Graph]:
    """Returns a strategy of the graphs of vectors()."""
    return vectors(operators, types, depth, **options).map(lambda vector: vector.graphs[0])


@st.composite
def _vectors(draw, cases, depth):
    content = cases.make(draw(st.integers(0, _NUMBERS_MAX)))
    if content is None:
        reject()
    vector = native.Vector(content, "vector")
    if vector.steps != 1 or vector.graphs != 1:
        reject()
    structure = native.Structure(vector)
    kept = [draw(_CHANCES) > 0 for _ in range(structure.operators)]
    if depth is not None:
        kept = [one and index < depth for index, one in enumerate(kept)]
    sizes = [_size(draw(_CHANCES), size) for size in structure.dimensions]
    data = [draw(_CHANCES) > 0 for _ in range(structure.data)]
    made = TestVector.from_bytes(structure.smaller(kept, sizes, data), "vector")
    if depth is not None and _working(made.graphs[0]) > depth:
        reject()
    return made


def _size(choice, size):
    return 1 if choice == 0 else (size + 1) // 2 if choice == 1 else size


def _working(graph):
    """Returns the number of operators of the main block other than constants."""
    return sum(operator.op.name not in ("CONST", "CONST_SHAPE")
               for operator in graph.main.operators)
