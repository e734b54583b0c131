// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rules.h"
#include "signature.h"

namespace assay::ops {

// Checks by the numbers that the rules have in an operator, for code that several operators share.
// The first ERROR_IF checked is `OP/ERROR_IF/1`, the second level check is `OP/LEVEL_CHECK/2`.
class NumberedChecks {
 public:
  NumberedChecks(Op op, Judgement& judgement) : op_(op), judgement_(judgement) {}

  // Checks the operator's next level check or its next ERROR_IF.
  void LevelCheck(bool holds);
  void ErrorIf(bool holds);
  // Checks an ERROR_IF that has a name and no number, like that inside a library helper.
  void ErrorIf(bool holds, std::string_view name);
  // Checks ERROR_IF(dimension != idiv_check(input1, input2) + 1), and the ERROR_IF in idiv_check.
  void DividedDimension(int64_t dimension, int64_t input1, int64_t input2);

 private:
  Op op_;
  Judgement& judgement_;
  int level_checks_ = 0, errors_ = 0;
};

}  // namespace assay::ops
