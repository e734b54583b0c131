# SPDX-License-Identifier: Apache-2.0
"""Properties of the backend beside this file, with Hypothesis: pytest test_numpy_backend.py

For a test of each vector of a suite, nothing needs to be written:

    pytest --assay suite --assay-backend numpy_backend:run"""
import numpy as np
from hypothesis import given, settings

import assay
from assay import strategies
from numpy_backend import BINARY, UNARY, run


@settings(deadline=None, derandomize=True, max_examples=500)
@given(strategies.vectors(operators=[op.name for op in (*BINARY, *UNARY)], types=["fp32"], depth=6))
def test_graphs_of_several_operators(vector):
    with np.errstate(all="ignore"):
        outputs = run(vector.graphs[0], [value.array for value in vector.steps[0].inputs])
    result = assay.judge(vector, outputs)
    assert result.verdict != "disagrees", result.findings[0].text
