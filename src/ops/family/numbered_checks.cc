// SPDX-License-Identifier: Apache-2.0
#include "numbered_checks.h"

#include <string>

#include "check.h"

namespace assay::ops {

namespace {

// Not called unless the rule is broken.
template <class Number>
const char* IdOf(Op op, RuleKind kind, Number number) {
  const Rule* const rule = FindRule(RuleId(op, kind, number));
  Check(rule != nullptr, "a rule of the specification");
  return rule->id.c_str();
}

}  // namespace

void NumberedChecks::LevelCheck(bool holds) {
  ++level_checks_;
  if (!holds) judgement_.Require(false, IdOf(op_, RuleKind::kLevelCheck, level_checks_));
}

void NumberedChecks::ErrorIf(bool holds) {
  ++errors_;
  if (holds) ErrorIf(true, std::to_string(errors_));
}

void NumberedChecks::ErrorIf(bool holds, std::string_view name) {
  if (holds) judgement_.ErrorIf(true, IdOf(op_, RuleKind::kErrorIf, name));
}

void NumberedChecks::DividedDimension(int64_t dimension, int64_t input1, int64_t input2) {
  ErrorIf(input1 % input2 != 0, "idiv_check");
  ErrorIf(dimension != input1 / input2 + 1);
}

}  // namespace assay::ops
