#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay::cli {

// A graph to be folded, as the only graph of a vector: with what the file says about it, its steps
// among that, and how constant its inputs are.
struct FoldInput {
  TestVector vector;
  std::vector<Constness> arguments;
};

// Of a `.tosa`, `.json`, `.mlir`, `.mlirbc` or `.tvec` file or an Arm test directory; `graph` is
// which of several, -1 if there must be one, and `function` the same of MLIR, or empty.
// `compile_time` and `runtime` name inputs, by name or position from 0, and go before what the file
// says. Error kUsage for an input that is not there or is named twice.
Result<FoldInput> LoadFoldInput(const std::string& path, int64_t graph, const std::string& function,
                                const std::vector<std::string>& compile_time,
                                const std::vector<std::string>& runtime);

}  // namespace assay::cli
