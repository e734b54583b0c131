#pragma once

#include <nlohmann/json.hpp>

#include "test_vector.h"

namespace assay {

// Folding as JSON: what a vector says about it, in the words of src/graph/folding.h. Tensors by
// name, texts of files as they are.

// [{"graph": 0, "inputs": ["varying", "runtime"]}].
nlohmann::ordered_json ConstnessJson(const TestVector& vector);

// How a graph was folded, what is cached, and the certificate.
nlohmann::ordered_json FoldJson(const FoldRecord& record);

// {"before": 0, "after": 1, "law": ..., "equal": true, "reason": ...}.
nlohmann::ordered_json FoldPairJson(const FoldPair& pair);

}  // namespace assay
