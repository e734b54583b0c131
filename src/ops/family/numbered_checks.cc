// SPDX-License-Identifier: Apache-2.0
#include "numbered_checks.h"

namespace assay::ops {

// An id is looked up only if its rule is broken.
void NumberedChecks::LevelCheck(bool holds) {
  ++level_checks_;
  if (holds) return;
  judgement_.Require(false,
                     FindRule(RuleId(op_, RuleKind::kLevelCheck, level_checks_))->id.c_str());
}

void NumberedChecks::ErrorIf(bool holds) {
  ++errors_;
  if (holds) ErrorIf(true, std::to_string(errors_));
}

void NumberedChecks::ErrorIf(bool holds, std::string_view name) {
  if (!holds) return;
  judgement_.ErrorIf(true, FindRule(RuleId(op_, RuleKind::kErrorIf, name))->id.c_str());
}

void NumberedChecks::DividedDimension(int64_t dimension, int64_t input1, int64_t input2) {
  ErrorIf(input1 % input2 != 0, "idiv_check");
  ErrorIf(dimension != input1 / input2 + 1);
}

}  // namespace assay::ops
