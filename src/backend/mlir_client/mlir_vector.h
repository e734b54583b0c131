// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "mlir_writer.h"
#include "test_vector.h"

namespace assay {

// The steps of a vector that share one module, in order. They have the same context and graph.
struct MlirRun {
  int32_t graph = 0;
  std::vector<size_t> steps;  // positions in TestVector::steps
};

// Returns why MLIR cannot run the vector; "" if it can. Variables that are loaded from
// outside or shared between graphs are not supported, nor are graphs that cannot be written as
// MLIR. `validates` means that the pipeline has LLVM's validator. Without it, vectors that must be
// refused are not supported either, because the lowering does not promise any checks.
std::string MlirWhyUnsupported(const TestVector& vector, bool validates,
                               MlirDialect dialect = MlirDialect::kTosa1);

// Returns the row that exempts a refusal of the graph: the graph has such an operator, and the
// refusal names it (`tosa.rescale`). Returns null if there is none.
const Exemption* FindExemption(std::span<const Exemption> rows, const Graph& graph,
                               std::string_view refusal);

// Returns the runs of a supported vector.
std::vector<MlirRun> MlirRuns(const TestVector& vector);

// Convert elements to and from MLIR's storage. i4 and i48 have bits without a meaning.
std::string ToMlirBytes(const Tensor& tensor);
Tensor FromMlirBytes(const TensorType& type, const std::string& bytes);

}  // namespace assay
