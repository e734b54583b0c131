// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operator_table.h"
#include "test_vector.h"

namespace assay {

// A backend's part in some models: an operator in one row of its type table.
struct OperatorNeed {
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;  // its CharacteristicType
  std::string_view mode;         // of the type row; "" if there is none
  int64_t operators = 0;         // of the models
  int64_t configurations = 0;    // distinct ones of these
  int64_t vectors = 0;           // that test one of them
  // The largest of each; 0 if there is none.
  int64_t kernel = 0, stride = 0, dilation = 0;   // along an axis
  int64_t rank = 0, dimension = 0, elements = 0;  // of a tensor
};

// Collects what models need of a backend.
class ModelNeeds {
 public:
  // Adds the operators of all blocks, constants left out.
  void Add(const TestVector& model);
  // Counts a distinct configuration of such an operator: the only operator of the main block of
  // `configuration`, constants left out. `has_vector`: a suite tests it.
  void AddConfiguration(const TestVector& configuration, bool has_vector);

  // Returns the needs in the order of the specification.
  std::vector<OperatorNeed> Table() const;

 private:
  OperatorNeed& NeedOf(const Block& block, const Operator& op);

  // By operator and its type row, which is null if it has none.
  std::map<std::pair<Op, const TypeRow*>, OperatorNeed> needs_;
};

// Return the needs as a table for a terminal, and as a JSON list of objects.
std::string NeedsToText(const std::vector<OperatorNeed>& needs);
std::string NeedsToJson(const std::vector<OperatorNeed>& needs);

}  // namespace assay
