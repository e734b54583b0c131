// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "test_vector.h"
#include "trace.h"

namespace assay {

// Follows floats through the blocks of a vector while it runs. A block that control flow runs is
// followed by itself: its inputs start at depth 0, and control flow gives its results the depth of
// its operands.
class FloatFlow {
 public:
  // The vector must outlive this object.
  explicit FloatFlow(const TestVector& vector);

  // Returns the inexact operators that the operator reads a result of and that form a pair with it
  // (AllInexactPairs()). Updates what is known of its results.
  std::vector<std::string> Ran(const Operator& op);

  // Tells which operands of the operator depend on inputs of the block or on variables.
  std::vector<bool> VaryingOperands(const Operator& op) const;

  // Returns, for each float output of a graph, the number of inexact operators on the longest chain
  // behind it; 0 for an operator that did not run.
  std::vector<int32_t> DepthsOfOutputs(const Graph& graph) const;

 private:
  struct Value {
    int32_t depth = 0;
    bool varies = true;
    Op inexact_producer = Op::kUnknown;
  };
  const Value& At(const Block& block, TensorIndex tensor) const {
    return values_.at(&block)[static_cast<size_t>(tensor)];
  }

  std::unordered_map<const Operator*, const Block*> block_of_;
  std::unordered_map<const Block*, std::vector<Value>> values_;
};

// Returns the class of a depth that is counted: "1", "2", "3", "4-7", "8-15", "16+".
inline constexpr std::string_view kDepthClasses[] = {"1", "2", "3", "4-7", "8-15", "16+"};
std::string_view DepthClassOf(int32_t depth);  // depth >= 1

}  // namespace assay
