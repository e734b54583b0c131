// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test_vector.h"
#include "trace.h"
#include "variable_table.h"

namespace assay {

// The events of the variables of one vector, from the trace of its execution, in the terms of the
// table of variables. After a broken rule, nothing counts any more.
class VariableHistory {
 public:
  explicit VariableHistory(const TestVector& vector);

  void Invokes(int32_t context) { context_ = context; }
  void Begins(const Trace::StatusLookup& status_of);
  void Touches(const VariableTouch& touch);

  const std::vector<VariableStep>& steps() const { return steps_; }
  const std::vector<std::pair<VariableStep, VariableStep>>& pairs() const { return pairs_; }

 private:
  VariableEvent EventOf(const VariableTouch& touch) const;
  void Append(const std::string& key, const VariableStep& step);

  const StateRules& rules_;
  const VariableTable table_;
  // Every variable of the vector. Its type is that of its first declaration, for use before the
  // variable is declared.
  std::map<std::string, std::optional<TensorType>> types_;
  int32_t context_ = 0;
  bool broken_ = false;
  std::map<std::pair<int32_t, std::string>, VariableStep> last_;  // by context and key
  std::vector<VariableStep> steps_;
  std::vector<std::pair<VariableStep, VariableStep>> pairs_;
};

}  // namespace assay
