// SPDX-License-Identifier: Apache-2.0
#include "elementary_functions.h"

#include <array>

#include "accuracy.h"
#include "check.h"
#include "elementary.h"

namespace assay {
namespace {

constexpr ElementaryFunction kFunctions[] = {
    {Op::kReciprocal, Course::kFalling, "1 / $", [](double x) { return 1.0 / x; }, RecipError},
    {Op::kRsqrt, Course::kFalling, "1 / sqrt($)", Rsqrt, RsqrtError},
    {Op::kExp, Course::kRising, "exp($)", Exp, ExpError},
    {Op::kLog, Course::kRising, "log($)", Log, LogError},
    {Op::kSin, Course::kGentle, "sin($)", Sin, SinError},
    {Op::kCos, Course::kGentle, "cos($)", Cos, CosError},
    {Op::kTanh, Course::kRising, "tanh($)", Tanh, TanhError},
    {Op::kErf, Course::kRising, "erf($)", Erf, ErfError},
    {Op::kSigmoid, Course::kRising, "1 / (1 + exp(-$))", Sigmoid, SigmoidError},
};

}  // namespace

const ElementaryFunction& ElementaryFunctionOf(Op op) {
  static constexpr auto kByOp = [] {
    std::array<const ElementaryFunction*, kOperatorCount + 1> by_op{};
    for (const ElementaryFunction& row : kFunctions) by_op[static_cast<size_t>(row.op)] = &row;
    return by_op;
  }();
  const ElementaryFunction* const function = kByOp[static_cast<size_t>(op)];
  Check(function != nullptr, "an elementary function");
  return *function;
}

}  // namespace assay
