#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "test_vector.h"

namespace assay {

// The steps of a vector that can share one module, and their order: those of one context and graph.
struct MlirRun {
  int32_t graph = 0;
  std::vector<size_t> steps;  // positions in TestVector::steps
};

// Whether MLIR 22 can be asked to run the vector; if not, why. These are left out: variables loaded
// from outside or shared between graphs, and what cannot be written as MLIR. `validates`: the
// pipeline has LLVM's validator; without it vectors that must be refused are left out as well,
// since the lowering claims no checks.
bool MlirSupports(const TestVector& vector, bool validates, std::string* why);

// Returns the row that exempts a refusal of the graph: the graph has such an operator, and the
// refusal names it (`tosa.rescale`). Returns null if there is none.
const Exemption* FindExemption(std::span<const Exemption> rows, const Graph& graph,
                               std::string_view refusal);

// Of a supported vector.
std::vector<MlirRun> MlirRuns(const TestVector& vector);

// Elements as MLIR stores them, and back: i4 and i48 have bits that mean nothing.
std::string ToMlirBytes(const Tensor& tensor);
Tensor FromMlirBytes(const TensorType& type, const std::string& bytes);

}  // namespace assay
