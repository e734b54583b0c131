// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_value.h"
#include "test_vector.h"

namespace assay {

// Foldings of a vector as JSON, in the words of src/graph/folding.h. Tensors are given by name.
// Texts of files are passed through CleanText().

// Returns the constness of inputs: [{"graph": 0, "inputs": ["varying", "runtime"]}].
Json ConstnessJson(const TestVector& vector);

// Returns how a graph was folded, which tensors are cached, and the certificate.
Json FoldJson(const FoldRecord& record);

// Returns {"before": 0, "after": 1, "law": ..., "equal": true, "reason": ...}.
Json FoldPairJson(const FoldPair& pair);

}  // namespace assay
